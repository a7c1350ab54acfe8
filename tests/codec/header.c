/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Headers, indexes, geometry, probability sets and steps: what is written is
 * what is read, and what FORMAT.md forbids is refused. */
#include "codec/backend.h"
#include "codec/index.h"
#include "codec/policy.h"
#include "codec/quantizer.h"
#include "codec/range.h"
#include <string.h>
#include <zlib.h>

static uint32_t
draw (uint32_t low, uint32_t high)
{
  return low + g_test_rand_int () % (high - low + 1);
}

static void
draw_picture (PacoPictureFormat *picture)
{
  *picture = (PacoPictureFormat){
    .width = draw (1, draw (0, 3) ? 300 : PACO_MAX_SIZE),
    .height = draw (1, draw (0, 3) ? 300 : PACO_MAX_SIZE),
    .n_components = draw (1, 4),
    .fields = draw (0, 1),
  };
  for (unsigned c = 0; c < picture->n_components; c++)
    picture->components[c] = (PacoComponent){
      .depth = draw (1, 16),
      .subsampling_x = c ? draw (0, 2) : 0,
      .subsampling_y = c ? draw (0, 2) : 0,
    };
}

static void
draw_video (PacoVideoInfo *video)
{
  memset (video, 0, sizeof *video);
  g_strlcpy (video->raw_format, "A444_16LE", sizeof video->raw_format);
  video->par_n = draw (1, 0x7ffffffe);
  video->par_d = draw (1, 100);
  video->fps_n = draw (0, 60000);
  video->fps_d = draw (1, 1001);
  video->interlace_mode = draw (0, 3);
  video->picture_flags = draw (0, 7) << 1;
  video->field_order = draw (0, 2);
  video->chroma_site = draw (0, 15);
  video->range = draw (0, 2);
  video->matrix = draw (0, 6);
  video->transfer = draw (0, 16);
  video->primaries = draw (0, 12);
  video->has_mastering_display = draw (0, 1);
  if (video->has_mastering_display) {
    for (int i = 0; i < 6; i++)
      video->mastering_display.primaries[i / 2][i % 2] = draw (0, 65535);
    video->mastering_display.white_point[0] = draw (0, 65535);
    video->mastering_display.white_point[1] = draw (0, 65535);
    video->mastering_display.max_luminance = g_test_rand_int ();
    video->mastering_display.min_luminance = g_test_rand_int ();
  }
  video->has_views = draw (0, 1);
  if (video->has_views) {
    video->multiview_mode = draw (0, 34);
    video->multiview_flags = draw (0, 65535);
  }
  video->has_content_light = draw (0, 1);
  if (video->has_content_light) {
    video->max_content_light = draw (0, 65535);
    video->max_frame_average_light = draw (0, 65535);
  }
  video->has_place = draw (0, 1);
  if (video->has_place) {
    video->place.number = g_test_rand_int ();
    video->place.offset = (uint64_t) g_test_rand_int () << 32
        | (uint32_t) g_test_rand_int ();
  }
}

static void
draw_header (PacoHeader *header, PacoProbabilitySet *set)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  GError *error = NULL;

  memset (header, 0, sizeof *header);
  draw_picture (&header->picture);
  draw_video (&header->video);
  if (header->video.interlace_mode == PACO_INTERLACE_ALTERNATE) {
    header->picture.fields = false;
    header->picture.height = (header->picture.height + 1) / 2;
  }
  parameters.quality = draw (0, 100);
  parameters.levels = draw (0, 8);
  parameters.block_height = 32 << draw (0, 3);
  parameters.coding_passes = draw (1, 3);
  parameters.wavelet = draw (0, PACO_N_WAVELETS - 1);
  parameters.rgb = draw (0, 1);
  parameters.block_checks = draw (0, 1);
  paco_policy_coding (&header->picture, &parameters, &header->coding, &error);
  g_assert_no_error (error);
  header->index_size = draw (1, 1000);
  header->index_crc = g_test_rand_int ();
  if (draw (0, 1)) {
    *set = paco_builtin_sets[0][0];
    for (int n = draw (0, 50); n > 0; n--)
      set->p[draw (0, PACO_N_ROWS - 1)][draw (0, PACO_N_CONTEXTS - 1)] = draw (
          1, 255);
    header->set = set;
  }
  header->frame_size = paco_header_size (header) + header->index_size
      + draw (0, 100000);
}

