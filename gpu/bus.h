/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Turns on the bus: frames of a coder share the way to the device and that back.
 * Uploads run one after the other in the order in which they are enqueued, and so do
 * downloads: side by side all frames would end at the same time, and leave the bus idle
 * while they are coded. Only frame.c calls it. */
#pragma once
#include "gpu/driver.h"

typedef struct
{
  const PacoDriver *driver;
  GMutex lock; /* of what follows */
  GCond passed_on;
  CUstream holder; /* whose upload or download is being enqueued, or NULL */
  CUevent last[2]; /* of the last upload and download, or NULL */
} PacoCudaBus;

/* driver is that of the context of the streams and events. */
void paco_cuda_bus_init (PacoCudaBus *bus, const PacoDriver *driver);
/* The bus may have been cleared already, or never been initialized. */
void paco_cuda_bus_clear (PacoCudaBus *bus);

/* Begins an upload, or a download, which is then enqueued in the stream: waits until
 * no other frame is enqueuing one, and makes the stream wait for the last one. Even
 * after a failure the stream has the turn. */
CUresult paco_cuda_bus_begin (PacoCudaBus *bus, bool download, CUstream stream);
/* Records the event at its end, and passes the turn on. After a failure the stream
 * still has the turn. */
CUresult paco_cuda_bus_end (
    PacoCudaBus *bus, bool download, CUstream stream, CUevent event);

/* Passes the turn on if the stream has it. It is called when a frame has failed. */
void paco_cuda_bus_give_up (PacoCudaBus *bus, CUstream stream);

/* Forgets the events, which are about to be destroyed. No frame may be enqueuing. */
void paco_cuda_bus_forget (PacoCudaBus *bus);
