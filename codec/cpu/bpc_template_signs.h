/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The signs (FORMAT.md 7.5), which bpc_template.h includes for encoder and decoder.
 *
 * In visit k every lane codes its k-th new sign, wherever that lies. So a pass of
 * signs has two halves. First all contexts are computed as bytes, row by row; then
 * those of each lane are moved to the front, and coded visit by visit. The encoder
 * knows all signs before. The decoder does not know the sign of the upper neighbor
 * if that is new as well; it is the one that the same lane decodes just before. So
 * the decoder computes the context for both signs of the neighbor, and chooses when
 * that is known. */
#pragma once

/* Notes the signs of what is fresh on this side of row i as known. */
BPC_INLINE void
learn_signs (PacoBpcScratch *s, unsigned side, unsigned i, uint32_t fresh)
{
  LanesMask negative = lanes_mask ((uint32_t) (s->negative[i] >> side));
  LanesBytes known = lanes_load (s->signs[i] + side);

  known = lanes_select (lanes_mask (fresh),
      lanes_select (negative, lanes_all (0xff), lanes_all (1)), known);
  lanes_store (s->signs[i] + side, known);
  s->known[i] |= (uint64_t) fresh << side;
}

#ifdef LANES_SIGNS_HEADER
#include LANES_SIGNS_HEADER
#else
#include "codec/cpu/bpc_template_signs_bits.h"
#endif

/* Moves the values of each lane to the front, in the order of the rows.
 * Returns the number of visits. */
static unsigned
compact_signs (const Coding *coding, unsigned side, uint32_t n_signs)
{
  PacoBpcScratch *s = coding->scratch;
  uint8_t count[32] = { 0 };
  unsigned n = 0;
  BpcSign *sign = s->few_signs;

  if (n_signs >= BPC_MANY_SIGNS)
    return compact_many_signs (coding, side);
  memset (s->sign_visits, NO_SIGN, MIN (n_signs, coding->block->height) * 32);
  for (uint32_t stripes = coding->awake; stripes;) {
    RowRange rows = next_rows (coding, &stripes);

    for (unsigned i = rows.begin; i < rows.end; i++) {
      uint32_t fresh = (uint32_t) (s->fresh[i] >> side);

      for (; fresh; fresh &= fresh - 1) {
        uint8_t t = (uint8_t) __builtin_ctz (fresh), k = count[t]++;

        *sign++ = (BpcSign){ (uint16_t) i, t, k };
        s->sign_visits[k][t] = s->sign_values[i - BPC_MARGIN][t];
      }
    }
  }
  for (unsigned t = 0; t < 32; t++)
    n = MAX (n, count[t]);
  return n;
}

/* Moves the decoded signs, sign_bits by visit, back to their rows, and notes them as
 * known. */
static void
expand_signs (
    const Coding *coding, unsigned side, uint32_t n_signs, unsigned n_visits)
{
  PacoBpcScratch *s = coding->scratch;

  if (n_signs >= BPC_MANY_SIGNS) {
    expand_many_signs (coding, side, n_visits);
    return;
  }
  for (const BpcSign *sign = s->few_signs; n_signs-- > 0; sign++) {
    uint64_t minus = s->sign_bits[sign->visit] >> sign->lane & 1;

    s->signs[sign->row][side + sign->lane] = (int8_t) (1 - 2 * (int) minus);
    s->negative[sign->row] |= minus << (side + sign->lane);
    s->known[sign->row] |= UINT64_C (1) << (side + sign->lane);
  }
}

/* Returns the sums of the signs of the horizontal neighbors of a side's columns in
 * row i. */
BPC_INLINE LanesBytes
horizontal_signs (const PacoBpcScratch *s, unsigned side, unsigned i)
{
  LanesBytes other = lanes_load (s->signs[i] + (32 - side));

  return lanes_add (
      other, side ? lanes_from_next (other) : lanes_from_previous (other));
}

/* Finds contexts and symbols (bit 3) of the fresh signs of a side (0 or 32). It notes
 * these signs on the way, as each row depends on the one above. Returns how many there
 * are. */
BPC_INLINE uint32_t
sign_values_encoder_of (const Coding *coding, unsigned side)
{
  PacoBpcScratch *s = coding->scratch;
  LanesBytes none = lanes_all (NO_SIGN);
  uint32_t n = 0;

  for (uint32_t stripes = coding->awake; stripes;) {
    RowRange rows = next_rows (coding, &stripes);

    for (unsigned i = rows.begin; i < rows.end; i++) {
      uint32_t fresh = (uint32_t) (s->fresh[i] >> side);
      LanesBytes h, v, code;

      if (!fresh) {
        lanes_store (s->sign_values[i - BPC_MARGIN], none);
        continue;
      }
      n += (uint32_t) __builtin_popcount (fresh);
      h = horizontal_signs (s, side, i);
      v = lanes_add (lanes_load (s->signs[i - 1] + side),
          lanes_load (s->signs[i + 1] + side));
      code = lanes_lookup_signs (coding->sign_codes, h, v);
      code = lanes_xor (code,
          lanes_of_mask (lanes_mask ((uint32_t) (s->negative[i] >> side)), 8));
      lanes_store (s->sign_values[i - BPC_MARGIN],
          lanes_select (lanes_mask (fresh), code, none));
      learn_signs (s, side, i, fresh);
    }
  }
  return n;
}

