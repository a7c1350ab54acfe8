/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Groups of samples by the byte shuffles of NEON, a vector of eight samples in
 * two registers at a time, for layout_kernels.h. */
#pragma once
#include "codec/cpu/layout_plan.h"
#include "codec/cpu/rows.h"
#include "codec/cpu/rows_loops.h"
#include <arm_neon.h>
#include <glib.h>

/* The two halves of the plan's vector. */
typedef struct
{
  uint8x16_t low, high;
} Halves;

INLINE Halves
load_halves (const uint8_t *low, const uint8_t *high)
{
  return (Halves){ vld1q_u8 (low), vld1q_u8 (high) };
}

/* Loads eight words. */
INLINE Halves
load_words (const uint32_t *words)
{
  return (Halves){ vreinterpretq_u8_u32 (vld1q_u32 (words)),
    vreinterpretq_u8_u32 (vld1q_u32 (words + 4)) };
}

/* An index out of a half, PACO_PLAN_NONE among them, gives 0. */
INLINE Halves
shuffle_halves (Halves v, Halves index)
{
  return (
      Halves){ vqtbl1q_u8 (v.low, index.low), vqtbl1q_u8 (v.high, index.high) };
}

/* Makes an index of bytes for shuffle_words() from the numbers of the words. */
INLINE Halves
bytes_of_order (const uint32_t order[PACO_PLAN_ELEMENTS])
{
  uint8_t bytes[4 * PACO_PLAN_ELEMENTS];

  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t) (4 * order[i / 4] + i % 4);
  return load_halves (bytes, bytes + 16);
}

INLINE Halves
shuffle_words (Halves v, Halves bytes)
{
  uint8x16x2_t both = { { v.low, v.high } };

  return (
      Halves){ vqtbl2q_u8 (both, bytes.low), vqtbl2q_u8 (both, bytes.high) };
}

/* Returns the samples of a half: shifts are negative. */
INLINE uint8x16_t
take_samples (uint8x16_t words, uint8x16_t shifts, const PacoLayoutPlan *plan)
{
  uint32x4_t samples = vshlq_u32 (
      vreinterpretq_u32_u8 (words), vreinterpretq_s32_u8 (shifts));

  samples = vandq_u32 (samples, vdupq_n_u32 ((1u << plan->depth) - 1));
  return vreinterpretq_u8_u32 (
      vsubq_u32 (samples, vdupq_n_u32 (1u << (plan->depth - 1))));
}

static size_t
load_vectors (const uint8_t *data, const PacoLayoutPlan *plan, size_t n,
    size_t bytes, PacoWord *line)
{
  size_t n_vectors = paco_layout_vectors (plan, n, bytes);
  Halves gather = load_halves (plan->gather, plan->gather + 16);
  Halves order = bytes_of_order (plan->element_of);
  Halves shifts = load_words (plan->shifts);

  shifts.low = vreinterpretq_u8_s32 (
      vnegq_s32 (vreinterpretq_s32_u8 (shifts.low)));
  shifts.high = vreinterpretq_u8_s32 (
      vnegq_s32 (vreinterpretq_s32_u8 (shifts.high)));
  for (size_t i = 0; i < n_vectors; i++) {
    Halves words = shuffle_halves (
        load_halves (data, data + plan->second), gather);
    Halves samples = { take_samples (words.low, shifts.low, plan),
      take_samples (words.high, shifts.high, plan) };

    samples = shuffle_words (samples, order);
    vst1q_u8 ((uint8_t *) line, samples.low);
    vst1q_u8 ((uint8_t *) (line + 4), samples.high);
    data += plan->n_bytes;
    line += plan->n_samples;
  }
  return n_vectors * plan->n_samples;
}

/* A half's samples, clamped, unsigned and where they are in their words. */
INLINE uint8x16_t
put_samples (uint8x16_t words, uint8x16_t shifts, const PacoLayoutPlan *plan)
{
  int32x4_t half = vdupq_n_s32 (1 << (plan->depth - 1));
  int32x4_t samples = vreinterpretq_s32_u8 (words);

  samples = vmaxq_s32 (samples, vnegq_s32 (half));
  samples = vminq_s32 (samples, vsubq_s32 (half, vdupq_n_s32 (1)));
  return vreinterpretq_u8_s32 (
      vshlq_s32 (vaddq_s32 (samples, half), vreinterpretq_s32_u8 (shifts)));
}

/* Moves the bytes of a vector of samples to their places in the windows. */
INLINE Halves
place_samples (Halves samples, const PacoLayoutPlan *plan, Halves shifts,
    const Halves scatter[PACO_PLAN_ROUNDS])
{
  Halves words = { put_samples (samples.low, shifts.low, plan),
    put_samples (samples.high, shifts.high, plan) };
  Halves bytes = shuffle_halves (words, scatter[0]);

  if (plan->n_rounds > 1) {
    Halves more = shuffle_halves (words, scatter[1]);

    bytes.low = vorrq_u8 (bytes.low, more.low);
    bytes.high = vorrq_u8 (bytes.high, more.high);
  }
  return bytes;
}

/* Makes windows of blank groups. Each window begins with a group. */
INLINE Halves
blank_windows (const uint8_t *blank, unsigned group_bytes)
{
  uint8_t window[PACO_PLAN_WINDOW];

  for (unsigned i = 0; i < PACO_PLAN_WINDOW; i++)
    window[i] = blank[i % group_bytes];
  return load_halves (window, window);
}

/* Stores vectors of samples. The windows of the next vector are read before those of
 * this one are written, because they may overlap, and a read of bytes that have just
 * been written in part has to wait. */
static size_t
store_vectors (const PacoWord *line, size_t n, const PacoLayoutPlan *plan,
    const uint8_t *blank, size_t n_bytes, uint8_t *data)
{
  size_t n_vectors = plan->n_rounds > 0 ? paco_layout_vectors (plan, n, n_bytes)
                                        : 0;
  Halves shifts = load_words (plan->shifts);
  Halves order = bytes_of_order (plan->sample_of);
  Halves scatter[PACO_PLAN_ROUNDS],
      windows = { vdupq_n_u8 (0), vdupq_n_u8 (0) };

  for (unsigned i = 0; i < PACO_PLAN_ROUNDS; i++)
    scatter[i] = load_halves (plan->scatter[i], plan->scatter[i] + 16);
  if (blank)
    windows = blank_windows (blank, plan->layout->group_bytes);
  else if (n_vectors > 0)
    windows = load_halves (data, data + plan->second);
  for (size_t i = 0; i < n_vectors; i++) {
    Halves samples = shuffle_words (
        load_halves ((const uint8_t *) line, (const uint8_t *) (line + 4)),
        order);
    Halves bytes = place_samples (samples, plan, shifts, scatter);
    uint8x16_t low = vorrq_u8 (windows.low, bytes.low);
    uint8x16_t high = vorrq_u8 (windows.high, bytes.high);

    if (!blank && i + 1 < n_vectors)
      windows = load_halves (
          data + plan->n_bytes, data + plan->n_bytes + plan->second);
    if (plan->second == 0) {
      vst1q_u8 (data, vorrq_u8 (low, high));
    } else {
      vst1q_u8 (data, low);
      vst1q_u8 (data + plan->second, high);
    }
    data += plan->n_bytes;
    line += plan->n_samples;
  }
  return n_vectors * plan->n_samples;
}
