/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A frame in flight on the device. */
#include "gpu/frame.h"

/* --- The plan --- */

gboolean
paco_cuda_plan_init (PacoCudaPlan *plan, const PacoCuda *cuda, GError **error)
{
  const PacoGeometry *geometry;
  unsigned n_fields;

  plan->dwt = paco_dwt_new (&plan->format, &plan->coding, plan->geometry,
      cuda->device->n_multiprocessors, &cuda->dwt);
  if (plan->dwt->n_coefficients > G_MAXUINT32) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "a picture of %u x %u is too large for the CUDA backend; use the CPU",
        plan->format.width, plan->format.height);
    return FALSE;
  }
  geometry = plan->geometry;
  n_fields = geometry->n_fields;
  plan->n_blocks = geometry->n_blocks_at[plan->reduce];
  plan->n_columns = 0;
  plan->block_height = 0;
  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    plan->n_columns += PACO_GPU_COLUMN_WORDS (geometry->blocks[i].height);
    plan->block_height = MAX (plan->block_height, geometry->blocks[i].height);
  }
  for (unsigned c = 0; c < geometry->n_components; c++) {
    plan->columns[c] = geometry->resolution[0][c][plan->reduce].width;
    plan->lines[c] = 0;
    for (unsigned f = 0; f < n_fields; f++) {
      uint32_t height = geometry->resolution[f][c][plan->reduce].height;

      if (height > 0)
        plan->lines[c] = MAX (plan->lines[c], n_fields * (height - 1) + f + 1);
    }
  }
  return TRUE;
}

void
paco_cuda_plan_clear (PacoCudaPlan *plan)
{
  g_clear_pointer (&plan->dwt, paco_dwt_free);
}

size_t
paco_cuda_plan_blocks (const PacoCudaPlan *plan, bool wide,
    const uint8_t (*dropped_planes)[PACO_MAX_SUBBANDS], PacoGpuBlock *blocks)
{
  const PacoGeometry *geometry = plan->geometry;
  uint32_t slot = 0, columns = 0;

  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    const PacoCodeblock *block = &geometry->blocks[i];
    const PacoSubband *subband = &geometry->subbands[block->subband];
    const PacoCoefficientPlace *place = &plan->dwt->places[block->subband];
    unsigned c = subband->component;

    blocks[i] = (PacoGpuBlock){
      .record = i,
      .coefficients = place->offset + block->y * place->stride + block->x,
      .stride = place->stride,
      .slot = slot,
      .columns = columns,
      .width = block->width,
      .height = block->height,
      .orientation = subband->orientation,
      .dropped_planes = dropped_planes ? dropped_planes[c][subband->entry] : 0,
      .probability_set = plan->coding.components[c].probability_set,
      .reversible =
          paco_wavelets[plan->coding.components[c].wavelet].reversible,
    };
    slot += PACO_GPU_SLOT_WORDS ((uint32_t) block->width * block->height,
        wide ? PACO_BPC_PLANES_32 : PACO_BPC_PLANES_16);
    columns += PACO_GPU_COLUMN_WORDS (block->height);
  }
  return slot;
}

/* --- Buffers --- */

gboolean
paco_cuda_frame_reserve (PacoCudaFrame *frame, bool wide, GError **error)
{
  const PacoCudaPlan *plan = frame->plan;
  size_t planes = wide ? PACO_BPC_PLANES_32 : PACO_BPC_PLANES_16;

  return paco_device_memory_reserve (frame->cuda, &frame->coefficients,
             plan->dwt->n_coefficients * (wide ? 4 : 2), "coefficients", error)
      && paco_device_memory_reserve (frame->cuda, &frame->planes,
          4 * planes * plan->n_columns, "bitplanes", error);
}

/* --- What frames share --- */

void
paco_cuda_lanes_init (PacoCudaLanes *lanes, PacoCuda *cuda)
{
  g_mutex_init (&lanes->lock);
  lanes->cuda = cuda;
  lanes->copier = paco_copier_new ();
}

void
paco_cuda_lanes_clear (PacoCudaLanes *lanes)
{
  if (!lanes->cuda)
    return;
  paco_copier_free (lanes->copier);
  g_mutex_clear (&lanes->lock);
  lanes->cuda = NULL;
}

/* --- A frame --- */

static gboolean
create_stream (PacoCudaFrame *frame, GError **error)
{
  const PacoDriver *driver = frame->cuda->driver;

  if (!paco_driver_check (driver,
          driver->stream_create (&frame->stream, CU_STREAM_NON_BLOCKING), error,
          "a stream on %s cannot be had", frame->cuda->device->name))
    return FALSE;
  for (unsigned i = 0; i < PACO_CUDA_N_EVENTS; i++)
    if (!paco_driver_check (driver,
            driver->event_create (&frame->events[i], CU_EVENT_BLOCKING_SYNC),
            error, "an event on %s cannot be had", frame->cuda->device->name))
      return FALSE;
  return TRUE;
}

gboolean
paco_cuda_frame_init (PacoCudaFrame *frame, PacoCudaLanes *lanes,
    const PacoCudaPlan *plan, bool wide, GError **error)
{
  PacoCuda *cuda = lanes->cuda;
  size_t blocks = plan->n_blocks * sizeof (PacoGpuBlock);

  *frame = (PacoCudaFrame){ .cuda = cuda, .plan = plan, .lanes = lanes };
  if (!create_stream (frame, error))
    return FALSE;
  frame->station = (PacoStation){
    .cuda = cuda,
    .copier = lanes->copier,
    .stream = frame->stream,
  };
  return paco_device_memory_reserve (cuda, &frame->scratch,
             MAX (plan->dwt->scratch_bytes, 1), "subbands", error)
      && paco_device_memory_reserve (
          cuda, &frame->blocks, blocks, "codeblocks", error)
      && paco_pinned_memory_reserve (
          cuda, &frame->host_blocks, blocks, "codeblocks", error)
      && paco_cuda_frame_reserve (frame, wide, error);
}

