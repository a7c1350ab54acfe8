/* SPDX-License-Identifier: LGPL-2.1-or-later
 * pacoparse. GstBaseParse drives it: in a file that it pulls itself it asks at each
 * position what is there, while pushed bytes are cut into frames before the base
 * class gets them. */

/**
 * SECTION:element-pacoparse
 * @title: pacoparse
 * @short_description: Parser of PaCo streams, and adaptor to containers
 * @see_also: pacoenc, pacodec
 *
 * pacoparse splits a PaCo stream into frames, finds the next frame after damage,
 * and sets timestamps where upstream sets none. It can make frames smaller without
 * decoding them (#GstPacoParse:max-frame-size). Its source pad offers PaCo as
 * qtmux, mp4mux and matroskamux take it, and its sink pad takes what their
 * demuxers make of it. Whatever a container does not keep (aspect ratio,
 * interlacing, colorimetry, HDR metadata) it takes from the frames.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! pacoenc ! pacoparse ! qtmux ! filesink location=test.mov
 * ]| Records into a MOV file.
 * |[
 * gst-launch-1.0 filesrc location=test.paco ! pacoparse ! pacodec ! videoconvert ! autovideosink
 * ]| Plays an elementary stream.
 * |[
 * gst-launch-1.0 filesrc location=test.paco ! pacoparse max-frame-size=500000 ! filesink location=small.paco
 * ]| Makes a recording with cut points smaller.
 *
 * Since: 0.1
 */
#include "codec/error.h"
#include "gstpacocontainer.h"
#include "gstpacoparseprivate.h"
#include "plugin/elements.h"

GST_DEBUG_CATEGORY (gst_paco_parse_debug);
#define GST_CAT_DEFAULT gst_paco_parse_debug

/* How many bytes behind a frame of a file are read with it, to see whether a frame
 * follows. Of pushed bytes none are waited for. */
#define LOOKAHEAD 4

enum
{
  PROP_MAX_WAIT_SIZE = 1,
  PROP_MAX_FRAME_SIZE,
  PROP_STATS,
};

G_DEFINE_TYPE (GstPacoParse, gst_paco_parse, GST_TYPE_BASE_PARSE)
GST_ELEMENT_REGISTER_DEFINE (
    pacoparse, "pacoparse", GST_RANK_PRIMARY + 1, GST_TYPE_PACO_PARSE)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (PACO_MEDIA_TYPE "; " GST_PACO_DEMUXED_CAPS));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (PACO_MEDIA_TYPE ", parsed = (boolean) true, alignment = "
                                     "(string) frame; " GST_PACO_MUXABLE_CAPS));

/* --- frames --- */

/* Pushed bytes go through the splitter, unless the segment is played backwards: then
 * the base class puts fragments in order, and needs their bytes as they are. */
static gboolean
splits (GstPacoParse *self)
{
  return !gst_paco_parse_is_pulling (self) && !self->framed
      && GST_BASE_PARSE (self)->segment.rate > 0.0;
}

/* Tells the base class how many bytes it needs before it can ask what they are. */
static void
expect_frame (GstPacoParse *self)
{
  gst_base_parse_set_min_frame_size (GST_BASE_PARSE (self),
      self->framed || splits (self) ? 1 : PACO_HEADER_PEEK_SIZE);
}

/* Drops bytes as a frame: if they were skipped, the base class would end the stream
 * after two megabytes. In reverse playback they are skipped, and kept by the base
 * class: they may be the end of a frame whose beginning comes later. */
