/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Configures the encoder of the CUDA backend: plans, tables and the buffers of flights;
 * encoder_private.h says for whom. */
#include "gpu/encoder_private.h"
#include "codec/step_map.h"
#include <string.h>

static void
flight_clear (PacoCudaEncoderFlight *flight)
{
  PacoCudaShare *share = &flight->state->share;

  paco_cuda_bands_clear (&flight->bands, share->device);
  paco_cuda_frame_clear (&flight->frame);
  paco_sample_maps_clear (&flight->maps);
  paco_pack_buffers_clear (&flight->pack, share);
  paco_device_memory_clear (share, &flight->code);
  paco_device_memory_clear (share, &flight->records);
  paco_device_memory_clear (share, &flight->packed);
  paco_cuda_budget_clear (&flight->budget, share);
  paco_cuda_cells_clear (&flight->cells, share);
  g_clear_pointer (&flight->choice, g_free);
  paco_device_memory_clear (share, &flight->codes);
  paco_pinned_memory_clear (share->device, &flight->host_codes);
  flight->downloaded = 0;
  memset (flight->forms, 0, sizeof flight->forms);
}

static void
form_clear (PacoCudaEncoderState *state, unsigned form)
{
  paco_cuda_plan_clear (&state->plans[form]);
  paco_cuda_plan_clear (&state->lossless_plans[form]);
  for (unsigned lossless = 0; lossless < 2; lossless++)
    paco_cuda_steps_clear (&state->steps[form][lossless], &state->share);
}

void
paco_cuda_encoder_unconfigure (PacoCoder *base, unsigned number)
{
  PacoCudaEncoder *encoder = (PacoCudaEncoder *) base;
  PacoCudaEncoderState *state = &encoder->states[number];
  gboolean entered = paco_cuda_device_enter (state->share.device, NULL);

  /* What the device does not take back now goes with its context. */
  for (unsigned i = number; i < base->depth; i += base->n_devices)
    if (encoder->flights[i].state)
      flight_clear (&encoder->flights[i]);
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    form_clear (state, i);
  if (entered)
    paco_cuda_device_leave (state->share.device);
}

/* Says whether coefficients of some frame may not fit 16 bits. */
static bool
needs_wide (const PacoEncoderForm *form)
{
  if (!form->table)
    return !paco_dwt_is_narrow (&form->picture, &form->finest)
        || (form->chooses
            && !paco_dwt_is_narrow (&form->picture, &form->other.coding));
  return !form->table->narrow
      || (form->lossless_table && !form->lossless_table->narrow);
}

/* Memory for the choice of code tables. */
static gboolean
reserve_codes (
    PacoCudaEncoderFlight *flight, const PacoCodeGroups *groups, GError **error)
{
  PacoCudaShare *share = flight->frame.share;
  size_t size = 2 * groups->n * sizeof (PacoCodeTable);

  if (groups->n == 0)
    return TRUE;
  if (!flight->choice)
    flight->choice = g_new0 (PacoCodeChoice, 1);
  return paco_device_memory_reserve (share, &flight->codes,
             paco_cuda_codes_size (groups), "codes", error)
      && paco_pinned_memory_reserve (
          share->device, &flight->host_codes, size, "codes", error);
}

