/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and parses frame headers and their chunks (FORMAT.md sections 2 and 3), and
 * compares them; header.h says for whom. Ancillary chunks are copied as they are, and
 * header_check.c checks what the fields say. */
#include "header_private.h"
#include "bytes.h"
#include <string.h>
#include <zlib.h>

enum
{
  FIXED_SIZE = 72,
  CRC_SIZE = 4,
  /* Bytes of an entry in the table of components, and in those of subbands. */
  COMPONENT_SIZE = 4,
  ENTRY_SIZE = 2,
  FLAG_BLOCK_CHECKS = 1 << 0,
  ALL_FLAGS = FLAG_BLOCK_CHECKS,
  ALL_PICTURE_FLAGS = 0x0f,
  RAW_FORMAT_SIZE = sizeof ((PacoVideoInfo *) NULL)->raw_format,
  HEIGHT_SHIFT = 14, /* of a subband's entry: where its block height is */
  /* Headers with a larger value are invalid. */
  MAX_INTERLACE_MODE = PACO_INTERLACE_ALTERNATE,
};

/* The largest known values of fields that only describe the picture. What is above
 * means unknown, as 0 does. */
enum
{
  MAX_FIELD_ORDER = 2,
  ALL_CHROMA_SITES = 0x0f,
  MAX_RANGE = 2,
  MAX_MATRIX = 6,
  MAX_TRANSFER = 16,
  MAX_PRIMARIES = 12,
};

/* Returns the value of a field that only describes the picture, or 0, which means
 * unknown, if this version does not know the value. */
static uint8_t
known (uint8_t value, uint8_t maximum)
{
  return value <= maximum ? value : 0;
}

/* Returns how many bytes the tables of components and subbands take. */
static size_t
tables_size (const PacoHeader *header)
{
  return header->picture.n_components
      * (COMPONENT_SIZE + ENTRY_SIZE * (size_t) paco_header_n_entries (header));
}

enum
{
  CHUNK_MASTERING_DISPLAY = 1,
  CHUNK_CONTENT_LIGHT = 2,
  CHUNK_PROBABILITY_SET = 3,
  CHUNK_PLACE = 4,
  CHUNK_VIEWS = 5,
  CHUNK_CUT_POINTS = 6,
  CHUNK_ATTACHMENT = 256,
  CHUNK_SLICE = 257,
  MASTERING_DISPLAY_SIZE = 24,
  CONTENT_LIGHT_SIZE = 4,
  PLACE_SIZE = 12,
  VIEWS_SIZE = 4,
  CUT_POINTS_SIZE = 4,
  ATTACHMENT_SIZE = 8,
  SLICE_SIZE = 10,
  /* Larger values of this field mean unknown, as 0 does. */
  MAX_MULTIVIEW_MODE = 34,
};

/* Returns the built-in set from which a carried set is written as differences. */
static const PacoProbabilitySet *
base_set (const PacoHeader *header)
{
  return &paco_builtin_sets[header->coding.components[0].family][0];
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

/* Returns how many bytes all chunks of the header take, ancillary ones included. */
static size_t
chunks_size (const PacoHeader *header)
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

    size += PACO_CHUNK_HEAD
        + paco_probability_set_write (header->set, base_set (header), chunk);
  }
  if (header->coding.cut_points)
    size += PACO_CHUNK_HEAD + CUT_POINTS_SIZE;
  if (header->video.slice.length > 0)
    size += PACO_CHUNK_HEAD + SLICE_SIZE;
  if (header->video.has_place)
    size += PACO_CHUNK_HEAD + PLACE_SIZE;
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

static uint8_t *
write_place (const PacoPlace *place, uint8_t *p)
{
  p = paco_put16 (paco_put16 (p, CHUNK_PLACE), PLACE_SIZE);
  p = paco_put32 (p, place->number);
  p = paco_put32 (p, place->offset & 0xffffffff);
  return paco_put32 (p, place->offset >> 32);
}

