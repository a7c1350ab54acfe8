/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares libpaco with the reference: random pictures in random layouts,
 * coded with random settings, give its bytes and its samples, reduced ones too.
 * With PACO_LIB_BACKEND=cuda in the environment it does so on a GPU, or an
 * emulated one. */
#include "codec/geometry.h"
#include "codec/reference/reference.h"
#include "lib/paco.h"
#include "tests/codec/n-cases.h"
#include "tests/codec/random-picture.h"
#include "tests/lib/from-codec.h"
#include "tests/lib/status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_SAMPLES 20000
#define N_THREADS 4

static const char *
backend (void)
{
  const char *name = g_getenv ("PACO_LIB_BACKEND");

  return name ? name : "cpu";
}

/* --- coders --- */

static void
set_number (PacoFrameEncoder *encoder, const char *name, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (text, sizeof text, number);
  OK (paco_frame_encoder_set (encoder, name, text, &error));
}

static void
set_name (PacoFrameEncoder *encoder, const char *name, const char *value)
{
  OK (paco_frame_encoder_set (encoder, name, value, &error));
}

static PacoFrameEncoder *
encoder_new (const PacoParameters *parameters)
{
  static const char *const rates[] = { "quality", "lossless", "bitrate" };
  static const char *const wavelets[] = { "auto", "cdf53", "cdf97", "dd137" };
  static const char *const colors[] = { "auto", "none", "rct", "ict", "rct2",
    "matrix" };
  static const char *const tables[] = { "auto", "never", "always" };
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();

  set_name (encoder, "backend", backend ());
  set_name (encoder, "threads", "2");
  set_name (encoder, "rate-control", rates[parameters->rate_control]);
  set_number (encoder, "quality", parameters->quality);
  set_number (encoder, "frame-size", parameters->frame_size);
  set_number (encoder, "bitrate", (double) (parameters->bitrate / 1000));
  set_name (
      encoder, "tune", parameters->tune == PACO_TUNE_PSNR ? "psnr" : "visual");
  set_name (encoder, "wavelet", wavelets[parameters->wavelet + 1]);
  set_name (
      encoder, "color-transform", colors[parameters->color_transform + 1]);
  set_number (encoder, "levels", parameters->levels);
  set_number (encoder, "codeblock-height", parameters->block_height);
  set_number (encoder, "coding-passes", parameters->coding_passes);
  set_name (encoder, "code-tables", tables[parameters->code_tables]);
  set_number (encoder, "complexity", parameters->complexity);
  set_number (encoder, "roi-weight", MAX (parameters->area_weight, 1.0));
  set_name (
      encoder, "block-checks", parameters->block_checks ? "true" : "false");
  set_name (encoder, "cut-points", parameters->cut_points ? "true" : "false");
  return encoder;
}

static PacoFrameDecoder *
decoder_new (void)
{
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();

  set_decoder (decoder, "backend", "%s", backend ());
  set_decoder (decoder, "threads", "2");
  return decoder;
}

/* --- a case --- */

typedef struct
{
  GRand *rand;
  TestPicture source;
  PacoParameters parameters;
  PacoVideoInfo video;
  PacoAreas areas;
  GByteArray *frame; /* the reference's; NULL: it refuses the case */
} Case;

static void
case_init (Case *c, GRand *rand)
{
  PacoPictureFormat format;

  c->rand = rand;
  test_format_random (rand, &format, CASE_SAMPLES);
  test_picture_init (rand, &c->source, &format, 0);
  test_picture_fill (rand, &c->source);
  test_parameters_random (rand, &c->parameters);
  /* No setting has its name. */
  if (c->parameters.color_transform == PACO_COLOR_TRANSFORM_MOSAIC
      || c->parameters.color_transform == PACO_COLOR_TRANSFORM_FIT)
    c->parameters.color_transform = PACO_COLOR_TRANSFORM_AUTO;
  c->parameters.cut_points = g_rand_boolean (rand);
  test_video_random (rand, &c->video);
  if (g_rand_int_range (rand, 0, 4) == 0)
    test_budget_random (rand, &format, &c->video, &c->parameters);
  c->parameters.bitrate = 0;
  if (c->parameters.rate_control == PACO_RATE_BITRATE
      && c->parameters.frame_size == 0)
    c->parameters.frame_size = 5000;
  c->video.place = (PacoPlace){ 0, 0 };
  if (c->video.has_place)
    c->video.place = (PacoPlace){ g_rand_int (rand), g_rand_int (rand) };
  c->parameters.rgb = c->video.matrix == 1;
  c->frame = g_byte_array_new ();
  test_areas_random (rand, &format, &c->areas);
  if (g_rand_boolean (rand))
    c->parameters.area_weight = 1 << g_rand_int_range (rand, 0, 5);
  if (!paco_reference_encode_after (&format, &c->source.picture, &c->video,
          &c->parameters, &c->areas, NULL, NULL, c->frame, NULL))
    g_clear_pointer (&c->frame, g_byte_array_unref);
}

