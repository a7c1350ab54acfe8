/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder of the CPU backend: samples -> coefficients -> blocks -> frame. It is
 * a PacoEncoder (codec/encoder_private.h); its flights share the threads of
 * workers.c, and call frame.h for the transform, bpc.h for blocks and
 * codec/rate_control.h for frames with a budget.
 *
 * Each flight has its own coefficients and, for each worker, an arena into which the
 * worker's blocks go one behind the other. So memory follows what frames need, not
 * what they might need at most. When all sizes are known, the blocks are copied in
 * their order into the buffer that is handed out. */
#include "codec/cpu/backend_private.h"
#include "codec/cpu/cells.h"
#include "codec/cpu/codes.h"
#include "codec/cpu/frame.h"
#include "codec/cpu/memory.h"
#include "codec/cut.h"
#include "codec/index.h"
#include "codec/encoder_private.h"
#include "codec/recycler.h"
#include "codec/rate_control.h"
#include "codec/rate_table.h"
#include <string.h>
#include <zlib.h>

#define ARENA_ALIGNMENT 16
#define COPY_CHUNK 32 /* blocks copied at a time */

/* --- counts and cuts of a frame with a budget --- */

/* Sums of all components' entries. */
typedef PacoRateBits Sums[PACO_MAX_COMPONENTS * PACO_MAX_SUBBANDS];

typedef struct
{
  unsigned n_workers;
  Sums *sums; /* one for each worker; the first ends up as the sum of all */
  PacoRateCuts *cuts;
  uint32_t *bytes; /* of each block, in index and payload */
  uint8_t *lost;
} Budget;

#define COUNT_CHUNK 8 /* blocks counted at a time */

static bool
budget_init (Budget *budget, unsigned n_workers, uint32_t n_blocks)
{
  budget->n_workers = n_workers;
  budget->sums = paco_memory_new (n_workers, sizeof *budget->sums);
  budget->cuts = paco_memory_new (n_blocks, sizeof *budget->cuts);
  budget->bytes = paco_memory_new (n_blocks, sizeof *budget->bytes);
  budget->lost = paco_memory_new (n_blocks, sizeof *budget->lost);
  return budget->sums && budget->cuts && budget->bytes && budget->lost;
}

static void
budget_clear (Budget *budget)
{
  g_clear_pointer (&budget->sums, paco_memory_free);
  g_clear_pointer (&budget->cuts, paco_memory_free);
  g_clear_pointer (&budget->bytes, paco_memory_free);
  g_clear_pointer (&budget->lost, paco_memory_free);
}

typedef struct
{
  Budget *budget;
  const PacoFrame *frame;
  const PacoRateTable *table;
  const PacoEncoderJob *job;
  const uint8_t *cells; /* of the step map, or NULL */
  bool checks;
} Count;

static void
count_block (void *data, uint32_t i, unsigned worker)
{
  const Count *count = data;
  const PacoGeometry *geometry = count->frame->geometry;
  const PacoSubband *subband = &geometry->subbands[geometry->blocks[i].subband];
  PacoBpcBlock block = paco_frame_block (
      count->frame, count->frame->coding, NULL, i);
  PacoRateBits *sum =
      &count->budget->sums[worker][subband->component * count->table->n_entries
          + subband->entry];
  uint32_t top[PACO_RATE_PLANES] = { 0 }, bits[PACO_RATE_PLANES + 1];
  unsigned lost = paco_areas_planes (&count->job->areas, count->frame->format,
      count->frame->coding, geometry, i, count->job->area_planes);
  PacoCountedBlock counted;
  uint32_t n_lines;

  /* A frame that was abandoned has no step map. */
  if (paco_frame_is_abandoned (count->frame))
    return;
  paco_frame_use_map (
      count->frame, count->frame->coding, count->cells, i, &block);
  counted = (PacoCountedBlock){
    .line = block.coefficients,
    .stride = block.stride,
    .width = block.width,
    .height = block.height,
    .all = (uint64_t) subband->width * subband->height <= PACO_RATE_COUNT_ALL,
    .scale = block.reversible
        ? 0.0f
        : count->table->scale[subband->component][subband->entry],
    .cells = block.cells,
    .map = block.map,
    .x = block.x,
    .y = block.y,
  };
  n_lines = count->frame->ops->count_tops (&counted, top);
  paco_rate_block_bits (top, n_lines * block.width,
      (uint32_t) block.height * block.width, count->checks, bits);
  for (unsigned j = 0; j <= PACO_RATE_PLANES; j++)
    sum->bits[j] += bits[MIN (j + lost, PACO_RATE_PLANES)];
}

