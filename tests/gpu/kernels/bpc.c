/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the CUDA block coder with the reference: random codeblocks of all
 * kinds must give the same records and bytes, these must decode to the same
 * coefficients, and damaged bytes must get the same verdict.
 *
 *   gpu-bpc [ROUNDS [SEED]]
 *
 * Exit status 77 (skipped) without a CUDA device. Where libcuda.so.1 is the
 * emulation (emulation.hpp) there is one; with PACO_EMULATED in the environment
 * there has to be one. */
#include "codec/reference/reference.h"
#include "codec/rounding.h"
#include "gpu/device.h"
#include "tests/codec/random-block.h"
#include "tests/gpu/kernels/test-device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS 96
#define ALIGNMENT 32 /* elements of a row */
#define PLANE_ENDS_BYTES (PACO_BPC_PLANES_32 * sizeof (uint16_t))

/* This is one round: many blocks, coded with the same options in one launch. */
typedef struct
{
  GRand *random;
  bool wide, block_checks;
  unsigned coding_passes, complexity, reconstruction;
  PacoProbabilitySet sets[PACO_N_FAMILIES][PACO_N_SETS];
  unsigned n_blocks;
  PacoGpuBlock blocks[MAX_BLOCKS];
  int32_t *values[MAX_BLOCKS];  /* what the encoder gets: width * height */
  int32_t *indices[MAX_BLOCKS]; /* rounded */
  PacoBlockRecord records[MAX_BLOCKS];
  GByteArray *bytes[MAX_BLOCKS]; /* the reference's */
  PacoCutPoints cut_points[MAX_BLOCKS];
  uint32_t n_coefficients, n_code_words, n_columns;
} Round;

static unsigned n_failed;

static void
fail (const Round *round, unsigned i, const char *what)
{
  const PacoGpuBlock *b = &round->blocks[i];
  const PacoBlockRecord *r = &round->records[i];

  if (n_failed++ < 20)
    printf ("FAILED: %s: block %u, %ux%u, orientation %u, %s, passes %u, "
            "complexity %u, planes %u, raw %u, dropped %u%s%s, %u bytes\n",
        what, i, b->width, b->height, b->orientation,
        round->wide ? "wide" : "narrow", round->coding_passes,
        round->complexity, r->planes, r->raw_planes, r->dropped_planes,
        r->shared_codewords ? ", shared" : "",
        r->raw_left_signs ? ", left signs raw" : "", r->length);
}

/* --- Random blocks --- */

static int
below (Round *round, int n)
{
  return g_rand_int_range (round->random, 0, n);
}

/* Has the block lose planes before it is rounded, or drop more of them. */
static void
lose_planes (Round *round, PacoGpuBlock *block)
{
  block->lost_planes = 1 + below (round, 8);
  block->reversible = block->fraction_bits == 0;
  if (!block->reversible)
    block->dropped_planes = 0;
}

/* Finds what is coded of a block's values. */
static void
find_indices (Round *round, unsigned i)
{
  const PacoGpuBlock *b = &round->blocks[i];
  unsigned n = b->width * b->height, lost = b->reversible ? 0 : b->lost_planes;
  int32_t *indices = g_memdup2 (round->values[i], n * sizeof (int32_t));

  for (unsigned k = 0; k < n; k++)
    indices[k] = indices[k] < 0 ? -(-indices[k] >> lost) : indices[k] >> lost;
  paco_reference_round_block (indices, b->width, b->height, b->fraction_bits);
  for (unsigned k = 0; k < n; k++)
    indices[k] *= 1 << lost;
  round->indices[i] = indices;
}

