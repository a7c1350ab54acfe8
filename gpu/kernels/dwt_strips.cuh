/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which columns and lines a warp has, and how those outside of the plane are filled
 * in. */
#pragma once
#include "gpu/kernels/dwt_lifting.cuh"
#include "gpu/kernels/device.cuh"

/* What is known of a tile before its loop. Knowing more removes branches, and the work
 * for one component can fill the latencies of another's. ANY_TILE: nothing. INNER_TILE:
 * 16-bit indices, at least PACO_DWT_MIN_PLAIN_HEIGHT lines and two columns, and all columns
 * of the strip are inside the plane; where the fine side is samples, also an LL of numbers,
 * and with floats no color transform but a matrix. BORDER_TILE: all that, but some columns
 * of the strip are outside. */
enum Path
{
  ANY_TILE,
  BORDER_TILE,
  INNER_TILE,
};

/* The color transform, or the only one that it can be. */
template <Path PATH, class Number>
DEVICE unsigned
known_transform (const PacoDwtParameters &p)
{
  return PATH != ANY_TILE && std::is_floating_point_v<Number>
      ? (unsigned) PACO_COLOR_TRANSFORM_MATRIX
      : p.color_transform;
}

/* Lines and columns that are shorter are mirrored more than once. */
static constexpr int SHORT = 8;

/* Mirrors i at 0 and n - 1 until it is inside: more than once only if n < LEAST. */
template <int LEAST>
DEVICE int
mirrored (int i, int n)
{
  int period = 2 * (n - 1);

  i = abs (i);
  if (n < LEAST) {
    while (i > period && n > 1)
      i -= period;
    if (n == 1)
      i = 0;
  }
  return min (i, period - i);
}

struct Place
{
  unsigned lane;
  int first_pair, n_pairs; /* of lines */
  int column;              /* first of the lane; may be outside */
  int fetched;             /* the same, or the nearest that is inside */
  /* The lane's columns are the strip's own; its low and high ones are so, and inside. */
  bool own, writes, writes_high;
  /* Some lane of the warp has columns outside. Byte i of sources says where column i
   * is: bits 0 to 4 the lane, bit 5 whether in its upper two columns. */
  bool edge, single; /* single: the plane has one column */
  uint32_t sources;
};

/* margin: columns on either side of the strip. */
DEVICE uint32_t
edge_sources (int column, int strip_first, int width, int margin)
{
  uint32_t sources = 0;

#pragma unroll
  for (int i = 0; i < LANE_COLUMNS; i++) {
    /* No result needs what lies further out. */
    int source = mirrored<SHORT> (min (column + i, width + margin), width);
    int lane = (source - strip_first + margin) / LANE_COLUMNS;

    sources |= (lane | (source & 2) << 4) << 8 * i;
  }
  return sources;
}

/* FALSE if this warp has nothing to do. */
template <class W>
DEVICE bool
warp_place (const PacoDwtParameters &p, const PacoDwtPlane &plane, Place *place)
{
  /* Through a shuffle: the compiler knows then that lanes do not differ. */
  unsigned warp = __shfl_sync (
      ALL_LANES, (blockIdx.x * PACO_DWT_THREADS + threadIdx.x) / 32, 0);
  unsigned strip, tile;

  if (warp >= plane.n_warps)
    return false;
  tile = warp / plane.n_strips;
  strip = warp - tile * plane.n_strips;
  place->lane = threadIdx.x % 32;
  place->first_pair = tile * p.tile_pairs;
  place->n_pairs = min (
      p.tile_pairs, (plane.height + 1) / 2 - (unsigned) place->first_pair);

  constexpr int STRIP = PACO_DWT_STRIP (W::REACH);
  int strip_first = strip * STRIP;
  int width = plane.width;

  place->column = strip_first + (int) place->lane * LANE_COLUMNS - W::MARGIN;
  place->fetched = min (
      max (place->column, 0), (width - 1) / LANE_COLUMNS * LANE_COLUMNS);
  place->edge = strip == 0 || strip_first + STRIP + W::MARGIN > width;
  place->single = width == 1;
  place->sources = 0;
  if (place->edge)
    place->sources = edge_sources (
        place->column, strip_first, width, W::MARGIN);
  place->own = place->lane - W::MARGIN / LANE_COLUMNS < STRIP / LANE_COLUMNS;
  place->writes = place->own && place->column < width;
  place->writes_high = place->writes && place->column + 1 < width;
  return true;
}

/* Fills in columns outside. Mirroring keeps a column's parity, so each is one of two
 * columns of some lane. */
template <bool FORWARD, class Number>
DEVICE void
fill_columns (const Place &place, Number *x)
{
  Number y[LANE_COLUMNS];

  if (!place.edge)
    return;
  if (FORWARD && place.single) /* but for the mirror images of a single one */
    x[1] = x[3] = x[0];
#pragma unroll
  for (int i = 0; i < LANE_COLUMNS; i++) {
    unsigned source = place.sources >> 8 * i;
    Number lower = __shfl_sync (ALL_LANES, x[i & 1], source & 31);
    Number upper = __shfl_sync (ALL_LANES, x[i | 2], source & 31);

    y[i] = source & 32 ? upper : lower;
  }
#pragma unroll
  for (int i = 0; i < LANE_COLUMNS; i++)
    x[i] = y[i];
}