static void
test_round_trip (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE], again[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 2000; n++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    GError *error = NULL;
    size_t size;

    draw_header (&header, &set);
    size = paco_header_write (&header, data);
    g_assert_cmpuint (size, ==, paco_header_size (&header));
    paco_header_parse (data, size, &parsed, &carried, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (parsed.header_size, ==, size);
    g_assert_cmpuint (parsed.frame_size, ==, header.frame_size);
    g_assert_cmpuint (parsed.index_size, ==, header.index_size);
    g_assert_cmpuint (parsed.index_crc, ==, header.index_crc);
    g_assert_true (paco_header_same_configuration (&header, &parsed));
    g_assert_cmpint (parsed.video.mastering_display.max_luminance, ==,
        header.video.mastering_display.max_luminance);
    g_assert_cmpstr (parsed.video.raw_format, ==, header.video.raw_format);
    g_assert_true ((parsed.set != NULL) == (header.set != NULL));
    if (header.set)
      g_assert_cmpmem (&carried, sizeof carried, &set, sizeof set);
    g_assert_cmpuint (paco_header_write (&parsed, again), ==, size);
    g_assert_cmpmem (again, size, data, size);
  }
}

/* Setting a place is the same as writing it at once. */
static void
test_place (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE], again[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 2000; n++) {
    PacoProbabilitySet set;
    PacoHeader header, parsed;
    size_t size;

    draw_header (&header, &set);
    size = paco_header_write (&header, data);
    header.video.place.number = g_test_rand_int ();
    header.video.place.offset = (uint64_t) g_test_rand_int () << 20;
    g_assert_true (paco_header_set_place (data, size, &header.video.place)
        == header.video.has_place);
    paco_header_write (&header, again);
    g_assert_cmpmem (again, size, data, size);
    g_assert_true (paco_header_parse (data, size, &parsed, NULL, NULL));
    if (header.video.has_place) {
      g_assert_cmpuint (
          parsed.video.place.number, ==, header.video.place.number);
      g_assert_cmpuint (
          parsed.video.place.offset, ==, header.video.place.offset);
    }
    g_assert_false (
        paco_header_set_place (data, draw (0, size - 1), &header.video.place));
  }
}

static void
test_damage (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 200; n++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    size_t size, at;

    draw_header (&header, &set);
    size = paco_header_write (&header, data);
    at = draw (0, size - 1);
    data[at] ^= 1 << draw (0, 7);
    g_assert_false (paco_header_parse (data, size, &parsed, &carried, NULL));
    g_assert_false (
        paco_header_parse (data, draw (0, size - 1), &parsed, &carried, NULL));
  }
}

/* With a CRC that fits, so that the fields themselves are checked: never a
 * crash, and what is accepted is within the ranges. */
static void
test_forged (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 20000; n++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    GError *error = NULL;
    uint32_t crc;
    size_t size;

    if (n % 20 == 0)
      draw_header (&header, &set);
    size = paco_header_write (&header, data);
    for (int k = draw (1, 3); k > 0; k--)
      data[draw (4, size - 5)] = g_test_rand_int ();
    crc = crc32 (0, data, size - 4);
    for (int k = 0; k < 4; k++)
      data[size - 4 + k] = crc >> (8 * k);
    if (paco_header_parse (data, size, &parsed, &carried, &error)) {
      g_assert_true (paco_header_check (&parsed, NULL));
      g_assert_cmpuint (parsed.header_size + (uint64_t) parsed.index_size, <=,
          parsed.frame_size);
    } else {
      g_assert_nonnull (error);
      g_assert_cmpuint (strlen (error->message), >, 10);
      g_clear_error (&error);
    }
  }
}

/* A picture that is one field is not coded as two, and a frame of such fields
 * is no higher than any other. */
static void
test_single_field (void)
{
  for (int n = 0; n < 200; n++) {
    PacoProbabilitySet set;
    PacoHeader header;
    GError *error = NULL;
    gboolean ok;

    draw_header (&header, &set);
    header.video.interlace_mode = PACO_INTERLACE_ALTERNATE;
    header.picture.fields = draw (0, 1);
    header.picture.height = PACO_MAX_SIZE / 2 + draw (-1, 1);
    ok = paco_header_check (&header, &error);
    g_assert_cmpint (ok, ==,
        !header.picture.fields && header.picture.height <= PACO_MAX_SIZE / 2);
    if (!ok)
      g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
    g_clear_error (&error);
  }
}

