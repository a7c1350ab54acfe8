/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares the kinds of files that pictures are written to: PNM, PAM, PNG, JPEG,
 * TIFF, DNG, DPX, Y4M, raw. Each is a table of functions (write_pnm.c, png_file.c,
 * write_jpeg.c, write_tiff.c, write_dng.c, write_dpx.c, y4m.c); writers.c has the list of them. A decoder writes its
 * samples where place() says, mostly as the file has them. */
#pragma once
#include "formats.h"

/* The bytes of a picture in memory. */
typedef struct
{
  PacoInfo
      info; /* of the picture as it is written: reduced, and cut to a region */
  PacoImage image;
  uint8_t *samples; /* where image points to */
  size_t size, capacity;
} PacoPixels;

typedef struct
{
  const char *name; /* for --as and messages */
  const char *extensions[6];
  bool stream; /* one file holds all pictures */

  /* Lays pixels->info out, with pixels->samples in memory of at least *bytes
   * bytes, or, if that is NULL, only says how many these are. format is a raw
   * format, or NULL. Errors: the kind cannot hold the picture. */
  bool (*place) (PacoPixels *pixels, const PacoFormat *format, size_t *bytes,
      GError **error);
  /* Makes the bytes that a stream begins with. It is NULL if there are none. */
  bool (*begin) (const PacoInfo *info, GByteArray *bytes, GError **error);
  /* Makes the bytes before the samples of a picture, or, if `whole` says so, the
   * bytes of the whole picture. Any thread may call it. */
  bool (*head) (const PacoPixels *pixels, GByteArray *bytes, GError **error);
  bool whole;
  bool rgb;    /* Pictures of Y, Cb, Cr become R, G, B for it (to_rgb.h). */
  bool mosaic; /* It holds mosaics of a sensor. */
} PacoWriterKind;

extern const PacoWriterKind paco_writer_pnm, paco_writer_pam, paco_writer_png,
    paco_writer_jpeg, paco_writer_tiff, paco_writer_dng, paco_writer_dpx,
    paco_writer_y4m, paco_writer_raw;
/* Lays pictures out as GStreamer has them, and writes nothing (gst_picture.c). */
extern const PacoWriterKind paco_writer_video;

/* Returns the kind of that name, or of the extension that the path has, or an
 * error that lists them. */
const PacoWriterKind *paco_writer_kind (
    const char *name, const char *path, GError **error);

/* Says what a frame becomes: *info is reduced and cut to "x,y,width,height", or
 * not, with region "". Errors: the reduction or the region is not possible. */
bool paco_pixels_tell (const PacoInfo *frame, unsigned reduce,
    const char *region, PacoInfo *info, GError **error);
/* Says whether R, G, B are made of such a picture for a file of that kind. */
bool paco_writer_needs_rgb (const PacoWriterKind *kind, const PacoInfo *info);
/* Makes room for a picture of *info and lays it out; as paco_writer_video does, if R, G, B
 * are made of it. */
bool paco_pixels_place (PacoPixels *pixels, const PacoWriterKind *kind,
    const PacoFormat *format, const PacoInfo *info, GError **error);
void paco_pixels_clear (PacoPixels *pixels);
