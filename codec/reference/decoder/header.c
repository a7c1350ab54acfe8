/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the header of a frame and its chunks, and refuses what FORMAT.md sections 2 to 5
 * do not allow, for the reference decoder's decode.c and its users. */
#include "parts.h"
#include <string.h>

enum
{
  FIXED_BYTES = 72,
  COMPONENT_BYTES = 4,
  CRC_BYTES = 4,
  MAX_SIZE = 16384,
};

static bool
later (Reason *reason, const char *message)
{
  return refuse (reason, PACO_REFERENCE_LATER, message);
}

/* --- sizes and fields --- */

static bool
read_sizes (const uint8_t *data, size_t size, Header *header, Reason *reason)
{
  if (size < 20 || memcmp (data, "PACO", 4) != 0)
    return refuse (
        reason, PACO_REFERENCE_NO_FRAME, "these bytes are no PaCo frame");
  if (data[4] != 3)
    return later (
        reason, "the frame is of another version of the format than 3");
  if (data[5] & 0x0e)
    return later (
        reason, "the frame uses features that this decoder does not know");
  header->block_checks = data[5] & 1;
  header->header_size = get16 (data + 6);
  header->frame_size = get32 (data + 8);
  header->index_size = get32 (data + 12);
  header->index_crc = get32 (data + 16);
  if (header->header_size < FIXED_BYTES + CRC_BYTES
      || header->header_size > header->frame_size
      || header->index_size > header->frame_size - header->header_size)
    return invalid (reason, "the sizes in the frame's header lie");
  if (size < header->header_size)
    return invalid (reason, "the frame's header is cut off");
  if (get32 (data + header->header_size - CRC_BYTES)
      != crc32_of (data, header->header_size - CRC_BYTES))
    return invalid (reason, "the frame's header is damaged");
  return true;
}

/* What is above the largest known value means unknown. */
static uint8_t
known (uint8_t value, uint8_t largest)
{
  return value <= largest ? value : 0;
}

static bool
is_ratio (uint32_t numerator, uint32_t denominator)
{
  return numerator <= 0x7fffffffu && denominator >= 1
      && denominator <= 0x7fffffffu;
}

static bool
read_fields (const uint8_t *data, Header *header, Reason *reason)
{
  unsigned name = 0, zeros = 0;

  while (name < 16 && data[20 + name] >= 33 && data[20 + name] <= 126)
    name++;
  while (name + zeros < 16 && data[20 + name + zeros] == 0)
    zeros++;
  if (zeros == 0 || name + zeros < 16)
    return invalid (reason, "the name of the raw format is none");
  memcpy (header->raw_format, data + 20, name);
  header->width = get16 (data + 36);
  header->height = get16 (data + 38);
  header->par_n = get32 (data + 40);
  header->par_d = get32 (data + 44);
  header->fps_n = get32 (data + 48);
  header->fps_d = get32 (data + 52);
  header->interlace_mode = data[56];
  header->picture_flags = data[57];
  header->fields = data[57] & 1;
  header->field_order = known (data[58], 2);
  header->chroma_site = known (data[59], 15);
  header->range = known (data[60], 2);
  header->matrix = known (data[61], 6);
  header->transfer = known (data[62], 16);
  header->primaries = known (data[63], 12);
  header->n_components = data[64];
  header->mosaic = data[65] & 1;
  header->levels = data[66];
  header->coding_passes = data[67];
  header->color_transform = data[68];
  header->reconstruction = data[69];
  header->parameters[0] = data[70];
  header->parameters[1] = data[71];
  if (data[65] & 0xfe)
    return later (
        reason, "the frame uses features that this decoder does not know");
  return (header->width >= 1 && header->height >= 1 && header->width <= MAX_SIZE
             && header->height <= MAX_SIZE
             && is_ratio (header->par_n, header->par_d)
             && is_ratio (header->fps_n, header->fps_d) && header->par_n >= 1
             && header->interlace_mode <= 3 && header->picture_flags <= 15
             && (header->interlace_mode < 3
                 || (!header->fields && header->height <= MAX_SIZE / 2))
             && header->n_components >= 1
             && header->n_components <= MAX_COMPONENTS
             && header->levels <= MAX_LEVELS && header->coding_passes >= 1
             && header->coding_passes <= 3)
      || invalid (reason, "the header describes no picture that there can be");
}

