/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures how fast JPEG 2000 is on this machine's processor: what OpenJPEG
 * says to Figures 4.5 and 4.6 of text 004, where Kakadu stands. lab-coder
 * calls it. */
#include "tests/lab/coder.h"
#include "tests/lab/lab.h"
#include <stdio.h>
#include <string.h>

/* --- OpenJPEG --- */

#ifdef HAVE_OPENJPEG
#include "tests/bench/openjpeg-memory.h"

bool
jpeg2000_is_there (void)
{
  return true;
}

static void
check (bool good, const char *what)
{
  if (!good)
    lab_fail ("OpenJPEG: %s failed", what);
}

static void
say (const char *message, void *user_data)
{
  (void) user_data;
  fprintf (stderr, "OpenJPEG: %s", message);
}

static opj_image_t *
make_image (const GrayPicture *picture)
{
  uint32_t width = picture->plane.width, height = picture->plane.height;
  opj_image_t *image = openjpeg_gray_image (width, height, picture->depth);
  size_t n = (size_t) width * height;

  check (image != NULL, "opj_image_create");
  for (size_t i = 0; i < n; i++)
    image->comps[0].data[i] = picture->plane.samples[i].i
        + (1 << (picture->depth - 1));
  return image;
}

static void
encode (const GrayPicture *picture, const Jpeg2000Options *options,
    OpenjpegMemory *memory)
{
  enum
  {
    RESET = 2,
    RESTART = 4,
    CAUSAL = 8
  };
  opj_image_t *image = make_image (picture);
  opj_cparameters_t parameters;
  opj_codec_t *codec = opj_create_compress (OPJ_CODEC_J2K);
  opj_stream_t *stream;

  opj_set_error_handler (codec, say, NULL);
  opj_set_default_encoder_parameters (&parameters);
  parameters.tcp_numlayers = 1;
  parameters.cp_disto_alloc = 1;
  parameters.numresolution = GRAY_LEVELS + 1;
  parameters.cblockw_init = 64;
  parameters.cblockh_init = (int) options->block_height;
  if (options->parallel_passes)
    parameters.mode = RESET | RESTART | CAUSAL;
  if (options->bits > 0) {
    parameters.irreversible = 1;
    parameters.tcp_rates[0] = (float) (picture->depth / options->bits);
  }
  check (opj_setup_encoder (codec, &parameters, image), "opj_setup_encoder");
  check (options->threads < 2
          || opj_codec_set_threads (codec, (int) options->threads),
      "opj_codec_set_threads");
  stream = openjpeg_open_memory (memory, false);
  check (opj_start_compress (codec, image, stream), "opj_start_compress");
  check (opj_encode (codec, stream), "opj_encode");
  check (opj_end_compress (codec, stream), "opj_end_compress");
  opj_stream_destroy (stream);
  opj_destroy_codec (codec);
  opj_image_destroy (image);
}

static void
decode (const GrayPicture *picture, const Jpeg2000Options *options,
    OpenjpegMemory *memory, PacoReferenceSample *decoded)
{
  size_t n = (size_t) picture->plane.width * picture->plane.height;
  opj_codec_t *codec = opj_create_decompress (OPJ_CODEC_J2K);
  opj_dparameters_t parameters;
  opj_image_t *image = NULL;
  opj_stream_t *stream;

  opj_set_error_handler (codec, say, NULL);
  opj_set_default_decoder_parameters (&parameters);
  check (opj_setup_decoder (codec, &parameters), "opj_setup_decoder");
  check (options->threads < 2
          || opj_codec_set_threads (codec, (int) options->threads),
      "opj_codec_set_threads");
  stream = openjpeg_open_memory (memory, true);
  check (opj_read_header (stream, codec, &image), "opj_read_header");
  check (opj_decode (codec, stream, image), "opj_decode");
  check (opj_end_decompress (codec, stream), "opj_end_decompress");
  opj_stream_destroy (stream);
  opj_destroy_codec (codec);
  for (size_t i = 0; i < n; i++)
    decoded[i].i = image->comps[0].data[i] - (1 << (picture->depth - 1));
  opj_image_destroy (image);
}

/* Counts the bytes behind SOD (FF93), which no marker segment of a tile part
 * has in itself but for its name, to EOC. */
static size_t
packet_bytes (const OpenjpegMemory *memory)
{
  static const uint8_t start_of_tile[] = { 0xff, 0x90, 0x00, 0x0a };
  const uint8_t *end = memory->data + memory->size;
  const uint8_t *at = memmem (
      memory->data, memory->size, start_of_tile, sizeof start_of_tile);

  check (at != NULL, "finding SOT");
  at = memmem (at, (size_t) (end - at), "\xff\x93", 2);
  check (at != NULL && memcmp (end - 2, "\xff\xd9", 2) == 0,
      "finding SOD and EOC");
  return (size_t) (end - 2 - (at + 2));
}

size_t
jpeg2000_code (const GrayPicture *picture, const Jpeg2000Options *options,
    PacoReferenceSample *decoded)
{
  size_t n = (size_t) picture->plane.width * picture->plane.height;
  OpenjpegMemory memory = { .capacity = 4 * n + 65536 };
  size_t bytes;

  memory.data = g_malloc (memory.capacity);
  encode (picture, options, &memory);
  if (decoded)
    decode (picture, options, &memory, decoded);
  bytes = packet_bytes (&memory);
  g_free (memory.data);
  return bytes;
}

#else

bool
jpeg2000_is_there (void)
{
  return false;
}

size_t
jpeg2000_code (const GrayPicture *picture, const Jpeg2000Options *options,
    PacoReferenceSample *decoded)
{
  (void) picture, (void) options, (void) decoded;
  lab_fail ("There is no OpenJPEG.");
}

#endif

typedef struct
{
  const GrayPicture *picture;
  Jpeg2000Options options;
} Work;

static void
encode (void *data)
{
  const Work *work = data;

  jpeg2000_code (work->picture, &work->options, NULL);
}

void
coder_measure_rival (CoderCorpus *corpus)
{
  const CoderPicture *picture = &corpus->pictures[0];

  for (unsigned threads = 1; jpeg2000_is_there () && threads <= 4;
       threads *= 2) {
    Work work = { &picture->picture,
      { .block_height = CODER_BLOCK_HEIGHT, .threads = threads } };
    g_autofree char *x = g_strdup_printf (
        "OpenJPEG, lossless, threads: %u", threads);

    lab_result ("004 figure 4.6", "encoder", x,
        1e-3 * coder_samples (picture) / lab_time_one (encode, &work),
        "Msample/s");
  }
}
