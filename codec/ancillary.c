/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads, checks and writes ancillary chunks; ancillary.h says for whom. Chunks are
 * checked as a whole before anything is read from them, so that reading cannot
 * fail. */
#include "ancillary.h"
#include "bytes.h"
#include <glib.h>
#include <string.h>
#include <zlib.h>

enum
{
  ACTIVE_FORMAT_AFD_SIZE = 4,
  ACTIVE_FORMAT_BARS_SIZE = 10,
  TIMECODE_SIZE = 17,
  DAILY_JAM_SIZE = 12,
  AREA_SIZE = 24, /* before its type */
  REFERENCE_TIME_SIZE = 16,
  DAY = 24 * 60 * 60,
};

/* Years 1 to 9999. */
#define MIN_DAILY_JAM (INT64_C (-62135596800) * 1000000)
#define MAX_DAILY_JAM (INT64_C (253402300800) * 1000000 - 1)

/* How many bytes a value has, by its type; a text after its length. */
static const uint8_t value_sizes[] = {
  [PACO_VALUE_BOOLEAN] = 1,
  [PACO_VALUE_INT] = 4,
  [PACO_VALUE_UINT] = 4,
  [PACO_VALUE_INT64] = 8,
  [PACO_VALUE_UINT64] = 8,
  [PACO_VALUE_DOUBLE] = 8,
  [PACO_VALUE_FRACTION] = 8,
  [PACO_VALUE_TEXT] = 2,
};

/* --- chunks --- */

bool
paco_chunk_next (PacoAncillary *chunks, PacoChunk *chunk)
{
  if (chunks->size < PACO_CHUNK_HEAD)
    return false;
  chunk->type = paco_get16 (chunks->data);
  chunk->size = paco_get16 (chunks->data + 2);
  chunk->data = chunks->data + PACO_CHUNK_HEAD;
  if (chunk->size > chunks->size - PACO_CHUNK_HEAD)
    return false;
  chunks->data += PACO_CHUNK_HEAD + chunk->size;
  chunks->size -= PACO_CHUNK_HEAD + chunk->size;
  return true;
}

bool
paco_ancillary_next (PacoAncillary *chunks, PacoChunk *chunk)
{
  while (paco_chunk_next (chunks, chunk))
    if (chunk->type >= PACO_ANCILLARY_FIRST
        && chunk->type <= PACO_ANCILLARY_LAST)
      return true;
  return false;
}

size_t
paco_ancillary_size (const PacoAncillary *chunks)
{
  PacoAncillary rest = *chunks;
  PacoChunk chunk;
  size_t size = 0;

  while (paco_ancillary_next (&rest, &chunk))
    size += PACO_CHUNK_HEAD + chunk.size;
  return size;
}

uint8_t *
paco_ancillary_copy (const PacoAncillary *chunks, uint8_t *to)
{
  PacoAncillary rest = *chunks;
  PacoChunk chunk;

  while (paco_ancillary_next (&rest, &chunk)) {
    memmove (to, chunk.data - PACO_CHUNK_HEAD, PACO_CHUNK_HEAD + chunk.size);
    to += PACO_CHUNK_HEAD + chunk.size;
  }
  return to;
}

/* --- checking --- */

bool
paco_is_name (const char *name, size_t length)
{
  if (length < 1 || length > PACO_MAX_NAME || !g_ascii_isalpha (name[0]))
    return false;
  for (size_t i = 1; i < length; i++)
    if (!g_ascii_isalnum (name[i]) && !memchr ("-_.:+/", name[i], 6))
      return false;
  return true;
}

static bool
is_text (const uint8_t *text, size_t length)
{
  return memchr (text, 0, length) == NULL
      && g_utf8_validate_len ((const char *) text, length, NULL);
}

/* Bytes that are checked from the front on. The functions return FALSE when there are
 * too few of them. */
typedef struct
{
  const uint8_t *p, *end;
} Bytes;

static const uint8_t *
take (Bytes *bytes, size_t n)
{
  const uint8_t *p = bytes->p;

  if ((size_t) (bytes->end - p) < n)
    return NULL;
  bytes->p += n;
  return p;
}

static bool
take_name (Bytes *bytes)
{
  const uint8_t *length = take (bytes, 1), *name;

  return length && (name = take (bytes, *length))
      && paco_is_name ((const char *) name, *length);
}

