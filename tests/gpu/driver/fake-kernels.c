/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs kernels of the fake driver that code nothing, but pass on a stamp
 * (fake-kernels.h). */
#include "tests/gpu/driver/fake-kernels.h"
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/compare.h"
#include "gpu/kernels/dwt.h"
#include "gpu/kernels/layout.h"
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

static bool
begins (const char *name, const char *with)
{
  return strncmp (name, with, strlen (with)) == 0;
}

static void *
memory (uint64_t address)
{
  return (void *) (uintptr_t) address;
}

const char fake_device_name[] = "Fake GPU";

size_t
fake_kernel_parameter_bytes (const char *name)
{
  if (begins (name, "paco_bpc_encode"))
    return sizeof (PacoBpcEncodeParameters);
  if (begins (name, "paco_bpc_decode"))
    return sizeof (PacoBpcDecodeParameters);
  if (begins (name, "paco_pack"))
    return sizeof (PacoPackParameters);
  if (begins (name, "paco_rate_count"))
    return sizeof (PacoRateCountParameters);
  if (strcmp (name, "paco_rate_decide") == 0)
    return sizeof (PacoRateDecideParameters);
  if (begins (name, "paco_rate"))
    return sizeof (PacoRateFitParameters);
  if (begins (name, "dwt_"))
    return sizeof (PacoDwtParameters);
  if (begins (name, "layout_"))
    return sizeof (PacoLayoutParameters);
  if (strcmp (name, "paco_compare") == 0)
    return sizeof (PacoCompareParameters);
  return 0;
}

/* --- Encoding --- */

/* Takes the first sample of each component, as far as it is in the first
 * byte. */
static bool
run_load (const PacoLayoutParameters *parameters)
{
  for (unsigned c = 0; c < parameters->n_components; c++) {
    const PacoLayoutComponent *component = &parameters->components[c];

    *(uint8_t *) memory (component->plane) = *(const uint8_t *) memory (
        parameters->address + component->places[0].byte);
  }
  return true;
}

static bool
run_forward (FakeKernelState *state, const PacoDwtParameters *parameters)
{
  const PacoDwtSamples *samples = &parameters->planes[0].samples;

  if (samples->address == 0)
    return state->stage == TRANSFORMED; /* of a further level */
  state->stamp = *(const uint8_t *) memory (samples->address);
  state->stage = TRANSFORMED;
  return true;
}

static bool
run_encode (FakeKernelState *state, const PacoBpcEncodeParameters *parameters)
{
  bool ready = state->stage == TRANSFORMED;

  memset (memory (parameters->records), 0,
      parameters->n_blocks * sizeof (PacoGpuRecord));
  state->stage = BLOCKS_CODED;
  return ready;
}

/* Counts nothing, so that a frame that can be is coded without loss. */
static bool
run_decide (
    const FakeKernelState *state, const PacoRateDecideParameters *parameters)
{
  uint32_t number = parameters->is_known ? parameters->known : 0;

  memcpy (memory (parameters->number), &number, sizeof number);
  if (!parameters->is_known)
    memset (memory (parameters->host_sums), 0,
        parameters->n_entries * sizeof (PacoRateBits));
  return state->stage == TRANSFORMED;
}

/* Has the frame just fit. */
static bool
run_fit (const FakeKernelState *state, const PacoRateFitParameters *parameters)
{
  memcpy (memory (parameters->host_bytes), &parameters->budget,
      sizeof parameters->budget);
  return state->stage == BLOCKS_CODED;
}

static bool
run_scan (FakeKernelState *state, const PacoPackParameters *parameters)
{
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
run_copy (FakeKernelState *state, const PacoPackParameters *parameters)
{
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
run_decode (FakeKernelState *state, const PacoBpcDecodeParameters *parameters)
{
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
run_inverse (FakeKernelState *state, const char *name, unsigned grid_y,
    const PacoDwtParameters *parameters)
{
  unsigned group =
      name[strlen (name) - 1] == '3' && name[strlen (name) - 2] == '_' ? 3 : 1;

  if (state->stage != BLOCKS_DECODED && state->stage != INVERTED)
    return false;
  state->stage = INVERTED;
  for (unsigned i = 0; i < grid_y * group; i++)
    if (parameters->planes[i].samples.address != 0
        && parameters->planes[i].width > 0)
      fill_samples (&parameters->planes[i], strstr (name, "planar16") ? 2 : 1,
          state->stamp);
  return true;
}

static bool
run_store (const FakeKernelState *state, const PacoLayoutParameters *parameters)
{
  if (state->stage != INVERTED)
    return false;
  for (uint32_t y = 0; y < parameters->n_lines; y++)
    memset (memory (parameters->address + (int64_t) y * parameters->stride),
        state->stamp, parameters->line_bytes);
  return true;
}

static bool
run_compare (
    const FakeKernelState *state, const PacoCompareParameters *parameters)
{
  uint64_t *n_different = memory (parameters->n_different);

  for (uint64_t y = 0; y < parameters->rows; y++) {
    const uint8_t *a = memory (parameters->a + y * parameters->stride);
    const uint8_t *b = memory (parameters->b + y * parameters->stride);

    for (uint64_t i = 0; i < parameters->row_bytes; i++)
      *n_different += a[i] != b[i];
  }
  return state->stage == INVERTED;
}

bool
fake_kernel_run (FakeKernelState *state, const FakeLaunch *launch)
{
  const char *name = launch->name;
  const void *parameters = launch->parameters;

  if (begins (name, "paco_bpc_encode"))
    return run_encode (state, parameters);
  if (begins (name, "paco_bpc_decode"))
    return run_decode (state, parameters);
  if (begins (name, "paco_rate_count"))
    return state->stage == TRANSFORMED;
  if (strcmp (name, "paco_rate_decide") == 0)
    return run_decide (state, parameters);
  if (begins (name, "paco_rate"))
    return run_fit (state, parameters);
  if (strcmp (name, "paco_pack_scan") == 0)
    return run_scan (state, parameters);
  if (strcmp (name, "paco_pack_copy") == 0)
    return run_copy (state, parameters);
  if (begins (name, "layout_load"))
    return run_load (parameters);
  if (begins (name, "layout_store"))
    return run_store (state, parameters);
  if (strcmp (name, "paco_compare") == 0)
    return run_compare (state, parameters);
  if (begins (name, "dwt_inverse"))
    return run_inverse (state, name, launch->grid_y, parameters);
  return run_forward (state, parameters);
}