static GstFlowReturn
drop_bytes (GstPacoParse *self, GstBaseParseFrame *frame, gsize size,
    const GError *error, gint *skip)
{
  GstBaseParse *base = GST_BASE_PARSE (self);
  const gchar *reason = error ? error->message : "a frame was not handed on";

  GST_LOG_OBJECT (self,
      "%" G_GSIZE_FORMAT " bytes at %" G_GUINT64_FORMAT " are no frame: %s",
      size, frame->offset, reason);
  expect_frame (self);
  size = MIN (size, G_MAXINT);
  if (skip && base->segment.rate < 0.0) {
    *skip = size;
    return GST_FLOW_OK;
  }
  if (!self->lost)
    GST_ELEMENT_WARNING (self, STREAM, DECODE,
        ("The PaCo stream is damaged (%s); continuing with the next frame.",
            reason),
        ("at byte %" G_GUINT64_FORMAT, frame->offset));
  gst_paco_gaps_damage (&self->gaps, frame->offset, size, !self->lost);
  self->lost = TRUE;
  self->lost_bytes += size;

  frame->flags |= GST_BASE_PARSE_FRAME_FLAG_DROP;
  return gst_base_parse_finish_frame (base, frame, size);
}

/* Cuts the frame before the base class finishes it, because errors cannot be returned
 * after that. A frame that is too damaged is dropped. After the first cut all frames
 * get other places. */
static GstFlowReturn
cut_frame (GstPacoParse *self, GstBaseParseFrame *frame,
    const PacoHeader *header, gsize size)
{
  guint most = g_atomic_int_get (&self->max_frame_size);
  PacoPlace place = header->video.place;
  GstFlowReturn ret = GST_FLOW_OK;

  if (most == 0 && !self->cuts) {
    self->cut_offset = place.offset + size;
    return GST_FLOW_OK;
  }
  self->cuts = TRUE;
  place.offset = self->cut_offset;
  self->cut = gst_paco_cut (GST_ELEMENT (self), frame->buffer, size,
      most > 0 ? most : G_MAXUINT, &place, &ret);
  if (self->cut) {
    self->cut_offset += gst_buffer_get_size (self->cut);
    return GST_FLOW_OK;
  }
  if (ret == GST_FLOW_OK)
    gst_paco_gaps_damage (&self->gaps, frame->offset, size, TRUE);
  frame->flags |= GST_BASE_PARSE_FRAME_FLAG_DROP;
  return ret;
}

