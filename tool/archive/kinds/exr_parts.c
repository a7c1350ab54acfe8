/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the sections of OpenEXR files of several parts, and writes what stands before a
 * section in its stand-in (source.h): the header of a file with this part alone, and its table
 * of chunks. */
#include "tool/archive/folder.h"
#include "tool/archive/kinds/exr.h"
#include "codec/bytes.h"
#include "lib/stream/io.h"
#include <string.h>

enum
{
  MAX_LOOK = 1 << 20, /* bytes of headers that are read */
  HEAD = 8,
};

guint32
paco_exr_chunk_at (const PacoExrPicture *picture, guint32 n)
{
  return picture->falling ? picture->n_chunks - 1 - n : n;
}

gboolean
paco_exr_look (int fd, guint64 file_size, guint32 part, PacoExrPicture *picture,
    GByteArray *bytes, GError **error)
{
  gsize size = MIN (file_size, MAX_LOOK);

  g_byte_array_set_size (bytes, (guint) size);
  size = paco_io_read_at (fd, 0, bytes->data, size);
  return paco_exr_read_header (bytes->data, size, part, picture, error);
}

/* Reads the table of a part's chunks. Returns NULL if the file ends before. */
static guint8 *
read_table (int fd, const PacoExrPicture *picture)
{
  gsize size = (gsize) picture->n_chunks * 8;
  g_autofree guint8 *table = g_malloc (size + 1);

  return paco_io_read_at (fd, picture->table, table, size) == size
      ? g_steal_pointer (&table)
      : NULL;
}

/* Finds where the first chunk of a part begins in the file, and where the last one ends. */
static gboolean
find_chunks (
    int fd, const PacoExrPicture *picture, guint64 *begin, guint64 *end)
{
  g_autofree guint8 *table = read_table (fd, picture);
  guint32 last = picture->n_chunks - 1;
  guint8 size[4];

  if (!table)
    return FALSE;
  *begin = paco_get64 (table + 8 * (gsize) paco_exr_chunk_at (picture, 0));
  *end = paco_get64 (table + 8 * (gsize) paco_exr_chunk_at (picture, last));
  if (*begin > *end || *begin < picture->tables_end || *end > G_MAXINT64
      || paco_io_read_at (
             fd, *end + picture->chunk_head - sizeof size, size, sizeof size)
          < sizeof size)
    return FALSE;
  *end += picture->chunk_head + paco_get32 (size);
  return TRUE;
}

guint
paco_exr_cut (int fd, guint64 file_size, GArray *sections)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  PacoExrPicture first, picture;
  PacoInfo told = PACO_INFO_INIT;
  guint64 end = 0;
  guint others = 0;
  guint8 head[HEAD];

  /* Most files have one part. */
  if (paco_io_read_at (fd, 0, head, sizeof head) < sizeof head
      || !(paco_get32 (head + 4) & PACO_EXR_MULTIPART))
    return 0;
  if (!paco_exr_look (fd, file_size, PACO_EXR_FIRST, &first, bytes, NULL)
      || first.n_parts == 1)
    return 0;
  paco_exr_tell_info (&first, &told);
  for (guint32 part = 0; part < first.n_parts; part++) {
    PacoInfo info = PACO_INFO_INIT;
    g_autofree char *difference = NULL;
    guint64 part_begin, part_end;

    if (part < first.part
        || !paco_exr_read_header (
            bytes->data, bytes->len, part, &picture, NULL)) {
      others++;
      continue;
    }
    paco_exr_tell_info (&picture, &info);
    if (paco_folder_same_picture (&told, &info, TRUE, &difference)
        && find_chunks (fd, &picture, &part_begin, &part_end)
        && part_begin >= end && part_end <= file_size) {
      paco_section_add (sections, part_begin, part, file_size);
      end = part_end;
    } else
      others++;
  }
  return others;
}

gboolean
paco_exr_stand_in (int fd, guint64 file_size, const PacoSection *section,
    GByteArray *head, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree guint8 *table = NULL;
  PacoExrPicture picture;
  gsize size;

  if (section->number == 0)
    return TRUE;
  if (!paco_exr_look (
          fd, file_size, (guint32) section->place, &picture, bytes, error))
    return FALSE;
  table = read_table (fd, &picture);
  if (!table)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "it has changed since the folder was looked through");
  size = HEAD + picture.part_size + 1 + (gsize) picture.n_chunks * 8;
  for (guint32 i = 0; i < picture.n_chunks; i++) {
    guint8 *at = table + (gsize) i * 8;

    paco_put64 (at, paco_get64 (at) - section->offset + size);
  }
  g_byte_array_append (head, bytes->data, HEAD);
  g_byte_array_append (
      head, bytes->data + picture.part_at, (guint) picture.part_size + 1);
  head->data[head->len - 1] = 0;
  g_byte_array_append (head, table, picture.n_chunks * 8);
  return TRUE;
}
