/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts errors of the codec to those of the library, for all files here. */
#include "lib/private.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_STRUCT_SIZE 65536 /* of applications */

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

PacoStatus
paco_error_null (const char *name, PacoError *error)
{
  return paco_error_set (
      error, PACO_STATUS_INVALID, "the argument %s is NULL", name);
}

PacoStatus
paco_struct_check (const void *given, size_t known, const char *name,
    const char *initializer, PacoError *error)
{
  const uint8_t *bytes = given;
  size_t size;

  if (!given)
    return paco_error_set (
        error, PACO_STATUS_INVALID, "the argument of type %s is NULL", name);
  memcpy (&size, given, sizeof size);
  if (size < known || size > MAX_STRUCT_SIZE)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "struct_size of a %s is %zu; it is set with %s", name, size,
        initializer);
  for (size_t i = known; i < size; i++)
    if (bytes[i] != 0)
      return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
          "the %s says what only later versions of the library know", name);
  return paco_error_ok (error);
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
