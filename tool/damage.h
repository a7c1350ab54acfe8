/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which blocks of a frame are damaged, in words, by the checks that the frame has. */
#pragma once
#include <glib.h>
#include <stdint.h>

/* "LL of component 0 at 64,0; ..." for up to `most` broken blocks of the whole frame at
 * data; x and y are coefficients of the subband. *n becomes how many there are. To be
 * freed; "" if the frame has no checks, or its index is damaged. */
char *paco_damage_blocks (
    const void *data, gsize size, unsigned most, unsigned *n);
