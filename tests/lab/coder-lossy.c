/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures lossy coding, for lab-coder: Figures 3.3 to 3.5 and 4.4 of text
 * 004. JPEG 2000 codes a picture at a rate; the coder gets as many bytes of
 * packets. */
#include "tests/lab/coder.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double rates[CODER_N_RATES] = { 0.25, 0.5, 1, 2, 3, 4 };

/* This is what is measured of a picture at a rate. */
typedef struct
{
  size_t bytes;    /* JPEG 2000's */
  double rival;    /* dB */
  double parallel; /* dB of its variations for coding passes in parallel */
  double method[N_METHODS];
  bool comparable;
} AtRate;

typedef AtRate AllRates[CODER_N_RATES];

typedef struct
{
  const CoderCorpus *corpus;
  AllRates *results; /* of the corpus' pictures */
} LossyWork;

static double
rival_psnr (
    const CoderPicture *picture, const Jpeg2000Options *options, size_t *bytes)
{
  g_autofree PacoReferenceSample *decoded = g_new (
      PacoReferenceSample, (size_t) coder_samples (picture));

  *bytes = jpeg2000_code (&picture->picture, options, decoded);
  return gray_picture_psnr (&picture->picture, decoded);
}

/* Codes the rival. A rate at which nothing is left to leave out cannot be
 * compared. */
static void
code_rival (const CoderPicture *picture, AtRate *results)
{
  for (unsigned i = 0; i < CODER_N_RATES; i++) {
    Jpeg2000Options options = { .bits = rates[i],
      .block_height = CODER_BLOCK_HEIGHT };
    double target = rates[i] * coder_samples (picture) / 8;
    size_t bytes;

    results[i].rival = rival_psnr (picture, &options, &results[i].bytes);
    results[i].comparable = isfinite (results[i].rival)
        && (double) results[i].bytes > 0.97 * target - 256;
    options.parallel_passes = true;
    results[i].parallel = rival_psnr (picture, &options, &bytes);
  }
}

static void
code_method (const CoderCorpus *corpus, const CoderPicture *picture,
    CoderMethodId id, AtRate *results)
{
  g_autofree GrayTables *tables = g_new (GrayTables, 1);
  GrayCode code;
  size_t all;

  coder_encode (corpus, picture, CODER_LOSSY, &coder_methods[id],
      CODER_BLOCK_HEIGHT, tables, &code);
  all = gray_code_bytes (&code);
  for (unsigned i = 0; i < CODER_N_RATES; i++) {
    if (results[i].bytes > all)
      results[i].comparable = false;
    else
      results[i].method[id] = coder_psnr_at (picture, &code, results[i].bytes);
  }
  gray_code_clear (&code);
}

static void
code_lossy (gpointer data, gpointer user_data)
{
  const CoderPicture *picture = data;
  const LossyWork *work = user_data;
  size_t number = (size_t) (picture - work->corpus->pictures);

  code_rival (picture, work->results[number]);
  for (unsigned i = 0; i < N_METHODS; i++)
    if (i == METHOD_TEXT || i == METHOD_TWO_PASSES || i == METHOD_KNOWN
        || (number == 0 && i <= METHOD_ONE_CONTEXT))
      code_method (
          work->corpus, picture, (CoderMethodId) i, work->results[number]);
}

static const char *
rate_name (unsigned i)
{
  static const char *const names[CODER_N_RATES] = { "0.25", "0.5", "1", "2",
    "3", "4" };

  return names[i];
}

/* Reports figure 3.4: what one change makes of the first picture. */
static void
report_methods (unsigned number, const AtRate *results)
{
  g_autofree char *table = g_strdup_printf (
      "004 figure 3.4%c", 'a' + (int) number);

  for (unsigned i = 0; i < CODER_N_RATES; i++)
    for (unsigned m = 0; results[i].comparable && m <= METHOD_ONE_CONTEXT; m++)
      if (m != METHOD_TWO_PASSES)
        lab_result (table, coder_methods[m].name, rate_name (i),
            results[i].method[m] - results[i].rival, "dB");
}

static void
sum_up (const CoderCorpus *corpus, AllRates *results, unsigned rate,
    CoderLossy *sum)
{
  for (unsigned n = 0; n < corpus->n; n++) {
    const AtRate *at = &results[n][rate];

    if (!at->comparable)
      continue;
    sum->n++;
    sum->three += at->method[METHOD_TEXT] - at->rival;
    sum->two += at->method[METHOD_TWO_PASSES] - at->rival;
    sum->known += at->method[METHOD_KNOWN] - at->rival;
    sum->parallel += at->parallel - at->rival;
  }
}

void
coder_measure_lossy (CoderCorpus *corpus, CoderLossy *all)
{
  g_autofree AllRates *results = g_new0 (AllRates, corpus->n);
  LossyWork work = { corpus, results };

  if (!jpeg2000_is_there ())
    return;
  coder_for_all_pictures (corpus, code_lossy, &work);
  for (unsigned i = 0; i < CODER_N_RATES; i++) {
    CoderLossy sum = { 0 };

    sum_up (corpus, results, i, &sum);
    sum_up (corpus, results, i, &all[i]);
    if (sum.n == corpus->n)
      lab_result ("004 figure 3.3", corpus->name, rate_name (i),
          sum.three / sum.n, "dB");
    if (sum.n == corpus->n)
      lab_result ("004 figure 3.3 known", corpus->name, rate_name (i),
          sum.known / sum.n, "dB");
  }
  report_methods (corpus->number, results[0]);
}

void
coder_report_lossy (const CoderLossy *all)
{
  for (unsigned i = 0; i < CODER_N_RATES; i++) {
    if (all[i].n == 0)
      continue;
    lab_result ("004 figure 4.4", "3 passes", rate_name (i),
        all[i].three / all[i].n, "dB");
    lab_result ("004 figure 4.4", "2 passes", rate_name (i),
        all[i].two / all[i].n, "dB");
    lab_result ("004 figure 4.4", "3 passes, tables of all pictures",
        rate_name (i), all[i].known / all[i].n, "dB");
    lab_result ("004 figure 4.4", "JPEG 2000, RESET RESTART CAUSAL",
        rate_name (i), all[i].parallel / all[i].n, "dB");
  }
}

/* Measures heights. JPEG 2000's blocks have at most 4096 coefficients, so its
 * largest ones stand for larger ones too. */
void
coder_measure_heights (CoderCorpus *corpus)
{
  static const unsigned heights[] = { 4, 8, 16, 32, 64, 128 };
  const CoderPicture *picture = &corpus->pictures[0];
  g_autofree GrayTables *tables = g_new (GrayTables, 1);

  for (unsigned h = 0; jpeg2000_is_there () && h < G_N_ELEMENTS (heights);
       h++) {
    g_autofree char *series = g_strdup_printf ("64x%u", heights[h]);
    GrayCode code;
    size_t all;

    coder_encode (corpus, picture, CODER_LOSSY, &coder_methods[METHOD_TEXT],
        heights[h], tables, &code);
    all = gray_code_bytes (&code);
    for (unsigned i = 0; i + 1 < CODER_N_RATES; i++) {
      const Jpeg2000Options options = { .bits = rates[i],
        .block_height = MIN (heights[h], 64) };
      size_t bytes;
      double rival = rival_psnr (picture, &options, &bytes);

      if (bytes <= all)
        lab_result ("004 figure 3.5", series, rate_name (i),
            coder_psnr_at (picture, &code, bytes) - rival, "dB");
    }
    gray_code_clear (&code);
  }
}