static void
case_clear (Case *c)
{
  test_picture_clear (&c->source);
  g_clear_pointer (&c->frame, g_byte_array_unref);
}

static void
check_encoder (const Case *c)
{
  PacoFrameEncoder *encoder = encoder_new (&c->parameters);
  PacoInfo info = info_of (&c->source.format, &c->video);
  PacoImage image = image_of (&c->source);
  GArray *chunks = g_array_new (FALSE, TRUE, sizeof (PacoFrameChunk));
  PacoExtras extras = extras_of (&c->video, chunks, &c->areas);
  PacoFrame frame;
  PacoError failure;
  PacoStatus said;

  OK (paco_frame_encoder_configure (encoder, &info, &error));
  said = paco_frame_encoder_encode (encoder, &image, &extras, &frame, &failure);
  g_array_unref (chunks);
  if (c->frame) {
    check_ok (said, &failure);
    g_assert_cmpmem (frame.data, frame.size, c->frame->data, c->frame->len);
    g_assert_cmpstr (paco_frame_encoder_device (encoder), !=, "");
  } else {
    g_assert_cmpint (said, ==, PACO_STATUS_UNSUPPORTED);
    g_assert_cmpstr (failure.message, !=, "");
    g_assert_null (frame.data);
  }
  /* The frame outlives its encoder. */
  paco_frame_encoder_free (encoder);
  if (c->frame)
    g_assert_cmpmem (frame.data, frame.size, c->frame->data, c->frame->len);
  paco_frame_release (&frame);
  g_assert_null (frame.data);
  paco_frame_release (&frame);
}

static void
check_probe (const Case *c)
{
  PacoInfo info = PACO_INFO_INIT,
           wanted = info_of (&c->source.format, &c->video);
  PacoError failure;
  size_t needed, size = 0;

  while (paco_probe (c->frame->data, size, &info, &needed, &failure)
      == PACO_STATUS_MORE) {
    g_assert_cmpuint (needed, >, size);
    g_assert_cmpuint (needed, <=, c->frame->len);
    size = needed;
  }
  g_assert_cmpint (failure.status, ==, PACO_STATUS_OK);
  g_assert_cmpuint (needed, ==, info.header_size);
  g_assert_cmpuint (info.frame_size, ==, c->frame->len);
  g_assert_cmpuint (
      info.levels, ==, c->frame->data[66] /* FORMAT.md section 2 */);
  g_assert_cmpuint (info.coding_passes, ==, c->parameters.coding_passes);
  g_assert_cmpuint (info.block_checks, ==, c->parameters.block_checks);
  g_assert_cmpmem (&info, offsetof (PacoInfo, version), &wanted,
      offsetof (PacoInfo, version));
  OK (paco_probe (c->frame->data, c->frame->len, &info, NULL, &error));
  g_assert_cmpuint (info.lossless, <=, 1);
  if (c->parameters.rate_control == PACO_RATE_LOSSLESS)
    g_assert_cmpuint (info.lossless, ==, 1);
}

/* Checks that the chunks come back as they went in, however many are asked
 * for. */
