/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the frames of encode, cut and join to a .paco file, and makes the frames'
 * places anew, so that the file is what one run would have written; or, by way of
 * such a file, to an .mkv or .mov file, with sound. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PacoRecording PacoRecording;

/* Opens a recording. sound is a WAV file, or NULL. Errors name the file. */
PacoRecording *paco_recording_open (
    const char *path, const char *sound, bool force, GError **error);
/* Adds a frame, whose place is made anew. */
bool paco_recording_add (
    PacoRecording *recording, const void *data, size_t size, GError **error);
uint64_t paco_recording_frames (const PacoRecording *recording);
/* Gives the file its name, and frees the recording in any case. */
bool paco_recording_close (
    PacoRecording *recording, bool quiet, GError **error);
/* Removes everything that was written. NULL is allowed. */
void paco_recording_abandon (PacoRecording *recording);
