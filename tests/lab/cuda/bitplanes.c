/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures text 004's block coder on a GPU, as chapter 4 has it: Tables 4.2 to
 * 4.6 and Figures 4.6 to 4.8, with the codec's own beside it. What is coded is
 * the picture of gray-content.h, transformed with 9/7 on the host; of smaller
 * pictures the upper left part of each subband. --check compares with the
 * host's coder (tests/lab/bitplanes.c). */
#include "tests/lab/cuda/device.h"
#include "tests/lab/cuda/gray-content.h"
#include "tests/lab/gray-picture.h"
#include "tests/lab/lab.h"
#include "tests/lab/cuda/bitplanes.h"
#include "codec/reference/reference.h"
#include "gpu/device.h"
#include "gpu/kernels/bpc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>

/* Runs the codec's own block coder (gpu/kernels/bpc.cu), as a series beside
 * text 004's: with the same indices, blocks and sizes. */

enum
{
  FAMILY = 1, /* of the sets for 9/7 */
  COMPARED = 8,
};

typedef struct
{
  const int32_t *indices;
  size_t n_indices;
  uint32_t stride;
  const LabBitplanesBlock *blocks;
  guint n;
  unsigned passes;
} Work;

static unsigned
orientation_of (const LabBitplanesBlock *block)
{
  return block->subband == 0 ? 0 : (block->subband - 1u) % 3 + 1;
}

/* Makes the kernels' list of blocks. */
static PacoGpuBlock *
describe (const Work *work, uint32_t *n_code_words, uint32_t *n_columns)
{
  PacoGpuBlock *list = g_new0 (PacoGpuBlock, work->n);

  *n_code_words = *n_columns = 0;
  for (guint i = 0; i < work->n; i++) {
    const LabBitplanesBlock *block = &work->blocks[i];

    list[i] = (PacoGpuBlock){
      .record = i,
      .coefficients = block->first,
      .stride = work->stride,
      .code = *n_code_words,
      .columns = *n_columns,
      .width = (uint8_t) block->width,
      .height = block->height,
      .orientation = (uint8_t) orientation_of (block),
      .family = FAMILY,
    };
    *n_code_words += PACO_GPU_CODE_WORDS (
        (uint32_t) block->width * block->height, PACO_BPC_PLANES_32);
    *n_columns += PACO_GPU_COLUMN_WORDS (block->height);
  }
  return list;
}

static CUdeviceptr
upload_sets (const TestDevice *test)
{
  static uint8_t rows[PACO_CUDA_SETS_BYTES];

  for (unsigned i = 0; i < PACO_N_FAMILIES * PACO_N_SETS; i++)
    paco_cuda_place_set (&paco_builtin_sets[i / PACO_N_SETS][i % PACO_N_SETS],
        rows + i * PACO_GPU_SET_BYTES);
  return test_device_new (test, rows, sizeof rows);
}

static void
compare_with_codec (const Work *work, guint i, const PacoGpuRecord *record,
    const uint32_t *code)
{
  const LabBitplanesBlock *b = &work->blocks[i];
  PacoReferenceBlock block = { .width = b->width,
    .height = b->height,
    .orientation = orientation_of (b),
    .coding_passes = work->passes,
    .family = FAMILY };
  g_autofree int32_t *indices = g_new (int32_t, b->width * b->height);
  GByteArray *bytes = g_byte_array_new ();
  PacoBlockRecord expected;

  for (unsigned y = 0; y < b->height; y++)
    memcpy (indices + y * b->width,
        work->indices + b->first + (size_t) y * work->stride,
        b->width * sizeof *indices);
  for (unsigned k = 0; k < PACO_N_SETS; k++)
    block.sets.sets[k] = &paco_builtin_sets[FAMILY][k];
  paco_reference_encode_block (&block, indices, 0, 1, &expected, bytes);
  if (record->length != bytes->len
      || (bytes->len > 0 && memcmp (bytes->data, code, bytes->len) != 0))
    lab_fail ("the codec's code of block %u is not the reference's", i);
  g_byte_array_unref (bytes);
}

