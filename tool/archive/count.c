/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the frames of an archive with its number of files (count.h). */
#include "tool/archive/count.h"
#include "tool/archive/chunks.h"
#include "codec/bytes.h"
#include <zlib.h>

enum
{
  HEADER_SIZE = 6, /* of a frame, and 16 bits (FORMAT.md section 2) */
  CRC = 4,         /* at the end of the header, 32 bits */
};

/* Returns the bytes of chunk 16 in a whole header, or NULL. */
static const guint8 *
find_number (const void *data, gsize size)
{
  PacoFrameChunk chunks[16];
  gsize n = G_N_ELEMENTS (chunks);

  if (paco_frame_chunks (data, size, chunks, &n, NULL) != PACO_STATUS_OK)
    return NULL;
  for (gsize i = 0; i < MIN (n, G_N_ELEMENTS (chunks)); i++)
    if (chunks[i].type == PACO_CHUNK_N_FILES && chunks[i].size == 4)
      return chunks[i].data;
  return NULL;
}

guint32
paco_file_count_of (const void *data, gsize size)
{
  const guint8 *number = find_number (data, size);

  return number ? paco_get32 (number) : 0;
}

gsize
paco_file_count_renew (guint8 *data, gsize size, guint32 n_files)
{
  const guint8 *number = find_number (data, size);
  gsize end = paco_get16 (data + HEADER_SIZE) - CRC;

  if (!number || paco_get32 (number) == n_files)
    return 0;
  paco_put32 (data + (number - data), n_files);
  paco_put32 (data + end, (guint32) crc32 (0, data, (uInt) end));
  return end + CRC;
}

guint64
paco_file_count_add (
    PacoFileCount *count, const PacoInfo *info, guint32 n_files)
{
  guint64 missing = 0;

  if (info->has_place && info->place_number < count->next)
    missing = paco_file_count_end (count);
  count->found++;
  count->n_files = MAX (count->n_files, n_files);
  count->next = info->has_place ? info->place_number + 1 : 0;
  return missing;
}

void
paco_file_count_report (PacoFileCount *count, guint64 n)
{
  count->reported += n;
}

guint64
paco_file_count_end (PacoFileCount *count)
{
  guint64 known = count->found + count->reported;
  guint64 missing = count->n_files - MIN (known, count->n_files);

  *count = (PacoFileCount){ 0 };
  return missing;
}
