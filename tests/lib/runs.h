/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes runs of an encoder, and files of them, for files.c and broken-files.c:
 * frames of random noise, and what one run writes into a file. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

/* This holds frames, one behind the other. */
typedef struct
{
  GByteArray *bytes;
  GArray *offsets; /* uint64_t: of each frame, and of the end */
} Run;

uint64_t offset_of (const Run *run, unsigned i);
unsigned n_frames_of (const Run *run);
size_t size_of (const Run *run, unsigned i);

/* Opens an encoder on the CPU. */
PacoFrameEncoder *new_encoder (void);
/* Encodes noise of any size, whose info is changed for that and the place behind it. */
void add_frame (Run *run, PacoFrameEncoder *encoder, PacoInfo *info);
/* Encodes n frames, 24 a second, with places or without. */
Run *new_run (unsigned n, bool places);
void run_free (Run *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Run, run_free)

/* Runs the tests that were added, in a folder of their own, which is removed with all
 * files in it. Returns main()'s status. */
int run_in_folder (void);
/* Returns the path of a file there. */
char *path_of (const char *name);
/* Writes such a file, and returns its path. */
char *save (const char *name, const void *data, size_t size);
void assert_file (const char *path, const void *data, size_t size);

void write_frames (
    PacoWriter *writer, const Run *run, unsigned from, unsigned to);
/* Fails unless it is frame i of the run. */
void check_frame (const PacoFrame *frame, const Run *run, unsigned i);
