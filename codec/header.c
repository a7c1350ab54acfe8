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
  /* Flags that a decoder must know; it ignores the others. */
  NEEDED_FLAGS = 0x0f,
  FEATURE_MOSAIC = 1 << 0,
  DEPTH_MASK = 0x1f, /* of a component's first byte */
  KIND_SHIFT = 6,
  SUBSAMPLING_MASK = 3, /* of half of its second byte */
  PLACE_SHIFT = 2,
  UNUSED_PLACES = 1 << 3 | 1 << 7,
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

/* Returns how many bytes the tables of components and subbands take. */
static size_t
tables_size (const PacoHeader *header)
{
  return header->picture.n_components
      * (COMPONENT_SIZE + ENTRY_SIZE * (size_t) paco_header_n_entries (header));
}

/* --- writing ---------------------------------------------------------- */

size_t
paco_header_size (const PacoHeader *header)
{
  return FIXED_SIZE + tables_size (header) + paco_header_chunks_size (header)
      + CRC_SIZE;
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
  *p++ = header->picture.mosaic ? FEATURE_MOSAIC : 0;
  *p++ = coding->levels;
  *p++ = coding->coding_passes;
  *p++ = coding->color_transform;
  *p++ = coding->reconstruction;
  *p++ = coding->parameters[0];
  *p++ = coding->parameters[1];
  return p;
}

size_t
paco_header_write (const PacoHeader *header, uint8_t *data)
{
  size_t size = paco_header_size (header);
  uint8_t *p = write_fixed (header, size, data);

  for (unsigned c = 0; c < header->picture.n_components; c++) {
    const PacoComponent *component = &header->picture.components[c];

    *p++ = component->depth | component->kind << KIND_SHIFT;
    *p++ = (component->subsampling_x | component->place_x << PLACE_SHIFT)
        | (component->subsampling_y | component->place_y << PLACE_SHIFT) << 4;
    *p++ = header->coding.components[c].wavelet;
    *p++ = header->coding.components[c].family;
  }
  for (unsigned c = 0; c < header->picture.n_components; c++)
    for (unsigned k = 0; k < paco_header_n_entries (header); k++)
      p = paco_put16 (p,
          header->coding.subbands[c][k].height_log2 << HEIGHT_SHIFT
              | header->coding.subbands[c][k].step);
  p = paco_header_write_chunks (header, p);
  paco_put32 (p, crc32 (0, data, p - data));
  return size;
}

/* --- parsing ---------------------------------------------------------- */

static gboolean
unknown_features (GError **error)
{
  return paco_fail (error, PACO_ERROR_VERSION,
      "the frame uses features that this decoder does not know");
}

gboolean
paco_header_peek (
    const uint8_t *data, size_t size, PacoHeader *header, GError **error)
{
  if (size < PACO_HEADER_PEEK_SIZE || memcmp (data, PACO_MAGIC, 4) != 0)
    return paco_fail (
        error, PACO_ERROR_NOT_PACO, "these bytes are no PaCo frame");
  if (data[4] != PACO_VERSION)
    return paco_fail (error, PACO_ERROR_VERSION,
        data[4] < PACO_VERSION
            ? "the frame is of version %u of the format, from before its "
              "release; this decoder knows %u"
            : "the frame is of version %u of the format, this decoder knows %u",
        data[4], PACO_VERSION);
  if (data[5] & NEEDED_FLAGS & ~FLAG_BLOCK_CHECKS)
    return unknown_features (error);
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
  video->field_order = paco_header_known (data[58], MAX_FIELD_ORDER);
  video->chroma_site = paco_header_known (data[59], ALL_CHROMA_SITES);
  video->range = paco_header_known (data[60], MAX_RANGE);
  video->matrix = paco_header_known (data[61], MAX_MATRIX);
  video->transfer = paco_header_known (data[62], MAX_TRANSFER);
  video->primaries = paco_header_known (data[63], MAX_PRIMARIES);
}

/* Parses the tables of components and subbands. Returns where they end, or NULL if a bit
 * is set that means nothing. The caller has checked that their bytes are there. */
