/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what the header of a DPX file (SMPTE 268M) says of the picture: dpx_header.c
 * reads it, dpx_layout.c says how samples lie, dpx_padding.c keeps what is around them,
 * and dpx.c takes files apart and makes them again. */
#pragma once
#include "tool/archive/source.h"

/* Image elements that hold samples of one picture, at most. */
#define PACO_DPX_MAX_PARTS 4
/* Every file has these headers, of the file and of the image. */
#define PACO_DPX_HEADER_SIZE 1408
/* The first bytes of a file, or all of it, say what it is. */
#define PACO_DPX_PEEK_SIZE 4096
/* Bytes of a run of lines before those of its padding, in a rest (dpx.c). */
#define PACO_DPX_RUN_HEAD 5

/* An image element: lines of samples of some components. */
typedef struct
{
  const char *letters; /* a datum each, as "RGB"; of `columns` columns */
  guint columns;
  guint depth;
  gboolean packed; /* datums of 10 or 12 bits are not filled up to words */
  guint padding;   /* filled: bits of padding below a datum (method A), or 0 */
  guint64 offset;  /* of the first line in the file */
  guint64 stride;  /* bytes from a line to the next one */
  /* Bytes of a line that a decoder writes: whole groups of its layout, unless
   * the stride is less. */
  guint64 line_bytes;
} PacoDpxPart;

typedef struct
{
  gboolean big_endian;
  guint
      orientation; /* 0: the first line is the upper one, from left to right */
  guint n_parts;
  PacoDpxPart parts[PACO_DPX_MAX_PARTS]; /* by ascending offsets */
  PacoInfo info;
  /* Each component is in this part, and its samples lie in a line like this. */
  guint part_of[PACO_COMPONENTS];
  PacoLayout layouts[PACO_COMPONENTS];
} PacoDpx;

/* Reads the header of a file of file_size bytes whose first `size` bytes are there:
 * all before the first sample, or 4096. Errors are those of source.h. */
gboolean paco_dpx_read (const guint8 *bytes, gsize size, guint64 file_size,
    PacoDpx *dpx, GError **error);

/* Names the components of the parts, whose letters are known, and fills in their
 * layouts. Returns FALSE if the parts do not make a picture. */
gboolean paco_dpx_lay_out (PacoDpx *dpx, GError **error);

/* Return how many bits a line's datums take, with those that fill up the last
 * word of three, and how many bytes whole groups of its layout take. */
guint64 paco_dpx_line_bits (const PacoDpxPart *part, guint32 width);
guint64 paco_dpx_group_bytes (const PacoDpx *dpx, guint part, guint32 width);

/* PacoSourceKind.watch(): counts lines whose padding is clear. */
void paco_dpx_watch (const guint8 *bytes, gsize from, gsize size,
    guint64 file_size, PacoSource *source);

/* Appends the runs of all parts of a file to the source's rest. Lines that
 * paco_dpx_watch() has found clear in these bytes are not looked at again. Returns
 * FALSE if the runs are too large. */
gboolean paco_dpx_keep_padding (
    const PacoDpx *dpx, const guint8 *bytes, PacoSource *source);

/* Puts the runs of a part at `at` of a rest back into the file, or, with NULL, looks
 * whether that is possible. Returns FALSE if the rest is broken. *at is behind
 * them afterwards. */
gboolean paco_dpx_walk_runs (const PacoDpx *dpx, guint part, const guint8 *rest,
    gsize size, gsize *at, guint8 *file);

/* Says whether a part at `at` of a rest has one run, without bits, and the file has none
 * between the part's lines; those between samples are a decoder's affair. *at is behind
 * the run afterwards. */
gboolean paco_dpx_has_clear_run (const PacoDpx *dpx, guint part,
    const guint8 *rest, gsize size, const guint8 *file, gsize *at);
