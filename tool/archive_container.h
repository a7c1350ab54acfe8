/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Archives in MKV and MOV files: how archive.c makes them of the .paco file that it has
 * written, and how restore.c gets at their sound. */
#pragma once
#include "archive/archive.h"
#include "mux.h"

typedef struct
{
  const char *folder, *out; /* of the archive's command line */
  bool verify, quiet;
} PacoArchiveContainer;

/* PacoArchiveOptions.convert: the container has the frames of `from` and the sound; with
 * verify both are read again and compared. */
gboolean paco_archive_container_make (const PacoArchiveContainer *container,
    const char *from, const PacoSound *sound, const char *to, GError **error);

/* PacoRestoreOptions.sound: gives what the container has to the maker. */
gboolean paco_archive_container_sound (
    const char *path, PacoSoundMaker *maker, GError **error);
