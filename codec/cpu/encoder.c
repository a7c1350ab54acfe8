/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder of the CPU backend: samples -> coefficients -> blocks -> frame.
 *
 * Each flight has its own coefficients and, per worker, an arena into which the
 * worker's blocks go one behind the other, so that memory follows what frames
 * need and not what they might. The blocks are put in order when their sizes
 * are known, in the buffer that goes out. */
#include "codec/cpu/backend_private.h"
#include "codec/cpu/frame.h"
#include "codec/cpu/memory.h"
#include "codec/cpu/output.h"
#include "codec/encoder_private.h"
#include "codec/index.h"
#include <string.h>
#include <zlib.h>

#define ARENA_ALIGNMENT 16
#define COPY_CHUNK 32 /* blocks copied at a time */

typedef struct _CpuEncoder CpuEncoder;

typedef struct
{
  CpuEncoder *encoder;
  PacoFrame frames[PACO_N_FORMS];
  PacoBlockRecord *records;
  uint8_t **blocks;  /* bytes of each block in the arenas */
  PacoArena *arenas; /* per worker */
  unsigned n_arenas;
  PacoSpare spare; /* for them: what only the transform needs */
  uint8_t *index;

  /* of the frame being coded */
  PacoFrame *frame;
  const PacoEncoderJob *job;
  uint8_t *payload;
  gint out_of_memory; /* atomic */
} Flight;

struct _CpuEncoder
{
  PacoEncoder base;
  PacoCpuOps ops;
  PacoWorkers *workers;
  PacoOutputs *outputs;
  Flight flights[PACO_MAX_DEPTH];
};

/* --- coding a frame --- */

static void
encode_block (void *data, uint32_t item, unsigned worker)
{
  Flight *flight = data;
  CpuEncoder *encoder = flight->encoder;
  const PacoGeometry *geometry = flight->frame->geometry;
  /* The last blocks are the largest: a thread that gets one at the very end
   * would keep the others waiting. */
  uint32_t i = geometry->n_blocks - 1 - item;
  const PacoSubband *subband = &geometry->subbands[geometry->blocks[i].subband];
  PacoBlockRecord *record = &flight->records[i];
  PacoBpcBlock block;

  if (g_atomic_int_get (&flight->out_of_memory)
      || paco_frame_is_abandoned (flight->frame))
    return;
  flight->blocks[i] = paco_arena_reserve (
      &flight->arenas[worker], PACO_BPC_OUTPUT_SIZE);
  if (!flight->blocks[i]) {
    g_atomic_int_set (&flight->out_of_memory, TRUE);
    return;
  }
  block = paco_frame_block (flight->frame, &flight->job->rate.coding, NULL, i);
  block.complexity = encoder->base.parameters.complexity;
  block.dropped_planes =
      flight->job->rate.dropped_planes[subband->component][subband->entry];
  encoder->ops.blocks->encode (paco_workers_bpc (encoder->workers, worker),
      &block, flight->blocks[i], record);
  if (flight->job->rate.coding.block_checks)
    record->check = encoder->ops.blocks->check (
        flight->blocks[i], record->length);
  paco_arena_take (&flight->arenas[worker],
      (record->length + ARENA_ALIGNMENT - 1) & ~(ARENA_ALIGNMENT - 1u));
}

static void
copy_block (void *data, uint32_t i, unsigned worker)
{
  Flight *flight = data;

  memcpy (flight->payload + flight->records[i].offset, flight->blocks[i],
      flight->records[i].length);
}

static PacoEncodedFrame *
fail (CpuEncoder *encoder, PacoErrorCode code, const char *sentence)
{
  PacoEncodedFrame *frame = paco_outputs_get (encoder->outputs, 0);

  frame->error = g_error_new_literal (PACO_ERROR, code, sentence);
  return frame;
}

/* Header, index and payload in a buffer of their size. */
static PacoEncodedFrame *
assemble (Flight *flight)
{
  CpuEncoder *encoder = flight->encoder;
  uint32_t n_blocks = flight->frame->geometry->n_blocks;
  PacoHeader header = {
    .picture = *flight->frame->format,
    .video = flight->job->video,
    .coding = flight->job->rate.coding,
  };
  uint64_t payload_size = 0, size;
  PacoEncodedFrame *frame;

  for (uint32_t i = 0; i < n_blocks; i++) {
    flight->records[i].offset = (uint32_t) payload_size;
    payload_size += flight->records[i].length;
  }
  header.header_size = paco_header_size (&header);
  header.index_size = paco_index_write (
      flight->records, n_blocks, header.coding.block_checks, flight->index);
  header.index_crc = crc32 (0, flight->index, header.index_size);
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
  memcpy (frame->data + header.header_size, flight->index, header.index_size);
  flight->payload = frame->data + header.header_size + header.index_size;
  paco_workers_run (encoder->workers, n_blocks, COPY_CHUNK, copy_block, flight);
  return frame;
}

static double
milliseconds_since (gint64 time)
{
  return (double) (g_get_monotonic_time () - time) / 1000.0;
}

