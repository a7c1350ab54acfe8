/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The life of a coder and its frames in flight, for encoder.c and decoder.c; it calls
 * the functions of the backend (PacoCoderClass, PacoDeviceClass). `submitted` and
 * `collected` count frames, so the flights between them are in use. All threads wait
 * for one condition, and look at the state again when anything has changed.
 *
 * The coder belongs to its user and to its threads. If a device never returns from a
 * call, the calling thread stays there and keeps the coder. If the device returns
 * after all, that thread frees the coder. */
#include "coder_private.h"
#include <string.h>

/* --- A device that does not answer --- */

gint64
paco_timeout (const PacoBackendOptions *options)
{
  return G_GINT64_CONSTANT (1000)
      * (options->timeout ? options->timeout : PACO_DEFAULT_TIMEOUT);
}

void
paco_set_lost_error (GError **error, const char *device, gint64 timeout)
{
  g_set_error (error, PACO_ERROR, PACO_ERROR_DEVICE,
      "%s has not answered for %g seconds; start the program again to use it, "
      "and reset the device if that does not help; until then only the CPU can "
      "code (backend=cpu)",
      device, (double) timeout / G_USEC_PER_SEC);
}

static void
set_lost_error (const PacoCoder *coder, GError **error)
{
  paco_set_lost_error (
      error, coder->stats.devices[coder->lost->number].name, coder->timeout);
}

/* Counts the oldest frames as collected, as long as they were abandoned and their
 * flights are free. The lock is held. */
static void
skip_free_flights (PacoCoder *coder)
{
  while (coder->collected < coder->submitted
      && coder->flights[coder->collected % coder->depth].state
          == PACO_FLIGHT_FREE)
    coder->collected++;
}

/* Marks all frames in flight as abandoned, and drops those that no thread works on.
 * The lock is held, but not while frames are dropped. */
static void
abandon_all (PacoCoder *coder)
{
  void *dropped[PACO_MAX_FLIGHTS + 1];
  unsigned n_dropped = 0;

  coder->generation++;
  coder->next_in_order = coder->submitted;
  for (guint64 n = coder->collected; n < coder->submitted; n++) {
    PacoFlight *flight = &coder->flights[n % coder->depth];

    if (flight->state == PACO_FLIGHT_FREE
        || g_atomic_int_get (&flight->abandoned))
      continue;
    g_atomic_int_set (&flight->abandoned, TRUE);
    if (flight->state == PACO_FLIGHT_RUNNING)
      continue;
    if (flight->state == PACO_FLIGHT_DONE)
      coder->kind->discard (flight->result);
    flight->state = PACO_FLIGHT_FREE;
    dropped[n_dropped++] = flight->user_data;
  }
  if (coder->submit_waits) {
    dropped[n_dropped++] = coder->waiting_user_data;
    coder->submit_waits = false;
  }
  skip_free_flights (coder);
  g_cond_broadcast (&coder->changed);
  if (n_dropped == 0 || !coder->drop)
    return;
  g_mutex_unlock (&coder->lock);
  for (unsigned i = 0; i < n_dropped; i++)
    coder->drop (dropped[i]);
  g_mutex_lock (&coder->lock);
}

/* Gives up a device, and the coder with it. The lock is held. */
static void
lose (PacoCoderDevice *device)
{
  PacoCoder *coder = device->coder;

  if (coder->lost)
    return;
  coder->lost = device;
  coder->klass->device->lost (device->handle);
  abandon_all (coder);
}

/* Gives up a device, and returns FALSE with an error. */
static gboolean
fail_as_lost (PacoCoderDevice *device, GError **error)
{
  PacoCoder *coder = device->coder;

  g_mutex_lock (&coder->lock);
  lose (device);
  set_lost_error (coder, error);
  g_mutex_unlock (&coder->lock);
  return FALSE;
}

/* Returns the flight whose frame has been worked on for the longest time, or NULL if
 * there is none or no limit to that time. The lock is held. */
static const PacoFlight *
find_longest (const PacoCoder *coder)
{
  const PacoFlight *longest = NULL;

  for (unsigned i = 0; i < coder->n_flights && coder->timeout > 0; i++) {
    const PacoFlight *flight = &coder->flights[i];

    if ((flight->state == PACO_FLIGHT_QUEUED
            || flight->state == PACO_FLIGHT_RUNNING)
        && (!longest || flight->times.submitted < longest->times.submitted))
      longest = flight;
  }
  return longest;
}

