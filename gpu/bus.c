/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Turns on the bus (bus.h). There is one turn for both directions, so that what a frame
 * enqueues for a transfer is not mixed with what another frame enqueues. */
#include "gpu/bus.h"

void
paco_cuda_bus_init (PacoCudaBus *bus, const PacoDriver *driver)
{
  *bus = (PacoCudaBus){ .driver = driver };
  g_mutex_init (&bus->lock);
  g_cond_init (&bus->passed_on);
}

void
paco_cuda_bus_clear (PacoCudaBus *bus)
{
  if (!bus->driver)
    return;
  g_cond_clear (&bus->passed_on);
  g_mutex_clear (&bus->lock);
  bus->driver = NULL;
}

CUresult
paco_cuda_bus_begin (PacoCudaBus *bus, bool download, CUstream stream)
{
  CUevent last;

  g_mutex_lock (&bus->lock);
  while (bus->holder)
    g_cond_wait (&bus->passed_on, &bus->lock);
  bus->holder = stream;
  g_mutex_unlock (&bus->lock);
  /* Only the holder changes it. */
  last = bus->last[download];
  return last ? bus->driver->stream_wait_event (stream, last, 0) : CUDA_SUCCESS;
}

CUresult
paco_cuda_bus_end (
    PacoCudaBus *bus, bool download, CUstream stream, CUevent event)
{
  CUresult result = bus->driver->event_record (event, stream);

  if (result != CUDA_SUCCESS)
    return result;
  bus->last[download] = event;
  paco_cuda_bus_give_up (bus, stream);
  return CUDA_SUCCESS;
}

void
paco_cuda_bus_give_up (PacoCudaBus *bus, CUstream stream)
{
  g_mutex_lock (&bus->lock);
  if (bus->holder == stream) {
    bus->holder = NULL;
    g_cond_signal (&bus->passed_on);
  }
  g_mutex_unlock (&bus->lock);
}

void
paco_cuda_bus_forget (PacoCudaBus *bus)
{
  bus->last[false] = bus->last[true] = NULL;
}
