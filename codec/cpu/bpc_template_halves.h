/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Rows of the block coder as two halves, for instruction sets whose registers do not
 * hold the 64 bytes of a row, and what coefficients add to contexts (FORMAT.md section
 * 7.3). bpc_plain.c, bpc_avx2.c and bpc_lanes_neon.h include it after their operations
 * on LanesBytes. */
#pragma once

typedef struct
{
  LanesBytes left, right;
} LanesRow;

BPC_INLINE LanesRow
lanes_row_zero (void)
{
  return (LanesRow){ lanes_all (0), lanes_all (0) };
}

BPC_INLINE LanesRow
lanes_row_load (const void *data)
{
  const uint8_t *bytes = data;

  return (LanesRow){ lanes_load (bytes), lanes_load (bytes + 32) };
}

BPC_INLINE void
lanes_row_store (void *data, LanesRow r)
{
  uint8_t *bytes = data;

  lanes_store (bytes, r.left);
  lanes_store (bytes + 32, r.right);
}

BPC_INLINE LanesRow
lanes_row_add (LanesRow a, LanesRow b)
{
  return (LanesRow){ lanes_add (a.left, b.left), lanes_add (a.right, b.right) };
}

BPC_INLINE LanesRow
lanes_row_of_left (LanesBytes left)
{
  return (LanesRow){ left, left };
}

BPC_INLINE LanesBytes
lanes_side (LanesRow r, unsigned side)
{
  return side ? r.right : r.left;
}

BPC_INLINE uint64_t
lanes_row_top_bits (LanesRow r)
{
  return lanes_bits (lanes_bit (r.left, 7))
      | (uint64_t) lanes_bits (lanes_bit (r.right, 7)) << 32;
}

BPC_INLINE uint64_t
lanes_odd (const uint8_t bytes[64])
{
  return lanes_bits (lanes_bit (lanes_load (bytes), 0))
      | (uint64_t) lanes_bits (lanes_bit (lanes_load (bytes + 32), 0)) << 32;
}

BPC_INLINE uint64_t
lanes_round (LanesRow contexts, const uint8_t bytes[64])
{
  return lanes_round_half (contexts.left, bytes)
      | (uint64_t) lanes_round_half (contexts.right, bytes + 32) << 32;
}

BPC_INLINE LanesRow
lanes_count (LanesRow counts, LanesMask left, LanesMask right)
{
  counts.left = lanes_sub (counts.left, left);
  counts.right = lanes_sub (counts.right, right);
  return counts;
}

BPC_INLINE LanesRow
lanes_row_push (LanesRow r, uint64_t bits)
{
  return lanes_count (lanes_row_add (r, r), lanes_mask ((uint32_t) bits),
      lanes_mask (bits >> 32));
}

/* Where both masks are true, and where one of them is. */
BPC_INLINE LanesMask
lanes_both (LanesMask a, LanesMask b)
{
  return lanes_and (a, b);
}

BPC_INLINE LanesMask
lanes_unlike (LanesMask a, LanesMask b)
{
  return lanes_xor (a, b);
}

/* value where the mask is true, else 0. */
BPC_INLINE LanesBytes
lanes_of_mask (LanesMask mask, uint8_t value)
{
  return lanes_and (mask, lanes_all (value));
}

/* --- Contexts --- */

/* The tables of BpcGains, and single weights. */
typedef struct
{
  LanesTable y0, y1, y2, right;
  LanesBytes horizontal, diagonal, vertical, vertical_2, knight;
} LanesWeights;

BPC_INLINE LanesWeights
lanes_weights (const BpcWeights *weights)
{
  BpcGains gains = bpc_gains (weights);

  return (LanesWeights){
    .y0 = lanes_load_table (gains.y0),
    .y1 = lanes_load_table (gains.y1),
    .y2 = lanes_load_table (gains.y2),
    .right = lanes_load_table (gains.right),
    .horizontal = lanes_all (weights->horizontal),
    .diagonal = lanes_all (weights->diagonal),
    .vertical = lanes_all (weights->vertical),
    .vertical_2 = lanes_all (weights->vertical_2),
    .knight = lanes_all (weights->knight),
  };
}

/* Computes the spread of half a row from how many fresh columns lie beside and two away
 * from each of its columns. Returns these numbers as the tables take them. */
BPC_INLINE LanesBytes
lanes_spread_half (const LanesWeights *w, LanesBytes beside, LanesBytes far,
    LanesBytes here, LanesBytes *y0, LanesBytes *y1, LanesBytes *y2)
{
  LanesBytes sums = lanes_add (beside, lanes_times_4 (far));

  *y0 = lanes_lookup_16 (w->y0, sums);
  *y1 = lanes_add (
      lanes_lookup_16 (w->y1, sums), lanes_and (here, w->vertical));
  *y2 = lanes_add (
      lanes_lookup_16 (w->y2, sums), lanes_and (here, w->vertical_2));
  return sums;
}

