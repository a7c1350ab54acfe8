/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The one table of raw formats, by GStreamer's names: which components a picture has and
 * how they lie in memory. caps/ maps GStreamer's formats to its rows; the tool reads and
 * writes raw files with it. */
#pragma once
#include "codec/picture.h"
#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PACO_FORMAT_GRAY,
  PACO_FORMAT_YUV,
  PACO_FORMAT_RGB,
  PACO_FORMAT_MOSAIC, /* its planes are the even and the odd lines */
} PacoFormatKind;

/* A row of the table. */
typedef struct
{
  const char
      *name; /* NULL: no format, but those after it are less preferred. */
  const char *excluded; /* The reason why it is not coded, or NULL. */
  PacoFormatKind kind;
  guint8 n_components;
  guint8 depths[PACO_MAX_COMPONENTS]; /* A 0 stands for depths[0]. */
  /* The log2, for components 1 and 2. */
  guint8 subsampling_x, subsampling_y;
  guint8
      word_bytes; /* 1, 2 or 4; 0: samples lie in tiles, which no layout says. */
  bool big_endian;
  /* Samples are strings of bits, across words and bytes. Otherwise each has a word, in
   * which it begins at bit `shift`. */
  bool bits;
  bool csi2; /* of PacoSampleLayout */
  guint8 shift;
  /* The group of each plane: the digit of a component is its next sample; a dot is a
   * word without a sample or, in a string of bits, a bit. */
  const char *planes[PACO_MAX_COMPONENTS];
  /* What the bytes of a line are a multiple of in files, if not of a group's. */
  guint16 line_bytes;
  /* The format of pictures with these samples whose file names none. */
  bool usual;
} PacoFormat;

/* The rows, the preferred formats first. */
extern const PacoFormat paco_formats[];
extern const guint paco_n_formats;

/* Returns the format with that name, also an excluded one, or NULL. */
const PacoFormat *paco_format_by_name (const char *name);

/* A format as the codec sees it. */
typedef struct
{
  const PacoFormat *row;
  guint8 n_components;
  bool mosaic; /* Lines of the two planes take turns in memory. */
  PacoComponent components[PACO_MAX_COMPONENTS];

  /* The samples lie in tiles, not in lines: they go through unpack and pack
   * functions (caps/packed.h), and layout has no meaning. */
  bool tiled;

  /* Component c is in this plane, and its samples lie there like this. */
  guint8 plane[PACO_MAX_COMPONENTS];
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];
} PacoRawFormat;

/* Fills *raw with a format that is not excluded. */
void paco_raw_format_init (PacoRawFormat *raw, const PacoFormat *format);

/* Removes the last component, alpha, which is then written as opaque: the alpha's bytes
 * are no sample's, and all their bits are set. Returns FALSE if there is no alpha, or
 * its bytes hold other samples as well. */
bool paco_raw_format_drop_alpha (PacoRawFormat *raw);

G_END_DECLS
