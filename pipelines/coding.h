/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Puts clips through pacoenc and pacodec and takes the time. quickstart.c calls
 * it; comparison.c asks it which formats can be compared. */
#pragma once
#include "pipelines/clip.h"

/* Returns what the encoder takes, as far as samples can be compared afterwards.
 * Ends the program with a sentence where there is no encoder. */
GstCaps *coding_formats (void);

typedef struct
{
  /* These are elements as gst-launch-1.0 takes them; one has the name "coder",
   * if stats are wanted. */
  const char *elements;
  const char *progress; /* said while it runs */
  GstCaps *caps;        /* of what comes out; may be NULL */
  gboolean discard;     /* what comes out is only counted */
} CodingRun;

typedef struct
{
  Clip *clip;          /* what came out; empty if it was discarded */
  double seconds;      /* from the first buffer to the last */
  GstStructure *stats; /* of "coder", or NULL */
} CodingResult;

/* Puts all buffers of a clip through elements. The caller frees what is in
 * *result. */
gboolean coding_run (const Clip *clip, const CodingRun *run,
    CodingResult *result, GError **error);

/* Writes coded frames into a MOV file. */
gboolean coding_write_mov (const Clip *clip, const char *path, GError **error);