static const PacoRateBits *
budget_count (Budget *budget, const PacoFrame *frame,
    const PacoRateTable *table, const PacoEncoderJob *job, const uint8_t *cells,
    bool checks)
{
  Count count = { budget, frame, table, job, cells, checks };

  memset (budget->sums, 0, budget->n_workers * sizeof *budget->sums);
  paco_workers_run (frame->workers, frame->geometry->n_blocks, COUNT_CHUNK,
      count_block, &count);
  for (unsigned w = 1; w < budget->n_workers; w++)
    for (unsigned e = 0; e < table->n_entries * frame->format->n_components;
         e++)
      for (unsigned j = 0; j <= PACO_RATE_PLANES; j++)
        budget->sums[0][e].bits[j] += budget->sums[w][e].bits[j];
  return budget->sums[0];
}

static void
budget_cut (Budget *budget, PacoBlockRecord *records, uint32_t n_blocks,
    const PacoCoding *coding, uint64_t bytes)
{
  PacoRateBlocks blocks = { budget->cuts, budget->bytes, n_blocks,
    coding->block_checks, coding->cut_points };

  paco_rate_cut (&blocks, bytes, budget->lost);
  for (uint32_t i = 0; i < n_blocks; i++) {
    PacoRateCuts *cuts = &budget->cuts[i];
    unsigned cut = budget->lost[i] - 1u;

    if (budget->lost[i] == 0)
      continue;
    if (cut == cuts->n) {
      records[i] = (PacoBlockRecord){ 0 };
    } else {
      paco_record_cut (&records[i], cuts->plane[cut], cuts->codewords[cut]);
      paco_rate_forget_cuts (cuts, cut + 1);
    }
  }
}

/* --- the encoder --- */

typedef struct _CpuEncoder CpuEncoder;

typedef struct
{
  CpuEncoder *encoder;
  PacoFrame frames[PACO_N_FORMS];
  PacoSampleMaps maps;
  PacoCodeChoice *choice; /* of code tables, where frames may have some */
  PacoSeenCodes *seen;    /* for each worker */
  PacoBlockRecord *records;
  uint8_t **blocks;  /* bytes of each block in the arenas */
  PacoArena *arenas; /* per worker */
  unsigned n_arenas;
  PacoSpare spare; /* lent to them: memory that only the transform needs */
  uint8_t *index;
  uint8_t *cells,
      *map;      /* of a step map, and its bytes; NULL if there is none */
  Budget budget; /* where frames have one */

  /* The frame being coded. */
  PacoFrame *frame;
  const PacoEncoderJob *job;
  PacoCoding coding;
  const PacoRateTable *table; /* with a budget, and the number of its steps */
  unsigned step_number;
  bool lossless;
  uint32_t map_size; /* 0 without a step map */
  uint8_t *payload;
  gint out_of_memory; /* atomic */
} Flight;

struct _CpuEncoder
{
  PacoEncoder base;
  PacoCpuOps ops;
  PacoWorkers *workers;
  PacoRecycler *outputs; /* of PacoRecycledFrame */
  Flight flights[PACO_MAX_DEPTH];
};

/* --- coding a frame --- */

