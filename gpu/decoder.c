/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoder of the CUDA backend: frame -> blocks -> coefficients -> samples, which go
 * to the host or are compared with a picture. A flight's thread enqueues everything and
 * waits once; the payload of a lone frame is uploaded while its index is read. Blocks that
 * replace broken ones follow the payload. */
#include "codec/decoder_private.h"
#include "codec/policy.h"
#include "codec/step_map.h"
#include "gpu/frame.h"
#include "gpu/kernels/compare.h"
#include "gpu/pinned.h"

/* What is uploaded for a frame as well as its payload. The host's copy gets n_broken, the
 * number of broken blocks, and n_different, of bytes that differ from the picture that
 * the frame is compared with. */
typedef struct
{
  uint32_t n_broken, reserved;
  uint64_t n_different;
  /* n_blocks; then their dropped planes, bytes; then the cells of a step map */
  PacoGpuRecord records[];
} BlockTable;

/* The decoder on one of its devices. */
typedef struct
{
  PacoCudaShare share;
  PacoCudaPlan plans[PACO_N_FORMS]; /* of those that are configured */
} DeviceState;

typedef struct
{
  DeviceState *state;
  PacoCudaFrame frame;
  PacoPinnedMemory host_table, repairs;
  PacoDeviceMemory table;
  PacoStaged payload;
  PacoTransfer copied; /* says how a copy for a comparison lies */
  PacoDeviceMemory copy;

  /* Of the frame that is being decoded. */
  bool fetched;        /* Its payload is being uploaded already. */
  size_t payload_size; /* of the blocks that are decoded */
  size_t repairs_size; /* bytes behind them that stand for broken ones */
  bool payload_pinned; /* the device reads it where it is */
  bool wide;           /* coefficients may not fit 16 bits */
  bool dropped;        /* the inverse wavelet needs the dropped planes */
} Flight;

typedef struct
{
  PacoDecoder base;
  DeviceState states[PACO_MAX_DEVICES];
  Flight flights[PACO_MAX_FLIGHTS];
} CudaDecoder;

/* --- comparing a frame with a picture ---
 *
 * The picture is uploaded unless it is on the device already, the frame is decoded into a
 * copy that lies as the picture does, and kernels/compare.cu counts the bytes that are
 * different. */

#define BLOCKS_PER_MULTIPROCESSOR 8
#define MAX_ROWS_OF_GRID 65535u

static gboolean
reserve_copy (Flight *flight, const PacoDecoderJob *job, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  PacoPicture like = job->destination;

  if (!job->compares)
    return TRUE;
  /* Wherever the picture is, its copy lies as if it had been uploaded. */
  like.memory = PACO_MEMORY_HOST;
  paco_transfer_plan (
      &flight->copied, &like, &frame->plan->format, frame->plan->reduce);
  return paco_device_memory_reserve (frame->share, &flight->copy,
      flight->copied.size + 64, "the copy of a picture", error);
}

static gboolean
compare_region (PacoCudaFrame *frame, const PacoTransferRegion *region,
    CUdeviceptr picture, CUdeviceptr copy, CUdeviceptr n_different,
    GError **error)
{
  PacoCudaDevice *device = frame->device;
  bool has_gaps = region->row_bytes < region->stride;
  PacoCompareParameters parameters = {
    .a = picture,
    .b = copy,
    /* Rows without gaps are one. */
    .row_bytes = has_gaps ? region->row_bytes : region->size,
    .rows = has_gaps ? region->rows : 1,
    .stride = region->stride,
    .aligned = ((picture | copy) & 15) == 0
        && (!has_gaps || (region->stride & 15) == 0),
    .n_different = n_different,
  };
  uint64_t units = parameters.aligned ? parameters.row_bytes / 16 + 1
                                      : parameters.row_bytes;
  uint64_t most = (uint64_t) device->context->n_multiprocessors
      * BLOCKS_PER_MULTIPROCESSOR;
  uint64_t wanted = (units + PACO_COMPARE_THREADS - 1) / PACO_COMPARE_THREADS;
  unsigned grid_x = (unsigned) CLAMP (wanted, 1, most);
  unsigned grid_y = (unsigned) CLAMP (
      parameters.rows, 1, MIN (MAX (most / grid_x, 1), MAX_ROWS_OF_GRID));

  return paco_cuda_stream_launch (&frame->stream,
      &(PacoLaunch){
          .function = device->compare,
          .grid_x = grid_x,
          .grid_y = grid_y,
          .threads = PACO_COMPARE_THREADS,
          PACO_LAUNCH_PARAMETERS (parameters),
      },
      error);
}

