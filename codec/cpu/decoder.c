/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoder of the CPU backend: frame -> blocks -> coefficients -> samples. It is
 * a PacoDecoder (codec/decoder_private.h); its flights share the threads of
 * workers.c, and call bpc.h for blocks and frame.h for the transform. */
#include "codec/cpu/backend_private.h"
#include "codec/cpu/frame.h"
#include "codec/cpu/memory.h"
#include "codec/crop.h"
#include "codec/decoder_private.h"
#include <stdatomic.h>
#include <string.h>

/* --- comparing pictures in memory; the workers share the lines --- */

enum
{
  LINES = 64, /* that a worker compares at a time */
};

typedef struct
{
  PacoRegion regions[PACO_MAX_COMPONENTS]; /* of the picture */
  const PacoPicture *copy;
  uint64_t n_different; /* atomic */
} Comparison;

static uint32_t
count_bytes (const uint8_t *a, const uint8_t *b, size_t n)
{
  uint32_t different = 0;

  if (memcmp (a, b, n) == 0)
    return 0;
  for (size_t i = 0; i < n; i++)
    different += a[i] != b[i];
  return different;
}

/* Items are groups of lines, those of the first region first. */
static uint32_t
items_of (const PacoRegion *region)
{
  return (region->lines + LINES - 1) / LINES;
}

static void
compare_lines (void *data, uint32_t item, unsigned worker)
{
  Comparison *comparison = data;
  const PacoRegion *region = comparison->regions;
  uint64_t different = 0;
  uint32_t end;
  unsigned c;

  (void) worker;
  for (; item >= items_of (region); region++)
    item -= items_of (region);
  c = region->components[0];
  end = MIN ((item + 1) * LINES, region->lines);
  for (uint32_t y = item * LINES; y < end; y++)
    different += count_bytes (region->data + (ptrdiff_t) y * region->stride,
        comparison->copy->data[c] + (ptrdiff_t) y * comparison->copy->stride[c],
        region->line_bytes);
  if (different > 0)
    __atomic_fetch_add (&comparison->n_different, different, __ATOMIC_RELAXED);
}

/* Returns how many bytes of the picture's regions are different in the copy, which has
 * the same layouts and shares memory as the picture does. reduce is that of
 * paco_picture_regions(). */
static uint64_t
count_different (PacoWorkers *workers, const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoPicture *copy, unsigned reduce)
{
  Comparison comparison = { .copy = copy };
  unsigned n = paco_picture_regions (
      format, picture, reduce, comparison.regions);
  uint32_t n_items = 0;

  for (unsigned i = 0; i < n; i++)
    n_items += items_of (&comparison.regions[i]);
  paco_workers_run (workers, n_items, 1, compare_lines, &comparison);
  return comparison.n_different;
}

/* --- the decoder --- */

typedef struct _CpuDecoder CpuDecoder;

typedef struct
{
  CpuDecoder *decoder;
  PacoFrame frames[PACO_N_FORMS];

  /* The frame being decoded. */
  PacoFrame *frame;
  const PacoDecoderJob *job;
  gint corrupted_blocks; /* atomic */
  /* By block: whether its coefficients in memory are those of a block without planes.
   * Frames of the other form have the same memory. */
  bool *zero_blocks;

  /* Of the whole picture, if a part of it is wanted. */
  uint8_t *whole;
  size_t whole_size;
} Flight;

struct _CpuDecoder
{
  PacoDecoder base;
  PacoCpuOps ops;
  PacoWorkers *workers;
  Flight flights[PACO_MAX_DEPTH];
};

/* --- decoding a frame --- */

#define MAX_NARROW_PLANES 15

static void
decode_block (void *data, uint32_t item, unsigned worker)
{
  Flight *flight = data;
  CpuDecoder *decoder = flight->decoder;
  const PacoHeader *header = &flight->job->frame.header;
  /* The largest blocks come first, as in encoder.c. */
  uint32_t i = paco_frame_n_blocks (flight->frame) - 1 - item;
  PacoBlockRecord record = flight->job->records[i];
  const uint8_t *bytes = paco_decoder_block (flight->job, &record);
  bool damaged = false, zero, well;
  PacoBpcBlock block;

  if (paco_frame_is_abandoned (flight->frame))
    return;
  block = paco_frame_block (flight->frame, &header->coding, header->set, i);
  paco_frame_use_map (
      flight->frame, &header->coding, flight->job->cells, i, &block);
  if (header->coding.block_checks && record.planes > 0)
    damaged = decoder->ops.blocks->check (bytes, record.length) != record.check;
  if (damaged)
    record = (PacoBlockRecord){ .broken = true };
  /* Zeros that are in memory already are not written again. */
  zero = record.planes == 0 && record.length == 0;
  well = (zero && flight->zero_blocks[i])
      || decoder->ops.blocks->decode (
          paco_workers_bpc (decoder->workers, worker), &block, &record, bytes);
  if (block.past_caches)
    atomic_thread_fence (memory_order_seq_cst);
  flight->zero_blocks[i] = zero;
  if (!well || damaged)
    g_atomic_int_inc (&flight->corrupted_blocks);
}