static bool
take_text (Bytes *bytes, unsigned length_size)
{
  const uint8_t *head = take (bytes, length_size), *text;
  size_t length;

  if (!head)
    return false;
  length = length_size == 1 ? *head : paco_get16 (head);
  text = take (bytes, length);
  return text && is_text (text, length);
}

static bool
take_value (Bytes *bytes)
{
  const uint8_t *type, *p;

  if (!take_name (bytes) || !(type = take (bytes, 1)))
    return false;
  if (*type == PACO_VALUE_TEXT)
    return take_text (bytes, 2);
  if (*type < PACO_VALUE_BOOLEAN || *type > PACO_VALUE_TEXT
      || !(p = take (bytes, value_sizes[*type])))
    return false;
  return (*type != PACO_VALUE_BOOLEAN || *p <= 1)
      && (*type != PACO_VALUE_FRACTION
          || ((int32_t) paco_get32 (p) != INT32_MIN
              && (int32_t) paco_get32 (p + 4) > 0));
}

static bool
take_list (Bytes *bytes)
{
  const uint8_t *n;

  if (!take_name (bytes) || !(n = take (bytes, 1)))
    return false;
  for (unsigned i = 0; i < *n; i++)
    if (!take_value (bytes))
      return false;
  return true;
}

/* Takes lists of values until the bytes end. */
static bool
take_lists (Bytes *bytes)
{
  const uint8_t *n = take (bytes, 1);

  if (!n)
    return false;
  for (unsigned i = 0; i < *n; i++)
    if (!take_list (bytes))
      return false;
  return bytes->p == bytes->end;
}

bool
paco_active_format_is_valid (const PacoActiveFormat *active)
{
  return active->kind > PACO_ACTIVE_FORMAT_PILLARBOX
      || (active->field <= 1
          && (active->kind != PACO_ACTIVE_FORMAT_AFD || active->value <= 15));
}

static bool
check_active_format (const PacoChunk *chunk)
{
  PacoActiveFormat active;

  if (chunk->size < 1)
    return false;
  switch (chunk->data[0]) {
    case PACO_ACTIVE_FORMAT_AFD:
      if (chunk->size != ACTIVE_FORMAT_AFD_SIZE)
        return false;
      break;
    case PACO_ACTIVE_FORMAT_LETTERBOX:
    case PACO_ACTIVE_FORMAT_PILLARBOX:
      if (chunk->size != ACTIVE_FORMAT_BARS_SIZE)
        return false;
      break;
    default:
      return true;
  }
  paco_chunk_active_format (chunk, &active);
  return paco_active_format_is_valid (&active);
}

static bool
is_daily_jam (int64_t time)
{
  return time >= MIN_DAILY_JAM && time <= MAX_DAILY_JAM;
}

bool
paco_timecode_is_valid (const PacoTimecode *timecode)
{
  int64_t offset = timecode->daily_jam_offset;

  if (timecode->fps_n > INT32_MAX || timecode->fps_d < 1
      || timecode->fps_d > INT32_MAX || timecode->hours > 23
      || timecode->minutes > 59 || timecode->seconds > 59
      || timecode->field_count > 2)
    return false;
  return !timecode->has_daily_jam
      || (offset > -DAY && offset < DAY && is_daily_jam (timecode->daily_jam)
          && is_daily_jam (timecode->daily_jam + offset * 1000000));
}

static bool
check_timecode (const PacoChunk *chunk)
{
  PacoTimecode timecode;

  if (chunk->size != TIMECODE_SIZE
      && chunk->size != TIMECODE_SIZE + DAILY_JAM_SIZE)
    return false;
  paco_chunk_timecode (chunk, &timecode);
  return paco_timecode_is_valid (&timecode);
}

static bool
check_area (const PacoChunk *chunk)
{
  Bytes bytes = { chunk->data, chunk->data + chunk->size };

  return take (&bytes, AREA_SIZE) && take_text (&bytes, 1)
      && take_lists (&bytes);
}

static bool
check_reference_time (const PacoChunk *chunk)
{
  Bytes bytes = { chunk->data, chunk->data + chunk->size };

  return take (&bytes, REFERENCE_TIME_SIZE) && chunk->data[16] == 1
      && take_lists (&bytes);
}

