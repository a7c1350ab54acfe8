/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What encode, cut and join write frames to: a .paco file with the frames' places made
 * anew, so that it is what one run would have written; or, by way of one, an .mkv or
 * .mov file, with sound. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PacoRecording PacoRecording;

/* sound: a WAV file, or NULL. Errors name the file. */
PacoRecording *paco_recording_open (
    const char *path, const char *sound, bool force, GError **error);
/* Adds a frame, whose place is made anew. */
bool paco_recording_add (
    PacoRecording *recording, const void *data, size_t size, GError **error);
uint64_t paco_recording_frames (const PacoRecording *recording);
/* Gives the file its name; in any case the recording is freed. */
bool paco_recording_close (
    PacoRecording *recording, bool quiet, GError **error);
/* Removes all of it. NULL is allowed. */
void paco_recording_abandon (PacoRecording *recording);
