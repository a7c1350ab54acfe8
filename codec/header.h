/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The frame header (FORMAT.md sections 2 and 3): what a frame says of itself. Encoders
 * write it; decoders, caps/, lib/stream/, the plugin and libpaco read it. */
#pragma once
#include "ancillary.h"
#include "code_table.h"
#include "color.h"
#include "picture.h"
#include "probability.h"
#include "stack.h"
#include "wavelet.h"
#include <glib.h>

#define PACO_VERSION 3
#define PACO_MAGIC "PACO"
#define PACO_MAX_SUBBANDS (3 * PACO_MAX_LEVELS + 1) /* of a component */

/* How many bytes paco_header_peek() needs. */
#define PACO_HEADER_PEEK_SIZE 20
/* How many columns times lines a picture may have, 8192 x 8192, unless a decoder is
 * told otherwise. */
#define PACO_DEFAULT_MAX_PIXELS (1u << 26)

/* No header is longer. This is the sum of the fixed fields, the tables of components
 * and subbands, a chunk of each type, ancillary chunks, and the CRC. */
#define PACO_MAX_HEADER_SIZE                                                   \
  (72 + 2 * PACO_MAX_COMPONENTS * (2 + PACO_MAX_SUBBANDS) + (4 + 24) + (4 + 4) \
      + (4 + 4) + (4 + 2 + PACO_MAX_CARRIED_SET) + (4 + 4) + (4 + 8)           \
      + (4 + 10) + PACO_MAX_COMPONENTS * (4 + 12) + (4 + 36) + (4 + 5)         \
      + PACO_MAX_ANCILLARY_SIZE + (4 + 12) + 4)

typedef enum
{
  PACO_INTERLACE_PROGRESSIVE,
  PACO_INTERLACE_INTERLEAVED,
  PACO_INTERLACE_MIXED,
  PACO_INTERLACE_ALTERNATE, /* each picture is one field */
} PacoInterlaceMode;

enum
{
  PACO_PICTURE_FIELDS = 1 << 0, /* written from PacoPictureFormat.fields */
  PACO_PICTURE_TOP_FIELD_FIRST = 1 << 1,
  PACO_PICTURE_REPEAT_FIRST_FIELD = 1 << 2,
  PACO_PICTURE_ONE_FIELD = 1 << 3,
};

/* The x and y of red, green, blue and white are in 1/50000, luminances in 1/10000
 * cd/m2. */
typedef struct
{
  uint16_t primaries[3][2], white_point[2];
  uint32_t max_luminance, min_luminance;
} PacoMasteringDisplay;

/* Where a frame stands in the stream it was made for. */
typedef struct
{
  uint32_t number; /* of the frame, the first is 0 */
  uint64_t offset; /* bytes of all frames before it */
} PacoPlace;

/* What an application wants to have back with the picture. The codec only carries it.
 * Its numbers are those of FORMAT.md section 2. */
typedef struct
{
  char raw_format[16]; /* zero-terminated */
  uint32_t par_n, par_d;
  /* The rate of whole frames, also where each picture is one field. fps_n = 0 says that
   * it is variable or unknown. */
  uint32_t fps_n, fps_d;
  uint8_t interlace_mode; /* PacoInterlaceMode */
  uint8_t picture_flags;  /* PACO_PICTURE_*, without FIELDS */
  uint8_t field_order;
  uint8_t chroma_site;
  uint8_t range, matrix, transfer, primaries;
  bool has_mastering_display, has_content_light, has_views;
  bool has_place;
  PacoMasteringDisplay mastering_display;
  uint16_t max_content_light, max_frame_average_light; /* cd/m2 */
  uint8_t multiview_mode;                              /* 0: unknown */
  uint16_t multiview_flags;
  PacoPlace place; /* differs from frame to frame */
  PacoSlice
      slice; /* differs from frame to frame; its length is 0 without a stack */
  /* What accompanies the picture. It may differ from frame to frame of a stream. It
   * points to memory of the application, or into the header that was parsed. */
  PacoAncillary ancillary;
  /* What accompanies the picture behind the payload. In a header that was parsed its
   * data is NULL. */
  PacoAttachment attachment;
} PacoVideoInfo;

/* How the picture is coded. The order of subbands[c] is LL; HL, LH, HH of the coarsest
 * level; and so on, to HL, LH, HH of level 1. */
