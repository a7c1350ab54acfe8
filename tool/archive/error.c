/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the errors of archive and restore (error.h). */
#include "tool/archive/error.h"

G_DEFINE_QUARK (paco_archive_error, paco_archive_error)

gboolean
paco_archive_fail (
    GError **error, PacoArchiveError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (
      error, g_error_new_valist (PACO_ARCHIVE_ERROR, code, format, arguments));
  va_end (arguments);
  return FALSE;
}

gboolean
paco_archive_fail_file (GError **error, PacoArchiveError code, const char *name,
    const char *format, ...)
{
  g_autofree char *shown = g_filename_display_name (name);
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (
      error, g_error_new_valist (PACO_ARCHIVE_ERROR, code, format, arguments));
  va_end (arguments);
  g_prefix_error (error, "%s ", shown);
  return FALSE;
}
