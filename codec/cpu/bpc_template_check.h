/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The check of a block's bytes. The loop over whole pairs has the form that
 * compilers turn into vectors: the keys are added up, as a product with the
 * pair's number would cost more than all the rest. */
#pragma once
#include "codec/check.h"
#include "codec/cpu/bpc_bits.h"

#define PAIR_BYTES 8

static uint16_t
check_bytes (const uint8_t *bytes, size_t length)
{
  size_t n_whole = length / PAIR_BYTES;
  uint32_t first_key = 0, second_key = 0;
  uint64_t sum = 0, pair;

  for (size_t n = 0; n < n_whole; n++) {
    pair = load_le64 (bytes + PAIR_BYTES * n);
    first_key += PACO_CHECK_FIRST;
    second_key += PACO_CHECK_SECOND;
    sum += paco_check_pair (
        (uint32_t) pair, (uint32_t) (pair >> 32), first_key, second_key);
  }
  if (length % PAIR_BYTES > 0) {
    pair = 0;
    memcpy (&pair, bytes + PAIR_BYTES * n_whole, length % PAIR_BYTES);
    pair = GUINT64_FROM_LE (pair);
    sum += paco_check_pair ((uint32_t) pair, (uint32_t) (pair >> 32),
        first_key + PACO_CHECK_FIRST, second_key + PACO_CHECK_SECOND);
  }
  return paco_check_finish (sum, (uint32_t) length);
}
