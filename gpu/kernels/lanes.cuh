/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A warp as the 32 lanes of a codeblock, and their arithmetic coders (FORMAT.md
 * sections 7.1 and 7.2). One codeword of fixed length for each lane, and lanes that
 * reserve the next one in order, are from Enfedaque's thesis, chapter 3.
 *
 * Which coder reserves which codeword is defined by (visit, step, coder). All lanes
 * come to every reservation together, and a ballot with a full mask says which others
 * need a codeword, so nothing depends on which lanes the hardware has converged.
 *
 * If four or eight lanes share a codeword, each holds a copy of their coder's state and
 * takes all steps of a visit: only symbols and probabilities travel between lanes. */
#pragma once
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/device.cuh"
#include <stdint.h>

/* Hides from the compiler where the number comes from. So it neither keeps in registers
 * what could be computed from the number, nor computes it each time. */
static DEVICE uint32_t
opaque (uint32_t number)
{
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(number));
#endif
  return number;
}

/* Returns a, or b if the condition is 0, without a branch. */
static DEVICE uint32_t
choose (uint32_t condition, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
  uint32_t result;

  asm("{ .reg .pred p;\n"
      "setp.ne.u32 p, %1, 0;\n"
      "selp.u32 %0, %2, %3, p; }"
      : "=r"(result)
      : "r"(condition), "r"(a), "r"(b));
  return result;
#else
  return condition ? a : b;
#endif
}

/* Returns a, or b if one of the conditions is 0. */
static DEVICE uint32_t
choose_if_both (uint32_t condition, uint32_t other, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
  uint32_t result;

  asm("{ .reg .pred p;\n"
      "setp.ne.u32 p, %1, 0;\n"
      "setp.ne.and.u32 p, %2, 0, p;\n"
      "selp.u32 %0, %3, %4, p; }"
      : "=r"(result)
      : "r"(condition), "r"(other), "r"(a), "r"(b));
  return result;
#else
  return condition && other ? a : b;
#endif
}

/* Sets bits if the condition is not 0, in one instruction. */
static DEVICE void
set_bits_if (uint32_t condition, uint32_t &bits, uint32_t more)
{
#ifdef __CUDA_ARCH__
  asm("{ .reg .pred p;\n"
      "setp.ne.u32 p, %1, 0;\n"
      "@p or.b32 %0, %0, %2; }"
      : "+r"(bits)
      : "r"(condition), "r"(more));
#else
  if (condition)
    bits |= more;
#endif
}

/* Bits of a where the mask has ones, else of b; the compiler makes two instructions of
 * it. */
static DEVICE uint32_t
merge_bits (uint32_t mask, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
  uint32_t result;

  asm("lop3.b32 %0, %1, %2, %3, 0xca;"
      : "=r"(result)
      : "r"(mask), "r"(a), "r"(b));
  return result;
#else
  return (a & mask) | (b & ~mask);
#endif
}

/* Exchanges the bits of `low` that are not in the mask with those of `high` that are,
 * `distance` bits apart. The mask, moved by `distance`, is its own complement. */
static DEVICE void
exchange_bits (uint32_t &low, uint32_t &high, int distance, uint32_t mask)
{
  uint32_t old_low = low;

  if (distance == 16) {
    low = __byte_perm (old_low, high, 0x5410);
    high = __byte_perm (old_low, high, 0x7632);
  } else if (distance == 8) {
    low = __byte_perm (old_low, high, 0x6240);
    high = __byte_perm (old_low, high, 0x7351);
  } else {
    low = merge_bits (mask, old_low, high << distance);
    high = merge_bits (mask, old_low >> distance, high);
  }
}

static DEVICE uint32_t
sum_of_lanes (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (ALL_LANES, value);
#else
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync (ALL_LANES, value, distance);
  return value;
#endif
}

static DEVICE uint32_t
or_of_lanes (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync (ALL_LANES, value);
#else
  for (int distance = 16; distance > 0; distance /= 2)
    value |= __shfl_xor_sync (ALL_LANES, value, distance);
  return value;
#endif
}

/* Sum of the values of the lanes before this one. */
static DEVICE uint32_t
sum_of_lanes_before (uint32_t value, uint32_t lane)
{
  uint32_t sum = value;

#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    uint32_t other = __shfl_up_sync (ALL_LANES, sum, distance);

    if (lane >= distance)
      sum += other;
  }
  return sum - value;
}

/* The bytes of all blocks, read 32 bits at any bit position of one block. */
struct Payload
{
  const uint32_t *words; /* the word of the block's first byte */
  uint32_t last;         /* readable word, from there */
  uint32_t shift;        /* of the block's first bit in its word */

