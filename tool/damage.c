/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says in words which blocks of a frame are damaged (damage.h). */
#include "damage.h"
#include "codec/check.h"
#include "codec/index.h"

static void
name_block (GString *names, const PacoGeometry *geometry, uint32_t i)
{
  static const char *const orientations[] = { "LL", "HL", "LH", "HH" };
  const PacoCodeblock *block = &geometry->blocks[i];
  const PacoSubband *subband = &geometry->subbands[block->subband];

  if (names->len > 0)
    g_string_append (names, "; ");
  g_string_append_printf (names, "%s of level %u, component %u",
      orientations[subband->orientation], subband->level, subband->component);
  if (geometry->n_fields == 2)
    g_string_append_printf (names, ", field %u", subband->field);
  g_string_append_printf (names, ", at %u,%u", block->x, block->y);
}

static void
name_broken (const uint8_t *payload, const PacoBlockRecord *records,
    const PacoGeometry *geometry, unsigned most, GString *names, unsigned *n)
{
  for (uint32_t i = 0; i < geometry->n_blocks; i++) {
    const PacoBlockRecord *record = &records[i];

    if (record->planes == 0
        || paco_block_check (payload + record->offset, record->length)
            == record->check)
      continue;
    if ((*n)++ < most)
      name_block (names, geometry, i);
  }
}

char *
paco_damage_blocks (const void *data, gsize size, unsigned most, unsigned *n)
{
  GString *names = g_string_new (NULL);
  PacoHeader header;
  PacoGeometry *geometry;
  PacoBlockRecord *records;

  *n = 0;
  if (!paco_header_parse (data, size, &header, NULL, NULL)
      || header.frame_size > size || !header.coding.block_checks)
    return g_string_free (names, FALSE);
  geometry = paco_geometry_new (&header.picture, &header.coding);
  records = g_try_new (PacoBlockRecord, geometry->n_blocks);
  if (records
      && paco_index_parse_frame (data, &header, geometry, records, NULL))
    name_broken (
        (const uint8_t *) data + header.header_size + header.index_size,
        records, geometry, most, names, n);
  g_free (records);
  paco_geometry_free (geometry);
  return g_string_free (names, FALSE);
}