static double
lab_codec_encode_ms (const int32_t *indices, size_t n_indices, uint32_t stride,
    const LabBitplanesBlock *blocks, guint n, unsigned passes)
{
  const Work work = { indices, n_indices, stride, blocks, n, passes };
  uint32_t n_code_words, n_columns;
  g_autofree PacoGpuBlock *list = describe (&work, &n_code_words, &n_columns);
  g_autofree char *name = g_strdup_printf ("paco_bpc_encode_32_%u", passes);
  g_autofree PacoGpuRecord *records = NULL;
  g_autofree uint32_t *code = NULL;
  PacoBpcEncodeParameters parameters = { .n_blocks = n, .complexity = 1 };
  LabDevice device;
  LabLaunch launch;
  double ms;

  lab_device_open (&device, paco_fatbins_bpc[1][passes - 1], "bpc");
  parameters.coefficients = test_device_new (
      &device.test, indices, 4 * n_indices);
  parameters.blocks = test_device_new (&device.test, list, n * sizeof *list);
  parameters.rows = upload_sets (&device.test);
  parameters.planes = test_device_new (
      &device.test, NULL, 4 * (size_t) n_columns * PACO_BPC_PLANES_32);
  parameters.code = test_device_new (
      &device.test, NULL, 4 * (size_t) n_code_words);
  parameters.records = test_device_new (
      &device.test, NULL, n * sizeof (PacoGpuRecord));
  launch = (LabLaunch){ .kernel = lab_device_kernel (&device, name),
    .grid_x = n,
    .grid_y = 1,
    .threads = PACO_BPC_THREADS,
    .shared_bytes = (unsigned) paco_bpc_shared_bytes (
        0, passes, PACO_MAX_BLOCK_HEIGHT),
    .parameters = &parameters };
  lab_device_run (&device, &launch, 1);
  ms = 1e-3 * lab_device_time_us (&device, &launch, 1, 1);
  records = test_device_steal (
      &device.test, parameters.records, n * sizeof *records);
  code = test_device_steal (
      &device.test, parameters.code, 4 * (size_t) n_code_words);
  for (guint i = 0; i < MIN (n, COMPARED); i++)
    compare_with_codec (&work, i, &records[i], code + list[i].code);
  test_device_free (&device.test, parameters.coefficients);
  test_device_free (&device.test, parameters.blocks);
  test_device_free (&device.test, parameters.rows);
  test_device_free (&device.test, parameters.planes);
  lab_device_close (&device);
  return ms;
}

extern const unsigned char lab_fatbin_bitplanes[];

G_STATIC_ASSERT (LAB_BITPLANES_CONTEXTS == N_CONTEXTS);
G_STATIC_ASSERT (LAB_BITPLANES_PLANES == BITPLANES_MAX_PLANES);

/* These are blocks of one plane, on the host and on the device. */
typedef struct
{
  const int32_t *indices;
  size_t n_indices;
  uint32_t stride;
  GArray *blocks; /* LabBitplanesBlock */
  uint32_t n_codewords;
  LabBitplanesParameters parameters;
} Blocks;

static LabBitplanesBlock *
block_at (const Blocks *blocks, guint i)
{
  return &g_array_index (blocks->blocks, LabBitplanesBlock, i);
}

static void
take_block (const Blocks *blocks, const LabBitplanesBlock *block, int32_t *to)
{
  for (unsigned y = 0; y < block->height; y++)
    memcpy (to + y * block->width,
        blocks->indices + block->first + (size_t) y * blocks->stride,
        block->width * sizeof *to);
}

/* Adds a block. A codeword has two symbols at least, and a coefficient one in
 * each bitplane and a sign. */
static void
add_block (Blocks *blocks, LabBitplanesBlock block)
{
  uint32_t all = 0;

  for (unsigned y = 0; y < block.height; y++)
    for (unsigned x = 0; x < block.width; x++)
      all |= (uint32_t) abs (
          blocks->indices[block.first + (size_t) y * blocks->stride + x]);
  block.planes = (uint16_t) (all ? g_bit_storage (all) : 0);
  block.code = blocks->n_codewords;
  blocks->n_codewords += 32
      + (uint32_t) block.width * block.height * (block.planes + 1u) / 2;
  g_array_append_val (blocks->blocks, block);
}

/* --- The device's copies --- */

