/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet transform of a level; dwt.h says how it works and who calls it. The
 * operations on lines are those of rows.h. */
#include "codec/cpu/dwt.h"
#include "codec/cpu/memory.h"
#include "codec/wavelet.h"
#include <glib.h>
#include <stdatomic.h>
#include <string.h>

/* How many columns a strip has. Wide strips give the prefetchers long runs, which gains
 * more than strips that stay in the first-level cache. Strips must not cut groups of
 * samples (layout.h), so this is a multiple of all numbers up to
 * PACO_MAX_GROUP_SAMPLES. */
#define STRIP 4200
G_STATIC_ASSERT (PACO_MAX_GROUP_SAMPLES == 8 && STRIP % (5 * 7 * 8 * 3) == 0);
#define MAX_HALO PACO_MAX_LIFTING_REACH
#define PADDING 16 /* words before and after a line */
#define LINE_WORDS (STRIP + 2 * MAX_HALO + 2 * PADDING)
/* How many lines a window has at most: those that the steps work on, and the two that
 * leave. */
#define MAX_WINDOW 16

/* A level that writes this number of words (16 MB) or more writes them past the caches, as
 * they would not stay there until they are coded. A picture of 3840x2160 is coded 7
 * % faster like this; one of 512x512 would be coded 6 % slower. */
#define MIN_WORDS_PAST_CACHES (1u << 22)

struct _PacoDwtLines
{
  PacoWord window[PACO_MAX_COMPONENTS][MAX_WINDOW][LINE_WORDS];
  PacoWord even[LINE_WORDS], odd[LINE_WORDS];
};

PacoDwtLines *
paco_dwt_lines_new (void)
{
  return paco_memory_new (1, sizeof (PacoDwtLines));
}

void
paco_dwt_lines_free (PacoDwtLines *lines)
{
  paco_memory_free (lines);
}

/* --- planes --- */

/* Lines are a multiple of a cache line long, if they are narrow, too, but not a power of
 * two: then the lines of a block would fall on the same place of the cache. */
static size_t
place_plane (PacoPlane *plane, uint32_t width, uint32_t height, PacoWord *base)
{
  size_t stride = ((size_t) width + 31) / 32 * 32;

  if (stride % 256 == 0)
    stride += 32;
  *plane = (PacoPlane){ width, height, stride, base, false };
  return width > 0 ? stride * height : 0;
}

size_t
paco_coefficients_place (PacoCoefficients *coefficients, uint32_t width,
    uint32_t height, unsigned levels, unsigned last, bool inner, PacoWord *base)
{
  size_t used = 0;

  for (unsigned level = levels + 1; level-- > last;) {
    uint32_t low_width = paco_ceil_shift (width, level), high_width = 0;
    uint32_t low_height = paco_ceil_shift (height, level), high_height = 0;

    if (level > 0) {
      high_width = paco_ceil_shift (width, level - 1) - low_width;
      high_height = paco_ceil_shift (height, level - 1) - low_height;
    }
    for (unsigned o = 0; o < 4; o++) {
      bool is_inner = o == PACO_ORIENTATION_LL && level != levels;
      bool needed = level > last
          || (level == levels && o == PACO_ORIENTATION_LL);

      if (needed && inner == is_inner)
        used += place_plane (&coefficients->planes[level][o],
            o & 1 ? high_width : low_width, o & 2 ? high_height : low_height,
            base ? base + used : NULL);
    }
  }
  return used;
}

void
paco_coefficients_set_narrow (
    PacoCoefficients *coefficients, unsigned levels, bool narrow)
{
  for (unsigned level = 0; level <= levels; level++)
    for (unsigned o = 0; o < 4; o++)
      if (o != PACO_ORIENTATION_LL || level == levels)
        coefficients->planes[level][o].narrow = narrow;
}

/* Takes n words of line y of a plane from column x on. */
static void
take_line (const PacoRowOps *ops, const PacoPlane *plane, uint32_t x,
    uint32_t y, uint32_t n, PacoWord *line)
{
  size_t at = y * plane->stride + x;

  if (plane->narrow)
    ops->widen ((const int16_t *) plane->data + at, n, line);
  else
    memcpy (line, plane->data + at, n * sizeof (PacoWord));
}

void
paco_planes_read (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[])
{
  const PacoPlaneSet *set = data;

  for (unsigned p = 0; p < set->n; p++)
    take_line (set->ops, set->planes[p], x, y, n, lines[p]);
}

void
paco_planes_write (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[])
{
  const PacoPlaneSet *set = data;

  for (unsigned p = 0; p < set->n; p++)
    memcpy (set->planes[p]->data + y * set->planes[p]->stride + x, lines[p],
        n * sizeof (PacoWord));
}

