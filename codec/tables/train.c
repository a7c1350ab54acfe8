/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Trains the built-in probability sets and the encoder's choice among them:
 * takes pictures apart as the encoder does, counts what its block coder would
 * code (count.c), and writes probabilities. README.md in this folder has the
 * command.
 *
 * There is one family of sets per kind of wavelet, because the same row means
 * different things to them: the lowest planes of a lossless picture are noise,
 * while 9/7 is for quantizers that have left the noise out. One family for both
 * costs 0.8 % of a lossless picture's bits and 1.5 % at the usual qualities. */
#include "codec/policy_set.h"
#include "codec/tables/count.h"
#include "codec/tables/estimate.h"
#include "codec/tables/pictures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A way of coding for which the sets are trained, and how much it counts. */
typedef struct
{
  const char *name;
  unsigned family;
  int wavelet;
  double quality; /* LOSSLESS: no loss */
  PacoTune tune;
  unsigned complexity;
  double weight;
} Setting;

#define LOSSLESS (-1.0)

static const Setting settings[] = {
  { "53", 0, PACO_WAVELET_CDF53, LOSSLESS, PACO_TUNE_VISUAL, 1, 1.0 },
  { "137", 0, PACO_WAVELET_DD137, LOSSLESS, PACO_TUNE_VISUAL, 1, 1.0 },
  { "53-0", 0, PACO_WAVELET_CDF53, LOSSLESS, PACO_TUNE_VISUAL, 0, 0.5 },
  { "53-90", 0, PACO_WAVELET_CDF53, 90, PACO_TUNE_VISUAL, 1, 0.2 },
  { "53-60", 0, PACO_WAVELET_CDF53, 60, PACO_TUNE_VISUAL, 1, 0.2 },
  { "97", 1, PACO_WAVELET_CDF97, 97, PACO_TUNE_VISUAL, 1, 1.0 },
  { "90", 1, PACO_WAVELET_CDF97, 90, PACO_TUNE_VISUAL, 1, 1.0 },
  { "80", 1, PACO_WAVELET_CDF97, 80, PACO_TUNE_VISUAL, 1, 1.0 },
  { "60", 1, PACO_WAVELET_CDF97, 60, PACO_TUNE_VISUAL, 1, 1.0 },
  { "30", 1, PACO_WAVELET_CDF97, 30, PACO_TUNE_VISUAL, 1, 0.5 },
  { "90-0", 1, PACO_WAVELET_CDF97, 90, PACO_TUNE_VISUAL, 0, 0.5 },
  { "90-psnr", 1, PACO_WAVELET_CDF97, 90, PACO_TUNE_PSNR, 1, 0.5 },
  { "60-psnr", 1, PACO_WAVELET_CDF97, 60, PACO_TUNE_PSNR, 1, 0.5 },
};
#define N_SETTINGS G_N_ELEMENTS (settings)

/* Every picture and setting weighs as if it had taken SCALE bits, so that one
 * percent more is as bad for each of them. */
#define SCALE 3e6
/* Rounds of finding the sets of a family: each block takes the best of all sets,
 * then the one of its cell. */
#define N_FREE_ROUNDS 12
#define N_CELL_ROUNDS 6
/* Fewer blocks than this get no set of their own. */
#define MIN_BLOCKS 20

typedef struct
{
  char name[64];
  size_t n_samples;
  unsigned file; /* an RGB picture and its luma are two examples of one file */
} Example;

typedef struct
{
  GArray *blocks; /* of CountedBlock */
  Example *examples;
  unsigned n_examples;
  double (*weights)[N_SETTINGS]; /* of an example's symbols */
} Training;

typedef struct
{
  PacoProbabilitySet common;
  PacoProbabilitySet sets[PACO_N_SETS];
  uint8_t choice[PACO_SET_CELLS];
} Family;

/* --- Counting --- */

static gboolean
count_settings (
    Training *training, const TrainingPicture *picture, GError **error)
{
  for (unsigned s = 0; s < N_SETTINGS; s++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    guint first = training->blocks->len;

    parameters.wavelet = settings[s].wavelet;
    parameters.complexity = settings[s].complexity;
    parameters.tune = settings[s].tune;
    parameters.rgb = picture->rgb;
    if (settings[s].quality == LOSSLESS)
      parameters.rate_control = PACO_RATE_LOSSLESS;
    else
      parameters.quality = settings[s].quality;
    if (!count_blocks (&picture->format, &picture->picture, &parameters,
            training->blocks, error))
      return FALSE;
    for (guint i = first; i < training->blocks->len; i++) {
      CountedBlock *block = &g_array_index (training->blocks, CountedBlock, i);

      block->picture = training->n_examples;
      block->setting = s;
    }
  }
  return TRUE;
}

