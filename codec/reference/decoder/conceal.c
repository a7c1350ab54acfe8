/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What this project's decoders show in the place of broken blocks (FORMAT.md section
 * 11), for the reference decoder's decode.c. */
#include "parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct PacoReferenceConcealer
{
  KeptFrame last[2]; /* one frame, one coded as fields */
  KeptFrame next;    /* that is being decoded */
  /* Of the next one, -1 if it was not asked yet: whether a field begins a scene, and
   * whether a component is still in it. */
  int scene[2], still[2][MAX_COMPONENTS];
  Sample samples[BLOCK_SIZE];
  double values[BLOCK_SIZE];
};

Concealer *
paco_reference_concealer_new (void)
{
  return (Concealer *) calloc (1, sizeof (struct PacoReferenceConcealer));
}

static void
clear_kept (KeptFrame *kept)
{
  for (uint32_t i = 0; kept->blocks && i < kept->n_blocks; i++)
    free (kept->blocks[i]);
  free (kept->blocks);
  kept->blocks = NULL;
  kept->n_blocks = 0;
}

void
paco_reference_concealer_forget (Concealer *concealer)
{
  clear_kept (&concealer->last[0]);
  clear_kept (&concealer->last[1]);
}

void
paco_reference_concealer_free (Concealer *concealer)
{
  if (!concealer)
    return;
  paco_reference_concealer_forget (concealer);
  clear_kept (&concealer->next);
  free (concealer);
}

/* --- which frame is the last one --- */

static bool
is_alike (const Header *a, const Header *b)
{
  if (a->width != b->width || a->height != b->height || a->mosaic != b->mosaic
      || a->fields != b->fields || a->n_components != b->n_components
      || a->levels != b->levels || a->coding_passes != b->coding_passes
      || a->has_step_map != b->has_step_map
      || a->color_transform != b->color_transform
      || memcmp (a->parameters, b->parameters, 2) != 0)
    return false;
  for (unsigned i = 0; i < 9; i++)
    if (fabsf (a->color_matrix[i] - b->color_matrix[i]) > 1.0f / 64.0f)
      return false;
  for (unsigned c = 0; c < a->n_components; c++) {
    Component p = a->components[c], q = b->components[c];

    /* Tables, steps and which reversible wavelet it is may differ. */
    p.wavelet = p.wavelet == CDF97;
    q.wavelet = q.wavelet == CDF97;
    if (memcmp (&p, &q, offsetof (PacoReferenceComponent, table)) != 0)
      return false;
    for (unsigned k = 0; k < PACO_REFERENCE_MAX_ENTRIES; k++)
      if (p.entries[k] >> 14 != q.entries[k] >> 14)
        return false;
  }
  return true;
}

/* Returns how many blocks, the first ones of a frame, may be concealed. */
static uint32_t
n_concealed (const Frame *frame)
{
  unsigned levels = frame->header.levels;

  if (levels < 4)
    return 0;
  return frame
      ->n_blocks_at[frame->reduce > levels - 1 ? frame->reduce : levels - 1];
}

static void
conceal_begin (Concealer *concealer, const Frame *frame)
{
  KeptFrame *last = &concealer->last[frame->header.fields];

  /* A slice has no last frame. */
  if (frame->header.slice.length > 0)
    paco_reference_concealer_forget (concealer);
  else if (last->blocks && !is_alike (&last->header, &frame->header))
    clear_kept (last);
  clear_kept (&concealer->next);
  concealer->next.header = frame->header;
  memset (concealer->scene, -1, sizeof concealer->scene);
  memset (concealer->still, -1, sizeof concealer->still);
}

