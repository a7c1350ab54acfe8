/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A frame in flight on the device. */
#include "gpu/frame.h"
#include "codec/mosaic.h"
#include "codec/rate_estimate.h"
#include "codec/step_map.h"
#include "gpu/mosaic.h"

#define TIMED 16 /* One of 16 frames of a flight is timed. */

/* --- The plan --- */

static gboolean
too_large (const PacoCudaPlan *plan, GError **error)
{
  g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
      "a picture of %u x %u is too large for the CUDA backend; use the CPU",
      plan->format.width, plan->format.height);
  return FALSE;
}

gboolean
paco_cuda_plan_init (PacoCudaPlan *plan, PacoCudaDevice *device, GError **error)
{
  const PacoGeometry *geometry;
  bool in_planes = plan->coding.color_transform == PACO_COLOR_TRANSFORM_MOSAIC;
  PacoPictureFormat format = in_planes ? paco_mosaic_planes (&plan->format)
                                       : plan->format;

  plan->dwt = paco_dwt_new (&format, &plan->coding, plan->geometry,
      device->context->n_multiprocessors, &device->dwt);
  if (plan->dwt->n_coefficients > G_MAXUINT32)
    return too_large (plan, error);
  geometry = plan->geometry;
  plan->n_blocks = geometry->n_blocks_at[plan->reduce];
  if (plan->n_blocks >= PACO_GPU_MAX_BLOCKS)
    return too_large (plan, error);
  plan->n_columns = 0;
  plan->block_height = 0;
  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    plan->n_columns += PACO_GPU_COLUMN_WORDS (geometry->blocks[i].height);
    plan->block_height = MAX (plan->block_height, geometry->blocks[i].height);
  }
  paco_sample_planes_init (&plan->sample_planes, &plan->format, plan->reduce,
      plan->coding.color_transform);
  return TRUE;
}

void
paco_cuda_plan_clear (PacoCudaPlan *plan)
{
  g_clear_pointer (&plan->dwt, paco_dwt_free);
}

size_t
paco_cuda_plan_blocks (const PacoCudaPlan *plan, const PacoCoding *coding,
    bool wide, const uint8_t (*dropped_planes)[PACO_MAX_SUBBANDS],
    PacoGpuBlock *blocks)
{
  const PacoGeometry *geometry = plan->geometry;
  uint32_t code = 0, columns = 0;

  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    const PacoCodeblock *block = &geometry->blocks[i];
    const PacoSubband *subband = &geometry->subbands[block->subband];
    const PacoCoefficientPlace *place = &plan->dwt->places[block->subband];
    PacoStepMapPlace map = paco_step_map_place (
        &plan->format, coding, geometry, subband);
    unsigned c = subband->component;

    blocks[i] = (PacoGpuBlock){
      .record = i,
      .coefficients = place->offset + block->y * place->stride + block->x,
      .stride = place->stride,
      .code = code,
      .columns = columns,
      .width = block->width,
      .height = block->height,
      .orientation = subband->orientation,
      .dropped_planes = dropped_planes ? dropped_planes[c][subband->entry] : 0,
      .fraction_bits = coding->subbands[c][subband->entry].fraction_bits,
      .family = plan->coding.components[c].family,
      .reversible =
          paco_wavelets[plan->coding.components[c].wavelet].reversible,
      .counts_all = (uint64_t) subband->width * subband->height
          <= PACO_RATE_COUNT_ALL,
      .entry = c * (3 * coding->levels + 1) + subband->entry,
      .first_cell = paco_step_map_cell (&map, block->x, block->y),
      .cell_columns = map.columns,
      .cell_shift_x = map.shift_x,
      .cell_shift_y = map.shift_y,
      .cells_halved = map.halved,
    };
    code += PACO_GPU_CODE_WORDS ((uint32_t) block->width * block->height,
        wide ? PACO_BPC_PLANES_32 : PACO_BPC_PLANES_16);
    columns += PACO_GPU_COLUMN_WORDS (block->height);
  }
  return code;
}

