/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of PacoEncoder and PacoDecoder, for them and for backends: a life
 * from open to close, and a ring of flights, each with a thread that does one
 * frame at a time. */
#pragma once
#include "coder.h"
#include "geometry.h"
#include <stdbool.h>

/* What a backend does with a device of a coder, which may never answer. */
typedef struct
{
  /* Calls func(data) and waits until it has returned. FALSE if the device does
   * not answer in time: then late(data) is called once it has, after func if
   * that had begun. Without `late`, func is called in any case. */
  bool (*call) (void *device, void (*func) (void *data),
      void (*late) (void *data), void *data);
  /* It did not answer: no new coder is to use it as it is. */
  void (*lost) (void *device);
  PacoHostMemory *(*host_memory) (void *device, size_t size, GError **error);
  /* Bytes of the device's memory that the coder has; from any thread. */
  size_t (*memory) (void *device);
} PacoDeviceClass;

/* The forms in which frames of one picture may be coded, in turn: in one piece, or
 * as two fields. PacoPictureFormat.fields is the number of a form. */
#define PACO_N_FORMS 2

/* What a backend does, for each of the coder's devices (number 0 on the CPU): the
 * device's thread calls these functions, if there is one. */
typedef struct
{
  const char *backend;
  const PacoDeviceClass *device; /* NULL: the CPU, and all memory is the same */
  /* Gets the device's flights ready for frames of what the coder says; whatever
   * is left of it after an error, unconfigure() frees. */
  gboolean (*configure) (PacoCoder *coder, unsigned device, GError **error);
  /* May be called twice. */
  void (*unconfigure) (PacoCoder *coder, unsigned device);
  /* Frees what open() has made for the device, but not the coder itself. */
  void (*close) (PacoCoder *coder, unsigned device);
} PacoCoderClass;

/* What encoders and decoders differ in: a job and its result. */
typedef struct
{
  const char *name; /* "encoder" */
  size_t job_size, result_size;
  /* Does a frame, in the flight's thread. */
  void (*run) (PacoCoder *coder, unsigned flight, void *job, void *result);
  /* Frees a result that nobody will collect. */
  void (*discard) (void *result);
  /* Or NULL: frees what the kind has in the coder. */
  void (*clear) (PacoCoder *coder);
} PacoCoderKind;

/* A flight is the place of one frame at a time that is in flight. */
typedef enum
{
  PACO_FLIGHT_FREE,
  PACO_FLIGHT_QUEUED,
  PACO_FLIGHT_RUNNING,
  PACO_FLIGHT_DONE,
} PacoFlightState;

typedef struct
{
  PacoCoder *coder;
  unsigned number;
  GThread *thread;
  PacoFlightState state;
  gint abandoned;   /* atomic */
  guint64 frame;    /* its number, the flight's last one */
  guint generation; /* of the coder's, when the frame was submitted */
  void *job, *result, *user_data;
  PacoFrameTimes times;
} PacoFlight;

/* A device of a coder; the CPU is one of number 0. */
typedef struct
{
  PacoCoder *coder;
  unsigned number;
  void *handle; /* for the PacoDeviceClass; NULL for the CPU */
} PacoCoderDevice;

struct _PacoCoder
{
  const PacoCoderClass *klass;
  const PacoCoderKind *kind;
  unsigned n_devices; /* that are open */
  PacoCoderDevice devices[PACO_MAX_DEVICES];
  gint references;
  unsigned n_flights; /* flight n is on device n modulo n_devices */
  gint64 timeout;     /* microseconds; 0: none */
  void (*drop) (void *user_data);

  /* Of what is configured. */
  bool configured;
  unsigned depth; /* flights that are used: as many of each device */
  PacoGeometry *geometry[PACO_N_FORMS]; /* NULL: not configured for that form */

