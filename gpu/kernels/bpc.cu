/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder (FORMAT.md section 7; Enfedaque's thesis, chapters 3 and 5,
 * for one warp to a codeblock with its coefficients distributed over the
 * lanes).
 *
 *              lane 0   lane 1            lane 31
 *             +---+---+---+---+-- ... --+---+---+
 *   line 0    | L | R | L | R |         | L | R |   32 lines of a column and
 *   line 1    |   |   |   |   |         |   |   |   plane are one word; a lane
 *   ...       |   |   |   |   |         |   |   |   owns 2 words in 32 lines
 *             +---+---+---+---+-- ... --+---+---+
 *
 * One warp codes one block, and is a thread block of its own: the addresses of
 * its shared memory are constants then, and a multiprocessor holds 32 of
 * them. A thread, the lane, turns its two columns into bitplanes, which wait
 * in scratch memory (they stay in the L2 cache), and then codes plane after
 * plane: which stripes wake (bpc_block.cuh), scans (bpc_scan_encode.cuh,
 * bpc_scan_decode.cuh), signs (bpc_signs.cuh), at the end the raw planes and
 * signs (bpc_raw.cuh). Encoder and decoder are one template but for the scans.
 *
 * What limits it is the rate of integer instructions, so every step is made
 * with as few of them as possible; memory is hardly used. And as warps are at
 * different places of the code, what is run most are short loops, which stay in
 * the instruction cache. */
#include "codec/policy_block.h"
#include "codec/policy_set.h"
#include "codec/record.h"
#include "codec/rounding.h"
#include "gpu/kernels/bpc_check.cuh"
#include "gpu/kernels/bpc_raw.cuh"
#include "gpu/kernels/bpc_scan_decode.cuh"
#include "gpu/kernels/bpc_scan_encode.cuh"
#include "gpu/kernels/bpc_signs.cuh"
#include "gpu/kernels/bpc_slices.cuh"

/* How a block is coded. */
struct Coding
{
  uint32_t planes, raw_planes, dropped_planes;
  bool cut, shared_codewords, raw_left_signs;
};

/* True if eight lanes share a codeword, if lanes share codewords. */
static DEVICE bool
is_of_eight (uint32_t n_planes)
{
  return PACO_SHARING_LANES (n_planes) == 8;
}

/* Notes the codewords at the end of a plane for rate.cu, which may cut the block
 * there. */
template <int PASSES>
static DEVICE void
note_end (const Block<true, PASSES> &block,
    const PacoBpcEncodeParameters &parameters, uint32_t plane, uint32_t n)
{
  uint32_t record = parameters.blocks[blockIdx.x].record;

  if (parameters.plane_ends && block.lane == plane)
    parameters.plane_ends[record * PACO_BPC_PLANES_32 + plane] = n;
}

template <int PASSES>
static DEVICE void
note_end (const Block<false, PASSES> &, const PacoBpcDecodeParameters &,
    uint32_t, uint32_t)
{
}

template <int PASSES>
static DEVICE void
note_no_ends (
    const Block<true, PASSES> &block, const PacoBpcEncodeParameters &parameters)
{
  if (block.lane < PACO_BPC_PLANES_32)
    note_end (block, parameters, block.lane, 0);
}

/* --- Planes --- */

template <bool ENCODE, int PASSES> struct ScannerChoice
{
  using Type = EncodeScanner<PASSES>;
};

template <int PASSES> struct ScannerChoice<false, PASSES>
{
  using Type = DecodeScanner<PASSES>;
};

