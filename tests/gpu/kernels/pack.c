/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the kernels that put a frame together with codec/index.c and
 * codec/cut_points.c: random records, cuts and blocks, more than the scan takes
 * in one go, must give the same index and payload, and where that does not fit
 * nothing may be written.
 *
 *   pack [ROUNDS [SEED]]
 *
 * Exit status 77 (skipped) without a CUDA device, see bpc.c. */
#include "codec/index.h"
#include "gpu/device.h"
#include "gpu/kernels/pack.h"
#include "tests/gpu/kernels/test-device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  TestDevice test;
  CUfunction scan, copy;
} Gpu;

/* This is a frame whose blocks are coded. */
typedef struct
{
  GRand *random;
  uint32_t n_blocks, n_code_words;
  bool block_checks, cut_points;
  uint32_t header_size;
  PacoBlockRecord *records; /* with offsets */
  PacoRateCuts *cuts;
  PacoGpuRecord *gpu_records;
  PacoGpuBlock *blocks;
  uint32_t *code;
  GByteArray *expected; /* index and payload */
  size_t index_size, points_size;
} Frame;

static unsigned n_failed;

static void
fail (const Frame *frame, const char *what)
{
  n_failed++;
  printf ("FAILED: %s: %u blocks, header of %u bytes%s%s\n", what,
      frame->n_blocks, frame->header_size,
      frame->block_checks ? ", checks" : "",
      frame->cut_points ? ", cut points" : "");
}

/* --- Random frames --- */

static int
below (Frame *frame, int n)
{
  return g_rand_int_range (frame->random, 0, n);
}

static void
random_record (Frame *frame, PacoBlockRecord *record)
{
  static const int lengths[4] = { 2, 40, 600, 20000 };

  *record = (PacoBlockRecord){ 0 };
  if (below (frame, 4) == 0)
    return;
  record->planes = 1 + below (frame, PACO_MAX_PLANES);
  record->dropped_planes = below (frame, MIN (record->planes, 16));
  if (below (frame, 2))
    record->dropped_planes = 0;
  if (below (frame, 2))
    record->raw_planes = below (
        frame, MIN (record->planes - record->dropped_planes + 1, 14));
  record->shared_codewords = below (frame, 2);
  record->raw_left_signs = record->raw_planes == 0 && below (frame, 2);
  record->cut = record->raw_planes == 0 && !record->raw_left_signs
      && below (frame, 2);
  /* Large ones are rare, or the emulation takes long. */
  record->length = below (
      frame, lengths[below (frame, 64) ? below (frame, 3) : 3]);
  if (below (frame, 64) == 0)
    record->length = PACO_LENGTH_ESCAPE - 1 + below (frame, 3);
  record->set = below (frame, PACO_N_SETS);
  record->check = g_rand_int (frame->random);
}

static void
random_cuts (Frame *frame, PacoRateCuts *cuts)
{
  unsigned plane = below (frame, PACO_MAX_DROPPED_PLANES - PACO_RATE_MAX_CUTS);

  cuts->n = below (frame, PACO_RATE_MAX_CUTS + 1);
  for (unsigned k = 0; k < cuts->n; k++) {
    cuts->plane[k] = plane + k;
    cuts->codewords[k] = below (frame, 1 << 16);
  }
  for (unsigned k = 0; k <= cuts->n; k++)
    cuts->worth[k] = below (frame, PACO_RATE_WORTHS);
}

/* Blocks are coded in another order than their records are in. */
static void
shuffle_blocks (Frame *frame)
{
  for (uint32_t i = 0; i < frame->n_blocks; i++)
    frame->blocks[i].record = i;
  for (uint32_t i = frame->n_blocks; i > 1; i--) {
    uint32_t k = below (frame, i);
    PacoGpuBlock swap = frame->blocks[k];

    frame->blocks[k] = frame->blocks[i - 1];
    frame->blocks[i - 1] = swap;
  }
  for (uint32_t i = 0; i < frame->n_blocks; i++) {
    frame->n_code_words += below (frame, 3);
    frame->blocks[i].code = frame->n_code_words;
    frame->n_code_words += (frame->records[frame->blocks[i].record].length + 3)
        / 4;
  }
  frame->code = g_new (uint32_t, frame->n_code_words + 1);
  for (uint32_t i = 0; i < frame->n_code_words; i++)
    frame->code[i] = g_rand_int (frame->random);
}

