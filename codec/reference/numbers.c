/* SPDX-License-Identifier: LGPL-2.1-or-later
 * From samples to codes and numbers (FORMAT.md section 5), for the reference's encoder.c.
 * It does for each sample what section 5 says, and looks nothing up that sample_map.c has
 * made. */
#include "codec/reference/reference.h"
#include "codec/sample_map.h"

/* The code of a sample's bits. */
static unsigned
code_of (const PacoComponent *component, unsigned bits)
{
  unsigned middle = 1u << (component->depth - 1);

  if (component->kind == PACO_SAMPLE_SIGNED)
    return bits >= middle ? bits - middle : bits + middle;
  if (component->kind == PACO_SAMPLE_FLOAT)
    return bits >= middle ? 65535 - bits : bits + middle;
  return bits;
}

/* The table of a component, or NULL. */
static const PacoCodeTable *
table_of (
    const PacoCoding *coding, const PacoCodeTable *tables, unsigned component)
{
  for (unsigned i = 0; i < coding->n_code_tables; i++)
    if (coding->code_tables[i].components >> component & 1)
      return &tables[i];
  return NULL;
}

void
paco_reference_number_samples (const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoCodeTable *tables, unsigned component,
    PacoReferencePlane *plane)
{
  const PacoComponent *c = &format->components[component];
  unsigned half = 1u << (paco_coded_depth (format, coding, component) - 1);
  const PacoCodeTable *table = table_of (coding, tables, component);
  g_autofree unsigned *numbers = g_new0 (unsigned, PACO_MAX_CODES + 1);
  size_t size = (size_t) plane->width * plane->height;

  for (unsigned code = 0; code < PACO_MAX_CODES; code++)
    numbers[code + 1] = numbers[code]
        + (!table || paco_code_is_used (table, code));
  for (size_t i = 0; i < size; i++) {
    int bits = plane->samples[i].i + (1 << (c->depth - 1));

    plane->samples[i].i = (int32_t) (numbers[code_of (c, (unsigned) bits)]
        - half);
  }
}

gboolean
paco_reference_find_codes (void *data, const PacoCodeGroups *groups,
    uint32_t step, PacoCodeTable *tables, GError **error)
{
  const PacoReferenceSamples *of = data;

  for (unsigned field = 0; field < paco_n_fields (of->format); field++)
    for (unsigned c = 0; c < of->format->n_components; c++) {
      uint32_t lines = paco_component_height (of->format, c);
      PacoReferencePlane plane;
      unsigned g = 0;

      if (of->format->fields)
        lines = (lines + 1 - field) / 2;
      while (g < groups->n && !(groups->components[g] >> c & 1))
        g++;
      if (g == groups->n)
        continue;
      if (!paco_reference_plane_init (
              &plane, paco_component_width (of->format, c), lines))
        return paco_fail (error, PACO_ERROR_MEMORY,
            "not enough memory for the samples of the picture");
      paco_reference_load_samples (of->format, of->picture, field, c, &plane);
      for (uint32_t y = 0; y < lines; y++) {
        uint32_t line = of->format->fields ? 2 * y + field : y;

        for (uint32_t x = 0; line % step == 0 && x < plane.width; x++) {
          int sample = plane.samples[(size_t) y * plane.width + x].i;
          unsigned code = code_of (&of->format->components[c],
              (unsigned) (sample
                  + (1 << (of->format->components[c].depth - 1))));

          tables[g].used[code / 64] |= UINT64_C (1) << code % 64;
        }
      }
      paco_reference_plane_clear (&plane);
    }
  return TRUE;
}
