/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the vertical step of van der Laan, Jalba and Roerdink (section IV-F,
 * Algorithm 1), along any dimension but the first: a slab of columns is as high
 * as the picture, and a thread block walks down it with a window in shared
 * memory. It works in place; low and high lines stay interleaved, so that the
 * next level takes every other line, which costs nothing where lines are what
 * is read at once.
 *
 *     |     top     | done, and read by later steps
 *     |   overlap   | still to go through at least one step
 *     |   height    | two lines for each line of threads; taken in at each turn
 *     |   bottom    | taken in, and read by the first step
 *
 * The paper gives top = 3, overlap = 2, bottom = 3 for Deslauriers-Dubuc 13/7. For any
 * steps they follow from this. Let the n-th step reach R(n) lines to either side, and
 * let next(n) be the first line that it has not changed when lines 0 to height +
 * bottom - 1 are there. The last line that step 0 can change is height + bottom - 1 -
 * R(0); with bottom = R(0), next(0) is height, and height + 1 if the step changes odd
 * lines. Step n + 1 may change a line q only if all lines up to q + R(n + 1) have gone
 * through step n, and if step n, from next(n) on, does not read q any more: q <=
 * next(n) - 2 - max (R(n), R(n + 1)). So next(n + 1) = next(n) - max (R(n), R(n + 1)).
 * The paper's example says next(0) = 9 and next(1) = 6, with a height of 8; so does
 * this. Lines above the last step's next() are done: overlap is height less that
 * number, and top is the last step's reach. The reaches of a paired wavelet (Haar) are
 * 0 here, and all is, as the paper says.
 *
 * Two slips of the paper. Its Table II says 9/16 and -1/16 for both steps; the update
 * of 13/7 has half of that, 9/32 and -1/32 (codec/lifting.h: 9, -1, and a shift of 5,
 * after Adams and Kossentini, and Dirac): the low half of an alternating signal, in
 * which the prediction leaves -2, is 1 - 2 * 2 * (9/32 - 1/32) = 0 then, and would be -1
 * as printed. And where the picture is shorter than height + bottom, `windows` of
 * line 3 is negative: then the first window is the last one. */
#pragma once
#include "tests/lab/cuda/rows_lifting.cuh"

/* --- A word of a line: two columns of 16 bits, or one of 32 --- */

template <class Element> struct Word
{
  static constexpr int COLUMNS = 4 / sizeof (Element);
  static constexpr bool REAL = Element (0.5f) != 0;

  /* Does the step of each column of a word; near are the words of its
   * neighbors. */
  template <class Own, class Number>
  static __device__ __forceinline__ uint32_t apply (
      uint32_t word, const uint32_t *near)
  {
    uint32_t result = 0;

#pragma unroll
    for (int column = 0; column < COLUMNS; column++) {
      Number numbers[Own::REACH + 1];

#pragma unroll
      for (int k = 0; k <= Own::REACH; k++)
        numbers[k] = get (near[k], column);
      result |= put (Own::apply (get (word, column), numbers), column);
    }
    return result;
  }

  static __device__ __forceinline__ auto get (uint32_t word, int column)
  {
    if constexpr (sizeof (Element) == 2)
      return (int) (column == 0 ? (int16_t) word : (int32_t) word >> 16);
    else if constexpr (REAL)
      return __uint_as_float (word);
    else
      return (int) word;
  }

  template <class Number>
  static __device__ __forceinline__ uint32_t put (Number number, int column)
  {
    if constexpr (sizeof (Element) == 2)
      return ((uint32_t) number & 0xffff) << 16 * column;
    else if constexpr (REAL)
      return __float_as_uint (number);
    else
      return (uint32_t) number;
  }
};

/* --- The window --- */

/* Returns R(n), and next(n) - height. */
constexpr int
step_reach (const LabWavelet &wavelet, bool undo, int n)
{
  return wavelet.paired
      ? 0
      : (int) lab_step_reach (&wavelet.steps[busy_row (wavelet, undo, n)]);
}

constexpr int
first_line_not_done (const LabWavelet &wavelet, bool undo, int n)
{
  int line = 1 - busy_row (wavelet, undo, wavelet.paired ? n : 0) % 2;

  for (int k = 1; !wavelet.paired && k <= n; k++) {
    int before = step_reach (wavelet, undo, k - 1);
    int reach = step_reach (wavelet, undo, k);

    line -= before > reach ? before : reach;
  }
  return line;
}

