/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Installs, sets and gets the properties that pacoenc has and pacodec has not
 * (gstpacoencproperties.h). */
#include "gstpacoencproperties.h"
#include "codec/stack.h"

enum
{
  PROP_RATE_CONTROL = GST_PACO_PROP_COMMON_LAST + 1,
  PROP_QUALITY,
  PROP_TUNE,
  PROP_BITRATE,
  PROP_FRAME_SIZE,
  PROP_WAVELET,
  PROP_LEVELS,
  PROP_CODEBLOCK_HEIGHT,
  PROP_CODING_PASSES,
  PROP_COLOR_TRANSFORM,
  PROP_COMPLEXITY,
  PROP_BLOCK_CHECKS,
  PROP_CUT_POINTS,
  PROP_STACK,
  PROP_ROI_WEIGHT,
  PROP_METADATA,
};

#define GST_TYPE_PACO_RATE_CONTROL (gst_paco_rate_control_get_type ())
#define GST_TYPE_PACO_TUNE (gst_paco_tune_get_type ())
#define GST_TYPE_PACO_WAVELET (gst_paco_wavelet_get_type ())
#define GST_TYPE_PACO_COLOR_TRANSFORM (gst_paco_color_transform_get_type ())
#define GST_TYPE_PACO_METADATA (gst_paco_metadata_get_type ())

static GType
register_enum (gsize *once, const char *name, const GEnumValue *values)
{
  if (g_once_init_enter (once)) {
    GType type = g_enum_register_static (name, values);

    gst_type_mark_as_plugin_api (type, 0);
    g_once_init_leave (once, type);
  }
  return *once;
}

static GType
gst_paco_rate_control_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_PACO_RATE_CONTROL_QUALITY, "constant quality", "quality" },
    { GST_PACO_RATE_CONTROL_LOSSLESS, "lossless", "lossless" },
    { GST_PACO_RATE_CONTROL_BITRATE, "a budget of bytes per frame", "bitrate" },
    { 0, NULL, NULL },
  };

  return register_enum (&type, "GstPacoRateControl", values);
}

static GType
gst_paco_tune_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_PACO_TUNE_VISUAL, "what the eye sees", "visual" },
    { GST_PACO_TUNE_PSNR, "the least squared error", "psnr" },
    { 0, NULL, NULL },
  };

  return register_enum (&type, "GstPacoTune", values);
}

static GType
gst_paco_wavelet_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_PACO_WAVELET_AUTO, "cdf97; for lossless dd137, of RGB by the picture",
        "auto" },
    { GST_PACO_WAVELET_CDF53, "reversible 5/3", "cdf53" },
    { GST_PACO_WAVELET_CDF97, "irreversible 9/7", "cdf97" },
    { GST_PACO_WAVELET_DD137, "reversible 13/7", "dd137" },
    { GST_PACO_WAVELET_HAAR, "reversible 2/2", "haar" },
    { GST_PACO_WAVELET_DD97, "reversible 9/7", "dd97" },
    { GST_PACO_WAVELET_FIDELITY, "reversible, of Dirac", "fidelity" },
    { 0, NULL, NULL },
  };

  return register_enum (&type, "GstPacoWavelet", values);
}

static GType
gst_paco_color_transform_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_PACO_COLOR_TRANSFORM_AUTO, "what suits format and wavelet", "auto" },
    { GST_PACO_COLOR_TRANSFORM_NONE, "none", "none" },
    { GST_PACO_COLOR_TRANSFORM_RCT, "reversible", "rct" },
    { GST_PACO_COLOR_TRANSFORM_ICT, "irreversible", "ict" },
    { GST_PACO_COLOR_TRANSFORM_RCT2,
        "reversible, blue against the mean of red and green", "rct2" },
    { 0, NULL, NULL },
  };

  return register_enum (&type, "GstPacoColorTransform", values);
}

