/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes a frame's header and the chunks in it, for mutator.c (parts.h). */
#include "codec/matrix.h"
#include "tests/fuzz/parts.h"
#include "tests/codec/random-ancillary.h"
#include <string.h>

#define below fuzz_random_below
#define one_in fuzz_random_one_in
#define COUNT(array) (sizeof (array) / sizeof *(array))

/* --- the header --- */

static void
change_size (FuzzParts *parts)
{
  static const uint16_t sizes[] = { 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127,
    128, 129, 200, 255, 256, 257, 511, 1024, 4096, PACO_MAX_SIZE };
  PacoPictureFormat *picture = &parts->header.picture;
  uint32_t size = sizes[below (parts->random, COUNT (sizes))];

  if (one_in (parts->random, 4))
    size = 1 + below (parts->random, 700);
  if (one_in (parts->random, 2))
    picture->width = size;
  else
    picture->height = size;
}

static void
change_component (FuzzParts *parts)
{
  PacoPictureFormat *picture = &parts->header.picture;
  PacoComponent *component =
      &picture->components[below (parts->random, picture->n_components)];

  switch (below (parts->random, 3)) {
    case 0:
      component->depth = (uint8_t) (1 + below (parts->random, 18));
      break;
    case 1:
      component->subsampling_x = (uint8_t) below (parts->random, 3);
      break;
    default:
      component->subsampling_y = (uint8_t) below (parts->random, 3);
  }
  if (one_in (parts->random, 2)) /* all alike, as a color transform wants it */
    for (unsigned c = 0; c < picture->n_components; c++)
      picture->components[c] = *component;
  picture->components[0].subsampling_x = 0;
  picture->components[0].subsampling_y = 0;
}

/* Changes how many components there are. Those that are new are like those that
 * were there. */
static void
change_n_components (FuzzParts *parts)
{
  PacoPictureFormat *picture = &parts->header.picture;
  PacoCoding *coding = &parts->header.coding;
  unsigned before = picture->n_components;

  picture->n_components = (uint8_t) (1
      + below (parts->random, PACO_MAX_COMPONENTS));
  for (unsigned c = before; c < picture->n_components; c++) {
    picture->components[c] = picture->components[c - before];
    coding->components[c] = coding->components[c - before];
    memcpy (coding->subbands[c], coding->subbands[c - before],
        sizeof coding->subbands[c]);
  }
}

static uint16_t
draw_step (FuzzParts *parts)
{
  return (uint16_t) below (parts->random, 1 << 14);
}

/* Changes the wavelet of one component, or of all. */
static void
change_wavelet (FuzzParts *parts)
{
  PacoCoding *coding = &parts->header.coding;
  unsigned first = below (parts->random, PACO_MAX_COMPONENTS), last = first;
  uint8_t wavelet = (uint8_t) below (parts->random, PACO_N_WAVELETS);

  if (one_in (parts->random, 2)) {
    first = 0;
    last = PACO_MAX_COMPONENTS - 1;
  }
  for (unsigned c = first; c <= last; c++) {
    coding->components[c].wavelet = wavelet;
    for (unsigned k = 0; k < PACO_MAX_SUBBANDS; k++)
      coding->subbands[c][k].step = paco_wavelets[wavelet].reversible
          ? 0
          : (uint16_t) (1 << 13 | (draw_step (parts) & 0xfff));
  }
}

static void
change_subband (FuzzParts *parts)
{
  PacoCoding *coding = &parts->header.coding;
  unsigned c = below (parts->random, parts->header.picture.n_components);
  unsigned k = below (parts->random, 3u * coding->levels + 1);

  if (one_in (parts->random, 2))
    coding->subbands[c][k].height_log2 = (uint8_t) below (parts->random, 4);
  else if (!paco_wavelets[coding->components[c].wavelet].reversible)
    coding->subbands[c][k].step = draw_step (parts);
}

static void
change_set (FuzzParts *parts)
{
  PacoHeader *header = &parts->header;

  if (header->set && one_in (parts->random, 2)) {
    header->set = NULL;
    return;
  }
  if (!header->set)
    parts->set = *paco_coding_family (&header->coding, NULL, 0).sets[0];
  header->set = &parts->set;
  for (unsigned n = below (parts->random, 200); n > 0; n--)
    parts->set.p[below (parts->random, PACO_N_ROWS)][below (parts->random,
        PACO_N_CONTEXTS)] = (uint8_t) (1 + below (parts->random, 255));
}

static uint32_t
draw_number (FuzzRandom *random)
{
  static const uint32_t numbers[] = { 0, 1, 2, 24, 25, 30, 1000, 1001, 30000,
    60000, 0xffff, 0x10000, 0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000u,
    0xffffffffu };

  return one_in (random, 4) ? (uint32_t) fuzz_random_next (random)
                            : numbers[below (random, COUNT (numbers))];
}

