/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The format in pacoenc: what caps and properties make of the coder's configuration,
 * and what downstream is told of it. */
#include "caps/mosaics.h"
#include "caps/videocaps.h"
#include "codec/policy.h"
#include "codec/stack.h"
#include "gstpacoencprivate.h"
#include "plugin/coder/gstpacobackend.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_enc_debug);
#define GST_CAT_DEFAULT gst_paco_enc_debug

void
gst_paco_enc_format_end (GstPacoEnc *self)
{
  gst_paco_enc_stack_free (self);
  g_clear_pointer (&self->input_state, gst_video_codec_state_unref);
  gst_clear_caps (&self->coded_caps);
  if (self->coder.pipe != NULL)
    gst_paco_pipe_free_planes (self->coder.pipe);
}

/* Returns a sentence about a setting without effect, or NULL. */
static char *
find_ignored (const PacoSettings *settings)
{
  const char *rate = paco_setting_find (PACO_OF_PACOENC, "rate-control")
                         ->values[settings->rate_control]
                         .name;
  gboolean lossless = settings->rate_control == PACO_RATE_LOSSLESS;
  gboolean by_size = settings->frame_size > 0;

  if (settings->rate_control != PACO_RATE_BITRATE
      && (by_size || settings->bitrate > 0))
    return g_strdup_printf (
        "%s=%u has no effect with rate-control=%s; it is for "
        "rate-control=bitrate",
        by_size ? "frame-size" : "bitrate",
        by_size ? settings->frame_size : settings->bitrate, rate);
  if (by_size && settings->bitrate > 0)
    return g_strdup_printf (
        "bitrate=%u has no effect with frame-size=%u, which "
        "is the same budget and goes before",
        settings->bitrate, settings->frame_size);
  if (settings->rate_control != PACO_RATE_QUALITY
      && settings->quality
          != paco_setting_find (PACO_OF_PACOENC, "quality")->standard)
    return g_strdup_printf ("quality=%g has no effect with rate-control=%s; it "
                            "is for rate-control=quality",
        settings->quality, rate);
  if (lossless && settings->tune != PACO_TUNE_VISUAL)
    return g_strdup_printf (
        "tune=psnr has no effect with rate-control=%s, which loses nothing",
        rate);
  if (lossless && settings->roi_weight != 1)
    return g_strdup_printf (
        "roi-weight=%g has no effect with rate-control=%s, which loses nothing",
        settings->roi_weight, rate);
  if (settings->stack > 1 && settings->roi_weight != 1)
    return g_strdup_printf (
        "roi-weight=%g has no effect with stack=%u: a region of a slice is in "
        "all pictures of its stack",
        settings->roi_weight, settings->stack);
  return NULL;
}

/* Takes the sentence, which may be NULL. What was posted last is not repeated. */
static void
warn_of_ignored (GstPacoEnc *self, char *sentence)
{
  if (sentence != NULL && g_strcmp0 (sentence, self->ignored) != 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", sentence), (NULL));
  g_free (self->ignored);
  self->ignored = sentence;
}

/* Returns a frame's budget, else `bound`, which holds for any rate. */
static guint64
max_frame_size (const PacoParameters *parameters, guint64 bound)
{
  guint32 budget;

  if (parameters->rate_control != PACO_RATE_BITRATE
      || !paco_policy_budget (parameters, &budget, NULL))
    return bound;
  return MIN (bound, budget);
}

/* Adds a tag, which has 32 bits and cannot hold a higher rate. */
static void
add_rate (GstTagList *tags, const char *tag, guint64 bits)
{
  if (bits > 0 && bits <= G_MAXUINT)
    gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, tag, (guint) bits, NULL);
}

static void
log_rate (GstPacoEnc *self, const char *since)
{
  const PacoParameters *parameters = &self->parameters;
  g_autofree char *rate = NULL;

  if (parameters->rate_control == PACO_RATE_BITRATE)
    rate = g_strdup_printf ("%" G_GUINT64_FORMAT " bytes a frame",
        max_frame_size (parameters, G_MAXUINT64));
  else if (parameters->rate_control == PACO_RATE_QUALITY)
    rate = g_strdup_printf ("quality %g", parameters->quality);
  GST_DEBUG_OBJECT (self, "rate: %s%s, complexity %u", since,
      rate != NULL ? rate : "lossless", parameters->complexity);
}

