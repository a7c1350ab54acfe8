/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a warp keeps of its codeblock in shared memory while it codes it, and the tables
 * of a bitplane. */
#pragma once
#include "codec/density.h"
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/lanes.cuh"

enum
{
  LEFT,
  RIGHT,
};

/* PacoOrientation. */
constexpr int ORIENTATION_LL = 0, ORIENTATION_HL = 1, ORIENTATION_HH = 3;

/* Which coefficients are visited in a scan. */
enum Scan
{
  SCAN_ALL,           /* the merged scan of one pass */
  SCAN_INSIGNIFICANT, /* two passes: not significant */
  SCAN_NEIGHBORS,     /* three: the same, with significant neighbours */
  SCAN_REFINEMENT,    /* significant when the plane began */
  SCAN_REST,          /* three: not significant and not coded yet */
};

/* Shared memory has the tables, then contexts, then for every 32 lines of the block the
 * arrays below. A bit of a word is a line. Each word belongs to a lane, so no two lanes
 * use the same bank. Arrays have the lanes' left columns first, then their right
 * ones. */
template <int PASSES> struct Layout
{
  /* Significant coefficients. With one pass, those of the last scan are missing if its
   * signs are raw: nothing that follows depends on them. */
  static constexpr int SIGNIFICANT = 0;
  /* Negative ones; in the decoder, of those signs that were coded. */
  static constexpr int SIGN = 64;
  /* Coefficients that the last scan made significant. */
  static constexpr int FRESH = 128;
  /* Density classes of the lane, four bits for each stripe, in half a word. */
  static constexpr int DENSITY = 192;
  /* With three passes: coefficients coded in this plane, but for refinement. Two know
   * them without: they are fresh, or not significant. */
  static constexpr int CODED = 208;
  static constexpr int SIZE = PASSES > 2 ? 272 : 208;
};

/* The tables: the rows of the plane, one for each density class, bytes in the places of
 * bpc.h. Then words with P in their highest byte, of the block's class: for signs, and
 * for stripes that wake, by how many neighbors are awake. Then, in the encoder, the
 * planes of each stripe. */
constexpr int SIGN_TABLE = PACO_BPC_ROW_WORDS;
constexpr int WAKE_TABLE = SIGN_TABLE + 16;
constexpr int SET_OFFSET = WAKE_TABLE + 3; /* of the block's set, in bytes */
constexpr int STRIPE_PLANES = PACO_BPC_TABLE_WORDS;
static_assert (WAKE_TABLE + 4 == PACO_BPC_TABLE_WORDS, "");
/* Weights that bpc_scan_decode.cuh adds up, after the decoder's next codewords. */
constexpr int WEIGHT_TABLE = CODEWORD_RING + 128;

/* The entry of the sign table that this lane fills: its context in the format, and in
 * bit 0 whether the symbol is inverted. h and v are those of FORMAT.md 7.5, exchanged
 * in HL. The encoder knows all of a sign's context and inverts symbols itself: bit 0 of
 * its index is the symbol, bits 1 and 2 say whether h and v are not 0, bit 3 whether
 * they are opposed. The decoder's index is 5 * h + v, from the sums of the lateral
 * signs plus 1 and of the vertical signs plus 2. */
template <bool ENCODE>
static __device__ uint32_t
sign_entry_of_lane (uint32_t lane, uint32_t orientation)
{
  int h, v;

  if (ENCODE) {
    h = lane >> 1 & 1;
    v = lane & 8 ? -1 : (int) (lane >> 2 & 1);
  } else {
    h = (int) (lane / 5) - 1;
    v = (int) (lane % 5) - 2;
    v = (v > 0) - (v < 0);
    if (orientation == ORIENTATION_HL) {
      int swap = h;

      h = v;
      v = swap;
    }
  }

  bool inverted = h < 0 || (h == 0 && v < 0);

  if (inverted) {
    h = -h;
    v = -v;
  }
  return (h > 0 ? 1 - v : v > 0 ? 3 : 4) * 2 + inverted;
}

