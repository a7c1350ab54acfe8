/* SPDX-License-Identifier: LGPL-2.1-or-later
 * rtppacodepay. Packets say where their bytes belong, so each is copied once, to
 * its place in a frame of used memory (gstpacortpframe.c). Two frames may be put
 * together at a time, as packets of neighbours may come mixed. */

/**
 * SECTION:element-rtppacodepay
 * @title: rtppacodepay
 * @short_description: Receives PaCo video over RTP
 * @see_also: rtppacopay, pacodec
 *
 * rtppacodepay puts frames together from the packets of rtppacopay. Where packets
 * were lost, the codeblocks in them are marked as broken, which pacodec conceals,
 * and the buffer has GST_BUFFER_FLAG_CORRUPTED; a frame is left out only if parity
 * cannot restore its header and index. docs/RTP.md describes the packets.
 *
 * It takes packets in any order within a frame. A network that may change the
 * order of frames, or whose delay changes, wants rtpjitterbuffer before it.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 udpsrc port=5004 caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=X-PACO" ! rtpjitterbuffer ! rtppacodepay ! pacodec ! videoconvert ! autovideosink
 * ]| Shows what is sent to this machine.
 *
 * Since: 1.0
 */
#include "caps/videocaps.h"
#include "plugin/coder/gstpacoallocator.h"
#include "gstpacortpframe.h"
#include "plugin/elements.h"
#include <gst/rtp/rtp.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_rtp_paco_depay_debug);
#define GST_CAT_DEFAULT gst_rtp_paco_depay_debug

enum
{
  PROP_MAX_FRAME_SIZE = 1,
  PROP_STATS,
};

/* A lossless 12-bit 4:4:4 frame has some 80 MB at 8K, and 23 MB at 4K. */
#define DEFAULT_MAX_FRAME_SIZE (128u << 20)
/* Frames up to 256 before the last one are late. Those further back are of a
 * sender that has begun again. */
#define LATE_FRAMES 256
/* When this number of packets of a frame's end, which have no blocks, have come, none
 * with blocks comes any more. Networks seldom change the order of packets further
 * apart. */
#define REORDERED_PACKETS 3
/* Eight slabs of memory are there for frames that are being put together, or
 * are with downstream. */
#define MOST_SLABS 8

/* What is counted, as the property stats names it. */
enum
{
  FRAMES,    /* that were handed on */
  DAMAGED,   /* of them, those with lost blocks */
  LOST,      /* frames of which nothing was handed on */
  BLOCKS,    /* lost codeblocks of damaged frames */
  RECOVERED, /* packets, by parity */
  PACKETS,   /* by their fate */
  N_COUNTS = PACKETS + GST_PACO_RTP_N_FATES,
};

static const gchar *const count_names[N_COUNTS] = {
  [FRAMES] = "frames",
  [DAMAGED] = "damaged-frames",
  [LOST] = "lost-frames",
  [BLOCKS] = "lost-blocks",
  [RECOVERED] = "recovered-packets",
  [PACKETS + GST_PACO_RTP_TAKEN] = "packets",
  [PACKETS + GST_PACO_RTP_DUPLICATE] = "duplicate-packets",
  [PACKETS + GST_PACO_RTP_LATE] = "late-packets",
  [PACKETS + GST_PACO_RTP_MALFORMED] = "malformed-packets",
  [PACKETS + GST_PACO_RTP_CONTRADICTING] = "contradicting-packets",
  [PACKETS + GST_PACO_RTP_OVERSIZED] = "oversized-packets",
  [PACKETS + GST_PACO_RTP_EARLY] = "early-packets",
};

#define GST_TYPE_RTP_PACO_DEPAY (gst_rtp_paco_depay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpPacoDepay, gst_rtp_paco_depay, GST, RTP_PACO_DEPAY,
    GstRTPBaseDepayload)

struct _GstRtpPacoDepay
{
  GstRTPBaseDepayload parent;

  guint max_frame_size;     /* property, atomic */
  guint64 counts[N_COUNTS]; /* under the object lock */

  /* Only the streaming thread uses these. The frames are in order; the second one
   * is active only if the first is. */
  GstPacoRtpFrame frames[2];
  gboolean has_last;
  guint16 last; /* the frame that was finished last */
  guint32
      trusted; /* bytes that the next one may have: twice what came of that */
  gboolean has_ssrc;
  guint32 ssrc;
  GstPacoRtpBlocks blocks; /* of the last damaged frame */
  GstAllocator *recycler, *offered;