static void
random_block (Round *round, unsigned i)
{
  static const uint16_t heights[4] = { 32, 64, 128, 256 };
  static const uint8_t fraction_bits[4] = { 0, 1, PACO_FRACTION_BITS,
    PACO_FRACTION_BITS };
  PacoGpuBlock *b = &round->blocks[i];
  int shape = below (round, 4);

  b->width = shape & 1 ? 64 : 1 + below (round, 64);
  b->height = shape & 2 ? heights[below (round, 4)] : 1 + below (round, 256);
  b->orientation = below (round, 4);
  b->dropped_planes = below (round, 3) ? 0 : below (round, 5);
  b->family = below (round, PACO_N_FAMILIES);
  b->reversible = below (round, 2);
  b->record = i;
  b->stride = ALIGNMENT * (2 + below (round, 3));
  b->coefficients = round->n_coefficients;
  b->code = round->n_code_words;
  b->columns = round->n_columns;
  round->n_coefficients += b->stride * b->height;
  round->n_code_words += PACO_GPU_CODE_WORDS (
      (uint32_t) b->width * b->height, round->wide ? 24 : 16);
  round->n_columns += PACO_GPU_COLUMN_WORDS (b->height);
  b->fraction_bits = fraction_bits[below (round, 4)];
  if (below (round, 4) == 0)
    lose_planes (round, b);
  round->values[i] = g_new0 (int32_t, b->width * b->height);
  random_block_values (round->random, round->values[i], b->width, b->height,
      round->wide ? (1 << 23) - 1 : (1 << 15) - 1);
  find_indices (round, i);
}

static PacoReferenceBlock
reference_block (const Round *round, unsigned i)
{
  const PacoGpuBlock *b = &round->blocks[i];

  PacoReferenceBlock block = { .width = b->width,
    .height = b->height,
    .orientation = b->orientation,
    .coding_passes = round->coding_passes,
    .family = b->family };

  for (unsigned k = 0; k < PACO_N_SETS; k++)
    block.sets.sets[k] = &round->sets[b->family][k];
  return block;
}

static Round *
round_new (GRand *random)
{
  static const uint8_t passes[6] = { 1, 1, 1, 1, 2, 3 };
  Round *round = g_new0 (Round, 1);

  round->random = random;
  round->wide = below (round, 3) == 0;
  round->block_checks = below (round, 3) > 0;
  round->coding_passes = passes[below (round, 6)];
  round->complexity = below (round, 4);
  round->reconstruction = below (round, 256);
  round->n_blocks = 1 + below (round, MAX_BLOCKS);
  memcpy (round->sets, paco_builtin_sets, sizeof round->sets);
  for (unsigned i = 0; i < PACO_N_FAMILIES * PACO_N_SETS; i++)
    random_block_set (random, &round->sets[i / PACO_N_SETS][i % PACO_N_SETS]);
  for (unsigned i = 0; i < round->n_blocks; i++) {
    PacoReferenceBlock block;

    random_block (round, i);
    block = reference_block (round, i);
    block.cut_points = &round->cut_points[i];
    round->bytes[i] = g_byte_array_new ();
    paco_reference_encode_block (&block, round->indices[i],
        round->blocks[i].dropped_planes + round->blocks[i].lost_planes,
        round->complexity, &round->records[i], round->bytes[i]);
    if (round->block_checks && round->records[i].planes > 0)
      round->records[i].check = paco_reference_check (
          round->bytes[i]->data, round->bytes[i]->len);
  }
  return round;
}

static void
round_free (Round *round)
{
  for (unsigned i = 0; i < round->n_blocks; i++) {
    g_free (round->values[i]);
    g_free (round->indices[i]);
    g_byte_array_unref (round->bytes[i]);
  }
  g_free (round);
}

/* --- Launches --- */

static CUdeviceptr
upload_rows (TestDevice *test, const Round *round)
{
  uint8_t rows[PACO_CUDA_SETS_BYTES];

  for (unsigned i = 0; i < PACO_N_FAMILIES * PACO_N_SETS; i++)
    paco_cuda_place_set (&round->sets[i / PACO_N_SETS][i % PACO_N_SETS],
        rows + i * PACO_GPU_SET_BYTES);
  return test_device_new (test, rows, sizeof rows);
}

static size_t
element_size (const Round *round)
{
  return round->wide ? 4 : 2;
}

static CUdeviceptr
new_planes (TestDevice *test, const Round *round)
{
  return test_device_new (test, NULL,
      4 * (size_t) round->n_columns
          * (round->wide ? PACO_BPC_PLANES_32 : PACO_BPC_PLANES_16));
}