static void
check_chunks (const Case *c)
{
  PacoAncillary rest = c->video.ancillary;
  PacoInfo info = PACO_INFO_INIT;
  g_autofree PacoFrameChunk *chunks = NULL;
  PacoChunk chunk;
  size_t n = 0, some;

  OK (paco_probe (c->frame->data, c->frame->len, &info, NULL, &error));
  OK (paco_frame_chunks (c->frame->data, info.header_size, NULL, &n, &error));
  g_assert_cmpuint (n, ==, info.n_chunks);
  chunks = g_new0 (PacoFrameChunk, n + 1);
  some = n / 2;
  OK (paco_frame_chunks (c->frame->data, c->frame->len, chunks, &some, &error));
  g_assert_cmpuint (some, ==, n);
  g_assert_cmpuint (chunks[n / 2].type, ==, 0);
  OK (paco_frame_chunks (c->frame->data, c->frame->len, chunks, &some, &error));
  for (size_t i = 0; i < n; i++) {
    g_assert_true (paco_ancillary_next (&rest, &chunk));
    g_assert_cmpuint (chunks[i].type, ==, chunk.type);
    g_assert_cmpmem (chunks[i].data, chunks[i].size, chunk.data, chunk.size);
  }
  g_assert_false (paco_ancillary_next (&rest, &chunk));
}

/* Checks that a damaged byte of the payload, which is at `first` to `end`, breaks
 * one block. Two bytes of three have to be found: a check of 16 bits misses one in
 * 65,536. */
static void
check_damage (const Case *c, uint8_t *data, uint32_t first, size_t end)
{
  unsigned found = 0;

  for (int i = 0; i < 3; i++) {
    size_t at = (size_t) g_rand_int_range (
        c->rand, (gint32) first, (gint32) end);
    uint32_t broken;

    data[at] ^= 0x10;
    OK (paco_frame_check (data, c->frame->len, &broken, NULL, &error));
    g_assert_cmpuint (broken, <=, 1);
    found += broken;
    data[at] ^= 0x10;
  }
  g_assert_cmpuint (found, >=, 2);
}

/* Checks a frame: its bytes are what its checks say, and damage is found. Another
 * place changes nothing but that. */
static void
check_frame (const Case *c)
{
  g_autofree uint8_t *data = g_memdup2 (c->frame->data, c->frame->len);
  size_t size = c->frame->len;
  PacoInfo info = PACO_INFO_INIT, moved = PACO_INFO_INIT;
  uint32_t broken, blocks = 0;
  PacoError failure;
  PacoStatus said = paco_frame_check (data, size, &broken, &blocks, &failure);

  OK (paco_probe (data, size, &info, NULL, &error));
  if (!c->parameters.block_checks) {
    g_assert_cmpint (said, ==, PACO_STATUS_UNSUPPORTED);
  } else {
    uint32_t first = info.header_size + info.index_size;
    size_t end = size - info.attachment_size;

    g_assert_cmpint (said, ==, PACO_STATUS_OK);
    g_assert_cmpuint (broken, ==, 0);
    g_assert_cmpuint (blocks, >, 0);
    if (first < end)
      check_damage (c, data, first, end);
    REFUSED (CORRUPT, paco_frame_check (data, size - 1, NULL, NULL, &error));
    data[info.header_size] ^= 0x40;
    REFUSED (CORRUPT, paco_frame_check (data, size, NULL, NULL, &error));
  }
  memcpy (data, c->frame->data, size);
  said = paco_frame_set_place (data, size, 7, UINT64_C (1) << 40, &failure);
  g_assert_cmpint (
      said, ==, info.has_place ? PACO_STATUS_OK : PACO_STATUS_UNSUPPORTED);
  OK (paco_probe (data, size, &moved, NULL, &error));
  if (info.has_place) {
    g_assert_cmpuint (moved.place_number, ==, 7);
    g_assert_cmpuint (moved.place_offset, ==, UINT64_C (1) << 40);
    OK (paco_frame_set_place (
        data, size, info.place_number, info.place_offset, &error));
  }
  g_assert_cmpmem (data, size, c->frame->data, size);
}

/* Checks that the attachment comes back as it went in, or not at all. */
static void
check_attachment (const Case *c)
{
  const PacoAttachment *wanted = &c->video.attachment;
  g_autofree uint8_t *data = g_memdup2 (c->frame->data, c->frame->len);
  size_t size = c->frame->len, n = 1;
  const void *found = data;
  PacoInfo info = PACO_INFO_INIT;

  OK (paco_probe (data, size, &info, NULL, &error));
  g_assert_cmpuint (info.attachment_size, ==, wanted->size);
  OK (paco_frame_attachment (data, size, &found, &n, &error));
  g_assert_true ((found != NULL) == (wanted->size > 0));
  g_assert_cmpmem (found, n, wanted->data, wanted->size);
  REFUSED (CORRUPT, paco_frame_attachment (data, size - 1, &found, &n, &error));
  if (wanted->size > 0) {
    data[size - (size_t) g_rand_int_range (c->rand, 1, (gint) n + 1)] ^= 1;
    REFUSED (CORRUPT, paco_frame_attachment (data, size, &found, &n, &error));
    REFUSED (CORRUPT, paco_frame_check (data, size, NULL, NULL, &error));
  }
}

