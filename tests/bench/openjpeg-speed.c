/* SPDX-License-Identifier: LGPL-2.1-or-later
 * openjpeg-speed FILE RUNS: prints the seconds that OpenJPEG's library takes
 * to encode and decode a gray picture losslessly, memory to memory, with one
 * thread, blocks of 64x64 and five levels, as one JSON line per run. Filling
 * and reading OpenJPEG's picture of 32-bit samples is not counted. */
#include "codec/tables/pictures.h"
#include "tests/bench/openjpeg-memory.h"
#include "tests/bench/seconds.h"
#include <stdio.h>
#include <stdlib.h>

static void
check (bool good, const char *what)
{
  if (!good) {
    fprintf (stderr, "OpenJPEG: %s failed.\n", what);
    exit (1);
  }
}

static opj_image_t *
make_image (const TrainingPicture *file)
{
  opj_image_t *image = openjpeg_gray_image (
      file->format.width, file->format.height, 8);

  check (image != NULL, "opj_image_create");
  for (uint32_t y = 0, i = 0; y < file->format.height; y++)
    for (uint32_t x = 0; x < file->format.width; x++, i++)
      image->comps[0].data[i] =
          file->picture.data[0][y * file->picture.stride[0] + x];
  return image;
}

static Seconds
encode (const TrainingPicture *file, OpenjpegMemory *memory)
{
  opj_image_t *image = make_image (file);
  opj_cparameters_t parameters;
  opj_codec_t *codec;
  opj_stream_t *stream;
  Seconds start = seconds_now (), seconds;

  opj_set_default_encoder_parameters (&parameters);
  parameters.tcp_numlayers = 1;
  parameters.cp_disto_alloc = 1;
  parameters.numresolution = 6;
  parameters.cblockw_init = parameters.cblockh_init = 64;
  codec = opj_create_compress (OPJ_CODEC_J2K);
  check (opj_setup_encoder (codec, &parameters, image), "opj_setup_encoder");
  memory->size = 0;
  stream = openjpeg_open_memory (memory, false);
  check (opj_start_compress (codec, image, stream), "opj_start_compress");
  check (opj_encode (codec, stream), "opj_encode");
  check (opj_end_compress (codec, stream), "opj_end_compress");
  opj_stream_destroy (stream);
  opj_destroy_codec (codec);
  seconds = seconds_since (start);
  opj_image_destroy (image);
  return seconds;
}

static Seconds
decode (const TrainingPicture *file, OpenjpegMemory *memory)
{
  opj_dparameters_t parameters;
  opj_image_t *image = NULL;
  opj_codec_t *codec;
  opj_stream_t *stream;
  Seconds start = seconds_now (), seconds;

  opj_set_default_decoder_parameters (&parameters);
  codec = opj_create_decompress (OPJ_CODEC_J2K);
  check (opj_setup_decoder (codec, &parameters), "opj_setup_decoder");
  stream = openjpeg_open_memory (memory, true);
  check (opj_read_header (stream, codec, &image), "opj_read_header");
  check (opj_decode (codec, stream, image), "opj_decode");
  check (opj_end_decompress (codec, stream), "opj_end_decompress");
  opj_stream_destroy (stream);
  opj_destroy_codec (codec);
  seconds = seconds_since (start);
  for (uint32_t y = 0, i = 0; y < file->format.height; y++)
    for (uint32_t x = 0; x < file->format.width; x++, i++)
      check (image->comps[0].data[i]
              == file->picture.data[0][y * file->picture.stride[0] + x],
          "the round trip");
  opj_image_destroy (image);
  return seconds;
}

int
main (int argc, char **argv)
{
  TrainingPicture file;
  OpenjpegMemory memory = { 0 };
  GError *error = NULL;
  int runs = argc > 2 ? atoi (argv[2]) : 1;

  if (argc < 2 || !training_picture_read (argv[1], &file, &error)
      || file.format.n_components != 1
      || file.picture.layout[0].word_bytes != 1) {
    fprintf (stderr, "%s\n",
        error ? error->message : "openjpeg-speed GRAY_8_BIT_PGM [RUNS]");
    return 1;
  }
  memory.capacity = file.n_samples * 2 + 65536;
  memory.data = g_malloc0 (memory.capacity);
  for (int run = 0; run <= runs; run++) {
    Seconds encoding = encode (&file, &memory);
    Seconds decoding = decode (&file, &memory);

    if (run)
      printf ("{\"library\": \"OpenJPEG %s\", \"samples\": %" G_GSIZE_FORMAT
              ", \"bytes\": %" G_GSIZE_FORMAT
              ", \"encode_seconds\": %.6f, \"decode_seconds\": %.6f}\n",
          opj_version (), file.n_samples, memory.size, encoding.cpu,
          decoding.cpu);
  }
  g_free (memory.data);
  training_picture_clear (&file);
  return 0;
}