static uint8_t *
write_slice (const PacoSlice *slice, uint8_t *p)
{
  p = paco_put16 (paco_put16 (p, CHUNK_SLICE), SLICE_SIZE);
  p = paco_put32 (p, slice->number);
  *p++ = slice->length;
  *p++ = slice->position;
  *p++ = slice->wavelet;
  *p++ = slice->levels;
  *p++ = slice->depth;
  *p++ = slice->bits;
  return p;
}

/* Writes all of them at p. Returns where they end. */
static uint8_t *
write_chunks (const PacoHeader *header, uint8_t *p)
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
  if (header->set) {
    size_t size = paco_probability_set_write (
        header->set, base_set (header), p + PACO_CHUNK_HEAD);

    p = paco_put16 (paco_put16 (p, CHUNK_PROBABILITY_SET), size) + size;
  }
  if (header->coding.cut_points) {
    p = paco_put16 (paco_put16 (p, CHUNK_CUT_POINTS), CUT_POINTS_SIZE);
    p = paco_put32 (p, header->cut_points_size);
  }
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
    p = write_place (&video->place, p);
  return p;
}

/* --- writing ---------------------------------------------------------- */

size_t
paco_header_size (const PacoHeader *header)
{
  return FIXED_SIZE + tables_size (header) + chunks_size (header) + CRC_SIZE;
}

size_t
paco_header_overhead (const PacoHeader *header)
{
  return paco_header_size (header) + header->video.attachment.size;
}

static uint8_t *
write_fixed (const PacoHeader *header, size_t header_size, uint8_t *p)
{
  const PacoVideoInfo *video = &header->video;
  const PacoCoding *coding = &header->coding;

  memcpy (p, PACO_MAGIC, 4);
  p[4] = PACO_VERSION;
  p[5] = coding->block_checks ? FLAG_BLOCK_CHECKS : 0;
  p = paco_put16 (p + 6, header_size);
  p = paco_put32 (p, header->frame_size);
  p = paco_put32 (p, header->index_size);
  p = paco_put32 (p, header->index_crc);
  memset (p, 0, sizeof video->raw_format);
  memcpy (p, video->raw_format, strlen (video->raw_format));
  p = paco_put16 (p + sizeof video->raw_format, header->picture.width);
  p = paco_put16 (p, header->picture.height);
  p = paco_put32 (paco_put32 (p, video->par_n), video->par_d);
  p = paco_put32 (paco_put32 (p, video->fps_n), video->fps_d);
  *p++ = video->interlace_mode;
  *p++ = (video->picture_flags & ~PACO_PICTURE_FIELDS)
      | (header->picture.fields ? PACO_PICTURE_FIELDS : 0);
  *p++ = video->field_order;
  *p++ = video->chroma_site;
  *p++ = video->range;
  *p++ = video->matrix;
  *p++ = video->transfer;
  *p++ = video->primaries;
  *p++ = header->picture.n_components;
  *p++ = 0;
  *p++ = coding->levels;
  *p++ = coding->coding_passes;
  *p++ = coding->color_transform;
  *p++ = coding->reconstruction;
  *p++ = 0;
  *p++ = 0;
  return p;
}

