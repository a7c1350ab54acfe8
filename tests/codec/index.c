/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests geometry and index: blocks tile subbands and these the picture, records that
 * are written are read, and what FORMAT.md forbids is refused. */
#include "codec/error.h"
#include "codec/index.h"
#include "tests/codec/random-header.h"
#include "tests/codec/must.h"
#include <string.h>

/* Tests that subbands tile the picture and blocks tile the subbands, in the
 * order of the codestream. */
static void
test_geometry (void)
{
  for (int n = 0; n < 300; n++) {
    PacoProbabilitySet set;
    PacoHeader header;
    g_autoptr (PacoGeometry) geometry = NULL;
    uint64_t coefficients = 0, in_blocks = 0;
    uint32_t next = 0;

    draw_header (&header, &set);
    geometry = paco_geometry_new (&header.picture, &header.coding);
    for (uint32_t s = 0; s < geometry->n_subbands; s++) {
      const PacoSubband *subband = &geometry->subbands[s];
      unsigned level, orientation;

      paco_entry_subband (
          geometry->levels, subband->entry, &level, &orientation);
      g_assert_cmpuint (level, ==, subband->level);
      g_assert_cmpuint (orientation, ==, subband->orientation);
      g_assert_true (
          paco_geometry_subband (geometry, subband->field, subband->component,
              subband->level, subband->orientation)
          == subband);
      g_assert_cmpuint (subband->first_block, ==, next);
      next += subband->blocks_x * subband->blocks_y;
      coefficients += (uint64_t) subband->width * subband->height;
    }
    g_assert_cmpuint (next, ==, geometry->n_blocks);
    for (uint32_t b = 0; b < geometry->n_blocks; b++)
      in_blocks += geometry->blocks[b].width * geometry->blocks[b].height;
    g_assert_cmpuint (coefficients, ==, paco_picture_samples (&header.picture));
    g_assert_cmpuint (in_blocks, ==, coefficients);
    g_assert_cmpuint (geometry->n_blocks_at[0], ==, geometry->n_blocks);
  }
}

/* Tests the example of a 5x3 picture with one level, by hand. */
static void
test_geometry_example (void)
{
  PacoPictureFormat picture = { .width = 5, .height = 3, .n_components = 1 };
  PacoCoding coding = { .levels = 1, .coding_passes = 1 };
  static const uint32_t expected[4][2] = { { 3, 2 }, { 2, 2 }, { 3, 1 },
    { 2, 1 } };
  g_autoptr (PacoGeometry) geometry = paco_geometry_new (&picture, &coding);

  g_assert_cmpuint (geometry->n_subbands, ==, 4);
  g_assert_cmpuint (geometry->n_blocks_at[1], ==, 1);
  for (int s = 0; s < 4; s++) {
    g_assert_cmpuint (geometry->subbands[s].orientation, ==, s);
    g_assert_cmpuint (geometry->subbands[s].width, ==, expected[s][0]);
    g_assert_cmpuint (geometry->subbands[s].height, ==, expected[s][1]);
  }
}

static void
draw_record (PacoBlockRecord *record, bool checks)
{
  *record = (PacoBlockRecord){ .planes = draw (0, PACO_MAX_PLANES) };
  if (record->planes == 0)
    return;
  record->dropped_planes = draw (0, 1) ? 0
                                       : draw (0, MIN (15, record->planes - 1));
  record->raw_planes = draw (0, 1)
      ? 0
      : draw (0, record->planes - record->dropped_planes);
  if (record->raw_planes > PACO_MAX_RAW_PLANES)
    record->raw_planes = record->planes - record->dropped_planes;
  record->cut = record->raw_planes == 0 && draw (0, 1);
  record->set = draw (0, PACO_N_SETS - 1);
  record->shared_codewords = draw (0, 1);
  record->raw_left_signs = record->raw_planes == 0 && !record->cut
      && draw (0, 1);
  record->length = draw (0, 3)
      ? draw (0, 65535)
      : draw (PACO_LENGTH_ESCAPE - 2, PACO_LENGTH_ESCAPE + 2);
  record->check = checks ? draw (0, 65535) : 0;
}

static void
test_index (void)
{
  PacoPictureFormat picture = {
    .width = 500, .height = 400, .n_components = 1
  };
  PacoCoding coding = { .levels = 3, .coding_passes = 1 };
  g_autoptr (PacoGeometry) geometry = paco_geometry_new (&picture, &coding);
  g_autofree PacoBlockRecord *records = g_new0 (
      PacoBlockRecord, geometry->n_blocks);
  g_autofree PacoBlockRecord *parsed = g_new0 (
      PacoBlockRecord, geometry->n_blocks);
  g_autofree uint8_t *data = g_malloc (
      PACO_MAX_INDEX_SIZE (geometry->n_blocks));

  for (int n = 0; n < 500; n++) {
    bool checks = draw (0, 1);
    uint32_t payload = 0;
    GError *error = NULL;
    size_t size;

    for (uint32_t b = 0; b < geometry->n_blocks; b++) {
      draw_record (&records[b], checks);
      records[b].offset = payload;
      payload += records[b].length;
    }
    size = paco_index_write (records, geometry->n_blocks, checks, data);
    paco_index_parse (data, size, geometry, checks, payload, parsed, &error);
    g_assert_no_error (error);
    for (uint32_t b = 0; b < geometry->n_blocks; b++)
      g_assert_cmpmem (
          &parsed[b], sizeof *parsed, &records[b], sizeof *records);
    g_assert_false (paco_index_parse (
        data, size - 1, geometry, checks, payload, parsed, NULL));
    g_assert_false (paco_index_parse (
        data, size, geometry, checks, payload + 1, parsed, NULL));
    data[draw (0, size - 1)] = g_test_rand_int ();
    paco_index_parse (data, size, geometry, checks, payload, parsed, NULL);
  }
}

