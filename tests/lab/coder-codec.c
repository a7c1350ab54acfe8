/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Looks, for lab-coder, at the codec itself, whose block coder has grown out
 * of text 004's: it measures what a picture takes with its sets, and with one
 * that was made of the other pictures of its corpus and is not counted, as the
 * text's tables are not. */
#include "codec/tables/estimate.h"
#include "tests/lab/coder.h"
#include <string.h>

/* Describes the picture as the codec wants it: words of 16 bits, in `words`. */
static void
describe (const GrayPicture *picture, uint16_t *words,
    PacoPictureFormat *format, PacoPicture *described)
{
  size_t n = (size_t) picture->plane.width * picture->plane.height;

  for (size_t i = 0; i < n; i++)
    words[i] = GUINT16_TO_LE (
        (uint16_t) (picture->plane.samples[i].i + (1 << (picture->depth - 1))));
  *format = (PacoPictureFormat){
    .width = picture->plane.width,
    .height = picture->plane.height,
    .n_components = 1,
    .components = { { .depth = (uint8_t) picture->depth } },
  };
  *described = (PacoPicture){
    .data = { (uint8_t *) words },
    .stride = { (ptrdiff_t) (2 * picture->plane.width) },
    .layout = { PACO_LAYOUT_PLANAR (2) },
  };
}

/* Returns the bytes of a frame; counts (or NULL) gets its symbols. */
static size_t
encode (const GrayPicture *picture, unsigned passes, int wavelet,
    const PacoProbabilitySet *set, PacoReferenceCounts *counts)
{
  static const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autofree uint16_t *words = g_new (
      uint16_t, (size_t) picture->plane.width * picture->plane.height);
  GByteArray *out = g_byte_array_new ();
  PacoPictureFormat format;
  PacoPicture described;
  GError *error = NULL;
  size_t bytes;

  describe (picture, words, &format, &described);
  parameters.rate_control = PACO_RATE_LOSSLESS;
  parameters.coding_passes = passes;
  parameters.wavelet = wavelet;
  parameters.block_checks = false; /* JPEG 2000 has none. */
  if (!paco_reference_encode_counting (
          &format, &described, &video, &parameters, set, counts, out, &error))
    lab_fail ("%s: %s", picture->name, error->message);
  bytes = out->len;
  g_byte_array_unref (out);
  return bytes;
}

static void
add_counts (SymbolWeights *to, const PacoReferenceCounts *counts, double factor)
{
  for (unsigned i = 0; i < PACO_N_ROWS * PACO_N_CONTEXTS; i++)
    for (unsigned bit = 0; bit < 2; bit++)
      to->n[i][bit] += factor
          * (double)
                counts->symbols[i / PACO_N_CONTEXTS][i % PACO_N_CONTEXTS][bit];
}

/* Returns how many bytes a set takes in a frame that carries it, which are the same
 * for all frames. */
static size_t
bytes_of_set (const PacoProbabilitySet *set)
{
  PacoReferenceSample sample = { .i = 0 };
  const GrayPicture picture = {
    .name = (char *) "one sample", .depth = 8, .plane = { 1, 1, &sample }
  };

  return encode (&picture, 1, PACO_WAVELET_CDF53, set, NULL)
      - encode (&picture, 1, PACO_WAVELET_CDF53, NULL, NULL);
}

typedef struct
{
  const CoderCorpus *corpus;
  unsigned passes;
  PacoReferenceCounts *counts; /* of the corpus' pictures */
  SymbolWeights all;
  CoderLossless *results; /* of the pictures */
  CoderCodec which;
} CodecWork;

static void
count (gpointer data, gpointer user_data)
{
  const CoderPicture *picture = data;
  const CodecWork *work = user_data;

  encode (&picture->picture, work->passes, PACO_WAVELET_CDF53, NULL,
      &work->counts[picture - work->corpus->pictures]);
}

static void
code_with_others (gpointer data, gpointer user_data)
{
  const CoderPicture *picture = data;
  const CodecWork *work = user_data;
  size_t number = (size_t) (picture - work->corpus->pictures);
  g_autofree SymbolWeights *others = g_memdup2 (
      &work->all, sizeof (SymbolWeights));
  g_autofree Probabilities *probabilities = g_new (Probabilities, 1);
  PacoProbabilitySet set;
  size_t bytes;

  add_counts (others, &work->counts[number], -1);
  estimate_common (others, probabilities);
  to_set (probabilities, &set);
  bytes = encode (
      &picture->picture, work->passes, PACO_WAVELET_CDF53, &set, NULL);
  work->results[number].codec[work->which] = 8
      * (double) (bytes - bytes_of_set (&set)) / coder_samples (picture);
}

static void
code_as_ever (gpointer data, gpointer user_data)
{
  const CoderPicture *picture = data;
  const CodecWork *work = user_data;

  work->results[picture - work->corpus->pictures].codec[CODEC_AS_EVER] = 8
      * (double) encode (&picture->picture, 1, PACO_WAVELET_AUTO, NULL, NULL)
      / coder_samples (picture);
}

void
coder_measure_codec (CoderCorpus *corpus, CoderLossless *results)
{
  static const unsigned passes[] = {
    [CODEC_ONE_PASS] = 1, [CODEC_THREE_PASSES] = 3
  };
  CodecWork *work = g_new0 (CodecWork, 1);

  work->corpus = corpus;
  work->results = results;
  work->counts = g_new (PacoReferenceCounts, corpus->n);
  for (unsigned i = 0; i < G_N_ELEMENTS (passes); i++) {
    work->which = (CoderCodec) i;
    work->passes = passes[i];
    memset (work->counts, 0, corpus->n * sizeof *work->counts);
    memset (&work->all, 0, sizeof work->all);
    coder_for_all_pictures (corpus, count, work);
    for (unsigned n = 0; n < corpus->n; n++)
      add_counts (&work->all, &work->counts[n], 1);
    coder_for_all_pictures (corpus, code_with_others, work);
  }
  coder_for_all_pictures (corpus, code_as_ever, work);
  g_free (work->counts);
  g_free (work);
}
