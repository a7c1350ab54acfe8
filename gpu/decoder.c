/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoder of the CUDA backend: frame -> blocks -> coefficients -> samples.
 *
 * The header is checked when a frame is submitted, so that the caller hears of
 * bytes that are no frame at once; the index by the slot's thread, which then
 * enqueues everything else and waits once. */
#include "codec/index.h"
#include "codec/pipeline.h"
#include "codec/policy.h"
#include "gpu/frame.h"
#include <string.h>
#include <zlib.h>

typedef struct
{
  PacoPicture destination;
  const uint8_t *data;
  PacoHeader header;
  PacoProbabilitySet carried_set; /* if header.set is not NULL */
} Job;

/* What the device learns of a frame, and in n_broken says: uploaded as one. */
typedef struct
{
  uint32_t n_broken, reserved[3];
  PacoGpuRecord records[]; /* n_blocks; then a byte each: dropped planes */
} Instructions;

typedef struct
{
  PacoCudaFrame frame;
  PacoBlockRecord *records;
  PacoPinnedMemory host_instructions;
  PacoDeviceMemory instructions;
  PacoStation payload;

  /* of the frame being decoded */
  size_t payload_size; /* of the blocks that are decoded */
  bool wide, dropped;
} Slot;

struct _PacoDecoder
{
  PacoCuda *cuda;
  PacoCudaLanes lanes;
  PacoPipeline *pipeline;
  unsigned depth;
  Slot slots[PACO_MAX_DEPTH];
  PacoCudaStats stats;

  bool configured;
  PacoHeader header; /* what the frames have in common */
  PacoCudaPlan plan;
};

/* --- the index --- */

static const uint8_t *
payload (const Job *job)
{
  return job->data + job->header.header_size + job->header.index_size;
}

static gboolean
parse_index (PacoDecoder *decoder, Slot *slot, const Job *job, GError **error)
{
  const PacoHeader *header = &job->header;
  const uint8_t *index = job->data + header->header_size;

  if (crc32 (0, index, header->index_size) != header->index_crc) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the index of the frame is damaged");
    return FALSE;
  }
  return paco_index_parse (index, header->index_size, decoder->plan.geometry,
      header->coding.block_checks,
      header->frame_size - header->header_size - header->index_size,
      slot->records, error);
}

static bool
is_damaged (const Job *job, const PacoBlockRecord *record)
{
  return job->header.coding.block_checks && record->planes > 0
      && (crc32 (0, payload (job) + record->offset, record->length) & 0xffff)
      != record->check;
}

/* Turns the index into what the device gets of it. */
static void
instruct (PacoDecoder *decoder, Slot *slot, const Job *job)
{
  Instructions *instructions = (Instructions *) slot->host_instructions.data;
  uint32_t n_blocks = decoder->plan.n_blocks;
  uint8_t *dropped = (uint8_t *) &instructions->records[n_blocks];
  unsigned any_dropped = 0, planes = 0;

  slot->payload_size = 0;
  instructions->n_broken = 0;
  for (uint32_t i = 0; i < n_blocks; i++) {
    const PacoBlockRecord *record = &slot->records[i];
    PacoGpuRecord *told = &instructions->records[i];

    *told = (PacoGpuRecord){
      .planes = record->planes,
      .raw_planes = record->raw_planes,
      .dropped_planes = record->dropped_planes,
      .flags = (record->shared_codewords ? PACO_GPU_SHARED_CODEWORDS : 0)
          | (record->raw_left_signs ? PACO_GPU_RAW_LEFT_SIGNS : 0),
      .length = record->length,
      .offset = record->offset,
    };
    if (is_damaged (job, record))
      *told = (PacoGpuRecord){ .flags = PACO_GPU_BROKEN };
    dropped[i] = told->dropped_planes;
    any_dropped |= told->dropped_planes;
    planes = MAX (planes, told->planes);
    slot->payload_size = (size_t) record->offset + record->length;
  }
  slot->wide = planes > 15;
  /* The block coder has done what is to be done for the reversible wavelet. */
  slot->dropped = any_dropped
      && !paco_wavelets[decoder->plan.coding.wavelet].reversible;
}

/* --- decoding a frame --- */

static gboolean
reserve (PacoDecoder *decoder, Slot *slot, const Job *job, GError **error)
{
  /* The next frames may be somewhat larger. */
  size_t size = slot->payload_size + slot->payload_size / 4 + 64;
  PacoStation *station = &slot->payload;
  bool staging = !paco_cuda_is_pinned (
      decoder->cuda, payload (job), slot->payload_size);

  if (station->device.size < slot->payload_size + 64
      || (staging && station->staging.size < slot->payload_size))
    if (!paco_station_reserve (station, size, staging, error))
      return FALSE;
  return paco_cuda_frame_reserve (&slot->frame, slot->wide, error);
}

