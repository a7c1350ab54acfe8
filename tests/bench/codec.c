/* SPDX-License-Identifier: LGPL-2.1-or-later
 * codec.h says what this is for. A run is what a frame costs an application: from
 * samples in memory to the codestream in memory, with everything allocated before. */
#include "tests/bench/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
clock_seconds (clockid_t id)
{
  struct timespec now;

  clock_gettime (id, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

Seconds
seconds_now (void)
{
  return (Seconds){ clock_seconds (CLOCK_MONOTONIC),
    clock_seconds (CLOCK_PROCESS_CPUTIME_ID) };
}

Seconds
seconds_since (Seconds start)
{
  Seconds now = seconds_now ();

  return (Seconds){ now.wall - start.wall, now.cpu - start.cpu };
}

static void
stop (const GError *error)
{
  fprintf (stderr, "%s\n", error ? error->message : "No frame came back.");
  exit (1);
}

GBytes *
codec_encode (const TrainingPicture *file, const PacoParameters *parameters,
    unsigned threads, unsigned runs, Seconds *seconds)
{
  const PacoBackend *backend = &paco_cpu_backend;
  const PacoBackendOptions options = { .threads = threads, .depth = 1 };
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoEncoder *encoder;
  GError *error = NULL;
  GBytes *stream = NULL;

  encoder = backend->encoder_open (&options, &error);
  if (!encoder
      || !paco_encoder_configure (
          encoder, &file->format, file->picture.layout, parameters, &error))
    stop (error);
  for (unsigned run = 0; run <= runs; run++) {
    Seconds start = seconds_now ();
    PacoEncodedFrame *frame;

    if (!paco_encoder_submit (encoder, &file->picture, &video, NULL, &error))
      stop (error);
    frame = paco_encoder_collect (encoder, NULL);
    if (run)
      seconds[run - 1] = seconds_since (start);
    if (!frame || !frame->data)
      stop (frame ? frame->error : NULL);
    g_clear_pointer (&stream, g_bytes_unref);
    stream = g_bytes_new (frame->data, frame->size);
    frame->release (frame);
  }
  paco_coder_close (PACO_CODER (encoder));
  return stream;
}

void
codec_decode (GBytes *stream, TrainingPicture *decoded, unsigned threads,
    unsigned runs, Seconds *seconds)
{
  const PacoBackend *backend = &paco_cpu_backend;
  const PacoBackendOptions options = { .threads = threads, .depth = 1 };
  gsize size;
  const uint8_t *data = g_bytes_get_data (stream, &size);
  PacoDecoder *decoder;
  PacoCodedFrame coded;
  PacoDecodedFrame frame;
  GError *error = NULL;

  decoder = backend->decoder_open (&options, &error);
  if (!decoder || !paco_coded_frame_parse (&coded, data, size, &error)
      || !paco_decoder_configure (
          decoder, &coded.header, decoded->picture.layout, 0, &error))
    stop (error);
  for (unsigned run = 0; run <= runs; run++) {
    Seconds start = seconds_now ();

    if (!paco_coded_frame_parse (&coded, data, size, &error)
        || !paco_decoder_submit (
            decoder, &coded, &decoded->picture, NULL, &error)
        || !paco_decoder_collect (decoder, &frame, NULL) || frame.error)
      stop (error ? error : frame.error);
    if (run)
      seconds[run - 1] = seconds_since (start);
    if (frame.corrupted_blocks) {
      fprintf (stderr, "%u blocks are broken.\n", frame.corrupted_blocks);
      exit (1);
    }
  }
  paco_coder_close (PACO_CODER (decoder));
}
