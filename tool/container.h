/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames of MOV, MP4 and Matroska files, which GStreamer takes apart: its demuxer, and
 * pacoparse behind it. input.c calls this; built without GStreamer, opening says so. */
#pragma once
#include "input.h"

typedef struct PacoContainer PacoContainer;

/* kind: "MOV", "MP4" or "Matroska". */
PacoContainer *paco_container_open (
    const char *path, const char *kind, GError **error);
void paco_container_close (PacoContainer *container);
PacoInputResult paco_container_next (
    PacoContainer *container, PacoInputFrame *frame, GError **error);
void paco_container_release (PacoInputFrame *frame);
/* Frames, as far as duration and rate say; 0: they do not. The first frame is read
 * for it. */
uint64_t paco_container_count (PacoContainer *container);
/* Goes to that frame, or before, maybe to the first one. */
bool paco_container_seek (
    PacoContainer *container, uint64_t number, GError **error);
