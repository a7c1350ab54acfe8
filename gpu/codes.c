/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Launches the kernels of kernels/codes.cu; codes.h says for whom. */
#include "gpu/codes.h"
#include "gpu/kernels/codes.h"
#include <string.h>

enum
{
  MAP_BYTES = PACO_MAX_CODES * sizeof (uint16_t),
  WORD_BYTES = 16, /* of PacoTakeParameters */
  MAX_ROWS_OF_GRID = 65535,
  BLOCKS_PER_MULTIPROCESSOR = 4,
};

unsigned
paco_cuda_maps_components (const PacoCudaMaps *maps)
{
  unsigned components = 0;

  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
    if (maps->maps->of[c])
      components |= 1u << c;
  return components;
}

/* Enqueues the copy of n bytes of maps to the device. */
static gboolean
take_maps (PacoCudaMaps *maps, const PacoCudaDevice *device, size_t n,
    PacoCudaStream *stream, GError **error)
{
  PacoTakeParameters parameters = {
    .to = maps->memory.address,
    .from = (uintptr_t) maps->host.data,
    .n = (uint32_t) (n / WORD_BYTES),
  };

  return paco_cuda_stream_launch (stream,
      &(PacoLaunch){
          .function = device->take_words,
          .grid_x = (parameters.n + PACO_CODES_THREADS - 1)
              / PACO_CODES_THREADS,
          .threads = PACO_CODES_THREADS,
          PACO_LAUNCH_PARAMETERS (parameters),
      },
      error);
}

gboolean
paco_cuda_maps_upload (PacoCudaMaps *maps, PacoCudaShare *share, bool back,
    PacoCudaStream *stream, GError **error)
{
  const PacoSampleMaps *of = maps->maps;
  size_t size = 0;

  if (maps->uploaded == of->number)
    return TRUE;
  maps->uploaded = 0;
  memset (maps->of, 0, sizeof maps->of);
  if (paco_cuda_maps_components (maps) == 0)
    return TRUE;
  if (!paco_device_memory_reserve (share, &maps->memory,
          PACO_MAX_COMPONENTS * MAP_BYTES, "maps of samples", error)
      || !paco_pinned_memory_reserve (share->device, &maps->host,
          PACO_MAX_COMPONENTS * MAP_BYTES, "maps of samples", error))
    return FALSE;
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++) {
    unsigned same = 0;
    size_t bytes;

    if (!of->of[c])
      continue;
    while (of->of[same] != of->of[c])
      same++;
    if (same < c) {
      maps->of[c] = maps->of[same];
      continue;
    }
    bytes = of->of[c]->n * sizeof (uint16_t);
    memcpy (maps->host.data + size, back ? of->of[c]->back : of->of[c]->forward,
        bytes);
    maps->of[c] = maps->memory.address + size;
    size += (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
  }
  if (!take_maps (maps, share->device, size, stream, error))
    return FALSE;
  maps->uploaded = of->number;
  return TRUE;
}

void
paco_cuda_maps_clear (PacoCudaMaps *maps, PacoCudaShare *share)
{
  paco_device_memory_clear (share, &maps->memory);
  paco_pinned_memory_clear (share->device, &maps->host);
  *maps = (PacoCudaMaps){ 0 };
}

gboolean
paco_cuda_maps_enqueue (const PacoCudaMaps *maps, const PacoCudaDevice *device,
    const PacoSamplePlanes *planes, const PacoPicture *planar,
    PacoCudaStream *stream, GError **error)
{
  for (unsigned c = 0; c < planes->format.n_components; c++) {
    uint32_t words = (planes->columns[c] * planes->word_bytes + 3) / 4;
    PacoMapParameters parameters = {
      .plane = (CUdeviceptr) (uintptr_t) planar->data[c],
      .map = maps->of[c],
      .stride = planes->stride[c],
      .columns = planes->columns[c],
      .lines = planes->lines[c],
      .sample_bytes = planes->word_bytes,
      .mask = (1u << planes->format.components[c].depth) - 1,
    };

    PacoLaunch launch = {
      .function = device->map_samples,
      .grid_x = (words + PACO_CODES_THREADS - 1) / PACO_CODES_THREADS,
      .grid_y = CLAMP (planes->lines[c], 1, MAX_ROWS_OF_GRID),
      .threads = PACO_CODES_THREADS,
      PACO_LAUNCH_PARAMETERS (parameters),
    };

    if (maps->of[c] != 0 && !paco_cuda_stream_launch (stream, &launch, error))
      return FALSE;
  }
  return TRUE;
}

static PacoFindComponent
describe_find (const PacoSamplePlanes *planes, const PacoPicture *planar,
    unsigned c, CUdeviceptr used)
{
  const PacoComponent *component = &planes->format.components[c];
  uint16_t middle = (uint16_t) (1u << (component->depth - 1));

  return (PacoFindComponent){
    .data = (CUdeviceptr) (uintptr_t) planar->data[c],
    .used = used,
    .stride = planar->stride[c],
    .columns = planes->columns[c],
    .lines = planes->lines[c],
    .sample_bytes = planar->layout[c].word_bytes,
    .shift = planar->layout[c].places[0].shift,
    .mask = (1u << component->depth) - 1,
    .high = middle,
    .flip = paco_sample_code (component, 0),
    .flip_negative = paco_sample_code (component, middle) ^ middle,
  };
}

size_t
paco_cuda_codes_size (const PacoCodeGroups *groups)
{
  return (2 * groups->n * PACO_CODES_WORDS + 1) * sizeof (uint32_t);
}

gboolean
paco_cuda_find_codes (const PacoCudaDevice *device,
    const PacoSamplePlanes *planes, const PacoPicture *planar,
    const PacoCodeGroups *groups, uint32_t step, bool between, CUdeviceptr used,
    PacoCodeTable *found, PacoCudaStream *stream, GError **error)
{
  unsigned n_classes = between ? step : 1;
  unsigned most = device->context->n_multiprocessors * BLOCKS_PER_MULTIPROCESSOR
      / n_classes;
  PacoFindParameters parameters = {
    .step = step,
    .n_classes = n_classes,
    .n_words = groups->n * PACO_CODES_WORDS,
    .used = used,
    .host_used = (uintptr_t) found,
  };
  unsigned n = 0, lines = 1;

  for (unsigned g = 0; g < groups->n; g++)
    for (unsigned c = 0; c < planes->format.n_components; c++)
      if (groups->components[g] >> c & 1) {
        parameters.components[n++] = describe_find (
            planes, planar, c, used + g * PACO_CODES_WORDS * sizeof (uint32_t));
        lines = MAX (lines, (planes->lines[c] + step - 1) / step);
      }
  return paco_cuda_stream_launch (stream,
      &(PacoLaunch){
          .function = device->find_codes,
          .grid_x = MIN (lines, most) * n_classes,
          .grid_y = n,
          .threads = PACO_CODES_THREADS,
          PACO_LAUNCH_PARAMETERS (parameters),
      },
      error);
}
