/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the decoders of all backends have in common: checks of what comes in,
 * the index, frames in flight. A backend's own decoder begins with a
 * PacoDecoder, and does the rest in the functions of a PacoDecoderClass.
 *
 * The header is checked when a frame is submitted, so that the caller hears of
 * bytes that are no frame at once; everything else in the slot's thread. */
#pragma once
#include "backend.h"
#include "index.h"
#include "pipeline.h"
#include "stats.h"

typedef struct
{
  PacoPicture destination;
  const uint8_t *data;
  PacoHeader header;
  PacoProbabilitySet carried_set; /* if header.set is not NULL */
} PacoDecoderJob;

typedef struct
{
  const char *backend;
  /* Gets ready for frames of what the PacoDecoder says; whatever is left of it
   * after an error, unconfigure() frees. */
  gboolean (*configure) (PacoDecoder *decoder, GError **error);
  /* May be called twice. */
  void (*unconfigure) (PacoDecoder *decoder);
  /* Decodes a frame, in the slot's thread. Sets frame->error or
   * frame->corrupted_blocks. */
  void (*decode) (PacoDecoder *decoder, unsigned slot,
      const PacoDecoderJob *job, PacoDecodedFrame *frame);
  /* Frees what open() has made, but not the decoder itself. */
  void (*close) (PacoDecoder *decoder);
} PacoDecoderClass;

struct _PacoDecoder
{
  const PacoDecoderClass *klass;
  unsigned depth; /* slots */
  uint64_t max_pixels;
  PacoPipeline *pipeline;
  PacoStatsCounter stats;

  /* Of what is configured. */
  bool configured;
  PacoHeader header; /* what the frames have in common */
  PacoGeometry *geometry;
  unsigned reduce;
};

/* To open: init, then what the backend needs, then start. Whatever goes wrong,
 * paco_decoder_close() frees all of it. decoder has been cleared. */
void paco_decoder_init (PacoDecoder *decoder, const PacoDecoderClass *klass,
    const PacoBackendOptions *options);
gboolean paco_decoder_start (PacoDecoder *decoder, GError **error);

/* The codeblocks' bytes of a frame. */
const uint8_t *paco_decoder_payload (const PacoDecoderJob *job);
/* records: one for each block. Error CORRUPT. */
gboolean paco_decoder_parse_index (const PacoDecoder *decoder,
    const PacoDecoderJob *job, PacoBlockRecord *records, GError **error);
/* Whether a block's check says that its bytes are not what was written. */
bool paco_decoder_finds_damage (
    const PacoDecoderJob *job, const PacoBlockRecord *record);

/* The rest of the table of a backend. */
gboolean paco_decoder_configure (PacoDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layout, unsigned reduce, GError **error);
gboolean paco_decoder_submit (PacoDecoder *decoder, const uint8_t *data,
    size_t size, const PacoPicture *destination, void *user_data,
    GError **error);
gboolean paco_decoder_collect (PacoDecoder *decoder, PacoDecodedFrame *frame);
void paco_decoder_abandon (PacoDecoder *decoder, void (*drop) (void *));
void paco_decoder_stats (PacoDecoder *decoder, PacoStats *stats);
void paco_decoder_close (PacoDecoder *decoder);

#define PACO_DECODER_FUNCTIONS                                                 \
  .decoder_configure = paco_decoder_configure,                                 \
  .decoder_submit = paco_decoder_submit,                                       \
  .decoder_collect = paco_decoder_collect,                                     \
  .decoder_abandon = paco_decoder_abandon,                                     \
  .decoder_stats = paco_decoder_stats, .decoder_close = paco_decoder_close