/* --- components --- */

static bool
read_component (const uint8_t *p, unsigned c, const Header *header,
    Component *component, Reason *reason)
{
  component->depth = p[0] & 31;
  component->kind = p[0] >> 6;
  component->subsampling_x = p[1] & 3;
  component->place_x = p[1] >> 2 & 1;
  component->subsampling_y = p[1] >> 4 & 3;
  component->place_y = p[1] >> 6 & 1;
  component->wavelet = p[2];
  component->family = p[3];
  if (p[0] & 0x20 || component->kind > 2 || p[1] & 0x88
      || component->subsampling_x > 2 || component->subsampling_y > 2
      || component->wavelet > DD137 || component->family > 1)
    return later (reason,
        "a component is of a kind, a subsampling, a wavelet or a family that"
        " this decoder does not know");
  return (component->depth >= 1 && component->depth <= 16
             && (component->kind < 2 || component->depth == 16)
             && (header->mosaic || !(p[1] & 0x44))
             && (header->mosaic || c > 0 || p[1] == 0))
      || invalid (reason, "a component is such as there can be none");
}

static bool
check_mosaic (const Header *header, Reason *reason)
{
  unsigned places = 0;

  for (unsigned c = 0; c < header->n_components; c++) {
    const Component *component = &header->components[c];

    if (component->subsampling_x == 1 && component->subsampling_y == 1
        && component->depth == header->components[0].depth
        && component->kind == header->components[0].kind)
      places |= 1u << (component->place_x + 2 * component->place_y);
  }
  return (header->n_components == 4 && !header->fields && header->width % 2 == 0
             && header->height % 2 == 0 && places == 15)
      || invalid (reason, "the picture cannot be a mosaic");
}

/* Says whether the two parameters are those of RCT-fit. */
static bool
is_fit (const uint8_t parameters[2])
{
  unsigned c = parameters[0] & 3, b = parameters[0] >> 2 & 3;

  return c < 3 && b < 3 && b != c && parameters[0] >> 5 == 0
      && (parameters[1] & 15) + (parameters[1] >> 4) <= 8;
}

static bool
check_color_transform (const Header *header, Reason *reason)
{
  const Component *first = &header->components[0];
  const Component *last = &header->components[3];
  unsigned transform = header->color_transform;
  bool needs_no_parameters = transform != 5 && transform != 7;

  if (transform == 6 || transform > 7)
    return later (reason,
        "the frame has a color transform that this decoder does not know");
  if ((needs_no_parameters && (header->parameters[0] || header->parameters[1]))
      || (transform == 5 && !is_fit (header->parameters))
      || (transform == 7
          && (header->parameters[0] > 8 || header->parameters[1] > 8)))
    return invalid (reason, "the color transform cannot have its parameters");
  if (transform == 7)
    return (header->mosaic && first->place_x != last->place_x
               && first->place_y != last->place_y)
        || invalid (reason, "the color transform is that of another mosaic");
  if (transform == 0)
    return true;
  for (unsigned c = 0; c < 3; c++) {
    const Component *component = &header->components[c];

    if (header->n_components < 3 || component->subsampling_x
        || component->subsampling_y || component->depth != first->depth
        || component->wavelet != first->wavelet)
      return invalid (reason,
          "the color transform needs three components of one size, depth and"
          " wavelet");
  }
  return (transform != 2 && transform != 4) || first->wavelet == CDF97
      || invalid (reason, "the color transform needs the wavelet 9/7");
}

