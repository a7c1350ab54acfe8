/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes metas from chunks, for pacodec and pacoparse (gstpacometa.h). The metas that
 * a buffer had when it was coded may still be on it, or be there several times, as
 * payloaders put them on each packet. So a meta that is equal to one of the buffer's
 * is left out. */
#include "gstpacometa.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

#define MAX_NEW_NAMES 4096

typedef struct
{
  guint reduce;
  GstBuffer *buffer;
  GstPacoMetaNames *names;
  GstElement *element;
} Restorer;

/* Says whether GLib may be given the name. */
static gboolean
may_have_name (const Restorer *restorer, const char *name)
{
  if (g_quark_try_string (name) != 0)
    return TRUE;
  if (*restorer->names >= MAX_NEW_NAMES) {
    GST_WARNING_OBJECT (restorer->element,
        "frames bring too many different names: %s is left out", name);
    return FALSE;
  }
  ++*restorer->names;
  return TRUE;
}

/* --- where something is in a reduced picture --- */

/* The reduced span covers all samples that come from this one. */
static void
reduce_span (guint *begin, guint *size, guint reduce)
{
  guint64 end = (guint64) *begin + *size;

  *begin >>= reduce;
  *size = (guint) (((end + (1u << reduce) - 1) >> reduce) - *begin);
}

static GstVideoRegionOfInterestMeta *
add_region (GstBuffer *buffer, GQuark type, gint id, gint parent_id, guint x,
    guint y, guint width, guint height, guint reduce)
{
  GstVideoRegionOfInterestMeta *meta;

  reduce_span (&x, &width, reduce);
  reduce_span (&y, &height, reduce);
  meta = gst_buffer_add_video_region_of_interest_meta_id (
      buffer, type, x, y, width, height);
  meta->id = id;
  meta->parent_id = parent_id;
  return meta;
}

/* Bars do not grow in the reduced picture: all that is left of them was bar before. */
static void
add_bars (GstBuffer *buffer, guint8 field, gboolean is_letterbox, guint first,
    guint second, guint reduce)
{
  gst_buffer_add_video_bar_meta (buffer, field, is_letterbox, first >> reduce,
      (guint) (((guint64) second + (1u << reduce) - 1) >> reduce));
}

/* If a meta says where something is, puts one for the reduced picture on the buffer.
 * Else returns FALSE. */
static gboolean
put_reduced (const GstMeta *meta, guint reduce, GstBuffer *buffer)
{
  if (meta->info->api == GST_VIDEO_BAR_META_API_TYPE) {
    const GstVideoBarMeta *bars = (const GstVideoBarMeta *) meta;

    add_bars (buffer, bars->field, bars->is_letterbox, bars->bar_data1,
        bars->bar_data2, reduce);
    return TRUE;
  }
  if (meta->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
    const GstVideoRegionOfInterestMeta *from =
        (const GstVideoRegionOfInterestMeta *) meta;
    GstVideoRegionOfInterestMeta *to = add_region (buffer, from->roi_type,
        from->id, from->parent_id, from->x, from->y, from->w, from->h, reduce);

    for (const GList *l = from->params; l; l = l->next)
      gst_video_region_of_interest_meta_add_param (
          to, gst_structure_copy (l->data));
    return TRUE;
  }
  return FALSE;
}

/* --- metas that are there already --- */

static gboolean
same_caption (const GstMeta *a, const GstMeta *b)
{
  const GstVideoCaptionMeta *x = (const GstVideoCaptionMeta *) a;
  const GstVideoCaptionMeta *y = (const GstVideoCaptionMeta *) b;

  return x->caption_type == y->caption_type && x->size == y->size
      && memcmp (x->data, y->data, x->size) == 0;
}

static gboolean
same_afd (const GstMeta *a, const GstMeta *b)
{
  const GstVideoAFDMeta *x = (const GstVideoAFDMeta *) a;
  const GstVideoAFDMeta *y = (const GstVideoAFDMeta *) b;

  return x->field == y->field && x->spec == y->spec && x->afd == y->afd;
}

static gboolean
same_bars (const GstMeta *a, const GstMeta *b)
{
  const GstVideoBarMeta *x = (const GstVideoBarMeta *) a;
  const GstVideoBarMeta *y = (const GstVideoBarMeta *) b;

  return x->field == y->field && !x->is_letterbox == !y->is_letterbox
      && x->bar_data1 == y->bar_data1 && x->bar_data2 == y->bar_data2;
}