/* All properties but the rate hold for the whole format. */
static void
read_parameters (GstPacoEnc *self)
{
  const GstVideoInfo *info = &self->input_state->info;
  const PacoSettings *settings = &self->coder.settings;
  PacoParameters *parameters = &self->parameters;
  char *ignored;

  GST_OBJECT_LOCK (self);
  paco_settings_to_parameters (settings, parameters);
  ignored = find_ignored (settings);
  self->metadata = settings->metadata;
  self->stack_length = settings->stack;
  self->coder.settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (self->stack_length > 1)
    parameters->weight = paco_stack_max_weight (self->stack_length,
        GST_VIDEO_INFO_COMP_DEPTH (info, 0),
        parameters->rate_control == PACO_RATE_LOSSLESS);
  parameters->rgb = GST_VIDEO_INFO_IS_RGB (info);
  if (GST_VIDEO_INFO_FPS_N (info) > 0) {
    parameters->fps_n = GST_VIDEO_INFO_FIELD_RATE_N (info);
    parameters->fps_d = GST_VIDEO_INFO_FPS_D (info);
  }
  warn_of_ignored (self, ignored);
  log_rate (self, "");
}

static gboolean
is_mixed (GstPacoEnc *self)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (&self->input_state->info)
      == GST_VIDEO_INTERLACE_MODE_MIXED;
}

void
gst_paco_enc_format_set_fields (GstPacoEnc *self, gboolean fields)
{
  if (is_mixed (self))
    paco_encoder_set_fields (self->coder.encoder, fields);
  self->fields = fields;
}

static void
log_codings (GstPacoEnc *self, PacoPictureFormat picture)
{
  for (guint i = 0; i < (is_mixed (self) ? 2 : 1); i++) {
    picture.fields ^= i;
    gst_paco_enc_format_set_fields (self, picture.fields);
    gst_paco_log_coding (GST_CAT_DEFAULT, GST_ELEMENT (self), &picture,
        paco_encoder_coding (self->coder.encoder));
  }
}

gboolean
gst_paco_enc_format_configure (GstPacoEnc *self)
{
  /* A mixed stream has frames in one piece and frames of two fields. */
  gboolean (*configure) (PacoEncoder *, const PacoPictureFormat *,
      const PacoSampleLayout *, const PacoParameters *,
      GError **) = is_mixed (self) ? paco_encoder_configure_mixed
                                   : paco_encoder_configure;
  gboolean fields = GST_VIDEO_INFO_INTERLACE_MODE (&self->input_state->info)
      == GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];
  PacoPictureFormat picture;
  GError *error = NULL;

  paco_picture_format_from_raw (
      &self->raw, &self->input_state->info, fields, &picture);
  for (guint c = 0; c < picture.n_components; c++)
    layout[c] = self->raw.tiled || self->stack ? paco_planes_layout
                                               : self->raw.layout[c];
  if (self->stack)
    picture.components[0].depth = PACO_SLICE_DEPTH;

  if (!configure (
          self->coder.encoder, &picture, layout, &self->parameters, &error)) {
    gst_paco_post_error (GST_ELEMENT (self), error);
    return FALSE;
  }
  gst_paco_coder_configured (&self->coder);
  log_codings (self, picture);
  gst_paco_enc_format_set_fields (self, fields);
  return TRUE;
}

static gboolean
allocate_planes (GstPacoEnc *self)
{
  PacoPictureFormat picture;
  GError *error = NULL;

  paco_picture_format_from_raw (
      &self->raw, &self->input_state->info, false, &picture);
  if (!self->raw.tiled
      || gst_paco_pipe_allocate_planes (self->coder.pipe, &picture, &error))
    return TRUE;
  gst_paco_post_error (GST_ELEMENT (self), error);
  return FALSE;
}

