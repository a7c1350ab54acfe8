/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A stream of the driver that gathers kernels: those of a frame that follow one another
 * are handed over together, as a graph, because each call of the driver waits for those
 * of all other threads (NOTES.md, "Many streams"). frame.c has one for each frame
 * in flight; whatever launches kernels for a frame does it here. */
#pragma once
#include "gpu/module.h"

/* More kernels in a row make two graphs. */
#define PACO_CUDA_MAX_GATHERED 32
/* Graphs that a stream keeps; another one replaces the oldest. */
#define PACO_CUDA_MAX_GRAPHS 8

/* Kernels in the order in which they run. Their parameters lie in one array, at the
 * places `at`, and launches[].parameters is NULL. */
typedef struct
{
  unsigned n;
  PacoLaunch launches[PACO_CUDA_MAX_GATHERED];
  unsigned at[PACO_CUDA_MAX_GATHERED];
  GByteArray *parameters; /* NULL before the first kernel */
} PacoGathered;

typedef struct
{
  PacoGathered gathered; /* as they were launched last */
  CUgraph graph;
  CUgraphExec executable; /* NULL until the kernels come a second time */
  CUgraphNode nodes[PACO_CUDA_MAX_GATHERED];
} PacoGraph;

/* With zeros but for context and handle each kernel is launched at once. */
typedef struct
{
  const PacoCudaContext *context;
  CUstream own;
  /* Its own one, or another one where it goes on. What is enqueued here follows
   * paco_cuda_stream_send(). */
  CUstream handle;
  bool gathers;
  bool refused; /* The driver has refused a graph. */
  PacoGathered waiting;
  PacoGraph *graphs; /* NULL before the first kernels that were gathered */
  unsigned next;     /* the graph that is replaced next */
} PacoCudaStream;

gboolean paco_cuda_stream_init (
    PacoCudaStream *stream, const PacoCudaContext *context, GError **error);
/* Destroys a stream with nothing in it; it may have been cleared before, or never been
 * initialized. */
void paco_cuda_stream_clear (PacoCudaStream *stream);

/* Gathers kernels from now on, if the driver has graphs, or launches each at once. None
 * may be waiting. */
void paco_cuda_stream_gather (PacoCudaStream *stream, bool gathers);

/* Launches a kernel, at once or with the next paco_cuda_stream_send(). It copies the
 * parameters. */
gboolean paco_cuda_stream_launch (
    PacoCudaStream *stream, const PacoLaunch *launch, GError **error);
/* Enqueues the kernels that wait; anything but kernels is enqueued after this. */
gboolean paco_cuda_stream_send (PacoCudaStream *stream, GError **error);
/* Goes on in another stream of the driver, where what is enqueued next waits for `after`,
 * an event that was marked in the one before. */
gboolean paco_cuda_stream_go_on (
    PacoCudaStream *stream, CUstream other, CUevent after, GError **error);
/* Forgets the kernels that wait, waits for all that was enqueued, and goes back to its own
 * stream of the driver. */
void paco_cuda_stream_give_up (PacoCudaStream *stream);
