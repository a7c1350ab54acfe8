/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A fuzz target: a frame through the reference and every variant of the CPU
 * backend (plain, AVX2, AVX-512). Verdict, number of broken blocks and every
 * byte of the picture must be the same. */
#include "codec/reference/reference.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reference takes its time. */
#define MAX_SAMPLES (FUZZ_MAX_SAMPLES / 2)

static void
compare_variant (unsigned variant, const PacoCodedFrame *coded, unsigned reduce,
    unsigned bytes, const FuzzVerdict *expected, const FuzzPicture *reference)
{
  FuzzPicture picture;
  FuzzVerdict verdict;

  fuzz_picture_init (&picture, &coded->header, reduce, bytes);
  verdict = fuzz_decode (variant, coded, reduce, &picture);
  if (verdict.decoded != expected->decoded
      || verdict.corrupted_blocks != expected->corrupted_blocks
      || (expected->decoded
          && memcmp (picture.memory, reference->memory, picture.size) != 0)) {
    fprintf (stderr,
        "%s, %u levels left out: decoded %d, %u broken blocks; reference: "
        "decoded %d, %u broken blocks\n",
        fuzz_variant_name (variant), reduce, verdict.decoded,
        verdict.corrupted_blocks, expected->decoded,
        expected->corrupted_blocks);
    abort ();
  }
  fuzz_picture_clear (&picture);
}

static void
compare (const PacoCodedFrame *coded, size_t size, unsigned reduce)
{
  unsigned bytes = size % 2 ? FUZZ_PACKED : 2;
  FuzzPicture reference;
  FuzzVerdict expected = { false, 0 };

  fuzz_picture_init (&reference, &coded->header, reduce, bytes);
  expected.decoded = paco_reference_decode (coded->data, size, reduce,
      &reference.picture, &expected.corrupted_blocks, NULL);
  if (!expected.decoded)
    expected.corrupted_blocks = 0;
  for (unsigned i = 0; i < fuzz_n_variants (); i++)
    compare_variant (i, coded, reduce, bytes, &expected, &reference);
  fuzz_picture_clear (&reference);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  PacoCodedFrame coded;
  unsigned levels;

  if (!paco_coded_frame_parse (&coded, data, size, NULL)
      || paco_picture_samples (&coded.header.picture) > MAX_SAMPLES)
    return 0;
  levels = coded.header.coding.levels;
  compare (&coded, size, 0);
  if (levels > 0)
    compare (&coded, size, 1 + (unsigned) size % levels);
  return 0;
}