template <bool ENCODE, int PASSES> struct PlaneCoder
{
  using L = Layout<PASSES>;

  Block<ENCODE, PASSES> &block;
  ArithmeticCoder<ENCODE> &coder;
  typename ScannerChoice<ENCODE, PASSES>::Type scanner;
  SignCoder<ENCODE, PASSES> signs;

  DEVICE PlaneCoder (
      Block<ENCODE, PASSES> &block_, ArithmeticCoder<ENCODE> &coder_)
      : block (block_), coder (coder_), scanner (block_, coder_),
        signs (block_, coder_)
  {
  }

  /* Both sides are the same code, because of the instruction cache. */
  DEVICE void code_signs (bool left, bool right)
  {
#pragma unroll 1
    for (int side = LEFT; side <= RIGHT; side++)
      if (side == LEFT ? left : right)
        signs.code_side (side);
  }

  DEVICE void begin_plane (bool left_signs, bool right_signs)
  {
    block.raw_signs[LEFT] = left_signs ? 0 : ~0u;
    block.raw_signs[RIGHT] = right_signs ? 0 : ~0u;
    if (PASSES == 3)
      for (uint32_t w = 0; w < block.words; w++)
        for (int side = 0; side < 2; side++)
          block.at (L::CODED, side, w) = 0;
    /* In a broken block no stripe may be awake; then no scan waits for other lanes. */
    __syncwarp ();
  }

  /* Makes what the scan found significant, even without a coded sign. */
  DEVICE void take_effect ()
  {
    /* If no sign was coded, other lanes may still be reading. */
    __syncwarp ();
    for (uint32_t w = 0; w < block.words; w++)
      for (int side = 0; side < 2; side++)
        block.at (L::SIGNIFICANT, side, w) |= block.at (L::FRESH, side, w);
    __syncwarp ();
  }

  /* Returns how many coefficients of the lane became significant. */
  DEVICE uint32_t code_plane (uint32_t plane, bool left_signs, bool right_signs)
  {
    uint32_t n = 0;

    code_waking (block, coder, plane);
    find_densities (block);
    if (PASSES == 1) {
      n = scanner.run (SCAN_ALL, plane);
      code_signs (left_signs, right_signs);
      return n;
    }
    begin_plane (left_signs, right_signs);
#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass++) {
      Scan scan = pass == 1 ? SCAN_REFINEMENT
          : pass == 2       ? SCAN_REST
          : PASSES == 2     ? SCAN_INSIGNIFICANT
                            : SCAN_NEIGHBORS;

      n += scanner.run (scan, plane);
      if (scan == SCAN_REFINEMENT)
        continue;
      code_signs (left_signs, right_signs);
      take_effect ();
    }
    return n;
  }

  /* Stops when there are more codewords than allowed. */
  template <class Parameters>
  __device__ void code_planes (
      const Coding &coding, const Parameters &parameters)
  {
    uint32_t lowest = coding.dropped_planes + coding.raw_planes;

#pragma unroll 1
    for (uint32_t plane = coding.planes; plane-- > lowest;) {
      bool raw_signs = plane == lowest && coding.raw_planes == 0 && !coding.cut;

      block.load_tables (parameters.rows, plane);
      block.n_significant += sum_of_lanes (code_plane (
          plane, !(raw_signs && coding.raw_left_signs), !raw_signs));
      if (coder.is_full ())
        break;
      if (!raw_signs)
        note_end (block, parameters, plane, coder.n_codewords ());
    }
  }
};

/* --- The encoder --- */

/* paco_policy_block() with a lane for each plane. Returns how many coefficients are
 * stored. */
static __device__ uint32_t
decide (uint32_t top, uint32_t n_right, uint32_t n_coefficients, uint32_t lane,
    uint32_t complexity, Coding &coding)
{
  uint32_t dropped = coding.dropped_planes;
  bool stored = lane >= dropped && lane < coding.planes;
  uint32_t n_higher = sum_of_lanes (top) - sum_of_lanes_before (top, lane)
      - top;
  uint32_t n_stored = sum_of_lanes (stored ? top : 0);
  uint32_t n_first = __shfl_down_sync (ALL_LANES, top, 1);
  uint32_t n_last = __shfl_sync (ALL_LANES, top, dropped);
  uint32_t cost = 0, coded, bits;

  if (stored)
    cost = paco_policy_plane_cost (n_higher, n_first, top, n_coefficients);
  coded = __ballot_sync (ALL_LANES,
      stored && !paco_policy_plane_is_raw (cost, n_coefficients, complexity));
  coding.raw_planes = coding.planes - dropped;
  if (coded != 0)
    coding.raw_planes = min (__ffs (coded) - 1 - dropped, PACO_MAX_RAW_PLANES);
  coding.shared_codewords = coding.raw_left_signs = false;
  bits = sum_of_lanes (cost / 1024) + n_stored;
  if (coding.raw_planes == 0)
    paco_policy_codewords (coding.planes - dropped, n_right, n_last, bits,
        complexity, &coding.shared_codewords, &coding.raw_left_signs);
  return n_stored;
}

