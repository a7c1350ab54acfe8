/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the code tables of a lossless picture (FORMAT.md section 9), for the encoders of
 * all backends and the reference. They find the codes of the picture, each in its own
 * way, and this decides. */
#pragma once
#include "error.h"
#include "parameters.h"
#include "sample_map.h"

/* Components with a table together: those that a color transform mixes, and each other
 * one by itself. */
typedef struct
{
  unsigned n;
  uint8_t components[PACO_MAX_COMPONENTS]; /* of each; bit c: component c */
  uint64_t samples[PACO_MAX_COMPONENTS];   /* of each group, in a picture */
} PacoCodeGroups;

/* First these lines of a component are looked at: number 0, 8, 16, ... of the frame. */
#define PACO_CODE_LINES 8

/* Finds the codes that groups use in lines 0, step, 2 step, ...; tables[i] is that of
 * group i, and empty before. */
typedef gboolean (*PacoFindCodes) (void *data, const PacoCodeGroups *groups,
    uint32_t step, PacoCodeTable *tables, GError **error);

/* Where the tables of a frame are found. */
typedef struct
{
  PacoCodeGroups groups; /* that may have tables; n is 0 if none may */
  PacoCodeTable found[PACO_MAX_COMPONENTS];  /* of groups */
  PacoCodeTable tables[PACO_MAX_COMPONENTS]; /* that were chosen */
  /* Tables that were packed to be chosen; and all of them, for the index. */
  uint8_t packed[PACO_MAX_COMPONENTS][PACO_MAX_CODE_TABLE_SIZE];
  uint8_t bytes[PACO_MAX_COMPONENTS * PACO_MAX_CODE_TABLE_SIZE];
} PacoCodeChoice;

/* Finds the groups that may have tables. */
PacoCodeGroups paco_policy_code_groups (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding);

/* Returns how many bytes the tables of groups take at most, their chunks included. */
size_t paco_policy_code_tables_size (const PacoCodeGroups *groups);

/* Returns the groups whose codes seem to have gaps. found: those of each group in every
 * PACO_CODE_LINES-th line. */
PacoCodeGroups paco_policy_groups_with_gaps (
    const PacoCodeGroups *groups, const PacoCodeTable *found);

/* Chooses the tables of a picture: sets coding->code_tables, with size 0 where a table
 * need not be packed to be chosen, and tables of the choice. Errors: those of find(). */
gboolean paco_policy_choose_codes (PacoCodeChoice *choice, PacoFindCodes find,
    void *data, PacoCoding *coding, GError **error);

/* Packs the tables that the choice has chosen for the coding: sets their forms and sizes,
 * and bytes of the choice. It takes 5 to 13 ns for each code from the first to the
 * last one of a table. */
void paco_policy_pack_codes (PacoCodeChoice *choice, PacoCoding *coding);
