/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Trains the built-in probability sets: pushes pictures through the reference
 * encoder, counts what its block coder codes, and writes the probabilities.
 * README.md in this folder has the command.
 *
 * There is one set per wavelet, because the same row means different things to
 * them: the lowest planes of a lossless picture are noise, while 9/7 is for
 * quantizers that have left the noise out. One set for both costs 0.8 % of a
 * lossless picture's bits and 1.5 % at the usual qualities. */
#include "codec/tables/estimate.h"
#include "codec/tables/pictures.h"
#include <stdio.h>
#include <string.h>

/* A way to code that the set is to serve, and how much it counts. One scan per
 * plane is the default of the encoder; two and three get a share that keeps
 * their probabilities sane. */
typedef struct
{
  const char *name;
  int wavelet;
  double quality; /* LOSSLESS: no loss */
  unsigned complexity, coding_passes;
  double weight;
} Setting;

#define LOSSLESS (-1.0)

static const Setting settings[] = {
  { "lossless", PACO_WAVELET_CDF53, LOSSLESS, 1, 1, 1.0 },
  { "lossless-0", PACO_WAVELET_CDF53, LOSSLESS, 0, 1, 0.5 },
  { "53-90", PACO_WAVELET_CDF53, 90, 1, 1, 0.2 },
  { "53-60", PACO_WAVELET_CDF53, 60, 1, 1, 0.2 },
  { "2-passes", PACO_WAVELET_CDF53, LOSSLESS, 1, 2, 0.01 },
  { "3-passes", PACO_WAVELET_CDF53, LOSSLESS, 1, 3, 0.01 },
  { "97", PACO_WAVELET_CDF97, 97, 1, 1, 1.0 },
  { "90", PACO_WAVELET_CDF97, 90, 1, 1, 1.0 },
  { "80", PACO_WAVELET_CDF97, 80, 1, 1, 1.0 },
  { "60", PACO_WAVELET_CDF97, 60, 1, 1, 1.0 },
  { "30", PACO_WAVELET_CDF97, 30, 1, 1, 0.5 },
  { "90-0", PACO_WAVELET_CDF97, 90, 0, 1, 0.5 },
  { "90-2-passes", PACO_WAVELET_CDF97, 90, 1, 2, 0.01 },
  { "90-3-passes", PACO_WAVELET_CDF97, 90, 1, 3, 0.01 },
};
#define N_SETTINGS G_N_ELEMENTS (settings)

/* What was counted of one picture. */
typedef struct
{
  char name[64];
  size_t n_samples;
  PacoReferenceCounts counts[N_SETTINGS];
  size_t coded_bytes[N_SETTINGS];
} Example;

static gboolean
count_picture (const char *path, Example *example, GError **error)
{
  const PacoVideoInfo video = {
    .raw_format = "TRAINING", .par_n = 1, .par_d = 1, .fps_d = 1
  };
  TrainingPicture picture;
  gboolean done = TRUE;

  if (!training_picture_read (path, &picture, error))
    return FALSE;
  g_strlcpy (example->name, picture.name, sizeof example->name);
  example->n_samples = picture.n_samples;
  for (unsigned s = 0; done && s < N_SETTINGS; s++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    GByteArray *frame = g_byte_array_new ();

    parameters.wavelet = settings[s].wavelet;
    parameters.complexity = settings[s].complexity;
    parameters.coding_passes = settings[s].coding_passes;
    parameters.rgb = picture.rgb;
    if (settings[s].quality == LOSSLESS)
      parameters.rate_control = PACO_RATE_LOSSLESS;
    else
      parameters.quality = settings[s].quality;
    done = paco_reference_encode_counting (&picture.format, &picture.picture,
        &video, &parameters, NULL, &example->counts[s], frame, error);
    example->coded_bytes[s] = frame->len;
    g_byte_array_unref (frame);
  }
  training_picture_clear (&picture);
  return done;
}

/* Trains the set of a wavelet. Every picture and setting weighs as if it had
 * taken `scale` bits: one percent more is as bad for any. */
static void
train (const Example *examples, unsigned n, unsigned left_out, int wavelet,
    PacoProbabilitySet *set)
{
  const double scale = 3e6;
  SymbolWeights *weights = g_new0 (SymbolWeights, 1);

  for (unsigned i = 0; i < n; i++)
    for (unsigned s = 0; i != left_out && s < N_SETTINGS; s++)
      if (settings[s].wavelet == wavelet)
        symbol_weights_add (weights, &examples[i].counts[s],
            settings[s].weight * scale / (8.0 * examples[i].coded_bytes[s]));
  estimate_probabilities (weights, set);
  g_free (weights);
}

static void
print_heading (void)
{
  g_print ("%-40s", "bits per sample");
  for (unsigned s = 0; s < N_SETTINGS; s++)
    g_print (" %11s", settings[s].name);
  g_print ("\n");
}

/* Bits of an example above those with a set made from it alone. */
static double
excess (const Example *example, unsigned setting, double bits)
{
  const PacoReferenceCounts *counts = &example->counts[setting];
  SymbolWeights *weights = g_new0 (SymbolWeights, 1);
  PacoProbabilitySet own;

  symbol_weights_add (weights, counts, 1.0);
  estimate_probabilities (weights, &own);
  g_free (weights);
  return bits / ideal_bits (counts, &own) - 1.0;
}

