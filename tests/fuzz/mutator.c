/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The mutator: see mutator.h. A frame is taken apart leniently, so that one
 * that was changed before can be changed again. */
#include "tests/fuzz/mutator.h"
#include "codec/geometry.h"
#include "codec/index.h"
#include "tests/codec/random-ancillary.h"
#include <string.h>
#include <zlib.h>

#define below fuzz_random_below
#define one_in fuzz_random_one_in
#define COUNT(array) (sizeof (array) / sizeof *(array))

/* --- lengths and checks --- */

static void
write_32 (uint8_t *p, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    p[i] = (uint8_t) (value >> (8 * i));
}

static uint32_t
read_32 (const uint8_t *p)
{
  return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
}

void
fuzz_repair_frame (uint8_t *data, size_t size)
{
  size_t header_size, index_size;

  if (size < PACO_HEADER_PEEK_SIZE)
    return;
  memcpy (data, PACO_MAGIC, 4);
  data[4] = PACO_VERSION;
  header_size = data[6] | data[7] << 8;
  index_size = read_32 (data + 12);
  write_32 (data + 8, (uint32_t) size);
  if (header_size < PACO_HEADER_PEEK_SIZE + 4 || header_size > size)
    return;
  if (index_size <= size - header_size)
    write_32 (data + 16, (uint32_t) crc32 (0, data + header_size, index_size));
  write_32 (
      data + header_size - 4, (uint32_t) crc32 (0, data, header_size - 4));
}

/* --- a frame taken apart --- */

typedef struct
{
  PacoHeader header;
  PacoProbabilitySet set; /* that the header may carry */
  PacoGeometry *geometry;
  PacoBlockRecord *records;
  uint8_t **blocks;      /* the bytes of each, PACO_MAX_BLOCK of them */
  GByteArray *ancillary; /* the header's chunks */
  uint32_t max_samples;
  FuzzRandom *random;
} Frame;

#define MAX_BLOCK UINT16_MAX /* what a record's length can say */

/* Makes a record one that FORMAT.md section 6 allows. */
static void
settle_record (PacoBlockRecord *record)
{
  if (record->planes == 0) {
    *record = (PacoBlockRecord){ 0 };
    return;
  }
  record->planes = MIN (record->planes, PACO_MAX_PLANES);
  record->dropped_planes = MIN (
      record->dropped_planes, MIN (record->planes - 1, 15));
  record->raw_planes = MIN (
      record->raw_planes, record->planes - record->dropped_planes);
  if (record->cut)
    record->raw_planes = 0;
  /* 15 in a record says that all planes are raw. */
  if (record->raw_planes > PACO_MAX_RAW_PLANES
      && record->raw_planes + record->dropped_planes != record->planes)
    record->raw_planes = PACO_MAX_RAW_PLANES;
  if (record->raw_planes > 0 || record->cut)
    record->raw_left_signs = false;
  record->set %= PACO_N_SETS;
}

static void
free_blocks (Frame *frame)
{
  for (uint32_t i = 0; frame->blocks && i < frame->geometry->n_blocks; i++)
    g_free (frame->blocks[i]);
  g_free (frame->blocks);
  g_free (frame->records);
  paco_geometry_free (frame->geometry);
}

/* The header's chunks are where ancillary has been changed to. */
static void
point_to_ancillary (Frame *frame)
{
  frame->header.video.ancillary = (PacoAncillary){ frame->ancillary->data,
    frame->ancillary->len };
}

/* The header will be written where its chunks are now. */
static void
take_ancillary (Frame *frame)
{
  const PacoAncillary *chunks = &frame->header.video.ancillary;

  frame->ancillary = g_byte_array_new ();
  g_byte_array_set_size (
      frame->ancillary, (guint) paco_ancillary_size (chunks));
  if (frame->ancillary->len > 0)
    paco_ancillary_copy (chunks, frame->ancillary->data);
  point_to_ancillary (frame);
}