/* Returns where the kernels count: in the host's table, because they seldom do, and a copy
 * of two numbers costs each frame a call of the driver and a turn of the bus. */
static CUdeviceptr
counters_address (const Flight *flight)
{
  return (uintptr_t) flight->host_table.data;
}

static gboolean
compare (Flight *flight, const PacoDecoderJob *job, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  bool uploaded = frame->transfer.picture.memory == PACO_MEMORY_HOST;
  CUdeviceptr n_different = counters_address (flight)
      + offsetof (BlockTable, n_different);

  for (unsigned i = 0; job->compares && i < flight->copied.n_regions; i++) {
    const PacoTransferRegion *region = &flight->copied.regions[i];
    CUdeviceptr picture = uploaded
        ? frame->picture.memory.address + region->offset
        : (CUdeviceptr) (uintptr_t) region->data;

    if (!compare_region (frame, region, picture,
            flight->copy.address + region->offset, n_different, error))
      return FALSE;
  }
  return TRUE;
}

/* --- decoding a frame --- */

/* Returns how many bytes lie before the repairs. */
static size_t
repairs_offset (const Flight *flight)
{
  return (flight->payload_size + 7) & ~(size_t) 7;
}

/* Returns how many bytes payload and repairs have together. */
static size_t
blocks_size (const Flight *flight)
{
  return flight->repairs_size == 0
      ? flight->payload_size
      : repairs_offset (flight) + flight->repairs_size;
}

static void
find_sizes (Flight *flight, const PacoDecoderJob *job)
{
  flight->payload_size = 0;
  flight->repairs_size = job->repairs->size;
  for (uint32_t i = 0; i < flight->frame.plan->n_blocks; i++)
    if (!job->records[i].replaced)
      flight->payload_size = MAX (flight->payload_size,
          (size_t) job->records[i].offset + job->records[i].length);
}

/* Returns where in a BlockTable the cells of a step map are, and how many bytes it has. */
static size_t
cells_offset (const PacoCudaPlan *plan)
{
  return sizeof (BlockTable) + plan->n_blocks * (sizeof (PacoGpuRecord) + 1);
}

static size_t
table_size (const PacoCudaPlan *plan)
{
  return cells_offset (plan)
      + (plan->coding.step_map ? paco_step_map_n_cells (plan->geometry) : 0);
}

/* Makes the kernels' records from the index. */
static void
fill_table (Flight *flight, const PacoDecoderJob *job)
{
  BlockTable *table = (BlockTable *) flight->host_table.data;
  const PacoGpuBlock *blocks = paco_cuda_frame_blocks (&flight->frame);
  uint32_t n_blocks = flight->frame.plan->n_blocks;
  uint8_t *dropped = (uint8_t *) &table->records[n_blocks];
  unsigned any_dropped = 0, planes = 0;

  find_sizes (flight, job);
  table->n_broken = 0;
  table->n_different = 0;
  for (uint32_t i = 0; i < n_blocks; i++) {
    const PacoBlockRecord *record = &job->records[i];
    PacoGpuRecord *entry = &table->records[i];

    *entry = (PacoGpuRecord){
      .planes = record->planes,
      .raw_planes = record->raw_planes,
      .dropped_planes = record->dropped_planes,
      .flags = (record->shared_codewords ? PACO_GPU_SHARED_CODEWORDS : 0)
          | (record->raw_left_signs ? PACO_GPU_RAW_LEFT_SIGNS : 0)
          | (record->cut ? PACO_GPU_CUT : 0),
      .length = record->length,
      .check = record->check,
      .offset = record->offset
          + (record->replaced ? (uint32_t) repairs_offset (flight) : 0),
      .set = record->set,
    };
    /* With the reversible wavelet the block coder dequantises (FORMAT.md section
     * 8), so the inverse transform need not know of dropped planes. */
    dropped[i] = entry->dropped_planes | (record->cut ? PACO_DWT_CUT : 0);
    if (!blocks[i].reversible)
      any_dropped |= dropped[i];
    planes = MAX (planes, entry->planes);
  }
  paco_cuda_order_records (table->records, n_blocks,
      job->frame.header.coding.coding_passes == 1 && !flight->frame.alone);
  flight->wide = planes > 15;
  flight->dropped = any_dropped;
  if (job->cells)
    memcpy ((uint8_t *) table + cells_offset (flight->frame.plan), job->cells,
        paco_step_map_n_cells (flight->frame.plan->geometry));
}

