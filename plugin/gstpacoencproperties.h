/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The properties that pacoenc has and pacodec has not, their enumerations, and how
 * they become parameters of the codec (codec/parameters.h). */
#pragma once
#include "gstpacobackend.h"
#include "gstpacometa.h"
#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstPacoRateControl:
 * @GST_PACO_RATE_CONTROL_QUALITY: constant quality
 * @GST_PACO_RATE_CONTROL_LOSSLESS: every sample comes back as it was
 * @GST_PACO_RATE_CONTROL_BITRATE: a budget of bytes that no frame exceeds
 *
 * What decides the size of frames.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_PACO_RATE_CONTROL_QUALITY,
  GST_PACO_RATE_CONTROL_LOSSLESS,
  GST_PACO_RATE_CONTROL_BITRATE,
} GstPacoRateControl;

/**
 * GstPacoTune:
 * @GST_PACO_TUNE_VISUAL: what the eye sees of an error is least
 * @GST_PACO_TUNE_PSNR: the squared error is least
 *
 * What the steps of the quantiser are weighted for.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_PACO_TUNE_VISUAL,
  GST_PACO_TUNE_PSNR,
} GstPacoTune;

/**
 * GstPacoWavelet:
 * @GST_PACO_WAVELET_AUTO: cdf97; for lossless coding dd137, and of RGB dd137 or cdf53,
 *   whichever suits the picture
 * @GST_PACO_WAVELET_CDF53: reversible 5/3
 * @GST_PACO_WAVELET_CDF97: irreversible 9/7
 * @GST_PACO_WAVELET_DD137: reversible 13/7 of Deslauriers and Dubuc (Since:
 *   0.2)
 * @GST_PACO_WAVELET_HAAR: Haar's, reversible (Since: 0.2)
 * @GST_PACO_WAVELET_DD97: reversible 9/7 of Deslauriers and Dubuc (Since: 0.2)
 * @GST_PACO_WAVELET_FIDELITY: the long reversible wavelet of Dirac (Since: 0.2)
 *
 * The wavelet transform.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_PACO_WAVELET_AUTO,
  GST_PACO_WAVELET_CDF53,
  GST_PACO_WAVELET_CDF97,
  GST_PACO_WAVELET_DD137,
  GST_PACO_WAVELET_HAAR,
  GST_PACO_WAVELET_DD97,
  GST_PACO_WAVELET_FIDELITY,
} GstPacoWavelet;

/**
 * GstPacoColorTransform:
 * @GST_PACO_COLOR_TRANSFORM_AUTO: what suits the format and the wavelet
 * @GST_PACO_COLOR_TRANSFORM_NONE: none
 * @GST_PACO_COLOR_TRANSFORM_RCT: the reversible one of JPEG 2000
 * @GST_PACO_COLOR_TRANSFORM_ICT: the irreversible one
 * @GST_PACO_COLOR_TRANSFORM_RCT2: a reversible one that takes blue against the
 *   mean of red and green (Since: 0.2)
 *
 * The transform of R, G and B before the wavelet.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_PACO_COLOR_TRANSFORM_AUTO,
  GST_PACO_COLOR_TRANSFORM_NONE,
  GST_PACO_COLOR_TRANSFORM_RCT,
  GST_PACO_COLOR_TRANSFORM_ICT,
  GST_PACO_COLOR_TRANSFORM_RCT2,
} GstPacoColorTransform;

typedef struct
{
  GstPacoRateControl rate_control;
  gdouble quality;
  GstPacoTune tune;
  guint bitrate;    /* kbit/s */
  guint frame_size; /* bytes */
  GstPacoWavelet wavelet;
  guint levels;
  guint codeblock_height;
  guint coding_passes;
  GstPacoColorTransform color_transform;
  guint complexity;
  gboolean block_checks;
  gboolean cut_points;
  guint stack;
  gdouble roi_weight;
  GstPacoMetadata metadata;
} GstPacoEncProperties;

/* Says whether the property with this id changes the rate, also while playing. */
gboolean gst_paco_enc_property_is_rate (guint id);

void gst_paco_enc_properties_init (GstPacoEncProperties *properties);
void gst_paco_enc_properties_install (GObjectClass *klass);

/* These set and get a property. They return FALSE if id is not one of these. */
gboolean gst_paco_enc_properties_set (
    GstPacoEncProperties *properties, guint id, const GValue *value);
gboolean gst_paco_enc_properties_get (
    const GstPacoEncProperties *properties, guint id, GValue *value);

/* Returns a sentence about a property that has been set and has no effect, which the
 * caller frees, or NULL if there is none. */
char *gst_paco_enc_properties_ignored (const GstPacoEncProperties *properties);

/* Sets *parameters to what the properties ask of the codec, for pictures of this format. */
void gst_paco_enc_properties_to_parameters (
    const GstPacoEncProperties *properties, const GstVideoInfo *info,
    PacoParameters *parameters);

/* Sets only those of *parameters that may change while playing. */
void gst_paco_enc_properties_to_rate (
    const GstPacoEncProperties *properties, PacoParameters *parameters);

G_END_DECLS