static gboolean
upload (PacoDecoder *decoder, Slot *slot, const Job *job, GError **error)
{
  const PacoDriver *driver = decoder->cuda->driver;
  uint32_t n_blocks = decoder->plan.n_blocks;
  size_t size = sizeof (Instructions) + n_blocks * sizeof (PacoGpuRecord)
      + (slot->dropped ? n_blocks : 0);

  return paco_station_upload (&slot->payload, slot->payload.device.address,
             payload (job), slot->payload_size, 0, error)
      && paco_driver_check (driver,
          driver->memcpy_htod_async (slot->instructions.address,
              slot->host_instructions.data, size, slot->frame.stream),
          error, "%zu bytes cannot be uploaded to %s", size,
          decoder->cuda->device->name);
}

static gboolean
decode_blocks (PacoDecoder *decoder, Slot *slot, const Job *job, GError **error)
{
  PacoCuda *cuda = decoder->cuda;
  const PacoCudaPlan *plan = &decoder->plan;
  const PacoCoding *coding = &job->header.coding;
  PacoBpcDecodeParameters parameters = {
    .coefficients = slot->frame.coefficients.address,
    .blocks = slot->frame.blocks.address,
    .planes = slot->frame.planes.address,
    .payload = slot->payload.device.address,
    .records = slot->instructions.address + offsetof (Instructions, records),
    .n_broken = slot->instructions.address + offsetof (Instructions, n_broken),
    .n_blocks = plan->n_blocks,
    .payload_words = MAX ((slot->payload_size + 3) / 4, 1),
    .reversible = paco_wavelets[coding->wavelet].reversible,
    .reconstruction = coding->reconstruction,
  };
  CUdeviceptr rows;

  if (!paco_cuda_frame_rows (&slot->frame,
          job->header.set ? &job->carried_set : NULL, coding->probability_set,
          &rows, error))
    return FALSE;
  parameters.rows = rows;
  return paco_module_launch (cuda->device,
      cuda->bpc_decode[slot->wide][coding->coding_passes - 1], plan->n_blocks,
      1, 1, PACO_BPC_THREADS,
      paco_bpc_shared_bytes (true, coding->coding_passes, plan->block_height),
      slot->frame.stream, &parameters, error);
}

static gboolean
transform (PacoDecoder *decoder, Slot *slot, const Job *job, GError **error)
{
  PacoCuda *cuda = decoder->cuda;
  PacoPicture picture;
  PacoDwtFrame frame = paco_cuda_frame_transform (
      &slot->frame, &job->header.coding, &picture, slot->wide);

  if (slot->dropped)
    frame.dropped_planes = slot->instructions.address
        + offsetof (Instructions, records)
        + decoder->plan.n_blocks * sizeof (PacoGpuRecord);
  paco_transfer_device_picture (&slot->frame.transfer, &slot->frame.station,
      decoder->plan.format.n_components, &picture);
  return paco_dwt_enqueue_inverse (decoder->plan.dwt, cuda->device, &cuda->dwt,
      &frame, slot->frame.stream, error);
}

static gboolean
download_count (PacoDecoder *decoder, Slot *slot, GError **error)
{
  return paco_driver_check (decoder->cuda->driver,
      decoder->cuda->driver->memcpy_dtoh_async (slot->host_instructions.data,
          slot->instructions.address, sizeof (uint32_t), slot->frame.stream),
      error, "%zu bytes cannot be downloaded from %s", sizeof (uint32_t),
      decoder->cuda->device->name);
}

static gboolean
enqueue (PacoDecoder *decoder, Slot *slot, const Job *job, GError **error)
{
  PacoCudaFrame *frame = &slot->frame;
  const PacoCudaPlan *plan = &decoder->plan;

  paco_transfer_plan (&frame->transfer, &job->destination,
      plan->format.n_components, plan->columns, plan->lines);
  frame->in_order = paco_cuda_is_pinned (
      decoder->cuda, payload (job), slot->payload_size);
  return reserve (decoder, slot, job, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_BEGIN, error)
      && upload (decoder, slot, job, error)
      && paco_transfer_prepare (&frame->transfer, &frame->station, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_UPLOADED, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_1, error)
      && decode_blocks (decoder, slot, job, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_2, error)
      && transform (decoder, slot, job, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_3, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_CODED, error)
      && download_count (decoder, slot, error)
      && paco_transfer_download (&frame->transfer, &frame->station, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_END, error);
}

