/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and parses the chunks of a frame's header (FORMAT.md section 3); header.c calls
 * it. Ancillary chunks are copied as they are. */
#include "header_private.h"
#include "bytes.h"
#include <string.h>

enum
{
  CHUNK_MASTERING_DISPLAY = 1,
  CHUNK_CONTENT_LIGHT = 2,
  CHUNK_PROBABILITY_SET = 3,
  CHUNK_VIEWS = 5,
  CHUNK_CUT_POINTS = 6,
  CHUNK_ATTACHMENT = 256,
  CHUNK_CODE_TABLE = 258,
  CHUNK_MATRIX = 259,
  CHUNK_STEP_MAP = 260,
  MASTERING_DISPLAY_SIZE = 24,
  CONTENT_LIGHT_SIZE = 4,
  VIEWS_SIZE = 4,
  CUT_POINTS_SIZE = 4,
  ATTACHMENT_SIZE = 8,
  SLICE_SIZE = 10,
  CODE_TABLE_SIZE = 12,
  MATRIX_SIZE = 36,
  STEP_MAP_SIZE = 5,
  SET_PLACE_SIZE = 2, /* before the differences of a carried set */
  /* Larger values of this field mean unknown, as 0 does. */
  MAX_MULTIVIEW_MODE = 34,
};

/* Returns the built-in set from which a carried set is written as differences. */
static const PacoProbabilitySet *
base_set (const PacoHeader *header)
{
  const PacoCoding *coding = &header->coding;

  return &paco_builtin_sets[coding->carried_family][coding->carried_number];
}

/* --- writing chunks --------------------------------------------------- */

size_t
paco_video_extra_size (const PacoVideoInfo *video)
{
  size_t size = paco_ancillary_size (&video->ancillary);

  if (video->attachment.size > 0)
    size += PACO_CHUNK_HEAD + ATTACHMENT_SIZE + video->attachment.size;
  return size;
}

static bool
has_matrix (const PacoCoding *coding)
{
  return coding->color_transform == PACO_COLOR_TRANSFORM_MATRIX;
}

size_t
paco_header_chunks_size (const PacoHeader *header)
{
  size_t size = 0;

  if (header->video.has_mastering_display)
    size += PACO_CHUNK_HEAD + MASTERING_DISPLAY_SIZE;
  if (header->video.has_content_light)
    size += PACO_CHUNK_HEAD + CONTENT_LIGHT_SIZE;
  if (header->video.has_views)
    size += PACO_CHUNK_HEAD + VIEWS_SIZE;
  if (header->set) {
    uint8_t chunk[PACO_MAX_CARRIED_SET];

    size += PACO_CHUNK_HEAD + SET_PLACE_SIZE
        + paco_probability_set_write (header->set, base_set (header), chunk);
  }
  if (header->coding.cut_points)
    size += PACO_CHUNK_HEAD + CUT_POINTS_SIZE;
  if (header->video.slice.length > 0)
    size += PACO_CHUNK_HEAD + SLICE_SIZE;
  size += header->coding.n_code_tables * (PACO_CHUNK_HEAD + CODE_TABLE_SIZE);
  if (has_matrix (&header->coding))
    size += PACO_CHUNK_HEAD + MATRIX_SIZE;
  if (header->coding.step_map)
    size += PACO_CHUNK_HEAD + STEP_MAP_SIZE;
  if (header->video.has_place)
    size += PACO_CHUNK_HEAD + PACO_PLACE_SIZE;
  return size + paco_video_extra_size (&header->video)
      - header->video.attachment.size;
}

static uint8_t *
write_mastering_display (const PacoMasteringDisplay *display, uint8_t *p)
{
  p = paco_put16 (
      paco_put16 (p, CHUNK_MASTERING_DISPLAY), MASTERING_DISPLAY_SIZE);
  for (int i = 0; i < 3; i++)
    p = paco_put16 (
        paco_put16 (p, display->primaries[i][0]), display->primaries[i][1]);
  p = paco_put16 (
      paco_put16 (p, display->white_point[0]), display->white_point[1]);
  return paco_put32 (
      paco_put32 (p, display->max_luminance), display->min_luminance);
}

