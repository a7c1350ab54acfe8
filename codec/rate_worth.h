/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a coded block can lose when its frame is over the budget, and what that is
 * worth: distortion against bytes. The CPU backend, the CUDA kernels and the
 * reference find the cuts of blocks with it; rate_control.c and frame_cut.c choose among
 * them.
 *
 * A block loses its last planes in steps, its *cuts* (FORMAT.md section 7.7), and at
 * last becomes zero. All blocks lose what is worth least first (rate_control.h says how
 * that is decided). */
#pragma once
#include "codec/rate_estimate.h"
#include "codec/record.h"

/* How many cuts a block has at most, not counting that it becomes zero. */
#define PACO_RATE_MAX_CUTS 3

/* The first byte of a block's cut points: how many cuts, and the first one's plane. */
#define PACO_RATE_POINTS_NUMBER 3u
#define PACO_RATE_POINTS_PLANE_SHIFT 2
#define PACO_RATE_POINTS_UNUSED 0xc0u

/* How many values of worth there are; worth is 8 log2 of the distortion for a byte. */
#define PACO_RATE_WORTHS 256

typedef struct
{
  uint8_t n;    /* cuts, 0..PACO_RATE_MAX_CUTS; none if the block is zero */
  uint8_t zero; /* the block is zero */
  uint8_t plane[PACO_RATE_MAX_CUTS];      /* the lowest one that is left */
  uint16_t codewords[PACO_RATE_MAX_CUTS]; /* and its codewords */
  /* The worth of what each cut takes away, which never falls from a cut to the next;
   * the last one is for the block that becomes zero. */
  uint8_t worth[PACO_RATE_MAX_CUTS + 1];
} PacoRateCuts;

/* The error of a block whose lowest planes are missing. top[t] of its coefficients have
 * their highest bit in plane t. */
typedef struct
{
  const uint32_t *top;
  unsigned plane;  /* the planes below are missing */
  uint64_t lost;   /* the part of coefficients that are 0 then */
  uint32_t n_left; /* coefficients that are not */
} PacoRateError;

/* The error of a block of n_planes of which none is missing. */
PACO_RATE_FUNCTION PacoRateError
paco_rate_no_error (const uint32_t *top, unsigned n_planes)
{
  PacoRateError error = { top, 0, 0, 0 };
  unsigned t;

  for (t = 0; t < n_planes; t++)
    error.n_left += top[t];
  return error;
}

/* Takes away all planes below p. Returns twelve times the squared error, in units of an
 * index, of all coefficients that were not zero: that of an interval for those that are
 * not zero afterwards, and about 2.1 times the square of the highest bit for the
 * others. */
PACO_RATE_FUNCTION uint64_t
paco_rate_take_planes (PacoRateError *error, unsigned p)
{
  for (; error->plane < p; error->plane++) {
    error->lost += (uint64_t) error->top[error->plane] * 25 << 2 * error->plane;
    error->n_left -= error->top[error->plane];
  }
  return error->lost + ((uint64_t) error->n_left << 2 * p);
}

/* Returns the worth, 8 log2 of distortion for a byte, with the weight of a subband. */
PACO_RATE_FUNCTION uint8_t
paco_rate_worth (uint64_t distortion, int bytes, int weight)
{
  int worth = (int) paco_rate_log2 (distortion > 0 ? distortion : 1);

  worth -= (int) paco_rate_log2 (bytes > 0 ? (uint64_t) bytes : 1);
  worth = (worth + 64) / 128 + weight;
  return (uint8_t) (worth < 0 ? 0 : worth > 255 ? 255 : worth);
}

/* Returns how many bytes of index and payload a block takes that is cut to N
 * codewords. */
PACO_RATE_FUNCTION int
paco_rate_bytes_of (uint16_t codewords, bool checks)
{
  uint32_t length = 4u * codewords;

  return (int) (length + paco_record_size (false, length, true, checks));
}

