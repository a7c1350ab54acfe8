/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames with a budget (codec/rate_control.h), without waiting for the host: kernels
 * count coefficients, choose the step number, and after the block coder find the cuts
 * that make the frame fit. The arithmetic and the results are those of
 * codec/rate_estimate.h, rate_worth.h and rate_control.c. */
#include "gpu/kernels/rate.h"
#include "gpu/kernels/bpc_check.cuh"
#include "gpu/kernels/cells.cuh"

static DEVICE uint32_t
block_of_warp ()
{
  return (blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

/* --- Counting --- */

/* Coefficients of a lane by highest bit, in half bytes: number b is of magnitudes of b
 * bits. These are added up in bytes, of even and of odd b, and those by all lanes. */
template <typename T> struct Counter
{
  /* 16 and 24 planes, and none. */
  static constexpr int N = sizeof (T) == 2 ? 1 : 2;

  uint64_t few[N], many[N][2];

  DEVICE Counter ()
  {
    clear ();
  }

  DEVICE void clear ()
  {
#pragma unroll
    for (int i = 0; i < N; i++)
      few[i] = many[i][0] = many[i][1] = 0;
  }

  /* spread() must follow after at most 15 calls. */
  DEVICE void count (uint32_t magnitude)
  {
    uint32_t bits = 32 - __clz (magnitude);
    uint64_t one = (uint64_t) 1 << 4 * (bits % 16);

#pragma unroll
    for (int i = 0; i < N; i++)
      few[i] += N == 1 || bits / 16 == i ? one : 0;
  }

  /* take() must follow after at most 17 calls. */
  DEVICE void spread ()
  {
#pragma unroll
    for (int i = 0; i < N; i++) {
      many[i][0] += few[i] & 0x0f0f0f0f0f0f0f0f;
      many[i][1] += few[i] >> 4 & 0x0f0f0f0f0f0f0f0f;
      few[i] = 0;
    }
  }

  /* Returns the count of plane p of all lanes to lane p. */
  DEVICE uint32_t take (uint32_t lane)
  {
    uint32_t top = 0;

#pragma unroll
    for (int k = 0; k < 8 * N; k++) {
      /* Bytes k % 2 and k % 2 + 2 of a half of a word. */
      uint32_t half = (uint32_t) (many[k / 8][k / 2 % 2] >> 32 * (k / 4 % 2));
      uint32_t n = sum_of_lanes (half >> 8 * (k % 2) & 0x00ff00ff);
      uint32_t bits = 16 * (k / 8) + 8 * (k / 4 % 2) + 2 * (k % 2) + k / 2 % 2;

      if (lane + 1 == bits)
        top = n & 0xffff;
      if (lane + 1 == bits + 4)
        top = n >> 16;
    }
    clear ();
    return top;
  }
};

/* Loads that a lane waits for together, and lines that counters hold. */
#define LINES_AT_ONCE 8
#define LINES_OF_COUNTER 64

template <typename T>
static DEVICE void
count_lines (const T *coefficients, const PacoGpuBlock &block, uint32_t lane,
    uint32_t first, uint32_t n, BlockCells &cells, Counter<T> &counter)
{
  uint32_t x[LINES_AT_ONCE][2];

#pragma unroll
  for (uint32_t k = 0; k < LINES_AT_ONCE; k++) {
    uint32_t y = paco_rate_counted_line (first + k, block.counts_all);

    x[k][0] = x[k][1] = 0;
    if (k < n && 2 * lane < block.width)
      load_two (coefficients + (size_t) y * block.stride, x[k]);
    if (2 * lane + 1 >= block.width)
      x[k][1] = 0;
  }
#pragma unroll
  for (uint32_t k = 0; k < LINES_AT_ONCE; k++) {
    if (cells.cells && k < n) {
      cells.find (
          cells.row (paco_rate_counted_line (first + k, block.counts_all)));
      x[k][0] = cells.coarser_wide (0, x[k][0]);
      x[k][1] = cells.coarser_wide (1, x[k][1]);
    }
    counter.count (x[k][0]);
    counter.count (x[k][1]);
    if (k % 4 == 3)
      counter.spread ();
  }
}

/* PacoBlockCounts.top of counted lines: lane p has plane p's. */
template <typename T>
static DEVICE uint32_t
count_block (const PacoRateCountParameters &p, const PacoGpuBlock &block,
    uint32_t lane, uint32_t n_lines)
{
  const T *coefficients = (const T *) p.coefficients + block.coefficients
      + 2 * lane;
  Counter<T> counter;
  BlockCells cells (p.cells, block, lane);
  uint32_t top = 0;

#pragma unroll 1
  for (uint32_t n = 0; n < n_lines; n += LINES_AT_ONCE) {
    count_lines (coefficients, block, lane, n, n_lines - n, cells, counter);
    if (n % LINES_OF_COUNTER == LINES_OF_COUNTER - LINES_AT_ONCE
        || n + LINES_AT_ONCE >= n_lines)
      top += counter.take (lane);
  }
  return top;
}

/* paco_rate_block_bits() with a lane for each plane. */
static DEVICE uint32_t
bits_of_lane (
    uint32_t top, uint32_t lane, uint32_t n_counted, uint32_t n, bool checks)
{
  uint32_t n_significant = top, own;
  uint64_t cost;

#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    uint32_t other = __shfl_down_sync (ALL_LANES, n_significant, distance);

    if (lane + distance < 32)
      n_significant += other;
  }
  own = n_significant - top; /* before this plane */
  cost = paco_rate_plane_cost (own, top, n_counted);
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    uint64_t other = __shfl_down_sync (ALL_LANES, cost, distance);

    if (lane + distance < 32)
      cost += other;
  }
  return paco_rate_bits_of_cost (
      cost, n_significant, top, n_counted, n, checks);
}

