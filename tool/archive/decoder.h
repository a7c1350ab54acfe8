/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The reference decoder's source and FORMAT.md as members of an archive, so that whoever
 * has the archive has a decoder of it. embed.py puts them into the program. */
#pragma once
#include "tool/archive/folder.h"

/* A file that the program has in itself, as a zlib stream. */
typedef struct
{
  const char *name;
  guint size; /* bytes of the file */
  const guint8 *packed;
  guint packed_size;
} PacoDecoderFile;

extern const PacoDecoderFile paco_decoder_files[];
extern const guint paco_n_decoder_files;

/* Adds them to the members of a folder that was sorted out. One that the folder has under
 * the same name stays in its place. */
gboolean paco_decoder_add (PacoFolder *folder, GError **error);