static bool
conceal_keep (
    Concealer *concealer, const Frame *frame, uint32_t i, const Sample *samples)
{
  KeptFrame *next = &concealer->next;
  size_t size = (size_t) frame->blocks[i].width * frame->blocks[i].height
      * sizeof *samples;

  if (i >= n_concealed (frame))
    return true;
  if (!next->blocks) {
    next->n_blocks = n_concealed (frame);
    next->blocks = (Sample **) calloc (next->n_blocks, sizeof *next->blocks);
  }
  if (!next->blocks)
    return false;
  if (!samples)
    return true;
  next->blocks[i] = (Sample *) malloc (size);
  if (next->blocks[i])
    memcpy (next->blocks[i], samples, size);
  return next->blocks[i] != NULL;
}

static void
conceal_end (Concealer *concealer, const Frame *frame)
{
  KeptFrame *last = &concealer->last[frame->header.fields];

  clear_kept (last);
  if (frame->header.slice.length > 0)
    return;
  *last = concealer->next;
  concealer->next.blocks = NULL;
  concealer->next.n_blocks = 0;
}

/* Returns what the last frame had in block i, or NULL. */
static const Sample *
last_of (const Concealer *concealer, const Frame *frame, uint32_t i)
{
  const KeptFrame *last = &concealer->last[frame->header.fields];

  return last->blocks && i < last->n_blocks ? last->blocks[i] : NULL;
}

/* --- how much has changed --- */

static bool
is_reversible (const Frame *frame, const Subband *subband)
{
  return frame->header.components[subband->component].wavelet != CDF97;
}

static double
value_of (Sample sample, bool reversible)
{
  return reversible ? (double) sample.i : (double) sample.f;
}

/* Adds what block k of LL contributes to Σ |x − y| and Σ |y − y₁|; false if it is broken,
 * or missing in the last frame. */
static bool
add_activity (Concealer *concealer, Frame *frame, uint32_t k, double *change,
    double *detail)
{
  const Codeblock *block = &frame->blocks[k];
  const Sample *last = last_of (concealer, frame, k);
  const Sample *now = concealer->samples;
  bool reversible = is_reversible (frame, &frame->subbands[block->subband]);

  if (!last || !decode_block (frame, k))
    return false;
  dequantize_block (frame, k, false, concealer->samples);
  for (unsigned y = 0; y < block->height; y++)
    for (unsigned x = 0; x < block->width; x++, now++, last++) {
      double before = value_of (*last, reversible);

      *change += fabs (value_of (*now, reversible) - before);
      if (x > 0)
        *detail += fabs (before - value_of (last[-1], reversible));
      if (y > 0)
        *detail += fabs (
            before - value_of (*(last - block->width), reversible));
    }
  return true;
}

/* Adds up all blocks of LL of a field, of component c or, with -1, of all; false if one
 * of them does not count. */
static bool
add_field (Concealer *concealer, Frame *frame, unsigned field, int c,
    double *change, double *detail)
{
  bool all = true;

  *change = *detail = 0.0;
  for (uint32_t k = 0; k < frame->n_blocks_at[frame->header.levels]; k++) {
    const Subband *subband = &frame->subbands[frame->blocks[k].subband];

    if (subband->field == field && (c < 0 || subband->component == c))
      all = add_activity (concealer, frame, k, change, detail) && all;
  }
  return all;
}

static bool
begins_scene (Concealer *concealer, Frame *frame, unsigned field)
{
  double change, detail;

  if (concealer->scene[field] < 0) {
    add_field (concealer, frame, field, -1, &change, &detail);
    concealer->scene[field] = change > detail;
  }
  return concealer->scene[field] == 1;
}

static bool
is_still (Concealer *concealer, Frame *frame, const Subband *subband)
{
  int *still = &concealer->still[subband->field][subband->component];
  double change, detail;

  if (*still < 0)
    *still = add_field (concealer, frame, subband->field, subband->component,
                 &change, &detail)
        && 4.0 * change <= detail;
  return *still == 1;
}

/* --- between neighbours --- */

/* Returns a product that no compiler merges with the sum that it is added to. */
static double
product (double a, double b)
{
  volatile double p = a * b;

  return p;
}

