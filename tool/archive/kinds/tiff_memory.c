/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lets libtiff read and write TIFF files in memory (tiff.h). */
#include "tool/archive/kinds/tiff.h"
#include "lib/stream/io.h"
#include <string.h>

enum
{
  MAX_WRITTEN = G_MAXINT32, /* bytes of a file that is written */
};

static const guint8 *
contents (const PacoTiffMemory *memory)
{
  return memory->to ? memory->to->data : memory->data;
}

/* Makes n bytes, which begin at byte `at` of the file, zero where there are holes. */
static void
blank_holes (const PacoTiffMemory *memory, guint8 *bytes, guint64 at, gsize n)
{
  guint low = 0, high = memory->n_holes;

  while (low < high) {
    guint middle = (low + high) / 2;

    if (memory->holes[middle].end > at)
      high = middle;
    else
      low = middle + 1;
  }
  for (; low < memory->n_holes && memory->holes[low].start < at + n; low++) {
    guint64 start = MAX (memory->holes[low].start, at);

    memset (
        bytes + (start - at), 0, MIN (memory->holes[low].end, at + n) - start);
  }
}

static tmsize_t
read_bytes (thandle_t handle, void *to, tmsize_t size)
{
  PacoTiffMemory *memory = handle;
  gsize n = 0;

  if (size > 0 && memory->at < memory->size) {
    n = (gsize) MIN ((guint64) size, memory->size - memory->at);
    if (contents (memory))
      memcpy (to, contents (memory) + memory->at, n);
    else
      n = paco_io_read_at (memory->fd, memory->at, to, n);
    blank_holes (memory, to, memory->at, n);
    if (memory->at < memory->header_size)
      memcpy (to, memory->header + memory->at,
          MIN (n, memory->header_size - memory->at));
    memory->at += n;
  }
  return (tmsize_t) n;
}

static tmsize_t
write_bytes (thandle_t handle, void *from, tmsize_t size)
{
  PacoTiffMemory *memory = handle;
  guint64 end = memory->at + (guint64) MAX (size, 0);

  if (!memory->to || size <= 0 || end > MAX_WRITTEN)
    return 0;
  if (end > memory->size) {
    g_byte_array_set_size (memory->to, (guint) end);
    if (memory->at > memory->size)
      memset (memory->to->data + memory->size, 0, memory->at - memory->size);
    memory->size = end;
  }
  memcpy (memory->to->data + memory->at, from, (gsize) size);
  memory->at = end;
  return size;
}

static toff_t
seek (thandle_t handle, toff_t offset, int whence)
{
  PacoTiffMemory *memory = handle;

  memory->at = whence == SEEK_SET ? offset
      : whence == SEEK_CUR        ? memory->at + offset
                                  : memory->size + offset;
  return memory->at;
}

static int
close_nothing (thandle_t handle)
{
  return 0;
}

static toff_t
get_size (thandle_t handle)
{
  return ((PacoTiffMemory *) handle)->size;
}

static int
map (thandle_t handle, void **base, toff_t *size)
{
  PacoTiffMemory *memory = handle;

  if (!memory->mapped)
    return 0;
  *base = (void *) memory->data;
  *size = memory->size;
  return 1;
}

static void
unmap (thandle_t handle, void *base, toff_t size)
{
}

G_GNUC_PRINTF (4, 0)
static int
keep_error (TIFF *tiff, void *data, const char *module, const char *format,
    va_list arguments)
{
  PacoTiffMemory *memory = data;

  if (!memory->message[0])
    g_vsnprintf (memory->message, sizeof memory->message, format, arguments);
  return 1;
}

static int
forget_warning (TIFF *tiff, void *data, const char *module, const char *format,
    va_list arguments)
{
  return 1;
}

static TIFF *
open_memory (PacoTiffMemory *memory, const char *mode)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  TIFF *tiff;

  /* Reading needs no more memory at once than the file has bytes, or a strip. */
  TIFFOpenOptionsSetMaxSingleMemAlloc (options, G_MAXINT32);
  TIFFOpenOptionsSetErrorHandlerExtR (options, keep_error, memory);
  TIFFOpenOptionsSetWarningHandlerExtR (options, forget_warning, memory);
  tiff = TIFFClientOpenExt ("", mode, memory, read_bytes, write_bytes, seek,
      close_nothing, get_size, map, unmap, options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

TIFF *
paco_tiff_read (PacoTiffMemory *memory, const guint8 *data, gsize size)
{
  *memory = (PacoTiffMemory){ .data = data, .mapped = TRUE, .size = size };
  /* With c, strips are those of the file, and not smaller ones. */
  return open_memory (memory, "rc");
}

TIFF *
paco_tiff_read_directories (PacoTiffMemory *memory, const guint8 *data,
    gsize size, const PacoTiffHole *holes, guint n_holes)
{
  *memory = (PacoTiffMemory){
    .data = data,
    .holes = holes,
    .n_holes = n_holes,
    .size = size,
  };
  return open_memory (memory, "rc");
}

/* Writes a number in the file's order of bytes. */
static void
put_number (guint8 *to, guint bytes, gboolean big_endian, guint64 number)
{
  for (guint i = 0; i < bytes; i++)
    to[i] = (guint8) (number >> 8 * (big_endian ? bytes - 1 - i : i));
}

/* Has the file begin with another directory. */
static void
change_header (PacoTiffMemory *memory, guint64 directory)
{
  guint8 *header = memory->header;
  gboolean big_endian, big;
  gsize n = paco_io_read_at (memory->fd, 0, header, sizeof memory->header);

  big_endian = header[0] == 'M';
  big = header[big_endian ? 3 : 2] == '+';
  if (n < sizeof memory->header)
    return;
  if (big)
    put_number (header + 8, 8, big_endian, directory);
  else
    put_number (header + 4, 4, big_endian, directory);
  memory->header_size = sizeof memory->header;
}

TIFF *
paco_tiff_read_open_file (
    PacoTiffMemory *memory, int fd, guint64 size, guint64 directory)
{
  *memory = (PacoTiffMemory){ .fd = fd, .size = size };
  if (directory > 0)
    change_header (memory, directory);
  return open_memory (memory, "rc");
}

TIFF *
paco_tiff_write (PacoTiffMemory *memory, GByteArray *to, gboolean big_endian)
{
  g_byte_array_set_size (to, 0);
  *memory = (PacoTiffMemory){ .to = to };
  return open_memory (memory, big_endian ? "wb" : "wl");
}

gboolean
paco_tiff_go_to (TIFF *tiff, guint64 directory)
{
  return directory == 0 || TIFFSetSubDirectory (tiff, directory) == 1;
}
