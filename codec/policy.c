/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder's decisions: parameters to coding, and per block how many planes
 * are stored raw, who shares codewords and which signs fill them. */
#include "policy.h"
#include "error.h"
#include "quantizer.h"
#include <math.h>

/* --- the coding of a picture -------------------------------------------- */

static gboolean
fail (GError **error, const char *sentence)
{
  g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED, sentence);
  return FALSE;
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

static gboolean
choose_color_transform (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding, GError **error)
{
  bool possible = parameters->rgb && can_transform_colors (picture);
  bool reversible = paco_wavelets[coding->wavelet].reversible;

  if (parameters->color_transform == PACO_COLOR_TRANSFORM_AUTO) {
    coding->color_transform = !possible ? PACO_COLOR_TRANSFORM_NONE
        : reversible                    ? PACO_COLOR_TRANSFORM_RCT
                                        : PACO_COLOR_TRANSFORM_ICT;
    return TRUE;
  }
  coding->color_transform = parameters->color_transform;
  if (coding->color_transform != PACO_COLOR_TRANSFORM_NONE && !possible)
    return fail (error,
        "color-transform=rct and ict are for RGB with components of one depth;"
        " use auto or none");
  if (coding->color_transform == PACO_COLOR_TRANSFORM_ICT && reversible)
    return fail (error,
        "color-transform=ict needs wavelet=cdf97; use auto, rct or none");
  return TRUE;
}

/* What an error of 1 in a component weighs in the picture: the norm of its
 * column of the inverse color transform, relative to the luma's. */
static double
color_norm (const PacoCoding *coding, unsigned component)
{
  static const double rct[3] = { 1.0, 0.47871355, 0.47871355 };
  static const double ict[3] = { 1.0, 1.04218, 0.90841 };

  if (component > 2 || coding->color_transform == PACO_COLOR_TRANSFORM_NONE)
    return 1.0;
  return coding->color_transform == PACO_COLOR_TRANSFORM_RCT ? rct[component]
                                                             : ict[component];
}

/* The step that makes all subbands err alike in the picture. Quality 100 is
 * half a step of 8-bit samples, 90 about 3.6, 0 is 256. */
static double
subband_step (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation)
{
  double quality = CLAMP (parameters->quality, 0.0, 100.0);
  double base = exp2 (9.0 * sqrt ((100.0 - quality) / 100.0) - 1.0);
  double depth = ldexp (1.0, (int) picture->components[component].depth - 8);

  return base * depth
      / (paco_wavelet_norm (coding->wavelet, level, orientation)
          * color_norm (coding, component));
}

/* Level and orientation of entry k of PacoCoding.subbands. */
static void
entry_subband (
    unsigned levels, unsigned k, unsigned *level, unsigned *orientation)
{
  *level = k == 0 ? levels : levels - (k - 1) / 3;
  *orientation = k == 0 ? PACO_ORIENTATION_LL : 1 + (k - 1) % 3;
}

static void
set_subbands (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding)
{
  unsigned height = parameters->block_height ? parameters->block_height : 128;
  bool reversible = paco_wavelets[coding->wavelet].reversible;

  for (unsigned c = 0; c < picture->n_components; c++) {
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level, orientation;

      entry_subband (coding->levels, k, &level, &orientation);
      coding->subbands[c][k].height_log2 = g_bit_nth_msf (height / 32, -1);
      coding->subbands[c][k].step = reversible
          ? 0
          : paco_step_encode (subband_step (
              picture, parameters, coding, c, level, orientation));
    }
  }
}

