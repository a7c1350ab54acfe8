/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What header.c, which has the bytes of a header, and header_check.c, which says what its
 * fields may be, have in common. */
#pragma once
#include "error.h"
#include "header.h"

#define PACO_HEADER_STEP_MASK                                                  \
  0x3fff /* of a subband's entry: the code of its step */

/* Returns how many subbands a component has, each with an entry in its table. */
static inline unsigned
paco_header_n_entries (const PacoHeader *header)
{
  return 3 * header->coding.levels + 1;
}

/* Checks video.slice, and that the picture is one that can be a slice. Error
 * UNSUPPORTED. */
gboolean paco_header_check_slice (const PacoHeader *header, GError **error);
