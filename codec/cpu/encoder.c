/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder of the CPU backend: samples -> coefficients -> blocks -> frame.
 *
 * Each slot has its own coefficients and, per worker, an arena into which the
 * worker's blocks go one behind the other, so that memory follows what frames
 * need and not what they might. The blocks are put in order when their sizes
 * are known, in the buffer that goes out. */
#include "codec/cpu/backend_private.h"
#include "codec/cpu/frame.h"
#include "codec/cpu/memory.h"
#include "codec/cpu/output.h"
#include "codec/cpu/samples.h"
#include "codec/policy.h"
#include <string.h>
#include <zlib.h>

#define ARENA_ALIGNMENT 16
#define COPY_CHUNK 32 /* blocks copied at a time */

/* What follows from the rate: fixed for a frame when it is submitted. */
typedef struct
{
  PacoCoding coding;
  uint8_t dropped_planes[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
} Rate;

typedef struct
{
  PacoPicture picture;
  PacoVideoInfo video;
  Rate rate;
} Job;

typedef struct
{
  PacoEncoder *encoder;
  PacoFrame frame;
  PacoBlockRecord *records;
  uint8_t **blocks;  /* bytes of each block in the arenas */
  PacoArena *arenas; /* per worker */
  unsigned n_arenas;
  PacoSpare spare; /* for them: what only the transform needs */
  uint8_t *index;

  /* of the frame being coded */
  const Job *job;
  uint8_t *payload;
  gint out_of_memory; /* atomic */
} Slot;

struct _PacoEncoder
{
  PacoCpuOps ops;
  PacoWorkers *workers;
  PacoPipeline *pipeline;
  PacoOutputs *outputs;
  unsigned depth;
  Slot slots[PACO_MAX_DEPTH];
  PacoCpuStats stats;

  bool configured;
  PacoPictureFormat picture;
  PacoCoding coding; /* only what does not change with the rate */
  PacoGeometry *geometry;
  GMutex lock; /* of what follows */
  PacoParameters parameters;
  Rate rate;
  bool rate_changed;
};

/* --- coding a frame --- */

static void
encode_block (void *data, uint32_t item, unsigned worker)
{
  Slot *slot = data;
  PacoEncoder *encoder = slot->encoder;
  const PacoGeometry *geometry = encoder->geometry;
  /* The last blocks are the largest: a thread that gets one at the very end
   * would keep the others waiting. */
  uint32_t i = geometry->n_blocks - 1 - item;
  const PacoSubband *subband = &geometry->subbands[geometry->blocks[i].subband];
  PacoBlockRecord *record = &slot->records[i];
  PacoBpcBlock block;

  if (g_atomic_int_get (&slot->out_of_memory)
      || paco_frame_is_abandoned (&slot->frame))
    return;
  slot->blocks[i] = paco_arena_reserve (
      &slot->arenas[worker], PACO_BPC_OUTPUT_SIZE);
  if (!slot->blocks[i]) {
    g_atomic_int_set (&slot->out_of_memory, TRUE);
    return;
  }
  block = paco_frame_block (&slot->frame, &slot->job->rate.coding, i);
  block.complexity = encoder->parameters.complexity;
  block.dropped_planes =
      slot->job->rate.dropped_planes[subband->component][subband->entry];
  encoder->ops.blocks->encode (paco_workers_bpc (encoder->workers, worker),
      &block, slot->blocks[i], record);
  if (slot->job->rate.coding.block_checks)
    record->check = crc32 (0, slot->blocks[i], record->length) & 0xffff;
  paco_arena_take (&slot->arenas[worker],
      (record->length + ARENA_ALIGNMENT - 1) & ~(ARENA_ALIGNMENT - 1u));
}

static void
copy_block (void *data, uint32_t i, unsigned worker)
{
  Slot *slot = data;

  memcpy (slot->payload + slot->records[i].offset, slot->blocks[i],
      slot->records[i].length);
}

static PacoEncodedFrame *
fail (PacoEncoder *encoder, PacoErrorCode code, const char *sentence)
{
  PacoEncodedFrame *frame = paco_outputs_get (encoder->outputs, 0);

  frame->error = g_error_new_literal (PACO_ERROR, code, sentence);
  return frame;
}

/* Header, index and payload in a buffer of their size. */
static PacoEncodedFrame *
assemble (Slot *slot)
{
  PacoEncoder *encoder = slot->encoder;
  uint32_t n_blocks = encoder->geometry->n_blocks;
  PacoHeader header = {
    .picture = encoder->picture,
    .video = slot->job->video,
    .coding = slot->job->rate.coding,
  };
  uint64_t payload_size = 0, size;
  PacoEncodedFrame *frame;

  for (uint32_t i = 0; i < n_blocks; i++) {
    slot->records[i].offset = (uint32_t) payload_size;
    payload_size += slot->records[i].length;
  }
  header.header_size = paco_header_size (&header);
  header.index_size = paco_index_write (
      slot->records, n_blocks, header.coding.block_checks, slot->index);
  header.index_crc = crc32 (0, slot->index, header.index_size);
  size = header.header_size + header.index_size + payload_size;
  if (size > G_MAXUINT32)
    return fail (encoder, PACO_ERROR_UNSUPPORTED,
        "the coded frame would be larger than 4 GiB; use a lower quality");
  header.frame_size = (uint32_t) size;

  frame = paco_outputs_get (encoder->outputs, size);
  if (!frame->data) {
    frame->error = g_error_new (PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for a coded frame of %u bytes", header.frame_size);
    return frame;
  }
  paco_header_write (&header, frame->data);
  memcpy (frame->data + header.header_size, slot->index, header.index_size);
  slot->payload = frame->data + header.header_size + header.index_size;
  paco_workers_run (encoder->workers, n_blocks, COPY_CHUNK, copy_block, slot);
  return frame;
}

static double
milliseconds_since (gint64 time)
{
  return (double) (g_get_monotonic_time () - time) / 1000.0;
}

static void
run (void *owner, unsigned number, void *job, void *result)
{
  PacoEncoder *encoder = owner;
  Slot *slot = &encoder->slots[number];
  PacoEncodedFrame **frame = result;
  gint64 begin = g_get_monotonic_time ();
  double transform, blocks;

  slot->job = job;
  slot->out_of_memory = FALSE;
  slot->spare = (PacoSpare){
    .memory = (uint8_t *) slot->frame.inner,
    .size = slot->frame.inner_size,
  };
  for (unsigned i = 0; i < slot->n_arenas; i++)
    paco_arena_reset (&slot->arenas[i], &slot->spare);
  paco_frame_forward (&slot->frame, &slot->job->picture);
  transform = milliseconds_since (begin);
  paco_workers_run (
      encoder->workers, encoder->geometry->n_blocks, 1, encode_block, slot);
  blocks = milliseconds_since (begin);
  if (paco_frame_is_abandoned (&slot->frame)) {
    *frame = paco_outputs_get (encoder->outputs, 0);
  } else if (slot->out_of_memory) {
    *frame = fail (encoder, PACO_ERROR_MEMORY,
        "not enough memory for the codeblocks of a frame");
  } else {
    *frame = assemble (slot);
    paco_cpu_stats_add (&encoder->stats, transform, blocks - transform,
        milliseconds_since (begin) - blocks, (*frame)->size, 0);
  }
}

static void
discard (void *owner, void *result)
{
  PacoEncodedFrame **frame = result;

  (*frame)->release (*frame);
}

/* --- configuration --- */

static void
slot_clear (Slot *slot)
{
  paco_frame_clear (&slot->frame);
  for (unsigned i = 0; i < slot->n_arenas; i++)
    paco_arena_clear (&slot->arenas[i]);
  slot->n_arenas = 0;
  g_clear_pointer (&slot->arenas, g_free);
  g_clear_pointer (&slot->records, paco_memory_free);
  g_clear_pointer (&slot->blocks, paco_memory_free);
  g_clear_pointer (&slot->index, paco_memory_free);
}

static gboolean
slot_init (Slot *slot, PacoEncoder *encoder, GError **error)
{
  size_t n_blocks = encoder->geometry->n_blocks;

  slot->encoder = encoder;
  slot->frame = (PacoFrame){
    .ops = encoder->ops.rows,
    .workers = encoder->workers,
    .pipeline = encoder->pipeline,
    .slot = slot - encoder->slots,
    .format = &encoder->picture,
    .coding = &encoder->coding,
    .geometry = encoder->geometry,
  };
  slot->n_arenas = paco_workers_count (encoder->workers);
  slot->arenas = g_new0 (PacoArena, slot->n_arenas);
  slot->records = paco_memory_new (n_blocks * sizeof *slot->records);
  slot->blocks = paco_memory_new (n_blocks * sizeof *slot->blocks);
  slot->index = paco_memory_new (PACO_MAX_INDEX_SIZE (n_blocks));
  if (!slot->records || !slot->blocks || !slot->index) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for the index of a frame");
    return FALSE;
  }
  return paco_frame_init (&slot->frame, error);
}

static void
unconfigure (PacoEncoder *encoder)
{
  encoder->configured = false;
  for (unsigned i = 0; i < encoder->depth; i++)
    slot_clear (&encoder->slots[i]);
  g_clear_pointer (&encoder->geometry, paco_geometry_free);
}

/* Called with the lock. */
static gboolean
set_rate (PacoEncoder *encoder, GError **error)
{
  Rate rate = { 0 };
  PacoCoding *coding = &rate.coding;

  if (!paco_policy_coding (
          &encoder->picture, &encoder->parameters, coding, error))
    return FALSE;
  for (unsigned c = 0; c < encoder->picture.n_components; c++) {
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level = k == 0 ? coding->levels : coding->levels - (k - 1) / 3;
      unsigned orientation = k == 0 ? PACO_ORIENTATION_LL : 1 + (k - 1) % 3;

      rate.dropped_planes[c][k] = paco_policy_dropped_planes (&encoder->picture,
          &encoder->parameters, coding, c, level, orientation);
    }
  }
  encoder->rate = rate;
  encoder->rate_changed = false;
  return TRUE;
}

