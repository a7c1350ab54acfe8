/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads frames of a file into memory that is used again; gstpacoreader.h says for
 * whom. */
#include "gstpacoreader.h"
#include "codec/helpers.h"
#include "plugin/coder/gstpacoallocator.h"
#include "lib/stream/io.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/base/gstbasesrc.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* At most this number of slabs of ordinary memory exist, which are used again. */
#define MOST_SLABS 8

/* --- a local file --- */

/* Several threads read a large frame of filesrc's file, because one copies from the
 * system's file cache more slowly than a GPU decodes. They use pread() and not a
 * mapping, although copying from a mapping is faster by a quarter: when a mapped file
 * is truncated, every program that reads the mapping is killed. */

/* Each thread reads at least so much. */
#define MIN_PART ((gsize) 1 << 20)
/* Parts begin at multiples of a page. */
#define PAGE_SIZE ((gsize) 4096)

struct _GstPacoLocalFile
{
  int descriptor;
  PacoHelpers *helpers;
};

typedef struct
{
  int descriptor;
  guint64 offset;
  guint8 *data;
  gsize size, each;
  gint failed; /* atomic */
} Job;

/* Opens a file. Returns NULL unless it is a regular file that can be read. */
static GstPacoLocalFile *
local_file_open (const gchar *path)
{
  int descriptor = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  GstPacoLocalFile *file;
  struct stat status;

  if (descriptor < 0)
    return NULL;
  if (fstat (descriptor, &status) != 0 || !S_ISREG (status.st_mode)) {
    close (descriptor);
    return NULL;
  }
  file = g_new0 (GstPacoLocalFile, 1);
  file->descriptor = descriptor;
  file->helpers = paco_helpers_new ();
  return file;
}

static void
local_file_close (GstPacoLocalFile *file)
{
  paco_helpers_free (file->helpers);
  close (file->descriptor);
  g_free (file);
}

static void
read_part (void *data, unsigned number)
{
  Job *job = data;
  gsize at = MIN (number * job->each, job->size);
  gsize size = MIN (job->each, job->size - at);

  if (paco_io_read_at (job->descriptor, job->offset + at, job->data + at, size)
      < size)
    g_atomic_int_set (&job->failed, TRUE);
}

/* Returns FALSE if the file has fewer bytes, or if they cannot be read. */
static gboolean
local_file_read (
    GstPacoLocalFile *file, guint64 offset, guint8 *data, gsize size)
{
  guint n = CLAMP (size / MIN_PART, 1, paco_helpers_count (file->helpers));
  gsize each = (size + n - 1) / n;
  Job job = { file->descriptor, offset, data, size, 0, FALSE };

  job.each = (each + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
  paco_helpers_run (file->helpers, n, read_part, &job);
  return !g_atomic_int_get (&job.failed);
}

/* --- upstream --- */

/* Returns the pad that the sink pad is linked with, through ghost pads. */
static GstPad *
peer_of_element (GstPad *sink)
{
  GstPad *pad = gst_pad_get_peer (sink);

  while (pad != NULL && GST_IS_PROXY_PAD (pad)) {
    GstPad *next = NULL;

    if (GST_IS_GHOST_PAD (pad)) {
      next = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
    } else {
      GstProxyPad *outside = gst_proxy_pad_get_internal (GST_PROXY_PAD (pad));

      if (outside != NULL) {
        next = gst_pad_get_peer (GST_PAD (outside));
        gst_object_unref (outside);
      }
    }
    gst_object_unref (pad);
    pad = next;
  }
  return pad;
}

static gboolean
is_made_by (GstElement *element, const gchar *name)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && strcmp (GST_OBJECT_NAME (factory), name) == 0;
}

/* Only typefind, which hands on what it is asked for, may be between. */
static GstElement *
find_source (GstPad *sink)
{
  g_autoptr (GstPad) peer = peer_of_element (sink);
  g_autoptr (GstElement) element = peer ? gst_pad_get_parent_element (peer)
                                        : NULL;
  g_autoptr (GstPad) next = NULL;

  if (element == NULL)
    return NULL;
  if (is_made_by (element, "typefind")) {
    next = gst_element_get_static_pad (element, "sink");
    return find_source (next);
  }
  return GST_IS_BASE_SRC (element) ? g_steal_pointer (&element) : NULL;
}