static void
test_version (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];
  PacoProbabilitySet set;
  PacoHeader header, parsed;
  GError *error = NULL;
  size_t size;

  draw_header (&header, &set);
  size = paco_header_write (&header, data);
  for (int version = 1; version <= 3; version += 2) {
    data[4] = version;
    g_assert_false (paco_header_parse (data, size, &parsed, NULL, &error));
    g_assert_error (error, PACO_ERROR, PACO_ERROR_VERSION);
    g_clear_error (&error);
  }
  data[0] = 'p';
  g_assert_false (paco_header_parse (data, size, &parsed, NULL, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_NOT_PACO);
  g_clear_error (&error);
}

/* A header that claims to be longer than any can be is not waited for. */
static void
test_too_long (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE + 1];
  PacoProbabilitySet set;
  PacoHeader header, peeked;
  GError *error = NULL;

  draw_header (&header, &set);
  header.frame_size = 1 << 20;
  header.index_size = 0;
  paco_header_write (&header, data);
  for (int beyond = 0; beyond < 2; beyond++) {
    data[6] = (PACO_MAX_HEADER_SIZE + beyond) & 0xff;
    data[7] = (PACO_MAX_HEADER_SIZE + beyond) >> 8;
    g_assert_true (
        paco_header_peek (data, sizeof data, &peeked, &error) == (beyond == 0));
  }
  g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
  g_clear_error (&error);
}

/* Subbands tile the picture, blocks tile the subbands, in the order of the
 * codestream. */
static void
test_geometry (void)
{
  for (int n = 0; n < 300; n++) {
    PacoProbabilitySet set;
    PacoHeader header;
    PacoGeometry *geometry;
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
    paco_geometry_free (geometry);
  }
}

/* The example of a 5x3 picture with one level, by hand. */
static void
test_geometry_example (void)
{
  PacoPictureFormat picture = { .width = 5, .height = 3, .n_components = 1 };
  PacoCoding coding = { .levels = 1, .coding_passes = 1 };
  static const uint32_t expected[4][2] = { { 3, 2 }, { 2, 2 }, { 3, 1 },
    { 2, 1 } };
  PacoGeometry *geometry = paco_geometry_new (&picture, &coding);

  g_assert_cmpuint (geometry->n_subbands, ==, 4);
  g_assert_cmpuint (geometry->n_blocks_at[1], ==, 1);
  for (int s = 0; s < 4; s++) {
    g_assert_cmpuint (geometry->subbands[s].orientation, ==, s);
    g_assert_cmpuint (geometry->subbands[s].width, ==, expected[s][0]);
    g_assert_cmpuint (geometry->subbands[s].height, ==, expected[s][1]);
  }
  paco_geometry_free (geometry);
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
  PacoGeometry *geometry = paco_geometry_new (&picture, &coding);
  PacoBlockRecord *records = g_new0 (PacoBlockRecord, geometry->n_blocks);
  PacoBlockRecord *parsed = g_new0 (PacoBlockRecord, geometry->n_blocks);
  uint8_t *data = g_malloc (PACO_MAX_INDEX_SIZE (geometry->n_blocks));

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
  g_free (data);
  g_free (parsed);
  g_free (records);
  paco_geometry_free (geometry);
}

/* Records that contradict section 6: raw left signs of a block that is cut or has
 * raw planes, and more planes gone than there are. */