/* Sorts by length up to 63 bytes, in two passes. */
static void
order_by_length (PacoGpuRecord *records, uint32_t n)
{
  enum
  {
    N_CLASSES = 1024,
  };
  uint32_t begin[N_CLASSES + 1] = { 0 };

  for (uint32_t i = 0; i < n; i++)
    begin[N_CLASSES - records[i].length / 64]++;
  for (unsigned k = 1; k <= N_CLASSES; k++)
    begin[k] += begin[k - 1];
  for (uint32_t i = 0; i < n; i++)
    records[begin[N_CLASSES - 1 - records[i].length / 64]++].decoded = i;
}

void
paco_cuda_order_records (PacoGpuRecord *records, uint32_t n, bool in_flight)
{
  if (in_flight)
    order_by_length (records, n);
  else
    for (uint32_t i = 0; i < n; i++)
      records[i].decoded = i;
}

/* --- Buffers --- */

gboolean
paco_cuda_frame_reserve (PacoCudaFrame *frame, bool wide, GError **error)
{
  const PacoCudaPlan *plan = frame->plan;
  size_t n_planes = wide ? PACO_BPC_PLANES_32 : PACO_BPC_PLANES_16;
  size_t planes = MAX (
      4 * n_planes * plan->n_columns, plan->sample_planes.size);

  return paco_device_memory_reserve (frame->share, &frame->coefficients,
             plan->dwt->n_coefficients * (wide ? 4 : 2), "coefficients", error)
      && paco_device_memory_reserve (
          frame->share, &frame->planes, planes, "bitplanes", error);
}

/* --- A frame --- */

/* An event that nothing waits for on the host needs no interrupt, and one whose time
 * nobody asks for no clock. */
static unsigned
event_flags (const PacoCudaFrame *frame, unsigned event)
{
  bool awaited = event >= PACO_CUDA_END && event != PACO_CUDA_ARRIVED;
  bool timed = event <= PACO_CUDA_CODED || frame->device->frame_ended;

  return (awaited ? CU_EVENT_BLOCKING_SYNC : 0)
      | (timed ? 0 : CU_EVENT_DISABLE_TIMING);
}

static gboolean
create_event (
    PacoCudaFrame *frame, CUevent *event, unsigned flags, GError **error)
{
  const PacoDriver *driver = frame->device->driver;

  return paco_driver_check (driver, driver->event_create (event, flags), error,
      "an event on %s cannot be had", frame->device->context->name);
}

static gboolean
create_stream (PacoCudaFrame *frame, GError **error)
{
  if (!paco_cuda_stream_init (&frame->stream, frame->device->context, error))
    return FALSE;
  for (unsigned i = 0; i < PACO_CUDA_N_EVENTS; i++)
    if (!create_event (frame, &frame->events[i], event_flags (frame, i), error))
      return FALSE;
  return create_event (
      frame, &frame->picture_ready, CU_EVENT_DISABLE_TIMING, error);
}

gboolean
paco_cuda_frame_init (
    PacoCudaFrame *frame, PacoCudaShare *share, GError **error)
{
  *frame = (PacoCudaFrame){
    .share = share,
    .device = share->device,
    .number = g_atomic_int_add (&share->device->n_flights, 1),
  };
  if (!create_stream (frame, error))
    return FALSE;
  frame->picture = (PacoStaged){
    .share = share,
    .device = share->device,
    .stream = &frame->stream,
  };
  return TRUE;
}

void
paco_cuda_frame_use (
    PacoCudaFrame *frame, const PacoCudaPlan *plans, unsigned form)
{
  frame->form = form;
  frame->plan = &plans[form];
  frame->loaded = 0;
  frame->alone = g_atomic_int_get (&frame->device->n_frames) == 1;
  frame->timed = frame->n == 0 || (frame->n + frame->number) % TIMED == 0
      || frame->device->frame_ended;
  paco_cuda_stream_gather (&frame->stream, !frame->timed);
}