static GType
gst_paco_metadata_get_type (void)
{
  static gsize once = 0;
  static const GFlagsValue values[] = {
    { GST_PACO_METADATA_CAPTIONS, "closed captions", "captions" },
    { GST_PACO_METADATA_ACTIVE_FORMAT, "AFD and bars", "active-format" },
    { GST_PACO_METADATA_TIMECODES, "SMPTE timecodes", "timecodes" },
    { GST_PACO_METADATA_REGIONS, "regions of interest", "regions" },
    { GST_PACO_METADATA_REFERENCE_TIMESTAMPS, "reference timestamps",
        "reference-timestamps" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&once)) {
    GType type = g_flags_register_static ("GstPacoMetadata", values);

    gst_type_mark_as_plugin_api (type, 0);
    g_once_init_leave (&once, type);
  }
  return once;
}

gboolean
gst_paco_enc_property_is_rate (guint id)
{
  return id == PROP_QUALITY || id == PROP_BITRATE || id == PROP_FRAME_SIZE;
}

void
gst_paco_enc_properties_init (GstPacoEncProperties *properties)
{
  const PacoParameters defaults = PACO_PARAMETERS_DEFAULT;

  properties->rate_control = GST_PACO_RATE_CONTROL_QUALITY;
  properties->quality = defaults.quality;
  properties->tune = GST_PACO_TUNE_VISUAL;
  properties->bitrate = 0;
  properties->frame_size = 0;
  properties->wavelet = GST_PACO_WAVELET_AUTO;
  properties->levels = defaults.levels;
  properties->codeblock_height = defaults.block_height;
  properties->coding_passes = defaults.coding_passes;
  properties->color_transform = GST_PACO_COLOR_TRANSFORM_AUTO;
  properties->complexity = defaults.complexity;
  properties->block_checks = defaults.block_checks;
  properties->cut_points = defaults.cut_points;
  properties->stack = 1;
  properties->roi_weight = 1.0;
  properties->metadata = GST_PACO_METADATA_ALL;
}

#define READY_FLAGS                                                            \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define PLAYING_FLAGS                                                          \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

/**
 * GstPacoEnc:rate-control:
 *
 * What decides the size of frames. It is a constant quality; or that nothing is
 * lost; or a budget of bytes, #GstPacoEnc:bitrate or #GstPacoEnc:frame-size, which
 * no frame exceeds.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:quality:
 *
 * The quality for rate-control=quality, from 0, which is the worst, to 100. 90 is
 * visually lossless. It can change while frames are coded.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:tune:
 *
 * What the steps of the quantiser are weighted for: that the eye sees least of the
 * errors, or that the PSNR is best. It has no effect on lossless coding.
 *
 * Since: 0.2
 */

/**
 * GstPacoEnc:bitrate:
 *
 * The budget for rate-control=bitrate in kbit/s; 0 means that there is none. A frame
 * gets this divided by the frame rate, and takes no more. It leaves less than a
 * hundredth of that unused, unless it is lossless with fewer bytes, or so small
 * (below about a hundred kilobytes) that a single cut of a codeblock is a larger part
 * of it. It can change while frames are coded.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:frame-size:
 *
 * The budget for rate-control=bitrate in bytes per frame, or per field where each
 * field is a picture (interlace-mode=alternate); 0 means that there is none. It is
 * used instead of #GstPacoEnc:bitrate if both are set, and needs no frame rate. It
 * can change while frames are coded.
 *
 * Since: 0.1
 */