static const uint8_t *
parse_tables (const uint8_t *p, PacoHeader *header)
{
  for (unsigned c = 0; c < header->picture.n_components; c++) {
    header->picture.components[c] = (PacoComponent){
      .depth = p[0] & DEPTH_MASK,
      .kind = p[0] >> KIND_SHIFT,
      .subsampling_x = p[1] & SUBSAMPLING_MASK,
      .subsampling_y = p[1] >> 4 & SUBSAMPLING_MASK,
      .place_x = p[1] >> PLACE_SHIFT & 1,
      .place_y = p[1] >> (4 + PLACE_SHIFT) & 1,
    };
    if (p[0] & ~(DEPTH_MASK | 3 << KIND_SHIFT) || p[1] & UNUSED_PLACES)
      return NULL;
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

/* Refuses a header for a reason, which is freed. */
static gboolean
invalid_header (GError *reason, GError **error)
{
  g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
      "the frame's header is invalid: %s", reason->message);
  g_error_free (reason);
  return FALSE;
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
  header->picture.mosaic = data[65] & FEATURE_MOSAIC;
  parse_video (data, &header->video);
  header->coding = (PacoCoding){
    .levels = data[66],
    .coding_passes = data[67],
    .color_transform = data[68],
    .reconstruction = data[69],
    .parameters = { data[70], data[71] },
    .block_checks = data[5] & FLAG_BLOCK_CHECKS,
  };
  tables = data + FIXED_SIZE;
  if (data[65] & ~FEATURE_MOSAIC)
    return unknown_features (error);
  if (data[56] > MAX_INTERLACE_MODE || (data[57] & ~ALL_PICTURE_FLAGS)
      || header->picture.n_components > PACO_MAX_COMPONENTS
      || header->coding.levels > PACO_MAX_LEVELS
      || !is_padded (header->video.raw_format)
      || (size_t) (end - tables) < tables_size (header))
    return paco_fail (
        error, PACO_ERROR_CORRUPT, "the frame's header is invalid");
  tables = parse_tables (tables, header);
  if (!tables)
    return paco_fail (
        error, PACO_ERROR_CORRUPT, "the frame's header is invalid");
  header->video.ancillary = (PacoAncillary){ tables, (size_t) (end - tables) };
  if (!paco_header_check (header, &reason))
    return invalid_header (reason, error);
  if (!paco_header_parse_chunks (header, carried_set, error))
    return FALSE;
  return paco_header_check_chunks (header, &reason)
      || invalid_header (reason, error);
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

  if (header_size < FIXED_SIZE + PACO_CHUNK_HEAD + PACO_PLACE_SIZE + CRC_SIZE
      || header_size > size)
    return FALSE;
  end = data + header_size - CRC_SIZE;
  chunk = end - PACO_PLACE_SIZE - PACO_CHUNK_HEAD;
  if (paco_get16 (chunk) != PACO_CHUNK_PLACE
      || paco_get16 (chunk + 2) != PACO_PLACE_SIZE)
    return FALSE;
  paco_header_write_place (place, chunk);
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
  return set_number (data, size, PACO_CHUNK_SLICE, number);
}

void
paco_header_set_files (
    uint8_t *data, size_t size, uint32_t n_files, uint32_t n_members)
{
  set_number (data, size, PACO_ANCILLARY_N_FILES, n_files);
  set_number (data, size, PACO_ANCILLARY_MEMBERS, n_members);
}

/* --- whole frames ----------------------------------------------------- */

size_t
paco_header_payload_size (const PacoHeader *header)
{
  return header->frame_size - header->header_size - header->index_size
      - header->video.attachment.size;
}

size_t
paco_header_tables_size (const PacoHeader *header)
{
  size_t size = 0;

  for (unsigned i = 0; i < header->coding.n_code_tables; i++)
    size += header->coding.code_tables[i].size;
  return size;
}

size_t
paco_header_records_size (const PacoHeader *header)
{
  return header->index_size - paco_header_tables_size (header)
      - header->cut_points_size - header->step_map_size;
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
  if (carried_set && id == coding->carried_family)
    family.sets[coding->carried_number] = carried_set;
  return family;
}

/* --- several headers -------------------------------------------------- */

/* Frames choose among the transforms that mix integers of a pixel. */
static bool
similar_transforms (unsigned a, unsigned b)
{
  return a == b
      || (paco_color_transform_is_of_pixels (a)
          && paco_color_transform_is_of_pixels (b)
          && paco_color_transforms[a].mixes_integers
          && paco_color_transforms[b].mixes_integers);
}

/* Says whether the codings are alike in what does not follow from the geometry. */
static bool
same_coding (const PacoHeader *a, const PacoHeader *b)
{
  if (a->coding.levels != b->coding.levels
      || a->coding.coding_passes != b->coding.coding_passes
      || !similar_transforms (
          a->coding.color_transform, b->coding.color_transform)
      || a->coding.step_map != b->coding.step_map)
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
