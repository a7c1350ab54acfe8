/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder's decisions, which policy.h lists: it makes a coding from parameters, and
 * says for each block how many planes are stored raw, whether lanes share codewords and
 * which signs fill them. */
#include "policy.h"
#include "error.h"
#include "fit.h"
#include "matrix.h"
#include "mosaic.h"
#include "policy_block.h"
#include "policy_set.h"
#include "quantizer.h"
#include "step_map.h"
#include <math.h>
#include <string.h>

/* --- the coding of a picture -------------------------------------------- */

/* Reconstruction points, in 1/256 of an interval. With 9/7, indices are rounded, more
 * often down than up, so coefficients lie a little above them. Dropped planes of
 * reversible wavelets are cut off, and on average magnitudes lie below the middle of
 * their interval. */
#define RECONSTRUCTION_ROUNDED 13

/* Checks what does not depend on the picture. */
static gboolean
check_parameters (const PacoParameters *parameters, GError **error)
{
  unsigned height = parameters->block_height;
  uint32_t budget;

  if (parameters->rate_control == PACO_RATE_BITRATE
      && !paco_policy_budget (parameters, &budget, error))
    return FALSE;
  if (parameters->wavelet < PACO_WAVELET_AUTO
      || parameters->wavelet >= PACO_N_WAVELETS)
    return paco_refuse (
        error, "there is no wavelet number %d", parameters->wavelet);
  if (parameters->color_transform < PACO_COLOR_TRANSFORM_AUTO
      || parameters->color_transform >= PACO_N_COLOR_TRANSFORMS
      || (parameters->color_transform >= 0
          && !paco_color_transforms[parameters->color_transform].name))
    return paco_refuse (error, "there is no color transform number %d",
        parameters->color_transform);
  if (parameters->levels > PACO_MAX_LEVELS)
    return paco_refuse (error, "levels=%u is too many: there are 0 to %d",
        parameters->levels, PACO_MAX_LEVELS);
  if (parameters->coding_passes < 1 || parameters->coding_passes > 3)
    return paco_refuse (error,
        "coding-passes=%u cannot be done: there are 1, 2 or 3",
        parameters->coding_passes);
  if (height != 0 && height != 32 && height != 64 && height != 128
      && height != 256)
    return paco_refuse (error,
        "codeblock-height=%u cannot be done: codeblocks have 32, 64, 128 or"
        " 256 lines; 0 chooses by itself",
        height);
  if (parameters->rate_control == PACO_RATE_LOSSLESS
      && parameters->wavelet != PACO_WAVELET_AUTO
      && !paco_wavelets[parameters->wavelet].reversible)
    return paco_refuse (error,
        "rate-control=lossless cannot be done with wavelet=%s, which is not"
        " reversible; use wavelet=cdf53, dd137 or auto",
        paco_wavelets[parameters->wavelet].name);
  return TRUE;
}

/* The reversible wavelet that takes fewer bits for the kind of picture. For
 * photographs that is 13/7, but for RGB mostly 5/3, because differences of colors
 * are noisier. Where a frame may choose its wavelet, it does (policy_wavelet.h). */
static PacoWaveletId
reversible_wavelet (const PacoParameters *parameters)
{
  return parameters->rgb ? PACO_WAVELET_CDF53 : PACO_WAVELET_DD137;
}

static bool
can_transform_colors (const PacoPictureFormat *picture)
{
  if (picture->n_components < 3)
    return false;
  for (unsigned c = 0; c < 3; c++)
    if (picture->components[c].depth != picture->components[0].depth
        || picture->components[c].subsampling_x
        || picture->components[c].subsampling_y)
      return false;
  return true;
}

/* Says whether numbers may wrap around: where all of them come back as they were. */
static bool
may_wrap (const PacoParameters *parameters)
{
  return parameters->rate_control == PACO_RATE_LOSSLESS
      && !parameters->cut_points;
}

/* The transform of a mosaic, whose weights of green are one half unless the picture
 * chooses others. */
