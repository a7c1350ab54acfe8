/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The error domain. */
#include "error.h"

G_DEFINE_QUARK (paco - error - quark, paco_error)

gboolean
paco_fail (GError **error, PacoErrorCode code, const char *format, ...)
{
  va_list arguments;

  if (!error)
    return FALSE;
  va_start (arguments, format);
  g_propagate_error (
      error, g_error_new_valist (PACO_ERROR, code, format, arguments));
  va_end (arguments);
  return FALSE;
}
