/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the sentences of errors that begin with a file's name (refuse.h). */
#include "tool/archive/refuse.h"

gboolean
paco_refuse_file (GError **error, GQuark domain, int code, const char *name,
    const char *format, ...)
{
  char *shown = g_filename_display_name (name), *sentence;
  va_list arguments;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, domain, code, "%s %s", shown, sentence);
  g_free (sentence);
  g_free (shown);
  return FALSE;
}