typedef struct
{
  struct
  {
    uint8_t wavelet; /* PacoWaveletId */
    uint8_t family;  /* of the built-in probability sets */
  } components[PACO_MAX_COMPONENTS];
  /* Which of the built-in sets one that the frame carries takes the place of. */
  uint8_t carried_family, carried_number;
  uint8_t levels;          /* 0..8 */
  uint8_t coding_passes;   /* 1..3 */
  uint8_t color_transform; /* PacoColorTransform */
  uint8_t parameters[2];   /* of the color transform */
  float matrix[9];         /* of the color transform: rows of its inverse */
  uint8_t reconstruction;  /* 1/256 of an interval of the quantiser */
  bool block_checks;
  bool cut_points; /* They are the end of the index. */
  bool step_map;   /* It lies in the index. */
  /* With a step map, bit c: component c takes half of its exponents. */
  uint8_t step_map_halved;
  uint8_t n_code_tables;
  PacoCodeTableInfo code_tables[PACO_MAX_COMPONENTS];
  struct
  {
    uint8_t height_log2; /* block height: 32 << height_log2 */
    uint16_t step;       /* code of the quantiser step (quantizer.h) */
    /* How many bits behind the point a coefficient has before an encoder rounds it
     * (FORMAT.md section 9). It is no part of the header. */
    uint8_t fraction_bits;
  } subbands[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
} PacoCoding;

/* Says whether the wavelet of a component is reversible. */
static inline bool
paco_is_reversible (const PacoCoding *coding, unsigned component)
{
  return paco_wavelets[coding->components[component].wavelet].reversible;
}

/* Returns the step of HH of level 1 (LL without levels) of component 0. */
static inline uint16_t
paco_coding_finest_step (const PacoCoding *coding)
{
  return coding->subbands[0][3 * coding->levels].step;
}

typedef struct
{
  PacoPictureFormat picture;
  PacoVideoInfo video;
  PacoCoding coding;
  /* The probability set that the frame carries, or NULL. It takes the place of the one
   * that coding.carried_family and carried_number name. In a header that was parsed it is
   * the caller's *carried_set. */
  const PacoProbabilitySet *set;
  uint32_t header_size, index_size, frame_size; /* bytes */
  uint32_t cut_points_size; /* of index_size, with coding.cut_points */
  uint32_t step_map_size;   /* of index_size, with coding.step_map */
  uint32_t index_crc;
} PacoHeader;

/* Says whether the bytes at data may be the beginning of a frame, by magic, version and
 * sizes, and sets the sizes in *header. `size` is PACO_HEADER_PEEK_SIZE at least.
 * Errors: NOT_PACO, VERSION, CORRUPT. */
gboolean paco_header_peek (
    const uint8_t *data, size_t size, PacoHeader *header, GError **error);

/* Parses and checks a header; every field is within the ranges of FORMAT.md then. The
 * bytes at data may be the whole frame or only its header. carried_set gets the set that
 * the frame carries; it may be NULL if that is not wanted. Errors: NOT_PACO, VERSION,
 * CORRUPT. */
gboolean paco_header_parse (const uint8_t *data, size_t size,
    PacoHeader *header, PacoProbabilitySet *carried_set, GError **error);
/* Does the same for a whole frame: all its bytes must be there. */
gboolean paco_header_parse_frame (const uint8_t *data, size_t size,
    PacoHeader *header, PacoProbabilitySet *carried_set, GError **error);

/* Returns the family of sets that the blocks of a component are coded with. carried_set
 * is the set that the frame carries, to which the family points then, or NULL. */
PacoFamily paco_coding_family (const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, unsigned component);

/* Returns how many bytes of a frame are for what accompanies its picture: its ancillary
 * chunks, and its attachment with the chunk that tells of it. */
size_t paco_video_extra_size (const PacoVideoInfo *video);

/* Returns how many bytes paco_header_write() will write. */
size_t paco_header_size (const PacoHeader *header);
/* Returns how many bytes the frame has besides index and payload: those of the header
 * and of the attachment. */
size_t paco_header_overhead (const PacoHeader *header);

/* These take a header that was parsed. The first returns how many bytes the payload has,
 * the last one the attachment of the frame, which is whole and begins at data. */
size_t paco_header_payload_size (const PacoHeader *header);
/* The index has the code tables first, and the records of blocks next. These return how
 * many bytes they have. */
size_t paco_header_tables_size (const PacoHeader *header);
size_t paco_header_records_size (const PacoHeader *header);
PacoAttachment paco_header_attachment (
    const PacoHeader *header, const uint8_t *data);

/* Writes a header with its CRC. Computes header_size and returns it; the other sizes and
 * index_crc are those in *header. The ancillary chunks may lie in the memory at data, if
 * *header was parsed from what this function has written there. */
size_t paco_header_write (const PacoHeader *header, uint8_t *data);

/* Sets the place in a header that paco_header_write() has written at data, and renews
 * its CRC: a frame's offset is known only when the frames before it are coded. If the
 * header has no place, returns FALSE and does nothing. */
gboolean paco_header_set_place (
    uint8_t *data, size_t size, const PacoPlace *place);
/* Changes the number of the stack that a slice is of (FORMAT.md, chunk 257), in the header
 * at the begin of size bytes. FALSE if it is no header, or that of no slice. */
gboolean paco_header_set_stack (uint8_t *data, size_t size, uint32_t number);
/* Changes the numbers of files and of members that an archive has (FORMAT.md, chunks 16
 * and 17), in the header of one of its frames at the begin of size bytes, if it has
 * them. */
void paco_header_set_files (
    uint8_t *data, size_t size, uint32_t n_files, uint32_t n_members);

/* Says whether the fields of a header are as FORMAT.md asks, so that a picture can be
 * coded like this. Error UNSUPPORTED has the sentence for the user. */
gboolean paco_header_check (const PacoHeader *header, GError **error);

/* Says whether a decoder that is configured for frames of header a decodes those of b. It
 * does if picture and coding are the same, except for the choice among reversible
 * wavelets and among RCT, RCT2 and rct-fit, parameters of the color transform, the
 * quantiser steps, the carried set, the reconstruction point and block checks. */
gboolean paco_header_same_configuration (
    const PacoHeader *a, const PacoHeader *b);

/* Says whether both belong to one mixed stream (PACO_INTERLACE_MIXED): they differ only in
 * that one of them is coded in one piece and the other as two fields. */
gboolean paco_header_same_stream (const PacoHeader *a, const PacoHeader *b);

/* Says whether columns times lines of the picture are max_pixels at most; 0 stands for
 * PACO_DEFAULT_MAX_PIXELS. Error UNSUPPORTED names the value of max-pixels that the
 * picture needs. */
gboolean paco_header_check_pixels (
    const PacoHeader *header, uint64_t max_pixels, GError **error);
