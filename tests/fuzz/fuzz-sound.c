/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes a WAV file of a folder that is archived (tool/archive/sound.h), and chunks 15
 * and 18, which keep what such files have besides their samples. A file that is read
 * comes back from its chunk and its samples; anything may stand in a chunk.
 * The first byte says which of these the others are. */
#include "tool/archive/sound.h"
#include "codec/bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sandbox.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Makes the file of what is kept and of samples, which are given in pieces. */
static gboolean
make_again (const PacoSound *sound, const uint8_t *samples, size_t size,
    size_t piece, GError **error)
{
  PacoSoundMaker *maker = paco_sound_maker_new (sound, NULL, error);
  gboolean good = maker != NULL;

  for (size_t at = 0; good && at < size; at += piece)
    good = paco_sound_maker_add (
        maker, samples + at, MIN (piece, size - at), error);
  if (good)
    return paco_sound_maker_end (maker, error);
  paco_sound_maker_abandon (maker);
  return FALSE;
}

static void
check_chunk (const PacoSound *sound, const uint8_t *data)
{
  GError *error = NULL;
  g_autoptr (GByteArray) chunk = paco_sound_write_chunk (sound, &error);
  PacoSound *again;

  if (!chunk) {
    fuzz_check_error (&error);
    return;
  }
  again = paco_sound_read_chunk (chunk->data, chunk->len, &error);
  if (!again)
    fuzz_give_up ("what was kept cannot be read", error->message);
  if (strcmp (again->name, sound->name) != 0 || again->size != sound->size
      || again->samples_at != sound->samples_at
      || again->samples_size != sound->samples_size)
    fuzz_give_up ("sound", "what was kept is something else");
  if (!make_again (again, data + sound->samples_at, sound->samples_size,
          1 + sound->samples_size / 3, &error))
    fuzz_give_up ("the file does not come back", error->message);
  if (make_again (again, data + sound->samples_at, sound->samples_size - 1,
          sound->samples_size, &error))
    fuzz_give_up ("sound", "a sample is missing, and nobody has seen it");
  fuzz_check_error (&error);
  paco_sound_free (again);
}

static void
try_file (const uint8_t *data, size_t size)
{
  int fd = memfd_create ("wav", MFD_CLOEXEC);
  char name[16];
  GError *error = NULL;
  PacoSound *sound;

  if (fd < 0 || write (fd, data, size) != (ssize_t) size)
    fuzz_give_up ("memfd", "it does not take the file");
  g_snprintf (name, sizeof name, "%d", fd);
  sound = paco_sound_read ("/proc/self/fd", name, &error);
  if (!sound)
    fuzz_check_error (&error);
  else {
    check_chunk (sound, data);
    if (!paco_sound_check_length (sound, size % 99, size % 61, 1, &error))
      fuzz_check_error (&error);
    paco_sound_free (sound);
  }
  close (fd);
}

static void
try_chunk (const uint8_t *data, size_t size)
{
  static const uint8_t silence[4096];
  GError *error = NULL;
  PacoSound *sound = paco_sound_read_chunk (data, size, &error);

  if (sound
      && make_again (sound, silence,
          (size_t) MIN (sound->samples_size, sizeof silence), 1000, &error))
    paco_sound_free (sound);
  else {
    fuzz_check_error (&error);
    paco_sound_free (sound);
  }
}

static void
try_further (const uint8_t *data, size_t size)
{
  g_autoptr (GPtrArray) sounds = g_ptr_array_new_with_free_func (
      (GDestroyNotify) paco_sound_free);
  GError *error = NULL;
  g_autoptr (GByteArray) chunk = NULL;

  if (!paco_sound_read_further (data, size, sounds, &error)) {
    fuzz_check_error (&error);
    return;
  }
  chunk = paco_sound_write_further (sounds, &error);
  if (!chunk)
    fuzz_check_error (&error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree uint8_t *copy = NULL;

  if (size < 2)
    return 0;
  /* This memory has exactly this size, so that a read beyond it is seen. */
  copy = g_memdup2 (data + 1, size - 1);
  if (data[0] % 4 == 0)
    try_chunk (copy, size - 1);
  else if (data[0] % 8 == 5)
    try_further (copy, size - 1);
  else
    try_file (copy, size - 1);
  return 0;
}