  DEVICE void init (const uint32_t *payload, uint32_t n_words, uint32_t offset)
  {
    uint32_t first = min (offset / 4, n_words - 1);

    words = payload + first;
    last = n_words - 1 - first;
    shift = offset % 4 * 8;
  }

  DEVICE uint32_t bits (uint32_t position) const
  {
    return bits_from (words, position);
  }

  /* words_: the words of the payload, which the caller has in another place. */
  DEVICE uint32_t bits_from (const uint32_t *words_, uint32_t position) const
  {
    uint32_t bit = position + shift, word = bit / 32;

    return __funnelshift_r (__ldg (words_ + min (word, last)),
        __ldg (words_ + min (word + 1, last)), bit % 32);
  }
};

extern __shared__ uint32_t shared[] __attribute__ ((aligned (512)));

/* The address of shared memory, a multiple of 512: smaller offsets are put in by logic,
 * where an addition would cost an instruction more. */
static DEVICE uint32_t
shared_address ()
{
#ifdef __CUDA_ARCH__
  return (uint32_t) __cvta_generic_to_shared (shared);
#else
  return 0;
#endif
}

static DEVICE uint32_t
shared_byte (uint32_t address)
{
#ifdef __CUDA_ARCH__
  uint32_t byte;

  asm volatile("ld.shared.u8 %0, [%1];" : "=r"(byte) : "r"(address) : "memory");
  return byte;
#else
  return ((const uint8_t *) shared)[address];
#endif
}

template <int WORD>
static DEVICE uint2
shared_pair (uint32_t address)
{
#ifdef __CUDA_ARCH__
  uint2 value;

  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2 + %3];"
               : "=r"(value.x), "=r"(value.y)
               : "r"(address), "n"(4 * WORD)
               : "memory");
  return value;
#else
  return make_uint2 (
      shared[address / 4 + WORD], shared[address / 4 + WORD + 1]);
#endif
}

template <int WORD>
static DEVICE uint32_t
shared_word (uint32_t address)
{
#ifdef __CUDA_ARCH__
  uint32_t value;

  asm volatile("ld.shared.u32 %0, [%1 + %2];"
               : "=r"(value)
               : "r"(address), "n"(4 * WORD)
               : "memory");
  return value;
#else
  return shared[address / 4 + WORD];
#endif
}

/* Returns the word if it is wanted, else the value. */
template <int WORD>
static DEVICE uint32_t
shared_word_if (bool wanted, uint32_t address, uint32_t value)
{
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .pred wanted;\n"
               "setp.ne.u32 wanted, %1, 0;\n"
               "@wanted ld.shared.u32 %0, [%2 + %3]; }"
               : "+r"(value)
               : "r"((uint32_t) wanted), "r"(address), "n"(4 * WORD)
               : "memory");
  return value;
#else
  return wanted ? shared[address / 4 + WORD] : value;
#endif
}

/* Stores the word if the condition holds. */
template <int WORD>
static DEVICE void
store_word_if (bool condition, uint32_t address, uint32_t value)
{
#ifdef __CUDA_ARCH__
  asm volatile(
      "{ .reg .pred p;\n"
      "setp.ne.u32 p, %0, 0;\n"
      "@p st.shared.u32 [%1 + %2], %3; }"
      :
      : "r"((uint32_t) condition), "r"(address), "n"(4 * WORD), "r"(value)
      : "memory");
#else
  if (condition)
    shared[address / 4 + WORD] = value;
#endif
}

/* Where the decoder keeps the next codewords, and the address of the payload. */
constexpr int CODEWORD_RING = PACO_BPC_TABLE_WORDS;
constexpr int PAYLOAD_ADDRESS = CODEWORD_RING + 128 + 64;
static_assert (PAYLOAD_ADDRESS % 2 == 0, "it has 8 bytes");

/* Visits have code for lanes that share codewords, and code for lanes that do not (SHARED).
 * All else is one code for both, because warps of both kinds run side by side and the
 * instruction cache has to hold what they run (NOTES.md). */
