/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for any machine: bpc_template.h compiled with operations in plain C,
 * their simplest form. bpc_avx2.c, bpc_avx512.c and bpc_neon.c have the same. bpc.c has
 * it in its list. */
#include "codec/cpu/bpc_bits.h"
#include <math.h>

#define LANES_NAME "plain"
#define LANES_OPS paco_bpc_ops_plain
/* Whether the decoder can write whole lines past the caches. That gains time only where a
 * register has a cache line. */
#define LANES_PAST_CACHES false

/* --- One byte for each lane, or for each coefficient of a row --- */

typedef struct
{
  uint8_t b[32];
} LanesBytes;

BPC_INLINE LanesBytes
lanes_load (const void *data)
{
  LanesBytes v;

  memcpy (v.b, data, 32);
  return v;
}

BPC_INLINE void
lanes_store (void *data, LanesBytes v)
{
  memcpy (data, v.b, 32);
}

BPC_INLINE LanesBytes
lanes_add (LanesBytes a, LanesBytes b)
{
  for (unsigned t = 0; t < 32; t++)
    a.b[t] += b.b[t];
  return a;
}

BPC_INLINE LanesBytes
lanes_sub (LanesBytes a, LanesBytes b)
{
  for (unsigned t = 0; t < 32; t++)
    a.b[t] -= b.b[t];
  return a;
}

BPC_INLINE LanesBytes
lanes_times_4 (LanesBytes v)
{
  return lanes_add (lanes_add (v, v), lanes_add (v, v));
}

BPC_INLINE LanesBytes
lanes_and (LanesBytes a, LanesBytes b)
{
  for (unsigned t = 0; t < 32; t++)
    a.b[t] &= b.b[t];
  return a;
}

BPC_INLINE LanesBytes
lanes_xor (LanesBytes a, LanesBytes b)
{
  for (unsigned t = 0; t < 32; t++)
    a.b[t] ^= b.b[t];
  return a;
}

/* Lane t gets the value of lane t - 1, or of lane t + 1; from outside comes 0. */
BPC_INLINE LanesBytes
lanes_from_previous (LanesBytes v)
{
  LanesBytes r = { { 0 } };

  memcpy (r.b + 1, v.b, 31);
  return r;
}

BPC_INLINE LanesBytes
lanes_from_next (LanesBytes v)
{
  LanesBytes r = { { 0 } };

  memcpy (r.b, v.b + 1, 31);
  return r;
}

/* value in all lanes. */
BPC_INLINE LanesBytes
lanes_all (uint8_t value)
{
  LanesBytes r;

  memset (r.b, value, 32);
  return r;
}

/* Which lanes something is true of: bytes are all ones or 0. */
typedef LanesBytes LanesMask;

/* These make a mask of bits, and the bits of a mask. */
BPC_INLINE LanesMask
lanes_mask (uint32_t bits)
{
  LanesMask r;

  for (unsigned t = 0; t < 32; t++)
    r.b[t] = bits >> t & 1 ? 0xff : 0;
  return r;
}

BPC_INLINE uint32_t
lanes_bits (LanesMask mask)
{
  uint32_t bits = 0;

  for (unsigned t = 0; t < 32; t++)
    bits |= (uint32_t) (mask.b[t] & 1) << t;
  return bits;
}

/* Returns where v has the bit set. */
BPC_INLINE LanesMask
lanes_bit (LanesBytes v, unsigned bit)
{
  for (unsigned t = 0; t < 32; t++)
    v.b[t] = v.b[t] >> bit & 1 ? 0xff : 0;
  return v;
}

BPC_INLINE LanesMask
lanes_differ (LanesBytes v, uint8_t value)
{
  for (unsigned t = 0; t < 32; t++)
    v.b[t] = v.b[t] != value ? 0xff : 0;
  return v;
}

/* Returns where a is true and b is not. */
BPC_INLINE LanesMask
lanes_without (LanesMask a, LanesMask b)
{
  for (unsigned t = 0; t < 32; t++)
    a.b[t] &= (uint8_t) ~b.b[t];
  return a;
}

/* a where the mask is true, else b. */
BPC_INLINE LanesBytes
lanes_select (LanesMask mask, LanesBytes a, LanesBytes b)
{
  for (unsigned t = 0; t < 32; t++)
    b.b[t] = (a.b[t] & mask.b[t]) | (b.b[t] & ~mask.b[t]);
  return b;
}

