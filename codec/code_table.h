/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Code tables (FORMAT.md, chunk 258): which codes the samples of a component use. Without
 * loss, samples whose codes have gaps are numbered without them, which leaves fewer values
 * to the wavelet. Encoders find the codes, header_chunks.c has the chunk, and sample_map.c
 * makes maps of what lies in the index. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACO_MAX_CODES 65536
#define PACO_CODE_TABLE_WORDS (PACO_MAX_CODES / 64)
/* Bytes of a table in the index at most: a bitmap that could not be packed. */
#define PACO_MAX_CODE_TABLE_SIZE (PACO_MAX_CODES / 8)

/* What the header says of a table. */
typedef struct
{
  uint8_t components;   /* Bit c: samples of component c are numbered by it. */
  uint8_t form;         /* how it is packed */
  uint16_t first, last; /* the smallest and the largest code */
  uint32_t n_codes;     /* 1..PACO_MAX_CODES */
  uint32_t size;        /* bytes of it in the index */
} PacoCodeTableInfo;

typedef struct
{
  uint64_t used[PACO_CODE_TABLE_WORDS]; /* Bit x % 64 of word x / 64: code x. */
} PacoCodeTable;

static inline bool
paco_code_is_used (const PacoCodeTable *table, unsigned code)
{
  return table->used[code / 64] >> code % 64 & 1;
}

/* Sets first, last and n_codes. Returns false if no code is used. */
bool paco_code_table_measure (
    const PacoCodeTable *table, PacoCodeTableInfo *info);

/* Returns whether the codes have gaps enough: at most 7/8 of those from the first to the
 * last one are used. */
bool paco_code_table_pays (const PacoCodeTableInfo *info);

/* Returns how many bits the numbers of n_codes codes have, at least 1. */
unsigned paco_code_table_depth (uint32_t n_codes);

/* Returns the most bytes that a table takes that has been measured. */
size_t paco_code_table_most (const PacoCodeTableInfo *info);
/* Packs a table that has been measured, in at most these bytes at data. Sets form and
 * size. */
void paco_code_table_pack (
    const PacoCodeTable *table, PacoCodeTableInfo *info, uint8_t *data);
/* Unpacks info->size bytes at data. Returns false unless they are what FORMAT.md says,
 * and have as many codes as info. */
bool paco_code_table_unpack (
    const PacoCodeTableInfo *info, const uint8_t *data, PacoCodeTable *table);
