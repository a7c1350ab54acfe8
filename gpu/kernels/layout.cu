/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Samples between a region of any layout (codec/layout.h) and planes, which is what
 * the kernels of dwt.cu take. Launched by gpu/layout.c.
 *
 * Memory should be accessed as a copy would access it, because that is the least
 * time a kernel can take: a warp reads and writes whole segments, 8 or 16 bytes a
 * lane. There are four kinds of kernels:
 *
 * packed: groups of 2, 4 or 8 bytes. A lane takes a unit of whole groups, 16 bytes,
 * which are 4, 8 or 16 bytes of each plane. Samples come from the registers of a group
 * by one __byte_perm(), whose selector knows byte and endianness, a shift and a mask.
 * All but group and plane words is in parameters.
 *
 * string: pixels of components of the same size, whatever that is
 * (layout_strings.cuh).
 *
 * v210: a group is 16 bytes, but 12 and 6 of planes, so that lanes exchange what
 * they have in shared memory.
 *
 * any: everything else. A block's groups are in shared memory, where bytes can be
 * had one by one.
 *
 * Writing a region makes every byte of its groups: a lane or thread owns the groups
 * that it puts together. Nothing outside of the groups of a line is read or written. */
#include "gpu/kernels/layout_strings.cuh"
#include "gpu/kernels/mosaic.cuh"

/* --- Packed groups --- */

enum
{
  UNIT_BYTES = PACO_LAYOUT_UNIT_BYTES,
  UNIT_WORDS = UNIT_BYTES / 4,
};

DEVICE void
fetch_unit (
    const uint8_t *from, unsigned n_bytes, bool vectors, uint32_t *words)
{
  if (n_bytes >= UNIT_BYTES && vectors) {
    uint4 vector = __ldg ((const uint4 *) from);

    words[0] = vector.x;
    words[1] = vector.y;
    words[2] = vector.z;
    words[3] = vector.w;
    return;
  }
#pragma unroll
  for (int i = 0; i < UNIT_WORDS; i++) {
    words[i] = 0;
    if (4 * i + 4 <= n_bytes) {
      words[i] = __ldg ((const uint32_t *) from + i);
    } else {
#pragma unroll 1
      for (unsigned at = 4 * i; at < n_bytes; at++)
        words[i] |= (uint32_t) from[at] << 8 * (at % 4);
    }
  }
}

DEVICE void
put_unit (uint8_t *to, unsigned n_bytes, bool vectors, const uint32_t *words)
{
  if (n_bytes >= UNIT_BYTES && vectors) {
    *(uint4 *) to = make_uint4 (words[0], words[1], words[2], words[3]);
    return;
  }
#pragma unroll
  for (int i = 0; i < UNIT_WORDS; i++) {
    if (4 * i + 4 <= n_bytes) {
      ((uint32_t *) to)[i] = words[i];
    } else {
#pragma unroll 1
      for (unsigned at = 4 * i; at < n_bytes; at++)
        to[at] = words[i] >> 8 * (at % 4);
    }
  }
}

/* GROUP: bytes of a group; BYTES: of a plane's word; FIRST: samples of a group of the
 * first component, the others have one. */
