/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the gray picture that programs for a GPU code: the second component of
 * what tests/bench/cuda/content.h makes of the picture that PACO_CONTENT
 * names. */
#pragma once
#include "tests/bench/cuda/content.h"
#include <glib.h>

/* Fills size x size samples of 8 bits. */
static inline void
lab_gray_content (uint8_t *samples, unsigned size)
{
  size_t n = (size_t) size * size;
  g_autofree uint16_t *content = g_new (uint16_t, 3 * n);

  content_fill (content, size, size, g_getenv ("PACO_CONTENT"));
  for (size_t i = 0; i < n; i++)
    samples[i] = (uint8_t) (content[n + i] >> 4);
}