static gboolean
choose_mosaic_transform (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding, GError **error)
{
  if (!paco_mosaic_is_usual (picture)
      || (picture->components[0].depth == PACO_MOSAIC_DEPTH
          && !may_wrap (parameters)))
    return parameters->color_transform == PACO_COLOR_TRANSFORM_AUTO
        || paco_refuse (error,
            "color-transform=mosaic is for a mosaic in which red and blue lie"
            " diagonally, of 16 bits only without loss and cut points; use"
            " color-transform=auto or none");
  coding->color_transform = PACO_COLOR_TRANSFORM_MOSAIC;
  coding->parameters[0] = coding->parameters[1] = PACO_MAX_MOSAIC_WEIGHT / 2;
  return TRUE;
}

/* The transform that suits R, G and B. */
static PacoColorTransform
transform_of_rgb (const PacoParameters *parameters, bool reversible)
{
  if (!reversible)
    return parameters->tune == PACO_TUNE_PSNR ? PACO_COLOR_TRANSFORM_MATRIX
                                              : PACO_COLOR_TRANSFORM_ICT;
  return parameters->rate_control == PACO_RATE_LOSSLESS
      ? PACO_COLOR_TRANSFORM_RCT2
      : PACO_COLOR_TRANSFORM_RCT;
}

static gboolean
choose_color_transform (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding, GError **error)
{
  bool possible = parameters->rgb && can_transform_colors (picture);
  bool reversible = paco_is_reversible (coding, 0);

  if (parameters->color_transform == PACO_COLOR_TRANSFORM_MOSAIC
      || (parameters->color_transform == PACO_COLOR_TRANSFORM_AUTO
          && picture->mosaic))
    return choose_mosaic_transform (picture, parameters, coding, error);
  if (parameters->color_transform != PACO_COLOR_TRANSFORM_AUTO)
    coding->color_transform = parameters->color_transform;
  else if (possible)
    coding->color_transform = transform_of_rgb (parameters, reversible);
  if (coding->color_transform == PACO_COLOR_TRANSFORM_MATRIX)
    memcpy (coding->matrix, paco_usual_matrix, sizeof coding->matrix);
  if (coding->color_transform == PACO_COLOR_TRANSFORM_FIT)
    paco_fit_pack (&(PacoFit) PACO_FIT_USUAL, coding->parameters);
  if (coding->color_transform != PACO_COLOR_TRANSFORM_NONE && !possible)
    return paco_refuse (error,
        "color-transform=%s is for R, G and B of one depth, and this video has"
        " none; use color-transform=auto or none",
        paco_color_transforms[coding->color_transform].name);
  if (paco_color_transform_is_matrix (coding->color_transform) && reversible)
    return paco_refuse (error,
        "color-transform=%s needs wavelet=cdf97; with other wavelets and for"
        " lossless coding use color-transform=auto, rct, rct2 or none",
        paco_color_transforms[coding->color_transform].name);
  return TRUE;
}

/* Says whether a component is the difference of two colours. */
static bool
is_chroma (const PacoPictureFormat *picture, const PacoParameters *parameters,
    const PacoCoding *coding, unsigned component)
{
  return !picture->mosaic && picture->n_components >= 3
      && (component == 1 || component == 2)
      && (!parameters->rgb
          || coding->color_transform != PACO_COLOR_TRANSFORM_NONE);
}

/* --- tune=visual --------------------------------------------------------- */

/* Weights of the steps by what the eye sees of an error, found by coordinate descent:
 * with them the mean SSIMULACRA 2 of 18 photographs of 8 bits, around 90, was highest at
 * equal bytes, as RGB and as gray, 4:4:4, 4:2:2 and 4:2:0. MS-SSIM, PSNR-HVS and VMAF, for
 * which they were not made, rise as well. One table holds for all depths: SSIMULACRA 2
 * gains 1 to 3 on pictures of 10, 12 and 16 bits too, and more at low rates. They are in
 * octaves, for the levels 1, 2 and 3 and for all coarser ones. */
enum
{
  N_LEVELS = 4,
  N_SAMPLINGS = 3, /* chroma in full, half in one direction, and quarter */
};