static PacoCoderDevice *
device_of (PacoCoder *coder, const PacoFlight *flight)
{
  return &coder->devices[flight->number % coder->n_devices];
}

/* Waits until anything changes; the coder may be lost afterwards. The lock is
 * held. */
static void
wait_for_change (PacoCoder *coder)
{
  const PacoFlight *longest = find_longest (coder);

  if (!longest) {
    g_cond_wait (&coder->changed, &coder->lock);
    return;
  }
  if (g_cond_wait_until (&coder->changed, &coder->lock,
          longest->times.submitted + coder->timeout))
    return;
  longest = find_longest (coder);
  if (longest
      && longest->times.submitted + coder->timeout <= g_get_monotonic_time ())
    lose (device_of (coder, longest));
}

/* --- Flights --- */

/* Drops a frame that was abandoned while its thread was at work. The lock is held, but
 * not while the frame is dropped. */
static void
let_go (PacoCoder *coder, PacoFlight *flight)
{
  g_mutex_unlock (&coder->lock);
  coder->kind->discard (flight->result);
  if (coder->drop)
    coder->drop (flight->user_data);
  g_mutex_lock (&coder->lock);
  flight->state = PACO_FLIGHT_FREE;
  skip_free_flights (coder);
}

static gpointer
flight_main (gpointer data)
{
  PacoFlight *flight = data;
  PacoCoder *coder = flight->coder;

  g_mutex_lock (&coder->lock);
  while (!coder->quit) {
    if (flight->state != PACO_FLIGHT_QUEUED) {
      g_cond_wait (&coder->changed, &coder->lock);
      continue;
    }
    flight->state = PACO_FLIGHT_RUNNING;
    g_mutex_unlock (&coder->lock);
    coder->kind->run (coder, flight->number, flight->job, flight->result);
    g_mutex_lock (&coder->lock);
    flight->times.finished = g_get_monotonic_time ();
    if (g_atomic_int_get (&flight->abandoned))
      let_go (coder, flight);
    else
      flight->state = PACO_FLIGHT_DONE;
    g_cond_broadcast (&coder->changed);
  }
  coder->n_threads--;
  g_cond_broadcast (&coder->changed);
  g_mutex_unlock (&coder->lock);
  paco_coder_unref (coder);
  return NULL;
}

/* --- Open and close --- */

void
paco_coder_init (PacoCoder *coder, const PacoCoderClass *klass,
    const PacoCoderKind *kind, const PacoBackendOptions *options)
{
  coder->klass = klass;
  coder->kind = kind;
  coder->references = 1;
  for (unsigned i = 0; i < PACO_MAX_DEVICES; i++)
    coder->devices[i] = (PacoCoderDevice){ .coder = coder, .number = i };
  coder->n_devices = klass->device ? 0 : 1;
  coder->n_flights = CLAMP (options->depth, 1, PACO_MAX_DEPTH);
  coder->depth = coder->n_flights;
  coder->timeout = klass->device ? paco_timeout (options) : 0;
  coder->max_memory = klass->device || options->max_memory == 0
      ? G_MAXUINT64
      : options->max_memory;
  coder->drop = options->drop;
  coder->stats.backend = klass->backend;
  g_mutex_init (&coder->lock);
  g_cond_init (&coder->changed);
}

void
paco_coder_add_device (PacoCoder *coder, void *handle, const char *name)
{
  unsigned number = coder->n_devices++;
  PacoStats *stats = &coder->stats;

  coder->devices[number].handle = handle;
  g_strlcpy (stats->devices[number].name, name, PACO_DEVICE_NAME_SIZE);
  stats->n_devices = coder->n_devices;
  if (number == 0)
    g_strlcpy (stats->device, name, PACO_DEVICE_NAME_SIZE);
  else
    g_snprintf (stats->device, PACO_DEVICE_NAME_SIZE, "%s and %u more",
        stats->devices[0].name, number);
}

static gboolean
flight_start (PacoCoder *coder, unsigned number)
{
  PacoFlight *flight = &coder->flights[number];

  flight->coder = coder;
  flight->number = number;
  flight->job = g_malloc0 (coder->kind->job_size);
  flight->result = g_malloc0 (coder->kind->result_size);
  g_mutex_lock (&coder->lock);
  flight->thread = g_thread_try_new ("paco-frame", flight_main, flight, NULL);
  if (flight->thread) {
    coder->n_threads++;
    paco_coder_ref (coder);
  }
  g_mutex_unlock (&coder->lock);
  return flight->thread != NULL;
}

