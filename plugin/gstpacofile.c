/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reading what frames of a file say of themselves. */
#include "gstpacofile.h"
#include <string.h>

enum
{
  MAGIC_SIZE = 4,
  /* Read at once: holds most headers, which are shorter than this. */
  HEADER_BLOCK = 512,
  /* A search reads blocks from the one size to the other. */
  FIRST_BLOCK = 4096,
  LAST_BLOCK = 1 << 20,
  /* Bytes of false headers that a search may check. */
  MOST_CHECKED = 1 << 20,
};

void
gst_paco_file_init (
    GstPacoFile *file, GstPacoFileRead read, gpointer source, guint64 size)
{
  *file = (GstPacoFile){ .read = read, .source = source, .size = size };
}

void
gst_paco_file_clear (GstPacoFile *file)
{
  g_free (file->block);
  *file = (GstPacoFile){ 0 };
}

static gboolean
is_held (const GstPacoFile *file, guint64 offset, gsize size)
{
  return offset >= file->block_offset
      && offset - file->block_offset <= file->block_size
      && size <= file->block_size - (offset - file->block_offset);
}

/* Makes the block `size` bytes from offset on, or as many as there are. */
static void
read_block (GstPacoFile *file, guint64 offset, gsize size)
{
  if (file->block_capacity < size) {
    g_free (file->block);
    file->block = g_malloc (size);
    file->block_capacity = size;
  }
  file->block_offset = offset;
  file->block_size = 0;
  if (offset >= file->size)
    return;
  size = MIN (size, file->size - offset);
  file->block_size = MIN (
      size, file->read (file->source, offset, file->block, size));
  file->reads++;
  file->bytes += file->block_size;
}

const guint8 *
gst_paco_file_peek (GstPacoFile *file, guint64 offset, gsize size)
{
  if (!is_held (file, offset, size))
    read_block (file, offset, MAX (size, HEADER_BLOCK));
  return is_held (file, offset, size)
      ? file->block + (offset - file->block_offset)
      : NULL;
}

void
gst_paco_file_frame_from_header (
    const PacoHeader *header, guint64 offset, GstPacoFileFrame *frame)
{
  *frame = (GstPacoFileFrame){
    .offset = offset,
    .end = offset + header->frame_size,
    .fps_n = header->video.fps_n,
    .fps_d = header->video.fps_d,
    .has_place = header->video.has_place
        && header->video.place.offset <= G_MAXINT64 / 2,
    .number = header->video.place.number,
    .begin = (gint64) (offset - header->video.place.offset),
  };
}

gboolean
gst_paco_file_frame_at (
    GstPacoFile *file, guint64 offset, GstPacoFileFrame *frame)
{
  const guint8 *data = gst_paco_file_peek (file, offset, PACO_HEADER_PEEK_SIZE);
  PacoHeader header;

  if (!data || !paco_header_peek (data, PACO_HEADER_PEEK_SIZE, &header, NULL))
    return FALSE;
  data = gst_paco_file_peek (file, offset, header.header_size);
  if (!data
      || !paco_header_parse (data, header.header_size, &header, NULL, NULL))
    return FALSE;
  gst_paco_file_frame_from_header (&header, offset, frame);
  return TRUE;
}

gboolean
gst_paco_file_next_frame (
    GstPacoFile *file, guint64 from, guint64 end, GstPacoFileFrame *frame)
{
  gsize size = FIRST_BLOCK, checked = 0;

  end = MIN (end, file->size);
  while (from < end && checked < MOST_CHECKED) {
    const guint8 *data, *found;
    gsize held;

    if (!is_held (file, from, MAGIC_SIZE)) {
      read_block (file, from, size);
      size = MIN (2 * size, LAST_BLOCK);
      if (!is_held (file, from, MAGIC_SIZE)) {
        file->gave_up |= from + MAGIC_SIZE <= file->size;
        return FALSE;
      }
    }
    data = file->block + (from - file->block_offset);
    held = file->block_size - (from - file->block_offset);
    found = memmem (data, held, PACO_MAGIC, MAGIC_SIZE);
    if (!found) {
      from += held - (MAGIC_SIZE - 1);
      continue;
    }
    from += found - data;
    if (from < end && gst_paco_file_frame_at (file, from, frame))
      return TRUE;
    checked += HEADER_BLOCK;
    from++;
  }
  file->gave_up |= checked >= MOST_CHECKED;
  return FALSE;
}

gboolean
gst_paco_file_last_frame (GstPacoFile *file, guint64 first, guint64 end,
    guint64 most, GstPacoFileFrame *frame)
{
  GstPacoFileFrame next;
  guint64 window = FIRST_BLOCK, tried = end;

  end = MIN (end, file->size);
  most = MIN (most, end - MIN (first, end));
  for (;; window *= 4) {
    guint64 from = end - MIN (window, most);

    if (gst_paco_file_next_frame (file, from, MIN (tried, end), frame))
      break;
    if (window >= most)
      return FALSE;
    tried = from;
  }
  while (frame->end < end) {
    if (!gst_paco_file_frame_at (file, frame->end, &next)
        && !gst_paco_file_next_frame (file, frame->end, end, &next))
      break;
    *frame = next;
  }
  return TRUE;
}

guint64
gst_paco_file_doubt (GstPacoFile *file, guint64 offset, guint32 frame_size)
{
  guint64 end = offset + frame_size;
  const guint8 *follow = gst_paco_file_peek (file, end, MAGIC_SIZE);
  GstPacoFileFrame covered;

  if (follow && memcmp (follow, PACO_MAGIC, MAGIC_SIZE) == 0)
    return 0;
  if (gst_paco_file_next_frame (file, offset + 1, end, &covered))
    return covered.offset;
  return end > file->size ? end : 0;
}
