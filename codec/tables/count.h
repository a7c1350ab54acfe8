/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counts the symbols that the block coder codes of a picture, block by block. */
#pragma once
#include "codec/reference/reference.h"

/* How often a symbol was 0 and 1. High planes share a row (PACO_PLANE_ROW), so one place can
 * have more than 65,535 symbols of a block of 64x256. */
typedef struct
{
  uint16_t place; /* row * PACO_N_CONTEXTS + context of a probability set */
  uint32_t n[2];
} SymbolCount;

typedef struct
{
  unsigned picture, setting; /* whose block it is; the caller's numbers */
  unsigned subband;          /* number of the subband in the picture */
  unsigned cell;             /* paco_policy_set_cell() */
  unsigned set;              /* the one that training gives it */
  uint32_t raw_bits;
  uint32_t n_counts;
  SymbolCount *counts;
} CountedBlock;

/* Appends the blocks of the picture that are not zero to the array of
 * CountedBlock. Error as paco_policy_coding() has it. */
gboolean count_blocks (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoParameters *parameters,
    GArray *blocks, GError **error);

/* Frees what the blocks point to, and the array. */
void counted_blocks_free (GArray *blocks);
