/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads a file with several threads (gstpacolocalfile.h). It uses pread() and not a
 * mapping, although copying from a mapping is faster by a quarter: when a mapped
 * file is truncated, every program that reads the mapping is killed. */
#include "gstpacolocalfile.h"
#include "codec/helpers.h"
#include "lib/stream/io.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

GstPacoLocalFile *
gst_paco_local_file_open (const gchar *path)
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

void
gst_paco_local_file_close (GstPacoLocalFile *file)
{
  if (file == NULL)
    return;
  paco_helpers_free (file->helpers);
  close (file->descriptor);
  g_free (file);
}

gboolean
gst_paco_local_file_is_worth_it (gsize size)
{
  return size >= 2 * MIN_PART;
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

gboolean
gst_paco_local_file_read (
    GstPacoLocalFile *file, guint64 offset, guint8 *data, gsize size)
{
  guint n = CLAMP (size / MIN_PART, 1, paco_helpers_count (file->helpers));
  gsize each = (size + n - 1) / n;
  Job job = { file->descriptor, offset, data, size, 0, FALSE };

  job.each = (each + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
  paco_helpers_run (file->helpers, n, read_part, &job);
  return !g_atomic_int_get (&job.failed);
}
