/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes libpaco with frames. A header asks for no more bytes than it has; a
 * frame whose place is changed says that place and is otherwise what it was;
 * and the samples of a region are those of the whole picture. The bytes in
 * front of the frame say what is decoded. */
#include "lib/paco.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sandbox.h"
#include <string.h>

/* These are the bytes in front of the frame. */
enum
{
  REDUCE = 0,
  HOW = 1, /* PACO_IMAGE_* */
  X = 2,
  Y = 3,
  WIDTH = 4,
  HEIGHT = 5,
  PLACE = 6,
};

/* A region's place must be a multiple of it: of subsampled samples of two
 * fields. */
#define REGION_STEP 8

typedef struct
{
  PacoImage image;
  uint8_t *memory;
} Picture;

/* Opens a decoder, which stays open as long as the process lives. */
static PacoFrameDecoder *
open_decoder (void)
{
  static PacoFrameDecoder *decoder;
  static const char *const settings[][2] = { { "backend", "cpu" },
    { "threads", "1" }, { "pipeline-depth", "1" }, { "conceal", "false" },
    { "slices", "true" } };
  PacoError error;

  if (decoder)
    return decoder;
  decoder = paco_frame_decoder_new ();
  for (unsigned i = 0; i < G_N_ELEMENTS (settings); i++)
    if (paco_frame_decoder_set (decoder, settings[i][0], settings[i][1], &error)
        != PACO_STATUS_OK)
      fuzz_give_up (settings[i][0], error.message);
  return decoder;
}

static void
set (const char *name, const char *value)
{
  PacoError error;

  if (paco_frame_decoder_set (open_decoder (), name, value, &error)
      != PACO_STATUS_OK)
    fuzz_give_up (name, error.message);
}

/* Returns FALSE if it is no frame of a picture that is small enough. */
static bool
probe (const uint8_t *data, size_t size, PacoInfo *info)
{
  size_t needed = MIN (size, PACO_PROBE_SIZE), before = 0;
  PacoStatus status;
  PacoError error;

  do {
    /* This memory has exactly this size, so that a read beyond it is seen. */
    g_autofree uint8_t *first = g_memdup2 (data, needed);

    if (before > 0 && needed <= before)
      fuzz_give_up ("probe", "it asks for bytes that are there");
    before = needed;
    status = paco_probe (first, needed, info, &needed, &error);
  } while (status == PACO_STATUS_MORE && needed <= size);
  /* From more than the header it is known whether the frame is lossless. */
  return status == PACO_STATUS_OK
      && paco_probe (data, size, info, NULL, NULL) == PACO_STATUS_OK
      && (uint64_t) info->width * info->height * info->n_components
      <= FUZZ_MAX_SAMPLES;
}

/* Reads all that comes with the picture, and checks what the bytes say. */
static void
read_all (const uint8_t *data, size_t size, const PacoInfo *info)
{
  PacoFrameChunk chunks[64];
  size_t n = G_N_ELEMENTS (chunks);
  uint32_t broken, blocks;

  if (paco_frame_chunks (data, size, chunks, &n, NULL) != PACO_STATUS_OK
      || n != info->n_chunks)
    fuzz_give_up ("chunks", "they are not as many as the header has");
  for (size_t i = 0; i < MIN (n, G_N_ELEMENTS (chunks)); i++)
    g_free (g_memdup2 (chunks[i].data, chunks[i].size));
  if (paco_frame_check (data, size, &broken, &blocks, NULL) == PACO_STATUS_OK
      && broken > blocks)
    fuzz_give_up ("check", "more blocks are broken than there are");
}

static void
change_place (
    const uint8_t *how, const uint8_t *data, size_t size, const PacoInfo *info)
{
  g_autofree uint8_t *copy = g_memdup2 (data, size);
  PacoInfo changed = PACO_INFO_INIT;
  uint64_t offset = (uint64_t) how[PLACE] << 33;

  if (paco_frame_set_place (copy, size, how[PLACE], offset, NULL)
      == PACO_STATUS_OK) {
    if (paco_probe (copy, size, &changed, NULL, NULL) != PACO_STATUS_OK
        || changed.place_number != how[PLACE] || changed.place_offset != offset)
      fuzz_give_up ("place", "it is not what it was set to");
    changed.place_number = info->place_number;
    changed.place_offset = info->place_offset;
    if (memcmp (&changed, info, sizeof changed) != 0)
      fuzz_give_up ("place", "something else has changed with it");
  }
}

/* Decodes to memory of exactly the size of the picture, width x height. */
static bool
decode (const uint8_t *data, size_t size, const PacoInfo *info, uint32_t width,
    uint32_t height, unsigned layout, Picture *picture)
{
  PacoInfo sized = *info;
  PacoError error;
  size_t bytes;

  sized.width = width;
  sized.height = height;
  if (paco_image_init (&picture->image, &sized, 0, layout, NULL, &bytes, &error)
      != PACO_STATUS_OK)
    fuzz_give_up ("image", error.message);
  picture->memory = g_malloc (bytes);
  paco_image_init (
      &picture->image, &sized, 0, layout, picture->memory, &bytes, &error);
  if (paco_frame_decoder_decode (
          open_decoder (), data, size, &picture->image, NULL, &error)
      == PACO_STATUS_OK)
    return true;
  if (error.message[0] == 0)
    fuzz_give_up ("decode", "an error has no message");
  g_free (picture->memory);
  return false;
}