/* Compares the frame with a picture, and returns how many bytes are different. */
static uint64_t
compare (const Case *c, PacoFrameDecoder *decoder, const PacoImage *image)
{
  PacoResult result;

  OK (paco_frame_decoder_submit_comparison (
      decoder, c->frame->data, c->frame->len, image, decoder, &error));
  OK (paco_frame_decoder_collect (decoder, &result, &error));
  g_assert_true (result.user == decoder);
  g_assert_cmpuint (result.corrupted_blocks, ==, 0);
  return result.different_bytes;
}

/* Checks that the frame is found to give the decoded picture, which is not changed, and
 * no other one. */
static void
check_comparison (
    const Case *c, PacoFrameDecoder *decoder, const TestPicture *decoded)
{
  TestPicture other;
  PacoImage image = image_of (decoded);

  test_picture_copy (&other, decoded);
  g_assert_cmpuint (compare (c, decoder, &image), ==, 0);
  test_picture_compare (&other, decoded);
  image = image_of (&other);
  other.picture.data[0][0] ^= 1;
  g_assert_cmpuint (compare (c, decoder, &image), ==, 1);
  set_decoder (decoder, "region", "0,0,1,1");
  REFUSED (UNSUPPORTED,
      paco_frame_decoder_submit_comparison (
          decoder, c->frame->data, c->frame->len, &image, NULL, &error));
  set_decoder (decoder, "region", "%s", "");
  test_picture_clear (&other);
}

static void
check_decoder (const Case *c, PacoFrameDecoder *decoder, unsigned reduce)
{
  TestPicture decoded, reference;
  PacoImage image;
  PacoResult result;

  set_decoder (decoder, "reduce", "%u", reduce);
  test_picture_init (c->rand, &decoded, &c->source.format, reduce);
  test_picture_copy (&reference, &decoded);
  g_assert_true (paco_reference_decode (
      c->frame->data, c->frame->len, reduce, &reference.picture, NULL, NULL));
  image = image_of (&decoded);
  OK (paco_frame_decoder_decode (
      decoder, c->frame->data, c->frame->len, &image, &result, &error));
  g_assert_cmpuint (result.corrupted_blocks, ==, 0);
  test_picture_compare (&decoded, &reference);
  check_comparison (c, decoder, &decoded);
  test_picture_clear (&decoded);
  test_picture_clear (&reference);
}

/* --- cases --- */

static void
run_cases (guint32 seed, unsigned n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (PacoFrameDecoder) decoder = decoder_new ();

  for (unsigned i = 0; i < n; i++) {
    Case c;

    case_init (&c, rand);
    check_encoder (&c);
    if (c.frame) {
      const uint8_t levels = c.frame->data[66];

      check_probe (&c);
      check_chunks (&c);
      check_frame (&c);
      check_attachment (&c);
      check_decoder (&c, decoder, g_rand_int_range (rand, 0, levels + 1));
    }
    case_clear (&c);
  }
}

static void
test_cases (void)
{
  guint32 seed = g_test_rand_int ();

  g_test_message ("seed %u", seed);
  run_cases (seed, n_cases (60));
}