static gboolean
decode (PacoDecoder *decoder, Slot *slot, const Job *job,
    PacoDecodedFrame *result, GError **error)
{
  const PacoCudaFrame *frame = &slot->frame;
  double milliseconds[3];

  if (!parse_index (decoder, slot, job, error))
    return FALSE;
  instruct (decoder, slot, job);
  if (!enqueue (decoder, slot, job, error)) {
    paco_cuda_frame_give_up (&slot->frame);
    return FALSE;
  }
  if (!paco_cuda_frame_wait (&slot->frame, error))
    return FALSE;
  paco_transfer_finish (&frame->transfer, &slot->frame.station);
  result->corrupted_blocks =
      ((const Instructions *) slot->host_instructions.data)->n_broken;
  milliseconds[0] = paco_cuda_frame_milliseconds (
      frame, PACO_CUDA_STAGE_2, PACO_CUDA_STAGE_3);
  milliseconds[1] = paco_cuda_frame_milliseconds (
      frame, PACO_CUDA_STAGE_1, PACO_CUDA_STAGE_2);
  milliseconds[2] = paco_cuda_frame_milliseconds (
      frame, PACO_CUDA_BEGIN, PACO_CUDA_UPLOADED);
  paco_cuda_stats_add (&decoder->stats, milliseconds, job->header.frame_size,
      result->corrupted_blocks);
  return TRUE;
}

static void
run (void *owner, unsigned number, void *job, void *result)
{
  PacoDecoder *decoder = owner;
  PacoDecodedFrame *frame = result;

  *frame = (PacoDecodedFrame){ NULL };
  if (!paco_cuda_enter (decoder->cuda, &frame->error))
    return;
  if (!decode (decoder, &decoder->slots[number], job, frame, &frame->error))
    paco_cuda_note_failure (decoder->cuda, frame->error);
  paco_cuda_leave (decoder->cuda);
}

static void
discard (void *owner, void *result)
{
  PacoDecodedFrame *frame = result;

  g_clear_error (&frame->error);
}

/* --- configuration --- */

static void
slot_clear (PacoDecoder *decoder, Slot *slot)
{
  paco_cuda_frame_clear (&slot->frame);
  paco_pinned_memory_clear (decoder->cuda, &slot->host_instructions);
  paco_device_memory_clear (decoder->cuda, &slot->instructions);
  if (slot->payload.cuda)
    paco_station_clear (&slot->payload);
  g_clear_pointer (&slot->records, g_free);
}

static void
unconfigure (PacoDecoder *decoder)
{
  decoder->configured = false;
  for (unsigned i = 0; i < decoder->depth; i++)
    slot_clear (decoder, &decoder->slots[i]);
  paco_cuda_plan_clear (&decoder->plan);
}

static gboolean
upload_blocks (PacoDecoder *decoder, Slot *slot, GError **error)
{
  PacoCuda *cuda = decoder->cuda;
  PacoGpuBlock *blocks = (PacoGpuBlock *) slot->frame.host_blocks.data;

  paco_cuda_plan_blocks (&decoder->plan, false, NULL, blocks);
  return paco_driver_check (cuda->driver,
      cuda->driver->memcpy_htod_async (slot->frame.blocks.address, blocks,
          decoder->plan.n_blocks * sizeof *blocks, slot->frame.stream),
      error, "codeblocks cannot be uploaded to %s", cuda->device->name);
}

static gboolean
slot_init (PacoDecoder *decoder, Slot *slot, GError **error)
{
  PacoCuda *cuda = decoder->cuda;
  const PacoCudaPlan *plan = &decoder->plan;
  const PacoHeader *header = &decoder->header;
  size_t instructions = sizeof (Instructions)
      + plan->n_blocks * (sizeof (PacoGpuRecord) + 1);
  bool wide = !paco_dwt_is_narrow (&plan->format, &plan->coding);

  if (!paco_cuda_frame_init (&slot->frame, &decoder->lanes, plan, wide, error))
    return FALSE;
  slot->payload = slot->frame.station;
  slot->records = g_try_new (PacoBlockRecord, plan->geometry->n_blocks);
  if (!slot->records) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for the index of a frame");
    return FALSE;
  }
  /* What the frame claims to be, unless no frame can be like that. */
  return paco_station_reserve (&slot->payload,
             MIN (header->frame_size,
                 paco_policy_max_frame_size (
                     &plan->format, &plan->coding, plan->geometry))
                 / 4 * 5,
             false, error)
      && paco_pinned_memory_reserve (
          cuda, &slot->host_instructions, instructions, "index", error)
      && paco_device_memory_reserve (
          cuda, &slot->instructions, instructions, "index", error)
      && upload_blocks (decoder, slot, error);
}

