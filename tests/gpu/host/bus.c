/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests turns on the bus (gpu/bus.h): threads enqueue uploads and downloads, some of
 * which fail, over two functions of a driver that note who waits for what. */
#include "gpu/bus.h"
#include "gpu/copy.h"
#include <string.h>

#define N_THREADS 6
#define N_TRANSFERS 2000 /* of a thread */

typedef struct
{
  CUstream stream; /* the thread */
  CUevent event;   /* that is waited for or recorded */
  bool waits, down, fails;
} Note;

static GMutex lock;
static GArray *notes; /* of Note */
static _Thread_local bool down, fails;

static CUresult
note (CUstream stream, CUevent event, bool waits)
{
  bool this_fails = fails && g_random_boolean ();

  g_mutex_lock (&lock);
  g_array_append_vals (
      notes, &(Note){ stream, event, waits, down, this_fails }, 1);
  g_mutex_unlock (&lock);
  if (g_random_int_range (0, 20) == 0)
    g_thread_yield ();
  return this_fails ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

static CUresult
stream_wait_event (CUstream stream, CUevent event, unsigned flags)
{
  return note (stream, event, true);
}

static CUresult
event_record (CUevent event, CUstream stream)
{
  return note (stream, event, false);
}

static const PacoDriver driver = {
  .stream_wait_event = stream_wait_event,
  .event_record = event_record,
};

static PacoCudaBus bus;

static bool
transfer (CUstream stream, CUevent event)
{
  CUresult result = paco_cuda_bus_begin (&bus, down, stream);

  if (result == CUDA_SUCCESS)
    result = paco_cuda_bus_end (&bus, down, stream, event);
  return result == CUDA_SUCCESS;
}

/* Runs transfers in a stream with its events, of which nothing is known but
 * their addresses. */
static gpointer
run (gpointer data)
{
  char *handles = data;

  for (unsigned i = 0; i < N_TRANSFERS; i++) {
    down = g_random_boolean ();
    fails = g_random_int_range (0, 10) == 0;
    if (!transfer ((CUstream) handles, (CUevent) (handles + 1 + down)))
      paco_cuda_bus_give_up (&bus, (CUstream) handles);
    /* Whoever has no turn gives none up. */
    if (i % 7 == 0)
      paco_cuda_bus_give_up (&bus, (CUstream) handles);
  }
  return NULL;
}

/* Checks that every transfer waits for the last one in its direction that has
 * come to its end, and that nobody else enqueues anything in between. */
static void
check_notes (void)
{
  CUevent last[2] = { NULL };
  CUstream holder = NULL;
  unsigned n_ends = 0, n_waits = 0;

  for (unsigned i = 0; i < notes->len; i++) {
    const Note *at = &g_array_index (notes, Note, i);

    if (at->waits) {
      g_assert_null (holder);
      g_assert_true (at->event == last[at->down]);
      holder = at->fails ? NULL : at->stream;
      n_waits++;
      continue;
    }
    /* The first transfer in its direction waits for nothing. */
    g_assert_true (holder == (last[at->down] ? at->stream : NULL));
    holder = NULL;
    if (!at->fails)
      last[at->down] = at->event;
    n_ends++;
  }
  g_assert_null (holder);
  g_assert_cmpuint (n_ends, >, N_THREADS * N_TRANSFERS / 2);
  g_assert_cmpuint (n_waits, >=, n_ends - 10);
}

static void
test_turns (void)
{
  char handles[N_THREADS][3];
  GThread *threads[N_THREADS];

  notes = g_array_new (FALSE, FALSE, sizeof (Note));
  paco_cuda_bus_init (&bus, &driver);
  for (unsigned i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("frame", run, handles[i]);
  for (unsigned i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  check_notes ();

  /* Nobody waits for what it has forgotten. */
  paco_cuda_bus_forget (&bus);
  g_array_set_size (notes, 0);
  fails = down = false;
  g_assert_true (transfer ((CUstream) handles[0], (CUevent) handles[0]));
  g_assert_cmpuint (notes->len, ==, 1);
  g_assert_false (g_array_index (notes, Note, 0).waits);
  paco_cuda_bus_clear (&bus);
  paco_cuda_bus_clear (&bus);
  g_array_unref (notes);
}

/* Shows that while one enqueues its transfer another one waits, whichever its
 * direction. */
static gpointer
download (gpointer handles)
{
  down = true;
  g_assert_true (transfer (handles, handles));
  return NULL;
}

static void
test_wait (void)
{
  char handles[2];
  GThread *thread;
  CUstream stream = (CUstream) &handles[0];

  notes = g_array_new (FALSE, FALSE, sizeof (Note));
  paco_cuda_bus_init (&bus, &driver);
  down = fails = false;
  g_assert_cmpint (paco_cuda_bus_begin (&bus, false, stream), ==, CUDA_SUCCESS);
  thread = g_thread_new ("download", download, &handles[1]);
  g_usleep (20000);
  g_mutex_lock (&lock);
  g_assert_cmpuint (notes->len, ==, 0);
  g_mutex_unlock (&lock);
  g_assert_cmpint (paco_cuda_bus_end (&bus, false, stream, (CUevent) stream),
      ==, CUDA_SUCCESS);
  g_thread_join (thread);
  g_assert_cmpuint (notes->len, ==, 2);
  g_assert_true (g_array_index (notes, Note, 0).stream == stream);
  paco_cuda_bus_clear (&bus);
  g_array_unref (notes);
}

/* --- copies past the caches (gpu/copy.h) ---
 *
 * They copy every byte, and no other one, at any alignment. */

#define ROOM 8192
#define GUARD 0xa5

static void
fill (uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    bytes[i] = g_test_rand_int ();
}

static void
check_copy (PacoUncachedCopy copy, uint8_t *to, const uint8_t *from)
{
  size_t begin = g_test_rand_int_range (0, 200);
  size_t size = g_test_rand_int_range (0, ROOM - 400);
  size_t source = g_test_rand_int_range (0, 200);

  memset (to, GUARD, ROOM);
  copy (to + begin, from + source, size);
  g_assert_cmpmem (to + begin, size, from + source, size);
  for (size_t i = 0; i < ROOM; i++)
    if (i < begin || i >= begin + size)
      g_assert_cmpuint (to[i], ==, GUARD);
}

/* Tests a copy of parts of something of that size, which decides how they are
 * copied. */
static void
test_copy (gconstpointer size)
{
  PacoUncachedCopy copy = paco_uncached_copy (GPOINTER_TO_SIZE (size));
  g_autofree uint8_t *to = g_malloc (ROOM), *from = g_malloc (ROOM);

  fill (from, ROOM);
  for (int i = 0; i < 2000; i++)
    check_copy (copy, to, from);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bus/turns", test_turns);
  g_test_add_func ("/bus/wait", test_wait);
  g_test_add_data_func ("/uncached/small", GSIZE_TO_POINTER (1), test_copy);
  g_test_add_data_func (
      "/uncached/large", GSIZE_TO_POINTER (G_MAXSIZE), test_copy);
  return g_test_run ();
}
