/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The compaction of many signs with bit masks, for instruction sets without a better
 * way: it goes lane by lane, with the lines of new signs as bits of words.
 * bpc_template_signs.h includes it. */
#pragma once

/* Transposes 128 rows of 32 bits to 32 lanes of two words. */
static inline void
rows_to_words (const uint32_t rows[128], uint64_t lanes[2][32])
{
  uint64_t tile[64] BPC_ALIGNED;

  for (unsigned i = 0; i < 64; i++)
    tile[i] = rows[i] | (uint64_t) rows[64 + i] << 32;
  transpose_64x64 (tile);
  memcpy (lanes, tile, sizeof tile);
}

static inline void
words_to_rows (uint64_t lanes[2][32], uint32_t rows[128])
{
  uint64_t tile[64] BPC_ALIGNED;

  memcpy (tile, lanes, sizeof tile);
  transpose_64x64 (tile);
  for (unsigned i = 0; i < 64; i++) {
    rows[i] = (uint32_t) tile[i];
    rows[64 + i] = tile[i] >> 32;
  }
}

/* Does compact_signs() for many signs. */
static unsigned
compact_many_signs (const Coding *coding, unsigned side)
{
  PacoBpcScratch *s = coding->scratch;
  unsigned height = coding->block->height, n = 0;

  for (unsigned y = 0; y < height; y += 128) {
    uint32_t rows[128] = { 0 };

    for (unsigned i = 0; i < MIN (height - y, 128); i++)
      rows[i] = (uint32_t) (s->fresh[BPC_MARGIN + y + i] >> side);
    rows_to_words (rows, s->fresh_lines + y / 64);
  }
  memset (s->sign_visits, NO_SIGN, height * 32);
  for (unsigned t = 0; t < 32; t++) {
    uint8_t *to = &s->sign_visits[0][t];
    unsigned count;

    for (unsigned y = 0; y < height; y += 64) {
      const uint8_t *from = &s->sign_values[y][t];

      for (uint64_t m = s->fresh_lines[y / 64][t]; m; m &= m - 1) {
        *to = from[32 * __builtin_ctzll (m)];
        to += 32;
      }
    }
    count = (unsigned) (to - &s->sign_visits[0][t]) / 32;
    n = MAX (n, count);
  }
  return n;
}

/* Does expand_signs() after compact_many_signs(), for n visits. */
static void
expand_many_signs (const Coding *coding, unsigned side, unsigned n)
{
  PacoBpcScratch *s = coding->scratch;
  unsigned height = coding->block->height;
  uint64_t words[PACO_MAX_BLOCK_HEIGHT / 64 + 1][32] = { { 0 } };
  unsigned at[32] = { 0 };

  for (unsigned k = 0; k < n; k += 128)
    rows_to_words (s->sign_bits + k, words + k / 64);
  for (unsigned y = 0; y < height; y += 128) {
    uint64_t lanes[2][32] = { { 0 } };
    uint32_t rows[128];

    for (unsigned k = y / 64; k < MIN (y / 64 + 2, (height + 63) / 64); k++)
      for (unsigned t = 0; t < 32; t++) {
        uint64_t fresh = s->fresh_lines[k][t];
        unsigned word = at[t] / 64, bit = at[t] % 64;
        uint64_t bits = words[word][t] >> bit;

        if (bit)
          bits |= words[word + 1][t] << (64 - bit);
        lanes[k % 2][t] = deposit_bits (bits, fresh);
        at[t] += (unsigned) __builtin_popcountll (fresh);
      }
    words_to_rows (lanes, rows);
    for (unsigned i = 0; i < MIN (height - y, 128); i++)
      s->negative[BPC_MARGIN + y + i] |= (uint64_t) rows[i] << side;
  }
  for (uint32_t stripes = coding->awake; stripes;) {
    RowRange rows = next_rows (coding, &stripes);

    for (unsigned i = rows.begin; i < rows.end; i++) {
      uint32_t fresh = (uint32_t) (s->fresh[i] >> side);

      if (fresh)
        learn_signs (s, side, i, fresh);
    }
  }
}
