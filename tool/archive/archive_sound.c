/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the WAV files of a folder that become tracks of sound, before anything is written
 * (run.h). Those that cannot be tracks are members, but the first one, which is refused. */
#include "tool/archive/run.h"

static gboolean
can_be_track (const PacoRun *run, const PacoSound *sound, GError **error)
{
  const PacoArchiveOptions *options = run->options;
  guint64 n = run->folder->files->len;
  gboolean given = options->fps_n > 0;
  guint32 fps_n = given ? options->fps_n : run->picture.fps_n;
  guint32 fps_d = given ? options->fps_d : run->picture.fps_d;
  gdouble seconds = fps_n > 0 ? (gdouble) n * fps_d / fps_n : 0;
  g_autoptr (GError) why = NULL;

  if (options->takes_sound
      && !options->takes_sound (options->user, sound, seconds, &why))
    return paco_archive_fail_file (
        error, PACO_ARCHIVE_FAILED, sound->name, "%s", why->message);
  return options->any_sound_length
      || paco_sound_check_length (sound, n, fps_n, fps_d, error);
}

/* Makes the chunk of all but the first one again. */
static gboolean
keep_further (PacoRun *run, GError **error)
{
  GByteArray *chunk = paco_sound_write_further (run->sounds, error);

  if (!chunk)
    return FALSE;
  g_clear_pointer (&run->further_chunk, g_byte_array_unref);
  run->further_chunk = chunk;
  return TRUE;
}

/* Makes a file the next track. */
static gboolean
add_track (PacoRun *run, const char *name, GError **error)
{
  PacoSound *sound;

  if (run->sounds->len > 0 && run->options->has_range)
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, name,
        "is no track, as only the first sound is one in a range of frames");
  if (run->sounds->len == PACO_MAX_SOUNDS)
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, name,
        "is no track: there are %d before it", PACO_MAX_SOUNDS);
  sound = paco_sound_read (run->options->folder, name, error);
  if (!sound)
    return FALSE;
  if (!can_be_track (run, sound, error)) {
    paco_sound_free (sound);
    return FALSE;
  }
  g_ptr_array_add (run->sounds, sound);
  if (run->sounds->len == 1) {
    run->sound_chunk = paco_sound_write_chunk (sound, error);
    return run->sound_chunk != NULL;
  }
  if (keep_further (run, error))
    return TRUE;
  g_ptr_array_set_size (run->sounds, (gint) run->sounds->len - 1);
  return FALSE;
}

gboolean
paco_run_read_sounds (PacoRun *run, GError **error)
{
  PacoFolder *folder = run->folder;

  run->sounds = g_ptr_array_new_with_free_func (
      (GDestroyNotify) paco_sound_free);
  for (guint i = 0; i < folder->sounds->len;) {
    GError *failure = NULL;

    if (add_track (run, g_array_index (folder->sounds, PacoFolderFile, i).name,
            &failure)) {
      i++;
      continue;
    }
    if (i == 0 || run->options->files.only_pictures) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    paco_report_note (run->report, "%s; it is kept as it is", failure->message);
    g_error_free (failure);
    paco_folder_keep_sound (folder, i);
  }
  return TRUE;
}