/* Where frames are left out on purpose, nothing is missing. */
static void
account (GstPacoParse *self, GstBaseParseFrame *frame, const PacoHeader *header)
{
  const GstSegment *segment = &GST_BASE_PARSE (self)->segment;

  if (segment->rate < 0.0
      || segment->flags
          & (GST_SEGMENT_FLAG_SKIP | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS))
    gst_paco_gaps_forget (&self->gaps);
  if (gst_paco_gaps_frame (&self->gaps, header, frame->offset,
          GST_BUFFER_PTS (frame->buffer), self->lost || self->discont))
    GST_BUFFER_FLAG_SET (frame->buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
}

static void
add_tags (GstPacoParse *self)
{
  g_autoptr (GstTagList)
      tags = gst_tag_list_new (GST_TAG_VIDEO_CODEC, "PaCo", NULL);

  gst_base_parse_merge_tags (
      GST_BASE_PARSE (self), tags, GST_TAG_MERGE_REPLACE);
  self->tagged = TRUE;
}

static GstFlowReturn
finish_frame (GstPacoParse *self, GstBaseParseFrame *frame,
    const PacoHeader *header, gsize size)
{
  GstFlowReturn finished,
      ret = gst_paco_parse_update_format (self, header, frame->buffer);
  PacoFileFrame place;

  if (ret != GST_FLOW_OK)
    return ret;
  if (!self->tagged)
    add_tags (self);
  paco_file_frame_from_header (header, frame->offset, &place);
  if (gst_paco_parse_is_pulling (self) && self->grid.fps_n
      && !self->rate_changed
      && gst_paco_seek_extend (&self->seek, &self->grid, &place))
    GST_INFO_OBJECT (self, "all frames of the file are known");
  gst_paco_parse_stamp (self, frame->buffer, &place);
  if (self->seek.index && header->video.slice.position == 0
      && GST_BUFFER_PTS_IS_VALID (frame->buffer))
    gst_paco_seek_parsed (
        &self->seek, frame->offset, GST_BUFFER_PTS (frame->buffer));
  GST_BUFFER_FLAG_UNSET (frame->buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (header->video.slice.position > 0)
    GST_BUFFER_FLAG_SET (frame->buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  account (self, frame, header);
  if (self->lost) {
    GST_WARNING_OBJECT (self,
        "frame after %" G_GUINT64_FORMAT " bytes of garbage", self->lost_bytes);
    GST_BUFFER_FLAG_SET (frame->buffer, GST_BUFFER_FLAG_DISCONT);
    self->lost = FALSE;
    self->lost_bytes = 0;
  }
  expect_frame (self);
  GST_LOG_OBJECT (self,
      "frame at byte %" G_GUINT64_FORMAT ": %" G_GSIZE_FORMAT
      " bytes, at %" GST_TIME_FORMAT,
      frame->offset, size, GST_TIME_ARGS (GST_BUFFER_PTS (frame->buffer)));
  ret = cut_frame (self, frame, header, size);
  finished = gst_base_parse_finish_frame (GST_BASE_PARSE (self), frame, size);
  return ret == GST_FLOW_OK ? finished : ret;
}

static PacoSyncResult
look_at (GstPacoParse *self, const GstBaseParseFrame *frame, gsize *size,
    GError **reason)
{
  PacoSync *sync = &self->splitter.sync;
  gboolean last = self->framed || GST_BASE_PARSE_DRAINING (self);
  PacoSyncResult result;
  GstMapInfo map;

  if (!gst_buffer_map (frame->buffer, &map, GST_MAP_READ)) {
    g_set_error_literal (
        reason, PACO_ERROR, PACO_ERROR_MEMORY, "their memory cannot be read");
    *size = gst_buffer_get_size (frame->buffer);
    return PACO_SYNC_GARBAGE;
  }
  sync->max_wait_size = g_atomic_int_get (&self->max_wait_size);
  if (self->framed)
    paco_sync_reset (sync, frame->offset);
  result = paco_sync_next (sync, frame->offset, map.data, map.size, last,
      self->framed, size, reason);
  gst_buffer_unmap (frame->buffer, &map);
  return result;
}

static GstFlowReturn
handle_piece (GstPacoParse *self, GstBaseParseFrame *frame)
{
  const GstPacoPiece *piece = self->piece;
  gsize size = gst_buffer_get_size (frame->buffer);

  /* Bytes of earlier pieces that the base class could not push are before this
   * one. */
  if (size > piece->size)
    return drop_bytes (self, frame, size - piece->size, NULL, NULL);
  return piece->is_frame
      ? finish_frame (self, frame, &self->splitter.sync.header, size)
      : drop_bytes (self, frame, size, piece->reason, NULL);
}

/* Says whether a header announces no frame. The base class reads a frame of a file as a
 * whole, however large its header says that it is. So after one that was none, headers
 * among as many bytes are tested first at the place where their frame should end. */
static gboolean
is_garbage (GstPacoParse *self, guint64 offset)
{
  const PacoSync *sync = &self->splitter.sync;

  if (offset < self->doubt_to && sync->known && sync->known_at == offset)
    self->garbage_to = paco_file_doubt (
        gst_paco_seek_file (&self->seek), offset, sync->header.frame_size);
  return self->garbage_to > offset;
}

static PacoSyncResult
look_into_file (GstPacoParse *self, const GstBaseParseFrame *frame, gsize *size,
    GError **reason)
{
  gsize available = gst_buffer_get_size (frame->buffer);
  PacoSyncResult result = PACO_SYNC_GARBAGE;

  if (frame->offset >= self->garbage_to)
    result = look_at (self, frame, size, reason);
  if (result == PACO_SYNC_GARBAGE && *reason)
    self->doubt_to = MAX (self->doubt_to, frame->offset + *size + available);
  if (result == PACO_SYNC_MORE && is_garbage (self, frame->offset))
    result = PACO_SYNC_GARBAGE;
  if (frame->offset < self->garbage_to) {
    *size = MIN (available, self->garbage_to - frame->offset);
    if (!*reason)
      g_set_error_literal (
          reason, PACO_ERROR, PACO_ERROR_CORRUPT, "the frame is cut");
  }
  return result;
}

static GstFlowReturn
gst_paco_parse_handle_frame (
    GstBaseParse *base, GstBaseParseFrame *frame, gint *skip)
{
  GstPacoParse *self = GST_PACO_PARSE (base);
  GstFlowReturn ret = GST_FLOW_OK;
  g_autoptr (GError) reason = NULL;
  gsize size;

  if (self->piece)
    return handle_piece (self, frame);
  switch (gst_paco_parse_is_pulling (self) && base->segment.rate > 0.0
          ? look_into_file (self, frame, &size, &reason)
          : look_at (self, frame, &size, &reason)) {
    case PACO_SYNC_FRAME:
      ret = finish_frame (self, frame, &self->splitter.sync.header, size);
      break;
    case PACO_SYNC_GARBAGE:
      ret = drop_bytes (self, frame, size, reason, skip);
      break;
    case PACO_SYNC_MORE:
      if (gst_paco_parse_is_pulling (self))
        size += LOOKAHEAD;
      gst_base_parse_set_min_frame_size (base, size);
      if (gst_paco_parse_is_pulling (self) && base->segment.rate > 0.0)
        gst_paco_reader_expect (
            &self->reader, frame->offset, size, frame->buffer);
      break;
  }
  return ret;
}

/* Gives the base class the pieces. last: no bytes follow that belong to these. */
static GstFlowReturn
push_pieces (GstPacoParse *self, gboolean last)
{
  GstPad *pad = GST_BASE_PARSE_SINK_PAD (self);
  GstFlowReturn ret = GST_FLOW_OK;
  g_autoptr (GError) error = NULL;
  GstPacoPiece piece;

  self->splitter.sync.max_wait_size = g_atomic_int_get (&self->max_wait_size);
  while (ret == GST_FLOW_OK
      && gst_paco_splitter_next (&self->splitter, last, &piece, &error)) {
    self->piece = &piece;
    ret = self->base_chain (pad, GST_OBJECT (self), piece.buffer);
    self->piece = NULL;
    g_clear_error (&piece.reason);
  }
  if (error) {
    GST_ELEMENT_ERROR (
        self, RESOURCE, NO_SPACE_LEFT, ("%s", error->message), (NULL));
    ret = GST_FLOW_ERROR;
  }
  if (ret != GST_FLOW_OK)
    gst_paco_splitter_reset (&self->splitter, self->splitter.offset);
  return ret;
}

static GstFlowReturn
gst_paco_parse_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstPacoParse *self = GST_PACO_PARSE (parent);

  /* The base class forgets how long upstream says a packet lasts. */
  self->packet_time = GST_BUFFER_DURATION (buffer);
  self->discont |= GST_BUFFER_IS_DISCONT (buffer);
  if (!splits (self))
    return self->base_chain (pad, parent, buffer);
  if (GST_BUFFER_IS_DISCONT (buffer)) {
    GstFlowReturn ret = push_pieces (self, TRUE);

    if (ret != GST_FLOW_OK) {
      gst_buffer_unref (buffer);
      return ret;
    }
  }
  expect_frame (self);
  if (!gst_paco_splitter_push (&self->splitter, buffer)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ,
        ("The memory of a buffer cannot be read."), (NULL));
    return GST_FLOW_ERROR;
  }
  return push_pieces (self, FALSE);
}

/* When the last picture ends that needs the frame. */
static GstClockTime
end_of_stack (GstBuffer *buffer, const PacoHeader *header)
{
  const PacoSlice *slice = &header->video.slice;
  guint n = slice->length > 0 ? slice->length - slice->position : 1;

  return GST_BUFFER_PTS (buffer) + n * GST_BUFFER_DURATION (buffer);
}

/* Puts metas, the cut bytes and the missing timestamp on the buffer: PTS and DTS are
 * the same. Drops frames before the segment, which no decoder needs. */
static GstFlowReturn
gst_paco_parse_pre_push_frame (GstBaseParse *base, GstBaseParseFrame *frame)
{
  GstPacoParse *self = GST_PACO_PARSE (base);
  GstBuffer *buffer;

  frame->flags |= GST_BASE_PARSE_FRAME_FLAG_CLIP;
  gst_paco_meta_restore_coded (&self->splitter.sync.header, &frame->buffer,
      self->header, &self->names, GST_ELEMENT (self));
  if (self->cut) {
    gst_buffer_copy_into (
        self->cut, frame->buffer, GST_BUFFER_COPY_METADATA, 0, -1);
    gst_buffer_replace (&frame->buffer, self->cut);
    gst_clear_buffer (&self->cut);
  }
  frame->buffer = buffer = gst_buffer_make_writable (frame->buffer);
  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer);
  if (!GST_BUFFER_DTS_IS_VALID (buffer))
    GST_BUFFER_DTS (buffer) = GST_BUFFER_PTS (buffer);

  if (!self->time_segment && base->segment.rate > 0.0
      && GST_BUFFER_PTS_IS_VALID (buffer)
      && GST_BUFFER_DURATION_IS_VALID (buffer)
      && GST_CLOCK_TIME_IS_VALID (base->segment.start)
      && end_of_stack (buffer, &self->splitter.sync.header)
          <= base->segment.start)
    return GST_BASE_PARSE_FLOW_DROPPED;
  return GST_FLOW_OK;
}

