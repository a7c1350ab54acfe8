/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The common part of decoders. */
#include "decoder.h"
#include "error.h"
#include <zlib.h>

/* --- in a slot's thread --- */

static void
run (void *owner, unsigned slot, void *job, void *result)
{
  PacoDecoder *decoder = owner;
  PacoDecodedFrame *frame = result;

  *frame = (PacoDecodedFrame){ NULL };
  decoder->klass->decode (decoder, slot, job, frame);
}

static void
discard (void *owner, void *result)
{
  PacoDecodedFrame *frame = result;

  g_clear_error (&frame->error);
}

const uint8_t *
paco_decoder_payload (const PacoDecoderJob *job)
{
  return job->data + job->header.header_size + job->header.index_size;
}

gboolean
paco_decoder_parse_index (const PacoDecoder *decoder, const PacoDecoderJob *job,
    PacoBlockRecord *records, GError **error)
{
  const PacoHeader *header = &job->header;
  const uint8_t *index = job->data + header->header_size;

  if (crc32 (0, index, header->index_size) != header->index_crc) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the index of the frame is damaged");
    return FALSE;
  }
  return paco_index_parse (index, header->index_size, decoder->geometry,
      header->coding.block_checks,
      header->frame_size - header->header_size - header->index_size, records,
      error);
}

bool
paco_decoder_finds_damage (
    const PacoDecoderJob *job, const PacoBlockRecord *record)
{
  const uint8_t *bytes = paco_decoder_payload (job) + record->offset;

  return job->header.coding.block_checks && record->planes > 0
      && (crc32 (0, bytes, record->length) & 0xffff) != record->check;
}

/* --- open and close --- */

void
paco_decoder_init (PacoDecoder *decoder, const PacoDecoderClass *klass,
    const PacoBackendOptions *options)
{
  decoder->klass = klass;
  decoder->depth = CLAMP (options->depth, 1, PACO_MAX_DEPTH);
  decoder->max_pixels = options->max_pixels;
  paco_stats_counter_init (&decoder->stats, klass->backend);
}

gboolean
paco_decoder_start (PacoDecoder *decoder, GError **error)
{
  const PacoPipelineClass klass = {
    .job_size = sizeof (PacoDecoderJob),
    .result_size = sizeof (PacoDecodedFrame),
    .run = run,
    .discard = discard,
    .owner = decoder,
  };

  decoder->pipeline = paco_pipeline_new (&klass, decoder->depth);
  if (!decoder->pipeline)
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the decoder's threads could not be started");
  return decoder->pipeline != NULL;
}

static void
unconfigure (PacoDecoder *decoder)
{
  decoder->configured = false;
  decoder->klass->unconfigure (decoder);
  g_clear_pointer (&decoder->geometry, paco_geometry_free);
}

void
paco_decoder_close (PacoDecoder *decoder)
{
  if (!decoder)
    return;
  paco_pipeline_free (decoder->pipeline);
  unconfigure (decoder);
  decoder->klass->close (decoder);
  paco_stats_counter_clear (&decoder->stats);
  g_free (decoder);
}

/* --- configuration --- */

static gboolean
configure (PacoDecoder *decoder, const PacoSampleLayout *layout, GError **error)
{
  const PacoHeader *header = &decoder->header;

  if (!paco_header_check_pixels (header, decoder->max_pixels, error))
    return FALSE;
  if (decoder->reduce > header->coding.levels) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u, but the frame has only %u levels to leave out",
        decoder->reduce, header->coding.levels);
    return FALSE;
  }
  if (!paco_samples_check (&header->picture, layout, error))
    return FALSE;
  decoder->geometry = paco_geometry_new (&header->picture, &header->coding);
  /* A few bytes may claim a picture of gigabytes, but every block of it has a
   * byte in the index. */
  if (header->index_size < decoder->geometry->n_blocks) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the frame's index of %u bytes is too small for %u codeblocks",
        header->index_size, decoder->geometry->n_blocks);
    return FALSE;
  }
  return decoder->klass->configure (decoder, error);
}

gboolean
paco_decoder_configure (PacoDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layout, unsigned reduce, GError **error)
{
  g_return_val_if_fail (paco_pipeline_is_idle (decoder->pipeline), FALSE);
  unconfigure (decoder);
  decoder->header = *header;
  decoder->header.set = NULL;
  decoder->reduce = reduce;
  decoder->configured = configure (decoder, layout, error);
  if (!decoder->configured)
    unconfigure (decoder);
  return decoder->configured;
}

/* --- frames in and out --- */

gboolean
paco_decoder_submit (PacoDecoder *decoder, const uint8_t *data, size_t size,
    const PacoPicture *destination, void *user_data, GError **error)
{
  PacoDecoderJob job = { .destination = *destination, .data = data };

  if (!paco_header_parse_frame (
          data, size, &job.header, &job.carried_set, error))
    return FALSE;
  if (!decoder->configured
      || !paco_header_same_configuration (&decoder->header, &job.header)) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "the frame is of another format than the decoder was set up for");
    return FALSE;
  }
  if (!paco_samples_check (&job.header.picture, destination->layout, error))
    return FALSE;
  paco_pipeline_submit (decoder->pipeline, &job, user_data);
  return TRUE;
}

gboolean
paco_decoder_collect (PacoDecoder *decoder, PacoDecodedFrame *frame)
{
  void *user_data;

  if (!paco_pipeline_collect (decoder->pipeline, frame, &user_data))
    return FALSE;
  frame->user_data = user_data;
  return TRUE;
}

void
paco_decoder_abandon (PacoDecoder *decoder, void (*drop) (void *))
{
  paco_pipeline_abandon (decoder->pipeline, drop);
}

void
paco_decoder_stats (PacoDecoder *decoder, PacoStats *stats)
{
  paco_stats_counter_get (&decoder->stats, stats);
}