  /* The stream is as the last header told. */
  gboolean known;
  PacoPictureFormat picture;
  PacoVideoInfo video;
  GstClockTime duration;
  gboolean warned; /* of frames that are too large */
};

G_DEFINE_FINAL_TYPE_WITH_CODE (GstRtpPacoDepay, gst_rtp_paco_depay,
    GST_TYPE_RTP_BASE_DEPAYLOAD,
    GST_DEBUG_CATEGORY_INIT (
        gst_rtp_paco_depay_debug, "rtppacodepay", 0, "PaCo RTP depayloader"))
GST_ELEMENT_REGISTER_DEFINE (
    rtppacodepay, "rtppacodepay", GST_RANK_SECONDARY, GST_TYPE_RTP_PACO_DEPAY)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp, media = (string) video, "
                     "clock-rate = (int) 90000, "
                     "encoding-name = (string) " GST_PACO_RTP_ENCODING_NAME));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (PACO_MEDIA_TYPE
        ", parsed = (boolean) true, alignment = (string) frame"));

/* --- frames ------------------------------------------------------------ */

static void
count (GstRtpPacoDepay *self, guint what, guint64 n)
{
  GST_OBJECT_LOCK (self);
  self->counts[what] += n;
  GST_OBJECT_UNLOCK (self);
}

/* Returns how far number is behind than, modulo 2^16. */
static gint
distance (guint16 number, guint16 than)
{
  return (gint16) (number - than);
}

static void
update_caps (GstRtpPacoDepay *self, const PacoHeader *header)
{
  GstPad *pad = GST_RTP_BASE_DEPAYLOAD_SRCPAD (self);
  g_autoptr (GstCaps) caps = NULL;
  gint pictures, seconds;

  if (self->known && paco_video_equal (&header->video, &self->video)
      && paco_picture_format_equal (&header->picture, &self->picture)
      && !gst_pad_check_reconfigure (pad))
    return;
  caps = paco_caps_from_header (header);
  paco_caps_picture_rate (
      gst_caps_get_structure (caps, 0), &pictures, &seconds);
  self->duration = pictures > 0
      ? gst_util_uint64_scale_int (GST_SECOND, seconds, pictures)
      : GST_CLOCK_TIME_NONE;
  GST_DEBUG_OBJECT (self, "caps out: %" GST_PTR_FORMAT, caps);
  self->known = gst_pad_set_caps (pad, caps);
  self->video = header->video;
  self->picture = header->picture;
  gst_clear_object (&self->offered);
  if (self->known)
    self->offered = gst_paco_recycler_offered (pad, caps);
}

/* Leaves out a frame that cannot be handed on; a gap event stands for its time. */
static void
lose_frame (GstRtpPacoDepay *self, GstPacoRtpFrame *frame, const gchar *reason)
{
  GstPad *pad = GST_RTP_BASE_DEPAYLOAD_SRCPAD (self);
  g_autoptr (GstEvent)
      segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);

  GST_WARNING_OBJECT (self, "frame %u is lost: %s", frame->number, reason);
  count (self, LOST, 1);
  if (segment != NULL && GST_CLOCK_TIME_IS_VALID (frame->pts)) {
    GstEvent *gap = gst_event_new_gap (frame->pts, self->duration);

    gst_event_set_gap_flags (gap, GST_GAP_FLAG_MISSING_DATA);
    gst_pad_push_event (pad, gap);
  }
  gst_paco_rtp_frame_drop (frame);
}

/* If blocks have no checks, no decoder would see that they are broken. */
static gboolean
fill (GstRtpPacoDepay *self, GstPacoRtpFrame *frame, const PacoHeader *header,
    GError **error)
{
  guint n;

  if (!header->coding.block_checks) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "packets are missing, and its codeblocks have no checks");
    return FALSE;
  }
  if (!gst_paco_rtp_frame_extend (frame)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "packets with %" G_GUINT64_FORMAT " of its %u bytes have come",
        frame->received, frame->size);
    return FALSE;
  }
  if (!gst_paco_rtp_blocks_read (&self->blocks, frame->map.data,
          gst_paco_rtp_frame_head (frame), frame->size, error))
    return FALSE;
  n = gst_paco_rtp_frame_fill (frame, &self->blocks);
  GST_DEBUG_OBJECT (self, "frame %u has lost %u codeblocks", frame->number, n);
  GST_BUFFER_FLAG_SET (frame->buffer, GST_BUFFER_FLAG_CORRUPTED);
  count (self, DAMAGED, 1);
  count (self, BLOCKS, n);
  return TRUE;
}

