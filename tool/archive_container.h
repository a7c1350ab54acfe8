/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes and reads archives in MKV and MOV files: archive.c makes them of the .paco
 * file that it has written, and restore.c gets at their sound. */
#pragma once
#include "tool/archive/archive.h"
#include "mux.h"

typedef struct
{
  const char *folder, *out; /* of the archive's command line */
  bool verify, quiet;
} PacoArchiveContainer;

/* Is PacoArchiveOptions.convert: the container gets the frames of `from` and the
 * sound. With verify, both are read again and compared; else frames are counted. */
gboolean paco_archive_container_make (const PacoArchiveContainer *container,
    const char *from, guint64 n_frames, const PacoSound *sound, const char *to,
    GError **error);

/* Is PacoRestoreOptions.sound: gives what the container has to the maker. */
gboolean paco_archive_container_sound (
    const char *path, PacoSoundMaker *maker, GError **error);
