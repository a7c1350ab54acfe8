/* SPDX-License-Identifier: LGPL-2.1-or-later
 * lab-coder: compares text 004's coder with JPEG 2000 on the corpus: how many
 * bits lossless coding takes, what PSNR lossy coding gives, and what each thing
 * costs that makes the coder parallel. Tables of probabilities are those of the
 * other pictures of a corpus. Bytes are those of packets, on both sides; rates
 * are no times, so the load of the machine does not matter.
 *
 * The text's pictures cannot be had; those of ../shared/corpus stand in, or of
 * $PACO_CORPUS, as gray, in corpora of one kind each. */
#include "tests/lab/coder.h"
#include <stdio.h>
#include <string.h>

/* Has lab-coder's methods, the corpora that they are measured on, and the
 * tables of probabilities of a picture, which are made of the others of its
 * corpus. */

#define TEXT_PRECISION                                                         \
  {                                                                            \
    .codeword_bits = 16, .probability_bits = 7                                 \
  }

const CoderMethod coder_methods[N_METHODS] = {
  [METHOD_TEXT] = { "BPC-PaCo", { 3, SYMBOL_LANES_OWN, TEXT_PRECISION, false },
      COUNTED_THREE_PASSES },
  [METHOD_TWO_PASSES] = { "2 passes",
      { 2, SYMBOL_LANES_OWN, TEXT_PRECISION, false }, COUNTED_TWO_PASSES },
  [METHOD_MQ] = { "MQ", { 3, SYMBOL_MQ, TEXT_PRECISION, false },
      COUNTED_THREE_PASSES },
  [METHOD_ONE_CODEWORD] = { "single cwd. AC",
      { 3, SYMBOL_ONE_CODER, TEXT_PRECISION, false }, COUNTED_THREE_PASSES },
  [METHOD_ONE_CONTEXT] = { "no ctx.",
      { 3, SYMBOL_LANES_OWN, TEXT_PRECISION, true }, COUNTED_ONE_CONTEXT },
  [METHOD_LONG] = { "32-bit codewords, 8-bit probabilities",
      { 3, SYMBOL_LANES_OWN, { 32, 8 }, false }, COUNTED_THREE_PASSES },
  [METHOD_KNOWN] = { "BPC-PaCo, tables of all pictures",
      { 3, SYMBOL_LANES_OWN, TEXT_PRECISION, false }, COUNTED_THREE_PASSES,
      true },
};

/* --- Pictures --- */

enum
{
  MAX_WIDTH = 2048, /* of a picture; larger ones are cut */
  MAX_HEIGHT = 2560,
  SHORT_SIZE = 128, /* with --short */
};

/* Table 3.1 names each picture, the figures the first of each corpus. */
static const struct
{
  const char *name;
  const char *files[13];
} corpora[] = {
  { "film scans",
      { "kodim01.ppm", "kodim03.ppm", "kodim05.ppm", "kodim07.ppm",
          "kodim09.ppm", "kodim10.ppm", "kodim11.ppm", "kodim13.ppm",
          "kodim15.ppm", "kodim17.ppm", "kodim19.ppm", "kodim21.ppm" } },
  { "photographs",
      { "p2k_osprey.ppm", "p2k_spices.ppm", "p2k_beacon.ppm", "p2k_nebula.ppm",
          "p2k_stream.ppm", "p4k_canyon.ppm" } },
  { "medical", { "med10_RG2.pgm", "med12_MR1.pgm", "med16_CT1.pgm" } },
  { "deep", { "exr12_Desk.ppm", "dci12_diner.ppm", "rgb16_room.ppm" } },
  { "clips",
      { "clip8_parkjoy_480x270_420.y4m", "clip8_street_960x540_420.y4m",
          "clip8_sintel_1024x436_444.y4m" } },
};

static const PacoWaveletId wavelets[CODER_N_REGIMES] = { PACO_WAVELET_CDF53,
  PACO_WAVELET_CDF97 };

double
coder_samples (const CoderPicture *picture)
{
  return (double) picture->picture.plane.width * picture->picture.plane.height;
}

static void
prepare (gpointer data, gpointer user_data)
{
  CoderPicture *picture = data;

  (void) user_data;
  for (unsigned r = 0; r < CODER_N_REGIMES; r++) {
    gray_transform (&picture->picture, wavelets[r], &picture->transform[r]);
    for (unsigned i = 0; i < N_METHODS; i++) {
      const CoderMethod *method = &coder_methods[i];

      /* This is the first method of those that share counts. */
      if (i == METHOD_TEXT || method->counted != COUNTED_THREE_PASSES)
        gray_count (&picture->transform[r], &method->form, CODER_BLOCK_HEIGHT,
            &picture->counts[r][method->counted]);
    }
  }
}