static const char *
what_is_wrong (const PacoChunk *chunk)
{
  switch (chunk->type) {
    case PACO_ANCILLARY_CAPTION:
      return chunk->size >= 2 ? NULL : "a caption has no bytes";
    case PACO_ANCILLARY_ACTIVE_FORMAT:
      return check_active_format (chunk) ? NULL : "an active format is invalid";
    case PACO_ANCILLARY_TIMECODE:
      return check_timecode (chunk) ? NULL : "a timecode is invalid";
    case PACO_ANCILLARY_AREA:
      return check_area (chunk) ? NULL : "an area of interest is invalid";
    case PACO_ANCILLARY_REFERENCE_TIME:
      return check_reference_time (chunk) ? NULL
                                          : "a reference time is invalid";
    default:
      return NULL;
  }
}

bool
paco_ancillary_check (const PacoAncillary *chunks, const char **reason)
{
  PacoAncillary rest = *chunks;
  PacoChunk chunk;

  while (paco_ancillary_next (&rest, &chunk)) {
    *reason = what_is_wrong (&chunk);
    if (*reason)
      return false;
  }
  if (rest.size > 0)
    *reason = "a chunk is longer than the header";
  else if (paco_ancillary_size (chunks) > PACO_MAX_ANCILLARY_SIZE)
    *reason = "what accompanies the picture takes more than 32768 bytes";
  else
    return true;
  return false;
}

/* --- reading --- */

void
paco_chunk_caption (const PacoChunk *chunk, PacoCaption *caption)
{
  *caption = (PacoCaption){
    .type = chunk->data[0],
    .data = chunk->data + 1,
    .size = chunk->size - 1u,
  };
}

void
paco_chunk_active_format (const PacoChunk *chunk, PacoActiveFormat *active)
{
  const uint8_t *p = chunk->data;

  *active = (PacoActiveFormat){ .kind = p[0] };
  if (active->kind > PACO_ACTIVE_FORMAT_PILLARBOX)
    return;
  active->field = p[1];
  if (active->kind == PACO_ACTIVE_FORMAT_AFD) {
    active->spec = p[2];
    active->value = p[3];
  } else {
    active->bars[0] = paco_get32 (p + 2);
    active->bars[1] = paco_get32 (p + 6);
  }
}

void
paco_chunk_timecode (const PacoChunk *chunk, PacoTimecode *timecode)
{
  const uint8_t *p = chunk->data;

  *timecode = (PacoTimecode){
    .fps_n = paco_get32 (p),
    .fps_d = paco_get32 (p + 4),
    .frames = paco_get32 (p + 8),
    .hours = p[12],
    .minutes = p[13],
    .seconds = p[14],
    .field_count = p[15],
    .flags = p[16],
    .has_daily_jam = chunk->size > TIMECODE_SIZE,
  };
  if (!timecode->has_daily_jam)
    return;
  timecode->daily_jam = (int64_t) paco_get64 (p + TIMECODE_SIZE);
  timecode->daily_jam_offset = (int32_t) paco_get32 (p + TIMECODE_SIZE + 8);
}

static PacoValues
values_at (const uint8_t *p)
{
  return (PacoValues){ .p = p + 1, .n_lists = *p };
}

void
paco_chunk_area (
    const PacoChunk *chunk, PacoAreaOfInterest *area, PacoValues *values)
{
  const uint8_t *p = chunk->data;

  *area = (PacoAreaOfInterest){
    .id = (int32_t) paco_get32 (p),
    .parent_id = (int32_t) paco_get32 (p + 4),
    .x = paco_get32 (p + 8),
    .y = paco_get32 (p + 12),
    .width = paco_get32 (p + 16),
    .height = paco_get32 (p + 20),
    .type = (const char *) p + AREA_SIZE + 1,
    .type_length = p[AREA_SIZE],
  };
  *values = values_at (p + AREA_SIZE + 1 + area->type_length);
}

void
paco_chunk_reference_time (
    const PacoChunk *chunk, PacoReferenceTime *time, PacoValues *values)
{
  time->time = paco_get64 (chunk->data);
  time->duration = paco_get64 (chunk->data + 8);
  *values = values_at (chunk->data + REFERENCE_TIME_SIZE);
}

static void
read_name (PacoValues *values, char *name)
{
  uint8_t length = *values->p++;

  memcpy (name, values->p, length);
  name[length] = 0;
  values->p += length;
}

bool
paco_values_next_list (PacoValues *values, char name[PACO_MAX_NAME + 1])
{
  PacoValue skipped;

  while (paco_values_next (values, &skipped))
    ;
  if (values->n_lists == 0)
    return false;
  values->n_lists--;
  read_name (values, name);
  values->n_values = *values->p++;
  return true;
}

