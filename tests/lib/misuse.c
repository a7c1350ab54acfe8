/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what applications may do wrong with libpaco, and what files may: each
 * has its status and a sentence, and nothing else happens. */
#include "lib/paco.h"
#include "tests/fuzz/mutator.h"
#include "tests/lib/status.h"
#include <glib.h>
#include <string.h>

#define WIDTH 200
#define HEIGHT 120

static PacoInfo
new_info (void)
{
  PacoInfo info = PACO_INFO_INIT;

  info.width = WIDTH;
  info.height = HEIGHT;
  info.n_components = 3;
  for (unsigned c = 0; c < 3; c++) {
    info.depth[c] = 10;
    info.subsampling_x[c] = info.subsampling_y[c] = c > 0;
  }
  return info;
}

/* Makes a picture with memory of its own. */
static PacoImage
new_image (const PacoInfo *info, uint8_t **memory)
{
  PacoImage image = new_image_of (info, 0, 0, NULL);

  *memory = image.data[0];
  return image;
}

static PacoFrameEncoder *
new_encoder (void)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();

  OK (paco_frame_encoder_set (encoder, "backend", "cpu", &error));
  return encoder;
}

static PacoFrameDecoder *
new_decoder (void)
{
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();

  set_decoder (decoder, "backend", "cpu");
  return decoder;
}

/* Makes a frame of such a picture, for g_free(). */
static uint8_t *
new_frame (size_t *size)
{
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
  PacoInfo info = new_info ();
  PacoFrame frame;
  uint8_t *memory, *data;
  PacoImage image = new_image (&info, &memory);

  for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
    ((uint16_t *) image.data[0])[i] = g_test_rand_int () & 1023;
  OK (paco_frame_encoder_configure (encoder, &info, &error));
  OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
  data = g_memdup2 (frame.data, frame.size);
  *size = frame.size;
  paco_frame_release (&frame);
  g_free (memory);
  return data;
}

static void
test_settings (void)
{
  static const char *const wrong[][2] = {
    { "backend", "gpu" },
    { "backend", "" },
    { "threads", "-1" },
    { "threads", "1.5" },
    { "threads", "two" },
    { "threads", " 2" },
    { "threads", "2 " },
    { "pipeline-depth", "0" },
    { "pipeline-depth", "9" },
    { "max-pixels", "0" },
    { "max-memory", "0" },
    { "max-memory", "1.2 GB" },
    { "conceal", "yes" },
    { "reduce", "9" },
    { "reduce", "nan" },
    { "region", "1,2,3" },
    { "region", "0,0,0,5" },
    { "region", "0,0,5,5," },
    { "region", "0,0,99999,5" },
    { "region", "-1,0,5,5" },
    { "cuda-devices", "0,0" },
    { "cuda-devices", "0,x" },
    { "cuda-device-id", "-2" },
    { "quality", "50" }, /* of an encoder */
    { "nothing", "1" },
  };
  static const char *const wrong_of_encoders[][2] = {
    { "quality", "100.1" }, { "quality", "nan" }, { "rate-control", "best" },
    { "wavelet", "daub4" }, { "codeblock-height", "96" },
    { "codeblock-height", "16" }, { "coding-passes", "0" },
    { "frame-size", "99999999999" }, { "roi-weight", "0.5" },
    { "reduce", "1" }, /* of a decoder */
  };
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();

  for (unsigned i = 0; i < G_N_ELEMENTS (wrong); i++)
    REFUSED (INVALID,
        paco_frame_decoder_set (decoder, wrong[i][0], wrong[i][1], &error));
  for (unsigned i = 0; i < G_N_ELEMENTS (wrong_of_encoders); i++)
    REFUSED (INVALID,
        paco_frame_encoder_set (
            encoder, wrong_of_encoders[i][0], wrong_of_encoders[i][1], &error));
  REFUSED (INVALID, paco_frame_decoder_set (decoder, NULL, "1", &error));
  REFUSED (INVALID, paco_frame_decoder_set (decoder, "reduce", NULL, &error));
  REFUSED (INVALID, paco_frame_decoder_set (NULL, "reduce", "1", &error));
  REFUSED (INVALID, paco_frame_encoder_set (NULL, "levels", "1", &error));
  /* Nothing that was refused is set, and an error need not be asked for. */
  g_assert_cmpint (
      paco_frame_decoder_set (decoder, "nothing", "1", NULL), ==, 1);
  paco_frame_decoder_free (decoder);
  paco_frame_encoder_free (encoder);
  paco_frame_decoder_free (NULL);
  paco_frame_encoder_free (NULL);
  paco_frame_release (NULL);
  g_assert_cmpstr (paco_frame_decoder_device (NULL), ==, "");
  g_assert_cmpstr (paco_frame_encoder_device (NULL), ==, "");
}

