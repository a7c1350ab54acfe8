/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies that go past the processor's caches, for copy.c. What is written is next
 * read by the GPU, or is a picture larger than the caches. Ordinary stores would
 * first read every line of the destination into the caches. memcpy() goes past them
 * only if a copy is nearly as large as the last cache, which the parts of a picture
 * never are. */
#include "gpu/uncached.h"
#include <string.h>

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
