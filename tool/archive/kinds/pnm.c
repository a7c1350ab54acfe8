/* SPDX-License-Identifier: LGPL-2.1-or-later
 * PGM, PPM and PAM files of 8 and 16 bits (P5, P6, P7) as a kind of source.h. The
 * samples lie in the file as a layout says. docs/ARCHIVE-FORMAT.md says what the rest
 * is. */
#include "tool/archive/source.h"
#include "codec/bytes.h"
#include "lib/stream/io.h"
#include <string.h>

enum
{
  FORM = 1,
  REST_HEAD = 5,
  MAX_NUMBER = 99999999, /* of a header */
  HEAD = 4096, /* bytes that are read of a picture that is not the first one */
};

typedef struct
{
  guint32 width, height, maxval, n_components;
  gsize size; /* bytes up to the first sample */
  gboolean rgb;
} Header;

static gboolean
match (const guint8 *bytes, gsize size)
{
  return size >= 3 && bytes[0] == 'P' && bytes[1] >= '5' && bytes[1] <= '7'
      && (g_ascii_isspace (bytes[2]) || bytes[2] == '#');
}

/* --- headers ----------------------------------------------------------- */

/* Returns where the next word begins, behind white space and comments, or the
 * end. */
static gsize
skip (const guint8 *bytes, gsize size, gsize at)
{
  while (at < size && (g_ascii_isspace (bytes[at]) || bytes[at] == '#'))
    if (bytes[at++] == '#')
      while (at < size && bytes[at] != '\n' && bytes[at] != '\r')
        at++;
  return at;
}

/* Reads a number, behind which something must follow. Returns 0 if there is none,
 * or if it is too large: no number of a header may be 0. */
static guint32
read_number (const guint8 *bytes, gsize size, gsize *at)
{
  guint32 number = 0;

  while (*at < size && g_ascii_isdigit (bytes[*at])) {
    number = 10 * number + (bytes[(*at)++] - '0');
    if (number > MAX_NUMBER)
      return 0;
  }
  return *at < size && g_ascii_isspace (bytes[*at]) ? number : 0;
}

static gboolean
read_pnm (const guint8 *bytes, gsize size, Header *header)
{
  guint32 *numbers[] = { &header->width, &header->height, &header->maxval };
  gsize at = 2;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    at = skip (bytes, size, at);
    *numbers[i] = read_number (bytes, size, &at);
  }
  header->n_components = bytes[1] == '6' ? 3 : 1;
  header->rgb = bytes[1] == '6';
  header->size = at + 1;
  return TRUE;
}

static gboolean
is_word (const guint8 *line, gsize length, const char *word)
{
  return length == strlen (word) && memcmp (line, word, length) == 0;
}

static void
read_pam_line (const guint8 *line, gsize length, Header *header)
{
  gsize word = 0, value;

  while (word < length && !g_ascii_isspace (line[word]))
    word++;
  value = word;
  while (value < length && g_ascii_isspace (line[value]))
    value++;
  /* The line's end is the byte that read_number() needs behind a number. */
  if (is_word (line, word, "WIDTH"))
    header->width = read_number (line, length + 1, &value);
  else if (is_word (line, word, "HEIGHT"))
    header->height = read_number (line, length + 1, &value);
  else if (is_word (line, word, "DEPTH"))
    header->n_components = read_number (line, length + 1, &value);
  else if (is_word (line, word, "MAXVAL"))
    header->maxval = read_number (line, length + 1, &value);
  else if (is_word (line, word, "TUPLTYPE"))
    header->rgb = length - value >= 3 && memcmp (line + value, "RGB", 3) == 0;
}

static gboolean
read_pam (const guint8 *bytes, gsize size, Header *header)
{
  gsize at = 3;

  header->rgb = TRUE;
  while (at < size) {
    const guint8 *end = memchr (bytes + at, '\n', size - at);
    gsize length;

    if (!end)
      return FALSE;
    length = (gsize) (end - bytes) - at;
    if (length >= 6 && memcmp (bytes + at, "ENDHDR", 6) == 0) {
      header->size = at + length + 1;
      return TRUE;
    }
    if (bytes[at] != '#')
      read_pam_line (bytes + at, length, header);
    at += length + 1;
  }
  return FALSE;
}

static gboolean
read_header (const guint8 *bytes, gsize size, Header *header, GError **error)
{
  *header = (Header){ 0 };
  if (!match (bytes, size))
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "it is no PGM, PPM or PAM file");
  if (!(bytes[1] == '7' ? read_pam (bytes, size, header)
                        : read_pnm (bytes, size, header)))
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "its header has no end");
  if (header->width == 0 || header->height == 0 || header->maxval == 0
      || header->n_components == 0 || header->size > size)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "its header does not say width, height, components and the largest "
        "sample");
  if (header->width > PACO_MAX_SIZE || header->height > PACO_MAX_SIZE)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the picture has more than 16384 columns or lines");
  if (header->maxval > 65535 || header->n_components > PACO_COMPONENTS)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "samples have more than 16 bits, or there are more than four "
        "components");
  header->rgb &= header->n_components >= 3;
  return TRUE;
}

static guint
sample_bytes (const Header *header)
{
  return header->maxval > 255 ? 2 : 1;
}

static gsize
image_bytes (const Header *header)
{
  return (gsize) header->width * header->height * header->n_components
      * sample_bytes (header);
}

/* --- pictures ---------------------------------------------------------- */

static void
tell_info (const Header *header, guint depth, PacoInfo *info)
{
  paco_source_tell (info, header->width, header->height, header->n_components,
      depth, header->rgb);
}