static gboolean
count_picture (Training *training, const char *path, unsigned file, bool gray,
    GError **error)
{
  Example *example = &training->examples[training->n_examples];
  TrainingPicture picture;
  gboolean done;

  if (!training_picture_read (path, &picture, error))
    return FALSE;
  if (gray)
    training_picture_make_gray (&picture);
  g_snprintf (example->name, sizeof example->name, "%s%s", picture.name,
      gray ? " as gray" : "");
  example->n_samples = picture.n_samples;
  example->file = file;
  g_printerr ("%s\n", example->name);
  done = count_settings (training, &picture, error);
  training->n_examples++;
  if (done && picture.rgb)
    done = count_picture (training, path, file, true, error);
  training_picture_clear (&picture);
  return done;
}

/* Sets the weights of an example's symbols. How many bits a picture takes at a
 * setting is estimated from the number of its symbols. */
static void
weigh (Training *training)
{
  training->weights = g_malloc0_n (
      training->n_examples, sizeof *training->weights);
  for (guint i = 0; i < training->blocks->len; i++) {
    CountedBlock *block = &g_array_index (training->blocks, CountedBlock, i);
    double *bits = &training->weights[block->picture][block->setting];

    *bits += block->raw_bits;
    for (uint32_t k = 0; k < block->n_counts; k++)
      *bits += 0.7 * (block->counts[k].n[0] + block->counts[k].n[1]);
  }
  for (unsigned e = 0; e < training->n_examples; e++)
    for (unsigned s = 0; s < N_SETTINGS; s++)
      if (training->weights[e][s] > 0.0)
        training->weights[e][s] = settings[s].weight * SCALE
            / training->weights[e][s];
}

/* --- Training --- */

/* The blocks that are trained with: those of a family, and of all files or of those
 * whose number modulo `folds` is not `left_out`. */
typedef struct
{
  const Training *training;
  unsigned family, folds, left_out;
} Part;

static bool
is_in (const Part *part, const CountedBlock *block)
{
  return settings[block->setting].family == part->family
      && (part->folds < 2
          || part->training->examples[block->picture].file % part->folds
              != part->left_out);
}

static CountedBlock *
block_at (const Part *part, guint i)
{
  return &g_array_index (part->training->blocks, CountedBlock, i);
}

static double
weight_of (const Part *part, const CountedBlock *block)
{
  return part->training->weights[block->picture][block->setting];
}

/* Adds up the blocks that have taken a set, all for PACO_N_SETS; returns how
 * many there are. */
static unsigned
sum_up (const Part *part, unsigned set, SymbolWeights *weights)
{
  unsigned n = 0;

  memset (weights, 0, sizeof *weights);
  for (guint i = 0; i < part->training->blocks->len; i++) {
    const CountedBlock *block = block_at (part, i);

    if (!is_in (part, block) || (set < PACO_N_SETS && block->set != set))
      continue;
    symbol_weights_add (weights, block, weight_of (part, block));
    n++;
  }
  return n;
}

static void
estimate_sets (const Part *part, const Probabilities *common, Family *family)
{
  SymbolWeights *weights = g_new (SymbolWeights, 1);
  Probabilities *special = g_new (Probabilities, 1);

  for (unsigned k = 0; k < PACO_N_SETS; k++) {
    if (sum_up (part, k, weights) < MIN_BLOCKS)
      continue;
    estimate_special (weights, common, special);
    to_set (special, &family->sets[k]);
  }
  g_free (weights);
  g_free (special);
}

static unsigned
best_of (const CountedBlock *block, const SymbolBits *bits)
{
  unsigned best = 0;
  double least = INFINITY;

  for (unsigned k = 0; k < PACO_N_SETS; k++) {
    double of = ideal_bits (block, &bits[k]);

    if (of < least) {
      least = of;
      best = k;
    }
  }
  return best;
}

static void
choose_freely (const Part *part, const SymbolBits *bits)
{
  for (guint i = 0; i < part->training->blocks->len; i++)
    if (is_in (part, block_at (part, i)))
      block_at (part, i)->set = best_of (block_at (part, i), bits);
}

