/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the encoders of all backends have in common (encoder.h, encoder_private.h):
 * parameters become codings, and pictures become jobs of a coder. It calls policy.c,
 * coder.c, and encode() of the backend. */
#include "encoder_private.h"
#include "policy.h"
#include "policy_fit.h"
#include "policy_matrix.h"
#include "policy_mosaic.h"
#include <string.h>

/* --- what frames with a budget learn from earlier ones --- */

/* Returns the number of the frame that another one learns from. */
static uint64_t
earlier_frame (uint64_t number)
{
  return number > PACO_RATE_DISTANCE ? number - PACO_RATE_DISTANCE : 0;
}

/* Returns the history that a frame has left, or NULL. The lock is held. */
static const PacoRateHistory *
find_told (const PacoEncoder *encoder, uint64_t number)
{
  if (encoder->told[number % PACO_RATE_RING].number != number + 1)
    return NULL;
  return &encoder->told[number % PACO_RATE_RING].history;
}

PacoRateHistory
paco_encoder_learn (PacoEncoder *encoder, const PacoEncoderJob *job)
{
  PacoCoder *coder = &encoder->coder;
  PacoRateHistory history = PACO_RATE_NO_HISTORY;
  const PacoRateHistory *told = NULL;

  if (job->number == 0)
    return history;
  g_mutex_lock (&coder->lock);
  while (encoder->generation == job->generation
      && coder->generation == job->generation && !coder->lost && !coder->quit
      && !(told = find_told (encoder, earlier_frame (job->number))))
    g_cond_wait (&coder->changed, &coder->lock);
  if (told)
    history = *told;
  g_mutex_unlock (&coder->lock);
  return history;
}

void
paco_encoder_tell (PacoEncoder *encoder, const PacoEncoderJob *job,
    const PacoRateHistory *history)
{
  PacoCoder *coder = &encoder->coder;

  g_mutex_lock (&coder->lock);
  if (encoder->generation == job->generation) {
    encoder->told[job->number % PACO_RATE_RING].number = job->number + 1;
    encoder->told[job->number % PACO_RATE_RING].history = *history;
    g_cond_broadcast (&coder->changed);
  }
  g_mutex_unlock (&coder->lock);
}

/* A frame that failed passes on the history that it has learned from. */
static void
tell_if_silent (PacoEncoder *encoder, const PacoEncoderJob *job)
{
  PacoCoder *coder = &encoder->coder;
  PacoRateHistory history = PACO_RATE_NO_HISTORY;
  const PacoRateHistory *told;
  bool silent;

  g_mutex_lock (&coder->lock);
  silent = !find_told (encoder, job->number);
  told = job->number > 0 ? find_told (encoder, earlier_frame (job->number))
                         : NULL;
  if (told)
    history = *told;
  g_mutex_unlock (&coder->lock);
  if (silent)
    paco_encoder_tell (encoder, job, &history);
}

/* Gives a frame its number. The lock is held. */
static void
number_frame (PacoEncoder *encoder, PacoEncoderJob *job)
{
  if (encoder->generation != encoder->coder.generation) {
    encoder->generation = encoder->coder.generation;
    encoder->n_frames = 0;
    memset (encoder->told, 0, sizeof encoder->told);
  }
  job->generation = encoder->generation;
  job->number = encoder->n_frames++;
}

/* --- frames as jobs of a coder --- */

/* The color transform and code tables stay. */
static void
take_other_rate (const PacoEncoderForm *form, PacoRate *rate)
{
  PacoCoding before = rate->coding, *coding = &rate->coding;

  *rate = form->other;
  coding->color_transform = before.color_transform;
  memcpy (coding->parameters, before.parameters, sizeof before.parameters);
  coding->n_code_tables = before.n_code_tables;
  memcpy (coding->code_tables, before.code_tables, sizeof before.code_tables);
}

