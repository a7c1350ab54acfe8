/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what the commands archive and restore have in common: ranges, coders,
 * exit codes. */
#pragma once
#include "tool/archive/archive.h"
#include "tool.h"
#include "container.h"

/* What the command line says of coders. */
typedef struct
{
  char *backend, *devices;
  int threads, helpers;
} PacoCommandCoderOptions;

/* Entries of the command line that fill it; helpers_text says what that many
 * threads do. */
#define PACO_COMMAND_CODER_OPTIONS(options, helpers_text)                      \
  PACO_TEXT ("backend", &(options).backend,                                    \
      "auto (a GPU if there is one), cpu or cuda", "NAME"),                    \
      PACO_TEXT ("gpus", &(options).devices,                                   \
          "GPUs to which frames go in turn, as 0,1 or all", "LIST"),           \
      PACO_NUMBER ("threads", &(options).threads,                              \
          "Threads that code on the CPU; 0: as many as may run", "N"),         \
      PACO_NUMBER ("helpers", &(options).helpers,                              \
          helpers_text "; 0: by the number of cores", "N")

/* The same as settings. It must stay where it is while these are used. */
typedef struct
{
  char threads[16];
  const char *pairs[8];
} PacoCommandCoders;

gboolean paco_command_read_coders (const PacoCommandCoderOptions *options,
    PacoCommandCoders *coders, GError **error);

/* What the command line of restore says. */
typedef struct
{
  char *frames, *report;
  PacoCommandCoderOptions coders;
  gboolean md5, quiet;
  gint64 max_pixels, max_file, max_ratio, memory; /* 0: the default */
} PacoRestoreCommand;

/* Makes the files of an archive in the folder, or, if that is NULL, checks them.
 * Returns a PacoExit. */
int paco_restore_command (
    const PacoRestoreCommand *given, const char *from, const char *folder);

/* Reads --frames, as input.h has it; text may be NULL. */
gboolean paco_command_read_range (const char *text, gboolean *has_range,
    guint64 *first, guint64 *last, GError **error);

/* Says what was wrong, and returns the exit code that goes with it. Takes
 * ownership of the error. */
int paco_command_fail (GError *error);

typedef struct
{
  const char *folder, *out; /* of the archive's command line */
  bool verify, quiet;
} PacoArchiveContainer;

/* Is PacoArchiveOptions.convert: the container gets the frames of `from` and the
 * sounds, or none if that is NULL. With verify, both are read again and compared; else
 * frames are counted. */
gboolean paco_archive_container_make (const PacoArchiveContainer *container,
    const char *from, guint64 n_frames, const GPtrArray *sounds, const char *to,
    GError **error);

/* Says where the samples of a WAV file at path are; format is to be freed. */
PacoSoundTrack paco_archive_sound_track (
    const PacoSound *sound, const char *path);

/* Is PacoRestoreOptions.sound: gives what the container has to the makers. */
gboolean paco_archive_container_sound (
    const char *path, PacoSoundMaker *const *makers, guint n, GError **error);
