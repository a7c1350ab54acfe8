/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Turns on the bus; bus.h says what they are for. There is one turn for both
 * directions, so that what a frame enqueues for a transfer is not mixed with what
 * another frame enqueues. */
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

/* last points to bus->uploaded or bus->downloaded, which only the frame that has the
 * turn may change. */
static CUresult
begin (PacoCudaBus *bus, CUstream stream, const CUevent *last)
{
  g_mutex_lock (&bus->lock);
  while (bus->holder)
    g_cond_wait (&bus->passed_on, &bus->lock);
  bus->holder = stream;
  g_mutex_unlock (&bus->lock);
  if (!*last)
    return CUDA_SUCCESS;
  return bus->driver->stream_wait_event (stream, *last, 0);
}

static CUresult
end (PacoCudaBus *bus, CUstream stream, CUevent event, CUevent *last)
{
  CUresult result = bus->driver->event_record (event, stream);

  if (result != CUDA_SUCCESS)
    return result;
  *last = event;
  paco_cuda_bus_give_up (bus, stream);
  return CUDA_SUCCESS;
}

CUresult
paco_cuda_bus_begin_upload (PacoCudaBus *bus, CUstream stream)
{
  return begin (bus, stream, &bus->uploaded);
}

CUresult
paco_cuda_bus_end_upload (PacoCudaBus *bus, CUstream stream, CUevent event)
{
  return end (bus, stream, event, &bus->uploaded);
}

CUresult
paco_cuda_bus_begin_download (PacoCudaBus *bus, CUstream stream)
{
  return begin (bus, stream, &bus->downloaded);
}

CUresult
paco_cuda_bus_end_download (PacoCudaBus *bus, CUstream stream, CUevent event)
{
  return end (bus, stream, event, &bus->downloaded);
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
  bus->uploaded = bus->downloaded = NULL;
}
