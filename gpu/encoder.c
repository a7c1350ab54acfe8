/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder of the CUDA backend: samples -> coefficients -> blocks -> frame.
 *
 * A flight's thread enqueues everything that a frame needs, from the upload to the
 * download of the codestream, and then waits once. Meanwhile other flights' threads do
 * the same, so that uploads, kernels and downloads of several frames overlap. (If a
 * frame chooses its color transform or wavelet, the host looks at it while it is
 * uploaded, or at a few lines of one in device memory while it is coded; bands.c.)
 *
 * The codestream's size is not known when its download is enqueued: that is as long as
 * the flight's last frame and a little more. Only what a frame has beyond that takes a
 * second download. (Kernels that write to the host's memory would know, but their
 * writes and other frames' uploads hinder each other.) */
#include "codec/recycler.h"
#include "gpu/encoder_private.h"
#include <string.h>

/* A frame guesses its choice if the last frame chose the same as this many before it. */
#define GUESSED 4

/* --- coding a frame --- */

/* True if the frame being coded, which has a budget, is lossless. */
static bool
is_lossless (const PacoCudaEncoderFlight *flight)
{
  return flight->frame.plan != &flight->state->plans[flight->frame.form];
}

/* The areas that blocks are weighed by. */
static PacoAreas
areas_of (const PacoCudaEncoderFlight *flight, const PacoEncoderJob *job)
{
  if (job->area_planes == 0 || is_lossless (flight))
    return (PacoAreas){ .n = 0 };
  return job->areas;
}

/* Returns the most words of the blocks' code. */
static size_t
describe_blocks (PacoCudaEncoderFlight *flight, const PacoEncoderJob *job,
    bool wide, const PacoAreas *areas)
{
  const PacoCudaPlan *plan = flight->frame.plan;
  PacoGpuBlock *blocks = paco_cuda_frame_blocks (&flight->frame);
  size_t words = paco_cuda_plan_blocks (
      plan, &flight->coding, wide, job->rate.dropped_planes, blocks);

  if (areas->n > 0)
    for (uint32_t i = 0; i < plan->n_blocks; i++)
      blocks[i].lost_planes = paco_areas_planes (areas, &plan->format,
          &flight->coding, plan->geometry, i, job->area_planes);
  return words;
}

static gboolean
upload_blocks (
    PacoCudaEncoderFlight *flight, const PacoEncoderJob *job, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  guint *rate_number = &flight->forms[frame->form].rate_number;
  bool *lossless = &flight->forms[frame->form].lossless;
  bool *wide = &flight->forms[frame->form].wide;
  PacoAreas *areas = &flight->forms[frame->form].areas;
  PacoAreas wanted = areas_of (flight, job);

  if (*rate_number != job->rate.number || *lossless != is_lossless (flight)
      || *wide != flight->rate->wide || !paco_areas_equal (areas, &wanted)) {
    size_t words;

    *rate_number = 0;
    *lossless = is_lossless (flight);
    *wide = flight->rate->wide;
    *areas = wanted;
    words = describe_blocks (flight, job, *wide, areas);
    if (!paco_cuda_frame_reserve (frame, *wide, error)
        || !paco_device_memory_reserve (
            frame->share, &flight->code, 4 * words, "coded blocks", error)
        || !paco_cuda_frame_upload_blocks (frame, error))
      return FALSE;
    *rate_number = job->rate.number;
  }
  flight->wide = *wide;
  return TRUE;
}

static gboolean
transform (PacoCudaEncoderFlight *flight, GError **error)
{
  PacoPicture picture;
  PacoDwtFrame frame;

  paco_transfer_device_picture (
      &flight->frame.transfer, flight->frame.picture.memory.address, &picture);
  frame = paco_cuda_frame_transform (
      &flight->frame, &flight->coding, &picture, flight->wide);
  if (flight->rate->steps)
    frame.scales = flight->rate->steps->table->scale;
  return paco_cuda_frame_enqueue_transform (
      &flight->frame, &frame, false, error);
}

static gboolean
code_blocks (
    PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight, GError **error)
{
  const PacoCudaPlan *plan = flight->frame.plan;
  unsigned passes = flight->coding.coding_passes;
  PacoBpcEncodeParameters parameters = {
    .coefficients = flight->frame.coefficients.address,
    .blocks = flight->frame.blocks[flight->frame.form].address,
    .planes = flight->frame.planes.address,
    .code = flight->code.address,
    .records = flight->records.address,
    .cells = flight->rate->cells,
    .n_blocks = plan->n_blocks,
    .complexity = encoder->base.parameters.complexity,
    .block_checks = flight->coding.block_checks,
  };
  CUdeviceptr rows;

  if (!paco_cuda_frame_rows (
          &flight->frame, &flight->coding, NULL, &rows, error))
    return FALSE;
  parameters.rows = rows;
  if (paco_cuda_rate_has_cuts (flight->rate))
    paco_cuda_budget_set_parameters (
        &flight->budget, flight->rate, &parameters);
  return paco_cuda_stream_launch (&flight->frame.stream,
      &(PacoLaunch){
          .function =
              flight->frame.device->bpc_encode[flight->wide][passes - 1],
          .grid_x = plan->n_blocks,
          .threads = PACO_BPC_THREADS,
          .shared_bytes = paco_bpc_shared_bytes (
              false, passes, plan->block_height),
          PACO_LAUNCH_PARAMETERS (parameters),
      },
      error);
}

/* Bytes of the frame from the device. */
static gboolean
download (PacoCudaEncoderFlight *flight, uint8_t *to, size_t begin, size_t end,
    GError **error)
{
  return end <= begin
      || paco_cuda_download (flight->frame.device, to + begin,
          flight->packed.address + begin, end - begin, &flight->frame.stream,
          error);
}

/* Enqueues the search for codes in some lines of the picture, and between them if these are
 * likely to be wanted. */
static gboolean
enqueue_find (PacoCudaEncoderFlight *flight, const PacoCodeGroups *groups,
    uint32_t step, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  PacoPicture picture;

  paco_transfer_device_picture (
      &frame->transfer, frame->picture.memory.address, &picture);
  return paco_cuda_frame_find_codes (frame, &picture, groups, step,
      step > 1 && flight->found_all, flight->codes.address,
      (PacoCodeTable *) flight->host_codes.data, error);
}

/* Enqueues what finds the step map, if the frame has one. */
static gboolean
find_cells (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    const PacoEncoderJob *job, GError **error)
{
  bool added = job->areas.n > 0 && job->area_planes > 0;

  return !flight->rate->cells
      || ((!added
              || paco_cuda_cells_add (
                  &flight->cells, &flight->frame, job, error))
          && paco_cuda_cells_find (&flight->cells, &flight->frame,
              paco_encoder_activity (&encoder->base, job), added, flight->wide,
              error)
          && paco_cuda_cells_download (&flight->cells, &flight->frame, error));
}

/* Enqueues all between upload and the end of the block coder. */
static gboolean
enqueue_coding (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    const PacoEncoderJob *job, bool transformed, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  const PacoCudaRate *rate = flight->rate;

  return paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_1, error)
      && (!flight->finds_codes
          || enqueue_find (
              flight, &flight->choice->groups, PACO_CODE_LINES, error))
      && (transformed
          || (transform (flight, error)
              && find_cells (encoder, flight, job, error)))
      && (!rate->steps
          || paco_cuda_budget_decide (&flight->budget, frame, rate, error))
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_2, error)
      && code_blocks (encoder, flight, error);
}

