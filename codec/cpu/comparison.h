/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares pictures in memory, for decoder.c: what a frame was decoded to, and what it is
 * to give back. The workers share the lines. */
#pragma once
#include "codec/cpu/workers.h"
#include "codec/picture.h"

/* Returns how many bytes of the picture's regions are different in the copy, which has
 * the same layouts and shares memory as the picture does. reduce is that of
 * paco_picture_regions(). */
uint64_t paco_count_different (PacoWorkers *workers,
    const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoPicture *copy, unsigned reduce);
