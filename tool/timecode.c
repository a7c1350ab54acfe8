/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads and makes timecodes (timecode.h). */
#include "timecode.h"
#include "codec/header.h"
#include <stdio.h>

#define MINUTE 60
#define DAY_MINUTES 1440

bool
paco_timecode_parse (const char *text, PacoTimecode *timecode)
{
  unsigned hours, minutes, seconds, frames;
  char mark, end;

  if (sscanf (text, "%2u:%2u:%2u%c%3u%c", &hours, &minutes, &seconds, &mark,
          &frames, &end)
          != 5
      || (mark != ':' && mark != ';') || hours > 23 || minutes > 59
      || seconds > 59)
    return false;
  *timecode = (PacoTimecode){
    .fps_d = 1,
    .frames = frames,
    .hours = (uint8_t) hours,
    .minutes = (uint8_t) minutes,
    .seconds = (uint8_t) seconds,
    .flags = mark == ';' ? PACO_TIMECODE_DROP_FRAME : 0,
  };
  return true;
}

char *
paco_timecode_text (const PacoTimecode *timecode)
{
  return g_strdup_printf ("%02u:%02u:%02u%c%02u", timecode->hours,
      timecode->minutes, timecode->seconds,
      timecode->flags & PACO_TIMECODE_DROP_FRAME ? ';' : ':', timecode->frames);
}

unsigned
paco_timecode_rate (const PacoTimecode *timecode)
{
  uint64_t rate = ((uint64_t) timecode->fps_n + timecode->fps_d / 2)
      / timecode->fps_d;

  return rate <= G_MAXUINT16 ? (unsigned) rate : 0;
}

/* Returns how many numbers are left out in a minute, of all but every tenth one: 2 of 30
 * frames a second, 4 of 60. */
static unsigned
dropped_numbers (unsigned rate)
{
  return rate / 15;
}

uint64_t
paco_timecode_number (const PacoTimecode *timecode, unsigned rate)
{
  uint64_t minutes = timecode->hours * UINT64_C (60) + timecode->minutes;
  uint64_t number = (minutes * MINUTE + timecode->seconds) * rate
      + timecode->frames;

  if (timecode->flags & PACO_TIMECODE_DROP_FRAME)
    number -= dropped_numbers (rate) * (minutes - minutes / 10);
  return number;
}

PacoTimecode
paco_timecode_of_number (uint64_t number, unsigned rate, bool drop_frame)
{
  PacoTimecode timecode = { .fps_n = rate, .fps_d = 1 };
  unsigned dropped = drop_frame ? dropped_numbers (rate) : 0;
  uint64_t minute = UINT64_C (60) * rate - dropped;
  uint64_t ten = 10 * minute + dropped, tens = number / ten,
           rest = number % ten;

  number += 9 * dropped * tens;
  if (rest >= dropped)
    number += dropped * ((rest - dropped) / minute);
  timecode.frames = (uint32_t) (number % rate);
  timecode.seconds = (uint8_t) (number / rate % 60);
  timecode.minutes = (uint8_t) (number / rate / MINUTE % 60);
  timecode.hours = (uint8_t) (number / rate / MINUTE % DAY_MINUTES / 60);
  timecode.flags = drop_frame ? PACO_TIMECODE_DROP_FRAME : 0;
  return timecode;
}

bool
paco_timecode_of_frame (const void *data, size_t size, PacoTimecode *timecode)
{
  PacoHeader header;
  PacoChunk chunk;

  if (!paco_header_parse (data, size, &header, NULL, NULL))
    return false;
  while (paco_ancillary_next (&header.video.ancillary, &chunk))
    if (chunk.type == PACO_ANCILLARY_TIMECODE) {
      paco_chunk_timecode (&chunk, timecode);
      return true;
    }
  return false;
}

bool
paco_timecode_equal (const PacoTimecode *a, const PacoTimecode *b)
{
  return a->hours == b->hours && a->minutes == b->minutes
      && a->seconds == b->seconds && a->frames == b->frames;
}