/* Packs code tables and step map while the device codes blocks, and finds how many bytes
 * are left for these, with a budget. */
static gboolean
pack_tables (PacoCudaEncoderFlight *flight, bool transformed,
    PacoHeader *header, uint64_t *bytes, GError **error)
{
  const PacoCudaRate *rate = flight->rate;

  if (flight->choice)
    paco_policy_pack_codes (flight->choice, &header->coding);
  if (!rate->cells)
    flight->cells.size = 0;
  else if (!transformed
      && !paco_cuda_cells_pack (&flight->cells, &flight->frame, error))
    return FALSE;
  header->step_map_size = flight->cells.size;
  if (rate->steps)
    *bytes = paco_rate_bytes_without_map (rate->bytes,
        flight->frame.plan->n_blocks, &header->coding, &header->step_map_size);
  header->header_size = paco_header_size (header);
  return TRUE;
}

/* Enqueues what follows, up to the download. */
static gboolean
enqueue_rest (PacoCudaEncoderFlight *flight, const PacoHeader *header,
    uint64_t bytes, PacoEncodedFrame *output, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  const PacoCudaRate *rate = flight->rate;

  return (!paco_cuda_rate_has_cuts (rate)
             || paco_cuda_budget_cut (&flight->budget, frame, rate, bytes,
                 flight->code.address, flight->records.address, error))
      && paco_cuda_frame_mark (frame, PACO_CUDA_STAGE_3, error)
      && paco_pack_enqueue (frame, &flight->pack, flight->code.address,
          flight->records.address,
          rate->cut_points ? flight->budget.cuts.address : 0,
          rate->block_checks,
          header->header_size + paco_header_tables_size (header),
          header->step_map_size, flight->packed.address, output->size, error)
      && paco_cuda_frame_begin_download (frame, error)
      && download (flight, output->data, 0, flight->downloaded, error)
      && paco_cuda_frame_end_download (frame, error);
}

