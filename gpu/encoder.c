/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder of the CUDA backend: samples -> coefficients -> blocks -> frame.
 *
 * A slot's thread enqueues everything that a frame needs, from the upload to
 * the download of the codestream, and then waits once. While it waits the
 * other slots' threads do the same, so that uploads, kernels and downloads of
 * several frames overlap.
 *
 * How many bytes the codestream will have is not known when its download is
 * enqueued: it is as long as the slot's last frame and a little more. Only what
 * a frame has beyond that takes a second download. (Kernels that write to the
 * host's memory would know; but their writes and the other frames' uploads
 * hinder each other.) */
#include "codec/pipeline.h"
#include "codec/policy.h"
#include "gpu/output.h"
#include "gpu/pack.h"
#include <string.h>

/* What follows from the rate: fixed for a frame when it is submitted. */
typedef struct
{
  guint number; /* counts changes */
  bool wide;    /* coefficients may not fit 16 bits */
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
  PacoCudaFrame frame;
  PacoPackBuffers pack;
  PacoDeviceMemory slots, records, packed;
  size_t downloaded; /* of the frame, before its size was known */
  guint rate_number; /* of the blocks on the device */
} Slot;

struct _PacoEncoder
{
  PacoCuda *cuda;
  PacoCudaLanes lanes;
  PacoPipeline *pipeline;
  PacoCudaOutputs *outputs;
  unsigned depth;
  Slot slots[PACO_MAX_DEPTH];
  PacoCudaStats stats;

  bool configured;
  PacoCudaPlan plan;
  size_t max_frame_size;
  GMutex lock; /* of what follows */
  PacoParameters parameters;
  Rate rate;
  bool rate_changed;
};

/* --- coding a frame --- */

static gboolean
upload_blocks (
    PacoEncoder *encoder, Slot *slot, const Rate *rate, GError **error)
{
  PacoCuda *cuda = encoder->cuda;
  PacoGpuBlock *blocks = (PacoGpuBlock *) slot->frame.host_blocks.data;
  size_t words;

  if (slot->rate_number == rate->number)
    return TRUE;
  slot->rate_number = 0;
  words = paco_cuda_plan_blocks (
      &encoder->plan, rate->wide, rate->dropped_planes, blocks);
  if (!paco_cuda_frame_reserve (&slot->frame, rate->wide, error)
      || !paco_device_memory_reserve (
          cuda, &slot->slots, 4 * words, "coded blocks", error)
      || !paco_driver_check (cuda->driver,
          cuda->driver->memcpy_htod_async (slot->frame.blocks.address, blocks,
              encoder->plan.n_blocks * sizeof *blocks, slot->frame.stream),
          error, "codeblocks cannot be uploaded to %s", cuda->device->name))
    return FALSE;
  slot->rate_number = rate->number;
  return TRUE;
}

static gboolean
transform (PacoEncoder *encoder, Slot *slot, const Rate *rate, GError **error)
{
  PacoCuda *cuda = encoder->cuda;
  PacoPicture picture;
  PacoDwtFrame frame = paco_cuda_frame_transform (
      &slot->frame, &rate->coding, &picture, rate->wide);

  paco_transfer_device_picture (&slot->frame.transfer, &slot->frame.station,
      encoder->plan.format.n_components, &picture);
  return paco_dwt_enqueue_forward (encoder->plan.dwt, cuda->device, &cuda->dwt,
      &frame, slot->frame.stream, error);
}

static gboolean
code_blocks (PacoEncoder *encoder, Slot *slot, const Rate *rate, GError **error)
{
  PacoCuda *cuda = encoder->cuda;
  const PacoCudaPlan *plan = &encoder->plan;
  unsigned passes = rate->coding.coding_passes;
  PacoBpcEncodeParameters parameters = {
    .coefficients = slot->frame.coefficients.address,
    .blocks = slot->frame.blocks.address,
    .planes = slot->frame.planes.address,
    .slots = slot->slots.address,
    .records = slot->records.address,
    .n_blocks = plan->n_blocks,
    .complexity = encoder->parameters.complexity,
  };
  CUdeviceptr rows;

  if (!paco_cuda_frame_rows (
          &slot->frame, NULL, rate->coding.probability_set, &rows, error))
    return FALSE;
  parameters.rows = rows;
  return paco_module_launch (cuda->device,
      cuda->bpc_encode[rate->wide][passes - 1], plan->n_blocks, 1, 1,
      PACO_BPC_THREADS,
      paco_bpc_shared_bytes (false, passes, plan->block_height),
      slot->frame.stream, &parameters, error);
}

