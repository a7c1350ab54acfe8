/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The color transform of mosaics, sample by sample (FORMAT.md section 5.1), for the
 * reference's encoder.c and decoder.c. */
#include "codec/reference/reference.h"

/* The components of a mosaic that is transformed. */
enum
{
  RED,
  GREEN_BESIDE_RED,
  GREEN_BESIDE_BLUE,
  BLUE
};

/* A mosaic of planes, and its transform. */
typedef struct
{
  const PacoPictureFormat *format;
  const PacoCoding *coding;
  PacoReferencePlane *planes;
} Mosaic;

/* Returns the sample in a column and a line of the mosaic, mirrored at its edges. */
static int32_t
sample_at (const Mosaic *mosaic, int64_t column, int64_t line)
{
  int64_t width = 2 * (int64_t) mosaic->planes[0].width;
  int64_t height = 2 * (int64_t) mosaic->planes[0].height;
  unsigned c = 0;

  column = column < 0 ? -column : column;
  column = column >= width ? 2 * (width - 1) - column : column;
  line = line < 0 ? -line : line;
  line = line >= height ? 2 * (height - 1) - line : line;
  while (mosaic->format->components[c].place_x != column % 2
      || mosaic->format->components[c].place_y != line % 2)
    c++;
  return mosaic->planes[c]
      .samples[line / 2 * mosaic->planes[c].width + column / 2]
      .i;
}

/* What is subtracted from the sample in a column and a line. */
static int32_t
prediction (const Mosaic *mosaic, unsigned component, int64_t x, int64_t y)
{
  const uint8_t *parameters = mosaic->coding->parameters;
  int32_t corners = sample_at (mosaic, x - 1, y - 1)
      + sample_at (mosaic, x + 1, y - 1) + sample_at (mosaic, x - 1, y + 1)
      + sample_at (mosaic, x + 1, y + 1);
  int32_t sides = sample_at (mosaic, x - 1, y) + sample_at (mosaic, x + 1, y)
      + sample_at (mosaic, x, y - 1) + sample_at (mosaic, x, y + 1);

  switch (component) {
    case RED:
      return (parameters[0] * sides + 16) >> 5;
    case BLUE:
      return (parameters[1] * sides + 16) >> 5;
    case GREEN_BESIDE_BLUE:
      return (8 * corners + 16) >> 5;
    default:
      return (-4 * corners + 16) >> 5;
  }
}

/* Does or undoes the step of a component. */
static void
lift (const Mosaic *mosaic, unsigned c, bool undo)
{
  const PacoComponent *component = &mosaic->format->components[c];
  int32_t half = 1 << (component->depth - 1);
  PacoReferenceSample *sample = mosaic->planes[c].samples;

  for (uint32_t y = 0; y < mosaic->planes[c].height; y++)
    for (uint32_t x = 0; x < mosaic->planes[c].width; x++, sample++) {
      int32_t change = prediction (
          mosaic, c, 2 * x + component->place_x, 2 * y + component->place_y);

      sample->i = (int16_t) (undo ? sample->i + change : sample->i - change);
      if (undo)
        sample->i = CLAMP (sample->i, -half, half - 1);
    }
}

static bool
is_transformed (const PacoCoding *coding)
{
  return coding->color_transform == PACO_COLOR_TRANSFORM_MOSAIC;
}

void
paco_reference_forward_mosaic (const PacoPictureFormat *format,
    const PacoCoding *coding, PacoReferencePlane *planes)
{
  const Mosaic mosaic = { format, coding, planes };

  if (!is_transformed (coding))
    return;
  lift (&mosaic, RED, false);
  lift (&mosaic, BLUE, false);
  lift (&mosaic, GREEN_BESIDE_BLUE, false);
  lift (&mosaic, GREEN_BESIDE_RED, false);
}

void
paco_reference_inverse_mosaic (const PacoPictureFormat *format,
    const PacoCoding *coding, PacoReferencePlane *planes)
{
  const Mosaic mosaic = { format, coding, planes };

  if (!is_transformed (coding))
    return;
  for (unsigned c = 0; c < 4; c++)
    for (size_t i = 0; i < (size_t) planes[c].width * planes[c].height; i++)
      planes[c].samples[i].i = CLAMP (
          planes[c].samples[i].i, INT16_MIN, INT16_MAX);
  lift (&mosaic, GREEN_BESIDE_RED, true);
  lift (&mosaic, GREEN_BESIDE_BLUE, true);
  lift (&mosaic, BLUE, true);
  lift (&mosaic, RED, true);
}
