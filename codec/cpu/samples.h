/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Samples in memory as lines of what the wavelet works on, and back: level
 * shift, color transform, rounding and clamping (FORMAT.md section 5). */
#pragma once
#include "codec/cpu/rows.h"
#include "codec/header.h"

/* Consecutive components of one field that are moved line by line together:
 * those that a color transform mixes, and those that share words, if they are
 * of one size and wavelet. */
typedef struct
{
  const PacoRowOps *ops;
  const PacoPictureFormat *format;
  const PacoPicture *picture;
  unsigned field;
  unsigned first, n;       /* components */
  uint8_t color_transform; /* PacoColorTransform, of the first three */
  bool reversible;         /* the components' wavelet */
  float gain; /* of a picture with levels left out: multiply by this; or 1 */
} PacoSamples;

/* Splits the components into groups; sets first, n and what follows from the
 * coding of each, and returns how many there are. Groups that share words must
 * not be written at the same time: *share_words says that there are such. */
unsigned paco_samples_group (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoCoding *coding,
    PacoSamples groups[PACO_MAX_COMPONENTS], bool *share_words);

/* PacoLineAccess with a PacoSamples as data. */
void paco_samples_load (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[]);
void paco_samples_store (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[]);
