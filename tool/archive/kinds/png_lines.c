/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Filters the lines of a PNG file and undoes that, and places the lines of
 * interlaced ones (png.h). */
#include "tool/archive/kinds/png.h"
#include <string.h>

guint
paco_png_passes (
    const PacoPngPicture *picture, PacoPngPass passes[PACO_PNG_MAX_PASSES])
{
  static const PacoPngPass whole = { .dx = 1, .dy = 1 };
  static const PacoPngPass adam7[PACO_PNG_MAX_PASSES] = {
    { .x = 0, .y = 0, .dx = 8, .dy = 8 },
    { .x = 4, .y = 0, .dx = 8, .dy = 8 },
    { .x = 0, .y = 4, .dx = 4, .dy = 8 },
    { .x = 2, .y = 0, .dx = 4, .dy = 4 },
    { .x = 0, .y = 2, .dx = 2, .dy = 4 },
    { .x = 1, .y = 0, .dx = 2, .dy = 2 },
    { .x = 0, .y = 1, .dx = 1, .dy = 2 },
  };
  guint n = 0;

  for (guint i = 0; i < (picture->interlaced ? PACO_PNG_MAX_PASSES : 1); i++) {
    PacoPngPass pass = picture->interlaced ? adam7[i] : whole;

    if (pass.x >= picture->width || pass.y >= picture->height)
      continue;
    pass.columns = (picture->width - pass.x + pass.dx - 1) / pass.dx;
    pass.lines = (picture->height - pass.y + pass.dy - 1) / pass.dy;
    pass.line_bytes = 1 + (gsize) pass.columns * picture->pixel_bytes;
    passes[n++] = pass;
  }
  return n;
}

gsize
paco_png_bytes (const PacoPngPicture *picture)
{
  PacoPngPass passes[PACO_PNG_MAX_PASSES];
  guint n = paco_png_passes (picture, passes);
  gsize bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += passes[i].line_bytes * passes[i].lines;
  return bytes;
}

gsize
paco_png_lines (const PacoPngPicture *picture)
{
  PacoPngPass passes[PACO_PNG_MAX_PASSES];
  guint n = paco_png_passes (picture, passes);
  gsize lines = 0;

  for (guint i = 0; i < n; i++)
    lines += passes[i].lines;
  return lines;
}

gboolean
paco_png_get_filters (const PacoPngPicture *picture, const guint8 *lines,
    guint8 *filters, gboolean *filtered)
{
  PacoPngPass passes[PACO_PNG_MAX_PASSES];
  guint n = paco_png_passes (picture, passes);

  *filtered = FALSE;
  for (guint i = 0; i < n; i++)
    for (guint32 y = 0; y < passes[i].lines; y++) {
      if (*lines >= PACO_PNG_FILTERS)
        return FALSE;
      *filtered |= *lines != 0;
      *filters++ = *lines;
      lines += passes[i].line_bytes;
    }
  return TRUE;
}

void
paco_png_set_filters (
    const PacoPngPicture *picture, guint8 *lines, const guint8 *filters)
{
  PacoPngPass passes[PACO_PNG_MAX_PASSES];
  guint n = paco_png_passes (picture, passes);

  for (guint i = 0; i < n; i++)
    for (guint32 y = 0; y < passes[i].lines; y++) {
      *lines = filters ? *filters++ : 0;
      lines += passes[i].line_bytes;
    }
}

/* --- filters ----------------------------------------------------------- */

static inline guint8
paeth (guint8 a, guint8 b, guint8 c)
{
  gint pa = b - c, pb = a - c, pc = ABS (pa + pb);

  pa = ABS (pa);
  pb = ABS (pb);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Returns what byte i of a line is predicted to be, by the bytes on the left,
 * above, and on the left of that one. */
static inline guint8
predict (guint filter, guint8 left, guint8 above, guint8 corner)
{
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (guint8) ((left + above) / 2);
    case 4:
      return paeth (left, above, corner);
    default:
      return 0;
  }
}

/* Undoes a filter. `line` begins behind its filter; `above` has zeros if there is
 * no line above. It is inlined, so that the filter is a constant. */