/* Finds what the codec makes of it. */
static void
expect (Frame *frame)
{
  g_autofree uint32_t *code_of_record = g_new (uint32_t, frame->n_blocks);

  for (uint32_t i = 0; i < frame->n_blocks; i++)
    code_of_record[frame->blocks[i].record] = frame->blocks[i].code;
  frame->expected = g_byte_array_new ();
  g_byte_array_set_size (frame->expected,
      PACO_MAX_INDEX_SIZE (frame->n_blocks)
          + PACO_MAX_CUT_POINTS_SIZE (frame->n_blocks));
  frame->index_size = paco_index_write (frame->records, frame->n_blocks,
      frame->block_checks, frame->expected->data);
  if (frame->cut_points)
    frame->points_size = paco_cut_points_write (frame->records, frame->cuts,
        frame->n_blocks, frame->expected->data + frame->index_size);
  frame->index_size += frame->points_size;
  g_byte_array_set_size (frame->expected, frame->index_size);
  for (uint32_t i = 0; i < frame->n_blocks; i++) {
    PacoBlockRecord *record = &frame->records[i];

    record->offset = frame->expected->len - frame->index_size;
    g_byte_array_append (frame->expected,
        (const uint8_t *) (frame->code + code_of_record[i]), record->length);
  }
}

static void
frame_init (Frame *frame, GRand *random)
{
  static const int most_blocks[3] = { 40, 1000, 9000 };

  *frame = (Frame){ .random = random };
  frame->n_blocks = 1 + below (frame, most_blocks[below (frame, 3)]);
  frame->block_checks = below (frame, 2);
  frame->cut_points = below (frame, 2);
  frame->header_size = 1 + below (frame, 300);
  frame->records = g_new (PacoBlockRecord, frame->n_blocks);
  frame->cuts = g_new0 (PacoRateCuts, frame->n_blocks);
  frame->gpu_records = g_new0 (PacoGpuRecord, frame->n_blocks);
  frame->blocks = g_new0 (PacoGpuBlock, frame->n_blocks);
  for (uint32_t i = 0; i < frame->n_blocks; i++) {
    PacoBlockRecord *r = &frame->records[i];

    random_record (frame, r);
    random_cuts (frame, &frame->cuts[i]);
    frame->gpu_records[i] = test_device_record (r);
  }
  shuffle_blocks (frame);
  expect (frame);
}

static void
frame_clear (Frame *frame)
{
  g_free (frame->records);
  g_free (frame->cuts);
  g_free (frame->gpu_records);
  g_free (frame->blocks);
  g_free (frame->code);
  g_byte_array_unref (frame->expected);
}

/* --- The test --- */

static void
launch (const Gpu *gpu, const PacoPackParameters *parameters, unsigned n_copy)
{
  GError *error = NULL;

  PacoLaunch scan = {
    .function = gpu->scan,
    .grid_x = 1,
    .threads = PACO_PACK_SCAN_THREADS,
    PACO_LAUNCH_PARAMETERS (*parameters),
  };
  PacoLaunch copy = {
    .function = gpu->copy,
    .grid_x = n_copy,
    .threads = PACO_PACK_COPY_THREADS,
    PACO_LAUNCH_PARAMETERS (*parameters),
  };

  if (!paco_module_launch (gpu->test.context, &scan, NULL, &error)
      || !paco_module_launch (gpu->test.context, &copy, NULL, &error))
    g_error ("%s", error->message);
  test_device_check (
      &gpu->test, gpu->test.context->driver->ctx_synchronize (), "kernels");
}

static bool
is_rubbish (const uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != TEST_DEVICE_RUBBISH)
      return false;
  return true;
}

static void
compare_sizes (Frame *frame, const PacoPackSizes *sizes, bool fits)
{
  if (sizes->index_size != frame->index_size
      || sizes->cut_points_size != frame->points_size
      || sizes->payload_size != frame->expected->len - frame->index_size
      || sizes->fits != fits)
    fail (frame, "the sizes differ");
}