static const double luma[N_LEVELS] = { 1.2, 0.5, 0.25, 0.0 };
static const double chromas[N_SAMPLINGS][N_LEVELS] = {
  { 2.4, 1.5, 1.05, 0.6 },
  { 1.3, 0.6, 0.4, 0.2 },
  { 1.3, 0.4, 0.1, 0.1 },
};

/* These octaves are added for the diagonal subbands of the levels 1 and 2. */
#define DIAGONAL 0.26

/* The weights make all steps coarser. This makes them finer again, so that quality 90
 * has a SSIMULACRA 2 of at least 90 on every picture of 8 bits in the corpus. */
#define ALL (-1.6)
/* With a step map (policy_map.h), which makes steps of busy cells coarser: this instead,
 * and what is added for level 1 and for chroma. With them the mean SSIMULACRA 2 of eight
 * photographs was highest at equal bytes. */
#define ALL_WITH_MAP (-1.7)
#define FINEST_WITH_MAP (-0.15)
#define CHROMA_WITH_MAP 0.3

/* The weights fade out within this share of the range below quality 100, where steps
 * lose next to nothing. */
#define FULL_SHARE 0.25

/* Below quality 90 these octaves are added, more of them the lower the quality is: where
 * much is lost, fine detail goes first. With them the mean SSIMULACRA 2 of 16 photographs
 * is higher by 1.1 at 0.25 bits a sample, by 0.35 at 0.5 and by 0.02 at 1. */
#define LOW_SHARE 0.31623
#define LOW_WIDTH 0.3
#define LOW_MOST 1.3
static const double low[N_LEVELS] = { 0.3, -0.15, -0.275, -0.4 };
#define LOW_DIAGONAL 0.275

/* Returns how many octaves coarser a subband's step is than the step with which all
 * subbands have the same error, at the same base step. level is 1..8, and for LL the
 * number of levels; chroma: the component is the difference of two colours. */
static double
visual_octaves (const PacoPictureFormat *picture, const PacoCoding *coding,
    unsigned component, bool chroma, unsigned level,
    PacoOrientation orientation)
{
  const PacoComponent *of = &picture->components[component];
  unsigned sampling = MIN (of->subsampling_x + of->subsampling_y, 2);
  const double *octaves = chroma ? chromas[sampling] : luma;
  bool coarse = orientation == PACO_ORIENTATION_LL || level >= N_LEVELS;

  double all = ALL;

  if (coding->step_map)
    all = ALL_WITH_MAP + (chroma ? CHROMA_WITH_MAP : 0.0)
        + (!coarse && level == 1 ? FINEST_WITH_MAP : 0.0);
  return all + octaves[coarse ? N_LEVELS - 1 : level - 1]
      + (orientation == PACO_ORIENTATION_HH && level <= 2 ? DIAGONAL : 0.0);
}

/* Returns how many octaves are added to those where the base step is so far above the
 * finest one, as a part of the way from quality 100 to 0. */
static double
low_octaves (double octaves, unsigned level, PacoOrientation orientation)
{
  double share = CLAMP ((octaves - LOW_SHARE) / LOW_WIDTH, 0.0, LOW_MOST);
  bool coarse = orientation == PACO_ORIENTATION_LL || level >= N_LEVELS;

  return share
      * (low[coarse ? N_LEVELS - 1 : level - 1]
          + (orientation == PACO_ORIENTATION_HH ? LOW_DIAGONAL : 0.0));
}

/* The share, 0 to 1, of these octaves that is applied when the base step is so far above
 * the finest one, as a part of the way from quality 100 to 0. */
static double
visual_share (double octaves)
{
  return MIN (octaves / FULL_SHARE, 1.0);
}

/* --- steps --------------------------------------------------------------- */

/* The base step is half a step of 8-bit samples at quality 100, about 3.6 at 90 and 256
 * at 0. Where indices are rounded, steps are 1.1 (quality 0) to 1.24 times (100) as
 * large. They take as many bytes as steps of cut off indices do, within 2 % on the mean
 * of the corpus. */
