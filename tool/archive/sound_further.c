/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads chunk 18: what frames keep of all WAV files of a folder but the first
 * one, which chunk 15 has (sound.h). */
#include "tool/archive/sound.h"
#include "codec/bytes.h"
#include <string.h>
#include <zlib.h>

enum
{
  HEAD = 8,
  MAX_CHUNK = 12288,
  /* No zlib stream is this many times smaller than its plain bytes. */
  MAX_RATIO = 1033,
};

GByteArray *
paco_sound_write_further (const GPtrArray *sounds, GError **error)
{
  g_autoptr (GByteArray) plain = g_byte_array_new ();
  GByteArray *chunk = g_byte_array_new ();
  uLongf size;

  if (sounds->len < 2)
    return chunk;
  for (guint i = 1; i < sounds->len; i++) {
    const PacoSound *sound = sounds->pdata[i];

    paco_sound_append_head (sound, plain);
    g_byte_array_append (plain, sound->around->data, sound->around->len);
  }
  size = compressBound (plain->len);
  g_byte_array_set_size (chunk, HEAD + (guint) size);
  memset (chunk->data, 0, HEAD);
  paco_put16 (chunk->data, (guint16) (sounds->len - 1));
  paco_put32 (chunk->data + 4, plain->len);
  if (compress2 (chunk->data + HEAD, &size, plain->data, plain->len, 9) != Z_OK)
    g_error ("zlib has no memory for %u bytes", plain->len);
  g_byte_array_set_size (chunk, HEAD + (guint) size);
  if (chunk->len <= MAX_CHUNK)
    return chunk;
  paco_archive_fail_file (error, PACO_ARCHIVE_FAILED,
      ((const PacoSound *) sounds->pdata[sounds->len - 1])->name,
      "has too much besides its samples: with that of other sound it takes %u "
      "bytes, and frames keep %d",
      chunk->len, MAX_CHUNK);
  g_byte_array_unref (chunk);
  return NULL;
}

static gboolean
broken (GError **error)
{
  return paco_archive_fail_file (error, PACO_ARCHIVE_SOUND_DAMAGED, "chunk 18,",
      "which keeps what further files of sound have besides samples, is "
      "broken");
}

/* Reads n files out of the plain bytes, which have no others. */
static gboolean
read_plain (const GByteArray *plain, guint n, GPtrArray *sounds, GError **error)
{
  const guint8 *at = plain->data;
  gsize left = plain->len;

  for (; n > 0; n--) {
    gsize head;
    PacoSound *sound = paco_sound_read_head (at, left, &head, error);

    if (!sound)
      return FALSE;
    g_ptr_array_add (sounds, sound);
    if (sound->around->len > left - head)
      return broken (error);
    memcpy (sound->around->data, at + head, sound->around->len);
    at += head + sound->around->len;
    left -= head + sound->around->len;
  }
  return left == 0 || broken (error);
}

gboolean
paco_sound_read_further (
    const guint8 *bytes, gsize size, GPtrArray *sounds, GError **error)
{
  g_autoptr (GByteArray) plain = g_byte_array_new ();
  uLongf got;

  if (size < HEAD || paco_get16 (bytes + 2) != 0
      || paco_get16 (bytes) > PACO_MAX_SOUNDS - 1
      || paco_get32 (bytes + 4) > size * MAX_RATIO)
    return broken (error);
  got = paco_get32 (bytes + 4);
  g_byte_array_set_size (plain, (guint) got);
  if (uncompress (plain->data, &got, bytes + HEAD, size - HEAD) != Z_OK
      || got != plain->len)
    return broken (error);
  return read_plain (plain, paco_get16 (bytes), sounds, error);
}