static void
test_bad_records (void)
{
  static const uint8_t bad[4][4] = { { 0xc4, 4, 0, 0x1e }, { 0xc4, 4, 0, 0x12 },
    { 0x84, 4, 0, 0x4e }, { 0x84, 4, 0, 0x23 } };
  PacoPictureFormat picture = { .width = 1, .height = 1, .n_components = 1 };
  PacoCoding coding = { .coding_passes = 1 };
  PacoGeometry *geometry = paco_geometry_new (&picture, &coding);
  uint8_t cut[4] = { 0x84, 4, 0, 0x3e };
  PacoBlockRecord record;

  for (unsigned i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (
        paco_index_parse (bad[i], 4, geometry, false, 4, &record, NULL));
  g_assert_true (paco_index_parse (cut, 4, geometry, false, 4, &record, NULL));
  g_assert_true (record.cut);
  g_assert_cmpuint (record.dropped_planes, ==, 3);
  g_assert_cmpuint (record.raw_planes, ==, 0);
  paco_geometry_free (geometry);
}

static void
test_steps (void)
{
  for (unsigned code = 0; code < 1 << 14; code++)
    g_assert_cmpuint (paco_step_encode (paco_step_decode (code)), ==, code);
  g_assert_cmpuint (paco_step_encode (0.0), ==, 0);
  g_assert_cmpuint (paco_step_encode (1e30), ==, (1 << 14) - 1);
  g_assert_cmpfloat (paco_step_decode (16 << 9), ==, 1.0);
}

/* Norms of JPEG 2000's 5/3 synthesis (ITU-T T.800 has no table; these are the
 * figures every encoder of it uses) and the scale of the unscaled 9/7. */
static void
test_norms (void)
{
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF53, 1, PACO_ORIENTATION_LL), 1.5,
      1e-3);
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF53, 1, PACO_ORIENTATION_HL), 1.038,
      1e-3);
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF53, 1, PACO_ORIENTATION_HH), 0.7186,
      1e-3);
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF97, 1, PACO_ORIENTATION_LL),
      1.9659 / (1.230174105 * 1.230174105), 2e-3);
  /* The low half of 13/7 is put together by (-1 0 9 16 9 0 -1) / 16. */
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_DD137, 1, PACO_ORIENTATION_LL),
      (1 + 81 + 256 + 81 + 1) / 256.0, 1e-9);
}

/* Whether the header is refused as it is written, and as it is parsed. */
static bool
is_refused (const PacoHeader *header)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];
  PacoHeader parsed;
  PacoProbabilitySet carried;
  GError *error = NULL;
  bool valid = paco_header_check (header, &error);
  size_t size;

  if (!valid)
    g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  size = paco_header_write (header, data);
  g_assert_true (
      paco_header_parse (data, size, &parsed, &carried, &error) == valid);
  if (!valid)
    g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
  g_clear_error (&error);
  return !valid;
}

/* Wavelets and sets of the components. */
static void
test_components (void)
{
  for (int n = 0; n < 500; n++) {
    PacoProbabilitySet set;
    PacoHeader header, changed;
    unsigned c, k;

    draw_header (&header, &set);
    header.set = NULL;
    header.frame_size = PACO_MAX_HEADER_SIZE + header.index_size;
    g_assert_false (is_refused (&header));
    c = draw (0, header.picture.n_components - 1);
    k = draw (0, 3 * header.coding.levels);

    changed = header;
    changed.coding.components[c].wavelet = PACO_N_WAVELETS;
    for (unsigned i = 0; i <= 3u * header.coding.levels; i++)
      changed.coding.subbands[c][i].step = 0;
    g_assert_true (is_refused (&changed));

    changed = header;
    changed.coding.components[c].family ^= 1;
    g_assert_false (is_refused (&changed));
    g_assert_false (paco_header_same_configuration (&header, &changed));
    changed.coding.components[c].family = draw (PACO_N_FAMILIES, 255);
    g_assert_true (is_refused (&changed));

    changed = header;
    changed.coding.components[c].wavelet = PACO_WAVELET_CDF53;
    for (unsigned i = 0; i <= 3u * header.coding.levels; i++)
      changed.coding.subbands[c][i].step = 0;
    changed.coding.color_transform = PACO_COLOR_TRANSFORM_NONE;
    g_assert_false (is_refused (&changed));
    header.coding.color_transform = PACO_COLOR_TRANSFORM_NONE;
    g_assert_true (paco_header_same_configuration (&header, &changed)
        == (header.coding.components[c].wavelet != PACO_WAVELET_CDF97));
    changed.coding.subbands[c][k].step = 1;
    g_assert_true (is_refused (&changed));
  }
}