static gboolean
configure (PacoDecoder *decoder, const PacoSampleLayout *layout, GError **error)
{
  const PacoHeader *header = &decoder->header;

  if (decoder->plan.reduce > header->coding.levels) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u, but the frame has only %u levels to leave out",
        decoder->plan.reduce, header->coding.levels);
    return FALSE;
  }
  if (!paco_samples_check (&header->picture, layout, error)
      || !paco_cuda_plan_init (&decoder->plan, decoder->cuda, error))
    return FALSE;
  /* A few bytes may claim a picture of gigabytes, but every block of it has a
   * byte in the index. */
  if (header->index_size < decoder->plan.geometry->n_blocks) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the frame's index of %u bytes is too small for %u codeblocks",
        header->index_size, decoder->plan.geometry->n_blocks);
    return FALSE;
  }
  for (unsigned i = 0; i < decoder->depth; i++)
    if (!slot_init (decoder, &decoder->slots[i], error))
      return FALSE;
  return TRUE;
}

gboolean
paco_cuda_decoder_configure (PacoDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layout, unsigned reduce, GError **error)
{
  g_return_val_if_fail (paco_pipeline_is_idle (decoder->pipeline), FALSE);
  if (!paco_cuda_enter (decoder->cuda, error))
    return FALSE;
  unconfigure (decoder);
  decoder->header = *header;
  decoder->header.set = NULL;
  decoder->plan = (PacoCudaPlan){
    .format = header->picture,
    .coding = header->coding,
    .reduce = reduce,
  };
  decoder->configured = configure (decoder, layout, error);
  if (!decoder->configured)
    unconfigure (decoder);
  paco_cuda_leave (decoder->cuda);
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
paco_cuda_decoder_submit (PacoDecoder *decoder, const uint8_t *data,
    size_t size, const PacoPicture *destination, void *user_data,
    GError **error)
{
  Job job = { .destination = *destination, .data = data };

  if (!parse_header (decoder, data, size, &job, error)
      || !paco_samples_check (&job.header.picture, destination->layout, error))
    return FALSE;
  paco_pipeline_submit (decoder->pipeline, &job, user_data);
  return TRUE;
}

gboolean
paco_cuda_decoder_collect (PacoDecoder *decoder, PacoDecodedFrame *frame)
{
  void *user_data;

  if (!paco_pipeline_collect (decoder->pipeline, frame, &user_data))
    return FALSE;
  frame->user_data = user_data;
  return TRUE;
}

void
paco_cuda_decoder_abandon (PacoDecoder *decoder, void (*drop) (void *))
{
  paco_pipeline_abandon (decoder->pipeline, drop);
}

void
paco_cuda_decoder_stats (PacoDecoder *decoder, PacoStats *stats)
{
  paco_cuda_stats_get (&decoder->stats, stats);
}

PacoHostMemory *
paco_cuda_decoder_host_memory (
    PacoDecoder *decoder, size_t size, GError **error)
{
  return paco_cuda_host_memory_new (decoder->cuda, size, error);
}

/* --- open and close --- */

static gboolean
open_lanes (PacoDecoder *decoder, GError **error)
{
  gboolean done = FALSE;

  if (paco_cuda_enter (decoder->cuda, error)) {
    done = paco_cuda_lanes_init (&decoder->lanes, decoder->cuda, error);
    paco_cuda_leave (decoder->cuda);
  }
  return done;
}

static gboolean
open_parts (
    PacoDecoder *decoder, const PacoBackendOptions *options, GError **error)
{
  PacoPipelineClass klass = {
    .job_size = sizeof (Job),
    .result_size = sizeof (PacoDecodedFrame),
    .run = run,
    .discard = discard,
    .owner = decoder,
  };

  decoder->cuda = paco_cuda_open (options->device, error);
  if (!decoder->cuda)
    return FALSE;
  if (!open_lanes (decoder, error))
    return FALSE;
  decoder->pipeline = paco_pipeline_new (&klass, decoder->depth);
  if (decoder->pipeline)
    return TRUE;
  g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
      "the decoder's threads could not be started");
  return FALSE;
}

PacoDecoder *
paco_cuda_decoder_open (const PacoBackendOptions *options, GError **error)
{
  PacoDecoder *decoder = g_new0 (PacoDecoder, 1);
  gboolean opened;

  decoder->depth = CLAMP (options->depth, 1, PACO_MAX_DEPTH);
  opened = open_parts (decoder, options, error);
  paco_cuda_stats_init (&decoder->stats, decoder->cuda);
  if (!opened)
    g_clear_pointer (&decoder, paco_cuda_decoder_close);
  return decoder;
}

void
paco_cuda_decoder_close (PacoDecoder *decoder)
{
  if (!decoder)
    return;
  paco_pipeline_free (decoder->pipeline);
  if (decoder->cuda && paco_cuda_enter (decoder->cuda, NULL)) {
    unconfigure (decoder);
    paco_cuda_lanes_clear (&decoder->lanes);
    paco_cuda_leave (decoder->cuda);
  }
  paco_cuda_unref (decoder->cuda);
  paco_cuda_stats_clear (&decoder->stats);
  g_free (decoder);
}
