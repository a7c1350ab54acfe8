/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the maps of samples; sample_map.h says for whom. */
#include "sample_map.h"
#include "error.h"
#include <limits.h>
#include <string.h>

/* Returns the code table of a component as the header tells of it, or NULL. */
static const PacoCodeTableInfo *
table_of (const PacoCoding *coding, unsigned component)
{
  for (unsigned i = 0; i < coding->n_code_tables; i++)
    if (coding->code_tables[i].components >> component & 1)
      return &coding->code_tables[i];
  return NULL;
}

static unsigned
own_depth (const PacoPictureFormat *format, const PacoCoding *coding,
    unsigned component)
{
  const PacoCodeTableInfo *table = table_of (coding, component);

  return table ? paco_code_table_depth (table->n_codes)
               : format->components[component].depth;
}

unsigned
paco_coded_depth (const PacoPictureFormat *format, const PacoCoding *coding,
    unsigned component)
{
  unsigned depth = own_depth (format, coding, component);

  unsigned n = paco_color_transform_components (coding->color_transform);

  for (unsigned c = 0; component < n && c < n; c++)
    depth = MAX (depth, own_depth (format, coding, c));
  return depth;
}

/* The inverse of paco_sample_code(). */
static uint16_t
sample_of_code (const PacoComponent *component, unsigned code)
{
  switch (component->kind) {
    case PACO_SAMPLE_SIGNED:
      return (uint16_t) (code ^ 1u << (component->depth - 1));
    case PACO_SAMPLE_FLOAT:
      return (uint16_t) (code & 0x8000 ? code ^ 0x8000 : ~code);
    default:
      return (uint16_t) code;
  }
}

/* Makes the map of a component whose table is in the words of `used`, or is NULL. The
 * middle of 2^coded_depth numbers comes to lie in the middle of the samples' range. */
static void
make_map (const PacoComponent *component, unsigned coded_depth,
    const PacoCodeTable *table, PacoSampleMap *map)
{
  unsigned n = 1u << component->depth;
  unsigned begin = (n - (1u << coded_depth)) / 2, end = begin;

  map->n = n;
  for (unsigned first = 0; first < n; first += 64) {
    uint64_t used = table ? table->used[first / 64] : UINT64_MAX;

    if (n < 64)
      used &= (UINT64_C (1) << n) - 1;
    for (; used != 0; used &= used - 1) {
      unsigned code = first + (unsigned) __builtin_ctzll (used);
      uint16_t sample = sample_of_code (component, code);

      map->forward[sample] = (uint16_t) end;
      map->back[end++] = sample;
    }
  }
  for (unsigned i = 0; i < begin; i++)
    map->back[i] = map->back[begin];
  for (unsigned i = end; i < n; i++)
    map->back[i] = map->back[end - 1];
}

static bool
same_component (const PacoComponent *a, const PacoComponent *b)
{
  return a->depth == b->depth && a->kind == b->kind;
}

/* Returns the component before c that has the same map, or c. */
static unsigned
find_same (
    const PacoPictureFormat *format, const PacoCoding *coding, unsigned c)
{
  for (unsigned other = 0; other < c; other++)
    if (same_component (&format->components[other], &format->components[c])
        && table_of (coding, other) == table_of (coding, c)
        && paco_coded_depth (format, coding, other)
            == paco_coded_depth (format, coding, c))
      return other;
  return c;
}

static bool
needs_map (
    const PacoPictureFormat *format, const PacoCoding *coding, unsigned c)
{
  return format->components[c].kind != PACO_SAMPLE_UNSIGNED
      || table_of (coding, c);
}

gboolean
paco_sample_maps_make (PacoSampleMaps *maps, const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoCodeTable *tables, GError **error)
{
  if (maps->current && coding->n_code_tables == 0)
    return TRUE;
  maps->number += maps->number == UINT_MAX ? 2 : 1;
  memset (maps->of, 0, sizeof maps->of);
  for (unsigned c = 0; c < format->n_components; c++) {
    const PacoCodeTableInfo *table = table_of (coding, c);
    unsigned same = find_same (format, coding, c);

    if (!needs_map (format, coding, c))
      continue;
    maps->of[c] = maps->of[same];
    if (same < c)
      continue;
    if (!maps->maps[c])
      maps->maps[c] = g_try_new (PacoSampleMap, 1);
    if (!maps->maps[c])
      return paco_fail (error, PACO_ERROR_MEMORY,
          "not enough memory for the map of a picture's samples");
    make_map (&format->components[c], paco_coded_depth (format, coding, c),
        table ? &tables[table - coding->code_tables] : NULL, maps->maps[c]);
    maps->of[c] = maps->maps[c];
  }
  maps->current = coding->n_code_tables == 0;
  return TRUE;
}

/* Unpacks the code tables of a frame. */
static gboolean
read_tables (const PacoCoding *coding, const uint8_t *index,
    PacoCodeTable tables[PACO_MAX_COMPONENTS], GError **error)
{
  for (unsigned i = 0; i < coding->n_code_tables; i++) {
    if (!paco_code_table_unpack (&coding->code_tables[i], index, &tables[i]))
      return paco_fail (
          error, PACO_ERROR_CORRUPT, "a code table of the frame is damaged");
    index += coding->code_tables[i].size;
  }
  return TRUE;
}

gboolean
paco_sample_maps_read (PacoSampleMaps *maps, const PacoHeader *header,
    const uint8_t *index, GError **error)
{
  PacoCodeTable tables[PACO_MAX_COMPONENTS];

  return read_tables (&header->coding, index, tables, error)
      && paco_sample_maps_make (
          maps, &header->picture, &header->coding, tables, error);
}

void
paco_sample_maps_clear (PacoSampleMaps *maps)
{
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
    g_free (maps->maps[c]);
  *maps = (PacoSampleMaps){ 0 };
}