static void
change_hdr (FuzzRandom *random, PacoVideoInfo *video)
{
  PacoMasteringDisplay *display = &video->mastering_display;

  video->has_mastering_display = one_in (random, 2);
  video->has_content_light = one_in (random, 2);
  for (unsigned i = 0; i < 3; i++)
    for (unsigned k = 0; k < 2; k++)
      display->primaries[i][k] = (uint16_t) draw_number (random);
  display->white_point[0] = (uint16_t) draw_number (random);
  display->white_point[1] = (uint16_t) draw_number (random);
  display->max_luminance = draw_number (random);
  display->min_luminance = draw_number (random);
  video->max_content_light = (uint16_t) draw_number (random);
  video->max_frame_average_light = (uint16_t) draw_number (random);
}

/* Changes of which stack a frame is, and how that was made. What lies says
 * so of a frame that is coded like a slice. Mostly a slice stays one of its
 * stack. */
static void
change_slice (FuzzRandom *random, PacoVideoInfo *video)
{
  PacoSlice *slice = &video->slice;

  switch (slice->length > 0 ? below (random, 8) : 0) {
    case 0:
      *slice = (PacoSlice){ .number = draw_number (random),
        .length = (uint8_t) below (random, PACO_MAX_STACK + 1),
        .wavelet = one_in (random, 2) ? PACO_STACK_HAAR : PACO_STACK_CDF53,
        .levels = (uint8_t) below (random, PACO_MAX_STACK_LEVELS + 1),
        .depth = one_in (random, 2) ? 8 : 16,
        .bits = 13 };
      break;
    case 1:
      slice->number = draw_number (random);
      break;
    case 2:
      slice->length = (uint8_t) (1 + below (random, PACO_MAX_STACK));
      break;
    case 3:
      slice->levels = (uint8_t) below (random, PACO_MAX_STACK_LEVELS + 1);
      break;
    default:
      slice->position = (uint8_t) below (random, slice->length);
  }
}

/* Changes what the codec only carries, and elements believe or not. */
static void
change_video (FuzzParts *parts)
{
  static const char formats[][16] = { "I420", "I422_10LE", "GRAY8", "v210",
    "AYUV64", "GBR_12LE", "ARGB64", "no-such", "" };
  static const uint8_t modes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 32, 33, 34, 35,
    255 };
  FuzzRandom *random = parts->random;
  PacoVideoInfo *video = &parts->header.video;
  uint32_t *const fields[] = { &video->par_n, &video->par_d, &video->fps_n,
    &video->fps_d };

  switch (below (random, 10)) {
    case 0:
      video->interlace_mode = (uint8_t) below (random, 5);
      video->picture_flags = (uint8_t) (2 * below (random, 8));
      video->field_order = (uint8_t) below (random, 4);
      break;
    case 1:
      memcpy (video->raw_format, formats[below (random, COUNT (formats))],
          sizeof video->raw_format);
      break;
    case 2:
      change_hdr (random, video);
      break;
    case 3:
      video->has_views = !one_in (random, 4);
      video->multiview_mode = modes[below (random, COUNT (modes))];
      video->multiview_flags = (uint16_t) (one_in (random, 2)
              ? 1u << below (random, 16)
              : fuzz_random_next (random));
      break;
    case 4:
      video->has_place = !one_in (random, 4);
      video->place.number = draw_number (random);
      video->place.offset = (uint64_t) draw_number (random)
          << below (random, 33);
      break;
    case 5:
      video->chroma_site = (uint8_t) below (random, 40);
      video->range = (uint8_t) below (random, 4);
      video->matrix = (uint8_t) below (random, 9);
      video->transfer = (uint8_t) below (random, 19);
      video->primaries = (uint8_t) below (random, 14);
      break;
    case 6:
    case 7:
      change_slice (random, video);
      break;
    default:
      *fields[below (random, COUNT (fields))] = draw_number (random);
  }
}

static void
change_header_once (FuzzParts *parts)
{
  PacoHeader *header = &parts->header;
  PacoCoding *coding = &header->coding;

  switch (below (parts->random, 18)) {
    case 0:
    case 1:
    case 2:
      change_size (parts);
      break;
    case 3:
      change_component (parts);
      break;
    case 4:
      change_n_components (parts);
      break;
    case 5:
      change_wavelet (parts);
      break;
    case 6:
    case 7:
      change_subband (parts);
      break;
    case 8:
      change_set (parts);
      break;
    case 9:
    case 16:
    case 17:
      change_video (parts);
      break;
    case 10:
      header->picture.fields = !header->picture.fields;
      break;
    case 11:
      coding->levels = (uint8_t) below (parts->random, PACO_MAX_LEVELS + 1);
      break;
    case 12:
      coding->coding_passes = (uint8_t) (1 + below (parts->random, 3));
      break;
    case 13:
      coding->color_transform = (uint8_t) below (
          parts->random, PACO_N_COLOR_TRANSFORMS);
      coding->matrix[below (parts->random, PACO_MATRIX_SIZE)] =
          (float) below (parts->random, 2 * PACO_MAX_MATRIX + 1)
          - PACO_MAX_MATRIX;
      break;
    case 14:
      coding->block_checks = !coding->block_checks;
      break;
    default:
      coding->reconstruction = (uint8_t) fuzz_random_next (parts->random);
      coding->components[below (parts->random, PACO_MAX_COMPONENTS)].family =
          (uint8_t) below (parts->random, PACO_N_FAMILIES);
  }
}

