/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The cut points of a frame (FORMAT.md section 6.1): what paco_frame_cut() must know to
 * make the frame smaller without decoding it. The encoders of the CPU and the reference
 * write them with this (gpu/kernels/pack.cu writes its own), and only paco_frame_cut()
 * reads them. */
#pragma once
#include "index.h"
#include "rate_worth.h"
#include <glib.h>

/* How many bytes the cut points of n blocks take at most. */
#define PACO_MAX_CUT_POINTS_SIZE(n)                                            \
  ((size_t) (n) *PACO_RATE_POINTS_BYTES (PACO_RATE_MAX_CUTS))

/* Writes the cut points of n blocks, and returns how many bytes they take. */
size_t paco_cut_points_write (const PacoBlockRecord *records,
    const PacoRateCuts *cuts, uint32_t n, uint8_t *data);

/* Parses the cut points of n blocks whose records are known. FALSE if the bytes are not
 * as section 6.1 says. */
gboolean paco_cut_points_parse (const uint8_t *data, size_t size,
    const PacoBlockRecord *records, uint32_t n, PacoRateCuts *cuts);
