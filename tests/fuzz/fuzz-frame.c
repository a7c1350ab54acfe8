/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes what a decoder does with any bytes: header, index and blocks go
 * through the fastest variant of the CPU backend, whole and at the least
 * resolution, as they are and with their lengths and checks made true, and cut
 * to fewer bytes. A sanitizer is the judge; here is nothing to assert but that
 * frames that were submitted come back, and that a frame that was cut is one,
 * of N bytes. fuzz-replay and libFuzzer call it. */
#include "codec/frame_cut.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include <stdlib.h>
#include <string.h>

static void
decode (const PacoCodedFrame *coded, unsigned reduce)
{
  FuzzPicture picture;

  fuzz_picture_init (&picture, &coded->header, reduce, 0);
  fuzz_decode (0, coded, reduce, &picture);
  fuzz_picture_clear (&picture);
}

/* Cuts the frame to a part of its bytes that follows from the last one. */
static void
try_cut (const PacoHeader *header, const uint8_t *data, size_t size)
{
  size_t most = header->header_size
      + (size - header->header_size) * data[size - 1] / 256;
  g_autofree uint8_t *cut = g_malloc (size);
  PacoCodedFrame coded;
  size_t cut_size;

  if (paco_frame_cut (data, size, most, cut, &cut_size, NULL)) {
    if (cut_size > most
        || !paco_coded_frame_parse (&coded, cut, cut_size, NULL))
      abort ();
    decode (&coded, 0);
  }
}

static void
try_frame (const uint8_t *data, size_t size)
{
  PacoCodedFrame coded;

  if (!paco_coded_frame_parse (&coded, data, size, NULL)
      || paco_picture_samples (&coded.header.picture) > FUZZ_MAX_SAMPLES)
    return;
  decode (&coded, 0);
  if (coded.header.coding.levels)
    decode (&coded, coded.header.coding.levels);
  if (coded.header.coding.cut_points)
    try_cut (&coded.header, data, MIN (size, coded.header.frame_size));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  /* This memory has exactly this size, so that a read beyond it is seen. */
  g_autofree uint8_t *copy = g_malloc (size);

  if (size)
    memcpy (copy, data, size);
  try_frame (copy, size);
  fuzz_repair_frame (copy, size);
  if (size && memcmp (copy, data, size) != 0)
    try_frame (copy, size);
  return 0;
}

FUZZ_MUTATOR (frame)
