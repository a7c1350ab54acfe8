/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads a WAV file of a folder and makes it again (sound.h); it also reads and
 * writes chunk 15. */
#include "tool/archive/sound.h"
#include "tool/archive/error.h"
#include "tool/archive/chunks.h"
#include "tool/archive/part.h"
#include "codec/bytes.h"
#include "codec/text.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum
{
  CHUNK_HEAD = 50, /* of chunk 15, before the name */
  MAX_CHUNK = 8192,
  MAX_AROUND = 1 << 20,
  BLOCK = 1 << 20,
  FORMAT_PCM = 1,
  FORMAT_FLOAT = 3,
  FORMAT_EXTENSIBLE = 0xfffe,
};

#define refuse(error, name, ...)                                               \
  paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, name, __VA_ARGS__)
#define damaged(error, name, ...)                                              \
  paco_archive_fail_file (error, PACO_ARCHIVE_SOUND_DAMAGED, name, __VA_ARGS__)

void
paco_sound_free (PacoSound *sound)
{
  if (!sound)
    return;
  g_free (sound->name);
  g_byte_array_unref (sound->around);
  g_free (sound);
}

/* --- reading a WAV file ----------------------------------------------------- */

static gboolean
read_at (int fd, guint64 at, guint8 *bytes, gsize size)
{
  return paco_io_read_at (fd, at, bytes, size) == size;
}

static gboolean
read_format (const guint8 *bytes, gsize size, PacoSound *sound, GError **error)
{
  guint format = paco_get16 (bytes), bits = paco_get16 (bytes + 14);

  if (format == FORMAT_EXTENSIBLE && size >= 26)
    format = paco_get16 (bytes + 24);
  sound->rate = paco_get32 (bytes + 4);
  sound->frame_bytes = paco_get16 (bytes + 12);
  sound->bits = bits;
  sound->is_float = format == FORMAT_FLOAT;
  if (sound->rate == 0 || sound->frame_bytes == 0
      || sound->frame_bytes != paco_get16 (bytes + 2) * bits / 8
      || !(format == FORMAT_PCM ? bits == 16 || bits == 24 || bits == 32
                                : format == FORMAT_FLOAT && bits == 32))
    return refuse (error, sound->name,
        "has sound of format %u and %u bits; carried are integers of 16, 24 "
        "and 32 bits, and floats of 32",
        format, bits);
  return TRUE;
}

static gboolean
read_chunks (int fd, PacoSound *sound, GError **error)
{
  guint64 at = 12, size64 = 0;
  guint8 head[8], body[40];

  while (sound->samples_at == 0 && at <= MAX_AROUND
      && read_at (fd, at, head, sizeof head)) {
    guint64 size = paco_get32 (head + 4);
    gsize n = MIN (size, sizeof body);

    at += sizeof head;
    if (memcmp (head, "data", 4) == 0) {
      sound->samples_at = at;
      sound->samples_size = size == G_MAXUINT32 && size64 ? size64 : size;
      continue;
    }
    if (memcmp (head, "ds64", 4) == 0 && size >= 16
        && read_at (fd, at, body, 16))
      size64 = paco_get64 (body + 8);
    if (memcmp (head, "fmt ", 4) == 0 && size >= 16 && read_at (fd, at, body, n)
        && !read_format (body, n, sound, error))
      return FALSE;
    at += size + (size & 1);
  }
  if (sound->samples_at == 0 && at > MAX_AROUND && at < sound->size)
    return refuse (error, sound->name,
        "has more than a MiB before its samples, which frames could not keep");
  if (sound->samples_at == 0 || sound->frame_bytes == 0)
    return refuse (error, sound->name,
        "is no whole WAV file: it does not say where its samples are");
  if (sound->samples_size == 0 || sound->samples_at > sound->size
      || sound->samples_size > sound->size - sound->samples_at
      || sound->samples_size % sound->frame_bytes != 0)
    return refuse (error, sound->name,
        "says that it has %" G_GUINT64_FORMAT
        " bytes of samples, which are no whole ones, or not there",
        sound->samples_size);
  return TRUE;
}

static gboolean
read_around (int fd, PacoSound *sound, GError **error)
{
  guint64 end = sound->samples_at + sound->samples_size;
  guint64 behind = sound->size - end;
  guint before = (guint) sound->samples_at;

  if (sound->samples_at + behind > MAX_AROUND)
    return refuse (error, sound->name,
        "has too much besides its samples, which frames could not keep");
  g_byte_array_set_size (sound->around, before + (guint) behind);
  return (read_at (fd, 0, sound->around->data, before)
             && read_at (fd, end, sound->around->data + before, behind))
      || refuse (error, sound->name, "cannot be read");
}

static gboolean
sum_up (int fd, PacoSound *sound, GError **error)
{
  PacoRunningChecksum *running = paco_running_checksum_new (FALSE);
  PacoChecksums checksums;
  g_autofree guint8 *block = g_malloc (BLOCK);
  gboolean good = TRUE;

  for (guint64 at = 0; at < sound->size && good; at += BLOCK) {
    gsize n = MIN (BLOCK, sound->size - at);

    good = read_at (fd, at, block, n);
    if (good)
      paco_running_checksum_add (running, block, n);
  }
  paco_running_checksum_end (running, &checksums);
  memcpy (sound->xxh3, checksums.xxh3, sizeof sound->xxh3);
  return good
      || refuse (error, sound->name, "cannot be read: %s", g_strerror (errno));
}

