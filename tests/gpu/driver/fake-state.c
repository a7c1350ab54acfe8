/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps what the fake driver knows, and does late what is enqueued (fake-state.h). */
#include "tests/gpu/driver/fake-state.h"
#include "tests/gpu/driver/fake-driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME(member, symbol, parameters) symbol,
static const char *const names[FAKE_N_FUNCTIONS] = { PACO_DRIVER_FUNCTIONS (
    NAME) PACO_DRIVER_GRAPH_FUNCTIONS (NAME) DRIVER_COPIES (NAME)
      FAKE_NEIGHBOR_FUNCTIONS (NAME) FAKE_REFUSED_FUNCTIONS (NAME) };

static GMutex lock;
static GCond released;
static FakeContext *contexts;
static unsigned calls[FAKE_N_FUNCTIONS], n_misuses;
static struct
{
  int function, device; /* -1: none */
  int failed_device;    /* see fake_cuda_failed_device() */
  unsigned number, n_of_device;
  CUresult result, gone;
  char how[8];
  bool has_failed, is_read, is_released;
} plan = { .function = -1, .device = -1, .failed_device = -1 };

static _Thread_local FakeContext *pushed[FAKE_MAX_PUSHED];
static _Thread_local unsigned n_pushed;

/* --- Failing --- */

static void
read_plan (const char *text)
{
  char name[64];
  int result = 0;

  memset (calls, 0, sizeof calls);
  memset (&plan, 0, sizeof plan);
  plan.function = plan.device = plan.failed_device = -1;
  plan.is_read = true;
  if (!text)
    return;
  if (sscanf (text, "%63[^:]:%u:%d:%7s", name, &plan.number, &result, plan.how)
      < 3)
    g_error ("no plan for the driver: %s", text);
  plan.result = result;
  for (int i = 0; i < FAKE_N_FUNCTIONS; i++)
    if (strcmp (names[i], name) == 0)
      plan.function = i;
  if (plan.function < 0 && sscanf (name, "device%d", &plan.device) < 1)
    g_error ("no function of the driver: %s", name);
}

FakeContext *
fake_current (void)
{
  return n_pushed > 0 ? pushed[n_pushed - 1] : NULL;
}

static void drop_operations (FakeContext *context);

/* The plan's call is being made. */
static void
note_failure (void)
{
  bool only_one = strcmp (plan.how, "gone") != 0
      && strcmp (plan.how, "from") != 0;

  if (!plan.has_failed && only_one && fake_current ())
    plan.failed_device = fake_current ()->device;
  plan.has_failed = true;
}

static void
hang (void)
{
  note_failure ();
  while (!plan.is_released)
    g_cond_wait (&released, &lock);
}

static void
lose (FakeContext *context)
{
  note_failure ();
  context->lost = plan.result;
  drop_operations (context);
}

/* Says whether the call that has just been counted hangs. */
static bool
hangs (int function)
{
  bool stuck = strcmp (plan.how, "stuck") == 0;

  if (!stuck && strcmp (plan.how, "hang") != 0)
    return false;
  return (function == plan.function && calls[function] >= plan.number)
      || (stuck && plan.has_failed);
}

/* Begins a function of the driver. */
CUresult
fake_begin (int function)
{
  g_mutex_lock (&lock);
  if (!plan.is_read)
    read_plan (getenv ("FAKE_CUDA_FAIL"));
  calls[function]++;
  if (hangs (function)) {
    hang ();
    return plan.result;
  }
  if (function == plan.function
      && (calls[function] == plan.number
          || (calls[function] > plan.number
              && strcmp (plan.how, "from") == 0))) {
    note_failure ();
    if (strcmp (plan.how, "gone") == 0)
      plan.gone = plan.result;
    if (strcmp (plan.how, "lost") == 0 && fake_current ())
      lose (fake_current ());
    return plan.result;
  }
  return plan.gone;
}

/* Begins a function that works in a context. */
CUresult
fake_begin_in_context (int function)
{
  CUresult result = fake_begin (function);
  FakeContext *context = fake_current ();

  if (result != CUDA_SUCCESS)
    return result;
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context->device != plan.device || ++plan.n_of_device < plan.number)
    return context->lost;
  if (strcmp (plan.how, "hang") == 0)
    hang ();
  else if (plan.n_of_device == plan.number)
    lose (context);
  return context->lost;
}