template <typename T>
static DEVICE void
count (const PacoRateCountParameters &p)
{
  uint32_t i = block_of_warp (), lane = threadIdx.x % 32, n_lines, top, bits;
  PacoGpuBlock block;

  if (i >= p.n_blocks)
    return;
  block = p.blocks[i];
  n_lines = paco_rate_counted_lines (block.height, block.counts_all);
  top = count_block<T> (p, block, lane, n_lines);
  bits = bits_of_lane (top, lane, n_lines * block.width,
      (uint32_t) block.width * block.height, p.block_checks);
  bits = __shfl_sync (ALL_LANES, bits,
      min (lane + block.lost_planes, (uint32_t) PACO_RATE_PLANES));
  if (lane <= PACO_RATE_PLANES)
    atomicAdd ((unsigned long long *) &p.sums[block.entry].bits[lane],
        (unsigned long long) bits);
}

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_COUNT_THREADS)
    paco_rate_count_16 (PacoRateCountParameters p)
{
  count<int16_t> (p);
}

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_COUNT_THREADS)
    paco_rate_count_32 (PacoRateCountParameters p)
{
  count<int32_t> (p);
}

/* --- Deciding --- */

/* Shared memory has the sums, then what each warp found. */
struct Decision
{
  const PacoRateDecideParameters &p;
  uint32_t *fits;
  PacoRateBits *sums;

  DEVICE Decision (const PacoRateDecideParameters &p_) : p (p_)
  {
    sums = (PacoRateBits *) shared;
    fits = (uint32_t *) (sums + p.n_entries);
  }

  /* Copies the sums for all threads and the host, and clears them. */
  DEVICE void load_sums ()
  {
    for (uint32_t i = threadIdx.x; i < p.n_entries * (PACO_RATE_PLANES + 1);
         i += blockDim.x) {
      uint64_t bits = p.sums->bits[i];

      sums->bits[i] = bits;
      p.host_sums->bits[i] = bits;
      p.sums->bits[i] = 0;
    }
    __syncthreads ();
  }

  /* True if paco_rate_estimate() of a number is within the budget; for a warp. */
  DEVICE bool is_within_budget (uint32_t number, uint32_t lane) const
  {
    const PacoRateStep *steps = p.steps + (uint64_t) number * p.n_entries;
    uint64_t bits = 0;

    for (uint32_t e = lane; e < p.n_entries; e += 32)
      bits += paco_rate_bits (&sums[e], steps[e].threshold);
    for (int distance = 16; distance > 0; distance /= 2)
      bits += __shfl_xor_sync (ALL_LANES, bits, distance);
    return bits / 8 * p.correction / PACO_RATE_CORRECTION_ONE <= p.budget;
  }
};

/* The range of a binary search. */
struct Range
{
  uint32_t first, last;

  DEVICE uint32_t middle () const
  {
    return (first + last) / 2;
  }

  DEVICE void halve (bool fits)
  {
    if (first >= last)
      return;
    if (fits)
      last = middle ();
    else
      first = middle () + 1;
  }
};