/* Takes from the payload what the index says, as far as it goes. */
static void
take_blocks (Frame *frame, const uint8_t *data, size_t size)
{
  PacoHeader *header = &frame->header;
  uint32_t n = frame->geometry->n_blocks;
  size_t start = MIN ((size_t) header->header_size + header->index_size, size);
  size_t payload = size - start, offset = 0;

  frame->records = g_new0 (PacoBlockRecord, n);
  frame->blocks = g_new0 (uint8_t *, n);
  /* Cut points would not be those of the blocks any more. */
  header->coding.cut_points = false;
  paco_index_parse (data + header->header_size,
      start - header->header_size
          - MIN (header->cut_points_size, start - header->header_size),
      frame->geometry, header->coding.block_checks, payload, frame->records,
      NULL);
  for (uint32_t i = 0; i < n; i++) {
    PacoBlockRecord *record = &frame->records[i];
    size_t there;

    settle_record (record);
    if (record->length == 0)
      continue;
    frame->blocks[i] = g_malloc0 (record->length);
    there = MIN (record->length, payload - MIN (offset, payload));
    memcpy (frame->blocks[i], data + start + offset, there);
    offset = MIN (offset + record->length, payload);
  }
}

/* FALSE if the header is none, or that of a picture of more than max_samples
 * samples. */
static bool
take_apart (Frame *frame, const uint8_t *data, size_t size)
{
  if (!paco_header_parse (data, size, &frame->header, &frame->set, NULL)
      || paco_picture_samples (&frame->header.picture) > frame->max_samples)
    return false;
  frame->geometry = paco_geometry_new (
      &frame->header.picture, &frame->header.coding);
  take_ancillary (frame);
  take_blocks (frame, data, size);
  return true;
}

/* Blocks of the new geometry are those of the old one in turns. */
static void
regroup_blocks (Frame *frame)
{
  Frame old = *frame;
  uint32_t n;

  frame->geometry = paco_geometry_new (
      &frame->header.picture, &frame->header.coding);
  n = frame->geometry->n_blocks;
  frame->records = g_new0 (PacoBlockRecord, n);
  frame->blocks = g_new0 (uint8_t *, n);
  for (uint32_t i = 0; i < n && old.geometry->n_blocks > 0; i++) {
    uint32_t from = i % old.geometry->n_blocks;

    frame->records[i] = old.records[from];
    frame->blocks[i] = g_memdup2 (old.blocks[from], old.records[from].length);
  }
  free_blocks (&old);
}

/* Blocks from the end become empty until the frame fits into capacity. */
static void
fit (Frame *frame, size_t capacity)
{
  uint32_t n = frame->geometry->n_blocks;
  size_t size = paco_header_size (&frame->header)
      + PACO_MAX_INDEX_SIZE ((size_t) n);

  for (uint32_t i = 0; i < n; i++)
    size += frame->records[i].length;
  for (uint32_t i = n; i-- > 0 && size > capacity;) {
    size -= frame->records[i].length;
    frame->records[i] = (PacoBlockRecord){ 0 };
  }
}

/* Returns the frame's size, 0 if it does not fit into capacity. */
static size_t
put_together (Frame *frame, uint8_t *data, size_t capacity)
{
  PacoHeader *header = &frame->header;
  uint32_t n = frame->geometry->n_blocks;
  uint8_t *index = g_malloc (PACO_MAX_INDEX_SIZE ((size_t) n) + 1);
  size_t size;

  fit (frame, capacity);
  for (uint32_t i = 0; i < n; i++)
    frame->records[i].check = (uint16_t) crc32 (
        0, frame->blocks[i], frame->records[i].length);
  if (header->coding.block_checks && n > 0 && one_in (frame->random, 8))
    frame->records[below (frame->random, n)].check ^= 1;
  header->index_size = (uint32_t) paco_index_write (
      frame->records, n, header->coding.block_checks, index);
  size = paco_header_size (header) + header->index_size;
  for (uint32_t i = 0; i < n; i++)
    size += frame->records[i].length;
  if (size <= capacity && paco_header_size (header) <= UINT16_MAX) {
    uint8_t *at = data + paco_header_write (header, data);

    memcpy (at, index, header->index_size);
    at += header->index_size;
    for (uint32_t i = 0; i < n; i++) {
      if (frame->records[i].length > 0)
        memcpy (at, frame->blocks[i], frame->records[i].length);
      at += frame->records[i].length;
    }
    fuzz_repair_frame (data, size);
  } else {
    size = 0;
  }
  g_free (index);
  return size;
}