typedef struct
{
  uint8_t b[16];
} LanesTable;

BPC_INLINE LanesTable
lanes_load_table (const uint8_t table[16])
{
  LanesTable t;

  memcpy (t.b, table, 16);
  return t;
}

/* table[low nibble]. */
BPC_INLINE LanesBytes
lanes_lookup (const uint8_t table[16], LanesBytes v)
{
  for (unsigned t = 0; t < 32; t++)
    v.b[t] = table[v.b[t] & 15];
  return v;
}

/* table[v], where v is below 16. */
BPC_INLINE LanesBytes
lanes_lookup_16 (LanesTable table, LanesBytes v)
{
  return lanes_lookup (table.b, v);
}

/* These move low nibbles to high ones, and back. */
BPC_INLINE LanesBytes
lanes_nibbles_up (LanesBytes v)
{
  for (unsigned t = 0; t < 32; t++)
    v.b[t] = (uint8_t) (v.b[t] << 4);
  return v;
}

BPC_INLINE LanesBytes
lanes_nibbles_down (LanesBytes v)
{
  for (unsigned t = 0; t < 32; t++)
    v.b[t] >>= 4;
  return v;
}

/* table[4 sign (h) + sign (v) + 5]. */
BPC_INLINE LanesBytes
lanes_lookup_signs (const uint8_t table[16], LanesBytes h, LanesBytes v)
{
  for (unsigned t = 0; t < 32; t++) {
    int8_t a = (int8_t) h.b[t], b = (int8_t) v.b[t];

    v.b[t] = table[4 * ((a > 0) - (a < 0)) + (b > 0) - (b < 0) + 5];
  }
  return v;
}

/* The contexts of refinement of coefficients with these contexts. */
BPC_INLINE LanesBytes
lanes_refining (LanesBytes contexts)
{
  for (unsigned t = 0; t < 32; t++)
    contexts.b[t] = (uint8_t) (PACO_REFINEMENT_CONTEXT
        + (contexts.b[t] >> PACO_REFINEMENT_SHIFT));
  return contexts;
}

/* The columns of half a row that are rounded up, from their contexts and the lowest
 * bytes of their magnitudes. */
BPC_INLINE uint32_t
lanes_round_half (LanesBytes contexts, const uint8_t bytes[32])
{
  uint32_t mask = 0;

  for (unsigned t = 0; t < 32; t++) {
    unsigned c = contexts.b[t];
    unsigned sum = MIN (c, 4) + (c >= PACO_ROUNDING_5) + (c >= PACO_ROUNDING_6)
        + (c >= PACO_ROUNDING_7) + (bytes[t] & 15);

    mask |= (sum >> PACO_FRACTION_BITS) << t;
  }
  return mask;
}

#include "codec/cpu/bpc_template_halves.h"

/* --- The arithmetic coder --- */

typedef struct
{
  uint32_t s[32], l[32];
  uint32_t *finished;
  uint8_t *reserved_by;
  size_t n;
} LanesEncoder;

BPC_INLINE void
lanes_encode_symbol (LanesEncoder *e, unsigned j, uint8_t p, bool bit)
{
  uint32_t t;

  if (e->s[j] == 0) {
    e->reserved_by[e->n] = (uint8_t) j;
    e->finished[e->n++] = e->l[j];
    e->l[j] = 0;
    e->s[j] = UINT32_MAX;
  }
  t = (uint32_t) ((uint64_t) e->s[j] * p >> 8);
  if (bit) {
    e->l[j] += t + 1;
    e->s[j] -= t + 1;
  } else {
    e->s[j] = t;
  }
}

/* Does one visit: the active lanes code a one or a zero with their probabilities; the
 * others have no ones. full says at compile time that all lanes are active. */
BPC_INLINE void
lanes_encode (LanesEncoder *e, LanesRow row, unsigned side, LanesMask ones,
    LanesMask active, bool full, unsigned sharing)
{
  LanesBytes p = lanes_side (row, side);

  for (unsigned step = 0; step < sharing; step++)
    for (unsigned j = 0; j < PACO_LANES / sharing; j++) {
      unsigned t = sharing * j + step;

      if (full || active.b[t])
        lanes_encode_symbol (e, j, p.b[t], ones.b[t]);
    }
}

/* Returns the number of the coder that the encoder has noted. */
BPC_INLINE unsigned
lanes_coder (uint8_t noted, unsigned sharing)
{
  return noted;
}

