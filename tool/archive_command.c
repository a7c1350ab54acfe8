/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the commands archive and restore have in common. */
#include "archive_command.h"
#include <signal.h>

static gboolean
refuse (GError **error, const char *format, const char *value)
{
  g_set_error (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_USAGE, format, value);
  return FALSE;
}

gboolean
paco_command_read_numbers (
    const char *text, char between, guint64 *a, guint64 *b)
{
  char *end;

  if (!g_ascii_isdigit (*text))
    return FALSE;
  *a = *b = g_ascii_strtoull (text, &end, 10);
  if (*end != between)
    return *end == 0;
  if (!g_ascii_isdigit (end[1]))
    return FALSE;
  *b = g_ascii_strtoull (end + 1, &end, 10);
  return *end == 0;
}

gboolean
paco_command_read_range (const char *text, gboolean *has_range, guint64 *first,
    guint64 *last, GError **error)
{
  *has_range = text != NULL;
  if (!text
      || (paco_command_read_numbers (text, '-', first, last) && *first <= *last
          && *last < G_MAXUINT64))
    return TRUE;
  return refuse (
      error, "--frames=%s is no range of frames, such as 0-99", text);
}

gboolean
paco_command_read_coders (const PacoCommandCoderOptions *options,
    PacoCommandCoders *coders, GError **error)
{
  guint n = 0;

  if (options->threads < 0 || options->helpers < 0)
    return refuse (error, "%s", "a number of threads is less than 0");
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

void
paco_command_prepare (void)
{
  paco_signals_catch ();
  signal (SIGXFSZ, SIG_IGN);
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
