/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The reference decoder: turns a frame of the PaCo codestream into samples. It is written
 * from FORMAT.md, in C99, and needs nothing but the C library and its mathematics. It is
 * the judge of this project's tests, and made to be kept with recordings: it says again,
 * as a program, what FORMAT.md says. It is slow.
 *
 * Whatever the bytes are, it returns. Compile paco-decoder.c, which is all of it:
 *
 *   cc -std=c99 -O2 -c paco-decoder.c
 *
 * (In this project's tree add -I codec/tables, where the built-in probability sets are.)
 *
 *   PacoReferencePicture picture;
 *   const char *message;
 *
 *   while (size > 0) {
 *     if (paco_reference_decode_frame (data, size, NULL, &picture, &message))
 *       return puts (message);
 *     ... picture.components[c].samples ...
 *     data += picture.header.frame_size;
 *     size -= picture.header.frame_size;
 *     paco_reference_picture_clear (&picture);
 *   }
 *
 * It has no state but what the caller gives it. */
#ifndef PACO_DECODER_H
#define PACO_DECODER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. The functions also set *message, which may be NULL, to a
 * sentence that is never freed. */
typedef enum
{
  PACO_REFERENCE_DONE,
  PACO_REFERENCE_NO_FRAME, /* the bytes do not begin with a frame */
  PACO_REFERENCE_LATER,    /* another version, or what later editions may add */
  PACO_REFERENCE_INVALID,  /* cut off, damaged, or not as FORMAT.md says */
  PACO_REFERENCE_LARGE,    /* more samples than the caller allows */
  PACO_REFERENCE_MEMORY,   /* memory could not be had */
  PACO_REFERENCE_ASKED, /* the caller asks for what the frame does not have */
} PacoReferenceStatus;

enum
{
  PACO_REFERENCE_MAX_COMPONENTS = 4,
  PACO_REFERENCE_MAX_LEVELS = 8,
  PACO_REFERENCE_MAX_ENTRIES = 3 * PACO_REFERENCE_MAX_LEVELS + 1,
  PACO_REFERENCE_MAX_STACK = 64,
};

typedef struct
{
  uint8_t depth, kind; /* kind: 0 unsigned, 1 signed, 2 binary16 */
  uint8_t subsampling_x, subsampling_y, place_x, place_y;
  uint8_t wavelet, family;
  uint8_t table; /* 0, or 1 plus the number of its code table */
  uint16_t entries[PACO_REFERENCE_MAX_ENTRIES]; /* of subbands, as they are */
} PacoReferenceComponent;

/* A code table (chunk 258). */
typedef struct
{
  uint8_t components, form;
  uint16_t first, last;
  uint32_t n_codes, size;
} PacoReferenceTable;

/* The stack whose slice a frame is (chunk 257). */
typedef struct
{
  uint32_t number;
  uint8_t length; /* 0: the frame is no slice */
  uint8_t position, wavelet, levels, depth, bits;
} PacoReferenceSlice;

/* A header (FORMAT.md sections 2 and 3). */
typedef struct
{
  uint32_t header_size, frame_size, index_size, index_crc;
  bool block_checks, mosaic, fields;
  char raw_format[17];
  uint32_t width, height, par_n, par_d, fps_n, fps_d;
  uint8_t interlace_mode, picture_flags, field_order, chroma_site, range,
      matrix, transfer, primaries;
  uint8_t n_components, levels, coding_passes, color_transform, reconstruction;
  uint8_t parameters[2];
  PacoReferenceComponent components[PACO_REFERENCE_MAX_COMPONENTS];

  /* From chunks. set: the content of chunk 3, or NULL. */
  const uint8_t *chunks, *set;
  size_t chunks_size, set_size;
  bool has_place, has_step_map, has_cut_points;
  uint32_t number; /* of the frame in its stream, with has_place */
  uint64_t offset;
  uint32_t cut_points_size, step_map_size, attachment_size, attachment_crc;
  uint8_t step_map_halved;
  uint8_t n_tables;
  PacoReferenceTable tables[PACO_REFERENCE_MAX_COMPONENTS];
  float color_matrix[9];
  PacoReferenceSlice slice;
} PacoReferenceHeader;

/* The samples of a component, line by line without gaps. A sample is its `depth` bits as
 * a number: of signed ones the two's complement, of binary16 its bits. */
typedef struct
{
  uint32_t width, height;
  uint16_t *samples;
} PacoReferenceImage;

/* The header's pointers lie in the bytes that were decoded. */
typedef struct
{
  PacoReferenceHeader header;
  PacoReferenceImage components[PACO_REFERENCE_MAX_COMPONENTS];
  uint32_t n_blocks;         /* that were decoded */
  uint32_t broken_blocks;    /* of them */
  uint32_t concealed_blocks; /* of the broken ones; the others are zero */
} PacoReferencePicture;

/* The last frames of a stream, by which broken blocks of the next ones are concealed
 * (FORMAT.md section 11). The first function returns NULL if there is no memory. */
typedef struct PacoReferenceConcealer PacoReferenceConcealer;

PacoReferenceConcealer *paco_reference_concealer_new (void);
void paco_reference_concealer_free (PacoReferenceConcealer *concealer);
/* Says that the stream continues from another place. */
void paco_reference_concealer_forget (PacoReferenceConcealer *concealer);

/* Zeros are what most want. */
typedef struct
{
  unsigned reduce;                   /* levels that are left out (section 10) */
  uint64_t max_samples;              /* of all components; 0: any number */
  PacoReferenceConcealer *concealer; /* or NULL: broken blocks become zero */
} PacoReferenceOptions;

/* Reads the header of the frame that begins at data. The bytes after it need not be
 * there. */
PacoReferenceStatus paco_reference_read_header (const uint8_t *data,
    size_t size, PacoReferenceHeader *header, const char **message);

/* Decodes the frame that begins at data. options may be NULL. The picture is to be
 * cleared if the frame was decoded. Broken blocks are no error. */
PacoReferenceStatus paco_reference_decode_frame (const uint8_t *data,
    size_t size, const PacoReferenceOptions *options,
    PacoReferencePicture *picture, const char **message);

void paco_reference_picture_clear (PacoReferencePicture *picture);

/* Makes the pictures of a stack (FORMAT.md section 12) of its slices, in place:
 * slices[p] is the one of position p, or NULL if it is missing. slices[0] must be there.
 * The depth of component 0 becomes that of the samples. */
PacoReferenceStatus paco_reference_undo_stack (
    PacoReferencePicture *const slices[PACO_REFERENCE_MAX_STACK],
    const char **message);

#ifdef __cplusplus
}
#endif
#endif
