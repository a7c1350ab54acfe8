/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the golden streams: small frames that between them use every part of
 * the format, and the MD5 of the pixels that they decode to. They freeze the
 * format: when a change of the code changes what they decode to, the format
 * has changed. To be run by hand, see README.md.
 *
 *   make-golden FOLDER */
#include "codec/frame_cut.h"
#include "codec/reference/reference.h"
#include "tests/codec/test-picture.h"
#include <stdio.h>
#include <string.h>

typedef struct
{
  const char *name;
  PacoPictureFormat format;
  TestScene scene;
  PacoParameters parameters;
  bool rich;      /* a carried probability set, and chunks of HDR video */
  bool one_field; /* interlace mode 3, and the other chunks */
  bool ancillary; /* ancillary chunks */
  bool attached;  /* an attachment */
  uint8_t halved; /* a step map, and which components take half of it */
  unsigned gap;   /* if not 0, samples are multiples of it */
  bool holes;     /* Some codes, by chance, are not used. */
  size_t cut;     /* bytes to which the frame is cut, or 0 */
  bool broken;    /* Bits of the payload are changed. */
} Golden;

#define DEPTH(bits)                                                            \
  {                                                                            \
    .depth = bits                                                              \
  }
#define CHROMA(bits, x, y)                                                     \
  {                                                                            \
    .depth = bits, .subsampling_x = x, .subsampling_y = y                      \
  }
#define PLACE(bits, x, y)                                                      \
  {                                                                            \
    .depth = bits, .subsampling_x = 1, .subsampling_y = 1, .place_x = x,       \
    .place_y = y                                                               \
  }
#define AUTO                                                                   \
  .wavelet = PACO_WAVELET_AUTO, .color_transform = PACO_COLOR_TRANSFORM_AUTO

