/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Gives a thread a pair, without shared memory: each fetches all samples that
 * its low and its high coefficient depend on, and goes through the lifting
 * steps in registers, as its neighbors do with mostly the same samples. This
 * shows what it costs to share nothing. */
#pragma once
#include "tests/lab/cuda/rows_lifting.cuh"

/* This is the window of a pair: samples -MARGIN to MARGIN + 1 of it, MARGIN
 * being even. */
template <class L, class Element> struct PairWindow
{
  typedef typename L::Number Number;
  static constexpr int MARGIN = L::PAIRED ? 0 : (L::REACH + 1) / 2 * 2;
  static constexpr int SAMPLES = 2 * MARGIN + 2;

  /* Does step N and those behind it. The first and last `LOST` samples of the
   * window are of no more use. */
  template <int N, int LOST>
  static __device__ __forceinline__ void lift (Number *x, bool lonely)
  {
    if constexpr (N < L::STEPS) {
      typedef typename L::template At<N> Own;
      constexpr int NEXT = L::PAIRED ? 0 : LOST + Own::REACH;
      constexpr int FIRST = NEXT + (NEXT % 2 != Own::PARITY ? 1 : 0);

#pragma unroll
      for (int i = FIRST; i < SAMPLES - NEXT; i += 2) {
        Number near[Own::REACH + 1];

#pragma unroll
        for (int k = 0; k <= Own::REACH; k++)
          near[k] = x[L::PAIRED ? i ^ 1 : i - Own::REACH + 2 * k];
        if (!L::PAIRED || !lonely)
          x[i] = Own::apply (x[i], near);
      }
      lift<N + 1, NEXT> (x, lonely);
    }
  }
};

/* Does a block, not in place. p.across: it has pair blockIdx.y % n_pairs of
 * lines that are neighbors, of plane blockIdx.y / n_pairs; else it has pairs
 * that are neighbors, of line blockIdx.y % n_lines, of plane blockIdx.y /
 * n_lines. */
template <unsigned ID, class Element, bool UNDO>
__device__ __forceinline__ void
filter_pair_alone (const LabLines &p)
{
  typedef Lifting<ID, UNDO> L;
  typedef PairWindow<L, Element> W;
  int n = p.n, n_low = (n + 1) / 2, slow = p.across ? n_low : (int) p.n_lines;
  int fast = blockIdx.x * blockDim.x + threadIdx.x;
  int pair = p.across ? blockIdx.y % slow : fast;
  int line = p.across ? fast : blockIdx.y % slow;
  size_t first = (size_t) (blockIdx.y / slow) * p.plane
      + (size_t) line * p.line;
  const Element *from = (const Element *) p.from + first;
  Element *to = (Element *) p.to + first;
  bool lonely = 2 * pair + 1 >= n;
  typename L::Number x[W::SAMPLES];

  if (pair >= n_low || line >= (int) p.n_lines)
    return;
  if (n == 1) {
    to[0] = (Element) L::single (from[0]);
    return;
  }
#pragma unroll
  for (int i = 0; i < W::SAMPLES; i++) {
    int at = mirror_image (2 * pair - W::MARGIN + i, n);

    x[i] = from[(size_t) (!UNDO       ? at
                        : at % 2 == 0 ? at / 2
                                      : n_low + at / 2)
        * p.sample];
  }
  W::template lift<0, 0> (x, lonely);
  to[(size_t) (UNDO ? 2 * pair : pair) * p.sample] = (Element) x[W::MARGIN];
  if (!lonely)
    to[(size_t) (UNDO ? 2 * pair + 1 : n_low + pair) * p.sample] =
        (Element) x[W::MARGIN + 1];
}