CUresult
fake_end (CUresult result)
{
  g_mutex_unlock (&lock);
  return result;
}

/* Notes what no failure of a device excuses. */
void
fake_misuse (const char *what)
{
  fprintf (stderr, "fake driver: %s\n", what);
  n_misuses++;
}

/* --- Memory --- */

static FakeBlock **
find_block (FakeContext *context, const void *data)
{
  FakeBlock **at = &context->blocks;

  while (*at && (*at)->data != data)
    at = &(*at)->next;
  return at;
}

static bool
lies_in (const FakeBlock *block, const uint8_t *data, size_t size)
{
  return data >= block->data && data + size <= block->data + block->size;
}

void
fake_check_memory (
    FakeContext *context, const void *data, size_t size, bool host)
{
  for (const FakeContext *owner = contexts; owner; owner = owner->next)
    for (const FakeBlock *block = owner->blocks; block; block = block->next)
      if (block->host == host && (owner == context || block->portable)
          && lies_in (block, data, size))
        return;
  fake_misuse (host ? "an enqueued copy of memory that is not page-locked"
                    : "no such memory of the device");
  abort ();
}

FakeContext *
fake_owner (const void *data)
{
  for (FakeContext *owner = contexts; owner; owner = owner->next)
    for (const FakeBlock *block = owner->blocks; block; block = block->next)
      if (lies_in (block, data, 1))
        return owner;
  return NULL;
}

size_t
fake_used (int device)
{
  size_t used = 0;

  for (const FakeContext *context = contexts; context; context = context->next)
    for (const FakeBlock *block = context->blocks; block; block = block->next)
      if (context->device == device && !block->host)
        used += block->size;
  return used;
}

/* The widest access to a device's memory needs this. The driver's alignment is
 * larger, but would leave room for mistakes behind the end. */
#define DEVICE_ALIGNMENT 16
/* Memory that nobody has written holds this. */
#define RUBBISH 0xa5

static size_t
round_up (size_t size, size_t alignment)
{
  return (size + alignment - 1) / alignment * alignment;
}

/* Maps a device's memory so that it ends where a page does, and a kernel that
 * goes beyond its end does not go far. */
static void
map_pages (FakeBlock *block)
{
  size_t page = sysconf (_SC_PAGESIZE);
  size_t size = round_up (block->size, DEVICE_ALIGNMENT);

  block->pages_size = 2 * page + round_up (size, page);
  block->pages = mmap (
      NULL, block->pages_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block->pages == MAP_FAILED
      || mprotect (block->pages + page, block->pages_size - 2 * page,
             PROT_READ | PROT_WRITE)
          != 0)
    abort ();
  block->data = block->pages + block->pages_size - page - size;
  memset (block->data, RUBBISH, size);
}

static void
unmap_pages (FakeBlock *block)
{
  size_t size = round_up (block->size, DEVICE_ALIGNMENT);

  for (size_t i = block->size; i < size; i++)
    if (block->data[i] != RUBBISH) {
      fake_misuse ("memory of the device is written behind its end");
      break;
    }
  munmap (block->pages, block->pages_size);
}

uint8_t *
fake_new_block (FakeContext *context, size_t size, bool host, bool portable)
{
  FakeBlock *block = g_new0 (FakeBlock, 1);
  void *data = NULL;

  *block = (FakeBlock){
    .next = context->blocks, .size = size, .host = host, .portable = portable
  };
  if (host) {
    if (posix_memalign (&data, 4096, size) != 0)
      abort ();
    memset (data, RUBBISH, size);
    block->data = data;
  } else {
    map_pages (block);
  }
  context->blocks = block;
  return block->data;
}

void
fake_register_block (
    FakeContext *context, void *data, size_t size, bool portable)
{
  FakeBlock *block = g_new (FakeBlock, 1);

  *block = (FakeBlock){ .next = context->blocks,
    .data = data,
    .size = size,
    .host = true,
    .portable = portable,
    .registered = true };
  context->blocks = block;
}

