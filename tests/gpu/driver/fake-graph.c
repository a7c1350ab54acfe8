/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The fake driver's graphs: kernels that follow one another. */
#include "tests/gpu/driver/fake-state.h"
#include <stdlib.h>

void
fake_remove_graph (FakeContext *context, FakeGraph *graph)
{
  FakeGraph **link = &context->graphs;

  while (*link && *link != graph)
    link = &(*link)->next;
  if (!*link) {
    fake_misuse ("a graph is destroyed that does not exist");
    return;
  }
  *link = graph->next;
  g_ptr_array_unref (graph->nodes);
  g_free (graph);
}

/* Drivers before 12.3 do not have all of these. */
#ifndef FAKE_OLD_DRIVER
PACO_DRIVER_GRAPH_FUNCTIONS (FAKE_DECLARE)

/* A kernel of a graph. The driver keeps its parameters. */
typedef struct
{
  CUfunction function;
  FakeLaunch launch;
  unsigned n_before; /* kernels that it follows */
} FakeNode;

static void
node_set (FakeNode *node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
  g_free ((void *) node->launch.parameters);
  node->function = parameters->func;
  node->launch = (FakeLaunch){
    .name = fake_function_name (parameters->func),
    .grid_x = parameters->gridDimX,
    .grid_y = parameters->gridDimY,
    .grid_z = parameters->gridDimZ,
    .threads = parameters->blockDimX * parameters->blockDimY
        * parameters->blockDimZ,
    .shared_bytes = parameters->sharedMemBytes,
  };
  node->launch.parameters = g_memdup2 (parameters->kernelParams[0],
      fake_kernel_parameter_bytes (node->launch.name));
}

static void
node_free (void *data)
{
  g_free ((void *) ((FakeNode *) data)->launch.parameters);
  g_free (data);
}

static FakeGraph *
graph_new (void)
{
  FakeContext *context = fake_current ();
  FakeGraph *graph = g_new0 (FakeGraph, 1);

  graph->nodes = g_ptr_array_new_with_free_func (node_free);
  graph->next = context->graphs;
  context->graphs = graph;
  return graph;
}

CUresult
fake_graph_create (CUgraph *handle, unsigned flags)
{
  CUresult result = fake_begin_in_context (FUNCTION_graph_create);
  const char *graphs = getenv ("FAKE_CUDA_GRAPHS");

  if (result == CUDA_SUCCESS && graphs && atoi (graphs) == 0)
    result = CUDA_ERROR_NOT_SUPPORTED;
  if (result == CUDA_SUCCESS)
    *handle = (CUgraph) graph_new ();
  return fake_end (result);
}

static CUresult
destroy (int function, FakeGraph *graph)
{
  CUresult result = fake_begin_in_context (function);

  if (result == CUDA_SUCCESS)
    fake_remove_graph (fake_current (), graph);
  return fake_end (result);
}

CUresult
fake_graph_destroy (CUgraph handle)
{
  return destroy (FUNCTION_graph_destroy, (FakeGraph *) handle);
}

CUresult
fake_graph_add_kernel_node (CUgraphNode *handle, CUgraph graph,
    const CUgraphNode *dependencies, size_t n,
    const CUDA_KERNEL_NODE_PARAMS *parameters)
{
  CUresult result = fake_begin_in_context (FUNCTION_graph_add_kernel_node);
  FakeNode *node;

  if (result != CUDA_SUCCESS || n > 0)
    return fake_end (
        result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE);
  node = g_new0 (FakeNode, 1);
  node_set (node, parameters);
  g_ptr_array_add (((FakeGraph *) graph)->nodes, node);
  *handle = (CUgraphNode) node;
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_graph_add_dependencies (CUgraph handle, const CUgraphNode *from,
    const CUgraphNode *to, const CUgraphEdgeData *edges, size_t n)
{
  CUresult result = fake_begin_in_context (FUNCTION_graph_add_dependencies);
  const FakeGraph *graph = (FakeGraph *) handle;

  for (size_t i = 0; result == CUDA_SUCCESS && i < n; i++) {
    guint a, b;

    if (!g_ptr_array_find (graph->nodes, from[i], &a)
        || !g_ptr_array_find (graph->nodes, to[i], &b) || b != a + 1)
      fake_misuse ("kernels of a graph are not in the order of a stream");
    else
      ((FakeNode *) to[i])->n_before++;
  }
  return fake_end (result);
}

CUresult
fake_graph_instantiate (
    CUgraphExec *handle, CUgraph from, unsigned long long flags)
{
  CUresult result = fake_begin_in_context (FUNCTION_graph_instantiate);
  const FakeGraph *graph = (FakeGraph *) from;
  FakeGraph *executable;

  if (result != CUDA_SUCCESS)
    return fake_end (result);
  executable = graph_new ();
  executable->template = graph;
  for (guint i = 0; i < graph->nodes->len; i++) {
    const FakeNode *node = graph->nodes->pdata[i];
    FakeNode *copy = g_memdup2 (node, sizeof *node);

    if (node->n_before != (i > 0))
      fake_misuse ("kernels of a graph may run at the same time");
    copy->launch.parameters = g_memdup2 (node->launch.parameters,
        fake_kernel_parameter_bytes (node->launch.name));
    g_ptr_array_add (executable->nodes, copy);
  }
  *handle = (CUgraphExec) executable;
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_graph_exec_destroy (CUgraphExec handle)
{
  return destroy (FUNCTION_graph_exec_destroy, (FakeGraph *) handle);
}

CUresult
fake_graph_exec_set_params (CUgraphExec handle, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS *parameters)
{
  CUresult result = fake_begin_in_context (FUNCTION_graph_exec_set_params);
  FakeGraph *executable = (FakeGraph *) handle;
  guint i;

  if (result != CUDA_SUCCESS)
    return fake_end (result);
  if (g_ptr_array_find (executable->template->nodes, node, &i))
    node_set (executable->nodes->pdata[i], parameters);
  else
    fake_misuse ("a kernel of another graph gets parameters");
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_graph_launch (CUgraphExec handle, CUstream stream)
{
  CUresult result = fake_begin_in_context (FUNCTION_graph_launch);
  const FakeGraph *executable = (FakeGraph *) handle;

  for (guint i = 0; result == CUDA_SUCCESS && i < executable->nodes->len; i++) {
    const FakeNode *node = executable->nodes->pdata[i];

    result = fake_enqueue_launch (stream, node->function, &node->launch);
  }
  return fake_end (result);
}
#endif
