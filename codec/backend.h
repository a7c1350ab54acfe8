/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The backend interface. The elements never know which backend they hold.
 *
 *   open -> configure -> submit ... collect ... -> drain or abandon -> close
 *
 * configure() allocates everything for one picture format; submit() hands a
 * frame in and returns at once while fewer than `depth` frames are in flight;
 * collect() waits for the oldest. Frames come back in the order they went in.
 *
 * Threads: submit() and configure() are called by one thread, collect() by
 * one other (or the same); abandon() and the stats may come from any. collect()
 * returns NULL when nothing is in flight and never waits for a submit().
 *
 * Backends with a thread for each frame in flight are built on encoder.h and
 * decoder.h.
 *
 * Ownership: what submit() is given (samples, bytes, destination) stays valid
 * and untouched until the frame has been collected or abandon() has returned. */
#pragma once
#include "error.h"
#include "header.h"
#include "parameters.h"

G_BEGIN_DECLS

typedef struct _PacoEncoder PacoEncoder;
typedef struct _PacoDecoder PacoDecoder;
typedef struct _PacoEncodedFrame PacoEncodedFrame;

typedef struct
{
  int device;       /* CUDA device, -1 = auto */
  unsigned threads; /* CPU threads, 0 = all cores */
  unsigned depth;   /* frames in flight, 1..8 */
  /* Of a picture that is decoded, columns times lines; 0 stands for
   * PACO_DEFAULT_MAX_PIXELS. What a header asks for beyond that is refused
   * before memory for it is taken. */
  uint64_t max_pixels;
} PacoBackendOptions;

/* Milliseconds are sums over all frames; wall time of a stage per frame. */
typedef struct
{
  const char *backend; /* "cpu", "cuda" */
  char device[128];    /* e.g. "2 threads, avx512" */
  uint64_t frames, bytes, corrupted_blocks;
  double transform_ms; /* samples <-> coefficients */
  double blocks_ms;    /* block coding */
  double stream_ms;    /* putting the codestream together, or apart */
} PacoStats;

/* A codestream in memory of the backend. data and size stay valid until
 * release; user_data is that of submit(). error is set, and data NULL, when
 * this frame failed. Collecting frees the slot: a frame may be kept for any
 * time, released by any thread, and outlive configure() and close(). */
struct _PacoEncodedFrame
{
  uint8_t *data;
  size_t size;
  void *user_data;
  GError *error;
  void (*release) (PacoEncodedFrame *frame);
};

/* Memory that the device reads and writes without a copy in between (page-locked
 * memory, of the CUDA backend). Samples given to submit() may lie in it or not,
 * the result is the same; if they do, nothing is copied on the host. Page-locked
 * memory is expensive to get: keep and reuse it. Any coder of the backend takes
 * it, whichever coder it came from; it may outlive that coder and be released by
 * any thread. */
typedef struct _PacoHostMemory PacoHostMemory;
struct _PacoHostMemory
{
  void *data; /* aligned to a page */
  size_t size;
  void (*release) (PacoHostMemory *memory);
};

/* A decoded frame: the samples are in the destination of submit(). */
typedef struct
{
  void *user_data;
  GError *error;             /* the frame could not be decoded at all */
  uint32_t corrupted_blocks; /* taken as zero */
} PacoDecodedFrame;

typedef struct
{
  const char *name; /* "cpu", "cuda" */

  PacoEncoder *(*encoder_open) (
      const PacoBackendOptions *options, GError **error);
  /* Nothing may be in flight. */
  gboolean (*encoder_configure) (PacoEncoder *encoder,
      const PacoPictureFormat *picture, const PacoSampleLayout *layout,
      const PacoParameters *parameters, GError **error);
  /* Quality and frame_size of later frames; allowed with frames in flight. */
  void (*encoder_set_rate) (
      PacoEncoder *encoder, double quality, uint32_t frame_size);
  /* Waits for a free slot. video is copied. */
  gboolean (*encoder_submit) (PacoEncoder *encoder, const PacoPicture *picture,
      const PacoVideoInfo *video, void *user_data, GError **error);
  PacoEncodedFrame *(*encoder_collect) (PacoEncoder *encoder);
  /* Drops all frames in flight; their user_data go through drop (may be
   * NULL). */
  void (*encoder_abandon) (PacoEncoder *encoder, void (*drop) (void *));
  /* Of any frame of what is configured, at any rate; 0 if nothing is. */
  size_t (*encoder_max_frame_size) (PacoEncoder *encoder);
  void (*encoder_stats) (PacoEncoder *encoder, PacoStats *stats);
  void (*encoder_close) (PacoEncoder *encoder);

  PacoDecoder *(*decoder_open) (
      const PacoBackendOptions *options, GError **error);
  /* header: of the first frame to come; error UNSUPPORTED if its picture is
   * larger than the options allow. reduce <= levels. layout: of the
   * destination. Needed again, with nothing in flight, before a frame whose
   * header paco_header_same_configuration() tells apart. */
  gboolean (*decoder_configure) (PacoDecoder *decoder, const PacoHeader *header,
      const PacoSampleLayout *layout, unsigned reduce, GError **error);
  /* Errors CORRUPT and so on leave the decoder usable. */
  gboolean (*decoder_submit) (PacoDecoder *decoder, const uint8_t *data,
      size_t size, const PacoPicture *destination, void *user_data,
      GError **error);
  /* Returns FALSE when nothing is in flight. The caller frees frame->error. */
  gboolean (*decoder_collect) (PacoDecoder *decoder, PacoDecodedFrame *frame);
  void (*decoder_abandon) (PacoDecoder *decoder, void (*drop) (void *));
  void (*decoder_stats) (PacoDecoder *decoder, PacoStats *stats);
  void (*decoder_close) (PacoDecoder *decoder);

  /* NULL in backends to which all memory is the same. Any thread, between open
   * and close. Not cleared. NULL and error MEMORY when there is none. */
  PacoHostMemory *(*encoder_host_memory) (
      PacoEncoder *encoder, size_t size, GError **error);
  PacoHostMemory *(*decoder_host_memory) (
      PacoDecoder *decoder, size_t size, GError **error);
} PacoBackend;

extern const PacoBackend paco_cpu_backend;
extern const PacoBackend paco_cuda_backend; /* where HAVE_CUDA is defined */

/* Whether frames of header b can be decoded by a decoder configured for a:
 * same picture and the same coding but for quantizer steps, carried set and
 * reconstruction point. */
gboolean paco_header_same_configuration (
    const PacoHeader *a, const PacoHeader *b);

G_END_DECLS
