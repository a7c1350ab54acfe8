/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What accompanies a picture: captions, the active format, timecodes, areas of
 * interest, reference times. They are the ancillary chunks of a header (FORMAT.md
 * section 3.1). An application writes them with a PacoAncillaryWriter before it
 * submits the picture, and reads them from the header of a frame; the codec checks
 * and carries them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of ancillary chunks. Those that have no name here are carried, too. */
enum
{
  PACO_ANCILLARY_FIRST = 7,
  PACO_ANCILLARY_CAPTION = 7,
  PACO_ANCILLARY_ACTIVE_FORMAT = 8,
  PACO_ANCILLARY_TIMECODE = 9,
  PACO_ANCILLARY_AREA = 10,
  PACO_ANCILLARY_REFERENCE_TIME = 11,
  PACO_ANCILLARY_N_FILES = 16,
  PACO_ANCILLARY_MEMBERS = 17,
  PACO_ANCILLARY_LAST = 255,
};

/* Bytes of all ancillary chunks of a frame at most, their heads included. */
#define PACO_MAX_ANCILLARY_SIZE 32768
#define PACO_CHUNK_HEAD 4 /* type and size */

/* Chunks in memory, one behind the other. There may be some among them that are not
 * ancillary; these are skipped. */
typedef struct
{
  const uint8_t *data; /* NULL: there are none */
  size_t size;
} PacoAncillary;

typedef struct
{
  uint16_t type, size;
  const uint8_t *data;
} PacoChunk;

/* Takes the next chunk of any type off *chunks. Returns FALSE at the end, and also if
 * what is left is not a chunk; *chunks is not empty then. */
bool paco_chunk_next (PacoAncillary *chunks, PacoChunk *chunk);
/* Takes the next ancillary chunk and all before it off *chunks. */
bool paco_ancillary_next (PacoAncillary *chunks, PacoChunk *chunk);

/* The first returns the bytes of the ancillary chunks. The second copies these chunks
 * to `to` and returns where they end. */
size_t paco_ancillary_size (const PacoAncillary *chunks);
uint8_t *paco_ancillary_copy (const PacoAncillary *chunks, uint8_t *to);

/* Says whether the bytes are chunks, those with a name above are as FORMAT.md says,
 * and the ancillary ones take no more than PACO_MAX_ANCILLARY_SIZE. If not, *reason
 * says what is wrong. */
bool paco_ancillary_check (const PacoAncillary *chunks, const char **reason);

/* --- what they say --- */

/* Kinds and standards above those that FORMAT.md lists are kept as they are: an
 * application that does not know one ignores it. */
typedef struct
{
  uint8_t
      type; /* 1 CEA-608 pairs, 2 S334-1 A triplets, 3 CEA-708 cc_data, 4 CDP */
  const uint8_t *data;
  size_t size; /* at least 1 */
} PacoCaption;

enum
{
  PACO_ACTIVE_FORMAT_AFD = 0,
  PACO_ACTIVE_FORMAT_LETTERBOX = 1,
  PACO_ACTIVE_FORMAT_PILLARBOX = 2,
};

/* The active format description, or bars. */
typedef struct
{
  uint8_t kind;  /* PACO_ACTIVE_FORMAT_* */
  uint8_t field; /* 0: of the picture or the first field, 1: the second field */
  uint8_t spec;  /* AFD: 0 DVB, 1 ATSC A/53, 2 SMPTE ST 2016-1 */
  uint8_t value; /* AFD, 0..15 */
  /* Bars: the last line (or column) of the first bar, the first one of the second. */
  uint32_t bars[2];
} PacoActiveFormat;

/* Says whether FORMAT.md allows this active format. A frame with one that it does not
 * allow is refused. */
bool paco_active_format_is_valid (const PacoActiveFormat *active);

enum
{
  PACO_TIMECODE_DROP_FRAME = 1 << 0,
  PACO_TIMECODE_INTERLACED = 1 << 1,
};

typedef struct
{
  uint32_t fps_n, fps_d; /* below 2^31; fps_n = 0: unknown */
  uint32_t frames;
  uint8_t hours, minutes, seconds; /* 0..23, 0..59, 0..59 */
  uint8_t field_count;             /* 0: progressive; 1, 2 */
  uint8_t flags;                   /* PACO_TIMECODE_* */
  bool has_daily_jam;
  /* Microseconds since 1970, UTC, and seconds of local time before UTC, less than a
   * day; the daily jam is in the years 1 to 9999 of both. */
  int64_t daily_jam;
  int32_t daily_jam_offset;
} PacoTimecode;

/* Says whether FORMAT.md allows this timecode. A frame with one that it does not
 * allow is refused. */
bool paco_timecode_is_valid (const PacoTimecode *timecode);

/* A rectangle and what it is. Lists of values follow, see paco_values_next(). */
typedef struct
{
  int32_t id, parent_id; /* of the area, and of the one that it is a part of */
  uint32_t x, y, width, height;
  const char *type; /* UTF-8, not terminated */
  uint8_t type_length;
} PacoAreaOfInterest;

