/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of PacoEncoder and PacoDecoder, for encoder.c, decoder.c and the backends.
 * A coder lives from open to close, and has a ring of flights, each with a thread that
 * works on one frame at a time. */
#pragma once
#include "coder.h"
#include "geometry.h"
#include <stdbool.h>

/* What a backend does with a coder's device. The device may never answer. */
typedef struct
{
  /* Calls func(data) and waits until it has returned. FALSE if the device does not
   * answer in time. Then late(data) is called when it does, and after func if that
   * had begun. Without `late`, func is called in any case. */
  bool (*call) (void *device, void (*func) (void *data),
      void (*late) (void *data), void *data);
  /* The device did not answer, so no new coder may use it as it is. */
  void (*lost) (void *device);
  PacoHostMemory *(*host_memory) (void *device, size_t size, GError **error);
  /* Returns how many bytes of the device's memory the coder has. Any thread may
   * call it. */
  size_t (*memory) (void *device);
} PacoDeviceClass;

/* There are two forms in which a picture may be coded: in one piece (number 0), or as
 * two fields (1). PacoPictureFormat.fields is the number of a form. Both may come in
 * turn in one stream. */
#define PACO_N_FORMS 2

/* What a backend does for each of the coder's devices; the CPU is device 0. These
 * functions are called by the device's thread, if it has one. */
typedef struct
{
  const char *backend;
  const PacoDeviceClass *device; /* NULL: the CPU, and all memory is the same */
  /* Gets the device's flights ready for frames of the formats that the coder has.
   * After an error unconfigure() frees what has been allocated. */
  gboolean (*configure) (PacoCoder *coder, unsigned device, GError **error);
  /* It may be called twice. */
  void (*unconfigure) (PacoCoder *coder, unsigned device);
  /* Frees what open() has made for the device, but not the coder itself. */
  void (*close) (PacoCoder *coder, unsigned device);
} PacoCoderClass;

/* Encoders and decoders differ in this: what a job and its result are. */
typedef struct
{
  const char *name; /* "encoder" */
  size_t job_size, result_size;
  /* Codes or decodes a frame, in the flight's thread. */
  void (*run) (PacoCoder *coder, unsigned flight, void *job, void *result);
  /* Frees a result that nobody will collect. */
  void (*discard) (void *result);
  /* Frees what the encoder or decoder has allocated; it may be NULL. */
  void (*clear) (PacoCoder *coder);
} PacoCoderKind;

/* A flight is the place of a frame in flight; it has one frame at a time. */
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
  unsigned n_flights;  /* flight n is on device n modulo n_devices */
  uint64_t max_memory; /* PacoBackendOptions.max_memory, or G_MAXUINT64 */
  gint64 timeout;      /* microseconds; 0: none */
  void (*drop) (void *user_data);
  /* Threads of the CPU backend, which others may share (PacoBackendOptions); NULL: of
   * another backend. */
  void *threads;

  /* Of what is configured. */
  bool configured;
  unsigned depth; /* flights that are used: as many of each device */
  PacoGeometry *geometry[PACO_N_FORMS]; /* NULL: not configured for that form */

  GMutex lock; /* of what follows */
  GCond changed;
  PacoStats stats;
  /* These count frames. Frame number n uses flight n modulo depth, so the flights
   * from `collected` to `submitted` are in use. */
  guint64 submitted, collected;
  PacoFlight flights[PACO_MAX_FLIGHTS];
  unsigned n_threads; /* that have not come to their end */
  guint generation;   /* counts abandons */
  /* Some work is done in the order of the frames: whose turn it is, whether that
   * frame has begun, and how many frames wait for their turn. */
  guint64 next_in_order;
  bool in_order;
  unsigned n_wait_for_order;
  bool submit_waits;
  void *waiting_user_data;
  bool quit;
  PacoCoderDevice *lost; /* the device with which the coder was lost, or NULL */
};

/* A backend that opens a coder calls init, then makes what it needs and adds its
 * devices, then calls start. Whatever goes wrong, paco_coder_close() frees all of it.
 * The memory at coder has been cleared, and g_free() will free it. */
void paco_coder_init (PacoCoder *coder, const PacoCoderClass *klass,
    const PacoCoderKind *kind, const PacoBackendOptions *options);
/* Adds a device, which close() will close. handle is passed to the PacoDeviceClass;
 * name is the device's name for users. */
void paco_coder_add_device (PacoCoder *coder, void *handle, const char *name);
gboolean paco_coder_start (PacoCoder *coder, GError **error);

/* Sets the error of a coder whose device, of this name, has not answered for this many
 * microseconds. */
void paco_set_lost_error (GError **error, const char *device, gint64 timeout);

/* The timeout that the options say, in microseconds. */
gint64 paco_timeout (const PacoBackendOptions *options);

/* Configures the coder. prepare() makes a geometry for each form and whatever else the
 * encoder or decoder needs before the backend gets ready, and sets the depth. The coder
 * must be unconfigured before, and is so again after a failure. */
typedef gboolean (*PacoConfigureFunc) (
    PacoCoder *coder, const PacoSampleLayout *layout, GError **error);
gboolean paco_coder_configure (PacoCoder *coder, PacoConfigureFunc prepare,
    const PacoSampleLayout *layout, GError **error);
/* Frees what is configured. Error DEVICE: the coder is lost, and what is configured
 * is still in use. */
gboolean paco_coder_unconfigure (PacoCoder *coder, GError **error);
/* Sets the depth for pictures of this format; prepare() calls it. */
void paco_coder_set_depth (PacoCoder *coder, const PacoPictureFormat *picture);

/* Says whether the coder reaches the memory that a picture lies in. Error
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

/* Says whether the frame of a flight has been abandoned, so that its thread may stop. */
bool paco_coder_is_abandoned (const PacoCoder *coder, unsigned flight);

/* Between these two calls, made by a flight's thread, frames do work one after the
 * other in the order in which they were submitted. Each frame must make both calls
 * once, even if it fails. The first one returns FALSE for a frame that has been
 * abandoned; then the second one is left out. If *generation has changed since the
 * last time, frames in between were abandoned. */
bool paco_coder_begin_in_order (
    PacoCoder *coder, unsigned flight, guint *generation);
void paco_coder_end_in_order (PacoCoder *coder, unsigned flight);

/* What a frame adds to the stats. */
typedef struct
{
  uint64_t bytes, corrupted_blocks, concealed_blocks;
  double transform_ms, blocks_ms, stream_ms;
} PacoFrameCount;

/* Adds a frame to the stats, in its flight's thread. */
void paco_coder_count (
    PacoCoder *coder, unsigned flight, const PacoFrameCount *frame);
