/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A file of this machine that several threads read, because a single thread copies
 * from the system's file cache more slowly than a GPU decodes. gstpacoreader.c reads
 * large frames with it if the file is filesrc's. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

typedef struct _GstPacoLocalFile GstPacoLocalFile;

/* Opens a file. Returns NULL unless it is a regular file that can be read. */
GstPacoLocalFile *gst_paco_local_file_open (const gchar *path);
/* Closes a file, which may be NULL. */
void gst_paco_local_file_close (GstPacoLocalFile *file);

/* Says whether several threads read so many bytes faster than one. */
gboolean gst_paco_local_file_is_worth_it (gsize size);

/* Reads size bytes. Returns FALSE if the file has fewer, or if they cannot be
 * read. */
gboolean gst_paco_local_file_read (
    GstPacoLocalFile *file, guint64 offset, guint8 *data, gsize size);

G_END_DECLS