size_t
paco_header_write (const PacoHeader *header, uint8_t *data)
{
  size_t size = paco_header_size (header);
  uint8_t *p = write_fixed (header, size, data);

  for (unsigned c = 0; c < header->picture.n_components; c++) {
    const PacoComponent *component = &header->picture.components[c];

    *p++ = component->depth;
    *p++ = component->subsampling_x | component->subsampling_y << 4;
    *p++ = header->coding.components[c].wavelet;
    *p++ = header->coding.components[c].family;
  }
  for (unsigned c = 0; c < header->picture.n_components; c++)
    for (unsigned k = 0; k < paco_header_n_entries (header); k++)
      p = paco_put16 (p,
          header->coding.subbands[c][k].height_log2 << HEIGHT_SHIFT
              | header->coding.subbands[c][k].step);
  p = write_chunks (header, p);
  paco_put32 (p, crc32 (0, data, p - data));
  return size;
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

/* Parses one chunk. A chunk that a decoder needs comes once at most. Ancillary ones
 * may come again; they were checked together before. */
static gboolean
parse_chunk (unsigned type, const uint8_t *data, size_t size,
    PacoHeader *header, PacoProbabilitySet *carried_set)
{
  PacoVideoInfo *video = &header->video;
  PacoProbabilitySet unwanted;

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
      video->multiview_mode = known (data[0], MAX_MULTIVIEW_MODE);
      video->multiview_flags = paco_get16 (data + 2);
      return TRUE;
    case CHUNK_PLACE:
      if (size != PLACE_SIZE || video->has_place)
        return FALSE;
      video->has_place = true;
      video->place.number = paco_get32 (data);
      video->place.offset = paco_get32 (data + 4)
          | (uint64_t) paco_get32 (data + 8) << 32;
      return TRUE;
    case CHUNK_SLICE:
      return parse_slice (data, size, header);
    case CHUNK_CUT_POINTS:
      if (size != CUT_POINTS_SIZE || header->coding.cut_points
          || paco_get32 (data) > header->index_size)
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
      if (header->set)
        return FALSE;
      header->set = carried_set ? carried_set : base_set (header);
      return paco_probability_set_parse (
          data, size, base_set (header), carried_set ? carried_set : &unwanted);
    default:
      return type >= PACO_ANCILLARY_FIRST && type <= PACO_ANCILLARY_LAST;
  }
}

/* Parses the chunks, which video.ancillary points to and paco_header_check() has found
 * to be whole, into the other fields of *header. picture, the sizes and the families of
 * the components are there already. Returns FALSE if one is invalid or unknown. */
static gboolean
parse_chunks (PacoHeader *header, PacoProbabilitySet *carried_set)
{
  PacoAncillary chunks = header->video.ancillary;
  PacoChunk chunk;

  while (paco_chunk_next (&chunks, &chunk))
    if (!parse_chunk (chunk.type, chunk.data, chunk.size, header, carried_set))
      return FALSE;
  return TRUE;
}

/* --- parsing ---------------------------------------------------------- */

gboolean
paco_header_peek (
    const uint8_t *data, size_t size, PacoHeader *header, GError **error)
{
  if (size < PACO_HEADER_PEEK_SIZE || memcmp (data, PACO_MAGIC, 4) != 0)
    return paco_fail (
        error, PACO_ERROR_NOT_PACO, "these bytes are no PaCo frame");
  if (data[4] != PACO_VERSION)
    return paco_fail (error, PACO_ERROR_VERSION,
        "the frame is of version %u of the format, this decoder knows %u",
        data[4], PACO_VERSION);
  if (data[5] & ~ALL_FLAGS)
    return paco_fail (error, PACO_ERROR_VERSION,
        "the frame uses features that this decoder does not know");
  header->header_size = paco_get16 (data + 6);
  header->frame_size = paco_get32 (data + 8);
  header->index_size = paco_get32 (data + 12);
  header->index_crc = paco_get32 (data + 16);
  if (header->header_size < FIXED_SIZE + COMPONENT_SIZE + ENTRY_SIZE + CRC_SIZE
      || header->header_size > PACO_MAX_HEADER_SIZE
      || header->header_size > header->frame_size
      || header->index_size > header->frame_size - header->header_size)
    return paco_fail (
        error, PACO_ERROR_CORRUPT, "the sizes in the frame's header lie");
  return TRUE;
}

static void
parse_video (const uint8_t *data, PacoVideoInfo *video)
{
  memcpy (video->raw_format, data + 20, sizeof video->raw_format);
  video->par_n = paco_get32 (data + 40);
  video->par_d = paco_get32 (data + 44);
  video->fps_n = paco_get32 (data + 48);
  video->fps_d = paco_get32 (data + 52);
  video->interlace_mode = data[56];
  video->picture_flags = data[57] & ~PACO_PICTURE_FIELDS;
  video->field_order = known (data[58], MAX_FIELD_ORDER);
  video->chroma_site = known (data[59], ALL_CHROMA_SITES);
  video->range = known (data[60], MAX_RANGE);
  video->matrix = known (data[61], MAX_MATRIX);
  video->transfer = known (data[62], MAX_TRANSFER);
  video->primaries = known (data[63], MAX_PRIMARIES);
}

