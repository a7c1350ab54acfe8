/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the pictures of a file, one after the other, as any decoder of GStreamer's
 * gives them. clip.c and comparison.c call it. */
#pragma once
#include <gst/gst.h>

typedef struct Reader Reader;

/* Opens a file; formats are caps of what may come out. Errors show with the
 * first picture. */
Reader *reader_open (const char *path, GstCaps *formats);

/* Returns the next picture, or NULL at the end and where error is set. */
GstSample *reader_pull (Reader *reader, GError **error);

/* Say, once there was a picture, whether the file has sound, and how players
 * turn its pictures, as "rotate-90", or NULL if they do not. */
gboolean reader_has_sound (Reader *reader);
char *reader_orientation (Reader *reader);

void reader_close (Reader *reader);