/* --- events and queries --- */

static void
update_framing (GstPacoParse *self)
{
  GstBaseParse *base = GST_BASE_PARSE (self);

  self->framed = self->time_segment && self->sink_caps
      && gst_paco_container_is_framed (
          gst_caps_get_structure (self->sink_caps, 0));
  /* Packets of a demuxer have timestamps. Where one has none, none is made up. */
  gst_base_parse_set_pts_interpolation (base, !self->framed);
  gst_base_parse_set_infer_ts (base, !self->framed);
  expect_frame (self);
}

static gboolean
gst_paco_parse_set_sink_caps (GstBaseParse *base, GstCaps *caps)
{
  GstPacoParse *self = GST_PACO_PARSE (base);

  GST_DEBUG_OBJECT (self, "caps in: %" GST_PTR_FORMAT, caps);
  gst_caps_replace (&self->sink_caps, caps);
  /* The caps may have a frame rate that the frames do not have. */
  gst_pad_mark_reconfigure (GST_BASE_PARSE_SRC_PAD (self));
  update_framing (self);
  return TRUE;
}

static GstCaps *
gst_paco_parse_get_sink_caps (GstBaseParse *base, GstCaps *filter)
{
  return gst_paco_container_parser_caps (
      GST_BASE_PARSE_SINK_PAD (base), GST_BASE_PARSE_SRC_PAD (base), filter);
}

