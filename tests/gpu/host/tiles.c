/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the tiles that gpu/dwt.c cuts planes into: they are as low as they can
 * be while all thread blocks of a launch run at once. Pictures and devices are
 * random; nothing runs. */
#include "gpu/dwt.h"

typedef struct
{
  PacoPictureFormat format;
  PacoCoding coding;
  PacoGeometry *geometry;
  PacoDwtKernels kernels;
  PacoDwt *dwt;
  unsigned n_multiprocessors;
} Case;

static unsigned
draw (int low, int high)
{
  return (unsigned) g_test_rand_int_range (low, high + 1);
}

static void
draw_format (Case *c)
{
  bool mixed = g_test_rand_bit ();

  c->format = (PacoPictureFormat){ .width = draw (1, 1 << draw (6, 13)),
    .height = draw (1, 1 << draw (6, 13)),
    .n_components = mixed ? 3 : draw (1, 4) };
  c->coding = (PacoCoding){ .levels = draw (1, 5), .reconstruction = 96 };
  for (unsigned i = 0; i < c->format.n_components; i++) {
    c->format.components[i].depth = 8;
    if (i > 0 && !mixed && i < 3)
      c->format.components[i].subsampling_x =
          c->format.components[i].subsampling_y = draw (0, 1);
    c->coding.components[i].wavelet = PACO_WAVELET_CDF53;
  }
  if (mixed)
    c->coding.color_transform = PACO_COLOR_TRANSFORM_RCT;
}

static void
case_init (Case *c)
{
  *c = (Case){ .n_multiprocessors = draw (1, 160) };
  draw_format (c);
  for (unsigned inverse = 0; inverse < 2; inverse++)
    for (unsigned ability = 0; ability < PACO_DWT_N_ABILITIES; ability++)
      for (unsigned layout = 0; layout < PACO_DWT_N_LAYOUTS; layout++)
        for (unsigned triple = 0; triple < 2; triple++)
          c->kernels
              .kernels[inverse][PACO_WAVELET_CDF53][ability][layout][triple]
              .warps = PACO_DWT_THREADS / 32 * draw (1, 12);
  c->geometry = paco_geometry_new (&c->format, &c->coding);
  g_assert_nonnull (c->geometry);
  c->dwt = paco_dwt_new (
      &c->format, &c->coding, c->geometry, c->n_multiprocessors, &c->kernels);
}

static void
case_clear (Case *c)
{
  paco_dwt_free (c->dwt);
  paco_geometry_free (c->geometry);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* Counts the thread blocks that a launch has with tiles of N pairs. group
 * is how many planes are done together. */
static unsigned
count_blocks (
    const PacoDwtLaunch *launch, unsigned n, unsigned group, unsigned pairs)
{
  unsigned n_blocks = 0;

  for (unsigned i = 0; i < n; i += group) {
    const PacoDwtPlane *plane = &launch->parameters.planes[i];
    unsigned n_tiles = ((plane->height + 1) / 2 + pairs - 1) / pairs;

    n_blocks += (plane->n_strips * n_tiles * 32 + PACO_DWT_THREADS - 1)
        / PACO_DWT_THREADS;
  }
  return n_blocks;
}

static void
check_launch (const Case *c, const PacoDwtLaunch *launch)
{
  const PacoDwtParameters *p = &launch->parameters;
  unsigned group = p->color_transform != PACO_COLOR_TRANSFORM_NONE ? 3 : 1;
  unsigned n = launch->grid_y * group, pairs = p->tile_pairs;
  unsigned room = c->n_multiprocessors * launch->kernel->warps * 32
      / PACO_DWT_THREADS;

  g_assert_cmpuint (pairs, >=, PACO_DWT_MIN_TILE_PAIRS);
  g_assert_cmpuint (pairs, <=, PACO_DWT_MAX_TILE_PAIRS);
  for (unsigned i = 0; i < n; i++) {
    const PacoDwtPlane *plane = &p->planes[i];
    unsigned n_tiles = ((plane->height + 1) / 2 + pairs - 1) / pairs;

    g_assert_cmpuint (plane->n_warps, ==, plane->n_strips * n_tiles);
    g_assert_cmpuint (
        launch->grid_x * PACO_DWT_THREADS, >=, plane->n_warps * 32);
  }
  if (pairs < PACO_DWT_MAX_TILE_PAIRS)
    g_assert_cmpuint (count_blocks (launch, n, group, pairs), <=, room);
  if (pairs > PACO_DWT_MIN_TILE_PAIRS)
    g_assert_cmpuint (count_blocks (launch, n, group, pairs - 1), >, room);
}

static void
test_tiles (void)
{
  for (unsigned i = 0; i < 300; i++) {
    PacoDwtLaunch launches[PACO_DWT_MAX_LAUNCHES];
    PacoPicture picture = { { 0 } };
    g_auto (Case) c;

    case_init (&c);
    for (unsigned k = 0; k < c.format.n_components; k++)
      picture.layout[k] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (1);
    for (unsigned inverse = 0; inverse < 2; inverse++) {
      PacoDwtFrame frame = { .coding = &c.coding, .picture = &picture };
      unsigned n = paco_dwt_launches (c.dwt, &frame, inverse, launches);

      g_assert_cmpuint (n, >=, c.coding.levels);
      for (unsigned k = 0; k < n; k++)
        check_launch (&c, &launches[k]);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiles", test_tiles);
  return g_test_run ();
}
