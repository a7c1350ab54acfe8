/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes chunks from metas, for pacoenc (gstpacometa.h). If there is no room for all,
 * timecodes and captions are kept before regions of interest, of which there may be any
 * number. */
#include "gstpacometa.h"
#include <string.h>

typedef enum
{
  LOSS_ROOM,
  LOSS_CAPTION,
  LOSS_ACTIVE_FORMAT,
  LOSS_TIMECODE,
  LOSS_REGION,
  LOSS_PARAMETER,
  LOSS_REFERENCE,
} Loss;

typedef struct
{
  PacoAncillaryWriter writer;
  GstElement *element;
  GstPacoMetaLoss *loss;
} Keeper;

/* --- what is lost --- */

static void G_GNUC_PRINTF (3, 4)
    lose (Keeper *keeper, Loss loss, const char *format, ...)
{
  g_autofree char *sentence = NULL;
  va_list arguments;

  GST_OBJECT_LOCK (keeper->element);
  keeper->loss->n_left_out++;
  GST_OBJECT_UNLOCK (keeper->element);
  if (keeper->loss->warned & 1u << loss)
    return;
  keeper->loss->warned |= 1u << loss;
  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  GST_ELEMENT_WARNING (
      keeper->element, STREAM, ENCODE, ("%s", sentence), (NULL));
}

/* Ends a chunk: added says whether there was room for it. */
static void
end_chunk (Keeper *keeper, gboolean added, const char *what)
{
  if (added)
    return;
  if (keeper->writer.capacity < PACO_MAX_ANCILLARY_SIZE)
    lose (keeper, LOSS_ROOM,
        "%s of a frame is left out: the budget has room for %" G_GSIZE_FORMAT
        " bytes of metadata; raise bitrate or frame-size, or let the property "
        "metadata name less",
        what, keeper->writer.capacity);
  else
    lose (keeper, LOSS_ROOM,
        "%s of a frame is left out: a frame remembers at most %d bytes of "
        "metadata; let the property metadata name less",
        what, PACO_MAX_ANCILLARY_SIZE);
}

/* --- values --- */

static gboolean
take_text (const char *text, PacoValue *value)
{
  gsize length = text ? strlen (text) : 0;

  if (!text || length > G_MAXUINT16 || !g_utf8_validate (text, length, NULL))
    return FALSE;
  value->type = PACO_VALUE_TEXT;
  value->text.data = text;
  value->text.length = (uint16_t) length;
  return TRUE;
}