#define FINEST_LOG2(rounded) ((rounded) ? -0.69 : -1.0)
#define OCTAVES(rounded) ((rounded) ? 8.85 : 9.0)

double
paco_policy_norm (const PacoCoding *coding, unsigned component, unsigned level,
    unsigned orientation)
{
  return paco_color_transforms[coding->color_transform].norm[component]
      * paco_wavelet_norm (
          coding->components[component].wavelet, level, orientation);
}

/* Returns the step with which all subbands have the same error in the picture, or,
 * with tune=visual, to the eye. */
double
paco_policy_step (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation, double base_log2,
    double norm)
{
  bool rounded = !paco_is_reversible (coding, component);
  double octaves = (base_log2 - FINEST_LOG2 (rounded)) / OCTAVES (rounded);
  double depth = ldexp (1.0, (int) picture->components[component].depth - 8);

  if (parameters->tune == PACO_TUNE_VISUAL)
    base_log2 += visual_share (CLAMP (octaves, 0.0, 1.0))
            * visual_octaves (picture, coding, component,
                is_chroma (picture, parameters, coding, component), level,
                orientation)
        + low_octaves (octaves, level, orientation);
  if (parameters->weight > 0.0)
    norm *= parameters->weight;
  return exp2 (base_log2) * depth / norm;
}

static double
base_step_log2 (const PacoParameters *parameters, bool rounded)
{
  double quality = CLAMP (parameters->quality, 0.0, 100.0);

  return FINEST_LOG2 (rounded)
      + OCTAVES (rounded) * sqrt ((100.0 - quality) / 100.0);
}

double
paco_policy_visual_share (const PacoParameters *parameters)
{
  double octaves = (base_step_log2 (parameters, true) - FINEST_LOG2 (true))
      / OCTAVES (true);

  return visual_share (octaves);
}

double
paco_policy_base_step (const PacoParameters *parameters)
{
  return exp2 (base_step_log2 (parameters, true));
}

static double
subband_step (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation)
{
  bool rounded = !paco_is_reversible (coding, component);

  return paco_policy_step (picture, parameters, coding, component, level,
      orientation, base_step_log2 (parameters, rounded),
      paco_policy_norm (coding, component, level, orientation));
}

static void
set_subbands (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding)
{
  unsigned height = parameters->block_height ? parameters->block_height : 128;

  for (unsigned c = 0; c < picture->n_components; c++) {
    bool reversible = paco_is_reversible (coding, c);

    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level, orientation;

      paco_entry_subband (coding->levels, k, &level, &orientation);
      coding->subbands[c][k].height_log2 = g_bit_nth_msf (height / 32, -1);
      coding->subbands[c][k].step = reversible
          ? 0
          : paco_step_encode (subband_step (
              picture, parameters, coding, c, level, orientation));
    }
  }
}

/* Where 16 bits have no room for four bits behind the point, steps are so small that
 * nearly all coefficients are significant. Then rounding with one bit is as good. */
static void
set_fraction_bits (const PacoPictureFormat *picture, PacoCoding *coding)
{
  double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];

  paco_coefficient_bounds (picture, coding, bounds);
  for (unsigned c = 0; c < picture->n_components; c++) {
    if (paco_is_reversible (coding, c))
      continue;
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++)
      coding->subbands[c][k].fraction_bits =
          ldexp (bounds[c][k], PACO_FRACTION_BITS) < INT16_MAX
          ? PACO_FRACTION_BITS
          : 1;
  }
}

/* The eye sees less of an error where the picture is busy; or there may be areas. Of a
 * mosaic, component 0 with its color transform does not say where it is busy. */
static void
set_step_map (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding)
{
  bool visual = parameters->tune == PACO_TUNE_VISUAL;

  coding->step_map = (visual || paco_policy_area_planes (parameters) > 0)
      && !picture->mosaic && coding->levels > 0
      && !paco_is_reversible (coding, 0);
  for (unsigned c = 0; coding->step_map && visual && c < picture->n_components;
       c++)
    if (is_chroma (picture, parameters, coding, c))
      coding->step_map_halved |= 1u << c;
}

