/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decoders turn codestreams into pictures. The plugin and libpaco call this, whatever
 * the backend is; coder.h has what encoders and decoders do alike. */
#pragma once
#include "coder.h"
#include "header.h"

G_BEGIN_DECLS

typedef struct _PacoDecoder PacoDecoder;

/* A frame's bytes and what its header says. paco_coded_frame_parse() makes it, and is
 * the one place where the header of a frame that will be decoded is read. */
typedef struct
{
  const uint8_t *data; /* header.frame_size bytes */
  PacoHeader header;
  PacoProbabilitySet carried_set; /* if header.set is not NULL */
} PacoCodedFrame;

/* Parses a frame's header as paco_header_parse_frame() does. data is not copied, and
 * must stay valid as long as the frame is used. */
gboolean paco_coded_frame_parse (
    PacoCodedFrame *frame, const uint8_t *data, size_t size, GError **error);

/* A decoded frame: the samples are in the destination of submit(), or have been
 * compared with those of the picture of submit_comparison(). */
typedef struct
{
  void *user_data;
  GError *error;             /* the frame could not be decoded at all */
  uint64_t different_bytes;  /* that decoding into the picture would change */
  uint32_t corrupted_blocks; /* that were broken */
  uint32_t concealed_blocks; /* of these; the others are taken as zero */
  PacoFrameTimes times;
} PacoDecodedFrame;

/* Configures the decoder for the frame of this header, which leaves out `reduce`
 * levels (at most as many as it has), into memory of this layout. Error UNSUPPORTED
 * if the picture is larger than the options allow. It is called again, with nothing
 * in flight, before a frame that paco_decoder_takes() denies. Where frames in one
 * piece and frames of two fields belong to one stream (paco_header_same_stream()),
 * the decoder takes both after it has been configured for both. */
gboolean paco_decoder_configure (PacoDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layout, unsigned reduce, GError **error);

/* Says whether the decoder is configured for frames with this header. The thread that
 * configures calls it. */
gboolean paco_decoder_takes (
    const PacoDecoder *decoder, const PacoHeader *header);

/* Says that the next frames come from another place of the stream: nothing of the
 * frames before is shown in the place of their broken blocks. paco_coder_abandon() and
 * paco_decoder_configure() have the same effect. The thread that submits calls it. */
void paco_decoder_forget (PacoDecoder *decoder);

/* Waits for a free flight. frame is copied, its bytes are not. If destination->crop
 * says so, it is a part of the picture that is stored there, and blocks that do not show
 * in it are neither decoded nor counted as broken. After all errors but
 * DEVICE the decoder can be used on. */
gboolean paco_decoder_submit (PacoDecoder *decoder, const PacoCodedFrame *frame,
    const PacoPicture *destination, void *user_data, GError **error);

/* Does the same with a picture that is only read: the frame is decoded elsewhere, into
 * memory of the backend that is laid out as the picture is, and compared with it there.
 * So nothing of a picture comes back from a device. The bytes that are compared are
 * those of the picture's regions (PacoRegion), including what no sample covers. */
gboolean paco_decoder_submit_comparison (PacoDecoder *decoder,
    const PacoCodedFrame *frame, const PacoPicture *picture, void *user_data,
    GError **error);

/* Waits for the oldest frame; the caller frees frame->error. FALSE without an
 * error when nothing is in flight, and with error DEVICE when the coder is
 * lost. */
gboolean paco_decoder_collect (
    PacoDecoder *decoder, PacoDecodedFrame *frame, GError **error);

G_END_DECLS
