/* SPDX-License-Identifier: LGPL-2.1-or-later
 * fuzz-replay [--mutations=N] [--seed=S] [FILE...]: runs a fuzz target without a
 * fuzzer, as a test, made by any compiler: over the frames of the files, over frames
 * that it codes itself with every kind of option, and over N mutations of these that
 * depend on the seed alone. `--mutations=0 FILE` replays what a fuzzer found, a file
 * that does not begin with a frame as it is; of a folder, all files. --keep=FILE: every
 * input is written there before it is tried, so that the last one outlives a crash.
 *
 * fuzz-replay tries frames; fuzz-replay-TARGET is the same for another target. */
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct
{
  GPtrArray *seeds; /* GByteArray */
  FuzzRandom random;
} Fuzz;

static void
try_input (const GByteArray *input, const char *keep)
{
  FILE *file = keep ? fopen (keep, "wb") : NULL;

  if (keep && !file)
    fprintf (stderr, "%s cannot be written.\n", keep);
  if (file) {
    fwrite (input->data, 1, input->len, file);
    fclose (file);
  }
  LLVMFuzzerTestOneInput (input->data, input->len);
}

/* Tries a seed that is changed several times. */
static void
try_mutation (Fuzz *fuzz, const char *keep)
{
  const GByteArray *seed =
      fuzz->seeds->pdata[fuzz_random_below (&fuzz->random, fuzz->seeds->len)];
  guint capacity = seed->len + 4096;
  g_autoptr (GByteArray) input = g_byte_array_sized_new (capacity);
  size_t size = seed->len;

  g_byte_array_append (input, seed->data, seed->len);
  g_byte_array_set_size (input, capacity);
  for (uint32_t n = 1 + fuzz_random_below (&fuzz->random, 3); n > 0; n--)
    size = fuzz_mutate_frame (input->data, size, capacity, FUZZ_MAX_SAMPLES,
        fuzz_random_next (&fuzz->random));
  g_byte_array_set_size (input, (guint) size);
  try_input (input, keep);
}

/* Targets that have something to prepare define it. */
int LLVMFuzzerInitialize (int *argc, char ***argv) __attribute__ ((weak));

/* Adds the file, or all files of the folder in the order of their names. */
static void
add_path (GPtrArray *seeds, const char *path)
{
  struct dirent **entries;
  int n = scandir (path, &entries, NULL, alphasort);

  if (n < 0) {
    fuzz_seeds_add_file (seeds, path);
    return;
  }
  for (int i = 0; i < n; i++) {
    char *name = g_build_filename (path, entries[i]->d_name, NULL);

    if (entries[i]->d_type == DT_REG)
      fuzz_seeds_add_file (seeds, name);
    g_free (name);
    free (entries[i]);
  }
  free (entries);
}

int
main (int argc, char **argv)
{
  Fuzz fuzz = { .seeds = fuzz_seeds_new () };
  int mutations = 3000, number = 1;
  char *keep = NULL;
  GOptionEntry entries[] = {
    { "mutations", 'n', 0, G_OPTION_ARG_INT, &mutations, "How many", "N" },
    { "seed", 's', 0, G_OPTION_ARG_INT, &number, "Of the generator", "S" },
    { "keep", 'k', 0, G_OPTION_ARG_FILENAME, &keep, "Write inputs", "FILE" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("[FILE...]");
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  g_option_context_free (context);
  fuzz.random = fuzz_random_new ((uint64_t) number);
  for (int i = 1; i < argc; i++)
    add_path (fuzz.seeds, argv[i]);
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize (&argc, &argv);
  if (mutations > 0)
    fuzz_seeds_add_kinds (fuzz.seeds, &fuzz.random);
  for (guint i = 0; i < fuzz.seeds->len; i++)
    try_input (fuzz.seeds->pdata[i], keep);
  for (int i = 0; i < mutations; i++)
    try_mutation (&fuzz, keep);
  printf ("%u inputs and %d mutations\n", fuzz.seeds->len, mutations);
  g_ptr_array_unref (fuzz.seeds);
  g_free (keep);
  fuzz_close_decoders ();
  return 0;
}
