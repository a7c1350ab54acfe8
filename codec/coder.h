/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A coder is an encoder or a decoder of any backend. This file has what their users,
 * the plugin and libpaco, do with both; encoder.h and decoder.h say how frames go in
 * and come out, and backend.h how a coder is opened.
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
 * A device may stop answering. All calls wait for it at most for
 * PacoBackendOptions.timeout. Then the coder is lost, even if it has other devices:
 * every frame in flight is abandoned, and every later call fails at once with
 * PACO_ERROR_DEVICE. Memory that the device may still use is not touched before the
 * device has returned, which may be never. */
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

/* The base that PacoEncoder and PacoDecoder begin with. */
typedef struct _PacoCoder PacoCoder;

/* A context of a device that belongs to the application. A coder that works in this
 * context reads and writes pictures in its memory. */
typedef struct
{
  void *handle; /* of the CUDA backend: a CUcontext; NULL: there is none */
  /* The owner keeps the context. ref (owner) is called while the context exists, and
   * unref (owner), by any thread, when nothing needs it any more. */
  void *owner;
  void *(*ref) (void *owner);
  void (*unref) (void *owner);
} PacoForeignContext;

typedef struct
{
  int device; /* CUDA device, -1 = auto */
  /* Instead of one device, several to which frames go in turn: the first n_devices
   * of this list, all different, or all devices that can be used. */
  unsigned n_devices; /* 0..PACO_MAX_DEVICES; 0: only `device` */
  int devices[PACO_MAX_DEVICES];
  bool all_devices;
  /* The context to work in, instead of on any of these devices. The CPU backend
   * ignores it. */
  PacoForeignContext context;
  unsigned threads; /* CPU threads, 0 = all that may run */
  /* A coder of the CPU backend, which lives until this one has been opened: this one
   * uses its threads, so that both together have as many as that one's options say.
   * NULL: it has threads of its own. */
  PacoCoder *share_threads;
  unsigned depth; /* frames in flight on a device at most, 1..PACO_MAX_DEPTH */
  /* How many columns times lines a decoded picture may have; 0 stands for
   * PACO_DEFAULT_MAX_PIXELS. A header that asks for more is refused before memory
   * for the picture is allocated. */
  uint64_t max_pixels;
  /* Bytes that the CPU backend's frames in flight may take, of which there is always
   * one; 0: only PACO_MAX_SAMPLES_IN_FLIGHT counts. */
  uint64_t max_memory;
  /* How many milliseconds a device may take for a frame before the coder is lost;
   * 0 stands for PACO_DEFAULT_TIMEOUT. The CPU backend ignores it. */
  unsigned timeout;
  /* A decoder puts something in the place of broken blocks of the lowest
   * subbands (FORMAT.md section 11); else they are zero like others. */
  bool conceal;
  /* It is called once for each frame that will not be collected, when nothing of the
   * frame is in use any more: by abandon(), by close() or by a thread of the coder,
   * and after close() has returned if a device was lost. It may be NULL. */
  void (*drop) (void *user_data);
} PacoBackendOptions;

/* What one device of several has done. */
typedef struct
{
  char name[PACO_DEVICE_NAME_SIZE];
  uint64_t frames, bytes;
  uint64_t memory; /* bytes of the device that the coder has now */
} PacoDeviceStats;

/* Milliseconds are sums over all frames of the wall time that a stage took. On a GPU one
 * frame of 16 is timed, and those after it count as that one. */
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

/* Memory that the device reads and writes without a copy in between; with CUDA it is
 * page-locked. Samples that are given to submit() may lie in it or elsewhere. The
 * result is the same, but if they lie in it, nothing is copied on the host.
 * Page-locked memory is expensive to allocate, so keep and reuse it. Every coder of
 * the backend takes it, whichever coder it came from. It may outlive that coder, and
 * any thread may release it. */
typedef struct _PacoHostMemory PacoHostMemory;
struct _PacoHostMemory
{
  void *data; /* aligned to a page */
  size_t size;
  void (*release) (PacoHostMemory *memory);
};

/* At most this many samples are in flight on a device, unless a single picture has
 * more: a coder of large pictures has a smaller depth than its options ask for. */
#define PACO_MAX_SAMPLES_IN_FLIGHT 400000000

/* Returns how many bytes of memory the CPU backend takes for a frame in flight: words of 4
 * bytes, and those of the coarser levels, which are a third of it. */
static inline uint64_t
paco_flight_memory (const PacoPictureFormat *picture)
{
  return paco_picture_samples (picture) * 11 / 2;
}

/* Returns how many frames of a format may be in flight on each device of a coder with
 * this depth in its options. */
unsigned paco_frames_in_flight (
    const PacoPictureFormat *picture, unsigned depth);

#define PACO_CODER(coder) ((PacoCoder *) (coder))

/* Abandons what is in flight and frees the coder, which may be NULL. */
void paco_coder_close (PacoCoder *coder);

/* A reference keeps a coder from being freed. Its functions may then be called after
 * it has been closed, and fail. */
PacoCoder *paco_coder_ref (PacoCoder *coder);
void paco_coder_unref (PacoCoder *coder);

/* Waits until at most n_frames are in flight. Error DEVICE. */
gboolean paco_coder_wait (PacoCoder *coder, unsigned n_frames, GError **error);

/* Returns how many frames of the configured format may be in flight, on all devices
 * together. */
unsigned paco_coder_depth (const PacoCoder *coder);
/* Returns how many devices the frames go to in turn; it is 1 for the CPU. */
unsigned paco_coder_n_devices (const PacoCoder *coder);

/* Drops all frames in flight, and one that waits for a flight. Returns when nothing of
 * them is in use any more, or with error DEVICE when the coder is lost. */
gboolean paco_coder_abandon (PacoCoder *coder, GError **error);

void paco_coder_stats (PacoCoder *coder, PacoStats *stats);

/* Says whether the backend has memory of its own that it reads faster than any other. */
gboolean paco_coder_has_host_memory (const PacoCoder *coder);
/* Allocates such memory, which is not cleared. NULL and error MEMORY or DEVICE when
 * there is none. */
PacoHostMemory *paco_coder_host_memory (
    PacoCoder *coder, size_t size, GError **error);

G_END_DECLS
