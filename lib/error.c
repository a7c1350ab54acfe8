/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Errors of the codec as those of the library. */
#include "lib/private.h"
#include <stdarg.h>
#include <stdio.h>

const char *
paco_version (void)
{
  return VERSION;
}

PacoStatus
paco_error_ok (PacoError *error)
{
  if (error) {
    error->status = PACO_STATUS_OK;
    error->message[0] = 0;
  }
  return PACO_STATUS_OK;
}

PacoStatus
paco_error_set (PacoError *error, PacoStatus status, const char *format, ...)
{
  va_list arguments;

  if (!error)
    return status;
  error->status = status;
  va_start (arguments, format);
  vsnprintf (error->message, sizeof error->message, format, arguments);
  va_end (arguments);
  return status;
}

static PacoStatus
status_of (const GError *failure)
{
  static const PacoStatus status[] = {
    [PACO_ERROR_UNSUPPORTED] = PACO_STATUS_UNSUPPORTED,
    [PACO_ERROR_NOT_PACO] = PACO_STATUS_NOT_PACO,
    [PACO_ERROR_VERSION] = PACO_STATUS_VERSION,
    [PACO_ERROR_CORRUPT] = PACO_STATUS_CORRUPT,
    [PACO_ERROR_MEMORY] = PACO_STATUS_MEMORY,
    [PACO_ERROR_DEVICE] = PACO_STATUS_DEVICE,
    [PACO_ERROR_NO_DEVICE] = PACO_STATUS_NO_DEVICE,
  };

  if (failure && failure->domain == PACO_ERROR
      && failure->code < (int) G_N_ELEMENTS (status))
    return status[failure->code];
  return PACO_STATUS_DEVICE;
}

PacoStatus
paco_error_take (PacoError *error, GError *failure)
{
  PacoStatus status = paco_error_set (error, status_of (failure), "%s",
      failure ? failure->message : "the coder is lost");

  g_clear_error (&failure);
  return status;
}
