/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws random headers that can be written. The tests of headers, of the index and of
 * the policy call it. */
#pragma once
#include "codec/header.h"
#include "tests/codec/draw.h"

/* Any size, depths and subsampling. */
void draw_picture (PacoPictureFormat *picture);

/* A whole header; set: room for what it may carry, which it points to then. */
void draw_header (PacoHeader *header, PacoProbabilitySet *set);
