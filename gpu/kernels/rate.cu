/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames with a budget (codec/rate_control.h) without a word from the host: counts
 * of coefficients, the step number that follows from them, and after the block
 * coder the cuts that make the frame fit. What is decided, and by which
 * arithmetic, stands in codec/rate_estimate.h, rate_worth.h and rate_cut.c; here it
 * is done by many threads at a time, with the same result. */
#include "gpu/kernels/rate.h"
#include "gpu/kernels/bpc_check.cuh"

static __device__ __forceinline__ uint64_t
sum_of_lanes_64 (uint64_t value)
{
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync (ALL_LANES, value, distance);
  return value;
}

/* --- Counting --- */

/* How many coefficients of a lane have their highest bit in each plane, a byte
 * each: byte p + 1 is plane p's. */
struct Counter
{
  uint64_t words[4];

  __device__ __forceinline__ void count (uint32_t magnitude)
  {
    uint32_t at = 32 - __clz (magnitude);
    uint64_t one = (uint64_t) 1 << 8 * (at % 8);

#pragma unroll
    for (int i = 0; i < 4; i++)
      words[i] += at / 8 == i ? one : 0;
  }

  __device__ __forceinline__ uint32_t of_plane (int p) const
  {
    return (uint32_t) (words[(p + 1) / 8] >> 8 * ((p + 1) % 8)) & 255;
  }
};

static __device__ __forceinline__ void
load_two (const int16_t *at, int (&x)[2])
{
  uint32_t pair = *(const uint32_t *) at;

  x[0] = (int16_t) pair;
  x[1] = (int16_t) (pair >> 16);
}

static __device__ __forceinline__ void
load_two (const int32_t *at, int (&x)[2])
{
  int2 pair = *(const int2 *) at;

  x[0] = pair.x;
  x[1] = pair.y;
}

/* The lines of the block that the warp counts; returns how many columns' worth of
 * coefficients there are in all lines that are counted. */
template <typename T>
static __device__ __forceinline__ uint32_t
count_lines (const PacoRateCountParameters &p, const PacoGpuBlock &block,
    uint32_t lane, uint32_t warp, Counter &counter)
{
  const T *first = (const T *) p.coefficients + block.coefficients + 2 * lane;
  uint32_t n = 0;

  for (uint32_t y = 0; y < block.height; y++) {
    int x[2];

    if (!paco_rate_counts_line (y, block.counts_all))
      continue;
    if (n++ % (PACO_RATE_COUNT_THREADS / 32) != warp || 2 * lane >= block.width)
      continue;
    load_two (first + (size_t) y * block.stride, x);
    counter.count (min (abs (x[0]), (1 << 23) - 1));
    if (2 * lane + 1 < block.width)
      counter.count (min (abs (x[1]), (1 << 23) - 1));
  }
  return n * block.width;
}

/* paco_rate_block_bits() with a lane for each plane. */
static __device__ __forceinline__ uint32_t
bits_of_lane (uint32_t top, uint32_t n_counted, uint32_t n, bool checks)
{
  uint32_t n_significant = top, own;
  uint64_t cost;

#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    uint32_t other = __shfl_down_sync (ALL_LANES, n_significant, distance);

    if (threadIdx.x + distance < 32)
      n_significant += other;
  }
  own = n_significant - top; /* before this plane */
  cost = paco_rate_plane_cost (own, top, n_counted);
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    uint64_t other = __shfl_down_sync (ALL_LANES, cost, distance);

    if (threadIdx.x + distance < 32)
      cost += other;
  }
  return paco_rate_bits_of_cost (
      cost, n_significant, top, n_counted, n, checks);
}