/* paco_policy_set(), with its arrays where contexts will be. */
template <int PASSES>
static __device__ uint32_t
choose_set (Block<true, PASSES> &block, const PacoGpuBlock &place,
    const Coding &coding, uint32_t counts)
{
  uint32_t *top = &block.contexts (0, 0) - block.lane, *pairs = top + 32;

  __syncwarp ();
  top[block.lane] = counts & 0xffff;
  pairs[block.lane] = counts >> 16;
  __syncwarp ();
  return paco_policy_set (place.family, place.orientation, coding.planes,
      coding.dropped_planes, top, pairs, block.width * block.height);
}

template <int PASSES> struct BlockEncoder
{
  Block<true, PASSES> &block;
  ArithmeticCoder<true> coder;
  RawWriter<PASSES> raw;
  uint32_t first_fill, n_fill, n_all_fill; /* fill bits of the lane's coder */

  DEVICE BlockEncoder (Block<true, PASSES> &block_)
      : block (block_), raw (block_)
  {
  }

  /* The bytes of the block, after all planes have been coded. */
  DEVICE uint32_t measure (const Coding &coding)
  {
    raw.find_signs (coding.dropped_planes, coding.raw_planes,
        coding.raw_planes < coding.planes - coding.dropped_planes);
    n_fill = coder.is_first_of_coder () ? coder.fill_bits () : 0;
    first_fill = sum_of_lanes_before (n_fill, block.lane);
    n_all_fill = sum_of_lanes (n_fill);
    return 4 * coder.n_codewords ()
        + (raw.n_bits > n_all_fill ? (raw.n_bits - n_all_fill + 7) / 8 : 0);
  }

  /* Returns the block's bytes. raw_bytes is what it takes with all planes raw. */
  __device__ uint32_t encode (Coding &coding,
      const PacoBpcEncodeParameters &parameters, uint32_t code,
      uint32_t raw_bytes)
  {
    uint32_t length;

    bool eight = is_of_eight (coding.planes - coding.dropped_planes);

    coder.init (
        block.lane, coding.shared_codewords, eight, code, raw_bytes / 4);
    coder.out = parameters.code;
    PlaneCoder<true, PASSES> (block, coder).code_planes (coding, parameters);
    length = coder.is_full () ? ~0u : measure (coding);
    if (length > raw_bytes) {
      note_no_ends (block, parameters);
      coder.init (block.lane, coding.shared_codewords, eight, code, 0);
      coding.raw_planes = coding.planes - coding.dropped_planes;
      coding.raw_left_signs = false;
      length = measure (coding);
    }
    raw.put_signs ();
    if (n_fill > 0)
      coder.value += raw.bits (first_fill, n_fill);
    coder.put_codeword<true> (true);
    raw.put_plain (n_all_fill, coder.out + coder.next);
    return length;
  }
};

/* With a budget the scaling follows from the frame's step number. A block outside of
 * all areas loses planes. */
static DEVICE Scaling
take_step (const PacoBpcEncodeParameters &parameters, PacoGpuBlock &place)
{
  Scaling scaling = { 0, 0, place.reversible ? 0u : place.lost_planes };

  if (parameters.steps) {
    const PacoRateStep *step = parameters.steps
        + *parameters.step_number * parameters.n_entries + place.entry;

    place.dropped_planes = step->dropped_planes;
    place.fraction_bits = step->fraction_bits;
    scaling.multiplier = step->multiplier;
    scaling.shift = step->shift;
  } else if (scaling.lost_planes > 0) {
    scaling.multiplier = 1 << 15;
    scaling.shift = 15;
  }
  scaling.shift += scaling.lost_planes;
  place.dropped_planes = min (place.dropped_planes + place.lost_planes,
      (uint32_t) PACO_MAX_DROPPED_PLANES);
  return scaling;
}