static inline void
unfilter_line (
    guint filter, guint8 *line, const guint8 *above, gsize n, gsize pixel)
{
  for (gsize i = 0; i < pixel; i++)
    line[i] += predict (filter, 0, above[i], 0);
  for (gsize i = pixel; i < n; i++)
    line[i] += predict (filter, line[i - pixel], above[i], above[i - pixel]);
}

/* Filters from the right, because the line itself is what is predicted from. */
static inline void
filter_line (
    guint filter, guint8 *line, const guint8 *above, gsize n, gsize pixel)
{
  for (gsize i = n; i-- > pixel;)
    line[i] -= predict (filter, line[i - pixel], above[i], above[i - pixel]);
  for (gsize i = pixel; i-- > 0;)
    line[i] -= predict (filter, 0, above[i], 0);
}

#define WITH_CONSTANT(function, filter, ...)                                   \
  switch (filter) {                                                            \
    case 1:                                                                    \
      function (1, __VA_ARGS__);                                               \
      break;                                                                   \
    case 2:                                                                    \
      function (2, __VA_ARGS__);                                               \
      break;                                                                   \
    case 3:                                                                    \
      function (3, __VA_ARGS__);                                               \
      break;                                                                   \
    case 4:                                                                    \
      function (4, __VA_ARGS__);                                               \
      break;                                                                   \
    default:                                                                   \
      break;                                                                   \
  }

void
paco_png_unfilter (const PacoPngPicture *picture, guint8 *lines)
{
  PacoPngPass passes[PACO_PNG_MAX_PASSES];
  guint n = paco_png_passes (picture, passes);
  g_autofree guint8 *zeros = g_malloc0 (
      (gsize) picture->width * picture->pixel_bytes);

  for (guint i = 0; i < n; i++) {
    const PacoPngPass *pass = &passes[i];
    const guint8 *above = zeros;

    for (guint32 y = 0; y < pass->lines; y++) {
      WITH_CONSTANT (unfilter_line, lines[0], lines + 1, above,
          pass->line_bytes - 1, picture->pixel_bytes);
      above = lines + 1;
      lines += pass->line_bytes;
    }
  }
}

void
paco_png_filter (const PacoPngPicture *picture, guint8 *lines)
{
  PacoPngPass passes[PACO_PNG_MAX_PASSES];
  guint n = paco_png_passes (picture, passes);
  g_autofree guint8 *zeros = g_malloc0 (
      (gsize) picture->width * picture->pixel_bytes);

  /* Lines are filtered from below, because they are predicted from lines that are
   * not filtered yet. */
  for (guint i = 0; i < n; i++) {
    const PacoPngPass *pass = &passes[i];

    for (guint32 y = pass->lines; y-- > 0;) {
      guint8 *line = lines + y * pass->line_bytes;
      const guint8 *above = y > 0 ? line + 1 - pass->line_bytes : zeros;

      WITH_CONSTANT (filter_line, line[0], line + 1, above,
          pass->line_bytes - 1, picture->pixel_bytes);
    }
    lines += pass->line_bytes * pass->lines;
  }
}

/* --- interlacing ------------------------------------------------------- */

void
paco_png_interlace (const PacoPngPicture *picture, gboolean back,
    guint8 *samples, guint8 *lines)
{
  PacoPngPass passes[PACO_PNG_MAX_PASSES];
  guint n = paco_png_passes (picture, passes), bytes = picture->pixel_bytes;

  for (const PacoPngPass *pass = passes; pass < passes + n; pass++)
    for (guint32 y = 0; y < pass->lines; y++, lines += pass->line_bytes)
      for (guint32 i = 0; i < pass->columns; i++) {
        gsize line = pass->y + (gsize) y * pass->dy;
        gsize column = pass->x + (gsize) i * pass->dx;
        guint8 *sample = samples + (line * picture->width + column) * bytes;
        guint8 *of_line = lines + 1 + (gsize) i * bytes;

        memcpy (back ? sample : of_line, back ? of_line : sample, bytes);
      }
}
