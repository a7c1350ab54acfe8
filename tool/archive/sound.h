/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the WAV file of a folder, which a MOV or MKV file carries beside the
 * pictures: its samples are the container's, all else is kept by the frames
 * (FORMAT.md 3.1, chunk 15), so that the file can be made again. archive.c reads it;
 * the tool's commands write it. */
#pragma once
#include "tool/archive/checksum.h"
#include "tool/archive/error.h"
#include <glib.h>

#define PACO_CHUNK_SOUND_FILE 15

typedef struct
{
  char *name; /* in the folder */
  guint64 size;
  guint64 samples_at,
      samples_size;          /* bytes: where they begin, how many they are */
  guint32 rate, frame_bytes; /* a second; bytes of one sample of all channels */
  guint8 xxh3[PACO_CHECKSUM_SIZE]; /* of the file */
  GByteArray *around; /* the bytes before the samples, and those behind */
} PacoSound;

/* Reads the file `name` of the folder. It must have PCM of 16, 24 or 32 bits or floats
 * of 32. Errors are sentences that begin with the name. NULL and an error. */
PacoSound *paco_sound_read (
    const char *folder, const char *name, GError **error);
void paco_sound_free (PacoSound *sound); /* or NULL */

/* Returns TRUE if the sound lasts as long as n_frames frames, within one frame. */
gboolean paco_sound_check_length (const PacoSound *sound, guint64 n_frames,
    guint32 fps_n, guint32 fps_d, GError **error);

/* Returns the chunk's bytes. Error if they are more than 8 KiB. */
GByteArray *paco_sound_write_chunk (const PacoSound *sound, GError **error);
/* Reads what a chunk says; rate and frame_bytes are 0 then. Returns NULL and an
 * error: SOUND_DAMAGED. */
PacoSound *paco_sound_read_chunk (
    const guint8 *bytes, gsize size, GError **error);

/* Makes the file again, or compares what would be made. Samples come in pieces. */
typedef struct PacoSoundMaker PacoSoundMaker;
/* Begins to make the file in the folder, unless the same file is there. If folder
 * is NULL, nothing is written. */
PacoSoundMaker *paco_sound_maker_new (
    const PacoSound *sound, const char *folder, GError **error);
gboolean paco_sound_maker_add (
    PacoSoundMaker *maker, const guint8 *samples, gsize size, GError **error);
/* Frees the maker. Returns TRUE if the file is the one that it was. */
gboolean paco_sound_maker_end (PacoSoundMaker *maker, GError **error);
/* Frees the maker, and leaves nothing behind. */
void paco_sound_maker_abandon (PacoSoundMaker *maker);