static void
look_upstream (GstPacoReader *reader)
{
  g_autoptr (GstElement) source = find_source (reader->pad);

  reader->source = source ? GST_PACO_SOURCE_FILLS : GST_PACO_SOURCE_OTHER;
  if (source != NULL && is_made_by (source, "filesrc"))
    g_object_get (source, "location", &reader->path, NULL);
  GST_DEBUG_OBJECT (reader->pad, "frames are read %s",
      reader->path ? "by several threads, if they are large"
          : source ? "into memory that is used again"
                   : "by upstream, into its own memory");
}

/* --- size --- */

static gboolean
query_size (const GstPacoReader *reader, guint64 *size)
{
  gint64 bytes;

  if (!gst_pad_peer_query_duration (reader->pad, GST_FORMAT_BYTES, &bytes))
    return FALSE;
  *size = MAX (bytes, 0);
  return TRUE;
}

void
gst_paco_reader_note_size (GstPacoReader *reader)
{
  guint64 size;

  if (query_size (reader, &size))
    reader->noted_size = MAX (reader->noted_size, size);
}

/* Says whether upstream reads a file that is empty. GstBaseSrc answers with the size
 * before, as it does not look at a file at whose end it is. */
static gboolean
is_empty (const GstPacoReader *reader)
{
  g_autoptr (GstQuery) query = gst_query_new_uri ();
  g_autofree gchar *uri = NULL, *path = NULL;
  GStatBuf status;

  if (gst_pad_peer_query (reader->pad, query))
    gst_query_parse_uri (query, &uri);
  if (uri != NULL)
    path = g_filename_from_uri (uri, NULL, NULL);
  return path != NULL && g_stat (path, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_size == 0;
}

gboolean
gst_paco_reader_is_cut (const GstPacoReader *reader, guint64 *size)
{
  if (reader->noted_size == 0 || !query_size (reader, size))
    return FALSE;
  if (is_empty (reader))
    *size = 0;
  return *size < reader->noted_size;
}

/* --- reading --- */

/* Opens the file. If that fails, it is not tried again. */
static gboolean
open_file (GstPacoReader *reader)
{
  if (reader->file == NULL && reader->path != NULL)
    reader->file = local_file_open (reader->path);
  if (reader->file == NULL)
    g_clear_pointer (&reader->path, g_free);
  return reader->file != NULL;
}

/* Says whether the frame begins as it did when the pad was asked. If it does not, the
 * file has been replaced since filesrc has opened it. */
static gboolean
begins_with (const GstMapInfo *frame, GstBuffer *head)
{
  gsize size = MIN (gst_buffer_get_size (head), frame->size);

  return gst_buffer_memcmp (head, 0, frame->data, size) == 0;
}

static gboolean
read_file (
    GstPacoReader *reader, guint64 offset, GstBuffer *frame, GstBuffer *head)
{
  gboolean done;
  GstMapInfo map;

  if (gst_buffer_get_size (frame) < 2 * MIN_PART || !open_file (reader)
      || !gst_buffer_map (frame, &map, GST_MAP_WRITE))
    return FALSE;
  done = local_file_read (reader->file, offset, map.data, map.size)
      && begins_with (&map, head);
  gst_buffer_unmap (frame, &map);
  return done;
}

/* Asks upstream only if the file must have grown: over a network that takes time. */
static gsize
available (GstPacoReader *reader, guint64 offset, gsize size)
{
  if (offset + size > reader->end)
    query_size (reader, &reader->end);
  return offset < reader->end ? MIN (size, reader->end - offset) : 0;
}

static GstBuffer *
new_buffer (GstPacoReader *reader, guint64 offset, gsize size)
{
  size = available (reader, offset, size);
  if (size == 0)
    return NULL;
  if (reader->offered == NULL && reader->own == NULL)
    reader->own = gst_paco_recycler_new (NULL, MOST_SLABS);
  return gst_buffer_new_allocate (
      reader->offered != NULL ? reader->offered : reader->own, size, NULL);
}

static GstFlowReturn
pull (GstPacoReader *reader, guint64 offset, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  g_autoptr (GstPad) peer = gst_pad_get_peer (reader->pad);
  GstFlowReturn flow = GST_FLOW_NOT_LINKED;

  if (peer != NULL)
    flow = gst_pad_get_range (peer, offset, size, &buffer);
  /* If the file has become shorter there are fewer bytes, which the buffer's size
   * does not always say. */
  if (flow == GST_FLOW_OK && GST_BUFFER_OFFSET_END_IS_VALID (buffer)
      && GST_BUFFER_OFFSET_END (buffer) >= offset
      && GST_BUFFER_OFFSET_END (buffer) - offset < size)
    gst_buffer_set_size (buffer, GST_BUFFER_OFFSET_END (buffer) - offset);
  return flow;
}

/* Returns NULL if the pad shall pull, and find out what is wrong. */
static GstBuffer *
read_frame (GstPacoReader *reader, guint64 offset, gsize size, GstBuffer *head)
{
  GstBuffer *buffer;

  if (reader->source == GST_PACO_SOURCE_UNKNOWN)
    look_upstream (reader);
  if (reader->source != GST_PACO_SOURCE_FILLS)
    return NULL;
  buffer = new_buffer (reader, offset, size);
  if (buffer == NULL)
    return NULL;

  if (!read_file (reader, offset, buffer, head)
      && pull (reader, offset, buffer) != GST_FLOW_OK)
    gst_clear_buffer (&buffer);
  return buffer;
}

/* A buffer that the probe puts into info is taken for what was pulled. */
static GstPadProbeReturn
before_pull (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstPacoReader *reader = data;
  g_autoptr (GstBuffer) head = NULL;

  g_mutex_lock (&reader->lock);
  if (reader->size > 0 && reader->thread == g_thread_self ()
      && info->data == NULL && info->offset == reader->offset
      && info->size >= reader->size) {
    reader->size = 0;
    head = g_steal_pointer (&reader->head);
  }
  g_mutex_unlock (&reader->lock);
  if (head == NULL)
    return GST_PAD_PROBE_PASS;

  info->data = read_frame (reader, info->offset, info->size, head);
  return info->data != NULL ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_PASS;
}

void
gst_paco_reader_expect (
    GstPacoReader *reader, guint64 offset, gsize size, GstBuffer *head)
{
  if (reader->probe == 0)
    reader->probe = gst_pad_add_probe (reader->pad,
        GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BLOCK
            | GST_PAD_PROBE_TYPE_BUFFER,
        before_pull, reader, NULL);
  g_mutex_lock (&reader->lock);
  reader->thread = g_thread_self ();
  reader->offset = offset;
  reader->size = size;
  gst_buffer_replace (&reader->head, head);
  g_mutex_unlock (&reader->lock);
}

/* --- downstream --- */

void
gst_paco_reader_negotiate (
    GstPacoReader *reader, GstPad *source_pad, GstCaps *caps)
{
  gst_clear_object (&reader->offered);
  reader->offered = gst_paco_recycler_offered (source_pad, caps);
  GST_DEBUG_OBJECT (reader->pad, "downstream offers %s memory for frames",
      reader->offered ? "its" : "no");
}

/* --- life --- */

void
gst_paco_reader_init (GstPacoReader *reader, GstPad *pad)
{
  *reader = (GstPacoReader){ .pad = pad };
  g_mutex_init (&reader->lock);
}

void
gst_paco_reader_reset (GstPacoReader *reader)
{
  if (reader->probe != 0)
    gst_pad_remove_probe (reader->pad, reader->probe);
  reader->probe = 0;
  reader->size = 0;
  gst_clear_buffer (&reader->head);
  gst_clear_object (&reader->offered);
  gst_clear_object (&reader->own);
  g_clear_pointer (&reader->file, local_file_close);
  g_clear_pointer (&reader->path, g_free);
  reader->source = GST_PACO_SOURCE_UNKNOWN;
  reader->end = reader->noted_size = 0;
}

void
gst_paco_reader_clear (GstPacoReader *reader)
{
  gst_paco_reader_reset (reader);
  g_mutex_clear (&reader->lock);
}