typedef struct
{
  LanesRow y0, y1, y2, right;
} LanesSpread;

BPC_INLINE LanesSpread
lanes_spread (const LanesWeights *w, LanesMask left_here, LanesMask right_here)
{
  LanesBytes left = lanes_and (left_here, lanes_all (1));
  LanesBytes right = lanes_and (right_here, lanes_all (1));
  LanesBytes left_before = lanes_from_previous (left);
  LanesBytes left_after = lanes_from_next (left);
  LanesBytes right_before = lanes_from_previous (right);
  LanesBytes right_after = lanes_from_next (right);
  LanesBytes sums;
  LanesSpread r;

  lanes_spread_half (w, lanes_add (right, right_before),
      lanes_add (left_before, left_after), left_here, &r.y0.left, &r.y1.left,
      &r.y2.left);
  sums = lanes_spread_half (w, lanes_add (left, left_after),
      lanes_add (right_before, right_after), right_here, &r.y0.right,
      &r.y1.right, &r.y2.right);
  r.right.left = lanes_all (0);
  r.right.right = lanes_lookup_16 (w->right, sums);
  return r;
}

BPC_INLINE LanesBytes
lanes_add_columns (
    LanesBytes contexts, LanesBytes weight, LanesMask fresh, unsigned side)
{
  LanesBytes gain = lanes_and (fresh, weight);

  contexts = lanes_add (contexts, gain);
  return lanes_add (
      contexts, side ? lanes_from_previous (gain) : lanes_from_next (gain));
}

BPC_INLINE LanesBytes
lanes_add_below (const LanesWeights *w, LanesBytes contexts, LanesMask fresh)
{
  LanesBytes knight = lanes_and (fresh, w->knight);

  contexts = lanes_add (contexts, lanes_and (fresh, w->vertical));
  return lanes_add (contexts,
      lanes_add (lanes_from_previous (knight), lanes_from_next (knight)));
}

BPC_INLINE LanesBytes
lanes_side_contexts (LanesBytes contexts, LanesMask refined)
{
  return lanes_select (refined, lanes_refining (contexts), contexts);
}

BPC_INLINE LanesRow
lanes_contexts (LanesRow contexts, uint64_t refined)
{
  return (LanesRow){ lanes_side_contexts (
                         contexts.left, lanes_mask ((uint32_t) refined)),
    lanes_side_contexts (contexts.right, lanes_mask (refined >> 32)) };
}

/* A row of contexts that a scan has come to. A stripe's rows do not fit into registers,
 * so they stay in memory. */
typedef struct
{
  uint8_t (*row)[64];
} Window;

BPC_INLINE Window
window_begin (uint8_t (*row)[64])
{
  return (Window){ row };
}

/* The contexts of the row, and of the one below. */
BPC_INLINE LanesRow
window_at (const Window *w)
{
  return lanes_row_load (w->row[0]);
}

BPC_INLINE LanesRow
window_below (const Window *w)
{
  return lanes_row_load (w->row[1]);
}

/* Adds what fresh columns of the row mean to the contexts around it. */
BPC_INLINE void
window_add (Window *w, const LanesSpread *spread)
{
  const LanesRow gains[5] = { spread->y2, spread->y1, spread->y0, spread->y1,
    spread->y2 };

  for (int k = 0; k < 5; k++)
    lanes_row_store (w->row[k - 2],
        lanes_row_add (lanes_row_load (w->row[k - 2]), gains[k]));
}

BPC_INLINE void
window_move (Window *w)
{
  w->row++;
}

BPC_INLINE void
window_end (const Window *w)
{
}

/* --- Signs --- */

typedef struct
{
  uint8_t codes[16];
} LanesSignTable;

BPC_INLINE LanesSignTable
lanes_sign_table (const uint8_t codes[16])
{
  LanesSignTable table;

  memcpy (table.codes, codes, 16);
  return table;
}

/* Returns the codes of signs whose neighbors add up to h and v, in both nibbles; where
 * the sign above is not known, the lower nibble is for 1 and the upper one for -1. */
BPC_INLINE LanesBytes
lanes_sign_values (
    LanesSignTable table, LanesBytes h, LanesBytes v, LanesMask above)
{
  LanesBytes code = lanes_lookup_signs (table.codes, h, lanes_sub (v, above));
  LanesBytes other = lanes_lookup_signs (table.codes, h, lanes_add (v, above));

  return lanes_add (code, lanes_nibbles_up (other));
}
