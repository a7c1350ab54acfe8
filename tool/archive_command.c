/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements what the commands archive and restore have in common
 * (archive_command.h). */
#include "archive_command.h"
#include "input.h"

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

void
paco_command_coders_clear (PacoCommandCoderOptions *options)
{
  g_free (options->backend);
  g_free (options->devices);
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
