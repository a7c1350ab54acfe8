/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The check of a codeblock, for conceal.c and for those who take a frame's bytes
 * apart without decoding it. */
#include "check.h"

uint16_t
paco_block_check (const uint8_t *bytes, size_t length)
{
  return paco_check_bytes (bytes, length);
}
