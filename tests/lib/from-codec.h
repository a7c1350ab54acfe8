/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the types of paco.h of what the tests of the codec draw, for
 * round-trip.c, regions.c and stacks.c. */
#pragma once
#include "codec/areas.h"
#include "lib/paco.h"
#include "tests/codec/random-picture.h"

PacoInfo info_of (const PacoPictureFormat *format, const PacoVideoInfo *video);

/* Returns the chunks of video and the areas as an application has them. They
 * stay in chunks, a list of PacoFrameChunk, and in areas. */
PacoExtras extras_of (
    const PacoVideoInfo *video, GArray *chunks, const PacoAreas *areas);

PacoImage image_of (const TestPicture *picture);

/* Returns a sample of a line in memory. */
unsigned read_sample (const PacoSampleLayout *layout, unsigned depth,
    const uint8_t *line, uint32_t x);