template <bool ENCODE, int PASSES> struct Block
{
  using L = Layout<PASSES>;

  static constexpr int TABLE_WORDS = ENCODE ? PACO_BPC_ENCODER_TABLE_WORDS
                                            : PACO_BPC_DECODER_TABLE_WORDS;

  uint32_t lane, width, height;
  uint32_t words;      /* of a column of a plane */
  uint32_t arrays;     /* where the lane's word of the first one is */
  bool column[2];      /* whether the lane has them */
  uint32_t sign_entry; /* of the lane in the sign table: context, inverted */
  uint32_t orientation;
  uint32_t n_significant;
  uint32_t awake;        /* stripes, a bit each */
  uint32_t raw_signs[2]; /* all ones: this plane's signs of a side are raw */
  /* The lane's first words in scratch memory: plane p, 32 lines w, lane t, side are at
   * planes[((p * words + w) * 32 + t) * 2 + side]. */
  uint2 *planes;

  DEVICE uint32_t &at (int array, uint32_t w)
  {
    return shared[arrays + w * L::SIZE + array];
  }

  DEVICE uint32_t &at (int array, int side, uint32_t w)
  {
    return at (array + 32 * side, w);
  }

  DEVICE uint32_t beyond (int array, int side, uint32_t w)
  {
    if (side == LEFT)
      return lane > 0 ? (&at (array, RIGHT, w))[-1] : 0;
    return lane < 31 ? (&at (array, LEFT, w))[1] : 0;
  }

  /* Coefficients whose signs have been coded. */
  DEVICE uint32_t known (int side, uint32_t w)
  {
    constexpr int NEW = PASSES == 2 ? L::FRESH : L::CODED;
    uint32_t known = at (L::SIGNIFICANT, side, w);

    return PASSES == 1 ? known
                       : known & ~(at (NEW, side, w) & raw_signs_of (side));
  }

  DEVICE uint32_t known_beyond (int side, uint32_t w)
  {
    uint32_t known = beyond (L::SIGNIFICANT, side, w);

    return PASSES < 3
        ? known
        : known & ~(beyond (L::CODED, side, w) & raw_signs_of (1 - side));
  }

  /* An index that is not known when the kernel is compiled would move the array to local
   * memory. */
  DEVICE uint32_t raw_signs_of (int side) const
  {
    return side == LEFT ? raw_signs[LEFT] : raw_signs[RIGHT];
  }

  DEVICE uint32_t n_stripes () const
  {
    return (height + PACO_STRIPE_LINES - 1) / PACO_STRIPE_LINES;
  }

  DEVICE bool any_awake (uint32_t w) const
  {
    return awake >> (4 * w) & 15;
  }

  DEVICE uint16_t &densities (uint32_t w)
  {
    return ((uint16_t *) (&at (L::DENSITY, w) - lane))[lane];
  }

  DEVICE uint32_t density (uint32_t w, uint32_t k)
  {
    return densities (w) >> (4 * k) & 15;
  }

  /* Coefficients that take part in a scan, in stripes that are awake; with
   * SCAN_NEIGHBORS, those that may take part. */
  DEVICE uint32_t members (Scan scan, int side, uint32_t w)
  {
    uint32_t n_lines = height - 32 * w;
    uint32_t members = n_lines < 32 ? (1u << n_lines) - 1 : ~0u;

    if (!column[side])
      members = 0;
    if (scan == SCAN_REFINEMENT)
      members &= at (L::SIGNIFICANT, side, w);
    else if (scan != SCAN_ALL)
      members &= ~at (L::SIGNIFICANT, side, w);
    if (PASSES == 2 && scan == SCAN_REFINEMENT)
      members &= ~at (L::FRESH, side, w);
    if (PASSES == 3 && (scan == SCAN_REFINEMENT || scan == SCAN_REST))
      members &= ~at (L::CODED, side, w);
    return members;
  }

  /* For SCAN_NEIGHBORS: coefficients with significant neighbors before these 32 lines
   * are visited, when the plane began or in the line above. */
  DEVICE uint32_t with_neighbors (int side, uint32_t w)
  {
    constexpr int S = L::SIGNIFICANT, F = L::FRESH;
    int other = 1 - side;
    uint32_t rows[2]; /* this line, without the column itself and with it */
    uint32_t above = 0, below = 0;

    rows[0] = at (S, other, w) | beyond (S, side, w);
    rows[1] = rows[0] | at (S, side, w);
    if (w > 0)
      above = at (S, side, w - 1) | at (F, side, w - 1) | at (S, other, w - 1)
          | at (F, other, w - 1) | beyond (S, side, w - 1)
          | beyond (F, side, w - 1);
    if (w + 1 < words)
      below = at (S, side, w + 1) | at (S, other, w + 1)
          | beyond (S, side, w + 1);
    return rows[0] | __funnelshift_l (above, rows[1], 1)
        | __funnelshift_r (rows[1], below, 1);
  }

  /* Significance contexts of some of the 32 lines that are scanned, a byte each. */
  DEVICE uint32_t &contexts (int side, uint32_t number)
  {
    return shared[TABLE_WORDS + (8 * side + number) * 32 + lane];
  }

  /* The place of contexts (LEFT, 0), in bytes. */
  DEVICE uint32_t context_place () const
  {
    return 4 * (TABLE_WORDS + lane);
  }

  /* Sign contexts of one column, in the same place: bits 4 * k + (0..3) are those of
   * line 4 * k + j. */
  DEVICE uint32_t &sign_contexts (uint32_t w, uint32_t j)
  {
    return shared[TABLE_WORDS + (4 * w + j) * 32 + lane];
  }

  /* True if all lanes take part in visits to these lines. */
  DEVICE bool is_whole (uint32_t first_line, uint32_t n) const
  {
    return width == 64 && first_line + n <= height;
  }

  DEVICE uint2 &plane_word (uint32_t plane, uint32_t w)
  {
    return planes[(plane * words + w) * 32];
  }

  DEVICE void init (const PacoGpuBlock &block, uint32_t *scratch,
      uint32_t max_planes, uint32_t lane_)
  {
    lane = lane_;
    width = block.width;
    height = block.height;
    words = (height + 31) / 32;
    arrays = TABLE_WORDS + max (words, 4u) * PACO_BPC_CONTEXT_WORDS + lane;
    column[LEFT] = 2 * lane < width;
    column[RIGHT] = 2 * lane + 1 < width;
    orientation = block.orientation;
    n_significant = 0;
    awake = 0;
    raw_signs[LEFT] = raw_signs[RIGHT] = 0;
    planes = (uint2 *) (scratch + (size_t) block.columns * max_planes) + lane;
    sign_entry = sign_entry_of_lane<ENCODE> (lane, orientation);
  }

  DEVICE void use_set (uint32_t family, uint32_t set)
  {
    if (lane == 0)
      shared[SET_OFFSET] = (family * PACO_GPU_FAMILY_SETS + set)
          * PACO_GPU_SET_BYTES;
    __syncwarp ();
  }

  __device__ void clear ()
  {
    for (uint32_t w = 0; w < words; w++) {
      for (int side = 0; side < 2; side++) {
        at (L::SIGNIFICANT, side, w) = at (L::FRESH, side, w) = 0;
        if (!ENCODE)
          at (L::SIGN, side, w) = 0;
        if (PASSES == 3)
          at (L::CODED, side, w) = 0;
      }
    }
  }

  /* Loads the rows of the plane, and from the row of the block's density the
   * probabilities of signs and stripes. */
  __device__ void load_tables (const uint8_t *sets, uint32_t plane)
  {
    const uint8_t *first = sets + shared[SET_OFFSET]
        + PACO_GPU_ROW_BYTES * PACO_PLANE_ROW (orientation, plane);
    const uint2 *from = (const uint2 *) first;
    uint2 *to = (uint2 *) shared;
    uint32_t n = width * height;
    uint64_t square = (uint64_t) n_significant * n_significant;
    uint32_t dense = __ballot_sync (
        ALL_LANES, lane < 15 && square << lane <= (uint64_t) n * n);
    uint32_t density = n_significant == 0 ? 0 : 32 - __clz (dense);
    const uint8_t *row = first + PACO_GPU_ROW_BYTES * density;

    __syncwarp ();
#pragma unroll
    for (uint32_t k = lane; k < PACO_N_DENSITIES * PACO_GPU_ROW_BYTES / 8;
         k += 32)
      if (k % 8 < PACO_BPC_ROW_BYTES / 8)
        to[k / 8 * (PACO_BPC_ROW_BYTES / 8) + k % 8] = __ldg (from + k);
    if (lane < 16)
      shared[SIGN_TABLE + lane] =
          __ldg (row + PACO_GPU_SIGN_PLACE + sign_entry / 2) << 24
          | (sign_entry & 1);
    if (lane < PACO_N_WAKE)
      shared[WAKE_TABLE + lane] = __ldg (row + PACO_GPU_WAKE_PLACE + lane)
          << 24;
    __syncwarp ();
  }
};