gboolean
paco_coder_start (PacoCoder *coder, GError **error)
{
  coder->n_flights *= coder->n_devices;
  coder->depth = coder->n_flights;
  for (unsigned i = 0; i < coder->n_flights; i++) {
    if (!flight_start (coder, i))
      return paco_fail (error, PACO_ERROR_MEMORY,
          "the %s's threads could not be started", coder->kind->name);
  }
  return TRUE;
}

PacoCoder *
paco_coder_ref (PacoCoder *coder)
{
  g_atomic_int_inc (&coder->references);
  return coder;
}

/* --- Calls of a device --- */

/* Calls a function by way of the device's call(), or directly if it has none. */
static bool
call_device (PacoCoderDevice *device, void (*func) (void *data),
    void (*late) (void *data), void *data)
{
  if (device->handle)
    return device->coder->klass->device->call (
        device->handle, func, late, data);
  func (data);
  return true;
}

static void
unconfigure_and_unref (void *data)
{
  PacoCoderDevice *device = data;
  PacoCoder *coder = device->coder;

  coder->klass->unconfigure (coder, device->number);
  paco_coder_unref (coder);
}

static void
free_geometry (PacoCoder *coder)
{
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    g_clear_pointer (&coder->geometry[i], paco_geometry_free);
}

static void
free_coder (PacoCoder *coder)
{
  free_geometry (coder);
  for (unsigned i = 0; i < coder->n_flights; i++) {
    g_free (coder->flights[i].job);
    g_free (coder->flights[i].result);
  }
  if (coder->kind->clear)
    coder->kind->clear (coder);
  g_cond_clear (&coder->changed);
  g_mutex_clear (&coder->lock);
  g_free (coder);
}

/* Drops the reference that a device holds while it is being closed. */
static void
unref_closed (PacoCoder *coder)
{
  if (g_atomic_int_dec_and_test (&coder->references))
    free_coder (coder);
}

static void
close_device (void *data)
{
  PacoCoderDevice *device = data;
  PacoCoder *coder = device->coder;

  coder->klass->unconfigure (coder, device->number);
  coder->klass->close (coder, device->number);
  unref_closed (coder);
}

/* When the last reference from outside is gone, each device holds one until it has
 * been closed. A device that does not answer may be closed after this has returned. */
void
paco_coder_unref (PacoCoder *coder)
{
  unsigned n_devices = coder->n_devices;

  if (!g_atomic_int_dec_and_test (&coder->references))
    return;
  g_atomic_int_set (&coder->references, (gint) n_devices + 1);
  for (unsigned i = 0; i < n_devices; i++)
    call_device (&coder->devices[i], close_device, NULL, &coder->devices[i]);
  unref_closed (coder);
}

/* Returns whether all threads have come to their end. */
static bool
stop_threads (PacoCoder *coder)
{
  bool stopped;

  g_mutex_lock (&coder->lock);
  coder->quit = true;
  g_cond_broadcast (&coder->changed);
  while (coder->n_threads > 0 && !coder->lost)
    g_cond_wait (&coder->changed, &coder->lock);
  stopped = coder->n_threads == 0;
  g_mutex_unlock (&coder->lock);
  for (unsigned i = 0; i < coder->n_flights; i++) {
    GThread *thread = g_steal_pointer (&coder->flights[i].thread);

    if (thread && stopped)
      g_thread_join (thread);
    else if (thread)
      g_thread_unref (thread);
  }
  return stopped;
}

void
paco_coder_close (PacoCoder *coder)
{
  if (!coder)
    return;
  paco_coder_abandon (coder, NULL);
  if (stop_threads (coder))
    paco_coder_unconfigure (coder, NULL);
  paco_coder_unref (coder);
}

/* --- Configuration --- */

unsigned
paco_frames_in_flight (const PacoPictureFormat *picture, unsigned depth)
{
  return CLAMP (
      PACO_MAX_SAMPLES_IN_FLIGHT / paco_picture_samples (picture), 1, depth);
}

void
paco_coder_set_depth (PacoCoder *coder, const PacoPictureFormat *picture)
{
  unsigned depth = paco_frames_in_flight (
      picture, coder->n_flights / coder->n_devices);

  depth = CLAMP (coder->max_memory / paco_flight_memory (picture), 1, depth);
  g_mutex_lock (&coder->lock);
  coder->depth = coder->n_devices * depth;
  g_mutex_unlock (&coder->lock);
}

unsigned
paco_coder_depth (const PacoCoder *coder)
{
  return coder->depth;
}

unsigned
paco_coder_n_devices (const PacoCoder *coder)
{
  return coder->n_devices;
}

