/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes pictures of the slices of stacks that decoding.c has decoded. */
#pragma once
#include "decoding.h"

/* Says of which stack a frame is a slice; if it is none, the length is 0. */
PacoSlice paco_slice_of (const PacoFrame *frame);

/* Says of a slice what its picture is, and makes room for its samples: *image is where
 * they are decoded to. told: what the frame becomes (writers.h). */
bool paco_slice_place (
    PacoDecoded *frame, PacoInfo *told, PacoImage *image, GError **error);

/* Says whether a frame that was read goes on with the stack whose last slice came before. */
bool paco_slice_goes_on (const PacoDecoded *last, const PacoDecoded *frame);

/* Makes the pictures of a stack, of which all frames that there are have been decoded,
 * or have an error. Those that cannot be made get an error. *error is set if there is
 * no memory. */
bool paco_slices_finish (GQueue *frames, GError **error);
