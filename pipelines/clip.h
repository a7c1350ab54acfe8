/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A clip in memory: raw pictures to code, or coded frames. */
#pragma once
#include <gst/video/video.h>

typedef struct
{
  GPtrArray *buffers; /* GstBuffer */
  GstCaps *caps;
  GstVideoInfo info; /* of raw clips */
  gboolean complete; /* the file has no more pictures than these */
} Clip;

Clip *clip_new (void);
void clip_free (Clip *clip);
guint64 clip_bytes (const Clip *clip);

/* The pictures of a file, not more than max_frames and max_bytes (but one).
 * formats: caps of what may come out. */
Clip *clip_from_file (const char *path, GstCaps *formats, guint max_frames,
    guint64 max_bytes, GError **error);

/* A moving scene, 1920x1080, 4:2:2, 10 bits: shapes of all sizes under a
 * panning camera, a ball, film grain. */
Clip *clip_scene (guint n_frames);

/* Sets error from what a pipeline says on its bus; FALSE if it says none. */
gboolean clip_take_error (GstElement *pipeline, GError **error);