/* Has threads, as many as there are processors but two at most, work on the pictures. */
void
coder_for_all_pictures (CoderCorpus *corpus, GFunc work, gpointer user_data)
{
  GThreadPool *pool = g_thread_pool_new (
      work, user_data, (int) MIN (g_get_num_processors (), 2), TRUE, NULL);

  for (unsigned i = 0; i < corpus->n; i++)
    g_thread_pool_push (pool, &corpus->pictures[i], NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
}

static const char *
corpus_folder (void)
{
  const char *folder = g_getenv ("PACO_CORPUS");

  return folder ? folder : "../shared/corpus";
}

void
coder_corpus_read (unsigned number, CoderCorpus *corpus)
{
  unsigned width = lab_is_short () ? SHORT_SIZE : MAX_WIDTH;
  unsigned height = lab_is_short () ? SHORT_SIZE : MAX_HEIGHT;

  if (!g_file_test (corpus_folder (), G_FILE_TEST_IS_DIR))
    lab_skip ("there are no pictures in %s", corpus_folder ());
  *corpus = (CoderCorpus){ .number = number, .name = corpora[number].name };
  corpus->pictures = g_new0 (CoderPicture, G_N_ELEMENTS (corpora[0].files));
  for (const char *const *file = corpora[number].files; *file; file++) {
    g_autofree char *name = g_strconcat (*file, ".xz", NULL);
    g_autofree char *path = g_build_filename (corpus_folder (), name, NULL);
    GError *error = NULL;

    if (!gray_picture_read (
            path, width, height, &corpus->pictures[corpus->n].picture, &error))
      lab_fail ("%s: %s", path, error->message);
    corpus->n++;
  }
  coder_for_all_pictures (corpus, prepare, NULL);
  for (unsigned i = 0; i < corpus->n; i++)
    for (unsigned r = 0; r < CODER_N_REGIMES; r++)
      for (unsigned c = 0; c < N_COUNTED; c++)
        gray_counts_add (
            &corpus->counts[r][c], &corpus->pictures[i].counts[r][c]);
}

void
coder_corpus_clear (CoderCorpus *corpus)
{
  for (unsigned i = 0; i < corpus->n; i++) {
    gray_picture_clear (&corpus->pictures[i].picture);
    for (unsigned r = 0; r < CODER_N_REGIMES; r++)
      gray_transform_clear (&corpus->pictures[i].transform[r]);
  }
  g_clear_pointer (&corpus->pictures, g_free);
}

/* Counts each symbol in the other pictures of a corpus. */
GrayCounts *
coder_counts_of_others (const CoderCorpus *corpus, const CoderPicture *picture,
    CoderRegime regime, CoderCounted counted)
{
  GrayCounts *others = g_memdup2 (
      &corpus->counts[regime][counted], sizeof *others);

  gray_counts_subtract (others, &picture->counts[regime][counted]);
  return others;
}

/* --- Coding --- */

void
coder_encode (const CoderCorpus *corpus, const CoderPicture *picture,
    CoderRegime regime, const CoderMethod *method, unsigned block_height,
    GrayTables *tables, GrayCode *code)
{
  g_autofree GrayCounts *others = coder_counts_of_others (
      corpus, picture, regime, method->counted);

  if (method->knows_picture)
    gray_counts_add (others, &picture->counts[regime][method->counted]);
  gray_tables (others, method->form.precision.probability_bits, tables);
  gray_encode (
      &picture->transform[regime], &method->form, tables, block_height, code);
}

/* Returns the PSNR of a code cut to so many bytes. */
double
coder_psnr_at (const CoderPicture *picture, GrayCode *code, size_t bytes)
{
  PacoReferencePlane found;
  double psnr;

  gray_code_fit (code, bytes);
  if (!paco_reference_plane_init (
          &found, picture->picture.plane.width, picture->picture.plane.height)
      || !gray_decode (code, picture->picture.depth, &found))
    lab_fail ("%s was not decoded", picture->picture.name);
  psnr = gray_picture_psnr (&picture->picture, found.samples);
  paco_reference_plane_clear (&found);
  return psnr;
}

static void
measure (void)
{
  static CoderCorpus corpus;
  CoderLossless lossless = { 0 };
  CoderLossy lossy[CODER_N_RATES] = { { 0 } };
  unsigned n = 0;

  if (!jpeg2000_is_there ())
    fprintf (stderr,
        "Without OpenJPEG (libopenjp2-7-dev) nothing is compared "
        "with JPEG 2000.\n");
  for (unsigned i = 0; i < CODER_N_CORPORA; i++) {
    coder_corpus_read (i, &corpus);
    coder_measure_lossless (&corpus, &lossless, &n);
    coder_measure_lossy (&corpus, lossy);
    if (i == 0)
      coder_measure_heights (&corpus);
    if (i == 1)
      coder_measure_rival (&corpus);
    coder_corpus_clear (&corpus);
  }
  coder_report_lossless (&lossless, n);
  coder_report_lossy (lossy);
}

int
main (int argc, char **argv)
{
  static const LabProgram program = { coder_check, measure };

  return lab_main (argc, argv, &program);
}
