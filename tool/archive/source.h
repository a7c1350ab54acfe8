/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Kinds of source files: how a file is taken apart into samples and all the rest, and
 * made again of both, bit by bit. Each kind (dpx.c, exr.c, tiff.c, png.c, pnm.c) is a table of
 * functions; source.c has the list of them. The archive's engine (archive.c, restore.c)
 * and the programs of tests/fuzz call them.
 *
 *   archive:  watch() of the file's bytes while they are read; parse() of them;
 *             source->image is coded; source->rest is kept
 *   verify:   same_rest() of the rest and the file; the frame is compared with the
 *             image that this gives. Where that is not possible, as restore, and the
 *             files are compared
 *   restore:  rebuild() of the rest; the frame is decoded into rebuilt->image;
 *             finish(); rebuilt->file is the file
 *
 * Functions may be called by several threads at the same time, each with structs of
 * its own. They keep nothing. All bytes come from outside and may be anything. */
#pragma once
#include "tool/archive/bytes.h"
#include "codec/formats.h"
#include "lib/paco.h"
#include "tool/archive/source.h"
#include <glib.h>

#define PACO_SOURCE_ERROR (paco_source_error_quark ())
GQuark paco_source_error_quark (void);

/* Messages are sentences without the file's name, a capital letter at the start and a
 * full stop, as in "the image begins at byte 2048, and the file has 1024". */
typedef enum
{
  PACO_SOURCE_BROKEN, /* the file, or the rest, contradicts itself or is cut */
  PACO_SOURCE_UNSUPPORTED, /* it is sound, and cannot be coded or made again */
  /* Its samples can be coded, and its bytes cannot be made again of them: another
   * program has compressed it. */
  PACO_SOURCE_OTHER_BYTES,
  PACO_SOURCE_NO_FILE, /* A frame was not archived from a file. */
} PacoSourceError;

/* Sets an error with such a sentence. The macro is FALSE, which the compiler sees. */
void paco_source_set_error (GError **error, PacoSourceError code,
    const char *format, ...) G_GNUC_PRINTF (3, 4);
#define paco_source_fail(...) (paco_source_set_error (__VA_ARGS__), FALSE)
#define paco_source_broken_rest(error)                                         \
  paco_source_fail (error, PACO_SOURCE_BROKEN,                                 \
      "what was kept of the file contradicts itself, or the picture")

/* The form of a rest, of any kind, that is the whole file behind the byte that says
 * so. */
#define PACO_SOURCE_WHOLE 255

/* A section of a file of several pictures: bytes with one of them, and all up to the next
 * one. A frame keeps a section as it keeps a file: as one of the same kind with this picture
 * alone, its *stand-in*, which has some bytes before those of the section. */
typedef struct
{
  guint32 number, n;    /* of the section, from 0, and of all; n is 0: none */
  guint64 offset, size; /* its bytes in the file */
  guint64
      place; /* where the file says what its picture is: its kind's affair */
} PacoSection;

/* A file taken apart. The structs are used for one file after the other, so that their
 * arrays grow once: what parse() finds in them is what the file before has left. */
typedef struct
{
  /* What the caller wants, FALSE unless it says so. keep_files: what gives OTHER_BYTES
   * is taken with a rest of the form WHOLE. samples_only: parse() need not make sure
   * that the file comes back, and `rest` means nothing. */
  gboolean keep_files, samples_only;
  guint64
      at; /* With samples_only: which picture; a place that `next` was, or: */
#define PACO_SOURCE_BEST 0  /* the one that is archived */
#define PACO_SOURCE_FIRST 1 /* the first one of the file */
  /* What the picture is, for paco_frame_encoder_configure(): size, components, depths
   * and subsampling; matrix (1 for R, G, B), transfer, primaries, range, aspect ratio
   * and frame rate where the file says so. parse() is given PACO_INFO_INIT.
   * info.format stays empty: paco_source_parse() names it. */
  PacoInfo info;
  /* How many pictures the file has, 2 if there are more and they are not counted. The
   * first one is in `image`, the others are in `rest` as they are. */
  guint n_pictures;
  guint64 next; /* where in the file the next one is; 0: it cannot be parsed */
  gboolean
      is_thumbnail; /* of another picture of the file, which is not found */
  /* Where the samples are: in the file's bytes, if a PacoLayout can say how they lie
   * there, else in `samples`. Only data, stride, size and layout of info.n_components
   * components are set. layout.fill is what bits of padding mostly are. */
  PacoImage image;
  /* Samples of a kind whose files hold them compressed, or in a way that no layout can
   * say; without bytes otherwise. */
  GByteArray *samples;
  /* What the kind keeps from watch() to parse(), and for files after this one: a struct
   * of its own, which free_seen frees, or NULL. A file's result does not depend on it
   * either. */
  gpointer seen;
  GDestroyNotify free_seen;
  /* Sentences (char *) for the report, of what is unusual and not wrong. */
  GPtrArray *notes;
  /* All of the file that the samples do not say: bytes before, between and behind
   * them, bits of padding that are not what layout.fill gives, how it was compressed.
   * Its form is the kind's own affair, which reads it again for ever: it begins with a
   * byte that says which form it is. The caller compresses it with zlib and refuses
   * what does not fit into a frame's ancillary chunks (tool/archive/chunks.h). */
  GByteArray *rest;
} PacoSource;