CUresult
fake_free_block (FakeContext *context, const void *data, bool registered)
{
  FakeBlock **at = find_block (context, data), *block = *at;

  if (!block || block->registered != registered)
    return CUDA_ERROR_INVALID_VALUE;
  *at = block->next;
  if (!block->host)
    unmap_pages (block);
  else if (!registered)
    free (block->data);
  g_free (block);
  return CUDA_SUCCESS;
}

/* --- What is enqueued --- */

static void
operation_free (FakeOperation *operation)
{
  g_free ((void *) operation->launch.parameters);
  g_free (operation);
}

FakeStream *
fake_stream (CUstream handle)
{
  return handle == NULL || handle == CU_STREAM_LEGACY ? &fake_current ()->main
                                                      : (FakeStream *) handle;
}

FakeOperation *
fake_enqueue (CUstream handle, int kind)
{
  FakeStream *stream = fake_stream (handle);
  FakeOperation *operation = g_new0 (FakeOperation, 1);

  operation->kind = kind;
  if (!stream->end)
    stream->end = &stream->first;
  *stream->end = operation;
  stream->end = &operation->next;
  return operation;
}

static void
perform (FakeStream *stream, FakeOperation *operation)
{
  switch (operation->kind) {
    case FAKE_COPY:
      for (size_t y = 0; y < operation->rows; y++)
        memcpy (operation->to + y * operation->to_pitch,
            operation->from + y * operation->from_pitch, operation->bytes);
      break;
    case FAKE_FILL:
      memset (operation->to, operation->value, operation->bytes);
      break;
    case FAKE_LAUNCH:
      if (!fake_kernel_run (&stream->state, &operation->launch))
        fake_misuse (operation->launch.name);
      break;
    case FAKE_RECORD:
      operation->event->done = operation->number;
      break;
    case FAKE_WAIT:
      if (operation->event->stream != stream)
        fake_run_until (
            operation->event->stream, operation->event, operation->number);
      break;
  }
}

/* Does what is enqueued, up to a recording of an event if there is one. */
void
fake_run_until (FakeStream *stream, const FakeEvent *event, unsigned number)
{
  while (stream && stream->first && !(event && event->done >= number)) {
    FakeOperation *operation = stream->first;

    stream->first = operation->next;
    if (!stream->first)
      stream->end = &stream->first;
    perform (stream, operation);
    operation_free (operation);
  }
}

void
fake_run_all (FakeContext *context)
{
  fake_run_until (&context->main, NULL, 0);
  for (FakeStream *stream = context->streams; stream; stream = stream->next)
    fake_run_until (stream, NULL, 0);
}

static void
fake_drop_from (FakeStream *stream)
{
  while (stream->first) {
    FakeOperation *operation = stream->first;

    stream->first = operation->next;
    operation_free (operation);
  }
  stream->end = &stream->first;
}

static void
drop_operations (FakeContext *context)
{
  fake_drop_from (&context->main);
  for (FakeStream *stream = context->streams; stream; stream = stream->next)
    fake_drop_from (stream);
}

void
fake_remove_stream (FakeContext *context, FakeStream *stream)
{
  FakeStream **at = &context->streams;

  while (*at && *at != stream)
    at = &(*at)->next;
  if (!*at)
    abort ();
  *at = stream->next;
  fake_drop_from (stream);
  g_free (stream);
}

void
fake_remove_event (FakeContext *context, FakeEvent *event)
{
  FakeEvent **at = &context->events;

  while (*at && *at != event)
    at = &(*at)->next;
  if (!*at)
    abort ();
  *at = event->next;
  g_free (event);
}

void
fake_context_free (FakeContext *context)
{
  FakeContext **at = &contexts;

  drop_operations (context);
  while (context->streams)
    fake_remove_stream (context, context->streams);
  while (context->events)
    fake_remove_event (context, context->events);
  while (context->graphs)
    fake_remove_graph (context, context->graphs);
  while (context->blocks)
    fake_free_block (
        context, context->blocks->data, context->blocks->registered);
  while (context->functions) {
    g_autofree FakeFunction *function = context->functions;

    context->functions = function->next;
  }
  while (*at != context)
    at = &(*at)->next;
  *at = context->next;
  g_free (context);
}