gboolean
paco_cuda_frame_allocate (PacoCudaFrame *frame, bool wide, GError **error)
{
  const PacoCudaPlan *plan = frame->plan;
  size_t blocks = plan->n_blocks * sizeof (PacoGpuBlock);

  return paco_device_memory_reserve (frame->share, &frame->scratch,
             MAX (plan->dwt->scratch_bytes, 1), "subbands", error)
      && paco_device_memory_reserve (frame->share, &frame->blocks[frame->form],
          blocks, "codeblocks", error)
      && paco_pinned_memory_reserve (frame->device,
          &frame->host_blocks[frame->form], blocks, "codeblocks", error)
      && paco_cuda_frame_reserve (frame, wide, error);
}

gboolean
paco_cuda_frame_upload_blocks (PacoCudaFrame *frame, GError **error)
{
  return paco_cuda_upload (frame->device, frame->blocks[frame->form].address,
      paco_cuda_frame_blocks (frame),
      frame->plan->n_blocks * sizeof (PacoGpuBlock), &frame->stream, error);
}

void
paco_cuda_frame_clear (PacoCudaFrame *frame)
{
  PacoCudaDevice *device = frame->device;

  if (!device)
    return;
  if (frame->stream.own)
    paco_cuda_frame_give_up (frame);
  paco_staged_clear (&frame->picture);
  paco_device_memory_clear (frame->share, &frame->coefficients);
  paco_device_memory_clear (frame->share, &frame->scratch);
  paco_device_memory_clear (frame->share, &frame->planes);
  paco_device_memory_clear (frame->share, &frame->rows);
  paco_cuda_maps_clear (&frame->maps, frame->share);
  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
    paco_device_memory_clear (frame->share, &frame->blocks[i]);
    paco_pinned_memory_clear (device, &frame->host_blocks[i]);
  }
  paco_pinned_memory_clear (device, &frame->host_rows);
  for (unsigned i = 0; i < PACO_CUDA_N_EVENTS; i++)
    if (frame->events[i])
      device->driver->event_destroy (frame->events[i]);
  if (frame->picture_ready)
    device->driver->event_destroy (frame->picture_ready);
  paco_cuda_stream_clear (&frame->stream);
  *frame = (PacoCudaFrame){ 0 };
}

/* --- The way of a frame --- */

static gboolean
check_queued (const PacoCudaFrame *frame, CUresult result, GError **error)
{
  return paco_driver_check (frame->device->driver, result, error,
      "work for %s cannot be queued", frame->device->context->name);
}

static gboolean
record (PacoCudaFrame *frame, unsigned event, GError **error)
{
  return paco_cuda_stream_send (&frame->stream, error)
      && check_queued (frame,
          frame->device->driver->event_record (
              frame->events[event], frame->stream.handle),
          error);
}

gboolean
paco_cuda_frame_mark (PacoCudaFrame *frame, unsigned event, GError **error)
{
  return (!frame->timed && event <= PACO_CUDA_CODED)
      || record (frame, event, error);
}

/* Moves the frame to another stream of the driver, which waits for the event. */
static gboolean
move (PacoCudaFrame *frame, CUstream other, unsigned event, GError **error)
{
  if (!record (frame, event, error)
      || !check_queued (frame,
          frame->device->driver->stream_wait_event (
              other, frame->events[event], 0),
          error))
    return FALSE;
  frame->stream.handle = other;
  return TRUE;
}

void
paco_cuda_frame_take_queues (PacoCudaFrame *frame)
{
  if (!frame->has_queues)
    g_mutex_lock (&frame->device->queues);
  frame->has_queues = true;
}

void
paco_cuda_frame_leave_queues (PacoCudaFrame *frame)
{
  if (frame->has_queues)
    g_mutex_unlock (&frame->device->queues);
  frame->has_queues = false;
}

gboolean
paco_cuda_frame_begin_upload (
    PacoCudaFrame *frame, bool in_order, GError **error)
{
  if (in_order)
    paco_cuda_frame_take_queues (frame);
  /* The upload depends on nothing that the frame has enqueued, so no stream waits. */
  if (in_order && !frame->alone)
    frame->stream.handle = frame->device->uploads;
  return paco_cuda_frame_mark (frame, PACO_CUDA_BEGIN, error);
}

