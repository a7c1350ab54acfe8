/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Errors that begin with a file's name and go on to say what is wrong with it; folder.c
 * and sound.c set them, each of its own domain. */
#pragma once
#include <glib.h>

/* Returns FALSE. The name is in the file system's encoding. */
gboolean G_GNUC_PRINTF (5, 6) paco_refuse_file (GError **error, GQuark domain,
    int code, const char *name, const char *format, ...);
