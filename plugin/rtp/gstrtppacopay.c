/* SPDX-License-Identifier: LGPL-2.1-or-later
 * rtppacopay. A frame leaves as one list of packets that share its memory, and
 * parity, which takes some time to be made, as a second one behind it. */

/**
 * SECTION:element-rtppacopay
 * @title: rtppacopay
 * @short_description: Sends PaCo video over RTP
 * @see_also: rtppacodepay, pacoenc
 *
 * rtppacopay makes RTP packets of the frames of pacoenc or pacoparse. Packets
 * are aligned to codeblocks, so that a lost packet costs its own blocks and no
 * other; header, index and the coarse subbands of each frame are protected by
 * packets of parity (#GstRtpPacoPay:parity). docs/RTP.md describes the packets.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! pacoenc ! rtppacopay ! udpsink host=127.0.0.1 port=5004
 * ]| Sends a live picture to this machine.
 *
 * Since: 1.0
 */
#include "caps/videocaps.h"
#include "gstpacortpparity.h"
#include "gstpacortpformat.h"
#include "plugin/elements.h"
#include <gst/rtp/rtp.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_rtp_paco_pay_debug);
#define GST_CAT_DEFAULT gst_rtp_paco_pay_debug

#define DEFAULT_PARITY 20
/* A frame cannot be cut for packets of less room. */
#define LEAST_ROOM 64
/* Coarse subbands are protected up to this part of the frame. */
#define COARSE_SHARE 8

enum
{
  PROP_PARITY = 1,
};

typedef struct
{
  guint32 offset, size;
} Piece;

typedef struct
{
  GArray *pieces; /* of Piece, the whole frame in order */

  /* The part that parity protects is the first protected_size bytes. The first
   * n_symbols pieces are its symbols. */
  guint32 protected_size, symbol_size;
  guint32 n_symbols, n_groups;
  guint n_rows; /* of parity, for each group; 0: there is none */
} Plan;

#define GST_TYPE_RTP_PACO_PAY (gst_rtp_paco_pay_get_type ())
G_DECLARE_FINAL_TYPE (
    GstRtpPacoPay, gst_rtp_paco_pay, GST, RTP_PACO_PAY, GstRTPBasePayload)

struct _GstRtpPacoPay
{
  GstRTPBasePayload parent;

  guint parity; /* property, atomic */

  /* Only the streaming thread uses these. */
  GstPacoRtpBlocks blocks;
  Plan plan;
  guint16 number;  /* of the next frame */
  gboolean warned; /* of a frame that cannot be sent */
};

G_DEFINE_FINAL_TYPE_WITH_CODE (GstRtpPacoPay, gst_rtp_paco_pay,
    GST_TYPE_RTP_BASE_PAYLOAD,
    GST_DEBUG_CATEGORY_INIT (
        gst_rtp_paco_pay_debug, "rtppacopay", 0, "PaCo RTP payloader"))
GST_ELEMENT_REGISTER_DEFINE (
    rtppacopay, "rtppacopay", GST_RANK_SECONDARY, GST_TYPE_RTP_PACO_PAY)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (PACO_MEDIA_TYPE
        ", parsed = (boolean) true, alignment = (string) frame"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp, media = (string) video, "
                     "payload = (int) " GST_RTP_PAYLOAD_DYNAMIC_STRING ", "
                     "clock-rate = (int) 90000, "
                     "encoding-name = (string) " GST_PACO_RTP_ENCODING_NAME));

/* --- the plan ---------------------------------------------------------- */

/* The plan says how a frame is cut into packets, and how much of it parity protects,
 * which docs/RTP.md leaves to the sender. Header, index and the coarse subbands are
 * protected. The coarse subbands have a few percent of the bytes, and what is lost of
 * them shows most. Of all other bytes a packet has whole codeblocks, as many as go in;
 * only a block that is larger than a packet is split. So a lost packet breaks its own
 * blocks and no other. */

static guint32
block_begin (const GstPacoRtpBlocks *blocks, guint32 i)
{
  return i < blocks->geometry->n_blocks
      ? gst_paco_rtp_blocks_payload (blocks) + blocks->records[i].offset
      : blocks->header.frame_size;
}

