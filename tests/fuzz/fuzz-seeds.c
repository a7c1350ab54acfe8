/* SPDX-License-Identifier: LGPL-2.1-or-later
 * fuzz-seeds FOLDER FILE...: writes the corpus that the targets begin with: the
 * frames of the files (golden streams) and frames of every kind, each a file of
 * FOLDER/frames, streams of several of them, and whole stacks, as the elements' targets
 * take them, in FOLDER/streams, frames behind what is done to them, in FOLDER/prefixed,
 * and DPX files, in FOLDER/files. run.sh calls it. */
#include "codec/header.h"
#include "tests/archive/dpx-writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAME 20000 /* bytes; smaller inputs are tried more often */
#define N_STREAMS 24
#define N_DPX 40

static void
write_file (const char *folder, const char *kind, unsigned number,
    const GByteArray *bytes)
{
  g_autofree char *name = g_strdup_printf ("%s/%s/%03u", folder, kind, number);
  GError *error = NULL;

  if (!g_file_set_contents (name, (char *) bytes->data, bytes->len, &error)) {
    fprintf (stderr, "%s\n", error->message);
    exit (1);
  }
}

static void
make_folder (const char *folder, const char *kind)
{
  g_autofree char *name = g_build_filename (folder, kind, NULL);

  g_mkdir_with_parents (name, 0777);
}

/* Makes a stream of the same frame four times, and then another. */
static GByteArray *
make_stream (const GPtrArray *seeds, FuzzRandom *random)
{
  GByteArray *stream = g_byte_array_new ();
  uint8_t how = (uint8_t) fuzz_random_next (random);

  g_byte_array_append (stream, &how, 1);
  for (unsigned i = 0; i < 2; i++) {
    const GByteArray *frame =
        seeds->pdata[fuzz_random_below (random, seeds->len)];

    for (unsigned n = i ? 1 : 4; n > 0 && frame->len < MAX_FRAME / 8; n--)
      g_byte_array_append (stream, frame->data, frame->len);
  }
  return stream;
}

/* Says whether the file is a stream of slices. */
static bool
is_stack (const char *data, size_t size)
{
  PacoHeader header;

  return paco_header_parse ((const uint8_t *) data, size, &header, NULL, NULL)
      && header.video.slice.length > 0;
}

/* Writes a whole file of slices, twice: pushed in chunks, and frame by frame.
 * Returns the number of the next stream. */
static unsigned
write_stack (const char *folder, unsigned number, const char *path)
{
  static const uint8_t how[] = { 1, 0x80 };
  g_autofree char *data = NULL;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, NULL))
    return number;
  for (unsigned i = 0; i < sizeof how && is_stack (data, size); i++) {
    g_autoptr (GByteArray) stream = g_byte_array_new ();

    g_byte_array_append (stream, &how[i], 1);
    g_byte_array_append (stream, (uint8_t *) data, (guint) size);
    write_file (folder, "streams", number++, stream);
  }
  return number;
}

static void
write_prefixed (const char *folder, unsigned number, const GByteArray *frame,
    FuzzRandom *random)
{
  g_autoptr (GByteArray) input = g_byte_array_new ();
  uint8_t prefix[FUZZ_PREFIX];

  for (unsigned i = 0; i < sizeof prefix; i++)
    prefix[i] = (uint8_t) fuzz_random_below (random, i < 7 ? 256 : 32);
  g_byte_array_append (input, prefix, sizeof prefix);
  g_byte_array_append (input, frame->data, frame->len);
  write_file (folder, "prefixed", number, input);
}

static void
write_file_seed (
    const char *folder, unsigned number, const uint8_t *data, size_t size)
{
  static const uint8_t instructions[FUZZ_SOURCE_PREFIX] = { 2 };
  g_autoptr (GByteArray) input = g_byte_array_new ();

  g_byte_array_append (input, instructions, sizeof instructions);
  g_byte_array_append (input, data, (guint) size);
  write_file (folder, "files", number, input);
}

static void
write_file_seeds (const char *folder)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (unsigned n = 0; n < N_DPX; n++) {
    DpxFile file;
    DpxCase c;

    dpx_case_random (rand, &c);
    c.width = (c.width + 2) / 3 & ~1u;
    c.width = MAX (c.width, 2);
    c.gap %= 700;
    dpx_file_write (rand, &c, &file);
    write_file_seed (folder, n, file.bytes->data, file.bytes->len);
    dpx_file_clear (&file);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) seeds = fuzz_seeds_new ();
  FuzzRandom random = fuzz_random_new (1);

  if (argc < 2) {
    fprintf (stderr, "fuzz-seeds FOLDER FILE...\n");
    return 1;
  }
  fuzz_seeds_add_kinds (seeds, &random);
  for (int i = 2; i < argc; i++)
    fuzz_seeds_add_file (seeds, argv[i]);
  make_folder (argv[1], "frames");
  make_folder (argv[1], "streams");
  make_folder (argv[1], "prefixed");
  make_folder (argv[1], "files");
  write_file_seeds (argv[1]);
  for (guint i = 0; i < seeds->len; i++) {
    const GByteArray *seed = seeds->pdata[i];

    if (seed->len > MAX_FRAME)
      continue;
    write_file (argv[1], "frames", i, seed);
    write_prefixed (argv[1], i, seed, &random);
  }
  for (unsigned i = 0; i < N_STREAMS; i++) {
    g_autoptr (GByteArray) stream = make_stream (seeds, &random);

    write_file (argv[1], "streams", i, stream);
  }
  for (int i = 2, n = N_STREAMS; i < argc; i++)
    n = (int) write_stack (argv[1], (unsigned) n, argv[i]);
  return 0;
}