/* Notes counts for rate.cu; lane p has plane p's. */
static DEVICE void
note_top (const PacoBpcEncodeParameters &parameters, uint32_t record,
    uint32_t lane, uint32_t top)
{
  if (parameters.tops && lane < PACO_BPC_PLANES_32)
    parameters.tops[record * PACO_BPC_PLANES_32 + lane] = top;
}

template <int PASSES, typename T>
static DEVICE void
encode (const PacoBpcEncodeParameters &parameters)
{
  PacoGpuBlock place = parameters.blocks[blockIdx.x];
  Scaling scaling;
  Block<true, PASSES> block;
  Coding coding;
  PacoGpuRecord record = {};

  block.init (place, parameters.planes,
      sizeof (T) == 2 ? PACO_BPC_PLANES_16 : PACO_BPC_PLANES_32, threadIdx.x);
  block.clear ();
  scaling = take_step (parameters, place);

  Slicer<PASSES, T> slicer (block, place, parameters, scaling);

  note_no_ends (block, parameters);
  coding.planes = slicer.slice ();
  note_top (parameters, place.record, block.lane, slicer.counts & 0xffff);
  coding.dropped_planes = place.dropped_planes;
  if (coding.planes > coding.dropped_planes) {
    uint32_t n = block.width * block.height;
    uint32_t n_stored = decide (slicer.counts & 0xffff, slicer.n_right, n,
        block.lane, parameters.complexity, coding);
    uint32_t raw_bytes =
        (n * (coding.planes - coding.dropped_planes) + n_stored + 7) / 8;

    record.set = choose_set (block, place, coding, slicer.counts);
    block.use_set (place.family, record.set);
    coding.cut = false;
    record.length = BlockEncoder<PASSES> (block).encode (
        coding, parameters, place.code, raw_bytes);
    record.planes = coding.planes;
    record.raw_planes = coding.raw_planes;
    record.dropped_planes = coding.dropped_planes;
    record.flags = (coding.shared_codewords ? PACO_GPU_SHARED_CODEWORDS : 0)
        | (coding.raw_left_signs ? PACO_GPU_RAW_LEFT_SIGNS : 0);
    if (parameters.block_checks) {
      __syncwarp (); /* the other lanes' words */
      record.check = check_of_block (
          parameters.code + place.code, 0, record.length, block.lane);
    }
  }
  if (block.lane == 0)
    parameters.records[place.record] = record;
}

/* --- The decoder --- */

template <int PASSES>
static __device__ bool
decode_block (Block<false, PASSES> &block, const PacoGpuRecord &record,
    const PacoBpcDecodeParameters &parameters)
{
  ArithmeticCoder<false> coder;
  RawReader<PASSES> raw (block);
  Coding coding;

  coding.planes = record.planes;
  coding.raw_planes = record.raw_planes;
  coding.dropped_planes = record.dropped_planes;
  coding.cut = record.flags & PACO_GPU_CUT;
  coding.raw_left_signs = record.flags & PACO_GPU_RAW_LEFT_SIGNS;
  coder.init (block.lane, record.flags & PACO_GPU_SHARED_CODEWORDS,
      !coding.cut && is_of_eight (record.planes - record.dropped_planes), 0,
      record.length / 4);
  coder.payload.init (
      parameters.payload, parameters.payload_words, record.offset);
  coder.fill_ring ();
  PlaneCoder<false, PASSES> (block, coder).code_planes (coding, parameters);
  if (coding.cut)
    return 4 * coder.n_codewords () == record.length;
  if (coder.is_full () || !raw.take_fill (coder))
    return false;

  raw.plain = coder.payload;
  raw.plain_start = 32 * coder.n_codewords ();
  raw.n_plain = 8 * record.length - raw.plain_start;
  raw.read_planes (coding.dropped_planes, coding.raw_planes);
  raw.find_signs (coding.dropped_planes, coding.raw_planes,
      coding.raw_planes < coding.planes - coding.dropped_planes);
  if (!raw.ends_well ())
    return false;
  raw.read_signs ();
  return true;
}

