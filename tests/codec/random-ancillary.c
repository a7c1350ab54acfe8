/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws ancillary chunks, as random-ancillary.h says. */
#include "random-ancillary.h"
#include <string.h>

#define MAX_CHUNK 2000

static uint64_t
draw_bits (GRand *rand)
{
  uint64_t bits = (uint64_t) g_rand_int (rand) << 32 | g_rand_int (rand);

  return g_rand_boolean (rand) ? bits : bits >> g_rand_int_range (rand, 0, 64);
}

static unsigned
draw (GRand *rand, unsigned low, unsigned high)
{
  return low + g_rand_int (rand) % (high - low + 1);
}

static void
draw_name (GRand *rand, char *name, unsigned longest)
{
  static const char signs[] = "abcXYZ019-_.:+/";
  unsigned length = draw (rand, 1, longest);

  for (unsigned i = 0; i < length; i++)
    name[i] = signs[draw (rand, 0, i ? sizeof signs - 2 : 5)];
  name[length] = 0;
}

/* Draws a text, and returns its bytes. */
static unsigned
draw_text (GRand *rand, char *text, unsigned longest)
{
  static const char *const parts[] = { "a", " ", "\"", "é", "≤", "\x01", "𝄞" };
  unsigned length = 0;

  for (unsigned n = draw (rand, 0, 12); n > 0; n--) {
    const char *part = parts[draw (rand, 0, G_N_ELEMENTS (parts) - 1)];

    if (length + strlen (part) <= longest) {
      memcpy (text + length, part, strlen (part));
      length += strlen (part);
    }
  }
  return length;
}

static void
add_value (GRand *rand, PacoAncillaryWriter *writer)
{
  PacoValue value = { .type = draw (
                          rand, PACO_VALUE_BOOLEAN, PACO_VALUE_TEXT) };
  char text[100];
  uint64_t bits;

  draw_name (rand, value.name, draw (rand, 0, 9) ? 8 : PACO_MAX_NAME);
  switch (value.type) {
    case PACO_VALUE_BOOLEAN:
      value.boolean = g_rand_boolean (rand);
      break;
    case PACO_VALUE_INT:
    case PACO_VALUE_UINT:
      value.unsigned_integer = (uint32_t) draw_bits (rand);
      break;
    case PACO_VALUE_INT64:
    case PACO_VALUE_UINT64:
    case PACO_VALUE_DOUBLE:
      bits = draw_bits (rand);
      memcpy (&value.unsigned64, &bits, sizeof bits);
      break;
    case PACO_VALUE_FRACTION:
      value.fraction[0] = (int32_t) draw_bits (rand) / 2;
      value.fraction[1] = (int32_t) draw (rand, 1, INT32_MAX);
      break;
    case PACO_VALUE_TEXT:
      value.text.length = (uint16_t) draw_text (rand, text, sizeof text);
      value.text.data = text;
      break;
  }
  g_assert_true (paco_ancillary_add_value (writer, &value));
}

static void
add_list (GRand *rand, PacoAncillaryWriter *writer)
{
  char name[PACO_MAX_NAME + 1];

  draw_name (rand, name, 20);
  g_assert_true (paco_ancillary_add_list (writer, name));
  for (unsigned n = draw (rand, 0, 4); n > 0; n--)
    add_value (rand, writer);
}

static void
add_caption (GRand *rand, PacoAncillaryWriter *writer)
{
  uint8_t bytes[300];
  PacoCaption caption = { .type = (uint8_t) draw (rand, 1, 5),
    .data = bytes,
    .size = draw (rand, 1, sizeof bytes) };

  for (size_t i = 0; i < caption.size; i++)
    bytes[i] = (uint8_t) g_rand_int (rand);
  g_assert_true (paco_ancillary_add_caption (writer, &caption));
}

static void
add_active_format (GRand *rand, PacoAncillaryWriter *writer)
{
  PacoActiveFormat active = {
    .kind = (uint8_t) draw (
        rand, PACO_ACTIVE_FORMAT_AFD, PACO_ACTIVE_FORMAT_PILLARBOX),
    .field = (uint8_t) draw (rand, 0, 1),
    .spec = (uint8_t) draw (rand, 0, 3),
    .value = (uint8_t) draw (rand, 0, 15),
    .bars = { g_rand_int (rand), g_rand_int (rand) },
  };

  g_assert_true (paco_ancillary_add_active_format (writer, &active));
}

static void
add_timecode (GRand *rand, PacoAncillaryWriter *writer)
{
  PacoTimecode timecode = {
    .fps_n = (uint32_t) draw_bits (rand) >> 1,
    .fps_d = draw (rand, 1, 1001),
    .frames = g_rand_int (rand),
    .hours = (uint8_t) draw (rand, 0, 23),
    .minutes = (uint8_t) draw (rand, 0, 59),
    .seconds = (uint8_t) draw (rand, 0, 59),
    .field_count = (uint8_t) draw (rand, 0, 2),
    .flags = (uint8_t) g_rand_int (rand),
    .has_daily_jam = g_rand_boolean (rand),
    .daily_jam = (int64_t) (draw_bits (rand) >> 15) * 440 - 62135510400000000,
    .daily_jam_offset = g_rand_int_range (rand, -86399, 86400),
  };

  g_assert_true (paco_ancillary_add_timecode (writer, &timecode));
}