gboolean
paco_policy_coding (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding, GError **error)
{
  bool lossless = parameters->rate_control == PACO_RATE_LOSSLESS;

  if (parameters->rate_control == PACO_RATE_BITRATE)
    return fail (error,
        "rate-control=bitrate is not available yet; use quality or lossless");
  *coding = (PacoCoding){
    .levels = parameters->levels,
    .coding_passes = parameters->coding_passes,
    .reconstruction = 128,
    .block_checks = parameters->block_checks,
  };
  if (parameters->wavelet == PACO_WAVELET_AUTO)
    coding->wavelet = lossless ? PACO_WAVELET_CDF53 : PACO_WAVELET_CDF97;
  else
    coding->wavelet = parameters->wavelet;
  if (coding->wavelet >= PACO_N_WAVELETS || coding->levels > PACO_MAX_LEVELS
      || coding->coding_passes < 1 || coding->coding_passes > 3
      || (parameters->block_height != 0 && parameters->block_height != 32
          && parameters->block_height != 64 && parameters->block_height != 128
          && parameters->block_height != 256))
    return fail (error,
        "wavelet, levels, coding-passes or codeblock-height (0, 32, 64, 128 or"
        " 256) is out of range");
  if (lossless && !paco_wavelets[coding->wavelet].reversible)
    return fail (error, "rate-control=lossless needs wavelet=cdf53 or auto");
  if (!choose_color_transform (picture, parameters, coding, error))
    return FALSE;
  set_subbands (picture, parameters, coding);
  return TRUE;
}

unsigned
paco_policy_dropped_planes (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation)
{
  double planes;

  if (parameters->rate_control != PACO_RATE_QUALITY
      || !paco_wavelets[coding->wavelet].reversible)
    return 0;
  planes = floor (log2 (subband_step (picture, parameters, coding, component,
                      level, orientation))
      + 0.5);
  return CLAMP (planes, 0.0, 15.0);
}

/* --- the coding of a block ------------------------------------------------- */

/* Entropy of a binary symbol in 1/1024 bit, by its probability in 1/128, the
 * smaller half. */
static const uint16_t entropy[65] = {
  21,
  94,
  142,
  185,
  225,
  262,
  297,
  330,
  361,
  391,
  419,
  446,
  473,
  498,
  522,
  545,
  568,
  589,
  610,
  630,
  650,
  669,
  687,
  704,
  721,
  738,
  753,
  769,
  783,
  798,
  811,
  824,
  837,
  849,
  861,
  872,
  883,
  893,
  903,
  913,
  922,
  931,
  939,
  947,
  954,
  961,
  968,
  974,
  980,
  986,
  991,
  996,
  1000,
  1004,
  1008,
  1011,
  1014,
  1016,
  1019,
  1020,
  1022,
  1023,
  1024,
  1024,
  1024,
};

/* Estimated bits of a plane, times 1024: refinement bits hardly compress, the
 * others by what their share of ones says. */
static uint64_t
plane_cost (uint32_t n_significant, uint32_t n_new, uint32_t n_coefficients)
{
  uint64_t n_insignificant = n_coefficients - n_significant;
  uint32_t share;

  if (n_insignificant == 0)
    return (uint64_t) n_significant * 1024;
  share = (uint64_t) n_new * 128 / n_insignificant;
  if (share > 64)
    share = 128 - share;
  return (uint64_t) n_significant * 1024 + n_insignificant * entropy[share];
}

/* A plane is stored raw when coding it saves at most this, in 1/1024 of its
 * bits; by complexity. */
static const uint16_t raw_saving[4] = { 0, 10, 30, 60 };

/* One lane to a codeword may waste this part of the block's bits more than
 * four would, in 1/1024; by complexity. It is faster on a GPU. */
static const uint16_t lane_waste[4] = { 2, 6, 20, 60 };

/* Bits that open codewords take up on average. */
enum
{
  OPEN_BITS_ONE_LANE = 32 * 31 / 2,
  OPEN_BITS_FOUR_LANES = 8 * 31 / 2,
};

static uint32_t
waste (uint32_t open_bits, uint32_t raw_bits)
{
  return (open_bits > raw_bits ? open_bits - raw_bits : 0) + raw_bits / 20;
}

/* Without raw planes the last plane's signs fill the open codewords: those of
 * the right columns if they suffice, else all. */
