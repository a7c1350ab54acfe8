/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests step maps: what is written is what is read, other bytes are refused, each
 * coefficient has a cell of the map, and products of steps and scales are exact. */
#include "codec/step_map.h"
#include "codec/error.h"
#include "codec/quantizer.h"
#include "tests/codec/random-header.h"
#include <math.h>
#include <string.h>

/* Draws a map: noise, extremes, all alike, or something smooth. */
static void
draw_cells (const PacoGeometry *geometry, uint8_t *cells)
{
  uint32_t n = paco_step_map_n_cells (geometry);
  unsigned kind = draw (0, 3);
  int level = draw (0, 15);

  for (uint32_t i = 0; i < n; i++) {
    if (kind == 3)
      level += draw (level > 0 ? -1 : 0, level < 15 ? 1 : 0);
    cells[i] = kind == 0 ? draw (0, 15) : kind == 1 ? 15 * draw (0, 1) : level;
  }
}

static PacoGeometry *
draw_geometry (PacoHeader *header)
{
  PacoProbabilitySet set;

  do
    draw_header (header, &set);
  while (paco_is_reversible (&header->coding, 0));
  header->picture.width = MIN (header->picture.width, 2000u) / 2 * 2 + 2;
  header->picture.height = MIN (header->picture.height, 2000u) / 2 * 2 + 2;
  header->coding.step_map = true;
  header->coding.step_map_halved = draw (
      0, (1 << header->picture.n_components) - 1);
  return paco_geometry_new (&header->picture, &header->coding);
}

static void
test_round_trip (void)
{
  for (int n = 0; n < 300; n++) {
    PacoHeader header;
    g_autoptr (GError) error = NULL;
    PacoGeometry *geometry = draw_geometry (&header);
    uint32_t n_cells = paco_step_map_n_cells (geometry);
    size_t room = paco_step_map_max_size (geometry), size;
    g_autofree uint8_t *cells = g_malloc (n_cells);
    g_autofree uint8_t *parsed = g_malloc (n_cells);
    g_autofree uint8_t *data = g_malloc (room + 4);

    draw_cells (geometry, cells);
    size = paco_step_map_write (cells, geometry, data);
    g_assert_cmpuint (size, <=, room);
    header.header_size = header.cut_points_size = 0;
    header.index_size = header.step_map_size = size;
    paco_step_map_parse_frame (data, &header, geometry, parsed, &error);
    g_assert_no_error (error);
    g_assert_cmpmem (parsed, n_cells, cells, n_cells);

    /* There is a codeword too few or too many. */
    for (int change = -4; change <= 4; change += 8) {
      header.index_size = header.step_map_size = size + change;
      g_assert_false (
          paco_step_map_parse_frame (data, &header, geometry, parsed, &error));
      g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
      g_clear_error (&error);
    }
    /* Any bytes at all are a map, or refused. */
    header.index_size = header.step_map_size = size;
    for (size_t i = 0; i < size; i++)
      data[i] = g_test_rand_int ();
    if (paco_step_map_parse_frame (data, &header, geometry, parsed, NULL))
      for (uint32_t i = 0; i < n_cells; i++)
        g_assert_cmpuint (parsed[i], <, PACO_STEP_MAP_EXPONENTS);
    paco_geometry_free (geometry);
  }
}

/* Tests that no coefficient is outside of the cells of its field, and that those of
 * component 0 fill them. */
static void
test_places (void)
{
  for (int n = 0; n < 2000; n++) {
    PacoHeader header;
    PacoGeometry *geometry = draw_geometry (&header);
    const PacoSubband *subband =
        &geometry->subbands[draw (0, geometry->n_subbands - 1)];
    PacoStepMapPlace place = paco_step_map_place (
        &header.picture, &header.coding, geometry, subband);
    uint32_t end = paco_step_map_first_cell (geometry, subband->field + 1);
    uint32_t column, row;

    g_assert_true (place.used
        == (!paco_is_reversible (&header.coding, subband->component)
            && subband->orientation != PACO_ORIENTATION_LL
            && subband->level <= PACO_STEP_MAP_LEVELS));
    if (place.used && subband->width > 0 && subband->height > 0) {
      column = (subband->width - 1) << place.shift_x >> PACO_STEP_MAP_CELL_LOG2;
      row = (subband->height - 1) << place.shift_y >> PACO_STEP_MAP_CELL_LOG2;
      g_assert_cmpuint (column, <, place.columns);
      g_assert_cmpuint (place.first + row * place.columns + column, <, end);
      if (subband->component == 0 && subband->level == 1
          && subband->orientation == PACO_ORIENTATION_HL
          && paco_component_width (&header.picture, 0) % 16 != 1)
        g_assert_cmpuint (column, ==, place.columns - 1);
    }
    paco_geometry_free (geometry);
  }
}

static void
test_scales (void)
{
  for (unsigned e = 0; e < PACO_STEP_MAP_EXPONENTS; e++) {
    float scale = paco_step_map_scales[e];

    g_assert_cmpfloat (fabs (log2 (scale) - e / 4.0), <, 0.0005);
    for (unsigned code = 0; code < 1 << 14; code++) {
      float product = paco_step_decode (code) * scale;

      g_assert_true (product == (double) paco_step_decode (code) * scale);
      g_assert_true (isnormal (ldexpf (product, -8)));
    }
  }
}

/* Tests what a coarser step makes of a magnitude: the exponent 0 leaves it alone, others
 * divide what is half a unit larger, as it was cut off. */
static void
test_coarser (void)
{
  for (unsigned e = 0; e < PACO_STEP_MAP_EXPONENTS; e++)
    for (unsigned n = 0; n < 20000; n++) {
      uint32_t c = (uint32_t) draw (0, (1 << draw (1, 23)) - 1);
      double exact = (c + 0.5) / paco_step_map_scales[e];
      uint32_t coarser = paco_step_map_coarser (c, e);

      if (e == 0)
        g_assert_cmpuint (coarser, ==, c);
      g_assert_cmpfloat (coarser, <=, exact * 1.0001);
      g_assert_cmpfloat (coarser, >, exact * 0.9999 - 1.0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step-map/round-trip", test_round_trip);
  g_test_add_func ("/step-map/places", test_places);
  g_test_add_func ("/step-map/scales", test_scales);
  g_test_add_func ("/step-map/coarser", test_coarser);
  return g_test_run ();
}