static gboolean
configure (PacoEncoder *encoder, const PacoSampleLayout *layout, GError **error)
{
  PacoHeader header = { .picture = encoder->picture };

  header.video = (PacoVideoInfo){ .par_n = 1, .par_d = 1, .fps_d = 1 };
  g_mutex_lock (&encoder->lock);
  if (!set_rate (encoder, error)) {
    g_mutex_unlock (&encoder->lock);
    return FALSE;
  }
  header.coding = encoder->coding = encoder->rate.coding;
  g_mutex_unlock (&encoder->lock);
  if (!paco_header_check (&header, error)
      || !paco_samples_check (&encoder->picture, layout, error))
    return FALSE;
  encoder->geometry = paco_geometry_new (&encoder->picture, &header.coding);
  for (unsigned i = 0; i < encoder->depth; i++)
    if (!slot_init (&encoder->slots[i], encoder, error))
      return FALSE;
  return TRUE;
}

gboolean
paco_cpu_encoder_configure (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error)
{
  g_return_val_if_fail (paco_pipeline_is_idle (encoder->pipeline), FALSE);
  unconfigure (encoder);
  encoder->picture = *picture;
  encoder->parameters = *parameters;
  encoder->configured = configure (encoder, layout, error);
  if (!encoder->configured)
    unconfigure (encoder);
  return encoder->configured;
}