static gboolean
take_value (const GValue *from, PacoValue *value)
{
  GType type = G_VALUE_TYPE (from);

  if (type == G_TYPE_BOOLEAN) {
    value->type = PACO_VALUE_BOOLEAN;
    value->boolean = g_value_get_boolean (from);
  } else if (type == G_TYPE_INT) {
    value->type = PACO_VALUE_INT;
    value->integer = g_value_get_int (from);
  } else if (type == G_TYPE_UINT) {
    value->type = PACO_VALUE_UINT;
    value->unsigned_integer = g_value_get_uint (from);
  } else if (type == G_TYPE_INT64) {
    value->type = PACO_VALUE_INT64;
    value->integer64 = g_value_get_int64 (from);
  } else if (type == G_TYPE_UINT64) {
    value->type = PACO_VALUE_UINT64;
    value->unsigned64 = g_value_get_uint64 (from);
  } else if (type == G_TYPE_DOUBLE) {
    value->type = PACO_VALUE_DOUBLE;
    value->real = g_value_get_double (from);
  } else if (type == GST_TYPE_FRACTION) {
    value->type = PACO_VALUE_FRACTION;
    value->fraction[0] = gst_value_get_fraction_numerator (from);
    value->fraction[1] = gst_value_get_fraction_denominator (from);
  } else if (type == G_TYPE_STRING) {
    return take_text (g_value_get_string (from), value);
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
take_field (const GstStructure *structure, guint i, PacoValue *value)
{
  const char *name = gst_structure_nth_field_name (structure, i);

  if (!paco_is_name (name, strlen (name)))
    return FALSE;
  g_strlcpy (value->name, name, sizeof value->name);
  return take_value (gst_structure_get_value (structure, name), value);
}

static gboolean
is_storable (const GstStructure *structure)
{
  const char *name = gst_structure_get_name (structure);
  PacoValue value;

  if (!paco_is_name (name, strlen (name))
      || gst_structure_n_fields (structure) > G_MAXUINT8)
    return FALSE;
  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    if (!take_field (structure, i, &value))
      return FALSE;
  return TRUE;
}

/* --- metas --- */

static void
keep_timecode (Keeper *keeper, const GstMeta *meta)
{
  const GstVideoTimeCode *from = &((const GstVideoTimeCodeMeta *) meta)->tc;
  GDateTime *jam = from->config.latest_daily_jam;
  PacoTimecode timecode = {
    .fps_n = from->config.fps_n,
    .fps_d = from->config.fps_d,
    .frames = from->frames,
    .hours = (uint8_t) MIN (from->hours, G_MAXUINT8),
    .minutes = (uint8_t) MIN (from->minutes, G_MAXUINT8),
    .seconds = (uint8_t) MIN (from->seconds, G_MAXUINT8),
    .field_count = (uint8_t) MIN (from->field_count, G_MAXUINT8),
    .has_daily_jam = jam != NULL,
  };

  if (from->config.flags & GST_VIDEO_TIME_CODE_FLAGS_DROP_FRAME)
    timecode.flags |= PACO_TIMECODE_DROP_FRAME;
  if (from->config.flags & GST_VIDEO_TIME_CODE_FLAGS_INTERLACED)
    timecode.flags |= PACO_TIMECODE_INTERLACED;
  if (jam) {
    timecode.daily_jam = g_date_time_to_unix (jam) * G_USEC_PER_SEC
        + g_date_time_get_microsecond (jam);
    timecode.daily_jam_offset = (int32_t) (g_date_time_get_utc_offset (jam)
        / G_USEC_PER_SEC);
  }
  if (!paco_timecode_is_valid (&timecode)) {
    lose (keeper, LOSS_TIMECODE,
        "A timecode is left out, as %02u:%02u:%02u:%02u of field %u, at %u/%u "
        "frames a second and with its daily jam, is none",
        from->hours, from->minutes, from->seconds, from->frames,
        from->field_count, from->config.fps_n, from->config.fps_d);
    return;
  }
  end_chunk (keeper, paco_ancillary_add_timecode (&keeper->writer, &timecode),
      "The timecode");
}

static void
keep_caption (Keeper *keeper, const GstMeta *meta)
{
  const GstVideoCaptionMeta *from = (const GstVideoCaptionMeta *) meta;
  const PacoCaption caption = {
    .type = (uint8_t) from->caption_type, .data = from->data, .size = from->size
  };

  if (from->caption_type < GST_VIDEO_CAPTION_TYPE_CEA608_RAW
      || from->caption_type > GST_VIDEO_CAPTION_TYPE_CEA708_CDP
      || from->size == 0) {
    lose (keeper, LOSS_CAPTION,
        "A caption is left out, as its type %d is not known, or it is empty",
        from->caption_type);
    return;
  }
  end_chunk (keeper,
      caption.size <= PACO_MAX_ANCILLARY_SIZE
          && paco_ancillary_add_caption (&keeper->writer, &caption),
      "A caption");
}

static void
keep_afd (Keeper *keeper, const GstMeta *meta)
{
  const GstVideoAFDMeta *from = (const GstVideoAFDMeta *) meta;
  const PacoActiveFormat active = { .kind = PACO_ACTIVE_FORMAT_AFD,
    .field = from->field,
    .spec = (uint8_t) from->spec,
    .value = (uint8_t) from->afd };

  if (from->spec > GST_VIDEO_AFD_SPEC_SMPTE_ST2016_1
      || from->afd > GST_VIDEO_AFD_16_9_LETTER_4_3_CENTER
      || !paco_active_format_is_valid (&active)) {
    lose (keeper, LOSS_ACTIVE_FORMAT,
        "An active format is left out, as AFD %d of specification %d and field "
        "%u is not known",
        from->afd, from->spec, from->field);
    return;
  }
  end_chunk (keeper,
      paco_ancillary_add_active_format (&keeper->writer, &active),
      "The active format");
}

static void
keep_bars (Keeper *keeper, const GstMeta *meta)
{
  const GstVideoBarMeta *from = (const GstVideoBarMeta *) meta;
  const PacoActiveFormat active = {
    .kind = from->is_letterbox ? PACO_ACTIVE_FORMAT_LETTERBOX
                               : PACO_ACTIVE_FORMAT_PILLARBOX,
    .field = from->field,
    .bars = { from->bar_data1, from->bar_data2 },
  };

  if (!paco_active_format_is_valid (&active)) {
    lose (keeper, LOSS_ACTIVE_FORMAT,
        "Bars are left out, as there is no field %u", from->field);
    return;
  }
  end_chunk (keeper,
      paco_ancillary_add_active_format (&keeper->writer, &active),
      "What is known of bars");
}

static void
keep_reference (Keeper *keeper, const GstMeta *meta)
{
  const GstReferenceTimestampMeta *from =
      (const GstReferenceTimestampMeta *) meta;
  const PacoReferenceTime time = { from->timestamp, from->duration };
  const GstStructure *structure = NULL;
  PacoValue value;

  if (gst_caps_get_size (from->reference) == 1
      && gst_caps_features_is_equal (gst_caps_get_features (from->reference, 0),
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    structure = gst_caps_get_structure (from->reference, 0);
  if (!structure || !is_storable (structure)) {
    g_autofree char *caps = gst_caps_to_string (from->reference);

    lose (keeper, LOSS_REFERENCE,
        "A reference timestamp is left out, as frames cannot remember its "
        "reference %s: a structure of numbers, fractions and texts can be",
        caps);
    return;
  }
  paco_ancillary_begin_reference_time (&keeper->writer, &time);
  paco_ancillary_add_list (&keeper->writer, gst_structure_get_name (structure));
  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    if (take_field (structure, i, &value))
      paco_ancillary_add_value (&keeper->writer, &value);
  end_chunk (
      keeper, paco_ancillary_end (&keeper->writer), "A reference timestamp");
}

static void
keep_parameter (Keeper *keeper, const GstStructure *parameter)
{
  const char *name = gst_structure_get_name (parameter);

  if (!paco_is_name (name, strlen (name))
      || !paco_ancillary_add_list (&keeper->writer, name)) {
    lose (keeper, LOSS_PARAMETER,
        "Parameters %s of a region of interest are left out: there are too "
        "many, or their name is too long",
        name);
    return;
  }
  for (gint i = 0; i < gst_structure_n_fields (parameter); i++) {
    const char *field = gst_structure_nth_field_name (parameter, i);
    PacoValue value;

    if (!take_field (parameter, i, &value)
        || !paco_ancillary_add_value (&keeper->writer, &value))
      lose (keeper, LOSS_PARAMETER,
          "The parameter %s of a region of interest, in %s, is left out: "
          "frames "
          "cannot remember a %s like it",
          field, name,
          g_type_name (gst_structure_get_field_type (parameter, field)));
  }
}

static void
keep_region (Keeper *keeper, const GstMeta *meta)
{
  const GstVideoRegionOfInterestMeta *from =
      (const GstVideoRegionOfInterestMeta *) meta;
  const char *type = g_quark_to_string (from->roi_type);
  gsize length = type ? strlen (type) : 0;
  const PacoAreaOfInterest area = {
    .id = from->id,
    .parent_id = from->parent_id,
    .x = from->x,
    .y = from->y,
    .width = from->w,
    .height = from->h,
    .type = type ? type : "",
    .type_length = (uint8_t) length,
  };

  if (length > PACO_MAX_NAME || !g_utf8_validate (area.type, length, NULL)) {
    lose (keeper, LOSS_REGION,
        "A region of interest is left out, as its type is no text of up to %d "
        "bytes",
        PACO_MAX_NAME);
    return;
  }
  paco_ancillary_begin_area (&keeper->writer, &area);
  for (const GList *l = from->params; l; l = l->next)
    keep_parameter (keeper, l->data);
  end_chunk (
      keeper, paco_ancillary_end (&keeper->writer), "A region of interest");
}

/* What is kept, in the order of importance. */
static const struct
{
  GstPacoMetadata kind;
  GType (*api) (void);
  void (*keep) (Keeper *keeper, const GstMeta *meta);
} metas[] = {
  { GST_PACO_METADATA_TIMECODES, gst_video_time_code_meta_api_get_type,
      keep_timecode },
  { GST_PACO_METADATA_CAPTIONS, gst_video_caption_meta_api_get_type,
      keep_caption },
  { GST_PACO_METADATA_ACTIVE_FORMAT, gst_video_afd_meta_api_get_type,
      keep_afd },
  { GST_PACO_METADATA_ACTIVE_FORMAT, gst_video_bar_meta_api_get_type,
      keep_bars },
  { GST_PACO_METADATA_REFERENCE_TIMESTAMPS,
      gst_reference_timestamp_meta_api_get_type, keep_reference },
  { GST_PACO_METADATA_REGIONS, gst_video_region_of_interest_meta_api_get_type,
      keep_region },
};

PacoAncillary
gst_paco_meta_keep (GstBuffer *buffer, GstPacoMetadata kinds, gsize room,
    guint8 **memory, GstElement *element, GstPacoMetaLoss *loss)
{
  Keeper keeper = { { .capacity = room }, element, loss };

  for (guint i = 0; i < G_N_ELEMENTS (metas); i++) {
    gpointer state = NULL;
    const GstMeta *meta;

    while ((kinds & metas[i].kind)
        && (meta = gst_buffer_iterate_meta_filtered (
                buffer, &state, metas[i].api ()))) {
      if (!*memory)
        *memory = g_malloc (PACO_MAX_ANCILLARY_SIZE);
      keeper.writer.data = *memory;
      metas[i].keep (&keeper, meta);
    }
  }
  return (PacoAncillary){ keeper.writer.data, keeper.writer.size };
}
