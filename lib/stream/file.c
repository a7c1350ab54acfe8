/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what frames of a file say of themselves, for frame_index.c (file.h). */
#include "file.h"
#include "io.h"
#include "sync.h"
#include <string.h>
#include <sys/stat.h>

enum
{
  MAGIC_SIZE = 4,
  /* Bytes that are read at once: most headers are shorter. */
  HEADER_BLOCK = 512,
  /* A search reads blocks from the one size to the other. */
  FIRST_BLOCK = 4096,
  LAST_BLOCK = 1 << 20,
  /* A search checks at most 1 MB of false headers. */
  MOST_CHECKED = 1 << 20,
};

void
paco_file_init (PacoFile *file, PacoFileRead read, void *source, uint64_t size)
{
  *file = (PacoFile){ .read = read, .source = source, .size = size };
}

static size_t
read_descriptor (void *fd, uint64_t offset, uint8_t *data, size_t size)
{
  return paco_io_read_at (*(const int *) fd, offset, data, size);
}

bool
paco_file_init_descriptor (PacoFile *file, int *fd)
{
  struct stat status;

  if (fstat (*fd, &status) != 0)
    return false;
  paco_file_init (file, read_descriptor, fd, (uint64_t) status.st_size);
  return true;
}

void
paco_file_clear (PacoFile *file)
{
  g_free (file->block);
  *file = (PacoFile){ 0 };
}

static bool
is_held (const PacoFile *file, uint64_t offset, size_t size)
{
  return offset >= file->block_offset
      && offset - file->block_offset <= file->block_size
      && size <= file->block_size - (offset - file->block_offset);
}

/* Makes the block `size` bytes from offset on, or as many as there are. */
static void
read_block (PacoFile *file, uint64_t offset, size_t size)
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

const uint8_t *
paco_file_peek (PacoFile *file, uint64_t offset, size_t size)
{
  if (!is_held (file, offset, size))
    read_block (file, offset, MAX (size, HEADER_BLOCK));
  return is_held (file, offset, size)
      ? file->block + (offset - file->block_offset)
      : NULL;
}

void
paco_file_frame_from_header (
    const PacoHeader *header, uint64_t offset, PacoFileFrame *frame)
{
  *frame = (PacoFileFrame){
    .offset = offset,
    .end = offset + header->frame_size,
    .fps_n = header->video.fps_n,
    .fps_d = header->video.fps_d,
    .has_place = header->video.has_place
        && header->video.place.offset <= G_MAXINT64 / 2,
    .number = header->video.place.number,
    .position = header->video.slice.position,
    .length = header->video.slice.length,
    .begin = (int64_t) (offset - header->video.place.offset),
  };
}

bool
paco_file_peek_header (PacoFile *file, uint64_t offset, PacoHeader *header)
{
  const uint8_t *data = paco_file_peek (file, offset, PACO_HEADER_PEEK_SIZE);

  return data && paco_header_peek (data, PACO_HEADER_PEEK_SIZE, header, NULL);
}

bool
paco_file_header_at (PacoFile *file, uint64_t offset, PacoHeader *header)
{
  const uint8_t *data = paco_file_peek_header (file, offset, header)
      ? paco_file_peek (file, offset, header->header_size)
      : NULL;

  return data
      && paco_header_parse (data, header->header_size, header, NULL, NULL);
}

bool
paco_file_frame_at (PacoFile *file, uint64_t offset, PacoFileFrame *frame)
{
  PacoHeader header;

  if (!paco_file_header_at (file, offset, &header)
      || !paco_sync_is_possible (&header))
    return false;
  paco_file_frame_from_header (&header, offset, frame);
  return true;
}

bool
paco_file_next_frame (
    PacoFile *file, uint64_t from, uint64_t end, PacoFileFrame *frame)
{
  size_t size = FIRST_BLOCK, checked = 0;

  end = MIN (end, file->size);
  while (from < end && checked < MOST_CHECKED) {
    const uint8_t *data, *found;
    size_t held;

    if (!is_held (file, from, MAGIC_SIZE)) {
      read_block (file, from, size);
      size = MIN (2 * size, LAST_BLOCK);
      if (!is_held (file, from, MAGIC_SIZE)) {
        file->gave_up |= from + MAGIC_SIZE <= file->size;
        return false;
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
    if (from < end && paco_file_frame_at (file, from, frame))
      return true;
    checked += HEADER_BLOCK;
    from++;
  }
  file->gave_up |= checked >= MOST_CHECKED;
  return false;
}

bool
paco_file_last_frame (PacoFile *file, uint64_t first, uint64_t end,
    uint64_t most, PacoFileFrame *frame)
{
  PacoFileFrame next;
  uint64_t window = FIRST_BLOCK, tried = end;

  end = MIN (end, file->size);
  most = MIN (most, end - MIN (first, end));
  for (;; window *= 4) {
    uint64_t from = end - MIN (window, most);

    if (paco_file_next_frame (file, from, MIN (tried, end), frame))
      break;
    if (window >= most)
      return false;
    tried = from;
  }
  while (frame->end < end) {
    if (!paco_file_frame_at (file, frame->end, &next)
        && !paco_file_next_frame (file, frame->end, end, &next))
      break;
    *frame = next;
  }
  return true;
}

uint64_t
paco_file_doubt (PacoFile *file, uint64_t offset, uint32_t frame_size)
{
  uint64_t end = offset + frame_size;
  const uint8_t *follow = paco_file_peek (file, end, MAGIC_SIZE);
  PacoFileFrame covered;

  if (follow && memcmp (follow, PACO_MAGIC, MAGIC_SIZE) == 0)
    return 0;
  if (paco_file_next_frame (file, offset + 1, end, &covered))
    return covered.offset;
  return end > file->size ? end : 0;
}