/* Prints ideal code lengths, and their mean excess. */
static void
evaluate (const Example *examples, unsigned n, bool leave_one_out)
{
  double sum[N_SETTINGS] = { 0 };

  print_heading ();
  for (unsigned i = 0; i < n; i++) {
    PacoProbabilitySet sets[PACO_N_BUILTIN_SETS];

    for (int wavelet = 0; wavelet < PACO_N_BUILTIN_SETS; wavelet++)
      train (examples, n, leave_one_out ? i : n, wavelet, &sets[wavelet]);
    g_print ("%-40s", examples[i].name);
    for (unsigned s = 0; s < N_SETTINGS; s++) {
      double bits = ideal_bits (
          &examples[i].counts[s], &sets[settings[s].wavelet]);

      sum[s] += excess (&examples[i], s, bits);
      g_print (" %11.4f", bits / examples[i].n_samples);
    }
    g_print ("\n");
  }
  g_print ("%-40s", "above the picture's own set, mean, %");
  for (unsigned s = 0; s < N_SETTINGS; s++)
    g_print (" %11.2f", 100.0 * sum[s] / n);
  g_print ("\n");
}

/* The command and the pictures, as a comment. */
static void
append_origin (
    GString *text, int id, const Example *examples, unsigned n_examples)
{
  gsize line_start;

  g_string_append_printf (text,
      "/* Built-in probability set %d, made by\n"
      " *   train --output codec/tables PICTURES\n"
      " * as README.md in this folder says, from\n",
      id);
  line_start = text->len;
  g_string_append (text, " *");
  for (unsigned i = 0; i < n_examples; i++) {
    if (text->len + strlen (examples[i].name) > line_start + 72) {
      g_string_append (text, "\n");
      line_start = text->len;
      g_string_append (text, " *");
    }
    g_string_append_printf (text, " %s", examples[i].name);
  }
  g_string_append (text, " */\n");
}

static gboolean
write_set (const PacoProbabilitySet *set, const char *folder, int id,
    const Example *examples, unsigned n_examples, GError **error)
{
  g_autofree char *name = g_strdup_printf ("set-%d.inc", id);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  GString *text = g_string_new (NULL);
  gboolean done;

  append_origin (text, id, examples, n_examples);
  for (unsigned row = 0; row < PACO_N_ROWS; row++) {
    g_string_append (text, "{ ");
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
      g_string_append_printf (text, "%u, ", set->p[row][c]);
    g_string_append (text, "},\n");
  }
  done = g_file_set_contents (path, text->str, text->len, error);
  g_string_free (text, TRUE);
  return done;
}

static Example *
count_all (char **paths, unsigned n, GError **error)
{
  Example *examples = g_new0 (Example, n);

  for (unsigned i = 0; i < n; i++) {
    g_printerr ("%s\n", paths[i]);
    if (!count_picture (paths[i], &examples[i], error)) {
      g_free (examples);
      return NULL;
    }
  }
  return examples;
}

/* Counting takes minutes, estimating no time: --counts keeps the counts. */
static Example *
load_counts (const char *path, unsigned *n, GError **error)
{
  char *contents;
  gsize size;

  if (!g_file_get_contents (path, &contents, &size, error))
    return NULL;
  if (size == 0 || size % sizeof (Example) != 0) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
        "%s does not hold counts of this program", path);
    g_free (contents);
    return NULL;
  }
  *n = size / sizeof (Example);
  return (Example *) contents;
}

int
main (int argc, char **argv)
{
  g_autofree char *output = NULL, *counts = NULL;
  gboolean leave_one_out = FALSE;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
        "write set-0.inc and set-1.inc there", "FOLDER" },
    { "counts", 'c', 0, G_OPTION_ARG_FILENAME, &counts,
        "keep the counts there; without pictures, take them from there",
        "FILE" },
    { "leave-one-out", 'l', 0, G_OPTION_ARG_NONE, &leave_one_out,
        "judge each picture by sets trained on the others", NULL },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("PICTURE... - train");
  g_autoptr (GError) error = NULL;
  g_autofree Example *examples = NULL;
  unsigned n;
  gboolean done;

  g_option_context_add_main_entries (context, entries, NULL);
  done = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  n = argc - 1;
  if (done && n == 0 && !counts) {
    g_printerr ("which pictures? See --help\n");
    return 1;
  }
  if (done) {
    examples = n > 0 ? count_all (argv + 1, n, &error)
                     : load_counts (counts, &n, &error);
    done = examples != NULL;
  }
  if (done && argc > 1 && counts)
    done = g_file_set_contents (
        counts, (const char *) examples, n * sizeof *examples, &error);
  if (done)
    evaluate (examples, n, leave_one_out);
  for (int wavelet = 0; done && output && wavelet < PACO_N_BUILTIN_SETS;
       wavelet++) {
    PacoProbabilitySet set;

    train (examples, n, n, wavelet, &set);
    done = write_set (&set, output, wavelet, examples, n, &error);
  }
  if (!done)
    g_printerr ("%s\n", error->message);
  return done ? 0 : 1;
}
