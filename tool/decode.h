/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says what the commands that decode to files have in common (decode.c, still.c). */
#pragma once
#include "coder_options.h"
#include "input.h"

/* What the command line asks for. */
typedef struct
{
  PacoCoderOptions coder;
  char *as, *format, *frames, *region; /* NULL: not given */
  int reduce, start, memory;
  gboolean force, quiet;
} PacoDecodeOptions;

#define PACO_DECODE_OPTIONS_INIT                                               \
  {                                                                            \
    .coder = PACO_CODER_OPTIONS_INIT, .start = -1                              \
  }

/* Entries that fill them, for every such command. */
#define PACO_DECODE_ENTRIES(options)                                           \
  PACO_TEXT ("as", &(options).as,                                              \
      "what pictures are written as, whatever OUT is called: pnm, pam, png, "  \
      "jpeg, tiff, dng, dpx, y4m, raw",                                        \
      "KIND"),                                                                 \
      PACO_NUMBER ("reduce", &(options).reduce,                                \
          "halves width and height N times", "N"),                             \
      PACO_TEXT ("region", &(options).region,                                  \
          "only this part of the (reduced) picture", "X,Y,WIDTH,HEIGHT"),      \
      PACO_FORCE (&(options).force, "overwrites files that are there"),        \
      PACO_QUIET (&(options).quiet, "shows no progress on a terminal"),        \
      PACO_CODER_OPTIONS ((options).coder)

/* Decodes frames *range of the file `from` to `to`. Returns a PacoExit. */
int paco_decode_range (const PacoDecodeOptions *options, char *from,
    const char *to, const PacoFrameRange *range);
