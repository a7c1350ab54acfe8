/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Takes the parts of a frame apart, leniently, so that a frame that was changed
 * before can be changed again, and puts them together with true lengths and checks.
 * mutator.c and change-header.c change them. */
#pragma once
#include "codec/geometry.h"
#include "codec/header.h"
#include "codec/index.h"
#include "tests/fuzz/mutator.h"

#define FUZZ_MAX_BLOCK UINT16_MAX /* bytes: what a record's length can say */

typedef struct
{
  PacoHeader header;
  PacoProbabilitySet set; /* that the header may carry */
  PacoGeometry *geometry;
  PacoBlockRecord *records; /* of each block */
  PacoRateCuts *cuts;       /* and where it can be cut */
  uint8_t **blocks;         /* and its bytes */
  GByteArray *map;          /* the step map, if the header says one */
  uint8_t *tables;          /* the index's code tables */
  GByteArray *ancillary;    /* the header's chunks */
  GByteArray *attachment;
  uint32_t max_samples; /* of a picture, those of all components */
  FuzzRandom *random;
} FuzzParts;

/* Fills *parts, whose max_samples and random are set. Returns FALSE, with
 * nothing to clear, if the header is none, or that of a larger picture. */
bool fuzz_parts_take (FuzzParts *parts, const uint8_t *data, size_t size);
void fuzz_parts_clear (FuzzParts *parts);

/* Gives a picture or coding that has changed its blocks: those of the new
 * geometry are those of the old one in turns. */
void fuzz_parts_regroup (FuzzParts *parts);
/* These are called for chunks that have changed, and an attachment. */
void fuzz_parts_point_to_ancillary (FuzzParts *parts);
void fuzz_parts_point_to_attachment (FuzzParts *parts);

/* Makes a record one that FORMAT.md section 6 allows. */
void fuzz_settle_record (PacoBlockRecord *record);
/* Draws cut points that section 6.1 allows. */
PacoRateCuts fuzz_draw_cuts (FuzzRandom *random, const PacoBlockRecord *record);

/* Puts the frame together, and empties blocks from the end until it fits into
 * capacity. Returns the frame's size, 0 if it does not fit even so. Some checks
 * of blocks are wrong. */
size_t fuzz_parts_put (FuzzParts *parts, uint8_t *data, size_t capacity);

/* Changes the header, the carried set included, to another one that is allowed; mostly
 * one of the same picture size. */
void fuzz_change_header (FuzzParts *parts);
/* Adds, takes away or changes ancillary chunks; most times to what FORMAT.md allows. */
void fuzz_change_ancillary (FuzzParts *parts);
/* Makes another attachment, or takes it away. */
void fuzz_change_attachment (FuzzParts *parts);
