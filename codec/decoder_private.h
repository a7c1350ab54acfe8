/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of the decoders of all backends, which checks what comes in and parses the
 * index. A backend's own decoder begins with a PacoDecoder, and does the rest in the
 * functions of a PacoDecoderClass.
 *
 * The header is checked before a frame is submitted, so that the caller learns at once
 * that bytes are not a frame. Everything else is done in the flight's thread. */
#pragma once
#include "coder_private.h"
#include "conceal.h"
#include "decoder.h"
#include "sample_map.h"

typedef struct
{
  PacoPicture destination;
  bool compares; /* the destination is only compared with */
  PacoCodedFrame frame;
  bool forget; /* paco_decoder_forget() came before it */
  /* These are known when the backend decodes the frame. */
  const PacoBlockRecord *records;
  const PacoRepairs *repairs;
  const uint8_t *cells; /* exponents of the step map (step_map.h), or NULL */
  int64_t begun; /* g_get_monotonic_time(), when its flight's thread took it */
} PacoDecoderJob;

typedef struct
{
  PacoCoderClass coder;
  /* Begins with what needs no index, before this is parsed; may be NULL. Then decode()
   * follows, or else drop(), also after an error. */
  gboolean (*begin) (PacoDecoder *decoder, unsigned flight,
      const PacoDecoderJob *job, GError **error);
  /* Ends a frame that begin() has begun, and that is not decoded. Its bytes are not read
   * any more. */
  void (*drop) (PacoDecoder *decoder, unsigned flight);
  /* Decodes a frame, in the flight's thread. Sets frame->error, or adds to
   * frame->corrupted_blocks those that it finds; sets frame->different_bytes if
   * job->compares. */
  void (*decode) (PacoDecoder *decoder, unsigned flight,
      const PacoDecoderJob *job, PacoDecodedFrame *frame);
  PacoDecodeBlockFunc decode_block; /* paco_decode_block_on_host() */
} PacoDecoderClass;

struct _PacoDecoder
{
  PacoCoder coder;
  uint64_t max_pixels;

  /* What is configured. */
  PacoHeader headers[PACO_N_FORMS]; /* what frames of a form have in common */
  unsigned reduce;
  unsigned form; /* that was configured last */
  struct
  {
    PacoBlockRecord *records;
    PacoRepairs repairs;
    uint8_t *cells;
    PacoSampleMaps maps; /* of the frame, for the backend */
  } flights[PACO_MAX_FLIGHTS];

  PacoConcealer *concealer; /* NULL: nothing is concealed */
  guint generation;         /* of the frame that was concealed last */
  bool forget;              /* for the next frame that is submitted */
};

/* Calls paco_coder_init() for a decoder; paco_coder_start() comes next. */
void paco_decoder_init (PacoDecoder *decoder, const PacoDecoderClass *klass,
    const PacoBackendOptions *options);

/* Returns the codeblocks' bytes of a frame, and those of a block. */
const uint8_t *paco_decoder_payload (const PacoDecoderJob *job);
const uint8_t *paco_decoder_block (
    const PacoDecoderJob *job, const PacoBlockRecord *record);

/* A PacoDecodeBlockFunc for all backends, by the CPU backend's block coder: blocks that
 * others are made from are decoded on the host. It allocates its working memory in each
 * call, as hardly any frame needs it. */
gboolean paco_decode_block_on_host (const PacoGeometry *geometry,
    const PacoCoding *coding, const PacoProbabilitySet *carried_set, uint32_t i,
    const PacoBlockRecord *record, const uint8_t *bytes,
    PacoCoefficient *coefficients);