/* Checks that the region at (x, y) is that part of the whole. */
static void
compare (const PacoInfo *info, const Picture *whole, const Picture *region,
    uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
  for (unsigned c = 0; c < info->n_components; c++) {
    unsigned sx = info->subsampling_x[c], sy = info->subsampling_y[c];
    size_t step = region->image.layout[c].group_bytes;
    size_t bytes = paco_ceil_shift (width, sx) * step;

    for (uint32_t line = 0; line < paco_ceil_shift (height, sy); line++) {
      const uint8_t *a = (uint8_t *) whole->image.data[c]
          + whole->image.stride[c] * (ptrdiff_t) ((y >> sy) + line)
          + (x >> sx) * step;
      const uint8_t *b = (uint8_t *) region->image.data[c]
          + region->image.stride[c] * (ptrdiff_t) line;

      if (memcmp (a, b, bytes) != 0)
        fuzz_give_up ("region", "it is not that part of the picture");
    }
  }
}

static void
try_region (const uint8_t *how, const uint8_t *data, size_t size,
    const PacoInfo *info, uint32_t picture_width, uint32_t picture_height,
    unsigned layout, const Picture *whole)
{
  uint32_t x = how[X] * picture_width / 256 / REGION_STEP * REGION_STEP;
  uint32_t y = how[Y] * picture_height / 256 / REGION_STEP * REGION_STEP;
  uint32_t width = 1 + how[WIDTH] * (picture_width - x - 1) / 256;
  uint32_t height = 1 + how[HEIGHT] * (picture_height - y - 1) / 256;
  char text[64];
  Picture region;

  /* Regions of mosaics have whole cells. */
  width += info->mosaic && width % 2;
  height += info->mosaic && height % 2;

  g_snprintf (text, sizeof text, "%u,%u,%u,%u", x, y, width, height);
  set ("region", text);
  if (!decode (data, size, info, width, height, layout, &region))
    fuzz_give_up ("region", "the whole picture could be decoded");
  compare (info, whole, &region, x, y, width, height);
  g_free (region.memory);
  set ("region", "");
}

static void
try_picture (
    const uint8_t *how, const uint8_t *data, size_t size, const PacoInfo *info)
{
  unsigned reduce = how[REDUCE] % (info->levels + 1);
  unsigned layout = how[HOW] & (PACO_IMAGE_BIG_ENDIAN | PACO_IMAGE_TWO_BYTES);
  char text[8];
  uint32_t width, height;
  Picture whole;

  if (paco_component_size (info, 0, reduce, &width, &height, NULL)
      != PACO_STATUS_OK)
    fuzz_give_up ("size", "there is none");
  /* The picture of a mosaic has four samples for each of a component. */
  width <<= info->mosaic;
  height <<= info->mosaic;
  g_snprintf (text, sizeof text, "%u", reduce);
  set ("reduce", text);
  set ("region", "");
  if (!decode (data, size, info, width, height, layout, &whole))
    return;
  try_region (how, data, size, info, width, height, layout, &whole);
  g_free (whole.memory);
}

/* Makes pictures of a stack whose slices are anything. */
static void
try_stack (
    const uint8_t *how, const uint8_t *data, size_t size, const PacoInfo *info)
{
  size_t n = (size_t) info->width * info->height, bytes;
  uint16_t *slices[64], *memory = g_new (uint16_t, info->stack_length * n);
  const PacoImage *images[64] = { NULL };
  PacoInfo told = *info;
  g_autofree uint8_t *samples = NULL;
  PacoImage image;
  PacoError error;

  for (size_t k = 0; k < info->stack_length * n; k++)
    memory[k] = (uint16_t) (how[k % FUZZ_PREFIX] * 0x9e37u * (k + 1));
  for (uint32_t i = 0; i < info->stack_length; i++)
    slices[i] = memory + i * n;
  told.depth[0] = info->stack_depth;
  paco_image_init (&image, &told, 0, how[HOW] & 6, NULL, &bytes, &error);
  samples = g_malloc (bytes);
  paco_image_init (&image, &told, 0, how[HOW] & 6, samples, &bytes, &error);
  images[how[REDUCE] % info->stack_length] = &image;
  if (paco_stack_pictures (
          data, size, slices, info->width, info->height, images, &error)
      != PACO_STATUS_OK)
    fuzz_give_up ("stack", error.message);
  g_free (memory);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  PacoInfo info = PACO_INFO_INIT;
  g_autofree uint8_t *frame = NULL;

  if (size < FUZZ_PREFIX + PACO_PROBE_SIZE)
    return 0;
  size -= FUZZ_PREFIX;
  frame = g_memdup2 (data + FUZZ_PREFIX, size);
  if (probe (frame, size, &info)) {
    read_all (frame, size, &info);
    change_place (data, frame, size, &info);
    try_picture (data, frame, size, &info);
    if (info.stack_length > 0)
      try_stack (data, frame, size, &info);
  }
  return 0;
}

FUZZ_MUTATOR (prefixed)