/* Where the picture is, or will be. */
static void
find_picture (PacoCudaEncoderFlight *flight, const PacoEncoderJob *job)
{
  const PacoCudaPlan *plan = flight->frame.plan;

  paco_transfer_plan (
      &flight->frame.transfer, &job->picture, &plan->format, plan->reduce);
}

/* Enqueues the picture's way to the device. */
static gboolean
upload (
    PacoCudaEncoderFlight *flight, const PacoEncoderJob *job, GError **error)
{
  PacoCudaFrame *frame = &flight->frame;
  bool in_order;

  find_picture (flight, job);
  in_order = paco_transfer_is_pinned (&frame->transfer);
  if (!in_order && !frame->alone) {
    if (!paco_transfer_stage (&frame->transfer, &frame->picture, error))
      return FALSE;
    in_order = true;
  }
  return paco_cuda_frame_begin_upload (frame, in_order, error)
      && paco_transfer_upload (&frame->transfer, &frame->picture, error)
      && paco_cuda_frame_end_upload (frame, error)
      && paco_cuda_frame_await_picture (frame, &job->picture, error);
}

/* Enqueues all else, when the picture is on its way to the device or there already. */
static gboolean
enqueue (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    const PacoEncoderJob *job, bool transformed, PacoHeader *header,
    PacoEncodedFrame *output, GError **error)
{
  uint64_t bytes = 0;

  paco_cuda_frame_take_queues (&flight->frame);
  return upload_blocks (flight, job, error)
      && enqueue_coding (encoder, flight, job, transformed, error)
      && pack_tables (flight, transformed, header, &bytes, error)
      && enqueue_rest (flight, header, bytes, output, error);
}

/* Downloads what the frame has beyond the expected bytes, and sets those of the next
 * one. */
static gboolean
download_rest (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    const PacoHeader *header, uint8_t *output, GError **error)
{
  size_t size = header->header_size + paco_header_tables_size (header)
      + paco_pack_size (&flight->pack);
  size_t begin = flight->downloaded;

  size = MIN (size, encoder->base.max_frame_size);
  flight->downloaded = MIN (size + size / 32, encoder->base.max_frame_size);
  if (size <= begin)
    return TRUE;
  return download (flight, output, begin, size, error)
      && paco_cuda_frame_mark (&flight->frame, PACO_CUDA_END, error)
      && paco_cuda_frame_wait (&flight->frame, error);
}

/* Does what remains when all is enqueued. */
static gboolean
finish (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoHeader *header, PacoEncodedFrame **output, GError **error)
{
  size_t size;

  if (!download_rest (encoder, flight, header, (*output)->data, error)
      || !paco_pack_finish (&flight->pack, header,
          flight->choice ? flight->choice->bytes : NULL, flight->cells.map,
          (*output)->data, &size, error)
      || !paco_cuda_outputs_finish (flight->state->outputs, output, size,
          &header->video.attachment, error))
    return FALSE;
  (*output)->step = paco_coding_finest_step (&header->coding);
  return TRUE;
}