/* Returns how many planes a block loses because it lies outside of all areas. */
static unsigned
area_planes (const Flight *flight, uint32_t i)
{
  const PacoFrame *frame = flight->frame;

  if (flight->lossless)
    return 0;
  return paco_areas_planes (&flight->job->areas, frame->format, frame->coding,
      frame->geometry, i, flight->job->area_planes);
}

/* Codes the block, and finds the cuts that it can lose, with this weight. */
static void
encode_to_cut (Flight *flight, uint32_t i, PacoBpcBlock *block, int weight,
    unsigned worker)
{
  CpuEncoder *encoder = flight->encoder;
  PacoBlockRecord *record = &flight->records[i];
  PacoRateCuts *cuts = &flight->budget.cuts[i];
  PacoBlockCounts counts;
  PacoCutPoints points;
  uint32_t bytes;

  block->counts = &counts;
  block->cut_points = &points;
  encoder->ops.blocks->encode (paco_workers_bpc (encoder->workers, worker),
      block, flight->blocks[i], record);
  bytes = paco_record_bytes (record, flight->coding.block_checks)
      + record->length;
  paco_rate_find_cuts (counts.top, points.codewords, record->planes,
      record->dropped_planes, (int) bytes, flight->coding.block_checks, weight,
      cuts);
  if (flight->coding.cut_points && record->planes > 0)
    bytes += PACO_RATE_POINTS_BYTES (cuts->n);
  flight->budget.bytes[i] = bytes;
}

static void
encode_for_quality (Flight *flight, uint32_t i, PacoBpcBlock *block,
    unsigned lost, unsigned worker)
{
  const PacoGeometry *geometry = flight->frame->geometry;
  const PacoSubband *subband = &geometry->subbands[geometry->blocks[i].subband];
  const PacoRate *rate = &flight->job->rate;
  CpuEncoder *encoder = flight->encoder;

  block->dropped_planes = (uint8_t) MIN (
      rate->dropped_planes[subband->component][subband->entry] + lost,
      PACO_MAX_DROPPED_PLANES);
  if (flight->coding.cut_points)
    encode_to_cut (flight, i, block,
        rate->weight[subband->component][subband->entry] - 16 * (int) lost,
        worker);
  else
    encoder->ops.blocks->encode (paco_workers_bpc (encoder->workers, worker),
        block, flight->blocks[i], &flight->records[i]);
}

static void
encode_for_budget (Flight *flight, uint32_t i, PacoBpcBlock *block,
    unsigned lost, unsigned worker)
{
  const PacoGeometry *geometry = flight->frame->geometry;
  const PacoSubband *subband = &geometry->subbands[geometry->blocks[i].subband];
  const PacoRateStep *step = paco_rate_table_step (flight->table,
      geometry->n_components, flight->step_number, subband->component,
      subband->entry);

  block->dropped_planes = (uint8_t) MIN (
      step->dropped_planes + lost, PACO_MAX_DROPPED_PLANES);
  block->scale = flight->table->scale[subband->component][subband->entry];
  block->multiplier = step->multiplier;
  block->shift = step->shift;
  block->narrow = flight->table->narrow;
  encode_to_cut (flight, i, block, step->weight - 16 * (int) lost, worker);
}