/* --- changes of the header --- */

static void
change_size (Frame *frame)
{
  static const uint16_t sizes[] = { 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127,
    128, 129, 200, 255, 256, 257, 511, 1024, 4096, PACO_MAX_SIZE };
  PacoPictureFormat *picture = &frame->header.picture;
  uint32_t size = sizes[below (frame->random, COUNT (sizes))];

  if (one_in (frame->random, 4))
    size = 1 + below (frame->random, 700);
  if (one_in (frame->random, 2))
    picture->width = size;
  else
    picture->height = size;
}

static void
change_component (Frame *frame)
{
  PacoPictureFormat *picture = &frame->header.picture;
  PacoComponent *component =
      &picture->components[below (frame->random, picture->n_components)];

  switch (below (frame->random, 3)) {
    case 0:
      component->depth = (uint8_t) (1 + below (frame->random, 16));
      break;
    case 1:
      component->subsampling_x = (uint8_t) below (frame->random, 3);
      break;
    default:
      component->subsampling_y = (uint8_t) below (frame->random, 3);
  }
  if (one_in (frame->random, 2)) /* all alike, as a color transform wants it */
    for (unsigned c = 0; c < picture->n_components; c++)
      picture->components[c] = *component;
  picture->components[0].subsampling_x = 0;
  picture->components[0].subsampling_y = 0;
}

/* Components that are new are like those that were there. */
static void
change_n_components (Frame *frame)
{
  PacoPictureFormat *picture = &frame->header.picture;
  PacoCoding *coding = &frame->header.coding;
  unsigned before = picture->n_components;

  picture->n_components = (uint8_t) (1
      + below (frame->random, PACO_MAX_COMPONENTS));
  for (unsigned c = before; c < picture->n_components; c++) {
    picture->components[c] = picture->components[c - before];
    coding->components[c] = coding->components[c - before];
    memcpy (coding->subbands[c], coding->subbands[c - before],
        sizeof coding->subbands[c]);
  }
}

static uint16_t
draw_step (Frame *frame)
{
  return (uint16_t) below (frame->random, 1 << 14);
}

/* Of one component, or of all. */
static void
change_wavelet (Frame *frame)
{
  PacoCoding *coding = &frame->header.coding;
  unsigned first = below (frame->random, PACO_MAX_COMPONENTS), last = first;
  uint8_t wavelet = (uint8_t) below (frame->random, PACO_N_WAVELETS);

  if (one_in (frame->random, 2)) {
    first = 0;
    last = PACO_MAX_COMPONENTS - 1;
  }
  for (unsigned c = first; c <= last; c++) {
    coding->components[c].wavelet = wavelet;
    for (unsigned k = 0; k < PACO_MAX_SUBBANDS; k++)
      coding->subbands[c][k].step = paco_wavelets[wavelet].reversible
          ? 0
          : (uint16_t) (1 << 13 | (draw_step (frame) & 0xfff));
  }
}

static void
change_subband (Frame *frame)
{
  PacoCoding *coding = &frame->header.coding;
  unsigned c = below (frame->random, frame->header.picture.n_components);
  unsigned k = below (frame->random, 3u * coding->levels + 1);

  if (one_in (frame->random, 2))
    coding->subbands[c][k].height_log2 = (uint8_t) below (frame->random, 4);
  else if (!paco_wavelets[coding->components[c].wavelet].reversible)
    coding->subbands[c][k].step = draw_step (frame);
}

static void
change_set (Frame *frame)
{
  PacoHeader *header = &frame->header;

  if (header->set && one_in (frame->random, 2)) {
    header->set = NULL;
    return;
  }
  if (!header->set)
    frame->set = *paco_coding_family (&header->coding, NULL, 0).sets[0];
  header->set = &frame->set;
  for (unsigned n = below (frame->random, 200); n > 0; n--)
    frame->set.p[below (frame->random, PACO_N_ROWS)][below (frame->random,
        PACO_N_CONTEXTS)] = (uint8_t) (1 + below (frame->random, 255));
}

