/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs kernels of the fake driver that code nothing, but pass on a stamp
 * (fake-kernels.h). */
#include "tests/gpu/driver/fake-kernels.h"
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/cells.h"
#include "gpu/kernels/codes.h"
#include "gpu/kernels/compare.h"
#include "gpu/kernels/dwt.h"
#include "gpu/kernels/layout.h"
#include "gpu/kernels/mosaic.h"
#include "gpu/kernels/pack.h"
#include "gpu/kernels/rate.h"
#include <string.h>

/* This says what has been done for the frame that a stream codes. */
enum
{
  NOTHING,
  TRANSFORMED,
  BLOCKS_CODED,
  SCANNED,
  BLOCKS_DECODED,
  INVERTED,
};

static void *
memory (uint64_t address)
{
  return (void *) (uintptr_t) address;
}

const char fake_device_name[] = "Fake GPU";

/* --- Encoding --- */

/* Takes the first sample of each component, as far as it is in the first
 * byte. */
static bool
run_load (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoLayoutParameters *parameters = launch->parameters;
  for (unsigned c = 0; c < parameters->n_components; c++) {
    const PacoLayoutComponent *component = &parameters->components[c];

    *(uint8_t *) memory (component->plane) = *(const uint8_t *) memory (
        parameters->address + component->places[0].byte);
  }
  return true;
}

static bool
run_forward (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoDwtParameters *parameters = launch->parameters;
  const PacoDwtSamples *samples = &parameters->planes[0].samples;

  if (samples->address == 0)
    return state->stage == TRANSFORMED; /* of a further level */
  state->stamp = *(const uint8_t *) memory (samples->address);
  state->stage = TRANSFORMED;
  return true;
}

static bool
run_encode (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoBpcEncodeParameters *parameters = launch->parameters;
  bool ready = state->stage == TRANSFORMED;

  memset (memory (parameters->records), 0,
      parameters->n_blocks * sizeof (PacoGpuRecord));
  state->stage = BLOCKS_CODED;
  return ready;
}

/* Counts nothing, so that a frame that can be is coded without loss. */
static bool
run_decide (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoRateDecideParameters *parameters = launch->parameters;
  uint32_t number = parameters->is_known ? parameters->known : 0;

  memcpy (memory (parameters->number), &number, sizeof number);
  if (!parameters->is_known)
    memset (memory (parameters->host_sums), 0,
        parameters->n_entries * sizeof (PacoRateBits));
  return state->stage == TRANSFORMED;
}

/* Has the frame just fit. */
static bool
run_fit (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoRateFitParameters *parameters = launch->parameters;
  memcpy (memory (parameters->host_bytes), &parameters->budget,
      sizeof parameters->budget);
  return state->stage == BLOCKS_CODED;
}

static bool
run_scan (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoPackParameters *parameters = launch->parameters;
  bool ready = state->stage == BLOCKS_CODED;
  PacoPackSizes sizes = {
    .payload_size = FAKE_PAYLOAD_SIZE (state->stamp),
    .index_size = parameters->n_blocks,
  };

  sizes.fits = ready
      && parameters->header_size + sizes.index_size + sizes.payload_size
          <= parameters->capacity;
  memcpy (memory (parameters->sizes), &sizes, sizeof sizes);
  memcpy (memory (parameters->host_sizes), &sizes, sizeof sizes);
  state->stage = SCANNED;
  return ready;
}

static bool
run_copy (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoPackParameters *parameters = launch->parameters;
  const PacoPackSizes *sizes = memory (parameters->sizes);
  uint8_t *output = memory (parameters->output + parameters->header_size);
  bool ready = state->stage == SCANNED;

  if (ready && sizes->fits) {
    memset (output, 0, sizes->index_size);
    memset (output + sizes->index_size, state->stamp, sizes->payload_size);
  }
  state->stage = NOTHING;
  return ready;
}

/* --- Decoding --- */

static bool
run_decode (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoBpcDecodeParameters *parameters = launch->parameters;
  state->stamp = *(const uint8_t *) memory (parameters->payload);
  state->stage = BLOCKS_DECODED;
  return parameters->payload_words > 0;
}

static void
fill_samples (const PacoDwtPlane *plane, size_t word_bytes, uint8_t stamp)
{
  const PacoDwtSamples *samples = &plane->samples;

  for (uint32_t y = 0; y < plane->height; y++)
    memset (memory (samples->address + (int64_t) y * samples->stride), stamp,
        plane->width * word_bytes);
}