PacoSound *
paco_sound_read (const char *folder, const char *name, GError **error)
{
  PacoSound *sound = g_new0 (PacoSound, 1);
  g_autofree char *path = g_strconcat (folder, "/", name, NULL);
  int fd = paco_open_input (path, NULL);
  struct stat status;
  gboolean good;

  sound->name = g_strdup (name);
  sound->around = g_byte_array_new ();
  good = (fd >= 0 && fstat (fd, &status) == 0)
      || refuse (error, path, "cannot be read: %s", g_strerror (errno));
  if (good)
    sound->size = (guint64) status.st_size;
  good = good && read_chunks (fd, sound, error)
      && read_around (fd, sound, error) && sum_up (fd, sound, error);
  if (fd >= 0)
    close (fd);
  if (good)
    return sound;
  paco_sound_free (sound);
  return NULL;
}

gboolean
paco_sound_check_length (const PacoSound *sound, guint64 n_frames,
    guint32 fps_n, guint32 fps_d, GError **error)
{
  gdouble lasts = (gdouble) (sound->samples_size / sound->frame_bytes)
      / sound->rate;
  gdouble frame;

  if (fps_n == 0 || fps_d == 0)
    return refuse (error, sound->name,
        "cannot go with pictures whose files do not say how many there are in "
        "a second; --fps says it");
  frame = (gdouble) fps_d / fps_n;
  if (ABS (lasts - (gdouble) n_frames * frame) <= frame)
    return TRUE;
  return refuse (error, sound->name,
      "lasts %.3f s, and %" G_GUINT64_FORMAT " %s at %u/%u a second %s %.3f s",
      lasts, n_frames, paco_text_plural (n_frames, "picture", "pictures"),
      fps_n, fps_d, paco_text_plural (n_frames, "lasts", "last"),
      (gdouble) n_frames * frame);
}

/* --- chunk 15 ---------------------------------------------------------------- */

void
paco_sound_append_head (const PacoSound *sound, GByteArray *bytes)
{
  gsize length = strlen (sound->name);
  guint8 head[CHUNK_HEAD] = { 0 };

  paco_put64 (head, sound->size);
  paco_put64 (head + 8, sound->samples_at);
  paco_put64 (head + 16, sound->samples_size);
  memcpy (head + 24, sound->xxh3, PACO_CHECKSUM_SIZE);
  paco_put16 (head + 48, (guint16) length);
  g_byte_array_append (bytes, head, sizeof head);
  g_byte_array_append (bytes, (const guint8 *) sound->name, (guint) length);
}

GByteArray *
paco_sound_write_chunk (const PacoSound *sound, GError **error)
{
  uLongf size = compressBound (sound->around->len);
  GByteArray *chunk = g_byte_array_new ();
  guint at;

  paco_sound_append_head (sound, chunk);
  at = chunk->len;
  g_byte_array_set_size (chunk, at + (guint) size);
  if (compress2 (
          chunk->data + at, &size, sound->around->data, sound->around->len, 9)
      != Z_OK)
    g_error ("zlib has no memory for %u bytes", sound->around->len);
  g_byte_array_set_size (chunk, at + (guint) size);
  if (chunk->len <= MAX_CHUNK)
    return chunk;
  refuse (error, sound->name,
      "has too much besides its samples: compressed %lu bytes, and frames keep "
      "%d",
      (unsigned long) size, MAX_CHUNK - (int) at);
  g_byte_array_unref (chunk);
  return NULL;
}

PacoSound *
paco_sound_read_head (
    const guint8 *bytes, gsize size, gsize *head, GError **error)
{
  gsize length = size >= CHUNK_HEAD ? paco_get16 (bytes + 48) : 0;
  const char *name = (const char *) bytes + CHUNK_HEAD;
  PacoSound *sound;
  guint64 around;

  if (size < CHUNK_HEAD || length > size - CHUNK_HEAD
      || paco_get64 (bytes + 40) != 0 || !paco_kept_name_is_good (name, length)
      || memchr (name, '/', length)
      || paco_get64 (bytes + 8) > paco_get64 (bytes)
      || paco_get64 (bytes + 16) > paco_get64 (bytes) - paco_get64 (bytes + 8)
      || (around = paco_get64 (bytes) - paco_get64 (bytes + 16)) > MAX_AROUND) {
    damaged (error, "chunk 15 or 18,",
        "which keeps what a file of sound has besides samples, is broken");
    return NULL;
  }
  sound = g_new0 (PacoSound, 1);
  sound->name = g_strndup (name, length);
  sound->size = paco_get64 (bytes);
  sound->samples_at = paco_get64 (bytes + 8);
  sound->samples_size = paco_get64 (bytes + 16);
  memcpy (sound->xxh3, bytes + 24, PACO_CHECKSUM_SIZE);
  sound->around = g_byte_array_new ();
  g_byte_array_set_size (sound->around, (guint) around);
  *head = CHUNK_HEAD + length;
  return sound;
}

