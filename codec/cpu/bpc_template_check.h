/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The check of a block's bytes (codec/check.h), which bpc_template.h compiles for each
 * instruction set. */
#pragma once
#include "codec/check.h"

static uint16_t
check_bytes (const uint8_t *bytes, size_t length)
{
  return paco_check_bytes (bytes, length);
}
