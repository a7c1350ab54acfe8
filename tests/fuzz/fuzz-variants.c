/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes the reference and every variant of the CPU backend (plain, AVX2,
 * AVX-512) with a frame. What is refused, verdict, number of broken blocks and every byte of
 * the picture must be the same. */
#include "codec/reference/reference.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reference takes its time. */
#define MAX_SAMPLES (FUZZ_MAX_SAMPLES / 2)

/* The frame, and the same one with a change in its payload, follow each other
 * as a stream, so that broken blocks are concealed by what they were. */
typedef struct
{
  PacoCodedFrame frames[2];
  size_t size; /* of each */
  unsigned reduce, bytes;
  FuzzPicture pictures[2]; /* the reference's, and what it says of them */
  FuzzVerdict verdicts[2];
} Stream;

static void
compare_frame (const Stream *stream, unsigned variant, unsigned n)
{
  const FuzzVerdict *expected = &stream->verdicts[n];
  FuzzPicture picture;
  FuzzVerdict verdict;

  fuzz_picture_init (
      &picture, &stream->frames[n].header, stream->reduce, stream->bytes);
  verdict = (n == 0 ? fuzz_decode : fuzz_decode_next) (
      variant, &stream->frames[n], stream->reduce, &picture);
  if (verdict.decoded != expected->decoded
      || verdict.corrupted_blocks != expected->corrupted_blocks
      || verdict.concealed_blocks != expected->concealed_blocks
      || (expected->decoded
          && memcmp (picture.memory, stream->pictures[n].memory, picture.size)
              != 0)) {
    fprintf (stderr,
        "%s, frame %u, %u levels left out: decoded %d, %u broken and %u "
        "concealed blocks; reference: decoded %d, %u and %u\n",
        fuzz_variant_name (variant), n, stream->reduce, verdict.decoded,
        verdict.corrupted_blocks, verdict.concealed_blocks, expected->decoded,
        expected->corrupted_blocks, expected->concealed_blocks);
    abort ();
  }
  fuzz_picture_clear (&picture);
}

/* Decodes the reference's pictures. */
static void
decode_stream (Stream *stream)
{
  PacoReferenceConcealer *concealer = paco_reference_concealer_new ();

  for (unsigned n = 0; n < 2; n++) {
    FuzzVerdict *verdict = &stream->verdicts[n];

    fuzz_picture_init (&stream->pictures[n], &stream->frames[n].header,
        stream->reduce, stream->bytes);
    *verdict = (FuzzVerdict){ false, 0, 0 };
    verdict->decoded = paco_reference_decode_next (concealer,
        stream->frames[n].data, stream->size, stream->reduce,
        &stream->pictures[n].picture, &verdict->corrupted_blocks,
        &verdict->concealed_blocks, NULL);
    if (!verdict->decoded)
      *verdict = (FuzzVerdict){ false, 0, 0 };
  }
  paco_reference_concealer_free (concealer);
}

static void
compare (Stream *stream, unsigned reduce)
{
  stream->reduce = reduce;
  stream->bytes = stream->size % 2 ? FUZZ_PACKED : 2;
  decode_stream (stream);
  for (unsigned i = 0; i < fuzz_n_variants (); i++)
    for (unsigned n = 0; n < 2; n++)
      compare_frame (stream, i, n);
  fuzz_picture_clear (&stream->pictures[0]);
  fuzz_picture_clear (&stream->pictures[1]);
}

/* Changes a byte of the payload's beginning, where LL is. */
static void
damage (uint8_t *data, const PacoHeader *header)
{
  size_t payload = header->header_size + header->index_size;
  size_t length = header->frame_size - payload;

  if (length > 0)
    data[payload + header->index_crc % MIN (length, 64)] ^= 0x10;
}

/* The reference reads headers by itself, and takes the same. */
static void
compare_header (const uint8_t *data, size_t size, bool taken)
{
  PacoReferenceHeader header;
  const char *message;
  bool reference = paco_reference_read_header (data, size, &header, &message)
          == PACO_REFERENCE_DONE
      && header.frame_size <= size;

  if (reference == taken)
    return;
  fprintf (stderr, "a header is %s, and the reference %s: %s\n",
      taken ? "taken" : "refused", reference ? "takes it" : "does not",
      message);
  abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Stream stream = { .size = size };
  const PacoHeader *header = &stream.frames[0].header;
  g_autofree uint8_t *copy = NULL;
  bool taken = paco_coded_frame_parse (&stream.frames[0], data, size, NULL);

  compare_header (data, size, taken);
  if (!taken || paco_picture_samples (&header->picture) > MAX_SAMPLES)
    return 0;
  copy = g_memdup2 (data, size);
  damage (copy, header);
  if (!paco_coded_frame_parse (&stream.frames[1], copy, size, NULL))
    abort ();
  compare (&stream, 0);
  if (header->coding.levels > 0)
    compare (&stream, 1 + (unsigned) size % header->coding.levels);
  return 0;
}

FUZZ_MUTATOR (frame)
