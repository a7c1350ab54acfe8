/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Weights of the quantiser's steps for tune=visual; visual.h says for whom. They
 * were found by coordinate descent: with them the mean SSIMULACRA 2 of 18
 * photographs of 8 bits, around 90, was highest at equal bytes, as RGB and as gray,
 * 4:4:4, 4:2:2 and 4:2:0. MS-SSIM, PSNR-HVS and VMAF, for which they were not made,
 * rise as well. One table holds for all depths: SSIMULACRA 2 gains 1 to 3 on
 * pictures of 10, 12 and 16 bits too, and more at low rates. */
#include "visual.h"

/* Weights are in octaves, for the levels 1, 2 and 3 and for all coarser ones. */
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

/* So many octaves are added for the diagonal subbands of the levels 1 and 2. */
#define DIAGONAL 0.26

/* The weights make all steps coarser. This makes them finer again, so that quality 90
 * has a SSIMULACRA 2 of at least 90 on every picture of 8 bits in the corpus. */
#define ALL (-1.6)

/* The weights fade out within this share of the range below quality 100, where steps
 * lose next to nothing. */
#define FULL_SHARE 0.25

double
paco_visual_octaves (const PacoPictureFormat *picture, unsigned component,
    bool chroma, unsigned level, PacoOrientation orientation)
{
  const PacoComponent *of = &picture->components[component];
  unsigned sampling = MIN (of->subsampling_x + of->subsampling_y, 2);
  const double *octaves = chroma ? chromas[sampling] : luma;
  bool coarse = orientation == PACO_ORIENTATION_LL || level >= N_LEVELS;

  return ALL + octaves[coarse ? N_LEVELS - 1 : level - 1]
      + (orientation == PACO_ORIENTATION_HH && level <= 2 ? DIAGONAL : 0.0);
}

double
paco_visual_share (double octaves)
{
  return MIN (octaves / FULL_SHARE, 1.0);
}
