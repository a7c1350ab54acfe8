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
add_samples (void *user, const void *samples, size_t size, GError **error)
{
  return paco_sound_maker_add (user, samples, size, error);
}

gboolean
paco_archive_container_sound (
    const char *path, PacoSoundMaker *maker, GError **error)
{
  return paco_mux_read_sound (path, add_samples, maker, error);
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

static gboolean
compare_sound (const PacoSound *sound, const char *path, GError **error)
{
  PacoSoundMaker *maker = paco_sound_maker_new (sound, NULL, error);

  if (!maker || !paco_archive_container_sound (path, maker, error)) {
    paco_sound_maker_abandon (maker);
    return FALSE;
  }
  return paco_sound_maker_end (maker, error);
}

gboolean
paco_archive_container_make (const PacoArchiveContainer *container,
    const char *from, guint64 n_frames, const PacoSound *sound, const char *to,
    GError **error)
{
  g_autofree char *path = sound
      ? g_strconcat (container->folder, "/", sound->name, NULL)
      : NULL;
  gboolean good = paco_mux_file (
      from, path, container->out, to, container->quiet, error);

  if (good && container->verify)
    good = compare_frames (from, to, error)
        && (!sound || compare_sound (sound, to, error));
  else if (good)
    good = paco_mux_check_count (to, container->out, n_frames, error);
  if (!good)
    unlink (to);
  return good;
}