static void
take_rate (PacoCudaEncoderFlight *flight, const PacoRate *rate,
    PacoCudaRate *chosen, PacoHeader *header)
{
  flight->coding = header->coding = rate->coding;
  chosen->rate = rate;
  chosen->cells = rate->coding.step_map ? flight->cells.cells.address : 0;
  chosen->wide = !paco_dwt_is_narrow (
      &flight->frame.plan->format, &rate->coding);
}

/* Adds up the codes of groups that were found in some lines and between them. */
static void
take_found (const PacoCudaEncoderFlight *flight, const PacoCodeGroups *groups,
    PacoCodeTable *tables)
{
  const PacoCodeTable *found = (const PacoCodeTable *) flight->host_codes.data;
  const PacoCodeGroups *all = &flight->choice->groups;

  for (unsigned i = 0, k = 0; i < groups->n; i++, k++) {
    while (all->components[k] != groups->components[i])
      k++;
    for (unsigned w = 0; w < PACO_CODE_TABLE_WORDS; w++)
      tables[i].used[w] = found[k].used[w] | found[all->n + k].used[w];
  }
}

/* Is a PacoFindCodes, with a PacoCudaEncoderFlight as data, whose picture is on its way to
 * the device or there. */
static gboolean
find_codes (void *data, const PacoCodeGroups *groups, uint32_t step,
    PacoCodeTable *tables, GError **error)
{
  PacoCudaEncoderFlight *flight = data;
  PacoCudaFrame *frame = &flight->frame;

  flight->has_gaps = step == 1;
  if (step == 1 && flight->found_all) {
    take_found (flight, groups, tables);
    return TRUE;
  }
  if (!(step > 1 && flight->found)
      && !(enqueue_find (flight, groups, step, error)
          && paco_cuda_frame_mark (frame, PACO_CUDA_FOUND, error)
          && paco_cuda_frame_wait_for (frame, PACO_CUDA_FOUND, error)))
    return FALSE;
  memcpy (tables, flight->host_codes.data, groups->n * sizeof *tables);
  return TRUE;
}

static void
begin_codes (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job)
{
  PacoCodeChoice *choice = flight->choice;
  gint gaps = g_atomic_int_get (&encoder->gaps);

  job->rate.coding.n_code_tables = 0;
  flight->finds_codes = flight->found = false;
  flight->found_all = gaps != NO_GAPS;
  if (!choice)
    return;
  choice->groups = encoder->base.forms[job->form].code_groups;
  if (job->video.slice.length > 0)
    choice->groups.n = 0;
  /* A choice of the rate by numbers is for good. */
  flight->finds_codes = choice->groups.n > 0 && gaps != TABLES
      && !encoder->base.forms[job->form].has_other;
}

static gboolean
choose_codes (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, GError **error)
{
  PacoCodeChoice *choice = flight->choice;

  if (!choice || choice->groups.n == 0 || flight->finds_codes)
    return TRUE;
  if (!paco_policy_choose_codes (
          choice, find_codes, flight, &job->rate.coding, error))
    return FALSE;
  g_atomic_int_set (&encoder->gaps,
      job->rate.coding.n_code_tables > 0 ? TABLES
          : flight->has_gaps             ? GAPS
                                         : NO_GAPS);
  return TRUE;
}

/* Remembers a choice, which later frames guess. */
static void
remember (PacoCudaEncoder *encoder, unsigned form, gint choice)
{
  gint *last = &encoder->choice[form], *n_alike = &encoder->n_alike[form];

  if (g_atomic_int_get (last) != choice) {
    g_atomic_int_set (last, choice);
    g_atomic_int_set (n_alike, 0);
  } else if (g_atomic_int_get (n_alike) < GUESSED) {
    g_atomic_int_inc (n_alike);
  }
}

/* Returns what the frames before have chosen, or 0 if this one should wait for its own
 * choice: because they differ, or because its code tables come first. */
static gint
guess (PacoCudaEncoder *encoder, const PacoCudaEncoderFlight *flight,
    const PacoEncoderForm *form, unsigned number)
{
  bool waits = flight->choice && flight->choice->groups.n > 0
      && !flight->finds_codes;

  if (!(form->has_other || form->fits_colors) || waits
      || g_atomic_int_get (&encoder->n_alike[number]) < GUESSED)
    return 0;
  return g_atomic_int_get (&encoder->choice[number]);
}

