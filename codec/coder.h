/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoders and decoders, whatever backend they are of: what their users do with
 * both. encoder.h and decoder.h say how frames go in and come out, backend.h how
 * a coder is opened.
 *
 *   open -> configure -> submit ... collect ... -> drain or abandon -> close
 *
 * configure() allocates everything for one picture format; submit() hands a
 * frame in and returns at once while fewer than paco_coder_depth() frames are
 * in flight; collect() waits for the oldest. Frames come back in the order in
 * which they went in.
 *
 * Threads: submit() and configure() are called by one thread, which alone may
 * ask what is configured (paco_coder_depth(), paco_encoder_max_frame_size());
 * collect() is called by one other (or the same); all else may come from any.
 * collect() returns nothing when nothing is in flight and never waits for a
 * submit().
 *
 * Ownership: what submit() is given (samples, bytes, destination) stays valid
 * and untouched until the frame has been collected or its user_data has been
 * dropped.
 *
 * A device may stop to answer. Whoever waits for it waits for a limited time,
 * PacoBackendOptions.timeout; then the coder is lost, even if it has other
 * devices: every frame in flight is abandoned, and whatever is called from then on
 * fails at once with PACO_ERROR_DEVICE. What the device may still use stays
 * untouched until it lets go of it, which may be never. */
#pragma once
#include "error.h"
#include "picture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

#define PACO_MAX_DEPTH 8
#define PACO_MAX_DEVICES 16
#define PACO_MAX_FLIGHTS (PACO_MAX_DEPTH * PACO_MAX_DEVICES)
#define PACO_DEFAULT_TIMEOUT 10000 /* milliseconds */
#define PACO_DEVICE_NAME_SIZE 128

/* A context of a device that belongs to somebody else. A coder that is to work in
 * it takes and gives pictures that lie in its memory. */
typedef struct
{
  void *handle; /* of the CUDA backend: a CUcontext; NULL: there is none */
  /* Who keeps the context: ref (owner) is called as long as the context is there,
   * and unref (owner) once nothing needs it any more, by any thread. */
  void *owner;
  void *(*ref) (void *owner);
  void (*unref) (void *owner);
} PacoForeignContext;

typedef struct
{
  int device; /* CUDA device, -1 = auto */
  /* Instead of that, several CUDA devices to which frames go in turn: n_devices
   * of these, all different, or every one that can be used. */
  unsigned n_devices; /* 0..PACO_MAX_DEVICES; 0: only `device` */
  int devices[PACO_MAX_DEVICES];
  bool all_devices;
  /* To work in, instead of on any of these; without meaning for the CPU. */
  PacoForeignContext context;
  unsigned threads; /* CPU threads, 0 = all that may run */
  unsigned depth; /* frames in flight on a device at most, 1..PACO_MAX_DEPTH */
  /* Of a picture that is decoded, columns times lines; 0 stands for
   * PACO_DEFAULT_MAX_PIXELS. What a header asks for beyond that is refused
   * before memory for it is taken. */
  uint64_t max_pixels;
  /* Milliseconds that a device may take for a frame before the coder is lost;
   * 0: PACO_DEFAULT_TIMEOUT. Without meaning for the CPU. */
  unsigned timeout;
  /* A decoder puts something in the place of broken blocks of the lowest
   * subbands (FORMAT.md section 11); else they are zero like others. */
  bool conceal;
  /* Called once for each frame that is not collected, when nothing of it is in
   * use any more: from abandon(), close() or a thread of the coder, and after
   * close() if a device was lost. May be NULL. */
  void (*drop) (void *user_data);
} PacoBackendOptions;

/* What one device of several has done. */
typedef struct
{
  char name[PACO_DEVICE_NAME_SIZE];
  uint64_t frames, bytes;
  uint64_t memory; /* bytes of the device that the coder has now */
} PacoDeviceStats;

/* Milliseconds are sums over all frames; wall time of a stage per frame. */
typedef struct
{
  const char *backend;                /* "cpu", "cuda" */
  char device[PACO_DEVICE_NAME_SIZE]; /* e.g. "2 threads, avx512" */
  unsigned n_devices; /* with memory of their own: none on the CPU */
  PacoDeviceStats devices[PACO_MAX_DEVICES];
  uint64_t frames, bytes;
  uint64_t corrupted_blocks, concealed_blocks; /* the latter among the former */
  uint64_t configurations; /* how often memory was taken for a format */
  double transform_ms;     /* samples <-> coefficients */
  double blocks_ms;        /* block coding */
  double stream_ms;        /* putting the codestream together, or apart */
} PacoStats;

/* Of one frame. The stages are those of PacoStats. */
typedef struct
{
  double transform_ms, blocks_ms, stream_ms;
  int64_t submitted, finished; /* g_get_monotonic_time() */
} PacoFrameTimes;

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

/* So many samples at most are in flight on a device, unless one picture has more:
 * a coder of large pictures is not as deep as its options say. */
#define PACO_MAX_SAMPLES_IN_FLIGHT 400000000

/* How many frames of a format may be in flight on each device of a coder of that
 * depth. */
unsigned paco_frames_in_flight (
    const PacoPictureFormat *picture, unsigned depth);

/* What PacoEncoder and PacoDecoder begin with. */
typedef struct _PacoCoder PacoCoder;
#define PACO_CODER(coder) ((PacoCoder *) (coder))

/* Abandons what is in flight and frees the coder, which may be NULL. */
void paco_coder_close (PacoCoder *coder);

/* Keeps a coder from being freed: functions may be called after it has been
 * closed, and fail then. */
PacoCoder *paco_coder_ref (PacoCoder *coder);
void paco_coder_unref (PacoCoder *coder);

/* Waits until at most n_frames are in flight. Error DEVICE. */
gboolean paco_coder_wait (PacoCoder *coder, unsigned n_frames, GError **error);

/* Frames in flight at most, of what is configured, on all devices together. */
unsigned paco_coder_depth (const PacoCoder *coder);
/* How many devices frames go to in turn; 1 for the CPU. */
unsigned paco_coder_n_devices (const PacoCoder *coder);

/* Drops all frames in flight, among them one that waits for a flight; returns
 * when nothing of them is in use any more or, with error DEVICE, the coder is
 * lost. */
gboolean paco_coder_abandon (PacoCoder *coder, GError **error);

void paco_coder_stats (PacoCoder *coder, PacoStats *stats);

/* FALSE if all memory is the same to the backend. */
gboolean paco_coder_has_host_memory (const PacoCoder *coder);
/* Not cleared. NULL and error MEMORY or DEVICE when there is none. */
PacoHostMemory *paco_coder_host_memory (
    PacoCoder *coder, size_t size, GError **error);

G_END_DECLS
