/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encodes pictures for applications (paco.h) with the encoder of codec/. The device
 * is opened, and configured, by the first picture that needs it. */
#include "lib/private.h"
#include <string.h>

/* A frame in flight. */
typedef struct
{
  void *user;
  PacoChunkBytes chunks;
  gint dropped; /* atomic: the codec is done with a frame not collected */
} Ticket;

struct PacoFrameEncoder
{
  PacoSettings settings;
  PacoBackendOptions options; /* What the settings do not say. */
  PacoEncoder *coder;         /* NULL: no device is open */
  char device[PACO_DEVICE_TEXT];
  bool described; /* picture and video are set */
  PacoPictureFormat picture;
  PacoVideoInfo video;
  /* What the coder is configured for, if it is configured. */
  bool configured;
  PacoSampleLayout layouts[PACO_MAX_COMPONENTS];
  uint64_t submitted, collected;
  Ticket
      *tickets[PACO_MAX_FLIGHTS]; /* frame n has number n % PACO_MAX_FLIGHTS */
};

static unsigned
in_flight (const PacoFrameEncoder *encoder)
{
  return (unsigned) (encoder->submitted - encoder->collected);
}

/* --- life --- */

static void
drop (void *user_data)
{
  Ticket *ticket = user_data;

  g_atomic_int_set (&ticket->dropped, TRUE);
}

PacoFrameEncoder *
paco_frame_encoder_new (void)
{
  PacoFrameEncoder *encoder = g_try_new0 (PacoFrameEncoder, 1);

  if (!encoder)
    return NULL;
  paco_settings_init (&encoder->settings);
  encoder->options.drop = drop;
  return encoder;
}

static void
free_ticket (Ticket *ticket)
{
  g_free (ticket->chunks.data);
  g_free (ticket);
}

void
paco_frame_encoder_free (PacoFrameEncoder *encoder)
{
  if (!encoder)
    return;
  paco_coder_close (PACO_CODER (encoder->coder));
  for (uint64_t n = encoder->collected; n < encoder->submitted; n++) {
    Ticket **ticket = &encoder->tickets[n % PACO_MAX_FLIGHTS];

    /* A device that was lost may still read the memory. */
    if (!g_atomic_int_get (&(*ticket)->dropped))
      *ticket = NULL;
  }
  for (unsigned i = 0; i < PACO_MAX_FLIGHTS; i++)
    if (encoder->tickets[i])
      free_ticket (encoder->tickets[i]);
  paco_settings_clear (&encoder->settings);
  g_free (encoder);
}