/* Parses the tables of components and subbands. Returns where they end. The caller has
 * checked that their bytes are there. */
static const uint8_t *
parse_tables (const uint8_t *p, PacoHeader *header)
{
  for (unsigned c = 0; c < header->picture.n_components; c++) {
    header->picture.components[c] = (PacoComponent){
      .depth = p[0],
      .subsampling_x = p[1] & 15,
      .subsampling_y = p[1] >> 4,
    };
    header->coding.components[c].wavelet = p[2];
    header->coding.components[c].family = p[3];
    p += COMPONENT_SIZE;
  }
  for (unsigned c = 0; c < header->picture.n_components; c++) {
    for (unsigned k = 0; k < paco_header_n_entries (header); k++) {
      header->coding.subbands[c][k].height_log2 = paco_get16 (p)
          >> HEIGHT_SHIFT;
      header->coding.subbands[c][k].step = paco_get16 (p)
          & PACO_HEADER_STEP_MASK;
      p += ENTRY_SIZE;
    }
  }
  return p;
}

/* Says whether only zeros follow the name in its field. */
static bool
is_padded (const char *raw_format)
{
  size_t end = strnlen (raw_format, RAW_FORMAT_SIZE);

  while (end < RAW_FORMAT_SIZE && raw_format[end] == 0)
    end++;
  return end == RAW_FORMAT_SIZE;
}

gboolean
paco_header_parse (const uint8_t *data, size_t size, PacoHeader *header,
    PacoProbabilitySet *carried_set, GError **error)
{
  GError *reason = NULL;
  const uint8_t *tables, *end;

  memset (header, 0, sizeof *header);
  if (!paco_header_peek (data, size, header, error))
    return FALSE;
  if (size < header->header_size)
    return paco_fail (error, PACO_ERROR_CORRUPT, "the frame's header is cut");
  end = data + header->header_size - CRC_SIZE;
  if (paco_get32 (end) != crc32 (0, data, end - data))
    return paco_fail (
        error, PACO_ERROR_CORRUPT, "the frame's header is damaged");

  header->picture.width = paco_get16 (data + 36);
  header->picture.height = paco_get16 (data + 38);
  header->picture.fields = data[57] & PACO_PICTURE_FIELDS;
  header->picture.n_components = data[64];
  parse_video (data, &header->video);
  header->coding = (PacoCoding){
    .levels = data[66],
    .coding_passes = data[67],
    .color_transform = data[68],
    .reconstruction = data[69],
    .block_checks = data[5] & FLAG_BLOCK_CHECKS,
  };
  tables = data + FIXED_SIZE;
  if (data[65] != 0 || data[70] != 0 || data[71] != 0
      || data[56] > MAX_INTERLACE_MODE || (data[57] & ~ALL_PICTURE_FLAGS)
      || header->picture.n_components > PACO_MAX_COMPONENTS
      || header->coding.levels > PACO_MAX_LEVELS
      || !is_padded (header->video.raw_format)
      || (size_t) (end - tables) < tables_size (header))
    return paco_fail (
        error, PACO_ERROR_CORRUPT, "the frame's header is invalid");
  tables = parse_tables (tables, header);
  header->video.ancillary = (PacoAncillary){ tables, (size_t) (end - tables) };
  if (!paco_header_check (header, &reason)) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the frame's header is invalid: %s", reason->message);
    g_error_free (reason);
    return FALSE;
  }
  if (!parse_chunks (header, carried_set))
    return paco_fail (error, PACO_ERROR_CORRUPT,
        "the frame's header has an invalid or unknown chunk");
  return TRUE;
}

gboolean
paco_header_parse_frame (const uint8_t *data, size_t size, PacoHeader *header,
    PacoProbabilitySet *carried_set, GError **error)
{
  if (!paco_header_parse (data, size, header, carried_set, error))
    return FALSE;
  if (header->frame_size > size)
    return paco_fail (error, PACO_ERROR_CORRUPT,
        "the frame is cut: %zu bytes of %u", size, header->frame_size);
  return TRUE;
}

/* --- changing --------------------------------------------------------- */

