/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes MKV and MOV files of a .paco file and sound with GStreamer, and reads the
 * sound that is in them. recording.c and the archive's commands call this. In a
 * program without GStreamer, every function fails and says so. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Says whether a file of that name is a container: by its extension, .mkv, .mov or
 * .mp4. */
bool paco_mux_takes (const char *path);
/* Checks, before the work begins, whether paco_mux_file() can do it. sound is a
 * WAV file, or NULL. */
bool paco_mux_check (const char *path, const char *sound, GError **error);
/* Puts the frames of the .paco file `part` and the sound into a container, of the
 * kind that the name `path` says, which is written under the name `temporary`.
 * Frames and samples are not changed. The caller checks what was written, with
 * paco_mux_check_count() or frame by frame, because muxers leave out frames that they
 * cannot place in time, without an error. */
bool paco_mux_file (const char *part, const char *sound, const char *path,
    const char *temporary, bool quiet, GError **error);
/* Reads a container and checks that it has n_frames frames. Errors call it `path`. */
bool paco_mux_check_count (
    const char *temporary, const char *path, uint64_t n_frames, GError **error);

/* Gets samples of sound as the file has them. */
typedef bool (*PacoSoundFunction) (
    void *user, const void *samples, size_t size, GError **error);
/* Reads the sound of a container. Returns FALSE and an error, also if there is
 * none. */
bool paco_mux_read_sound (
    const char *path, PacoSoundFunction function, void *user, GError **error);