/* Tests records that contradict section 6: raw left signs of a block that is
 * cut or has raw planes, more planes gone than there are, and bits of a block that is
 * zero. */
static void
test_bad_records (void)
{
  static const uint8_t bad[][4] = { { 0xc4, 4, 0, 0x1e }, { 0xc4, 4, 0, 0x12 },
    { 0x84, 4, 0, 0x4e }, { 0x84, 4, 0, 0x23 }, { 0x20 }, { 0x40 },
    { 0x80, 4, 0, 0 } };
  PacoPictureFormat picture = { .width = 1, .height = 1, .n_components = 1 };
  PacoCoding coding = { .coding_passes = 1 };
  g_autoptr (PacoGeometry) geometry = paco_geometry_new (&picture, &coding);
  uint8_t cut[4] = { 0x84, 4, 0, 0x3e };
  PacoBlockRecord record;

  for (unsigned i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (
        paco_index_parse (bad[i], 4, geometry, false, 4, &record, NULL));
  g_assert_true (paco_index_parse (cut, 4, geometry, false, 4, &record, NULL));
  g_assert_true (record.cut);
  g_assert_cmpuint (record.dropped_planes, ==, 3);
  g_assert_cmpuint (record.raw_planes, ==, 0);
}

/* Tests that the planes which are kept for later are refused with a sentence. */
static void
test_reserved_planes (void)
{
  PacoPictureFormat picture = { .width = 1, .height = 1, .n_components = 1 };
  PacoCoding coding = { .coding_passes = 1 };
  g_autoptr (PacoGeometry) geometry = paco_geometry_new (&picture, &coding);
  PacoBlockRecord record;

  for (unsigned planes = PACO_MAX_PLANES; planes < 32; planes++) {
    const uint8_t bytes[3] = { (uint8_t) planes, 4, 0 };
    GError *error = NULL;

    if (paco_index_parse (bytes, 3, geometry, false, 4, &record, &error)) {
      g_assert_cmpuint (planes, ==, 23);
      continue;
    }
    g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
    g_assert_nonnull (strstr (error->message, "this decoder does not know"));
    g_clear_error (&error);
  }
}

/* Tests that a long length is one that a short one could not say. */
static void
test_long_lengths (void)
{
  PacoPictureFormat picture = { .width = 1, .height = 1, .n_components = 1 };
  PacoCoding coding = { .coding_passes = 1 };
  g_autoptr (PacoGeometry) geometry = paco_geometry_new (&picture, &coding);
  PacoBlockRecord record;

  for (unsigned length = 8189; length < 8194; length++) {
    const uint8_t bytes[5] = { 4, 0xff, 0x1f, length & 0xff, length >> 8 };

    g_assert_true (
        paco_index_parse (bytes, 5, geometry, false, length, &record, NULL)
        == (length >= 8191));
  }
}

/* Tests what section 6.1 refuses: bits that are not used, codewords that are not fewer,
 * planes that the block has not, worth that falls. */
static void
test_cut_points (void)
{
  /* 3 planes, dropped 1, 40 bytes. */
  const PacoBlockRecord record = {
    .planes = 4, .dropped_planes = 1, .length = 40
  };
  static const uint8_t good[] = { 2 | 1 << 2, 9, 0, 10, 3, 0, 10, 11 };
  static const struct
  {
    uint8_t at, value;
  } bad[] = { { 0, 0x46 }, { 0, 0x86 }, { 0, 2 }, { 0, 2 | 3 << 2 }, { 1, 10 },
    { 1, 0 }, { 4, 9 }, { 2, 1 }, { 3, 11 }, { 7, 9 }, { 0, 3 | 1 << 2 },
    { 0, 1 | 1 << 2 } };
  PacoRateCuts cuts;

  g_assert_true (paco_cut_points_parse (good, sizeof good, &record, 1, &cuts));
  for (unsigned i = 0; i < G_N_ELEMENTS (bad); i++) {
    uint8_t bytes[sizeof good];

    memcpy (bytes, good, sizeof good);
    bytes[bad[i].at] = bad[i].value;
    g_assert_false (
        paco_cut_points_parse (bytes, sizeof bytes, &record, 1, &cuts));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/tiling", test_geometry);
  g_test_add_func ("/geometry/example", test_geometry_example);
  g_test_add_func ("/index/round-trip", test_index);
  g_test_add_func ("/index/bad-records", test_bad_records);
  g_test_add_func ("/index/reserved-planes", test_reserved_planes);
  g_test_add_func ("/index/long-lengths", test_long_lengths);
  g_test_add_func ("/index/cut-points", test_cut_points);
  return g_test_run ();
}