/* The next frames may be somewhat larger. */
static size_t
with_room (size_t needed)
{
  return needed + needed / 4 + 64;
}

static gboolean
reserve (Flight *flight, GError **error)
{
  size_t needed = blocks_size (flight), size = with_room (needed);
  PacoStaged *staged = &flight->payload;
  size_t staging = flight->payload_pinned ? 0 : flight->payload_size;

  if (staged->memory.size < needed + 64 || staged->staging.size < staging) {
    /* What was fetched goes with the memory. */
    if (flight->fetched)
      paco_cuda_frame_give_up (&flight->frame);
    flight->fetched = false;
    if (!paco_staged_reserve (
            staged, size, flight->payload_pinned ? 0 : size, error))
      return FALSE;
  }
  return paco_pinned_memory_reserve (flight->frame.device, &flight->repairs,
             flight->repairs_size, "repairs of broken blocks", error)
      && paco_cuda_frame_reserve (&flight->frame, flight->wide, error);
}

/* Uploads the repairs behind the payload. */
static gboolean
upload_repairs (Flight *flight, const PacoDecoderJob *job, GError **error)
{
  if (flight->repairs_size == 0)
    return TRUE;
  memcpy (flight->repairs.data, job->repairs->bytes, flight->repairs_size);
  return paco_staged_upload (&flight->payload,
      flight->payload.memory.address + repairs_offset (flight),
      flight->repairs.data, flight->repairs_size, true, 0, error);
}

static gboolean
upload (Flight *flight, const PacoDecoderJob *job, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  const PacoCudaPlan *plan = frame->plan;
  size_t size = flight->dropped || job->cells
      ? table_size (plan)
      : sizeof (BlockTable) + plan->n_blocks * sizeof (PacoGpuRecord);

  return (flight->fetched
             || paco_staged_upload (&flight->payload,
                 flight->payload.memory.address, paco_decoder_payload (job),
                 flight->payload_size, flight->payload_pinned, 0, error))
      && upload_repairs (flight, job, error)
      && paco_cuda_upload (frame->device, flight->table.address,
          flight->host_table.data, size, &frame->stream, error)
      && (!job->compares
          || paco_transfer_upload (&frame->transfer, &frame->picture, error));
}

static gboolean
decode_blocks (Flight *flight, const PacoDecoderJob *job, GError **error)
{
  const PacoCudaPlan *plan = flight->frame.plan;
  const PacoCoding *coding = &job->frame.header.coding;
  PacoBpcDecodeParameters parameters = {
    .coefficients = flight->frame.coefficients.address,
    .blocks = flight->frame.blocks[flight->frame.form].address,
    .planes = flight->frame.planes.address,
    .payload = flight->payload.memory.address,
    .records = flight->table.address + offsetof (BlockTable, records),
    .n_broken = counters_address (flight) + offsetof (BlockTable, n_broken),
    .n_blocks = plan->n_blocks,
    .payload_words = MAX ((blocks_size (flight) + 3) / 4, 1),
    .reconstruction = coding->reconstruction,
    .block_checks = coding->block_checks,
  };
  CUdeviceptr rows;

  if (!paco_cuda_frame_rows (
          &flight->frame, coding, job->frame.header.set, &rows, error))
    return FALSE;
  parameters.rows = rows;
  return paco_cuda_stream_launch (&flight->frame.stream,
      &(PacoLaunch){
          .function = flight->frame.device
                          ->bpc_decode[flight->wide][coding->coding_passes - 1],
          .grid_x = plan->n_blocks,
          .threads = PACO_BPC_THREADS,
          .shared_bytes = paco_bpc_shared_bytes (
              true, coding->coding_passes, plan->block_height),
          PACO_LAUNCH_PARAMETERS (parameters),
      },
      error);
}

