/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decoders: codestreams in, pictures out. For users of any backend's; coder.h
 * has what encoders and decoders do alike. */
#pragma once
#include "coder.h"
#include "header.h"

G_BEGIN_DECLS

typedef struct _PacoDecoder PacoDecoder;

/* A frame's bytes and what its header says: made by paco_coded_frame_parse(),
 * which is the one place where the header of a frame to be decoded is read. */
typedef struct
{
  const uint8_t *data; /* header.frame_size bytes */
  PacoHeader header;
  PacoProbabilitySet carried_set; /* if header.set is not NULL */
} PacoCodedFrame;

/* As paco_header_parse_frame(). data is kept, not copied. */
gboolean paco_coded_frame_parse (
    PacoCodedFrame *frame, const uint8_t *data, size_t size, GError **error);

/* A decoded frame: the samples are in the destination of submit(). */
typedef struct
{
  void *user_data;
  GError *error;             /* the frame could not be decoded at all */
  uint32_t corrupted_blocks; /* that were broken */
  uint32_t concealed_blocks; /* of these; the others are taken as zero */
  PacoFrameTimes times;
} PacoDecodedFrame;

/* header: of the first frame to come. reduce <= levels. layout: of the
 * destination. Error UNSUPPORTED if its picture is larger than the options
 * allow. Needed again, with nothing in flight, before a frame that
 * paco_decoder_takes() denies. Where frames in one piece and such of two fields
 * are of one stream (paco_header_same_stream()), the decoder takes both once it
 * has been configured for both. */
gboolean paco_decoder_configure (PacoDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layout, unsigned reduce, GError **error);

/* Whether it is configured for frames like this. For the thread that
 * configures. */
gboolean paco_decoder_takes (
    const PacoDecoder *decoder, const PacoHeader *header);

/* The frames to come are of another place of the stream: none of those before
 * stands for what is broken in them. So it is after paco_coder_abandon() and
 * paco_decoder_configure(), too. For the thread that submits. */
void paco_decoder_forget (PacoDecoder *decoder);

/* Waits for a free flight. frame is copied, but for its bytes. Errors CORRUPT and
 * so on leave the decoder usable. */
gboolean paco_decoder_submit (PacoDecoder *decoder, const PacoCodedFrame *frame,
    const PacoPicture *destination, void *user_data, GError **error);

/* Waits for the oldest frame; the caller frees frame->error. FALSE without an
 * error when nothing is in flight, and with error DEVICE when the coder is
 * lost. */
gboolean paco_decoder_collect (
    PacoDecoder *decoder, PacoDecodedFrame *frame, GError **error);

G_END_DECLS
