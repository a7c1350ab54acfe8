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

/* Decides anew what follows from the rate. The lock is held. */
static gboolean
update_rate (PacoEncoder *encoder, GError **error)
{
  PacoRate rate = { .number = encoder->rate.number + 1 };
  PacoCoding *coding = &rate.coding;

  if (!paco_policy_coding (
          &encoder->picture, &encoder->parameters, coding, error))
    return FALSE;
  for (unsigned c = 0; c < encoder->picture.n_components; c++) {
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level, orientation;

      paco_entry_subband (coding->levels, k, &level, &orientation);
      rate.dropped_planes[c][k] = paco_policy_dropped_planes (&encoder->picture,
          &encoder->parameters, coding, c, level, orientation);
    }
  }
  rate.number += rate.number == 0;
  encoder->rate = rate;
  encoder->rate_changed = false;
  return TRUE;
}

static gboolean
find_codings (PacoEncoder *encoder, GError **error)
{
  PacoParameters finest;
  gboolean found;

  g_mutex_lock (&encoder->coder.lock);
  found = update_rate (encoder, error);
  encoder->coding = encoder->rate.coding;
  finest = encoder->parameters;
  g_mutex_unlock (&encoder->coder.lock);

  finest.quality = 100.0;
  return found
      && paco_policy_coding (
          &encoder->picture, &finest, &encoder->finest, error);
}

static gboolean
prepare (PacoCoder *coder, const PacoSampleLayout *layout, GError **error)
{
  PacoEncoder *encoder = (PacoEncoder *) coder;
  PacoHeader header = {
    .picture = encoder->picture,
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
  };

  if (!find_codings (encoder, error))
    return FALSE;
  header.coding = encoder->coding;
  if (!paco_header_check (&header, error)
      || !paco_layouts_check (&encoder->picture, layout, error))
    return FALSE;
  paco_coder_set_depth (coder, &encoder->picture);
  coder->geometry = paco_geometry_new (&encoder->picture, &encoder->coding);
  encoder->max_frame_size = paco_policy_max_frame_size (
      &encoder->picture, &encoder->finest, coder->geometry);
  return TRUE;
}

gboolean
paco_encoder_configure (PacoEncoder *encoder, const PacoPictureFormat *picture,
    const PacoSampleLayout *layout, const PacoParameters *parameters,
    GError **error)
{
  if (!paco_coder_unconfigure (&encoder->coder, error))
    return FALSE;
  encoder->picture = *picture;
  g_mutex_lock (&encoder->coder.lock);
  encoder->parameters = *parameters;
  g_mutex_unlock (&encoder->coder.lock);
  return paco_coder_configure (&encoder->coder, prepare, layout, error);
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
  return encoder->coder.configured ? &encoder->coding : NULL;
}

/* --- frames in and out --- */

gboolean
paco_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error)
{
  PacoEncoderJob job = { .picture = *picture, .video = *video };
  PacoHeader header = { .picture = encoder->picture, .video = *video };
  gboolean valid;

  if (!encoder->coder.configured) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "a frame came before its format");
    return FALSE;
  }
  g_mutex_lock (&encoder->coder.lock);
  valid = !encoder->rate_changed || update_rate (encoder, error);
  job.rate = encoder->rate;
  g_mutex_unlock (&encoder->coder.lock);
  header.coding = job.rate.coding;
  if (!valid || !paco_header_check (&header, error)
      || !paco_coder_check_memory (&encoder->coder, picture, error)
      || !paco_picture_check (&encoder->picture, picture, 0, error))
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
