/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The steps of the color transform of mosaics; mosaic.h says for whom. */
#include "mosaic.h"

/* Returns the component at a place of the cell. */
static unsigned
component_at (const PacoPictureFormat *format, unsigned x, unsigned y)
{
  unsigned c = 0;

  while (c < 3
      && (format->components[c].place_x != x
          || format->components[c].place_y != y))
    c++;
  return c;
}

PacoMosaicStep
paco_mosaic_step (
    const PacoPictureFormat *format, const PacoCoding *coding, unsigned k)
{
  const PacoMosaicStep steps[PACO_MOSAIC_STEPS] = {
    { .component = 0, .weight = (int8_t) coding->parameters[0] },
    { .component = 3, .weight = (int8_t) coding->parameters[1] },
    { .component = 2, .diagonal = true, .weight = 8 },
    { .component = 1, .diagonal = true, .weight = -4 },
  };
  PacoMosaicStep step = steps[k];
  unsigned x = format->components[step.component].place_x;
  unsigned y = format->components[step.component].place_y;

  step.beside = component_at (format, 1 - x, step.diagonal ? 1 - y : y);
  step.above = component_at (format, step.diagonal ? 1 - x : x, 1 - y);
  return step;
}

bool
paco_mosaic_is_usual (const PacoPictureFormat *format)
{
  const PacoComponent *red = &format->components[0];
  const PacoComponent *blue = &format->components[3];

  return format->mosaic && red->place_x != blue->place_x
      && red->place_y != blue->place_y;
}

PacoPictureFormat
paco_mosaic_planes (const PacoPictureFormat *format)
{
  PacoPictureFormat planes = *format;

  for (unsigned c = 0; c < planes.n_components; c++) {
    planes.components[c].depth = PACO_MOSAIC_DEPTH;
    planes.components[c].kind = PACO_SAMPLE_UNSIGNED;
  }
  return planes;
}