template <int GROUP, int BYTES, int FIRST> struct Packed
{
  static const int GROUPS = UNIT_BYTES / GROUP;

  struct Place
  {
    unsigned line, unit, n_bytes;
    uint8_t *address;
  };

  static DEVICE bool find_place (const PacoLayoutParameters &p, Place *place)
  {
    place->unit = blockIdx.x * LANES + threadIdx.x % LANES;
    place->line = blockIdx.y * WARPS + threadIdx.x / LANES;
    if (place->unit * GROUPS >= p.n_groups || place->line >= p.n_lines)
      return false;
    place->n_bytes = (p.n_groups - place->unit * GROUPS) * GROUP;
    place->address = region_line (p, place->line) + place->unit * UNIT_BYTES;
    return true;
  }

  /* Bytes 0..3 and 4..7 of group g, maybe with others after its end. */
  static DEVICE void group_of_unit (
      const uint32_t *words, int g, uint32_t *group)
  {
    const int word = g * GROUP / 4, byte = g * GROUP % 4;

    group[0] = words[word] >> 8 * byte;
    group[1] = GROUP == 8 ? words[word + 1] : 0;
  }

  /* The words of a unit from its groups, which have zeros after their ends. */
  static DEVICE void join_groups (const uint32_t (*groups)[2], uint32_t *words)
  {
#pragma unroll
    for (int i = 0; i < UNIT_WORDS; i++)
      words[i] = 0;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      const int word = g * GROUP / 4, byte = g * GROUP % 4;

      words[word] |= groups[g][0] << 8 * byte;
      if (GROUP == 8)
        words[word + 1] |= groups[g][1];
    }
  }

  template <int SAMPLES>
  static DEVICE void load_component (const PacoLayoutComponent &component,
      const Place &place, const uint32_t *words)
  {
    const int N = GROUPS * SAMPLES * BYTES / 4;
    Vector<N> vector = {};

#pragma unroll
    for (int i = 0; i < GROUPS * SAMPLES; i++) {
      const PacoLayoutPlace &from = component.places[i % SAMPLES];
      uint32_t group[2];

      group_of_unit (words, i / SAMPLES, group);
      vector.words[i * BYTES / 4] |=
          (__byte_perm (group[0], group[1], from.take) >> from.shift
              & component.mask)
          << 8 * (i * BYTES % 4);
    }
    ((Vector<N> *) plane_line (component, place.line))[place.unit] = vector;
  }

  template <int N>
  static DEVICE Vector<N> fetch_samples (
      const PacoLayoutComponent &component, const Place &place)
  {
    return ((const Vector<N> *) plane_line (component, place.line))[place.unit];
  }

  template <int SAMPLES, int N>
  static DEVICE void store_component (const PacoLayoutComponent &component,
      const Place &place, Vector<N> vector, uint32_t (*groups)[2])
  {
    /* Beyond the last column samples are 0. */
    cut_vector (&vector,
        8 * BYTES
            * ((int) component.columns - (int) place.unit * GROUPS * SAMPLES));
#pragma unroll
    for (int i = 0; i < GROUPS * SAMPLES; i++) {
      const PacoLayoutPlace &to = component.places[i % SAMPLES];
      uint32_t word = (vector.words[i * BYTES / 4] >> 8 * (i * BYTES % 4)
                          & (BYTES == 1 ? 0xff : 0xffff))
          << to.shift;

      groups[i / SAMPLES][0] |= __byte_perm (word, 0, to.give[0]);
      if (GROUP == 8)
        groups[i / SAMPLES][1] |= __byte_perm (word, 0, to.give[1]);
    }
  }

  static DEVICE void load (const PacoLayoutParameters &p)
  {
    uint32_t words[UNIT_WORDS];
    Place place;

    wait_for_kernel_before ();
    if (!find_place (p, &place))
      return;
    fetch_unit (place.address, place.n_bytes, p.alignment == 16, words);
    load_component<FIRST> (p.components[0], place, words);
#pragma unroll
    for (int c = 1; c < PACO_MAX_COMPONENTS; c++)
      if (c < p.n_components)
        load_component<1> (p.components[c], place, words);
  }

  static DEVICE void store (const PacoLayoutParameters &p)
  {
    const int N = GROUPS * BYTES / 4;
    Vector<N> samples[PACO_MAX_COMPONENTS] = {};
    Vector<N * FIRST> first;
    uint32_t groups[GROUPS][2], words[UNIT_WORDS];
    Place place;

    wait_for_kernel_before ();
    if (!find_place (p, &place))
      return;
    /* All are on their way before the first of them is needed. */
    first = fetch_samples<N * FIRST> (p.components[0], place);
#pragma unroll
    for (int c = 1; c < PACO_MAX_COMPONENTS; c++)
      if (c < p.n_components)
        samples[c] = fetch_samples<N> (p.components[c], place);
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
#pragma unroll
      for (int i = 0; i < 2; i++)
        groups[g][i] = p.blank[i];
    store_component<FIRST> (p.components[0], place, first, groups);
#pragma unroll
    for (int c = 1; c < PACO_MAX_COMPONENTS; c++)
      if (c < p.n_components)
        store_component<1> (p.components[c], place, samples[c], groups);
    join_groups (groups, words);
    put_unit (place.address, place.n_bytes, p.alignment == 16, words);
  }
};