static void
upload (const LabDevice *device, Blocks *blocks, const GrayTables *tables)
{
  static uint8_t p[GRAY_SUBBANDS][BITPLANES_MAX_PLANES][N_CONTEXTS];
  const TestDevice *test = &device->test;
  guint n = blocks->blocks->len;

  for (unsigned s = 0; s < GRAY_SUBBANDS; s++)
    for (unsigned j = 0; j < BITPLANES_MAX_PLANES; j++)
      for (unsigned c = 0; c < N_CONTEXTS; c++)
        p[s][j][c] = (uint8_t) tables->of[s].p[j][c];
  blocks->parameters = (LabBitplanesParameters){
    .indices = test_device_new (test, blocks->indices, 4 * blocks->n_indices),
    .blocks = test_device_new (
        test, blocks->blocks->data, n * sizeof (LabBitplanesBlock)),
    .tables = test_device_new (test, p, sizeof p),
    .code = test_device_new (test, NULL, 2 * (size_t) blocks->n_codewords),
    .lengths = test_device_new (test, NULL, 4 * (size_t) n),
    .planes = test_device_new (test, NULL, 4 * (size_t) n),
    .stride = blocks->stride,
    .n_blocks = n,
  };
}

static void
clear (const LabDevice *device, Blocks *blocks)
{
  const LabBitplanesParameters *p = &blocks->parameters;
  const uint64_t memory[] = { p->indices, p->blocks, p->tables, p->code,
    p->lengths, p->planes };

  for (unsigned i = 0; i < G_N_ELEMENTS (memory); i++)
    test_device_free (&device->test, memory[i]);
  g_array_unref (blocks->blocks);
}

static LabLaunch
launch (const LabDevice *device, const LabBitplanesParameters *parameters,
    const char *what, unsigned passes, unsigned number)
{
  g_autofree char *name = g_strdup_printf (
      "bitplanes_%s_%u_%u", what, passes, number);

  return (LabLaunch){
    .kernel = lab_device_kernel (device, name),
    .grid_x = (parameters->n_blocks + LAB_BITPLANES_WARPS - 1)
        / LAB_BITPLANES_WARPS,
    .grid_y = 1,
    .threads = 32 * LAB_BITPLANES_WARPS,
    .parameters = parameters,
  };
}

/* --- Comparing with the host --- */

static void
compare_block (const Blocks *blocks, const BitplanesForm *form,
    const GrayTables *tables, guint i, const uint16_t *code,
    uint32_t n_codewords)
{
  static int32_t indices[64 * BITPLANES_MAX_HEIGHT];
  const LabBitplanesBlock *block = block_at (blocks, i);
  GByteArray *bytes = g_byte_array_new ();
  BitplanesRecord record;

  take_block (blocks, block, indices);
  bitplanes_encode (form, &tables->of[block->subband], indices, NULL,
      block->width, block->height, &record, NULL, bytes);
  if (bytes->len != 2 * n_codewords)
    lab_fail ("block %u of %ux%u, %u passes, has %u codewords, not %u", i,
        block->width, block->height, form->passes, n_codewords, bytes->len / 2);
  for (uint32_t k = 0; k < n_codewords; k++) {
    unsigned expected = (unsigned) bytes->data[2 * k] << 8
        | bytes->data[2 * k + 1];

    if (code[block->code + k] != expected)
      lab_fail ("codeword %u of block %u, %u passes, is %04x, not %04x", k, i,
          form->passes, code[block->code + k], expected);
  }
  g_byte_array_unref (bytes);
}

/* Encodes, compares the first n blocks, decodes and compares all. */
static void
compare (const LabDevice *device, Blocks *blocks, const GrayTables *tables,
    unsigned passes, unsigned height, guint n)
{
  BitplanesForm form = BITPLANES_FORM;
  LabBitplanesParameters back = blocks->parameters;
  LabLaunch encode, decode;
  guint n_blocks = blocks->blocks->len;
  g_autofree uint16_t *code = g_new (uint16_t, blocks->n_codewords);
  g_autofree uint32_t *lengths = g_new (uint32_t, n_blocks);
  g_autofree uint32_t *planes = g_new (uint32_t, n_blocks);
  g_autofree int32_t *found = NULL;

  form.passes = passes;
  encode = launch (device, &blocks->parameters, "encode", passes, height);
  lab_device_run (device, &encode, 1);
  test_device_read (
      &device->test, code, back.code, 2 * (size_t) blocks->n_codewords);
  test_device_read (&device->test, lengths, back.lengths, 4 * n_blocks);
  test_device_read (&device->test, planes, back.planes, 4 * n_blocks);
  for (guint i = 0; i < MIN (n, n_blocks); i++) {
    if (planes[i] != block_at (blocks, i)->planes)
      lab_fail ("block %u has %u bitplanes, not %u", i, planes[i],
          block_at (blocks, i)->planes);
    compare_block (blocks, &form, tables, i, code, lengths[i]);
  }
  back.indices = test_device_new (
      &device->test, blocks->indices, 4 * blocks->n_indices);
  decode = launch (device, &back, "decode", passes, height);
  lab_device_run (device, &decode, 1);
  found = test_device_steal (
      &device->test, back.indices, 4 * blocks->n_indices);
  for (guint i = 0; i < n_blocks; i++) {
    const LabBitplanesBlock *b = block_at (blocks, i);

    lab_same_integers ("decoded", found + b->first, blocks->stride,
        blocks->indices + b->first, blocks->stride, b->width, b->height);
  }
}

