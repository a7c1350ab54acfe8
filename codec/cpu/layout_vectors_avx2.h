/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Groups of samples by the byte shuffles of AVX2, a vector of samples at a time,
 * for layout_kernels.h. */
#pragma once
#include "codec/cpu/layout_plan.h"
#include "codec/cpu/rows.h"
#include "codec/cpu/rows_loops.h"
#include <immintrin.h>

INLINE __m256i
load_windows (const uint8_t *data, const PacoLayoutPlan *plan)
{
  return _mm256_loadu2_m128i (
      (const __m128i *) (data + plan->second), (const __m128i *) data);
}

static size_t
load_vectors (const uint8_t *data, const PacoLayoutPlan *plan, size_t n,
    size_t bytes, PacoWord *line)
{
  size_t n_vectors = paco_layout_vectors (plan, n, bytes);
  __m256i gather = _mm256_loadu_si256 ((const __m256i *) plan->gather);
  __m256i shifts = _mm256_loadu_si256 ((const __m256i *) plan->shifts);
  __m256i order = _mm256_loadu_si256 ((const __m256i *) plan->element_of);
  __m256i mask = _mm256_set1_epi32 ((1 << plan->depth) - 1);
  __m256i half = _mm256_set1_epi32 (1 << (plan->depth - 1));

  for (size_t i = 0; i < n_vectors; i++) {
    __m256i words = _mm256_shuffle_epi8 (load_windows (data, plan), gather);
    __m256i samples = _mm256_and_si256 (
        _mm256_srlv_epi32 (words, shifts), mask);

    samples = _mm256_permutevar8x32_epi32 (
        _mm256_sub_epi32 (samples, half), order);
    _mm256_storeu_si256 ((__m256i *) line, samples);
    data += plan->n_bytes;
    line += plan->n_samples;
  }
  return n_vectors * plan->n_samples;
}

/* Moves the bytes of a vector of samples to their places in the windows. */
INLINE __m256i
place_samples (__m256i samples, const PacoLayoutPlan *plan, __m256i shifts,
    const __m256i scatter[PACO_PLAN_ROUNDS])
{
  __m256i half = _mm256_set1_epi32 (1 << (plan->depth - 1));
  __m256i words, bytes;

  samples = _mm256_max_epi32 (
      samples, _mm256_sub_epi32 (_mm256_setzero_si256 (), half));
  samples = _mm256_min_epi32 (
      samples, _mm256_sub_epi32 (half, _mm256_set1_epi32 (1)));
  words = _mm256_sllv_epi32 (_mm256_add_epi32 (samples, half), shifts);
  bytes = _mm256_shuffle_epi8 (words, scatter[0]);
  if (plan->n_rounds > 1)
    bytes = _mm256_or_si256 (bytes, _mm256_shuffle_epi8 (words, scatter[1]));
  return bytes;
}

/* Makes windows of blank groups. Each window begins with a group. */
INLINE __m256i
blank_windows (const uint8_t *blank, unsigned group_bytes)
{
  uint8_t window[PACO_PLAN_WINDOW];

  for (unsigned i = 0; i < PACO_PLAN_WINDOW; i++)
    window[i] = blank[i % group_bytes];
  return _mm256_broadcastsi128_si256 (
      _mm_loadu_si128 ((const __m128i *) window));
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
  __m256i shifts = _mm256_loadu_si256 ((const __m256i *) plan->shifts);
  __m256i order = _mm256_loadu_si256 ((const __m256i *) plan->sample_of);
  __m256i scatter[PACO_PLAN_ROUNDS], windows = _mm256_setzero_si256 ();

  for (unsigned i = 0; i < PACO_PLAN_ROUNDS; i++)
    scatter[i] = _mm256_loadu_si256 ((const __m256i *) plan->scatter[i]);
  if (blank)
    windows = blank_windows (blank, plan->layout->group_bytes);
  else if (n_vectors > 0)
    windows = load_windows (data, plan);
  for (size_t i = 0; i < n_vectors; i++) {
    __m256i samples = _mm256_permutevar8x32_epi32 (
        _mm256_loadu_si256 ((const __m256i *) line), order);
    __m256i bytes = place_samples (samples, plan, shifts, scatter);
    __m256i all = _mm256_or_si256 (windows, bytes);
    __m128i low = _mm256_castsi256_si128 (all);
    __m128i high = _mm256_extracti128_si256 (all, 1);

    if (!blank && i + 1 < n_vectors)
      windows = load_windows (data + plan->n_bytes, plan);
    if (plan->second == 0) {
      _mm_storeu_si128 ((__m128i *) data, _mm_or_si128 (low, high));
    } else {
      _mm_storeu_si128 ((__m128i *) data, low);
      _mm_storeu_si128 ((__m128i *) (data + plan->second), high);
    }
    data += plan->n_bytes;
    line += plan->n_samples;
  }
  return n_vectors * plan->n_samples;
}
