/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the WAV files of a folder, which a MOV or MKV file carries beside the
 * pictures: their samples are tracks of the container, all else is kept by the frames
 * (FORMAT.md 3.1, chunks 15 and 18), so that the files can be made again. archive_sound.c
 * reads them; the tool's commands write them. */
#pragma once
#include "tool/archive/checksum.h"
#include "tool/archive/error.h"
#include <glib.h>

#define PACO_CHUNK_SOUND_FILE 15
#define PACO_CHUNK_FURTHER_SOUND 18
#define PACO_MAX_SOUNDS 64

typedef struct
{
  char *name; /* in the folder */
  guint64 size;
  guint64 samples_at,
      samples_size;          /* bytes: where they begin, how many they are */
  guint32 rate, frame_bytes; /* a second; bytes of one sample of all channels */
  guint bits;
  gboolean is_float;
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
/* Reads what a chunk says; rate, frame_bytes and bits are 0 then. Returns NULL and an
 * error: SOUND_DAMAGED. */
PacoSound *paco_sound_read_chunk (
    const guint8 *bytes, gsize size, GError **error);

/* Returns the bytes of chunk 18, of all sounds but the first one; none if there are no
 * others. Error if they are more than 12 KiB. */
GByteArray *paco_sound_write_further (const GPtrArray *sounds, GError **error);
/* Reads what such a chunk says, and adds it to the sounds. Returns FALSE and an error:
 * SOUND_DAMAGED; some may have been added then. */
gboolean paco_sound_read_further (
    const guint8 *bytes, gsize size, GPtrArray *sounds, GError **error);

/* These write and read what both chunks begin with for a file, name and all. *head becomes
 * how many bytes it has; `around` has its size then, and any bytes. */
void paco_sound_append_head (const PacoSound *sound, GByteArray *bytes);
PacoSound *paco_sound_read_head (
    const guint8 *bytes, gsize size, gsize *head, GError **error);

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