void
paco_lines_copy (uint32_t width, uint32_t y0, uint32_t y1, unsigned n_planes,
    PacoLineAccess read, const void *read_data, PacoLineAccess write,
    const void *write_data, PacoDwtLines *lines)
{
  for (uint32_t y = y0; y < y1; y++) {
    for (uint32_t x = 0; x < width; x += STRIP) {
      uint32_t n = MIN (width - x, STRIP);
      PacoWord *line[PACO_MAX_COMPONENTS];

      for (unsigned p = 0; p < n_planes; p++)
        line[p] = lines->window[p][0] + PADDING;
      read (read_data, x, y, n, line);
      write (write_data, x, y, n, line);
    }
  }
}

/* --- lifting --- */

static void
lift (const PacoDwtPass *pass, unsigned step, bool undo, PacoWord *out,
    const PacoWord *x, PacoNeighbors near, size_t n)
{
  const PacoLiftingStep *s = &pass->wavelet->steps[step];

  if (pass->wavelet->reversible)
    pass->ops->lift_int (out, x, near, n, s, undo);
  else
    pass->ops->lift_float (out, x, near, n, s, undo);
}

/* Multiplies a line of one sample, or the samples of such columns, by the gain of
 * the low half, or undoes that. The gain of a reversible wavelet is 1. */
static void
scale_single (const PacoDwtPass *pass, PacoWord *line, size_t n, bool undo)
{
  double gain = pass->wavelet->low_gain;

  if (!pass->wavelet->reversible)
    pass->ops->scale (line, n, (float) (undo ? 1.0 / gain : gain));
}

/* The part of a line of `length` samples that is filtered to get samples
 * begin..end-1. */
typedef struct
{
  uint32_t begin, end;
  uint32_t first, n; /* filtered */
} Range;

static Range
range (uint32_t begin, uint32_t end, uint32_t length, uint32_t margin)
{
  uint32_t first = begin > margin ? begin - margin : 0;

  return (Range){ begin, end, first, MIN (length, end + margin) - first };
}

/* A tile being filtered. */
typedef struct
{
  const PacoDwtPass *pass;
  PacoDwtLines *lines;
  Range x, y;
  bool undo, past_caches;
  /* The window: how far behind the newest line each step works, in the order of the
   * steps; how far behind it the first of the two lines is that leave; and how many
   * lines there are, a power of two. */
  uint32_t delays[PACO_MAX_LIFTING_STEPS], leaving, window;
} Tile;

/* Returns where line i of the tile is in the window. */
static PacoWord *
window_line (const Tile *tile, unsigned plane, uint32_t i)
{
  return tile->lines->window[plane][i & (tile->window - 1)] + PADDING;
}

/* Mirrors a line's n samples of one parity, n_own of them in x, into the `margin` words
 * on either side of them. */
static void
extend (PacoWord *x, uint32_t n_own, uint32_t n, int parity, int margin)
{
  for (int i = 1; i <= margin; i++) {
    int64_t before = parity - 2 * i,
            after = parity + 2 * (n_own - 1 + (int64_t) i);

    x[-i] = x[paco_lifting_mirror (before, n) / 2];
    x[n_own - 1 + i] = x[paco_lifting_mirror (after, n) / 2];
  }
}

/* Does a lifting step along a line whose even and odd samples lie apart, with the
 * result in out. */
static void
lift_along (const Tile *tile, unsigned step, PacoWord *even, PacoWord *odd,
    PacoWord *out, uint32_t begin, uint32_t end)
{
  const int n_taps = tile->pass->wavelet->steps[step].n_taps;
  const bool of_odd = step % 2 == 0;
  const uint32_t n = tile->x.n;
  PacoWord *x = (of_odd ? odd : even) + begin;
  PacoWord *other = of_odd ? even : odd;
  const PacoWord *near[PACO_MAX_LIFTING_TAPS][2];

  extend (other, of_odd ? (n + 1) / 2 : n / 2, n, !of_odd, n_taps);
  for (int k = 0; k < n_taps; k++) {
    near[k][0] = other + begin - (k + !of_odd);
    near[k][1] = other + begin + (k + of_odd);
  }
  lift (tile->pass, step, tile->undo, out, x, near, end - begin);
}

/* --- forward --- */

static void
put_low (
    const Tile *tile, const PacoPlane *plane, uint32_t y, const PacoWord *line)
{
  memcpy (plane->data + y * plane->stride, line, sizeof *line);
}

/* Puts the tile's part of a line into a subband that is not needed soon. */
static void
put_subband (const Tile *tile, const PacoPlane *plane, uint32_t y,
    const PacoWord *line, uint32_t n)
{
  PacoWord *to = plane->data + y * plane->stride + tile->x.begin / 2;

  if (tile->past_caches)
    tile->pass->ops->copy_past_caches (to, line, n);
  else
    memcpy (to, line, n * sizeof *line);
}

