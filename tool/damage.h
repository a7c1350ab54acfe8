/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says in words which blocks of a frame are damaged, by the checks that the frame
 * has. verify.c calls it. */
#pragma once
#include <glib.h>
#include <stdint.h>

/* Returns "LL of component 0 at 64,0; ..." for up to `most` broken blocks of the
 * whole frame at data, to be freed; x and y are coefficients of the subband. *n
 * becomes how many there are. The text is empty if the frame has no checks, or
 * its index is damaged. */
char *paco_damage_blocks (
    const void *data, gsize size, unsigned most, unsigned *n);