/* Halvings at a time. Each warp but the first tries one of the numbers that may be
 * tried in them: warp 1 the middle of the range, warp 2w the number after warp w's if
 * that fits, warp 2w + 1 the one if not. */
#define HALVINGS 3
static_assert (PACO_RATE_DECIDE_THREADS / 32 == 1 << HALVINGS, "");

static DEVICE uint32_t
number_of_warp (Range range, uint32_t warp)
{
  for (int bit = 30 - __clz (warp); bit >= 0; bit--)
    range.halve ((warp >> bit & 1) == 0);
  return range.middle ();
}

/* paco_rate_choose() */
extern "C" __global__ void
__launch_bounds__ (PACO_RATE_DECIDE_THREADS)
    paco_rate_decide (PacoRateDecideParameters p)
{
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Range range = { 0, p.n_numbers - 1 };
  Decision decision (p);

  if (p.is_known) {
    if (threadIdx.x == 0)
      *p.number = p.known;
    return;
  }
  decision.load_sums ();
  while (range.first < range.last) {
    uint32_t at = 1;

    if (warp > 0) {
      bool fits = decision.is_within_budget (
          number_of_warp (range, warp), lane);

      if (lane == 0)
        decision.fits[warp] = fits;
    }
    __syncthreads ();
    for (int k = 0; k < HALVINGS; k++) {
      bool fits = decision.fits[at];

      range.halve (fits);
      at = 2 * at + !fits;
    }
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    *p.number = range.first;
}

/* --- Finding cuts --- */

static DEVICE uint32_t
bytes_of_record (const PacoGpuRecord &record, bool checks)
{
  bool extension = record.raw_planes > 0 || record.dropped_planes > 0;

  return paco_record_size (record.planes == 0, record.length, extension, checks)
      + record.length;
}

/* The weight of a block's cuts, by subband and area. */
static DEVICE int
weight_of (const PacoRateFitParameters &p, const PacoGpuBlock &block)
{
  int weight = p.steps
      ? p.steps[(uint64_t) *p.number * p.n_entries + block.entry].weight
      : p.weights[block.entry];

  return weight - 16 * block.lost_planes;
}

template <typename T>
static DEVICE void
load_rows (const T *from, uint32_t at, uint32_t lane, T *rows)
{
#pragma unroll 8
  for (int k = 0; k < 32; k++) {
    uint32_t row = __shfl_sync (ALL_LANES, at, k);

    if (lane < PACO_BPC_PLANES_32)
      rows[k * PACO_RATE_ROW_WORDS + lane] =
          from[(size_t) row * PACO_BPC_PLANES_32 + lane];
  }
  __syncwarp ();
}

/* Adds what the block's cuts save to the thread block's sums. */
static DEVICE void
note_pieces (const PacoRateFitParameters &p, const PacoRateCuts &cuts,
    uint32_t at, uint32_t bytes, uint32_t *saved)
{
  PacoRatePieces pieces = {};
  uint32_t before = bytes;

#pragma unroll
  for (uint32_t k = 0; k <= PACO_RATE_MAX_CUTS; k++) {
    uint32_t after;

    if (cuts.zero || k > cuts.n)
      break;
    after = (uint32_t) paco_rate_cut_bytes (&cuts, k, p.block_checks);
    if (p.cut_points && k < cuts.n)
      after += PACO_RATE_POINTS_BYTES (cuts.n - k - 1);
    pieces.bytes[k] = (uint16_t) (before - after);
    pieces.worth[k] = cuts.worth[k];
    atomicAdd (&saved[cuts.worth[k]], before - after);
    before = after;
  }
  p.pieces[at] = pieces;
}

/* Returns the block's bytes in index and payload. tops and ends are its rows. */
static DEVICE uint32_t
find_cuts (const PacoRateFitParameters &p, uint32_t i, const uint32_t *tops,
    const uint16_t *ends, PacoRateCuts &cuts)
{
  const PacoGpuBlock block = p.blocks[i];
  PacoGpuRecord record = p.records[block.record];
  uint32_t bytes = bytes_of_record (record, p.block_checks);

  paco_rate_find_cuts (tops, ends, record.planes, record.dropped_planes,
      (int) bytes, p.block_checks, weight_of (p, block), &cuts);
  if (p.cut_points && !cuts.zero)
    bytes += PACO_RATE_POINTS_BYTES (cuts.n);
  p.cuts[block.record] = cuts;
  return bytes;
}

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_FIND_THREADS)
    paco_rate_find (PacoRateFitParameters p)
{
  uint32_t i = blockIdx.x * PACO_RATE_FIND_THREADS + threadIdx.x;
  uint32_t lane = threadIdx.x % 32, first = threadIdx.x - lane;
  uint32_t *saved = shared, *tops = saved + PACO_RATE_WORTHS;
  uint16_t *ends = (uint16_t *) (tops
      + PACO_RATE_FIND_THREADS * PACO_RATE_ROW_WORDS);
  uint32_t at = p.blocks[min (i, p.n_blocks - 1)].record, bytes = 0;
  PacoRateCuts cuts;

  for (uint32_t w = threadIdx.x; w < PACO_RATE_WORTHS; w += blockDim.x)
    saved[w] = 0;
  __syncthreads ();
  load_rows (p.tops, at, lane, tops + first * PACO_RATE_ROW_WORDS);
  load_rows (p.plane_ends, at, lane, ends + first * PACO_RATE_ROW_WORDS);
  if (i < p.n_blocks)
    bytes = find_cuts (p, i, tops + threadIdx.x * PACO_RATE_ROW_WORDS,
        ends + threadIdx.x * PACO_RATE_ROW_WORDS, cuts);
  if (!p.steps)
    return;

  if (i < p.n_blocks)
    note_pieces (p, cuts, at, bytes, saved);
  bytes = sum_of_lanes (bytes);
  if (lane == 0)
    atomicAdd (&p.sums->bytes, bytes);
  __syncthreads ();
  for (uint32_t w = threadIdx.x; w < PACO_RATE_WORTHS; w += blockDim.x)
    if (saved[w] > 0)
      atomicAdd (&p.sums->saved[w], saved[w]);
}

