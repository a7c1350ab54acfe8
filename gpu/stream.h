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

/* If all members but context and handle are zero, each kernel is launched at once. */
typedef struct
{
  const PacoCudaContext *context;
  CUstream own;
  CUstream
      handle; /* Work is enqueued here: in `own`, or where frame.c moves it. */
  bool gathers;
  bool refused; /* The driver has refused a graph. */
  PacoGathered waiting;
  PacoGraph *graphs; /* NULL before the first kernels that were gathered */
  unsigned next;     /* the graph that is replaced next */
} PacoCudaStream;

/* Creates a stream of the driver, which waits for no other one. */
gboolean paco_cuda_stream_create (
    const PacoCudaContext *context, CUstream *stream, GError **error);

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
/* Enqueues the gathered kernels. Callers do this before they enqueue anything else. */
gboolean paco_cuda_stream_send (PacoCudaStream *stream, GError **error);
/* Forgets the gathered kernels, waits for `own` and `handle` to become empty, and returns
 * to `own`. */
void paco_cuda_stream_give_up (PacoCudaStream *stream);