static void
encode_block (void *data, uint32_t item, unsigned worker)
{
  Flight *flight = data;
  CpuEncoder *encoder = flight->encoder;
  const PacoGeometry *geometry = flight->frame->geometry;
  /* The last blocks are the largest: a thread that gets one at the very end
   * would keep the others waiting. */
  uint32_t i = geometry->n_blocks - 1 - item;
  PacoBlockRecord *record = &flight->records[i];
  PacoBpcBlock block;
  unsigned lost;

  if (g_atomic_int_get (&flight->out_of_memory)
      || paco_frame_is_abandoned (flight->frame))
    return;
  flight->blocks[i] = paco_arena_reserve (
      &flight->arenas[worker], PACO_BPC_OUTPUT_SIZE);
  if (!flight->blocks[i]) {
    g_atomic_int_set (&flight->out_of_memory, TRUE);
    return;
  }
  block = paco_frame_block (flight->frame, &flight->coding, NULL, i);
  paco_frame_use_map (flight->frame, &flight->coding,
      flight->coding.step_map ? flight->cells : NULL, i, &block);
  block.complexity = encoder->base.parameters.complexity;
  lost = area_planes (flight, i);
  block.lost_planes = (uint8_t) (block.reversible ? 0 : lost);
  if (flight->table)
    encode_for_budget (flight, i, &block, lost, worker);
  else
    encode_for_quality (flight, i, &block, lost, worker);
  if (flight->coding.block_checks)
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
fail (PacoErrorCode code, const char *sentence)
{
  return paco_encoded_frame_empty (
      g_error_new_literal (PACO_ERROR, code, sentence));
}

/* Puts header, index and payload into a buffer of their size. */
static PacoEncodedFrame *
assemble (Flight *flight)
{
  CpuEncoder *encoder = flight->encoder;
  uint32_t n_blocks = flight->frame->geometry->n_blocks;
  PacoHeader header = {
    .picture = *flight->frame->format,
    .video = flight->job->video,
    .coding = flight->coding,
  };
  uint64_t payload_size = 0, size;
  PacoRecycledFrame *output;
  PacoEncodedFrame *frame;

  for (uint32_t i = 0; i < n_blocks; i++) {
    flight->records[i].offset = (uint32_t) payload_size;
    payload_size += flight->records[i].length;
  }
  if (flight->choice)
    paco_policy_pack_codes (flight->choice, &header.coding);
  header.header_size = paco_header_size (&header);
  header.index_size = paco_header_tables_size (&header);
  if (header.index_size > 0)
    memcpy (flight->index, flight->choice->bytes, header.index_size);
  header.index_size += paco_index_write (flight->records, n_blocks,
      header.coding.block_checks, flight->index + header.index_size);
  if (flight->map_size > 0)
    memcpy (flight->index + header.index_size, flight->map, flight->map_size);
  header.step_map_size = flight->map_size;
  header.index_size += flight->map_size;
  if (header.coding.cut_points)
    header.cut_points_size = (uint32_t) paco_cut_points_write (flight->records,
        flight->budget.cuts, n_blocks, flight->index + header.index_size);
  header.index_size += header.cut_points_size;
  header.index_crc = crc32 (0, flight->index, header.index_size);
  size = header.header_size + header.index_size + payload_size
      + header.video.attachment.size;
  if (size > G_MAXUINT32)
    return fail (PACO_ERROR_UNSUPPORTED,
        "the coded frame would be larger than 4 GiB; use a lower quality");
  header.frame_size = (uint32_t) size;

  output = paco_recycler_take_frame (encoder->outputs, size, NULL);
  if (!output)
    return paco_encoded_frame_empty (g_error_new (PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for a coded frame of %u bytes", header.frame_size));
  frame = &output->frame;
  paco_header_write (&header, frame->data);
  frame->step = paco_coding_finest_step (&header.coding);
  memcpy (frame->data + header.header_size, flight->index, header.index_size);
  flight->payload = frame->data + header.header_size + header.index_size;
  paco_workers_run (encoder->workers, n_blocks, COPY_CHUNK, copy_block, flight);
  paco_attachment_copy (
      &header.video.attachment, flight->payload + payload_size);
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
  flight->frame->coding = &job->rate.coding;
  flight->table = NULL;
  flight->lossless = false;
}

/* Makes the step map of the frame, which is transformed, if it has one. */
static void
make_map (Flight *flight)
{
  const PacoGeometry *geometry = flight->frame->geometry;

  flight->map_size = 0;
  if (!flight->coding.step_map || paco_frame_is_abandoned (flight->frame))
    return;
  paco_find_cells (flight->frame,
      paco_encoder_activity (&flight->encoder->base, flight->job),
      flight->cells);
  paco_areas_add (&flight->job->areas, &flight->coding, geometry,
      flight->job->area_planes, flight->cells);
  flight->map_size = (uint32_t) paco_step_map_write (
      flight->cells, geometry, flight->map);
}

static void
code_blocks (Flight *flight)
{
  flight->spare = (PacoSpare){
    .memory = (uint8_t *) flight->frame->inner,
    .size = flight->frame->inner_size,
  };
  for (unsigned i = 0; i < flight->n_arenas; i++)
    paco_arena_reset (&flight->arenas[i], &flight->spare);
  paco_workers_run (flight->encoder->workers, flight->frame->geometry->n_blocks,
      1, encode_block, flight);
}

static bool
has_failed (const Flight *flight)
{
  return flight->out_of_memory || paco_frame_is_abandoned (flight->frame);
}

/* --- a frame with a budget --- */

/* Returns how many bytes of the budget are left for index and payload. */
static uint64_t
budget_for_blocks (const Flight *flight)
{
  const PacoHeader header = {
    .picture = *flight->frame->format,
    .video = flight->job->video,
    .coding = flight->coding,
  };

  return flight->job->rate.budget - paco_header_overhead (&header);
}

static uint64_t
count_bytes (const Flight *flight)
{
  uint64_t bytes = flight->map_size;

  for (uint32_t i = 0; i < flight->frame->geometry->n_blocks; i++)
    bytes += flight->budget.bytes[i];
  return bytes;
}

/* Transforms the frame as the attempt has it. */
static void
transform (Flight *flight, bool lossless)
{
  const PacoEncoderForm *form = &flight->encoder->base.forms[flight->job->form];

  flight->coding = lossless ? form->lossless : flight->job->rate.coding;
  flight->table = lossless ? form->lossless_table : form->table;
  flight->step_number = 0;
  flight->lossless = lossless;
  flight->frame->coding = lossless ? &form->lossless
                                   : &flight->job->rate.coding;
  paco_frame_forward (flight->frame, &flight->job->picture);
  make_map (flight);
}

/* Codes the frame once; FALSE if it is to be coded without loss instead. */
static bool
code_attempt (Flight *flight, PacoRateAttempt *attempt)
{
  if (!attempt->lossless) {
    const PacoRateBits *sums = flight->budget.sums[0];

    if (!attempt->has_counts)
      sums = budget_count (&flight->budget, flight->frame, flight->table,
          flight->job, flight->coding.step_map ? flight->cells : NULL,
          flight->coding.block_checks);
    attempt->has_counts = true;
    if (!paco_rate_step (attempt, sums))
      return false;
    flight->step_number = attempt->number;
  }
  paco_rate_table_apply (flight->table, flight->frame->format,
      flight->step_number, &flight->coding);
  code_blocks (flight);
  return true;
}

static void
code_to_fit (Flight *flight)
{
  PacoEncoder *base = &flight->encoder->base;
  const PacoEncoderForm *form = &base->forms[flight->job->form];
  PacoRateHistory history = paco_encoder_learn (base, flight->job);
  uint64_t bytes = budget_for_blocks (flight);
  uint32_t n_blocks = flight->frame->geometry->n_blocks;
  PacoRateAttempt attempt;
  bool coded, lossless;

  paco_rate_begin (&attempt, form->table, flight->frame->format->n_components,
      form->lossless_table != NULL, bytes, &history);
  lossless = attempt.lossless;
  transform (flight, lossless);
  do {
    if (attempt.lossless != lossless) {
      lossless = attempt.lossless;
      transform (flight, lossless);
    }
    coded = code_attempt (flight, &attempt);
  } while (!has_failed (flight)
      && (!coded || paco_rate_again (&attempt, count_bytes (flight))));
  if (has_failed (flight))
    return;
  history = paco_rate_end (&attempt);
  paco_encoder_tell (base, flight->job, &history);
  bytes = paco_rate_bytes_without_map (
      bytes, n_blocks, &flight->coding, &flight->map_size);
  budget_cut (
      &flight->budget, flight->records, n_blocks, &flight->coding, bytes);
  for (uint32_t i = 0; i < n_blocks && flight->coding.block_checks; i++)
    if (flight->budget.lost[i] > 0)
      flight->records[i].check = flight->encoder->ops.blocks->check (
          flight->blocks[i], flight->records[i].length);
}

/* --- */

/* Chooses the code tables of the frame, and makes the maps of its samples. Their numbers
 * choose the rest. */
static gboolean
choose (Flight *flight, PacoEncoderJob *job, GError **error)
{
  const PacoEncoderForm *form = &flight->encoder->base.forms[job->form];
  PacoFrame *frame = flight->frame;
  PacoCodeFinder finder = { frame, &job->picture, flight->seen };
  PacoCodeChoice *choice = flight->choice;

  if (choice) {
    choice->groups = form->code_groups;
    if (job->video.slice.length > 0)
      choice->groups.n = 0;
    if (!paco_policy_choose_codes (
            choice, paco_find_codes, &finder, &job->rate.coding, error))
      return FALSE;
  }
  if (!paco_sample_maps_make (&flight->maps, frame->format, &job->rate.coding,
          choice ? choice->tables : NULL, error))
    return FALSE;
  if (form->chooses) {
    PacoBandSamples samples = paco_policy_band_samples (
        frame->format, &job->picture, &flight->maps);

    paco_encoder_choose (form, &samples, &job->rate);
  }
  flight->coding = job->rate.coding;
  return TRUE;
}

static PacoEncodedFrame *
encode (PacoEncoder *base, unsigned number, PacoEncoderJob *job)
{
  CpuEncoder *encoder = (CpuEncoder *) base;
  Flight *flight = &encoder->flights[number];
  gint64 begin = g_get_monotonic_time ();
  double transform_ms = 0.0, blocks_ms;
  PacoEncodedFrame *frame;
  GError *error = NULL;

  flight_begin (flight, job);
  if (!choose (flight, job, &error))
    return paco_encoded_frame_empty (error);
  if (job->rate.budget > 0) {
    code_to_fit (flight);
  } else {
    paco_frame_forward (flight->frame, &job->picture);
    make_map (flight);
    transform_ms = milliseconds_since (begin);
    code_blocks (flight);
  }
  blocks_ms = milliseconds_since (begin);
  if (paco_frame_is_abandoned (flight->frame))
    return paco_encoded_frame_empty (NULL);
  if (flight->out_of_memory)
    return fail (
        PACO_ERROR_MEMORY, "not enough memory for the codeblocks of a frame");

  frame = assemble (flight);
  paco_coder_count (&base->coder, number,
      &(PacoFrameCount){
          .bytes = frame->size,
          .transform_ms = transform_ms,
          .blocks_ms = blocks_ms - transform_ms,
          .stream_ms = milliseconds_since (begin) - blocks_ms,
      });
  return frame;
}

/* --- configuration --- */

static void
flight_clear (Flight *flight)
{
  paco_frames_clear (flight->frames);
  paco_sample_maps_clear (&flight->maps);
  g_clear_pointer (&flight->choice, paco_memory_free);
  g_clear_pointer (&flight->seen, paco_memory_free);
  for (unsigned i = 0; i < flight->n_arenas; i++)
    paco_arena_clear (&flight->arenas[i]);
  flight->n_arenas = 0;
  g_clear_pointer (&flight->arenas, g_free);
  g_clear_pointer (&flight->records, paco_memory_free);
  g_clear_pointer (&flight->blocks, paco_memory_free);
  g_clear_pointer (&flight->index, paco_memory_free);
  g_clear_pointer (&flight->cells, paco_memory_free);
  g_clear_pointer (&flight->map, paco_memory_free);
  budget_clear (&flight->budget);
}

static gboolean
flight_init (Flight *flight, CpuEncoder *encoder, GError **error)
{
  const PacoEncoder *base = &encoder->base;
  bool cuts = base->forms[base->form].coding.cut_points;
  bool mapped = base->forms[base->form].coding.step_map;
  size_t n_blocks = 0, tables = 0, n_cells = 0, map = 0;

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
      .maps = &flight->maps,
    };
    if (!geometry)
      continue;
    n_blocks = MAX (n_blocks, geometry->n_blocks);
    tables = MAX (
        tables, paco_policy_code_tables_size (&base->forms[i].code_groups));
    if (mapped) {
      n_cells = MAX (n_cells, paco_step_map_n_cells (geometry));
      map = MAX (map, paco_step_map_max_size (geometry));
    }
  }
  flight->n_arenas = paco_workers_count (encoder->workers);
  flight->arenas = g_new0 (PacoArena, flight->n_arenas);
  flight->records = paco_memory_new (n_blocks, sizeof *flight->records);
  flight->blocks = paco_memory_new (n_blocks, sizeof *flight->blocks);
  flight->index = paco_memory_new (tables + map
          + n_blocks
              * (PACO_MAX_RECORD + (cuts ? PACO_MAX_CUT_POINTS_SIZE (1) : 0)),
      1);
  if (mapped) {
    flight->cells = paco_memory_new (n_cells, 1);
    flight->map = paco_memory_new (map, 1);
  }
  if (tables > 0) {
    flight->choice = paco_memory_new (1, sizeof *flight->choice);
    flight->seen = paco_memory_new (flight->n_arenas, sizeof *flight->seen);
    if (flight->seen)
      memset (flight->seen, 0, flight->n_arenas * sizeof *flight->seen);
  }
  if ((tables > 0 && (!flight->choice || !flight->seen))
      || (mapped && (!flight->cells || !flight->map)) || !flight->records
      || !flight->blocks || !flight->index
      || ((cuts || base->forms[base->form].table)
          && !budget_init (&flight->budget, flight->n_arenas, n_blocks)))
    return paco_fail (
        error, PACO_ERROR_MEMORY, "not enough memory for the index of a frame");
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
  PacoRecyclerLimits limits = { .least = base->depth + 1, .alive = G_MAXUINT };

  for (unsigned i = 0; i < base->depth; i++)
    if (!flight_init (&encoder->flights[i], encoder, error))
      return FALSE;
  paco_recycler_reset (encoder->outputs);
  paco_recycler_limit (encoder->outputs, &limits);
  return TRUE;
}

/* --- open and close --- */

/* A frame's memory has some more bytes than it needs, because frames differ. */
static bool
allocate_output (void *item, size_t size, void *user, GError **error)
{
  PacoRecycled *memory = item;

  memory->size = size + MIN (size / 16, G_MAXSIZE - size);
  memory->data = paco_memory_new (memory->size, 1);
  return memory->data != NULL;
}

static void
release_output (void *item)
{
  paco_memory_free (((PacoRecycled *) item)->data);
}

static void
close_parts (PacoCoder *base, unsigned device)
{
  CpuEncoder *encoder = (CpuEncoder *) base;

  paco_workers_free (encoder->workers);
  paco_recycler_free (encoder->outputs);
}

PacoEncoder *
paco_cpu_encoder_open (const PacoBackendOptions *options, GError **error)
{
  static const PacoRecyclerClass outputs_class = {
    .item_size = sizeof (PacoRecycledFrame),
    .allocate = allocate_output,
    .release = release_output,
    .tight = true,
  };
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
  encoder->outputs = paco_recycler_new (
      &outputs_class, &(PacoRecyclerLimits){ 0 }, NULL);
  encoder->workers = paco_cpu_workers_new (options, error);
  base->coder.threads = encoder->workers;
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
