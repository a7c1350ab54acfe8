/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures lossless coding, for lab-coder: Table 3.1 of text 004, the lanes
 * that have something to do (Table 4.5's warp efficiency is of that), and
 * where the bits go that the coder takes more than JPEG 2000. */
#include "tests/lab/coder.h"

typedef struct
{
  const CoderCorpus *corpus;
  CoderLossless *results; /* of the corpus' pictures */
} LosslessWork;

static double
active_lanes (const GrayCode *code)
{
  uint64_t visits = 0, active = 0;

  for (guint i = 0; i < code->blocks->len; i++) {
    const GrayBlock *block = &g_array_index (code->blocks, GrayBlock, i);

    if (block->width < 64)
      continue;
    visits += block->record.visits;
    active += block->record.active;
  }
  return visits ? 100.0 * (double) active / (32.0 * (double) visits) : 0;
}

static void
code_lossless (gpointer data, gpointer user_data)
{
  const CoderPicture *picture = data;
  const LosslessWork *work = user_data;
  CoderLossless *result = &work->results[picture - work->corpus->pictures];
  const Jpeg2000Options rival = { .block_height = CODER_BLOCK_HEIGHT };
  g_autofree GrayTables *tables = g_new (GrayTables, 1);
  g_autofree GrayCounts *others = coder_counts_of_others (
      work->corpus, picture, CODER_LOSSLESS, COUNTED_THREE_PASSES);
  const GrayCounts *own =
      &picture->counts[CODER_LOSSLESS][COUNTED_THREE_PASSES];
  double n = coder_samples (picture);

  if (jpeg2000_is_there ())
    result->rival = 8 * (double) jpeg2000_code (&picture->picture, &rival, NULL)
        / n;
  result->own = gray_ideal_bits (own, own) / n;
  result->others = gray_ideal_bits (own, others) / n;
  for (unsigned i = 0; i < N_METHODS; i++) {
    GrayCode code;

    coder_encode (work->corpus, picture, CODER_LOSSLESS, &coder_methods[i],
        CODER_BLOCK_HEIGHT, tables, &code);
    result->method[i] = 8 * (double) gray_code_bytes (&code) / n;
    if (i == METHOD_TEXT) {
      result->table = gray_table_bits (own, tables,
                          coder_methods[i].form.precision.probability_bits)
          / n;
      result->headers = 8 * (double) gray_code_header_bytes (&code) / n;
    }
    if (i == METHOD_TEXT || i == METHOD_TWO_PASSES)
      result->active[i == METHOD_TWO_PASSES] = active_lanes (&code);
    gray_code_clear (&code);
  }
}

static const char *const codec_names[N_CODEC] = {
  [CODEC_ONE_PASS] = "this codec, 5/3, one set of the others",
  [CODEC_THREE_PASSES] = "the same, 3 passes",
  [CODEC_AS_EVER] = "this codec, its own sets and wavelet",
};

/* Reports differences to JPEG 2000, as the table has them; without it, the
 * bits. */
static void
report_lossless (const char *table, const char *x, const CoderLossless *result)
{
  const double *bits = result->method;

  if (result->rival > 0) {
    lab_result (table, "JP2", x, result->rival, "bps");
    lab_result (table, "BPC-PaCo", x, bits[METHOD_TEXT] - result->rival, "bps");
    for (unsigned i = METHOD_MQ; i <= METHOD_ONE_CONTEXT; i++)
      lab_result (
          table, coder_methods[i].name, x, bits[i] - result->rival, "bps");
    lab_result (table, coder_methods[METHOD_KNOWN].name, x,
        bits[METHOD_KNOWN] - result->rival, "bps");
    for (unsigned i = 0; i < N_CODEC; i++)
      lab_result (
          table, codec_names[i], x, result->codec[i] - result->rival, "bps");
  } else {
    lab_result (table, "BPC-PaCo, bits", x, bits[METHOD_TEXT], "bps");
  }
}

/* Reports losses: each line is what one thing adds to the bits of the line
 * above it. */
static void
report_losses (const char *corpus, const CoderLossless *mean)
{
  const char *table = "004 lost bits";
  double mq = mean->method[METHOD_MQ];
  double one = mean->method[METHOD_ONE_CODEWORD];
  double lanes = mean->method[METHOD_TEXT];

  lab_result (table, corpus, "MQ coder, same contexts", mq, "bps");
  lab_result (table, corpus, "stationary, own table, ideal",
      mean->own + mean->headers - mq, "bps");
  lab_result (
      table, corpus, "the others' table", mean->others - mean->own, "bps");
  lab_result (table, corpus, "its probabilities in 7 bits",
      mean->table - mean->others, "bps");
  lab_result (table, corpus, "codewords of 16 bits",
      one - mean->table - mean->headers, "bps");
  lab_result (table, corpus, "a codeword for each lane", lanes - one, "bps");
  lab_result (table, corpus, "two passes",
      mean->method[METHOD_TWO_PASSES] - lanes, "bps");
  lab_result (table, corpus,
      "in place of them 32-bit codewords, 8-bit probabilities",
      mean->method[METHOD_LONG] - lanes, "bps");
}

static void
add_lossless (CoderLossless *to, const CoderLossless *result, double factor)
{
  double *sums = (double *) to;
  const double *values = (const double *) result;

  for (size_t i = 0; i < sizeof *to / sizeof *sums; i++)
    sums[i] += factor * values[i];
}

void
coder_measure_lossless (
    CoderCorpus *corpus, CoderLossless *all, unsigned *n_all)
{
  g_autofree CoderLossless *results = g_new0 (CoderLossless, corpus->n);
  LosslessWork work = { corpus, results };
  CoderLossless mean = { 0 };

  coder_for_all_pictures (corpus, code_lossless, &work);
  coder_measure_codec (corpus, results);
  for (unsigned i = 0; i < corpus->n; i++) {
    report_lossless (
        "004 table 3.1", corpus->pictures[i].picture.name, &results[i]);
    add_lossless (&mean, &results[i], 1.0 / corpus->n);
    add_lossless (all, &results[i], 1.0);
  }
  *n_all += corpus->n;
  report_losses (corpus->name, &mean);
}

void
coder_report_lossless (const CoderLossless *all, unsigned n_all)
{
  CoderLossless mean = { 0 };

  add_lossless (&mean, all, 1.0 / n_all);
  report_lossless ("004 table 3.1", "average", &mean);
  report_losses ("mean of all pictures", &mean);
  for (unsigned i = 0; i < 2; i++)
    lab_result ("004 table 4.5", i == 0 ? "3 passes" : "2 passes",
        "lanes active in a visit (of blocks of 64 columns)", mean.active[i],
        "%");
}