const char *
paco_frame_encoder_device (const PacoFrameEncoder *encoder)
{
  return encoder ? encoder->device : "";
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

/* Returns which settings may change now. */
static PacoChange
change_now (const PacoFrameEncoder *encoder)
{
  if (in_flight (encoder) > 0)
    return PACO_CHANGE_ANY;
  return encoder->coder ? PACO_CHANGE_IDLE : PACO_CHANGE_CLOSED;
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
  after = &encoder->settings;
  memcpy (&before, after, sizeof before);
  status = paco_settings_set (
      after, PACO_OF_ENCODER, change_now (encoder), name, value, error);
  if (status != PACO_STATUS_OK || !encoder->configured)
    return status;
  encoder->configured = same_but_rate (&before, after);
  paco_settings_to_rate (after, &rate);
  if (encoder->configured)
    paco_encoder_set_rate (
        encoder->coder, rate.quality, rate.frame_size, rate.bitrate);
  return status;
}

PacoStatus
paco_frame_encoder_use_context (
    PacoFrameEncoder *encoder, void *context, PacoError *error)
{
  if (!encoder)
    return paco_error_null ("encoder", error);
  return paco_device_use_context (
      &encoder->options, change_now (encoder), context, error);
}

/* Returns the parameters, including those that follow from the pictures. */
static PacoParameters
parameters_for (const PacoFrameEncoder *encoder)
{
  const PacoVideoInfo *video = &encoder->video;
  PacoParameters parameters;

  paco_settings_to_parameters (&encoder->settings, &parameters);
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
  coder = paco_device_open (
      &encoder->settings, &encoder->options, true, &failure);
  if (!coder)
    return paco_error_set (error, failure.status, "%s", failure.message);
  encoder->coder = (PacoEncoder *) coder;
  paco_device_describe (coder, encoder->device);
  return PACO_STATUS_OK;
}

PacoStatus
paco_encoder_open_coder (
    PacoFrameEncoder *encoder, PacoCoder **coder, PacoError *error)
{
  PacoStatus status = open_device (encoder, error);

  *coder = PACO_CODER (encoder->coder);
  return status;
}

PacoStatus
paco_frame_encoder_allocate (PacoFrameEncoder *encoder, size_t size,
    PacoBuffer *buffer, PacoError *error)
{
  PacoStatus status;

  if (!encoder || !buffer)
    return paco_error_null (encoder ? "buffer" : "encoder", error);
  *buffer = (PacoBuffer){ NULL };
  status = open_device (encoder, error);
  if (status != PACO_STATUS_OK)
    return status;
  return paco_buffer_allocate (
      PACO_CODER (encoder->coder), size, buffer, error);
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

static PacoStatus
take_ticket (PacoFrameEncoder *encoder, Ticket **ticket, PacoError *error)
{
  Ticket **place = &encoder->tickets[encoder->submitted % PACO_MAX_FLIGHTS];

  if (in_flight (encoder) >= paco_coder_depth (PACO_CODER (encoder->coder)))
    return paco_error_set (error, PACO_STATUS_BUSY,
        "%u frames are in flight, and no more may be; collect one",
        in_flight (encoder));
  if (!*place)
    *place = g_try_new0 (Ticket, 1);
  *ticket = *place;
  if (!*place)
    return paco_error_set (
        error, PACO_STATUS_MEMORY, "there is no memory for a frame");
  return PACO_STATUS_OK;
}

PacoStatus
paco_frame_encoder_submit (PacoFrameEncoder *encoder, const PacoImage *image,
    const PacoExtras *extras, void *user, PacoError *error)
{
  PacoVideoInfo video;
  PacoPicture picture;
  PacoAttachment attachment;
  PacoAreas areas;
  Ticket *ticket;
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
    status = paco_device_check_image (&encoder->options, image, error);
  if (status == PACO_STATUS_OK)
    status = open_device (encoder, error);
  if (status == PACO_STATUS_OK)
    status = configure (encoder, picture.layout, error);
  if (status == PACO_STATUS_OK)
    status = take_ticket (encoder, &ticket, error);
  if (status == PACO_STATUS_OK)
    status = paco_extras_read (
        extras, &ticket->chunks, &attachment, &areas, error);
  if (status != PACO_STATUS_OK)
    return status;
  ticket->user = user;
  paco_encoder_set_areas (encoder->coder, &areas);
  video = encoder->video;
  video.ancillary = (PacoAncillary){ ticket->chunks.data, ticket->chunks.size };
  video.attachment = attachment;
  if (!paco_encoder_submit (encoder->coder, &picture, &video, ticket, &failure))
    return paco_error_take (error, failure);
  encoder->submitted++;
  return paco_error_ok (error);
}

PacoStatus
paco_frame_encoder_collect (
    PacoFrameEncoder *encoder, PacoFrame *frame, PacoError *error)
{
  PacoEncodedFrame *encoded;
  GError *failure = NULL;
  Ticket **ticket;

  if (!encoder || !frame)
    return paco_error_null (encoder ? "frame" : "encoder", error);
  *frame = (PacoFrame){ NULL };
  if (in_flight (encoder) == 0)
    return paco_error_set (error, PACO_STATUS_EMPTY, "no frame is in flight");
  ticket = &encoder->tickets[encoder->collected++ % PACO_MAX_FLIGHTS];
  frame->user = (*ticket)->user;
  encoded = paco_encoder_collect (encoder->coder, &failure);
  /* The memory may still be in use, and so is not used again. */
  if (!encoded && !g_atomic_int_get (&(*ticket)->dropped))
    *ticket = NULL;
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
  if (in_flight (encoder) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "frames are in flight; collect them before one is encoded alone");
  status = paco_frame_encoder_submit (encoder, image, extras, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  return paco_frame_encoder_collect (encoder, frame, error);
}