/* Coefficients of up to 15 bits are int16_t with a reversible wavelet, so they take half the
 * memory. */
static void
choose_width (Flight *flight)
{
  const PacoGeometry *geometry = flight->frame->geometry;
  bool narrow[PACO_MAX_COMPONENTS], changed = false;

  for (unsigned c = 0; c < geometry->n_components; c++)
    narrow[c] = paco_is_reversible (flight->frame->coding, c);
  for (uint32_t i = 0; i < paco_frame_n_blocks (flight->frame); i++)
    if (flight->job->records[i].planes > MAX_NARROW_PLANES)
      narrow[geometry->subbands[geometry->blocks[i].subband].component] = false;
  for (unsigned c = 0; c < geometry->n_components; c++)
    changed |= paco_frame_set_narrow (flight->frame, c, narrow[c]);
  if (changed)
    memset (flight->zero_blocks, 0,
        paco_frame_n_blocks (flight->frame) * sizeof (bool));
}

/* Says whether all coefficients that are decoded are zero. */
static bool
is_empty (const Flight *flight)
{
  for (uint32_t i = 0; i < paco_frame_n_blocks (flight->frame); i++)
    if (flight->job->records[i].planes > 0)
      return false;
  return true;
}

/* A few bytes can claim the largest picture, all of whose blocks are zero. Such a
 * picture takes no memory but its own: its coefficients are not written. */
static void
decode_samples (
    Flight *flight, const PacoPicture *destination, gint64 *blocks_done)
{
  CpuDecoder *decoder = flight->decoder;

  if (is_empty (flight)) {
    *blocks_done = g_get_monotonic_time ();
    paco_frame_inverse_of_zero (flight->frame, destination);
    return;
  }
  choose_width (flight);
  paco_workers_run (decoder->workers, paco_frame_n_blocks (flight->frame), 1,
      decode_block, flight);
  *blocks_done = g_get_monotonic_time ();
  paco_frame_inverse (flight->frame, destination);
}

static gboolean
reserve_whole (Flight *flight, size_t size, GError **error)
{
  if (flight->whole_size >= size)
    return TRUE;
  paco_memory_free (flight->whole);
  flight->whole = paco_memory_new (size, 1);
  flight->whole_size = flight->whole ? size : 0;
  if (!flight->whole)
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "there are no %zu bytes of memory for the whole picture, of which a "
        "region is decoded, or which is compared",
        size);
  return flight->whole != NULL;
}

/* Decodes the whole picture into memory of the flight's, and copies the part from
 * there, or compares it. */
static gboolean
decode_aside (Flight *flight, const PacoDecoderJob *job, gint64 *blocks_done,
    PacoDecodedFrame *frame)
{
  const PacoPictureFormat *format = flight->frame->format;
  unsigned reduce = flight->frame->reduce;
  PacoPicture picture;
  PacoWhole whole;

  paco_whole_place (&whole, format, &job->destination, reduce);
  if (!reserve_whole (flight, whole.size, &frame->error))
    return FALSE;
  paco_whole_picture (&whole, &job->destination, flight->whole, &picture);
  decode_samples (flight, &picture, blocks_done);
  if (paco_frame_is_abandoned (flight->frame))
    return TRUE;
  if (job->compares)
    frame->different_bytes = count_different (
        flight->decoder->workers, format, &job->destination, &picture, reduce);
  else
    paco_whole_copy_part (&whole, format, &job->destination, flight->whole);
  return TRUE;
}

/* Returns how many blocks a frame of either form has at most. */
static size_t
n_blocks (const Flight *flight)
{
  size_t n = 0;

  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    if (flight->frames[i].geometry)
      n = MAX (n, paco_frame_n_blocks (&flight->frames[i]));
  return n;
}

