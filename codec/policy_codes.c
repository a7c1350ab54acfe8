/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses code tables; policy_codes.h says for whom. */
#include "policy_codes.h"
#include <string.h>

enum
{
  MIN_DEPTH = 10, /* With fewer bits, tables seldom pay. */
  WINDOW = 256,
  WINDOW_SAMPLES = 8
      * WINDOW, /* of a window that shows whether there are gaps */
  CHUNK_SIZE = 16,
};

static bool
may_have_table (
    const PacoParameters *parameters, const PacoComponent *component)
{
  return parameters->code_tables == PACO_CODE_TABLES_ALWAYS
      || component->depth >= MIN_DEPTH;
}

static void
add_group (PacoCodeGroups *groups, const PacoPictureFormat *picture,
    uint8_t components)
{
  groups->components[groups->n] = components;
  groups->samples[groups->n] = 0;
  for (unsigned c = 0; c < picture->n_components; c++)
    if (components >> c & 1)
      groups->samples[groups->n] += (uint64_t) paco_component_width (picture, c)
          * paco_component_height (picture, c);
  groups->n++;
}

PacoCodeGroups
paco_policy_code_groups (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding)
{
  PacoCodeGroups groups = { 0 };
  unsigned mixed = paco_color_transform_components (coding->color_transform);

  if (parameters->rate_control != PACO_RATE_LOSSLESS
      || parameters->code_tables == PACO_CODE_TABLES_NEVER)
    return groups;
  if (mixed > 0 && may_have_table (parameters, &picture->components[0]))
    add_group (&groups, picture, (uint8_t) ((1u << mixed) - 1));
  for (unsigned c = mixed; c < picture->n_components; c++)
    if (may_have_table (parameters, &picture->components[c]))
      add_group (&groups, picture, (uint8_t) (1u << c));
  return groups;
}

size_t
paco_policy_code_tables_size (const PacoCodeGroups *groups)
{
  return groups->n * (CHUNK_SIZE + PACO_MAX_CODE_TABLE_SIZE);
}

/* Says whether the codes have no gaps: of windows of 256 codes of which at least half are
 * used, 7/8 of the codes or more are. */
static bool
is_dense (const PacoCodeTable *table)
{
  unsigned n_windows = 0, n_codes = 0;

  for (unsigned w = 0; w < PACO_CODE_TABLE_WORDS; w += WINDOW / 64) {
    unsigned n = 0;

    for (unsigned i = 0; i < WINDOW / 64; i++)
      n += (unsigned) __builtin_popcountll (table->used[w + i]);
    if (2 * n < WINDOW)
      continue;
    n_windows++;
    n_codes += n;
  }
  return n_windows > 0 && 8 * n_codes >= 7 * WINDOW * n_windows;
}

/* Says whether a table saves more than `size` bytes: of s codes from the first to the last
 * one n are used, which is taken for (1 - n/s) / 2 bits a sample. */
static bool
saves_more (const PacoCodeTableInfo *info, uint64_t samples, size_t size)
{
  uint64_t span = info->last - info->first + 1u;

  return 16 * size * span < samples * (span - info->n_codes);
}

/* Adds a table if it saves more than its bytes. It is packed only if that depends on how
 * many these are. */
static void
add_table (PacoCodeChoice *choice, const PacoCodeGroups *groups, unsigned i,
    PacoCoding *coding)
{
  PacoCodeTableInfo *info = &coding->code_tables[coding->n_code_tables];
  uint64_t samples = groups->samples[i];

  if (!paco_code_table_measure (&choice->found[i], info)
      || !paco_code_table_pays (info))
    return;
  info->size = 0;
  if (!saves_more (info, samples, paco_code_table_most (info))) {
    paco_code_table_pack (
        &choice->found[i], info, choice->packed[coding->n_code_tables]);
    if (!saves_more (info, samples, info->size))
      return;
  }
  info->components = groups->components[i];
  choice->tables[coding->n_code_tables++] = choice->found[i];
}

static void
keep_group (PacoCodeGroups *left, const PacoCodeGroups *groups, unsigned i)
{
  left->components[left->n] = groups->components[i];
  left->samples[left->n++] = groups->samples[i];
}

PacoCodeGroups
paco_policy_groups_with_gaps (
    const PacoCodeGroups *groups, const PacoCodeTable *found)
{
  PacoCodeGroups left = { 0 };

  for (unsigned i = 0; i < groups->n; i++)
    if (!is_dense (&found[i]))
      keep_group (&left, groups, i);
  return left;
}

gboolean
paco_policy_choose_codes (PacoCodeChoice *choice, PacoFindCodes find,
    void *data, PacoCoding *coding, GError **error)
{
  PacoCodeGroups left;

  coding->n_code_tables = 0;
  if (choice->groups.n == 0)
    return TRUE;
  memset (choice->found, 0, sizeof choice->found);
  if (!find (data, &choice->groups, PACO_CODE_LINES, choice->found, error))
    return FALSE;
  left = paco_policy_groups_with_gaps (&choice->groups, choice->found);
  if (left.n == 0)
    return TRUE;
  memset (choice->found, 0, sizeof choice->found);
  if (!find (data, &left, 1, choice->found, error))
    return FALSE;
  for (unsigned i = 0; i < left.n; i++)
    add_table (choice, &left, i, coding);
  return TRUE;
}

void
paco_policy_pack_codes (PacoCodeChoice *choice, PacoCoding *coding)
{
  size_t size = 0;

  for (unsigned i = 0; i < coding->n_code_tables; i++) {
    PacoCodeTableInfo *info = &coding->code_tables[i];

    if (info->size > 0)
      memcpy (choice->bytes + size, choice->packed[i], info->size);
    else
      paco_code_table_pack (&choice->tables[i], info, choice->bytes + size);
    size += info->size;
  }
}
