/* SPDX-License-Identifier: LGPL-2.1-or-later
 * From coded blocks to the codestream (FORMAT.md section 6): a prefix sum over the
 * blocks' lengths says where their bytes belong, then these are copied there. Blocks
 * begin on any byte. Writes are wide and aligned, 16 bytes a lane, but for the ends of
 * a block. */
#include "codec/record.h"
#include "gpu/kernels/device.cuh"
#include "gpu/kernels/pack.h"

/* --- Sizes --- */

static __device__ bool
has_extension (const PacoGpuRecord &record)
{
  return record.raw_planes > 0 || record.dropped_planes > 0
      || record.flags & PACO_GPU_CUT;
}

static __device__ uint32_t
record_size (const PacoGpuRecord &record, bool checks)
{
  return paco_record_size (
      record.planes == 0, record.length, has_extension (record), checks);
}

static __device__ uint8_t *
put_16 (uint8_t *out, uint32_t value)
{
  *out++ = value;
  *out++ = value >> 8;
  return out;
}

static __device__ void
write_record (const PacoGpuRecord &record, bool checks, uint8_t *out)
{
  uint32_t raw = record.raw_planes, first = record.planes;

  if (record.planes == 0) {
    *out = 0;
    return;
  }
  if (raw + record.dropped_planes == record.planes)
    raw = PACO_ALL_PLANES_RAW;
  if (record.flags & PACO_GPU_CUT)
    raw = PACO_CUT_RECORD;
  if (record.flags & PACO_GPU_SHARED_CODEWORDS)
    first |= PACO_RECORD_SHARED_CODEWORDS;
  if (record.flags & PACO_GPU_RAW_LEFT_SIGNS)
    first |= PACO_RECORD_RAW_LEFT_SIGNS;
  if (has_extension (record))
    first |= PACO_RECORD_EXTENSION;
  *out++ = first;
  out = put_16 (out,
      min ((uint32_t) record.length, (uint32_t) PACO_LENGTH_ESCAPE)
          | record.set << PACO_LENGTH_BITS);
  if (record.length >= PACO_LENGTH_ESCAPE)
    out = put_16 (out, record.length);
  if (has_extension (record))
    *out++ = raw | record.dropped_planes << 4;
  if (checks)
    put_16 (out, record.check);
}

/* Index and payload bytes in one number, so that one scan adds up both: room for 2^20
 * blocks of 8 index bytes, and 2^40 bytes of payload. */
#define PAYLOAD_BITS 40

static __device__ uint64_t
scan_warp (uint64_t value, uint32_t lane)
{
  for (uint32_t distance = 1; distance < 32; distance *= 2) {
    uint64_t other = __shfl_up_sync (ALL_LANES, value, distance);

    if (lane >= distance)
      value += other;
  }
  return value;
}

/* Sum of the values of the threads before this one, and of all. */
static __device__ uint64_t
scan_threads (uint64_t value, uint64_t *all)
{
  __shared__ uint64_t of_warps[PACO_PACK_SCAN_THREADS / 32];
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint64_t inclusive = scan_warp (value, lane);
  uint64_t before;

  if (lane == 31)
    of_warps[warp] = inclusive;
  __syncthreads ();
  if (warp == 0)
    of_warps[lane] = scan_warp (of_warps[lane], lane);
  __syncthreads ();
  before = warp > 0 ? of_warps[warp - 1] : 0;
  *all = of_warps[PACO_PACK_SCAN_THREADS / 32 - 1];
  __syncthreads ();
  return before + inclusive - value;
}

#define SCAN_RECORDS 4 /* of a thread at a time */

/* Writes the cut points of all blocks; returns their bytes. */
static __device__ uint32_t
write_cut_points (const PacoPackParameters &p, uint8_t *out)
{
  uint32_t before = 0;

  for (uint32_t first = 0; first < p.n_blocks;
       first += PACO_PACK_SCAN_THREADS) {
    uint32_t i = first + threadIdx.x, size = 0;
    PacoRateCuts cuts;
    uint64_t all, at;

    if (i < p.n_blocks && p.records[i].planes > 0) {
      cuts = p.cuts[i];
      size = PACO_RATE_POINTS_BYTES (cuts.n);
    }
    at = before + scan_threads (size, &all);
    if (size > 0)
      paco_rate_write_points (&cuts, out + at);
    before += (uint32_t) all;
  }
  return before;
}