template <bool ENCODE> struct ArithmeticCoder
{
  uint32_t sharing;  /* lanes that share a codeword, less one: 0, 3 or 7 */
  uint32_t size;     /* S: the interval's size less one, 0 without codeword */
  uint32_t value;    /* L, or D */
  uint32_t codeword; /* encoder: where it goes, in words of out */
  /* What a codeword adds to the numbers below: the decoder counts bytes, for
   * addresses. */
  static constexpr uint32_t UNIT = ENCODE ? 1 : 4;
  uint32_t next;       /* codeword to be reserved */
  uint32_t first, end; /* of the block; the encoder's are words of out */
  uint32_t lane;
  uint32_t first_lanes_before; /* of the coders before, a mask */
  uint32_t *out;               /* encoder */
  Payload payload;             /* decoder */
  /* Decoder: a ring of codewords, from 128 bytes before turn on; turn is above next
   * after each refill(). ahead is the lane's codeword of the 32 after the ring. */
  static constexpr uint32_t RING = 512;
  uint32_t turn, ahead;
  uint32_t origin; /* shared_address () */

  /* eight: eight lanes share a codeword, not four, if lanes share codewords. */
  DEVICE void init (
      uint32_t lane_, bool shares, bool eight, uint32_t first_, uint32_t n)
  {
    sharing = !shares ? 0 : eight ? 7 : 3;
    lane = lane_;
    first_lanes_before = first_lanes () & ((1u << first_lane ()) - 1);
    size = value = 0;
    codeword = ~0u;
    first = next = first_;
    end = first + UNIT * n;
    origin = opaque (shared_address ());
  }

  /* Of this lane's coder. */
  DEVICE uint32_t first_lane () const
  {
    return lane & ~sharing;
  }

  /* Of all coders, as a mask. */
  DEVICE uint32_t first_lanes () const
  {
    return sharing == 0 ? ALL_LANES : sharing == 3 ? 0x11111111u : 0x01010101u;
  }

  DEVICE static uint32_t &ring (uint32_t byte)
  {
    return shared[CODEWORD_RING + byte % RING / 4];
  }

  DEVICE void fill_ring ()
  {
    if (lane == 0)
      *(const uint32_t **) (shared + PAYLOAD_ADDRESS) = payload.words;
    for (uint32_t k = 4 * lane; k < RING; k += 128)
      ring (k) = payload.bits (8 * k);
    ahead = payload.bits (8 * RING + 32 * lane);
    turn = 128;
    __syncwarp ();
  }

  /* In shared memory, because the compiler loads a parameter before each test whether
   * codewords have to be replaced. */
  DEVICE const uint32_t *payload_words () const
  {
#ifdef __CUDA_ARCH__
    uint64_t words;

    asm volatile("ld.shared.u64 %0, [%1 + %2];"
                 : "=l"(words)
                 : "r"(origin), "n"(4 * PAYLOAD_ADDRESS)
                 : "memory");
    return (const uint32_t *) words;
#else
    return payload.words;
#endif
  }

  /* Replaces used codewords. It is called after two visits at the latest, which take up
   * to 64 codewords. */
  DEVICE void refill ()
  {
    while (!ENCODE && next >= turn) {
      __syncwarp ();
      ring (turn - 128 + 4 * lane) = ahead;
      ahead = payload.bits_from (
          payload_words (), 8 * (turn + RING) + 32 * lane);
      turn += 128;
      __syncwarp ();
    }
  }

  DEVICE uint32_t n_codewords () const
  {
    return (next - first) / UNIT;
  }

  /* True if there are more codewords than allowed: coding can stop. */
  DEVICE bool is_full () const
  {
    return next > end;
  }

  DEVICE bool is_first_of_coder () const
  {
    return lane == first_lane ();
  }

  /* Bits of the raw string that an open codeword takes. */
  DEVICE uint32_t fill_bits () const
  {
    return 31 - __clz (size + 1);
  }

  template <bool SHARED> DEVICE void put_codeword (bool wanted) const
  {
    bool puts = wanted && codeword < end && (!SHARED || is_first_of_coder ());

#ifdef __CUDA_ARCH__
    asm volatile("{ .reg .pred puts;\n"
                 "setp.ne.u32 puts, %0, 0;\n"
                 "@puts st.global.u32 [%1], %2; }"
                 :
                 : "r"((uint32_t) puts), "l"(out + codeword), "r"(value)
                 : "memory");
#else
    if (puts)
      out[codeword] = value;
#endif
  }

  /* Reserves codewords for the lanes whose coder needs one; all lanes call it. It
   * has no branches, as visits in which some lane needs a codeword are as frequent
   * as others. */
  template <bool SHARED> DEVICE void reserve (bool needs)
  {
    uint32_t who = __ballot_sync (ALL_LANES, needs)
        & (SHARED ? first_lanes () : ALL_LANES);
    uint32_t mine = next + UNIT * __popc (who & first_lanes_before);

    if (ENCODE) {
      put_codeword<SHARED> (needs);
      codeword = needs ? mine : codeword;
      value = needs ? 0 : value;
    } else {
      value = shared_word_if<CODEWORD_RING> (
          needs, mine % RING | origin, value);
    }
    size = needs ? ~0u : size;
    next += UNIT * __popc (who);
  }

  /* One step of a coder with a codeword; probability: of a 0, in the highest 8 bits.
   * A 1 is any bit that is not 0. Returns the bit; the decoder returns 0 for a lane that
   * is not active: its step is a 0 that takes the whole interval. */
  template <bool ALL>
  DEVICE bool take_step (bool active, uint32_t bit, uint32_t probability)
  {
    uint32_t zeros = __umulhi (size, probability); /* T of FORMAT.md */

    if (!ALL && !ENCODE)
      zeros = active ? zeros : size;
    if (!ENCODE)
      bit = value > zeros;

    uint32_t moved = ENCODE ? value + zeros + 1 : value - zeros - 1;
    uint32_t narrowed = choose (bit, size - zeros - 1, zeros);

    if (ALL || !ENCODE) {
      value = choose (bit, moved, value);
      size = narrowed;
    } else {
      value = choose_if_both (active, bit, moved, value);
      size = choose (active, narrowed, size);
    }
    return bit != 0;
  }

  template <bool ALL, bool SHARED>
  DEVICE bool step (bool active, uint32_t bit, uint32_t probability)
  {
    bool needs = ALL ? size == 0 : active && size == 0;

    if (__any_sync (ALL_LANES, needs))
      reserve<SHARED> (needs);
    return take_step<ALL> (active, bit, probability);
  }

  /* All lanes call it; ALL: all are active. */
  template <bool ALL, bool SHARED>
  DEVICE bool visit (bool active, uint32_t bit, uint32_t probability)
  {
    if (SHARED)
      return visit_shared<ALL> (active, bit, probability);
    return step<ALL, false> (active, bit, probability);
  }

  /* The same where visits are too rare for code of their own. */
  DEVICE bool visit (bool active, uint32_t bit, uint32_t probability)
  {
    if (sharing)
      return visit<false, true> (active, bit, probability);
    return visit<false, false> (active, bit, probability);
  }

  /* Whether eight lanes share a coder, not four. */
  DEVICE bool of_eight () const
  {
    return sharing == 7;
  }

  /* Does the steps of four neighboring lanes. Shared codewords hold many symbols, so in
   * most visits no coder needs a new one: the steps are done without a check, and again
   * one by one if a coder did need one. takes and ones are the lanes that take part,
   * and their symbols, from bit 0 on. Returns the symbols found. */
  template <bool ALL>
  DEVICE uint32_t four_steps (
      uint32_t takes, uint32_t ones, uint32_t probability)
  {
    uint32_t probabilities[4];
    uint32_t old_size = size, old_value = value, found = 0;
    bool dry = false;

#pragma unroll
    for (int s = 0; s < 4; s++)
      probabilities[s] = __shfl_sync (ALL_LANES, probability, s, 4);
#pragma unroll
    for (int s = 0; s < 4; s++) {
      dry = dry || ((ALL || takes & 1 << s) && size == 0);
      if (take_step<ALL> (takes & 1 << s, ones & 1 << s, probabilities[s]))
        found |= 1 << s;
    }
    if (__any_sync (ALL_LANES, dry)) {
      size = old_size;
      value = old_value;
      found = 0;
#pragma unroll 1
      for (int s = 0; s < 4; s++) {
        uint32_t other = __shfl_sync (ALL_LANES, probability, s, 4);

        if (step<ALL, true> (takes >> s & 1, ones >> s & 1, other))
          found |= 1 << s;
      }
    }
    return found;
  }

  /* Does the steps of the first four lanes, then those of the other four if eight share
   * a coder. All lanes do all steps, with the probabilities of the four whose steps
   * they are. Both halves are the same code: separate code for eight lanes would not
   * fit the instruction cache. */
  template <bool ALL>
  DEVICE bool visit_shared (bool active, uint32_t bit, uint32_t probability)
  {
    /* The coder's lanes that take part, from bit 0 on, and their symbols. */
    uint32_t takes = ALL ? ALL_LANES
                         : __ballot_sync (ALL_LANES, active) >> first_lane ();
    uint32_t ones = ENCODE ? __ballot_sync (ALL_LANES, bit) >> first_lane ()
                           : 0;
    uint32_t of_others = probability, found, found_before = 0;
    bool again = of_eight ();

    if (again) {
      uint32_t other = __shfl_xor_sync (ALL_LANES, probability, 4);

      of_others = lane & 4 ? probability : other;
      probability = lane & 4 ? other : probability;
    }
    while (true) {
      found = four_steps<ALL> (takes, ones, probability);
      if (!again)
        break;
      again = false;
      found_before = found;
      probability = of_others;
      takes >>= 4;
      ones >>= 4;
    }
    if (ENCODE)
      return bit;
    return (of_eight () && !(lane & 4) ? found_before : found) >> lane % 4 & 1;
  }
};