/* --- Stripes ---
 *
 * When a plane begins, a visit says which stripes of 8 lines wake (FORMAT.md section 7.5),
 * and each lane finds its density class in each of them (section 7.4). A word of a column
 * is four stripes, so classes are found for four at once, with arithmetic on bytes. */

struct DensityClasses
{
  uint8_t of[PACO_MAX_LOCAL_DENSITY + 1];
};

static constexpr DensityClasses
density_classes ()
{
  constexpr uint8_t bounds[] = { PACO_LOCAL_DENSITY_BOUNDS };
  DensityClasses classes = {};

  for (int z = 0; z <= PACO_MAX_LOCAL_DENSITY; z++) {
    classes.of[z] = 1;
    for (uint8_t bound : bounds)
      classes.of[z] += z <= bound;
  }
  return classes;
}

static __device__ const DensityClasses density_class_table = density_classes ();

/* Adds the number of bits in each byte of a and of b. */
static DEVICE uint32_t
count_in_bytes (uint32_t a, uint32_t b)
{
  a -= a >> 1 & 0x55555555;
  b -= b >> 1 & 0x55555555;
  a = (a & 0x33333333) + (a >> 2 & 0x33333333);
  b = (b & 0x33333333) + (b >> 2 & 0x33333333);
  a += b; /* 8 at most in four bits */
  return (a & 0x0f0f0f0f) + (a >> 4 & 0x0f0f0f0f);
}