static gboolean
prepare (GstRtpPacoDepay *self, GstPacoRtpFrame *frame, GError **error)
{
  PacoHeader header;

  gst_paco_rtp_frame_restore (frame);
  if (!paco_header_parse (frame->map.data, gst_paco_rtp_frame_head (frame),
          &header, NULL, error))
    return FALSE;
  if (header.frame_size != frame->size) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "its header has another size than its packets");
    return FALSE;
  }
  if (!gst_paco_rtp_frame_is_whole (frame)
      && !fill (self, frame, &header, error))
    return FALSE;
  update_caps (self, &header);
  return TRUE;
}

static void
push_frame (GstRtpPacoDepay *self, GstPacoRtpFrame *frame)
{
  g_autoptr (GError) error = NULL;
  GstBuffer *buffer;

  if (!prepare (self, frame, &error)) {
    lose_frame (self, frame, error->message);
    return;
  }
  count (self, FRAMES, 1);
  count (self, RECOVERED, frame->recovered);
  buffer = gst_paco_rtp_frame_steal (frame);
  GST_BUFFER_PTS (buffer) = frame->pts;
  GST_BUFFER_DTS (buffer) = frame->dts;
  GST_BUFFER_DURATION (buffer) = self->duration;
  gst_rtp_base_depayload_push (GST_RTP_BASE_DEPAYLOAD (self), buffer);
}

static void
finish_first (GstRtpPacoDepay *self)
{
  GstPacoRtpFrame first = self->frames[0];

  if (!first.active)
    return;
  if (self->has_last) {
    gint missed = distance (first.number, self->last) - 1;

    if (missed > 0 && missed < LATE_FRAMES)
      count (self, LOST, missed);
  }
  self->has_last = TRUE;
  self->last = first.number;
  self->trusted = MIN (2 * first.received, G_MAXINT);
  push_frame (self, &first);
  self->frames[0] = self->frames[1];
  self->frames[1] = first;
}

static void
finish_all (GstRtpPacoDepay *self)
{
  while (self->frames[0].active)
    finish_first (self);
}

static void
forget_all (GstRtpPacoDepay *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->frames); i++)
    gst_paco_rtp_frame_drop (&self->frames[i]);
  self->has_last = self->has_ssrc = FALSE;
}

static gboolean
is_done (const GstPacoRtpFrame *frame)
{
  return frame->active && (gst_paco_rtp_frame_is_whole (frame) || frame->ended);
}

/* --- packets ----------------------------------------------------------- */

/* Begins a frame behind, or before, the one that is being put together. */
static GstPacoRtpFrame *
begin_frame (GstRtpPacoDepay *self, const GstPacoRtpHeader *header,
    const GstBuffer *packet)
{
  GstPacoRtpFrame *frame = &self->frames[1];

  if (self->recycler == NULL)
    self->recycler = gst_paco_recycler_new (NULL, MOST_SLABS);
  if (!gst_paco_rtp_frame_begin (frame, header, self->trusted,
          self->offered != NULL ? self->offered : self->recycler))
    return NULL;
  frame->pts = GST_BUFFER_PTS (packet);
  frame->dts = GST_BUFFER_DTS (packet);
  if (!self->frames[0].active
      || distance (frame->number, self->frames[0].number) < 0) {
    GstPacoRtpFrame first = *frame;

    *frame = self->frames[0];
    self->frames[0] = first;
    frame = &self->frames[0];
  }
  return frame;
}

/* Sets *fate if the packet comes too late or asks for too much. */
static GstPacoRtpFrame *
find_frame (GstRtpPacoDepay *self, const GstPacoRtpHeader *header,
    const GstBuffer *packet, GstPacoRtpFate *fate)
{
  GstPacoRtpFrame *frame = NULL;
  gint behind = self->has_last ? distance (header->frame, self->last) : 1;

  for (guint i = 0; i < G_N_ELEMENTS (self->frames); i++)
    if (self->frames[i].active && self->frames[i].number == header->frame)
      return &self->frames[i];
  *fate = GST_PACO_RTP_LATE;
  if (behind <= 0 && behind > -LATE_FRAMES)
    return NULL;
  if (behind <= 0)
    finish_all (self);
  if (self->frames[1].active) {
    if (distance (header->frame, self->frames[0].number) < 0)
      return NULL;
    finish_first (self);
  }
  *fate = GST_PACO_RTP_OVERSIZED;
  if (header->frame_size <= (guint) g_atomic_int_get (&self->max_frame_size))
    frame = begin_frame (self, header, packet);
  return frame;
}