/* --- Choosing them: paco_rate_cut() --- */

/* The consecutive blocks of a thread. */
struct OwnBlocks
{
  const PacoRateFitParameters &p;
  uint32_t first, end;

  DEVICE OwnBlocks (const PacoRateFitParameters &p_) : p (p_)
  {
    uint32_t each = (p.n_blocks + PACO_RATE_FIT_THREADS - 1)
        / PACO_RATE_FIT_THREADS;

    first = min (threadIdx.x * each, p.n_blocks);
    end = min (first + each, p.n_blocks);
  }

  /* What the last cut of the block saves. */
  DEVICE uint32_t last_piece (uint32_t i) const
  {
    return p.pieces[i].bytes[p.lost[i] - 1];
  }
};

struct Common
{
  uint32_t *of_warps; /* one for each warp */
  uint32_t *found;    /* first block whose last piece fits */
  uint32_t *used;     /* what has come back of what was cut too much */

  DEVICE Common ()
  {
    of_warps = shared;
    found = of_warps + PACO_RATE_FIT_THREADS / 32;
    used = found + 1;
  }

  /* Sum of the values of the threads before this one, and of all. */
  DEVICE uint32_t scan (uint32_t value, uint32_t *all) const
  {
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t before = sum_of_lanes_before (value, lane), mine;

    __syncthreads ();
    if (lane == 31)
      of_warps[warp] = before + value;
    __syncthreads ();
    mine = lane < PACO_RATE_FIT_THREADS / 32 ? of_warps[lane] : 0;
    *all = sum_of_lanes (mine);
    mine = sum_of_lanes_before (mine, lane);
    return before + __shfl_sync (ALL_LANES, mine, warp);
  }
};

/* Finds the worth of which only a part must go, and *left, the bytes after all that is
 * worth less has gone. Each of the first threads has a worth, whose cuts save
 * `saved`. */
static DEVICE uint32_t
find_worth (const Common &common, uint32_t saved, uint64_t total,
    uint64_t budget, uint64_t *left)
{
  uint32_t all, worth, gone;
  uint32_t before = common.scan (saved, &all);
  bool goes = threadIdx.x < PACO_RATE_WORTHS - 1
      && total - before - saved > budget;

  /* Worths that go as a whole are the lowest, so their number is the worth. */
  common.scan (goes, &worth);
  common.scan (goes ? saved : 0, &gone);
  *left = total - gone;
  return worth;
}

/* Cuts what is worth less than `worth`, and of what is worth that as much as needed;
 * returns the remaining bytes. */