void
paco_cpu_encoder_set_rate (
    PacoEncoder *encoder, double quality, uint32_t frame_size)
{
  g_mutex_lock (&encoder->lock);
  encoder->rate_changed |= encoder->parameters.quality != quality
      || encoder->parameters.frame_size != frame_size;
  encoder->parameters.quality = quality;
  encoder->parameters.frame_size = frame_size;
  g_mutex_unlock (&encoder->lock);
}

/* --- frames in and out --- */

gboolean
paco_cpu_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error)
{
  Job job = { .picture = *picture, .video = *video };
  PacoHeader header = { .picture = encoder->picture, .video = *video };
  gboolean valid;

  if (!encoder->configured) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "a frame came before its format");
    return FALSE;
  }
  g_mutex_lock (&encoder->lock);
  valid = !encoder->rate_changed || set_rate (encoder, error);
  job.rate = encoder->rate;
  g_mutex_unlock (&encoder->lock);
  header.coding = job.rate.coding;
  if (!valid || !paco_header_check (&header, error)
      || !paco_samples_check (&encoder->picture, picture->layout, error))
    return FALSE;
  paco_pipeline_submit (encoder->pipeline, &job, user_data);
  return TRUE;
}

PacoEncodedFrame *
paco_cpu_encoder_collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame;
  void *user_data;

  if (!paco_pipeline_collect (encoder->pipeline, &frame, &user_data))
    return NULL;
  frame->user_data = user_data;
  return frame;
}

