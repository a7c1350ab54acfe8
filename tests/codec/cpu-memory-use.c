/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests how much memory the CPU backend takes for a picture, as docs/FIGURES.md says
 * it: each case is a process of its own, of which the kernel tells the most
 * that was resident at a time. */
#include "codec/backend.h"
#include "codec/geometry.h"
#include "tests/codec/must.h"
#include <glib.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define THREADS 2
/* These are bytes for each sample of a frame in flight, and, encoding, bytes
 * for each byte of its codestream. */
#define PER_SAMPLE 5.5
#define PER_CODED_BYTE 2.2
/* This much is taken whatever the picture is: by threads, windows, tables, and
 * what malloc() keeps. */
#define FIXED (8 << 20)

typedef struct
{
  PacoPictureFormat format;
  unsigned depth;
  bool noise;
  PacoPicture picture;
  GByteArray *frame;
} Case;

static const Case cases[] = {
  { { 4096, 2048, 1, false, { { 8, 0, 0 } } }, 1, true },
  { { 4096, 2048, 1, false, { { 8, 0, 0 } } }, 3, true },
  { { 4096, 2048, 1, false, { { 16, 0, 0 } } }, 2, true },
  { { 3000, 2001, 3, false, { { 10, 0, 0 }, { 10, 1, 1 }, { 10, 1, 1 } } }, 2,
      false },
  { { 1920, 1081, 4, true,
        { { 12, 0, 0 }, { 12, 0, 0 }, { 12, 0, 0 }, { 12, 0, 0 } } },
      2, true },
};

/* --- pictures --- */

static PacoPicture
picture_new (const PacoPictureFormat *format, bool noise)
{
  PacoPicture picture = { 0 };
  uint32_t state = 1;

  for (unsigned c = 0; c < format->n_components; c++) {
    uint32_t width = paco_component_width (format, c);
    uint32_t height = paco_component_height (format, c);
    uint16_t *samples = g_new (uint16_t, (size_t) width * height);
    uint32_t mask = (1u << format->components[c].depth) - 1;

    for (size_t i = 0; i < (size_t) width * height; i++) {
      state = state * 1664525 + 1013904223;
      samples[i] = (noise ? state >> 16 : i / width) & mask;
    }
    picture.data[c] = (uint8_t *) samples;
    picture.stride[c] = 2 * (ptrdiff_t) width;
    picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
  }
  return picture;
}

/* Makes a frame whose blocks are all empty. */
static GByteArray *
empty_frame (const PacoPictureFormat *format)
{
  PacoHeader header = {
    .picture = *format,
    .video = { .raw_format = "TEST", .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 5, .coding_passes = 1 },
  };
  GByteArray *frame = g_byte_array_new ();
  g_autoptr (PacoGeometry)
      geometry = paco_geometry_new (format, &header.coding);

  header.header_size = paco_header_size (&header);
  header.index_size = geometry->n_blocks;
  header.frame_size = header.header_size + header.index_size;
  g_byte_array_set_size (frame, header.frame_size);
  memset (frame->data, 0, frame->len);
  header.index_crc = crc32 (
      0, frame->data + header.header_size, header.index_size);
  paco_header_write (&header, frame->data);
  return frame;
}

/* --- coders --- */

/* Codes the picture n times, with as many frames in flight as there may be, and
 * returns the last frame's size, or bytes if they are asked for. */
static size_t
encode (const Case *c, unsigned n, GByteArray *bytes)
{
  const PacoBackendOptions options = { .threads = THREADS, .depth = c->depth };
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  g_autoptr (PacoEncoder)
      encoder = paco_cpu_backend.encoder_open (&options, NULL);
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  size_t size = 0;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  must_configure (encoder, &c->format, c->picture.layout, &parameters);
  for (unsigned i = 0; i < n + c->depth - 1; i++) {
    PacoEncodedFrame *frame;

    if (i < n)
      must_submit (encoder, &c->picture, &video, NULL);
    if (i + 1 < c->depth)
      continue;
    frame = must_collect (encoder);
    size = frame->size;
    if (bytes && bytes->len == 0)
      g_byte_array_append (bytes, frame->data, frame->size);
    frame->release (frame);
  }
  return size;
}

static void
decode (const Case *c, unsigned n)
{
  const PacoBackendOptions options = { .threads = THREADS, .depth = c->depth };
  g_autoptr (PacoDecoder)
      decoder = paco_cpu_backend.decoder_open (&options, NULL);
  PacoCodedFrame coded;

  must_parse (&coded, c->frame->data, c->frame->len);
  must_configure_decoder (decoder, &coded.header, c->picture.layout, 0);
  for (unsigned i = 0; i < n + c->depth - 1; i++) {
    if (i < n)
      must_submit_frame (decoder, &coded, &c->picture, NULL);
    if (i + 1 < c->depth)
      continue;
    must_collect_picture (decoder);
  }
}