static DEVICE uint64_t
take_cuts (const OwnBlocks &own, const Common &common, uint32_t worth,
    uint64_t left, uint64_t budget)
{
  const PacoRateFitParameters &p = own.p;
  uint32_t equal = 0, removed = 0, all;

#pragma unroll 4
  for (uint32_t i = own.first; i < own.end; i++) {
    PacoRatePieces pieces = p.pieces[i];

#pragma unroll
    for (int k = 0; k <= PACO_RATE_MAX_CUTS; k++)
      equal += pieces.worth[k] == worth ? pieces.bytes[k] : 0;
  }

  uint64_t here = left - common.scan (equal, &all);

  /* In a block worth does not fall from cut to cut, and missing cuts have no bytes. */
#pragma unroll 4
  for (uint32_t i = own.first; i < own.end; i++) {
    PacoRatePieces pieces = p.pieces[i];
    uint32_t lost = 0;

#pragma unroll
    for (int k = 0; k <= PACO_RATE_MAX_CUTS; k++) {
      uint32_t bytes = pieces.bytes[k];

      if (bytes == 0 || pieces.worth[k] > worth)
        continue;
      if (pieces.worth[k] == worth) {
        if (here <= budget)
          continue;
        here -= bytes;
        removed += bytes;
      }
      lost = k + 1;
    }
    p.lost[i] = lost;
  }
  common.scan (removed, &all);
  return left - all;
}

/* Restores cuts that still fit, block by block. The room only shrinks, so a block that
 * did not fit is not looked at again. */
static DEVICE void
bring_back (const OwnBlocks &own, const Common &common, uint32_t slack)
{
  const PacoRateFitParameters &p = own.p;
  uint32_t i = own.first;

  for (;;) {
    uint32_t found;

    while (i < own.end && (p.lost[i] == 0 || own.last_piece (i) > slack))
      i++;
    if (threadIdx.x == 0)
      *common.found = ~0u;
    __syncthreads ();
    if (i < own.end)
      atomicMin (common.found, i);
    __syncthreads ();
    found = *common.found;
    if (found == ~0u)
      return;
    if (i < own.end && i == found) {
      *common.used = own.last_piece (i);
      p.lost[i]--;
    }
    __syncthreads ();
    slack -= *common.used;
  }
}

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_FIT_THREADS)
    paco_rate_fit (PacoRateFitParameters p)
{
  OwnBlocks own (p);
  Common common;
  uint32_t saved = 0, bytes = p.sums->bytes, worth;
  uint64_t left;

  if (threadIdx.x < PACO_RATE_WORTHS) {
    saved = p.sums->saved[threadIdx.x];
    p.sums->saved[threadIdx.x] = 0;
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    *p.host_bytes = bytes;
    p.sums->bytes = 0;
  }
  if (bytes <= p.budget) {
    for (uint32_t i = threadIdx.x; i < p.n_blocks; i += blockDim.x)
      p.lost[i] = 0;
    return;
  }
  worth = find_worth (common, saved, bytes, p.budget, &left);
  left = take_cuts (own, common, worth, left, p.budget);
  if (left <= p.budget)
    bring_back (own, common, (uint32_t) (p.budget - left));
}

/* --- Shortening blocks: paco_record_cut() --- */

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_SHORTEN_THREADS)
    paco_rate_shorten (PacoRateFitParameters p)
{
  uint32_t i = block_of_warp (), lane = threadIdx.x % 32, at, lost;
  PacoGpuRecord record;
  PacoRateCuts cuts;

  if (i >= p.n_blocks)
    return;
  at = p.blocks[i].record;
  lost = p.lost[at];
  if (lost == 0)
    return;
  record = p.records[at];
  cuts = p.cuts[at];
  if (lost - 1 == cuts.n) {
    record = PacoGpuRecord{};
  } else {
    record.flags = (record.flags & ~PACO_GPU_RAW_LEFT_SIGNS) | PACO_GPU_CUT;
    record.dropped_planes = cuts.plane[lost - 1];
    record.raw_planes = 0;
    record.length = 4 * cuts.codewords[lost - 1];
    if (p.block_checks)
      record.check = check_of_block (
          p.code + p.blocks[i].code, 0, record.length, lane);
  }
  __syncwarp (); /* other lanes have read what lane 0 is going to change */
  if (lane > 0)
    return;
  if (record.planes > 0) {
    paco_rate_forget_cuts (&cuts, lost);
    p.cuts[at] = cuts;
  }
  p.records[at] = record;
}