static void
choose_codewords (uint32_t n_right, uint32_t n_last, uint64_t bits,
    unsigned complexity, PacoBlockRecord *record)
{
  uint32_t one_right = waste (OPEN_BITS_ONE_LANE, n_right);
  uint32_t one_both = waste (OPEN_BITS_ONE_LANE, n_last);
  uint32_t four_right = waste (OPEN_BITS_FOUR_LANES, n_right);
  uint32_t four_both = waste (OPEN_BITS_FOUR_LANES, n_last);
  uint32_t one = MIN (one_right, one_both);
  uint32_t four = MIN (four_right, four_both);

  record->shared_codewords = one > four
      && (uint64_t) (one - four) * 1024 > bits * lane_waste[complexity];
  record->raw_left_signs = record->shared_codewords ? four_both < four_right
                                                    : one_both < one_right;
}

void
paco_policy_block (const PacoBlockCounts *counts, unsigned dropped,
    unsigned complexity, PacoBlockRecord *record)
{
  uint32_t n_significant = 0, n_total;
  uint64_t cost[PACO_MAX_PLANES], bits = 0;
  unsigned planes = PACO_MAX_PLANES, raw = 0;

  *record = (PacoBlockRecord){ 0 };
  while (planes > 0 && counts->top[planes - 1] == 0)
    planes--;
  if (planes <= dropped)
    return;
  record->planes = planes;
  record->dropped_planes = dropped;
  for (unsigned p = planes; p-- > dropped;) {
    cost[p] = plane_cost (
        n_significant, counts->top[p], counts->n_coefficients);
    n_significant += counts->top[p];
  }
  n_total = n_significant;
  while (complexity > 0 && dropped + raw < planes) {
    uint64_t plain = (uint64_t) counts->n_coefficients * 1024;

    if (cost[dropped + raw] * 1024 < plain * (1024 - raw_saving[complexity]))
      break;
    raw++;
  }
  record->raw_planes = raw;
  if (raw > 0)
    return;
  for (unsigned p = dropped; p < planes; p++)
    bits += cost[p] / 1024;
  choose_codewords (counts->n_right, counts->top[dropped], bits + n_total,
      complexity, record);
}

/* --- bounds --------------------------------------------------------------- */

/* Most planes of a coefficient: the L1 norms of the analysis filters bound
 * what a level can make of its input. */
static unsigned
max_planes (const PacoPictureFormat *picture, const PacoCoding *coding,
    const PacoSubband *subband)
{
  bool reversible = paco_wavelets[coding->wavelet].reversible;
  double low = reversible ? 1.5 : 1.75, high = reversible ? 2.0 : 2.7;
  double bound = ldexp (1.0, picture->components[subband->component].depth - 1);

  if (subband->component < 3
      && coding->color_transform == PACO_COLOR_TRANSFORM_RCT)
    bound *= 2.0;
  for (unsigned level = 1; level <= subband->level; level++) {
    bool last = level == subband->level;

    bound *= last && (subband->orientation & 1) ? high : low;
    bound *= last && (subband->orientation & 2) ? high : low;
    bound += 4.0; /* rounding */
  }
  if (!reversible)
    bound /= paco_step_decode (
        coding->subbands[subband->component][subband->entry].step);
  return CLAMP (ceil (log2 (bound + 1.0)), 1.0, (double) PACO_MAX_PLANES);
}

size_t
paco_policy_max_frame_size (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry)
{
  size_t size = 72 + 2 * (1 + PACO_MAX_SUBBANDS) * picture->n_components + 40
      + PACO_MAX_INDEX_SIZE (geometry->n_blocks);

  for (uint32_t s = 0; s < geometry->n_subbands; s++) {
    const PacoSubband *subband = &geometry->subbands[s];
    unsigned planes = max_planes (picture, coding, subband);

    size += ((size_t) subband->width * subband->height * (planes + 1) + 7) / 8
        + (size_t) subband->blocks_x * subband->blocks_y;
  }
  return size;
}
