/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads pictures for encode (readers.h), by tool/archive/source.h, png_file.c and y4m.c. */
#include "readers.h"
#include "lib/stream/io.h"
#include "tool/archive/source.h"
#include "sequence.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES (1u << 31) /* of a picture's file */

static bool
fail (GError **error, const char *name, const char *why)
{
  return paco_tool_failed (error, "%s: %s", name, why);
}

/* --- bytes --- */

/* Reads as many bytes as there are, up to size. Returns -1 and an error if that
 * fails, also after a signal. */
static ssize_t
read_fully (int fd, const char *name, void *to, size_t size, GError **error)
{
  size_t done = paco_io_read_next (fd, to, size, size, paco_signals_caught);

  if (errno == 0)
    return (ssize_t) done;
  if (errno != EINTR || !paco_signals_caught (error))
    fail (error, name, g_strerror (errno));
  return -1;
}

static bool
read_file (const char *name, GByteArray *bytes, GError **error)
{
  const char *why = NULL;
  int fd = paco_open_input (name, &why);
  struct stat status;
  ssize_t n = -1;

  if (fd < 0 || fstat (fd, &status) != 0) {
    fail (error, name, why ? why : g_strerror (errno));
  } else if (!S_ISREG (status.st_mode)) {
    fail (error, name, "it is no file");
  } else if ((uint64_t) status.st_size >= MOST_BYTES) {
    fail (error, name, "it is too large for a picture");
  } else {
    g_byte_array_set_size (bytes, (guint) status.st_size);
    n = read_fully (fd, name, bytes->data, bytes->len, error);
    if (n >= 0)
      g_byte_array_set_size (bytes, (guint) n);
  }
  if (fd >= 0)
    close (fd);
  return n >= 0;
}

/* --- streams --- */

/* Reads a line of Y4M without its end. Returns NULL at the end of the file, or
 * with an error. */
static char *
read_line (PacoPictures *pictures, GError **error)
{
  GString *line = g_string_new (NULL);
  uint8_t byte;
  ssize_t n = 0;

  while (line->len < PACO_Y4M_MAX_LINE
      && (n = read_fully (pictures->fd, pictures->name, &byte, 1, error))
          == 1) {
    if (byte == '\n')
      return g_string_free (line, FALSE);
    g_string_append_c (line, (char) byte);
  }
  if (n >= 0 && line->len > 0)
    fail (error, pictures->name,
        n == 0 ? "the file ends within a line"
               : "a line has no end; this is no Y4M file");
  g_string_free (line, TRUE);
  return NULL;
}

static bool
begin_y4m (PacoPictures *pictures, GError **error)
{
  GError *failure = NULL;
  g_autofree char *line = read_line (pictures, &failure);

  if (!line && !failure)
    fail (&failure, pictures->name, "it is empty");
  if (failure) {
    g_propagate_error (error, failure);
    return false;
  }
  if (!paco_y4m_parse (line, &pictures->info, error)) {
    g_prefix_error (error, "%s: ", pictures->name);
    return false;
  }
  pictures->y4m = true;
  return true;
}

static bool
begin_stream (
    PacoPictures *pictures, const PacoPicturesHow *how, GError **error)
{
  PacoImage image;
  struct stat status;

  pictures->info = (PacoInfo) PACO_INFO_INIT;
  if (how->format) {
    pictures->info.width = how->width;
    pictures->info.height = how->height;
    pictures->format = how->format;
    paco_format_tell (how->format, &pictures->info);
  } else if (!begin_y4m (pictures, error))
    return false;
  pictures->size = paco_format_place (
      how->format, &pictures->info, NULL, &image);
  if (pictures->size >= MOST_BYTES)
    return fail (error, pictures->name, "its pictures are too large");
  if (fstat (pictures->fd, &status) == 0 && S_ISREG (status.st_mode)) {
    uint64_t head = pictures->y4m ? (uint64_t) lseek (pictures->fd, 0, SEEK_CUR)
                                  : 0;

    pictures->n_frames = ((uint64_t) status.st_size - head)
        / (pictures->size + (pictures->y4m ? strlen (PACO_Y4M_FRAME "\n") : 0));
  }
  return true;
}

/* Reads up to the samples of the next picture. Returns FALSE at the end. */
static bool
begin_frame (PacoPictures *pictures, GError **error)
{
  g_autofree char *line = NULL;

  if (!pictures->y4m)
    return true;
  line = read_line (pictures, error);
  if (!line)
    return false;
  return strcmp (line, PACO_Y4M_FRAME) == 0
      || g_str_has_prefix (line, PACO_Y4M_FRAME " ")
      || fail (error, pictures->name,
          "the Y4M file is damaged: no frame begins where one should");
}

