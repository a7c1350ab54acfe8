/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps the sound of frames that are copied from MOV, MP4 and Matroska files to such a
 * file (recording.c): the samples that belong to the frames, and no others. */
#pragma once
#include "input.h"
#include "output.h"

typedef struct PacoSounds PacoSounds;

/* A track of sound: samples of a file. */
typedef struct
{
  const char *path;
  uint64_t from,
      size;     /* bytes of the file; size is UINT64_MAX: up to its end */
  char *format; /* by the names of rawaudioparse, as "s16le" */
  int rate, channels;
  size_t second; /* bytes of a second */
} PacoSoundTrack;

PacoSounds *paco_sounds_new (void);
/* Removes the files of the tracks, too. NULL is allowed. */
void paco_sounds_free (PacoSounds *sounds);
/* Notes where the sound of the next frame is: *frame was read from *input. */
void paco_sounds_add_frame (
    PacoSounds *sounds, const PacoInput *input, const PacoInputFrame *frame);
/* Reads the sound of all frames to files beside `path`. Tracks of the inputs that have no
 * raw samples are left out. A part without sound gets silence, with a line that says so.
 * Errors: that of the inputs differs, or files of the kind of `path` have no such
 * sound. */
bool paco_sounds_read (PacoSounds *sounds, const char *path, GError **error);
/* Returns the tracks that were read. */
const PacoSoundTrack *paco_sounds_tracks (
    const PacoSounds *sounds, unsigned *n);
