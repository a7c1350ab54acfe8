/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encodes pictures for applications (paco.h) with the encoder of codec/. The device
 * is opened, and configured, by the first picture that needs it. */
#include "lib/private.h"
#include <string.h>

struct PacoFrameEncoder
{
  PacoSession session;
  bool described; /* picture and video are set */
  PacoPictureFormat picture;
  PacoVideoInfo video;
  /* What the coder is configured for, if it is configured. */
  bool configured;
  PacoSampleLayout layouts[PACO_MAX_COMPONENTS];
};

static PacoEncoder *
coder_of (const PacoFrameEncoder *encoder)
{
  return (PacoEncoder *) encoder->session.coder;
}

/* --- life --- */

PacoFrameEncoder *
paco_frame_encoder_new (void)
{
  PacoFrameEncoder *encoder = g_try_new0 (PacoFrameEncoder, 1);

  if (!encoder)
    return NULL;
  paco_session_init (&encoder->session, true);
  return encoder;
}

void
paco_frame_encoder_free (PacoFrameEncoder *encoder)
{
  if (!encoder)
    return;
  paco_session_clear (&encoder->session);
  g_free (encoder);
}

const char *
paco_frame_encoder_device (const PacoFrameEncoder *encoder)
{
  return encoder ? encoder->session.device : "";
}

/* --- configuration --- */

static bool
same_but_rate (const PacoSettings *a, const PacoSettings *b)
{
  PacoSettings c = *b;

  c.quality = a->quality;
  c.frame_size = a->frame_size;
  c.bitrate = a->bitrate;
  return memcmp (a, &c, sizeof c) == 0;
}

PacoStatus
paco_frame_encoder_set (PacoFrameEncoder *encoder, const char *name,
    const char *value, PacoError *error)
{
  PacoSettings before, *after;
  PacoParameters rate;
  PacoStatus status;

  if (!encoder)
    return paco_error_null ("encoder", error);
  after = &encoder->session.settings;
  memcpy (&before, after, sizeof before);
  status = paco_session_set (&encoder->session, name, value, error);
  if (status != PACO_STATUS_OK || !encoder->configured)
    return status;
  encoder->configured = same_but_rate (&before, after);
  paco_settings_to_rate (after, &rate);
  if (encoder->configured)
    paco_encoder_set_rate (
        coder_of (encoder), rate.quality, rate.frame_size, rate.bitrate);
  return status;
}

PacoStatus
paco_frame_encoder_use_context (
    PacoFrameEncoder *encoder, void *context, PacoError *error)
{
  if (!encoder)
    return paco_error_null ("encoder", error);
  return paco_session_use_context (&encoder->session, context, error);
}

/* Returns the parameters, including those that follow from the pictures. */
static PacoParameters
parameters_for (const PacoFrameEncoder *encoder)
{
  const PacoVideoInfo *video = &encoder->video;
  PacoParameters parameters;

  paco_settings_to_parameters (&encoder->session.settings, &parameters);
  parameters.rgb = video->matrix == 1;
  if (video->fps_n > 0) {
    bool fields = video->interlace_mode == PACO_INTERLACE_ALTERNATE;

    parameters.fps_n = video->fps_n << (fields && video->fps_n < 1u << 30);
    parameters.fps_d = video->fps_d;
  }
  return parameters;
}

/* Says whether the coder's configuration is right for other pictures, too. */
static bool
is_same_coding (const PacoFrameEncoder *encoder,
    const PacoPictureFormat *picture, const PacoVideoInfo *video)
{
  return paco_picture_format_equal (&encoder->picture, picture)
      && (encoder->video.matrix == 1) == (video->matrix == 1)
      && encoder->video.interlace_mode == video->interlace_mode
      && encoder->video.fps_n == video->fps_n
      && encoder->video.fps_d == video->fps_d;
}