/* A color transform mixes numbers of one kind. */
static void
test_wavelets_of_color_transforms (void)
{
  PacoHeader header = {
    .picture = { .width = 16,
        .height = 16,
        .n_components = 4,
        .components = { { 8 }, { 8 }, { 8 }, { 8 } } },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 1, .coding_passes = 1 },
    .index_size = 100,
    .frame_size = 1000,
  };

  for (unsigned n = 0; n < 500; n++) {
    bool alike = true, reversible;

    for (unsigned c = 0; c < 4; c++) {
      header.coding.components[c].wavelet = draw (0, PACO_N_WAVELETS - 1);
      if (c < 3 && n % 2 == 0)
        header.coding.components[c].wavelet = n / 2 % PACO_N_WAVELETS;
      alike &= c == 3
          || header.coding.components[c].wavelet
              == header.coding.components[0].wavelet;
    }
    reversible = paco_wavelets[header.coding.components[0].wavelet].reversible;
    header.coding.color_transform = PACO_COLOR_TRANSFORM_NONE;
    g_assert_false (is_refused (&header));
    header.coding.color_transform = PACO_COLOR_TRANSFORM_RCT;
    g_assert_true (is_refused (&header) == !alike);
    header.coding.color_transform = PACO_COLOR_TRANSFORM_RCT2;
    g_assert_true (is_refused (&header) == !alike);
    header.coding.color_transform = PACO_COLOR_TRANSFORM_ICT;
    g_assert_true (is_refused (&header) == (!alike || reversible));
    header.coding.color_transform = PACO_N_COLOR_TRANSFORMS;
    g_assert_true (is_refused (&header));
  }
}

/* Bytes 65, 70 and 71 are zero, and those behind the raw format's name. */
static void
test_zero_bytes (void)
{
  static const unsigned at[] = { 30, 35, 65, 70, 71 };
  static uint8_t data[PACO_MAX_HEADER_SIZE];

  for (unsigned i = 0; i < G_N_ELEMENTS (at); i++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    GError *error = NULL;
    uint32_t crc;
    size_t size;

    draw_header (&header, &set);
    size = paco_header_write (&header, data);
    data[at[i]] = draw (1, 255);
    crc = crc32 (0, data, size - 4);
    for (int k = 0; k < 4; k++)
      data[size - 4 + k] = crc >> (8 * k);
    g_assert_false (paco_header_parse (data, size, &parsed, &carried, &error));
    g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
    g_clear_error (&error);
  }
}

/* The carried set is for component 0, and for those that name the same family,
 * of which it takes the first place. */
static void
test_carried_set (void)
{
  PacoProbabilitySet set;
  PacoCoding coding = { 0 };

  for (unsigned families = 0; families < 16; families++) {
    for (unsigned c = 0; c < 4; c++)
      coding.components[c].family = families >> c & 1;
    for (unsigned c = 0; c < 4; c++) {
      unsigned own = coding.components[c].family;
      PacoFamily builtin = paco_coding_family (&coding, NULL, c);
      PacoFamily carried = paco_coding_family (&coding, &set, c);

      for (unsigned i = 0; i < PACO_N_SETS; i++) {
        bool replaced = own == (families & 1) && i == 0;

        g_assert_true (builtin.sets[i] == &paco_builtin_sets[own][i]);
        g_assert_true (carried.sets[i] == (replaced ? &set : builtin.sets[i]));
      }
    }
  }
}

/* Alpha is lossless, whatever the parameters say of the colour. */
static void
test_policy_of_alpha (void)
{
  for (int n = 0; n < 1000; n++) {
    PacoPictureFormat picture;
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;
    unsigned wavelet;
    GError *error = NULL;

    draw_picture (&picture);
    parameters.quality = draw (0, 100);
    parameters.levels = draw (0, 8);
    parameters.wavelet = draw (0, PACO_N_WAVELETS - 1);
    wavelet = parameters.wavelet;
    paco_policy_coding (&picture, &parameters, &coding, &error);
    g_assert_no_error (error);
    for (unsigned c = 0; c < picture.n_components; c++) {
      bool alpha = c + 1 == picture.n_components && c % 2 == 1;

      g_assert_true (paco_is_alpha (&picture, c) == alpha);
      g_assert_cmpuint (coding.components[c].wavelet, ==,
          alpha ? PACO_WAVELET_CDF53 : wavelet);
      g_assert_cmpuint (coding.components[c].family, ==,
          !paco_wavelets[coding.components[c].wavelet].reversible);
      for (unsigned level = 1; alpha && level <= coding.levels; level++)
        for (unsigned o = 0; o < 4; o++)
          g_assert_cmpuint (paco_policy_dropped_planes (
                                &picture, &parameters, &coding, c, level, o),
              ==, 0);
    }
  }
}

