/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the horizontal step of van der Laan, Jalba and Roerdink (Accelerating
 * Wavelet Lifting on Graphics Hardware using CUDA, section IV-E). A thread
 * block takes a line into shared memory, filters it there in place, and writes
 * it back as its low half and its high half, so that the next level reads
 * neighbors. There are barriers: one behind the reading, two for each step, as
 * in the paper.
 *
 * In shared memory the even samples are apart from the odd ones from the beginning:
 * threads that lift neighbors then read neighbors, without bank conflicts, and what
 * is written back lies as it has to. Whole pairs are read at once from global memory
 * (4 bytes for samples of 16 bits, as in the paper), where the line is a row.
 *
 * The same kernel with columns for lines is the paper's trivial method ("the same
 * algorithm for the vertical step as for the horizontal step"): a sample is then a row
 * away from the next one, and every access fetches a sector of its own. */
#pragma once
#include "tests/lab/cuda/rows_lifting.cuh"

template <class Element> struct alignas (2 * sizeof (Element)) PairOf
{
  Element even, odd;
};

/* These are the halves of a line in shared memory, [0] its even samples, [1]
 * its odd ones. */
template <class Element> struct Halves
{
  Element *half[2];
  int n[2];
};

template <class Element>
__device__ __forceinline__ Halves<Element>
place_halves (int n)
{
  Halves<Element> halves;

  halves.n[0] = (n + 1) / 2;
  halves.n[1] = n / 2;
  halves.half[0] = (Element *) shared + LAB_BORDER;
  /* It is an even number of elements, so that 16-bit ones share no word. */
  halves.half[1] = halves.half[0] + (halves.n[0] + 1) / 2 * 2 + 2 * LAB_BORDER;
  return halves;
}

/* Copies samples that are beside one another, or apart by `distance`. */
template <class Element, bool BESIDE>
__device__ __forceinline__ void
read_samples (
    const Halves<Element> &halves, const Element *line, size_t distance)
{
  for (int i = threadIdx.x; i < halves.n[0]; i += blockDim.x) {
    bool pair = i < halves.n[1];

    if (BESIDE && pair) {
      PairOf<Element> both = ((const PairOf<Element> *) line)[i];

      halves.half[0][i] = both.even;
      halves.half[1][i] = both.odd;
    } else {
      halves.half[0][i] = line[2 * i * distance];
      if (pair)
        halves.half[1][i] = line[(2 * i + 1) * distance];
    }
  }
}

template <class Element, bool BESIDE>
__device__ __forceinline__ void
write_samples (const Halves<Element> &halves, Element *line, size_t distance)
{
  for (int i = threadIdx.x; i < halves.n[0]; i += blockDim.x) {
    bool pair = i < halves.n[1];

    if (BESIDE && pair) {
      PairOf<Element> both;

      both.even = halves.half[0][i];
      both.odd = halves.half[1][i];
      ((PairOf<Element> *) line)[i] = both;
    } else {
      line[2 * i * distance] = halves.half[0][i];
      if (pair)
        line[(2 * i + 1) * distance] = halves.half[1][i];
    }
  }
}

template <class Element>
__device__ __forceinline__ void
read_halves (
    const Halves<Element> &halves, const Element *line, size_t distance)
{
  for (int i = threadIdx.x; i < halves.n[0] + halves.n[1]; i += blockDim.x)
    if (i < halves.n[0])
      halves.half[0][i] = line[i * distance];
    else
      halves.half[1][i - halves.n[0]] = line[i * distance];
}

template <class Element>
__device__ __forceinline__ void
write_halves (const Halves<Element> &halves, Element *line, size_t distance)
{
  for (int i = threadIdx.x; i < halves.n[0] + halves.n[1]; i += blockDim.x)
    line[i * distance] = i < halves.n[0] ? halves.half[0][i]
                                         : halves.half[1][i - halves.n[0]];
}

/* Puts mirror images on both sides of the half of a parity. Mirroring changes no
 * sample's parity. */
template <class Element>
__device__ __forceinline__ void
duplicate_border (const Halves<Element> &halves, int parity)
{
  int i = threadIdx.x, n = halves.n[0] + halves.n[1];

  if (i < 2 * LAB_BORDER) {
    int place = i < LAB_BORDER ? i - LAB_BORDER
                               : halves.n[parity] + i - LAB_BORDER;

    halves.half[parity][place] =
        halves.half[parity][mirror_image (2 * place + parity, n) / 2];
  }
}

template <class L, class Element, int N>
__device__ __forceinline__ void
lift_line (const Halves<Element> &halves)
{
  if constexpr (N < L::STEPS) {
    typedef typename L::template At<N> Own;
    typedef typename L::Number Number;
    constexpr int OTHER = 1 - Own::PARITY;
    /* This is the first of samples at distances of -REACH, -REACH + 2, ... */
    constexpr int FIRST = Own::PARITY == 1 ? 1 - Own::TAPS : -Own::TAPS;
    const Element *other = halves.half[OTHER];
    Element *half = halves.half[Own::PARITY];

    if (!L::PAIRED)
      duplicate_border (halves, OTHER);
    __syncthreads ();
    /* The sample of a pair that is incomplete stays. */
    for (int i = threadIdx.x;
         i < (L::PAIRED ? halves.n[1] : halves.n[Own::PARITY]);
         i += blockDim.x) {
      Number near[Own::REACH + 1];

#pragma unroll
      for (int k = 0; k <= Own::REACH; k++)
        near[k] = L::PAIRED ? other[i] : other[i + FIRST + k];
      half[i] = (Element) Own::apply (half[i], near);
    }
    __syncthreads ();
    lift_line<L, Element, N + 1> (halves);
  }
}

/* Does a block: line blockIdx.x of plane blockIdx.y, in place. BESIDE: the
 * samples of a line are neighbors in memory, `sample` is 1 and `line` and
 * `plane` are even. Shared memory: LAB_LINE_ELEMENTS (n). */
template <unsigned ID, class Element, bool UNDO, bool BESIDE>
__device__ __forceinline__ void
filter_whole_line (const LabLines &p)
{
  typedef Lifting<ID, UNDO> L;
  Element *line = (Element *) p.from + (size_t) blockIdx.y * p.plane
      + (size_t) blockIdx.x * p.line;
  const size_t distance = BESIDE ? 1 : p.sample;
  Halves<Element> halves = place_halves<Element> (p.n);

  if (p.n == 1) {
    if (threadIdx.x == 0)
      *line = (Element) L::single (*line);
    return;
  }
  if (UNDO)
    read_halves (halves, line, distance);
  else
    read_samples<Element, BESIDE> (halves, line, distance);
  __syncthreads ();
  lift_line<L, Element, 0> (halves);
  if (UNDO)
    write_samples<Element, BESIDE> (halves, line, distance);
  else
    write_halves (halves, line, distance);
}