void
paco_encoder_choose (
    const PacoEncoderForm *form, const PacoBandSamples *samples, PacoRate *rate)
{
  PacoCoding *coding = &rate->coding;

  if (form->coding.color_transform == PACO_COLOR_TRANSFORM_MOSAIC)
    paco_policy_choose_weights (&form->picture, samples, coding);
  if (form->coding.color_transform == PACO_COLOR_TRANSFORM_MATRIX)
    paco_policy_choose_matrix (&form->picture, samples, coding);
  if (form->fits_colors)
    paco_policy_choose_fit (&form->picture, samples, coding);
  if (form->has_other
      && paco_policy_takes_other_wavelet (&form->picture, coding, samples))
    take_other_rate (form, rate);
}

gint
paco_encoder_choice (const PacoEncoderForm *form, const PacoRate *rate)
{
  const PacoCoding *coding = &rate->coding;
  bool other = form->has_other && rate->number == form->other.number;

  return 1 << 25 | other << 24 | coding->color_transform << 16
      | coding->parameters[0] << 8 | coding->parameters[1];
}

void
paco_encoder_take_choice (
    const PacoEncoderForm *form, gint choice, PacoRate *rate)
{
  rate->coding.color_transform = choice >> 16 & 255;
  rate->coding.parameters[0] = choice >> 8 & 255;
  rate->coding.parameters[1] = choice & 255;
  if (choice >> 24 & 1)
    take_other_rate (form, rate);
}

const PacoActivity *
paco_encoder_activity (const PacoEncoder *encoder, const PacoEncoderJob *job)
{
  const PacoEncoderForm *form = &encoder->forms[job->form];

  return form->table ? &form->activity : &job->rate.activity;
}

static void
run (PacoCoder *coder, unsigned flight, void *data, void *result)
{
  PacoEncoder *encoder = (PacoEncoder *) coder;
  const PacoEncoderClass *klass = (const PacoEncoderClass *) coder->klass;
  PacoEncoderJob *job = data;
  const PacoEncoderForm *form = &encoder->forms[job->form];
  PacoEncodedFrame **frame = result;

  *frame = klass->encode (encoder, flight, job);
  if (form->table)
    tell_if_silent (encoder, job);
}

static void
discard (void *result)
{
  PacoEncodedFrame **frame = result;

  (*frame)->release (*frame);
}

static void
clear_tables (PacoEncoderForm *form)
{
  g_clear_pointer (&form->table, paco_rate_table_free);
  g_clear_pointer (&form->lossless_table, paco_rate_table_free);
}

static void
clear (PacoCoder *coder)
{
  PacoEncoder *encoder = (PacoEncoder *) coder;

  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    clear_tables (&encoder->forms[i]);
}

void
paco_encoder_init (PacoEncoder *encoder, const PacoEncoderClass *klass,
    const PacoBackendOptions *options)
{
  static const PacoCoderKind kind = {
    .name = "encoder",
    .job_size = sizeof (PacoEncoderJob),
    .result_size = sizeof (PacoEncodedFrame *),
    .run = run,
    .discard = discard,
    .clear = clear,
  };

  paco_coder_init (&encoder->coder, &klass->coder, &kind, options);
}

/* --- configuration --- */

/* The lock is held. */
static gboolean
update_budget (PacoEncoder *encoder, const PacoEncoderForm *form,
    uint32_t *budget, GError **error)
{
  if (!paco_policy_budget (&encoder->parameters, budget, error))
    return FALSE;
  if (*budget < form->min_frame_size)
    return paco_refuse (error,
        "a frame of this video takes %zu bytes at least, and the budget is %u"
        " bytes; raise bitrate or frame-size, or lower levels",
        form->min_frame_size, *budget);
  return TRUE;
}

/* Fills in the dropped planes and weights, which follow from the rate's coding. */
static void
complete_rate (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoRate *rate)
{
  const PacoCoding *coding = &rate->coding;

  if (coding->step_map)
    rate->activity = paco_policy_activity (picture, parameters, coding, NULL);
  for (unsigned c = 0; c < picture->n_components; c++) {
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level, orientation;

      paco_entry_subband (coding->levels, k, &level, &orientation);
      rate->dropped_planes[c][k] = paco_policy_dropped_planes (
          picture, parameters, coding, c, level, orientation);
      if (coding->cut_points)
        rate->weight[c][k] = (int16_t) paco_policy_weight (
            picture, parameters, coding, c, level, orientation);
    }
  }
}