/* Waits for the bands of a picture on the device, and chooses by them. */
static gboolean
choose_by_bands (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, GError **error)
{
  const PacoEncoderForm *form = &encoder->base.forms[job->form];

  if (!paco_cuda_frame_wait_for (&flight->frame, PACO_CUDA_SAMPLED, error))
    return FALSE;
  paco_encoder_choose (form, &flight->bands.samples, &job->rate);
  remember (encoder, job->form, paco_encoder_choice (form, &job->rate));
  return TRUE;
}

/* Chooses what follows from the numbers of samples. The host looks at its own picture
 * during the upload. Some lines of one on the device have to come first; meanwhile the
 * frame is coded if it is likely to choose as those before. */
static gboolean
choose_by_numbers (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, GError **error)
{
  const PacoEncoderForm *form = &encoder->base.forms[job->form];
  const PacoSampleMaps *maps = &flight->maps;

  if (job->picture.memory == PACO_MEMORY_HOST) {
    PacoBandSamples samples = paco_policy_band_samples (
        &form->picture, &job->picture, maps);

    paco_cuda_frame_leave_queues (&flight->frame);
    paco_encoder_choose (form, &samples, &job->rate);
    return TRUE;
  }
  if (!paco_cuda_bands_fetch (&flight->bands, &flight->frame, &form->picture,
          &job->picture, maps, error))
    return FALSE;
  flight->guessed = guess (encoder, flight, form, job->form);
  if (flight->guessed == 0)
    return choose_by_bands (encoder, flight, job, error);
  flight->rate_before = job->rate;
  paco_encoder_take_choice (form, flight->guessed, &job->rate);
  return TRUE;
}

/* Chooses for a frame that has guessed, while the device codes it. A guess that was wrong
 * stays noted. */
static gboolean
check_guess (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, GError **error)
{
  const PacoEncoderForm *form = &encoder->base.forms[job->form];

  if (flight->guessed == 0)
    return TRUE;
  job->rate = flight->rate_before;
  if (!choose_by_bands (encoder, flight, job, error))
    return FALSE;
  if (paco_encoder_choice (form, &job->rate) == flight->guessed)
    flight->guessed = 0;
  return TRUE;
}

/* Makes all choices of a frame. */
static gboolean
choose (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, GError **error)
{
  const PacoEncoderForm *form = &encoder->base.forms[job->form];

  return choose_codes (encoder, flight, job, error)
      && paco_sample_maps_make (&flight->maps, &form->picture,
          &job->rate.coding, flight->choice ? flight->choice->tables : NULL,
          error)
      && (!form->chooses || choose_by_numbers (encoder, flight, job, error));
}

/* Codes the frame with the job's coding, and waits until it is there. */
static gboolean
code_frame (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, PacoHeader *header, PacoEncodedFrame *output,
    GError **error)
{
  const PacoCoding *coding = &job->rate.coding;
  PacoCudaRate rate = {
    .block_checks = coding->block_checks,
    .cut_points = coding->cut_points,
  };

  take_rate (flight, &job->rate, &rate, header);
  flight->rate = &rate;
  return enqueue (encoder, flight, job, false, header, output, error)
      && check_guess (encoder, flight, job, error)
      && paco_cuda_frame_wait (&flight->frame, error);
}

/* Codes a frame again whose guess was wrong. */
static gboolean
code_frame_that_guessed (PacoCudaEncoder *encoder,
    PacoCudaEncoderFlight *flight, PacoEncoderJob *job, PacoHeader *header,
    PacoEncodedFrame *output, GError **error)
{
  if (flight->guessed == 0)
    return TRUE;
  flight->guessed = 0;
  paco_cuda_frame_use (&flight->frame, flight->state->plans, job->form);
  return code_frame (encoder, flight, job, header, output, error);
}

/* Codes a frame again that was coded without looking at its codes first, if it should have
 * code tables. */
