/* SPDX-License-Identifier: LGPL-2.1-or-later
 * bitplanes-codec.h says what this is for. */
#include "tests/lab/cuda/bitplanes-codec.h"
#include "codec/reference/reference.h"
#include "gpu/device.h"
#include "gpu/kernels/bpc.h"
#include "tests/lab/cuda/device.h"
#include "tests/lab/lab.h"
#include <string.h>

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
compare (const Work *work, guint i, const PacoGpuRecord *record,
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

double
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
    compare (&work, i, &records[i], code + list[i].code);
  test_device_free (&device.test, parameters.coefficients);
  test_device_free (&device.test, parameters.blocks);
  test_device_free (&device.test, parameters.rows);
  test_device_free (&device.test, parameters.planes);
  lab_device_close (&device);
  return ms;
}
