/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies of a few threads (codec/helpers.h) that go past the processor's caches: the GPU
 * reads next what they write, or it is a picture larger than the caches. Ordinary stores
 * would first read every line of the destination into the caches, and memcpy() goes past
 * them only if a copy is nearly as large as the last cache, which no part of a picture
 * is. */
#include "gpu/copy.h"
#include <string.h>

/* --- Past the caches --- */

#define MIN_UNCACHED ((size_t) 4 << 20)

#if defined __x86_64__
#include <immintrin.h>

/* Returns how many bytes come before the first aligned byte of the destination. */
static size_t
head (const uint8_t *to, size_t alignment, size_t size)
{
  size_t bytes = -(uintptr_t) to & (alignment - 1);

  return bytes < size ? bytes : size;
}

__attribute__ ((target ("avx512f"))) static void
copy_avx512 (uint8_t *to, const uint8_t *from, size_t size)
{
  size_t i = head (to, 64, size);

  memcpy (to, from, i);
  for (; i + 256 <= size; i += 256) {
    __m512i a = _mm512_loadu_si512 (from + i);
    __m512i b = _mm512_loadu_si512 (from + i + 64);
    __m512i c = _mm512_loadu_si512 (from + i + 128);
    __m512i d = _mm512_loadu_si512 (from + i + 192);

    _mm512_stream_si512 ((__m512i *) (to + i), a);
    _mm512_stream_si512 ((__m512i *) (to + i + 64), b);
    _mm512_stream_si512 ((__m512i *) (to + i + 128), c);
    _mm512_stream_si512 ((__m512i *) (to + i + 192), d);
  }
  memcpy (to + i, from + i, size - i);
  _mm_sfence ();
}

__attribute__ ((target ("avx2"))) static void
copy_avx2 (uint8_t *to, const uint8_t *from, size_t size)
{
  size_t i = head (to, 32, size);

  memcpy (to, from, i);
  for (; i + 128 <= size; i += 128) {
    __m256i a = _mm256_loadu_si256 ((const __m256i *) (from + i));
    __m256i b = _mm256_loadu_si256 ((const __m256i *) (from + i + 32));
    __m256i c = _mm256_loadu_si256 ((const __m256i *) (from + i + 64));
    __m256i d = _mm256_loadu_si256 ((const __m256i *) (from + i + 96));

    _mm256_stream_si256 ((__m256i *) (to + i), a);
    _mm256_stream_si256 ((__m256i *) (to + i + 32), b);
    _mm256_stream_si256 ((__m256i *) (to + i + 64), c);
    _mm256_stream_si256 ((__m256i *) (to + i + 96), d);
  }
  memcpy (to + i, from + i, size - i);
  _mm_sfence ();
}
#endif

static void
copy_plain (uint8_t *to, const uint8_t *from, size_t size)
{
  memcpy (to, from, size);
}

PacoUncachedCopy
paco_uncached_copy (size_t size)
{
  if (size < MIN_UNCACHED)
    return copy_plain;
#if defined __x86_64__
  if (__builtin_cpu_supports ("avx512f"))
    return copy_avx512;
  if (__builtin_cpu_supports ("avx2"))
    return copy_avx2;
#endif
  return copy_plain;
}

/* --- Threads --- */

#define MIN_PART (256u << 10)

typedef struct
{
  PacoUncachedCopy copy;
  uint8_t *to;
  const uint8_t *from;
  size_t bytes, rows, stride;
} Part;

static void
copy_part (void *parts, unsigned number)
{
  const Part *part = (const Part *) parts + number;

  if (part->bytes == part->stride) {
    part->copy (part->to, part->from, part->bytes * part->rows);
    return;
  }
  for (size_t y = 0; y < part->rows; y++)
    part->copy (part->to + y * part->stride, part->from + y * part->stride,
        part->bytes);
}

/* Cuts a copy into parts. A single row can be cut anywhere, several rows only between
 * them. */
static unsigned
cut (const PacoHelpers *helpers, Part *parts, Part whole)
{
  size_t units = whole.rows == 1 ? whole.bytes : whole.rows;
  size_t unit = whole.rows == 1 ? 1 : whole.stride;
  size_t n = CLAMP (
      whole.bytes * whole.rows / MIN_PART, 1, paco_helpers_count (helpers));
  size_t each = (units + n - 1) / n;

  if (whole.rows == 1)
    each = (each + 63) & ~(size_t) 63;
  for (unsigned i = 0; i < n; i++) {
    size_t first = MIN (i * each, units);
    size_t count = MIN (each, units - first);

    parts[i] = whole;
    parts[i].to += first * unit;
    parts[i].from += first * unit;
    if (whole.rows == 1)
      parts[i].bytes = parts[i].stride = count;
    else
      parts[i].rows = count;
  }
  return n;
}

void
paco_copy (PacoHelpers *helpers, uint8_t *to, const uint8_t *from, size_t bytes,
    size_t rows, size_t stride)
{
  Part parts[PACO_MAX_HELPERS];
  Part whole = { paco_uncached_copy (bytes * rows), to, from, bytes, rows,
    stride };

  if (rows == 0 || bytes == 0)
    return;
  if (rows == 1)
    whole.stride = bytes;
  paco_helpers_run (helpers, cut (helpers, parts, whole), copy_part, parts);
}
