/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The transforms of a frame, level by level; frame.h says for whom. The work is cut
 * into bands of lines of all planes of a level, which workers take. Lines come from
 * samples.c, and dwt.c filters them. */
#include "codec/cpu/frame.h"
#include "codec/cpu/memory.h"
#include "codec/cpu/samples.h"
#include "codec/error.h"
#include <string.h>

#define MAX_PASSES (2 * PACO_MAX_COMPONENTS)
#define MIN_BAND 32 /* lines; the overlap of bands costs time */

/* A decoder writes the coefficients of pictures with this number of them or more past the
 * caches. */
#define MIN_PAST_CACHES (1u << 21)

typedef enum
{
  FORWARD,
  INVERSE,
  INVERSE_OF_ZERO, /* all coefficients are zero, and are not read */
} Direction;

/* One resolution of all planes: the job of the workers. */
typedef struct
{
  PacoFrame *frame;
  bool inverse;
  bool zero;     /* the coarser side is zero and not read; only with inverse */
  bool filtered; /* by the wavelet; else only moved */
  unsigned n_passes;
  PacoDwtPass passes[MAX_PASSES];
  PacoSamples samples[MAX_PASSES];
  PacoPlaneSet sets[MAX_PASSES];
  uint32_t band_height;
  uint32_t first_item[MAX_PASSES + 1]; /* of each pass, and their number */
} Resolution;

bool
paco_frame_is_abandoned (const PacoFrame *frame)
{
  return paco_coder_is_abandoned (frame->coder, frame->flight);
}

/* Places all planes from `memory` on, which may be NULL; returns the words that
 * they take. */
static size_t
place_planes (PacoFrame *frame, PacoWord *memory)
{
  const PacoGeometry *geometry = frame->geometry;
  size_t words = 0, before_inner = 0;

  for (int inner = 0; inner < 2; inner++) {
    before_inner = words;
    for (unsigned f = 0; f < geometry->n_fields; f++)
      for (unsigned c = 0; c < geometry->n_components; c++)
        words += paco_coefficients_place (&frame->coefficients[f][c],
            geometry->resolution[f][c][0].width,
            geometry->resolution[f][c][0].height, geometry->levels,
            frame->reduce, inner, memory ? memory + words : NULL);
  }
  frame->past_caches = before_inner >= MIN_PAST_CACHES;
  frame->inner = memory ? memory + before_inner : NULL;
  frame->inner_size = (words - before_inner) * sizeof (PacoWord);
  return words;
}

gboolean
paco_frames_init (PacoFrame frames[PACO_N_FORMS], GError **error)
{
  const PacoPictureFormat *format = NULL;
  size_t words = 0;
  PacoWord *memory;

  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    if (frames[i].geometry) {
      format = frames[i].format;
      words = MAX (words, place_planes (&frames[i], NULL));
    }
  /* A block is 64 words wide, and block coders may read whole vectors. */
  memory = paco_memory_new (words + PACO_BLOCK_WIDTH, sizeof (PacoWord));
  if (!memory)
    return paco_fail (error, PACO_ERROR_MEMORY,
        "not enough memory for the coefficients of a picture of %u x %u",
        format->width, format->height);
  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
    frames[i].memory = memory;
    if (frames[i].geometry)
      place_planes (&frames[i], memory);
  }
  /* Frames of a mosaic are coded in one piece. */
  if (format->mosaic
      && !paco_mosaic_init (&frames[0].mosaic, format, frames[0].reduce))
    return paco_fail (error, PACO_ERROR_MEMORY,
        "not enough memory for the samples of a mosaic of %u x %u",
        format->width, format->height);
  return TRUE;
}

void
paco_frames_clear (PacoFrame frames[PACO_N_FORMS])
{
  if (frames[0].memory)
    paco_memory_free (frames[0].memory);
  paco_mosaic_clear (&frames[0].mosaic);
  for (unsigned i = 0; i < PACO_N_FORMS; i++)
    frames[i] = (PacoFrame){ NULL };
}

bool
paco_frame_set_narrow (PacoFrame *frame, unsigned component, bool narrow)
{
  unsigned levels = frame->geometry->levels;
  PacoCoefficients *first = &frame->coefficients[0][component];

  if (first->planes[levels][PACO_ORIENTATION_LL].narrow == narrow)
    return false;
  for (unsigned f = 0; f < frame->geometry->n_fields; f++)
    paco_coefficients_set_narrow (
        &frame->coefficients[f][component], levels, narrow);
  return true;
}

/* --- the work of one resolution --- */

/* Access to a plane of zeros. */
static void
read_zeros (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[])
{
  const PacoDwtPass *pass = data;

  for (unsigned p = 0; p < pass->n_planes; p++)
    memset (lines[p], 0, n * sizeof (PacoWord));
}