/* Sets the components. Each kind of wavelet has a family of sets that was trained for
 * it. */
static void
set_components (
    const PacoPictureFormat *picture, unsigned wavelet, PacoCoding *coding)
{
  for (unsigned c = 0; c < picture->n_components; c++) {
    unsigned own = paco_is_alpha (picture, c) ? PACO_WAVELET_CDF53 : wavelet;

    coding->components[c].wavelet = own;
    coding->components[c].family = paco_wavelets[own].reversible ? 0 : 1;
  }
}

gboolean
paco_policy_coding (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding, GError **error)
{
  bool lossless = parameters->rate_control == PACO_RATE_LOSSLESS;
  unsigned wavelet = lossless ? reversible_wavelet (parameters)
                              : PACO_WAVELET_CDF97;

  if (!check_parameters (parameters, error))
    return FALSE;
  *coding = (PacoCoding){
    .levels = parameters->levels,
    .coding_passes = parameters->coding_passes,
    .block_checks = parameters->block_checks,
    .cut_points = parameters->cut_points,
  };
  if (parameters->wavelet != PACO_WAVELET_AUTO)
    wavelet = parameters->wavelet;
  coding->reconstruction = paco_wavelets[wavelet].reversible
      ? PACO_RECONSTRUCTION_CUT
      : RECONSTRUCTION_ROUNDED;
  set_components (picture, wavelet, coding);
  if (!choose_color_transform (picture, parameters, coding, error))
    return FALSE;
  set_step_map (picture, parameters, coding);
  set_subbands (picture, parameters, coding);
  set_fraction_bits (picture, coding);
  return TRUE;
}

unsigned
paco_policy_dropped_planes (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation)
{
  double planes;

  if (parameters->rate_control != PACO_RATE_QUALITY
      || paco_is_alpha (picture, component)
      || !paco_is_reversible (coding, component))
    return 0;
  planes = floor (log2 (subband_step (picture, parameters, coding, component,
                      level, orientation))
      + 0.5);
  return CLAMP (planes, 0.0, 15.0);
}

int
paco_policy_weight (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation)
{
  double wanted;

  if (!paco_is_reversible (coding, component))
    return 0; /* the steps quantize these */
  if (paco_is_alpha (picture, component))
    return PACO_ALPHA_WEIGHT;
  wanted = paco_policy_step (picture, parameters, coding, component, level,
      orientation, 5.0 - picture->components[0].depth,
      paco_policy_norm (coding, component, level, orientation));
  return (int) lrint (-16.0 * log2 (wanted));
}

gboolean
paco_policy_budget (
    const PacoParameters *parameters, uint32_t *budget, GError **error)
{
  uint64_t bytes = parameters->frame_size;

  if (bytes == 0 && parameters->bitrate == 0)
    return paco_refuse (error,
        "rate-control=bitrate needs a budget: set bitrate, or frame-size");
  if (bytes == 0 && (parameters->fps_n == 0 || parameters->fps_d == 0))
    return paco_refuse (error,
        "rate-control=bitrate with a bitrate needs a frame rate, and this video"
        " has none; set frame-size instead, the bytes of a frame");
  if (bytes == 0)
    bytes = (uint64_t) MIN ((double) parameters->bitrate / 8.0
            * parameters->fps_d / parameters->fps_n,
        (double) G_MAXUINT32);
  *budget = (uint32_t) bytes;
  return TRUE;
}

bool
paco_policy_lossless_coding (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding)
{
  PacoParameters lossless = *parameters;

  lossless.rate_control = PACO_RATE_LOSSLESS;
  lossless.cut_points = true; /* Blocks may be cut, as those with cut points. */
  if (parameters->wavelet != PACO_WAVELET_AUTO
      || !paco_policy_coding (picture, &lossless, coding, NULL))
    return false;
  coding->cut_points = parameters->cut_points;
  return true;
}

unsigned
paco_policy_area_planes (const PacoParameters *parameters)
{
  if (parameters->rate_control == PACO_RATE_LOSSLESS
      || !(parameters->area_weight > 1.0))
    return 0;
  return (unsigned) CLAMP (
      floor (log2 (parameters->area_weight) + 0.5), 0.0, 8.0);
}

