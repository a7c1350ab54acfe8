/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws random headers that can be written. The tests of headers, of the index and of
 * the policy call it. */
#pragma once
#include "codec/header.h"
#include "tests/codec/draw.h"

/* Draws a picture of any size, depths and subsampling. */
void draw_picture (PacoPictureFormat *picture);

/* Draws a whole header. set is room for what it may carry, which it points to
 * then. */
void draw_header (PacoHeader *header, PacoProbabilitySet *set);