/* The bytes after such an event belong to other frames. */
static gboolean
ends_bytes (GstEventType type)
{
  return type == GST_EVENT_SEGMENT || type == GST_EVENT_SEGMENT_DONE
      || type == GST_EVENT_GAP || type == GST_EVENT_EOS;
}

static gboolean
gst_paco_parse_sink_event (GstBaseParse *base, GstEvent *event)
{
  GstPacoParse *self = GST_PACO_PARSE (base);
  GstEventType type = GST_EVENT_TYPE (event);
  gboolean in_time = FALSE, handled;
  guint64 offset = 0;

  if (type == GST_EVENT_SEGMENT) {
    const GstSegment *segment;

    gst_event_parse_segment (event, &segment);
    in_time = segment->format == GST_FORMAT_TIME;
    offset = segment->format == GST_FORMAT_BYTES ? segment->time : 0;
  }
  /* Bytes that came before the event are finished first. */
  if (ends_bytes (type) && splits (self))
    push_pieces (self, TRUE);
  if (type == GST_EVENT_SEGMENT || type == GST_EVENT_FLUSH_STOP
      || type == GST_EVENT_STREAM_START)
    gst_paco_gaps_forget (&self->gaps);
  handled = GST_BASE_PARSE_CLASS (gst_paco_parse_parent_class)
                ->sink_event (base, event);
  if (type == GST_EVENT_SEGMENT) {
    self->time_segment = in_time;
    update_framing (self);
    gst_paco_splitter_reset (&self->splitter, offset);
  } else if (type == GST_EVENT_FLUSH_STOP) {
    gst_paco_splitter_reset (&self->splitter, self->splitter.offset);
    expect_frame (self);
  }
  return handled;
}