/* Makes a form's rate from the parameters. The lock is held. */
static gboolean
update_form (PacoEncoder *encoder, PacoEncoderForm *form, GError **error)
{
  const PacoPictureFormat *picture = &form->picture;
  PacoRate rate = { .number = form->rate.number + 1 };

  if (!paco_policy_coding (picture, &encoder->parameters, &rate.coding, error))
    return FALSE;
  if (encoder->parameters.rate_control == PACO_RATE_BITRATE
      && !update_budget (encoder, form, &rate.budget, error))
    return FALSE;
  complete_rate (picture, &encoder->parameters, &rate);
  rate.number += rate.number == 0;
  form->rate = rate;
  return TRUE;
}

static bool
has_form (const PacoEncoder *encoder, unsigned form)
{
  return encoder->mixed || encoder->form == form;
}

/* Does the same for all forms. */
static gboolean
update_rate (PacoEncoder *encoder, GError **error)
{
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    if (has_form (encoder, i)
        && !update_form (encoder, &encoder->forms[i], error))
      return FALSE;
  encoder->rate_changed = false;
  return TRUE;
}

/* Makes the tables for frames with a budget. */
static void
prepare_budget (PacoEncoderForm *form, const PacoParameters *parameters,
    const PacoGeometry *geometry)
{
  PacoParameters lossless = *parameters;

  lossless.rate_control = PACO_RATE_LOSSLESS;
  form->table = paco_rate_table_new (&form->picture, parameters, &form->coding);
  paco_rate_table_apply (form->table, &form->picture, 0, &form->finest);
  if (form->coding.step_map)
    form->activity = paco_policy_activity (
        &form->picture, parameters, &form->coding, form->table);
  form->min_frame_size = paco_policy_min_frame_size (
      &form->picture, &form->coding, geometry);
  if (paco_policy_lossless_coding (&form->picture, parameters, &form->lossless))
    form->lossless_table = paco_rate_table_new (
        &form->picture, &lossless, &form->lossless);
}

static gboolean
check_budget (PacoEncoder *encoder, PacoEncoderForm *form, GError **error)
{
  uint32_t budget;
  gboolean enough;

  g_mutex_lock (&encoder->coder.lock);
  enough = update_budget (encoder, form, &budget, error);
  g_mutex_unlock (&encoder->coder.lock);
  return enough;
}

/* Finds what frames may choose, and makes the other rate if they may choose between two.
 */
static void
prepare_choice (PacoEncoder *encoder, PacoEncoderForm *form,
    const PacoParameters *parameters, const PacoGeometry *geometry)
{
  form->other = (PacoRate){ .number = G_MAXUINT }; /* that no other reaches */
  form->has_other = paco_policy_other_wavelet (
      &form->picture, parameters, &form->other.coding);
  form->fits_colors = paco_policy_chooses_fit (
      &form->picture, parameters, &form->coding);
  form->chooses = form->has_other || form->fits_colors
      || paco_policy_chooses_weights (&form->picture, parameters, &form->coding)
      || paco_policy_chooses_matrix (&form->picture, &form->coding);
  if (!form->has_other) {
    form->other.coding = form->coding;
    return;
  }
  complete_rate (&form->picture, parameters, &form->other);
  encoder->max_frame_size = MAX (encoder->max_frame_size,
      paco_policy_max_frame_size (
          &form->picture, &form->other.coding, geometry));
}

