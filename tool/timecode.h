/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads and makes timecodes, as 01:02:03:04, for still.c and contact.c: those that
 * frames carry, or those that count frames from 0 on. */
#pragma once
#include "codec/ancillary.h"
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Reads HH:MM:SS:FF, or HH:MM:SS;FF, which skips numbers of frames (drop frame). */
bool paco_timecode_parse (const char *text, PacoTimecode *timecode);
/* Returns its text, to be freed. */
char *paco_timecode_text (const PacoTimecode *timecode);
/* Returns how many frames a timecode counts in a second, or 0 if that is unknown. */
unsigned paco_timecode_rate (const PacoTimecode *timecode);
/* Returns the number of the frame with that timecode, if 00:00:00:00 has 0. rate is not
 * 0. */
uint64_t paco_timecode_number (const PacoTimecode *timecode, unsigned rate);
/* Makes the timecode of a number. */
PacoTimecode paco_timecode_of_number (
    uint64_t number, unsigned rate, bool drop_frame);
/* Reads the timecode that a frame carries. Returns false if it has none. */
bool paco_timecode_of_frame (
    const void *data, size_t size, PacoTimecode *timecode);
/* Says whether both have the same hours, minutes, seconds and frames. */
bool paco_timecode_equal (const PacoTimecode *a, const PacoTimecode *b);