uint8_t *
paco_header_write_place (const PacoPlace *place, uint8_t *p)
{
  p = paco_put16 (paco_put16 (p, PACO_CHUNK_PLACE), PACO_PLACE_SIZE);
  p = paco_put32 (p, place->number);
  p = paco_put32 (p, place->offset & 0xffffffff);
  return paco_put32 (p, place->offset >> 32);
}

static uint8_t *
write_slice (const PacoSlice *slice, uint8_t *p)
{
  p = paco_put16 (paco_put16 (p, PACO_CHUNK_SLICE), SLICE_SIZE);
  p = paco_put32 (p, slice->number);
  *p++ = slice->length;
  *p++ = slice->position;
  *p++ = slice->wavelet;
  *p++ = slice->levels;
  *p++ = slice->depth;
  *p++ = slice->bits;
  return p;
}

static uint8_t *
write_code_table (const PacoCodeTableInfo *table, uint8_t *p)
{
  p = paco_put16 (paco_put16 (p, CHUNK_CODE_TABLE), CODE_TABLE_SIZE);
  *p++ = table->components;
  *p++ = table->form;
  p = paco_put16 (paco_put16 (p, table->first), table->last);
  p = paco_put16 (p, table->n_codes - 1);
  return paco_put32 (p, table->size);
}

static uint8_t *
write_matrix (const float matrix[9], uint8_t *p)
{
  p = paco_put16 (paco_put16 (p, CHUNK_MATRIX), MATRIX_SIZE);
  for (unsigned i = 0; i < 9; i++) {
    uint32_t bits;

    memcpy (&bits, &matrix[i], sizeof bits);
    p = paco_put32 (p, bits);
  }
  return p;
}

/* Writes the chunks that say how the picture is coded. */
static uint8_t *
write_coding_chunks (const PacoHeader *header, uint8_t *p)
{
  const PacoCoding *coding = &header->coding;

  if (header->set) {
    uint8_t *content = p + PACO_CHUNK_HEAD;
    size_t size = SET_PLACE_SIZE
        + paco_probability_set_write (
            header->set, base_set (header), content + SET_PLACE_SIZE);

    content[0] = coding->carried_family;
    content[1] = coding->carried_number;
    p = paco_put16 (paco_put16 (p, CHUNK_PROBABILITY_SET), size) + size;
  }
  if (coding->cut_points) {
    p = paco_put16 (paco_put16 (p, CHUNK_CUT_POINTS), CUT_POINTS_SIZE);
    p = paco_put32 (p, header->cut_points_size);
  }
  for (unsigned i = 0; i < coding->n_code_tables; i++)
    p = write_code_table (&coding->code_tables[i], p);
  if (has_matrix (coding))
    p = write_matrix (coding->matrix, p);
  if (coding->step_map) {
    p = paco_put16 (paco_put16 (p, CHUNK_STEP_MAP), STEP_MAP_SIZE);
    p = paco_put32 (p, header->step_map_size);
    *p++ = coding->step_map_halved;
  }
  return p;
}