/* --- v210 ---
 *
 * A group is four little-endian words of three samples each, in the order U0 Y0
 * V0 Y1 U1 Y2 V1 Y3 U2 Y4 V2 Y5. A warp takes 64 groups of a line, a lane the
 * groups lane and lane + 32 of them. */

#define V210_GROUPS PACO_LAYOUT_V210_GROUPS

/* A warp's part of the planes: 16-byte pieces of Y, then U, then V. */
enum
{
  V210_Y_BYTES = 12 * V210_GROUPS,
  V210_C_BYTES = 6 * V210_GROUPS,
  V210_U = V210_Y_BYTES,
  V210_V = V210_U + V210_C_BYTES,
  V210_BYTES = V210_V + V210_C_BYTES,
  V210_PIECES = V210_BYTES / 16,
};

struct V210Place
{
  unsigned lane, line, chunk;
  uint8_t *samples; /* shared memory, V210_BYTES */
};

/* The place of piece i of the chunk in its plane; NULL if no sample is in it. */
DEVICE uint4 *
v210_piece (const PacoLayoutParameters &p, const V210Place &place, int i)
{
  unsigned at = 16 * i;
  unsigned c = at < V210_U ? 0 : at < V210_V ? 1 : 2;
  unsigned in_line = c == 0
      ? at + place.chunk * V210_Y_BYTES
      : at - (c == 1 ? V210_U : V210_V) + place.chunk * V210_C_BYTES;
  const PacoLayoutComponent &component = p.components[c];

  if (place.line >= p.n_lines || in_line >= 2 * component.columns)
    return nullptr;
  return (uint4 *) (plane_line (component, place.line) + in_line);
}

/* NULL if there is no such group. */
DEVICE uint4 *
v210_group (const PacoLayoutParameters &p, const V210Place &place, int half)
{
  unsigned group = place.chunk * V210_GROUPS + half * LANES + place.lane;

  if (place.line >= p.n_lines || group >= p.n_groups)
    return nullptr;
  return (uint4 *) region_line (p, place.line) + group;
}

DEVICE uint32_t
v210_sample (const uint32_t *words, int i)
{
  return words[i / 3] >> 10 * (i % 3) & 1023;
}

DEVICE void
v210_load (const PacoLayoutParameters &p, const V210Place &place)
{
  uint4 groups[2] = {};

#pragma unroll
  for (int half = 0; half < 2; half++) {
    const uint4 *from = v210_group (p, place, half);

    if (from)
      groups[half] = __ldg (from);
  }
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const uint32_t words[4] = { groups[half].x, groups[half].y, groups[half].z,
      groups[half].w };
    const unsigned at = 3 * (half * LANES + place.lane);

#pragma unroll
    for (int i = 0; i < 3; i++) {
      ((uint32_t *) place.samples)[at + i] = v210_sample (words, 4 * i + 1)
          | v210_sample (words, 4 * i + 3) << 16;
      ((uint16_t *) (place.samples + V210_U))[at + i] = v210_sample (
          words, 4 * i);
      ((uint16_t *) (place.samples + V210_V))[at + i] = v210_sample (
          words, 4 * i + 2);
    }
  }
  __syncwarp ();
#pragma unroll
  for (int i = 0; i < V210_PIECES / LANES; i++) {
    uint4 *to = v210_piece (p, place, i * LANES + place.lane);

    if (to)
      *to = ((const uint4 *) place.samples)[i * LANES + place.lane];
  }
}