static void
do_band (const Resolution *resolution, unsigned i, uint32_t y0, uint32_t y1,
    PacoDwtLines *lines)
{
  const PacoDwtPass *pass = &resolution->passes[i];
  const PacoPlaneSet *set = &resolution->sets[i];

  if (resolution->zero)
    paco_lines_copy (pass->width, y0, y1, pass->n_planes, read_zeros, pass,
        pass->access, pass->access_data, lines);
  else if (!resolution->filtered && resolution->inverse)
    paco_lines_copy (pass->width, y0, y1, pass->n_planes, paco_planes_read, set,
        pass->access, pass->access_data, lines);
  else if (!resolution->filtered)
    paco_lines_copy (pass->width, y0, y1, pass->n_planes, pass->access,
        pass->access_data, paco_planes_write, set, lines);
  else if (resolution->inverse)
    paco_dwt_inverse (pass, y0, y1, lines);
  else
    paco_dwt_forward (pass, y0, y1, lines);
}

static void
do_item (void *data, uint32_t item, unsigned worker)
{
  const Resolution *resolution = data;
  unsigned i = 0;
  uint32_t y0, y1;

  while (item >= resolution->first_item[i + 1])
    i++;
  y0 = (item - resolution->first_item[i]) * resolution->band_height;
  y1 = MIN (y0 + resolution->band_height, resolution->passes[i].height);
  if (!paco_frame_is_abandoned (resolution->frame))
    do_band (resolution, i, y0, y1,
        paco_workers_lines (resolution->frame->workers, worker));
}

/* Does the passes that have been added. */
static void
run_passes (Resolution *resolution)
{
  PacoWorkers *workers = resolution->frame->workers;
  uint32_t n_workers = paco_workers_count (workers);
  uint32_t n_lines = 0, n_items = 0;

  for (unsigned i = 0; i < resolution->n_passes; i++)
    n_lines += resolution->passes[i].height;
  resolution->band_height = n_workers == 1
      ? 2 * PACO_MAX_SIZE
      : (MAX (n_lines / (4 * n_workers), MIN_BAND) + 1) & ~1u;
  for (unsigned i = 0; i < resolution->n_passes; i++) {
    resolution->first_item[i] = n_items;
    n_items += (resolution->passes[i].height + resolution->band_height - 1)
        / resolution->band_height;
  }
  resolution->first_item[resolution->n_passes] = n_items;
  paco_workers_run (workers, n_items, 1, do_item, resolution);
  resolution->n_passes = 0;
}

/* --- what the planes of a resolution are --- */

static PacoDwtPass *
add_pass (Resolution *resolution, unsigned field, unsigned first, unsigned n,
    unsigned level)
{
  PacoFrame *frame = resolution->frame;
  unsigned finer = level - (resolution->filtered ? 1 : 0);
  PacoDwtPass *pass = &resolution->passes[resolution->n_passes];
  PacoPlaneSet *set = &resolution->sets[resolution->n_passes++];

  *pass = (PacoDwtPass){
    .ops = frame->ops,
    .wavelet = &paco_wavelets[frame->coding->components[first].wavelet],
    .n_planes = n,
    .width = frame->geometry->resolution[field][first][finer].width,
    .height = frame->geometry->resolution[field][first][finer].height,
  };
  set->ops = frame->ops;
  set->n = n;
  for (unsigned i = 0; i < n; i++) {
    PacoCoefficients *coefficients = &frame->coefficients[field][first + i];

    pass->subbands[i] = coefficients->planes[level];
    set->planes[i] = &coefficients->planes[finer][PACO_ORIENTATION_LL];
  }
  return pass;
}

/* A level whose finer side is a plane of coefficients. */
static void
add_inner_passes (Resolution *resolution, unsigned level)
{
  const PacoGeometry *geometry = resolution->frame->geometry;

  for (unsigned f = 0; f < geometry->n_fields; f++) {
    for (unsigned c = 0; c < geometry->n_components; c++) {
      PacoDwtPass *pass = add_pass (resolution, f, c, 1, level);

      pass->access = resolution->inverse ? paco_planes_write : paco_planes_read;
      pass->access_data = &resolution->sets[resolution->n_passes - 1];
    }
  }
}

/* Says whether the samples that the wavelet takes are those of frame->mosaic. */
static bool
has_planes (const PacoFrame *frame)
{
  return frame->coding->color_transform == PACO_COLOR_TRANSFORM_MOSAIC;
}