uint8_t *
paco_header_write_chunks (const PacoHeader *header, uint8_t *p)
{
  const PacoVideoInfo *video = &header->video;

  if (video->has_mastering_display)
    p = write_mastering_display (&video->mastering_display, p);
  if (video->has_content_light) {
    p = paco_put16 (paco_put16 (p, CHUNK_CONTENT_LIGHT), CONTENT_LIGHT_SIZE);
    p = paco_put16 (p, video->max_content_light);
    p = paco_put16 (p, video->max_frame_average_light);
  }
  if (video->has_views) {
    p = paco_put16 (paco_put16 (p, CHUNK_VIEWS), VIEWS_SIZE);
    p = paco_put16 (
        paco_put16 (p, video->multiview_mode), video->multiview_flags);
  }
  p = write_coding_chunks (header, p);
  if (video->attachment.size > 0) {
    p = paco_put16 (paco_put16 (p, CHUNK_ATTACHMENT), ATTACHMENT_SIZE);
    p = paco_put32 (
        paco_put32 (p, video->attachment.size), video->attachment.crc);
  }
  if (video->slice.length > 0)
    p = write_slice (&video->slice, p);
  p = paco_ancillary_copy (&video->ancillary, p);
  /* paco_header_set_place() finds it because it is the last one. */
  if (video->has_place)
    p = paco_header_write_place (&video->place, p);
  return p;
}

/* --- parsing chunks --------------------------------------------------- */

static void
parse_mastering_display (const uint8_t *data, PacoMasteringDisplay *display)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      display->primaries[i][j] = paco_get16 (data + 4 * i + 2 * j);
  display->white_point[0] = paco_get16 (data + 12);
  display->white_point[1] = paco_get16 (data + 14);
  display->max_luminance = paco_get32 (data + 16);
  display->min_luminance = paco_get32 (data + 20);
}

static gboolean
parse_slice (const uint8_t *data, size_t size, PacoHeader *header)
{
  if (size != SLICE_SIZE || header->video.slice.length > 0 || data[4] == 0)
    return FALSE;
  header->video.slice = (PacoSlice){
    .number = paco_get32 (data),
    .length = data[4],
    .position = data[5],
    .wavelet = data[6],
    .levels = data[7],
    .depth = data[8],
    .bits = data[9],
  };
  return paco_header_check_slice (header, NULL);
}

static gboolean
parse_code_table (const uint8_t *data, size_t size, PacoCoding *coding)
{
  if (size != CODE_TABLE_SIZE || coding->n_code_tables == PACO_MAX_COMPONENTS)
    return FALSE;
  coding->code_tables[coding->n_code_tables++] = (PacoCodeTableInfo){
    .components = data[0],
    .form = data[1],
    .first = paco_get16 (data + 2),
    .last = paco_get16 (data + 4),
    .n_codes = paco_get16 (data + 6) + 1u,
    .size = paco_get32 (data + 8),
  };
  return TRUE;
}

static gboolean
parse_matrix (const uint8_t *data, size_t size, float matrix[9])
{
  for (unsigned i = 0; size == MATRIX_SIZE && i < 9; i++) {
    uint32_t bits = paco_get32 (data + 4 * i);

    memcpy (&matrix[i], &bits, sizeof bits);
  }
  return size == MATRIX_SIZE;
}

static gboolean
parse_carried_set (const uint8_t *data, size_t size, PacoHeader *header,
    PacoProbabilitySet *carried_set)
{
  PacoProbabilitySet unwanted;

  if (header->set || size < SET_PLACE_SIZE || data[0] >= PACO_N_FAMILIES
      || data[1] >= PACO_N_SETS)
    return FALSE;
  header->coding.carried_family = data[0];
  header->coding.carried_number = data[1];
  header->set = carried_set ? carried_set : base_set (header);
  return paco_probability_set_parse (data + SET_PLACE_SIZE,
      size - SET_PLACE_SIZE, base_set (header),
      carried_set ? carried_set : &unwanted);
}

/* Parses one chunk. A chunk that a decoder needs comes once at most. Ancillary ones
 * may come again; they were checked together before. */
