/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The cut points of a frame (FORMAT.md section 6.1): what paco_frame_cut() must know
 * to make the frame smaller without decoding it. Encoders write them, and only it
 * reads them. */
#pragma once
#include "index.h"
#include "rate_worth.h"
#include <glib.h>

/* Bytes needed at most for n blocks. */
#define PACO_MAX_CUT_POINTS_SIZE(n)                                            \
  ((size_t) (n) *PACO_RATE_POINTS_BYTES (PACO_RATE_MAX_CUTS))

/* Writes those of n blocks, returns their bytes. */
size_t paco_cut_points_write (const PacoBlockRecord *records,
    const PacoRateCuts *cuts, uint32_t n, uint8_t *data);

/* The inverse, for records that are known; FALSE if the bytes are not what section
 * 6.1 says. */
gboolean paco_cut_points_parse (const uint8_t *data, size_t size,
    const PacoBlockRecord *records, uint32_t n, PacoRateCuts *cuts);