/* A set of components at the level whose finer side are samples. */
static void
add_outer_passes (Resolution *resolution, unsigned level,
    const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoSamples *set)
{
  static const PacoSampleMaps no_maps;
  PacoFrame *frame = resolution->frame;

  for (unsigned f = 0; f < frame->geometry->n_fields; f++) {
    PacoSamples *samples = &resolution->samples[resolution->n_passes];
    PacoDwtPass *pass = add_pass (resolution, f, set->first, set->n, level);

    *samples = *set;
    samples->ops = frame->ops;
    samples->format = format;
    samples->picture = picture;
    /* The samples of planes have been mapped. */
    samples->maps = has_planes (frame) ? &no_maps : frame->maps;
    samples->field = f;
    samples->gain = paco_wavelet_reduced_gain (
        frame->coding->components[set->first].wavelet, frame->reduce);
    pass->access = resolution->inverse ? paco_samples_store : paco_samples_load;
    pass->access_data = samples;
  }
}

static void
run_outer_passes (
    Resolution *resolution, unsigned level, const PacoPicture *picture)
{
  PacoFrame *frame = resolution->frame;
  const PacoPictureFormat *format = frame->format;
  PacoSampleSets sets;

  if (has_planes (frame)) {
    format = &frame->mosaic.format;
    picture = &frame->mosaic.planes;
  }
  paco_samples_split (&sets, format, picture, frame->coding, frame->reduce);
  for (unsigned i = 0; i < sets.n_sets; i++) {
    add_outer_passes (resolution, level, format, picture, &sets.sets[i]);
    if (i + 1 == sets.n_sets || (sets.in_turn && resolution->inverse))
      run_passes (resolution);
  }
}

static void
transform_level (PacoFrame *frame, const PacoPicture *picture,
    Direction direction, unsigned level)
{
  unsigned levels = frame->geometry->levels, reduce = frame->reduce;
  Resolution resolution = {
    .frame = frame,
    .inverse = direction != FORWARD,
    .zero = direction == INVERSE_OF_ZERO,
    .filtered = levels > reduce,
  };

  if (paco_frame_is_abandoned (frame))
    return;
  if (level == reduce + 1 || !resolution.filtered) {
    run_outer_passes (&resolution, level, picture);
  } else {
    add_inner_passes (&resolution, level);
    run_passes (&resolution);
  }
}

void
paco_frame_forward (PacoFrame *frame, const PacoPicture *picture)
{
  unsigned levels = frame->geometry->levels;

  if (has_planes (frame))
    paco_mosaic_forward (&frame->mosaic, frame->ops, frame->workers,
        frame->format, frame->coding, frame->maps, picture);
  transform_level (frame, picture, FORWARD, MIN (levels, 1));
  for (unsigned level = 2; level <= levels; level++)
    transform_level (frame, picture, FORWARD, level);
}

static void
undo_mosaic (PacoFrame *frame, const PacoPicture *picture)
{
  if (has_planes (frame) && !paco_frame_is_abandoned (frame))
    paco_mosaic_inverse (&frame->mosaic, frame->ops, frame->workers,
        frame->format, frame->coding, frame->maps, picture);
}

void
paco_frame_inverse (PacoFrame *frame, const PacoPicture *picture)
{
  unsigned levels = frame->geometry->levels;

  for (unsigned level = levels; level > frame->reduce + 1; level--)
    transform_level (frame, picture, INVERSE, level);
  transform_level (frame, picture, INVERSE, MIN (levels, frame->reduce + 1));
  undo_mosaic (frame, picture);
}

/* The inverse transform of zeros is zero. Only the level shift is left to be done,
 * at the size of the picture. */
void
paco_frame_inverse_of_zero (PacoFrame *frame, const PacoPicture *picture)
{
  transform_level (frame, picture, INVERSE_OF_ZERO,
      MIN (frame->geometry->levels, frame->reduce + 1));
  undo_mosaic (frame, picture);
}

PacoBpcBlock
paco_frame_block (const PacoFrame *frame, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, uint32_t i)
{
  const PacoCodeblock *place = &frame->geometry->blocks[i];
  const PacoSubband *subband = &frame->geometry->subbands[place->subband];
  const PacoPlane *plane =
      &frame->coefficients[subband->field][subband->component]
           .planes[subband->level][subband->orientation];
  PacoBpcBlock block = paco_bpc_block (frame->geometry, coding, carried_set, i);

  block.coefficients = (uint8_t *) plane->data
      + (place->y * plane->stride + place->x) * (plane->narrow ? 2 : 4);
  block.stride = plane->stride;
  block.narrow = plane->narrow;
  block.past_caches = frame->past_caches;
  return block;
}

void
paco_frame_use_map (const PacoFrame *frame, const PacoCoding *coding,
    const uint8_t *cells, uint32_t i, PacoBpcBlock *block)
{
  const PacoGeometry *geometry = frame->geometry;

  if (!cells)
    return;
  block->map = paco_step_map_place (frame->format, coding, geometry,
      &geometry->subbands[geometry->blocks[i].subband]);
  block->cells = block->map.used ? cells : NULL;
}