/* Returns how many bits the samples take: as many as the header says, or all of
 * them if the file has larger samples than that. */
static guint
find_depth (const Header *header, const guint8 *samples)
{
  guint depth = g_bit_storage (header->maxval);
  gsize size = image_bytes (header);
  guint8 all = 0;

  if (depth == 8 || depth == 16)
    return depth;
  for (gsize i = 0; i < size; i += sample_bytes (header))
    all |= samples[i];
  if (depth > 8)
    return all >> (depth - 8) ? 16 : depth;
  return all >> depth ? 8 : depth;
}

static gboolean
peek (const guint8 *bytes, gsize size, guint64 file_size, PacoInfo *info,
    GError **error)
{
  Header header;

  if (!read_header (bytes, size, &header, error))
    return FALSE;
  if (file_size < header.size
      || file_size - header.size < image_bytes (&header))
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "the file ends within the picture");
  tell_info (&header, g_bit_storage (header.maxval), info);
  return TRUE;
}

static gboolean
parse (const guint8 *bytes, gsize size, PacoSource *source, GError **error)
{
  guint8 head[REST_HEAD] = { FORM };
  Header header;
  gsize end;

  if (!peek (bytes, size, size, &source->info, error)
      || !read_header (bytes, size, &header, error))
    return FALSE;
  tell_info (&header, find_depth (&header, bytes + header.size), &source->info);
  /* Coders read the picture and do not write to it. */
  paco_source_place (&source->info, sample_bytes (&header), 0,
      (guint8 *) bytes + header.size, &source->image);
  end = header.size + image_bytes (&header);
  if (size - end > G_MAXUINT32 / 2 || header.size > G_MAXUINT32 / 2)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "there is too much before or behind the picture");
  source->n_pictures = match (bytes + end, size - end) ? 2 : 1;
  paco_put32 (head + 1, (guint32) header.size);
  g_byte_array_append (source->rest, head, sizeof head);
  g_byte_array_append (source->rest, bytes, (guint) header.size);
  g_byte_array_append (source->rest, bytes + end, (guint) (size - end));
  return TRUE;
}

/* A picture begins where the one before it ends. */
static guint
cut (int fd, guint64 file_size, GArray *sections)
{
  g_autofree guint8 *head = g_malloc (HEAD);
  PacoInfo first = PACO_INFO_INIT;
  Header header;
  guint others = 0;

  for (guint64 at = 0; at < file_size;
       at += header.size + image_bytes (&header)) {
    gsize n = paco_io_read_at (fd, at, head, MIN (HEAD, file_size - at));
    PacoInfo info = PACO_INFO_INIT;

    if (!peek (head, n, file_size - at, &info, NULL)
        || !read_header (head, n, &header, NULL))
      break;
    if (at == 0)
      first = info;
    if (paco_source_same_samples (&first, &info) && first.matrix == info.matrix)
      paco_section_add (sections, at, 0, file_size);
    else
      others++;
  }
  return others;
}

/* What the rest and a picture make a file of. */
typedef struct
{
  Header header;
  const guint8 *head, *tail; /* before the samples, and behind them */
  gsize head_size, tail_size;
} Rest;

static gboolean
read_rest (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    gsize file_size, Rest *read, GError **error)
{
  if (rest_size < REST_HEAD || rest[0] != FORM)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file is of an unknown form");
  read->head = rest + REST_HEAD;
  read->head_size = paco_get32 (rest + 1);
  if (read->head_size > rest_size - REST_HEAD)
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "what was kept of the file is cut");
  if (!read_header (read->head, read->head_size, &read->header, error))
    return FALSE;
  read->tail = read->head + read->head_size;
  read->tail_size = rest_size - REST_HEAD - read->head_size;
  if (read->header.size != read->head_size || read->header.width != info->width
      || read->header.height != info->height
      || read->header.n_components != info->n_components
      || file_size > G_MAXUINT32
      || file_size
          != read->head_size + image_bytes (&read->header) + read->tail_size)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file and the picture do not fit together");
  if (!paco_source_has (info, info->width, info->height, info->n_components, 1,
          8 * sample_bytes (&read->header)))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the picture is not one that the file can have");
  return TRUE;
}

static gboolean
rebuild (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    gsize file_size, PacoRebuilt *rebuilt, GError **error)
{
  guint8 *file;
  Rest read;

  if (!read_rest (rest, rest_size, info, file_size, &read, error))
    return FALSE;
  paco_bytes_set_size (rebuilt->file, file_size);
  file = rebuilt->file->data;
  memcpy (file, read.head, read.head_size);
  memcpy (file + file_size - read.tail_size, read.tail, read.tail_size);
  paco_source_place (info, sample_bytes (&read.header), 0,
      file + read.head_size, &rebuilt->image);
  return TRUE;
}

static gboolean
same_rest (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    const guint8 *file, gsize file_size, PacoImage *image)
{
  Rest read;

  if (!read_rest (rest, rest_size, info, file_size, &read, NULL)
      || memcmp (file, read.head, read.head_size) != 0
      || memcmp (file + file_size - read.tail_size, read.tail, read.tail_size)
          != 0)
    return FALSE;
  /* Who compares does not write to the picture. */
  paco_source_place (info, sample_bytes (&read.header), 0,
      (guint8 *) file + read.head_size, image);
  return TRUE;
}

const PacoSourceKind paco_source_pnm = {
  .name = "pnm",
  .id = 4,
  .rest_beyond = 64,
  .match = match,
  .peek = peek,
  .cut = cut,
  .parse = parse,
  .rebuild = rebuild,
  .same_rest = same_rest,
};