static DEVICE bool
is_unharmed (const PacoGpuRecord &record,
    const PacoBpcDecodeParameters &parameters, uint32_t lane)
{
  return !parameters.block_checks
      || check_of_block (parameters.payload + record.offset / 4,
             record.offset % 4 * 8, record.length, lane)
      == record.check;
}

static DEVICE const PacoGpuBlock &
block_to_decode (const PacoBpcDecodeParameters &parameters)
{
  return parameters.blocks[parameters.records[blockIdx.x].decoded];
}

template <int PASSES, typename T>
static DEVICE void
decode (const PacoBpcDecodeParameters &parameters)
{
  PacoGpuBlock place = block_to_decode (parameters);
  PacoGpuRecord record = parameters.records[place.record];
  uint32_t max_planes = sizeof (T) == 2 ? PACO_BPC_PLANES_16
                                        : PACO_BPC_PLANES_32;
  bool well = record.planes <= max_planes;
  Block<false, PASSES> block;

  block.init (place, parameters.planes, max_planes, threadIdx.x);

  Unslicer<PASSES, T> unslicer (block, place, parameters.coefficients);

  if (record.planes == 0) {
    well = well && record.length == 0;
  } else if (well) {
    well = record.dropped_planes < record.planes
        && record.raw_planes + record.dropped_planes <= record.planes;
    if (well) {
      block.clear ();
      block.use_set (place.family, record.set);
      fill_weights (block.lane, place.orientation);
      well = decode_block (block, record, parameters)
          && is_unharmed (record, parameters, block.lane);
    }
  }
  if (well && record.planes > 0) {
    uint32_t reconstruction = record.flags & PACO_GPU_CUT
        ? PACO_CUT_RECONSTRUCTION (
            parameters.reconstruction, record.dropped_planes)
        : parameters.reconstruction;

    unslicer.planes = record.planes;
    unslicer.dropped = record.dropped_planes;
    if (block_to_decode (parameters).reversible)
      unslicer.middle = (reconstruction << record.dropped_planes) >> 8;
    unslicer.write ();
  } else {
    unslicer.write_zeros ();
  }
  if (!well && block.lane == 0) {
    parameters.records[place.record].flags = record.flags | PACO_GPU_BROKEN;
    atomicAdd (parameters.n_broken, 1);
  }
}

/* --- The kernels --- */

/* A block mostly waits for its last visit, so a multiprocessor should hold many blocks.
 * Slicing int32_t needs more registers. */
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
#define BLOCKS_16 28 /* of the 32 that these hold */
#else
#define BLOCKS_16 16
#endif
#define BLOCKS_32 16

#define KERNELS(bits, passes)                                                  \
  extern "C" __global__ void __launch_bounds__ (                               \
      PACO_BPC_THREADS, BLOCKS_##bits)                                         \
      paco_bpc_encode_##bits##_##passes (PacoBpcEncodeParameters parameters)   \
  {                                                                            \
    encode<passes, int##bits##_t> (parameters);                                \
  }                                                                            \
  extern "C" __global__ void __launch_bounds__ (                               \
      PACO_BPC_THREADS, BLOCKS_##bits)                                         \
      paco_bpc_decode_##bits##_##passes (PacoBpcDecodeParameters parameters)   \
  {                                                                            \
    decode<passes, int##bits##_t> (parameters);                                \
  }

/* nvcc compiles this file six times at once, each pair of kernels into an image of its
 * own (gpu/meson.build). The emulation has all of them in one. */
#ifdef IMAGE_BITS
#define KERNELS_OF(bits, passes) KERNELS (bits, passes)
KERNELS_OF (IMAGE_BITS, IMAGE_PASSES)
#else
KERNELS (16, 1)
KERNELS (16, 2)
KERNELS (16, 3)
KERNELS (32, 1)
KERNELS (32, 2)
KERNELS (32, 3)
#endif