static bool
next_of_stream (
    PacoPictures *pictures, PacoPictureRead *picture, GError **error)
{
  ssize_t n;

  if (!begin_frame (pictures, error))
    return false;
  g_byte_array_set_size (picture->bytes, (guint) pictures->size);
  n = read_fully (pictures->fd, pictures->name, picture->bytes->data,
      pictures->size, error);
  if (n < 0 || (n == 0 && !pictures->y4m))
    return false;
  if ((uint64_t) n < pictures->size)
    return paco_tool_failed (error,
        "%s ends within picture %" G_GUINT64_FORMAT
        ", after %zd of its %" G_GUINT64_FORMAT " bytes",
        pictures->name, pictures->frames, n, pictures->size);
  pictures->frames++;
  picture->info = pictures->info;
  paco_format_place (
      pictures->format, &picture->info, picture->bytes->data, &picture->image);
  return true;
}

/* --- single files --- */

static bool
parse_picture (const char *name, PacoPictureRead *picture, GError **error)
{
  const guint8 *bytes = picture->bytes->data;
  gsize size = picture->bytes->len;
  const PacoSourceKind *kind = paco_source_kind (bytes, size);

#ifdef HAVE_PNG
  if (kind == &paco_source_png && paco_png_is_special (bytes, size)) {
    picture->source.n_pictures = 1;
    g_byte_array_set_size (picture->source.samples, 0);
    if (paco_png_read (bytes, size, &picture->info, &picture->image,
            picture->source.samples, error))
      return true;
    g_prefix_error (error, "%s: ", name);
    return false;
  }
#endif
  if (!kind)
    return paco_tool_failed (error,
        "%s is no picture of a known kind; these are Y4M, %s, and raw pictures "
        "with --format and --size",
        name, paco_source_kinds ());
  if (!paco_source_parse (kind, bytes, size, &picture->source, error)) {
    g_prefix_error (error, "%s: ", name);
    return false;
  }
  picture->info = picture->source.info;
  picture->image = picture->source.image;
  return true;
}

/* --- pages --- */

/* Says whether a file begins as those do that may have several pictures. */
static bool
may_have_pages (const char *name)
{
  uint8_t magic[16];
  const char *why = NULL;
  int fd = paco_open_input (name, &why);
  size_t n = fd >= 0 ? paco_io_read_at (fd, 0, magic, sizeof magic) : 0;
  const PacoSourceKind *kind = paco_source_kind (magic, n);

  if (fd >= 0)
    close (fd);
  return kind && strcmp (kind->name, "tiff") == 0;
}

static void
end_pages (PacoPictures *pictures)
{
  g_clear_pointer (&pictures->file, g_byte_array_unref);
  g_clear_pointer (&pictures->file_name, g_free);
}

/* Reads the next page of a file, whose bytes its pages share. */
static bool
next_page (PacoPictures *pictures, PacoPictureRead *picture, GError **error)
{
  g_free (picture->name);
  picture->name = g_strdup_printf (
      "page %u of %s", pictures->page, pictures->file_name);
  g_byte_array_unref (picture->bytes);
  picture->bytes = g_byte_array_ref (pictures->file);
  picture->shares_bytes = true;
  picture->source.at = pictures->page_at;
  if (pictures->page_at == 0)
    return fail (error, picture->name, "its directory cannot be read");
  if (!parse_picture (picture->name, picture, error))
    return false;
  pictures->page_at = picture->source.next;
  /* A page after it that is broken may not be counted. */
  if (pictures->page++ == pictures->n_pages && picture->source.n_pictures == 1)
    end_pages (pictures);
  return true;
}

/* Begins with the next pages of the file, if it has more than the picture that was read of
 * it. */
static bool
begin_pages (PacoPictures *pictures, PacoPictureRead *picture, GError **error)
{
  const PacoSource *source = &picture->source;

  if (source->is_thumbnail)
    return fail (error, picture->name,
        "its first picture is a thumbnail, and the others are no mosaics");
  if (source->n_pictures == 1)
    return true;
  if (source->next == 0)
    return fail (error, picture->name,
        "the file has more than one picture, and the second one is no page "
        "that can be read; paco archive keeps files as they are");
  picture->shares_bytes = true;
  pictures->file = g_byte_array_ref (picture->bytes);
  pictures->file_name = g_steal_pointer (&picture->name);
  picture->name = g_strdup_printf ("page 1 of %s", pictures->file_name);
  pictures->page = 2;
  pictures->page_at = source->next;
  pictures->n_pages = source->n_pictures;
  return true;
}

/* --- files one after the other --- */

/* Returns the name of the next file, to be freed, or NULL at the end, or with an
 * error: numbers of a pattern must not be missing. */
static char *
next_name (PacoPictures *pictures, GError **error)
{
  char *name;
  uint64_t next;

  if (!pictures->pattern)
    return pictures->at < pictures->n
        ? g_strdup (pictures->names[pictures->at++])
        : NULL;
  if (pictures->begun)
    pictures->number++;
  pictures->begun = true;
  name = paco_sequence_name (pictures->pattern, pictures->number);
  if (access (name, F_OK) == 0)
    return name;
  next = pictures->number + 1;
  if (next > 0 && paco_sequence_next (pictures->pattern, &next))
    paco_tool_failed (error,
        "%s is missing, and %" G_GUINT64_FORMAT
        " is the next number that is there",
        name, next);
  g_free (name);
  return NULL;
}

