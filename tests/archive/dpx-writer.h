/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes DPX files of every packing for the tests of it, from
 * SMPTE 268M alone: it knows nothing of layouts. */
#pragma once
#include <glib.h>

#define DPX_MAX_ELEMENTS 4
#define DPX_LETTERS "RGBYUVA"

typedef struct
{
  guint descriptor, depth, packing;
} DpxElement;

/* This says what is in the bits and bytes that no sample has. */
typedef enum
{
  DPX_PADDING_CLEAR,
  DPX_PADDING_SET,
  DPX_PADDING_PATTERN, /* the same in all lines */
  DPX_PADDING_LINES,   /* another one in some lines */
  DPX_N_PADDINGS,
} DpxPadding;

typedef struct
{
  gboolean big_endian;
  guint32 width, height;
  guint n_elements;
  DpxElement elements[DPX_MAX_ELEMENTS];
  guint32
      line_padding; /* of all elements; also written as undefined if it is 0 */
  gboolean unaligned; /* lines of whole bytes are not padded to words */
  DpxPadding padding;
  gsize gap, tail; /* bytes of noise before each element, and at the end */
  gboolean version_1;
} DpxCase;

typedef struct
{
  GByteArray *bytes;
  /* These are samples of the component with each of DPX_LETTERS, width x
   * height; those of Cb and Cr of 4:2:2 stand in even columns. NULL: there is
   * none. */
  guint16 *samples[sizeof DPX_LETTERS];
} DpxFile;

/* Returns the letters of a descriptor's datums, for one column or two, or NULL
 * for an unknown one. */
const char *dpx_letters (guint descriptor, guint *columns);

void dpx_put16 (guint8 *at, gboolean big_endian, guint16 value);
void dpx_put32 (guint8 *at, gboolean big_endian, guint32 value);

/* Draws any case that is valid. */
void dpx_case_random (GRand *rand, DpxCase *c);
void dpx_file_write (GRand *rand, const DpxCase *c, DpxFile *file);
void dpx_file_clear (DpxFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DpxFile, dpx_file_clear)
