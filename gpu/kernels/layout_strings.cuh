/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lines of regions and of planes, which all kernels of layout.cu read and write, and the
 * kernels for strings of bits. */
#pragma once
#include "gpu/kernels/layout.h"
#include "gpu/kernels/device.cuh"

#define LANES PACO_LAYOUT_LANES
#define WARPS (PACO_LAYOUT_THREADS / LANES)

DEVICE uint8_t *
region_line (const PacoLayoutParameters &p, unsigned line)
{
  return (uint8_t *) p.address + p.stride * (int64_t) line;
}

DEVICE uint8_t *
plane_line (const PacoLayoutComponent &component, unsigned line)
{
  return (uint8_t *) component.plane + (uint64_t) component.plane_stride * line;
}

/* N words that are accessed as one. */
template <int N> struct alignas (4 * N) Vector
{
  uint32_t words[N];
};

/* Clears all but the first n_bits, which may be any number. */
template <int N>
DEVICE void
cut_vector (Vector<N> *vector, int n_bits)
{
  if (n_bits >= 32 * N)
    return;
#pragma unroll
  for (int i = 0; i < N; i++)
    if (n_bits < 32 * (i + 1))
      vector->words[i] &= n_bits > 32 * i ? (1u << (n_bits - 32 * i)) - 1 : 0;
}

/* --- Strings of bits ---
 *
 * Lines that are slots of BITS bits,
 * one for each of COMPONENTS components of a pixel, and the next pixel's right behind
 * them, as RGB and the files of film scanners have them (SMPTE 268M).
 *
 * Bits are counted from the lowest one of a line's first 32-bit word. How its bytes
 * make a word is the parameter flip: byte b is at b ^ flip. All samples are at the
 * same bits of their slots, and a region's components are in the order of the slots.
 *
 * A warp takes a piece of a line, which it keeps in shared memory, because memory
 * wants to be accessed by 16 bytes a lane, one lane behind the other, but a lane wants
 * whole pixels. These are its unit: as many as make whole words, and 16 or 32 bytes of
 * each plane. All positions in a unit are known when the kernel is compiled. */

struct StringPlace
{
  unsigned line, unit; /* the unit is that of the lane */
  unsigned n_bytes;    /* of the line in the piece */
  uint8_t *address;    /* of the piece */
};

/* Copies a piece of WORDS words a lane into shared memory, V words at a time. */
template <int V, int WORDS>
DEVICE void
fetch_piece (const PacoLayoutParameters &p, const StringPlace &place,
    unsigned lane, uint32_t *piece)
{
  const int N = (WORDS + V - 1) / V;
  const unsigned n_vectors = place.n_bytes / (4 * V);
  const unsigned order = 0x3210 ^ 0x1111 * p.flip;
  Vector<V> vectors[N] = {};

  /* All are on their way before the first of them is needed. */
#pragma unroll
  for (int i = 0; i < N; i++)
    if (i * LANES + lane < n_vectors)
      vectors[i] = ((const Vector<V> *) place.address)[i * LANES + lane];
#pragma unroll
  for (int i = 0; i < N; i++) {
#pragma unroll
    for (int k = 0; k < V; k++)
      vectors[i].words[k] = __byte_perm (vectors[i].words[k], 0, order);
    if (i * LANES + lane < n_vectors)
      ((Vector<V> *) piece)[i * LANES + lane] = vectors[i];
  }
#pragma unroll 1
  for (unsigned b = n_vectors * 4 * V + lane; b < place.n_bytes; b += LANES)
    ((uint8_t *) piece)[b ^ p.flip] = place.address[b];
}

template <int V, int WORDS>
DEVICE void
put_piece (const PacoLayoutParameters &p, const StringPlace &place,
    unsigned lane, const uint32_t *piece)
{
  const unsigned n_vectors = place.n_bytes / (4 * V);
  const unsigned order = 0x3210 ^ 0x1111 * p.flip;

#pragma unroll
  for (int i = 0; i < (WORDS + V - 1) / V; i++) {
    if (i * LANES + lane < n_vectors) {
      Vector<V> vector = ((const Vector<V> *) piece)[i * LANES + lane];

#pragma unroll
      for (int k = 0; k < V; k++)
        vector.words[k] = __byte_perm (vector.words[k], 0, order);
      ((Vector<V> *) place.address)[i * LANES + lane] = vector;
    }
  }
#pragma unroll 1
  for (unsigned b = n_vectors * 4 * V + lane; b < place.n_bytes; b += LANES)
    place.address[b] = ((const uint8_t *) piece)[b ^ p.flip];
}