static gboolean
same_timecode (const GstMeta *a, const GstMeta *b)
{
  const GstVideoTimeCode *x = &((const GstVideoTimeCodeMeta *) a)->tc;
  const GstVideoTimeCode *y = &((const GstVideoTimeCodeMeta *) b)->tc;
  GDateTime *x_jam = x->config.latest_daily_jam;
  GDateTime *y_jam = y->config.latest_daily_jam;

  return x->hours == y->hours && x->minutes == y->minutes
      && x->seconds == y->seconds && x->frames == y->frames
      && x->field_count == y->field_count && x->config.fps_n == y->config.fps_n
      && x->config.fps_d == y->config.fps_d
      && x->config.flags == y->config.flags && !x_jam == !y_jam
      && (!x_jam || g_date_time_equal (x_jam, y_jam));
}

static gboolean
same_parameters (const GList *x, const GList *y)
{
  for (; x && y; x = x->next, y = y->next)
    if (!gst_structure_is_equal (x->data, y->data))
      return FALSE;
  return x == y;
}

static gboolean
same_region (const GstMeta *a, const GstMeta *b)
{
  const GstVideoRegionOfInterestMeta *x =
      (const GstVideoRegionOfInterestMeta *) a;
  const GstVideoRegionOfInterestMeta *y =
      (const GstVideoRegionOfInterestMeta *) b;

  return x->roi_type == y->roi_type && x->id == y->id
      && x->parent_id == y->parent_id && x->x == y->x && x->y == y->y
      && x->w == y->w && x->h == y->h && same_parameters (x->params, y->params);
}

static gboolean
same_reference (const GstMeta *a, const GstMeta *b)
{
  const GstReferenceTimestampMeta *x = (const GstReferenceTimestampMeta *) a;
  const GstReferenceTimestampMeta *y = (const GstReferenceTimestampMeta *) b;

  return x->timestamp == y->timestamp && x->duration == y->duration
      && gst_caps_is_equal (x->reference, y->reference);
}

/* How metas are compared that frames keep. */
static const struct
{
  GType (*api) (void);
  gboolean (*same) (const GstMeta *a, const GstMeta *b);
} comparisons[] = {
  { gst_video_caption_meta_api_get_type, same_caption },
  { gst_video_afd_meta_api_get_type, same_afd },
  { gst_video_bar_meta_api_get_type, same_bars },
  { gst_video_time_code_meta_api_get_type, same_timecode },
  { gst_video_region_of_interest_meta_api_get_type, same_region },
  { gst_reference_timestamp_meta_api_get_type, same_reference },
};

/* Says whether one of the first n metas of a buffer is equal to this one. */
static gboolean
is_there (const GstMeta *meta, GstBuffer *buffer, guint n)
{
  GType api = meta->info->api;
  gpointer state = NULL;
  const GstMeta *other;
  guint i = 0;

  while (i < G_N_ELEMENTS (comparisons) && comparisons[i].api () != api)
    i++;
  if (i == G_N_ELEMENTS (comparisons))
    return FALSE;
  for (; n > 0 && (other = gst_buffer_iterate_meta (buffer, &state)); n--)
    if (other->info->api == api && comparisons[i].same (meta, other))
      return TRUE;
  return FALSE;
}

gboolean
gst_paco_meta_take (const GstMeta *meta, guint reduce, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) reduced = NULL;
  const GstMeta *first;
  gpointer state = NULL;

  if (reduce == 0)
    return is_there (meta, buffer, G_MAXUINT);
  reduced = gst_buffer_new ();
  if (!put_reduced (meta, reduce, reduced))
    return is_there (meta, buffer, G_MAXUINT);
  first = gst_buffer_iterate_meta (reduced, &state);
  if (!is_there (first, buffer, G_MAXUINT))
    put_reduced (meta, reduce, buffer);
  return TRUE;
}

/* --- chunks --- */

static void
set_value (GstStructure *structure, const PacoValue *value)
{
  g_autofree char *text = NULL;

  switch (value->type) {
    case PACO_VALUE_BOOLEAN:
      gst_structure_set (structure, value->name, G_TYPE_BOOLEAN,
          (gboolean) value->boolean, NULL);
      break;
    case PACO_VALUE_INT:
      gst_structure_set (
          structure, value->name, G_TYPE_INT, value->integer, NULL);
      break;
    case PACO_VALUE_UINT:
      gst_structure_set (
          structure, value->name, G_TYPE_UINT, value->unsigned_integer, NULL);
      break;
    case PACO_VALUE_INT64:
      gst_structure_set (
          structure, value->name, G_TYPE_INT64, value->integer64, NULL);
      break;
    case PACO_VALUE_UINT64:
      gst_structure_set (
          structure, value->name, G_TYPE_UINT64, value->unsigned64, NULL);
      break;
    case PACO_VALUE_DOUBLE:
      gst_structure_set (
          structure, value->name, G_TYPE_DOUBLE, value->real, NULL);
      break;
    case PACO_VALUE_FRACTION:
      gst_structure_set (structure, value->name, GST_TYPE_FRACTION,
          value->fraction[0], value->fraction[1], NULL);
      break;
    case PACO_VALUE_TEXT:
      text = g_strndup (value->text.data, value->text.length);
      gst_structure_set (structure, value->name, G_TYPE_STRING, text, NULL);
      break;
  }
}