/* --- the coding of a block ------------------------------------------------- */

void
paco_policy_block (const PacoBlockCounts *counts, unsigned dropped,
    unsigned complexity, PacoBlockRecord *record)
{
  uint32_t n_significant = 0, n_total;
  uint32_t cost[PACO_MAX_PLANES], bits = 0;
  unsigned planes = PACO_MAX_PLANES, raw = 0;

  *record = (PacoBlockRecord){ 0 };
  while (planes > 0 && counts->top[planes - 1] == 0)
    planes--;
  if (planes <= dropped)
    return;
  record->planes = planes;
  record->dropped_planes = dropped;
  for (unsigned p = planes; p-- > dropped;) {
    cost[p] = paco_policy_plane_cost (n_significant, counts->top[p + 1],
        counts->top[p], counts->n_coefficients);
    n_significant += counts->top[p];
  }
  n_total = n_significant;
  record->set = paco_policy_set (counts->family, counts->orientation, planes,
      dropped, counts->top, counts->pairs, counts->n_coefficients);
  while (dropped + raw < planes
      && paco_policy_plane_is_raw (
          cost[dropped + raw], counts->n_coefficients, complexity))
    raw++;
  if (raw < planes - dropped)
    raw = MIN (raw, PACO_MAX_RAW_PLANES);
  record->raw_planes = raw;
  if (raw > 0)
    return;
  for (unsigned p = dropped; p < planes; p++)
    bits += cost[p] / 1024;
  paco_policy_codewords (planes - dropped, counts->n_right,
      counts->top[dropped], bits + n_total, complexity,
      &record->shared_codewords, &record->raw_left_signs);
}

/* --- bounds --------------------------------------------------------------- */

/* Returns how many planes a coefficient within this bound has at most; indices may be
 * rounded up. */
static unsigned
max_planes (double bound, bool reversible)
{
  double largest = floor (bound) + (reversible ? 0.0 : 1.0);

  return CLAMP (ceil (log2 (largest + 1.0)), 1.0, (double) PACO_MAX_PLANES);
}

static bool
may_be_slice (const PacoPictureFormat *picture)
{
  return picture->n_components == 1 && !picture->fields
      && picture->components[0].depth == PACO_SLICE_DEPTH;
}

/* The size of a header with all chunks but a carried set and ancillary ones. */
static size_t
largest_header (const PacoPictureFormat *picture, const PacoCoding *coding)
{
  const PacoHeader header = {
    .picture = *picture,
    .video = { .has_mastering_display = true,
        .has_content_light = true,
        .has_views = true,
        .has_place = true,
        .slice = { .length = may_be_slice (picture) ? 1 : 0 } },
    .coding = *coding,
  };

  return paco_header_size (&header);
}

size_t
paco_policy_min_frame_size (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry)
{
  return largest_header (picture, coding) + geometry->n_blocks;
}

size_t
paco_policy_max_frame_size (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry)
{
  double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
  uint64_t size = largest_header (picture, coding) + PACO_MAX_ANCILLARY_SIZE
      + PACO_MAX_INDEX_SIZE (geometry->n_blocks);

  if (coding->cut_points)
    size += PACO_MAX_CUT_POINTS_SIZE (geometry->n_blocks);
  if (!paco_is_reversible (coding, 0))
    size += paco_step_map_max_size (geometry);
  paco_coefficient_bounds (picture, coding, bounds);
  for (uint32_t s = 0; s < geometry->n_subbands; s++) {
    const PacoSubband *subband = &geometry->subbands[s];
    unsigned wavelet = coding->components[subband->component].wavelet;
    unsigned planes = max_planes (bounds[subband->component][subband->entry],
        paco_wavelets[wavelet].reversible);

    size += ((uint64_t) subband->width * subband->height * (planes + 1) + 7) / 8
        + (uint64_t) subband->blocks_x * subband->blocks_y;
  }
  return MIN (size, G_MAXSIZE);
}