static void
test_null (void)
{
  g_autoptr (PacoFrameDecoder) decoder = paco_frame_decoder_new ();
  g_autoptr (PacoFrameEncoder) encoder = paco_frame_encoder_new ();
  PacoInfo info = new_info ();
  PacoFrame frame;
  g_autofree uint8_t *memory = NULL;
  PacoImage image = new_image (&info, &memory);
  char byte = 0;

  REFUSED (INVALID, paco_probe (NULL, 100, &info, NULL, &error));
  REFUSED (INVALID, paco_probe (&byte, 1, NULL, NULL, &error));
  REFUSED (INVALID,
      paco_frame_decoder_decode (NULL, &byte, 1, &image, NULL, &error));
  REFUSED (INVALID,
      paco_frame_decoder_decode (decoder, NULL, 1, &image, NULL, &error));
  REFUSED (INVALID,
      paco_frame_decoder_decode (decoder, &byte, 1, NULL, NULL, &error));
  REFUSED (INVALID, paco_frame_decoder_collect (NULL, NULL, &error));
  REFUSED (EMPTY, paco_frame_decoder_collect (decoder, NULL, &error));
  REFUSED (INVALID, paco_frame_encoder_configure (encoder, NULL, &error));
  REFUSED (INVALID, paco_frame_encoder_configure (NULL, &info, &error));
  REFUSED (
      INVALID, paco_frame_encoder_encode (NULL, &image, NULL, &frame, &error));
  REFUSED (
      INVALID, paco_frame_encoder_encode (encoder, &image, NULL, NULL, &error));
  /* The encoder has not been configured. */
  REFUSED (INVALID,
      paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
  REFUSED (EMPTY, paco_frame_encoder_collect (encoder, &frame, &error));
  OK (paco_frame_encoder_configure (encoder, &info, &error));
  REFUSED (
      INVALID, paco_frame_encoder_encode (encoder, NULL, NULL, &frame, &error));
  REFUSED (INVALID, paco_image_init (NULL, &info, 0, 0, NULL, NULL, &error));
  REFUSED (INVALID, paco_component_size (&info, 0, 0, NULL, NULL, &error));
}

/* Tests memory of a coder, which outlives it. */
static void
test_memory (void)
{
  PacoFrameDecoder *decoder = new_decoder ();
  PacoFrameEncoder *encoder = new_encoder ();
  PacoBuffer buffers[2];

  REFUSED (INVALID, paco_frame_decoder_allocate (decoder, 1, NULL, &error));
  REFUSED (INVALID, paco_frame_decoder_allocate (NULL, 1, &buffers[0], &error));
  REFUSED (
      INVALID, paco_frame_encoder_allocate (encoder, 0, &buffers[0], &error));
  REFUSED (MEMORY,
      paco_frame_encoder_allocate (encoder, PTRDIFF_MAX, &buffers[0], &error));
  g_assert_null (buffers[0].data);
  OK (paco_frame_decoder_allocate (decoder, 1001, &buffers[0], &error));
  OK (paco_frame_encoder_allocate (encoder, 1002, &buffers[1], &error));
  paco_frame_decoder_free (decoder);
  paco_frame_encoder_free (encoder);
  for (unsigned i = 0; i < 2; i++) {
    g_assert_cmpuint (buffers[i].size, ==, 1001 + i);
    g_assert_cmpuint ((uintptr_t) buffers[i].data % 64, ==, 0);
    memset (buffers[i].data, 1, buffers[i].size);
    paco_buffer_release (&buffers[i]);
    paco_buffer_release (&buffers[i]);
  }
  paco_buffer_release (NULL);
}

static void
test_info (void)
{
  g_autoptr (PacoFrameEncoder) encoder = paco_frame_encoder_new ();
  PacoInfo wrong[12];
  PacoImage image;
  uint32_t width, height;

  for (unsigned i = 0; i < G_N_ELEMENTS (wrong); i++)
    wrong[i] = new_info ();
  wrong[0].width = 0;
  wrong[1].height = 16385;
  wrong[2].n_components = 5;
  wrong[3].depth[1] = 17;
  wrong[4].depth[2] = 0;
  wrong[5].subsampling_x[0] = 1;
  wrong[6].subsampling_y[1] = 3;
  memset (wrong[7].format, 'a', sizeof wrong[7].format);
  wrong[8].matrix = 7;
  wrong[9].par_n = 1; /* of 0 */
  wrong[10].picture_flags = 1;
  wrong[11].mastering.white_point[1] = 65536;
  for (unsigned i = 0; i < G_N_ELEMENTS (wrong); i++) {
    REFUSED (
        UNSUPPORTED, paco_frame_encoder_configure (encoder, &wrong[i], &error));
    REFUSED (UNSUPPORTED,
        paco_image_init (&image, &wrong[i], 0, 0, NULL, NULL, &error));
  }
  {
    PacoInfo info = new_info ();
    struct
    {
      PacoInfo info;
      uint64_t later;
    } later = { new_info (), 0 };

    REFUSED (UNSUPPORTED,
        paco_image_init (
            &image, &info, 0, PACO_IMAGE_INTERLEAVED, NULL, NULL, &error));
    REFUSED (
        INVALID, paco_image_init (&image, &info, 9, 0, NULL, NULL, &error));
    REFUSED (
        INVALID, paco_image_init (&image, &info, 0, 8, NULL, NULL, &error));
    REFUSED (
        INVALID, paco_component_size (&info, 3, 0, &width, &height, &error));
    OK (paco_component_size (&info, 2, 1, &width, &height, &error));
    g_assert_cmpuint (width, ==, WIDTH / 4);
    g_assert_cmpuint (height, ==, HEIGHT / 4);
    info.struct_size = 0;
    REFUSED (INVALID, paco_frame_encoder_configure (encoder, &info, &error));
    /* The application was compiled with a later version. */
    later.info.struct_size = sizeof later;
    OK (paco_frame_encoder_configure (encoder, &later.info, &error));
    later.later = 1;
    REFUSED (UNSUPPORTED,
        paco_frame_encoder_configure (encoder, &later.info, &error));
  }
}

static void
test_images (void)
{
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
  PacoInfo info = new_info ();
  g_autofree uint8_t *memory = NULL;
  PacoImage good = new_image (&info, &memory), wrong[13];
  PacoFrame frame;

  OK (paco_frame_encoder_configure (encoder, &info, &error));
  for (unsigned i = 0; i < G_N_ELEMENTS (wrong); i++)
    wrong[i] = good;
  wrong[0].data[2] = NULL;
  wrong[1].size[1]--;
  wrong[2].size[0] = 0;
  wrong[3].stride[0] = PTRDIFF_MIN;
  wrong[4].stride[0] = 2 * WIDTH - 1;
  wrong[5].layout[0].group_bytes = 0;
  wrong[6].layout[0].group_samples = 9;
  wrong[7].layout[0].word_bytes = 1;
  wrong[8].layout[1].places[0].shift = 7;
  wrong[9].where = PACO_IN_CUDA_MEMORY; /* of no context */
  wrong[10].where = 2;
  wrong[11].reserved = 1;
  wrong[12].more[3] = 1;
  for (unsigned i = 0; i < G_N_ELEMENTS (wrong); i++) {
    PacoError error;

    check_refused (
        paco_frame_encoder_encode (encoder, &wrong[i], NULL, &frame, &error),
        &error,
        i < 4 || i >= 9 ? PACO_STATUS_INVALID : PACO_STATUS_UNSUPPORTED);
    g_assert_null (frame.data);
  }
  /* The encoder has lost nothing by that. */
  OK (paco_frame_encoder_encode (encoder, &good, NULL, &frame, &error));
  paco_frame_release (&frame);
  REFUSED (BUSY, paco_frame_encoder_set (encoder, "threads", "1", &error));
  /* These settings contradict each other. */
  OK (paco_frame_encoder_set (encoder, "rate-control", "lossless", &error));
  OK (paco_frame_encoder_set (encoder, "wavelet", "cdf97", &error));
  REFUSED (UNSUPPORTED,
      paco_frame_encoder_encode (encoder, &good, NULL, &frame, &error));
}

/* Tests chunks that cannot be, and those that just can. */
static void
test_chunks (void)
{
  static const uint8_t bytes[PACO_MAX_CHUNK_BYTES + 1];
  static const PacoFrameChunk wrong[][2] = {
    { { 6, 0, bytes, 4 } }, { { 256, 0, bytes, 4 } }, { { 0, 0, bytes, 4 } },
    { { 200, 0, NULL, 4 } }, { { 200, 1, bytes, 4 } },
    { { 200, 0, bytes, PACO_MAX_CHUNK_BYTES - 3 } },
    { { 200, 0, bytes, SIZE_MAX } },
    { { 200, 0, bytes, 20000 }, { 201, 0, bytes, 12761 } },
    { { 7, 0, bytes, 1 } },   /* a caption without bytes */
    { { 9, 0, bytes, 17 } },  /* a timecode of a frame rate of 0/0 */
    { { 11, 0, bytes, 20 } }, /* a reference time without a clock */
  };
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
  PacoInfo info = new_info ();
  PacoFrameChunk most[2] = { { 200, 0, bytes, 20000 },
    { 201, 0, bytes, 12760 } };
  PacoExtras extras = PACO_EXTRAS_INIT;
  PacoFrameArea areas[17] = { { 0, 0, 1, 1 } };
  g_autofree uint8_t *memory = NULL;
  PacoImage image = new_image (&info, &memory);
  const void *found;
  PacoFrame frame;
  size_t n = 0;

  OK (paco_frame_encoder_configure (encoder, &info, &error));
  for (unsigned i = 0; i < G_N_ELEMENTS (wrong); i++) {
    PacoError failure;

    extras.chunks = wrong[i];
    extras.n_chunks = wrong[i][1].type ? 2 : 1;
    check_refused (
        paco_frame_encoder_encode (encoder, &image, &extras, &frame, &failure),
        &failure, i < 5 ? PACO_STATUS_INVALID : PACO_STATUS_UNSUPPORTED);
    g_assert_null (frame.data);
  }
  extras.chunks = NULL;
  REFUSED (INVALID,
      paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  extras = (PacoExtras){ 0 };
  REFUSED (INVALID,
      paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  extras = (PacoExtras) PACO_EXTRAS_INIT;
  extras.n_areas = 1;
  REFUSED (INVALID,
      paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  extras.areas = areas;
  extras.n_areas = 17;
  REFUSED (UNSUPPORTED,
      paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  extras = (PacoExtras){ sizeof extras, most, 2, NULL, 0 };
  OK (paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  REFUSED (
      INVALID, paco_frame_chunks (frame.data, frame.size, NULL, NULL, &error));
  n = 1;
  REFUSED (
      INVALID, paco_frame_chunks (frame.data, frame.size, NULL, &n, &error));
  n = 0;
  REFUSED (MORE, paco_frame_chunks (frame.data, 30000, NULL, &n, &error));
  OK (paco_frame_chunks (frame.data, frame.size, NULL, &n, &error));
  g_assert_cmpuint (n, ==, 2);
  REFUSED (INVALID,
      paco_frame_attachment (frame.data, frame.size, NULL, &n, &error));
  REFUSED (INVALID,
      paco_frame_attachment (frame.data, frame.size, &found, NULL, &error));
  REFUSED (CORRUPT,
      paco_frame_attachment (frame.data, frame.size - 1, &found, &n, &error));
  paco_frame_release (&frame);
  extras = (PacoExtras) PACO_EXTRAS_INIT;
  extras.attachment_size = 1;
  REFUSED (INVALID,
      paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  extras.attachment = bytes;
  extras.attachment_size = PACO_MAX_ATTACHMENT_BYTES + 1;
  REFUSED (UNSUPPORTED,
      paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  extras = (PacoExtras){ sizeof extras, most, 2, NULL, 0, NULL, 0 };
  /* The budget has room for the picture, but not for the chunks. */
  OK (paco_frame_encoder_set (encoder, "rate-control", "bitrate", &error));
  OK (paco_frame_encoder_set (encoder, "frame-size", "10000", &error));
  REFUSED (UNSUPPORTED,
      paco_frame_encoder_encode (encoder, &image, &extras, &frame, &error));
  OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
  paco_frame_release (&frame);
}

static void
test_frames (void)
{
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();
  PacoInfo info = new_info ();
  uint8_t *memory, *data;
  PacoImage image = new_image (&info, &memory);
  size_t size;

  data = new_frame (&size);
  set_decoder (decoder, "backend", "cpu");
  set_decoder (decoder, "reduce", "6");
  REFUSED (UNSUPPORTED,
      paco_frame_decoder_decode (decoder, data, size, &image, NULL, &error));
  set_decoder (decoder, "reduce", "0");
  REFUSED (CORRUPT,
      paco_frame_decoder_decode (
          decoder, data, size - 1, &image, NULL, &error));
  REFUSED (NOT_PACO,
      paco_frame_decoder_decode (
          decoder, data + 1, size - 1, &image, NULL, &error));
  REFUSED (NOT_PACO, paco_probe (data + 1, size - 1, &info, NULL, &error));
  REFUSED (MORE, paco_probe (data, 19, &info, NULL, &error));
  data[4]++;
  REFUSED (VERSION, paco_probe (data, size, &info, NULL, &error));
  data[4]--;
  data[50]++;
  REFUSED (CORRUPT, paco_probe (data, size, &info, NULL, &error));
  data[50]--;
  for (unsigned i = 0; i < 4; i++) {
    static const char *const regions[] = { "1,0,4,4", "0,1,4,4", "0,0,201,4",
      "200,0,1,1" };

    set_decoder (decoder, "region", "%s", regions[i]);
    REFUSED (UNSUPPORTED,
        paco_frame_decoder_decode (decoder, data, size, &image, NULL, &error));
  }
  set_decoder (decoder, "region", "%s", "");
  OK (paco_frame_decoder_submit (decoder, data, size, &image, NULL, &error));
  REFUSED (BUSY,
      paco_frame_decoder_decode (decoder, data, size, &image, NULL, &error));
  REFUSED (BUSY, paco_frame_decoder_set (decoder, "reduce", "1", &error));
  REFUSED (BUSY, paco_frame_decoder_set (decoder, "threads", "1", &error));
  OK (paco_frame_decoder_collect (decoder, NULL, &error));
  paco_frame_decoder_free (decoder);
  decoder = paco_frame_decoder_new ();
  set_decoder (decoder, "max-pixels", "23999");
  REFUSED (UNSUPPORTED,
      paco_frame_decoder_decode (decoder, data, size, &image, NULL, &error));
  paco_frame_decoder_free (decoder);
  g_free (data);
  g_free (memory);
}

/* Tests that while a region is decoded, a frame of another kind is refused, and
 * changes nothing of the first one. */
static void
test_other_frame (void)
{
  g_autoptr (PacoFrameDecoder) decoder = paco_frame_decoder_new ();
  g_autoptr (PacoFrameEncoder) encoder = paco_frame_encoder_new ();
  PacoInfo info = new_info (), gray = new_info (), part = gray;
  uint8_t *memory, *gray_memory, *data;
  PacoImage image = new_image (&info, &memory), gray_image;
  PacoFrame frame;
  size_t size;

  data = new_frame (&size);
  gray.n_components = part.n_components = 1;
  part.width = part.height = 40;
  gray_image = new_image (&gray, &gray_memory);
  for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
    ((uint16_t *) gray_memory)[i] = 777;
  OK (paco_frame_encoder_configure (encoder, &gray, &error));
  OK (paco_frame_encoder_encode (encoder, &gray_image, NULL, &frame, &error));
  g_free (gray_memory);
  gray_image = new_image (&part, &gray_memory);
  set_decoder (decoder, "region", "20,30,40,40");
  OK (paco_frame_decoder_submit (
      decoder, frame.data, frame.size, &gray_image, NULL, &error));
  REFUSED (BUSY,
      paco_frame_decoder_submit (decoder, data, size, &image, NULL, &error));
  OK (paco_frame_decoder_collect (decoder, NULL, &error));
  for (unsigned i = 0; i < 40 * 40; i++)
    g_assert_cmpuint (((uint16_t *) gray_memory)[i], ==, 777);
  paco_frame_release (&frame);
  g_free (data);
  g_free (memory);
  g_free (gray_memory);
}

static void
read_chunks (const uint8_t *data, size_t size)
{
  size_t n = 0;
  g_autofree PacoFrameChunk *chunks = NULL;

  OK (paco_frame_chunks (data, size, NULL, &n, &error));
  chunks = g_new0 (PacoFrameChunk, n);
  OK (paco_frame_chunks (data, size, chunks, &n, &error));
  for (size_t i = 0; i < n; i++) {
    g_assert_cmpuint (chunks[i].type, >=, PACO_FIRST_CHUNK);
    g_assert_cmpuint (chunks[i].size, <=,
        size - (size_t) ((const uint8_t *) chunks[i].data - data));
  }
}

static void
decode_whatever (PacoFrameDecoder *decoder, const uint8_t *data, size_t size)
{
  static const char *const regions[] = { "", "0,0,8,8", "0,0,64,32",
    "32,16,20,40" };
  PacoInfo info = PACO_INFO_INIT;
  PacoError failure;
  PacoImage image;
  g_autofree uint8_t *memory = NULL;
  const char *region = regions[g_test_rand_int_range (0, 4)];

  if (paco_probe (data, size, &info, NULL, &failure) != PACO_STATUS_OK) {
    g_assert_cmpuint (strlen (failure.message), >, 10);
    return;
  }
  read_chunks (data, size);
  if (paco_frame_check (data, size, NULL, NULL, &failure) != PACO_STATUS_OK)
    g_assert_cmpuint (strlen (failure.message), >, 10);
  if ((uint64_t) info.width * info.height > 1 << 20)
    return;
  image = new_image (&info, &memory);
  set_decoder (decoder, "region", "%s", region);
  if (paco_frame_decoder_decode (decoder, data, size, &image, NULL, &failure)
      != PACO_STATUS_OK)
    g_assert_cmpuint (strlen (failure.message), >, 10);
}

static void
test_hostile (void)
{
  g_autoptr (PacoFrameDecoder) decoder = new_decoder ();
  size_t size, capacity;
  uint8_t *data = new_frame (&size), *changed;

  capacity = 2 * size;
  changed = g_malloc (capacity);
  set_decoder (decoder, "threads", "2");
  for (unsigned i = 0; i < 400; i++) {
    uint64_t seed = (uint64_t) (uint32_t) g_test_rand_int () << 8 | i;
    size_t changed_size;
    g_autofree uint8_t *exact = NULL;

    memcpy (changed, data, size);
    changed_size = fuzz_mutate_frame (changed, size, capacity, 1 << 17, seed);
    exact = g_memdup2 (changed, changed_size);
    decode_whatever (decoder, exact, changed_size);
  }
  /* The next sound frame is decoded as if nothing had been. */
  set_decoder (decoder, "region", "%s", "");
  decode_whatever (decoder, data, size);
  g_free (changed);
  g_free (data);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lib/settings", test_settings);
  g_test_add_func ("/lib/null", test_null);
  g_test_add_func ("/lib/memory", test_memory);
  g_test_add_func ("/lib/info", test_info);
  g_test_add_func ("/lib/images", test_images);
  g_test_add_func ("/lib/chunks", test_chunks);
  g_test_add_func ("/lib/frames", test_frames);
  g_test_add_func ("/lib/other-frame", test_other_frame);
  g_test_add_func ("/lib/hostile", test_hostile);
  return g_test_run ();
}
