/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Enqueues the steps of the color transform of mosaics; gpu/mosaic.h says for whom. */
#include "gpu/mosaic.h"
#include "codec/mosaic.h"

/* In the planes samples are plus half of their range, numbers of the transform plus half
 * of theirs. Only the neighbors of the last step are such numbers. */
static PacoMosaicParameters
describe_step (const PacoSamplePlanes *planes, const PacoCoding *coding,
    CUdeviceptr memory, bool inverse, unsigned k)
{
  PacoMosaicStep step = paco_mosaic_step (&planes->format, coding, k);
  const PacoComponent *component = &planes->format.components[step.component];
  int32_t half = 1 << (component->depth - 1);

  return (PacoMosaicParameters){
    .samples = memory + planes->offset[step.component],
    .beside = memory + planes->offset[step.beside],
    .above = memory + planes->offset[step.above],
    .columns = planes->columns[0],
    .lines = planes->lines[0],
    .stride = (uint32_t) planes->stride[0],
    .before = inverse ? PACO_MOSAIC_HALF : half,
    .after = inverse ? half : PACO_MOSAIC_HALF,
    .neighbors = k + 1 < PACO_MOSAIC_STEPS ? half : PACO_MOSAIC_HALF,
    .half = inverse ? half : 0,
    .weight = step.weight,
    .place_x = component->place_x,
    .place_y = component->place_y,
    .diagonal = step.diagonal,
  };
}

gboolean
paco_mosaic_enqueue (const PacoLayoutKernels *kernels,
    const PacoSamplePlanes *planes, const PacoCoding *coding,
    CUdeviceptr memory, bool inverse, PacoCudaStream *stream, GError **error)
{
  for (unsigned i = 0; i < PACO_MOSAIC_STEPS; i++) {
    PacoMosaicParameters parameters = describe_step (planes, coding, memory,
        inverse, inverse ? PACO_MOSAIC_STEPS - 1 - i : i);
    PacoLaunch launch = {
      .function = kernels->mosaic,
      .grid_x = (parameters.columns + PACO_MOSAIC_LANES - 1)
          / PACO_MOSAIC_LANES,
      .grid_y = (parameters.lines + PACO_MOSAIC_LINES - 1) / PACO_MOSAIC_LINES,
      .threads = PACO_MOSAIC_THREADS,
      .early = kernels->early,
      PACO_LAUNCH_PARAMETERS (parameters),
    };

    if (!paco_cuda_stream_launch (stream, &launch, error))
      return FALSE;
  }
  return TRUE;
}