/* Memory for frames of a form, as large as any rate may need. */
static gboolean
allocate_form (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    unsigned i, GError **error)
{
  const PacoEncoderForm *form = &encoder->base.forms[i];
  bool wide = needs_wide (form);
  PacoCudaFrame *frame = &flight->frame;
  PacoCudaShare *share = frame->share;
  const PacoCudaPlan *plan;
  bool cut_points = form->coding.cut_points;
  size_t words, map_size = 0;

  if (form->lossless_table) {
    paco_cuda_frame_use (frame, flight->state->lossless_plans, i);
    if (!paco_cuda_frame_allocate (frame, wide, error))
      return FALSE;
  }
  paco_cuda_frame_use (frame, flight->state->plans, i);
  if (!paco_cuda_frame_allocate (frame, wide, error))
    return FALSE;
  plan = frame->plan;
  words = paco_cuda_plan_blocks (
      plan, &form->finest, wide, NULL, paco_cuda_frame_blocks (frame));
  if (form->coding.step_map)
    map_size = paco_step_map_max_size (plan->geometry);
  return reserve_codes (flight, &form->code_groups, error)
      && (map_size == 0
          || paco_cuda_cells_reserve (
              &flight->cells, share, plan->geometry, error))
      && paco_device_memory_reserve (
          share, &flight->code, 4 * words, "coded blocks", error)
      && paco_device_memory_reserve (share, &flight->records,
          plan->n_blocks * sizeof (PacoGpuRecord), "index", error)
      && paco_device_memory_reserve (share, &flight->packed,
          encoder->base.max_frame_size, "codestream", error)
      && paco_pack_buffers_reserve (
          &flight->pack, share, plan->n_blocks, cut_points, map_size, error)
      && (!(form->table || cut_points)
          || paco_cuda_budget_reserve (&flight->budget, share, plan->n_blocks,
              form->table ? form->table->n_entries * form->picture.n_components
                          : 0,
              error));
}

static gboolean
flight_init (PacoCudaEncoder *encoder, PacoCudaEncoderFlight *flight,
    PacoCudaEncoderState *state, GError **error)
{
  flight->state = state;
  if (!paco_cuda_frame_init (&flight->frame, &state->share, error))
    return FALSE;
  flight->frame.maps.maps = &flight->maps;
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    if (state->plans[i].geometry && !allocate_form (encoder, flight, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
plan_form (const PacoEncoder *base, PacoCudaEncoderState *state, unsigned i,
    PacoCudaPlan *plans, const PacoCoding *coding, GError **error)
{
  plans[i] = (PacoCudaPlan){
    .format = base->forms[i].picture,
    .coding = *coding,
    .geometry = base->coder.geometry[i],
  };
  return plans[i].geometry == NULL
      || paco_cuda_plan_init (&plans[i], state->share.device, error);
}

static gboolean
init_form (const PacoEncoder *base, PacoCudaEncoderState *state, unsigned i,
    GError **error)
{
  const PacoEncoderForm *form = &base->forms[i];
  unsigned n = form->picture.n_components;

  return plan_form (base, state, i, state->plans, &form->coding, error)
      && (!form->table
          || paco_cuda_steps_init (
              &state->steps[i][0], &state->share, form->table, n, error))
      && (!form->lossless_table
          || (plan_form (
                  base, state, i, state->lossless_plans, &form->lossless, error)
              && paco_cuda_steps_init (&state->steps[i][1], &state->share,
                  form->lossless_table, n, error)));
}

static gboolean
allocate (PacoCudaEncoder *encoder, unsigned number, GError **error)
{
  const PacoEncoder *base = &encoder->base;
  unsigned n_devices = base->coder.n_devices;
  PacoCudaEncoderState *state = &encoder->states[number];

  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    if (!init_form (base, state, i, error))
      return FALSE;
  for (unsigned i = number; i < base->coder.depth; i += n_devices)
    if (!flight_init (encoder, &encoder->flights[i], state, error))
      return FALSE;
  return paco_cuda_outputs_configure (state->outputs, base->max_frame_size,
      base->coder.depth / n_devices + 2, error);
}

gboolean
paco_cuda_encoder_configure (PacoCoder *base, unsigned number, GError **error)
{
  PacoCudaEncoder *encoder = (PacoCudaEncoder *) base;
  PacoCudaDevice *device = encoder->states[number].share.device;
  gboolean done;

  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    g_atomic_int_set (&encoder->n_alike[i], 0);
  if (!paco_cuda_device_enter (device, error))
    return FALSE;
  done = allocate (encoder, number, error);
  paco_cuda_device_leave (device);
  return done;
}