static void
install_rate_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_RATE_CONTROL,
      g_param_spec_enum ("rate-control", "Rate control",
          "What decides the size of frames", GST_TYPE_PACO_RATE_CONTROL,
          GST_PACO_RATE_CONTROL_QUALITY, READY_FLAGS));
  g_object_class_install_property (klass, PROP_QUALITY,
      g_param_spec_double ("quality", "Quality",
          "Quality for rate-control=quality; 90 is visually lossless", 0.0,
          100.0, 90.0, PLAYING_FLAGS));
  g_object_class_install_property (klass, PROP_TUNE,
      g_param_spec_enum ("tune", "Tune",
          "What the steps of the quantiser are weighted for",
          GST_TYPE_PACO_TUNE, GST_PACO_TUNE_VISUAL, READY_FLAGS));
  g_object_class_install_property (klass, PROP_BITRATE,
      g_param_spec_uint ("bitrate", "Bitrate",
          "Bit rate for rate-control=bitrate in kbit/s (0 = unset)", 0,
          G_MAXUINT, 0, PLAYING_FLAGS));
  g_object_class_install_property (klass, PROP_FRAME_SIZE,
      g_param_spec_uint ("frame-size", "Frame size",
          "Bytes of a frame for rate-control=bitrate; wins over bitrate "
          "(0 = unset)",
          0, G_MAXUINT, 0, PLAYING_FLAGS));
}

/**
 * GstPacoEnc:wavelet:
 *
 * The wavelet of all components but alpha, which is always coded without loss, with
 * the reversible 5/3. Lossless coding needs a reversible wavelet. auto is the
 * irreversible 9/7 for lossy coding and the reversible 13/7 for lossless coding; of
 * RGB, lossless coding takes the reversible 5/3. Of lossless RGB with 8 bits auto
 * tries 5/3 and 13/7 on a sample of each picture and takes the one that needs fewer
 * bits, unless there is a budget; it waits for pictures in a GPU's memory to do so.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:levels:
 *
 * How many levels the wavelet transform has. A decoder can leave out as many levels
 * as there are (#GstPacoDec:reduce). With wavelet=fidelity coefficients grow with each
 * level, so that samples of 12 bits have 5 levels at most and samples of 16 bits have
 * 3, or one less with a colour transform.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:codeblock-height:
 *
 * How many lines a codeblock has: 32, 64, 128 or 256. It has 64 columns. With 0 the
 * height depends on the subband.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:coding-passes:
 *
 * How often each bitplane of a codeblock is scanned.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:color-transform:
 *
 * The transform of red, green and blue into components that take fewer bits. It is
 * only for RGB. Lossless coding needs a reversible one.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:complexity:
 *
 * How readily low bitplanes, which hardly compress, are stored as they are. That is
 * faster and takes more bits. With 0 none is stored so, with 3 most are.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:block-checks:
 *
 * Whether each codeblock gets a check of 16 bits, by which a decoder finds out that
 * it was damaged. Without checks much damage gives a wrong picture, and no warning.
 *
 * Since: 0.2
 */

/**
 * GstPacoEnc:cut-points:
 *
 * Whether frames say how they can be made smaller later, without being decoded
 * (#GstPacoParse:max-frame-size).
 *
 * Since: 0.2
 */

/**
 * GstPacoEnc:stack:
 *
 * How many consecutive pictures are coded together, by a wavelet along the stack
 * before that of each picture. They are the slices of a volume or the bands of a
 * cube. It saves bytes where neighbors are alike. Pictures have one component (GRAY8,
 * GRAY16_LE), and rate-control is lossless or quality.
 *
 * Frames leave when the last one of their stack has come. A decoder needs all of a
 * stack for one of its pictures, so seeks go to the beginnings of stacks. A stack is
 * shorter where the stream ends, its caps change or a key unit is asked for. All
 * pictures of a stack have 268 million samples at most. Lossless pictures of 16 bits
 * cannot be cut (#GstPacoEnc:cut-points).
 *
 * Since: 0.2
 */

/**
 * GstPacoEnc:roi-weight:
 *
 * How many times finer the steps of the quantiser are in the regions of interest of a
 * frame (#GstVideoRegionOfInterestMeta) than in the rest of it. 1 makes no difference.
 * Frames without such regions are coded alike everywhere.
 *
 * Since: 0.2
 */

/**
 * GstPacoEnc:metadata:
 *
 * Which metas of a buffer are coded with its frame, so that a decoder puts them on the
 * picture again. They take bytes, which count in a budget.
 *
 * Since: 0.2
 */