/* Posts a warning when a file ends that was cut while it was read: what is missing looks
 * like an end. In pull mode the base class tells the pad alone of the end. */
static GstPadProbeReturn
watch_size (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstPacoParse *self = data;
  GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));
  guint64 size;

  if (self->time_segment)
    return GST_PAD_PROBE_OK;
  if (type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT)
    gst_paco_reader_note_size (&self->reader);
  if ((type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE)
      && gst_paco_reader_is_cut (&self->reader, &size))
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("The file was cut while it was read: it had %" G_GUINT64_FORMAT
         " bytes and has %" G_GUINT64_FORMAT
         " now. The frames after those are missing.",
            self->reader.noted_size, size),
        (NULL));
  return GST_PAD_PROBE_OK;
}

static gboolean
gst_paco_parse_src_event (GstBaseParse *base, GstEvent *event)
{
  GstPacoParse *self = GST_PACO_PARSE (base);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    event = gst_paco_seek_prepare (&self->seek, event);
  return GST_BASE_PARSE_CLASS (gst_paco_parse_parent_class)
      ->src_event (base, event);
}

/* Downstream's buffers are made for frames, not for bytes. */
static gboolean
gst_paco_parse_sink_query (GstBaseParse *base, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION
      && !GST_PACO_PARSE (base)->framed)
    return FALSE;
  return GST_BASE_PARSE_CLASS (gst_paco_parse_parent_class)
      ->sink_query (base, query);
}

/* --- life cycle --- */

static void
reset (GstPacoParse *self)
{
  gst_paco_splitter_reset (&self->splitter, 0);
  gst_paco_reader_reset (&self->reader);
  self->garbage_to = self->doubt_to = 0;
  gst_paco_seek_clear (&self->seek);
  gst_clear_caps (&self->sink_caps);
  self->time_segment = self->framed = FALSE;
  self->packet_time = GST_CLOCK_TIME_NONE;
  self->known = self->tagged = FALSE;
  self->grid = (GstPacoGrid){ .fps_d = 1 };
  self->lost = self->discont = self->rate_changed = FALSE;
  self->lost_bytes = 0;
  self->cut_offset = 0;
  self->cuts = FALSE;
  gst_clear_buffer (&self->cut);
}

static gboolean
gst_paco_parse_start (GstBaseParse *base)
{
  GstPacoParse *self = GST_PACO_PARSE (base);

  reset (self);
  gst_paco_gaps_start (&self->gaps, GST_ELEMENT (self));
  update_framing (self);
  return TRUE;
}

static gboolean
gst_paco_parse_stop (GstBaseParse *base)
{
  reset (GST_PACO_PARSE (base));
  return TRUE;
}

static void
gst_paco_parse_finalize (GObject *object)
{
  reset (GST_PACO_PARSE (object));
  gst_paco_reader_clear (&GST_PACO_PARSE (object)->reader);
  g_byte_array_unref (GST_PACO_PARSE (object)->header);
  G_OBJECT_CLASS (gst_paco_parse_parent_class)->finalize (object);
}