gboolean
paco_cuda_frame_end_upload (PacoCudaFrame *frame, GError **error)
{
  paco_cuda_frame_take_queues (frame);
  if (frame->stream.handle == frame->stream.own)
    return paco_cuda_frame_mark (frame, PACO_CUDA_UPLOADED, error);
  return move (frame, frame->stream.own, PACO_CUDA_UPLOADED, error);
}

gboolean
paco_cuda_frame_begin_download (PacoCudaFrame *frame, GError **error)
{
  paco_cuda_frame_take_queues (frame);
  if (frame->alone || frame->transfer.picture.memory == PACO_MEMORY_DEVICE)
    return paco_cuda_frame_mark (frame, PACO_CUDA_CODED, error);
  return move (frame, frame->device->downloads, PACO_CUDA_CODED, error);
}

gboolean
paco_cuda_frame_end_download (PacoCudaFrame *frame, GError **error)
{
  if (!paco_cuda_frame_mark (frame, PACO_CUDA_END, error))
    return FALSE;
  paco_cuda_frame_leave_queues (frame);
  return TRUE;
}

gboolean
paco_cuda_frame_wait_for (PacoCudaFrame *frame, unsigned event, GError **error)
{
  PacoCudaDevice *device = frame->device;

  paco_cuda_frame_leave_queues (frame);
  return paco_driver_check (device->driver,
      device->driver->event_synchronize (frame->events[event]), error,
      "%s failed while it coded a frame", device->context->name);
}

static double
milliseconds (const PacoCudaFrame *frame, unsigned from, unsigned to)
{
  float result = 0.0f;

  frame->device->driver->event_elapsed_time (
      &result, frame->events[from], frame->events[to]);
  return result;
}

static void
find_times (PacoCudaFrame *frame)
{
  frame->upload_ms = milliseconds (frame, PACO_CUDA_BEGIN, PACO_CUDA_UPLOADED);
  for (unsigned i = 0; i < PACO_CUDA_N_STAGES; i++)
    frame->stage_ms[i] = milliseconds (
        frame, PACO_CUDA_STAGE_1 + i, PACO_CUDA_STAGE_1 + i + 1);
}

gboolean
paco_cuda_frame_wait (PacoCudaFrame *frame, GError **error)
{
  PacoCudaDevice *device = frame->device;

  if (!paco_cuda_frame_wait_for (frame, PACO_CUDA_END, error))
    return FALSE;
  frame->stream.handle = frame->stream.own;
  if (frame->timed)
    find_times (frame);
  frame->n++;
  if (device->frame_ended)
    device->frame_ended (device->frame_ended_data, frame->events);
  return TRUE;
}

void
paco_cuda_frame_give_up (PacoCudaFrame *frame)
{
  paco_cuda_frame_leave_queues (frame);
  paco_cuda_stream_give_up (&frame->stream);
}