/* How many bytes the frame's cut points take for a block with n cuts left. */
#define PACO_RATE_POINTS_BYTES(n) (2u + 3u * (n))

/* Writes the cut points of a block that is not zero (FORMAT.md section 6.1); returns
 * where they end. */
PACO_RATE_FUNCTION uint8_t *
paco_rate_write_points (const PacoRateCuts *cuts, uint8_t *out)
{
  unsigned k;

  *out++ = (uint8_t) (cuts->n
      | (cuts->n > 0 ? cuts->plane[0] : 0u) << PACO_RATE_POINTS_PLANE_SHIFT);
  for (k = 0; k < cuts->n; k++) {
    *out++ = (uint8_t) (cuts->codewords[k] & 0xff);
    *out++ = (uint8_t) (cuts->codewords[k] >> 8);
    *out++ = cuts->worth[k];
  }
  *out++ = cuts->worth[cuts->n];
  return out;
}

/* Removes the cuts that a block has lost from its list: the first `lost`, at most
 * cuts->n. */
PACO_RATE_FUNCTION void
paco_rate_forget_cuts (PacoRateCuts *cuts, unsigned lost)
{
  unsigned k;

  cuts->n = (uint8_t) (cuts->n - lost);
  for (k = 0; k < cuts->n; k++) {
    cuts->plane[k] = cuts->plane[lost + k];
    cuts->codewords[k] = cuts->codewords[lost + k];
    cuts->worth[k] = cuts->worth[lost + k];
  }
  cuts->worth[cuts->n] = cuts->worth[lost + cuts->n];
}

/* Finds the cuts of a block of n_planes that takes `bytes` in index and payload;
 * planes below `dropped` are not stored. codewords[p] are reserved at the end of
 * plane p; it is 0 where the block cannot be cut. top is as in PacoRateError. weight
 * is that of PacoRateStep, less 16 for each plane that the block loses because it
 * lies outside of all areas. */
PACO_RATE_FUNCTION void
paco_rate_find_cuts (const uint32_t *top, const uint16_t *codewords,
    unsigned n_planes, unsigned dropped, int bytes, bool checks, int weight,
    PacoRateCuts *cuts)
{
  PacoRateError error = paco_rate_no_error (top, n_planes);
  uint64_t before = paco_rate_take_planes (&error, dropped), after;
  uint8_t worth = 0, own;
  int left;
  unsigned p;

  cuts->n = 0;
  cuts->zero = n_planes == 0;
  for (p = dropped; p < n_planes && p <= PACO_MAX_DROPPED_PLANES; p++) {
    if (cuts->n == PACO_RATE_MAX_CUTS)
      break;
    left = paco_rate_bytes_of (codewords[p], checks);
    if (codewords[p] == 0 || left >= bytes) {
      if (cuts->n > 0) /* the planes of cuts follow each other */
        break;
      continue;
    }
    after = paco_rate_take_planes (&error, p);
    own = paco_rate_worth (after - before, bytes - left, weight);
    worth = own > worth ? own : worth;
    cuts->plane[cuts->n] = (uint8_t) p;
    cuts->codewords[cuts->n] = codewords[p];
    cuts->worth[cuts->n++] = worth;
    before = after;
    bytes = left;
  }
  if (n_planes > 0) {
    after = paco_rate_take_planes (&error, n_planes);
    own = paco_rate_worth (after - before, bytes - 1, weight);
    worth = own > worth ? own : worth;
  }
  cuts->worth[cuts->n] = worth;
}

/* Returns how many bytes of index and payload a block takes after a cut, 0..cuts->n.
 * After the last one it is zero. */
PACO_RATE_FUNCTION int
paco_rate_cut_bytes (const PacoRateCuts *cuts, unsigned cut, bool checks)
{
  if (cut == cuts->n)
    return 1;
  return paco_rate_bytes_of (cuts->codewords[cut], checks);
}
