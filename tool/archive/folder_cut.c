/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Cuts files of several pictures into sections, each of which becomes a frame
 * (folder.h). */
#include "tool/archive/folder.h"
#include "tool/archive/error.h"
#include "codec/text.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum
{
  MAX_NAMES = 1000, /* in the note */
  /* Bytes. A stand-in has less than 2 GiB, of which its head may take 16 MiB. */
  MAX_SECTION = G_MAXINT32 - (1 << 24),
};

/* What the note says. */
typedef struct
{
  GString *names;
  guint n_files, n_frames;
} Note;

static gboolean
find_sections (const PacoSourceKind *kind, const char *path, guint64 size,
    GArray *sections, guint *others, GError **error)
{
  int fd = paco_open_input (path, NULL);

  g_array_set_size (sections, 0);
  if (fd < 0)
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, path,
        "cannot be read: %s", g_strerror (errno));
  *others = kind->cut (fd, size, sections);
  close (fd);
  return TRUE;
}

gboolean
paco_folder_is_too_large (
    const PacoSourceKind *kind, const char *path, guint64 size)
{
  g_autoptr (GArray)
      sections = g_array_new (FALSE, FALSE, sizeof (PacoSection));
  gboolean large;
  guint others;

  if (size <= G_MAXINT32 || !kind->cut)
    return size > G_MAXINT32;
  large = !find_sections (kind, path, size, sections, &others, NULL)
      || sections->len < 2;
  for (guint i = 0; i < sections->len; i++)
    large |= g_array_index (sections, PacoSection, i).size > MAX_SECTION;
  return large;
}

/* Adds the sections of a file, whose name moves to the first one. */
static void
add_sections (GArray *files, const PacoFolderFile *file, const GArray *sections)
{
  for (guint i = 0; i < sections->len; i++) {
    PacoFolderFile part = *file;

    part.name = i > 0 ? g_strdup (file->name) : file->name;
    part.section = g_array_index (sections, PacoSection, i);
    part.section.number = i;
    part.section.n = sections->len;
    g_array_append_val (files, part);
  }
}

static void
count (Note *note, const char *name, guint n, guint others)
{
  note->n_frames += n;
  if (note->n_files++ >= MAX_NAMES)
    return;
  g_string_append_printf (
      note->names, "%s%s (%u", note->names->len ? ", " : "", name, n);
  if (others > 0)
    g_string_append_printf (note->names, "; %u more %s kept with them", others,
        paco_text_plural (others, "is", "are"));
  g_string_append_c (note->names, ')');
}

static void
tell (PacoFolder *folder, const Note *note)
{
  if (note->n_files > 0)
    g_ptr_array_add (folder->notes,
        g_strdup_printf ("%u %s several pictures, which are %u frames: %s",
            note->n_files,
            paco_text_plural (note->n_files, "file has", "files have"),
            note->n_frames, note->names->str));
}

gboolean
paco_folder_cut (PacoFolder *folder, const PacoSourceKind *kind, GError **error)
{
  g_autoptr (GArray)
      sections = g_array_new (FALSE, FALSE, sizeof (PacoSection));
  GArray *files = kind->cut
      ? g_array_new (FALSE, FALSE, sizeof (PacoFolderFile))
      : NULL;
  Note note = { g_string_new (NULL), 0, 0 };
  gboolean good = TRUE;

  for (guint i = 0; files && i < folder->files->len; i++) {
    PacoFolderFile *file = &g_array_index (folder->files, PacoFolderFile, i);
    g_autofree char *path = paco_folder_path (folder, i);
    guint others = 0;

    good = good
        && find_sections (kind, path, file->size, sections, &others, error);
    if (good && sections->len > 1) {
      count (&note, file->name, sections->len, others);
      add_sections (files, file, sections);
    } else
      g_array_append_val (files, *file);
  }
  if (files) {
    /* Names and bytes are in `files` now. */
    memset (
        folder->files->data, 0, folder->files->len * sizeof (PacoFolderFile));
    g_array_set_size (folder->files, 0);
    g_array_append_vals (folder->files, files->data, files->len);
    g_array_unref (files);
  }
  tell (folder, &note);
  g_string_free (note.names, TRUE);
  return good;
}

gboolean
paco_folder_goes_on (const PacoFolder *folder, guint64 n)
{
  return paco_folder_file (folder, n)->section.number > 0;
}

guint64
paco_folder_bytes (const PacoFolder *folder, guint64 n)
{
  const PacoFolderFile *file = paco_folder_file (folder, n);

  return file->section.n > 0 ? file->section.size : file->size;
}
