/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which frames are missing between those that come one after the other, by the numbers
 * that they carry (FORMAT.md, chunk 4). pacoparse and libpaco's reader.c ask it.
 *
 * Where numbers begin anew another stream begins, and where they go back somebody has
 * joined streams: nothing is missing then. Where they leave some out, frames of one
 * stream are missing if its bytes before the next frame grew as they would: they were
 * lost, or somebody has cut them out, which nobody can tell but by damage that was
 * seen there. */
#pragma once
#include "codec/header.h"

/* Of zeros: anything may come next. */
typedef struct
{
  /* What the next frame of the stream carries; unless anything may come next. */
  bool expects;
  PacoPlace next;
  uint64_t next_byte;         /* where it is, unless there was a seek */
  uint32_t smallest, largest; /* bytes of a frame, since the stream began */
} PacoGaps;

/* Frames that are missing. */
typedef struct
{
  uint32_t first, n;
  uint64_t bytes;
} PacoGap;

typedef enum
{
  PACO_GAPS_NONE,
  PACO_GAPS_MISSING,
  PACO_GAPS_OTHER_STREAM, /* goes on with a frame of its own */
} PacoGapsResult;

/* What comes next may be from anywhere: after a seek, or when another stream begins. */
void paco_gaps_forget (PacoGaps *gaps);

/* So many bytes were thrown away at that byte of the file. */
void paco_gaps_damage (PacoGaps *gaps, uint64_t byte, size_t bytes);

/* A frame comes, at that byte of the file. What is before it; MISSING fills *gap. */
PacoGapsResult paco_gaps_frame (
    PacoGaps *gaps, const PacoHeader *header, uint64_t byte, PacoGap *gap);