/* Chooses how many bytes to protect, in symbols of at most symbol_size. */
static guint32
choose_protected (const GstPacoRtpBlocks *blocks, guint32 symbol_size)
{
  const PacoHeader *header = &blocks->header;
  guint32 begin = gst_paco_rtp_blocks_payload (blocks), chosen = begin;

  for (guint level = header->coding.levels + 1; level-- > 0;) {
    guint32 end = block_begin (blocks, blocks->geometry->n_blocks_at[level]);

    if (end - begin > header->frame_size / COARSE_SHARE
        || gst_paco_rtp_n_symbols (end, symbol_size) > GST_PACO_RTP_GROUP)
      break;
    chosen = end;
  }
  return MIN (chosen, (guint64) GST_PACO_RTP_MAX_SYMBOLS * symbol_size);
}

static void
plan_protection (Plan *plan, const GstPacoRtpBlocks *blocks,
    guint32 symbol_size, guint parity)
{
  guint group;

  plan->protected_size = choose_protected (blocks, symbol_size);
  plan->n_symbols = gst_paco_rtp_n_symbols (plan->protected_size, symbol_size);
  /* Symbols are as equal as they can be, so that little is filled up. */
  plan->symbol_size = (plan->protected_size + plan->n_symbols - 1)
      / plan->n_symbols;
  plan->n_symbols = gst_paco_rtp_n_symbols (
      plan->protected_size, plan->symbol_size);
  plan->n_groups = gst_paco_rtp_n_groups (plan->n_symbols);

  group = (plan->n_symbols + plan->n_groups - 1) / plan->n_groups;
  plan->n_rows = (group * parity + 99) / 100;
  /* Groups get one row more than their share, which helps those of few symbols. */
  if (parity > 0 && group > 1)
    plan->n_rows = MIN (plan->n_rows + 1, GST_PACO_RTP_GROUP);
}

static void
add_piece (Plan *plan, guint32 offset, guint32 size)
{
  const Piece piece = { offset, size };

  g_array_append_val (plan->pieces, piece);
}

/* Adds bytes that belong together to the last piece if there is room for all. */
static void
add_block (Plan *plan, guint32 offset, guint32 size, guint32 room)
{
  Piece *last = &g_array_index (plan->pieces, Piece, plan->pieces->len - 1);

  if (plan->pieces->len > plan->n_symbols && last->size + size <= room) {
    last->size += size;
    return;
  }
  for (; size > 0; offset += MIN (size, room), size -= MIN (size, room))
    add_piece (plan, offset, MIN (size, room));
}

/* Plans the packets of the frame of `blocks`, whose index has been read. room is how
 * many bytes a packet has for the payload with its header, at least LEAST_ROOM.
 * parity is how many packets of parity there are for 100 that it protects. */
static void
make_plan (Plan *plan, const GstPacoRtpBlocks *blocks, guint room, guint parity)
{
  guint32 data_room = room - GST_PACO_RTP_DATA_HEADER, at;

  plan_protection (plan, blocks, room - GST_PACO_RTP_PARITY_HEADER, parity);
  g_array_set_size (plan->pieces, 0);
  for (at = 0; at < plan->protected_size; at += plan->symbol_size)
    add_piece (plan, at, MIN (plan->symbol_size, plan->protected_size - at));

  at = plan->protected_size;
  for (guint32 i = 0; i <= blocks->geometry->n_blocks; i++) {
    guint32 end = block_begin (blocks, i);

    if (end > at) {
      add_block (plan, at, end - at, data_room);
      at = end;
    }
  }
}

/* --- packets ----------------------------------------------------------- */