static GstCaps *
make_caps (GstPacoEnc *self)
{
  PacoHeader header = { 0 };
  GstCaps *caps;
  guint64 bound = max_frame_size (
      &self->parameters, paco_encoder_max_frame_size (self->coder.encoder));

  paco_picture_format_from_raw (
      &self->raw, &self->input_state->info, self->fields, &header.picture);
  header.video = self->video;
  caps = paco_caps_from_header (&header);
  if (bound > 0 && bound <= G_MAXINT)
    gst_caps_set_simple (
        caps, "max-frame-size", G_TYPE_INT, (gint) bound, NULL);
  return caps;
}

static void
set_tags (GstPacoEnc *self)
{
  const PacoParameters *parameters = &self->parameters;
  guint64 size = max_frame_size (
      parameters, paco_encoder_max_frame_size (self->coder.encoder));
  g_autoptr (GstTagList) tags = gst_tag_list_new (
      GST_TAG_VIDEO_CODEC, "PaCo", GST_TAG_ENCODER, "gst-paco " VERSION, NULL);

  if (parameters->fps_n > 0 && size <= G_MAXUINT32)
    add_rate (tags, GST_TAG_MAXIMUM_BITRATE,
        gst_util_uint64_scale (8 * size, parameters->fps_n, parameters->fps_d));
  if (parameters->rate_control == PACO_RATE_BITRATE
      && parameters->frame_size == 0)
    add_rate (tags, GST_TAG_BITRATE, parameters->bitrate);
  gst_video_encoder_merge_tags (
      GST_VIDEO_ENCODER (self), tags, GST_TAG_MERGE_REPLACE);
}

/* A pad that is flushing takes no caps, and that is no error. */
static GstFlowReturn
negotiate (GstPacoEnc *self)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);

  if (gst_video_encoder_negotiate (encoder))
    return GST_FLOW_OK;
  return GST_PAD_IS_FLUSHING (GST_VIDEO_ENCODER_SRC_PAD (encoder))
      ? GST_FLOW_FLUSHING
      : GST_FLOW_NOT_NEGOTIATED;
}

/* Posts a warning if pacodec, as it is by default, refuses such pictures. */
static void
warn_of_pixels (GstPacoEnc *self, const GstVideoInfo *info)
{
  guint64 pixels = (guint64) info->width * info->height;

  if (pixels > PACO_DEFAULT_MAX_PIXELS)
    GST_ELEMENT_WARNING (self, STREAM, ENCODE,
        ("pacodec refuses pictures of %dx%d, unless its property max-pixels is "
         "%" G_GUINT64_FORMAT " or more.",
            info->width, info->height, pixels),
        ("the default is %u", PACO_DEFAULT_MAX_PIXELS));
}

static gboolean
check_interlacing (GstElement *element, const GstVideoInfo *info)
{
  GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (info);

  if (mode == GST_VIDEO_INTERLACE_MODE_ALTERNATE
      && GST_VIDEO_INFO_HEIGHT (info) % 2 != 0)
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("interlace-mode=alternate needs an even height, not %d: both fields "
         "of a frame have as many lines",
            GST_VIDEO_INFO_HEIGHT (info)),
        (NULL));
  else if (mode == GST_VIDEO_INTERLACE_MODE_FIELDS)
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("interlace-mode=%s cannot be coded: both fields must be in one "
         "picture (interlace-mode=interleaved or mixed) or come one by one "
         "(alternate)",
            gst_video_interlace_mode_to_string (mode)),
        (NULL));
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_mosaic (GstElement *element, const GstVideoInfo *info)
{
  if (GST_VIDEO_INFO_IS_INTERLACED (info))
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("A mosaic (" PACO_MOSAIC_TYPE ") cannot be interlaced, and these caps "
         "say interlace-mode=%s",
            gst_video_interlace_mode_to_string (
                GST_VIDEO_INFO_INTERLACE_MODE (info))),
        (NULL));
  else if (info->width % 2 != 0 || info->height % 2 != 0)
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("A mosaic (" PACO_MOSAIC_TYPE ") of %dx%d cannot be coded: its width "
         "and height must be even, as its colors repeat every 2 samples",
            info->width, info->height),
        (NULL));
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_picture (GstElement *element, const GstCaps *caps, GstVideoInfo *info,
    PacoRawFormat *raw)
{
  gboolean known = paco_raw_format_from_caps (caps, info, raw);

  if (known && raw->mosaic)
    return check_mosaic (element, info);
  if (!check_interlacing (element, info))
    return FALSE;

  if (!known) {
    const char *reason = paco_raw_format_exclusion (
        GST_VIDEO_INFO_FORMAT (info));

    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("Raw format %s cannot be coded%s%s", GST_VIDEO_INFO_NAME (info),
            reason != NULL ? ": " : "", reason != NULL ? reason : ""),
        (NULL));
    return FALSE;
  }

  if (!paco_raw_format_holds (
          GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info))) {
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("Lines of raw format %s have no room for all samples of an odd width "
         "(%d); use an even one or another format",
            GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info)),
        (NULL));
    return FALSE;
  }
  return TRUE;
}