static void
draw_tables (GrayTables *tables)
{
  for (unsigned s = 0; s < GRAY_SUBBANDS; s++)
    for (unsigned j = 0; j < BITPLANES_MAX_PLANES; j++)
      for (unsigned c = 0; c < N_CONTEXTS; c++)
        tables->of[s].p[j][c] = (uint16_t) lab_draw (1, 127);
}

static void
check_some (const LabDevice *device, unsigned passes, unsigned max_height)
{
  unsigned n = (unsigned) lab_draw (1, 6), lines = 0;
  g_autofree int32_t *indices = g_new (int32_t, 64 * max_height * n);
  g_autofree GrayTables *tables = g_new (GrayTables, 1);
  Blocks blocks = { .indices = indices,
    .n_indices = 64 * (size_t) max_height * n,
    .stride = 64,
    .blocks = g_array_new (FALSE, FALSE, sizeof (LabBitplanesBlock)) };

  for (size_t i = 0; i < blocks.n_indices; i++)
    indices[i] = lab_draw (-1, 1) * lab_draw (0, (1 << lab_draw (0, 6)) - 1);
  for (unsigned i = 0; i < n; i++) {
    LabBitplanesBlock block = {
      .first = lines * 64,
      .width = (uint16_t) lab_draw (1, 64),
      .height = (uint16_t) lab_draw (1, i == 0 ? (int) max_height : 9),
      .subband = (uint16_t) lab_draw (0, GRAY_SUBBANDS - 1),
    };

    lines += block.height;
    add_block (&blocks, block);
  }
  draw_tables (tables);
  upload (device, &blocks, tables);
  compare (device, &blocks, tables, passes, max_height, n);
  clear (device, &blocks);
}

/* --- The picture --- */

typedef struct
{
  unsigned size; /* columns and lines */
  GrayTransform transform;
  GrayTables tables[2]; /* for two and three passes */
} Scene;

static void
make_picture (unsigned size, GrayPicture *picture)
{
  g_autofree uint8_t *samples = g_new (uint8_t, (size_t) size * size);

  *picture = (GrayPicture){ .depth = 8 };
  lab_gray_content (samples, size);
  if (!paco_reference_plane_init (&picture->plane, size, size))
    lab_fail ("There is no memory for %ux%u samples", size, size);
  for (size_t i = 0; i < (size_t) size * size; i++)
    picture->plane.samples[i].i = samples[i] - 128;
}

/* Makes a scene. Its tables are those of a smaller picture of the same
 * content. */
static void
make_scene (unsigned size, Scene *scene)
{
  GrayPicture picture;
  GrayTransform small;

  scene->size = size;
  make_picture (size, &picture);
  gray_transform (&picture, PACO_WAVELET_CDF97, &scene->transform);
  gray_picture_clear (&picture);
  make_picture (MIN (size, 1024), &picture);
  gray_transform (&picture, PACO_WAVELET_CDF97, &small);
  for (unsigned passes = 2; passes <= 3; passes++) {
    g_autofree GrayCounts *counts = g_new0 (GrayCounts, 1);
    BitplanesForm form = BITPLANES_FORM;

    form.passes = passes;
    gray_count (&small, &form, 64, counts);
    gray_tables (
        counts, form.precision.probability_bits, &scene->tables[passes - 2]);
  }
  gray_transform_clear (&small);
  gray_picture_clear (&picture);
}