/* Filters a line of the window, splits it and hands it to its subbands. */
static void
analyze_line (const Tile *tile, unsigned plane, uint32_t i)
{
  const PacoDwtPass *pass = tile->pass;
  const PacoWavelet *wavelet = pass->wavelet;
  uint32_t y = tile->y.first + i, n = tile->x.n;
  const PacoPlane *low = &pass->subbands[plane][y % 2 ? 2 : 0], *high = low + 1;
  PacoWord *line = window_line (tile, plane, i);
  PacoWord *even = tile->lines->even + PADDING;
  PacoWord *odd = tile->lines->odd + PADDING;
  uint32_t skipped = (tile->x.begin - tile->x.first) / 2;
  uint32_t at = tile->x.begin / 2;
  uint32_t n_low = (tile->x.end + 1) / 2 - at, n_high = tile->x.end / 2 - at;
  unsigned step;

  if (n == 1) {
    scale_single (pass, line, 1, false);
    put_low (tile, low, y / 2, line);
    return;
  }
  pass->ops->split (line, n, even, odd);
  for (step = 0; step + 1 < wavelet->n_steps; step++)
    lift_along (tile, step, even, odd, step % 2 == 0 ? odd : even, 0,
        step % 2 == 0 ? n / 2 : (n + 1) / 2);
  put_subband (tile, high, y / 2, odd + skipped, n_high);
  if (y % 2 && tile->past_caches) { /* not LL, which the next level takes */
    lift_along (
        tile, step, even, odd, even + skipped, skipped, skipped + n_low);
    put_subband (tile, low, y / 2, even + skipped, n_low);
  } else {
    lift_along (tile, step, even, odd, low->data + y / 2 * low->stride + at,
        skipped, skipped + n_low);
  }
}

/* --- inverse --- */

/* Puts the two halves of a line of coefficients back together in the window. */
static void
synthesize_line (const Tile *tile, unsigned plane, uint32_t i)
{
  const PacoDwtPass *pass = tile->pass;
  const PacoWavelet *wavelet = pass->wavelet;
  uint32_t y = tile->y.first + i, n = tile->x.n;
  const PacoPlane *low = &pass->subbands[plane][y % 2 ? 2 : 0], *high = low + 1;
  PacoWord *line = window_line (tile, plane, i);
  PacoWord *even = tile->lines->even + PADDING;
  PacoWord *odd = tile->lines->odd + PADDING;
  uint32_t at = tile->x.first / 2;

  if (n == 1) {
    take_line (pass->ops, low, 0, y / 2, 1, line);
    scale_single (pass, line, 1, true);
    return;
  }
  take_line (pass->ops, low, at, y / 2, (n + 1) / 2, even);
  take_line (pass->ops, high, at, y / 2, n / 2, odd);
  for (unsigned step = wavelet->n_steps; step-- > 0;)
    lift_along (tile, step, even, odd, step % 2 == 0 ? odd : even, 0,
        step % 2 == 0 ? n / 2 : (n + 1) / 2);
  pass->ops->merge (even, odd, n, line);
}

/* --- the window --- */

/* Line i enters the window. */
static void
enter (const Tile *tile, uint32_t i)
{
  const PacoDwtPass *pass = tile->pass;
  PacoWord *line[PACO_MAX_COMPONENTS];

  if (i >= tile->y.n)
    return;
  if (tile->undo) {
    for (unsigned p = 0; p < pass->n_planes; p++)
      synthesize_line (tile, p, i);
    return;
  }
  for (unsigned p = 0; p < pass->n_planes; p++)
    line[p] = window_line (tile, p, i);
  pass->access (
      pass->access_data, tile->x.first, tile->y.first + i, tile->x.n, line);
}

/* Line i leaves the window; those of the halo are not wanted. */
static void
leave (const Tile *tile, uint32_t i)
{
  const PacoDwtPass *pass = tile->pass;
  uint32_t y = tile->y.first + i;
  PacoWord *line[PACO_MAX_COMPONENTS];

  if (i >= tile->y.n || y < tile->y.begin || y >= tile->y.end)
    return;
  if (!tile->undo) {
    for (unsigned p = 0; p < pass->n_planes; p++)
      analyze_line (tile, p, i);
    return;
  }
  for (unsigned p = 0; p < pass->n_planes; p++)
    line[p] = window_line (tile, p, i) + (tile->x.begin - tile->x.first);
  pass->access (
      pass->access_data, tile->x.begin, y, tile->x.end - tile->x.begin, line);
}