/* A file that is made again. */
typedef struct
{
  /* The file's bytes; with file_size bytes after rebuild() already if its samples lie
   * in them, else after finish(). */
  PacoBytes *file;
  GByteArray *samples; /* as in PacoSource */
  PacoImage image; /* where the frame is decoded to, in file or in samples */
} PacoRebuilt;

/* A kind of files. Functions return FALSE and set an error of PACO_SOURCE_ERROR. */
typedef struct
{
  const char *name; /* "dpx"; also FFmpeg's name of the codec */
  guint8
      id; /* in chunks (FORMAT.md 3.1), for ever: 1 DPX, 2 TIFF, 3 PNG, 4 PNM, 5 EXR */

  /* How many bytes a rest may have beyond twice those of its file. */
  guint32 rest_beyond;
  /* Samples are decoded to PacoRebuilt.samples, and compressed from there. */
  gboolean decodes_aside;

  /* Whether a file that begins with these bytes is of this kind. */
  gboolean (*match) (const guint8 *bytes, gsize size);

  /* What a file of file_size bytes is, by the first `size` of them, as far as these
   * say: info as parse() fills it, and everything refused that can be seen to be. So a
   * folder is looked through before anything is written. The first 4096 bytes are
   * there, or the whole file. It may be NULL. */
  gboolean (*peek) (const guint8 *bytes, gsize size, guint64 file_size,
      PacoInfo *info, GError **error);

  /* What a file is, by reading as little of it as that takes: a kind whose files may
   * say it anywhere has this instead of peek(), which it stands for. */
  gboolean (*look) (int fd, guint64 file_size, PacoInfo *info, GError **error);

  /* Finds the pictures of a file that are like its first one, and the sections that begin
   * with them and have all of the file's bytes, one after the other. Numbers are the
   * caller's affair. Returns how many pictures are none of these, as far as they can be
   * counted. NULL: files of this kind have one picture. */
  guint (*cut) (int fd, guint64 file_size, GArray *sections);

  /* Appends the bytes that go before a section's in its stand-in. NULL: there are none. */
  gboolean (*stand_in) (int fd, guint64 file_size, const PacoSection *section,
      GByteArray *head, GError **error);

  /* Looks at bytes of a file of file_size bytes while it is read and they are in a
   * core's cache: the first `size` are there, and those from `from` on were not yet at
   * the call before. With from == 0 a file begins. What is found in them parse() need
   * not look for again, which comes next, with all bytes in the same place. The file may
   * still turn out to be anything. It may be NULL. */
  void (*watch) (const guint8 *bytes, gsize from, gsize size, guint64 file_size,
      PacoSource *source);

  /* Takes the file apart. It must have made sure that rebuild() and finish() give
   * exactly these bytes again, and refuse the file otherwise. `bytes` stay there as
   * long as source->image is used. */
  gboolean (*parse) (
      const guint8 *bytes, gsize size, PacoSource *source, GError **error);

  /* Prepares a file of file_size bytes for the picture that `info`, read from a frame,
   * describes: it must be what the rest says, or be refused as broken. */
  gboolean (*rebuild) (const guint8 *rest, gsize rest_size,
      const PacoInfo *info, gsize file_size, PacoRebuilt *rebuilt,
      GError **error);

  /* Once the samples are in rebuilt->image: makes the file of what rebuild() could not
   * put there, such as bits of padding or compressed samples. NULL: nothing is left to
   * do. */
  gboolean (*finish) (const guint8 *rest, gsize rest_size, const PacoInfo *info,
      gsize file_size, PacoRebuilt *rebuilt, GError **error);

  /* Says whether all that rebuild() and finish() would make of the rest and `info` is in
   * the file of file_size bytes at `file`, but for what a decoder writes. Then *image is
   * the memory in the file where that would write. It may return FALSE wherever that
   * is hard to say. NULL: it always does. */
  gboolean (*same_rest) (const guint8 *rest, gsize rest_size,
      const PacoInfo *info, const guint8 *file, gsize file_size,
      PacoImage *image);
} PacoSourceKind;

