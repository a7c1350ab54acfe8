/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tells ThreadSanitizer what it cannot see, as the libraries are not built with
 * it: GLib's locks and conditions, which are futexes, and what GObject and
 * GStreamer hand from thread to thread by counting references with atomics or by
 * queues without locks. thread.sh preloads it. Each function calls the one that
 * it stands in front of. */
#include <dlfcn.h>
#include <gst/gst.h>
#include <gst/video/video.h>

void __tsan_acquire (void *address);
void __tsan_release (void *address);

#define EXPORT __attribute__ ((visibility ("default")))

/* Finds the function of this name once. */
#define REAL(result, name, ...)                                                \
  static result (*real) (__VA_ARGS__);                                         \
  if (!real)                                                                   \
  real = (result (*) (__VA_ARGS__)) dlsym (RTLD_NEXT, name)

/* --- locks and conditions --- */

#undef g_mutex_trylock
#define LOCK(type, lock, trylock, unlock)                                      \
  EXPORT void lock (type *mutex)                                               \
  {                                                                            \
    REAL (void, #lock, type *);                                                \
    real (mutex);                                                              \
    __tsan_acquire (mutex);                                                    \
  }                                                                            \
  EXPORT gboolean trylock (type *mutex)                                        \
  {                                                                            \
    REAL (gboolean, #trylock, type *);                                         \
    gboolean locked = real (mutex);                                            \
    if (locked)                                                                \
      __tsan_acquire (mutex);                                                  \
    return locked;                                                             \
  }                                                                            \
  EXPORT void unlock (type *mutex)                                             \
  {                                                                            \
    REAL (void, #unlock, type *);                                              \
    __tsan_release (mutex);                                                    \
    real (mutex);                                                              \
  }

LOCK (GMutex, g_mutex_lock, g_mutex_trylock, g_mutex_unlock)
LOCK (GRecMutex, g_rec_mutex_lock, g_rec_mutex_trylock, g_rec_mutex_unlock)
LOCK (GRWLock, g_rw_lock_writer_lock, g_rw_lock_writer_trylock,
    g_rw_lock_writer_unlock)
LOCK (GRWLock, g_rw_lock_reader_lock, g_rw_lock_reader_trylock,
    g_rw_lock_reader_unlock)

EXPORT void
g_cond_wait (GCond *cond, GMutex *lock)
{
  REAL (void, "g_cond_wait", GCond *, GMutex *);
  __tsan_release (lock);
  real (cond, lock);
  __tsan_acquire (lock);
}

EXPORT gboolean
g_cond_wait_until (GCond *cond, GMutex *lock, gint64 end_time)
{
  REAL (gboolean, "g_cond_wait_until", GCond *, GMutex *, gint64);
  __tsan_release (lock);
  gboolean woken = real (cond, lock, end_time);
  __tsan_acquire (lock);
  return woken;
}

/* --- queues, whose locks are taken inside of GLib --- */

EXPORT void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  REAL (void, "g_async_queue_push", GAsyncQueue *, gpointer);
  __tsan_release (queue);
  real (queue, data);
}

EXPORT gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  REAL (gpointer, "g_async_queue_pop", GAsyncQueue *);
  gpointer data = real (queue);
  __tsan_acquire (queue);
  return data;
}

/* --- what is done once --- */

#undef g_once_init_enter
#undef g_once_init_leave
EXPORT gboolean
g_once_init_enter (volatile void *location)
{
  REAL (gboolean, "g_once_init_enter", volatile void *);
  gboolean first = real (location);
  __tsan_acquire ((void *) location);
  return first;
}

EXPORT void
g_once_init_leave (volatile void *location, gsize result)
{
  REAL (void, "g_once_init_leave", volatile void *, gsize);
  __tsan_release ((void *) location);
  real (location, result);
}

/* --- references --- */

#undef g_object_ref
#define REFERENCES(type, ref, unref)                                           \
  EXPORT type ref (type object)                                                \
  {                                                                            \
    REAL (type, #ref, type);                                                   \
    real (object);                                                             \
    __tsan_acquire (object);                                                   \
    return object;                                                             \
  }                                                                            \
  EXPORT void unref (type object)                                              \
  {                                                                            \
    REAL (void, #unref, type);                                                 \
    __tsan_release (object);                                                   \
    __tsan_acquire (object);                                                   \
    real (object);                                                             \
  }

REFERENCES (gpointer, g_object_ref, g_object_unref)
REFERENCES (gpointer, gst_object_ref, gst_object_unref)
REFERENCES (GstMiniObject *, gst_mini_object_ref, gst_mini_object_unref)
REFERENCES (GstVideoCodecFrame *, gst_video_codec_frame_ref,
    gst_video_codec_frame_unref)
REFERENCES (GstVideoCodecState *, gst_video_codec_state_ref,
    gst_video_codec_state_unref)

/* --- buffers that a pool hands on --- */

static char pool_token;

EXPORT GstFlowReturn
gst_buffer_pool_acquire_buffer (
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  REAL (GstFlowReturn, "gst_buffer_pool_acquire_buffer", GstBufferPool *,
      GstBuffer **, GstBufferPoolAcquireParams *);
  GstFlowReturn flow = real (pool, buffer, params);
  __tsan_acquire (&pool_token);
  return flow;
}

EXPORT void
gst_buffer_pool_release_buffer (GstBufferPool *pool, GstBuffer *buffer)
{
  REAL (void, "gst_buffer_pool_release_buffer", GstBufferPool *, GstBuffer *);
  __tsan_release (&pool_token);
  real (pool, buffer);
}

/* --- memory whose last user is another thread ---
 *
 * Who has read a buffer gives its reference back by an atomic that is not
 * seen, and whoever holds the last one frees the memory. */

static char memory_token;

typedef struct
{
  gpointer data;
  GDestroyNotify notify;
} Wrapped;

static void
free_wrapped (gpointer data)
{
  Wrapped wrapped = *(Wrapped *) data;

  g_free (data);
  __tsan_acquire (&memory_token);
  if (wrapped.notify)
    wrapped.notify (wrapped.data);
}

EXPORT GstBuffer *
gst_buffer_new_wrapped_full (GstMemoryFlags flags, gpointer data, gsize maxsize,
    gsize offset, gsize size, gpointer user_data, GDestroyNotify notify)
{
  REAL (GstBuffer *, "gst_buffer_new_wrapped_full", GstMemoryFlags, gpointer,
      gsize, gsize, gsize, gpointer, GDestroyNotify);
  Wrapped *wrapped = g_new (Wrapped, 1);

  *wrapped = (Wrapped){ user_data, notify };
  return real (flags, data, maxsize, offset, size, wrapped, free_wrapped);
}

EXPORT void
gst_buffer_unmap (GstBuffer *buffer, GstMapInfo *info)
{
  REAL (void, "gst_buffer_unmap", GstBuffer *, GstMapInfo *);
  __tsan_release (&memory_token);
  real (buffer, info);
}
