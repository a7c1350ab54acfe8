/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes one picture with the CPU backend and takes the time. The programs of this
 * folder that measure the CPU use it. */
#pragma once
#include "codec/backend.h"
#include "tests/bench/picture.h"

/* These are the seconds of one run. CPU seconds are those of all threads of the
 * process. */
typedef struct
{
  double wall, cpu;
} Seconds;

Seconds seconds_now (void);
Seconds seconds_since (Seconds start);

/* Codes the picture runs + 1 times and gives the last runs' times in
 * seconds[0..runs), and the codestream. Exits with a message on an error. */
GBytes *codec_encode (const TrainingPicture *file,
    const PacoParameters *parameters, unsigned threads, unsigned runs,
    Seconds *seconds);
void codec_decode (GBytes *stream, TrainingPicture *decoded, unsigned threads,
    unsigned runs, Seconds *seconds);