/* Cuts the blocks of a picture of size x size. */
static void
cut_scene (const Scene *scene, unsigned size, unsigned height, Blocks *blocks)
{
  const PacoReferencePlane *plane = &scene->transform.plane;

  *blocks = (Blocks){ .indices = (const int32_t *) plane->samples,
    .n_indices = (size_t) plane->width * plane->height,
    .stride = plane->width,
    .blocks = g_array_new (FALSE, FALSE, sizeof (LabBitplanesBlock)) };
  for (unsigned s = 0; s < GRAY_SUBBANDS; s++) {
    const GraySubband *subband = &scene->transform.subbands[s];
    unsigned level = s == 0 ? GRAY_LEVELS : GRAY_LEVELS - (s - 1) / 3;
    uint32_t columns = MIN (subband->width, size >> level);
    uint32_t n_lines = MIN (subband->height, size >> level);

    for (uint32_t y = 0; y < n_lines; y += height)
      for (uint32_t x = 0; x < columns; x += 64)
        add_block (blocks,
            (LabBitplanesBlock){
                .first = (subband->top + y) * plane->width + subband->left + x,
                .width = (uint16_t) MIN (64, columns - x),
                .height = (uint16_t) MIN (height, n_lines - y),
                .subband = (uint16_t) s,
            });
  }
}

/* --- Measuring --- */

typedef struct
{
  double encode[2], decode[2]; /* ms, with two and three passes */
} Times;

static const char *const encoder_names[] = { "encoder, 2 passes",
  "encoder, 3 passes" };
static const char *const decoder_names[] = { "decoder, 2 passes",
  "decoder, 3 passes" };

static Times
measure_size (
    LabDevice *device, const Scene *scene, unsigned size, unsigned height)
{
  Times times = { { 0 }, { 0 } };

  for (unsigned i = 0; i < 2; i++) {
    Blocks blocks;
    LabLaunch encode, decode;

    cut_scene (scene, size, height, &blocks);
    upload (device, &blocks, &scene->tables[i]);
    compare (device, &blocks, &scene->tables[i], i + 2, height, 40);
    encode = launch (device, &blocks.parameters, "encode", i + 2, height);
    decode = launch (device, &blocks.parameters, "decode", i + 2, height);
    times.encode[i] = 1e-3 * lab_device_time_us (device, &encode, 1, 1);
    times.decode[i] = 1e-3 * lab_device_time_us (device, &decode, 1, 1);
    clear (device, &blocks);
  }
  return times;
}

/* Measures Table 4.3 and Figure 4.7; of 4096x4096 also Table 4.5. */
static void
measure_sizes (LabDevice *device, const Scene *scene)
{
  static const unsigned sizes[] = { 2048, 3072, 4096, 5120, 6144, 7168, 8192 };

  for (unsigned k = 0; k < G_N_ELEMENTS (sizes); k++) {
    unsigned size = lab_is_short () ? scene->size : sizes[k];
    double n = (double) size * size;
    Times times = measure_size (device, scene, size, 64);
    char x[16];

    snprintf (x, sizeof x, "%u", sizes[k]);
    for (unsigned i = 0; i < 2; i++) {
      lab_result ("004 table 4.3", encoder_names[i], x,
          1e6 * times.encode[i] / n, "ns");
      lab_result ("004 table 4.3", decoder_names[i], x,
          1e6 * times.decode[i] / n, "ns");
      lab_result ("004 figure 4.7", encoder_names[i], x,
          1e-3 * n / times.encode[i], "Msample/s");
      lab_result ("004 figure 4.7", decoder_names[i], x,
          1e-3 * n / times.decode[i], "Msample/s");
      if (sizes[k] == 4096)
        lab_result ("004 table 4.5", i ? "3 passes" : "2 passes", "time, ms",
            times.encode[i], "");
    }
    if (lab_is_short ())
      break;
  }
}

/* --- Transfers --- */

typedef struct
{
  const LabDevice *device;
  void *host; /* page-locked */
  CUdeviceptr memory;
  size_t bytes;
  bool up;
} Transfer;

static void
transfer (void *data)
{
  const Transfer *t = data;
  const PacoDriver *driver = t->device->test.context->driver;

  test_device_check (&t->device->test,
      t->up ? driver->memcpy_htod_async (
          t->memory, t->host, t->bytes, t->device->stream)
            : driver->memcpy_dtoh_async (
                t->host, t->memory, t->bytes, t->device->stream),
      "transfer");
  test_device_check (&t->device->test,
      driver->stream_synchronize (t->device->stream), "transfer");
}