FakeContext *
fake_context_new (int device)
{
  FakeContext *context = g_new0 (FakeContext, 1);

  context->device = device;
  context->next = contexts;
  contexts = context;
  return context;
}

FakeContext *
fake_context_primary (int device)
{
  FakeContext *context = contexts;

  while (context && !(context->primary && context->device == device))
    context = context->next;
  if (!context)
    context = fake_context_new (device);
  context->primary = true;
  return context;
}

void
fake_check_empty (const FakeContext *context)
{
  if (!plan.has_failed
      && (context->streams || context->events || context->blocks
          || context->graphs || context->n_modules > 0))
    fake_misuse ("a context is destroyed before what was made in it");
}

bool
fake_push (FakeContext *context)
{
  const FakeContext *known = contexts;

  while (known && known != context)
    known = known->next;
  if (!known || n_pushed == FAKE_MAX_PUSHED)
    return false;
  pushed[n_pushed++] = context;
  return true;
}

FakeContext *
fake_pop (void)
{
  return n_pushed > 0 ? pushed[--n_pushed] : NULL;
}

/* --- For tests --- */

#pragma GCC visibility push(default)

void
fake_cuda_fail (const char *text)
{
  g_mutex_lock (&lock);
  read_plan (text);
  for (FakeContext *context = contexts; context; context = context->next)
    for (FakeStream *stream = context->streams; stream; stream = stream->next)
      stream->copies[0] = stream->copies[1] = false;
  g_mutex_unlock (&lock);
}

void
fake_cuda_release (void)
{
  g_mutex_lock (&lock);
  plan.is_released = true;
  plan.function = -1;
  plan.how[0] = '\0';
  g_cond_broadcast (&released);
  g_mutex_unlock (&lock);
}

bool
fake_cuda_has_failed (void)
{
  bool has_failed;

  g_mutex_lock (&lock);
  has_failed = plan.has_failed;
  g_mutex_unlock (&lock);
  return has_failed;
}

int
fake_cuda_failed_device (void)
{
  int device;

  g_mutex_lock (&lock);
  device = plan.failed_device;
  g_mutex_unlock (&lock);
  return device;
}

unsigned
fake_cuda_calls (unsigned i, const char **name)
{
  unsigned n = 0;

  g_mutex_lock (&lock);
  *name = i < FAKE_N_FUNCTIONS ? names[i] : NULL;
  if (i < FAKE_N_FUNCTIONS)
    n = calls[i];
  g_mutex_unlock (&lock);
  return n;
}

void
fake_cuda_copying_streams (unsigned n[2])
{
  g_mutex_lock (&lock);
  n[0] = n[1] = 0;
  for (const FakeContext *context = contexts; context; context = context->next)
    for (const FakeStream *stream = context->streams; stream;
         stream = stream->next)
      for (unsigned k = 0; k < 2; k++)
        n[k] += stream->copies[k];
  g_mutex_unlock (&lock);
}

void
fake_cuda_left (FakeCudaLeft *left)
{
  g_mutex_lock (&lock);
  *left = (FakeCudaLeft){ .pushed = n_pushed, .misuses = n_misuses };
  for (const FakeContext *context = contexts; context;
       context = context->next) {
    left->contexts++;
    left->modules += context->n_modules;
    for (const FakeStream *stream = context->streams; stream;
         stream = stream->next)
      left->streams++;
    for (const FakeEvent *event = context->events; event; event = event->next)
      left->events++;
    for (const FakeGraph *graph = context->graphs; graph; graph = graph->next)
      left->graphs++;
    for (const FakeBlock *block = context->blocks; block; block = block->next)
      if (block->host) {
        left->host_memory++;
        left->host_bytes += block->size;
      } else {
        left->device_memory++;
        left->device_bytes += block->size;
      }
  }
  g_mutex_unlock (&lock);
}

void
fake_cuda_clear (void)
{
  g_mutex_lock (&lock);
  while (contexts)
    fake_context_free (contexts);
  n_pushed = n_misuses = 0;
  g_mutex_unlock (&lock);
}

#pragma GCC visibility pop
