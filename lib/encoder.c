/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoders of paco.h over those of codec/. The device is opened, and configured, by
 * the first picture that needs it. */
#include "lib/private.h"
#include <string.h>

struct PacoFrameEncoder
{
  PacoSettings settings;
  PacoEncoder *coder; /* NULL: no device is open */
  char device[PACO_DEVICE_TEXT];
  bool described; /* picture and video are set */
  PacoPictureFormat picture;
  PacoVideoInfo video;
  /* What the coder is configured for, if it is. */
  bool configured;
  PacoSampleLayout layouts[PACO_MAX_COMPONENTS];
  uint64_t submitted, collected;
  void *users[PACO_MAX_FLIGHTS]; /* frame n has number n % PACO_MAX_FLIGHTS */
};

static unsigned
in_flight (const PacoFrameEncoder *encoder)
{
  return (unsigned) (encoder->submitted - encoder->collected);
}

static PacoStatus
refuse_null (const char *name, PacoError *error)
{
  return paco_error_set (
      error, PACO_STATUS_INVALID, "the argument %s is NULL", name);
}

/* --- life --- */

PacoFrameEncoder *
paco_frame_encoder_new (void)
{
  PacoFrameEncoder *encoder = g_try_new0 (PacoFrameEncoder, 1);

  if (encoder)
    paco_settings_init (&encoder->settings);
  return encoder;
}

void
paco_frame_encoder_free (PacoFrameEncoder *encoder)
{
  if (!encoder)
    return;
  paco_coder_close (PACO_CODER (encoder->coder));
  g_free (encoder);
}

const char *
paco_frame_encoder_device (const PacoFrameEncoder *encoder)
{
  return encoder ? encoder->device : "";
}

/* --- configuration --- */

static bool
same_but_rate (const PacoParameters *a, const PacoParameters *b)
{
  PacoParameters c = *b;

  c.quality = a->quality;
  c.frame_size = a->frame_size;
  c.bitrate = a->bitrate;
  return memcmp (a, &c, sizeof c) == 0;
}

PacoStatus
paco_frame_encoder_set (PacoFrameEncoder *encoder, const char *name,
    const char *value, PacoError *error)
{
  PacoParameters before, *after;
  PacoChange now;
  PacoStatus status;

  if (!encoder)
    return refuse_null ("encoder", error);
  now = in_flight (encoder) > 0 ? PACO_CHANGE_ANY
      : encoder->coder          ? PACO_CHANGE_IDLE
                                : PACO_CHANGE_CLOSED;
  after = &encoder->settings.parameters;
  memcpy (&before, after, sizeof before);
  status = paco_settings_set (
      &encoder->settings, true, now, name, value, error);
  if (status != PACO_STATUS_OK || !encoder->configured)
    return status;
  encoder->configured = same_but_rate (&before, after);
  if (encoder->configured)
    paco_encoder_set_rate (
        encoder->coder, after->quality, after->frame_size, after->bitrate);
  return status;
}

/* What of the parameters follows from the pictures. */
static PacoParameters
parameters_for (const PacoFrameEncoder *encoder)
{
  const PacoVideoInfo *video = &encoder->video;
  PacoParameters parameters = encoder->settings.parameters;

  parameters.rgb = video->matrix == 1;
  if (video->fps_n > 0) {
    bool fields = video->interlace_mode == PACO_INTERLACE_ALTERNATE;

    parameters.fps_n = video->fps_n << (fields && video->fps_n < 1u << 30);
    parameters.fps_d = video->fps_d;
  }
  return parameters;
}

/* Whether the coder's configuration does for other pictures, too. */
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
    return refuse_null ("encoder", error);
  status = paco_info_read (info, &picture, &video, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (!encoder->described || !is_same_coding (encoder, &picture, &video)) {
    if (in_flight (encoder) > 0)
      return paco_error_set (error, PACO_STATUS_BUSY,
          "other pictures than those in flight; collect them before");
    encoder->configured = false;
  }
  encoder->picture = picture;
  encoder->video = video;
  encoder->described = true;
  return paco_error_ok (error);
}

static PacoStatus
open_device (PacoFrameEncoder *encoder, PacoError *error)
{
  PacoError failure = { PACO_STATUS_OK, "" };
  PacoCoder *coder;

  if (encoder->coder)
    return PACO_STATUS_OK;
  coder = paco_device_open (&encoder->settings, true, &failure);
  if (!coder)
    return paco_error_set (error, failure.status, "%s", failure.message);
  encoder->coder = (PacoEncoder *) coder;
  paco_device_describe (coder, encoder->device);
  return PACO_STATUS_OK;
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
  if (in_flight (encoder) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "samples lie otherwise than those of the pictures in flight; collect "
        "these before");
  encoder->configured = paco_encoder_configure (
      encoder->coder, &encoder->picture, layouts, &parameters, &failure);
  if (!encoder->configured)
    return paco_error_take (error, failure);
  memcpy (encoder->layouts, layouts, sizeof encoder->layouts);
  return PACO_STATUS_OK;
}

/* --- frames --- */

PacoStatus
paco_frame_encoder_submit (PacoFrameEncoder *encoder, const PacoImage *image,
    void *user, PacoError *error)
{
  PacoPicture picture;
  GError *failure = NULL;
  PacoStatus status;

  if (!encoder)
    return refuse_null ("encoder", error);
  if (!encoder->described)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "what the pictures are is not known: paco_frame_encoder_configure() "
        "comes first");
  status = paco_image_read (image, &encoder->picture, 0, &picture, error);
  if (status == PACO_STATUS_OK)
    status = open_device (encoder, error);
  if (status == PACO_STATUS_OK)
    status = configure (encoder, picture.layout, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (in_flight (encoder) >= paco_coder_depth (PACO_CODER (encoder->coder)))
    return paco_error_set (error, PACO_STATUS_BUSY,
        "%u frames are in flight, and no more may be; collect one",
        in_flight (encoder));
  if (!paco_encoder_submit (
          encoder->coder, &picture, &encoder->video, NULL, &failure))
    return paco_error_take (error, failure);
  encoder->users[encoder->submitted++ % PACO_MAX_FLIGHTS] = user;
  return paco_error_ok (error);
}

PacoStatus
paco_frame_encoder_collect (
    PacoFrameEncoder *encoder, PacoFrame *frame, PacoError *error)
{
  PacoEncodedFrame *encoded;
  GError *failure = NULL;

  if (!encoder || !frame)
    return refuse_null (encoder ? "frame" : "encoder", error);
  *frame = (PacoFrame){ NULL };
  if (in_flight (encoder) == 0)
    return paco_error_set (error, PACO_STATUS_EMPTY, "no frame is in flight");
  frame->user = encoder->users[encoder->collected++ % PACO_MAX_FLIGHTS];
  encoded = paco_encoder_collect (encoder->coder, &failure);
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
    PacoFrame *frame, PacoError *error)
{
  PacoStatus status;

  if (!encoder || !frame)
    return refuse_null (encoder ? "frame" : "encoder", error);
  *frame = (PacoFrame){ NULL };
  if (in_flight (encoder) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "frames are in flight; collect them before one is encoded alone");
  status = paco_frame_encoder_submit (encoder, image, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  return paco_frame_encoder_collect (encoder, frame, error);
}

void
paco_frame_release (PacoFrame *frame)
{
  if (!frame)
    return;
  if (frame->owner) {
    PacoEncodedFrame *encoded = frame->owner;

    encoded->release (encoded);
  }
  *frame = (PacoFrame){ NULL };
}
