/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Launches the kernels of a stream, one by one or as graphs. */
#include "gpu/stream.h"
#include <string.h>

enum
{
  ALIGNMENT = 16, /* of the parameters of a kernel */
};

/* --- gathered kernels --- */

static void
gathered_add (PacoGathered *gathered, const PacoLaunch *launch)
{
  static const uint8_t padding[ALIGNMENT] = { 0 };
  GByteArray *bytes = gathered->parameters;

  if (!bytes)
    bytes = gathered->parameters = g_byte_array_new ();
  gathered->launches[gathered->n] = *launch;
  gathered->launches[gathered->n].parameters = NULL;
  gathered->at[gathered->n++] = bytes->len;
  g_byte_array_append (bytes, launch->parameters, launch->size);
  g_byte_array_append (bytes, padding, -launch->size % ALIGNMENT);
}

static void
gathered_reset (PacoGathered *gathered)
{
  gathered->n = 0;
  if (gathered->parameters)
    g_byte_array_set_size (gathered->parameters, 0);
}

static void
gathered_clear (PacoGathered *gathered)
{
  if (gathered->parameters)
    g_byte_array_unref (gathered->parameters);
  *gathered = (PacoGathered){ 0 };
}

static void *
gathered_parameters (const PacoGathered *gathered, unsigned i)
{
  return gathered->parameters->data + gathered->at[i];
}

/* Returns a launch with its parameters, which stay where they are. */
static PacoLaunch
gathered_launch (const PacoGathered *gathered, unsigned i)
{
  PacoLaunch launch = gathered->launches[i];

  launch.parameters = gathered_parameters (gathered, i);
  return launch;
}

/* Says whether these are the same kernels, but for their parameters. */
static bool
gathered_match (const PacoGathered *a, const PacoGathered *b)
{
  if (a->n != b->n)
    return false;
  for (unsigned i = 0; i < a->n; i++) {
    const PacoLaunch *x = &a->launches[i], *y = &b->launches[i];

    if (x->function != y->function || x->grid_x != y->grid_x
        || x->grid_y != y->grid_y || x->threads != y->threads
        || x->shared_bytes != y->shared_bytes || x->early != y->early
        || x->size != y->size)
      return false;
  }
  return true;
}

static gboolean
launch_each (
    const PacoCudaStream *stream, const PacoGathered *gathered, GError **error)
{
  for (unsigned i = 0; i < gathered->n; i++) {
    PacoLaunch launch = gathered_launch (gathered, i);

    if (!paco_module_launch (stream->context, &launch, stream->handle, error))
      return FALSE;
  }
  return TRUE;
}

/* --- graphs --- */

static void
graph_clear (PacoGraph *graph, const PacoDriver *driver)
{
  if (graph->executable)
    driver->graph_exec_destroy (graph->executable);
  if (graph->graph)
    driver->graph_destroy (graph->graph);
  gathered_clear (&graph->gathered);
  *graph = (PacoGraph){ 0 };
}

static CUDA_KERNEL_NODE_PARAMS
describe_node (const PacoLaunch *launch, void **arguments)
{
  return (CUDA_KERNEL_NODE_PARAMS){
    .func = launch->function,
    .gridDimX = launch->grid_x,
    .gridDimY = MAX (launch->grid_y, 1),
    .gridDimZ = 1,
    .blockDimX = launch->threads,
    .blockDimY = 1,
    .blockDimZ = 1,
    .sharedMemBytes = launch->shared_bytes,
    .kernelParams = arguments,
  };
}

