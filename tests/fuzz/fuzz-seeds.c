/* SPDX-License-Identifier: LGPL-2.1-or-later
 * fuzz-seeds FOLDER FILE...: writes the corpus that the targets begin with: the
 * frames of the files (golden streams) and frames of every kind, each a file of
 * FOLDER/frames, streams of several of them, as the elements' targets take them, in
 * FOLDER/streams, and frames behind what is done to their packets, in FOLDER/packets.
 * run.sh calls it. */
#include "tests/fuzz/seeds.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_FRAME 20000 /* bytes; smaller inputs are tried more often */
#define N_STREAMS 24
#define PACKETS_INSTRUCTIONS 11 /* bytes, which fuzz-rtp takes from the front */

static void
write_file (const char *folder, const char *kind, unsigned number,
    const GByteArray *bytes)
{
  char *name = g_strdup_printf ("%s/%s/%03u", folder, kind, number);
  GError *error = NULL;

  if (!g_file_set_contents (name, (char *) bytes->data, bytes->len, &error)) {
    fprintf (stderr, "%s\n", error->message);
    exit (1);
  }
  g_free (name);
}

static void
make_folder (const char *folder, const char *kind)
{
  char *name = g_build_filename (folder, kind, NULL);

  g_mkdir_with_parents (name, 0777);
  g_free (name);
}

/* The same frame four times, as a stream has it, and then another. */
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

static void
write_packets (const char *folder, unsigned number, const GByteArray *frame,
    FuzzRandom *random)
{
  GByteArray *input = g_byte_array_new ();
  uint8_t instructions[PACKETS_INSTRUCTIONS];

  for (unsigned i = 0; i < sizeof instructions; i++)
    instructions[i] = (uint8_t) fuzz_random_below (random, i < 7 ? 256 : 32);
  g_byte_array_append (input, instructions, sizeof instructions);
  g_byte_array_append (input, frame->data, frame->len);
  write_file (folder, "packets", number, input);
  g_byte_array_unref (input);
}

int
main (int argc, char **argv)
{
  GPtrArray *seeds = fuzz_seeds_new ();
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
  make_folder (argv[1], "packets");
  for (guint i = 0; i < seeds->len; i++) {
    const GByteArray *seed = seeds->pdata[i];

    if (seed->len > MAX_FRAME)
      continue;
    write_file (argv[1], "frames", i, seed);
    write_packets (argv[1], i, seed, &random);
  }
  for (unsigned i = 0; i < N_STREAMS; i++) {
    GByteArray *stream = make_stream (seeds, &random);

    write_file (argv[1], "streams", i, stream);
    g_byte_array_unref (stream);
  }
  g_ptr_array_unref (seeds);
  return 0;
}
