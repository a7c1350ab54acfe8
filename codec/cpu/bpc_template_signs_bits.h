/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The compaction of many signs with bit masks, for instruction sets without a better
 * way: it goes lane by lane, with the lines of new signs as bits of words.
 * bpc_template_signs.h includes it. */
#pragma once

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