static bool
run_inverse (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoDwtParameters *parameters = launch->parameters;
  const char *name = launch->name;
  unsigned group =
      name[strlen (name) - 1] == '3' && name[strlen (name) - 2] == '_' ? 3 : 1;

  if (state->stage != BLOCKS_DECODED && state->stage != INVERTED)
    return false;
  state->stage = INVERTED;
  for (unsigned i = 0; i < launch->grid_y * group; i++)
    if (parameters->planes[i].samples.address != 0
        && parameters->planes[i].width > 0)
      fill_samples (&parameters->planes[i], strstr (name, "planar16") ? 2 : 1,
          state->stamp);
  return true;
}

static bool
run_store (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoLayoutParameters *parameters = launch->parameters;
  if (state->stage != INVERTED)
    return false;
  for (uint32_t y = 0; y < parameters->n_lines; y++)
    memset (memory (parameters->address + (int64_t) y * parameters->stride),
        state->stamp, parameters->line_bytes);
  return true;
}

static bool
run_compare (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoCompareParameters *parameters = launch->parameters;
  uint64_t *n_different = memory (parameters->n_different);

  for (uint64_t y = 0; y < parameters->rows; y++) {
    const uint8_t *a = memory (parameters->a + y * parameters->stride);
    const uint8_t *b = memory (parameters->b + y * parameters->stride);

    for (uint64_t i = 0; i < parameters->row_bytes; i++)
      *n_different += a[i] != b[i];
  }
  return state->stage == INVERTED;
}

/* Maps nothing. */
static bool
run_map (FakeKernelState *state, const FakeLaunch *launch)
{
  return true;
}

/* Finds no codes. */
static bool
run_find (FakeKernelState *state, const FakeLaunch *launch)
{
  const PacoFindParameters *parameters = launch->parameters;

  memset (memory (parameters->host_used), 0,
      4 * parameters->n_words * (parameters->n_classes > 1 ? 2 : 1));
  return true;
}

static bool
run_count (FakeKernelState *state, const FakeLaunch *launch)
{
  return state->stage == TRANSFORMED;
}

/* The samples that it mixes are all alike. It comes before the wavelet, or after its
 * inverse. */
static bool
run_mosaic (FakeKernelState *state, const FakeLaunch *launch)
{
  return state->stage == NOTHING || state->stage == INVERTED;
}

/* A kernel is of the first row whose name it begins with. */
static const struct
{
  const char *name;
  size_t parameter_bytes;
  bool (*run) (FakeKernelState *state, const FakeLaunch *launch);
} kernels[] = {
  { "paco_bpc_encode", sizeof (PacoBpcEncodeParameters), run_encode },
  { "paco_bpc_decode", sizeof (PacoBpcDecodeParameters), run_decode },
  { "paco_pack_scan", sizeof (PacoPackParameters), run_scan },
  { "paco_pack_copy", sizeof (PacoPackParameters), run_copy },
  { "paco_rate_count", sizeof (PacoRateCountParameters), run_count },
  { "paco_rate_decide", sizeof (PacoRateDecideParameters), run_decide },
  { "paco_rate", sizeof (PacoRateFitParameters), run_fit },
  { "dwt_inverse", sizeof (PacoDwtParameters), run_inverse },
  { "dwt_", sizeof (PacoDwtParameters), run_forward },
  { "layout_load", sizeof (PacoLayoutParameters), run_load },
  { "layout_store", sizeof (PacoLayoutParameters), run_store },
  { "layout_mosaic", sizeof (PacoMosaicParameters), run_mosaic },
  { "paco_compare", sizeof (PacoCompareParameters), run_compare },
  { "paco_find_cells", sizeof (PacoCellsParameters), run_count },
  { "paco_map_samples", sizeof (PacoMapParameters), run_map },
  { "paco_take_words", sizeof (PacoTakeParameters), run_map },
  { "paco_find_codes", sizeof (PacoFindParameters), run_find },
};

/* Returns the kernel's row, or their number. */
static unsigned
find_kernel (const char *name)
{
  unsigned i = 0;

  while (
      i < G_N_ELEMENTS (kernels) && !g_str_has_prefix (name, kernels[i].name))
    i++;
  return i;
}

size_t
fake_kernel_parameter_bytes (const char *name)
{
  unsigned i = find_kernel (name);

  return i < G_N_ELEMENTS (kernels) ? kernels[i].parameter_bytes : 0;
}

bool
fake_kernel_run (FakeKernelState *state, const FakeLaunch *launch)
{
  return kernels[find_kernel (launch->name)].run (state, launch);
}