/* --- processes --- */

/* Runs func in a process of its own, which must end well. */
static void
in_process (void (*func) (const Case *c), const Case *c)
{
  pid_t child = fork ();
  int status;

  g_assert_cmpint (child, >=, 0);
  if (child == 0) {
    func (c);
    _exit (0);
  }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
}

/* Returns how many bytes of address space there are, and how many of them are
 * resident. */
static double
address_space (double *resident)
{
  unsigned long pages, resident_pages;
  char *text, *end;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  pages = strtoul (text, &end, 10);
  resident_pages = strtoul (end, NULL, 10);
  g_free (text);
  *resident = (double) resident_pages * sysconf (_SC_PAGESIZE);
  return (double) pages * sysconf (_SC_PAGESIZE);
}

static double
resident (void)
{
  double bytes;

  address_space (&bytes);
  return bytes;
}

/* Fails if more than `allowed` bytes have been resident at a time beyond those
 * before. */
static void
check (const Case *c, const char *what, double before, double allowed)
{
  double samples = paco_picture_samples (&c->format) * c->depth;
  struct rusage usage;
  double used;

  getrusage (RUSAGE_SELF, &usage);
  used = usage.ru_maxrss * 1024.0 - before;
  printf ("# %s %ux%u, %u components, depth %u: %.2f bytes a sample in flight, "
          "%.2f allowed\n",
      what, c->format.width, c->format.height, c->format.n_components, c->depth,
      used / samples, allowed / samples);
  fflush (stdout);
  if (used > allowed)
    _exit (1);
}

static void
measure_encoder (const Case *c)
{
  double before = resident ();
  size_t size = encode (c, 2 * c->depth + 1, NULL);

  check (c, "encode", before,
      c->depth
              * (PER_SAMPLE * paco_picture_samples (&c->format)
                  + PER_CODED_BYTE * size)
          + FIXED);
}

/* Returns how many bytes component i of the picture has. */
static size_t
bytes_of (const Case *c, unsigned i)
{
  return (size_t) c->picture.stride[i] * paco_component_height (&c->format, i);
}

static uint32_t
sum_of (const Case *c)
{
  uint32_t sum = 0;

  for (unsigned i = 0; i < c->format.n_components; i++)
    sum = crc32_z (sum, c->picture.data[i], bytes_of (c, i));
  return sum;
}

/* The picture is large enough that its coefficients go past the caches, so that it is
 * compared as well. */
static void
measure_decoder (const Case *c)
{
  double before = resident ();
  uint32_t sum = sum_of (c);

  for (unsigned i = 0; i < c->format.n_components; i++)
    memset (c->picture.data[i], 0x55, bytes_of (c, i));
  decode (c, 2 * c->depth + 1);
  if (sum_of (c) != sum)
    _exit (2);
  check (c, "decode", before,
      c->depth * PER_SAMPLE * paco_picture_samples (&c->format) + FIXED);
}

static void
measure_empty (const Case *c)
{
  double before = resident ();

  decode (c, 2 * c->depth + 1);
  check (c, "empty", before, FIXED);
}

static void
test_use (gconstpointer data)
{
  Case c = *(const Case *) data;

  c.picture = picture_new (&c.format, c.noise);
  c.frame = g_byte_array_new ();
  encode (&c, 1, c.frame);
  in_process (measure_encoder, &c);
  in_process (measure_decoder, &c);
  g_byte_array_unref (c.frame);
  c.frame = empty_frame (&c.format);
  in_process (measure_empty, &c);
  g_byte_array_unref (c.frame);
  for (unsigned i = 0; i < c.format.n_components; i++)
    g_free (c.picture.data[i]);
}

/* --- frames in flight --- */

/* Configures for the largest picture: eight frames of it would not fit; the one
 * that may be in flight does. */