static void
compare_output (Frame *frame, const uint8_t *output, size_t size, bool fits)
{
  size_t coded = fits ? frame->expected->len : 0;

  if (!is_rubbish (output, frame->header_size))
    fail (frame, "something is written over the header");
  else if (coded > 0
      && memcmp (output + frame->header_size, frame->expected->data, coded)
          != 0)
    fail (frame, "index or payload differ");
  else if (!is_rubbish (output + frame->header_size + coded,
               size - frame->header_size - coded))
    fail (frame, "something is written behind the frame");
}

static void
compare_offsets (Frame *frame, const PacoGpuRecord *records)
{
  for (uint32_t i = 0; i < frame->n_blocks; i++)
    if (records[i].offset != frame->records[i].offset) {
      fail (frame, "offsets differ");
      return;
    }
}

static void
test_frame (const Gpu *gpu, Frame *frame, bool fits)
{
  const TestDevice *test = &gpu->test;
  size_t frame_size = frame->header_size + frame->expected->len;
  size_t size = frame_size + 100;
  PacoPackParameters parameters = {
    .blocks = test_device_new (
        test, frame->blocks, frame->n_blocks * sizeof *frame->blocks),
    .code = test_device_new (
        test, frame->code, 4 * (size_t) frame->n_code_words),
    .records = test_device_new (
        test, frame->gpu_records, frame->n_blocks * sizeof (PacoGpuRecord)),
    .cuts = frame->cut_points ? test_device_new (
                test, frame->cuts, frame->n_blocks * sizeof *frame->cuts)
                              : 0,
    .index = test_device_new (test, NULL,
        PACO_MAX_INDEX_SIZE (frame->n_blocks) + 16
            + (frame->cut_points ? PACO_MAX_CUT_POINTS_SIZE (frame->n_blocks)
                                 : 0)),
    .sizes = test_device_new (test, NULL, sizeof (PacoPackSizes)),
    .host_sizes = test_device_new (test, NULL, sizeof (PacoPackSizes)),
    .output = test_device_new (test, NULL, size),
    .capacity = fits ? frame_size : frame_size - 1,
    .header_size = frame->header_size,
    .n_blocks = frame->n_blocks,
    .block_checks = frame->block_checks,
  };
  PacoPackSizes sizes;
  uint8_t *output = g_malloc (size);

  launch (gpu, &parameters, 1 + below (frame, 6));
  test_device_read (test, &sizes, parameters.sizes, sizeof sizes);
  compare_sizes (frame, &sizes, fits);
  test_device_read (test, &sizes, parameters.host_sizes, sizeof sizes);
  compare_sizes (frame, &sizes, fits);
  test_device_read (test, output, parameters.output, size);
  compare_output (frame, output, size, fits);
  test_device_read (test, frame->gpu_records, parameters.records,
      frame->n_blocks * sizeof (PacoGpuRecord));
  compare_offsets (frame, frame->gpu_records);
  test_device_free (test, parameters.blocks);
  test_device_free (test, parameters.code);
  test_device_free (test, parameters.records);
  if (frame->cut_points)
    test_device_free (test, parameters.cuts);
  test_device_free (test, parameters.index);
  test_device_free (test, parameters.sizes);
  test_device_free (test, parameters.host_sizes);
  test_device_free (test, parameters.output);
  g_free (output);
}

static void
test_round (const Gpu *gpu, unsigned seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  Frame frame;

  frame_init (&frame, random);
  test_frame (gpu, &frame, true);
  test_frame (gpu, &frame, false);
  if (n_failed > 0)
    printf ("seed %u\n", seed);
  frame_clear (&frame);
}

int
main (int argc, char **argv)
{
  unsigned n_rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 100;
  unsigned seed = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  GError *error = NULL;
  Gpu gpu;
  int status = test_device_open (&gpu.test, paco_fatbin_pack, "pack");

  if (status != 0)
    return status;
  if (!paco_module_function (
          &gpu.test.module, "paco_pack_scan", &gpu.scan, &error)
      || !paco_module_function (
          &gpu.test.module, "paco_pack_copy", &gpu.copy, &error))
    g_error ("%s", error->message);
  for (unsigned k = 0; k < n_rounds && n_failed == 0; k++)
    test_round (&gpu, seed + k);
  printf ("%s: %u rounds, %u failed, %s\n", n_failed ? "FAILED" : "passed",
      n_rounds, n_failed, gpu.test.context->name);
  test_device_close (&gpu.test);
  return n_failed > 0;
}