static bool
next_file (PacoPictures *pictures, PacoPictureRead *picture, GError **error)
{
  g_free (picture->name);
  picture->name = next_name (pictures, error);
  if (!picture->name)
    return false;
  if (picture->shares_bytes) {
    g_byte_array_unref (picture->bytes);
    picture->bytes = g_byte_array_new ();
    picture->shares_bytes = false;
  }
  picture->source.at = PACO_SOURCE_BEST;
  return read_file (picture->name, picture->bytes, error)
      && parse_picture (picture->name, picture, error)
      && begin_pages (pictures, picture, error);
}

static bool
next_picture (PacoPictures *pictures, PacoPictureRead *picture, GError **error)
{
  bool good = pictures->file ? next_page (pictures, picture, error)
                             : next_file (pictures, picture, error);

  pictures->frames += good;
  return good;
}

/* --- all of them --- */

static bool
open_stream (PacoPictures *pictures, const PacoPicturesHow *how, GError **error)
{
  const char *name = pictures->names[0];
  const char *why = NULL;
  bool standard = strcmp (name, "-") == 0;

  if (!how->format && !standard && !g_str_has_suffix (name, ".y4m")
      && !g_str_has_suffix (name, ".Y4M"))
    return false;
  pictures->name = standard ? "standard input" : name;
  if (pictures->n > 1)
    return paco_tool_misused (error,
        "%s is a stream of pictures, beside which there are no other files",
        pictures->name);
  pictures->fd = standard ? fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                          : paco_open_input (name, &why);
  if (pictures->fd < 0)
    return fail (error, pictures->name, why ? why : g_strerror (errno));
  return begin_stream (pictures, how, error);
}

PacoPictures *
paco_pictures_open (
    char **names, int n, const PacoPicturesHow *how, GError **error)
{
  PacoPictures *pictures = g_new0 (PacoPictures, 1);
  GError *failure = NULL;

  pictures->fd = -1;
  pictures->mosaic = how->mosaic;
  pictures->names = names;
  pictures->n = n;
  if (!open_stream (pictures, how, &failure) && !failure && n == 1
      && paco_sequence_is_pattern (names[0])) {
    pictures->pattern = names[0];
    if (paco_sequence_check (names[0], &failure)
        && !paco_sequence_next (names[0], &pictures->number))
      paco_tool_failed (
          &failure, "there is no file of the pattern %s", names[0]);
  } else if (pictures->fd < 0) {
    for (int i = 0; i < n && !may_have_pages (names[i]); i++)
      pictures->n_frames = i + 1 == n ? (uint64_t) n : 0;
  }
  if (!failure)
    return pictures;
  g_propagate_error (error, failure);
  paco_pictures_close (pictures);
  return NULL;
}

void
paco_pictures_close (PacoPictures *pictures)
{
  if (!pictures)
    return;
  if (pictures->fd >= 0)
    close (pictures->fd);
  end_pages (pictures);
  g_free (pictures);
}

bool
paco_pictures_next (
    PacoPictures *pictures, PacoPictureRead *picture, GError **error)
{
  if (paco_signals_caught (error)
      || !(pictures->fd >= 0 ? next_of_stream (pictures, picture, error)
                             : next_picture (pictures, picture, error)))
    return false;
  return !pictures->mosaic
      || paco_format_make_mosaic (
          pictures->mosaic, &picture->info, &picture->image, error);
}

/* --- skipping --- */

/* Passes over the next file if it has one picture; without a file there is no picture to
 * skip. Returns how many of n pictures it has skipped, 0 if the file is to be read. */
static uint64_t
pass_over (PacoPictures *pictures, uint64_t n)
{
  g_autofree char *name = NULL;

  if (!pictures->pattern && pictures->at == pictures->n)
    return n;
  name = pictures->pattern ? paco_sequence_name (
             pictures->pattern, pictures->number + pictures->begun)
                           : g_strdup (pictures->names[pictures->at]);
  if (may_have_pages (name))
    return 0;
  if (!pictures->pattern) {
    pictures->at++;
    return 1;
  }
  if (access (name, F_OK) == 0)
    n = 1;
  pictures->number += n;
  return n;
}

bool
paco_pictures_skip (PacoPictures *pictures, uint64_t n, GError **error)
{
  PacoPictureRead picture;
  GError *failure = NULL;

  paco_picture_read_init (&picture);
  while (n > 0) {
    uint64_t skipped = pictures->fd < 0 && !pictures->file
        ? pass_over (pictures, n)
        : 0;

    n -= skipped;
    if (skipped == 0 && !paco_pictures_next (pictures, &picture, &failure))
      break;
    n -= skipped == 0;
  }
  paco_picture_read_clear (&picture);
  if (failure)
    g_propagate_error (error, failure);
  return !failure;
}

void
paco_picture_read_init (PacoPictureRead *picture)
{
  *picture = (PacoPictureRead){ .bytes = g_byte_array_new () };
  paco_source_init (&picture->source);
  picture->source.samples_only = TRUE;
}

void
paco_picture_read_clear (PacoPictureRead *picture)
{
  g_clear_pointer (&picture->name, g_free);
  g_clear_pointer (&picture->bytes, g_byte_array_unref);
  paco_source_clear (&picture->source);
}