/* Bytes of the frame from the device. */
static gboolean
download (PacoEncoder *encoder, Slot *slot, uint8_t *to, size_t begin,
    size_t end, GError **error)
{
  PacoCuda *cuda = encoder->cuda;

  return end <= begin
      || paco_driver_check (cuda->driver,
          cuda->driver->memcpy_dtoh_async (to + begin,
              slot->packed.address + begin, end - begin, slot->frame.stream),
          error, "%zu bytes cannot be downloaded from %s", end - begin,
          cuda->device->name);
}

static gboolean
enqueue (PacoEncoder *encoder, Slot *slot, const Job *job, PacoHeader *header,
    PacoEncodedFrame *output, GError **error)
{
  PacoCudaFrame *frame = &slot->frame;
  const PacoCudaPlan *plan = &encoder->plan;

  paco_transfer_plan (&frame->transfer, &job->picture,
      plan->format.n_components, plan->columns, plan->lines);
  frame->in_order = paco_transfer_is_pinned (&frame->transfer, &frame->station);
  return paco_cuda_frame_mark (frame, PACO_CUDA_BEGIN, error)
      && paco_transfer_upload (&frame->transfer, &frame->station, error)
      && upload_blocks (encoder, slot, &job->rate, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_UPLOADED, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_1, error)
      && transform (encoder, slot, &job->rate, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_2, error)
      && code_blocks (encoder, slot, &job->rate, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_3, error)
      && paco_pack_enqueue (frame, &slot->pack, slot->slots.address,
          slot->records.address, header->coding.block_checks,
          header->header_size, slot->packed.address, output->size, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_CODED, error)
      && download (encoder, slot, output->data, 0, slot->downloaded, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_END, error);
}

/* What a frame is larger than expected; and what to expect of the next one. */
static gboolean
download_rest (PacoEncoder *encoder, Slot *slot, const PacoHeader *header,
    uint8_t *output, GError **error)
{
  size_t size = header->header_size + paco_pack_size (&slot->pack);
  size_t begin = slot->downloaded;

  size = MIN (size, encoder->max_frame_size);
  slot->downloaded = MIN (size + size / 32, encoder->max_frame_size);
  if (size <= begin)
    return TRUE;
  return download (encoder, slot, output, begin, size, error)
      && paco_cuda_frame_mark (&slot->frame, PACO_CUDA_END, error)
      && paco_cuda_frame_wait (&slot->frame, error);
}

static gboolean
encode (PacoEncoder *encoder, Slot *slot, const Job *job,
    PacoEncodedFrame *output, GError **error)
{
  PacoHeader header = {
    .picture = encoder->plan.format,
    .video = job->video,
    .coding = job->rate.coding,
  };
  size_t size;

  header.header_size = paco_header_size (&header);
  if (!enqueue (encoder, slot, job, &header, output, error)) {
    paco_cuda_frame_give_up (&slot->frame);
    return FALSE;
  }
  if (!paco_cuda_frame_wait (&slot->frame, error)
      || !download_rest (encoder, slot, &header, output->data, error)
      || !paco_pack_finish (&slot->pack, &header, encoder->plan.geometry,
          output->data, &size, error))
    return FALSE;
  paco_cuda_outputs_finish (output, size);
  return TRUE;
}

static void
count (PacoEncoder *encoder, Slot *slot, size_t size)
{
  double milliseconds[3];

  for (unsigned i = 0; i < 3; i++)
    milliseconds[i] = paco_cuda_frame_milliseconds (
        &slot->frame, PACO_CUDA_STAGE_1 + i, PACO_CUDA_STAGE_1 + i + 1);
  paco_cuda_stats_add (&encoder->stats, milliseconds, size, 0);
}

static void
run (void *owner, unsigned number, void *job, void *result)
{
  PacoEncoder *encoder = owner;
  Slot *slot = &encoder->slots[number];
  PacoEncodedFrame *frame = paco_cuda_outputs_get (encoder->outputs);
  GError *error = NULL;

  *(PacoEncodedFrame **) result = frame;
  if (!frame->error && paco_cuda_enter (encoder->cuda, &error)) {
    if (encode (encoder, slot, job, frame, &error))
      count (encoder, slot, frame->size);
    paco_cuda_leave (encoder->cuda);
  }
  if (!error)
    return;
  paco_cuda_note_failure (encoder->cuda, error);
  frame->release (frame);
  frame = paco_cuda_outputs_get_empty (encoder->outputs);
  frame->error = error;
  *(PacoEncodedFrame **) result = frame;
}