static void
install_coding_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_WAVELET,
      g_param_spec_enum ("wavelet", "Wavelet", "Wavelet transform",
          GST_TYPE_PACO_WAVELET, GST_PACO_WAVELET_AUTO, READY_FLAGS));
  g_object_class_install_property (klass, PROP_LEVELS,
      g_param_spec_uint ("levels", "Levels",
          "Levels of the wavelet transform (wavelet=fidelity takes fewer of "
          "deep "
          "samples: 5 of 12 bits, 3 of 16)",
          0, PACO_MAX_LEVELS, 5, READY_FLAGS));
  g_object_class_install_property (klass, PROP_CODEBLOCK_HEIGHT,
      g_param_spec_uint ("codeblock-height", "Codeblock height",
          "Lines of a codeblock: 32, 64, 128 or 256 (0 = auto)", 0, 256, 0,
          READY_FLAGS));
  g_object_class_install_property (klass, PROP_CODING_PASSES,
      g_param_spec_uint ("coding-passes", "Coding passes",
          "Scans of each bitplane", 1, 3, 1, READY_FLAGS));
  g_object_class_install_property (klass, PROP_COLOR_TRANSFORM,
      g_param_spec_enum ("color-transform", "Color transform",
          "Transform of R, G and B before the wavelet",
          GST_TYPE_PACO_COLOR_TRANSFORM, GST_PACO_COLOR_TRANSFORM_AUTO,
          READY_FLAGS));
  g_object_class_install_property (klass, PROP_COMPLEXITY,
      g_param_spec_uint ("complexity", "Complexity",
          "How readily low bitplanes are stored raw, which is faster: "
          "0 never, 1 for about 0.3 % of the rate, 2 for 1 %, 3 fastest",
          0, 3, 1, READY_FLAGS));
  g_object_class_install_property (klass, PROP_BLOCK_CHECKS,
      g_param_spec_boolean ("block-checks", "Block checks",
          "Two bytes for each codeblock by which a decoder finds damage", TRUE,
          READY_FLAGS));
  g_object_class_install_property (klass, PROP_CUT_POINTS,
      g_param_spec_boolean ("cut-points", "Cut points",
          "Frames can be made smaller later by pacoparse max-frame-size", FALSE,
          READY_FLAGS));
  g_object_class_install_property (klass, PROP_STACK,
      g_param_spec_uint ("stack", "Stack",
          "Consecutive pictures (slices, bands) that are coded together, of "
          "one "
          "component",
          1, PACO_MAX_STACK, 1, READY_FLAGS));
  g_object_class_install_property (klass, PROP_ROI_WEIGHT,
      g_param_spec_double ("roi-weight", "Weight of regions of interest",
          "How much finer regions of interest are quantised than the rest of a "
          "frame (1 = no finer)",
          1.0, 1024.0, 1.0, READY_FLAGS));
  g_object_class_install_property (klass, PROP_METADATA,
      g_param_spec_flags ("metadata", "Metadata",
          "Which metas of a buffer its frame remembers", GST_TYPE_PACO_METADATA,
          GST_PACO_METADATA_ALL, READY_FLAGS));
}

void
gst_paco_enc_properties_install (GObjectClass *klass)
{
  install_rate_properties (klass);
  install_coding_properties (klass);
}

