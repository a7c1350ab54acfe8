/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out which frames are missing, for pacoparse and libpaco (gaps.h). */
#include "gaps.h"

enum
{
  /* Frames that are missing are on average larger or smaller than those that are
   * there by at most this factor. */
  LARGEST_FACTOR = 16,
};

void
paco_gaps_forget (PacoGaps *gaps)
{
  gaps->expects = false;
}

void
paco_gaps_damage (PacoGaps *gaps, uint64_t byte, size_t bytes)
{
  gaps->next_byte = byte + bytes;
}

/* Says whether frames of the stream are missing before the one at that place. */
static bool
find_gap (const PacoGaps *gaps, const PacoPlace *place, PacoGap *gap)
{
  gap->first = gaps->next.number;
  gap->n = place->number - gaps->next.number;
  gap->bytes = place->offset - gaps->next.offset;
  if (!gaps->expects || place->number == 0 || gap->n == 0
      || gap->n > G_MAXINT32)
    return false;
  /* Frames that were missing already when the stream was cut have no bytes. */
  return gap->bytes == 0
      || (gap->bytes / gap->n >= gaps->smallest / LARGEST_FACTOR
          && gap->bytes / gap->n <= (uint64_t) LARGEST_FACTOR * gaps->largest);
}

static void
expect_next (PacoGaps *gaps, const PacoHeader *header, bool goes_on)
{
  uint32_t size = header->frame_size;

  gaps->expects = header->video.has_place;
  gaps->next.number = header->video.place.number + 1;
  gaps->next.offset = header->video.place.offset + size;
  gaps->smallest = goes_on ? MIN (gaps->smallest, size) : size;
  gaps->largest = goes_on ? MAX (gaps->largest, size) : size;
}

PacoGapsResult
paco_gaps_frame (
    PacoGaps *gaps, const PacoHeader *header, uint64_t byte, PacoGap *gap)
{
  const PacoPlace *place = &header->video.place;
  PacoGapsResult result = PACO_GAPS_NONE;
  bool goes_on;

  if (byte != gaps->next_byte)
    gaps->expects = false; /* somebody has seeked */
  gaps->next_byte = byte + header->frame_size;
  goes_on = gaps->expects && header->video.has_place
      && place->number == gaps->next.number;
  if (header->video.has_place && find_gap (gaps, place, gap))
    result = PACO_GAPS_MISSING;
  else if (gaps->expects && !goes_on)
    result = PACO_GAPS_OTHER_STREAM;
  expect_next (gaps, header, goes_on || result == PACO_GAPS_MISSING);
  return result;
}