static void
flight_begin (Flight *flight, const PacoEncoderJob *job)
{
  flight->job = job;
  flight->frame = &flight->frames[job->form];
  flight->out_of_memory = FALSE;
  flight->spare = (PacoSpare){
    .memory = (uint8_t *) flight->frame->inner,
    .size = flight->frame->inner_size,
  };
  for (unsigned i = 0; i < flight->n_arenas; i++)
    paco_arena_reset (&flight->arenas[i], &flight->spare);
}

static PacoEncodedFrame *
encode (PacoEncoder *base, unsigned number, const PacoEncoderJob *job)
{
  CpuEncoder *encoder = (CpuEncoder *) base;
  Flight *flight = &encoder->flights[number];
  gint64 begin = g_get_monotonic_time ();
  double transform, blocks;
  PacoEncodedFrame *frame;

  flight_begin (flight, job);
  paco_frame_forward (flight->frame, &job->picture);
  transform = milliseconds_since (begin);
  paco_workers_run (encoder->workers, flight->frame->geometry->n_blocks, 1,
      encode_block, flight);
  blocks = milliseconds_since (begin);
  if (paco_frame_is_abandoned (flight->frame))
    return paco_outputs_get (encoder->outputs, 0);
  if (flight->out_of_memory)
    return fail (encoder, PACO_ERROR_MEMORY,
        "not enough memory for the codeblocks of a frame");

  frame = assemble (flight);
  paco_coder_count (&base->coder, number,
      &(PacoFrameCount){
          .bytes = frame->size,
          .transform_ms = transform,
          .blocks_ms = blocks - transform,
          .stream_ms = milliseconds_since (begin) - blocks,
      });
  return frame;
}

/* --- configuration --- */

static void
flight_clear (Flight *flight)
{
  paco_frames_clear (flight->frames);
  for (unsigned i = 0; i < flight->n_arenas; i++)
    paco_arena_clear (&flight->arenas[i]);
  flight->n_arenas = 0;
  g_clear_pointer (&flight->arenas, g_free);
  g_clear_pointer (&flight->records, paco_memory_free);
  g_clear_pointer (&flight->blocks, paco_memory_free);
  g_clear_pointer (&flight->index, paco_memory_free);
}

static gboolean
flight_init (Flight *flight, CpuEncoder *encoder, GError **error)
{
  const PacoEncoder *base = &encoder->base;
  size_t n_blocks = 0;

  flight->encoder = encoder;
  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
    const PacoGeometry *geometry = base->coder.geometry[i];

    flight->frames[i] = (PacoFrame){
      .ops = encoder->ops.rows,
      .workers = encoder->workers,
      .coder = &base->coder,
      .flight = flight - encoder->flights,
      .format = &base->forms[i].picture,
      .coding = &base->forms[i].coding,
      .geometry = geometry,
    };
    if (geometry)
      n_blocks = MAX (n_blocks, geometry->n_blocks);
  }
  flight->n_arenas = paco_workers_count (encoder->workers);
  flight->arenas = g_new0 (PacoArena, flight->n_arenas);
  flight->records = paco_memory_new (n_blocks, sizeof *flight->records);
  flight->blocks = paco_memory_new (n_blocks, sizeof *flight->blocks);
  flight->index = paco_memory_new (n_blocks, PACO_MAX_RECORD);
  if (!flight->records || !flight->blocks || !flight->index) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for the index of a frame");
    return FALSE;
  }
  return paco_frames_init (flight->frames, error);
}

static void
unconfigure (PacoCoder *base, unsigned device)
{
  CpuEncoder *encoder = (CpuEncoder *) base;

  for (unsigned i = 0; i < base->depth; i++)
    flight_clear (&encoder->flights[i]);
}

static gboolean
configure (PacoCoder *base, unsigned device, GError **error)
{
  CpuEncoder *encoder = (CpuEncoder *) base;

  for (unsigned i = 0; i < base->depth; i++)
    if (!flight_init (&encoder->flights[i], encoder, error))
      return FALSE;
  paco_outputs_keep (encoder->outputs, base->depth + 1);
  return TRUE;
}

/* --- open and close --- */

static void
close_parts (PacoCoder *base, unsigned device)
{
  CpuEncoder *encoder = (CpuEncoder *) base;

  paco_workers_free (encoder->workers);
  paco_outputs_close (encoder->outputs);
}

PacoEncoder *
paco_cpu_encoder_open (const PacoBackendOptions *options, GError **error)
{
  static const PacoEncoderClass klass = {
    .coder = {
      .backend = "cpu",
      .configure = configure,
      .unconfigure = unconfigure,
      .close = close_parts,
    },
    .encode = encode,
  };
  CpuEncoder *encoder = g_new0 (CpuEncoder, 1);
  PacoEncoder *base = &encoder->base;

  paco_encoder_init (base, &klass, options);
  encoder->ops = (PacoCpuOps){ paco_row_ops (), paco_bpc_ops () };
  encoder->outputs = paco_outputs_new ();
  encoder->workers = paco_cpu_workers_new (options->threads, error);
  if (!encoder->workers || !paco_coder_start (&base->coder, error)) {
    paco_coder_close (&base->coder);
    return NULL;
  }
  paco_cpu_describe (&base->coder.stats, encoder->workers, &encoder->ops);
  return base;
}

void
paco_cpu_encoder_set_ops (PacoEncoder *encoder, const PacoCpuOps *ops)
{
  ((CpuEncoder *) encoder)->ops = *ops;
}