/* Shares the memory of body. */
static void
add_packet (GstRtpPacoPay *self, GstBufferList *list, GstBuffer *buffer,
    const GstPacoRtpHeader *header, GstBuffer *body, gsize offset, gsize size,
    gboolean last)
{
  GstBuffer *packet = gst_rtp_base_payload_allocate_output_buffer (
      GST_RTP_BASE_PAYLOAD (self), gst_paco_rtp_header_size (header->kind), 0,
      0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  GST_BUFFER_PTS (packet) = GST_BUFFER_PTS (buffer);
  GST_BUFFER_DTS (packet) = GST_BUFFER_DTS (buffer);
  GST_BUFFER_DURATION (packet) = GST_BUFFER_DURATION (buffer);
  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_marker (&rtp, last);
  gst_paco_rtp_header_write (header, gst_rtp_buffer_get_payload (&rtp));
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_copy_into (packet, body, GST_BUFFER_COPY_MEMORY, offset, size);
  gst_buffer_list_add (list, packet);
}

static GstBufferList *
make_data (GstRtpPacoPay *self, GstBuffer *buffer)
{
  const GArray *pieces = self->plan.pieces;
  GstBufferList *list = gst_buffer_list_new_sized (pieces->len);

  for (guint i = 0; i < pieces->len; i++) {
    const Piece *piece = &g_array_index (pieces, Piece, i);
    const GstPacoRtpHeader header = {
      .kind = GST_PACO_RTP_DATA,
      .frame = self->number,
      .frame_size = self->blocks.header.frame_size,
      .offset = piece->offset,
    };

    add_packet (self, list, buffer, &header, buffer, piece->offset, piece->size,
        self->plan.n_rows == 0 && i + 1 == pieces->len);
  }
  return list;
}

/* Row after row, and in each row all groups. */
static GstBuffer *
compute_parity (const Plan *plan, const guint8 *data)
{
  gsize stride = (gsize) plan->n_groups * plan->symbol_size;
  GstBuffer *parity = gst_buffer_new_allocate (
      NULL, plan->n_rows * stride, NULL);
  guint8 factors[GST_PACO_RTP_GROUP];
  GstMapInfo map;

  gst_buffer_map (parity, &map, GST_MAP_WRITE);
  memset (map.data, 0, map.size);
  for (guint32 i = 0; i < plan->n_symbols; i++) {
    const Piece *symbol = &g_array_index (plan->pieces, Piece, i);
    guint group = i % plan->n_groups, column = i / plan->n_groups;

    for (guint row = 0; row < plan->n_rows; row++)
      factors[row] = gst_paco_rtp_parity_factor (row, column);
    gst_paco_rtp_parity_add (map.data + group * plan->symbol_size, stride,
        factors, plan->n_rows, data + symbol->offset, symbol->size);
  }
  gst_buffer_unmap (parity, &map);
  return parity;
}

static GstBufferList *
make_parity (GstRtpPacoPay *self, GstBuffer *buffer, const guint8 *data)
{
  const Plan *plan = &self->plan;
  guint n = plan->n_rows * plan->n_groups;
  GstBufferList *list = gst_buffer_list_new_sized (n);
  g_autoptr (GstBuffer) parity = compute_parity (plan, data);

  for (guint i = 0; i < n; i++) {
    const GstPacoRtpHeader header = {
      .kind = GST_PACO_RTP_PARITY,
      .frame = self->number,
      .frame_size = self->blocks.header.frame_size,
      .protected_size = plan->protected_size,
      .row = i / plan->n_groups,
      .n_rows = plan->n_rows,
      .group = i % plan->n_groups,
    };

    add_packet (self, list, buffer, &header, parity,
        (gsize) i * plan->symbol_size, plan->symbol_size, i + 1 == n);
  }
  return list;
}

/* --- frames ------------------------------------------------------------ */

static guint
packet_room (GstRtpPacoPay *self, GstBuffer *buffer)
{
  GstRTPBasePayload *base = GST_RTP_BASE_PAYLOAD (self);

  return gst_rtp_buffer_calc_payload_len (GST_RTP_BASE_PAYLOAD_MTU (base), 0,
      gst_rtp_base_payload_get_source_count (base, buffer));
}

/* Warns that the buffer is no frame. What is damaged so is left out. */
static GstFlowReturn
refuse (GstRtpPacoPay *self, const GError *error)
{
  if (!self->warned)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("A frame cannot be sent and is left out: %s", error->message),
        ("further ones go to the log"));
  else
    GST_WARNING_OBJECT (
        self, "a frame cannot be sent and is left out: %s", error->message);
  self->warned = TRUE;
  return GST_FLOW_OK;
}

