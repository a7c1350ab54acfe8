/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements the pictures of gray-picture.h, their transform and their tables. */
#include "tests/lab/gray-picture.h"
#include "codec/tables/pictures.h"
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Reading --- */

/* Unpacks to a file of its own; returns its path, or NULL. */
static char *
unpack (const char *path, GError **error)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *quoted = g_shell_quote (path);
  g_autofree char *target = NULL;
  g_autofree char *command = NULL;
  char *argv[] = { (char *) "sh", (char *) "-c", NULL, NULL };
  char *folder = g_dir_make_tmp ("paco-lab-XXXXXX", error);
  char *out;
  int status;

  if (!folder)
    return NULL;
  if (g_str_has_suffix (name, ".xz"))
    name[strlen (name) - 3] = 0;
  out = g_build_filename (folder, name, NULL);
  g_free (folder);
  target = g_shell_quote (out);
  argv[2] = command = g_strdup_printf ("xz -dc %s > %s", quoted, target);
  if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
          NULL, &status, error)
      || !g_spawn_check_wait_status (status, error))
    g_clear_pointer (&out, g_free);
  return out;
}

static void
remove_unpacked (char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
}

/* Keeps the middle of the plane. */
static void
crop (PacoReferencePlane *plane, uint32_t width, uint32_t height)
{
  PacoReferencePlane cut;
  uint32_t left, top;

  if (plane->width <= width && plane->height <= height)
    return;
  width = MIN (width, plane->width);
  height = MIN (height, plane->height);
  left = (plane->width - width) / 2;
  top = (plane->height - height) / 2;
  if (!paco_reference_plane_init (&cut, width, height))
    g_error ("There is no memory for %ux%u samples.", width, height);
  for (uint32_t y = 0; y < height; y++)
    memcpy (cut.samples + (size_t) y * width,
        plane->samples + (size_t) (top + y) * plane->width + left,
        width * sizeof *cut.samples);
  paco_reference_plane_clear (plane);
  *plane = cut;
}

gboolean
gray_picture_read (const char *path, uint32_t max_width, uint32_t max_height,
    GrayPicture *picture, GError **error)
{
  char *unpacked = unpack (path, error);
  TrainingPicture file;
  gboolean done;

  if (!unpacked)
    return FALSE;
  done = training_picture_read (unpacked, &file, error);
  remove_unpacked (unpacked);
  if (!done)
    return FALSE;
  if (file.rgb)
    training_picture_make_gray (&file);
  file.format.n_components = 1;
  *picture = (GrayPicture){
    .name = g_strndup (file.name, strcspn (file.name, ".")),
    .depth = file.format.components[0].depth,
  };
  if (!paco_reference_plane_init (
          &picture->plane, file.format.width, file.format.height))
    g_error ("There is no memory for %s.", path);
  paco_reference_load_samples (
      &file.format, &file.picture, 0, 0, &picture->plane);
  training_picture_clear (&file);
  crop (&picture->plane, max_width, max_height);
  return TRUE;
}

void
gray_picture_clear (GrayPicture *picture)
{
  g_clear_pointer (&picture->name, g_free);
  paco_reference_plane_clear (&picture->plane);
}

double
gray_picture_psnr (const GrayPicture *picture, const PacoReferenceSample *other)
{
  size_t n = (size_t) picture->plane.width * picture->plane.height;
  double maximum = (double) (((uint32_t) 1 << picture->depth) - 1);
  double sum = 0;

  for (size_t i = 0; i < n; i++) {
    double difference = (double) picture->plane.samples[i].i - other[i].i;

    sum += difference * difference;
  }
  return sum > 0 ? 10 * log10 (maximum * maximum * (double) n / sum) : INFINITY;
}

/* --- The transform --- */

/* Finds LL, and then of the levels from the coarsest HL, LH and HH. */
static void
find_subbands (GrayTransform *transform)
{
  const PacoReferencePlane *plane = &transform->plane;
  bool reversible = paco_wavelets[transform->wavelet].reversible;

  for (unsigned i = 0; i < GRAY_SUBBANDS; i++) {
    unsigned level = i == 0 ? GRAY_LEVELS : GRAY_LEVELS - (i - 1) / 3;
    unsigned orientation = i == 0 ? 0 : (i - 1) % 3 + 1;
    uint32_t low_width = paco_ceil_shift (plane->width, level);
    uint32_t low_height = paco_ceil_shift (plane->height, level);
    uint32_t width = paco_ceil_shift (plane->width, level - 1);
    uint32_t height = paco_ceil_shift (plane->height, level - 1);
    bool right = orientation & 1, lower = orientation & 2;

    transform->subbands[i] = (GraySubband){
      .left = right ? low_width : 0,
      .top = lower ? low_height : 0,
      .width = right ? width - low_width : low_width,
      .height = lower ? height - low_height : low_height,
      .step = reversible ? 1.0f
                         : (float) (1.0
                             / paco_wavelet_norm (transform->wavelet, level,
                                 (PacoOrientation) orientation)),
    };
  }
}

