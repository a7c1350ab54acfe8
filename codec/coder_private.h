/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of PacoEncoder and PacoDecoder, for them and for backends: a life
 * from open to close, and a ring of slots, each with a thread that does one
 * frame at a time. */
#pragma once
#include "coder.h"
#include "geometry.h"
#include <stdbool.h>

/* What a backend does. */
typedef struct
{
  const char *backend;
  /* Its threads wait for a device, which may never answer. */
  bool has_device;
  /* Gets ready for frames of what the coder says; whatever is left of it after
   * an error, unconfigure() frees. */
  gboolean (*configure) (PacoCoder *coder, GError **error);
  /* May be called twice. */
  void (*unconfigure) (PacoCoder *coder);
  /* Frees what open() has made, but not the coder itself. */
  void (*close) (PacoCoder *coder);
  /* The device does not answer: no new coder is to use it as it is. May be
   * NULL. */
  void (*lost) (PacoCoder *coder);
  /* NULL where all memory is the same. */
  PacoHostMemory *(*host_memory) (
      PacoCoder *coder, size_t size, GError **error);
} PacoCoderClass;

/* What encoders and decoders differ in: a job and its result. */
typedef struct
{
  const char *name; /* "encoder" */
  size_t job_size, result_size;
  /* Does a frame, in the slot's thread. */
  void (*run) (PacoCoder *coder, unsigned slot, void *job, void *result);
  /* Frees a result that nobody will collect. */
  void (*discard) (void *result);
} PacoCoderKind;

typedef enum
{
  PACO_SLOT_FREE,
  PACO_SLOT_QUEUED,
  PACO_SLOT_RUNNING,
  PACO_SLOT_DONE,
} PacoSlotState;

typedef struct
{
  PacoCoder *coder;
  unsigned number;
  GThread *thread;
  PacoSlotState state;
  gint abandoned; /* atomic */
  void *job, *result, *user_data;
  PacoFrameTimes times;
} PacoSlot;

struct _PacoCoder
{
  const PacoCoderClass *klass;
  const PacoCoderKind *kind;
  gint references;
  unsigned depth; /* slots */
  gint64 timeout; /* microseconds; 0: none */
  void (*drop) (void *user_data);

  /* Of what is configured. */
  bool configured;
  PacoGeometry *geometry;

  GMutex lock; /* of what follows */
  GCond changed;
  PacoStats stats;
  /* Frame number n uses slot n modulo depth; both count frames, so the slots
   * between them are in use. */
  guint64 submitted, collected;
  PacoSlot slots[PACO_MAX_DEPTH];
  unsigned n_threads; /* that have not come to their end */
  guint generation;   /* counts abandons */
  bool submit_waits;
  void *waiting_user_data;
  bool quit, lost;
};

/* To open: init, then what the backend needs, then start. Whatever goes wrong,
 * paco_coder_close() frees all of it. coder has been cleared, and is the
 * beginning of what g_free() frees. */
void paco_coder_init (PacoCoder *coder, const PacoCoderClass *klass,
    const PacoCoderKind *kind, const PacoBackendOptions *options);
gboolean paco_coder_start (PacoCoder *coder, GError **error);

/* Makes coder->geometry and whatever else encoder and decoder need before the
 * backend gets ready; the coder is unconfigured before, and after a failure. */
typedef gboolean (*PacoConfigureFunc) (
    PacoCoder *coder, const PacoSampleLayout *layout, GError **error);
gboolean paco_coder_configure (PacoCoder *coder, PacoConfigureFunc prepare,
    const PacoSampleLayout *layout, GError **error);
void paco_coder_unconfigure (PacoCoder *coder);

/* Waits for a free slot and copies the job there. A frame that is abandoned
 * while it waits counts as submitted. Error DEVICE. */
gboolean paco_coder_submit (
    PacoCoder *coder, const void *job, void *user_data, GError **error);

/* Waits for the oldest frame and copies its result. FALSE if none is in flight
 * or, with error DEVICE, the coder is lost. */
gboolean paco_coder_collect (PacoCoder *coder, void *result, void **user_data,
    PacoFrameTimes *times, GError **error);

/* Whether the frame of a slot has been abandoned and may as well stop. */
bool paco_coder_is_abandoned (const PacoCoder *coder, unsigned slot);

/* Adds a frame to the stats, in its slot's thread: its bytes, corrupted_blocks
 * and milliseconds. */
void paco_coder_count (PacoCoder *coder, unsigned slot, const PacoStats *frame);
