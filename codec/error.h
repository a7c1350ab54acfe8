/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The errors of the codec, its backends, libpaco and lib/stream/. Their messages are
 * sentences that a user can act on. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

#define PACO_ERROR (paco_error_quark ())

typedef enum
{
  PACO_ERROR_UNSUPPORTED, /* parameters or a picture that cannot be coded */
  PACO_ERROR_NOT_PACO,    /* the bytes do not begin with a frame */
  PACO_ERROR_VERSION,     /* a frame of another version, or unknown features */
  PACO_ERROR_CORRUPT,     /* a frame that contradicts itself or is cut */
  PACO_ERROR_MEMORY,      /* memory could not be had */
  PACO_ERROR_DEVICE,      /* the device cannot be used, is lost or failed */
  PACO_ERROR_NO_DEVICE,   /* this machine has no such device */
} PacoErrorCode;

GQuark paco_error_quark (void);

/* Sets *error to a sentence by printf's format. Returns FALSE. */
gboolean paco_fail (GError **error, PacoErrorCode code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
#define paco_refuse(error, ...)                                                \
  paco_fail (error, PACO_ERROR_UNSUPPORTED, __VA_ARGS__)

G_END_DECLS
