/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What encoder.c and decoder.c have in common: settings by name (lib/stream/settings.h),
 * the device, which lib/stream/backends.c opens, memory that it reads and writes by
 * itself, and frames in flight. */
#include "lib/private.h"
#include <stdlib.h>
#include <string.h>

/* --- life --- */

static void
drop (void *user_data)
{
  PacoTicket *ticket = user_data;

  g_atomic_int_set (&ticket->dropped, TRUE);
}

void
paco_session_init (PacoSession *session, bool encodes)
{
  paco_settings_init (&session->settings);
  session->encodes = encodes;
  session->options.drop = drop;
}

static void
free_ticket (PacoTicket *ticket)
{
  g_free (ticket->chunks.data);
  g_free (ticket);
}

void
paco_session_clear (PacoSession *session)
{
  paco_coder_close (session->coder);
  /* A device that was lost may still use the memory of frames in flight. */
  while (paco_session_in_flight (session) > 0)
    paco_session_end (session, true);
  for (unsigned i = 0; i < PACO_MAX_FLIGHTS; i++)
    if (session->tickets[i])
      free_ticket (session->tickets[i]);
  paco_settings_clear (&session->settings);
}

PacoChange
paco_session_change (const PacoSession *session)
{
  if (paco_session_in_flight (session) > 0)
    return PACO_CHANGE_ANY;
  return session->coder ? PACO_CHANGE_IDLE : PACO_CHANGE_CLOSED;
}

/* --- the device --- */

/* Takes no reference, because the application keeps its context. */
static void *
ref_nothing (void *owner)
{
  return owner;
}

static void
unref_nothing (void *owner)
{
}

PacoStatus
paco_session_use_context (PacoSession *session, void *context, PacoError *error)
{
  if (paco_session_change (session) != PACO_CHANGE_CLOSED)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "a CUDA context can only be handed in before the first frame");
  session->options.context = (PacoForeignContext){
    .handle = context,
    .ref = ref_nothing,
    .unref = unref_nothing,
  };
  return paco_error_ok (error);
}

PacoStatus
paco_session_open (PacoSession *session, PacoError *error)
{
  GError *failure = NULL;
  PacoStats stats;

  if (session->coder)
    return PACO_STATUS_OK;
  if (paco_settings_to_options (
          &session->settings, &session->options, &failure))
    session->coder = paco_backends_open ((PacoUse) session->settings.backend,
        session->encodes, &session->options, NULL, NULL, &failure);
  if (!session->coder)
    return paco_error_take (error, failure);
  paco_coder_stats (session->coder, &stats);
  g_snprintf (session->device, sizeof session->device, "%s: %s", stats.backend,
      stats.device);
  return PACO_STATUS_OK;
}

/* --- frames in flight --- */

PacoStatus
paco_session_begin (PacoSession *session, PacoTicket **ticket, PacoError *error)
{
  unsigned in_flight = paco_session_in_flight (session);
  PacoTicket **place = &session->tickets[session->submitted % PACO_MAX_FLIGHTS];

  if (in_flight >= paco_coder_depth (session->coder))
    return paco_error_set (error, PACO_STATUS_BUSY,
        "%u frames are in flight, and no more may be; collect one", in_flight);
  if (!*place)
    *place = g_try_new0 (PacoTicket, 1);
  *ticket = *place;
  if (!*place)
    return paco_error_set (
        error, PACO_STATUS_MEMORY, "there is no memory for a frame");
  return PACO_STATUS_OK;
}

void
paco_session_end (PacoSession *session, bool lost)
{
  PacoTicket **ticket =
      &session->tickets[session->collected++ % PACO_MAX_FLIGHTS];

  if (lost && !g_atomic_int_get (&(*ticket)->dropped))
    *ticket = NULL;
}

/* --- memory --- */

#define ALIGNMENT 64

static void
release_ordinary (PacoHostMemory *memory)
{
  free (memory->data);
  g_free (memory);
}

/* Allocates memory for a backend to which all memory is the same. */
static PacoHostMemory *
allocate_ordinary (size_t size)
{
  PacoHostMemory *memory = g_try_new0 (PacoHostMemory, 1);

  if (!memory)
    return NULL;
  if (posix_memalign (&memory->data, ALIGNMENT, size) != 0) {
    g_free (memory);
    return NULL;
  }
  memory->size = size;
  memory->release = release_ordinary;
  return memory;
}

PacoStatus
paco_session_allocate (
    PacoSession *session, size_t size, PacoBuffer *buffer, PacoError *error)
{
  PacoHostMemory *memory;
  GError *failure = NULL;
  PacoStatus status;

  if (!buffer)
    return paco_error_null ("buffer", error);
  *buffer = (PacoBuffer){ NULL };
  status = paco_session_open (session, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (size == 0)
    return paco_error_set (
        error, PACO_STATUS_INVALID, "memory of no bytes is asked for");
  if (paco_coder_has_host_memory (session->coder)) {
    memory = paco_coder_host_memory (session->coder, size, &failure);
    if (!memory)
      return paco_error_take (error, failure);
  } else {
    memory = allocate_ordinary (size);
    if (!memory)
      return paco_error_set (
          error, PACO_STATUS_MEMORY, "there are no %zu bytes of memory", size);
  }
  memset (memory->data, 0, size);
  *buffer = (PacoBuffer){ memory->data, size, memory };
  return paco_error_ok (error);
}

void
paco_buffer_release (PacoBuffer *buffer)
{
  if (!buffer)
    return;
  if (buffer->owner) {
    PacoHostMemory *memory = buffer->owner;

    memory->release (memory);
  }
  *buffer = (PacoBuffer){ NULL };
}

/* --- settings by name --- */

PacoStatus
paco_session_set (
    PacoSession *session, const char *name, const char *value, PacoError *error)
{
  PacoSettingOwner owner = session->encodes ? PACO_OF_ENCODER : PACO_OF_DECODER;
  const PacoSetting *setting;
  PacoStatus status;
  char *possible;

  if (!name || !value)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "a setting has a name and a value, and one of them is NULL");
  setting = paco_setting_find (owner, name);
  if (!setting)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "%s have no setting \"%.80s\"; paco.h lists those they have",
        owner == PACO_OF_ENCODER ? "encoders" : "decoders", name);
  if (setting->change < paco_session_change (session))
    return paco_error_set (error, PACO_STATUS_BUSY,
        setting->change == PACO_CHANGE_CLOSED
            ? "%s can only be set before the first frame"
            : "%s cannot change while frames are in flight; collect them",
        name);
  if (paco_setting_parse (setting, &session->settings, value))
    return paco_error_ok (error);
  possible = paco_setting_possible (setting);
  status = paco_error_set (error, PACO_STATUS_INVALID,
      "%s=%.80s is not possible: it is %s", name, value, possible);
  g_free (possible);
  return status;
}