/* Adds what the block on a side (left, right, above, below) of block i says to sums and
 * weights; false if there is no sound one. */
static bool
add_side (Concealer *concealer, Frame *frame, uint32_t i, unsigned side,
    double *weights)
{
  const Codeblock *block = &frame->blocks[i], *neighbor;
  const Subband *subband = &frame->subbands[block->subband];
  const uint32_t at = i - subband->first_block;
  const uint32_t bx = at % subband->blocks_x, by = at / subband->blocks_x;
  const bool beside = side < 2, reversible = is_reversible (frame, subband);
  uint32_t k = side == 0 ? i - 1
      : side == 1        ? i + 1
      : side == 2        ? i - subband->blocks_x
                         : i + subband->blocks_x;

  if ((side == 0 && bx == 0) || (side == 1 && bx + 1 == subband->blocks_x)
      || (side == 2 && by == 0) || (side == 3 && by + 1 == subband->blocks_y)
      || !decode_block (frame, k))
    return false;
  neighbor = &frame->blocks[k];
  dequantize_block (frame, k, false, concealer->samples);
  for (unsigned line = 0; line < (beside ? block->height : block->width);
       line++) {
    unsigned n = beside ? neighbor->width : neighbor->height;
    unsigned length = beside ? block->width : block->height;
    double mean = 0.0;

    for (unsigned j = 0; j < n; j++)
      mean += value_of (concealer->samples[beside ? line * neighbor->width + j
                                                  : j * neighbor->width + line],
          reversible);
    mean /= n;
    for (unsigned j = 0; j < length; j++) {
      size_t place = beside ? (size_t) line * block->width + j
                            : (size_t) j * block->width + line;
      double distance = side % 2 == 0 ? j + 1 : length - j;

      concealer->values[place] += product (1.0 / distance, mean);
      weights[place] += 1.0 / distance;
    }
  }
  return true;
}

/* Makes block i from its neighbours; false if it has none, or there is no memory. */
static bool
interpolate (Concealer *concealer, Frame *frame, uint32_t i)
{
  size_t n = (size_t) frame->blocks[i].width * frame->blocks[i].height;
  double *weights = (double *) calloc (n, sizeof *weights);
  bool any = false;

  if (!weights)
    return false;
  memset (concealer->values, 0, n * sizeof *concealer->values);
  for (unsigned side = 0; side < 4; side++)
    any = add_side (concealer, frame, i, side, weights) || any;
  for (size_t k = 0; any && k < n; k++)
    concealer->values[k] /= weights[k];
  free (weights);
  return any;
}

static bool
conceal_block (Concealer *concealer, Frame *frame, uint32_t i)
{
  const Codeblock *block = &frame->blocks[i];
  const Subband *subband = &frame->subbands[block->subband];
  const Sample *last = last_of (concealer, frame, i);
  size_t n = (size_t) block->width * block->height;
  bool reversible = is_reversible (frame, subband);
  double step = (double) step_of_entry (subband->entry);
  double point = (128 - (int) frame->header.reconstruction) / 256.0;

  if (i >= n_concealed (frame) || !has_wrong_check (frame, i))
    return false;
  if (subband->orientation == 0) {
    if (last && begins_scene (concealer, frame, subband->field))
      last = NULL;
    if (!last && !interpolate (concealer, frame, i))
      return false;
  } else if (!last || !is_still (concealer, frame, subband)) {
    return false;
  }
  for (size_t k = 0; k < n; k++) {
    double x = last ? value_of (last[k], reversible) : concealer->values[k];
    double q = floor (reversible ? fabs (x) + 0.5 : fabs (x) / step + point);

    q = q < 0.0 ? 0.0 : q > 8388607.0 ? 8388607.0 : q;
    frame->indices[k] = x < 0.0 ? -(int32_t) q : (int32_t) q;
  }
  return true;
}