/* One thread block, as there are only some thousand records. */
extern "C" __global__ void
__launch_bounds__ (PACO_PACK_SCAN_THREADS) paco_pack_scan (PacoPackParameters p)
{
  const uint64_t payload_mask = ((uint64_t) 1 << PAYLOAD_BITS) - 1;
  uint64_t before = 0;
  uint32_t records_size, points_size = 0;

  for (uint32_t first = 0; first < p.n_blocks;
       first += SCAN_RECORDS * PACO_PACK_SCAN_THREADS) {
    uint32_t i = first + SCAN_RECORDS * threadIdx.x;
    PacoGpuRecord records[SCAN_RECORDS];
    uint64_t sizes[SCAN_RECORDS], sum = 0, all, at;

#pragma unroll
    for (int k = 0; k < SCAN_RECORDS; k++) {
      sizes[k] = 0;
      if (i + k < p.n_blocks) {
        records[k] = p.records[i + k];
        sizes[k] = (uint64_t) record_size (records[k], p.block_checks)
                << PAYLOAD_BITS
            | records[k].length;
      }
      sum += sizes[k];
    }
    at = before + scan_threads (sum, &all);
#pragma unroll
    for (int k = 0; k < SCAN_RECORDS; k++) {
      if (i + k < p.n_blocks) {
        p.records[i + k].offset = (uint32_t) (at & payload_mask);
        write_record (
            records[k], p.block_checks, p.index + (at >> PAYLOAD_BITS));
      }
      at += sizes[k];
    }
    before += all;
  }
  records_size = (uint32_t) (before >> PAYLOAD_BITS);
  if (p.cuts)
    points_size = write_cut_points (p, p.index + records_size + p.map_size);
  if (threadIdx.x == 0) {
    PacoPackSizes sizes = {};

    sizes.payload_size = before & payload_mask;
    sizes.index_size = records_size + p.map_size + points_size;
    sizes.cut_points_size = points_size;
    sizes.fits = p.header_size + sizes.index_size + sizes.payload_size
        <= p.capacity;
    *p.sizes = sizes;
    *p.host_sizes = sizes;
  }
}

/* --- Copies --- */

/* 32 bits at a byte position; memory is readable up to a whole word. */
static DEVICE uint32_t
word_at (const uint32_t *from, uint32_t byte, uint32_t last)
{
  uint32_t i = byte / 4;
  uint32_t low = from[i], high = from[min (i + 1, last)];

  return __funnelshift_r (low, high, 8 * (byte % 4));
}

/* A warp copies bytes, or its part of them, from a word on to anywhere. */
static __device__ void
copy_bytes (uint8_t *to, const uint32_t *from, uint32_t size, uint32_t lane,
    uint32_t part, uint32_t n_parts)
{
  uint32_t head, n_vectors, done, last;

  if (size == 0)
    return;
  last = (size - 1) / 4;
  head = min ((uint32_t) (-(uintptr_t) to & 15), size);
  n_vectors = (size - head) / 16;
  done = head + 16 * n_vectors;
  if (part == 0 && lane < head)
    to[lane] = ((const uint8_t *) from)[lane];
  for (uint32_t v = 32 * part + lane; v < n_vectors; v += 32 * n_parts) {
    uint32_t byte = head + 16 * v;
    uint4 value;

    value.x = word_at (from, byte, last);
    value.y = word_at (from, byte + 4, last);
    value.z = word_at (from, byte + 8, last);
    value.w = word_at (from, byte + 12, last);
    *(uint4 *) (to + byte) = value;
  }
  if (part == 0 && lane < size - done)
    to[done + lane] = ((const uint8_t *) from)[done + lane];
}

extern "C" __global__ void
__launch_bounds__ (PACO_PACK_COPY_THREADS) paco_pack_copy (PacoPackParameters p)
{
  uint32_t lane = threadIdx.x % 32;
  uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  uint32_t n_warps = gridDim.x * blockDim.x / 32;
  uint32_t index_size = p.sizes->index_size;
  uint32_t n_index = (index_size + PACO_PACK_INDEX_PIECE - 1)
      / PACO_PACK_INDEX_PIECE;
  uint8_t *index = p.output + p.header_size;
  uint8_t *payload = index + index_size;

  if (!p.sizes->fits)
    return;
  for (uint32_t i = warp; i < n_index; i += n_warps) {
    uint32_t at = i * PACO_PACK_INDEX_PIECE;

    copy_bytes (index + at, (const uint32_t *) (p.index + at),
        min (index_size - at, PACO_PACK_INDEX_PIECE), lane, 0, 1);
  }
  for (uint32_t i = warp; i < PACO_PACK_COPY_WARPS * p.n_blocks; i += n_warps) {
    PacoGpuBlock block = p.blocks[i / PACO_PACK_COPY_WARPS];
    PacoGpuRecord record = p.records[block.record];

    copy_bytes (payload + record.offset, p.code + block.code, record.length,
        lane, i % PACO_PACK_COPY_WARPS, PACO_PACK_COPY_WARPS);
  }
}