static void
launch (TestDevice *test, const Round *round, const char *what,
    const void *parameters)
{
  bool decoder = what[0] == 'd';
  char name[64];
  CUfunction function;
  GError *error = NULL;
  size_t shared = paco_bpc_shared_bytes (decoder, round->coding_passes, 256);

  snprintf (name, sizeof name, "paco_bpc_%s_%u_%u", what, round->wide ? 32 : 16,
      round->coding_passes);
  paco_module_unload (&test->module);
  if (!paco_module_load (&test->module, test->context,
          paco_fatbins_bpc[round->wide][round->coding_passes - 1], "bpc",
          &error)
      || !paco_module_function (&test->module, name, &function, &error)
      || !paco_driver_check (test->context->driver,
          test->context->driver->func_set_attribute (function,
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared),
          &error, "cannot set shared memory")
      || !paco_module_launch (test->context,
          &(PacoLaunch){
              .function = function,
              .grid_x = round->n_blocks,
              .threads = PACO_BPC_THREADS,
              .shared_bytes = shared,
              .parameters = parameters,
          },
          NULL, &error))
    g_error ("%s", error->message);
  test_device_check (test, test->context->driver->ctx_synchronize (), name);
}

/* --- Encoding --- */

/* Packs the coefficients as the wavelet leaves them, with rubbish in
 * between. */
static void *
pack_coefficients (const Round *round)
{
  int32_t *wide = g_new (int32_t, round->n_coefficients);
  int16_t *narrow = g_new (int16_t, round->n_coefficients);

  for (uint32_t k = 0; k < round->n_coefficients; k++)
    wide[k] = k * 2654435761u;
  for (unsigned i = 0; i < round->n_blocks; i++) {
    const PacoGpuBlock *b = &round->blocks[i];

    for (unsigned y = 0; y < b->height; y++)
      memcpy (wide + b->coefficients + (size_t) y * b->stride,
          round->values[i] + y * b->width, b->width * sizeof (int32_t));
  }
  for (uint32_t k = 0; k < round->n_coefficients; k++)
    narrow[k] = wide[k];
  g_free (round->wide ? (void *) narrow : (void *) wide);
  return round->wide ? (void *) wide : (void *) narrow;
}

static void
compare_encoded (
    Round *round, const PacoGpuRecord *records, const uint32_t *code)
{
  for (unsigned i = 0; i < round->n_blocks; i++) {
    const PacoBlockRecord *a = &round->records[i];
    const PacoGpuRecord *b = &records[i];
    unsigned flags = (a->shared_codewords ? PACO_GPU_SHARED_CODEWORDS : 0)
        | (a->raw_left_signs ? PACO_GPU_RAW_LEFT_SIGNS : 0);

    if (a->planes != b->planes || a->raw_planes != b->raw_planes
        || a->dropped_planes != b->dropped_planes || flags != b->flags
        || a->set != b->set)
      fail (round, i, "the records differ");
    else if (a->length != b->length)
      fail (round, i, "the lengths differ");
    else if (a->check != b->check)
      fail (round, i, "the checks differ");
    else if (a->length > 0
        && memcmp (
               round->bytes[i]->data, code + round->blocks[i].code, a->length)
            != 0)
      fail (round, i, "the bytes differ");
  }
}

static void
compare_plane_ends (Round *round, const uint16_t *ends)
{
  for (unsigned i = 0; i < round->n_blocks; i++)
    for (unsigned p = 0; p < PACO_MAX_PLANES; p++)
      if (ends[i * PACO_BPC_PLANES_32 + p]
          != round->cut_points[i].codewords[p]) {
        fail (round, i, "a plane ends elsewhere");
        break;
      }
}

