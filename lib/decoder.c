/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames for applications (paco.h) with the decoder of codec/, which also knows
 * of regions (codec/crop.h). The device is opened, and configured, by the first frame that
 * needs it. */
#include "lib/private.h"
#include <string.h>

/* A frame in flight. */
typedef struct
{
  void *user;
  gint
      dropped; /* atomic: the codec is done with a frame that was not collected */
} Ticket;

struct PacoFrameDecoder
{
  PacoSettings settings;
  PacoBackendOptions options; /* What the settings do not say. */
  PacoDecoder *coder;         /* NULL: no device is open */
  char device[PACO_DEVICE_TEXT];
  /* The coder is configured for these. */
  PacoSampleLayout layouts[PACO_MAX_COMPONENTS];
  unsigned reduce;
  /* The place of the frame before. */
  bool has_number;
  uint32_t number;
  uint64_t submitted, collected;
  Ticket
      *tickets[PACO_MAX_FLIGHTS]; /* frame n has number n % PACO_MAX_FLIGHTS */
};

static unsigned
in_flight (const PacoFrameDecoder *decoder)
{
  return (unsigned) (decoder->submitted - decoder->collected);
}

/* --- life --- */

static void
drop (void *user_data)
{
  Ticket *ticket = user_data;

  g_atomic_int_set (&ticket->dropped, TRUE);
}

PacoFrameDecoder *
paco_frame_decoder_new (void)
{
  PacoFrameDecoder *decoder = g_try_new0 (PacoFrameDecoder, 1);

  if (!decoder)
    return NULL;
  paco_settings_init (&decoder->settings);
  decoder->options.drop = drop;
  return decoder;
}

void
paco_frame_decoder_free (PacoFrameDecoder *decoder)
{
  if (!decoder)
    return;
  paco_coder_close (PACO_CODER (decoder->coder));
  for (uint64_t n = decoder->collected; n < decoder->submitted; n++) {
    Ticket **ticket = &decoder->tickets[n % PACO_MAX_FLIGHTS];

    /* A device that was lost may still say that it is done with the frame. */
    if (!g_atomic_int_get (&(*ticket)->dropped))
      *ticket = NULL;
  }
  for (unsigned i = 0; i < PACO_MAX_FLIGHTS; i++)
    g_free (decoder->tickets[i]);
  paco_settings_clear (&decoder->settings);
  g_free (decoder);
}

/* Returns which settings may change now. */
static PacoChange
change_now (const PacoFrameDecoder *decoder)
{
  if (in_flight (decoder) > 0)
    return PACO_CHANGE_ANY;
  return decoder->coder ? PACO_CHANGE_IDLE : PACO_CHANGE_CLOSED;
}

PacoStatus
paco_frame_decoder_set (PacoFrameDecoder *decoder, const char *name,
    const char *value, PacoError *error)
{
  if (!decoder)
    return paco_error_null ("decoder", error);
  return paco_settings_set (&decoder->settings, PACO_OF_DECODER,
      change_now (decoder), name, value, error);
}

PacoStatus
paco_frame_decoder_use_context (
    PacoFrameDecoder *decoder, void *context, PacoError *error)
{
  if (!decoder)
    return paco_error_null ("decoder", error);
  return paco_device_use_context (
      &decoder->options, change_now (decoder), context, error);
}

const char *
paco_frame_decoder_device (const PacoFrameDecoder *decoder)
{
  return decoder ? decoder->device : "";
}

/* --- configuration --- */

static PacoStatus
open_device (PacoFrameDecoder *decoder, PacoError *error)
{
  PacoError failure = { PACO_STATUS_OK, "" };
  PacoCoder *coder;

  if (decoder->coder)
    return PACO_STATUS_OK;
  coder = paco_device_open (
      &decoder->settings, &decoder->options, false, &failure);
  if (!coder)
    return paco_error_set (error, failure.status, "%s", failure.message);
  decoder->coder = (PacoDecoder *) coder;
  paco_device_describe (coder, decoder->device);
  return PACO_STATUS_OK;
}