gboolean
paco_cuda_frame_await_picture (
    PacoCudaFrame *frame, const PacoPicture *picture, GError **error)
{
  const PacoDriver *driver = frame->device->driver;

  if (picture->memory == PACO_MEMORY_HOST)
    return TRUE;
  if (!paco_cuda_stream_send (&frame->stream, error))
    return FALSE;
  if (picture->stream != NULL
      && !(check_queued (frame,
               driver->event_record (frame->picture_ready, picture->stream),
               error)
          && check_queued (frame,
              driver->stream_wait_event (
                  frame->stream.handle, frame->picture_ready, 0),
              error)))
    return FALSE;
  return picture->unused_size == 0
      || check_queued (frame,
          driver->memset_d8_async ((uintptr_t) picture->unused_memory, 0,
              picture->unused_size, frame->stream.handle),
          error);
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

/* Enqueues the color transform of a mosaic, if it is coded with it. */
static gboolean
mix_planes (PacoCudaFrame *frame, const PacoCoding *coding, bool inverse,
    GError **error)
{
  return coding->color_transform != PACO_COLOR_TRANSFORM_MOSAIC
      || paco_mosaic_enqueue (&frame->device->layout,
          &frame->plan->sample_planes, coding, frame->planes.address, inverse,
          &frame->stream, error);
}

/* Loads samples into planes that are not there yet. */
static gboolean
load_planes (PacoCudaFrame *frame, const PacoLayoutLaunch *launches, unsigned n,
    GError **error)
{
  PacoLayoutLaunch missing[PACO_MAX_COMPONENTS];
  unsigned n_missing = 0;

  for (unsigned i = 0; i < n; i++) {
    if (!(launches[i].components & ~frame->loaded))
      continue;
    missing[n_missing++] = launches[i];
    frame->loaded |= launches[i].components;
  }
  return paco_layout_enqueue (&frame->device->layout, PACO_LAYOUT_LOAD, missing,
      n_missing, false, &frame->stream, error);
}

gboolean
paco_cuda_frame_find_codes (PacoCudaFrame *frame, const PacoPicture *picture,
    const PacoCodeGroups *groups, uint32_t step, bool between, CUdeviceptr used,
    PacoCodeTable *found, GError **error)
{
  const PacoSamplePlanes *planes = &frame->plan->sample_planes;
  PacoLayoutLaunch launches[PACO_MAX_COMPONENTS];
  PacoPicture planar;
  unsigned n = paco_layout_launches (
      planes, picture, 0, frame->planes.address, &planar, launches);

  return load_planes (frame, launches, n, error)
      && paco_cuda_find_codes (frame->device, planes, &planar, groups, step,
          between, used, found, &frame->stream, error);
}

static gboolean
map_samples (PacoCudaFrame *frame, const PacoPicture *planar, GError **error)
{
  return paco_cuda_maps_enqueue (&frame->maps, frame->device,
      &frame->plan->sample_planes, planar, &frame->stream, error);
}

gboolean
paco_cuda_frame_enqueue_transform (PacoCudaFrame *frame,
    const PacoDwtFrame *transform, bool inverse, GError **error)
{
  PacoLayoutLaunch launches[PACO_MAX_COMPONENTS];
  PacoPicture planar;
  PacoDwtFrame of_planes = *transform;
  unsigned n;

  if (!paco_cuda_maps_upload (
          &frame->maps, frame->share, inverse, &frame->stream, error))
    return FALSE;
  n = paco_layout_launches (&frame->plan->sample_planes, transform->picture,
      paco_cuda_maps_components (&frame->maps), frame->planes.address, &planar,
      launches);
  of_planes.picture = &planar;
  of_planes.follows_kernel = !inverse && n > 0;
  if (!inverse)
    return load_planes (frame, launches, n, error)
        && map_samples (frame, &planar, error)
        && mix_planes (frame, transform->coding, false, error)
        && paco_dwt_enqueue (
            frame->plan->dwt, &of_planes, false, &frame->stream, error);
  return paco_dwt_enqueue (
             frame->plan->dwt, &of_planes, true, &frame->stream, error)
      && mix_planes (frame, transform->coding, true, error)
      && map_samples (frame, &planar, error)
      && paco_layout_enqueue (&frame->device->layout, PACO_LAYOUT_STORE,
          launches, n, true, &frame->stream, error);
}

gboolean
paco_cuda_frame_rows (PacoCudaFrame *frame, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, CUdeviceptr *rows, GError **error)
{
  PacoCudaDevice *device = frame->device;

  *rows = device->rows;
  if (!carried_set)
    return TRUE;
  if (!paco_device_memory_reserve (frame->share, &frame->rows,
          PACO_CUDA_SETS_BYTES, "probabilities", error)
      || !paco_pinned_memory_reserve (device, &frame->host_rows,
          PACO_CUDA_SETS_BYTES, "probabilities", error))
    return FALSE;
  paco_cuda_place_sets (coding, carried_set, frame->host_rows.data);
  *rows = frame->rows.address;
  return paco_cuda_upload (device, *rows, frame->host_rows.data,
      PACO_CUDA_SETS_BYTES, &frame->stream, error);
}