static double
transfer_ms (const LabDevice *device, CUdeviceptr memory, size_t bytes, bool up)
{
  const PacoDriver *driver = device->test.context->driver;
  Transfer t = { device, NULL, memory, bytes, up };
  double ms;

  test_device_check (&device->test, driver->mem_host_alloc (&t.host, bytes, 0),
      "memory of the host");
  memset (t.host, 0, bytes);
  ms = lab_time_one (transfer, &t);
  driver->mem_free_host (t.host);
  return ms;
}

/* Measures Table 4.4: coefficients of 32 bits to the device, and codewords from
 * it. */
static void
measure_transfers (LabDevice *device, const Scene *scene)
{
  for (unsigned size = 2048; size <= 8192; size += 2048) {
    unsigned part = MIN (scene->size, size);
    Blocks blocks;
    LabLaunch encode;
    g_autofree uint32_t *lengths = NULL;
    size_t codewords = 0;
    double up, down, coding;
    char x[16];

    cut_scene (scene, part, 64, &blocks);
    upload (device, &blocks, &scene->tables[0]);
    encode = launch (device, &blocks.parameters, "encode", 2, 64);
    coding = 1e-3 * lab_device_time_us (device, &encode, 1, 1);
    lengths = g_new (uint32_t, blocks.blocks->len);
    test_device_read (&device->test, lengths, blocks.parameters.lengths,
        4 * blocks.blocks->len);
    for (guint i = 0; i < blocks.blocks->len; i++)
      codewords += lengths[i];
    up = transfer_ms (
        device, blocks.parameters.indices, 4 * (size_t) part * part, true);
    down = transfer_ms (device, blocks.parameters.code, 2 * codewords, false);
    clear (device, &blocks);
    snprintf (x, sizeof x, "%u", size);
    lab_result ("004 table 4.4", "to the GPU", x, up, "ms");
    lab_result ("004 table 4.4", "encoder, 2 passes", x, coding, "ms");
    lab_result ("004 table 4.4", "from the GPU", x, down, "ms");
    lab_result ("004 table 4.4", "total", x, up + coding + down, "ms");
    lab_result ("004 table 4.4", "codewords", x,
        16.0 * (double) codewords / ((double) part * part), "bits a sample");
  }
}

/* --- The codec --- */

/* Returns the watts that the first GPU may take; 0 where nvidia-smi does not
 * tell. */
static double
power_limit (void)
{
  char *argv[] = { (char *) "nvidia-smi",
    (char *) "--query-gpu=power.default_limit",
    (char *) "--format=csv,noheader,nounits", NULL };
  g_autofree char *out = NULL;

  if (!g_spawn_sync (NULL, argv, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out,
          NULL, NULL, NULL))
    return 0;
  return g_ascii_strtod (out, NULL);
}

/* Compares the text's encoder and the codec's, 4096x4096: Figures 4.6 and
 * 4.8. */
static void
compare_codec (LabDevice *device, const Scene *scene)
{
  unsigned size = MIN (scene->size, 4096);
  double n = (double) size * size, watts = power_limit ();
  Times times = measure_size (device, scene, size, 64);

  for (unsigned passes = 1; passes <= 3; passes++) {
    g_autofree char *x = g_strdup_printf (
        "%u pass%s", passes, passes > 1 ? "es" : "");
    double speed[2] = { passes > 1 ? 1e-3 * n / times.encode[passes - 2] : 0 };
    const char *const series[2] = { "encoder", "this codec's encoder" };
    Blocks blocks;

    cut_scene (scene, size, 64, &blocks);
    speed[1] = 1e-3 * n
        / lab_codec_encode_ms (blocks.indices, blocks.n_indices, blocks.stride,
            block_at (&blocks, 0), blocks.blocks->len, passes);
    g_array_unref (blocks.blocks);
    for (unsigned i = passes > 1 ? 0 : 1; i < 2; i++) {
      lab_result ("004 figure 4.6", series[i], x, speed[i], "Msample/s");
      if (watts > 0)
        lab_result (
            "004 figure 4.8", series[i], x, speed[i] / watts, "Msample/s/W");
    }
    if (passes > 1)
      lab_result ("004 figure 4.6", "decoder", x,
          1e-3 * n / times.decode[passes - 2], "Msample/s");
  }
}

/* Shows occupancy. The text's is measured, this one is what there is room
 * for. */