static void
test_encoder (TestDevice *test, Round *round)
{
  void *coefficients = pack_coefficients (round);
  PacoBpcEncodeParameters parameters = {
    .coefficients = test_device_new (
        test, coefficients, round->n_coefficients * element_size (round)),
    .blocks = test_device_new (
        test, round->blocks, round->n_blocks * sizeof *round->blocks),
    .rows = upload_rows (test, round),
    .planes = new_planes (test, round),
    .code = test_device_new (test, NULL, 4 * (size_t) round->n_code_words),
    .records = test_device_new (
        test, NULL, round->n_blocks * sizeof (PacoGpuRecord)),
    .plane_ends = below (round, 2)
        ? test_device_new (test, NULL, round->n_blocks * PLANE_ENDS_BYTES)
        : 0,
    .n_blocks = round->n_blocks,
    .complexity = round->complexity,
    .block_checks = round->block_checks,
  };
  g_autofree PacoGpuRecord *records = NULL;
  g_autofree uint32_t *code = NULL;

  launch (test, round, "encode", &parameters);
  records = test_device_steal (
      test, parameters.records, round->n_blocks * sizeof *records);
  code = test_device_steal (
      test, parameters.code, 4 * (size_t) round->n_code_words);
  compare_encoded (round, records, code);
  if (parameters.plane_ends) {
    g_autofree uint16_t *ends = test_device_steal (
        test, parameters.plane_ends, round->n_blocks * PLANE_ENDS_BYTES);

    compare_plane_ends (round, ends);
  }
  test_device_free (test, parameters.coefficients);
  test_device_free (test, parameters.blocks);
  test_device_free (test, parameters.rows);
  test_device_free (test, parameters.planes);
  g_free (coefficients);
}

/* --- Decoding --- */

/* Cuts the block at the end of a plane, if it can be; one in eight is too short
 * then. */
static void
cut (Round *round, unsigned i)
{
  PacoBlockRecord *record = &round->records[i];
  unsigned plane = below (round, PACO_MAX_DROPPED_PLANES + 1);
  unsigned n = round->cut_points[i].codewords[plane];

  if (n == 0)
    return;
  paco_record_cut (record, plane, n);
  record->length -= below (round, 8) == 0;
  g_byte_array_set_size (round->bytes[i], record->length);
  if (round->block_checks)
    record->check = paco_reference_check (
        round->bytes[i]->data, record->length);
}

/* Puts the blocks' bytes behind each other, with what the records say of them, and has the
 * blocks decoded in a random order. */
static GByteArray *
pack_payload (Round *round, PacoGpuRecord *records)
{
  GByteArray *payload = g_byte_array_new ();
  static const uint8_t zeros[4];

  for (unsigned i = 0; i < round->n_blocks; i++) {
    records[i] = test_device_record (&round->records[i]);
    records[i].offset = payload->len;
    records[i].decoded = i;
    g_byte_array_append (payload, round->bytes[i]->data, round->bytes[i]->len);
  }
  for (unsigned i = round->n_blocks; i > 1; i--) {
    unsigned k = g_rand_int_range (round->random, 0, i);
    uint32_t decoded = records[k].decoded;

    records[k].decoded = records[i - 1].decoded;
    records[i - 1].decoded = decoded;
  }
  while (payload->len % 4 != 0 || payload->len == 0)
    g_byte_array_append (payload, zeros, 1);
  return payload;
}

static int32_t
expected_coefficient (const Round *round, unsigned i, int32_t index)
{
  PacoReferenceSample sample;

  if (!round->blocks[i].reversible)
    return index;
  sample = paco_reference_dequantize (index, round->records[i].dropped_planes,
      paco_reference_reconstruction (round->reconstruction, &round->records[i]),
      PACO_WAVELET_CDF53, 0);
  return sample.i;
}

/* Compares a block, and returns whether the reference takes it as broken. */
static bool
compare_block (Round *round, unsigned i, const void *coefficients)
{
  const PacoGpuBlock *b = &round->blocks[i];
  const PacoBlockRecord *record = &round->records[i];
  const GByteArray *bytes = round->bytes[i];
  PacoReferenceBlock block = reference_block (round, i);
  g_autofree int32_t *indices = g_new0 (int32_t, b->width * b->height);
  bool broken = round->block_checks && record->planes > 0
      && paco_reference_check (bytes->data, bytes->len) != record->check;

  if (!broken)
    broken = !paco_reference_decode_block (
        &block, record, bytes->data, indices);

  for (unsigned k = 0; k < (unsigned) b->width * b->height; k++) {
    size_t at = b->coefficients + (size_t) (k / b->width) * b->stride
        + k % b->width;
    int32_t found = round->wide ? ((const int32_t *) coefficients)[at]
                                : ((const int16_t *) coefficients)[at];

    if (found != expected_coefficient (round, i, indices[k])) {
      fail (round, i,
          broken ? "a broken block is not zero" : "coefficients differ");
      break;
    }
  }
  return broken;
}