/* The samples of a group in shared memory, 0 beyond the last columns. */
DEVICE void
v210_samples (const PacoLayoutParameters &p, const V210Place &place, int half,
    uint32_t *y, uint32_t *u, uint32_t *v)
{
  const unsigned group = half * LANES + place.lane;
  const int behind = place.chunk * V210_GROUPS + group;
  const int n_y = (int) p.components[0].columns - 6 * behind;
  const int n_u = (int) p.components[1].columns - 3 * behind;
  const int n_v = (int) p.components[2].columns - 3 * behind;

#pragma unroll
  for (int i = 0; i < 3; i++) {
    y[i] = ((const uint32_t *) place.samples)[3 * group + i];
    u[i] = ((const uint16_t *) (place.samples + V210_U))[3 * group + i];
    v[i] = ((const uint16_t *) (place.samples + V210_V))[3 * group + i];
    if (n_y < 6)
      y[i] = n_y <= 2 * i ? 0 : n_y == 2 * i + 1 ? y[i] & 0xffff : y[i];
    if (n_u <= i)
      u[i] = 0;
    if (n_v <= i)
      v[i] = 0;
  }
}

DEVICE void
v210_store (const PacoLayoutParameters &p, const V210Place &place)
{
  uint4 pieces[V210_PIECES / LANES] = {};

#pragma unroll
  for (int i = 0; i < V210_PIECES / LANES; i++) {
    const uint4 *from = v210_piece (p, place, i * LANES + place.lane);

    if (from)
      pieces[i] = *from;
  }
#pragma unroll
  for (int i = 0; i < V210_PIECES / LANES; i++)
    ((uint4 *) place.samples)[i * LANES + place.lane] = pieces[i];
  __syncwarp ();
#pragma unroll
  for (int half = 0; half < 2; half++) {
    uint4 *to = v210_group (p, place, half);
    uint32_t y[3], u[3], v[3];

    v210_samples (p, place, half, y, u, v);
    if (to)
      *to = make_uint4 (p.blank[0] | u[0] | (y[0] & 0xffff) << 10 | v[0] << 20,
          p.blank[1] | y[0] >> 16 | u[1] << 10 | (y[1] & 0xffff) << 20,
          p.blank[2] | v[1] | y[1] >> 16 << 10 | u[2] << 20,
          p.blank[3] | (y[2] & 0xffff) | v[2] << 10 | y[2] >> 16 << 20);
  }
}

/* --- Any layout ---
 *
 * A block takes PACO_LAYOUT_THREADS groups of a line, of which the last one may
 * be cut: where it is, no sample of the picture is. If words are swapped, so they
 * are on the way into shared memory and back; a block begins with a whole one. */

struct AnyPlace
{
  unsigned line, first, n_groups, n_bytes; /* of the block */
  uint8_t *address;
};

DEVICE AnyPlace
any_place (const PacoLayoutParameters &p)
{
  AnyPlace place;

  place.line = blockIdx.y;
  place.first = blockIdx.x * PACO_LAYOUT_THREADS;
  place.n_groups = min (p.n_groups - place.first, PACO_LAYOUT_THREADS);
  place.n_bytes = min (place.n_groups * p.group_bytes,
      p.line_bytes - place.first * p.group_bytes);
  place.address = region_line (p, place.line) + place.first * p.group_bytes;
  return place;
}

DEVICE void
copy_bytes (
    const PacoLayoutParameters &p, uint8_t *to, const uint8_t *from, unsigned n)
{
  const unsigned order = 0x3210 ^ 0x1111 * p.flip;
  unsigned first = 0;

  if (p.alignment >= 4) {
    for (unsigned i = threadIdx.x; i < n / 4; i += PACO_LAYOUT_THREADS)
      ((uint32_t *) to)[i] = __byte_perm (
          ((const uint32_t *) from)[i], 0, order);
    first = n / 4 * 4;
  }
  for (unsigned i = first + threadIdx.x; i < n; i += PACO_LAYOUT_THREADS)
    to[i] = from[i ^ p.flip];
}

DEVICE uint32_t
read_word (const uint8_t *from, unsigned n, bool big_endian)
{
  uint32_t word = 0;

  for (unsigned i = 0; i < n; i++)
    word |= (uint32_t) from[i] << 8 * (big_endian ? n - 1 - i : i);
  return word;
}