static void
decode (PacoDecoder *base, unsigned number, const PacoDecoderJob *job,
    PacoDecodedFrame *frame)
{
  CpuDecoder *decoder = (CpuDecoder *) base;
  Flight *flight = &decoder->flights[number];
  PacoFrame *frame_of_job = &flight->frames[job->frame.header.picture.fields];
  gint64 times[3];

  flight->job = job;
  if (flight->frame != frame_of_job)
    memset (flight->zero_blocks, 0, n_blocks (flight));
  flight->frame = frame_of_job;
  flight->frame->coding = &job->frame.header.coding;
  flight->corrupted_blocks = 0;
  times[0] = g_get_monotonic_time ();
  if (job->destination.crop.width == 0 && !job->compares)
    decode_samples (flight, &job->destination, &times[1]);
  else if (!decode_aside (flight, job, &times[1], frame))
    return;
  times[2] = g_get_monotonic_time ();
  frame->corrupted_blocks += (uint32_t) flight->corrupted_blocks;
  if (!paco_frame_is_abandoned (flight->frame))
    paco_coder_count (&base->coder, number,
        &(PacoFrameCount){
            .bytes = job->frame.header.frame_size,
            .corrupted_blocks = frame->corrupted_blocks,
            .concealed_blocks = frame->concealed_blocks,
            .transform_ms = (times[2] - times[1]) / 1000.0,
            .blocks_ms = (times[1] - times[0]) / 1000.0,
            .stream_ms = (times[0] - job->begun) / 1000.0,
        });
}

/* --- configuration --- */

static void
flight_clear (Flight *flight)
{
  paco_frames_clear (flight->frames);
  paco_memory_free (flight->whole);
  flight->whole = NULL;
  flight->whole_size = 0;
  paco_memory_free (flight->zero_blocks);
  flight->zero_blocks = NULL;
}

static gboolean
flight_init (Flight *flight, CpuDecoder *decoder, GError **error)
{
  const PacoDecoder *base = &decoder->base;

  flight->decoder = decoder;
  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
    flight->frames[i] = (PacoFrame){
      .ops = decoder->ops.rows,
      .workers = decoder->workers,
      .coder = &base->coder,
      .flight = flight - decoder->flights,
      .format = &base->headers[i].picture,
      .coding = &base->headers[i].coding,
      .geometry = base->coder.geometry[i],
      .reduce = base->reduce,
      .maps = &base->flights[flight - decoder->flights].maps,
    };
  }
  if (!paco_frames_init (flight->frames, error))
    return FALSE;
  flight->frame = NULL;
  flight->zero_blocks = paco_memory_new (n_blocks (flight), sizeof (bool));
  return flight->zero_blocks
      || paco_fail (error, PACO_ERROR_MEMORY,
          "there is no memory for a list of %zu codeblocks", n_blocks (flight));
}

static void
unconfigure (PacoCoder *base, unsigned device)
{
  CpuDecoder *decoder = (CpuDecoder *) base;

  for (unsigned i = 0; i < base->depth; i++)
    flight_clear (&decoder->flights[i]);
}

static gboolean
configure (PacoCoder *base, unsigned device, GError **error)
{
  CpuDecoder *decoder = (CpuDecoder *) base;

  for (unsigned i = 0; i < base->depth; i++)
    if (!flight_init (&decoder->flights[i], decoder, error))
      return FALSE;
  return TRUE;
}

/* --- open and close --- */

static void
close_parts (PacoCoder *base, unsigned device)
{
  paco_workers_free (((CpuDecoder *) base)->workers);
}

PacoDecoder *
paco_cpu_decoder_open (const PacoBackendOptions *options, GError **error)
{
  static const PacoDecoderClass klass = {
    .coder = {
      .backend = "cpu",
      .configure = configure,
      .unconfigure = unconfigure,
      .close = close_parts,
    },
    .decode = decode,
    .decode_block = paco_decode_block_on_host,
  };
  CpuDecoder *decoder = g_new0 (CpuDecoder, 1);
  PacoDecoder *base = &decoder->base;

  paco_decoder_init (base, &klass, options);
  decoder->ops = (PacoCpuOps){ paco_row_ops (), paco_bpc_ops () };
  decoder->workers = paco_cpu_workers_new (options, error);
  base->coder.threads = decoder->workers;
  if (!decoder->workers || !paco_coder_start (&base->coder, error)) {
    paco_coder_close (&base->coder);
    return NULL;
  }
  paco_cpu_describe (&base->coder.stats, decoder->workers, &decoder->ops);
  return base;
}

void
paco_cpu_decoder_set_ops (PacoDecoder *decoder, const PacoCpuOps *ops)
{
  ((CpuDecoder *) decoder)->ops = *ops;
}

const PacoBackend paco_cpu_backend = {
  .name = "cpu",
  .encoder_open = paco_cpu_encoder_open,
  .decoder_open = paco_cpu_decoder_open,
};
