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
#include "tests/lab/jpeg2000.h"
#include <stdio.h>

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
