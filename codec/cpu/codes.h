/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the codes of a picture in memory, for the CPU's encoder (encoder.c), which
 * chooses code tables by them (codec/policy_codes.h). */
#pragma once
#include "codec/cpu/frame.h"
#include "codec/policy_codes.h"

/* What a worker has seen of each group: a byte for each code. */
typedef struct
{
  uint8_t used[PACO_MAX_COMPONENTS][PACO_MAX_CODES];
} PacoSeenCodes;

typedef struct
{
  const PacoFrame *frame;
  const PacoPicture *picture;
  PacoSeenCodes *seen; /* one for each worker */
} PacoCodeFinder;

/* Is a PacoFindCodes, with a PacoCodeFinder as data. It does not fail. */
gboolean paco_find_codes (void *data, const PacoCodeGroups *groups,
    uint32_t step, PacoCodeTable *tables, GError **error);
