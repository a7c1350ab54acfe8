/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures, packs and unpacks code tables (FORMAT.md, chunk 258); code_table.h says for
 * whom. */
#include "code_table.h"
#include "adaptive.h"
#include <string.h>

enum
{
  FORM_BITMAP,   /* a bit for each code from the first to the last one */
  FORM_ADAPTIVE, /* the bits between these two, packed */
  CONTEXT_BITS =
      8, /* A code is packed with the 8 codes before it as its context. */
};

static unsigned
first_code (const PacoCodeTable *table)
{
  unsigned w = 0;

  while (table->used[w] == 0)
    w++;
  return 64 * w + (unsigned) __builtin_ctzll (table->used[w]);
}

static unsigned
last_code (const PacoCodeTable *table)
{
  unsigned w = PACO_CODE_TABLE_WORDS - 1;

  while (table->used[w] == 0)
    w--;
  return 64 * w + 63 - (unsigned) __builtin_clzll (table->used[w]);
}

bool
paco_code_table_measure (const PacoCodeTable *table, PacoCodeTableInfo *info)
{
  info->n_codes = 0;
  for (unsigned w = 0; w < PACO_CODE_TABLE_WORDS; w++)
    info->n_codes += (uint32_t) __builtin_popcountll (table->used[w]);
  if (info->n_codes == 0)
    return false;
  info->first = (uint16_t) first_code (table);
  info->last = (uint16_t) last_code (table);
  return true;
}

bool
paco_code_table_pays (const PacoCodeTableInfo *info)
{
  return 8 * info->n_codes <= 7u * (info->last - info->first + 1u);
}

unsigned
paco_code_table_depth (uint32_t n_codes)
{
  return n_codes <= 2 ? 1 : 32 - (unsigned) __builtin_clz (n_codes - 1);
}

/* --- packed --- */

static void
start_contexts (PacoAdaptiveContext contexts[1 << CONTEXT_BITS])
{
  for (unsigned i = 0; i < 1 << CONTEXT_BITS; i++)
    contexts[i] = PACO_ADAPTIVE_START;
}

/* Returns the bytes written at data, or SIZE_MAX if the bitmap takes fewer. */
static size_t
pack (const PacoCodeTable *table, unsigned first, unsigned last, uint8_t *data)
{
  PacoAdaptiveContext contexts[1 << CONTEXT_BITS];
  size_t room = (last - first + 8) / 8;
  PacoAdaptive coder = paco_adaptive_writer (data, room);
  uint8_t before = 1;

  start_contexts (contexts);
  for (unsigned code = first + 1; code < last; code++) {
    bool used = paco_code_is_used (table, code);

    paco_adaptive_write (&coder, &contexts[before], used);
    before = (uint8_t) (before << 1 | used);
  }
  return paco_adaptive_finish (&coder) ? room - coder.left : SIZE_MAX;
}

/* A bitmap is the largest form. */
size_t
paco_code_table_most (const PacoCodeTableInfo *info)
{
  return (info->last - info->first + 8u) / 8;
}

void
paco_code_table_pack (
    const PacoCodeTable *table, PacoCodeTableInfo *info, uint8_t *data)
{
  size_t size = pack (table, info->first, info->last, data);

  info->form = size == SIZE_MAX ? FORM_BITMAP : FORM_ADAPTIVE;
  if (size == SIZE_MAX) {
    size = paco_code_table_most (info);
    memset (data, 0, size);
    for (unsigned code = info->first; code <= info->last; code++)
      data[(code - info->first) / 8] |=
          (uint8_t) (paco_code_is_used (table, code)
              << (code - info->first) % 8);
  }
  info->size = (uint32_t) size;
}

static void
set_used (PacoCodeTable *table, unsigned code)
{
  table->used[code / 64] |= UINT64_C (1) << code % 64;
}

static bool
unpack (
    const uint8_t *data, const PacoCodeTableInfo *info, PacoCodeTable *table)
{
  PacoAdaptiveContext contexts[1 << CONTEXT_BITS];
  PacoAdaptive coder = paco_adaptive_reader (data, info->size);
  uint8_t before = 1;

  start_contexts (contexts);
  set_used (table, info->first);
  set_used (table, info->last);
  for (unsigned code = info->first + 1u; code < info->last && !coder.broken;
       code++) {
    bool used = paco_adaptive_read (&coder, &contexts[before]);

    if (used)
      set_used (table, code);
    before = (uint8_t) (before << 1 | used);
  }
  return !coder.broken && coder.left == 0;
}

static bool
read_bitmap (
    const uint8_t *data, const PacoCodeTableInfo *info, PacoCodeTable *table)
{
  if (info->size != paco_code_table_most (info))
    return false;
  for (unsigned i = 0; i < 8 * info->size; i++)
    if (data[i / 8] >> i % 8 & 1) {
      if (info->first + i > info->last)
        return false;
      set_used (table, info->first + i);
    }
  return true;
}

bool
paco_code_table_unpack (
    const PacoCodeTableInfo *info, const uint8_t *data, PacoCodeTable *table)
{
  PacoCodeTableInfo found = *info;

  memset (table, 0, sizeof *table);
  return (info->form == FORM_ADAPTIVE ? unpack : read_bitmap) (
             data, info, table)
      && paco_code_table_measure (table, &found) && found.first == info->first
      && found.last == info->last && found.n_codes == info->n_codes;
}
