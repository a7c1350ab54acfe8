/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The index: one record per codeblock (FORMAT.md section 6), and cut points (6.1), which
 * paco_frame_cut() reads to make a frame smaller without decoding it. The encoders of the
 * CPU and the reference write them with this (gpu/kernels/pack.cu writes its own);
 * decoders, pacoparse, libpaco and the RTP elements parse the index. */
#pragma once
#include "geometry.h"
#include "probability.h"
#include "rate_worth.h"

#define PACO_MAX_PLANES 23

typedef struct
{
  uint8_t planes;         /* M; 0: the block is zero and has no bytes */
  uint8_t raw_planes;     /* r, already resolved: 0..M-d */
  uint8_t dropped_planes; /* d, 0..15, < M */
  uint8_t set;            /* probability set of the family, 0..PACO_N_SETS-1 */
  bool shared_codewords;  /* paco_record_lanes() to a codeword, not one */
  bool raw_left_signs;    /* bit 6 */
  bool cut;               /* its code ends with plane d (section 7.7) */
  bool broken;            /* decoder: taken as zero */
  bool replaced;          /* decoder: its bytes are repairs (conceal.h) */
  uint16_t length;        /* bytes in the payload */
  uint16_t check;         /* with PacoCoding.block_checks */
  uint32_t offset;        /* of its bytes in the payload, or in the repairs */
} PacoBlockRecord;

/* How many bytes n records take at most. */
#define PACO_MAX_INDEX_SIZE(n) ((size_t) (n) *PACO_MAX_RECORD)

/* Writes n records, and returns how many bytes they take. */
size_t paco_index_write (const PacoBlockRecord *records, uint32_t n,
    bool block_checks, uint8_t *data);

/* Parses the index of a frame and computes the blocks' offsets. payload_size follows
 * from the header: paco_header_payload_size(). Error CORRUPT if the records do not fill
 * the index exactly, contradict section 6, or have lengths that do not add up to the
 * payload. */
gboolean paco_index_parse (const uint8_t *data, size_t size,
    const PacoGeometry *geometry, bool block_checks, size_t payload_size,
    PacoBlockRecord *records, GError **error);

/* The same for the frame that begins at data and whose header was parsed. Header and
 * index must be there. The index's CRC is checked. */
gboolean paco_index_parse_frame (const uint8_t *data, const PacoHeader *header,
    const PacoGeometry *geometry, PacoBlockRecord *records, GError **error);

/* Returns how many lanes share a codeword of a block that is not zero. A block that a
 * cut has left with one plane had more when it was coded, so four lanes shared its
 * codewords. */
static inline unsigned
paco_record_lanes (const PacoBlockRecord *record)
{
  if (!record->shared_codewords)
    return 1;
  return PACO_SHARING_LANES (
      record->cut ? 2 : record->planes - record->dropped_planes);
}

/* Returns how many bytes a record takes. */
static inline unsigned
paco_record_bytes (const PacoBlockRecord *record, bool block_checks)
{
  bool extension = record->raw_planes > 0 || record->dropped_planes > 0
      || record->cut;

  return paco_record_size (
      record->planes == 0, record->length, extension, block_checks);
}

/* Returns how many bytes a block of n coefficients takes at most: as many as with all
 * planes raw. */
static inline uint32_t
paco_raw_block_bytes (uint32_t n_coefficients, unsigned planes)
{
  return (n_coefficients * (planes + 1) + 7) / 8;
}

/* --- cut points --- */

/* How many bytes the cut points of n blocks take at most. */
#define PACO_MAX_CUT_POINTS_SIZE(n)                                            \
  ((size_t) (n) *PACO_RATE_POINTS_BYTES (PACO_RATE_MAX_CUTS))

/* Writes the cut points of n blocks, and returns how many bytes they take. */
size_t paco_cut_points_write (const PacoBlockRecord *records,
    const PacoRateCuts *cuts, uint32_t n, uint8_t *data);

/* Parses the cut points of n blocks whose records are known. FALSE if the bytes are not
 * as section 6.1 says. */
gboolean paco_cut_points_parse (const uint8_t *data, size_t size,
    const PacoBlockRecord *records, uint32_t n, PacoRateCuts *cuts);