/* What the codec only carries, and elements believe or not. */
static void
change_video (Frame *frame)
{
  static const uint32_t terms[] = { 0, 1, 2, 24, 25, 30, 1000, 1001, 30000,
    60000, 0x10000, 0x7fffffff, 0x80000000u, 0xffffffffu };
  PacoVideoInfo *video = &frame->header.video;
  uint32_t *const fields[] = { &video->par_n, &video->par_d, &video->fps_n,
    &video->fps_d };
  static const char formats[][16] = { "I420", "I422_10LE", "GRAY8", "v210",
    "AYUV64", "GBR_12LE", "ARGB64", "no-such", "" };

  switch (below (frame->random, 5)) {
    case 0:
      video->interlace_mode = (uint8_t) below (frame->random, 3);
      video->picture_flags = (uint8_t) (2 * below (frame->random, 8));
      video->field_order = (uint8_t) below (frame->random, 3);
      break;
    case 1:
      memcpy (video->raw_format,
          formats[below (frame->random, COUNT (formats))],
          sizeof video->raw_format);
      break;
    case 2:
      video->has_mastering_display = one_in (frame->random, 2);
      video->has_content_light = one_in (frame->random, 2);
      break;
    default:
      *fields[below (frame->random, COUNT (fields))] =
          terms[below (frame->random, COUNT (terms))];
  }
}

/* Any chunk more, or one that is not what it was. */
static void
change_ancillary (Frame *frame)
{
  GByteArray *chunks = frame->ancillary;
  GRand *rand = g_rand_new_with_seed (
      (guint32) fuzz_random_next (frame->random));
  guint before = chunks->len;

  switch (below (frame->random, 4)) {
    case 0:
      g_byte_array_set_size (chunks, 0);
      break;
    case 1:
      if (before > 0)
        fuzz_change_bytes (frame->random, chunks->data, before);
      break;
    default:
      test_ancillary_random_chunk (
          rand, chunks, PACO_ANCILLARY_FIRST + below (frame->random, 6));
  }
  if (chunks->len > PACO_MAX_ANCILLARY_SIZE && !one_in (frame->random, 8))
    g_byte_array_set_size (chunks, before);
  g_rand_free (rand);
  point_to_ancillary (frame);
}

static void
change_header_once (Frame *frame)
{
  PacoHeader *header = &frame->header;
  PacoCoding *coding = &header->coding;

  switch (below (frame->random, 16)) {
    case 0:
    case 1:
    case 2:
      change_size (frame);
      break;
    case 3:
      change_component (frame);
      break;
    case 4:
      change_n_components (frame);
      break;
    case 5:
      change_wavelet (frame);
      break;
    case 6:
    case 7:
      change_subband (frame);
      break;
    case 8:
      change_set (frame);
      break;
    case 9:
      change_video (frame);
      break;
    case 10:
      header->picture.fields = !header->picture.fields;
      break;
    case 11:
      coding->levels = (uint8_t) below (frame->random, PACO_MAX_LEVELS + 1);
      break;
    case 12:
      coding->coding_passes = (uint8_t) (1 + below (frame->random, 3));
      break;
    case 13:
      coding->color_transform = (uint8_t) below (
          frame->random, PACO_N_COLOR_TRANSFORMS);
      break;
    case 14:
      coding->block_checks = !coding->block_checks;
      break;
    default:
      coding->reconstruction = (uint8_t) fuzz_random_next (frame->random);
      coding->components[below (frame->random, PACO_MAX_COMPONENTS)].family =
          (uint8_t) below (frame->random, PACO_N_FAMILIES);
  }
}

/* Most headers that are not allowed are given up again: they end all else. */
static void
change_header (Frame *frame)
{
  PacoHeader before = frame->header;

  for (unsigned n = 1 + below (frame->random, 3); n > 0; n--)
    change_header_once (frame);
  if (!paco_header_check (&frame->header, NULL)
      || paco_picture_samples (&frame->header.picture) > frame->max_samples) {
    frame->header = before;
    return;
  }
  regroup_blocks (frame);
}

/* --- changes of index and payload --- */

/* The bytes of block i become n; what is new is noise or zeros. */
static void
resize_block (Frame *frame, uint32_t i, uint32_t n)
{
  PacoBlockRecord *record = &frame->records[i];
  bool zeros = one_in (frame->random, 2);

  n = MIN (n, MAX_BLOCK);
  frame->blocks[i] = g_realloc (frame->blocks[i], n);
  for (uint32_t k = record->length; k < n; k++)
    frame->blocks[i][k] = zeros ? 0
                                : (uint8_t) fuzz_random_next (frame->random);
  record->length = (uint16_t) n;
}