BPC_INLINE void
lanes_encoder_end (
    const LanesEncoder *e, unsigned sharing, uint32_t s[32], uint32_t l[32])
{
  memcpy (s, e->s, sizeof e->s);
  memcpy (l, e->l, sizeof e->l);
}

typedef struct
{
  uint32_t s[32], d[32];
  const uint8_t *next; /* codeword */
} LanesDecoder;

BPC_INLINE bool
lanes_decode_symbol (LanesDecoder *d, unsigned j, uint8_t p)
{
  uint32_t t;

  if (d->s[j] == 0) {
    d->d[j] = load_le32 (d->next);
    d->next += 4;
    d->s[j] = UINT32_MAX;
  }
  t = (uint32_t) ((uint64_t) d->s[j] * p >> 8);
  if (d->d[j] > t) {
    d->d[j] -= t + 1;
    d->s[j] -= t + 1;
    return true;
  }
  d->s[j] = t;
  return false;
}

/* Returns which of the active lanes decoded a one. */
BPC_INLINE LanesMask
lanes_decode (LanesDecoder *d, LanesRow row, unsigned side, LanesMask active,
    bool full, unsigned sharing)
{
  LanesBytes p = lanes_side (row, side);
  LanesMask ones = lanes_all (0);

  for (unsigned step = 0; step < sharing; step++)
    for (unsigned j = 0; j < PACO_LANES / sharing; j++) {
      unsigned t = sharing * j + step;

      if (full || active.b[t])
        ones.b[t] = lanes_decode_symbol (d, j, p.b[t]) ? 0xff : 0;
    }
  return ones;
}

BPC_INLINE void
lanes_decoder_end (
    const LanesDecoder *d, unsigned sharing, uint32_t s[32], uint32_t value[32])
{
  memcpy (s, d->s, sizeof d->s);
  memcpy (value, d->d, sizeof d->d);
}

/* --- Coefficients --- */

/* Quantizes a row: stores the bytes of the magnitudes, and which coefficients are
 * negative. Returns all magnitudes or-ed. */
BPC_INLINE uint32_t
lanes_quantize_row (const BpcQuantizer *q, const void *coefficients,
    unsigned width, uint8_t bytes[3][64], uint64_t *negative)
{
  const int32_t *integers = coefficients;
  const float *floats = coefficients;
  uint32_t all = 0;

  memset (bytes, 0, 3 * 64);
  *negative = 0;
  for (unsigned x = 0; x < width; x++) {
    unsigned i = x / 2 + 32 * (x & 1);
    uint32_t m;
    bool minus;

    if (q->reversible) {
      minus = integers[x] < 0;
      m = minus ? -(uint32_t) integers[x] : (uint32_t) integers[x];
      m = MIN (m, PACO_MAX_MAGNITUDE);
    } else {
      float scaled = fabsf (floats[x]) * q->scale;

      minus = signbit (floats[x]);
      m = scaled < (float) PACO_MAX_MAGNITUDE ? (uint32_t) scaled
                                              : PACO_MAX_MAGNITUDE;
      if (q->multiplier > 0)
        m = paco_rate_scale (m, q->multiplier, q->shift);
      if (q->multipliers)
        m = paco_rate_scale (2 * m + 1, q->multipliers[x], PACO_STEP_MAP_SHIFT);
    }
    all |= m;
    *negative |= (uint64_t) minus << i;
    for (unsigned k = 0; k < 3; k++)
      bytes[k][i] = (uint8_t) (m >> (8 * k));
  }
  return all;
}

/* The columns whose magnitude is at least `least`, which is below 256. */
BPC_INLINE uint64_t
lanes_at_least (const uint8_t bytes[3][64], uint8_t least)
{
  uint64_t mask = 0;

  for (unsigned i = 0; i < 64; i++)
    mask |= (uint64_t) (bytes[0][i] >= least || bytes[1][i] || bytes[2][i])
        << i;
  return mask;
}

/* Makes coefficients from the bytes of m = q >> dropped. n_bytes is 1..3. */
/* The magnitude of column x. */
BPC_INLINE int32_t
lanes_magnitude (const LanesRow bytes[3], unsigned n_bytes, unsigned x)
{
  int32_t m = 0;

  for (unsigned k = 0; k < n_bytes; k++)
    m |= (x & 1 ? bytes[k].right : bytes[k].left).b[x / 2] << (8 * k);
  return m;
}

