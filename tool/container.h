/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads frames of MOV, MP4 and Matroska files, which GStreamer takes apart with its
 * demuxer, and pacoparse behind it. input.c calls this. In a program without
 * GStreamer opening fails and says so. */
#pragma once
#include "input.h"
#include "sounds.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PacoContainer PacoContainer;

/* Opens a file; kind is "MOV", "MP4" or "Matroska". */
PacoContainer *paco_container_open (
    const char *path, const char *kind, GError **error);
void paco_container_close (PacoContainer *container);
PacoInputResult paco_container_next (
    PacoContainer *container, PacoInputFrame *frame, GError **error);
void paco_container_release (PacoInputFrame *frame);
/* Returns how many frames duration and rate say that there are, or 0 if they do
 * not. Reads the first frame for that. */
uint64_t paco_container_count (PacoContainer *container);
/* Returns what tracks the file has besides the frames, as "sound (audio/x-raw)", to be
 * freed, or NULL if there are none; those of raw samples are not named with has_sound. A
 * frame must have been read. */
char *paco_container_other_tracks (
    const PacoContainer *container, bool has_sound);
/* Goes to that frame, or before, maybe to the first one. */
bool paco_container_seek (
    PacoContainer *container, uint64_t number, GError **error);

/* Says whether a file of that name is a container: by its extension, .mkv, .mov or
 * .mp4. */
bool paco_mux_takes (const char *path);
/* Says whether it is one of Matroska. */
bool paco_mux_is_matroska (const char *path);
/* Checks, before the work begins, whether paco_mux_file() can do it. sound is a
 * WAV file, or NULL. */
bool paco_mux_check (const char *path, const char *sound, GError **error);
/* Says whether files of that name can have samples of sound; MP4 files cannot. */
bool paco_mux_has_sound (const char *path);
/* Says whether a file of that name can have sound of these caps, a GstCaps. */
bool paco_mux_takes_sound (const char *path, const void *caps, GError **error);
/* Puts the frames of the .paco file `part` and the sound into a container, of the
 * kind that the name `path` says, which is written under the name `temporary`.
 * Frames and samples are not changed. The caller checks what was written, with
 * paco_mux_check_count() or frame by frame, because muxers leave out frames that they
 * cannot place in time, without an error. */
bool paco_mux_file (const char *part, const char *sound, const char *path,
    const char *temporary, bool quiet, GError **error);
/* Says whether files of the name `path` can have such a track. Errors are what goes after
 * the name of the file of sound. */
bool paco_mux_takes_track (
    const char *path, const PacoSoundTrack *track, GError **error);
/* Does the same as paco_mux_file() with tracks of sound. */
bool paco_mux_tracks (const char *part, const PacoSoundTrack *tracks,
    unsigned n, const char *path, const char *temporary, bool quiet,
    GError **error);
/* Reads a container and checks that it has n_frames frames. Errors call it `path`. */
bool paco_mux_check_count (
    const char *temporary, const char *path, uint64_t n_frames, GError **error);

/* Gets samples of a track of sound, counted from 0, as the file has them. */
typedef bool (*PacoSoundFunction) (void *user, unsigned track,
    const void *samples, size_t size, GError **error);
/* Reads the first n tracks of sound of a container, in one pass; the function is called in
 * another thread. Returns FALSE and an error, also if there are fewer. */
bool paco_mux_read_sound (const char *path, unsigned n,
    PacoSoundFunction function, void *user, GError **error);

/* Returns a sentence if the file, of which fd is open, does not end with a whole box or
 * element, to be freed, or NULL; kind is "MOV", "MP4" or "Matroska". *damaged says that
 * it was finished and has been cut. A recording that was never finished may end
 * anywhere: it is not damaged. */
char *paco_container_end (int fd, const char *kind, bool *damaged);