gboolean
gst_paco_enc_format_begin (GstPacoEnc *self, GstVideoCodecState *state)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);
  const GstVideoInfo *info = &state->info;

  gst_paco_enc_format_end (self);
  if (!check_picture (
          GST_ELEMENT (self), state->caps, &state->info, &self->raw))
    return FALSE;

  self->input_state = gst_video_codec_state_ref (state);
  paco_video_from_info (info, state->caps, &self->video);
  g_strlcpy (self->video.raw_format, self->raw.row->name,
      sizeof (self->video.raw_format));
  self->video.has_place = true;
  self->place = (PacoPlace){ 0 };
  self->may_follow = gst_paco_cuda_is_caps (state->caps);
  if (self->may_follow)
    gst_paco_coder_share (&self->coder, FALSE);
  read_parameters (self);
  if (!gst_paco_enc_stack_prepare (self)
      || !gst_paco_enc_format_configure (self) || !allocate_planes (self)) {
    gst_paco_enc_format_end (self);
    return FALSE;
  }

  warn_of_pixels (self, info);
  self->coded_caps = make_caps (self);
  /* The base class needs an output state before it negotiates. */
  gst_video_codec_state_unref (gst_video_encoder_set_output_state (
      encoder, gst_caps_ref (self->coded_caps), state));
  set_tags (self);

  gst_paco_coder_begin_latency (&self->coder, info, self->stack_length);
  return negotiate (self) != GST_FLOW_NOT_NEGOTIATED;
}

/* Tells downstream, ahead of the first such frame, if frames may have another size at
 * most than `before`. The stream lock must not be held. */
static GstFlowReturn
tell_bound (GstPacoEnc *self, guint64 before)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);
  guint64 bound = paco_encoder_max_frame_size (self->coder.encoder);
  guint64 now = max_frame_size (&self->parameters, bound);
  GstFlowReturn flow;

  if (now == MIN (before, bound))
    return GST_FLOW_OK;
  /* Frames in flight may be larger than the new caps allow. */
  if (now < before)
    gst_paco_pipe_wait_done (self->coder.pipe);
  GST_VIDEO_ENCODER_STREAM_LOCK (encoder);
  gst_caps_unref (self->coded_caps);
  self->coded_caps = make_caps (self);
  set_tags (self);
  flow = negotiate (self);
  GST_VIDEO_ENCODER_STREAM_UNLOCK (encoder);
  return flow;
}

GstFlowReturn
gst_paco_enc_format_update_rate (GstPacoEnc *self)
{
  guint64 before = max_frame_size (&self->parameters, G_MAXUINT64);
  gboolean changed;
  char *ignored = NULL;

  GST_OBJECT_LOCK (self);
  changed = self->coder.settings_changed;
  if (changed)
    ignored = find_ignored (&self->coder.settings);
  self->coder.settings_changed = FALSE;
  paco_settings_to_rate (&self->coder.settings, &self->parameters);
  GST_OBJECT_UNLOCK (self);

  if (!changed)
    return GST_FLOW_OK;
  warn_of_ignored (self, ignored);
  log_rate (self, "from now on ");
  paco_encoder_set_rate (self->coder.encoder, self->parameters.quality,
      self->parameters.frame_size, self->parameters.bitrate);
  return tell_bound (self, before);
}