static void
gst_paco_parse_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstPacoParse *self = GST_PACO_PARSE (object);

  if (id == PROP_MAX_WAIT_SIZE)
    g_atomic_int_set (&self->max_wait_size, g_value_get_uint (value));
  else if (id == PROP_MAX_FRAME_SIZE)
    g_atomic_int_set (&self->max_frame_size, g_value_get_uint (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_paco_parse_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstPacoParse *self = GST_PACO_PARSE (object);

  if (id == PROP_MAX_WAIT_SIZE) {
    g_value_set_uint (value, g_atomic_int_get (&self->max_wait_size));
  } else if (id == PROP_MAX_FRAME_SIZE) {
    g_value_set_uint (value, g_atomic_int_get (&self->max_frame_size));
  } else if (id == PROP_STATS) {
    GST_OBJECT_LOCK (self);
    g_value_take_boxed (value, gst_paco_gaps_stats (&self->gaps));
    GST_OBJECT_UNLOCK (self);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

/* stats: Counts since the start: the frames that were handed on; the frames that are
 * missing between them, by the numbers that frames carry, and in how many places
 * (gaps); and how often something that is no frame was thrown away (damaged), with
 * its bytes.
 *
 * The element posts a message paco-missing-frames for each gap. Its fields are
 * `first`, the number of the first frame that is missing, and `count`, how many are;
 * the `bytes` of these frames; the `offset` in the stream and the `timestamp` of the
 * frame behind them; and `lost`, which is TRUE if there was damage, or if upstream
 * has said that something is missing. Otherwise they may have been cut out. */
static void
gst_paco_parse_class_init (GstPacoParseClass *klass)
{
  GstBaseParseClass *base_class = GST_BASE_PARSE_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_paco_parse_debug, "pacoparse", 0, "PaCo parser");
  object_class->finalize = gst_paco_parse_finalize;
  object_class->set_property = gst_paco_parse_set_property;
  object_class->get_property = gst_paco_parse_get_property;
  g_object_class_install_property (object_class, PROP_MAX_WAIT_SIZE,
      g_param_spec_uint ("max-wait-size", "Maximum wait size",
          "Bytes of the largest frame that is waited for; what claims to be "
          "larger is damage",
          1, G_MAXINT, PACO_SYNC_DEFAULT_MAX_WAIT_SIZE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_MAX_FRAME_SIZE,
      g_param_spec_uint ("max-frame-size", "Maximum frame size",
          "Bytes that frames are cut to, without decoding (0 = not at all)", 0,
          G_MAXUINT, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Frames, frames that are missing, and damage, since the start",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "PaCo parser",
      "Codec/Parser/Video",
      "Splits PaCo streams into frames and adapts them to containers",
      "The gst-paco developers");

  base_class->start = gst_paco_parse_start;
  base_class->stop = gst_paco_parse_stop;
  base_class->set_sink_caps = gst_paco_parse_set_sink_caps;
  base_class->get_sink_caps = gst_paco_parse_get_sink_caps;
  base_class->handle_frame = gst_paco_parse_handle_frame;
  base_class->pre_push_frame = gst_paco_parse_pre_push_frame;
  base_class->sink_event = gst_paco_parse_sink_event;
  base_class->sink_query = gst_paco_parse_sink_query;
  base_class->src_event = gst_paco_parse_src_event;
}

static void
gst_paco_parse_init (GstPacoParse *self)
{
  GstPad *pad = GST_BASE_PARSE_SINK_PAD (self);

  self->max_wait_size = PACO_SYNC_DEFAULT_MAX_WAIT_SIZE;
  self->header = g_byte_array_new ();
  self->seek.base = GST_BASE_PARSE (self);
  /* gstpacosplitter.h says why bytes do not go to the base class at once. */
  self->base_chain = GST_PAD_CHAINFUNC (pad);
  gst_pad_set_chain_function (pad, GST_DEBUG_FUNCPTR (gst_paco_parse_chain));
  GST_PAD_SET_ACCEPT_INTERSECT (pad);
  GST_PAD_SET_ACCEPT_TEMPLATE (pad);
  gst_pad_set_link_function (
      GST_BASE_PARSE_SRC_PAD (self), gst_paco_container_link);
  gst_paco_reader_init (&self->reader, pad);
  gst_pad_add_probe (GST_BASE_PARSE_SRC_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_size, self, NULL);
  reset (self);
}
