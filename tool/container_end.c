/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Walks over the boxes of MOV and MP4 files, and the elements of Matroska files, up to the
 * one with which the file ends (container.h). Nothing but their headers is read. */
#include "container.h"
#include "lib/stream/file.h"
#include <string.h>

#define MAX_PARTS (16 << 20) /* A day of 60 pictures a second has fewer. */

#define BOX(a, b, c, d) ((uint32_t) (a) << 24 | (b) << 16 | (c) << 8 | (d))
enum
{
  BOX_MOOV = BOX ('m', 'o', 'o', 'v'),
  BOX_MVEX = BOX ('m', 'v', 'e', 'x'),
  BOX_MEHD = BOX ('m', 'e', 'h', 'd'),
  BOX_MOOF = BOX ('m', 'o', 'o', 'f'),
  EBML_SEGMENT = 0x18538067,
  EBML_CLUSTER = 0x1f43b675,
  EBML_BLOCK_GROUP = 0xa0,
  EBML_SIMPLE_BLOCK = 0xa3,
};

#define UNKNOWN_SIZE UINT64_MAX /* The part ends where another one begins. */

/* A box or an element. */
typedef struct
{
  uint32_t id;
  unsigned head;
  uint64_t size; /* bytes behind the head */
} Part;

static uint64_t
big_endian (const uint8_t *data, unsigned n)
{
  uint64_t value = 0;

  for (unsigned i = 0; i < n; i++)
    value = value << 8 | data[i];
  return value;
}

static bool
read_box (PacoFile *file, uint64_t offset, Part *part)
{
  const uint8_t *data = paco_file_peek (file, offset, 8);
  uint64_t size;

  if (!data)
    return false;
  size = big_endian (data, 4);
  *part = (Part){ (uint32_t) big_endian (data + 4, 4), 8, UNKNOWN_SIZE };
  /* Bytes after the last box are none. */
  for (unsigned i = 4; i < 8; i++)
    if (data[i] < ' ')
      return false;
  if (size == 1) {
    data = paco_file_peek (file, offset, 16);
    if (!data)
      return false;
    part->head = 16;
    size = big_endian (data + 8, 8);
  }
  /* A size of 0 reaches to the end of the file. */
  if (size >= part->head)
    part->size = size - part->head;
  return true;
}

/* Returns how many bytes a number of EBML has by its first one, or 0 if it has more
 * than `most`. */
static unsigned
number_length (uint8_t first, unsigned most)
{
  for (unsigned n = 1; n <= most; n++)
    if (first & 0x100 >> n)
      return n;
  return 0;
}

static bool
read_element (PacoFile *file, uint64_t offset, Part *part)
{
  const uint8_t *data = paco_file_peek (file, offset, 1);
  unsigned id = data ? number_length (*data, 4) : 0, size;
  uint64_t most;

  data = id ? paco_file_peek (file, offset, id + 1) : NULL;
  size = data ? number_length (data[id], 8) : 0;
  data = size ? paco_file_peek (file, offset, id + size) : NULL;
  if (!data)
    return false;
  most = (UINT64_C (1) << 7 * size) - 1;
  part->id = (uint32_t) big_endian (data, id);
  part->head = id + size;
  part->size = big_endian (data + id, size) & most;
  if (part->size == most)
    part->size = UNKNOWN_SIZE;
  return true;
}

/* Returns "box mdat" or "Cluster", to be freed. */
static char *
name_part (uint32_t id)
{
  if (id == EBML_SEGMENT)
    return g_strdup ("Segment");
  if (id == EBML_CLUSTER)
    return g_strdup ("Cluster");
  if (id == EBML_BLOCK_GROUP || id == EBML_SIMPLE_BLOCK)
    return g_strdup ("block");
  for (unsigned shift = 0; shift < 32; shift += 8)
    if (!g_ascii_isprint ((char) (id >> shift)))
      return g_strdup_printf ("element %X", id);
  return g_strdup_printf ("box %c%c%c%c", (char) (id >> 24), (char) (id >> 16),
      (char) (id >> 8), (char) id);
}

static char *
tell (const PacoFile *file, uint64_t offset, const Part *part, bool damaged)
{
  g_autofree char *name = name_part (part->id);
  char *sentence = g_strdup_printf (
      "%s: the %s at byte %" G_GUINT64_FORMAT " has %" G_GUINT64_FORMAT
      " bytes, and the file ends after %" G_GUINT64_FORMAT " of them",
      damaged ? "the file is cut"
              : "the recording was not finished, and lacks what it wrote last",
      name, offset, part->head + part->size, file->size - offset);

  return sentence;
}

static bool
reaches_beyond (const PacoFile *file, uint64_t offset, const Part *part)
{
  return part->size != UNKNOWN_SIZE
      && part->size > file->size - offset - part->head;
}

/* Says whether a mehd box has the length of all fragments: muxers write it when they
 * finish a file, or at its beginning if they know it. */
static bool
has_length (PacoFile *file, uint64_t offset, const Part *part)
{
  uint64_t size = MIN (part->size, 12);
  const uint8_t *data = paco_file_peek (
      file, offset + part->head, (size_t) size);

  return data && size >= 8 && big_endian (data + 4, (unsigned) size - 4) > 0;
}

static char *
walk_boxes (PacoFile *file, bool *damaged)
{
  bool finished = true, length = false;
  uint64_t at = 0;
  Part part;

  for (unsigned n = 0; n < MAX_PARTS && read_box (file, at, &part); n++) {
    finished &= part.id != BOX_MOOF || length;
    if (reaches_beyond (file, at, &part)) {
      *damaged = finished;
      return tell (file, at, &part, finished);
    }
    if (part.size == UNKNOWN_SIZE)
      break;
    length |= part.id == BOX_MEHD && has_length (file, at, &part);
    at += part.head;
    if (part.id != BOX_MOOV && part.id != BOX_MVEX)
      at += part.size;
  }
  return NULL;
}

/* The size of a Segment is written when the file is finished. Without it, the Segment's
 * elements are walked over, and those of Clusters that have no size. */
static char *
walk_elements (PacoFile *file, bool *damaged)
{
  uint64_t at = 0;
  Part part;

  for (unsigned n = 0; n < MAX_PARTS && read_element (file, at, &part); n++) {
    bool parent = part.id == EBML_SEGMENT || part.id == EBML_CLUSTER;

    if (reaches_beyond (file, at, &part)) {
      *damaged = part.id == EBML_SEGMENT;
      return tell (file, at, &part, *damaged);
    }
    if (part.size == UNKNOWN_SIZE ? !parent : part.id == EBML_SEGMENT)
      break;
    at += part.head + (part.size == UNKNOWN_SIZE ? 0 : part.size);
  }
  return NULL;
}

char *
paco_container_end (int fd, const char *kind, bool *damaged)
{
  char *sentence;
  PacoFile file;

  *damaged = false;
  if (!paco_file_init_descriptor (&file, &fd))
    return NULL;
  sentence = strcmp (kind, "Matroska") == 0 ? walk_elements (&file, damaged)
                                            : walk_boxes (&file, damaged);
  paco_file_clear (&file);
  return sentence;
}