static void
copy_block (Frame *frame, uint32_t from, uint32_t to)
{
  if (from == to)
    return;
  g_free (frame->blocks[to]);
  frame->records[to] = frame->records[from];
  frame->blocks[to] = g_memdup2 (
      frame->blocks[from], frame->records[from].length);
}

/* Stores all planes raw, in the bytes that it takes. */
static void
make_raw (Frame *frame, uint32_t i)
{
  PacoBlockRecord *record = &frame->records[i];
  const PacoCodeblock *block = &frame->geometry->blocks[i];

  record->planes = (uint8_t) MAX (record->planes, 1);
  settle_record (record);
  record->raw_planes = record->planes - record->dropped_planes;
  record->raw_left_signs = record->cut = false;
  resize_block (frame, i,
      paco_raw_block_bytes (
          (uint32_t) block->width * block->height, record->raw_planes));
}

static void
change_record (Frame *frame)
{
  uint32_t n = frame->geometry->n_blocks, i = below (frame->random, n);
  PacoBlockRecord *record = &frame->records[i];

  switch (below (frame->random, 11)) {
    case 0:
      record->planes = (uint8_t) below (frame->random, PACO_MAX_PLANES + 1);
      break;
    case 1:
      record->raw_planes = (uint8_t) below (frame->random, PACO_MAX_PLANES + 1);
      break;
    case 2:
      record->dropped_planes = (uint8_t) below (frame->random, 16);
      break;
    case 3:
      record->shared_codewords = !record->shared_codewords;
      break;
    case 4:
      record->raw_left_signs = !record->raw_left_signs;
      break;
    case 5:
      resize_block (frame, i, below (frame->random, 2000));
      break;
    case 6:
      resize_block (frame, i,
          record->length + below (frame->random, 9) - MIN (record->length, 4u));
      break;
    case 7:
      copy_block (frame, below (frame->random, n), i);
      break;
    case 8:
      record->set = (uint8_t) below (frame->random, PACO_N_SETS);
      break;
    case 9:
      record->cut = !record->cut;
      break;
    default:
      make_raw (frame, i);
  }
  settle_record (&frame->records[i]);
}

static void
change_block (Frame *frame)
{
  uint32_t n = frame->geometry->n_blocks, i = below (frame->random, n);
  uint32_t length;

  /* Large frames have many empty blocks. */
  for (int tries = 0; tries < 8 && frame->records[i].length == 0; tries++)
    i = below (frame->random, n);
  length = frame->records[i].length;
  if (length == 0)
    return;
  switch (below (frame->random, 5)) {
    case 0:
      for (uint32_t k = 0; k < length; k++)
        frame->blocks[i][k] = (uint8_t) fuzz_random_next (frame->random);
      break;
    case 1:
      memset (frame->blocks[i], one_in (frame->random, 2) ? 255 : 0, length);
      break;
    case 2: /* the plain bits at the end, and their padding */
      frame->blocks[i][length - 1] ^= (uint8_t) (1u
          << below (frame->random, 8));
      break;
    default:
      fuzz_change_bytes (frame->random, frame->blocks[i], length);
  }
}

/* --- frames and streams --- */

static void
change_frame (Frame *frame)
{
  unsigned kind = below (frame->random, 8);

  if (kind < 3)
    change_header (frame);
  if (one_in (frame->random, 6))
    change_ancillary (frame);
  if (frame->geometry->n_blocks == 0)
    return;
  for (unsigned n = 1 + below (frame->random, 4); n > 0; n--) {
    if (kind >= 3 && kind < 6)
      change_record (frame);
    if (kind == 2 || kind >= 5)
      change_block (frame);
  }
}