/* What `auto` stands for, by kind and depth. */
static void
test_policy_auto (void)
{
  static const struct
  {
    unsigned n_components, depth, subsampling;
    bool rgb, lossless;
    PacoWaveletId wavelet;
    PacoColorTransform transform;
  } cases[] = {
    { 1, 8, 0, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 2, 12, 0, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 3, 8, 1, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 3, 10, 1, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 3, 8, 0, true, true, PACO_WAVELET_CDF53, PACO_COLOR_TRANSFORM_RCT2 },
    { 4, 12, 0, true, true, PACO_WAVELET_CDF53, PACO_COLOR_TRANSFORM_RCT2 },
    { 1, 8, 0, false, false, PACO_WAVELET_CDF97, PACO_COLOR_TRANSFORM_NONE },
    { 3, 12, 0, true, false, PACO_WAVELET_CDF97, PACO_COLOR_TRANSFORM_ICT },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoPictureFormat picture = { 64, 64, cases[i].n_components };
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;

    for (unsigned c = 0; c < picture.n_components; c++)
      picture.components[c] = (PacoComponent){
        .depth = cases[i].depth,
        .subsampling_x = c % 3 > 0 ? cases[i].subsampling : 0,
      };
    parameters.rgb = cases[i].rgb;
    if (cases[i].lossless)
      parameters.rate_control = PACO_RATE_LOSSLESS;
    g_assert_true (paco_policy_coding (&picture, &parameters, &coding, NULL));
    g_assert_cmpuint (coding.color_transform, ==, cases[i].transform);
    for (unsigned c = 0; c < picture.n_components; c++)
      g_assert_cmpuint (coding.components[c].wavelet, ==,
          paco_is_alpha (&picture, c) ? PACO_WAVELET_CDF53 : cases[i].wavelet);
  }
}

/* With a reversible wavelet and loss, `auto` is the transform of JPEG 2000. */
static void
test_policy_auto_transform_with_loss (void)
{
  PacoPictureFormat picture = { 64, 64, 3, false, { { 8 }, { 8 }, { 8 } } };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoCoding coding;

  parameters.rgb = true;
  parameters.wavelet = PACO_WAVELET_DD137;
  g_assert_true (paco_policy_coding (&picture, &parameters, &coding, NULL));
  g_assert_cmpuint (coding.color_transform, ==, PACO_COLOR_TRANSFORM_RCT);
}

/* 9/7 has four bits behind the point where 16 bits hold them, which is so at the
 * default quality and below, with tune=visual on the three finest levels; 5/3
 * has none. */
static void
test_policy_fraction_bits (void)
{
  unsigned n_four = 0, n_one = 0;

  for (int n = 0; n < 300; n++) {
    double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
    PacoPictureFormat picture;
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;

    draw_picture (&picture);
    parameters.quality = draw (0, 100);
    parameters.levels = draw (0, 8);
    parameters.tune = draw (0, 1) ? PACO_TUNE_PSNR : PACO_TUNE_VISUAL;
    g_assert_true (paco_policy_coding (&picture, &parameters, &coding, NULL));
    paco_coefficient_bounds (&picture, &coding, bounds);
    for (unsigned c = 0; c < picture.n_components; c++)
      for (unsigned k = 0; k <= 3u * coding.levels; k++) {
        unsigned bits = coding.subbands[c][k].fraction_bits;

        if (paco_is_alpha (&picture, c)) {
          g_assert_cmpuint (bits, ==, 0);
          continue;
        }
        g_assert_true (bits == 1 || bits == 4);
        g_assert_true ((bits == 4) == (16.0 * bounds[c][k] < 32767.0));
        if (parameters.quality <= 90
            && (parameters.tune == PACO_TUNE_PSNR
                    ? parameters.levels <= 5
                    : k + 9 > 3u * parameters.levels))
          g_assert_cmpuint (bits, ==, 4);
        n_four += bits == 4;
        n_one += bits == 1;
      }
  }
  g_assert_true (n_four > 0 && n_one > 0);
}

/* The bound of a frame has room for whatever the header says, also where there
 * is hardly anything else in the frame. */