/* Returns the same for the decoder. Where the upper neighbor is fresh, the low nibble
 * is for a neighbor with a positive sign, and the high nibble for a negative one. */
BPC_INLINE uint32_t
sign_values_decoder_of (const Coding *coding, unsigned side)
{
  PacoBpcScratch *s = coding->scratch;
  LanesBytes none = lanes_all (NO_SIGN);
  LanesSignTable table = coding->sign_table;
  uint32_t n = 0;

  for (uint32_t stripes = coding->awake; stripes;) {
    RowRange rows = next_rows (coding, &stripes);
    LanesMask above = lanes_mask (
        (uint32_t) (s->fresh[rows.begin - 1] >> side));

    for (unsigned i = rows.begin; i < rows.end; i++) {
      uint32_t fresh = (uint32_t) (s->fresh[i] >> side);
      LanesMask here = lanes_mask (fresh);
      LanesBytes h = horizontal_signs (s, side, i), v, code;

      n += (uint32_t) __builtin_popcount (fresh);
      v = lanes_add (lanes_load (s->signs[i - 1] + side),
          lanes_load (s->signs[i + 1] + side));
      code = lanes_sign_values (table, h, v, above);
      lanes_store (
          s->sign_values[i - BPC_MARGIN], lanes_select (here, code, none));
      above = here;
    }
  }
  return n;
}

/* Calls the functions above, each compiled for either side. */
static uint32_t
sign_values_encoder (const Coding *coding, unsigned side)
{
  return side ? sign_values_encoder_of (coding, 32)
              : sign_values_encoder_of (coding, 0);
}

static uint32_t
sign_values_decoder (const Coding *coding, unsigned side)
{
  return side ? sign_values_decoder_of (coding, 32)
              : sign_values_decoder_of (coding, 0);
}

BPC_INLINE void
encode_signs (
    const Coding *coding, LanesEncoder *state, unsigned side, unsigned sharing)
{
  PacoBpcScratch *s = coding->scratch;
  LanesEncoder e;
  uint32_t n_signs = sign_values_encoder (coding, side);
  unsigned n;

  if (n_signs == 0)
    return;
  n = compact_signs (coding, side, n_signs);
  e = *state;
  for (unsigned k = 0; k < n; k++) {
    LanesBytes code = lanes_load (s->sign_visits[k]);
    LanesMask active = lanes_differ (code, NO_SIGN);
    LanesRow p = lanes_row_of_left (
        lanes_lookup (coding->sign_probabilities, code));

    lanes_encode (&e, p, 0, lanes_both (lanes_bit (code, 3), active), active,
        false, sharing);
  }
  *state = e;
}

/* Decodes the signs of a side. Returns FALSE when there are no more codewords. */
BPC_INLINE bool
decode_signs (
    const Coding *coding, LanesDecoder *state, unsigned side, unsigned sharing)
{
  PacoBpcScratch *s = coding->scratch;
  uint32_t n_signs = sign_values_decoder (coding, side);
  LanesMask negative = lanes_mask (0);
  unsigned n;
  LanesDecoder d;

  if (n_signs == 0)
    return true;
  n = compact_signs (coding, side, n_signs);
  d = *state;
  for (unsigned k = 0; k < n; k++) {
    LanesBytes code = lanes_load (s->sign_visits[k]);
    LanesMask active = lanes_differ (code, NO_SIGN), ones;
    LanesRow p;

    code = lanes_select (negative, lanes_nibbles_down (code), code);
    p = lanes_row_of_left (lanes_lookup (coding->sign_probabilities, code));
    ones = lanes_decode (&d, p, 0, active, false, sharing);
    negative = lanes_both (lanes_unlike (ones, lanes_bit (code, 3)), active);
    s->sign_bits[k] = lanes_bits (negative);
    if (d.next > coding->limit)
      return false;
  }
  *state = d;
  expand_signs (coding, side, n_signs, n);
  return true;
}

/* Returns which sides of the signs of a plane are raw, as 1 for left, 2 for right. */
static unsigned
raw_sides (const PacoBlockRecord *record, unsigned plane)
{
  if (record->raw_planes > 0 || record->cut || plane != record->dropped_planes)
    return 0;
  return record->raw_left_signs ? 3 : 2;
}