/* Reads the tables of components and entries. Returns where they end, NULL if they are
 * refused. */
static const uint8_t *
read_components (const uint8_t *data, Header *header, Reason *reason)
{
  const unsigned n_entries = 3u * header->levels + 1;
  const uint8_t *p = data + FIXED_BYTES;

  if (header->header_size < FIXED_BYTES + CRC_BYTES
          + header->n_components * (COMPONENT_BYTES + 2 * n_entries)) {
    invalid (reason, "the frame's header is too short");
    return NULL;
  }
  for (unsigned c = 0; c < header->n_components; c++, p += COMPONENT_BYTES)
    if (!read_component (p, c, header, &header->components[c], reason))
      return NULL;
  for (unsigned c = 0; c < header->n_components; c++)
    for (unsigned k = 0; k < n_entries; k++, p += 2) {
      header->components[c].entries[k] = (uint16_t) get16 (p);
      if (header->components[c].wavelet != CDF97
          && header->components[c].entries[k] & 0x3fff) {
        later (reason,
            "a subband of a reversible wavelet has a step, which this decoder"
            " does not know");
        return NULL;
      }
    }
  if ((header->mosaic && !check_mosaic (header, reason))
      || !check_color_transform (header, reason))
    return NULL;
  return p;
}

/* --- chunks --- */

static bool
read_slice (const uint8_t *data, Header *header)
{
  Slice *slice = &header->slice;
  const Component *component = &header->components[0];

  slice->number = get32 (data);
  slice->length = data[4];
  slice->position = data[5];
  slice->wavelet = data[6];
  slice->levels = data[7];
  slice->depth = data[8];
  slice->bits = data[9];
  return slice->length >= 1 && slice->length <= MAX_STACK
      && slice->position < slice->length
      && (slice->wavelet == 0 || slice->wavelet == 3) && slice->levels <= 3
      && (slice->depth == 8 || slice->depth == 16)
      && (slice->bits == slice->depth || slice->bits == 13)
      && header->n_components == 1 && component->depth == 16
      && component->kind == 0 && !header->fields && header->interlace_mode == 0;
}

static bool
read_table (const uint8_t *data, Header *header)
{
  Table *table;
  uint32_t span;

  if (header->n_tables == MAX_COMPONENTS)
    return false;
  table = &header->tables[header->n_tables++];
  table->components = data[0];
  table->form = data[1];
  table->first = (uint16_t) get16 (data + 2);
  table->last = (uint16_t) get16 (data + 4);
  table->n_codes = get16 (data + 6) + 1;
  table->size = get32 (data + 8);
  if (table->components == 0 || table->components >> header->n_components
      || table->form > 1 || table->first > table->last)
    return false;
  span = table->last - table->first + 1u;
  for (unsigned c = 0; c < header->n_components; c++) {
    Component *component = &header->components[c];

    if (!(table->components >> c & 1))
      continue;
    if (component->table != 0 || component->wavelet == CDF97
        || table->last >> component->depth)
      return false;
    component->table = header->n_tables;
  }
  return table->n_codes <= span && table->n_codes >= (span > 1 ? 2u : 1u);
}

static bool
read_matrix (const uint8_t *data, Header *header)
{
  for (unsigned i = 0; i < 9; i++) {
    uint32_t bits = get32 (data + 4 * i);

    memcpy (&header->color_matrix[i], &bits, sizeof bits);
    /* The bits of 16 are these; those of infinities and of what is no number are more. */
    if ((bits & 0x7fffffffu) > 0x41800000u)
      return false;
  }
  return true;
}

