/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the frames of encode, cut and join to a .paco file, and makes the frames'
 * places again, so that the file is what one run would have written; or, by way of
 * such a file, to an .mkv or .mov file, with sound. */
#pragma once
#include "input.h"
#include "output.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PacoRecording PacoRecording;

/* Checks that the name of a file is one of those that are written, by its ending:
 * .paco, .mkv, .mov, .mp4 or none. Other endings name other kinds of files. The error is
 * of the command line. */
bool paco_recording_check_name (const char *path, GError **error);
/* Opens a recording. sound is a WAV file, or NULL. Errors name the file. */
PacoRecording *paco_recording_open (const char *path, const char *sound,
    const PacoOutputRules *rules, GError **error);
/* Says how many files there will be if the recording is an archive, before the first
 * frame (paco_writer_set_files()); 0: unknown. */
void paco_recording_set_files (
    PacoRecording *recording, uint32_t n_files, uint32_t n_members);
/* Adds a frame, whose place is made again. */
bool paco_recording_add (
    PacoRecording *recording, const void *data, size_t size, GError **error);
/* Keeps the sound of frames that are copied, if the file can have sound; else returns
 * false. It is called before the first of them. */
bool paco_recording_keep_sound (PacoRecording *recording);
/* Adds a frame of another file. */
bool paco_recording_copy (PacoRecording *recording, const PacoInput *input,
    const PacoInputFrame *frame, GError **error);
uint64_t paco_recording_frames (const PacoRecording *recording);
/* If all is good, gives the file its name; else removes everything that was written. Frees
 * the recording, which may be NULL. Returns whether all is good. */
bool paco_recording_end (
    PacoRecording *recording, bool good, bool quiet, GError **error);