/* The kind of a file that begins with these bytes, or with an id of a chunk; NULL if
 * there is none. 16 bytes are enough. */
const PacoSourceKind *paco_source_kind (const guint8 *bytes, gsize size);
const PacoSourceKind *paco_source_kind_by_id (guint8 id);
/* "DPX, TIFF, EXR, PNG and PNM", for messages. */
const char *paco_source_kinds (void);

/* Says whether pictures of *info have the components that the format has. */
gboolean paco_format_holds (const PacoFormat *format, const PacoInfo *info);
/* Returns the format that pictures of *info have if nothing names one: with a plane for
 * each component, or with interleaved ones for R, G, B. NULL if there is none. */
const PacoFormat *paco_format_usual (const PacoInfo *info, gboolean rgb);

/* Adds the section that begins there, and ends the one before it; the first one begins with
 * the file. */
void paco_section_add (
    GArray *sections, guint64 offset, guint64 place, guint64 file_size);

/* Says whether two pictures have as many samples: size, components, depths,
 * subsampling. */
gboolean paco_source_same_samples (const PacoInfo *a, const PacoInfo *b);
/* For kinds whose files have samples of one depth and no subsampling. The first fills
 * *info; the second says whether *info has such a picture, with depths from `least`
 * to `most`. */
void paco_source_tell (PacoInfo *info, guint32 width, guint32 height,
    guint n_components, guint depth, gboolean rgb);
gboolean paco_source_has (const PacoInfo *info, guint32 width, guint32 height,
    guint n_components, guint least, guint most);
/* Says of samples of whole bytes, big-endian, those of a pixel one behind the other,
 * where they are. Lines have `gap` bytes between them. */
void paco_source_place (const PacoInfo *info, guint bytes, gsize gap,
    guint8 *samples, PacoImage *image);

void paco_source_init (PacoSource *source);
void paco_source_clear (PacoSource *source);
void paco_rebuilt_init (PacoRebuilt *rebuilt);
void paco_rebuilt_clear (PacoRebuilt *rebuilt);

/* kind->watch(), if there is one. Whoever reads a file may call it or not. */
void paco_source_watch (const PacoSourceKind *kind, const guint8 *bytes,
    gsize from, gsize size, guint64 file_size, PacoSource *source);

/* kind->parse(), with everything in *source reset before but what the caller wants, and
 * afterwards info.format named so that players find a format of GStreamer's that holds
 * the samples. */
gboolean paco_source_parse (const PacoSourceKind *kind, const guint8 *bytes,
    gsize size, PacoSource *source, GError **error);

/* Returns how many bytes are in memory at most while a file is made again, of a picture
 * whose samples take that many. */
guint64 paco_source_memory (const PacoSourceKind *kind, guint64 file_size,
    guint64 rest_size, guint64 samples);

/* Returns the most bytes that the rest of a file of that kind and size has. More are
 * not worth decompressing. */
guint64 paco_source_max_rest (const PacoSourceKind *kind, guint64 file_size);

/* Makes the file of the rest alone, up to where a frame is decoded into
 * rebuilt->image; and what comes after that. rebuilt->file has file_size bytes in the
 * end, or this fails. */
gboolean paco_source_rebuild (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error);
gboolean paco_source_finish (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error);

/* kind->same_rest(). If it returns TRUE, the file comes back if a decoder that compares
 * the frame with the image (paco_frame_decoder_submit_comparison()) finds no byte that
 * is different. */
gboolean paco_source_same_rest (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, const guint8 *file, gsize file_size,
    PacoImage *image);

extern const PacoSourceKind paco_source_dpx;
extern const PacoSourceKind paco_source_exr;
extern const PacoSourceKind paco_source_pnm; /* P5, P6, P7 */
extern const PacoSourceKind paco_source_png;
extern const PacoSourceKind paco_source_tiff; /* if libtiff was there */
