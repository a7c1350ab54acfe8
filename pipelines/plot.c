/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws a curve as an SVG file, as plot.h says. */
#include "pipelines/plot.h"
#include <math.h>

/* These are the sizes of the picture, and of the rectangle that the curve
 * has. */
#define WIDTH 900
#define HEIGHT 360
#define LEFT 60
#define RIGHT 20
#define TOP 50
#define BOTTOM 45
#define STEPS 6      /* lines of the grid, about */
#define LEAST_SPAN 4 /* dB */

typedef struct
{
  double low, high, step;
} Axis;

/* Returns 1, 2 or 5 times a power of ten. */
static double
round_step (double span)
{
  double power = pow (10, floor (log10 (span / STEPS)));
  double rest = span / STEPS / power;

  return power * (rest > 5 ? 10 : rest > 2 ? 5 : rest > 1 ? 2 : 1);
}

static Axis
value_axis (const double *values, guint n)
{
  Axis axis = { G_MAXDOUBLE, -G_MAXDOUBLE, 1 };

  for (guint i = 0; i < n; i++) {
    if (values[i] == G_MAXDOUBLE)
      continue;
    axis.low = MIN (axis.low, values[i]);
    axis.high = MAX (axis.high, values[i]);
  }
  if (axis.low > axis.high)
    axis.low = axis.high = 100; /* all of them are the same */
  /* A curve that is all but level is to look so. */
  if (axis.high - axis.low < LEAST_SPAN) {
    double more = (LEAST_SPAN - (axis.high - axis.low)) / 2;

    axis.low -= more;
    axis.high += more;
  }
  axis.step = round_step (axis.high - axis.low);
  axis.low = axis.step * floor (axis.low / axis.step);
  axis.high = axis.step * (floor (axis.high / axis.step) + 1);
  return axis;
}

/* Appends a value with a point as decimal separator, whatever the locale is. */
static void
append (GString *svg, const char *format, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (svg, g_ascii_formatd (text, sizeof text, format, value));
}

static double
to_y (const Axis *axis, double value)
{
  double part = value == G_MAXDOUBLE
      ? 1
      : (value - axis->low) / (axis->high - axis->low);

  return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

static double
to_x (double at, double span)
{
  return LEFT + at / span * (WIDTH - LEFT - RIGHT);
}

static void
draw_grid (GString *svg, const Axis *axis, double span, const char *unit)
{
  double step = round_step (span);

  for (double value = axis->low; value < axis->high + axis->step / 2;
       value += axis->step) {
    g_string_append_printf (svg, "<path d=\"M%d ", LEFT);
    append (svg, "%.1f", to_y (axis, value));
    g_string_append_printf (svg, "H%d\" stroke=\"#ddd\"/>\n", WIDTH - RIGHT);
    g_string_append_printf (
        svg, "<text x=\"%d\" text-anchor=\"end\" y=\"", LEFT - 8);
    append (svg, "%.1f", to_y (axis, value) + 4);
    g_string_append (svg, "\">");
    append (svg, "%g", value);
    g_string_append (svg, "</text>\n");
  }
  for (double at = 0; at < span + step / 100; at += step) {
    g_string_append_printf (svg, "<text text-anchor=\"middle\" y=\"%d\" x=\"",
        HEIGHT - BOTTOM + 18);
    append (svg, "%.1f", to_x (at, span));
    g_string_append (svg, "\">");
    append (svg, "%g", at);
    g_string_append (svg, "</text>\n");
  }
  g_string_append_printf (svg,
      "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n"
      "<text x=\"%d\" y=\"%d\">dB</text>\n",
      WIDTH - RIGHT, HEIGHT - 8, unit, 12, TOP - 12);
}

gboolean
plot_write_svg (const double *values, guint n, double rate, const char *title,
    const char *path, GError **error)
{
  Axis axis = value_axis (values, n);
  double span = MAX (n, 2) - 1, scale = rate > 0 ? 1 / rate : 1;
  char *escaped = g_markup_escape_text (title, -1);
  GString *svg = g_string_new (NULL);
  gboolean good;

  g_string_append_printf (svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
      "<text x=\"12\" y=\"22\" font-size=\"15\">%s</text>\n",
      WIDTH, HEIGHT, escaped);
  draw_grid (svg, &axis, span * scale, rate > 0 ? "seconds" : "pictures");
  g_string_append (svg, "<polyline fill=\"none\" stroke=\"#06c\" points=\"");
  for (guint i = 0; i < n; i++) {
    append (svg, "%.2f,", to_x (i, span));
    append (svg, "%.2f ", to_y (&axis, values[i]));
  }
  g_string_append (svg, "\"/>\n</svg>\n");
  good = g_file_set_contents (path, svg->str, (gssize) svg->len, error);
  g_string_free (svg, TRUE);
  g_free (escaped);
  return good;
}