typedef struct
{
  PacoCoderDevice *device;
  gboolean done;
  GError *error;
} Configuration;

static void
configure (void *data)
{
  Configuration *configuration = data;
  PacoCoderDevice *device = configuration->device;
  PacoCoder *coder = device->coder;

  configuration->done = coder->klass->configure (
      coder, device->number, &configuration->error);
}

static void
configuration_free (void *data)
{
  Configuration *configuration = data;

  paco_coder_unref (configuration->device->coder);
  g_clear_error (&configuration->error);
  g_free (configuration);
}

static gboolean
configure_device (PacoCoderDevice *device, GError **error)
{
  Configuration *configuration = g_new0 (Configuration, 1);
  gboolean done;

  configuration->device = device;
  paco_coder_ref (device->coder);
  if (!call_device (device, configure, configuration_free, configuration))
    return fail_as_lost (device, error);
  done = configuration->done;
  if (!done)
    g_propagate_error (error, g_steal_pointer (&configuration->error));
  configuration_free (configuration);
  return done;
}

static gboolean
configure_devices (PacoCoder *coder, GError **error)
{
  for (unsigned i = 0; i < coder->n_devices; i++)
    if (!configure_device (&coder->devices[i], error))
      return FALSE;
  return TRUE;
}

gboolean
paco_coder_unconfigure (PacoCoder *coder, GError **error)
{
  PacoCoderDevice *lost;

  coder->configured = false;
  g_mutex_lock (&coder->lock);
  lost = coder->lost;
  g_mutex_unlock (&coder->lock);
  for (unsigned i = 0; i < coder->n_devices && !lost; i++) {
    PacoCoderDevice *device = &coder->devices[i];

    paco_coder_ref (coder);
    if (!call_device (device, unconfigure_and_unref, NULL, device))
      lost = device;
  }
  if (lost)
    return fail_as_lost (lost, error);
  free_geometry (coder);
  return TRUE;
}

gboolean
paco_coder_configure (PacoCoder *coder, PacoConfigureFunc prepare,
    const PacoSampleLayout *layout, GError **error)
{
  coder->configured = prepare (coder, layout, error)
      && configure_devices (coder, error);
  if (!coder->configured)
    paco_coder_unconfigure (coder, NULL);
  g_mutex_lock (&coder->lock);
  coder->stats.configurations++;
  g_mutex_unlock (&coder->lock);
  return coder->configured;
}

/* --- Frames in and out --- */

gboolean
paco_coder_check_memory (
    const PacoCoder *coder, const PacoPicture *picture, GError **error)
{
  if (picture->memory == PACO_MEMORY_HOST
      || (coder->klass->device && coder->n_devices == 1))
    return TRUE;
  return paco_refuse (error,
      "the %s backend (%s) does not reach pictures in a device's memory",
      coder->klass->backend, coder->stats.device);
}

gboolean
paco_coder_submit (
    PacoCoder *coder, const void *job, void *user_data, GError **error)
{
  gboolean submitted = TRUE;
  guint generation;

  g_mutex_lock (&coder->lock);
  generation = coder->generation;
  coder->submit_waits = true;
  coder->waiting_user_data = user_data;
  while (coder->submitted - coder->collected == coder->depth && !coder->lost
      && generation == coder->generation)
    wait_for_change (coder);
  if (generation == coder->generation) {
    coder->submit_waits = false;
    submitted = coder->lost == NULL;
    if (submitted) {
      PacoFlight *flight = &coder->flights[coder->submitted % coder->depth];

      flight->frame = coder->submitted++;
      flight->generation = generation;
      memcpy (flight->job, job, coder->kind->job_size);
      flight->user_data = user_data;
      flight->times = (PacoFrameTimes){ .submitted = g_get_monotonic_time () };
      g_atomic_int_set (&flight->abandoned, FALSE);
      flight->state = PACO_FLIGHT_QUEUED;
      g_cond_broadcast (&coder->changed);
    } else {
      set_lost_error (coder, error);
    }
  }
  g_mutex_unlock (&coder->lock);
  return submitted;
}