/* Adds a kernel behind the one before it. */
static CUresult
add_node (PacoGraph *graph, const PacoDriver *driver, unsigned i)
{
  const PacoLaunch *launch = &graph->gathered.launches[i];
  void *arguments[] = { gathered_parameters (&graph->gathered, i) };
  CUDA_KERNEL_NODE_PARAMS node = describe_node (launch, arguments);
  CUgraphEdgeData edge = { 0 };
  CUresult result = driver->graph_add_kernel_node (
      &graph->nodes[i], graph->graph, NULL, 0, &node);

  if (result != CUDA_SUCCESS || i == 0)
    return result;
  if (launch->early) {
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
  return driver->graph_add_dependencies (
      graph->graph, &graph->nodes[i - 1], &graph->nodes[i], &edge, 1);
}

static CUresult
graph_build (PacoGraph *graph, const PacoDriver *driver)
{
  CUresult result = driver->graph_create (&graph->graph, 0);

  for (unsigned i = 0; result == CUDA_SUCCESS && i < graph->gathered.n; i++)
    result = add_node (graph, driver, i);
  if (result != CUDA_SUCCESS)
    return result;
  return driver->graph_instantiate (&graph->executable, graph->graph, 0);
}

/* Gives the graph's kernels other parameters. */
static CUresult
graph_update (
    PacoGraph *graph, const PacoDriver *driver, const PacoGathered *gathered)
{
  CUresult result = CUDA_SUCCESS;

  for (unsigned i = 0; result == CUDA_SUCCESS && i < gathered->n; i++) {
    const PacoLaunch *launch = &gathered->launches[i];
    void *to = gathered_parameters (&graph->gathered, i);
    const void *from = gathered_parameters (gathered, i);
    CUDA_KERNEL_NODE_PARAMS node;

    if (memcmp (to, from, launch->size) == 0)
      continue;
    memcpy (to, from, launch->size);
    node = describe_node (launch, &to);
    result = driver->graph_exec_set_params (
        graph->executable, graph->nodes[i], &node);
  }
  return result;
}

/* Notes kernels that have not been seen before. If they come again they become a
 * graph. */
static void
note (PacoCudaStream *stream, const PacoGathered *gathered)
{
  PacoGraph *graph;

  if (!stream->graphs)
    stream->graphs = g_new0 (PacoGraph, PACO_CUDA_MAX_GRAPHS);
  graph = &stream->graphs[stream->next];
  stream->next = (stream->next + 1) % PACO_CUDA_MAX_GRAPHS;
  graph_clear (graph, stream->context->driver);
  for (unsigned i = 0; i < gathered->n; i++) {
    PacoLaunch launch = gathered_launch (gathered, i);

    gathered_add (&graph->gathered, &launch);
  }
}

/* Returns the graph of these kernels, with their parameters, or NULL if there is none. */
static PacoGraph *
find_graph (PacoCudaStream *stream, const PacoGathered *gathered)
{
  const PacoDriver *driver = stream->context->driver;

  for (unsigned i = 0; stream->graphs && i < PACO_CUDA_MAX_GRAPHS; i++) {
    PacoGraph *graph = &stream->graphs[i];
    CUresult result = CUDA_SUCCESS;

    if (!gathered_match (&graph->gathered, gathered))
      continue;
    if (!graph->executable)
      result = graph_build (graph, driver);
    if (result == CUDA_SUCCESS)
      result = graph_update (graph, driver, gathered);
    if (result == CUDA_SUCCESS)
      return graph;
    /* A driver that has graphs, but not such ones, is not asked again. */
    graph_clear (graph, driver);
    stream->gathers = false;
    stream->refused = true;
    return NULL;
  }
  note (stream, gathered);
  return NULL;
}

static gboolean
send (PacoCudaStream *stream, const PacoGathered *gathered, GError **error)
{
  PacoGraph *graph = NULL;

  if (gathered->n > 1)
    graph = find_graph (stream, gathered);
  return graph ? paco_module_check_launch (stream->context,
             stream->context->driver->graph_launch (
                 graph->executable, stream->handle),
             error)
               : launch_each (stream, gathered, error);
}

/* --- the stream --- */

gboolean
paco_cuda_stream_create (
    const PacoCudaContext *context, CUstream *stream, GError **error)
{
  const PacoDriver *driver = context->driver;

  return paco_driver_check (driver,
      driver->stream_create (stream, CU_STREAM_NON_BLOCKING), error,
      "a stream on %s cannot be had", context->name);
}

gboolean
paco_cuda_stream_init (
    PacoCudaStream *stream, const PacoCudaContext *context, GError **error)
{
  *stream = (PacoCudaStream){ .context = context };
  if (!paco_cuda_stream_create (context, &stream->own, error))
    return FALSE;
  stream->handle = stream->own;
  return TRUE;
}

void
paco_cuda_stream_clear (PacoCudaStream *stream)
{
  for (unsigned i = 0; stream->graphs && i < PACO_CUDA_MAX_GRAPHS; i++)
    graph_clear (&stream->graphs[i], stream->context->driver);
  g_free (stream->graphs);
  gathered_clear (&stream->waiting);
  if (stream->own)
    stream->context->driver->stream_destroy (stream->own);
  *stream = (PacoCudaStream){ 0 };
}

void
paco_cuda_stream_gather (PacoCudaStream *stream, bool gathers)
{
  stream->gathers = gathers && !stream->refused
      && stream->context->driver->has_graphs;
}

gboolean
paco_cuda_stream_launch (
    PacoCudaStream *stream, const PacoLaunch *launch, GError **error)
{
  if (!stream->gathers)
    return paco_module_launch (stream->context, launch, stream->handle, error);
  if (stream->waiting.n == PACO_CUDA_MAX_GATHERED
      && !paco_cuda_stream_send (stream, error))
    return FALSE;
  gathered_add (&stream->waiting, launch);
  return TRUE;
}

gboolean
paco_cuda_stream_send (PacoCudaStream *stream, GError **error)
{
  gboolean sent = stream->waiting.n == 0
      || send (stream, &stream->waiting, error);

  gathered_reset (&stream->waiting);
  return sent;
}

void
paco_cuda_stream_give_up (PacoCudaStream *stream)
{
  const PacoDriver *driver = stream->context->driver;

  gathered_reset (&stream->waiting);
  driver->stream_synchronize (stream->own);
  if (stream->handle != stream->own)
    driver->stream_synchronize (stream->handle);
  stream->handle = stream->own;
}