/* Gives each cell the set with which its blocks take the fewest bits. */
static void
choose_by_cell (const Part *part, const SymbolBits *bits, uint8_t *choice)
{
  double (*sums)[PACO_N_SETS] = g_malloc0_n (PACO_SET_CELLS, sizeof *sums);

  for (guint i = 0; i < part->training->blocks->len; i++) {
    const CountedBlock *block = block_at (part, i);

    for (unsigned k = 0; is_in (part, block) && k < PACO_N_SETS; k++)
      sums[block->cell][k] += weight_of (part, block)
          * ideal_bits (block, &bits[k]);
  }
  for (unsigned cell = 0; cell < PACO_SET_CELLS; cell++) {
    choice[cell] = 0;
    for (unsigned k = 1; k < PACO_N_SETS; k++)
      if (sums[cell][k] < sums[cell][choice[cell]])
        choice[cell] = (uint8_t) k;
  }
  for (guint i = 0; i < part->training->blocks->len; i++)
    block_at (part, i)->set = is_in (part, block_at (part, i))
        ? choice[block_at (part, i)->cell]
        : block_at (part, i)->set;
  g_free (sums);
}

static void
to_bits_of_all (const Family *family, SymbolBits *bits)
{
  for (unsigned k = 0; k < PACO_N_SETS; k++)
    to_bits (&family->sets[k], &bits[k]);
}

/* Trains a family by k-means over blocks, beginning with a set for every eighth
 * picture. Then the encoder's choice takes the place of the best set. */
static void
train (const Part *part, Family *family)
{
  SymbolWeights *weights = g_new (SymbolWeights, 1);
  Probabilities *common = g_new (Probabilities, 1);
  SymbolBits *bits = g_new (SymbolBits, PACO_N_SETS);

  sum_up (part, PACO_N_SETS, weights);
  estimate_common (weights, common);
  to_set (common, &family->common);
  for (unsigned k = 0; k < PACO_N_SETS; k++)
    family->sets[k] = family->common;
  for (guint i = 0; i < part->training->blocks->len; i++)
    if (is_in (part, block_at (part, i)))
      block_at (part, i)->set = block_at (part, i)->picture % PACO_N_SETS;
  for (unsigned round = 0; round < N_FREE_ROUNDS + N_CELL_ROUNDS; round++) {
    estimate_sets (part, common, family);
    to_bits_of_all (family, bits);
    if (round < N_FREE_ROUNDS)
      choose_freely (part, bits);
    else
      choose_by_cell (part, bits, family->choice);
  }
  g_free (weights);
  g_free (common);
  g_free (bits);
}

/* --- Judging --- */

/* The bits of an example at a setting: with one set for all blocks, with the encoder's
 * choice, and with the best set for each block. */
typedef struct
{
  double one, chosen, best;
} Bits;

static void
judge_part (const Part *part, const Family *family, Bits (*sums)[N_SETTINGS])
{
  SymbolBits *bits = g_new (SymbolBits, PACO_N_SETS + 1);

  to_bits_of_all (family, bits);
  to_bits (&family->common, &bits[PACO_N_SETS]);
  for (guint i = 0; i < part->training->blocks->len; i++) {
    const CountedBlock *block = block_at (part, i);
    Bits *sum = &sums[block->picture][block->setting];

    if (settings[block->setting].family != part->family
        || (part->folds > 1 && is_in (part, block)))
      continue;
    sum->one += ideal_bits (block, &bits[PACO_N_SETS]);
    sum->chosen += ideal_bits (block, &bits[family->choice[block->cell]]);
    sum->best += ideal_bits (block, &bits[best_of (block, bits)]);
  }
  g_free (bits);
}

static void
print_judgement (const Training *training, Bits (*sums)[N_SETTINGS])
{
  double chosen[N_SETTINGS] = { 0 }, best[N_SETTINGS] = { 0 };

  g_print ("%-48s", "bits per sample");
  for (unsigned s = 0; s < N_SETTINGS; s++)
    g_print (" %8s", settings[s].name);
  g_print ("\n");
  for (unsigned e = 0; e < training->n_examples; e++) {
    g_print ("%-48s", training->examples[e].name);
    for (unsigned s = 0; s < N_SETTINGS; s++) {
      const Bits *bits = &sums[e][s];

      g_print (" %8.4f", bits->chosen / training->examples[e].n_samples);
      chosen[s] += log (bits->chosen / bits->one) / training->n_examples;
      best[s] += log (bits->best / bits->one) / training->n_examples;
    }
    g_print ("\n");
  }
  g_print ("%-48s", "against one set for all, mean, %");
  for (unsigned s = 0; s < N_SETTINGS; s++)
    g_print (" %8.2f", 100.0 * expm1 (chosen[s]));
  g_print ("\n%-48s", "the same with the best set of each block");
  for (unsigned s = 0; s < N_SETTINGS; s++)
    g_print (" %8.2f", 100.0 * expm1 (best[s]));
  g_print ("\n");
}