static gboolean
code_frame_with_gaps (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, PacoHeader *header, PacoEncodedFrame *output,
    GError **error)
{
  const PacoCodeTable *found = (const PacoCodeTable *) flight->host_codes.data;

  if (!flight->finds_codes)
    return TRUE;
  if (paco_policy_groups_with_gaps (&flight->choice->groups, found).n == 0) {
    g_atomic_int_set (&encoder->gaps, NO_GAPS);
    return TRUE;
  }
  flight->finds_codes = false;
  flight->found = true;
  paco_cuda_frame_use (&flight->frame, flight->state->plans, job->form);
  return choose (encoder, flight, job, error)
      && (job->rate.coding.n_code_tables == 0
          || code_frame (encoder, flight, job, header, output, error));
}

/* Where the frame before had no code tables, the host does not wait for this one's codes:
 * it has the frame coded without, and looks at the codes when all is done. */
static gboolean
encode_for_quality (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, PacoEncodedFrame **output, GError **error)
{
  PacoHeader header = { .video = job->video };

  paco_cuda_frame_use (&flight->frame, flight->state->plans, job->form);
  header.picture = flight->frame.plan->format;
  flight->guessed = 0;
  begin_codes (encoder, flight, job);
  if (!upload (flight, job, error) || !choose (encoder, flight, job, error))
    return FALSE;
  return code_frame (encoder, flight, job, &header, *output, error)
      && code_frame_that_guessed (encoder, flight, job, &header, *output, error)
      && code_frame_with_gaps (encoder, flight, job, &header, *output, error)
      && finish (encoder, flight, &header, output, error);
}

/* --- a frame with a budget --- */

/* The step number is the device's choice as long as the host has not seen its counts. */
static gboolean
code_attempt (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, const PacoRateAttempt *attempt, bool first,
    PacoHeader *header, PacoEncodedFrame *output, GError **error)
{
  const PacoEncoderForm *form = &encoder->base.forms[job->form];
  PacoCudaEncoderState *state = flight->state;
  bool lossless = attempt->lossless;
  const PacoCudaPlan *before = flight->frame.plan;
  PacoCudaRate rate = {
    .block_checks = job->rate.coding.block_checks,
    .cut_points = job->rate.coding.cut_points,
    .steps = &state->steps[job->form][lossless],
    .is_known = lossless || attempt->has_counts,
    .number = lossless ? 0 : attempt->number,
    .bytes = attempt->budget,
    .correction = attempt->history.correction,
  };

  rate.wide = !rate.steps->table->narrow;
  paco_cuda_frame_use (&flight->frame,
      lossless ? state->lossless_plans : state->plans, job->form);
  if (!first)
    find_picture (flight, job);
  else if (!upload (flight, job, error)
      || (form->chooses && !choose_by_numbers (encoder, flight, job, error)))
    return FALSE;
  flight->coding = lossless ? form->lossless : job->rate.coding;
  flight->rate = &rate;
  rate.cells = flight->coding.step_map ? flight->cells.cells.address : 0;
  header->coding = flight->coding;
  return enqueue (encoder, flight, job, !first && flight->frame.plan == before,
             header, output, error)
      && paco_cuda_frame_wait (&flight->frame, error);
}

static gboolean
encode_to_fit (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, PacoEncodedFrame **output, GError **error)
{
  const PacoEncoderForm *form = &encoder->base.forms[job->form];
  PacoRateHistory history = paco_encoder_learn (&encoder->base, job);
  PacoHeader header = {
    .video = job->video, .picture = form->picture, .coding = job->rate.coding
  };
  bool first = true, coded;
  PacoRateAttempt attempt;

  if (!paco_sample_maps_make (
          &flight->maps, &form->picture, &job->rate.coding, NULL, error))
    return FALSE;
  paco_rate_begin (&attempt, form->table, form->picture.n_components,
      form->lossless_table != NULL,
      job->rate.budget - paco_header_overhead (&header), &history);
  if (!paco_cuda_budget_begin (&flight->budget, &flight->frame, error))
    return FALSE;
  do {
    const PacoRateBits *sums = paco_cuda_budget_sums (&flight->budget);

    coded = attempt.lossless || !attempt.has_counts
        || paco_rate_step (&attempt, sums);
    if (!coded)
      continue;
    if (!code_attempt (
            encoder, flight, job, &attempt, first, &header, *output, error))
      return FALSE;
    first = false;
    if (!attempt.lossless && !attempt.has_counts) {
      /* The host follows what the device has done. */
      attempt.has_counts = true;
      coded = paco_rate_step (&attempt, sums);
    }
  } while (!coded
      || paco_rate_again (&attempt,
          paco_cuda_budget_bytes (&flight->budget) + flight->cells.size));
  paco_cuda_budget_end (&flight->budget);
  history = paco_rate_end (&attempt);
  paco_encoder_tell (&encoder->base, job, &history);
  paco_rate_table_apply (
      flight->state->steps[job->form][is_lossless (flight)].table,
      &form->picture, is_lossless (flight) ? 0 : attempt.number,
      &header.coding);
  return finish (encoder, flight, &header, output, error);
}

