/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames of a file, several at a time, in their order, for decode.c and
 * verify.c. */
#pragma once
#include "input.h"
#include "lib/stream/stacks.h"
#include "writers.h"

/* A frame that is decoded, or could not be. */
typedef struct
{
  PacoInputFrame input;
  PacoPixels pixels;
  PacoResult result;
  /* Why it could not be decoded; NULL: pixels are its picture. */
  GError *error;
  /* Of a slice whose stack becomes pictures ; else slice.length is 0. */
  PacoStacks stack;
  uint16_t *samples; /* of the slice */
  size_t capacity;   /* bytes that there are for them */
  uint64_t bytes;    /* of memory, from being laid out to being given back */
  unsigned n_bad;    /* other slices of its stack that are missing or damaged */
} PacoDecoded;

typedef struct
{
  PacoInput *input;
  PacoFrameDecoder
      *decoder; /* NULL: frames are read and given to done() only */
  PacoFrameRange range;
  const PacoWriterKind *kind;
  const PacoFormat *format; /* or NULL */
  unsigned reduce;
  const char *region; /* or NULL */
  uint64_t
      memory; /* bytes that all of it takes (tool/archive/memory.h); 0: the default */
  /* Slices become the pictures of their stack, for which the decoder's setting is
   * slices=true: frames of the stack beside the range are decoded, too. */
  bool stacks;
  /* Is called for each frame in its order, also for those that could not be
   * decoded, and at the end for one without data, whose input.frame.skipped may
   * not be 0. FALSE and an error end the work. */
  bool (*done) (void *user, PacoDecoded *frame, GError **error);
  void *user;
} PacoDecoding;

/* An option of the command line, in MB. */
#define PACO_DECODING_MEMORY_OPTION(memory)                                    \
  PACO_NUMBER ("memory", memory,                                               \
      "memory to take, unless one frame needs more; default 1200", "MB")

/* Decodes the frames of the range. Errors are those of reading, of done(), and of the
 * settings; damage is none. */
bool paco_decoding_run (const PacoDecoding *decoding, GError **error);

/* Reads the header of a frame; the length of its slice is 0 if it cannot be read. */
void paco_slice_read (const PacoFrame *frame, PacoHeader *header);