static gboolean
transform (Flight *flight, const PacoDecoderJob *job, GError **error)
{
  const PacoCudaPlan *plan = flight->frame.plan;
  PacoPicture picture;
  PacoDwtFrame frame;

  if (job->compares)
    paco_transfer_device_picture (
        &flight->copied, flight->copy.address, &picture);
  else
    paco_transfer_device_picture (&flight->frame.transfer,
        flight->frame.picture.memory.address, &picture);
  frame = paco_cuda_frame_transform (
      &flight->frame, &job->frame.header.coding, &picture, flight->wide);
  if (flight->dropped)
    frame.dropped_planes = flight->table.address
        + offsetof (BlockTable, records)
        + plan->n_blocks * sizeof (PacoGpuRecord);
  if (job->cells)
    frame.cells = flight->table.address + cells_offset (plan);
  return paco_cuda_frame_enqueue_transform (
      &flight->frame, &frame, true, error);
}

static gboolean
enqueue (Flight *flight, const PacoDecoderJob *job, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  const PacoCudaPlan *plan = frame->plan;
  bool pinned;

  paco_transfer_plan (
      &frame->transfer, &job->destination, &plan->format, plan->reduce);
  flight->payload_pinned = paco_is_pinned (
      paco_decoder_payload (job), flight->payload_size);
  pinned = flight->payload_pinned
      && (!job->compares || paco_transfer_is_pinned (&frame->transfer));
  return reserve (flight, error)
      && paco_transfer_reserve (&frame->transfer, &frame->picture, error)
      && reserve_copy (flight, job, error)
      && (flight->fetched
          || paco_cuda_frame_begin_upload (frame, pinned, error))
      && upload (flight, job, error)
      && paco_cuda_frame_end_upload (frame, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_1, error)
      && decode_blocks (flight, job, error)
      && paco_cuda_frame_await_picture (frame, &job->destination, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_2, error)
      && transform (flight, job, error) && compare (flight, job, error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_3, error)
      && paco_cuda_frame_begin_download (frame, error)
      && (job->compares
          || paco_transfer_download (&frame->transfer, &frame->picture, error))
      && paco_cuda_frame_end_download (frame, error);
}

static void
count (CudaDecoder *decoder, const Flight *flight, const PacoDecoderJob *job,
    const PacoDecodedFrame *result)
{
  const PacoCudaFrame *frame = &flight->frame;

  paco_coder_count (&decoder->base.coder, flight - decoder->flights,
      &(PacoFrameCount){
          .bytes = job->frame.header.frame_size,
          .corrupted_blocks = result->corrupted_blocks,
          .concealed_blocks = result->concealed_blocks,
          .transform_ms = frame->stage_ms[1],
          .blocks_ms = frame->stage_ms[0],
          .stream_ms = frame->upload_ms,
      });
}

static gboolean
decode_frame (Flight *flight, const PacoDecoderJob *job,
    PacoDecodedFrame *result, GError **error)
{
  const BlockTable *counted;

  fill_table (flight, job);
  if (!enqueue (flight, job, error)
      || !paco_cuda_frame_wait (&flight->frame, error)) {
    paco_cuda_frame_give_up (&flight->frame);
    return FALSE;
  }
  if (!job->compares)
    paco_transfer_finish (&flight->frame.transfer, &flight->frame.picture);
  counted = (const BlockTable *) flight->host_table.data;
  result->corrupted_blocks += counted->n_broken;
  result->different_bytes = counted->n_different;
  return TRUE;
}

