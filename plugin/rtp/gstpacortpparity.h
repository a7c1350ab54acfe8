/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes parity of symbols of equal size and restores symbols from it. It is a
 * Reed-Solomon code for erasures, with a Cauchy matrix over GF(2^8) (J. Bloemer et
 * al., "An XOR-based erasure-resilient coding scheme", ICSI TR-95-048; docs/RTP.md
 * section 4). Any n of the symbols and rows of parity give all n symbols. rtppacopay
 * makes the rows, and rtppacodepay restores lost symbols from them. */
#pragma once
#include "gstpacortpformat.h"

/* The factor of symbol `column` of a group in row `row`; never 0. */
guint8 gst_paco_rtp_parity_factor (guint row, guint column);

/* Adds symbol times factors[i] to each row, at rows + i * stride. */
void gst_paco_rtp_parity_add (guint8 *rows, gsize stride, const guint8 *factors,
    guint n, const guint8 *symbol, gsize size);

/* Solves for the n <= GST_PACO_RTP_GROUP symbols of columns[], which are missing
 * from their group. On the way in, symbols + i * stride is row rows[i] of the
 * parity plus all symbols that are there, times their factors; on the way out, it
 * is symbol columns[i]. All rows differ, and so do all columns. scratch has n *
 * stride bytes. */
void gst_paco_rtp_parity_solve (guint8 *symbols, gsize stride, gsize size,
    const guint8 *rows, const guint8 *columns, guint n, guint8 *scratch);
