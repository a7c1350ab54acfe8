/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes the header alone. What is taken for a header must, written again, be
 * a header that says the same. */
#include "codec/decoder.h"
#include "codec/geometry.h"
#include "tests/codec/random-ancillary.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include <stdlib.h>
#include <string.h>

/* Takes the ancillary chunks out of what is compared, and returns whether they are
 * the same. */
static bool
compare_ancillary (PacoVideoInfo *a, PacoVideoInfo *b)
{
  g_autofree uint8_t *copies = g_malloc (2 * PACO_MAX_ANCILLARY_SIZE);
  uint8_t *middle = copies + PACO_MAX_ANCILLARY_SIZE;
  size_t sizes[2] = {
    (size_t) (paco_ancillary_copy (&a->ancillary, copies) - copies),
    (size_t) (paco_ancillary_copy (&b->ancillary, middle) - middle),
  };
  bool same = sizes[0] == sizes[1] && memcmp (copies, middle, sizes[0]) == 0;

  a->ancillary = b->ancillary = (PacoAncillary){ NULL, 0 };
  return same;
}

/* Reads all that ancillary chunks say. */
static void
read_ancillary (const PacoHeader *header)
{
  g_autofree uint8_t *copy = g_malloc (PACO_MAX_ANCILLARY_SIZE);
  PacoAncillaryWriter writer = { .data = copy,
    .capacity = PACO_MAX_ANCILLARY_SIZE };
  PacoAncillary rest = header->video.ancillary;
  PacoChunk chunk;

  while (paco_ancillary_next (&rest, &chunk)) {
    size_t before = writer.size;
    /* Active formats of an unknown kind have no meaning to be written. */
    bool is_known = chunk.type <= PACO_ANCILLARY_REFERENCE_TIME
        && (chunk.type != PACO_ANCILLARY_ACTIVE_FORMAT
            || chunk.data[0] <= PACO_ACTIVE_FORMAT_PILLARBOX);

    if (is_known
        && (!test_ancillary_write_again (&writer, &chunk)
            || writer.size - before != PACO_CHUNK_HEAD + chunk.size
            || memcmp (copy + before, chunk.data - PACO_CHUNK_HEAD,
                   writer.size - before)
                != 0))
      abort ();
  }
}

static void
write_and_parse (PacoHeader *header, const PacoProbabilitySet *set)
{
  g_autofree uint8_t *written = g_malloc (PACO_MAX_HEADER_SIZE);
  PacoProbabilitySet set_again;
  PacoHeader again;
  size_t size = paco_header_write (header, written);

  if (size > PACO_MAX_HEADER_SIZE || size != paco_header_size (header)
      || !paco_header_parse (written, size, &again, &set_again, NULL)
      || again.frame_size != header->frame_size
      || !paco_header_same_configuration (header, &again)
      || !compare_ancillary (&again.video, &header->video)
      || memcmp (&again.video, &header->video, sizeof again.video) != 0
      || memcmp (&again.coding, &header->coding, sizeof again.coding) != 0
      || !again.set != !header->set
      || (header->set && memcmp (&set_again, set, sizeof set_again) != 0))
    abort ();
}

static void
try_header (const uint8_t *data, size_t size)
{
  PacoProbabilitySet set;
  PacoHeader header;

  if (size >= PACO_HEADER_PEEK_SIZE)
    paco_header_peek (data, size, &header, NULL);
  if (!paco_header_parse (data, size, &header, &set, NULL))
    return;
  read_ancillary (&header);
  write_and_parse (&header, &set);
  if (paco_picture_samples (&header.picture) <= 1u << 22)
    paco_geometry_free (paco_geometry_new (&header.picture, &header.coding));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree uint8_t *copy = g_malloc (size);

  if (size)
    memcpy (copy, data, size);
  try_header (copy, size);
  fuzz_repair_frame (copy, size);
  try_header (copy, size);
  return 0;
}

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  if (seed % 2)
    return LLVMFuzzerMutate (data, size, capacity);
  return fuzz_mutate_frame (data, size, capacity, FUZZ_MAX_SAMPLES, seed);
}