PacoSound *
paco_sound_read_chunk (const guint8 *bytes, gsize size, GError **error)
{
  gsize head;
  PacoSound *sound = paco_sound_read_head (bytes, size, &head, error);
  uLongf got;

  if (!sound)
    return NULL;
  got = sound->around->len;
  if (uncompress (sound->around->data, &got, bytes + head, size - head) == Z_OK
      && got == sound->around->len)
    return sound;
  damaged (error, sound->name,
      "cannot be made again: chunk 15, which keeps its header, is broken");
  paco_sound_free (sound);
  return NULL;
}

/* --- making it again ----------------------------------------------------------- */

struct PacoSoundMaker
{
  const PacoSound *sound;
  char *path, *temporary; /* NULL: nothing is written */
  int fd;
  guint64 samples; /* bytes so far */
  PacoRunningChecksum *running;
};

static gboolean
put (PacoSoundMaker *maker, const guint8 *bytes, gsize size, GError **error)
{
  struct iovec part = { (void *) bytes, size };

  paco_running_checksum_add (maker->running, bytes, size);
  return maker->fd < 0 || paco_io_write_next (maker->fd, &part, 1, NULL)
      || refuse (
          error, maker->path, "cannot be written: %s", paco_io_why (errno));
}

PacoSoundMaker *
paco_sound_maker_new (
    const PacoSound *sound, const char *folder, GError **error)
{
  PacoSoundMaker *maker = g_new0 (PacoSoundMaker, 1);

  maker->sound = sound;
  maker->fd = -1;
  maker->running = paco_running_checksum_new (FALSE);
  if (folder) {
    maker->path = g_strconcat (folder, "/", sound->name, NULL);
    maker->fd = paco_part_open_restoring (
        AT_FDCWD, maker->path, &maker->temporary);
    if (maker->fd < 0) {
      refuse (error, maker->path, "cannot be written: %s", paco_io_why (errno));
      paco_sound_maker_abandon (maker);
      return NULL;
    }
  }
  if (put (maker, sound->around->data, sound->samples_at, error))
    return maker;
  paco_sound_maker_abandon (maker);
  return NULL;
}

gboolean
paco_sound_maker_add (
    PacoSoundMaker *maker, const guint8 *samples, gsize size, GError **error)
{
  if (size > maker->sound->samples_size - maker->samples)
    return damaged (error, maker->sound->name,
        "cannot be made again: there are more samples than it had");
  maker->samples += size;
  return put (maker, samples, size, error);
}

void
paco_sound_maker_abandon (PacoSoundMaker *maker)
{
  if (!maker)
    return;
  if (maker->temporary)
    unlink (maker->temporary);
  if (maker->fd >= 0)
    close (maker->fd);
  if (maker->running)
    paco_running_checksum_end (maker->running, NULL);
  g_free (maker->path);
  g_free (maker->temporary);
  g_free (maker);
}

static gboolean
is_there (const PacoSoundMaker *maker)
{
  PacoSound there = { .name = maker->sound->name, .size = maker->sound->size };
  int fd = open (maker->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  gboolean same = fd >= 0 && fstat (fd, &status) == 0
      && S_ISREG (status.st_mode) && (guint64) status.st_size == there.size
      && sum_up (fd, &there, NULL)
      && memcmp (there.xxh3, maker->sound->xxh3, sizeof there.xxh3) == 0;

  if (fd >= 0)
    close (fd);
  return same;
}

/* Gives the file its name, unless it is there already and the same. */
static gboolean
give_name (PacoSoundMaker *maker, GError **error)
{
  GError *failure = NULL;

  if (paco_part_rename (maker->temporary, maker->path, &failure)) {
    g_clear_pointer (&maker->temporary, g_free);
    return TRUE;
  }
  if (g_error_matches (failure, PACO_ARCHIVE_ERROR, PACO_ARCHIVE_EXISTS)
      && is_there (maker)) {
    g_error_free (failure);
    return TRUE;
  }
  g_propagate_error (error, failure);
  return FALSE;
}

gboolean
paco_sound_maker_end (PacoSoundMaker *maker, GError **error)
{
  const PacoSound *sound = maker->sound;
  PacoChecksums checksums;
  gboolean good = put (maker, sound->around->data + sound->samples_at,
      sound->around->len - sound->samples_at, error);

  paco_running_checksum_end (g_steal_pointer (&maker->running), &checksums);
  if (good
      && (maker->samples != sound->samples_size
          || memcmp (checksums.xxh3, sound->xxh3, sizeof sound->xxh3) != 0))
    good = damaged (error, sound->name,
        "cannot be made again: the samples are not those it had");
  if (good && maker->fd >= 0)
    good = fsync (maker->fd) == 0
        || refuse (
            error, maker->path, "cannot be written: %s", paco_io_why (errno));
  good = good && (!maker->path || give_name (maker, error));
  paco_sound_maker_abandon (maker);
  return good;
}
