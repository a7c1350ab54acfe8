/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the gray picture that programs for a GPU code: the second component of
 * what tests/bench/cuda/content.h makes of the picture that PACO_CONTENT
 * names. */
#pragma once
#include <stdint.h>

/* Fills size x size samples of 8 bits. */
void lab_gray_content (uint8_t *samples, unsigned size);