/* Notes that a packet says that no more blocks come, or only few. */
static void
note_end (
    GstPacoRtpFrame *frame, const GstPacoRtpHeader *header, gboolean marker)
{
  guint behind = header->row * frame->n_groups + header->group + 1;

  frame->ended |= marker
      || (header->kind == GST_PACO_RTP_PARITY && behind > REORDERED_PACKETS
          && gst_paco_rtp_frame_is_safe (frame));
}

static GstPacoRtpFate
take_packet (GstRtpPacoDepay *self, GstRTPBuffer *rtp)
{
  const guint8 *payload = gst_rtp_buffer_get_payload (rtp);
  gsize size = gst_rtp_buffer_get_payload_len (rtp), header_size;
  GstPacoRtpFate fate;
  GstPacoRtpHeader header;
  GstPacoRtpFrame *frame;

  if (!gst_paco_rtp_header_read (&header, payload, size)
      || header.frame_size < PACO_HEADER_PEEK_SIZE)
    return GST_PACO_RTP_MALFORMED;
  frame = find_frame (self, &header, rtp->buffer, &fate);
  if (frame == NULL)
    return fate;
  header_size = gst_paco_rtp_header_size (header.kind);
  fate = gst_paco_rtp_frame_add (frame, &header, payload + header_size,
      size - header_size, rtp->buffer,
      gst_rtp_buffer_get_header_len (rtp) + header_size);
  if (fate == GST_PACO_RTP_TAKEN || fate == GST_PACO_RTP_DUPLICATE)
    note_end (frame, &header, gst_rtp_buffer_get_marker (rtp));
  /* If the second frame is done, no packets of the first one are waited for any
   * more. */
  if (is_done (&self->frames[1]))
    finish_all (self);
  else if (is_done (&self->frames[0]))
    finish_first (self);
  return fate;
}

static void
warn_oversized (GstRtpPacoDepay *self)
{
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, DECODE,
      ("Packets of a frame that is larger than max-frame-size, or than there "
       "is "
       "memory for, are left out."),
      ("max-frame-size=%u; further ones are counted in stats",
          (guint) g_atomic_int_get (&self->max_frame_size)));
}

static GstBuffer *
gst_rtp_paco_depay_process (GstRTPBaseDepayload *base, GstRTPBuffer *rtp)
{
  GstRtpPacoDepay *self = GST_RTP_PACO_DEPAY (base);
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  GstPacoRtpFate fate;

  /* Another sender begins, whose frames have other numbers. */
  if (self->has_ssrc && ssrc != self->ssrc) {
    finish_all (self);
    self->has_last = FALSE;
  }
  self->has_ssrc = TRUE;
  self->ssrc = ssrc;

  fate = take_packet (self, rtp);
  count (self, PACKETS + fate, 1);
  if (fate != GST_PACO_RTP_TAKEN)
    GST_LOG_OBJECT (self, "packet %u is among the %s",
        gst_rtp_buffer_get_seq (rtp), count_names[PACKETS + fate]);
  if (fate == GST_PACO_RTP_OVERSIZED)
    warn_oversized (self);
  return NULL;
}

/* --- events ------------------------------------------------------------ */

static gboolean
gst_rtp_paco_depay_handle_event (GstRTPBaseDepayload *base, GstEvent *event)
{
  GstRtpPacoDepay *self = GST_RTP_PACO_DEPAY (base);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    finish_all (self);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    forget_all (self);
  return GST_RTP_BASE_DEPAYLOAD_CLASS (gst_rtp_paco_depay_parent_class)
      ->handle_event (base, event);
}

/* Does nothing: the base class would make a gap of each packet that is lost, in
 * the middle of frames that are shown. */
static gboolean
gst_rtp_paco_depay_packet_lost (GstRTPBaseDepayload *base, GstEvent *event)
{
  return TRUE;
}