gboolean
gst_paco_enc_properties_set (
    GstPacoEncProperties *properties, guint id, const GValue *value)
{
  switch (id) {
    case PROP_RATE_CONTROL:
      properties->rate_control = g_value_get_enum (value);
      return TRUE;
    case PROP_QUALITY:
      properties->quality = g_value_get_double (value);
      return TRUE;
    case PROP_TUNE:
      properties->tune = g_value_get_enum (value);
      return TRUE;
    case PROP_BITRATE:
      properties->bitrate = g_value_get_uint (value);
      return TRUE;
    case PROP_FRAME_SIZE:
      properties->frame_size = g_value_get_uint (value);
      return TRUE;
    case PROP_WAVELET:
      properties->wavelet = g_value_get_enum (value);
      return TRUE;
    case PROP_LEVELS:
      properties->levels = g_value_get_uint (value);
      return TRUE;
    case PROP_CODEBLOCK_HEIGHT:
      properties->codeblock_height = g_value_get_uint (value);
      return TRUE;
    case PROP_CODING_PASSES:
      properties->coding_passes = g_value_get_uint (value);
      return TRUE;
    case PROP_COLOR_TRANSFORM:
      properties->color_transform = g_value_get_enum (value);
      return TRUE;
    case PROP_COMPLEXITY:
      properties->complexity = g_value_get_uint (value);
      return TRUE;
    case PROP_BLOCK_CHECKS:
      properties->block_checks = g_value_get_boolean (value);
      return TRUE;
    case PROP_CUT_POINTS:
      properties->cut_points = g_value_get_boolean (value);
      return TRUE;
    case PROP_STACK:
      properties->stack = g_value_get_uint (value);
      return TRUE;
    case PROP_ROI_WEIGHT:
      properties->roi_weight = g_value_get_double (value);
      return TRUE;
    case PROP_METADATA:
      properties->metadata = g_value_get_flags (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_paco_enc_properties_get (
    const GstPacoEncProperties *properties, guint id, GValue *value)
{
  switch (id) {
    case PROP_RATE_CONTROL:
      g_value_set_enum (value, properties->rate_control);
      return TRUE;
    case PROP_QUALITY:
      g_value_set_double (value, properties->quality);
      return TRUE;
    case PROP_TUNE:
      g_value_set_enum (value, properties->tune);
      return TRUE;
    case PROP_BITRATE:
      g_value_set_uint (value, properties->bitrate);
      return TRUE;
    case PROP_FRAME_SIZE:
      g_value_set_uint (value, properties->frame_size);
      return TRUE;
    case PROP_WAVELET:
      g_value_set_enum (value, properties->wavelet);
      return TRUE;
    case PROP_LEVELS:
      g_value_set_uint (value, properties->levels);
      return TRUE;
    case PROP_CODEBLOCK_HEIGHT:
      g_value_set_uint (value, properties->codeblock_height);
      return TRUE;
    case PROP_CODING_PASSES:
      g_value_set_uint (value, properties->coding_passes);
      return TRUE;
    case PROP_COLOR_TRANSFORM:
      g_value_set_enum (value, properties->color_transform);
      return TRUE;
    case PROP_COMPLEXITY:
      g_value_set_uint (value, properties->complexity);
      return TRUE;
    case PROP_BLOCK_CHECKS:
      g_value_set_boolean (value, properties->block_checks);
      return TRUE;
    case PROP_CUT_POINTS:
      g_value_set_boolean (value, properties->cut_points);
      return TRUE;
    case PROP_STACK:
      g_value_set_uint (value, properties->stack);
      return TRUE;
    case PROP_ROI_WEIGHT:
      g_value_set_double (value, properties->roi_weight);
      return TRUE;
    case PROP_METADATA:
      g_value_set_flags (value, properties->metadata);
      return TRUE;
    default:
      return FALSE;
  }
}

static const char *
rate_control_nick (GstPacoRateControl rate_control)
{
  GEnumClass *klass = g_type_class_ref (GST_TYPE_PACO_RATE_CONTROL);
  const char *nick = g_enum_get_value (klass, (int) rate_control)->value_nick;

  g_type_class_unref (klass);
  return nick;
}

char *
gst_paco_enc_properties_ignored (const GstPacoEncProperties *properties)
{
  const PacoParameters defaults = PACO_PARAMETERS_DEFAULT;
  const char *nick = rate_control_nick (properties->rate_control);
  gboolean by_size = properties->frame_size > 0;

  if (properties->rate_control != GST_PACO_RATE_CONTROL_BITRATE
      && (by_size || properties->bitrate > 0))
    return g_strdup_printf (
        "%s=%u has no effect with rate-control=%s; it is for "
        "rate-control=bitrate",
        by_size ? "frame-size" : "bitrate",
        by_size ? properties->frame_size : properties->bitrate, nick);

  if (by_size && properties->bitrate > 0)
    return g_strdup_printf (
        "bitrate=%u has no effect with frame-size=%u, which "
        "is the same budget and goes before",
        properties->bitrate, properties->frame_size);
  if (properties->rate_control != GST_PACO_RATE_CONTROL_QUALITY
      && properties->quality != defaults.quality)
    return g_strdup_printf ("quality=%g has no effect with rate-control=%s; it "
                            "is for rate-control=quality",
        properties->quality, nick);
  if (properties->rate_control == GST_PACO_RATE_CONTROL_LOSSLESS
      && properties->tune != GST_PACO_TUNE_VISUAL)
    return g_strdup_printf (
        "tune=psnr has no effect with rate-control=%s, which loses nothing",
        nick);
  if (properties->rate_control == GST_PACO_RATE_CONTROL_LOSSLESS
      && properties->roi_weight != 1.0)
    return g_strdup_printf (
        "roi-weight=%g has no effect with rate-control=%s, which loses nothing",
        properties->roi_weight, nick);
  if (properties->stack > 1 && properties->roi_weight != 1.0)
    return g_strdup_printf (
        "roi-weight=%g has no effect with stack=%u: a region of a slice is in "
        "all pictures of its stack",
        properties->roi_weight, properties->stack);
  return NULL;
}

void
gst_paco_enc_properties_to_rate (
    const GstPacoEncProperties *properties, PacoParameters *parameters)
{
  parameters->quality = properties->quality;
  parameters->frame_size = properties->frame_size;
  parameters->bitrate = (guint64) 1000 * properties->bitrate;
}

void
gst_paco_enc_properties_to_parameters (const GstPacoEncProperties *properties,
    const GstVideoInfo *info, PacoParameters *parameters)
{
  static const PacoRateControl rate_controls[] = { PACO_RATE_QUALITY,
    PACO_RATE_LOSSLESS, PACO_RATE_BITRATE };
  static const int wavelets[] = { PACO_WAVELET_AUTO, PACO_WAVELET_CDF53,
    PACO_WAVELET_CDF97, PACO_WAVELET_DD137, PACO_WAVELET_HAAR,
    PACO_WAVELET_DD97, PACO_WAVELET_FIDELITY };
  static const int color_transforms[] = { PACO_COLOR_TRANSFORM_AUTO,
    PACO_COLOR_TRANSFORM_NONE, PACO_COLOR_TRANSFORM_RCT,
    PACO_COLOR_TRANSFORM_ICT, PACO_COLOR_TRANSFORM_RCT2 };

  *parameters = (PacoParameters) PACO_PARAMETERS_DEFAULT;
  parameters->rate_control = rate_controls[properties->rate_control];
  gst_paco_enc_properties_to_rate (properties, parameters);
  parameters->tune = properties->tune == GST_PACO_TUNE_PSNR ? PACO_TUNE_PSNR
                                                            : PACO_TUNE_VISUAL;
  parameters->wavelet = wavelets[properties->wavelet];
  parameters->levels = properties->levels;
  parameters->block_height = properties->codeblock_height;
  parameters->coding_passes = properties->coding_passes;
  parameters->color_transform = color_transforms[properties->color_transform];
  parameters->complexity = properties->complexity;
  parameters->block_checks = properties->block_checks;
  parameters->cut_points = properties->cut_points;
  parameters->area_weight = properties->stack > 1 ? 1.0
                                                  : properties->roi_weight;
  if (properties->stack > 1)
    parameters->weight = paco_stack_max_weight (properties->stack,
        GST_VIDEO_INFO_COMP_DEPTH (info, 0),
        parameters->rate_control == PACO_RATE_LOSSLESS);
  parameters->rgb = GST_VIDEO_INFO_IS_RGB (info);
  if (GST_VIDEO_INFO_FPS_N (info) > 0) {
    parameters->fps_n = GST_VIDEO_INFO_FIELD_RATE_N (info);
    parameters->fps_d = GST_VIDEO_INFO_FPS_D (info);
  }
}