/* --- */

static gboolean
encode_frame (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoEncoderJob *job, PacoEncodedFrame **output, GError **error)
{
  gboolean done = (job->rate.budget > 0 ? encode_to_fit : encode_for_quality) (
      encoder, flight, job, output, error);

  flight->rate = NULL;
  if (!done) {
    paco_cuda_bands_give_up (&flight->bands, flight->frame.device);
    paco_cuda_frame_give_up (&flight->frame);
  }
  return done;
}

static void
count (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight, size_t size)
{
  const PacoCudaFrame *frame = &flight->frame;

  paco_coder_count (&encoder->base.coder, flight - encoder->flights,
      &(PacoFrameCount){
          .bytes = size,
          .transform_ms = frame->stage_ms[0],
          .blocks_ms = frame->stage_ms[1],
          .stream_ms = frame->stage_ms[2],
      });
}

static PacoEncodedFrame *
encode (PacoEncoder *base, unsigned number, PacoEncoderJob *job)
{
  PacoCudaEncoder *encoder = (PacoCudaEncoder *) base;
  PacoCudaEncoderFlight *flight = &encoder->flights[number];
  PacoCudaDevice *device = flight->frame.device;
  GError *error = NULL;
  PacoEncodedFrame *frame = paco_cuda_outputs_get (
      flight->state->outputs, &error);

  if (frame && paco_cuda_device_enter (device, &error)) {
    g_atomic_int_inc (&device->n_frames);
    if (encode_frame (encoder, flight, job, &frame, &error))
      count (encoder, flight, frame->size);
    g_atomic_int_add (&device->n_frames, -1);
    paco_cuda_device_leave (device);
  }
  if (!error)
    return frame;
  if (frame)
    frame->release (frame);
  return paco_encoded_frame_empty (error);
}

/* --- open and close --- */

static void
close_state (PacoCoder *base, unsigned number)
{
  PacoCudaEncoderState *state = &((PacoCudaEncoder *) base)->states[number];

  paco_cuda_outputs_close (state->outputs);
  paco_cuda_share_close (&state->share);
}

static gboolean
open_states (
    PacoCudaEncoder *encoder, const PacoBackendOptions *options, GError **error)
{
  PacoCoder *base = &encoder->base.coder;
  int ordinals[PACO_MAX_DEVICES];
  unsigned n = paco_cuda_find_ordinals (options, ordinals, error);

  for (unsigned i = 0; i < n; i++) {
    PacoCudaEncoderState *state = &encoder->states[i];

    if (!paco_cuda_share_open (
            &state->share, base, options, ordinals[i], error))
      return FALSE;
    state->outputs = paco_cuda_outputs_new (state->share.device);
  }
  return n > 0 && paco_coder_start (base, error);
}

PacoEncoder *
paco_cuda_encoder_open (const PacoBackendOptions *options, GError **error)
{
  static const PacoEncoderClass klass = {
    .coder = {
      .backend = "cuda",
      .device = &paco_cuda_device_class,
      .configure = paco_cuda_encoder_configure,
      .unconfigure = paco_cuda_encoder_unconfigure,
      .close = close_state,
    },
    .encode = encode,
  };
  PacoCudaEncoder *encoder = g_new0 (PacoCudaEncoder, 1);
  PacoEncoder *base = &encoder->base;

  paco_encoder_init (base, &klass, options);
  if (!open_states (encoder, options, error)) {
    paco_coder_close (&base->coder);
    return NULL;
  }
  return base;
}