static void
decode (PacoDecoder *base, unsigned number, const PacoDecoderJob *job,
    PacoDecodedFrame *frame)
{
  CudaDecoder *decoder = (CudaDecoder *) base;
  Flight *flight = &decoder->flights[number];
  PacoCudaDevice *device = flight->frame.device;

  if (paco_cuda_device_enter (device, &frame->error)) {
    if (decode_frame (flight, job, frame, &frame->error))
      count (decoder, flight, job, frame);
    paco_cuda_device_leave (device);
  }
  g_atomic_int_add (&device->n_frames, -1);
}

/* Says whether the payload can be uploaded before the index says which of it is wanted.
 * Beside other frames that would gain nothing: the bus has work while an index is read. */
static bool
can_fetch (const Flight *flight, const PacoDecoderJob *job, size_t size)
{
  return flight->frame.alone && flight->frame.plan->reduce == 0
      && job->destination.crop.width == 0
      && flight->payload.memory.size >= size + 64
      && paco_is_pinned (paco_decoder_payload (job), size);
}

static gboolean
begin (PacoDecoder *base, unsigned number, const PacoDecoderJob *job,
    GError **error)
{
  Flight *flight = &((CudaDecoder *) base)->flights[number];
  PacoCudaDevice *device = flight->frame.device;
  const PacoHeader *header = &job->frame.header;
  size_t size = paco_header_payload_size (header);
  gboolean good;

  g_atomic_int_inc (&device->n_frames);
  paco_cuda_frame_use (
      &flight->frame, flight->state->plans, header->picture.fields);
  flight->fetched = can_fetch (flight, job, size);
  if (!flight->fetched)
    return TRUE;
  if (!paco_cuda_device_enter (device, error))
    return FALSE;
  good = paco_cuda_frame_begin_upload (&flight->frame, false, error)
      && paco_staged_upload (&flight->payload, flight->payload.memory.address,
          paco_decoder_payload (job), size, true, 0, error);
  paco_cuda_device_leave (device);
  return good;
}

static void
drop (PacoDecoder *base, unsigned number)
{
  Flight *flight = &((CudaDecoder *) base)->flights[number];
  PacoCudaDevice *device = flight->frame.device;

  if (flight->fetched && paco_cuda_device_enter (device, NULL)) {
    paco_cuda_frame_give_up (&flight->frame);
    paco_cuda_device_leave (device);
  }
  g_atomic_int_add (&device->n_frames, -1);
}

/* --- configuration --- */

static void
flight_clear (Flight *flight)
{
  PacoCudaShare *share = &flight->state->share;

  paco_cuda_frame_clear (&flight->frame);
  paco_pinned_memory_clear (share->device, &flight->host_table);
  paco_pinned_memory_clear (share->device, &flight->repairs);
  paco_device_memory_clear (share, &flight->table);
  paco_device_memory_clear (share, &flight->copy);
  flight->copied = (PacoTransfer){ 0 };
  if (flight->payload.device)
    paco_staged_clear (&flight->payload);
}

static void
unconfigure (PacoCoder *base, unsigned number)
{
  CudaDecoder *decoder = (CudaDecoder *) base;
  DeviceState *state = &decoder->states[number];
  gboolean entered = paco_cuda_device_enter (state->share.device, NULL);

  /* If the context cannot be entered, the memory is freed with the context. */
  for (unsigned i = number; i < base->depth; i += base->n_devices)
    if (decoder->flights[i].state)
      flight_clear (&decoder->flights[i]);
  if (entered)
    paco_cuda_device_leave (state->share.device);
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    paco_cuda_plan_clear (&state->plans[i]);
}

/* Guesses the payload of such frames: what the header says without the attachment, or
 * the largest that a frame can have. With the room that reserve() takes, the first
 * frame exchanges nothing. */
static size_t
guess_payload (const PacoHeader *header, const PacoCudaPlan *plan)
{
  size_t most = paco_policy_max_frame_size (
      &plan->format, &plan->coding, plan->geometry);

  return with_room (MIN (paco_header_payload_size (header), most));
}