/* finest: the parameters with the quality that takes the most bits. */
static gboolean
prepare_form (PacoEncoder *encoder, unsigned i, const PacoSampleLayout *layout,
    const PacoParameters *finest, GError **error)
{
  PacoEncoderForm *form = &encoder->forms[i];
  PacoHeader header = {
    .picture = form->picture,
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
  };
  PacoGeometry *geometry;
  size_t size;

  form->coding = form->rate.coding;
  header.coding = form->coding;
  if (!paco_policy_coding (&form->picture, finest, &form->finest, error)
      || !paco_header_check (&header, error)
      || !paco_layouts_check (&form->picture, layout, error))
    return FALSE;
  geometry = paco_geometry_new (&form->picture, &form->coding);
  encoder->coder.geometry[i] = geometry;
  if (finest->rate_control == PACO_RATE_BITRATE) {
    prepare_budget (form, finest, geometry);
    if (form->lossless_table)
      encoder->max_frame_size = MAX (encoder->max_frame_size,
          paco_policy_max_frame_size (
              &form->picture, &form->lossless, geometry));
    if (!check_budget (encoder, form, error))
      return FALSE;
  }
  prepare_choice (encoder, form, finest, geometry);
  form->code_groups = paco_policy_code_groups (
      &form->picture, finest, &form->finest);
  size = paco_policy_max_frame_size (&form->picture, &form->finest, geometry);
  encoder->max_frame_size = MAX (encoder->max_frame_size, size)
      + paco_policy_code_tables_size (&form->code_groups);
  return TRUE;
}

static gboolean
prepare (PacoCoder *coder, const PacoSampleLayout *layout, GError **error)
{
  PacoEncoder *encoder = (PacoEncoder *) coder;
  PacoParameters finest;
  gboolean ready;

  g_mutex_lock (&coder->lock);
  ready = update_rate (encoder, error);
  finest = encoder->parameters;
  g_mutex_unlock (&coder->lock);
  finest.quality = 100.0;
  encoder->max_frame_size = 0;
  encoder->generation = encoder->coder.generation - 1;
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    ready = ready
        && (!has_form (encoder, i)
            || prepare_form (encoder, i, layout, &finest, error));
  if (ready)
    paco_coder_set_depth (coder, &encoder->forms[encoder->form].picture);
  return ready;
}

static gboolean
configure (PacoEncoder *encoder, const PacoPictureFormat *picture, bool mixed,
    const PacoSampleLayout *layout, const PacoParameters *parameters,
    GError **error)
{
  if (!paco_coder_unconfigure (&encoder->coder, error))
    return FALSE;
  encoder->form = picture->fields;
  encoder->mixed = mixed;
  encoder->area_planes = paco_policy_area_planes (parameters);
  encoder->areas.n = 0;
  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
    clear_tables (&encoder->forms[i]);
    encoder->forms[i].min_frame_size = 0;
    encoder->forms[i].chooses = false;
    encoder->forms[i].picture = *picture;
    encoder->forms[i].picture.fields = i;
  }
  g_mutex_lock (&encoder->coder.lock);
  encoder->parameters = *parameters;
  g_mutex_unlock (&encoder->coder.lock);
  return paco_coder_configure (&encoder->coder, prepare, layout, error);
}

gboolean
paco_encoder_configure (PacoEncoder *encoder, const PacoPictureFormat *picture,
    const PacoSampleLayout *layout, const PacoParameters *parameters,
    GError **error)
{
  return configure (encoder, picture, false, layout, parameters, error);
}

gboolean
paco_encoder_configure_mixed (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error)
{
  return configure (encoder, picture, true, layout, parameters, error);
}

void
paco_encoder_set_fields (PacoEncoder *encoder, gboolean fields)
{
  g_return_if_fail (encoder->mixed);
  encoder->form = fields ? 1 : 0;
}

void
paco_encoder_set_rate (
    PacoEncoder *encoder, double quality, uint32_t frame_size, uint64_t bitrate)
{
  g_mutex_lock (&encoder->coder.lock);
  encoder->rate_changed |= encoder->parameters.quality != quality
      || encoder->parameters.frame_size != frame_size
      || encoder->parameters.bitrate != bitrate;
  encoder->parameters.quality = quality;
  encoder->parameters.frame_size = frame_size;
  encoder->parameters.bitrate = bitrate;
  g_mutex_unlock (&encoder->coder.lock);
}