void
paco_cuda_frame_clear (PacoCudaFrame *frame)
{
  PacoCuda *cuda = frame->cuda;

  if (!cuda)
    return;
  if (frame->stream)
    paco_cuda_frame_give_up (frame);
  paco_station_clear (&frame->station);
  paco_device_memory_clear (cuda, &frame->coefficients);
  paco_device_memory_clear (cuda, &frame->scratch);
  paco_device_memory_clear (cuda, &frame->planes);
  paco_device_memory_clear (cuda, &frame->blocks);
  paco_device_memory_clear (cuda, &frame->rows);
  paco_pinned_memory_clear (cuda, &frame->host_blocks);
  paco_pinned_memory_clear (cuda, &frame->host_rows);
  frame->lanes->uploaded = frame->lanes->downloaded = NULL;
  for (unsigned i = 0; i < PACO_CUDA_N_EVENTS; i++)
    if (frame->events[i])
      cuda->driver->event_destroy (frame->events[i]);
  if (frame->stream)
    cuda->driver->stream_destroy (frame->stream);
  *frame = (PacoCudaFrame){ 0 };
}

/* Begins an upload or a download: it waits for the one before. */
static CUresult
take_turn (PacoCudaFrame *frame, CUevent *last)
{
  g_mutex_lock (&frame->lanes->lock);
  frame->has_lock = true;
  if (!*last)
    return CUDA_SUCCESS;
  return frame->cuda->driver->stream_wait_event (frame->stream, *last, 0);
}

static void
end_turn (PacoCudaFrame *frame, CUevent *last, unsigned event)
{
  if (!frame->has_lock)
    return;
  *last = frame->events[event];
  frame->has_lock = false;
  g_mutex_unlock (&frame->lanes->lock);
}

gboolean
paco_cuda_frame_mark (PacoCudaFrame *frame, unsigned event, GError **error)
{
  PacoCudaLanes *lanes = frame->lanes;
  CUresult result = CUDA_SUCCESS;

  if (event == PACO_CUDA_BEGIN && frame->in_order)
    result = take_turn (frame, &lanes->uploaded);
  if (result == CUDA_SUCCESS)
    result = frame->cuda->driver->event_record (
        frame->events[event], frame->stream);
  if (result == CUDA_SUCCESS && event == PACO_CUDA_UPLOADED)
    end_turn (frame, &lanes->uploaded, event);
  if (result == CUDA_SUCCESS && event == PACO_CUDA_CODED)
    result = take_turn (frame, &lanes->downloaded);
  if (result == CUDA_SUCCESS && event == PACO_CUDA_END)
    end_turn (frame, &lanes->downloaded, event);
  return paco_driver_check (frame->cuda->driver, result, error,
      "work for %s cannot be queued", frame->cuda->device->name);
}

gboolean
paco_cuda_frame_wait (PacoCudaFrame *frame, GError **error)
{
  PacoCuda *cuda = frame->cuda;

  if (!paco_driver_check (cuda->driver,
          cuda->driver->event_synchronize (frame->events[PACO_CUDA_END]), error,
          "%s failed while it coded a frame", cuda->device->name))
    return FALSE;
  if (cuda->frame_ended)
    cuda->frame_ended (cuda->frame_ended_data, frame->events);
  return TRUE;
}

void
paco_cuda_frame_give_up (PacoCudaFrame *frame)
{
  if (frame->has_lock)
    g_mutex_unlock (&frame->lanes->lock);
  frame->has_lock = false;
  frame->cuda->driver->stream_synchronize (frame->stream);
}

double
paco_cuda_frame_milliseconds (
    const PacoCudaFrame *frame, unsigned from, unsigned to)
{
  float milliseconds = 0.0f;

  frame->cuda->driver->event_elapsed_time (
      &milliseconds, frame->events[from], frame->events[to]);
  return milliseconds;
}

PacoDwtFrame
paco_cuda_frame_transform (const PacoCudaFrame *frame, const PacoCoding *coding,
    const PacoPicture *picture, bool wide)
{
  return (PacoDwtFrame){
    .coding = coding,
    .picture = picture,
    .coefficients = frame->coefficients.address,
    .scratch = frame->scratch.address,
    .wide = wide,
    .reduce = frame->plan->reduce,
  };
}

gboolean
paco_cuda_frame_rows (PacoCudaFrame *frame, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, CUdeviceptr *rows, GError **error)
{
  PacoCuda *cuda = frame->cuda;

  *rows = cuda->rows;
  if (!carried_set)
    return TRUE;
  if (!paco_device_memory_reserve (
          cuda, &frame->rows, PACO_CUDA_SETS_BYTES, "probabilities", error)
      || !paco_pinned_memory_reserve (cuda, &frame->host_rows,
          PACO_CUDA_SETS_BYTES, "probabilities", error))
    return FALSE;
  paco_cuda_pad_sets (carried_set, coding->components[0].probability_set,
      frame->host_rows.data);
  *rows = frame->rows.address;
  return paco_driver_check (cuda->driver,
      cuda->driver->memcpy_htod_async (
          *rows, frame->host_rows.data, PACO_CUDA_SETS_BYTES, frame->stream),
      error, "a probability set cannot be uploaded to %s", cuda->device->name);
}