static void
show_occupancy (
    const LabDevice *device, const LabLaunch *encode, unsigned i, const char *x)
{
  static const char *const series[][2] = {
    { "2 passes, registers used", "2 passes, occupancy" },
    { "3 passes, registers used", "3 passes, occupancy" },
  };

  lab_result ("004 table 4.2", series[i][0], x,
      lab_device_registers (device, encode->kernel), "");
  lab_result ("004 table 4.2", series[i][1], x,
      lab_device_occupancy (
          device, encode->kernel, encode->threads, encode->shared_bytes),
      "%");
}

/* Measures Table 4.2. */
static void
measure_registers (LabDevice *device, const Scene *scene)
{
  static const unsigned limits[] = { 24, 32, 40, 48, 56, 64, 72, 128 };
  unsigned size = MIN (scene->size, 5120);

  for (unsigned i = 0; i < 2; i++) {
    Blocks blocks;

    cut_scene (scene, size, 64, &blocks);
    upload (device, &blocks, &scene->tables[i]);
    for (unsigned k = 0; k < G_N_ELEMENTS (limits); k++) {
      LabLaunch encode = launch (
          device, &blocks.parameters, "limited", i + 2, limits[k]);
      char x[16];

      snprintf (x, sizeof x, "%u", limits[k]);
      show_occupancy (device, &encode, i, x);
      lab_result ("004 table 4.2", i ? "3 passes" : "2 passes", x,
          1e-3 * lab_device_time_us (device, &encode, 1, 1), "ms");
    }
    clear (device, &blocks);
  }
}

/* Measures Table 4.6. */
static void
measure_heights (LabDevice *device, const Scene *scene)
{
  for (unsigned height = 32; height <= 128; height += 32) {
    Times times = measure_size (device, scene, MIN (scene->size, 4096), height);
    char x[16];

    snprintf (x, sizeof x, "64x%u", height);
    for (unsigned i = 0; i < 2; i++) {
      lab_result ("004 table 4.6", encoder_names[i], x, times.encode[i], "ms");
      lab_result ("004 table 4.6", decoder_names[i], x, times.decode[i], "ms");
    }
  }
}

static void
check (void)
{
  static Scene scene;
  LabDevice device;
  Blocks blocks;

  lab_device_open (&device, lab_fatbin_bitplanes, "bitplanes");
  for (unsigned height = 32; height <= 128; height += 32)
    for (unsigned passes = 2; passes <= 3; passes++)
      check_some (&device, passes, height);
  lab_device_close (&device);
  make_scene (64, &scene);
  cut_scene (&scene, 64, 64, &blocks);
  lab_codec_encode_ms (blocks.indices, blocks.n_indices, blocks.stride,
      block_at (&blocks, 0), blocks.blocks->len, (unsigned) lab_draw (1, 3));
  g_array_unref (blocks.blocks);
  gray_transform_clear (&scene.transform);
}

static void
measure (void)
{
  static Scene scene;
  LabDevice device;

  lab_device_open (&device, lab_fatbin_bitplanes, "bitplanes");
  make_scene (lab_is_short () ? 128 : 8192, &scene);
  measure_sizes (&device, &scene);
  measure_registers (&device, &scene);
  measure_heights (&device, &scene);
  measure_transfers (&device, &scene);
  compare_codec (&device, &scene);
  gray_transform_clear (&scene.transform);
  lab_device_close (&device);
}

/* Runs what the instructions of Table 4.5 are counted of. */
static void
once (void)
{
  static Scene scene;
  LabDevice device;

  lab_device_open (&device, lab_fatbin_bitplanes, "bitplanes");
  make_scene (lab_is_short () ? 128 : 4096, &scene);
  for (unsigned i = 0; i < 2; i++) {
    Blocks blocks;
    LabLaunch encode;

    cut_scene (&scene, scene.size, 64, &blocks);
    upload (&device, &blocks, &scene.tables[i]);
    encode = launch (&device, &blocks.parameters, "encode", i + 2, 64);
    lab_device_run (&device, &encode, 1);
    lab_counted (
        "004 table 4.5 instructions", NULL, encoder_names[i], "4096", 1);
    lab_counted_activity ("004 table 4.5", i ? "3 passes" : "2 passes");
    clear (&device, &blocks);
  }
  gray_transform_clear (&scene.transform);
  lab_device_close (&device);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure, once });
}