BPC_INLINE void
lanes_dequantize_narrow (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, int16_t *coefficients, unsigned width)
{
  for (unsigned x = 0; x < width; x++) {
    bool minus = negative >> (x / 2 + 32 * (x & 1)) & 1;
    int32_t m = lanes_magnitude (bytes, n_bytes, x);
    int32_t value = m ? (m << q->dropped) + q->middle : 0;

    coefficients[x] = (int16_t) (minus ? -value : value);
  }
}

BPC_INLINE void
lanes_dequantize_row (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, void *coefficients, unsigned width)
{
  int32_t *integers = coefficients;
  float *floats = coefficients;

  for (unsigned x = 0; x < width; x++) {
    bool minus = negative >> (x / 2 + 32 * (x & 1)) & 1;
    int32_t m = lanes_magnitude (bytes, n_bytes, x);

    if (q->reversible) {
      int32_t value = m ? (m << q->dropped) + q->middle : 0;

      integers[x] = minus ? -value : value;
    } else {
      float value = m ? (float) (256 * m + q->middle) * q->scales[x] : 0.0f;

      floats[x] = minus && m ? -value : value;
    }
  }
}

/* --- Densities and probabilities --- */

/* Returns the density classes of sums. */
BPC_INLINE LanesBytes
lanes_density (const uint8_t classes[256], LanesBytes sums)
{
  for (unsigned t = 0; t < 32; t++)
    sums.b[t] = classes[sums.b[t]];
  return sums;
}

/* The classes that occur, as bits of a mask; LANES_NO_CLASS is not one. */
BPC_INLINE unsigned
lanes_present (LanesBytes classes)
{
  unsigned present = 0;

  for (unsigned t = 0; t < 32; t++)
    if (classes.b[t] != LANES_NO_CLASS)
      present |= 1u << classes.b[t];
  return present;
}

/* The probabilities of the lanes of a stripe: each lane has those of its class. */
typedef struct
{
  const uint8_t *p[32];
} LanesTables;

BPC_INLINE void
lanes_tables (LanesTables *tables, const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present)
{
  for (unsigned t = 0; t < 32; t++)
    tables->p[t] = p[classes[t] == LANES_NO_CLASS ? 0 : classes[t]];
}

BPC_INLINE LanesBytes
lanes_probabilities_of (const LanesTables *tables, LanesBytes contexts)
{
  for (unsigned t = 0; t < 32; t++)
    contexts.b[t] = tables->p[t][contexts.b[t]];
  return contexts;
}

/* Makes probabilities from the contexts of the rows of a stripe. */
BPC_INLINE void
lanes_probabilities (const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present, LanesRow rows[PACO_STRIPE_LINES])
{
  LanesTables tables;

  lanes_tables (&tables, p, classes, present);
  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++) {
    rows[k].left = lanes_probabilities_of (&tables, rows[k].left);
    rows[k].right = lanes_probabilities_of (&tables, rows[k].right);
  }
}

/* Returns the probabilities of one side, in the left half of the row. */
BPC_INLINE LanesRow
lanes_side_probabilities (const LanesTables *tables, LanesBytes contexts)
{
  return lanes_row_of_left (lanes_probabilities_of (tables, contexts));
}

/* --- Counts --- */

/* Counts over all stripes of a plane: the significant coefficients, and the pairs of
 * them that the choice of a set asks for (policy_set.h). */
typedef struct
{
  uint32_t significant, pairs;
} LanesCount;

/* Adds the columns of a plane to what is significant in the rows of a stripe, and
 * counts it. Returns whether anything is significant there. Stripes come from the
 * top; `apart` says that this one makes no pairs with the one above. */
BPC_INLINE bool
lanes_count_stripe (
    LanesCount *count, uint64_t *significant, const uint64_t *plane, bool apart)
{
  uint64_t above = apart ? 0 : significant[-1], any = 0;

  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++) {
    uint64_t at = significant[k] | plane[k];

    significant[k] = at;
    any |= at;
    count->significant += (uint32_t) __builtin_popcountll (at);
    count->pairs += (uint32_t) (__builtin_popcountll (at & above)
        + __builtin_popcount ((uint32_t) (at & at >> 32)));
    above = at;
  }
  return any != 0;
}

BPC_INLINE void
lanes_count_end (
    const LanesCount *count, uint32_t *significant, uint32_t *pairs)
{
  *significant = count->significant;
  *pairs = count->pairs;
}

#include "codec/cpu/bpc_template.h"
