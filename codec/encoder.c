/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The common part of encoders: parameters become codings, and pictures jobs of
 * a coder. */
#include "encoder_private.h"
#include "policy.h"

/* --- frames as jobs of a coder --- */

static void
run (PacoCoder *coder, unsigned flight, void *job, void *result)
{
  PacoEncoder *encoder = (PacoEncoder *) coder;
  const PacoEncoderClass *klass = (const PacoEncoderClass *) coder->klass;
  PacoEncodedFrame **frame = result;

  *frame = klass->encode (encoder, flight, job);
}

static void
discard (void *result)
{
  PacoEncodedFrame **frame = result;

  (*frame)->release (*frame);
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
  };

  paco_coder_init (&encoder->coder, &klass->coder, &kind, options);
}

/* --- configuration --- */

/* Decides anew what follows from the rate for a form. The lock is held. */
static gboolean
update_form (PacoEncoder *encoder, PacoEncoderForm *form, GError **error)
{
  const PacoPictureFormat *picture = &form->picture;
  PacoRate rate = { .number = form->rate.number + 1 };
  PacoCoding *coding = &rate.coding;

  if (!paco_policy_coding (picture, &encoder->parameters, coding, error))
    return FALSE;
  for (unsigned c = 0; c < picture->n_components; c++) {
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level, orientation;

      paco_entry_subband (coding->levels, k, &level, &orientation);
      rate.dropped_planes[c][k] = paco_policy_dropped_planes (
          picture, &encoder->parameters, coding, c, level, orientation);
    }
  }
  rate.number += rate.number == 0;
  form->rate = rate;
  return TRUE;
}

static bool
has_form (const PacoEncoder *encoder, unsigned form)
{
  return encoder->mixed || encoder->form == form;
}

/* The same for all forms. */
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

/* finest: the parameters of the most bits. */
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
  size = paco_policy_max_frame_size (&form->picture, &form->finest, geometry);
  encoder->max_frame_size = MAX (encoder->max_frame_size, size);
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
  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
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
    PacoEncoder *encoder, double quality, uint32_t frame_size)
{
  g_mutex_lock (&encoder->coder.lock);
  encoder->rate_changed |= encoder->parameters.quality != quality
      || encoder->parameters.frame_size != frame_size;
  encoder->parameters.quality = quality;
  encoder->parameters.frame_size = frame_size;
  g_mutex_unlock (&encoder->coder.lock);
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

gboolean
paco_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error)
{
  const PacoEncoderForm *form = &encoder->forms[encoder->form];
  PacoEncoderJob job = {
    .picture = *picture, .video = *video, .form = encoder->form
  };
  PacoHeader header = { .picture = form->picture, .video = *video };
  gboolean valid;

  if (!encoder->coder.configured) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "a frame came before its format");
    return FALSE;
  }
  g_mutex_lock (&encoder->coder.lock);
  valid = !encoder->rate_changed || update_rate (encoder, error);
  job.rate = form->rate;
  g_mutex_unlock (&encoder->coder.lock);
  header.coding = job.rate.coding;
  if (!valid || !paco_header_check (&header, error)
      || !paco_coder_check_memory (&encoder->coder, picture, error)
      || !paco_picture_check (&form->picture, picture, 0, error))
    return FALSE;
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
