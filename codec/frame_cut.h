/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes a coded frame smaller without decoding it; pacoparse does it for its property
 * max-frame-size (plugin/parse/gstpacoparseformat.c). */
#pragma once
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the frame of `size` bytes at data to out, which has room for as many, so that
 * it takes at most `budget` bytes: blocks lose their last planes in the order that its
 * encoder says. Nothing is decoded. A frame that fits is copied as it is. Its place
 * (chunk 4) stays what it was. FALSE and an error: CORRUPT, or that of a header that
 * cannot be parsed, or UNSUPPORTED, when the frame has no cut points or cannot be as
 * small as that (the sentence says how small it can). */
gboolean paco_frame_cut (const uint8_t *data, size_t size, size_t budget,
    uint8_t *out, size_t *out_size, GError **error);
