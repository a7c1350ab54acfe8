/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A clip is held in memory: raw pictures to be coded, or coded frames. The programs
 * quickstart.c and comparison.c make one, and coding.c codes it. */
#pragma once
#include <gst/video/video.h>

/* This says why a clip has no more pictures. */
typedef enum
{
  CLIP_COMPLETE, /* the file has no more */
  CLIP_MAX_FRAMES,
  CLIP_MAX_BYTES,
  CLIP_OTHER_FORMAT, /* the next one is of another size or raw format */
  CLIP_DAMAGED,
} ClipEnd;

typedef struct
{
  GPtrArray *buffers; /* GstBuffer */
  GstCaps *caps;
  GstVideoInfo info; /* of raw clips */

  /* These are of clips from files. */
  ClipEnd end;
  gboolean has_sound;
  char *orientation; /* how players turn it, as "rotate-90", or NULL */
} Clip;

Clip *clip_new (void);
void clip_free (Clip *clip);
guint64 clip_bytes (const Clip *clip);

/* Reads the pictures of a file, not more than max_frames and max_bytes (but
 * one). formats are caps of what may come out. */
Clip *clip_from_file (const char *path, GstCaps *formats, guint max_frames,
    guint64 max_bytes, GError **error);

/* Draws a moving scene, 1920x1080, 4:2:2, 10 bits: shapes of all sizes under a
 * panning camera, a ball, film grain. */
Clip *clip_scene (guint n_frames);

/* Sets error from what a pipeline says on its bus; returns FALSE if it says
 * none. */
gboolean clip_take_error (GstElement *pipeline, GError **error);
