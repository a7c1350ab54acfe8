/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Adds the reference decoder to the members of a folder (decoder.h). */
#include "tool/archive/decoder.h"
#include "tool/archive/error.h"
#include <string.h>
#include <zlib.h>

static gboolean
has_member (const PacoFolder *folder, const char *name)
{
  for (guint i = 0; i < folder->members->len; i++)
    if (strcmp (g_array_index (folder->members, PacoFolderFile, i).name, name)
        == 0)
      return TRUE;
  return FALSE;
}

static gboolean
add_file (PacoFolder *folder, const PacoDecoderFile *from, GError **error)
{
  uLongf size = from->size;
  guint8 *plain = g_malloc (from->size);
  PacoFolderFile file = { .name = g_strdup (from->name), .size = from->size };

  file.bytes = g_bytes_new_take (plain, from->size);
  g_array_append_val (folder->members, file);
  return (uncompress (plain, &size, from->packed, from->packed_size) == Z_OK
             && size == from->size)
      || paco_archive_fail_file (
          error, PACO_ARCHIVE_FAILED, from->name, "is damaged in this program");
}

gboolean
paco_decoder_add (PacoFolder *folder, GError **error)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();

  for (guint i = 0; i < paco_n_decoder_files; i++) {
    const PacoDecoderFile *file = &paco_decoder_files[i];
    g_autofree char *within = g_path_get_dirname (file->name);

    if (has_member (folder, within))
      return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, within,
          "is a file, and the decoder's folder would have its name");
    if (has_member (folder, file->name))
      g_ptr_array_add (kept, (gpointer) file->name);
    else if (!add_file (folder, file, error))
      return FALSE;
  }
  paco_folder_sort_members (folder);
  if (kept->len > 0)
    g_ptr_array_add (folder->notes,
        g_strdup_printf ("%s and %u other files of the decoder are in the "
                         "folder already, and kept as they are there",
            (const char *) kept->pdata[0], kept->len - 1));
  return TRUE;
}