static void
discard (void *owner, void *result)
{
  PacoEncodedFrame **frame = result;

  (*frame)->release (*frame);
}

/* --- configuration --- */

static void
slot_clear (PacoEncoder *encoder, Slot *slot)
{
  paco_cuda_frame_clear (&slot->frame);
  paco_pack_buffers_clear (&slot->pack, encoder->cuda);
  paco_device_memory_clear (encoder->cuda, &slot->slots);
  paco_device_memory_clear (encoder->cuda, &slot->records);
  paco_device_memory_clear (encoder->cuda, &slot->packed);
  slot->downloaded = 0;
  slot->rate_number = 0;
}

static void
unconfigure (PacoEncoder *encoder)
{
  encoder->configured = false;
  for (unsigned i = 0; i < encoder->depth; i++)
    slot_clear (encoder, &encoder->slots[i]);
  paco_cuda_plan_clear (&encoder->plan);
}

/* wide: as large as coefficients may become with any rate. */
static gboolean
slot_init (PacoEncoder *encoder, Slot *slot, bool wide, GError **error)
{
  PacoCuda *cuda = encoder->cuda;
  const PacoCudaPlan *plan = &encoder->plan;
  size_t words;

  if (!paco_cuda_frame_init (&slot->frame, &encoder->lanes, plan, wide, error))
    return FALSE;
  words = paco_cuda_plan_blocks (
      plan, wide, NULL, (PacoGpuBlock *) slot->frame.host_blocks.data);
  return paco_device_memory_reserve (
             cuda, &slot->slots, 4 * words, "coded blocks", error)
      && paco_device_memory_reserve (cuda, &slot->records,
          plan->n_blocks * sizeof (PacoGpuRecord), "index", error)
      && paco_device_memory_reserve (
          cuda, &slot->packed, encoder->max_frame_size, "codestream", error)
      && paco_pack_buffers_init (&slot->pack, cuda, plan->n_blocks, error);
}

/* Called with the lock. */
static gboolean
set_rate (PacoEncoder *encoder, GError **error)
{
  Rate rate = { .number = encoder->rate.number + 1 };
  const PacoPictureFormat *format = &encoder->plan.format;
  PacoCoding *coding = &rate.coding;

  if (!paco_policy_coding (format, &encoder->parameters, coding, error))
    return FALSE;
  for (unsigned c = 0; c < format->n_components; c++) {
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level = k == 0 ? coding->levels : coding->levels - (k - 1) / 3;
      unsigned orientation = k == 0 ? PACO_ORIENTATION_LL : 1 + (k - 1) % 3;

      rate.dropped_planes[c][k] = paco_policy_dropped_planes (
          format, &encoder->parameters, coding, c, level, orientation);
    }
  }
  rate.wide = !paco_dwt_is_narrow (format, coding);
  rate.number += rate.number == 0;
  encoder->rate = rate;
  encoder->rate_changed = false;
  return TRUE;
}

/* The finest coding that set_rate() may lead to. */
static gboolean
finest_coding (const PacoEncoder *encoder, PacoCoding *coding, GError **error)
{
  PacoParameters parameters = encoder->parameters;

  parameters.quality = 100.0;
  return paco_policy_coding (&encoder->plan.format, &parameters, coding, error);
}

static gboolean
configure (PacoEncoder *encoder, const PacoSampleLayout *layout, GError **error)
{
  PacoHeader header = { .picture = encoder->plan.format };
  PacoCoding finest;
  gboolean valid;
  bool wide;

  header.video = (PacoVideoInfo){ .par_n = 1, .par_d = 1, .fps_d = 1 };
  g_mutex_lock (&encoder->lock);
  valid = set_rate (encoder, error) && finest_coding (encoder, &finest, error);
  header.coding = encoder->plan.coding = encoder->rate.coding;
  g_mutex_unlock (&encoder->lock);
  if (!valid || !paco_header_check (&header, error)
      || !paco_samples_check (&encoder->plan.format, layout, error)
      || !paco_cuda_plan_init (&encoder->plan, encoder->cuda, error))
    return FALSE;
  wide = !paco_dwt_is_narrow (&encoder->plan.format, &finest);
  encoder->max_frame_size = paco_policy_max_frame_size (
      &encoder->plan.format, &finest, encoder->plan.geometry);
  for (unsigned i = 0; i < encoder->depth; i++)
    if (!slot_init (encoder, &encoder->slots[i], wide, error))
      return FALSE;
  return paco_cuda_outputs_configure (
      encoder->outputs, encoder->max_frame_size, encoder->depth + 2, error);
}