static GstFlowReturn
send_frame (GstRtpPacoPay *self, GstBuffer *buffer, const GstMapInfo *map)
{
  GstRTPBasePayload *base = GST_RTP_BASE_PAYLOAD (self);
  guint room = packet_room (self, buffer);
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow;

  if (room < LEAST_ROOM) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
        ("The packets are too small: mtu must be %u at least.",
            GST_RTP_BASE_PAYLOAD_MTU (base) + LEAST_ROOM - room),
        (NULL));
    return GST_FLOW_ERROR;
  }
  if (!gst_paco_rtp_blocks_read (
          &self->blocks, map->data, map->size, map->size, &error))
    return refuse (self, error);
  make_plan (
      &self->plan, &self->blocks, room, g_atomic_int_get (&self->parity));
  GST_LOG_OBJECT (self,
      "frame %u: %" G_GSIZE_FORMAT " bytes in %u packets, %u bytes protected "
      "by %u more",
      self->number, map->size, self->plan.pieces->len,
      self->plan.protected_size, self->plan.n_rows * self->plan.n_groups);

  flow = gst_rtp_base_payload_push_list (base, make_data (self, buffer));
  if (flow == GST_FLOW_OK && self->plan.n_rows > 0)
    flow = gst_rtp_base_payload_push_list (
        base, make_parity (self, buffer, map->data));
  self->number++;
  return flow;
}

static GstFlowReturn
gst_rtp_paco_pay_handle_buffer (GstRTPBasePayload *base, GstBuffer *buffer)
{
  GstRtpPacoPay *self = GST_RTP_PACO_PAY (base);
  GstFlowReturn flow = GST_FLOW_ERROR;
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    flow = send_frame (self, buffer, &map);
    gst_buffer_unmap (buffer, &map);
  } else {
    GST_ELEMENT_ERROR (self, RESOURCE, READ,
        ("The memory of a buffer cannot be read."), (NULL));
  }
  gst_buffer_unref (buffer);
  return flow;
}

static gboolean
gst_rtp_paco_pay_set_caps (GstRTPBasePayload *base, GstCaps *caps)
{
  gst_rtp_base_payload_set_options (
      base, "video", TRUE, GST_PACO_RTP_ENCODING_NAME, GST_PACO_RTP_CLOCK_RATE);
  return gst_rtp_base_payload_set_outcaps (base, NULL);
}

/* --- life -------------------------------------------------------------- */

static GstStateChangeReturn
gst_rtp_paco_pay_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpPacoPay *self = GST_RTP_PACO_PAY (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    self->warned = FALSE;
  result = GST_ELEMENT_CLASS (gst_rtp_paco_pay_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_paco_rtp_blocks_clear (&self->blocks);
  return result;
}

static void
gst_rtp_paco_pay_finalize (GObject *object)
{
  GstRtpPacoPay *self = GST_RTP_PACO_PAY (object);

  gst_paco_rtp_blocks_clear (&self->blocks);
  g_array_unref (self->plan.pieces);
  G_OBJECT_CLASS (gst_rtp_paco_pay_parent_class)->finalize (object);
}

static void
gst_rtp_paco_pay_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_PARITY)
    g_atomic_int_set (
        &GST_RTP_PACO_PAY (object)->parity, g_value_get_uint (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_rtp_paco_pay_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_PARITY)
    g_value_set_uint (
        value, g_atomic_int_get (&GST_RTP_PACO_PAY (object)->parity));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_rtp_paco_pay_class_init (GstRtpPacoPayClass *klass)
{
  GstRTPBasePayloadClass *base_class = GST_RTP_BASE_PAYLOAD_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = gst_rtp_paco_pay_finalize;
  object_class->set_property = gst_rtp_paco_pay_set_property;
  object_class->get_property = gst_rtp_paco_pay_get_property;
  g_object_class_install_property (object_class, PROP_PARITY,
      g_param_spec_uint ("parity", "Parity",
          "Packets of parity for 100 packets of header, index and coarse "
          "subbands",
          0, 100, DEFAULT_PARITY,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP PaCo payloader",
      "Codec/Payloader/Network/RTP",
      "Makes RTP packets of PaCo video, of which some may be lost",
      "The gst-paco developers");
  element_class->change_state = gst_rtp_paco_pay_change_state;
  base_class->set_caps = gst_rtp_paco_pay_set_caps;
  base_class->handle_buffer = gst_rtp_paco_pay_handle_buffer;
}

static void
gst_rtp_paco_pay_init (GstRtpPacoPay *self)
{
  self->parity = DEFAULT_PARITY;
  self->plan.pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
}