gboolean
paco_header_set_place (uint8_t *data, size_t size, const PacoPlace *place)
{
  size_t header_size = size >= FIXED_SIZE ? paco_get16 (data + 6) : 0;
  uint8_t *chunk, *end;

  if (header_size < FIXED_SIZE + PACO_CHUNK_HEAD + PLACE_SIZE + CRC_SIZE
      || header_size > size)
    return FALSE;
  end = data + header_size - CRC_SIZE;
  chunk = end - PLACE_SIZE - PACO_CHUNK_HEAD;
  if (paco_get16 (chunk) != CHUNK_PLACE || paco_get16 (chunk + 2) != PLACE_SIZE)
    return FALSE;
  write_place (place, chunk);
  paco_put32 (end, crc32 (0, data, end - data));
  return TRUE;
}

/* Changes the number with which the first chunk of that type begins. */
static gboolean
set_number (uint8_t *data, size_t size, unsigned type, uint32_t number)
{
  PacoHeader header;
  PacoChunk chunk;

  if (!paco_header_parse (data, size, &header, NULL, NULL))
    return FALSE;
  while (paco_chunk_next (&header.video.ancillary, &chunk))
    if (chunk.type == type && chunk.size >= 4) {
      uint8_t *end = data + header.header_size - CRC_SIZE;

      paco_put32 (data + (chunk.data - data), number);
      paco_put32 (end, crc32 (0, data, end - data));
      return TRUE;
    }
  return FALSE;
}

gboolean
paco_header_set_stack (uint8_t *data, size_t size, uint32_t number)
{
  return set_number (data, size, CHUNK_SLICE, number);
}

gboolean
paco_header_set_files (uint8_t *data, size_t size, uint32_t n_files)
{
  return set_number (data, size, PACO_ANCILLARY_N_FILES, n_files);
}

/* --- whole frames ----------------------------------------------------- */

size_t
paco_header_payload_size (const PacoHeader *header)
{
  return header->frame_size - header->header_size - header->index_size
      - header->video.attachment.size;
}

PacoAttachment
paco_header_attachment (const PacoHeader *header, const uint8_t *data)
{
  PacoAttachment attachment = header->video.attachment;

  attachment.data = data + header->frame_size - attachment.size;
  return attachment;
}

PacoFamily
paco_coding_family (const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, unsigned component)
{
  unsigned id = coding->components[component].family;
  PacoFamily family;

  for (unsigned i = 0; i < PACO_N_SETS; i++)
    family.sets[i] = &paco_builtin_sets[id][i];
  if (carried_set && id == coding->components[0].family)
    family.sets[0] = carried_set;
  return family;
}

/* --- several headers -------------------------------------------------- */

/* Says whether the codings are alike in what does not follow from the geometry. */
static bool
same_coding (const PacoHeader *a, const PacoHeader *b)
{
  if (a->coding.levels != b->coding.levels
      || a->coding.coding_passes != b->coding.coding_passes
      || a->coding.color_transform != b->coding.color_transform)
    return false;
  for (unsigned c = 0; c < a->picture.n_components; c++)
    if (paco_is_reversible (&a->coding, c) != paco_is_reversible (&b->coding, c)
        || a->coding.components[c].family != b->coding.components[c].family)
      return false;
  return true;
}

gboolean
paco_header_same_configuration (const PacoHeader *a, const PacoHeader *b)
{
  if (!paco_picture_format_equal (&a->picture, &b->picture)
      || !same_coding (a, b))
    return FALSE;
  for (unsigned c = 0; c < a->picture.n_components; c++)
    for (unsigned k = 0; k < paco_header_n_entries (a); k++)
      if (a->coding.subbands[c][k].height_log2
          != b->coding.subbands[c][k].height_log2)
        return FALSE;
  return TRUE;
}

gboolean
paco_header_same_stream (const PacoHeader *a, const PacoHeader *b)
{
  PacoPictureFormat picture = b->picture;

  picture.fields = !picture.fields;
  return a->video.interlace_mode == PACO_INTERLACE_MIXED
      && b->video.interlace_mode == PACO_INTERLACE_MIXED
      && paco_picture_format_equal (&a->picture, &picture)
      && same_coding (a, b);
}
