/* SPDX-License-Identifier: LGPL-2.1-or-later
 * rows_methods.h says what this is for. */
#include "tests/lab/cuda/rows_methods.h"

const char *
lab_method_name (LabMethod method)
{
  static const char *const names[LAB_N_METHODS] = { "sliding window",
    "transpose", "trivial", "a thread a pair", "convolution" };

  return names[method];
}

size_t
lab_element_bytes (LabElement element)
{
  return element == LAB_16 ? 2 : 4;
}

bool
lab_is_interleaved (LabMethod method)
{
  return method == LAB_SLIDING;
}

static uint32_t
aligned (uint32_t n)
{
  return (n + LAB_ROW_ALIGNMENT - 1) / LAB_ROW_ALIGNMENT * LAB_ROW_ALIGNMENT;
}

uint32_t
lab_row_stride (const LabTransform *transform)
{
  return aligned (transform->size[0]);
}

size_t
lab_home_elements (const LabTransform *transform)
{
  return (size_t) lab_row_stride (transform) * transform->size[1]
      * transform->size[2];
}

size_t
lab_scratch_elements (const LabTransform *transform)
{
  switch (transform->method) {
    case LAB_SLIDING:
    case LAB_COLUMNS:
      return 0;
    case LAB_TRANSPOSE:
      return (size_t) aligned (transform->size[1]) * transform->size[0];
    default:
      return lab_home_elements (transform);
  }
}

/* --- Launches --- */

/* This is a list that grows. */
typedef struct
{
  const LabDevice *device;
  const LabTransform *transform;
  CUdeviceptr home, scratch;
  LabLaunch *launches;
  LabLines *lines;
  unsigned n;
} Plan;

static unsigned
divided (unsigned a, unsigned b)
{
  return (a + b - 1) / b;
}

static unsigned
whole_warps (unsigned threads, unsigned most)
{
  return CLAMP (divided (threads, 32) * 32, 32, most);
}

static CUfunction
find_kernel (const Plan *plan, const char *method)
{
  const LabTransform *t = plan->transform;
  const char *direction = t->inverse ? "inverse" : "forward";
  char name[80];

  if (t->method == LAB_CONVOLUTION)
    g_snprintf (name, sizeof name, "rows_convolution_%s_%s_%s", method,
        lab_wavelet (t->wavelet).name, direction);
  else if (g_str_equal (method, "transpose"))
    g_snprintf (name, sizeof name, "rows_transpose_%zu",
        8 * lab_element_bytes (t->element));
  else
    g_snprintf (name, sizeof name, "rows_%s_%s_%zu_%s", method,
        lab_wavelet (t->wavelet).name, 8 * lab_element_bytes (t->element),
        direction);
  return lab_device_kernel (plan->device, name);
}

static void
add (Plan *plan, const char *method, const LabLines *lines, unsigned grid_x,
    unsigned grid_y, unsigned threads, size_t shared_bytes)
{
  g_assert (plan->n < LAB_MAX_LAUNCHES);
  plan->lines[plan->n] = *lines;
  plan->launches[plan->n] = (LabLaunch){ find_kernel (plan, method), grid_x,
    grid_y, threads, (unsigned) shared_bytes, &plan->lines[plan->n] };
  plan->n++;
}

/* Adds a line a block; method is "horizontal", or "columns". */
static void
add_whole_lines (Plan *plan, const char *method, const LabLines *lines)
{
  add (plan, method, lines, lines->n_lines, lines->n_planes,
      whole_warps ((lines->n + 1) / 2, LAB_LINE_THREADS),
      LAB_LINE_ELEMENTS (lines->n)
          * lab_element_bytes (plan->transform->element));
}

static void
add_slabs (Plan *plan, const LabLines *lines)
{
  const LabTransform *t = plan->transform;
  unsigned columns = t->threads_x * 4 / lab_element_bytes (t->element);
  LabLines slabs = *lines;

  slabs.words_log2 = g_bit_nth_lsf (t->threads_x, -1);
  add (plan, "sliding", &slabs, divided (lines->n_lines, columns),
      lines->n_planes, t->threads_x * t->threads_y,
      (size_t) 4 * t->threads_x * LAB_WINDOW_LINES (2 * t->threads_y));
}

