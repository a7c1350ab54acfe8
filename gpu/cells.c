/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Launches the kernels of kernels/cells.cu, and packs what they find; cells.h says for
 * whom. */
#include "gpu/cells.h"
#include "codec/step_map.h"
#include "gpu/kernels/cells.h"
#include <string.h>

gboolean
paco_cuda_cells_reserve (PacoCudaCells *cells, PacoCudaShare *share,
    const PacoGeometry *geometry, GError **error)
{
  uint32_t n = paco_step_map_n_cells (geometry);

  cells->map = g_realloc (cells->map, paco_step_map_max_size (geometry));
  return paco_device_memory_reserve (share, &cells->cells, n, "step map", error)
      && paco_device_memory_reserve (share, &cells->added, n, "step map", error)
      && paco_pinned_memory_reserve (
          share->device, &cells->host, n, "step map", error)
      && paco_pinned_memory_reserve (
          share->device, &cells->host_added, n, "step map", error);
}

void
paco_cuda_cells_clear (PacoCudaCells *cells, PacoCudaShare *share)
{
  paco_device_memory_clear (share, &cells->cells);
  paco_device_memory_clear (share, &cells->added);
  paco_pinned_memory_clear (share->device, &cells->host);
  paco_pinned_memory_clear (share->device, &cells->host_added);
  g_clear_pointer (&cells->map, g_free);
  cells->size = 0;
}

gboolean
paco_cuda_cells_add (PacoCudaCells *cells, PacoCudaFrame *frame,
    const PacoEncoderJob *job, GError **error)
{
  const PacoGeometry *geometry = frame->plan->geometry;
  uint32_t n = paco_step_map_n_cells (geometry);

  memset (cells->host_added.data, 0, n);
  paco_areas_add (&job->areas, &frame->plan->coding, geometry, job->area_planes,
      cells->host_added.data);
  return paco_cuda_upload (frame->device, cells->added.address,
      cells->host_added.data, n, &frame->stream, error);
}

gboolean
paco_cuda_cells_find (const PacoCudaCells *cells, PacoCudaFrame *frame,
    const PacoActivity *activity, bool added, bool wide, GError **error)
{
  const PacoGeometry *geometry = frame->plan->geometry;
  uint32_t columns = paco_step_map_columns (geometry);
  PacoCellsParameters parameters = {
    .coefficients = frame->coefficients.address,
    .cells = cells->cells.address,
    .added = added ? cells->added.address : 0,
    .activity = *activity,
    .columns = columns,
    .rows = paco_step_map_first_cell (geometry, 1) / columns,
  };

  for (unsigned f = 0; f < geometry->n_fields; f++)
    for (unsigned i = 0; i < PACO_ACTIVITY_SUBBANDS; i++) {
      const PacoSubband *subband = paco_geometry_subband (
          geometry, f, 0, 1, PACO_ORIENTATION_HL + i);
      const PacoCoefficientPlace *place =
          &frame->plan->dwt->places[subband - geometry->subbands];

      parameters.subbands[f][i] = (PacoCellsSubband){ place->offset,
        place->stride, subband->width, subband->height };
    }
  return paco_cuda_stream_launch (&frame->stream,
      &(PacoLaunch){
          .function = frame->device->find_cells[wide],
          .grid_x = (columns * PACO_CELLS_LANES + PACO_CELLS_THREADS - 1)
              / PACO_CELLS_THREADS,
          .grid_y = paco_step_map_n_cells (geometry) / columns,
          .threads = PACO_CELLS_THREADS,
          PACO_LAUNCH_PARAMETERS (parameters),
      },
      error);
}

gboolean
paco_cuda_cells_download (
    const PacoCudaCells *cells, PacoCudaFrame *frame, GError **error)
{
  return paco_cuda_download (frame->device, cells->host.data,
             cells->cells.address,
             paco_step_map_n_cells (frame->plan->geometry), &frame->stream,
             error)
      && paco_cuda_frame_mark (frame, PACO_CUDA_MAPPED, error);
}

gboolean
paco_cuda_cells_pack (
    PacoCudaCells *cells, PacoCudaFrame *frame, GError **error)
{
  if (!paco_cuda_frame_wait_for (frame, PACO_CUDA_MAPPED, error))
    return FALSE;
  cells->size = (uint32_t) paco_step_map_write (
      cells->host.data, frame->plan->geometry, cells->map);
  return TRUE;
}