template <typename T>
static __device__ __forceinline__ void
count (const PacoRateCountParameters &p)
{
  PacoGpuBlock block = p.blocks[blockIdx.x];
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Counter counter = { { 0, 0, 0, 0 } };
  uint32_t n_counted = count_lines<T> (p, block, lane, warp, counter);
  uint32_t top = 0, bits;
  PacoRateBits *sum = p.sums + block.entry;

#pragma unroll
  for (int plane = 0; plane < PACO_RATE_PLANES; plane++) {
    uint32_t n = sum_of_lanes (counter.of_plane (plane));

    if (lane == (uint32_t) plane)
      shared[warp * PACO_RATE_PLANES + plane] = n;
  }
  __syncthreads ();
  if (warp > 0)
    return;
  if (lane < PACO_RATE_PLANES)
    for (int w = 0; w < PACO_RATE_COUNT_THREADS / 32; w++)
      top += shared[w * PACO_RATE_PLANES + lane];
  bits = bits_of_lane (
      top, n_counted, (uint32_t) block.width * block.height, p.block_checks);
  bits = __shfl_sync (ALL_LANES, bits,
      min (lane + block.lost_planes, (uint32_t) PACO_RATE_PLANES));
  if (lane <= PACO_RATE_PLANES)
    atomicAdd (
        (unsigned long long *) &sum->bits[lane], (unsigned long long) bits);
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

/* paco_rate_estimate() of all threads together. */
static __device__ __forceinline__ uint64_t
estimate (const PacoRateDecideParameters &p, uint32_t number)
{
  uint64_t *of_warps = (uint64_t *) shared;
  const PacoRateStep *steps = p.steps + (uint64_t) number * p.n_entries;
  uint64_t bits = 0;

  for (uint32_t e = threadIdx.x; e < p.n_entries; e += blockDim.x)
    bits += paco_rate_bits (&p.sums[e], steps[e].threshold);
  bits = sum_of_lanes_64 (bits);
  if (threadIdx.x % 32 == 0)
    of_warps[threadIdx.x / 32] = bits;
  __syncthreads ();
  bits = 0;
  for (int w = 0; w < PACO_RATE_DECIDE_THREADS / 32; w++)
    bits += of_warps[w];
  __syncthreads ();
  return bits / 8;
}

/* paco_rate_choose() */
extern "C" __global__ void
__launch_bounds__ (PACO_RATE_DECIDE_THREADS)
    paco_rate_decide (PacoRateDecideParameters p)
{
  uint32_t first = 0, last = p.n_numbers - 1;

  while (!p.is_known && first < last) {
    uint32_t middle = (first + last) / 2;
    uint64_t bytes = estimate (p, middle);

    if (bytes * p.correction / PACO_RATE_CORRECTION_ONE <= p.budget)
      last = middle;
    else
      first = middle + 1;
  }
  if (threadIdx.x == 0)
    *p.number = p.is_known ? p.known : first;
  for (uint32_t i = threadIdx.x;
       !p.is_known && i < p.n_entries * (PACO_RATE_PLANES + 1);
       i += blockDim.x) {
    p.host_sums->bits[i] = p.sums->bits[i];
    p.sums->bits[i] = 0;
  }
}

/* --- Finding cuts --- */

static __device__ __forceinline__ uint32_t
bytes_of_record (const PacoGpuRecord &record, bool checks)
{
  bool extension = record.raw_planes > 0 || record.dropped_planes > 0;

  return paco_record_size (record.planes == 0, record.length, extension, checks)
      + record.length;
}

/* What the worth of a block's cuts has to do with its subband and its area. */
static __device__ __forceinline__ int
weight_of (const PacoRateFitParameters &p, const PacoGpuBlock &block)
{
  int weight = p.steps
      ? p.steps[(uint64_t) *p.number * p.n_entries + block.entry].weight
      : p.weights[block.entry];

  return weight - 16 * block.lost_planes;
}

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_FIND_THREADS)
    paco_rate_find (PacoRateFitParameters p)
{
  uint32_t i = blockIdx.x * PACO_RATE_FIND_THREADS + threadIdx.x;
  PacoGpuRecord record;
  PacoRateCuts cuts;
  uint32_t at, bytes;

  if (i >= p.n_blocks)
    return;
  at = p.blocks[i].record;
  record = p.records[at];
  bytes = bytes_of_record (record, p.block_checks);
  paco_rate_find_cuts (p.tops + (size_t) at * PACO_BPC_PLANES_32,
      p.plane_ends + (size_t) at * PACO_BPC_PLANES_32, record.planes,
      record.dropped_planes, (int) bytes, p.block_checks,
      weight_of (p, p.blocks[i]), &cuts);
  if (p.cut_points && !cuts.zero)
    bytes += PACO_RATE_POINTS_BYTES (cuts.n);
  p.cuts[at] = cuts;
  p.bytes[at] = bytes;
}

/* --- Choosing them: paco_rate_cut() --- */

/* Blocks of a thread, one behind the other. */
struct Share
{
  const PacoRateFitParameters &p;
  uint32_t first, end;

  __device__ __forceinline__ Share (const PacoRateFitParameters &p_) : p (p_)
  {
    uint32_t each = (p.n_blocks + PACO_RATE_FIT_THREADS - 1)
        / PACO_RATE_FIT_THREADS;

    first = min (threadIdx.x * each, p.n_blocks);
    end = min (first + each, p.n_blocks);
  }

  __device__ __forceinline__ uint32_t n_cuts (uint32_t i) const
  {
    return p.cuts[i].zero ? 0 : p.cuts[i].n + 1u;
  }

  __device__ __forceinline__ uint32_t bytes_after (
      uint32_t i, uint32_t lost) const
  {
    uint32_t bytes;

    if (lost == 0)
      return p.bytes[i];
    bytes = (uint32_t) paco_rate_cut_bytes (
        &p.cuts[i], lost - 1, p.block_checks);
    if (p.cut_points && lost <= p.cuts[i].n)
      bytes += PACO_RATE_POINTS_BYTES (p.cuts[i].n - lost);
    return bytes;
  }

  /* Of what the block loses with one cut more. */
  __device__ __forceinline__ uint32_t piece (uint32_t i, uint32_t lost) const
  {
    return bytes_after (i, lost) - bytes_after (i, lost + 1);
  }
};

/* Words of shared memory that all threads use. */
struct Common
{
  uint32_t *saved;    /* by worth */
  uint32_t *of_warps; /* one for each warp */
  uint32_t *found;    /* first block whose last piece fits */
  uint32_t *used;     /* what has come back of what was cut too much */