/* Sets DENSITY of the stripes that are awake. */
template <bool ENCODE, int PASSES>
DEVICE void
find_densities (Block<ENCODE, PASSES> &block)
{
  using L = Layout<PASSES>;
  uint32_t n_lanes = (block.width + 1) / 2, lane = block.lane;
  uint32_t lane_before = lane > 0 ? lane - 1 : lane;
  uint32_t lane_after = lane + 1 < n_lanes ? lane + 1 : lane;
  uint32_t of_block = 0x01010101
      * paco_density_of_block (block.n_significant, block.width * block.height);
  uint32_t n_left = block.n_stripes ();
  uint32_t before,
      own = count_in_bytes (block.at (L::SIGNIFICANT, LEFT, 0),
          block.at (L::SIGNIFICANT, RIGHT, 0));

  before = own << 24; /* the first stripe's counts above it, too */
#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    uint32_t after = 0, z, classes = 0;

    if (n_left <= 4) /* and the last one's below it */
      own |= (uint64_t) (own >> 8 * (n_left - 1)) << 8 * n_left;
    if (n_left == 4)
      after = own >> 24;
    else if (n_left > 4)
      after = count_in_bytes (block.at (L::SIGNIFICANT, LEFT, w + 1),
          block.at (L::SIGNIFICANT, RIGHT, w + 1));
    z = __funnelshift_l (before, own, 8) + 2 * own
        + __funnelshift_r (own, after, 8);
    z += __shfl_sync (ALL_LANES, z, lane_before)
        + __shfl_sync (ALL_LANES, z, lane_after) + of_block;
    if (block.n_significant > 0 && block.any_awake (w)) {
#pragma unroll
      for (int k = 0; k < 4; k++)
        classes |= (uint32_t) __ldg (&density_class_table.of[z >> 8 * k & 255])
            << 4 * k;
    }
    block.densities (w) = classes;
    before = own;
    own = after;
    n_left -= 4;
  }
}

/* Codes which stripes wake, and marks them as awake. */
template <bool ENCODE, int PASSES>
DEVICE void
code_waking (Block<ENCODE, PASSES> &block, ArithmeticCoder<ENCODE> &coder,
    uint32_t plane)
{
  uint32_t lane = block.lane, awake = block.awake;
  bool asleep = lane < block.n_stripes () && !(awake >> lane & 1);

  if (!__any_sync (ALL_LANES, asleep))
    return;

  uint32_t beside = (awake >> lane >> 1 & 1) + (awake << 1 >> lane & 1);
  bool wakes = ENCODE && shared[STRIPE_PLANES + lane] > plane;

  wakes = coder.visit (asleep, wakes, shared[WAKE_TABLE + beside]) && asleep;
  coder.refill ();
  block.awake |= __ballot_sync (ALL_LANES, wakes);
}
