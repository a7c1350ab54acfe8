/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Gives applications memory that a coder's device reads and writes by itself
 * (paco.h). */
#include "lib/private.h"
#include <stdlib.h>
#include <string.h>

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