DEVICE void
add_word (uint8_t *to, unsigned n, bool big_endian, uint32_t word)
{
  for (unsigned i = 0; i < n; i++)
    to[i] |= word >> 8 * (big_endian ? n - 1 - i : i);
}

/* Makes a group of CSI-2 a string of bits, and back. */
DEVICE void
csi2_to_string (uint8_t *group, unsigned n_bytes)
{
  const unsigned n = PACO_CSI2_SAMPLES (n_bytes);
  const unsigned low = PACO_CSI2_LOW_BITS (n_bytes);
  uint64_t string = 0;

  for (unsigned i = 0; i < n; i++)
    string |=
        (uint64_t) (group[i] << low | (group[n] >> low * i & ((1u << low) - 1)))
        << (8 + low) * i;
  for (unsigned i = 0; i < n_bytes; i++)
    group[i] = string >> 8 * i;
}

DEVICE void
csi2_from_string (uint8_t *group, unsigned n_bytes)
{
  const unsigned n = PACO_CSI2_SAMPLES (n_bytes);
  const unsigned low = PACO_CSI2_LOW_BITS (n_bytes);
  uint64_t string = 0;
  unsigned rest = 0;

  for (unsigned i = 0; i < n_bytes; i++)
    string |= (uint64_t) group[i] << 8 * i;
  for (unsigned i = 0; i < n; i++) {
    const unsigned sample = string >> (8 + low) * i;

    group[i] = sample >> low;
    rest |= (sample & ((1u << low) - 1)) << low * i;
  }
  group[n] = rest;
}

/* A thread takes a sample, its neighbor the next one of the line. */
DEVICE void
any_load (const PacoLayoutParameters &p, uint8_t *groups,
    uint32_t (*places)[PACO_MAX_GROUP_SAMPLES])
{
  const AnyPlace place = any_place (p);
  const unsigned thread = threadIdx.x;

  if (thread < PACO_MAX_COMPONENTS * PACO_MAX_GROUP_SAMPLES) {
    const unsigned c = thread / PACO_MAX_GROUP_SAMPLES;
    const unsigned i = thread % PACO_MAX_GROUP_SAMPLES;

    places[c][i] = p.components[c].places[i].byte
        | p.components[c].places[i].shift << 8;
  }
  copy_bytes (p, groups, place.address, place.n_bytes);
  __syncthreads ();
  if (p.csi2) {
    if (thread < place.n_groups)
      csi2_to_string (groups + thread * p.group_bytes, p.group_bytes);
    __syncthreads ();
  }
#pragma unroll 1
  for (int c = 0; c < p.n_components; c++) {
    const PacoLayoutComponent &component = p.components[c];
    const unsigned n_samples = component.group_samples;
    const unsigned first = place.first * n_samples;
    const unsigned n = min (
        place.n_groups * n_samples, component.columns - first);
    uint8_t *plane = plane_line (component, place.line) + first * p.plane_bytes;

    for (unsigned x = thread; x < n; x += PACO_LAYOUT_THREADS) {
      const unsigned group = x / n_samples;
      const unsigned at = places[c][x - group * n_samples];
      const uint32_t sample = read_word (
                                  groups + group * p.group_bytes + (at & 255),
                                  component.word_bytes, component.big_endian)
              >> (at >> 8)
          & component.mask;

      if (p.plane_bytes == 1)
        plane[x] = sample;
      else
        ((uint16_t *) plane)[x] = sample;
    }
  }
}

