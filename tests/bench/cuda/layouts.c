/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the kernels between layouts and planes, for pictures of the
 * content's size. Their ceiling is a copy of as many bytes as they read and
 * write. */
#include "tests/bench/cuda/bench.h"
#include "tests/bench/cuda/figures.h"

/* This is a layout: the samples of a group as a string of the digits of
 * components, one after the other bit by bit or, if run is not 0, `run` to a
 * word. */
typedef struct
{
  const char *name, *group;
  unsigned group_bytes, word_bytes, run;
  unsigned depth, subsampling_x; /* of components 1 and 2 */
  bool big_endian, swap_words;
} Layout;

static const Layout layouts[] = {
  { "v210", "102010201020", 16, 4, 3, 10, 1 },
  { "uyvy", "1020", 4, 1, 1, 8, 1 },
  { "y210", "0102", 8, 2, 1, 10, 1 },
  { "r210", "210", 4, 4, 3, 10, 0 },
  { "rgb", "012", 3, 1, 1, 8, 0 },
  /* These are strings as DPX has them: one sample to a word, and the words of
   * big-endian files. */
  { "rgb48", "012", 6, 2, 0, 16, 0 },
  { "packed12", "012012", 9, 2, 0, 12, 0, .swap_words = true },
  { "packed10", "012012012012", 15, 2, 0, 10, 0, .swap_words = true },
  /* This string begins with the highest bit of each byte, which takes the kernel
   * for any layout. */
  { "general", "012012012012012012012012", 36, 2, 0, 12, 0,
      .big_endian = true },
};

typedef struct
{
  PacoPictureFormat format;
  PacoPicture picture;
  PacoSamplePlanes planes;
  size_t n_bytes; /* of the picture */
  CUdeviceptr pictures[BENCH_SETS], samples[BENCH_SETS];
  PacoLayoutDirection direction;
} Pictures;

static void
lay_out (Pictures *pictures, const Layout *layout)
{
  PacoPicture *picture = &pictures->picture;
  size_t groups;

  for (unsigned c = 0; c < 3; c++)
    picture->layout[c] = (PacoSampleLayout){
      .group_bytes = layout->group_bytes,
      .word_bytes = layout->word_bytes,
      .big_endian = layout->big_endian,
      .swap_words = layout->swap_words,
    };
  for (unsigned i = 0; layout->group[i]; i++) {
    unsigned run = layout->run;
    unsigned bit = run > 0
        ? i / run * 8 * layout->word_bytes + i % run * layout->depth
        : i * layout->depth;

    paco_layout_append (
        &picture->layout[layout->group[i] - '0'], bit, layout->depth);
  }
  groups = paco_layout_groups (&picture->layout[0], pictures->format.width);
  for (unsigned c = 0; c < 3; c++)
    picture->stride[c] = (groups * layout->group_bytes + 127) / 128 * 128;
  pictures->n_bytes = picture->stride[0] * pictures->format.height;
}

static void
pictures_init (Bench *bench, Pictures *pictures, const Layout *layout)
{
  *pictures = (Pictures){
    .format = {
      .width = bench->format.width,
      .height = bench->format.height,
      .n_components = 3,
      .components = {
        { layout->depth, 0, 0 },
        { layout->depth, layout->subsampling_x, 0 },
        { layout->depth, layout->subsampling_x, 0 },
      },
    },
    .picture.memory = PACO_MEMORY_DEVICE,
  };
  lay_out (pictures, layout);
  paco_sample_planes_init (
      &pictures->planes, &pictures->format, 0, PACO_COLOR_TRANSFORM_NONE);
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    pictures->pictures[i] = bench_device_memory (bench, pictures->n_bytes);
    pictures->samples[i] = bench_device_memory (bench, pictures->planes.size);
  }
}

static void
pictures_clear (Bench *bench, Pictures *pictures)
{
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    bench->device->driver->mem_free (pictures->pictures[i]);
    bench->device->driver->mem_free (pictures->samples[i]);
  }
}

static void
move_samples (Bench *bench, void *data, unsigned set)
{
  Pictures *pictures = data;
  PacoPicture picture = pictures->picture, planar;
  PacoLayoutLaunch launches[PACO_MAX_COMPONENTS];
  unsigned n;

  for (unsigned c = 0; c < 3; c++)
    picture.data[c] = (uint8_t *) (uintptr_t) pictures->pictures[set];
  n = paco_layout_launches (&pictures->planes, &picture, 0,
      pictures->samples[set], &planar, launches);
  must (paco_layout_enqueue (&bench->device->layout, pictures->direction,
            launches, n, false, &bench->stream, NULL),
      NULL);
}

void
bench_layouts (Bench *bench)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (layouts); i++) {
    Pictures pictures;
    double copy_us;

    pictures_init (bench, &pictures, &layouts[i]);
    copy_us = bench->ceilings.copy_us
        * (pictures.n_bytes + pictures.planes.size) / 2 / bench->n_bytes;
    pictures.direction = PACO_LAYOUT_LOAD;
    figure_cost (bench_time (bench, move_samples, &pictures), "us", "copy_us",
        copy_us, "layout_%s_load_us", layouts[i].name);
    pictures.direction = PACO_LAYOUT_STORE;
    figure_cost (bench_time (bench, move_samples, &pictures), "us", "copy_us",
        copy_us, "layout_%s_store_us", layouts[i].name);
    pictures_clear (bench, &pictures);
  }
}
