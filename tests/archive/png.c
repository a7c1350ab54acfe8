/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests PNG files of libpng, with all its settings drawn: they come back bit by bit,
 * and libpng reads the same samples. Other files are refused with a sentence, and
 * damaged ones do no harm. */
#include "tool/archive/source.h"
#include "tests/archive/restoring.h"
#include <png.h>
#include <string.h>
#include <zlib.h>

/* The linker takes it in place of archive/'s deflate(). */
int __real_deflate (z_stream *zlib, int flush);
__attribute__ ((visibility ("default"))) int __wrap_deflate (
    z_stream *zlib, int flush);

static gsize n_deflated; /* Bytes that archive/ has compressed. */

int
__wrap_deflate (z_stream *zlib, int flush)
{
  guint before = zlib->avail_in;
  int status = __real_deflate (zlib, flush);

  n_deflated += before - zlib->avail_in;
  return status;
}

typedef struct
{
  guint32 width, height;
  gint depth, type;
  guint n_components;
} Picture;

/* --- libpng ------------------------------------------------------------ */

static void
write_bytes (png_structp png, png_bytep data, png_size_t size)
{
  g_byte_array_append (png_get_io_ptr (png), data, (guint) size);
}

static void
flush (png_structp png)
{
}

static void
draw_settings (png_structp png)
{
  gint strategy = draw (3) ? -1 : (gint) draw (5);
  gint memory = draw (3) ? 8 : 1 + (gint) draw (9);
  gint window = draw (3) ? 15 : 9 + (gint) draw (7);

  if (draw (3) > 0)
    png_set_compression_level (png, (gint) draw (10));
  if (strategy >= 0)
    png_set_compression_strategy (png, strategy);
  /* Else the stream can depend on how libpng cuts up the lines (deflate.h). */
  if (strategy == Z_HUFFMAN_ONLY) {
    memory = MIN (memory, 8);
    window = MAX (window, memory + 7);
  }
  png_set_compression_mem_level (png, memory);
  png_set_compression_window_bits (png, window);
  if (draw (3) == 0)
    png_set_compression_buffer_size (png, 6 + draw (70000));
  if (draw (2))
    png_set_filter (png, 0,
        draw (2) ? PNG_ALL_FILTERS
                 : (gint[]){ PNG_FILTER_NONE, PNG_FILTER_SUB, PNG_FILTER_UP,
                     PNG_FILTER_AVG, PNG_FILTER_PAETH }[draw (5)]);
}

static void
draw_chunks (png_structp png, png_infop info)
{
  png_text text = { .compression = PNG_TEXT_COMPRESSION_zTXt,
    .key = (char *) "Comment",
    .text = (char *) "scanned and scanned and scanned" };

  if (draw (2))
    png_set_text (png, info, &text, 1);
  if (draw (2))
    png_set_gAMA_fixed (png, info, 45455);
  if (draw (2))
    png_set_pHYs (png, info, 4, 3, PNG_RESOLUTION_UNKNOWN);
}

static png_bytep
pack (const Picture *picture, const guint16 *samples)
{
  gsize n = (gsize) picture->width * picture->height * picture->n_components;
  guint8 *bytes = g_malloc (n * 2), *p = bytes;

  for (gsize i = 0; i < n; i++) {
    if (picture->depth == 16)
      *p++ = (guint8) (samples[i] >> 8);
    *p++ = (guint8) samples[i];
  }
  return bytes;
}