static void
test_policy_max_frame_size (void)
{
  for (int n = 0; n < 1000; n++) {
    PacoHeader header;
    PacoProbabilitySet set;
    PacoGeometry *geometry;

    draw_header (&header, &set);
    header.set = NULL;
    header.picture.width = draw (1, 3);
    header.picture.height = draw (1, 3);
    geometry = paco_geometry_new (&header.picture, &header.coding);
    g_assert_cmpuint (
        paco_policy_max_frame_size (&header.picture, &header.coding, geometry),
        >=,
        paco_header_size (&header) + PACO_MAX_INDEX_SIZE (geometry->n_blocks));
    paco_geometry_free (geometry);
  }
}

static void
test_policy_errors (void)
{
  PacoPictureFormat yuv = { .width = 16,
    .height = 16,
    .n_components = 3,
    .components = { { 8, 0, 0 }, { 8, 1, 1 }, { 8, 1, 1 } } };
  static const struct
  {
    PacoParameters parameters;
    const char *word;
  } cases[] = {
    { { .rate_control = PACO_RATE_BITRATE,
          .wavelet = PACO_WAVELET_AUTO,
          .coding_passes = 1,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO },
        "rate-control=bitrate" },
    { { .rate_control = PACO_RATE_LOSSLESS,
          .wavelet = PACO_WAVELET_CDF97,
          .coding_passes = 1,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO },
        "wavelet=cdf53" },
    { { .wavelet = PACO_N_WAVELETS, .coding_passes = 1 }, "wavelet" },
    { { .wavelet = -2, .coding_passes = 1 }, "wavelet" },
    { { .levels = PACO_MAX_LEVELS + 1, .coding_passes = 1 },
        "levels=9 is too many: there are 0 to 8" },
    { { .coding_passes = 0 }, "coding-passes=0 cannot be done" },
    { { .coding_passes = 4 }, "coding-passes=4 cannot be done" },
    { { .coding_passes = 1, .block_height = 48 },
        "codeblock-height=48 cannot be done: codeblocks have 32, 64" },
    { { .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_RCT },
        "color-transform=rct is for R, G and B" },
    { { .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_ICT },
        "color-transform=ict is for R, G and B" },
    { { .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_RCT2 },
        "color-transform=rct2 is for R, G and B" },
    { { .coding_passes = 1, .color_transform = PACO_N_COLOR_TRANSFORMS },
        "there is no color transform" },
    { { .rate_control = PACO_RATE_LOSSLESS,
          .wavelet = PACO_WAVELET_CDF97,
          .coding_passes = 1,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO },
        "dd137" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoCoding coding;
    GError *error = NULL;

    g_assert_false (
        paco_policy_coding (&yuv, &cases[i].parameters, &coding, &error));
    g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
    if (!strstr (error->message, cases[i].word))
      g_error ("%s is not in: %s", cases[i].word, error->message);
    g_clear_error (&error);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/header/round-trip", test_round_trip);
  g_test_add_func ("/header/place", test_place);
  g_test_add_func ("/header/damage", test_damage);
  g_test_add_func ("/header/forged", test_forged);
  g_test_add_func ("/header/single-field", test_single_field);
  g_test_add_func ("/header/version", test_version);
  g_test_add_func ("/header/too-long", test_too_long);
  g_test_add_func ("/header/components", test_components);
  g_test_add_func (
      "/header/color-transforms", test_wavelets_of_color_transforms);
  g_test_add_func ("/header/zero-bytes", test_zero_bytes);
  g_test_add_func ("/header/carried-set", test_carried_set);
  g_test_add_func ("/geometry/tiling", test_geometry);
  g_test_add_func ("/geometry/example", test_geometry_example);
  g_test_add_func ("/index/round-trip", test_index);
  g_test_add_func ("/bad-records/round-trip", test_bad_records);
  g_test_add_func ("/quantizer/steps", test_steps);
  g_test_add_func ("/wavelet/norms", test_norms);
  g_test_add_func ("/policy/auto", test_policy_auto);
  g_test_add_func (
      "/policy/auto-transform-with-loss", test_policy_auto_transform_with_loss);
  g_test_add_func ("/policy/alpha", test_policy_of_alpha);
  g_test_add_func ("/policy/fraction-bits", test_policy_fraction_bits);
  g_test_add_func ("/policy/max-frame-size", test_policy_max_frame_size);
  g_test_add_func ("/policy/errors", test_policy_errors);
  return g_test_run ();
}