gboolean
paco_coder_collect (PacoCoder *coder, void *result, void **user_data,
    PacoFrameTimes *times, GError **error)
{
  gboolean collected = FALSE;

  g_mutex_lock (&coder->lock);
  while (!collected && !coder->lost && coder->collected < coder->submitted) {
    PacoFlight *flight = &coder->flights[coder->collected % coder->depth];

    if (flight->state != PACO_FLIGHT_DONE) {
      wait_for_change (coder);
      continue;
    }
    memcpy (result, flight->result, coder->kind->result_size);
    *user_data = flight->user_data;
    *times = flight->times;
    flight->state = PACO_FLIGHT_FREE;
    coder->collected++;
    collected = TRUE;
    g_cond_broadcast (&coder->changed);
  }
  if (coder->lost)
    set_lost_error (coder, error);
  g_mutex_unlock (&coder->lock);
  return collected;
}

gboolean
paco_coder_wait (PacoCoder *coder, unsigned n_frames, GError **error)
{
  bool lost;

  g_mutex_lock (&coder->lock);
  while (coder->submitted - coder->collected > n_frames && !coder->lost)
    wait_for_change (coder);
  lost = coder->lost != NULL;
  if (lost)
    set_lost_error (coder, error);
  g_mutex_unlock (&coder->lock);
  return !lost;
}

gboolean
paco_coder_abandon (PacoCoder *coder, GError **error)
{
  bool lost;
  guint64 end;

  g_mutex_lock (&coder->lock);
  end = coder->submitted;
  abandon_all (coder);
  while (coder->collected < end && !coder->lost)
    wait_for_change (coder);
  lost = coder->lost != NULL;
  if (lost)
    set_lost_error (coder, error);
  g_mutex_unlock (&coder->lock);
  return !lost;
}

bool
paco_coder_is_abandoned (const PacoCoder *coder, unsigned flight)
{
  return g_atomic_int_get (&coder->flights[flight].abandoned);
}

/* --- What frames do in their order --- */

bool
paco_coder_begin_in_order (PacoCoder *coder, unsigned number, guint *generation)
{
  PacoFlight *flight = &coder->flights[number];
  bool begun;

  g_mutex_lock (&coder->lock);
  coder->n_wait_for_order++;
  while (!g_atomic_int_get (&flight->abandoned)
      && (coder->in_order || coder->next_in_order != flight->frame))
    g_cond_wait (&coder->changed, &coder->lock);
  coder->n_wait_for_order--;
  begun = !g_atomic_int_get (&flight->abandoned);
  if (begun)
    coder->in_order = true;
  *generation = flight->generation;
  g_mutex_unlock (&coder->lock);
  return begun;
}

/* If the frame was abandoned meanwhile, its turn has ended already. */
void
paco_coder_end_in_order (PacoCoder *coder, unsigned number)
{
  const PacoFlight *flight = &coder->flights[number];

  g_mutex_lock (&coder->lock);
  coder->in_order = false;
  if (coder->next_in_order == flight->frame)
    coder->next_in_order++;
  if (coder->n_wait_for_order > 0)
    g_cond_broadcast (&coder->changed);
  g_mutex_unlock (&coder->lock);
}

/* --- Figures and memory --- */

void
paco_coder_count (
    PacoCoder *coder, unsigned flight, const PacoFrameCount *frame)
{
  PacoFrameTimes *times = &coder->flights[flight].times;
  PacoStats *sum = &coder->stats;
  PacoDeviceStats *device = &sum->devices[flight % coder->n_devices];

  g_mutex_lock (&coder->lock);
  times->transform_ms = frame->transform_ms;
  times->blocks_ms = frame->blocks_ms;
  times->stream_ms = frame->stream_ms;
  device->frames++;
  device->bytes += frame->bytes;
  sum->frames++;
  sum->bytes += frame->bytes;
  sum->corrupted_blocks += frame->corrupted_blocks;
  sum->concealed_blocks += frame->concealed_blocks;
  sum->transform_ms += frame->transform_ms;
  sum->blocks_ms += frame->blocks_ms;
  sum->stream_ms += frame->stream_ms;
  g_mutex_unlock (&coder->lock);
}

void
paco_coder_stats (PacoCoder *coder, PacoStats *stats)
{
  g_mutex_lock (&coder->lock);
  *stats = coder->stats;
  g_mutex_unlock (&coder->lock);
  for (unsigned i = 0; i < stats->n_devices; i++)
    stats->devices[i].memory = coder->klass->device->memory (
        coder->devices[i].handle);
}

gboolean
paco_coder_has_host_memory (const PacoCoder *coder)
{
  return coder->klass->device != NULL;
}

PacoHostMemory *
paco_coder_host_memory (PacoCoder *coder, size_t size, GError **error)
{
  g_return_val_if_fail (coder->klass->device, NULL);
  return coder->klass->device->host_memory (
      coder->devices[0].handle, size, error);
}