static void
quantize (GrayTransform *transform, const GraySubband *subband)
{
  for (uint32_t y = 0; y < subband->height; y++)
    for (uint32_t x = 0; x < subband->width; x++) {
      size_t at = (size_t) (subband->top + y) * transform->plane.width
          + subband->left + x;
      PacoReferenceSample *sample = &transform->plane.samples[at];
      float in_steps = sample->f / subband->step;

      transform->exact[at] = fabsf (in_steps);
      sample->i = (int32_t) in_steps;
    }
}

void
gray_transform (
    const GrayPicture *picture, PacoWaveletId wavelet, GrayTransform *transform)
{
  size_t n = (size_t) picture->plane.width * picture->plane.height;
  PacoReferenceSample *samples;

  *transform = (GrayTransform){ .wavelet = wavelet };
  if (!paco_reference_plane_init (
          &transform->plane, picture->plane.width, picture->plane.height))
    g_error ("There is no memory for %zu coefficients.", n);
  samples = transform->plane.samples;
  find_subbands (transform);
  memcpy (samples, picture->plane.samples, n * sizeof *samples);
  for (size_t i = 0; !paco_wavelets[wavelet].reversible && i < n; i++)
    samples[i].f = (float) samples[i].i;
  paco_reference_forward_dwt (&transform->plane, GRAY_LEVELS, wavelet);
  if (paco_wavelets[wavelet].reversible)
    return;
  transform->exact = g_new (float, n);
  for (unsigned i = 0; i < GRAY_SUBBANDS; i++)
    quantize (transform, &transform->subbands[i]);
}

void
gray_transform_clear (GrayTransform *transform)
{
  paco_reference_plane_clear (&transform->plane);
  g_clear_pointer (&transform->exact, g_free);
}

/* --- Tables --- */

static void
add (GrayCounts *to, const GrayCounts *counts, int factor)
{
  uint64_t *sums = (uint64_t *) to;
  const uint64_t *summands = (const uint64_t *) counts;

  for (size_t i = 0; i < sizeof *to / sizeof *sums; i++)
    sums[i] += (uint64_t) factor * summands[i];
}

void
gray_counts_add (GrayCounts *to, const GrayCounts *counts)
{
  add (to, counts, 1);
}

void
gray_counts_subtract (GrayCounts *to, const GrayCounts *counts)
{
  add (to, counts, -1);
}

static double
probability_of_zero (const uint64_t counts[2])
{
  return ((double) counts[0] + 1) / ((double) (counts[0] + counts[1]) + 2);
}

void
gray_tables (
    const GrayCounts *counts, unsigned probability_bits, GrayTables *tables)
{
  unsigned one = 1u << probability_bits;

  for (unsigned s = 0; s < GRAY_SUBBANDS; s++)
    for (unsigned j = 0; j < BITPLANES_MAX_PLANES; j++)
      for (unsigned c = 0; c < N_CONTEXTS; c++) {
        unsigned p = (unsigned) (one
            * probability_of_zero (counts->of[s][j][c]));

        tables->of[s].p[j][c] = (uint16_t) CLAMP (p, 1, one - 1);
      }
}

/* Returns the bits of symbols of which n[0] are 0, with a probability p. */
static double
bits_of (const uint64_t n[2], double p)
{
  return -(double) n[0] * log2 (p) - (double) n[1] * log2 (1 - p);
}

double
gray_ideal_bits (const GrayCounts *picture, const GrayCounts *others)
{
  double bits = 0;

  for (unsigned s = 0; s < GRAY_SUBBANDS; s++)
    for (unsigned j = 0; j < BITPLANES_MAX_PLANES; j++)
      for (unsigned c = 0; c < N_CONTEXTS; c++)
        bits += bits_of (
            picture->of[s][j][c], probability_of_zero (others->of[s][j][c]));
  return bits;
}

double
gray_table_bits (const GrayCounts *picture, const GrayTables *tables,
    unsigned probability_bits)
{
  double bits = 0;

  for (unsigned s = 0; s < GRAY_SUBBANDS; s++)
    for (unsigned j = 0; j < BITPLANES_MAX_PLANES; j++)
      for (unsigned c = 0; c < N_CONTEXTS; c++)
        bits += bits_of (picture->of[s][j][c],
            ldexp (tables->of[s].p[j][c], -(int) probability_bits));
  return bits;
}