size_t
fuzz_mutate_frame (uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, uint64_t seed)
{
  FuzzRandom random = fuzz_random_new (seed);
  Frame frame = { .max_samples = max_samples, .random = &random };
  size_t made;

  if (one_in (&random, 8) || !take_apart (&frame, data, size)) {
    size = fuzz_mutate_bytes (&random, data, size, capacity);
    if (!one_in (&random, 4))
      fuzz_repair_frame (data, size);
    return size;
  }
  change_frame (&frame);
  made = put_together (&frame, data, capacity);
  free_blocks (&frame);
  if (made > 0)
    size = made;
  /* Headers whose fields contradict each other or are out of range. */
  if (one_in (&random, 16) && frame.header.header_size > 0) {
    fuzz_change_bytes (
        &random, data, MIN (size, paco_header_size (&frame.header)));
    fuzz_repair_frame (data, size);
  }
  g_byte_array_unref (frame.ancillary);
  return size;
}

/* Where a frame lies in a stream; to the next one or to the end if its header
 * has no true size. */
typedef struct
{
  size_t start, size;
} Place;

#define MAX_PLACES 64

static unsigned
find_frames (const uint8_t *data, size_t size, Place *places)
{
  unsigned n = 0;

  for (size_t i = 0; i + PACO_HEADER_PEEK_SIZE <= size && n < MAX_PLACES; i++)
    if (memcmp (data + i, PACO_MAGIC, 4) == 0) {
      if (n > 0)
        places[n - 1].size = MIN (places[n - 1].size, i - places[n - 1].start);
      places[n++] = (Place){ i, MIN (size - i, read_32 (data + i + 8)) };
    }
  return n;
}

static size_t
mutate_place (FuzzRandom *random, uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, Place place)
{
  size_t room = capacity - size + place.size;
  size_t rest = size - place.start - place.size, made;
  uint8_t *frame = g_malloc (room + 1);

  memcpy (frame, data + place.start, place.size);
  made = fuzz_mutate_frame (
      frame, place.size, room, max_samples, fuzz_random_next (random));
  memmove (data + place.start + made, data + place.start + place.size, rest);
  memcpy (data + place.start, frame, made);
  g_free (frame);
  return place.start + made + rest;
}

/* A copy of the frame behind the stream. */
static size_t
repeat_place (uint8_t *data, size_t size, size_t capacity, Place place)
{
  if (place.size > capacity - size)
    return size;
  memcpy (data + size, data + place.start, place.size);
  return size + place.size;
}

/* Removes n bytes of the frame from its own byte `at` on. */
static size_t
cut_place (uint8_t *data, size_t size, Place place, size_t at, size_t n)
{
  uint8_t *start = data + place.start + at;

  n = MIN (n, place.size - MIN (at, place.size));
  if (n >= size)
    return size;
  memmove (start, start + n, data + size - start - n);
  return size - n;
}

size_t
fuzz_mutate_stream (uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, uint64_t seed)
{
  FuzzRandom random = fuzz_random_new (seed);
  Place places[MAX_PLACES];
  unsigned n = find_frames (data, size, places);
  Place place;

  if (n == 0 || one_in (&random, 8))
    return fuzz_mutate_bytes (&random, data, size, capacity);
  place = places[below (&random, n)];
  if (place.size == 0)
    return fuzz_mutate_bytes (&random, data, size, capacity);
  switch (below (&random, 8)) {
    case 0:
      return repeat_place (data, size, capacity, place);
    case 1: /* a part is lost, or all of it */
      return cut_place (data, size, place,
          one_in (&random, 2) ? 0 : below (&random, (uint32_t) place.size),
          one_in (&random, 2) ? place.size : 1 + below (&random, 700));
    case 2: /* the length that the header says is not true */
      if (place.size >= PACO_HEADER_PEEK_SIZE + 4) {
        uint32_t length = read_32 (data + place.start + 8);
        uint32_t header_size = data[place.start + 6]
            | data[place.start + 7] << 8;

        length = one_in (&random, 2)
            ? length + below (&random, 64) - 32
            : (uint32_t) fuzz_random_next (&random) >> below (&random, 32);
        write_32 (data + place.start + 8, length);
        if (header_size >= PACO_HEADER_PEEK_SIZE + 4
            && header_size <= place.size)
          write_32 (data + place.start + header_size - 4,
              (uint32_t) crc32 (0, data + place.start, header_size - 4));
      }
      return size;
    default:
      return mutate_place (&random, data, size, capacity, max_samples, place);
  }
}