void
paco_cpu_encoder_abandon (PacoEncoder *encoder, void (*drop) (void *))
{
  paco_pipeline_abandon (encoder->pipeline, drop);
}

size_t
paco_cpu_encoder_max_frame_size (PacoEncoder *encoder)
{
  PacoCoding coding;

  if (!encoder->configured)
    return 0;
  g_mutex_lock (&encoder->lock);
  coding = encoder->rate.coding;
  g_mutex_unlock (&encoder->lock);
  return paco_policy_max_frame_size (
      &encoder->picture, &coding, encoder->geometry);
}

void
paco_cpu_encoder_stats (PacoEncoder *encoder, PacoStats *stats)
{
  paco_cpu_stats_get (&encoder->stats, stats);
}

/* --- open and close --- */

PacoEncoder *
paco_cpu_encoder_open (const PacoBackendOptions *options, GError **error)
{
  PacoEncoder *encoder = g_new0 (PacoEncoder, 1);
  PacoPipelineClass klass = {
    .job_size = sizeof (Job),
    .result_size = sizeof (PacoEncodedFrame *),
    .run = run,
    .discard = discard,
    .owner = encoder,
  };

  encoder->ops = (PacoCpuOps){ paco_row_ops (), paco_bpc_ops () };
  encoder->depth = CLAMP (options->depth, 1, PACO_MAX_DEPTH);
  g_mutex_init (&encoder->lock);
  encoder->outputs = paco_outputs_new (encoder->depth + 1);
  encoder->workers = paco_workers_new (options->threads);
  if (encoder->workers)
    encoder->pipeline = paco_pipeline_new (&klass, encoder->depth);
  paco_cpu_stats_init (&encoder->stats,
      encoder->workers ? paco_workers_count (encoder->workers) : 0,
      &encoder->ops);
  if (!encoder->pipeline) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the encoder's threads could not be started");
    paco_cpu_encoder_close (encoder);
    return NULL;
  }
  return encoder;
}

void
paco_cpu_encoder_close (PacoEncoder *encoder)
{
  if (!encoder)
    return;
  paco_pipeline_free (encoder->pipeline);
  unconfigure (encoder);
  paco_workers_free (encoder->workers);
  paco_outputs_close (encoder->outputs);
  paco_cpu_stats_clear (&encoder->stats);
  g_mutex_clear (&encoder->lock);
  g_free (encoder);
}

void
paco_cpu_encoder_set_ops (PacoEncoder *encoder, const PacoCpuOps *ops)
{
  encoder->ops = *ops;
}