  __device__ __forceinline__ Common ()
  {
    saved = shared;
    of_warps = saved + PACO_RATE_WORTHS;
    found = of_warps + PACO_RATE_FIT_THREADS / 32;
    used = found + 1;
  }

  /* Sum of the values of the threads before this one, and of all. Frames are
   * smaller than 4 GiB. */
  __device__ __forceinline__ uint32_t scan (uint32_t value, uint32_t *all) const
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

/* The worth of which only a part goes, and in *left what is left when all that is
 * worth less has gone. Worths are the first threads'. */
static __device__ __forceinline__ uint32_t
find_worth (
    const Common &common, uint64_t total, uint64_t budget, uint64_t *left)
{
  bool has = threadIdx.x < PACO_RATE_WORTHS - 1;
  uint32_t saved = has ? common.saved[threadIdx.x] : 0, all, worth, gone;
  uint32_t before = common.scan (saved, &all);
  bool goes = has && total - before - saved > budget;

  /* Those that go are the first ones. */
  common.scan (goes, &worth);
  common.scan (goes ? saved : 0, &gone);
  *left = total - gone;
  return worth;
}

/* Takes what is worth less than `worth`, and of what is worth that as much as is
 * needed; returns what is left in all. */
static __device__ __forceinline__ uint64_t
take_cuts (const Share &share, const Common &common, uint32_t worth,
    uint64_t left, uint64_t budget)
{
  const PacoRateFitParameters &p = share.p;
  uint32_t equal = 0, removed = 0, all;

  for (uint32_t i = share.first; i < share.end; i++) {
    uint32_t n = share.n_cuts (i), lost = 0;

    while (lost < n && p.cuts[i].worth[lost] < worth)
      lost++;
    p.lost[i] = lost;
    for (; lost < n && p.cuts[i].worth[lost] == worth; lost++)
      equal += share.piece (i, lost);
  }

  uint64_t here = left - common.scan (equal, &all);

  for (uint32_t i = share.first; i < share.end; i++) {
    uint32_t n = share.n_cuts (i), lost = p.lost[i];

    while (lost < n && p.cuts[i].worth[lost] == worth && here > budget) {
      uint32_t piece = share.piece (i, lost++);

      here -= piece;
      removed += piece;
    }
    p.lost[i] = lost;
  }
  common.scan (removed, &all);
  return left - all;
}

/* Brings back what still fits, block by block. What is left to be filled only
 * shrinks, so a block that did not fit is never looked at again. */
static __device__ __forceinline__ void
bring_back (const Share &share, const Common &common, uint32_t slack)
{
  const PacoRateFitParameters &p = share.p;
  uint32_t i = share.first;

  for (;;) {
    uint32_t found;

    while (i < share.end
        && (p.lost[i] == 0 || share.piece (i, p.lost[i] - 1u) > slack))
      i++;
    __syncthreads ();
    if (threadIdx.x == 0)
      *common.found = ~0u;
    __syncthreads ();
    if (i < share.end)
      atomicMin (common.found, i);
    __syncthreads ();
    found = *common.found;
    if (found == ~0u)
      return;
    if (i < share.end && i == found) {
      p.lost[i]--;
      *common.used = share.piece (i, p.lost[i]);
    }
    __syncthreads ();
    slack -= *common.used;
  }
}

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_FIT_THREADS)
    paco_rate_fit (PacoRateFitParameters p)
{
  Share share (p);
  Common common;
  uint32_t bytes = 0, all, worth;
  uint64_t left;

  for (uint32_t w = threadIdx.x; w < PACO_RATE_WORTHS; w += blockDim.x)
    common.saved[w] = 0;
  __syncthreads ();
  for (uint32_t i = share.first; i < share.end; i++) {
    bytes += p.bytes[i];
    p.lost[i] = 0;
    for (uint32_t k = 0; k < share.n_cuts (i); k++)
      atomicAdd (&common.saved[p.cuts[i].worth[k]], share.piece (i, k));
  }
  common.scan (bytes, &all);
  if (threadIdx.x == 0)
    *p.host_bytes = all;
  if (all <= p.budget)
    return;
  worth = find_worth (common, all, p.budget, &left);
  left = take_cuts (share, common, worth, left, p.budget);
  if (left <= p.budget)
    bring_back (share, common, (uint32_t) (p.budget - left));
}

/* --- Shortening blocks: paco_record_cut() --- */

extern "C" __global__ void
__launch_bounds__ (PACO_RATE_SHORTEN_THREADS)
    paco_rate_shorten (PacoRateFitParameters p)
{
  uint32_t at = p.blocks[blockIdx.x].record, lost = p.lost[at];
  PacoGpuRecord record = p.records[at];
  PacoRateCuts cuts;

  if (lost == 0)
    return;
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
          p.code + p.blocks[blockIdx.x].code, 0, record.length, threadIdx.x);
  }
  __syncwarp (); /* who reads what lane 0 is going to change */
  if (threadIdx.x > 0)
    return;
  if (record.planes > 0) {
    paco_rate_forget_cuts (&cuts, lost);
    p.cuts[at] = cuts;
  }
  p.records[at] = record;
}