static void
configure_largest (const Case *c)
{
  const PacoBackendOptions options = {
    .threads = THREADS,
    .depth = PACO_MAX_DEPTH,
    .max_pixels = PACO_MAX_SIZE * PACO_MAX_SIZE,
  };
  rlim_t space;
  PacoEncoder *encoder;
  g_autoptr (PacoDecoder) decoder = NULL;
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoSampleLayout layout = PACO_LAYOUT_PLANAR (1);
  PacoPictureFormat small = c->format;
  PacoCodedFrame coded;
  double bytes;

  /* Threads that allocate at the same moment would get arenas of their own, each
   * with address space of which it uses little. */
  mallopt (M_ARENA_MAX, 1);
  encoder = paco_cpu_backend.encoder_open (&options, NULL);
  decoder = paco_cpu_backend.decoder_open (&options, NULL);
  must_parse (&coded, c->frame->data, c->frame->len);
  space = (rlim_t) (address_space (&bytes)
      + 1.5 * PER_SAMPLE * paco_picture_samples (&c->format));
  setrlimit (RLIMIT_AS, &(struct rlimit){ space, space });
  must_configure (encoder, &c->format, &layout, &parameters);
  g_assert_cmpuint (paco_coder_depth (PACO_CODER (encoder)), ==, 1);
  paco_coder_close (PACO_CODER (encoder));
  must_configure_decoder (decoder, &coded.header, &layout, 0);
  g_assert_cmpuint (paco_coder_depth (PACO_CODER (decoder)), ==, 1);

  /* The coder is as deep as before when pictures are small again. */
  small.width = small.height = 64;
  coded.header.picture = small;
  must_configure_decoder (decoder, &coded.header, &layout, 0);
  g_assert_cmpuint (
      paco_coder_depth (PACO_CODER (decoder)), ==, PACO_MAX_DEPTH);
}

static void
test_largest (void)
{
  Case c = {
    .format = { PACO_MAX_SIZE, PACO_MAX_SIZE, 1, false, { { 8, 0, 0 } } },
  };

  c.frame = empty_frame (&c.format);
  in_process (configure_largest, &c);
  g_byte_array_unref (c.frame);
}

static void
test_in_flight (void)
{
  PacoPictureFormat format = { 1, 1, 1, false, { { 8, 0, 0 } } };

  g_assert_cmpuint (paco_frames_in_flight (&format, 8), ==, 8);
  for (unsigned n = 0; n < 1000; n++) {
    double samples;
    unsigned depth = g_test_rand_int_range (1, PACO_MAX_DEPTH + 1), in_flight;

    format.n_components = g_test_rand_int_range (1, 5);
    format.width = g_test_rand_int_range (1, PACO_MAX_SIZE + 1);
    format.height = g_test_rand_int_range (1, PACO_MAX_SIZE + 1);
    for (unsigned i = 1; i < format.n_components; i++)
      format.components[i].subsampling_x = g_test_rand_int_range (0, 3);
    samples = paco_picture_samples (&format);
    in_flight = paco_frames_in_flight (&format, depth);
    g_assert_cmpuint (in_flight, >=, 1);
    g_assert_cmpuint (in_flight, <=, depth);
    g_assert_true (
        in_flight == 1 || in_flight * samples <= PACO_MAX_SAMPLES_IN_FLIGHT);
    g_assert_true (in_flight == depth
        || (in_flight + 1) * samples > PACO_MAX_SAMPLES_IN_FLIGHT);
  }
}

/* A decoder that may take the memory of two frames has two in flight, or one if it may not
 * even take that. */
static void
test_max_memory (void)
{
  static const struct
  {
    double frames;
    unsigned depth;
  } rows[] = { { 0, 8 }, { 0.1, 1 }, { 1.9, 1 }, { 2.1, 2 }, { 9, 8 } };
  PacoPictureFormat format = { 640, 480, 1, false, { { 8, 0, 0 } } };
  PacoSampleLayout layout = PACO_LAYOUT_PLANAR (1);
  g_autoptr (GByteArray) frame = empty_frame (&format);
  PacoCodedFrame coded;

  must_parse (&coded, frame->data, frame->len);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const PacoBackendOptions options = {
      .threads = 1,
      .depth = PACO_MAX_DEPTH,
      .max_memory = (uint64_t) (rows[i].frames * paco_flight_memory (&format)),
    };
    g_autoptr (PacoDecoder)
        decoder = paco_cpu_backend.decoder_open (&options, NULL);

    must_configure_decoder (decoder, &coded.header, &layout, 0);
    g_assert_cmpuint (
        paco_coder_depth (PACO_CODER (decoder)), ==, rows[i].depth);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory-use/in-flight", test_in_flight);
  g_test_add_func ("/memory-use/largest", test_largest);
  g_test_add_func ("/memory-use/max-memory", test_max_memory);
  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = g_strdup_printf ("/memory-use/%u", i);

    g_test_add_data_func (name, &cases[i], test_use);
  }
  return g_test_run ();
}
