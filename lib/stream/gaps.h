/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out which frames are missing between those that come one after the other, by
 * the numbers that they carry (FORMAT.md, chunk 4). pacoparse and libpaco's reader.c
 * ask it.
 *
 * If numbers begin again, another stream begins, and if they go back, streams have
 * been joined: nothing is missing then. If numbers are left out, frames of one
 * stream are missing if its bytes before the next frame grew as they would. They
 * were lost, or have been cut out on purpose; only damage that was seen there tells
 * these apart. */
#pragma once
#include "codec/header.h"

/* If this is all zeros, anything may come next. */
typedef struct
{
  /* The place of the next frame of the stream, unless anything may come next. */
  bool expects;
  PacoPlace next;
  uint64_t next_byte;         /* where it is, unless there was a seek */
  uint32_t smallest, largest; /* bytes of a frame, since the stream began */
} PacoGaps;

/* A gap: frames that are missing. */
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

/* Says that what comes next may be from anywhere: after a seek, or when another
 * stream begins. */
void paco_gaps_forget (PacoGaps *gaps);

/* Records that `bytes` bytes were thrown away at byte `byte` of the file. */
void paco_gaps_damage (PacoGaps *gaps, uint64_t byte, size_t bytes);

/* Takes a frame at that byte of the file. Returns what is before it; MISSING
 * fills *gap. */
PacoGapsResult paco_gaps_frame (
    PacoGaps *gaps, const PacoHeader *header, uint64_t byte, PacoGap *gap);
