/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements what the commands archive and restore have in common
 * (archive_command.h). */
#include "archive_command.h"
#include "input.h"
#include "tool.h"
#include <string.h>
#include <unistd.h>

gboolean
paco_command_read_range (const char *text, gboolean *has_range, guint64 *first,
    guint64 *last, GError **error)
{
  PacoFrameRange range;

  if (!paco_frame_range_parse (text, &range, error))
    return FALSE;
  *has_range = text != NULL;
  *first = range.first;
  *last = range.last;
  return TRUE;
}

gboolean
paco_command_read_coders (const PacoCommandCoderOptions *options,
    PacoCommandCoders *coders, GError **error)
{
  guint n = 0;

  if (options->threads < 0 || options->helpers < 0)
    return paco_tool_misused (error, "a number of threads is less than 0");
  g_snprintf (coders->threads, sizeof coders->threads, "%d", options->threads);
  coders->pairs[n++] = "threads";
  coders->pairs[n++] = coders->threads;
  if (options->backend) {
    coders->pairs[n++] = "backend";
    coders->pairs[n++] = options->backend;
  }
  if (options->devices) {
    coders->pairs[n++] = "cuda-devices";
    coders->pairs[n++] = options->devices;
  }
  coders->pairs[n] = NULL;
  return TRUE;
}

int
paco_command_fail (GError *error)
{
  int code;

  if (g_error_matches (error, PACO_ARCHIVE_ERROR, PACO_ARCHIVE_INTERRUPTED))
    code = PACO_EXIT_INTERRUPTED;
  else if (g_error_matches (error, PACO_ARCHIVE_ERROR, PACO_ARCHIVE_DAMAGED))
    code = PACO_EXIT_DAMAGE;
  else
    return paco_tool_fail (error);
  paco_tool_complain ("%s", error->message);
  g_error_free (error);
  return code;
}

/* --- containers --- */

static bool
add_samples (void *user, unsigned track, const void *samples, size_t size,
    GError **error)
{
  PacoSoundMaker *const *makers = user;

  return paco_sound_maker_add (makers[track], samples, size, error);
}

gboolean
paco_archive_container_sound (
    const char *path, PacoSoundMaker *const *makers, guint n, GError **error)
{
  return paco_mux_read_sound (path, n, add_samples, (void *) makers, error);
}

/* Says whether the next frames of both are the same. *ended is set if neither has
 * another one. */
static gboolean
compare_next (PacoInput *from, PacoInput *to, gboolean *ended, GError **error)
{
  PacoInputFrame a = { 0 }, b = { 0 };
  PacoInputResult x = paco_input_next (from, &a, error);
  PacoInputResult y = x == PACO_INPUT_ERROR ? x
                                            : paco_input_next (to, &b, error);
  gboolean good = x != PACO_INPUT_ERROR && y != PACO_INPUT_ERROR;

  *ended = x != PACO_INPUT_FRAME || y != PACO_INPUT_FRAME;
  if (good
      && (x != y
          || (!*ended
              && (a.frame.size != b.frame.size
                  || memcmp (a.frame.data, b.frame.data, a.frame.size) != 0))))
    good = paco_archive_fail (error, PACO_ARCHIVE_DAMAGED,
        "the container gives other frames than it was given");
  if (x == PACO_INPUT_FRAME)
    paco_input_release (&a);
  if (y == PACO_INPUT_FRAME)
    paco_input_release (&b);
  return good;
}

static gboolean
compare_frames (const char *part, const char *path, GError **error)
{
  g_autoptr (PacoInput) from = paco_input_open (part, error);
  g_autoptr (PacoInput) to = from ? paco_input_open (path, error) : NULL;
  gboolean ended = FALSE, good = to != NULL;

  while (good && !ended)
    good = compare_next (from, to, &ended, error);
  return good;
}

/* Compares what the container gives with the files. */
static gboolean
compare_sounds (const GPtrArray *sounds, const char *path, GError **error)
{
  PacoSoundMaker *makers[PACO_MAX_SOUNDS];
  guint n = 0;
  gboolean good = TRUE;

  while (good && n < sounds->len) {
    makers[n] = paco_sound_maker_new (sounds->pdata[n], NULL, error);
    good = makers[n] != NULL;
    n += good;
  }
  good = good && paco_archive_container_sound (path, makers, n, error);
  for (guint i = 0; i < n; i++)
    if (good)
      good = paco_sound_maker_end (makers[i], error);
    else
      paco_sound_maker_abandon (makers[i]);
  return good;
}

PacoSoundTrack
paco_archive_sound_track (const PacoSound *sound, const char *path)
{
  return (PacoSoundTrack){
    .path = path,
    .from = sound->samples_at,
    .size = sound->samples_size,
    .format = g_strdup_printf (
        "%c%ule", sound->is_float ? 'f' : 's', sound->bits),
    .rate = (int) sound->rate,
    .channels = (int) (sound->frame_bytes * 8 / sound->bits),
    .second = (size_t) sound->rate * sound->frame_bytes,
  };
}

static gboolean
make_with_sounds (const PacoArchiveContainer *container, const char *from,
    const GPtrArray *sounds, const char *to, GError **error)
{
  PacoSoundTrack tracks[PACO_MAX_SOUNDS] = { { 0 } };
  guint n = sounds ? sounds->len : 0;
  gboolean good;

  for (guint i = 0; i < n; i++) {
    const PacoSound *sound = sounds->pdata[i];

    tracks[i] = paco_archive_sound_track (
        sound, g_strconcat (container->folder, "/", sound->name, NULL));
  }
  good = paco_mux_tracks (
      from, tracks, n, container->out, to, container->quiet, error);
  for (guint i = 0; i < n; i++) {
    g_free ((char *) tracks[i].path);
    g_free (tracks[i].format);
  }
  return good;
}

gboolean
paco_archive_container_make (const PacoArchiveContainer *container,
    const char *from, guint64 n_frames, const GPtrArray *sounds, const char *to,
    GError **error)
{
  gboolean good = make_with_sounds (container, from, sounds, to, error);

  if (good && container->verify)
    good = compare_frames (from, to, error)
        && (!sounds || sounds->len == 0 || compare_sounds (sounds, to, error));
  else if (good)
    good = paco_mux_check_count (to, container->out, n_frames, error);
  if (!good)
    unlink (to);
  return good;
}