template <class L, class Element> struct Window
{
  typedef typename L::Number Number;

  template <int N>
  static constexpr int NEXT = first_line_not_done (L::WAVELET, L::UNDONE, N);

  static constexpr int LAST = L::STEPS - 1;
  static constexpr int OVERLAP = NEXT<LAST> < 0 ? -NEXT<LAST> : 0;
  static constexpr int TOP = step_reach (L::WAVELET, L::UNDONE, LAST);
  static constexpr int BOTTOM = step_reach (L::WAVELET, L::UNDONE, 0);

  /* These are lines of words, and how many threads there are for them. */
  int words, height, n_rows; /* n_rows: of threads */
  int word, row;             /* the thread's */
  /* This is the slab in global memory. */
  uint8_t *column;
  size_t line_bytes;
  bool inside, whole; /* the word has columns of the slab, and only such */
  int h;              /* lines of the slab */
  int first;          /* line of the slab that is the window's line 0 */

  __device__ __forceinline__ uint32_t &at (int line)
  {
    return shared[line * words + word];
  }

  /* Does read(n from line `line` to the window's line `to`) of the paper;
   * write() is the other way. */
  __device__ __forceinline__ void read (int n, int line, int to)
  {
    for (int i = row; i < n; i += n_rows) {
      const uint8_t *from = column + (size_t) (line + i) * line_bytes;

      if (inside)
        at (to + i) = whole ? *(const uint32_t *) from
                            : *(const uint16_t *) from;
    }
  }

  __device__ __forceinline__ void write (int n, int from, int line)
  {
    for (int i = row; i < n; i += n_rows) {
      uint8_t *to = column + (size_t) (line + i) * line_bytes;

      if (whole)
        *(uint32_t *) to = at (from + i);
      else if (inside)
        *(uint16_t *) to = (uint16_t) at (from + i);
    }
  }

  /* Does copy(n from the window's line `height` to line 0). What is read again
   * lies no further down than `height` lines, which are moved at once. */
  __device__ __forceinline__ void copy (int n)
  {
    for (int begin = 0; begin < n; begin += height) {
      for (int i = begin + row; i < n && i < begin + height; i += n_rows)
        at (i) = at (i + height);
      if (begin + height < n)
        __syncthreads ();
    }
  }

  /* Does step N, and those behind it, of the lines from next(N) - height + from
   * on, and above next(N) - height + to; EDGE: the first or last lines of the
   * slab are among them or their neighbors. */
  template <int N, bool EDGE>
  __device__ __forceinline__ void lift (int from, int to)
  {
    if constexpr (N < L::STEPS) {
      typedef typename L::template At<N> Own;
      int begin = from + NEXT<N>, end = to + NEXT<N>;

      if (EDGE) {
        begin = max (begin, (int) Own::PARITY);
        begin += (begin - Own::PARITY) & 1;
        end = min (end, h);
      }
      for (int line = begin + 2 * row; line < end; line += 2 * n_rows)
        lift_line<N, EDGE> (line);
      __syncthreads ();
      lift<N + 1, EDGE> (from, to);
    }
  }

  template <int N, bool EDGE>
  __device__ __forceinline__ void lift_line (int line)
  {
    typedef typename L::template At<N> Own;
    uint32_t near[Own::REACH + 1];

    if (EDGE && L::PAIRED && (line ^ 1) >= h)
      return; /* of a pair that is incomplete, the sample stays */
#pragma unroll
    for (int k = 0; k <= Own::REACH; k++) {
      int other = L::PAIRED ? line ^ 1 : line - Own::REACH + 2 * k;

      near[k] = at ((EDGE ? mirror_image (other, h) : other) - first);
    }
    at (line - first) = Word<Element>::template apply<Own, Number> (
        at (line - first), near);
  }

  /* Does Algorithm 1. */
  __device__ __forceinline__ void slide ()
  {
    const int behind_all = h + 4 * LAB_MAX_REACH;
    int n = min (height + BOTTOM, h), inrow, outrow;

    first = -TOP - OVERLAP;
    read (n, 0, TOP + OVERLAP);
    inrow = n;
    __syncthreads ();
    if (inrow == h) {
      lift<0, true> (-behind_all, behind_all);
      write (h, TOP + OVERLAP, 0);
      return;
    }
    lift<0, true> (-behind_all, height);
    outrow = height - OVERLAP;
    write (outrow, TOP + OVERLAP, 0);
    __syncthreads ();
    for (; h - inrow >= height; outrow += height) {
      copy (TOP + OVERLAP + BOTTOM);
      first += height;
      __syncthreads ();
      read (height, inrow, TOP + OVERLAP + BOTTOM);
      inrow += height;
      __syncthreads ();
      lift<0, false> (inrow - BOTTOM - height, inrow - BOTTOM);
      write (height, TOP, outrow);
      __syncthreads ();
    }
    copy (TOP + OVERLAP + BOTTOM);
    first += height;
    __syncthreads ();
    read (h - inrow, inrow, TOP + OVERLAP + BOTTOM);
    __syncthreads ();
    lift<0, true> (inrow - BOTTOM, behind_all);
    write (h - outrow, TOP, outrow);
  }
};

/* Does a block: slab blockIdx.x, of 1 << words_log2 words of a line, of plane
 * blockIdx.y. `sample` is the distance between lines; lines are columns, and
 * neighbors. It has as many lines of threads as it has threads for. Shared
 * memory: LAB_WINDOW_LINES (2 * lines of threads) lines. */
template <unsigned ID, class Element, bool UNDO>
__device__ __forceinline__ void
slide_down (const LabLines &p)
{
  typedef Lifting<ID, UNDO> L;
  Window<L, Element> window;
  const int columns = Word<Element>::COLUMNS;
  int first_column;

  window.words = 1 << p.words_log2;
  window.n_rows = blockDim.x >> p.words_log2;
  window.height = 2 * window.n_rows;
  window.word = threadIdx.x & (window.words - 1);
  window.row = threadIdx.x >> p.words_log2;
  window.h = p.n;
  window.line_bytes = (size_t) p.sample * sizeof (Element);
  first_column = (blockIdx.x * window.words + window.word) * columns;
  window.inside = first_column < (int) p.n_lines;
  window.whole = first_column + columns <= (int) p.n_lines;
  window.column = (uint8_t *) ((Element *) p.from
      + (size_t) blockIdx.y * p.plane + first_column);

  if (p.n == 1) {
    if (window.row == 0)
      for (int i = 0; i < columns && first_column + i < (int) p.n_lines; i++) {
        Element *x = (Element *) window.column + i;

        *x = (Element) L::single (*x);
      }
    return;
  }
  window.slide ();
}