/* Finds the lines that tap k of a step reads, before and after line i. */
static void
find_lines (const Tile *tile, unsigned plane, uint32_t i, unsigned k,
    const PacoWord *near[2])
{
  const int64_t distance = 2 * k + 1;
  uint32_t n = tile->y.n;

  near[0] = window_line (tile, plane, paco_lifting_mirror (i - distance, n));
  near[1] = window_line (tile, plane, paco_lifting_mirror (i + distance, n));
}

/* Does step number `step` with line i of all planes. */
static void
lift_across (const Tile *tile, unsigned step, uint32_t i)
{
  const PacoWavelet *wavelet = tile->pass->wavelet;
  uint32_t n = tile->y.n;

  if (i >= n)
    return;
  for (unsigned p = 0; p < tile->pass->n_planes; p++) {
    PacoWord *x = window_line (tile, p, i);
    const PacoWord *near[PACO_MAX_LIFTING_TAPS][2];

    for (unsigned k = 0; k < wavelet->steps[step].n_taps; k++)
      find_lines (tile, p, i, k, near[k]);
    lift (tile->pass, step, tile->undo, x, x, near, tile->x.n);
  }
}

/* Filters columns of one sample, in which there is nothing to lift. */
static void
filter_single_line (const Tile *tile)
{
  enter (tile, 0);
  for (unsigned p = 0; p < tile->pass->n_planes; p++)
    scale_single (tile->pass, window_line (tile, p, 0), tile->x.n, tile->undo);
  leave (tile, 0);
}

/* The number of the step that is done as the k-th: in reverse order for the inverse. */
static unsigned
step_number (const Tile *tile, unsigned k)
{
  return tile->undo ? tile->pass->wavelet->n_steps - 1 - k : k;
}

/* Plans how far behind the newest line each step works: so far behind the step before
 * that this one has changed all lines which the step reads, and does not need any more
 * the line that the step changes. */
static void
plan_window (Tile *tile)
{
  const PacoWavelet *wavelet = tile->pass->wavelet;
  unsigned delay = 0, before = 0;

  for (unsigned k = 0; k < wavelet->n_steps; k++) {
    unsigned reach = paco_lifting_step_reach (
        &wavelet->steps[step_number (tile, k)]);

    delay += MAX (before, reach);
    tile->delays[k] = delay;
    before = reach;
  }
  tile->leaving = delay + before;
  tile->window = 4;
  while (tile->window < tile->leaving + 1)
    tile->window *= 2;
  g_assert (tile->window <= MAX_WINDOW);
}

/* Lines enter in pairs; the last of a pair, `newest`, is one that the first step
 * does not change. After that each step can change a line further up, and two lines
 * leave that the last step needs no more. Line numbers before the first wrap around
 * to large ones, which are outside like those behind the end. */
static void
filter_tile (const Tile *tile)
{
  unsigned n_steps = tile->pass->wavelet->n_steps;
  uint32_t newest = tile->undo ? 1 : 0;

  if (tile->y.n == 1) {
    filter_single_line (tile);
    return;
  }
  for (;; newest += 2) {
    enter (tile, newest - 1);
    enter (tile, newest);
    for (unsigned k = 0; k < n_steps; k++)
      lift_across (tile, step_number (tile, k), newest - tile->delays[k]);
    leave (tile, newest - tile->leaving);
    leave (tile, newest - tile->leaving + 1);
    if (newest + 2 >= tile->leaving + tile->y.n)
      break;
  }
}

static void
filter_band (const PacoDwtPass *pass, uint32_t y0, uint32_t y1, bool undo,
    PacoDwtLines *lines)
{
  /* It is even, so that tiles begin with a low-pass sample. */
  uint32_t margin = paco_wavelet_reach (pass->wavelet);
  Tile tile = {
    pass,
    lines,
    .undo = undo,
    .past_caches = (uint64_t) pass->width * pass->height * pass->n_planes
        >= MIN_WORDS_PAST_CACHES,
  };

  plan_window (&tile);
  tile.y = range (y0, y1, pass->height, margin);
  for (uint32_t x = 0; x < pass->width; x += STRIP) {
    tile.x = range (x, MIN (x + STRIP, pass->width), pass->width, margin);
    filter_tile (&tile);
  }
}

void
paco_dwt_forward (
    const PacoDwtPass *pass, uint32_t y0, uint32_t y1, PacoDwtLines *lines)
{
  filter_band (pass, y0, y1, false, lines);
  atomic_thread_fence (memory_order_seq_cst); /* copy_past_caches() needs it */
}

void
paco_dwt_inverse (
    const PacoDwtPass *pass, uint32_t y0, uint32_t y1, PacoDwtLines *lines)
{
  filter_band (pass, y0, y1, true, lines);
}