static void
compare_decoded (Round *round, const PacoGpuRecord *records,
    uint32_t n_broken_found, const void *coefficients)
{
  uint32_t n_broken = 0;

  for (unsigned i = 0; i < round->n_blocks; i++) {
    bool broken = compare_block (round, i, coefficients);

    if (broken != ((records[i].flags & PACO_GPU_BROKEN) != 0))
      fail (round, i,
          broken ? "a broken block was not noticed"
                 : "a block was taken as broken");
    n_broken += broken;
  }
  if (n_broken != n_broken_found)
    fail (round, 0, "the number of broken blocks differs");
}

static void
test_decoder (TestDevice *test, Round *round)
{
  PacoGpuRecord records[MAX_BLOCKS];
  GByteArray *payload = pack_payload (round, records);
  size_t size = round->n_coefficients * element_size (round);
  uint32_t zero = 0;
  PacoBpcDecodeParameters parameters = {
    .coefficients = test_device_new (test, NULL, size),
    .blocks = test_device_new (
        test, round->blocks, round->n_blocks * sizeof *round->blocks),
    .rows = upload_rows (test, round),
    .planes = new_planes (test, round),
    .payload = test_device_new (test, payload->data, payload->len),
    .records = test_device_new (
        test, records, round->n_blocks * sizeof *records),
    .n_broken = test_device_new (test, &zero, sizeof zero),
    .n_blocks = round->n_blocks,
    .payload_words = payload->len / 4,
    .reconstruction = round->reconstruction,
    .block_checks = round->block_checks,
  };
  void *coefficients;
  g_autofree PacoGpuRecord *found = NULL;
  uint32_t *n_broken;

  launch (test, round, "decode", &parameters);
  coefficients = test_device_steal (test, parameters.coefficients, size);
  found = test_device_steal (
      test, parameters.records, round->n_blocks * sizeof *found);
  n_broken = test_device_steal (test, parameters.n_broken, sizeof *n_broken);
  compare_decoded (round, found, *n_broken, coefficients);
  test_device_free (test, parameters.blocks);
  test_device_free (test, parameters.rows);
  test_device_free (test, parameters.planes);
  test_device_free (test, parameters.payload);
  g_byte_array_unref (payload);
  g_free (coefficients);
  g_free (n_broken);
}

static void
test_round (TestDevice *test, GRand *random)
{
  Round *round = round_new (random);

  test_encoder (test, round);
  test_decoder (test, round);
  for (unsigned i = 0; i < round->n_blocks; i++)
    cut (round, i);
  test_decoder (test, round);
  for (unsigned i = 0; i < round->n_blocks; i++)
    if (round->records[i].planes > 0)
      random_block_damage (round->random, &round->records[i], round->bytes[i],
          round->wide ? 23 : 15);
  test_decoder (test, round);
  round_free (round);
}

int
main (int argc, char **argv)
{
  unsigned n_rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 30;
  unsigned seed = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  TestDevice test;
  int status = test_device_open (&test, paco_fatbins_bpc[0][0], "bpc");

  if (status != 0)
    return status;
  for (unsigned k = 0; k < n_rounds; k++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (seed + k);

    test_round (&test, random);
    if (n_failed > 0) {
      printf ("seed %u\n", seed + k);
      break;
    }
  }
  printf ("%s: %u rounds, %u failed, %s\n", n_failed ? "FAILED" : "passed",
      n_rounds, n_failed, test.context->name);
  test_device_close (&test);
  return n_failed > 0;
}