gboolean
paco_cuda_encoder_configure (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error)
{
  g_return_val_if_fail (paco_pipeline_is_idle (encoder->pipeline), FALSE);
  if (!paco_cuda_enter (encoder->cuda, error))
    return FALSE;
  unconfigure (encoder);
  encoder->plan = (PacoCudaPlan){ .format = *picture };
  encoder->parameters = *parameters;
  encoder->configured = configure (encoder, layout, error);
  if (!encoder->configured)
    unconfigure (encoder);
  paco_cuda_leave (encoder->cuda);
  return encoder->configured;
}

void
paco_cuda_encoder_set_rate (
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
paco_cuda_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error)
{
  Job job = { .picture = *picture, .video = *video };
  PacoHeader header = { .picture = encoder->plan.format, .video = *video };
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
      || !paco_samples_check (&encoder->plan.format, picture->layout, error))
    return FALSE;
  paco_pipeline_submit (encoder->pipeline, &job, user_data);
  return TRUE;
}

PacoEncodedFrame *
paco_cuda_encoder_collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame;
  void *user_data;

  if (!paco_pipeline_collect (encoder->pipeline, &frame, &user_data))
    return NULL;
  frame->user_data = user_data;
  return frame;
}

void
paco_cuda_encoder_abandon (PacoEncoder *encoder, void (*drop) (void *))
{
  paco_pipeline_abandon (encoder->pipeline, drop);
}

size_t
paco_cuda_encoder_max_frame_size (PacoEncoder *encoder)
{
  PacoCoding coding;

  if (!encoder->configured)
    return 0;
  g_mutex_lock (&encoder->lock);
  coding = encoder->rate.coding;
  g_mutex_unlock (&encoder->lock);
  return paco_policy_max_frame_size (
      &encoder->plan.format, &coding, encoder->plan.geometry);
}

void
paco_cuda_encoder_stats (PacoEncoder *encoder, PacoStats *stats)
{
  paco_cuda_stats_get (&encoder->stats, stats);
}

PacoHostMemory *
paco_cuda_encoder_host_memory (
    PacoEncoder *encoder, size_t size, GError **error)
{
  return paco_cuda_host_memory_new (encoder->cuda, size, error);
}

/* --- open and close --- */

static gboolean
open_lanes (PacoEncoder *encoder, GError **error)
{
  gboolean done = FALSE;

  if (paco_cuda_enter (encoder->cuda, error)) {
    done = paco_cuda_lanes_init (&encoder->lanes, encoder->cuda, error);
    paco_cuda_leave (encoder->cuda);
  }
  return done;
}

static gboolean
open_parts (
    PacoEncoder *encoder, const PacoBackendOptions *options, GError **error)
{
  PacoPipelineClass klass = {
    .job_size = sizeof (Job),
    .result_size = sizeof (PacoEncodedFrame *),
    .run = run,
    .discard = discard,
    .owner = encoder,
  };

  encoder->cuda = paco_cuda_open (options->device, error);
  if (!encoder->cuda)
    return FALSE;
  encoder->outputs = paco_cuda_outputs_new (encoder->cuda);
  if (!open_lanes (encoder, error))
    return FALSE;
  encoder->pipeline = paco_pipeline_new (&klass, encoder->depth);
  if (encoder->pipeline)
    return TRUE;
  g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
      "the encoder's threads could not be started");
  return FALSE;
}

PacoEncoder *
paco_cuda_encoder_open (const PacoBackendOptions *options, GError **error)
{
  PacoEncoder *encoder = g_new0 (PacoEncoder, 1);
  gboolean opened;

  encoder->depth = CLAMP (options->depth, 1, PACO_MAX_DEPTH);
  g_mutex_init (&encoder->lock);
  opened = open_parts (encoder, options, error);
  paco_cuda_stats_init (&encoder->stats, encoder->cuda);
  if (!opened)
    g_clear_pointer (&encoder, paco_cuda_encoder_close);
  return encoder;
}

void
paco_cuda_encoder_close (PacoEncoder *encoder)
{
  if (!encoder)
    return;
  paco_pipeline_free (encoder->pipeline);
  if (encoder->cuda && paco_cuda_enter (encoder->cuda, NULL)) {
    unconfigure (encoder);
    paco_cuda_lanes_clear (&encoder->lanes);
    paco_cuda_leave (encoder->cuda);
  }
  paco_cuda_outputs_close (encoder->outputs);
  paco_cuda_unref (encoder->cuda);
  paco_cuda_stats_clear (&encoder->stats);
  g_mutex_clear (&encoder->lock);
  g_free (encoder);
}