static gpointer
run_thread (gpointer data)
{
  run_cases (GPOINTER_TO_UINT (data), n_cases (12));
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[N_THREADS];

  for (unsigned i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new (
        "user", run_thread, GUINT_TO_POINTER ((guint) g_test_rand_int ()));
  for (unsigned i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

/* --- threads that coders share --- */

/* Tests coders of any number of threads, whichever is freed first. */
static void
test_shared_threads (void)
{
  for (unsigned n = 0; n < 8; n++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoFrameEncoder *encoder = encoder_new (&parameters);
    PacoFrameDecoder *decoder = decoder_new ();
    PacoInfo info = gray_info (64, 64);
    uint8_t samples[64 * 64];
    PacoImage image;
    PacoFrame frame;

    set_number (encoder, "threads", 1 + n % 4);
    OK (paco_frame_decoder_share_threads (decoder, encoder, &error));
    REFUSED (BUSY, paco_frame_decoder_share_threads (decoder, encoder, &error));
    for (unsigned i = 0; i < sizeof samples; i++)
      samples[i] = (uint8_t) g_test_rand_int ();
    OK (paco_image_init (&image, &info, 0, 0, samples, NULL, &error));
    OK (paco_frame_encoder_configure (encoder, &info, &error));
    OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
    if (n % 2)
      paco_frame_encoder_free (encoder);
    OK (paco_frame_decoder_decode (
        decoder, frame.data, frame.size, &image, NULL, &error));
    paco_frame_decoder_free (decoder);
    if (n % 2 == 0) {
      paco_frame_release (&frame);
      OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
      paco_frame_encoder_free (encoder);
    }
    paco_frame_release (&frame);
  }
}

/* --- an attachment that is much larger than its frame --- */

static void
test_large_attachment (void)
{
  enum
  {
    SIZE = 3000000
  };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (PacoFrameEncoder) encoder = encoder_new (&parameters);
  g_autoptr (PacoFrameDecoder) decoder = decoder_new ();
  PacoExtras extras = PACO_EXTRAS_INIT;
  PacoInfo info = gray_info (8, 8);
  uint8_t samples[64] = { 0 }, *bytes = g_malloc (SIZE);
  PacoImage image;

  for (unsigned i = 0; i < SIZE; i++)
    bytes[i] = (uint8_t) g_test_rand_int ();
  OK (paco_image_init (&image, &info, 0, 0, samples, NULL, &error));
  OK (paco_frame_encoder_configure (encoder, &info, &error));
  for (unsigned i = 0; i < 3; i++) {
    const void *found;
    PacoFrame frame;
    size_t size;

    extras.attachment = bytes + i;
    extras.attachment_size = SIZE / (i + 1) - i;
    OK (paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
    OK (paco_frame_attachment (frame.data, frame.size, &found, &size, &error));
    g_assert_cmpmem (found, size, bytes + i, SIZE / (i + 1) - i);
    OK (paco_frame_decoder_decode (
        decoder, frame.data, frame.size, &image, NULL, &error));
    paco_frame_release (&frame);
  }
  g_free (bytes);
}

/* --- frames in flight --- */

static void
encode_flights (unsigned n, PacoImage *images, PacoFrame *frames,
    const PacoInfo *info, unsigned *busy)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (PacoFrameEncoder) encoder = NULL;
  PacoFrame none;
  PacoError failure;
  unsigned done = 0;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  encoder = encoder_new (&parameters);
  set_name (encoder, "pipeline-depth", "3");
  OK (paco_frame_encoder_configure (encoder, info, &error));
  for (unsigned i = 0; i < n;) {
    PacoStatus said = paco_frame_encoder_submit (
        encoder, &images[i], NULL, &images[i], &failure);

    if (said == PACO_STATUS_OK) {
      i++;
      continue;
    }
    g_assert_cmpint (said, ==, PACO_STATUS_BUSY);
    g_assert_cmpuint (i - done, ==, 3);
    (*busy)++;
    OK (paco_frame_encoder_collect (encoder, &frames[done], &error));
    g_assert_true (frames[done].user == &images[done]);
    done++;
  }
  REFUSED (BUSY, paco_frame_encoder_set (encoder, "levels", "2", &error));
  while (done < n) {
    OK (paco_frame_encoder_collect (encoder, &frames[done], &error));
    done++;
  }
  REFUSED (EMPTY, paco_frame_encoder_collect (encoder, &none, &error));
}

static void
test_flights (void)
{
  enum
  {
    N = 12,
    WIDTH = 200,
    HEIGHT = 150
  };
  PacoInfo info = PACO_INFO_INIT;
  PacoImage images[N], decoded[N];
  PacoFrame frames[N];
  PacoFrameDecoder *decoder = decoder_new ();
  PacoError failure;
  PacoResult result;
  unsigned busy = 0, done = 0;
  size_t bytes;

  info.width = WIDTH;
  info.height = HEIGHT;
  info.n_components = 3;
  info.matrix = 1;
  for (unsigned c = 0; c < 3; c++)
    info.depth[c] = 12;
  for (unsigned i = 0; i < N; i++) {
    for (unsigned which = 0; which < 2; which++) {
      PacoImage *image = which ? &decoded[i] : &images[i];

      *image = new_image_of (&info, 0, PACO_IMAGE_INTERLEAVED, &bytes);
      g_assert_cmpuint (bytes, ==, 6 * WIDTH * HEIGHT);
    }
    for (size_t k = 0; k < bytes / 2; k++)
      ((uint16_t *) images[i].data[0])[k] = g_test_rand_int () & 0xfff;
  }
  encode_flights (N, images, frames, &info, &busy);
  g_assert_cmpuint (busy, ==, N - 3);
  for (unsigned i = 0; i < N || done < N;) {
    if (i < N
        && paco_frame_decoder_submit (decoder, frames[i].data, frames[i].size,
               &decoded[i], &frames[i], &failure)
            == PACO_STATUS_OK) {
      i++;
      continue;
    }
    OK (paco_frame_decoder_collect (decoder, &result, &error));
    g_assert_true (result.user == &frames[done]);
    g_assert_cmpmem (decoded[done].data[0], bytes, images[done].data[0], bytes);
    done++;
  }
  /* The decoder is closed with frames in flight. */
  OK (paco_frame_decoder_submit (
      decoder, frames[1].data, frames[1].size, &decoded[1], NULL, &error));
  paco_frame_decoder_free (decoder);
  for (unsigned i = 0; i < N; i++) {
    paco_frame_release (&frames[i]);
    g_free (images[i].data[0]);
    g_free (decoded[i].data[0]);
  }
}

/* Tests a mosaic that lies as on the sensor, and comes back so: each component is where
 * its place says. */
static void
test_mosaic (void)
{
  enum
  {
    COLUMNS = 22,
    LINES = 10
  };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (PacoFrameEncoder) encoder = NULL;
  g_autoptr (PacoFrameDecoder) decoder = decoder_new ();
  uint16_t samples[COLUMNS * LINES], decoded[COLUMNS * LINES] = { 0 };
  PacoInfo info = PACO_INFO_INIT;
  PacoImage image;
  PacoFrame frame;

  info.width = COLUMNS;
  info.height = LINES;
  info.n_components = 4;
  info.mosaic = 1;
  for (unsigned c = 0; c < 4; c++) {
    info.depth[c] = 12;
    info.subsampling_x[c] = info.subsampling_y[c] = 1;
    info.place_x[c] = 1 - c % 2;
    info.place_y[c] = c / 2;
  }
  for (unsigned i = 0; i < COLUMNS * LINES; i++)
    samples[i] = g_test_rand_int () & 0xfff;
  OK (paco_image_init (
      &image, &info, 0, PACO_IMAGE_INTERLEAVED, samples, NULL, &error));
  for (unsigned c = 0; c < 4; c++) {
    g_assert_true (image.data[c] == samples + c / 2 * COLUMNS);
    g_assert_cmpint (image.stride[c], ==, 4 * COLUMNS);
    g_assert_cmpuint (image.layout[c].places[0].byte, ==, c % 2 ? 0 : 2);
  }
  parameters.rate_control = PACO_RATE_LOSSLESS;
  encoder = encoder_new (&parameters);
  OK (paco_frame_encoder_configure (encoder, &info, &error));
  OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
  OK (paco_image_init (
      &image, &info, 0, PACO_IMAGE_INTERLEAVED, decoded, NULL, &error));
  OK (paco_frame_decoder_decode (
      decoder, frame.data, frame.size, &image, NULL, &error));
  paco_frame_release (&frame);
  g_assert_cmpmem (decoded, sizeof decoded, samples, sizeof samples);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lib/cases", test_cases);
  g_test_add_func ("/lib/threads", test_threads);
  g_test_add_func ("/lib/shared-threads", test_shared_threads);
  g_test_add_func ("/lib/large-attachment", test_large_attachment);
  g_test_add_func ("/lib/flights", test_flights);
  g_test_add_func ("/lib/mosaic", test_mosaic);
  return g_test_run ();
}