/* Returns the next list, or NULL if there is none, or no name for it. */
static GstStructure *
next_structure (const Restorer *restorer, PacoValues *values)
{
  char name[PACO_MAX_NAME + 1];
  GstStructure *structure;
  PacoValue value;

  if (!paco_values_next_list (values, name) || !may_have_name (restorer, name))
    return NULL;
  structure = gst_structure_new_empty (name);
  while (paco_values_next (values, &value))
    if (may_have_name (restorer, value.name))
      set_value (structure, &value);
  return structure;
}

static void
restore_caption (const Restorer *restorer, const PacoChunk *chunk)
{
  PacoCaption caption;

  paco_chunk_caption (chunk, &caption);
  if (caption.type < GST_VIDEO_CAPTION_TYPE_CEA608_RAW
      || caption.type > GST_VIDEO_CAPTION_TYPE_CEA708_CDP) {
    GST_WARNING_OBJECT (restorer->element,
        "a caption of the unknown kind %u is left out", caption.type);
    return;
  }
  gst_buffer_add_video_caption_meta (restorer->buffer,
      (GstVideoCaptionType) caption.type, caption.data, caption.size);
}

/* GStreamer takes no value that all standards reserve, and 0 not as one of DVB. The
 * header's parser has refused what is no AFD, and other fields. */
static gboolean
is_known_afd (const PacoActiveFormat *active)
{
  const guint reserved = 1 << 1 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 12;

  return active->spec <= GST_VIDEO_AFD_SPEC_SMPTE_ST2016_1
      && active->value <= GST_VIDEO_AFD_16_9_LETTER_4_3_CENTER
      && !(reserved >> active->value & 1)
      && (active->spec != GST_VIDEO_AFD_SPEC_DVB_ETSI || active->value != 0);
}

static void
restore_active_format (const Restorer *restorer, const PacoChunk *chunk)
{
  PacoActiveFormat active;

  paco_chunk_active_format (chunk, &active);
  switch (active.kind) {
    case PACO_ACTIVE_FORMAT_AFD:
      if (!is_known_afd (&active)) {
        GST_WARNING_OBJECT (restorer->element,
            "the reserved AFD %u of standard %u is left out", active.value,
            active.spec);
        break;
      }
      gst_buffer_add_video_afd_meta (restorer->buffer, active.field,
          (GstVideoAFDSpec) active.spec, (GstVideoAFDValue) active.value);
      break;
    case PACO_ACTIVE_FORMAT_LETTERBOX:
    case PACO_ACTIVE_FORMAT_PILLARBOX:
      add_bars (restorer->buffer, active.field,
          active.kind == PACO_ACTIVE_FORMAT_LETTERBOX, active.bars[0],
          active.bars[1], restorer->reduce);
      break;
    default:
      GST_WARNING_OBJECT (restorer->element,
          "an active format of the unknown kind %u is left out", active.kind);
      break;
  }
}

/* Returns the time at which a clock was set, in the time zone where it was. */
static GDateTime *
daily_jam (const PacoTimecode *timecode)
{
  g_autoptr (GTimeZone) zone = NULL;
  g_autoptr (GDateTime) epoch = NULL, utc = NULL;

  if (!timecode->has_daily_jam)
    return NULL;
  zone = g_time_zone_new_offset (timecode->daily_jam_offset);
  epoch = g_date_time_new_from_unix_utc (0);
  utc = g_date_time_add (epoch, timecode->daily_jam);
  return utc ? g_date_time_to_timezone (utc, zone) : NULL;
}

static void
restore_timecode (const Restorer *restorer, const PacoChunk *chunk)
{
  g_autoptr (GDateTime) jam = NULL;
  GstVideoTimeCodeFlags flags = GST_VIDEO_TIME_CODE_FLAGS_NONE;
  GstVideoTimeCode code = GST_VIDEO_TIME_CODE_INIT;
  PacoTimecode timecode;

  paco_chunk_timecode (chunk, &timecode);
  jam = daily_jam (&timecode);
  if (timecode.flags & PACO_TIMECODE_DROP_FRAME)
    flags |= GST_VIDEO_TIME_CODE_FLAGS_DROP_FRAME;
  if (timecode.flags & PACO_TIMECODE_INTERLACED)
    flags |= GST_VIDEO_TIME_CODE_FLAGS_INTERLACED;
  gst_video_time_code_init (&code, timecode.fps_n, timecode.fps_d, jam, flags,
      timecode.hours, timecode.minutes, timecode.seconds, timecode.frames,
      timecode.field_count);
  if (!gst_buffer_add_video_time_code_meta (restorer->buffer, &code))
    GST_WARNING_OBJECT (restorer->element,
        "GStreamer does not take the timecode %02u:%02u:%02u:%02u of %u/%u "
        "frames a second",
        code.hours, code.minutes, code.seconds, code.frames, timecode.fps_n,
        timecode.fps_d);
  gst_video_time_code_clear (&code);
}