/* Reads a chunk that is not ancillary, whose size is right. */
static bool
read_known_chunk (
    unsigned type, const uint8_t *data, size_t size, Header *header)
{
  switch (type) {
    case 3:
      header->set = data;
      header->set_size = size;
      return read_set (data, size, NULL);
    case 4:
      header->has_place = true;
      header->number = get32 (data);
      header->offset = get64 (data + 4);
      return true;
    case 5:
      return data[1] == 0;
    case 6:
      header->has_cut_points = true;
      header->cut_points_size = get32 (data);
      return true;
    case 256:
      header->attachment_size = get32 (data);
      header->attachment_crc = get32 (data + 4);
      return header->attachment_size >= 1 && header->attachment_size <= 1u << 28
          && header->attachment_size
          <= header->frame_size - header->header_size - header->index_size;
    case 257:
      return read_slice (data, header);
    case 258:
      return read_table (data, header);
    case 259:
      return header->color_transform == 4 && read_matrix (data, header);
    case 260:
      header->has_step_map = true;
      header->step_map_size = get32 (data);
      header->step_map_halved = data[4];
      return data[4] >> header->n_components == 0;
    default:
      return true;
  }
}

/* Says whether a chunk may have the size. */
static bool
has_size (unsigned type, size_t size)
{
  static const uint8_t sizes[11] = { 24, 4, 0, 12, 4, 4, 8, 10, 12, 36, 5 };
  unsigned expected = sizes[type < 256 ? type - 1 : type - 250];

  return expected > 0 ? size == expected : size >= 2;
}

static bool
read_chunks (
    const uint8_t *p, const uint8_t *end, Header *header, Reason *reason)
{
  size_t ancillary = 0;
  uint32_t seen = 0; /* bits of types, those from 256 on as 16 and up */

  header->chunks = p;
  header->chunks_size = (size_t) (end - p);
  while (p < end) {
    unsigned type = end - p < 4 ? 0 : get16 (p);
    size_t size = end - p < 4 ? SIZE_MAX : get16 (p + 2);
    uint32_t bit = 1u << (type < 256 ? type : type - 240) % 32;
    bool is_ancillary = type >= 7 && type <= 255;

    if (size > (size_t) (end - p) - 4)
      return invalid (reason, "a chunk is longer than the header");
    p += 4;
    if (type == 0 || type > 260)
      return later (
          reason, "the frame has a chunk that this decoder does not know");
    if (is_ancillary)
      ancillary += 4 + size;
    if (is_ancillary ? !ancillary_is_valid (type, p, size)
                     : !has_size (type, size) || (seen & bit && type != 258)
                || !read_known_chunk (type, p, size, header))
      return invalid (reason,
          "a chunk has a value or a size that it cannot have, or comes again");
    seen |= is_ancillary ? 0 : bit;
    p += size;
  }
  return (ancillary <= 32768
             && (header->color_transform != 4 || seen >> (259 - 240) & 1))
      || invalid (
          reason, "the matrix is missing, or ancillary chunks take too much");
}

static bool
check_tables (const Header *header, Reason *reason)
{
  uint64_t size = (uint64_t) header->cut_points_size + header->step_map_size;

  if (header->n_tables > 0 && header->slice.length > 0)
    return invalid (reason, "slices of stacks have no code tables");
  for (unsigned i = 0; i < header->n_tables; i++)
    size += header->tables[i].size;
  return size <= header->index_size
      || invalid (reason, "the tables of the index are larger than it is");
}

static bool
read_header (const uint8_t *data, size_t size, Header *header, Reason *reason)
{
  const uint8_t *chunks;

  memset (header, 0, sizeof *header);
  if (!read_sizes (data, size, header, reason)
      || !read_fields (data, header, reason))
    return false;
  chunks = read_components (data, header, reason);
  return chunks
      && read_chunks (
          chunks, data + header->header_size - CRC_BYTES, header, reason)
      && check_tables (header, reason);
}

Status
paco_reference_read_header (
    const uint8_t *data, size_t size, Header *header, const char **message)
{
  Reason reason = { PACO_REFERENCE_DONE, "" };

  read_header (data, size, header, &reason);
  if (message)
    *message = reason.message;
  return reason.status;
}
