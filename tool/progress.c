/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws the line that says how far a command is (progress.h). */
#include "progress.h"
#include "codec/text.h"
#include "tool.h"
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_US 200000
#define N_TIMES 25 /* redraws that the frames a second are a mean of */
#define MAX_BAR 40

struct PacoProgress
{
  bool shown;
  uint64_t total, done;
  int64_t begin, drawn; /* microseconds */
  /* A ring of times when the line was drawn, and how many frames there were. */
  struct
  {
    int64_t time;
    uint64_t done;
  } times[N_TIMES];
  unsigned n_times;
};

PacoProgress *
paco_progress_new (uint64_t total, bool quiet)
{
  PacoProgress *progress = g_new0 (PacoProgress, 1);

  progress->shown = !quiet && isatty (STDERR_FILENO);
  progress->total = total;
  progress->begin = progress->drawn = g_get_monotonic_time ();
  progress->times[0].time = progress->begin;
  progress->n_times = 1;
  return progress;
}

static unsigned
terminal_columns (void)
{
  struct winsize size;

  if (ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

static double
rate (const PacoProgress *progress, int64_t now)
{
  unsigned oldest = progress->n_times < N_TIMES ? 0
                                                : progress->n_times % N_TIMES;
  int64_t span = now - progress->times[oldest].time;

  return span > 0
      ? 1e6 * (double) (progress->done - progress->times[oldest].done)
          / (double) span
      : 0;
}

static void
append_bar (GString *line, const PacoProgress *progress, unsigned width)
{
  unsigned full = (unsigned) (width * MIN (progress->done, progress->total)
      / progress->total);

  g_string_append (line, " [");
  for (unsigned i = 0; i < width; i++)
    g_string_append_c (line, i < full ? '#' : '.');
  g_string_append_c (line, ']');
}

static void
draw (PacoProgress *progress, int64_t now)
{
  g_autoptr (GString) line = g_string_new (NULL);
  double fps = rate (progress, now);
  unsigned columns = terminal_columns ();

  g_string_append_printf (line, "%" G_GUINT64_FORMAT, progress->done);
  if (progress->total > 0)
    g_string_append_printf (line, " of %" G_GUINT64_FORMAT, progress->total);
  g_string_append_printf (line, " %s, %.1f fps",
      paco_text_plural (progress->total ? progress->total : progress->done,
          "frame", "frames"),
      fps);
  if (progress->total > progress->done && fps > 0) {
    uint64_t left =
        (uint64_t) ((double) (progress->total - progress->done) / fps) + 1;

    g_string_append_printf (line, ", %" G_GUINT64_FORMAT ":%02u:%02u left",
        left / 3600, (unsigned) (left / 60 % 60), (unsigned) (left % 60));
  }
  if (progress->total > 0 && columns > line->len + 14)
    append_bar (
        line, progress, MIN (MAX_BAR, columns - (unsigned) line->len - 4));
  if (line->len >= columns)
    g_string_truncate (line, columns - 1);
  fprintf (stderr, "\r%s\033[K", line->str);
  fflush (stderr);
  progress->drawn = now;
}

void
paco_progress_set (PacoProgress *progress, uint64_t done)
{
  int64_t now;

  progress->done = done;
  if (!progress->shown)
    return;
  now = g_get_monotonic_time ();
  if (now - progress->drawn < REDRAW_US && done != progress->total)
    return;
  draw (progress, now);
  progress->times[progress->n_times % N_TIMES].time = now;
  progress->times[progress->n_times % N_TIMES].done = done;
  progress->n_times++;
}

void
paco_progress_pause (const PacoProgress *progress)
{
  if (!progress || !progress->shown)
    return;
  fputs ("\r\033[K", stderr);
  fflush (stderr);
}

void
paco_progress_complain (PacoProgress *progress, const char *format, ...)
{
  va_list arguments;
  g_autofree char *sentence = NULL;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  paco_progress_pause (progress);
  paco_tool_complain ("%s", sentence);
}

void
paco_progress_free (PacoProgress *progress)
{
  paco_progress_pause (progress);
  g_free (progress);
}
