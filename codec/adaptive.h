/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Strings of bits that one arithmetic coder packs with probabilities that follow the bits
 * (FORMAT.md section 7.8): step maps (step_map.c) are kept like this. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  uint32_t s; /* size of the interval minus one; 0: no codeword is open */
  uint32_t
      value; /* writer: lower end of the interval; reader: codeword minus it */
  uint8_t *out;        /* writer: where the next codeword goes */
  const uint8_t *data; /* reader: the next codeword */
  size_t left;         /* bytes that are left at out or data */
  bool broken;         /* A codeword was missing, or found no room. */
} PacoAdaptive;

/* What a context knows: the probability of a 0 in 1/65536. */
typedef uint16_t PacoAdaptiveContext;
#define PACO_ADAPTIVE_START 32768

static inline PacoAdaptive
paco_adaptive_writer (uint8_t *out, size_t size)
{
  return (PacoAdaptive){ .out = out, .left = size };
}

static inline PacoAdaptive
paco_adaptive_reader (const uint8_t *data, size_t size)
{
  return (PacoAdaptive){ .data = data, .left = size };
}

void paco_adaptive_write (
    PacoAdaptive *coder, PacoAdaptiveContext *context, bool bit);
bool paco_adaptive_read (PacoAdaptive *coder, PacoAdaptiveContext *context);

/* Writes the codeword that is open. Returns FALSE if there was no room. */
bool paco_adaptive_finish (PacoAdaptive *coder);
