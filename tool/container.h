/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads frames of MOV, MP4 and Matroska files, which GStreamer takes apart with its
 * demuxer, and pacoparse behind it. input.c calls this. In a program without
 * GStreamer opening fails and says so. */
#pragma once
#include "input.h"

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
 * freed, or NULL if there are none. A frame must have been read. */
char *paco_container_other_tracks (const PacoContainer *container);
/* Goes to that frame, or before, maybe to the first one. */
bool paco_container_seek (
    PacoContainer *container, uint64_t number, GError **error);
