/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Errors of archive and restore, which are sentences. Those of a file begin with its
 * name. */
#pragma once
#include <glib.h>

#define PACO_ARCHIVE_ERROR (paco_archive_error_quark ())
GQuark paco_archive_error_quark (void);
typedef enum
{
  PACO_ARCHIVE_INTERRUPTED,   /* by the caller */
  PACO_ARCHIVE_DAMAGED,       /* what was read is not what was written */
  PACO_ARCHIVE_SOUND_DAMAGED, /* the same of a file of sound */
  PACO_ARCHIVE_EXISTS,        /* something would be overwritten */
  PACO_ARCHIVE_FAILED,        /* anything else */
} PacoArchiveError;

/* Both return FALSE. The name is in the file system's encoding. */
gboolean paco_archive_fail (GError **error, PacoArchiveError code,
    const char *format, ...) G_GNUC_PRINTF (3, 4);
gboolean paco_archive_fail_file (GError **error, PacoArchiveError code,
    const char *name, const char *format, ...) G_GNUC_PRINTF (4, 5);