/* --- life -------------------------------------------------------------- */

static void
reset (GstRtpPacoDepay *self)
{
  forget_all (self);
  for (guint i = 0; i < G_N_ELEMENTS (self->frames); i++)
    gst_paco_rtp_frame_clear (&self->frames[i]);
  gst_paco_rtp_blocks_clear (&self->blocks);
  gst_clear_object (&self->offered);
  gst_clear_object (&self->recycler);
  self->known = self->warned = FALSE;
  self->trusted = 0;
  self->duration = GST_CLOCK_TIME_NONE;
}

static GstStateChangeReturn
gst_rtp_paco_depay_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpPacoDepay *self = GST_RTP_PACO_DEPAY (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    GST_OBJECT_LOCK (self);
    memset (self->counts, 0, sizeof self->counts);
    GST_OBJECT_UNLOCK (self);
  }
  result = GST_ELEMENT_CLASS (gst_rtp_paco_depay_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    reset (self);
  return result;
}

static void
gst_rtp_paco_depay_finalize (GObject *object)
{
  reset (GST_RTP_PACO_DEPAY (object));
  G_OBJECT_CLASS (gst_rtp_paco_depay_parent_class)->finalize (object);
}

/* Adds to the property of the base class that has this name; its fields stay. */
static GstStructure *
make_stats (GstRtpPacoDepay *self)
{
  GObjectClass *parent = G_OBJECT_CLASS (gst_rtp_paco_depay_parent_class);
  GParamSpec *pspec = g_object_class_find_property (parent, "stats");
  GValue value = G_VALUE_INIT;
  GstStructure *stats;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  parent->get_property (G_OBJECT (self), pspec->param_id, &value, pspec);
  stats = gst_structure_copy (gst_value_get_structure (&value));
  g_value_unset (&value);

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < N_COUNTS; i++)
    gst_structure_set (
        stats, count_names[i], G_TYPE_UINT64, self->counts[i], NULL);
  GST_OBJECT_UNLOCK (self);
  return stats;
}

static void
gst_rtp_paco_depay_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_MAX_FRAME_SIZE)
    g_atomic_int_set (
        &GST_RTP_PACO_DEPAY (object)->max_frame_size, g_value_get_uint (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_rtp_paco_depay_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpPacoDepay *self = GST_RTP_PACO_DEPAY (object);

  if (id == PROP_MAX_FRAME_SIZE)
    g_value_set_uint (value, g_atomic_int_get (&self->max_frame_size));
  else if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_rtp_paco_depay_class_init (GstRtpPacoDepayClass *klass)
{
  GstRTPBaseDepayloadClass *base_class = GST_RTP_BASE_DEPAYLOAD_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = gst_rtp_paco_depay_finalize;
  object_class->set_property = gst_rtp_paco_depay_set_property;
  object_class->get_property = gst_rtp_paco_depay_get_property;
  g_object_class_install_property (object_class, PROP_MAX_FRAME_SIZE,
      g_param_spec_uint ("max-frame-size", "Maximum frame size",
          "Bytes of the largest frame; packets that claim a larger one are "
          "left out",
          1, G_MAXINT, DEFAULT_MAX_FRAME_SIZE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  /* stats: What the base class says, and what has become of frames (frames,
   * damaged-frames, lost-frames, lost-blocks) and packets: taken (packets),
   * restored by parity (recovered-packets), or left out, with the reason
   * (duplicate-, late-, malformed-, contradicting-, oversized-packets, and
   * early-packets, which are far beyond what has come of their frame). */
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Frames, damage, and packets by what has become of them",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP PaCo depayloader",
      "Codec/Depayloader/Network/RTP",
      "Puts PaCo video together from RTP packets, of which some may be lost",
      "The gst-paco developers");
  element_class->change_state = gst_rtp_paco_depay_change_state;
  base_class->process_rtp_packet = gst_rtp_paco_depay_process;
  base_class->handle_event = gst_rtp_paco_depay_handle_event;
  base_class->packet_lost = gst_rtp_paco_depay_packet_lost;
}

static void
gst_rtp_paco_depay_init (GstRtpPacoDepay *self)
{
  self->max_frame_size = DEFAULT_MAX_FRAME_SIZE;
  self->duration = GST_CLOCK_TIME_NONE;
  /* The base class must not drop packets that have changed places. */
  g_object_set (self, "max-reorder", 0, NULL);
}
