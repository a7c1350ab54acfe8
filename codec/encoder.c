/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The common part of encoders. */
#include "encoder.h"
#include "error.h"
#include "policy.h"

/* --- in a slot's thread --- */

static void
run (void *owner, unsigned slot, void *job, void *result)
{
  PacoEncoder *encoder = owner;
  PacoEncodedFrame **frame = result;

  *frame = encoder->klass->encode (encoder, slot, job);
}

static void
discard (void *owner, void *result)
{
  PacoEncodedFrame **frame = result;

  (*frame)->release (*frame);
}

/* --- open and close --- */

void
paco_encoder_init (PacoEncoder *encoder, const PacoEncoderClass *klass,
    const PacoBackendOptions *options)
{
  encoder->klass = klass;
  encoder->depth = CLAMP (options->depth, 1, PACO_MAX_DEPTH);
  g_mutex_init (&encoder->lock);
  paco_stats_counter_init (&encoder->stats, klass->backend);
}

gboolean
paco_encoder_start (PacoEncoder *encoder, GError **error)
{
  const PacoPipelineClass klass = {
    .job_size = sizeof (PacoEncoderJob),
    .result_size = sizeof (PacoEncodedFrame *),
    .run = run,
    .discard = discard,
    .owner = encoder,
  };

  encoder->pipeline = paco_pipeline_new (&klass, encoder->depth);
  if (!encoder->pipeline)
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the encoder's threads could not be started");
  return encoder->pipeline != NULL;
}

static void
unconfigure (PacoEncoder *encoder)
{
  encoder->configured = false;
  encoder->klass->unconfigure (encoder);
  g_clear_pointer (&encoder->geometry, paco_geometry_free);
}

void
paco_encoder_close (PacoEncoder *encoder)
{
  if (!encoder)
    return;
  paco_pipeline_free (encoder->pipeline);
  unconfigure (encoder);
  encoder->klass->close (encoder);
  paco_stats_counter_clear (&encoder->stats);
  g_mutex_clear (&encoder->lock);
  g_free (encoder);
}

/* --- configuration --- */

/* Called with the lock. */
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
      unsigned level = k == 0 ? coding->levels : coding->levels - (k - 1) / 3;
      unsigned orientation = k == 0 ? PACO_ORIENTATION_LL : 1 + (k - 1) % 3;

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

  g_mutex_lock (&encoder->lock);
  found = update_rate (encoder, error);
  encoder->coding = encoder->rate.coding;
  finest = encoder->parameters;
  g_mutex_unlock (&encoder->lock);

  finest.quality = 100.0;
  return found
      && paco_policy_coding (
          &encoder->picture, &finest, &encoder->finest, error);
}

static gboolean
configure (PacoEncoder *encoder, const PacoSampleLayout *layout, GError **error)
{
  PacoHeader header = {
    .picture = encoder->picture,
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
  };

  if (!find_codings (encoder, error))
    return FALSE;
  header.coding = encoder->coding;
  if (!paco_header_check (&header, error)
      || !paco_samples_check (&encoder->picture, layout, error))
    return FALSE;
  encoder->geometry = paco_geometry_new (&encoder->picture, &encoder->coding);
  encoder->max_frame_size = paco_policy_max_frame_size (
      &encoder->picture, &encoder->finest, encoder->geometry);
  return encoder->klass->configure (encoder, error);
}

gboolean
paco_encoder_configure (PacoEncoder *encoder, const PacoPictureFormat *picture,
    const PacoSampleLayout *layout, const PacoParameters *parameters,
    GError **error)
{
  g_return_val_if_fail (paco_pipeline_is_idle (encoder->pipeline), FALSE);
  unconfigure (encoder);
  encoder->picture = *picture;
  encoder->parameters = *parameters;
  encoder->configured = configure (encoder, layout, error);
  if (!encoder->configured)
    unconfigure (encoder);
  return encoder->configured;
}

void
paco_encoder_set_rate (
    PacoEncoder *encoder, double quality, uint32_t frame_size)
{
  g_mutex_lock (&encoder->lock);
  encoder->rate_changed |= encoder->parameters.quality != quality
      || encoder->parameters.frame_size != frame_size;
  encoder->parameters.quality = quality;
  encoder->parameters.frame_size = frame_size;
  g_mutex_unlock (&encoder->lock);
}

size_t
paco_encoder_max_frame_size (PacoEncoder *encoder)
{
  return encoder->configured ? encoder->max_frame_size : 0;
}

/* --- frames in and out --- */

gboolean
paco_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error)
{
  PacoEncoderJob job = { .picture = *picture, .video = *video };
  PacoHeader header = { .picture = encoder->picture, .video = *video };
  gboolean valid;

  if (!encoder->configured) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "a frame came before its format");
    return FALSE;
  }
  g_mutex_lock (&encoder->lock);
  valid = !encoder->rate_changed || update_rate (encoder, error);
  job.rate = encoder->rate;
  g_mutex_unlock (&encoder->lock);
  header.coding = job.rate.coding;
  if (!valid || !paco_header_check (&header, error)
      || !paco_samples_check (&encoder->picture, picture->layout, error))
    return FALSE;
  paco_pipeline_submit (encoder->pipeline, &job, user_data);
  return TRUE;
}

PacoEncodedFrame *
paco_encoder_collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame;
  void *user_data;

  if (!paco_pipeline_collect (encoder->pipeline, &frame, &user_data))
    return NULL;
  frame->user_data = user_data;
  return frame;
}

void
paco_encoder_abandon (PacoEncoder *encoder, void (*drop) (void *))
{
  paco_pipeline_abandon (encoder->pipeline, drop);
}

void
paco_encoder_stats (PacoEncoder *encoder, PacoStats *stats)
{
  paco_stats_counter_get (&encoder->stats, stats);
}