static gboolean
parse_chunk (unsigned type, const uint8_t *data, size_t size,
    PacoHeader *header, PacoProbabilitySet *carried_set, bool *has_matrix)
{
  PacoVideoInfo *video = &header->video;

  switch (type) {
    case CHUNK_MASTERING_DISPLAY:
      if (size != MASTERING_DISPLAY_SIZE || video->has_mastering_display)
        return FALSE;
      video->has_mastering_display = true;
      parse_mastering_display (data, &video->mastering_display);
      return TRUE;
    case CHUNK_CONTENT_LIGHT:
      if (size != CONTENT_LIGHT_SIZE || video->has_content_light)
        return FALSE;
      video->has_content_light = true;
      video->max_content_light = paco_get16 (data);
      video->max_frame_average_light = paco_get16 (data + 2);
      return TRUE;
    case CHUNK_VIEWS:
      if (size != VIEWS_SIZE || video->has_views || data[1] != 0)
        return FALSE;
      video->has_views = true;
      video->multiview_mode = paco_header_known (data[0], MAX_MULTIVIEW_MODE);
      video->multiview_flags = paco_get16 (data + 2);
      return TRUE;
    case PACO_CHUNK_PLACE:
      if (size != PACO_PLACE_SIZE || video->has_place)
        return FALSE;
      video->has_place = true;
      video->place.number = paco_get32 (data);
      video->place.offset = paco_get32 (data + 4)
          | (uint64_t) paco_get32 (data + 8) << 32;
      return TRUE;
    case PACO_CHUNK_SLICE:
      return parse_slice (data, size, header);
    case CHUNK_CUT_POINTS:
      if (size != CUT_POINTS_SIZE || header->coding.cut_points)
        return FALSE;
      header->coding.cut_points = true;
      header->cut_points_size = paco_get32 (data);
      return TRUE;
    case CHUNK_ATTACHMENT:
      if (size != ATTACHMENT_SIZE || video->attachment.size > 0)
        return FALSE;
      video->attachment.size = paco_get32 (data);
      video->attachment.crc = paco_get32 (data + 4);
      return video->attachment.size > 0
          && video->attachment.size <= PACO_MAX_ATTACHMENT_SIZE
          && video->attachment.size
          <= header->frame_size - header->header_size - header->index_size;
    case CHUNK_PROBABILITY_SET:
      return parse_carried_set (data, size, header, carried_set);
    case CHUNK_CODE_TABLE:
      return parse_code_table (data, size, &header->coding);
    case CHUNK_MATRIX:
      if (*has_matrix)
        return FALSE;
      *has_matrix = true;
      return parse_matrix (data, size, header->coding.matrix);
    case CHUNK_STEP_MAP:
      if (size != STEP_MAP_SIZE || header->coding.step_map)
        return FALSE;
      header->coding.step_map = true;
      header->step_map_size = paco_get32 (data);
      header->coding.step_map_halved = data[4];
      return TRUE;
    default:
      return type >= PACO_ANCILLARY_FIRST && type <= PACO_ANCILLARY_LAST;
  }
}

/* Types that this version of FORMAT.md does not have may be needed. */
static bool
is_known (unsigned type)
{
  return (type >= CHUNK_MASTERING_DISPLAY && type <= PACO_ANCILLARY_LAST)
      || (type >= CHUNK_ATTACHMENT && type <= CHUNK_STEP_MAP);
}

gboolean
paco_header_parse_chunks (
    PacoHeader *header, PacoProbabilitySet *carried_set, GError **error)
{
  PacoAncillary chunks = header->video.ancillary;
  PacoChunk chunk;
  bool matrix = false;

  while (paco_chunk_next (&chunks, &chunk))
    if (!parse_chunk (
            chunk.type, chunk.data, chunk.size, header, carried_set, &matrix))
      return is_known (chunk.type)
          ? paco_fail (error, PACO_ERROR_CORRUPT,
              "the frame's header is invalid: chunk %u has a value or a size "
              "that it cannot have, or comes again",
              chunk.type)
          : paco_fail (error, PACO_ERROR_VERSION,
              "the frame has a chunk of type %u, which this decoder does not "
              "know",
              chunk.type);
  return matrix == has_matrix (&header->coding)
      || paco_fail (error, PACO_ERROR_CORRUPT,
          "the frame's header is invalid: %s",
          matrix ? "it has a matrix, and its color transform is another one"
                 : "its color transform is a matrix, and it has none");
}
