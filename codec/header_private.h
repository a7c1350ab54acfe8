/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What header.c, which has the bytes of a header, and header_check.c, which says what its
 * fields may be, have in common. */
#pragma once
#include "error.h"
#include "header.h"

#define PACO_HEADER_STEP_MASK                                                  \
  0x3fff /* of a subband's entry: the code of its step */

/* Chunks that are changed in headers that have been written. */
enum
{
  PACO_CHUNK_PLACE = 4,
  PACO_CHUNK_SLICE = 257,
  PACO_PLACE_SIZE = 12,
};

/* Returns how many subbands a component has, each with an entry in its table. */
static inline unsigned
paco_header_n_entries (const PacoHeader *header)
{
  return 3 * header->coding.levels + 1;
}

/* Checks video.slice, and that the picture is one that can be a slice. Error
 * UNSUPPORTED. */
gboolean paco_header_check_slice (const PacoHeader *header, GError **error);
/* Checks what chunks say of the coding: the matrix, code tables, and that the index has
 * room for all that is in it besides the records. Error UNSUPPORTED. */
gboolean paco_header_check_chunks (const PacoHeader *header, GError **error);

/* Returns the value of a field that only describes the picture, or 0, which means
 * unknown, if this version does not know the value. */
static inline uint8_t
paco_header_known (uint8_t value, uint8_t maximum)
{
  return value <= maximum ? value : 0;
}

/* Returns how many bytes all chunks of the header take, ancillary ones included. */
size_t paco_header_chunks_size (const PacoHeader *header);
/* Writes all of them at p. Returns where they end. */
uint8_t *paco_header_write_chunks (const PacoHeader *header, uint8_t *p);
/* Writes chunk 4 at p. Returns where it ends. */
uint8_t *paco_header_write_place (const PacoPlace *place, uint8_t *p);
/* Parses the chunks, which video.ancillary points to and paco_header_check() has found
 * to be whole, into the other fields of *header. picture, the sizes and the families of
 * the components are there already. Errors CORRUPT, and VERSION if a type is unknown. */
gboolean paco_header_parse_chunks (
    PacoHeader *header, PacoProbabilitySet *carried_set, GError **error);