static GByteArray *
write_png (const Picture *picture, const guint16 *samples)
{
  GByteArray *file = g_byte_array_new ();
  png_structp png = png_create_write_struct (
      PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);
  gsize line = (gsize) picture->width * picture->n_components
      * (gsize) picture->depth / 8;
  png_bytep bytes = pack (picture, samples);
  png_bytepp lines = g_new (png_bytep, picture->height);

  for (guint32 y = 0; y < picture->height; y++)
    lines[y] = bytes + y * line;
  png_set_write_fn (png, file, write_bytes, flush);
  png_set_IHDR (png, info, picture->width, picture->height, picture->depth,
      picture->type, draw (4) == 0 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  draw_settings (png);
  draw_chunks (png, info);
  png_write_info (png, info);
  png_write_image (png, lines);
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  g_free (lines);
  g_free (bytes);
  return file;
}

static Picture
draw_picture (void)
{
  static const gint types[] = { PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
    PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
  guint n = 1 + draw (4), largest = draw (4) ? 80 : 400;

  return (Picture){ 1 + draw (largest), 1 + draw (largest), draw (2) ? 16 : 8,
    types[n - 1], n };
}

/* --- tests ------------------------------------------------------------- */

static void
test_comes_back (void)
{
  guint cases = g_getenv ("PACO_SANITIZE") ? 30 : 200;
  g_auto (Restoring) restoring;

  restoring_init (&restoring, &paco_source_png);
  for (guint i = 0; i < cases; i++) {
    Picture picture = draw_picture ();
    g_autofree guint16 *samples = draw_samples (picture.width, picture.height,
        picture.n_components, (guint) picture.depth);
    g_autoptr (GByteArray) file = write_png (&picture, samples);
    g_autofree guint16 *found = NULL;

    restoring_comes_back (&restoring, file->data, file->len);
    found = restoring_samples (&restoring);
    g_assert_cmpuint (restoring.source.info.width, ==, picture.width);
    g_assert_cmpuint (restoring.source.info.height, ==, picture.height);
    g_assert_cmpuint (
        restoring.source.info.depth[0], ==, (guint) picture.depth);
    g_assert_cmpmem (found,
        sizeof *found * picture.width * picture.height * picture.n_components,
        samples,
        sizeof *samples * picture.width * picture.height
            * picture.n_components);
  }
}

/* Appends a chunk of a file that is written by hand: chunks and the stream are
 * as the test wants them. */
static void
append_chunk (
    GByteArray *file, const char *type, const void *data, guint32 size)
{
  guint32 word = GUINT32_TO_BE (size);
  guint start;

  g_byte_array_append (file, (const guint8 *) &word, 4);
  start = file->len;
  g_byte_array_append (file, (const guint8 *) type, 4);
  g_byte_array_append (file, data, size);
  word = GUINT32_TO_BE (
      (guint32) crc32 (0, file->data + start, file->len - start));
  g_byte_array_append (file, (const guint8 *) &word, 4);
}

static GByteArray *
begin_file (guint32 width, guint32 height, guint8 depth, guint8 type)
{
  GByteArray *file = g_byte_array_new ();
  guint8 header[13] = { width >> 24 & 255, width >> 16 & 255, width >> 8 & 255,
    width & 255, height >> 24 & 255, height >> 16 & 255, height >> 8 & 255,
    height & 255, depth, type };

  g_byte_array_append (file, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  append_chunk (file, "IHDR", header, sizeof header);
  return file;
}

static void
end_file (GByteArray *file, const void *data, gsize size)
{
  append_chunk (file, "IDAT", data, (guint32) size);
  append_chunk (file, "IEND", "", 0);
}

static void
check_file_refused (GByteArray *file, const char *word)
{
  check_source_refused (&paco_source_png, file->data, file->len, word);
  g_byte_array_unref (file);
}

static void
test_refused (void)
{
  /* This is one line of two samples, filter 0: 7, 7. What follows is what zlib
   * makes of it, and the same as another program might write it: a stored block
   * stands in front of the last one. */
  static const guint8 line[] = { 0, 7, 7 };
  /* Files of other pictures than that. */
  static const struct
  {
    guint32 width, height;
    guint8 depth, type;
    const char *word;
  } heads[] = {
    { 3, 1, 8, 0, "more or fewer samples" },
    { 16384, 16384, 16, 6, "too short" },
    { 16385, 1, 8, 0, "16384" },
    { 2, 1, 8, 3, "palette" },
    { 2, 1, 4, 0, "less than 8 bits" },
  };
  guint8 good[64], odd[64] = { 0x78, 0x01, 0, 0, 0, 0xff, 0xff };
  uLongf size = sizeof good;
  GByteArray *file;

  compress2 (good, &size, line, sizeof line, 6);
  memcpy (odd + 7, good + 2, size - 2);

  file = begin_file (2, 1, 8, 0);
  end_file (file, good, size);
  {
    g_auto (Restoring) restoring;

    restoring_init (&restoring, &paco_source_png);
    restoring_comes_back (&restoring, file->data, file->len);
  }
  file->data[20]++;
  check_file_refused (file, "checksum of the IHDR");

  file = begin_file (2, 1, 8, 0);
  end_file (file, odd, size + 5);
  check_file_refused (file, "bit by bit");

  file = begin_file (2, 1, 8, 0);
  end_file (file, good, size);
  file->data[file->len - 12 - 6]++;
  check_file_refused (file, "checksum of an IDAT");

  file = begin_file (2, 1, 8, 0);
  good[size] = 0;
  end_file (file, good, size + 1);
  check_file_refused (file, "behind the compressed samples");

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++) {
    file = begin_file (
        heads[i].width, heads[i].height, heads[i].depth, heads[i].type);
    end_file (file, good, size);
    check_file_refused (file, heads[i].word);
  }

  file = begin_file (2, 1, 8, 0);
  append_chunk (file, "acTL", "\0\0\0\2\0\0\0\0", 8);
  end_file (file, good, size);
  check_file_refused (file, "animation");

  file = begin_file (2, 1, 8, 0);
  append_chunk (file, "IEND", "", 0);
  check_file_refused (file, "no samples");
}

/* Compresses zeros so that only the last bytes show that a program flushed zlib: the
 * bytes before agree with most settings of zlib. */
static GByteArray *
compress_with_flush (const guint8 *zeros, gsize size)
{
  GByteArray *data = g_byte_array_new ();
  z_stream zlib = { .next_in = (guint8 *) zeros, .avail_in = (guint) size - 1 };

  g_byte_array_set_size (data, (guint) size / 64 + 1000);
  g_assert_cmpint (deflateInit (&zlib, 6), ==, Z_OK);
  zlib.next_out = data->data;
  zlib.avail_out = data->len;
  g_assert_cmpint (deflate (&zlib, Z_FULL_FLUSH), ==, Z_OK);
  zlib.avail_in = 1;
  g_assert_cmpint (deflate (&zlib, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size (data, (guint) zlib.total_out);
  deflateEnd (&zlib);
  return data;
}

static void
put_bits (GByteArray *data, guint *n_bits, guint32 bits, guint n)
{
  for (guint i = 0; i < n; i++, ++*n_bits) {
    const guint8 zero = 0;

    if (*n_bits % 8 == 0)
      g_byte_array_append (data, &zero, 1);
    data->data[*n_bits / 8] |= (guint8) ((bits >> i & 1) << *n_bits % 8);
  }
}

/* Compresses zeros to one block. Its last matches alone are not those of zlib. */
static GByteArray *
compress_by_hand (const guint8 *zeros, gsize size)
{
  GByteArray *data = g_byte_array_new ();
  gsize n_matches = (size - 4) / 258, n_literals = size - 258 * n_matches - 1;
  guint n_bits = 0;

  put_bits (data, &n_bits, 0x0178, 16);
  put_bits (data, &n_bits, 3, 3);    /* The last block, with the fixed codes. */
  put_bits (data, &n_bits, 0x0c, 8); /* A zero. */
  for (gsize i = 0; i < n_matches; i++)
    put_bits (data, &n_bits, 0xa3, 8 + 5); /* 258 bytes, at a distance of 1. */
  for (gsize i = 0; i < n_literals; i++)
    put_bits (data, &n_bits, 0x0c, 8);
  put_bits (data, &n_bits, 0, 7); /* The end of the block. */
  n_bits = data->len * 8;
  put_bits (
      data, &n_bits, GUINT32_TO_BE ((guint32) adler32_z (1, zeros, size)), 32);
  return data;
}

/* A search that finds nothing compresses the lines a few times, whoever wrote the
 * file. */
static void
test_bounded (void)
{
  static const struct
  {
    GByteArray *(*compress) (const guint8 *zeros, gsize size);
    guint most; /* Times that the lines may be compressed. */
  } cases[] = { { compress_with_flush, 2 }, { compress_by_hand, 13 } };
  gsize size = 1000 * (1 + 4000);
  g_autofree guint8 *zeros = g_malloc0 (size);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) data = cases[i].compress (zeros, size);
    GByteArray *file = begin_file (1000, 1000, 8, 6);

    end_file (file, data->data, data->len);
    n_deflated = 0;
    check_file_refused (file, "bit by bit");
    g_assert_cmpuint (n_deflated, <, cases[i].most * size);
  }
}

static void
test_colours (void)
{
  static const struct
  {
    const char *type;
    guint8 data[32];
    guint32 size, transfer, primaries;
  } cases[] = {
    { "sRGB", { 0 }, 1, 7, 1 },
    { "cICP", { 9, 16, 0, 1 }, 4, 14, 7 },
    { "gAMA", { 0, 1, 0x86, 0xa0 }, 4, 1, 0 },
    { "gAMA", { 0, 0, 0xb1, 0x8f }, 4, 4, 0 },
    { "iCCP", { 'a', 0, 0 }, 3, 0, 0 },
  };
  static const guint8 line[] = { 0, 7, 7, 7 };
  guint8 data[64];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) file = begin_file (1, 1, 8, 2);
    uLongf size = sizeof data;
    g_auto (Restoring) restoring;

    compress2 (data, &size, line, sizeof line, 9);
    append_chunk (file, cases[i].type, cases[i].data, cases[i].size);
    end_file (file, data, size);
    restoring_init (&restoring, &paco_source_png);
    restoring_comes_back (&restoring, file->data, file->len);
    g_assert_cmpuint (restoring.source.info.transfer, ==, cases[i].transfer);
    g_assert_cmpuint (restoring.source.info.primaries, ==, cases[i].primaries);
    g_assert_cmpuint (restoring.source.info.matrix, ==, 1);
    g_assert_cmpuint (restoring.source.info.range, ==, 1);
  }
}

static void
test_hostile (void)
{
  guint files = 6, n = g_getenv ("PACO_SANITIZE") ? 60 : 300;

  for (guint i = 0; i < files; i++) {
    Picture picture = draw_picture ();
    g_autofree guint16 *samples = NULL;
    g_autoptr (GByteArray) file = NULL;

    picture.width = 1 + picture.width % 40;
    picture.height = 1 + picture.height % 40;
    samples = draw_samples (picture.width, picture.height, picture.n_components,
        (guint) picture.depth);
    file = write_png (&picture, samples);
    check_hostile (&paco_source_png, file->data, file->len, n);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/png/comes-back", test_comes_back);
  g_test_add_func ("/archive/png/refused", test_refused);
  g_test_add_func ("/archive/png/bounded", test_bounded);
  g_test_add_func ("/archive/png/colours", test_colours);
  g_test_add_func ("/archive/png/hostile", test_hostile);
  return g_test_run ();
}