/* Adds a transposition: columns of the home are rows of the scratch memory. */
static void
add_transposed (Plan *plan, const LabLines *columns)
{
  size_t bytes = lab_element_bytes (plan->transform->element);
  uint32_t stride = aligned (plan->transform->size[1]);
  unsigned side = LAB_TRANSPOSE_SIDE;
  size_t square = side * (side + 1) * bytes;

  add (plan, "transpose",
      &(LabLines){ .from = plan->home,
          .to = plan->scratch,
          .n = columns->n_lines,
          .n_lines = columns->n,
          .line = columns->sample,
          .sample = stride },
      divided (columns->n_lines, side), divided (columns->n, side),
      LAB_TRANSPOSE_THREADS, square);
  add_whole_lines (plan, "horizontal",
      &(LabLines){ .from = plan->scratch,
          .to = plan->scratch,
          .n = columns->n,
          .n_lines = columns->n_lines,
          .n_planes = 1,
          .sample = 1,
          .line = stride });
  add (plan, "transpose",
      &(LabLines){ .from = plan->scratch,
          .to = plan->home,
          .n = columns->n,
          .n_lines = columns->n_lines,
          .line = stride,
          .sample = columns->sample },
      divided (columns->n, side), divided (columns->n_lines, side),
      LAB_TRANSPOSE_THREADS, square);
}

static void
add_pairs (Plan *plan, const LabLines *lines, bool across)
{
  LabLines pairs = *lines;
  unsigned n_pairs = (lines->n + 1) / 2;
  unsigned fast = across ? lines->n_lines : n_pairs;
  unsigned slow = across ? n_pairs : lines->n_lines;
  unsigned threads = whole_warps (fast, LAB_PAIR_THREADS);

  pairs.across = across;
  add (plan, "pairs", &pairs, divided (fast, threads), slow * lines->n_planes,
      threads, 0);
}

static void
add_convolution (Plan *plan, const LabLines *lines, unsigned dimension)
{
  const unsigned margins = 2 * LAB_MAX_FILTER_REACH + 2;

  if (dimension == 0)
    add (plan, "rows", lines, lines->n_lines, lines->n_planes,
        whole_warps ((lines->n + 1) / 2, LAB_LINE_THREADS),
        sizeof (float) * (lines->n + 1 + margins));
  else
    add (plan, "columns", lines, divided (lines->n_lines, LAB_TILE_COLUMNS),
        divided ((lines->n + 1) / 2, LAB_TILE_PAIRS), LAB_TILE_THREADS,
        sizeof (float) * LAB_TILE_COLUMNS * (2 * LAB_TILE_PAIRS + margins));
}

/* Returns lines along a dimension of what a level begins with. Those whose
 * samples are no neighbors are columns: lines that are neighbors. */
static LabLines
lines_of (const LabTransform *t, unsigned dimension, unsigned level)
{
  unsigned apart = lab_is_interleaved (t->method) ? level : 0;
  uint32_t row = lab_row_stride (t);
  uint32_t stride[3] = { 1, row << apart, row * t->size[1] << apart };
  uint32_t n[3] = { t->size[0], t->size[1], t->size[2] };
  unsigned line = dimension == 0 ? 1 : 0, plane = dimension == 2 ? 1 : 2;

  for (unsigned d = 0; d < t->dimensions; d++)
    n[d] = divided (n[d], 1u << level);
  return (LabLines){
    .n = n[dimension],
    .n_lines = n[line],
    .n_planes = n[plane],
    .sample = stride[dimension],
    .line = stride[line],
    .plane = stride[plane],
  };
}

/* Adds a dimension. Methods that do not work in place go from one memory to the
 * other and, with the next dimension, back. */
static void
add_dimension (Plan *plan, unsigned dimension, unsigned level)
{
  const LabTransform *t = plan->transform;
  LabLines lines = lines_of (t, dimension, level);
  bool returns = dimension == (t->inverse ? 1 : 0);

  lines.from = returns ? plan->scratch : plan->home;
  lines.to = returns ? plan->home : plan->scratch;
  if (lab_scratch_elements (t) == 0 || t->method == LAB_TRANSPOSE)
    lines.from = lines.to = plan->home;

  if (t->method == LAB_PAIRS)
    add_pairs (plan, &lines, dimension > 0);
  else if (t->method == LAB_CONVOLUTION)
    add_convolution (plan, &lines, dimension);
  else if (dimension == 0)
    add_whole_lines (plan, "horizontal", &lines);
  else if (t->method == LAB_SLIDING)
    add_slabs (plan, &lines);
  else if (t->method == LAB_COLUMNS)
    add_whole_lines (plan, "columns", &lines);
  else
    add_transposed (plan, &lines);
}

unsigned
lab_transform_launches (const LabDevice *device, const LabTransform *transform,
    int only, CUdeviceptr home, CUdeviceptr scratch, LabLaunch *launches,
    LabLines *lines)
{
  Plan plan = { device, transform, home, scratch, launches, lines, 0 };
  unsigned n = transform->dimensions;

  g_assert (n == 2 || lab_scratch_elements (transform) == 0);
  for (unsigned i = 0; i < transform->levels; i++)
    for (unsigned k = 0; k < n; k++) {
      unsigned level = transform->inverse ? transform->levels - 1 - i : i;
      unsigned dimension = transform->inverse ? k : n - 1 - k;

      if (only < 0 || (unsigned) only == dimension)
        add_dimension (&plan, dimension, level);
    }
  return plan.n;
}