bool
paco_values_next (PacoValues *values, PacoValue *value)
{
  const uint8_t *p;

  if (values->n_values == 0)
    return false;
  values->n_values--;
  read_name (values, value->name);
  value->type = (PacoValueType) *values->p++;
  p = values->p;
  values->p += value_sizes[value->type];
  switch (value->type) {
    case PACO_VALUE_BOOLEAN:
      value->boolean = *p;
      break;
    case PACO_VALUE_INT:
    case PACO_VALUE_UINT:
      value->unsigned_integer = paco_get32 (p);
      break;
    case PACO_VALUE_INT64:
    case PACO_VALUE_UINT64:
    case PACO_VALUE_DOUBLE:
      value->unsigned64 = paco_get64 (p);
      break;
    case PACO_VALUE_FRACTION:
      value->fraction[0] = (int32_t) paco_get32 (p);
      value->fraction[1] = (int32_t) paco_get32 (p + 4);
      break;
    case PACO_VALUE_TEXT:
      value->text.length = paco_get16 (p);
      value->text.data = (const char *) p + 2;
      values->p += value->text.length;
      break;
  }
  return true;
}

/* --- writing --- */

/* Returns where n bytes go, or NULL if there is no room for them. Then the chunk is
 * given up when it ends. */
static uint8_t *
reserve (PacoAncillaryWriter *writer, size_t n)
{
  uint8_t *p = writer->data + writer->at;

  if (writer->at > writer->capacity || n > writer->capacity - writer->at) {
    writer->at = SIZE_MAX;
    return NULL;
  }
  writer->at += n;
  return p;
}

static uint8_t *
begin (PacoAncillaryWriter *writer, unsigned type, size_t n)
{
  uint8_t *p;

  writer->at = writer->size;
  writer->lists_at = writer->values_at = 0;
  p = reserve (writer, PACO_CHUNK_HEAD + n);
  if (p)
    p = paco_put16 (p, (uint16_t) type) + 2;
  return p;
}

bool
paco_ancillary_end (PacoAncillaryWriter *writer)
{
  size_t start = writer->size;
  size_t size = writer->at - start - PACO_CHUNK_HEAD;

  if (writer->at == SIZE_MAX || size > UINT16_MAX)
    return false;
  paco_put16 (writer->data + start + 2, (uint16_t) size);
  writer->size = writer->at;
  return true;
}

bool
paco_ancillary_add_caption (
    PacoAncillaryWriter *writer, const PacoCaption *caption)
{
  uint8_t *p = begin (writer, PACO_ANCILLARY_CAPTION, 1 + caption->size);

  if (p) {
    *p++ = caption->type;
    memcpy (p, caption->data, caption->size);
  }
  return paco_ancillary_end (writer);
}

bool
paco_ancillary_add_active_format (
    PacoAncillaryWriter *writer, const PacoActiveFormat *active)
{
  bool is_afd = active->kind == PACO_ACTIVE_FORMAT_AFD;
  uint8_t *p = begin (writer, PACO_ANCILLARY_ACTIVE_FORMAT,
      is_afd ? ACTIVE_FORMAT_AFD_SIZE : ACTIVE_FORMAT_BARS_SIZE);

  if (p) {
    *p++ = active->kind;
    *p++ = active->field;
    if (is_afd) {
      *p++ = active->spec;
      *p++ = active->value;
    } else {
      paco_put32 (paco_put32 (p, active->bars[0]), active->bars[1]);
    }
  }
  return paco_ancillary_end (writer);
}

bool
paco_ancillary_add_timecode (
    PacoAncillaryWriter *writer, const PacoTimecode *timecode)
{
  uint8_t *p = begin (writer, PACO_ANCILLARY_TIMECODE,
      TIMECODE_SIZE + (timecode->has_daily_jam ? DAILY_JAM_SIZE : 0));

  if (p) {
    p = paco_put32 (paco_put32 (p, timecode->fps_n), timecode->fps_d);
    p = paco_put32 (p, timecode->frames);
    *p++ = timecode->hours;
    *p++ = timecode->minutes;
    *p++ = timecode->seconds;
    *p++ = timecode->field_count;
    *p++ = timecode->flags;
    if (timecode->has_daily_jam)
      paco_put32 (paco_put64 (p, (uint64_t) timecode->daily_jam),
          (uint32_t) timecode->daily_jam_offset);
  }
  return paco_ancillary_end (writer);
}