PacoStatus
paco_frame_decoder_share_threads (
    PacoFrameDecoder *decoder, PacoFrameEncoder *encoder, PacoError *error)
{
  PacoBackendOptions *options;
  PacoStatus status;

  if (!decoder || !encoder)
    return paco_error_null (decoder ? "encoder" : "decoder", error);
  if (change_now (decoder) != PACO_CHANGE_CLOSED)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "the decoder has threads already; they are shared before the first "
        "frame");
  options = &decoder->options;
  status = paco_encoder_open_coder (encoder, &options->share_threads, error);
  if (status == PACO_STATUS_OK)
    status = open_device (decoder, error);
  options->share_threads = NULL;
  return status == PACO_STATUS_OK ? paco_error_ok (error) : status;
}

PacoStatus
paco_frame_decoder_allocate (PacoFrameDecoder *decoder, size_t size,
    PacoBuffer *buffer, PacoError *error)
{
  PacoStatus status;

  if (!decoder || !buffer)
    return paco_error_null (decoder ? "buffer" : "decoder", error);
  *buffer = (PacoBuffer){ NULL };
  status = open_device (decoder, error);
  if (status != PACO_STATUS_OK)
    return status;
  return paco_buffer_allocate (
      PACO_CODER (decoder->coder), size, buffer, error);
}

static bool
same_layouts (const PacoSampleLayout *a, const PacoSampleLayout *b)
{
  return memcmp (a, b, PACO_MAX_COMPONENTS * sizeof *a) == 0;
}

static PacoStatus
configure (PacoFrameDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layouts, PacoError *error)
{
  unsigned reduce = decoder->settings.reduce;
  GError *failure = NULL;

  if (paco_decoder_takes (decoder->coder, header) && decoder->reduce == reduce
      && same_layouts (decoder->layouts, layouts))
    return PACO_STATUS_OK;
  if (in_flight (decoder) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "this frame is of another kind than those in flight; collect them");
  if (!paco_decoder_configure (
          decoder->coder, header, layouts, reduce, &failure))
    return paco_error_take (error, failure);
  memcpy (decoder->layouts, layouts, sizeof decoder->layouts);
  decoder->reduce = reduce;
  return PACO_STATUS_OK;
}

/* --- frames --- */

/* Forgets the frame before, unless this one follows it: frames that are not in
 * order must not replace each other's broken blocks. */
static void
forget_unless_next (PacoFrameDecoder *decoder, const PacoVideoInfo *video)
{
  if (decoder->has_number && video->has_place
      && video->place.number != decoder->number + 1)
    paco_decoder_forget (decoder->coder);
  decoder->has_number = video->has_place;
  decoder->number = video->place.number;
}

/* Reads what the application wants to have decoded, and where to. */
static PacoStatus
read_arguments (PacoFrameDecoder *decoder, const void *data, size_t size,
    const PacoImage *image, PacoCodedFrame *frame, PacoPicture *destination,
    PacoError *error)
{
  unsigned reduce = decoder->settings.reduce;
  const PacoPictureFormat *picture = &frame->header.picture;
  GError *failure = NULL;

  if (!paco_coded_frame_parse (frame, data, size, &failure)
      || !paco_header_check_pixels (
          &frame->header, decoder->settings.max_pixels, &failure))
    return paco_error_take (error, failure);
  if (frame->header.video.slice.length > 0 && !decoder->settings.slices)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "the frame is slice %u of a stack of %u, and no picture by itself: set "
        "slices=true, and have paco_stack_pictures() make the pictures",
        frame->header.video.slice.position, frame->header.video.slice.length);
  if (reduce > 0 && frame->header.video.slice.length > 0
      && frame->header.video.slice.bits == PACO_SLICE_DEPTH)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "reduce=%u cannot be done with a stack of 16-bit pictures that was "
        "coded without loss; set reduce to 0",
        reduce);
  if (reduce > frame->header.coding.levels)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "reduce=%u, but the frame has only %u levels to leave out", reduce,
        frame->header.coding.levels);
  return paco_image_read (
      image, picture, reduce, decoder->settings.region, destination, error);
}

static PacoStatus
take_ticket (PacoFrameDecoder *decoder, Ticket **ticket, PacoError *error)
{
  Ticket **place = &decoder->tickets[decoder->submitted % PACO_MAX_FLIGHTS];

  if (in_flight (decoder) >= paco_coder_depth (PACO_CODER (decoder->coder)))
    return paco_error_set (error, PACO_STATUS_BUSY,
        "%u frames are in flight, and no more may be; collect one",
        in_flight (decoder));
  if (!*place)
    *place = g_try_new0 (Ticket, 1);
  *ticket = *place;
  if (!*place)
    return paco_error_set (
        error, PACO_STATUS_MEMORY, "there is no memory for a frame");
  return PACO_STATUS_OK;
}

