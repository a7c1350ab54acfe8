/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The frame header (FORMAT.md sections 2 and 3): what a frame says of itself. */
#pragma once
#include "ancillary.h"
#include "color.h"
#include "picture.h"
#include "probability.h"
#include "wavelet.h"
#include <glib.h>

#define PACO_VERSION 2
#define PACO_MAGIC "PACO"
#define PACO_MAX_SUBBANDS (3 * PACO_MAX_LEVELS + 1) /* of a component */

/* Bytes from which paco_header_peek() can tell a frame's header_size. */
#define PACO_HEADER_PEEK_SIZE 20
/* Columns times lines that decoders allow a picture unless they are told
 * otherwise: 8192 x 8192. */
#define PACO_DEFAULT_MAX_PIXELS (1u << 26)

/* No header is longer: the fixed part, components, subbands, a chunk of each
 * type, ancillary ones, CRC. */
#define PACO_MAX_HEADER_SIZE                                                   \
  (72 + 2 * PACO_MAX_COMPONENTS * (2 + PACO_MAX_SUBBANDS) + (4 + 24) + (4 + 4) \
      + (4 + 4) + (4 + PACO_MAX_CARRIED_SET) + (4 + 4)                         \
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

/* x, y of red, green, blue, white in 1/50000; luminances in 1/10000 cd/m2. */
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

/* What the application wants back with the picture; the codec only carries it.
 * The numbers are those of FORMAT.md section 2. */
typedef struct
{
  char raw_format[16]; /* zero-terminated */
  uint32_t par_n, par_d;
  /* Of whole frames, also where each picture is one field. fps_n = 0: variable
   * or unknown. */
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
  PacoPlace place; /* not part of what a stream is */
  /* What accompanies the picture; not part of what a stream is. It points to memory
   * of the application, or into the header that was parsed. */
  PacoAncillary ancillary;
} PacoVideoInfo;

/* How the picture is coded. subbands[c][k]: k = 0 is LL, then HL, LH, HH of
 * level L, ..., HL, LH, HH of level 1. */
typedef struct
{
  struct
  {
    uint8_t wavelet; /* PacoWaveletId */
    uint8_t family;  /* of the built-in probability sets */
  } components[PACO_MAX_COMPONENTS];
  uint8_t levels;          /* 0..8 */
  uint8_t coding_passes;   /* 1..3 */
  uint8_t color_transform; /* PacoColorTransform */
  uint8_t reconstruction;  /* in 1/256 of an interval */
  bool block_checks;
  bool cut_points; /* there are some behind the records of the index */
  struct
  {
    uint8_t height_log2; /* block height: 32 << height_log2 */
    uint16_t step;       /* code of the quantizer step, quantizer.h */
    /* Encoder: bits behind the point of what is rounded to indices
     * (FORMAT.md section 9); no part of the header. */
    uint8_t fraction_bits;
  } subbands[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
} PacoCoding;

typedef struct
{
  PacoPictureFormat picture;
  PacoVideoInfo video;
  PacoCoding coding;
  /* A set carried in the frame, or NULL: it takes the place of set 0 of
   * component 0's family (paco_coding_family()). Parsing puts it in *carried_set,
   * which the caller provides. */
  const PacoProbabilitySet *set;
  uint32_t header_size, index_size, frame_size; /* bytes */
  uint32_t cut_points_size; /* of index_size, with coding.cut_points */
  uint32_t index_crc;
} PacoHeader;

/* Whether size bytes at data may be the beginning of a frame (magic, version,
 * plausible sizes); fills the sizes of *header. Needs PACO_HEADER_PEEK_SIZE
 * bytes. Errors: NOT_PACO, VERSION, CORRUPT. */
gboolean paco_header_peek (
    const uint8_t *data, size_t size, PacoHeader *header, GError **error);

/* Parses and checks a whole header; every field is within the ranges of
 * FORMAT.md afterwards. size may be that of the whole frame or only of the
 * header. carried_set may be NULL if a carried set is not wanted.
 * Errors: NOT_PACO, VERSION, CORRUPT. */
gboolean paco_header_parse (const uint8_t *data, size_t size,
    PacoHeader *header, PacoProbabilitySet *carried_set, GError **error);
/* The same for a frame of which all size bytes are there; there may be more. */
gboolean paco_header_parse_frame (const uint8_t *data, size_t size,
    PacoHeader *header, PacoProbabilitySet *carried_set, GError **error);

/* The sets that the blocks of a component are coded with. carried_set: the one
 * that the frame carries, or NULL; the family points to it. */
PacoFamily paco_coding_family (const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, unsigned component);

/* Bytes of the header that paco_header_write() makes. */
size_t paco_header_size (const PacoHeader *header);

/* Writes a header, its own CRC included; header_size is computed, the other
 * sizes and index_crc are taken from *header. Returns header_size. data may be where
 * the ancillary chunks are, if *header was parsed from what this function wrote. */
size_t paco_header_write (const PacoHeader *header, uint8_t *data);

/* Sets the place in a frame at data whose header paco_header_write() has made
 * with has_place: a frame's offset is known only when those before it are
 * coded. Renews the header's CRC. FALSE, and nothing done, without a place. */
gboolean paco_header_set_place (
    uint8_t *data, size_t size, const PacoPlace *place);

/* Whether a picture can be coded like this: what FORMAT.md asks of the header
 * fields. Error: UNSUPPORTED, with the sentence for the user. */
gboolean paco_header_check (const PacoHeader *header, GError **error);

/* Whether a decoder that is configured for frames of header a decodes those of
 * b: the same picture, and the same coding but for which of the reversible wavelets
 * there are, quantizer steps, carried set, reconstruction point and block checks. */
gboolean paco_header_same_configuration (
    const PacoHeader *a, const PacoHeader *b);

/* Whether both are of one mixed stream (PACO_INTERLACE_MIXED): the same but for that
 * one of them is coded in one piece and the other as two fields. */
gboolean paco_header_same_stream (const PacoHeader *a, const PacoHeader *b);

/* Whether the picture has at most max_pixels columns times lines, and so is
 * worth the memory that it takes; 0 stands for PACO_DEFAULT_MAX_PIXELS. Error
 * UNSUPPORTED, with the value of max-pixels that it needs. */
gboolean paco_header_check_pixels (
    const PacoHeader *header, uint64_t max_pixels, GError **error);
