/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of the decoders of all backends: checks of what comes in, and the
 * index. A backend's own decoder begins with a PacoDecoder, and does the rest in
 * the functions of a PacoDecoderClass.
 *
 * The header is checked before a frame is submitted, so that the caller hears of
 * bytes that are no frame at once; everything else in the flight's thread. */
#pragma once
#include "coder_private.h"
#include "decoder.h"
#include "index.h"

typedef struct
{
  PacoPicture destination;
  PacoCodedFrame frame;
} PacoDecoderJob;

typedef struct
{
  PacoCoderClass coder;
  /* Decodes a frame, in the flight's thread. Sets frame->error or
   * frame->corrupted_blocks. */
  void (*decode) (PacoDecoder *decoder, unsigned flight,
      const PacoDecoderJob *job, PacoDecodedFrame *frame);
} PacoDecoderClass;

struct _PacoDecoder
{
  PacoCoder coder;
  uint64_t max_pixels;

  /* Of what is configured. */
  PacoHeader headers[PACO_N_FORMS]; /* what frames of a form have in common */
  unsigned reduce;
  unsigned form; /* that was configured last */
};

/* paco_coder_init() for a decoder; paco_coder_start() comes next. */
void paco_decoder_init (PacoDecoder *decoder, const PacoDecoderClass *klass,
    const PacoBackendOptions *options);

/* The codeblocks' bytes of a frame. */
const uint8_t *paco_decoder_payload (const PacoDecoderJob *job);
/* records: one for each block. Error CORRUPT. */
gboolean paco_decoder_parse_index (const PacoDecoder *decoder,
    const PacoDecoderJob *job, PacoBlockRecord *records, GError **error);