/* Allocates memory for frames of a form. */
static gboolean
allocate_form (CudaDecoder *decoder, Flight *flight, unsigned i, GError **error)
{
  const PacoHeader *header = &decoder->base.headers[i];
  PacoCudaFrame *frame = &flight->frame;
  const PacoCudaPlan *plan;
  bool wide;

  paco_cuda_frame_use (frame, flight->state->plans, i);
  plan = frame->plan;
  wide = !paco_dwt_is_narrow (&plan->format, &plan->coding);
  if (!paco_cuda_frame_allocate (frame, wide, error))
    return FALSE;
  paco_cuda_plan_blocks (
      plan, &plan->coding, false, NULL, paco_cuda_frame_blocks (frame));
  return paco_staged_reserve (
             &flight->payload, guess_payload (header, plan), 0, error)
      && paco_pinned_memory_reserve (
          frame->device, &flight->host_table, table_size (plan), "index", error)
      && paco_device_memory_reserve (
          frame->share, &flight->table, table_size (plan), "index", error)
      && paco_cuda_frame_upload_blocks (frame, error);
}

static gboolean
flight_init (
    CudaDecoder *decoder, Flight *flight, DeviceState *state, GError **error)
{
  flight->state = state;
  if (!paco_cuda_frame_init (&flight->frame, &state->share, error))
    return FALSE;
  flight->frame.maps.maps =
      &decoder->base.flights[flight - decoder->flights].maps;
  flight->payload = flight->frame.picture;
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    if (state->plans[i].geometry && !allocate_form (decoder, flight, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
allocate (CudaDecoder *decoder, unsigned number, GError **error)
{
  const PacoDecoder *base = &decoder->base;
  DeviceState *state = &decoder->states[number];

  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
    state->plans[i] = (PacoCudaPlan){
      .format = base->headers[i].picture,
      .coding = base->headers[i].coding,
      .geometry = base->coder.geometry[i],
      .reduce = base->reduce,
    };
    if (state->plans[i].geometry
        && !paco_cuda_plan_init (&state->plans[i], state->share.device, error))
      return FALSE;
  }
  for (unsigned i = number; i < base->coder.depth; i += base->coder.n_devices)
    if (!flight_init (decoder, &decoder->flights[i], state, error))
      return FALSE;
  return TRUE;
}

static gboolean
configure (PacoCoder *base, unsigned number, GError **error)
{
  CudaDecoder *decoder = (CudaDecoder *) base;
  PacoCudaDevice *device = decoder->states[number].share.device;
  gboolean done;

  if (!paco_cuda_device_enter (device, error))
    return FALSE;
  done = allocate (decoder, number, error);
  paco_cuda_device_leave (device);
  return done;
}

/* --- open and close --- */

static void
close_state (PacoCoder *base, unsigned number)
{
  paco_cuda_share_close (&((CudaDecoder *) base)->states[number].share);
}

static gboolean
open_states (
    CudaDecoder *decoder, const PacoBackendOptions *options, GError **error)
{
  PacoCoder *base = &decoder->base.coder;
  int ordinals[PACO_MAX_DEVICES];
  unsigned n = paco_cuda_find_ordinals (options, ordinals, error);

  for (unsigned i = 0; i < n; i++)
    if (!paco_cuda_share_open (
            &decoder->states[i].share, base, options, ordinals[i], error))
      return FALSE;
  return n > 0 && paco_coder_start (base, error);
}

PacoDecoder *
paco_cuda_decoder_open (const PacoBackendOptions *options, GError **error)
{
  static const PacoDecoderClass klass = {
    .coder = {
      .backend = "cuda",
      .device = &paco_cuda_device_class,
      .configure = configure,
      .unconfigure = unconfigure,
      .close = close_state,
    },
    .begin = begin,
    .drop = drop,
    .decode = decode,
    .decode_block = paco_decode_block_on_host,
  };
  CudaDecoder *decoder = g_new0 (CudaDecoder, 1);
  PacoDecoder *base = &decoder->base;

  paco_decoder_init (base, &klass, options);
  if (!open_states (decoder, options, error)) {
    paco_coder_close (&base->coder);
    return NULL;
  }
  return base;
}