template <int BITS, int COMPONENTS> struct String
{
  static const int PIXELS = PACO_LAYOUT_UNIT_PIXELS (BITS, COMPONENTS);
  static const int WORDS = PIXELS * BITS * COMPONENTS / 32;
  static const int PIECE_WORDS = WORDS * LANES;
  static const int SAMPLE_BITS = BITS > 8 ? 16 : 8; /* of a plane */
  static const int SAMPLES = 32 / SAMPLE_BITS;      /* of a plane's word */
  static const int N = PIXELS / SAMPLES; /* words of each plane in a unit */
  static const uint32_t ONES = SAMPLE_BITS == 16 ? 0x10001 : 0x1010101;
  static const uint32_t SLOT = (1u << BITS) - 1;
  /* Words of a unit that are accessed at once: lanes whose units are WORDS words apart
   * then have no bank conflicts. */
  static const int AT_ONCE = WORDS % 4 == 0 ? 4 : WORDS % 2 == 0 ? 2 : 1;

  static DEVICE bool find_place (
      const PacoLayoutParameters &p, StringPlace *place)
  {
    const unsigned first = blockIdx.x * 4 * PIECE_WORDS;

    place->line = blockIdx.y * WARPS + threadIdx.x / LANES;
    place->unit = blockIdx.x * LANES + threadIdx.x % LANES;
    place->n_bytes = min (p.line_bytes - first, 4u * PIECE_WORDS);
    place->address = region_line (p, place->line) + first;
    return place->line < p.n_lines;
  }

  /* The vector of the lane's unit; NULL if it is after the columns. */
  static DEVICE Vector<N> *samples_of_unit (
      const PacoLayoutComponent &component, const StringPlace &place)
  {
    if (place.unit * PIXELS >= component.columns)
      return nullptr;
    return (Vector<N> *) plane_line (component, place.line) + place.unit;
  }

  static DEVICE uint32_t slot (const uint32_t *words, int i)
  {
    const int word = i * BITS / 32, bit = i * BITS % 32;

    if (bit + BITS <= 32)
      return words[word] >> bit & SLOT;
    return __funnelshift_r (words[word], words[word + 1], bit) & SLOT;
  }

  static DEVICE void fill_slot (uint32_t *words, int i, uint32_t bits)
  {
    const int word = i * BITS / 32, bit = i * BITS % 32;

    words[word] |= bits << bit;
    if (bit + BITS > 32)
      words[word + 1] |= bits >> (32 - bit);
  }

  /* piece: shared memory of the warp. */
  static DEVICE void load (const PacoLayoutParameters &p, uint32_t *piece)
  {
    const unsigned lane = threadIdx.x % LANES;
    uint32_t words[WORDS];
    StringPlace place;

    wait_for_kernel_before ();
    if (!find_place (p, &place))
      return;
    if (p.alignment == 16)
      fetch_piece<4, WORDS> (p, place, lane, piece);
    else
      fetch_piece<1, WORDS> (p, place, lane, piece);
    __syncwarp ();
#pragma unroll
    for (int i = 0; i < WORDS; i += AT_ONCE) {
      const Vector<AT_ONCE> vector = ((
          const Vector<AT_ONCE> *) piece)[(lane * WORDS + i) / AT_ONCE];

#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        words[i + k] = vector.words[k];
    }
#pragma unroll
    for (int c = 0; c < COMPONENTS; c++) {
      Vector<N> *to = samples_of_unit (p.components[c], place);
      Vector<N> samples = {};

#pragma unroll
      for (int i = 0; i < PIXELS; i++)
        samples.words[i / SAMPLES] |= slot (words, i * COMPONENTS + c)
            << SAMPLE_BITS * (i % SAMPLES);
#pragma unroll
      for (int i = 0; i < N; i++)
        samples.words[i] = samples.words[i] >> p.slot_shift
            & p.components[c].mask * ONES;
      if (to)
        *to = samples;
    }
  }

  static DEVICE void store (const PacoLayoutParameters &p, uint32_t *piece)
  {
    const unsigned lane = threadIdx.x % LANES;
    Vector<N> samples[COMPONENTS] = {};
    uint32_t words[WORDS] = {};
    StringPlace place;

    wait_for_kernel_before ();
    if (!find_place (p, &place))
      return;
#pragma unroll
    for (int c = 0; c < COMPONENTS; c++) {
      const Vector<N> *from = samples_of_unit (p.components[c], place);

      if (from)
        samples[c] = *from;
    }
#pragma unroll
    for (int c = 0; c < COMPONENTS; c++) {
      /* Beyond the last column samples are 0. */
      cut_vector (&samples[c],
          SAMPLE_BITS
              * ((int) p.components[c].columns - (int) place.unit * PIXELS));
#pragma unroll
      for (int i = 0; i < N; i++)
        samples[c].words[i] = samples[c].words[i] << p.slot_shift
            | p.slot_blank * ONES;
#pragma unroll
      for (int i = 0; i < PIXELS; i++)
        fill_slot (words, i * COMPONENTS + c,
            samples[c].words[i / SAMPLES] >> SAMPLE_BITS * (i % SAMPLES)
                & SLOT);
    }
#pragma unroll
    for (int i = 0; i < WORDS; i += AT_ONCE) {
      Vector<AT_ONCE> vector;

#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        vector.words[k] = words[i + k];
      ((Vector<AT_ONCE> *) piece)[(lane * WORDS + i) / AT_ONCE] = vector;
    }
    __syncwarp ();
    if (p.alignment == 16)
      put_piece<4, WORDS> (p, place, lane, piece);
    else
      put_piece<1, WORDS> (p, place, lane, piece);
  }
};