/* Prints ideal code lengths. */
static void
judge (const Training *training, unsigned folds)
{
  Bits (*sums)[N_SETTINGS] = g_malloc0_n (training->n_examples, sizeof *sums);
  Family *family = g_new (Family, 1);

  for (unsigned f = 0; f < PACO_N_FAMILIES; f++) {
    for (unsigned fold = 0; fold < MAX (folds, 1); fold++) {
      Part part = { training, f, folds, fold };

      train (&part, family);
      judge_part (&part, family, sums);
    }
  }
  print_judgement (training, sums);
  g_free (family);
  g_free (sums);
}

/* --- Writing --- */

static void
append_set (GString *text, const PacoProbabilitySet *set)
{
  g_string_append (text, "{ {\n");
  for (unsigned row = 0; row < PACO_N_ROWS; row++) {
    g_string_append (text, "{ ");
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
      g_string_append_printf (text, "%u, ", set->p[row][c]);
    g_string_append (text, "},\n");
  }
  g_string_append (text, "} },\n");
}

static void
append_choice (GString *text, const uint8_t *choice)
{
  g_string_append (text, "{\n");
  for (unsigned cell = 0; cell < PACO_SET_CELLS; cell++)
    g_string_append_printf (text, "%u,%s", choice[cell],
        cell % PACO_SET_CLUSTERS == PACO_SET_CLUSTERS - 1 ? "\n" : " ");
  g_string_append (text, "},\n");
}

/* Writes the sets and the choice among them, from all files or from all folds but
 * one. */
static gboolean
write_part (const Training *training, unsigned folds, unsigned left_out,
    const char *folder, GError **error)
{
  g_autofree char *choice_path = g_build_filename (folder, "choice.inc", NULL);
  g_autofree char *sets_path = g_build_filename (folder, "sets.inc", NULL);
  g_autoptr (GString) choice = g_string_new (
      "/* The set of each cell (codec/policy_set.h), made by train with the "
      "sets.\n"
      " * A line is a density class of a kind of subband. */\n");
  g_autoptr (GString) sets = g_string_new (
      "/* The built-in probability sets by family and number; README.md says "
      "how train made\n"
      " * them. */\n");
  g_autofree Family *family = g_new (Family, 1);

  for (unsigned f = 0; f < PACO_N_FAMILIES; f++) {
    Part part = { training, f, folds, left_out };

    train (&part, family);
    append_choice (choice, family->choice);
    g_string_append (sets, "{\n");
    for (unsigned k = 0; k < PACO_N_SETS; k++)
      append_set (sets, &family->sets[k]);
    g_string_append (sets, "},\n");
  }
  return g_file_set_contents (sets_path, sets->str, sets->len, error)
      && g_file_set_contents (choice_path, choice->str, choice->len, error);
}

/* Writes everything; with folds, into a folder for each fold that is left out. */
static gboolean
write_all (const Training *training, unsigned folds, const char *folder,
    GError **error)
{
  gboolean done = TRUE;

  if (folds < 2)
    return write_part (training, 0, 0, folder, error);
  for (unsigned fold = 0; done && fold < folds; fold++) {
    g_autofree char *name = g_strdup_printf ("%u", fold);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_mkdir_with_parents (path, 0777) != 0) {
      g_set_error (
          error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s cannot be made", path);
      return FALSE;
    }
    done = write_part (training, folds, fold, path, error);
  }
  return done;
}

int
main (int argc, char **argv)
{
  g_autofree char *output = NULL;
  int folds = 0;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
        "write the sets and the choice among them there", "FOLDER" },
    { "folds", 'f', 0, G_OPTION_ARG_INT, &folds,
        "judge every file by sets of those whose number differs modulo N; "
        "write "
        "the sets without each such N-th to FOLDER/0 to FOLDER/N-1",
        "N" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("PICTURE... - train");
  g_autoptr (GError) error = NULL;
  Training training = { g_array_new (FALSE, FALSE, sizeof (CountedBlock)) };
  gboolean done;

  g_option_context_add_main_entries (context, entries, NULL);
  done = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (done && argc < 2) {
    g_printerr ("which pictures? See --help\n");
    return 1;
  }
  training.examples = g_new0 (Example, 2 * (gsize) argc);
  for (int i = 1; done && i < argc; i++)
    done = count_picture (&training, argv[i], (unsigned) i - 1, false, &error);
  if (done) {
    weigh (&training);
    if (!output)
      judge (&training, (unsigned) MAX (folds, 0));
    else
      done = write_all (&training, (unsigned) MAX (folds, 0), output, &error);
  }
  if (!done)
    g_printerr ("%s\n", error->message);
  counted_blocks_free (training.blocks);
  g_free (training.examples);
  g_free (training.weights);
  return done ? 0 : 1;
}