static void
restore_region (const Restorer *restorer, const PacoChunk *chunk)
{
  GstVideoRegionOfInterestMeta *meta;
  g_autofree char *type = NULL;
  GstStructure *structure;
  PacoAreaOfInterest area;
  PacoValues values;

  paco_chunk_area (chunk, &area, &values);
  type = g_strndup (area.type, area.type_length);
  if (!may_have_name (restorer, type))
    return;
  meta = add_region (restorer->buffer,
      area.type_length > 0 ? g_quark_from_string (type) : 0, area.id,
      area.parent_id, area.x, area.y, area.width, area.height,
      restorer->reduce);
  while ((structure = next_structure (restorer, &values)))
    gst_video_region_of_interest_meta_add_param (meta, structure);
}

static void
restore_reference (const Restorer *restorer, const PacoChunk *chunk)
{
  g_autoptr (GstCaps) caps = NULL;
  GstStructure *structure;
  PacoReferenceTime time;
  PacoValues values;

  paco_chunk_reference_time (chunk, &time, &values);
  structure = next_structure (restorer, &values);
  if (!structure)
    return;
  if (time.time == GST_CLOCK_TIME_NONE) {
    GST_WARNING_OBJECT (restorer->element,
        "a reference timestamp by %s without a time is left out",
        gst_structure_get_name (structure));
    gst_structure_free (structure);
    return;
  }
  caps = gst_caps_new_full (structure, NULL);
  gst_buffer_add_reference_timestamp_meta (
      restorer->buffer, caps, time.time, time.duration);
}

void
gst_paco_meta_restore (const PacoAncillary *chunks, guint reduce,
    GstBuffer *buffer, GstPacoMetaNames *names, GstElement *element)
{
  Restorer restorer = {
    .reduce = reduce, .buffer = buffer, .names = names, .element = element
  };
  PacoAncillary rest = *chunks;
  PacoChunk chunk;

  while (paco_ancillary_next (&rest, &chunk)) {
    switch (chunk.type) {
      case PACO_ANCILLARY_CAPTION:
        restore_caption (&restorer, &chunk);
        break;
      case PACO_ANCILLARY_ACTIVE_FORMAT:
        restore_active_format (&restorer, &chunk);
        break;
      case PACO_ANCILLARY_TIMECODE:
        restore_timecode (&restorer, &chunk);
        break;
      case PACO_ANCILLARY_AREA:
        restore_region (&restorer, &chunk);
        break;
      case PACO_ANCILLARY_REFERENCE_TIME:
        restore_reference (&restorer, &chunk);
        break;
      default:
        GST_LOG_OBJECT (
            restorer.element, "a chunk of type %u is unknown", chunk.type);
    }
  }
}

void
gst_paco_meta_restore_coded (const PacoHeader *header, GstBuffer **buffer,
    GByteArray *bytes, GstPacoMetaNames *names, GstElement *element)
{
  g_autoptr (GstBuffer) restored = NULL;
  GstMetaTransformCopy copy = { FALSE, 0, (gsize) -1 };
  PacoHeader again = *header;
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  again.video.ancillary = (PacoAncillary){ NULL, 0 };
  if (paco_header_size (&again) >= header->header_size)
    return; /* there are none */
  g_byte_array_set_size (bytes, header->header_size);
  gst_buffer_extract (*buffer, 0, bytes->data, bytes->len);
  if (!paco_header_parse (bytes->data, bytes->len, &again, NULL, NULL))
    return;
  restored = gst_buffer_new ();
  gst_paco_meta_restore (&again.video.ancillary, 0, restored, names, element);
  *buffer = gst_buffer_make_writable (*buffer);
  while (gst_buffer_iterate_meta (*buffer, &state))
    n++;
  state = NULL;
  while ((meta = gst_buffer_iterate_meta (restored, &state)))
    if (!is_there (meta, *buffer, n))
      meta->info->transform_func (
          *buffer, meta, restored, _gst_meta_transform_copy, &copy);
}
