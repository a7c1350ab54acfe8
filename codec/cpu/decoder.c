/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoder of the CPU backend: frame -> blocks -> coefficients -> samples.
 *
 * The header is checked when a frame is submitted, so that the caller hears of
 * bytes that are no frame at once; everything else, damaged blocks included, in
 * the frame's slot. */
#include "codec/cpu/backend_private.h"
#include "codec/cpu/frame.h"
#include "codec/cpu/memory.h"
#include "codec/cpu/samples.h"
#include <string.h>
#include <zlib.h>

typedef struct
{
  PacoPicture destination;
  const uint8_t *data;
  PacoHeader header;
  PacoProbabilitySet carried_set; /* if header.set is not NULL */
} Job;

typedef struct
{
  PacoDecoder *decoder;
  PacoFrame frame;
  PacoBlockRecord *records;

  /* of the frame being decoded */
  const Job *job;
  gint corrupted_blocks; /* atomic */
} Slot;

struct _PacoDecoder
{
  PacoCpuOps ops;
  PacoWorkers *workers;
  PacoPipeline *pipeline;
  unsigned depth;
  Slot slots[PACO_MAX_DEPTH];
  PacoCpuStats stats;

  bool configured;
  PacoHeader header; /* what the frames have in common */
  PacoGeometry *geometry;
  unsigned reduce;
};

/* --- decoding a frame --- */

static const uint8_t *
payload (const Job *job)
{
  return job->data + job->header.header_size + job->header.index_size;
}

static gboolean
parse_index (Slot *slot, GError **error)
{
  const PacoHeader *header = &slot->job->header;
  const uint8_t *index = slot->job->data + header->header_size;

  if (crc32 (0, index, header->index_size) != header->index_crc) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the index of the frame is damaged");
    return FALSE;
  }
  return paco_index_parse (index, header->index_size, slot->decoder->geometry,
      header->coding.block_checks,
      header->frame_size - header->header_size - header->index_size,
      slot->records, error);
}

static void
decode_block (void *data, uint32_t item, unsigned worker)
{
  Slot *slot = data;
  PacoDecoder *decoder = slot->decoder;
  const PacoHeader *header = &slot->job->header;
  /* The largest first: see the encoder. */
  uint32_t i = decoder->geometry->n_blocks_at[decoder->reduce] - 1 - item;
  PacoBlockRecord record = slot->records[i];
  const uint8_t *bytes = payload (slot->job) + record.offset;
  bool damaged = header->coding.block_checks && record.planes > 0
      && (crc32 (0, bytes, record.length) & 0xffff) != record.check;
  PacoBpcBlock block;

  if (paco_frame_is_abandoned (&slot->frame))
    return;
  block = paco_frame_block (&slot->frame, &header->coding, i);
  if (header->set)
    block.set = &slot->job->carried_set;
  if (damaged)
    record = (PacoBlockRecord){ .broken = true };
  if (!decoder->ops.blocks->decode (
          paco_workers_bpc (decoder->workers, worker), &block, &record, bytes)
      || damaged)
    g_atomic_int_inc (&slot->corrupted_blocks);
}

static void
run (void *owner, unsigned number, void *job, void *result)
{
  PacoDecoder *decoder = owner;
  Slot *slot = &decoder->slots[number];
  PacoDecodedFrame *frame = result;
  gint64 times[4];

  *frame = (PacoDecodedFrame){ NULL };
  slot->job = job;
  slot->corrupted_blocks = 0;
  times[0] = g_get_monotonic_time ();
  if (!parse_index (slot, &frame->error))
    return;
  times[1] = g_get_monotonic_time ();
  paco_workers_run (decoder->workers,
      decoder->geometry->n_blocks_at[decoder->reduce], 1, decode_block, slot);
  times[2] = g_get_monotonic_time ();
  paco_frame_inverse (&slot->frame, &slot->job->destination);
  times[3] = g_get_monotonic_time ();
  frame->corrupted_blocks = slot->corrupted_blocks;
  if (!paco_frame_is_abandoned (&slot->frame))
    paco_cpu_stats_add (&decoder->stats, (times[3] - times[2]) / 1000.0,
        (times[2] - times[1]) / 1000.0, (times[1] - times[0]) / 1000.0,
        slot->job->header.frame_size, frame->corrupted_blocks);
}

static void
discard (void *owner, void *result)
{
  PacoDecodedFrame *frame = result;

  g_clear_error (&frame->error);
}

/* --- configuration --- */

static void
slot_clear (Slot *slot)
{
  paco_frame_clear (&slot->frame);
  g_clear_pointer (&slot->records, paco_memory_free);
}