/* The time of the picture by another clock, which a list of values names. */
typedef struct
{
  uint64_t time, duration; /* nanoseconds; UINT64_MAX: unknown */
} PacoReferenceTime;

typedef enum
{
  PACO_VALUE_BOOLEAN = 1,
  PACO_VALUE_INT = 2,
  PACO_VALUE_UINT = 3,
  PACO_VALUE_INT64 = 4,
  PACO_VALUE_UINT64 = 5,
  PACO_VALUE_DOUBLE = 6,
  PACO_VALUE_FRACTION = 7,
  PACO_VALUE_TEXT = 8,
} PacoValueType;

#define PACO_MAX_NAME 255 /* bytes */

typedef struct
{
  char name[PACO_MAX_NAME + 1];
  PacoValueType type;
  union /* of numbers in the same bits */
  {
    bool boolean;
    int32_t integer;
    uint32_t unsigned_integer;
    int64_t integer64;
    uint64_t unsigned64;
    double real;
    int32_t fraction[2]; /* the first above INT32_MIN, the second above 0 */
    struct
    {
      const char *data; /* UTF-8 without zeros, not terminated */
      uint16_t length;
    } text;
  };
} PacoValue;

/* Lists of values that are yet to be read. */
typedef struct
{
  const uint8_t *p;
  unsigned n_lists, n_values; /* values of the present list */
} PacoValues;

/* These read a chunk that paco_ancillary_check() has accepted. */
void paco_chunk_caption (const PacoChunk *chunk, PacoCaption *caption);
void paco_chunk_active_format (
    const PacoChunk *chunk, PacoActiveFormat *active);
void paco_chunk_timecode (const PacoChunk *chunk, PacoTimecode *timecode);
void paco_chunk_area (
    const PacoChunk *chunk, PacoAreaOfInterest *area, PacoValues *values);
void paco_chunk_reference_time (
    const PacoChunk *chunk, PacoReferenceTime *time, PacoValues *values);
/* Goes to the next list of values and returns its name. What is left of the present
 * list is skipped. */
bool paco_values_next_list (PacoValues *values, char name[PACO_MAX_NAME + 1]);
bool paco_values_next (PacoValues *values, PacoValue *value);

/* Says whether these bytes are a name as FORMAT.md wants it: a letter, then letters,
 * digits and any of - _ . : + / */
bool paco_is_name (const char *name, size_t length);

/* --- writing --- */

/* Writes chunks into memory of the caller. */
typedef struct
{
  uint8_t *data;
  size_t size, capacity; /* size: of the chunks that are complete */
  /* Of the chunk that is being written. */
  size_t at;
  size_t lists_at, values_at; /* where they are counted; 0: no list */
} PacoAncillaryWriter;

/* Each adds a chunk; FALSE, and nothing done, if there is no room for it. */
bool paco_ancillary_add_caption (
    PacoAncillaryWriter *writer, const PacoCaption *caption);
bool paco_ancillary_add_active_format (
    PacoAncillaryWriter *writer, const PacoActiveFormat *active);
bool paco_ancillary_add_timecode (
    PacoAncillaryWriter *writer, const PacoTimecode *timecode);

/* The chunk of an area or of a reference time is begun, gets its lists and values one
 * by one, and is complete when paco_ancillary_end() returns TRUE. A reference time has
 * one list. paco_is_name() must hold for names, and texts are UTF-8 without zeros of
 * at most 65535 bytes. There are at most 255 lists, and 255 values in each; FALSE if
 * there is one too many. */
void paco_ancillary_begin_area (
    PacoAncillaryWriter *writer, const PacoAreaOfInterest *area);
void paco_ancillary_begin_reference_time (
    PacoAncillaryWriter *writer, const PacoReferenceTime *time);
bool paco_ancillary_add_list (PacoAncillaryWriter *writer, const char *name);
bool paco_ancillary_add_value (
    PacoAncillaryWriter *writer, const PacoValue *value);
bool paco_ancillary_end (PacoAncillaryWriter *writer);

/* --- attachments --- */

/* Bytes that a frame's attachment has at most: what accompanies the picture and is too
 * large for the header lies behind the payload (FORMAT.md section 3.2). */
#define PACO_MAX_ATTACHMENT_SIZE (1u << 28)

typedef struct
{
  const uint8_t *data; /* NULL where only a header was parsed */
  uint32_t size;       /* 0: there is none */
  uint32_t crc;        /* zlib's CRC-32 of the bytes */
} PacoAttachment;

/* Returns an attachment of these bytes, which are not copied. There are
 * PACO_MAX_ATTACHMENT_SIZE at most. */
PacoAttachment paco_attachment_of (const void *data, size_t size);

/* Says whether the bytes are those of which the CRC was computed. */
bool paco_attachment_is_whole (const PacoAttachment *attachment);

/* Copies the bytes. Returns where the copy ends. */
uint8_t *paco_attachment_copy (const PacoAttachment *attachment, uint8_t *to);