static PacoStatus
submit (PacoFrameDecoder *decoder, PacoCodedFrame *frame,
    const PacoPicture *destination, bool compares, void *user, PacoError *error)
{
  GError *failure = NULL;
  bool submitted;
  Ticket *ticket;
  PacoStatus status = open_device (decoder, error);

  if (status == PACO_STATUS_OK)
    status = configure (decoder, &frame->header, destination->layout, error);
  if (status == PACO_STATUS_OK)
    status = take_ticket (decoder, &ticket, error);
  if (status != PACO_STATUS_OK)
    return status;
  ticket->user = user;
  forget_unless_next (decoder, &frame->header.video);
  submitted = (compares ? paco_decoder_submit_comparison
                        : paco_decoder_submit) (
      decoder->coder, frame, destination, ticket, &failure);
  if (!submitted)
    return paco_error_take (error, failure);
  decoder->submitted++;
  return paco_error_ok (error);
}

static PacoStatus
read_and_submit (PacoFrameDecoder *decoder, const void *data, size_t size,
    const PacoImage *image, bool compares, void *user, PacoError *error)
{
  PacoCodedFrame frame;
  PacoPicture destination;
  PacoStatus status;

  if (!decoder || !data || !image)
    return paco_error_null (!decoder ? "decoder"
            : !data                  ? "data"
                                     : "image",
        error);
  status = read_arguments (
      decoder, data, size, image, &frame, &destination, error);
  if (status == PACO_STATUS_OK)
    status = paco_device_check_image (&decoder->options, image, error);
  if (status != PACO_STATUS_OK)
    return status;
  return submit (decoder, &frame, &destination, compares, user, error);
}

PacoStatus
paco_frame_decoder_submit (PacoFrameDecoder *decoder, const void *data,
    size_t size, const PacoImage *image, void *user, PacoError *error)
{
  return read_and_submit (decoder, data, size, image, false, user, error);
}

PacoStatus
paco_frame_decoder_submit_comparison (PacoFrameDecoder *decoder,
    const void *data, size_t size, const PacoImage *image, void *user,
    PacoError *error)
{
  return read_and_submit (decoder, data, size, image, true, user, error);
}

PacoStatus
paco_frame_decoder_collect (
    PacoFrameDecoder *decoder, PacoResult *result, PacoError *error)
{
  PacoDecodedFrame frame = { NULL };
  GError *failure = NULL;
  Ticket *ticket;

  if (!decoder)
    return paco_error_null ("decoder", error);
  if (in_flight (decoder) == 0)
    return paco_error_set (error, PACO_STATUS_EMPTY, "no frame is in flight");
  ticket = decoder->tickets[decoder->collected % PACO_MAX_FLIGHTS];
  if (result)
    *result = (PacoResult){ .user = ticket->user };
  if (!paco_decoder_collect (decoder->coder, &frame, &failure)) {
    /* The memory may still be in use, and so is not used again. */
    if (!g_atomic_int_get (&ticket->dropped))
      decoder->tickets[decoder->collected % PACO_MAX_FLIGHTS] = NULL;
    decoder->collected++;
    return paco_error_take (error, failure);
  }
  decoder->collected++;
  if (frame.error)
    return paco_error_take (error, frame.error);
  if (result) {
    result->corrupted_blocks = frame.corrupted_blocks;
    result->concealed_blocks = frame.concealed_blocks;
    result->different_bytes = frame.different_bytes;
  }
  return paco_error_ok (error);
}

PacoStatus
paco_frame_decoder_decode (PacoFrameDecoder *decoder, const void *data,
    size_t size, const PacoImage *image, PacoResult *result, PacoError *error)
{
  PacoStatus status;

  if (decoder && in_flight (decoder) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "frames are in flight; collect them before one is decoded alone");
  status = paco_frame_decoder_submit (decoder, data, size, image, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  return paco_frame_decoder_collect (decoder, result, error);
}
