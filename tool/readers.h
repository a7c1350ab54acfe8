/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads pictures for encode: single files (PNM, PAM, PNG, and all kinds that the
 * archive knows), by a list of names or a pattern; Y4M and raw files, or pipes of
 * these. */
#pragma once
#include "tool/archive/source.h"
#include "formats.h"
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

/* What the command line says of the pictures. */
typedef struct
{
  const PacoFormat *format; /* of raw files; NULL: the files are not raw */
  uint32_t width, height;   /* of raw files */
  const PacoFormat *mosaic; /* what gray pictures are mosaics of, or NULL */
} PacoPicturesHow;

typedef struct
{
  /* These are for single files: the names, or the pattern and the number of the
   * next one. */
  char **names;
  int n, at;
  const char *pattern; /* or NULL */
  uint64_t number;
  bool begun;
  /* The file whose next pictures are read, before other files, or NULL; where the next one
   * is, and which page it is, counted from 1. */
  GByteArray *file;
  char *file_name;
  uint64_t page_at;
  unsigned page, n_pages;
  /* These are for a stream. */
  int fd; /* -1: none */
  const char *name;
  uint64_t size, frames; /* bytes of a picture; pictures so far */
  uint64_t n_frames;     /* how many there are; 0: unknown */
  bool y4m;
  PacoInfo info;
  const PacoFormat *format; /* NULL: planes */
  const PacoFormat *mosaic; /* of PacoPicturesHow */
} PacoPictures;

/* A picture that was read. It stays until the struct is used again. */
typedef struct
{
  PacoInfo info;
  PacoImage image;
  char *name;        /* "page 2 of a.tif", of a single file; or NULL */
  GByteArray *bytes; /* of the file */
  bool shares_bytes; /* with other pages of the file */
  PacoSource source; /* of a single file */
} PacoPictureRead;

/* Opens n names; "-" is standard input. */
PacoPictures *paco_pictures_open (
    char **names, int n, const PacoPicturesHow *how, GError **error);
void paco_pictures_close (PacoPictures *pictures); /* or NULL */
/* Reads the next picture. Returns FALSE at the end, or with an error, which names
 * the file. */
bool paco_pictures_next (
    PacoPictures *pictures, PacoPictureRead *picture, GError **error);
/* Skips n pictures. */
bool paco_pictures_skip (PacoPictures *pictures, uint64_t n, GError **error);

void paco_picture_read_init (PacoPictureRead *picture);
void paco_picture_read_clear (PacoPictureRead *picture);

#define PACO_Y4M_MAGIC "YUV4MPEG2"
#define PACO_Y4M_FRAME "FRAME"
#define PACO_Y4M_MAX_LINE 1024

/* Reads the first line, without its end. Errors: it does not say what is needed,
 * or the codec does not take such pictures. */
bool paco_y4m_parse (const char *line, PacoInfo *info, GError **error);
/* Returns the first line, with its end, to be freed, or NULL and an error for
 * pictures that Y4M does not know. */
char *paco_y4m_print (const PacoInfo *info, GError **error);

/* Says whether a PNG file is one of these: it has a palette, samples of fewer than 8 bits,
 * sBIT, tRNS, an animation, or does not end as it should. */
bool paco_png_is_special (const uint8_t *bytes, size_t size);
/* Reads a file in memory: *info, and *image in `samples`. Errors: the file is no
 * PNG file, or it is cut. */
bool paco_png_read (const uint8_t *bytes, size_t size, PacoInfo *info,
    PacoImage *image, GByteArray *samples, GError **error);
