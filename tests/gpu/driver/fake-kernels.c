/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Kernels of the fake driver that code nothing, see the header. */
#include "tests/gpu/driver/fake-kernels.h"
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/dwt.h"
#include "gpu/kernels/pack.h"
#include <string.h>

/* What has been done for the frame that a stream codes. */
enum
{
  NOTHING,
  TRANSFORMED,
  BLOCKS_CODED,
  SCANNED,
  BLOCKS_DECODED,
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

static bool
is_transform (const char *name)
{
  return begins (name, "dwt_") || strstr (name, "samples");
}

static bool
is_inverse (const char *name)
{
  return begins (name, "dwt_inverse") || begins (name, "indices_to_samples");
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
  if (is_transform (name))
    return sizeof (PacoDwtParameters);
  return 0;
}

/* --- Encoding --- */

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
fill_samples (const PacoDwtPlane *plane, uint8_t stamp)
{
  const PacoDwtSamples *samples = &plane->samples;
  size_t bytes = (size_t) (plane->width - 1) * samples->pixel_stride
      + samples->bytes;

  for (uint32_t y = 0; y < plane->height; y++)
    memset (memory (samples->address + (int64_t) y * samples->stride), stamp,
        bytes);
}

static bool
run_inverse (FakeKernelState *state, const char *name, unsigned grid_y,
    const PacoDwtParameters *parameters)
{
  unsigned group =
      name[strlen (name) - 1] == '3' && name[strlen (name) - 2] == '_' ? 3 : 1;

  if (state->stage != BLOCKS_DECODED)
    return false;
  for (unsigned i = 0; i < grid_y * group; i++)
    if (parameters->planes[i].samples.address != 0
        && parameters->planes[i].width > 0)
      fill_samples (&parameters->planes[i], state->stamp);
  return true;
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
  if (strcmp (name, "paco_pack_scan") == 0)
    return run_scan (state, parameters);
  if (strcmp (name, "paco_pack_copy") == 0)
    return run_copy (state, parameters);
  if (is_inverse (name))
    return run_inverse (state, name, launch->grid_y, parameters);
  return run_forward (state, parameters);
}