static const Golden golden[] = {
  {
      "gray8-lossless",
      { 100, 75, 1, false, { DEPTH (8) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 5, .coding_passes = 1,
          .complexity = 0 },
  },
  {
      "rgb12-lossless-3-passes",
      { 67, 45, 3, false, { DEPTH (12), DEPTH (12), DEPTH (12) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 3, .coding_passes = 3,
          .complexity = 1, .rgb = true, .block_height = 32 },
  },
  {
      "yuv420-8-quality-90-checks",
      { 161, 99, 3, false, { DEPTH (8), CHROMA (8, 1, 1), CHROMA (8, 1, 1) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 90, .levels = 5, .coding_passes = 1,
          .complexity = 1, .block_checks = true },
  },
  {
      "yuv422-10-fields-2-passes",
      { 130, 71, 3, true,
          { DEPTH (10), CHROMA (10, 1, 0), CHROMA (10, 1, 0) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 80, .levels = 4, .coding_passes = 2,
          .complexity = 1 },
  },
  {
      "rgba16-ict",
      { 79, 83, 4, false, { DEPTH (16), DEPTH (16), DEPTH (16), DEPTH (16) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR, AUTO, .quality = 85,
          .levels = 6, .coding_passes = 1, .complexity = 1, .rgb = true,
          .block_height = 64 },
  },
  {
      "cdf53-lossy",
      { 200, 140, 1, false, { DEPTH (8) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR,
          .wavelet = PACO_WAVELET_CDF53, .quality = 80,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO, .levels = 5,
          .coding_passes = 1, .complexity = 1 },
  },
  {
      "cdf97-rct",
      { 64, 64, 3, false, { DEPTH (9), DEPTH (9), DEPTH (9) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR,
          .wavelet = PACO_WAVELET_CDF97, .quality = 95,
          .color_transform = PACO_COLOR_TRANSFORM_RCT, .levels = 2,
          .coding_passes = 3, .complexity = 2, .rgb = true },
  },
  {
      "gray10-dd137-lossless",
      { 97, 61, 1, false, { DEPTH (10) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, .wavelet = PACO_WAVELET_DD137,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO, .levels = 6,
          .coding_passes = 1, .complexity = 1 },
  },
  {
      "rgba8-dd137-rct2-lossy-fields",
      { 70, 53, 4, true, { DEPTH (8), DEPTH (8), DEPTH (8), DEPTH (8) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR,
          .wavelet = PACO_WAVELET_DD137, .quality = 85,
          .color_transform = PACO_COLOR_TRANSFORM_RCT2, .levels = 4,
          .coding_passes = 1, .complexity = 1, .rgb = true,
          .block_height = 32 },
  },
  {
      "cdf97-rct2",
      { 45, 67, 3, false, { DEPTH (12), DEPTH (12), DEPTH (12) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR,
          .wavelet = PACO_WAVELET_CDF97, .quality = 92,
          .color_transform = PACO_COLOR_TRANSFORM_RCT2, .levels = 3,
          .coding_passes = 1, .complexity = 1, .rgb = true },
  },
  {
      "rgba16-rct-fit-lossless",
      { 74, 49, 4, true, { DEPTH (16), DEPTH (16), DEPTH (16), DEPTH (8) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, .wavelet = PACO_WAVELET_AUTO,
          .color_transform = PACO_COLOR_TRANSFORM_FIT, .levels = 3,
          .coding_passes = 1, .complexity = 1, .rgb = true },
  },
  {
      "noise12-raw-planes",
      { 51, 40, 1, false, { DEPTH (12) } },
      TEST_SCENE_NOISE,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 1, .coding_passes = 1,
          .complexity = 3 },
  },
  {
      "noise8-long-block",
      { 64, 128, 1, false, { DEPTH (8) } },
      TEST_SCENE_NOISE,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 0, .coding_passes = 1,
          .complexity = 1 },
  },
  {
      "tiny-8-levels",
      { 3, 17, 2, false, { DEPTH (1), CHROMA (5, 2, 2) } },
      TEST_SCENE_NOISE,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR, AUTO, .quality = 100,
          .levels = 8, .coding_passes = 1, .complexity = 1 },
  },
  {
      "one-sample",
      { 1, 1, 1, true, { DEPTH (16) } },
      TEST_SCENE_NOISE,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 0, .coding_passes = 1,
          .complexity = 1 },
  },
  {
      "flat",
      { 500, 300, 1, false, { DEPTH (8) } },
      TEST_SCENE_FLAT,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 5, .coding_passes = 1,
          .complexity = 1, .block_height = 256 },
  },
  {
      "carried-set-and-chunks",
      { 90, 300, 1, false, { DEPTH (10) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR, AUTO, .quality = 88,
          .levels = 5, .coding_passes = 1, .complexity = 1,
          .block_height = 256 },
      .rich = true,
  },
  {
      /* Alpha is lossless, and the carried set is not alpha's. */
      "rgba10-lossy-fields-carried-set",
      { 93, 57, 4, true, { DEPTH (10), DEPTH (10), DEPTH (10), DEPTH (2) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 40, .levels = 3, .coding_passes = 1,
          .complexity = 1, .rgb = true, .block_height = 32 },
      .rich = true,
  },
  {
      "yuv422-8-one-field-place-and-views",
      { 70, 33, 3, false, { DEPTH (8), CHROMA (8, 1, 0), CHROMA (8, 1, 0) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR, AUTO, .quality = 90,
          .levels = 2, .coding_passes = 1, .complexity = 1, .block_height = 32,
          .block_checks = true },
      .one_field = true,
  },
  {
      "gray12-ancillary",
      { 65, 40, 1, false, { DEPTH (12) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 80, .levels = 3, .coding_passes = 1,
          .complexity = 1, .block_checks = true },
      .ancillary = true,
  },
  {
      "rgb10-attachment",
      { 66, 49, 3, false, { DEPTH (10), DEPTH (10), DEPTH (10) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 4, .coding_passes = 1,
          .complexity = 1, .rgb = true, .block_checks = true },
      .attached = true,
  },
  {
      "yuv420-10-cut",
      { 150, 106, 3, false,
          { DEPTH (10), CHROMA (10, 1, 1), CHROMA (10, 1, 1) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 90, .levels = 4, .coding_passes = 2,
          .complexity = 1, .block_checks = true, .cut_points = true },
      .cut = 4000,
  },
  {
      "yuv422-10-own-step-map-cut-points",
      { 170, 99, 3, false,
          { DEPTH (10), CHROMA (10, 1, 0), CHROMA (10, 1, 0) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 75, .levels = 4, .coding_passes = 1,
          .complexity = 1, .block_checks = true, .cut_points = true },
  },
  {
      "rgb8-lossless-cut",
      { 83, 71, 3, false, { DEPTH (8), DEPTH (8), DEPTH (8) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 3, .coding_passes = 1,
          .complexity = 1, .rgb = true, .cut_points = true },
      .cut = 5000,
  },
  {
      "rgb12-broken-blocks",
      { 99, 70, 3, false, { DEPTH (12), DEPTH (12), DEPTH (12) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 97, .levels = 4, .coding_passes = 1,
          .complexity = 1, .rgb = true, .block_height = 32 },
      .broken = true,
  },
  {
      /* Half of the samples' codes lie on either side of 0. */
      "signed16-gaps-lossless",
      { 90, 77, 1, false, { { .depth = 16, .kind = PACO_SAMPLE_SIGNED } } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, AUTO, .code_tables = PACO_CODE_TABLES_ALWAYS,
          .levels = 3, .coding_passes = 1, .complexity = 1 },
      .gap = 13,
  },
  {
      "rgb-half-gaps-lossless-fields",
      { 71, 66, 3, true,
          { { .depth = 16, .kind = PACO_SAMPLE_FLOAT },
              { .depth = 16, .kind = PACO_SAMPLE_FLOAT },
              { .depth = 16, .kind = PACO_SAMPLE_FLOAT } } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 3, .coding_passes = 1,
          .complexity = 1, .rgb = true },
      .gap = 100,
  },
  {
      "yuv422-8-holes-lossless",
      { 128, 75, 3, false, { DEPTH (8), CHROMA (8, 1, 0), CHROMA (8, 1, 0) } },
      TEST_SCENE_NOISE,
      { PACO_RATE_LOSSLESS, AUTO, .code_tables = PACO_CODE_TABLES_ALWAYS,
          .levels = 2, .coding_passes = 1, .complexity = 1,
          .block_checks = true },
      .holes = true,
  },
  {
      "half-lossy",
      { 67, 58, 1, false, { { .depth = 16, .kind = PACO_SAMPLE_FLOAT } } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 80, .levels = 3, .coding_passes = 1,
          .complexity = 1 },
  },
  {
      "mosaic12-lossless",
      { 130, 98, 4, false,
          { PLACE (12, 0, 0), PLACE (12, 1, 0), PLACE (12, 0, 1),
              PLACE (12, 1, 1) },
          .mosaic = true },
      TEST_SCENE_SHAPES,
      { PACO_RATE_LOSSLESS, .wavelet = PACO_WAVELET_AUTO, .levels = 4,
          .coding_passes = 1, .complexity = 1, .block_checks = true },
  },
  {
      /* Numbers wrap around. */
      "mosaic16-lossless-transform",
      { 98, 66, 4, false,
          { PLACE (16, 1, 0), PLACE (16, 0, 0), PLACE (16, 1, 1),
              PLACE (16, 0, 1) },
          .mosaic = true },
      TEST_SCENE_NOISE,
      { PACO_RATE_LOSSLESS, AUTO, .levels = 2, .coding_passes = 1,
          .complexity = 1 },
  },
  {
      "mosaic10-lossy-transform",
      { 2, 70, 4, false,
          { PLACE (10, 1, 1), PLACE (10, 1, 0), PLACE (10, 0, 1),
              PLACE (10, 0, 0) },
          .mosaic = true },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, .wavelet = PACO_WAVELET_CDF97,
          .color_transform = PACO_COLOR_TRANSFORM_MOSAIC, .quality = 90,
          .levels = 3, .coding_passes = 1, .complexity = 1 },
  },
  {
      "yuva420-8-fields-step-map",
      { 150, 117, 4, true,
          { DEPTH (8), CHROMA (8, 1, 1), CHROMA (8, 1, 1), DEPTH (8) } },
      TEST_SCENE_SHAPES,
      { PACO_RATE_QUALITY, AUTO, .quality = 90, .levels = 4, .coding_passes = 1,
          .complexity = 1, .block_checks = true, .cut_points = true },
      .halved = 6,
      .cut = 12000,
  },
};

/* The step map of all of them; tests/codec/format knows it, too. */
static void
draw_cells (uint8_t *cells, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    cells[i] = (uint8_t) (i % 11 < 6 ? 5 : i * 7 % 16);
}

/* This is a stack: the plan says with what wavelet, and the pictures are drawn
 * again for each. */
typedef struct
{
  const char *name;
  uint32_t width, height;
  PacoSlice plan;
  PacoParameters parameters;
} GoldenStack;

static const GoldenStack stacks[] = {
  {
      "stack-gray8-lossless-haar",
      61,
      40,
      { .number = 1,
          .length = 5,
          .wavelet = PACO_STACK_HAAR,
          .levels = 3,
          .depth = 8,
          .bits = 8 },
      { PACO_RATE_LOSSLESS, AUTO, .levels = 4, .coding_passes = 1,
          .complexity = 1 },
  },
  {
      "stack-gray16-lossless-cdf53",
      33,
      29,
      { .number = 0xfffffffe,
          .length = 6,
          .wavelet = PACO_STACK_CDF53,
          .levels = 2,
          .depth = 16,
          .bits = 16 },
      { PACO_RATE_LOSSLESS, AUTO, .levels = 3, .coding_passes = 1,
          .complexity = 1, .block_checks = true },
  },
  {
      "stack-gray8-lossy-cdf53",
      70,
      52,
      { .length = 4,
          .wavelet = PACO_STACK_CDF53,
          .levels = 1,
          .depth = 8,
          .bits = 13 },
      { PACO_RATE_QUALITY, AUTO, .quality = 85, .levels = 5, .coding_passes = 1,
          .complexity = 1 },
  },
  {
      "stack-gray16-lossy-haar",
      44,
      67,
      { .length = 3,
          .wavelet = PACO_STACK_HAAR,
          .levels = 2,
          .depth = 16,
          .bits = 13 },
      { PACO_RATE_QUALITY, .tune = PACO_TUNE_PSNR, AUTO, .quality = 95,
          .levels = 3, .coding_passes = 2, .complexity = 1,
          .block_checks = true },
  },
};

static void
enrich (PacoVideoInfo *video, PacoProbabilitySet *set)
{
  video->has_mastering_display = true;
  video->mastering_display = (PacoMasteringDisplay){
    .primaries = { { 34000, 16000 }, { 13250, 34500 }, { 7500, 3000 } },
    .white_point = { 15635, 16450 },
    .max_luminance = 10000000,
    .min_luminance = 1,
  };
  video->has_content_light = true;
  video->max_content_light = 1000;
  video->max_frame_average_light = 400;
  *set = paco_builtin_sets[1][0];
  for (unsigned row = 0; row < PACO_N_ROWS; row++)
    for (unsigned c = row % 7; c < PACO_N_CONTEXTS; c += 7)
      set->p[row][c] = CLAMP (set->p[row][c] + (c % 2 ? 9 : -9), 1, 255);
}

/* Makes a bottom field of a stream of more bytes than 32 bits count, of two
 * views. */
static void
make_one_field (PacoVideoInfo *video)
{
  video->interlace_mode = PACO_INTERLACE_ALTERNATE;
  video->picture_flags = PACO_PICTURE_ONE_FIELD;
  video->has_place = true;
  video->place.number = 7;
  video->place.offset = 0x123456789a;
  video->has_views = true;
  video->multiview_mode = 6;
  video->multiview_flags = 1 << 0 | 1 << 14;
}

static void
add_values (PacoAncillaryWriter *writer, const char *list,
    const PacoValue *values, unsigned n)
{
  paco_ancillary_add_list (writer, list);
  for (unsigned i = 0; i < n; i++)
    paco_ancillary_add_value (writer, &values[i]);
}

/* Adds all known types, one of them twice, and one that nobody knows. */
static void
add_ancillary (PacoVideoInfo *video, uint8_t *memory, size_t capacity)
{
  static const uint8_t pair[] = { 0x94, 0x2c },
                       cc_data[] = { 0xfc, 0x41, 0x42 };
  static const PacoCaption captions[] = { { 1, pair, sizeof pair },
    { 3, cc_data, sizeof cc_data } };
  static const PacoActiveFormat afd = { .spec = 2, .value = 10 };
  static const PacoActiveFormat bars = { .kind = PACO_ACTIVE_FORMAT_LETTERBOX,
    .bars = { 4, 35 } };
  static const PacoTimecode timecode = { .fps_n = 30000,
    .fps_d = 1001,
    .frames = 29,
    .hours = 23,
    .minutes = 59,
    .seconds = 58,
    .field_count = 2,
    .flags = PACO_TIMECODE_DROP_FRAME | PACO_TIMECODE_INTERLACED,
    .has_daily_jam = true,
    .daily_jam = -1000000,
    .daily_jam_offset = 7200 };
  static const PacoAreaOfInterest area = { .id = 3,
    .parent_id = -1,
    .x = 8,
    .y = 9,
    .width = 20,
    .height = 10,
    .type = "face",
    .type_length = 4 };
  static const PacoValue of_area[] = {
    { "sharp", PACO_VALUE_BOOLEAN, .boolean = true },
    { "delta", PACO_VALUE_INT, .integer = -2 },
    { "tracker", PACO_VALUE_UINT, .unsigned_integer = 4000000000u },
    { "from", PACO_VALUE_INT64, .integer64 = -5000000000 },
    { "seen", PACO_VALUE_UINT64, .unsigned64 = UINT64_C (1) << 63 },
    { "confidence", PACO_VALUE_DOUBLE, .real = 0.75 },
    { "scale", PACO_VALUE_FRACTION, .fraction = { -3, 4 } },
    { "who", PACO_VALUE_TEXT, .text = { "Zoë", 4 } },
  };
  static const PacoReferenceTime time = { 1700000000123456789, UINT64_MAX };
  static const PacoValue of_clock[] = { { "domain", PACO_VALUE_INT,
      .integer = 127 } };
  static const uint8_t unknown[] = { 200, 0, 3, 0, 'a', 0, 255 };
  PacoAncillaryWriter writer = { .data = memory, .capacity = capacity };

  paco_ancillary_add_caption (&writer, &captions[0]);
  paco_ancillary_add_caption (&writer, &captions[1]);
  paco_ancillary_add_active_format (&writer, &afd);
  paco_ancillary_add_active_format (&writer, &bars);
  paco_ancillary_add_timecode (&writer, &timecode);
  paco_ancillary_begin_area (&writer, &area);
  add_values (&writer, "detection", of_area, G_N_ELEMENTS (of_area));
  add_values (&writer, "nothing", NULL, 0);
  paco_ancillary_end (&writer);
  paco_ancillary_begin_reference_time (&writer, &time);
  add_values (&writer, "timestamp/x-ptp", of_clock, G_N_ELEMENTS (of_clock));
  paco_ancillary_end (&writer);
  memcpy (memory + writer.size, unknown, sizeof unknown);
  video->ancillary = (PacoAncillary){ memory, writer.size + sizeof unknown };
}

/* Writes what the picture of frame `number` is without the finest `reduce` levels. */
static void
write_line (FILE *checksums, const char *name, unsigned number, unsigned reduce,
    const TestPicture *picture)
{
  g_autofree char *md5 = test_picture_md5 (picture);

  fprintf (checksums, "%s %u %u%s\n", name, number, reduce, md5);
}

static gboolean
write_checksums (
    const Golden *g, const GByteArray *frame, FILE *checksums, GError **error)
{
  const uint8_t levels = frame->data[66];

  for (unsigned reduce = 0; reduce <= levels; reduce++) {
    TestPicture *decoded = test_picture_new (&g->format, reduce);
    gboolean done = paco_reference_decode (
        frame->data, frame->len, reduce, &decoded->picture, NULL, error);

    if (done)
      write_line (checksums, g->name, 0, reduce, decoded);
    test_picture_free (decoded);
    if (!done)
      return FALSE;
  }
  return TRUE;
}

static gboolean
cut (const Golden *g, GByteArray *frame, GError **error)
{
  g_autofree uint8_t *out = g_malloc (frame->len);
  size_t size;

  if (g->cut == 0)
    return TRUE;
  g_print ("cut from %u: ", frame->len);
  if (!paco_frame_cut (frame->data, frame->len, g->cut, out, &size, error))
    return FALSE;
  g_byte_array_set_size (frame, 0);
  g_byte_array_append (frame, out, size);
  return TRUE;
}

/* Changes bits of the payload; what is decoded of most blocks is broken then. */
static void
damage (const Golden *g, GByteArray *frame)
{
  PacoHeader header;

  if (!g->broken
      || !paco_header_parse (frame->data, frame->len, &header, NULL, NULL))
    return;
  for (uint32_t i = header.header_size + header.index_size; i < frame->len;
       i += 97)
    frame->data[i] ^= 1 << i % 8;
}

static gboolean
make (const Golden *g, const char *folder, FILE *checksums, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.paco", folder, g->name);
  TestPicture *picture = test_picture_new (&g->format, 0);
  GByteArray *frame = g_byte_array_new ();
  PacoVideoInfo video = test_video_info;
  PacoProbabilitySet set;
  static const char attached[] = "what no header has room for";
  uint8_t ancillary[1000], cells[200];
  gboolean done;

  if (g->ancillary)
    add_ancillary (&video, ancillary, sizeof ancillary);
  if (g->attached)
    video.attachment = paco_attachment_of (attached, strlen (attached));
  if (g->rich)
    enrich (&video, &set);
  if (g->one_field)
    make_one_field (&video);
  test_picture_draw (picture, g->scene, 1);
  for (unsigned c = 0; g->gap > 0 && c < g->format.n_components; c++)
    for (size_t i = 0; i < (size_t) picture->width[c] * picture->height[c]; i++)
      picture->samples[c][i] -= picture->samples[c][i] % g->gap;
  for (unsigned c = 0; g->holes && c < g->format.n_components; c++)
    for (size_t i = 0; i < (size_t) picture->width[c] * picture->height[c]; i++)
      picture->samples[c][i] ^= picture->samples[c][i] * 2654435761u >> 31;
  draw_cells (cells, sizeof cells);
  done = (g->halved
                 ? paco_reference_encode_mapped (&g->format, &picture->picture,
                     &video, &g->parameters, cells, g->halved, frame, error)
                 : paco_reference_encode (&g->format, &picture->picture, &video,
                     &g->parameters, g->rich ? &set : NULL, frame, error))
      && cut (g, frame, error);
  damage (g, frame);
  done = done
      && g_file_set_contents (
          path, (const char *) frame->data, frame->len, error)
      && write_checksums (g, frame, checksums, error);
  if (done)
    g_print ("%6u bytes %s\n", frame->len, g->name);
  g_byte_array_unref (frame);
  test_picture_free (picture);
  return done;
}

/* --- stacks --- */

typedef struct
{
  TestPicture *slices[PACO_MAX_STACK];
} Slices;

/* Does the wavelet along the stack, or undoes it, with samples of pictures
 * before it. */
static void
filter (const PacoSlice *plan, bool undo, Slices *slices)
{
  uint32_t n = slices->slices[0]->width[0] * slices->slices[0]->height[0];

  for (uint32_t k = 0; k < n; k++) {
    int values[PACO_MAX_STACK];

    for (unsigned i = 0; i < plan->length; i++) {
      int sample = slices->slices[i]->samples[0][k];

      values[i] = undo ? sample - 0x8000
                       : paco_reference_load_sample (plan, sample);
    }
    paco_reference_stack (plan, undo, values);
    for (unsigned i = 0; i < plan->length; i++)
      slices->slices[i]->samples[0][k] = (uint16_t) (undo
              ? paco_reference_store_sample (plan, values[i])
              : values[i] + 0x8000);
  }
}

/* Codes the slices one after the other, and says where each begins in the stream. */
static gboolean
code_slices (const GoldenStack *g, const Slices *slices, size_t *begins,
    GByteArray *stream, GError **error)
{
  gboolean done = TRUE;

  for (unsigned i = 0; done && i < g->plan.length; i++) {
    PacoVideoInfo video = test_video_info;
    PacoParameters parameters = g->parameters;
    const TestPicture *slice = slices->slices[i];
    GByteArray *frame = g_byte_array_new ();

    begins[i] = stream->len;
    video.slice = g->plan;
    video.slice.position = (uint8_t) i;
    parameters.weight = paco_slice_weight (&video.slice);
    done = paco_reference_encode (&slice->format, &slice->picture, &video,
        &parameters, NULL, frame, error);
    g_byte_array_append (stream, frame->data, frame->len);
    g_byte_array_unref (frame);
  }
  begins[g->plan.length] = stream->len;
  return done;
}

static void
free_slices (const PacoSlice *plan, Slices *slices)
{
  for (unsigned i = 0; i < plan->length; i++)
    test_picture_free (slices->slices[i]);
}

/* Decodes the pictures of a stack, and writes what they are. */
static gboolean
decode_slices (const GoldenStack *g, const GByteArray *stream,
    const size_t *begins, unsigned reduce, FILE *checksums, GError **error)
{
  const PacoPictureFormat format = { g->width, g->height, 1, false,
    { DEPTH (16) } };
  gboolean done = TRUE;
  Slices slices = { { NULL } };

  for (unsigned i = 0; i < g->plan.length; i++) {
    slices.slices[i] = test_picture_new (&format, reduce);
    done = done
        && paco_reference_decode (stream->data + begins[i],
            begins[i + 1] - begins[i], reduce, &slices.slices[i]->picture, NULL,
            error);
  }
  filter (&g->plan, true, &slices);
  for (unsigned i = 0; done && i < g->plan.length; i++) {
    slices.slices[i]->format.components[0].depth = g->plan.depth;
    write_line (checksums, g->name, i, reduce, slices.slices[i]);
  }
  free_slices (&g->plan, &slices);
  return done;
}

static gboolean
make_stack (
    const GoldenStack *g, const char *folder, FILE *checksums, GError **error)
{
  const PacoPictureFormat format = { g->width, g->height, 1, false,
    { DEPTH (16) } };
  /* Levels cannot be left out of numbers modulo 65536. */
  const unsigned most = g->plan.bits == 16 ? 0 : g->parameters.levels;
  g_autofree char *path = g_strdup_printf ("%s/%s.paco", folder, g->name);
  GByteArray *stream = g_byte_array_new ();
  size_t begins[PACO_MAX_STACK + 1];
  Slices slices;
  gboolean done;

  for (unsigned i = 0; i < g->plan.length; i++) {
    uint32_t n = g->width * g->height;

    slices.slices[i] = test_picture_new (&format, 0);
    /* Between these and the others differences of 16 bits wrap around. */
    test_picture_draw (slices.slices[i],
        g->plan.bits == 16 && i % 3 == 2 ? TEST_SCENE_NOISE : TEST_SCENE_SHAPES,
        i + 1);
    for (uint32_t k = 0; k < n; k++)
      slices.slices[i]->samples[0][k] >>= 16 - g->plan.depth;
  }
  filter (&g->plan, false, &slices);
  done = code_slices (g, &slices, begins, stream, error)
      && g_file_set_contents (
          path, (const char *) stream->data, stream->len, error);
  for (unsigned reduce = 0; done && reduce <= most; reduce++)
    done = decode_slices (g, stream, begins, reduce, checksums, error);
  free_slices (&g->plan, &slices);
  if (done)
    g_print ("%6u bytes %s\n", stream->len, g->name);
  g_byte_array_unref (stream);
  return done;
}

/* --- all of them --- */

typedef gboolean (*MakeFunc) (
    unsigned i, const char *folder, FILE *checksums, GError **error);

static gboolean
make_golden (unsigned i, const char *folder, FILE *checksums, GError **error)
{
  return make (&golden[i], folder, checksums, error);
}

static gboolean
make_golden_stack (
    unsigned i, const char *folder, FILE *checksums, GError **error)
{
  return make_stack (&stacks[i], folder, checksums, error);
}

/* Makes n streams, and writes what they decode to. */
static bool
make_all (const char *folder, unsigned n, MakeFunc func, FILE *checksums)
{
  g_autoptr (GError) error = NULL;
  gboolean done = TRUE;

  for (unsigned i = 0; done && i < n; i++)
    done = func (i, folder, checksums, &error);
  if (!done)
    g_printerr ("%s\n", error->message);
  return done;
}

int
main (int argc, char **argv)
{
  g_autofree char *path = NULL;
  FILE *checksums;
  bool done;

  if (argc != 2) {
    g_printerr ("usage: make-golden FOLDER\n");
    return 1;
  }
  path = g_build_filename (argv[1], "components.md5", NULL);
  checksums = fopen (path, "w");
  if (!checksums) {
    g_printerr ("cannot write %s\n", path);
    return 1;
  }
  fputs ("# stream, number of the picture, levels left out, MD5 of each "
         "component\n",
      checksums);
  done = make_all (argv[1], G_N_ELEMENTS (golden), make_golden, checksums)
      && make_all (
          argv[1], G_N_ELEMENTS (stacks), make_golden_stack, checksums);
  return fclose (checksums) == 0 && done ? 0 : 1;
}