/* Changes the header. Headers that are not allowed are given up again, since
 * they end all else. */
void
fuzz_change_header (FuzzParts *parts)
{
  PacoHeader before = parts->header;

  for (unsigned n = 1 + below (parts->random, 3); n > 0; n--)
    change_header_once (parts);
  if (!paco_header_check (&parts->header, NULL)
      || paco_picture_samples (&parts->header.picture) > parts->max_samples) {
    parts->header = before;
    return;
  }
  /* Code tables go with the depths and wavelets of before. */
  parts->header.coding.n_code_tables = 0;
  fuzz_parts_regroup (parts);
}

/* --- ancillary chunks --- */

#define MAX_CHUNKS 64

/* Finds where chunks lie, as far as they are chunks. */
static unsigned
find_chunks (const GByteArray *chunks, PacoChunk *found)
{
  PacoAncillary rest = { chunks->data, chunks->len };
  unsigned n = 0;

  while (n < MAX_CHUNKS && paco_chunk_next (&rest, &found[n]))
    n++;
  return n;
}

/* Makes a number of 1, 2, 4 or 8 bytes in the chunk one that is small, the
 * largest or the least. What it is a part of, and where it begins, is not
 * known. */
static void
change_number (FuzzRandom *random, uint8_t *data, size_t size)
{
  static const uint64_t numbers[] = { 0, 1, 2, 3, 5, 16, 60, 0x7f, 0x80, 0xff,
    0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,
    UINT64_C (1) << 63, UINT64_MAX };
  uint64_t number = numbers[below (random, COUNT (numbers))];
  unsigned bytes = 1u << below (random, 4);

  if (size < bytes)
    return;
  data += below (random, (uint32_t) (size - bytes + 1));
  for (unsigned i = 0; i < bytes; i++)
    data[i] = (uint8_t) (number >> (8 * i));
}

static void
change_chunk (FuzzParts *parts, const PacoChunk *chunk)
{
  uint8_t *data = parts->ancillary->data
      + (chunk->data - parts->ancillary->data);

  switch (below (parts->random, 4)) {
    case 0:
      fuzz_change_bytes (parts->random, data, chunk->size);
      break;
    case 1: /* as another type */
      data[-PACO_CHUNK_HEAD] = (uint8_t) (PACO_ANCILLARY_FIRST
          + below (parts->random, 10));
      break;
    default:
      change_number (parts->random, data, chunk->size);
  }
}

static void
change_chunks (FuzzParts *parts)
{
  GByteArray *chunks = parts->ancillary;
  PacoChunk found[MAX_CHUNKS];
  unsigned n = find_chunks (chunks, found);
  const PacoChunk *chunk = n ? &found[below (parts->random, n)] : NULL;
  GRand *rand;

  switch (chunk ? below (parts->random, 8) : 0) {
    case 0:
    case 1:
      rand = g_rand_new_with_seed ((guint32) fuzz_random_next (parts->random));
      test_ancillary_random_chunk (
          rand, chunks, PACO_ANCILLARY_FIRST + below (parts->random, 10));
      g_rand_free (rand);
      break;
    case 2:
      g_byte_array_remove_range (chunks,
          (guint) (chunk->data - PACO_CHUNK_HEAD - chunks->data),
          PACO_CHUNK_HEAD + chunk->size);
      break;
    default:
      change_chunk (parts, chunk);
  }
}

void
fuzz_change_ancillary (FuzzParts *parts)
{
  bool strict = !one_in (parts->random, 8);

  for (unsigned n = 1 + below (parts->random, 8); n > 0; n--) {
    GByteArray *chunks = parts->ancillary;
    g_autoptr (GByteArray) before = g_byte_array_new ();
    const char *reason;

    g_byte_array_append (before, chunks->data, chunks->len);
    change_chunks (parts);
    if (strict
        && !paco_ancillary_check (
            &(PacoAncillary){ chunks->data, chunks->len }, &reason)) {
      g_byte_array_set_size (chunks, 0);
      g_byte_array_append (chunks, before->data, before->len);
    }
  }
  fuzz_parts_point_to_ancillary (parts);
}

void
fuzz_change_attachment (FuzzParts *parts)
{
  guint n = one_in (parts->random, 3) ? 0 : 1 + below (parts->random, 600);

  g_byte_array_set_size (parts->attachment, n);
  for (guint i = 0; i < n; i++)
    parts->attachment->data[i] = (uint8_t) fuzz_random_next (parts->random);
  fuzz_parts_point_to_attachment (parts);
  if (n > 0 && one_in (parts->random, 8))
    parts->header.video.attachment.crc ^= 1;
}