static gboolean
slot_init (Slot *slot, PacoDecoder *decoder, GError **error)
{
  slot->decoder = decoder;
  slot->frame = (PacoFrame){
    .ops = decoder->ops.rows,
    .workers = decoder->workers,
    .pipeline = decoder->pipeline,
    .slot = slot - decoder->slots,
    .format = &decoder->header.picture,
    .coding = &decoder->header.coding,
    .geometry = decoder->geometry,
    .reduce = decoder->reduce,
  };
  slot->records = paco_memory_new (
      decoder->geometry->n_blocks * sizeof *slot->records);
  if (!slot->records) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for the index of a frame");
    return FALSE;
  }
  return paco_frame_init (&slot->frame, error);
}

static void
unconfigure (PacoDecoder *decoder)
{
  decoder->configured = false;
  for (unsigned i = 0; i < decoder->depth; i++)
    slot_clear (&decoder->slots[i]);
  g_clear_pointer (&decoder->geometry, paco_geometry_free);
}

static gboolean
configure (PacoDecoder *decoder, const PacoSampleLayout *layout, GError **error)
{
  const PacoHeader *header = &decoder->header;

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
  for (unsigned i = 0; i < decoder->depth; i++)
    if (!slot_init (&decoder->slots[i], decoder, error))
      return FALSE;
  return TRUE;
}

gboolean
paco_cpu_decoder_configure (PacoDecoder *decoder, const PacoHeader *header,
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

static gboolean
parse_header (PacoDecoder *decoder, const uint8_t *data, size_t size, Job *job,
    GError **error)
{
  PacoHeader *header = &job->header;

  if (!paco_header_parse (data, size, header, &job->carried_set, error))
    return FALSE;
  if (size < header->frame_size
      || header->frame_size
          < (uint64_t) header->header_size + header->index_size) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the frame is cut: %zu bytes of %u", size, header->frame_size);
    return FALSE;
  }
  if (!decoder->configured
      || !paco_header_same_configuration (&decoder->header, header)) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "the frame is of another format than the decoder was set up for");
    return FALSE;
  }
  return TRUE;
}

gboolean
paco_cpu_decoder_submit (PacoDecoder *decoder, const uint8_t *data, size_t size,
    const PacoPicture *destination, void *user_data, GError **error)
{
  Job job = { .destination = *destination, .data = data };

  if (!parse_header (decoder, data, size, &job, error)
      || !paco_samples_check (&job.header.picture, destination->layout, error))
    return FALSE;
  paco_pipeline_submit (decoder->pipeline, &job, user_data);
  return TRUE;
}

gboolean
paco_cpu_decoder_collect (PacoDecoder *decoder, PacoDecodedFrame *frame)
{
  void *user_data;

  if (!paco_pipeline_collect (decoder->pipeline, frame, &user_data))
    return FALSE;
  frame->user_data = user_data;
  return TRUE;
}

void
paco_cpu_decoder_abandon (PacoDecoder *decoder, void (*drop) (void *))
{
  paco_pipeline_abandon (decoder->pipeline, drop);
}

void
paco_cpu_decoder_stats (PacoDecoder *decoder, PacoStats *stats)
{
  paco_cpu_stats_get (&decoder->stats, stats);
}

/* --- open and close --- */

PacoDecoder *
paco_cpu_decoder_open (const PacoBackendOptions *options, GError **error)
{
  PacoDecoder *decoder = g_new0 (PacoDecoder, 1);
  PacoPipelineClass klass = {
    .job_size = sizeof (Job),
    .result_size = sizeof (PacoDecodedFrame),
    .run = run,
    .discard = discard,
    .owner = decoder,
  };

  decoder->ops = (PacoCpuOps){ paco_row_ops (), paco_bpc_ops () };
  decoder->depth = CLAMP (options->depth, 1, PACO_MAX_DEPTH);
  decoder->workers = paco_workers_new (options->threads);
  if (decoder->workers)
    decoder->pipeline = paco_pipeline_new (&klass, decoder->depth);
  paco_cpu_stats_init (&decoder->stats,
      decoder->workers ? paco_workers_count (decoder->workers) : 0,
      &decoder->ops);
  if (!decoder->pipeline) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the decoder's threads could not be started");
    paco_cpu_decoder_close (decoder);
    return NULL;
  }
  return decoder;
}

void
paco_cpu_decoder_close (PacoDecoder *decoder)
{
  if (!decoder)
    return;
  paco_pipeline_free (decoder->pipeline);
  unconfigure (decoder);
  paco_workers_free (decoder->workers);
  paco_cpu_stats_clear (&decoder->stats);
  g_free (decoder);
}

void
paco_cpu_decoder_set_ops (PacoDecoder *decoder, const PacoCpuOps *ops)
{
  decoder->ops = *ops;
}