PacoStatus
paco_frame_encoder_configure (
    PacoFrameEncoder *encoder, const PacoInfo *info, PacoError *error)
{
  PacoPictureFormat picture;
  PacoVideoInfo video;
  PacoStatus status;

  if (!encoder)
    return paco_error_null ("encoder", error);
  status = paco_info_read (info, &picture, &video, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (!encoder->described || !is_same_coding (encoder, &picture, &video)) {
    if (paco_session_in_flight (&encoder->session) > 0)
      return paco_error_set (error, PACO_STATUS_BUSY,
          "other pictures than those in flight; collect them before");
    encoder->configured = false;
  }
  encoder->picture = picture;
  encoder->video = video;
  encoder->described = true;
  return paco_error_ok (error);
}

PacoStatus
paco_encoder_open_coder (
    PacoFrameEncoder *encoder, PacoCoder **coder, PacoError *error)
{
  PacoStatus status = paco_session_open (&encoder->session, error);

  *coder = encoder->session.coder;
  return status;
}

PacoStatus
paco_frame_encoder_allocate (PacoFrameEncoder *encoder, size_t size,
    PacoBuffer *buffer, PacoError *error)
{
  if (!encoder)
    return paco_error_null ("encoder", error);
  return paco_session_allocate (&encoder->session, size, buffer, error);
}

static PacoStatus
configure (PacoFrameEncoder *encoder, const PacoSampleLayout *layouts,
    PacoError *error)
{
  PacoParameters parameters = parameters_for (encoder);
  GError *failure = NULL;

  if (encoder->configured
      && memcmp (encoder->layouts, layouts, sizeof encoder->layouts) == 0)
    return PACO_STATUS_OK;
  if (paco_session_in_flight (&encoder->session) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "samples lie otherwise than those of the pictures in flight; collect "
        "these before");
  encoder->configured = paco_encoder_configure (
      coder_of (encoder), &encoder->picture, layouts, &parameters, &failure);
  if (!encoder->configured)
    return paco_error_take (error, failure);
  memcpy (encoder->layouts, layouts, sizeof encoder->layouts);
  return PACO_STATUS_OK;
}

/* --- frames --- */

PacoStatus
paco_frame_encoder_submit (PacoFrameEncoder *encoder, const PacoImage *image,
    const PacoExtras *extras, void *user, PacoError *error)
{
  PacoVideoInfo video;
  PacoPicture picture;
  PacoAttachment attachment;
  PacoAreas areas;
  PacoTicket *ticket;
  GError *failure = NULL;
  PacoStatus status;

  if (!encoder)
    return paco_error_null ("encoder", error);
  if (!encoder->described)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "what the pictures are is not known: paco_frame_encoder_configure() "
        "comes first");
  status = paco_image_read (
      image, &encoder->picture, 0, (PacoCrop){ 0 }, &picture, error);
  if (status == PACO_STATUS_OK)
    status = paco_image_check_context (image, &encoder->session, error);
  if (status == PACO_STATUS_OK)
    status = paco_session_open (&encoder->session, error);
  if (status == PACO_STATUS_OK)
    status = configure (encoder, picture.layout, error);
  if (status == PACO_STATUS_OK)
    status = paco_session_begin (&encoder->session, &ticket, error);
  if (status == PACO_STATUS_OK)
    status = paco_extras_read (
        extras, &ticket->chunks, &attachment, &areas, error);
  if (status != PACO_STATUS_OK)
    return status;
  ticket->user = user;
  paco_encoder_set_areas (coder_of (encoder), &areas);
  video = encoder->video;
  video.ancillary = (PacoAncillary){ ticket->chunks.data, ticket->chunks.size };
  video.attachment = attachment;
  if (!paco_encoder_submit (
          coder_of (encoder), &picture, &video, ticket, &failure))
    return paco_error_take (error, failure);
  encoder->session.submitted++;
  return paco_error_ok (error);
}

PacoStatus
paco_frame_encoder_collect (
    PacoFrameEncoder *encoder, PacoFrame *frame, PacoError *error)
{
  PacoEncodedFrame *encoded;
  GError *failure = NULL;

  if (!encoder || !frame)
    return paco_error_null (encoder ? "frame" : "encoder", error);
  *frame = (PacoFrame){ NULL };
  if (paco_session_in_flight (&encoder->session) == 0)
    return paco_error_set (error, PACO_STATUS_EMPTY, "no frame is in flight");
  frame->user = paco_session_user (&encoder->session);
  encoded = paco_encoder_collect (coder_of (encoder), &failure);
  paco_session_end (&encoder->session, !encoded);
  if (encoded && encoded->error) {
    failure = g_error_copy (encoded->error);
    encoded->release (encoded);
    encoded = NULL;
  }
  if (!encoded)
    return paco_error_take (error, failure);
  frame->data = encoded->data;
  frame->size = encoded->size;
  frame->owner = encoded;
  return paco_error_ok (error);
}

PacoStatus
paco_frame_encoder_encode (PacoFrameEncoder *encoder, const PacoImage *image,
    const PacoExtras *extras, PacoFrame *frame, PacoError *error)
{
  PacoStatus status;

  if (!encoder || !frame)
    return paco_error_null (encoder ? "frame" : "encoder", error);
  *frame = (PacoFrame){ NULL };
  if (paco_session_in_flight (&encoder->session) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "frames are in flight; collect them before one is encoded alone");
  status = paco_frame_encoder_submit (encoder, image, extras, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  return paco_frame_encoder_collect (encoder, frame, error);
}
