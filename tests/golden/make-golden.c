/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the golden streams: small frames that between them use every part of
 * the format, and the MD5 of the pixels that they decode to. They freeze the
 * format: when a change of the code changes what they decode to, the format
 * has changed. To be run by hand, see README.md.
 *
 *   make-golden FOLDER */
#include "codec/frame_cut.h"
#include "tests/golden/streams.h"
#include <stdio.h>
#include <string.h>

/* The step map of all of them; tests/codec/format knows it, too. */
static void
draw_cells (uint8_t *cells, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    cells[i] = (uint8_t) (i % 11 < 6 ? 5 : i * 7 % 16);
}

static void
enrich (PacoVideoInfo *video, unsigned family, PacoProbabilitySet *set)
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
  *set = paco_builtin_sets[family][0];
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

/* Says of about half of all codes that they are used. */
static bool
is_used (uint32_t code)
{
  uint32_t hash = code * 2654435761u;

  return (hash ^ hash >> 15) * 2246822519u >> 31;
}

static void
draw (const Golden *g, TestPicture *picture)
{
  test_picture_draw (picture, g->scene, 1);
  for (unsigned c = 0; c < g->format.n_components; c++) {
    uint32_t most = (1u << g->format.components[c].depth) - 1;

    for (size_t i = 0; i < (size_t) picture->width[c] * picture->height[c];
         i++) {
      uint16_t *sample = &picture->samples[c][i];

      if (g->gap > 0)
        *sample -= *sample % g->gap;
      if (g->holes)
        *sample ^= *sample * 2654435761u >> 31;
      while (g->scattered && !is_used (*sample))
        *sample = (*sample + 1) & most;
    }
  }
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
    enrich (
        &video, g->parameters.rate_control == PACO_RATE_LOSSLESS ? 0 : 1, &set);
  if (g->interlace) {
    video.interlace_mode = g->interlace;
    video.picture_flags = PACO_PICTURE_TOP_FIELD_FIRST;
  }
  if (g->one_field)
    make_one_field (&video);
  draw (g, picture);
  draw_cells (cells, sizeof cells);
  done = (g->map ? paco_reference_encode_mapped (&g->format, &picture->picture,
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
    { { .depth = 16 } } };
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
    { { .depth = 16 } } };
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
  return make (&golden_streams[i], folder, checksums, error);
}

static gboolean
make_golden_stack (
    unsigned i, const char *folder, FILE *checksums, GError **error)
{
  return make_stack (&golden_stacks[i], folder, checksums, error);
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

/* Writes what md5sum writes of a stream. */
static gboolean
write_stream_line (
    FILE *file, const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.paco", folder, name);
  g_autofree char *data = NULL, *md5 = NULL;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, error))
    return FALSE;
  md5 = g_compute_checksum_for_data (
      G_CHECKSUM_MD5, (const guchar *) data, size);
  fprintf (file, "%s  %s.paco\n", md5, name);
  return TRUE;
}

static bool
write_stream_checksums (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "streams.md5", NULL);
  g_autoptr (GError) error = NULL;
  FILE *file = fopen (path, "w");
  gboolean done = file != NULL;

  for (unsigned i = 0; done && i < n_golden_streams; i++)
    done = write_stream_line (file, folder, golden_streams[i].name, &error);
  for (unsigned i = 0; done && i < n_golden_stacks; i++)
    done = write_stream_line (file, folder, golden_stacks[i].name, &error);
  if (!done)
    g_printerr ("%s\n", error ? error->message : "streams.md5 is not written");
  return file && fclose (file) == 0 && done;
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
  done = make_all (argv[1], n_golden_streams, make_golden, checksums)
      && make_all (argv[1], n_golden_stacks, make_golden_stack, checksums);
  done = fclose (checksums) == 0 && done && write_stream_checksums (argv[1]);
  return done ? 0 : 1;
}
