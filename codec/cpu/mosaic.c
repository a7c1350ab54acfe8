/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The color transform of mosaics on the CPU; codec/cpu/mosaic.h says for whom. Workers
 * copy the samples into the planes, or back, and do one step after the other in place. */
#include "codec/cpu/mosaic.h"
#include "codec/cpu/memory.h"
#include "codec/cpu/samples.h"
#include "codec/geometry.h"
#include "codec/mosaic.h"
#include <glib.h>

enum
{
  BAND = 16,      /* lines of a component that a worker takes */
  COLUMNS = 1680, /* that are copied at a time; no group of samples is cut */
  ALIGNMENT = 32, /* of lines, in samples */
};
G_STATIC_ASSERT (PACO_MAX_GROUP_SAMPLES == 8 && COLUMNS % (3 * 5 * 7 * 8) == 0);

bool
paco_mosaic_init (
    PacoMosaic *mosaic, const PacoPictureFormat *format, unsigned reduce)
{
  uint32_t columns, lines;
  size_t stride;

  paco_geometry_reduced_component (format, 0, reduce, &columns, &lines);
  stride = ((size_t) columns + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  *mosaic = (PacoMosaic){
    .memory = paco_memory_new (4 * stride * lines, sizeof *mosaic->memory),
    .format = paco_mosaic_planes (format),
    .reduce = reduce,
  };
  for (unsigned c = 0; mosaic->memory && c < 4; c++) {
    mosaic->planes.data[c] = (uint8_t *) (mosaic->memory + c * stride * lines);
    mosaic->planes.stride[c] = (ptrdiff_t) (stride * sizeof *mosaic->memory);
    mosaic->planes.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
    mosaic->planes.layout[c].big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
  }
  return mosaic->memory != NULL;
}

void
paco_mosaic_clear (PacoMosaic *mosaic)
{
  paco_memory_free (mosaic->memory);
  *mosaic = (PacoMosaic){ NULL };
}

/* --- copies between picture and planes --- */

/* Picture or planes, as line operations need them. */
typedef struct
{
  const PacoPicture *picture;
  PacoRegion regions[PACO_MAX_COMPONENTS];
  PacoLayoutPlan plans[PACO_MAX_COMPONENTS];
  /* Of the first component of each region, else NULL. */
  const uint8_t *blank[PACO_MAX_COMPONENTS];
} Side;

typedef struct
{
  const PacoRowOps *ops;
  const PacoMosaic *mosaic;
  uint32_t columns, lines; /* of each component */
  Side sides[2];           /* samples go from the first to the second */
  PacoMosaicStep steps[PACO_MOSAIC_STEPS];
  const PacoSampleMaps *maps;
  unsigned depth; /* of the samples */
  bool undo;
  unsigned first_step, n_steps; /* that are done at once */
} Job;

static void
init_side (Side *side, const Job *job, const PacoPictureFormat *format,
    const PacoPicture *picture)
{
  unsigned n = paco_picture_regions (
      format, picture, job->mosaic->reduce, side->regions);

  side->picture = picture;
  for (unsigned r = 0; r < n; r++) {
    const PacoRegion *region = &side->regions[r];

    for (unsigned i = 0; i < region->n_components; i++) {
      unsigned c = region->components[i];

      side->blank[c] = i == 0 ? region->blank : NULL;
      paco_layout_plan (&side->plans[c], &picture->layout[c],
          format->components[c].depth, job->columns, region->line_bytes);
    }
  }
}

static uint8_t *
line_address (const PacoPicture *picture, unsigned c, uint32_t y)
{
  return picture->data[c] + (ptrdiff_t) y * picture->stride[c];
}

/* Components that share a region are written in their order. */
static void
copy_band (void *data, uint32_t item, unsigned worker)
{
  const Job *job = data;
  const Side *from = &job->sides[0], *to = &job->sides[1];
  uint32_t end = MIN ((item + 1) * BAND, job->lines);
  PacoWord words[COLUMNS];

  for (uint32_t y = item * BAND; y < end; y++)
    for (uint32_t x = 0; x < job->columns; x += COLUMNS)
      for (unsigned c = 0; c < 4; c++) {
        uint32_t n = MIN (job->columns - x, COLUMNS);

        job->ops->load (
            line_address (from->picture, c, y), &from->plans[c], x, n, words);
        if (job->maps->of[c])
          paco_samples_map (job->maps->of[c], job->undo, n, words);
        job->ops->store (words, x, n, &to->plans[c], to->blank[c],
            line_address (to->picture, c, y));
      }
}

/* --- the steps --- */

static uint16_t *
plane_line (const Job *job, unsigned c, uint32_t y)
{
  return (uint16_t *) (void *) line_address (&job->mosaic->planes, c, y);
}

/* Does the step with n samples of a line, the first of which is number x. Its neighbors
 * on the left and on the right are numbers left and right of their lines. */
static void
lift (const Job *job, const PacoMosaicStep *step, uint32_t y, uint32_t x,
    uint32_t left, uint32_t right, size_t n)
{
  const PacoComponent *component =
      &job->mosaic->format.components[step->component];
  uint32_t up = component->place_y || y == 0 ? y : y - 1;
  uint32_t down = component->place_y && y + 1 < job->lines ? y + 1 : y;
  const uint16_t *first = plane_line (
      job, step->beside, step->diagonal ? up : y);
  const uint16_t *second = plane_line (
      job, step->beside, step->diagonal ? down : y);
  const uint16_t *const near[4] = {
    first + left,
    second + right,
    step->diagonal ? first + right : plane_line (job, step->above, up) + x,
    step->diagonal ? second + left : plane_line (job, step->above, down) + x,
  };

  job->ops->lift_mosaic (plane_line (job, step->component, y) + x, near, n,
      step->weight, job->depth, job->undo);
}

/* Does a step with a line. The sample at an edge has one neighbor twice. */
static void
lift_line (const Job *job, const PacoMosaicStep *step, uint32_t y)
{
  unsigned place = job->mosaic->format.components[step->component].place_x;
  uint32_t edge = place ? job->columns - 1 : 0;

  lift (job, step, y, edge, edge, edge, 1);
  lift (job, step, y, 1 - place, 0, 1, job->columns - 1);
}

static void
lift_band (void *data, uint32_t item, unsigned worker)
{
  const Job *job = data;
  uint32_t end = MIN ((item + 1) * BAND, job->lines);

  for (uint32_t y = item * BAND; y < end; y++)
    for (unsigned k = 0; k < job->n_steps; k++)
      lift_line (job, &job->steps[job->first_step + k], y);
}

/* --- */

static void
run (Job *job, PacoWorkers *workers, PacoWorkFunc function)
{
  paco_workers_run (workers, (job->lines + BAND - 1) / BAND, 1, function, job);
}

/* Does n steps that do not need each other. */
static void
run_steps (Job *job, PacoWorkers *workers, unsigned first, unsigned n)
{
  job->first_step = first;
  job->n_steps = n;
  run (job, workers, lift_band);
}

static void
init_job (Job *job, const PacoMosaic *mosaic, const PacoRowOps *ops,
    const PacoPictureFormat *format, const PacoCoding *coding)
{
  *job = (Job){
    .ops = ops, .mosaic = mosaic, .depth = format->components[0].depth
  };
  paco_geometry_reduced_component (
      format, 0, mosaic->reduce, &job->columns, &job->lines);
  for (unsigned k = 0; k < PACO_MOSAIC_STEPS; k++)
    job->steps[k] = paco_mosaic_step (format, coding, k);
}

void
paco_mosaic_forward (PacoMosaic *mosaic, const PacoRowOps *ops,
    PacoWorkers *workers, const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoSampleMaps *maps,
    const PacoPicture *picture)
{
  Job job;

  init_job (&job, mosaic, ops, format, coding);
  job.maps = maps;
  init_side (&job.sides[0], &job, format, picture);
  init_side (&job.sides[1], &job, &mosaic->format, &mosaic->planes);
  run (&job, workers, copy_band);
  run_steps (&job, workers, 0, 2); /* red and blue */
  run_steps (&job, workers, 2, 1);
  run_steps (&job, workers, 3, 1);
}

void
paco_mosaic_inverse (PacoMosaic *mosaic, const PacoRowOps *ops,
    PacoWorkers *workers, const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoSampleMaps *maps,
    const PacoPicture *picture)
{
  Job job;

  init_job (&job, mosaic, ops, format, coding);
  job.maps = maps;
  init_side (&job.sides[0], &job, &mosaic->format, &mosaic->planes);
  init_side (&job.sides[1], &job, format, picture);
  job.undo = true;
  run_steps (&job, workers, 3, 1);
  run_steps (&job, workers, 2, 1);
  run_steps (&job, workers, 0, 2);
  run (&job, workers, copy_band);
}