  GMutex lock; /* of what follows */
  GCond changed;
  PacoStats stats;
  /* Frame number n uses flight n modulo depth; both count frames, so the flights
   * between them are in use. */
  guint64 submitted, collected;
  PacoFlight flights[PACO_MAX_FLIGHTS];
  unsigned n_threads; /* that have not come to their end */
  guint generation;   /* counts abandons */
  /* What frames do in their order: whose turn it is, whether it has begun, and how
   * many wait for theirs. */
  guint64 next_in_order;
  bool in_order;
  unsigned n_wait_for_order;
  bool submit_waits;
  void *waiting_user_data;
  bool quit;
  PacoCoderDevice *lost; /* the device with which the coder was lost, or NULL */
};

/* To open: init, then what the backend needs, its devices among that, then start.
 * Whatever goes wrong, paco_coder_close() frees all of it. coder has been cleared,
 * and is the beginning of what g_free() frees. */
void paco_coder_init (PacoCoder *coder, const PacoCoderClass *klass,
    const PacoCoderKind *kind, const PacoBackendOptions *options);
/* One more device, which close() closes. handle: for the PacoDeviceClass. name:
 * of the device, for users. */
void paco_coder_add_device (PacoCoder *coder, void *handle, const char *name);
gboolean paco_coder_start (PacoCoder *coder, GError **error);

/* What a coder says whose device has not answered for this many microseconds;
 * device: its name. */
void paco_set_lost_error (GError **error, const char *device, gint64 timeout);

/* Of options, in microseconds. */
gint64 paco_timeout (const PacoBackendOptions *options);

/* prepare() makes a geometry for each form and whatever else encoder and decoder need
 * before the backend gets ready, and sets the depth; the coder is unconfigured
 * before, and after a failure. */
typedef gboolean (*PacoConfigureFunc) (
    PacoCoder *coder, const PacoSampleLayout *layout, GError **error);
gboolean paco_coder_configure (PacoCoder *coder, PacoConfigureFunc prepare,
    const PacoSampleLayout *layout, GError **error);
/* Error DEVICE: the coder is lost, and what is configured still in use. */
gboolean paco_coder_unconfigure (PacoCoder *coder, GError **error);
/* For prepare(). */
void paco_coder_set_depth (PacoCoder *coder, const PacoPictureFormat *picture);

/* Whether the coder reaches the memory that a picture lies in. Error
 * UNSUPPORTED. */
gboolean paco_coder_check_memory (
    const PacoCoder *coder, const PacoPicture *picture, GError **error);

/* Waits for a free flight and copies the job there. A frame that is abandoned
 * while it waits counts as submitted. Error DEVICE. */
gboolean paco_coder_submit (
    PacoCoder *coder, const void *job, void *user_data, GError **error);

/* Waits for the oldest frame and copies its result. FALSE if none is in flight
 * or, with error DEVICE, the coder is lost. */
gboolean paco_coder_collect (PacoCoder *coder, void *result, void **user_data,
    PacoFrameTimes *times, GError **error);

/* Whether the coder reaches the memory of a picture; error UNSUPPORTED. */
gboolean paco_coder_check_memory (
    const PacoCoder *coder, const PacoPicture *picture, GError **error);

/* Whether the frame of a flight has been abandoned and may as well stop. */
bool paco_coder_is_abandoned (const PacoCoder *coder, unsigned flight);

/* Between these two calls, from the flight's thread, frames do something one after
 * the other in the order in which they were submitted; each must call them once,
 * whatever becomes of it. FALSE, and the second call is left out, for a frame that
 * has been abandoned. Another *generation than the last time says that frames in
 * between were abandoned. */
bool paco_coder_begin_in_order (
    PacoCoder *coder, unsigned flight, guint *generation);
void paco_coder_end_in_order (PacoCoder *coder, unsigned flight);

/* What of a frame goes into the stats. */
typedef struct
{
  uint64_t bytes, corrupted_blocks, concealed_blocks;
  double transform_ms, blocks_ms, stream_ms;
} PacoFrameCount;

/* Adds a frame to the stats, in its flight's thread. */
void paco_coder_count (
    PacoCoder *coder, unsigned flight, const PacoFrameCount *frame);