/* Writes the number of lists, which is counted up later. */
static void
begin_lists (PacoAncillaryWriter *writer)
{
  uint8_t *n = reserve (writer, 1);

  if (!n)
    return;
  *n = 0;
  writer->lists_at = (size_t) (n - writer->data);
}

void
paco_ancillary_begin_area (
    PacoAncillaryWriter *writer, const PacoAreaOfInterest *area)
{
  uint8_t *p = begin (
      writer, PACO_ANCILLARY_AREA, AREA_SIZE + 1u + area->type_length);

  if (p) {
    p = paco_put32 (p, (uint32_t) area->id);
    p = paco_put32 (p, (uint32_t) area->parent_id);
    p = paco_put32 (paco_put32 (p, area->x), area->y);
    p = paco_put32 (paco_put32 (p, area->width), area->height);
    *p++ = area->type_length;
    memcpy (p, area->type, area->type_length);
  }
  begin_lists (writer);
}

void
paco_ancillary_begin_reference_time (
    PacoAncillaryWriter *writer, const PacoReferenceTime *time)
{
  uint8_t *p = begin (
      writer, PACO_ANCILLARY_REFERENCE_TIME, REFERENCE_TIME_SIZE);

  if (p)
    paco_put64 (paco_put64 (p, time->time), time->duration);
  begin_lists (writer);
}

static void
put_name (PacoAncillaryWriter *writer, const char *name)
{
  size_t length = strlen (name);
  uint8_t *p = reserve (writer, 1 + length);

  if (!p)
    return;
  *p = (uint8_t) length;
  memcpy (p + 1, name, length);
}

/* Counts one more list or value; FALSE if there are too many. */
static bool
count (PacoAncillaryWriter *writer, size_t at)
{
  if (writer->at == SIZE_MAX)
    return true; /* paco_ancillary_end() reports it */
  if (writer->data[at] == UINT8_MAX)
    return false;
  writer->data[at]++;
  return true;
}

bool
paco_ancillary_add_list (PacoAncillaryWriter *writer, const char *name)
{
  uint8_t *n;

  if (!count (writer, writer->lists_at))
    return false;
  put_name (writer, name);
  n = reserve (writer, 1);
  if (n) {
    *n = 0;
    writer->values_at = (size_t) (n - writer->data);
  }
  return true;
}

static void
put_value (PacoAncillaryWriter *writer, uint64_t value, size_t n)
{
  uint8_t *p = reserve (writer, n);

  for (size_t i = 0; p && i < n; i++)
    p[i] = (uint8_t) (value >> (8 * i));
}

bool
paco_ancillary_add_value (PacoAncillaryWriter *writer, const PacoValue *value)
{
  uint8_t *p;

  if (!count (writer, writer->values_at))
    return false;
  put_name (writer, value->name);
  put_value (writer, value->type, 1);
  switch (value->type) {
    case PACO_VALUE_BOOLEAN:
      put_value (writer, value->boolean, 1);
      break;
    case PACO_VALUE_INT:
    case PACO_VALUE_UINT:
      put_value (writer, value->unsigned_integer, 4);
      break;
    case PACO_VALUE_INT64:
    case PACO_VALUE_UINT64:
    case PACO_VALUE_DOUBLE:
      put_value (writer, value->unsigned64, 8);
      break;
    case PACO_VALUE_FRACTION:
      put_value (writer, (uint32_t) value->fraction[0], 4);
      put_value (writer, (uint32_t) value->fraction[1], 4);
      break;
    case PACO_VALUE_TEXT:
      put_value (writer, value->text.length, 2);
      p = reserve (writer, value->text.length);
      if (p)
        memcpy (p, value->text.data, value->text.length);
      break;
  }
  return true;
}

/* --- attachments --- */

PacoAttachment
paco_attachment_of (const void *data, size_t size)
{
  return (PacoAttachment){
    .data = data,
    .size = (uint32_t) size,
    .crc = (uint32_t) crc32_z (0, data, size),
  };
}

bool
paco_attachment_is_whole (const PacoAttachment *attachment)
{
  return attachment->size == 0
      || crc32_z (0, attachment->data, attachment->size) == attachment->crc;
}

uint8_t *
paco_attachment_copy (const PacoAttachment *attachment, uint8_t *to)
{
  if (attachment->size > 0)
    memcpy (to, attachment->data, attachment->size);
  return to + attachment->size;
}