void
paco_encoder_set_weight (PacoEncoder *encoder, double weight)
{
  g_mutex_lock (&encoder->coder.lock);
  encoder->rate_changed |= encoder->parameters.weight != weight;
  encoder->parameters.weight = weight;
  g_mutex_unlock (&encoder->coder.lock);
}

void
paco_encoder_set_areas (PacoEncoder *encoder, const PacoAreas *areas)
{
  if (areas)
    encoder->areas = *areas;
  else
    encoder->areas.n = 0;
}

size_t
paco_encoder_max_frame_size (PacoEncoder *encoder)
{
  return encoder->coder.configured ? encoder->max_frame_size : 0;
}

const PacoCoding *
paco_encoder_coding (PacoEncoder *encoder)
{
  return encoder->coder.configured ? &encoder->forms[encoder->form].coding
                                   : NULL;
}

/* --- frames in and out --- */

/* Returns how many bytes of ancillary chunks a frame may have: its budget less what
 * the smallest frame takes. */
static size_t
max_ancillary (const PacoEncoderForm *form, const PacoRate *rate)
{
  return rate->budget > 0
      ? MIN (rate->budget - form->min_frame_size, PACO_MAX_ANCILLARY_SIZE)
      : PACO_MAX_ANCILLARY_SIZE;
}

size_t
paco_encoder_max_ancillary (PacoEncoder *encoder)
{
  const PacoEncoderForm *form = &encoder->forms[encoder->form];
  size_t most = 0;

  if (!encoder->coder.configured)
    return 0;
  g_mutex_lock (&encoder->coder.lock);
  if (!encoder->rate_changed || update_rate (encoder, NULL))
    most = max_ancillary (form, &form->rate);
  g_mutex_unlock (&encoder->coder.lock);
  return most;
}

static gboolean
check_extra (
    const PacoEncoderForm *form, const PacoEncoderJob *job, GError **error)
{
  size_t size = paco_video_extra_size (&job->video);
  size_t most = job->rate.budget - form->min_frame_size;

  if (job->rate.budget == 0 || size <= most)
    return TRUE;
  return paco_refuse (error,
      "what accompanies the picture takes %zu bytes, and the budget of %u bytes"
      " has room for %zu; raise bitrate or frame-size, or leave some of it out",
      size, job->rate.budget, most);
}

gboolean
paco_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error)
{
  const PacoEncoderForm *form = &encoder->forms[encoder->form];
  PacoEncoderJob job = { .picture = *picture,
    .video = *video,
    .areas = encoder->areas,
    .area_planes = encoder->area_planes,
    .form = encoder->form };
  PacoHeader header = { .picture = form->picture, .video = *video };
  gboolean valid;

  if (!encoder->coder.configured)
    return paco_refuse (error, "a frame came before its format");
  g_mutex_lock (&encoder->coder.lock);
  valid = !encoder->rate_changed || update_rate (encoder, error);
  job.rate = form->rate;
  g_mutex_unlock (&encoder->coder.lock);
  header.coding = job.rate.coding;
  if (!valid || !paco_header_check (&header, error)
      || !check_extra (form, &job, error)
      || !paco_coder_check_memory (&encoder->coder, picture, error)
      || !paco_picture_check (&form->picture, picture, 0, error))
    return FALSE;
  if (job.rate.budget > 0) {
    g_mutex_lock (&encoder->coder.lock);
    number_frame (encoder, &job);
    g_mutex_unlock (&encoder->coder.lock);
  }
  return paco_coder_submit (&encoder->coder, &job, user_data, error);
}

PacoEncodedFrame *
paco_encoder_collect (PacoEncoder *encoder, GError **error)
{
  PacoEncodedFrame *frame;
  PacoFrameTimes times;
  void *user_data;

  if (!paco_coder_collect (&encoder->coder, &frame, &user_data, &times, error))
    return NULL;
  frame->user_data = user_data;
  frame->times = times;
  return frame;
}