/* A thread takes a group. */
DEVICE void
any_store (const PacoLayoutParameters &p, uint8_t *groups)
{
  const AnyPlace place = any_place (p);
  uint8_t *group = groups + threadIdx.x * p.group_bytes;

  if (threadIdx.x < place.n_groups) {
    for (unsigned i = 0; i < p.group_bytes; i++)
      group[i] = p.blank[i / 4] >> 8 * (i % 4);
#pragma unroll 1
    for (int c = 0; c < p.n_components; c++) {
      const PacoLayoutComponent &component = p.components[c];
      const uint8_t *plane = plane_line (component, place.line);
      const unsigned first = (place.first + threadIdx.x)
          * component.group_samples;
      uint32_t samples[PACO_MAX_GROUP_SAMPLES] = {};

#pragma unroll
      for (unsigned i = 0; i < PACO_MAX_GROUP_SAMPLES; i++)
        if (i < component.group_samples && first + i < component.columns)
          samples[i] = p.plane_bytes == 1
              ? plane[first + i]
              : ((const uint16_t *) plane)[first + i];
#pragma unroll
      for (unsigned i = 0; i < PACO_MAX_GROUP_SAMPLES; i++)
        if (i < component.group_samples)
          add_word (group + component.places[i].byte, component.word_bytes,
              component.big_endian, samples[i] << component.places[i].shift);
    }
    if (p.csi2)
      csi2_from_string (group, p.group_bytes);
  }
  __syncthreads ();
  copy_bytes (p, place.address, groups, place.n_bytes);
}

/* --- The kernels: layout_<load or store>_<kind> --- */

#define KERNEL(name)                                                           \
  extern "C" __global__ void __launch_bounds__ (PACO_LAYOUT_THREADS)           \
      name (const __grid_constant__ PacoLayoutParameters p)

/* Kinds are those of gpu/layout.h. */
#define PACKED(group, bits, first)                                             \
  KERNEL (layout_load_##group##_##bits##_##first)                              \
  {                                                                            \
    Packed<group, bits / 8, first>::load (p);                                  \
  }                                                                            \
  KERNEL (layout_store_##group##_##bits##_##first)                             \
  {                                                                            \
    Packed<group, bits / 8, first>::store (p);                                 \
  }
PACKED (2, 8, 1)
PACKED (2, 16, 1)
PACKED (4, 8, 1)
PACKED (4, 8, 2)
PACKED (4, 16, 1)
PACKED (8, 16, 1)
PACKED (8, 16, 2)

#define STRING(bits, components)                                               \
  STRING_TO (load, bits, components)                                           \
  STRING_TO (store, bits, components)
#define STRING_TO(direction, bits, components)                                 \
  KERNEL (layout_##direction##_string_##bits##_##components)                   \
  {                                                                            \
    using Kind = String<bits, components>;                                     \
    __shared__ uint4 pieces[WARPS][Kind::PIECE_WORDS / 4];                     \
                                                                               \
    Kind::direction (p, (uint32_t *) pieces[threadIdx.x / LANES]);             \
  }
STRING (8, 3)
STRING (10, 1)
STRING (10, 3)
STRING (10, 4)
STRING (12, 1)
STRING (12, 3)
STRING (12, 4)
STRING (16, 3)

#define V210(direction)                                                        \
  KERNEL (layout_##direction##_v210)                                           \
  {                                                                            \
    __shared__ uint4 samples[WARPS][V210_PIECES];                              \
    const unsigned warp = threadIdx.x / LANES;                                 \
    const V210Place place = { threadIdx.x % LANES, blockIdx.y * WARPS + warp,  \
      blockIdx.x, (uint8_t *) samples[warp] };                                 \
                                                                               \
    wait_for_kernel_before ();                                                 \
    v210_##direction (p, place);                                               \
  }
V210 (load)
V210 (store)

KERNEL (layout_load_any)
{
  __shared__ uint4 groups[PACO_LAYOUT_THREADS * PACO_MAX_GROUP_BYTES / 16];
  __shared__ uint32_t places[PACO_MAX_COMPONENTS][PACO_MAX_GROUP_SAMPLES];

  wait_for_kernel_before ();
  any_load (p, (uint8_t *) groups, places);
}

KERNEL (layout_store_any)
{
  __shared__ uint4 groups[PACO_LAYOUT_THREADS * PACO_MAX_GROUP_BYTES / 16];

  wait_for_kernel_before ();
  any_store (p, (uint8_t *) groups);
}
