/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes pictures of the slices of stacks that decoding.c has decoded. */
#pragma once
#include "decoding.h"

/* Reads the header of a frame; the length of its slice is 0 if it cannot be read. */
void paco_slice_read (const PacoFrame *frame, PacoHeader *header);

/* Says of a slice what its picture is, and makes room for its samples: *image is where
 * they are decoded to. told: what the frame becomes (writers.h). */
bool paco_slice_place (
    PacoDecoded *frame, PacoInfo *told, PacoImage *image, GError **error);

/* Makes the pictures of a stack, of which all frames that there are have been decoded,
 * or have an error. Those that cannot be made get an error. *error is set if there is
 * no memory. */
bool paco_slices_finish (GQueue *frames, GError **error);
