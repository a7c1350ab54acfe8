/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames for applications (paco.h) with the decoder of codec/, which also knows
 * of regions (codec/crop.h). The device is opened, and configured, by the first frame that
 * needs it. */
#include "lib/private.h"
#include <string.h>

struct PacoFrameDecoder
{
  PacoSession session;
  /* The coder is configured for these. */
  PacoSampleLayout layouts[PACO_MAX_COMPONENTS];
  unsigned reduce;
  /* The place of the frame before. */
  bool has_number;
  uint32_t number;
};

static PacoDecoder *
coder_of (const PacoFrameDecoder *decoder)
{
  return (PacoDecoder *) decoder->session.coder;
}

/* --- life --- */

PacoFrameDecoder *
paco_frame_decoder_new (void)
{
  PacoFrameDecoder *decoder = g_try_new0 (PacoFrameDecoder, 1);

  if (!decoder)
    return NULL;
  paco_session_init (&decoder->session, false);
  return decoder;
}

void
paco_frame_decoder_free (PacoFrameDecoder *decoder)
{
  if (!decoder)
    return;
  paco_session_clear (&decoder->session);
  g_free (decoder);
}

PacoStatus
paco_frame_decoder_set (PacoFrameDecoder *decoder, const char *name,
    const char *value, PacoError *error)
{
  if (!decoder)
    return paco_error_null ("decoder", error);
  return paco_session_set (&decoder->session, name, value, error);
}

PacoStatus
paco_frame_decoder_use_context (
    PacoFrameDecoder *decoder, void *context, PacoError *error)
{
  if (!decoder)
    return paco_error_null ("decoder", error);
  return paco_session_use_context (&decoder->session, context, error);
}

const char *
paco_frame_decoder_device (const PacoFrameDecoder *decoder)
{
  return decoder ? decoder->session.device : "";
}

/* --- configuration --- */

PacoStatus
paco_frame_decoder_share_threads (
    PacoFrameDecoder *decoder, PacoFrameEncoder *encoder, PacoError *error)
{
  PacoBackendOptions *options;
  PacoStatus status;

  if (!decoder || !encoder)
    return paco_error_null (decoder ? "encoder" : "decoder", error);
  if (paco_session_change (&decoder->session) != PACO_CHANGE_CLOSED)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "the decoder has threads already; they are shared before the first "
        "frame");
  options = &decoder->session.options;
  status = paco_encoder_open_coder (encoder, &options->share_threads, error);
  if (status == PACO_STATUS_OK)
    status = paco_session_open (&decoder->session, error);
  options->share_threads = NULL;
  return status == PACO_STATUS_OK ? paco_error_ok (error) : status;
}

PacoStatus
paco_frame_decoder_allocate (PacoFrameDecoder *decoder, size_t size,
    PacoBuffer *buffer, PacoError *error)
{
  if (!decoder)
    return paco_error_null ("decoder", error);
  return paco_session_allocate (&decoder->session, size, buffer, error);
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
  unsigned reduce = decoder->session.settings.reduce;
  GError *failure = NULL;

  if (paco_decoder_takes (coder_of (decoder), header)
      && decoder->reduce == reduce && same_layouts (decoder->layouts, layouts))
    return PACO_STATUS_OK;
  if (paco_session_in_flight (&decoder->session) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "this frame is of another kind than those in flight; collect them");
  if (!paco_decoder_configure (
          coder_of (decoder), header, layouts, reduce, &failure))
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
    paco_decoder_forget (coder_of (decoder));
  decoder->has_number = video->has_place;
  decoder->number = video->place.number;
}

/* Reads what the application wants to have decoded, and where to. */
static PacoStatus
read_arguments (PacoFrameDecoder *decoder, const void *data, size_t size,
    const PacoImage *image, PacoCodedFrame *frame, PacoPicture *destination,
    PacoError *error)
{
  unsigned reduce = decoder->session.settings.reduce;
  const PacoPictureFormat *picture = &frame->header.picture;
  GError *failure = NULL;

  if (!paco_coded_frame_parse (frame, data, size, &failure)
      || !paco_header_check_pixels (
          &frame->header, decoder->session.settings.max_pixels, &failure))
    return paco_error_take (error, failure);
  if (frame->header.video.slice.length > 0 && !decoder->session.settings.slices)
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
  return paco_image_read (image, picture, reduce,
      decoder->session.settings.region, destination, error);
}

static PacoStatus
submit (PacoFrameDecoder *decoder, PacoCodedFrame *frame,
    const PacoPicture *destination, bool compares, void *user, PacoError *error)
{
  GError *failure = NULL;
  bool submitted;
  PacoTicket *ticket;
  PacoStatus status = paco_session_open (&decoder->session, error);

  if (status == PACO_STATUS_OK)
    status = configure (decoder, &frame->header, destination->layout, error);
  if (status == PACO_STATUS_OK)
    status = paco_session_begin (&decoder->session, &ticket, error);
  if (status != PACO_STATUS_OK)
    return status;
  ticket->user = user;
  forget_unless_next (decoder, &frame->header.video);
  submitted = (compares ? paco_decoder_submit_comparison
                        : paco_decoder_submit) (
      coder_of (decoder), frame, destination, ticket, &failure);
  if (!submitted)
    return paco_error_take (error, failure);
  decoder->session.submitted++;
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
    status = paco_image_check_context (image, &decoder->session, error);
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
  bool lost;

  if (!decoder)
    return paco_error_null ("decoder", error);
  if (paco_session_in_flight (&decoder->session) == 0)
    return paco_error_set (error, PACO_STATUS_EMPTY, "no frame is in flight");
  if (result)
    *result = (PacoResult){ .user = paco_session_user (&decoder->session) };
  lost = !paco_decoder_collect (coder_of (decoder), &frame, &failure);
  paco_session_end (&decoder->session, lost);
  if (lost)
    return paco_error_take (error, failure);
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

  if (decoder && paco_session_in_flight (&decoder->session) > 0)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "frames are in flight; collect them before one is decoded alone");
  status = paco_frame_decoder_submit (decoder, data, size, image, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  return paco_frame_decoder_collect (decoder, result, error);
}