static void
add_area (GRand *rand, PacoAncillaryWriter *writer)
{
  char type[PACO_MAX_NAME];
  PacoAreaOfInterest area = {
    .id = (int32_t) draw_bits (rand),
    .parent_id = (int32_t) draw_bits (rand),
    .x = g_rand_int (rand),
    .y = g_rand_int (rand),
    .width = (uint32_t) draw_bits (rand),
    .height = (uint32_t) draw_bits (rand),
    .type = type,
  };

  area.type_length = (uint8_t) draw_text (rand, type, sizeof type);
  paco_ancillary_begin_area (writer, &area);
  for (unsigned n = draw (rand, 0, 2); n > 0; n--)
    add_list (rand, writer);
  g_assert_true (paco_ancillary_end (writer));
}

static void
add_reference_time (GRand *rand, PacoAncillaryWriter *writer)
{
  PacoReferenceTime time = { .time = draw_bits (rand),
    .duration = g_rand_boolean (rand) ? UINT64_MAX : draw_bits (rand) };

  paco_ancillary_begin_reference_time (writer, &time);
  add_list (rand, writer);
  g_assert_true (paco_ancillary_end (writer));
}

static void
add_unknown (GRand *rand, PacoAncillaryWriter *writer, unsigned type)
{
  unsigned size = draw (rand, 0, 200);
  uint8_t *p = writer->data + writer->size;

  p[0] = (uint8_t) type;
  p[1] = 0;
  p[2] = (uint8_t) size;
  p[3] = 0;
  for (unsigned i = 0; i < size; i++)
    p[PACO_CHUNK_HEAD + i] = (uint8_t) g_rand_int (rand);
  writer->size += PACO_CHUNK_HEAD + size;
}

void
test_ancillary_random_chunk (GRand *rand, GByteArray *memory, unsigned type)
{
  uint8_t bytes[8 * MAX_CHUNK];
  PacoAncillaryWriter writer = { .data = bytes, .capacity = sizeof bytes };

  switch (type) {
    case PACO_ANCILLARY_CAPTION:
      add_caption (rand, &writer);
      break;
    case PACO_ANCILLARY_ACTIVE_FORMAT:
      add_active_format (rand, &writer);
      break;
    case PACO_ANCILLARY_TIMECODE:
      add_timecode (rand, &writer);
      break;
    case PACO_ANCILLARY_AREA:
      add_area (rand, &writer);
      break;
    case PACO_ANCILLARY_REFERENCE_TIME:
      add_reference_time (rand, &writer);
      break;
    default:
      add_unknown (rand, &writer, type);
  }
  g_byte_array_append (memory, bytes, (guint) writer.size);
}

void
test_ancillary_random (GRand *rand, GByteArray *memory, size_t max_size)
{
  size_t end = memory->len + max_size;
  guint before;

  for (unsigned n = draw (rand, 0, 8); n > 0; n--) {
    before = memory->len;
    test_ancillary_random_chunk (rand, memory,
        draw (rand, 0, 3)
            ? draw (rand, PACO_ANCILLARY_FIRST, PACO_ANCILLARY_REFERENCE_TIME)
            : draw (
                rand, PACO_ANCILLARY_REFERENCE_TIME + 1, PACO_ANCILLARY_LAST));
    if (memory->len > end)
      g_byte_array_set_size (memory, before);
  }
}

static bool
write_lists_again (PacoAncillaryWriter *writer, PacoValues *values)
{
  char name[PACO_MAX_NAME + 1];
  PacoValue value;

  while (paco_values_next_list (values, name)) {
    g_assert_true (paco_ancillary_add_list (writer, name));
    while (paco_values_next (values, &value))
      g_assert_true (paco_ancillary_add_value (writer, &value));
  }
  return paco_ancillary_end (writer);
}

bool
test_ancillary_write_again (PacoAncillaryWriter *writer, const PacoChunk *chunk)
{
  PacoActiveFormat active;
  PacoReferenceTime time;
  PacoAreaOfInterest area;
  PacoTimecode timecode;
  PacoCaption caption;
  PacoValues values;

  switch (chunk->type) {
    case PACO_ANCILLARY_CAPTION:
      paco_chunk_caption (chunk, &caption);
      return paco_ancillary_add_caption (writer, &caption);
    case PACO_ANCILLARY_ACTIVE_FORMAT:
      paco_chunk_active_format (chunk, &active);
      return paco_ancillary_add_active_format (writer, &active);
    case PACO_ANCILLARY_TIMECODE:
      paco_chunk_timecode (chunk, &timecode);
      return paco_ancillary_add_timecode (writer, &timecode);
    case PACO_ANCILLARY_AREA:
      paco_chunk_area (chunk, &area, &values);
      paco_ancillary_begin_area (writer, &area);
      return write_lists_again (writer, &values);
    case PACO_ANCILLARY_REFERENCE_TIME:
      paco_chunk_reference_time (chunk, &time, &values);
      paco_ancillary_begin_reference_time (writer, &time);
      return write_lists_again (writer, &values);
    default:
      g_assert_not_reached ();
  }
}
