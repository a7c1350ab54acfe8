/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures memory over time, and writes reports, for record.c and station.c
 * (soak.h). */
#include "tests/soak/soak.h"
#include "codec/text.h"
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MIB (1024.0 * 1024.0)

/* --- Memory over time --- */

void
soak_memory_init (SoakMemory *memory)
{
  memory->start = g_get_monotonic_time ();
  memory->apart = 0;
  memory->samples = g_array_new (FALSE, FALSE, sizeof (SoakSample));
}

void
soak_memory_clear (SoakMemory *memory)
{
  g_array_unref (memory->samples);
}

static double
resident_size (void)
{
  FILE *file = fopen ("/proc/self/statm", "r");
  long pages = 0;

  if (file) {
    if (fscanf (file, "%*d %ld", &pages) != 1)
      pages = 0;
    fclose (file);
  }
  return (double) pages * (double) sysconf (_SC_PAGESIZE) / MIB;
}

static double
heap_size (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return (double) (info.uordblks + info.hblkhd) / MIB;
}

void
soak_memory_take (SoakMemory *memory, double device, double pinned)
{
  SoakSample sample = {
    .seconds = (double) (g_get_monotonic_time () - memory->start)
        / G_USEC_PER_SEC,
    .resident = resident_size () - memory->apart,
    .heap = heap_size () - memory->apart,
    .device = device,
    .pinned = pinned,
  };

  g_array_append_val (memory->samples, sample);
}

/* Finds the least of a part of the time, with its moment. Queues fill and
 * empty, and are nothing that grows. */
static gboolean
find_least (const SoakMemory *memory, gsize member, double from, double to,
    double *moment, double *least)
{
  gboolean found = FALSE;

  for (guint i = 0; i < memory->samples->len; i++) {
    const SoakSample *sample = &g_array_index (memory->samples, SoakSample, i);
    double size = G_STRUCT_MEMBER (double, sample, member);

    if (sample->seconds < from || sample->seconds >= to
        || (found && size >= *least))
      continue;
    *moment = sample->seconds;
    *least = size;
    found = TRUE;
  }
  return found;
}

SoakTrend
soak_trend (const SoakMemory *memory, gsize member, double skip)
{
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  guint n_samples = memory->samples->len;
  SoakTrend trend = { .first = 0 };
  double end, part;

  if (n_samples == 0)
    return trend;
  end = g_array_index (memory->samples, SoakSample, n_samples - 1).seconds;
  part = (end - skip) / SOAK_PARTS;
  for (int k = 0; k < SOAK_PARTS; k++) {
    double x = 0, y = 0;

    if (!find_least (
            memory, member, skip + k * part, skip + (k + 1) * part, &x, &y))
      continue;
    if (n == 0)
      trend.first = y;
    trend.last = y;
    n++;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  if (n >= 2 && n * sum_xx > sum_x * sum_x)
    trend.growth = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x)
        * (end - skip);
  return trend;
}

/* --- Reports --- */

void
soak_report_init (SoakReport *report)
{
  report->json = g_string_new ("{");
  report->n_failures = 0;
}

void
soak_report_clear (SoakReport *report)
{
  g_string_free (report->json, TRUE);
}

void
soak_report_text (SoakReport *report, const char *key, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  paco_json_text (paco_json_line (report->json, 2), key, text);
}

void
soak_report_number (SoakReport *report, const char *key, double value)
{
  paco_json_real (paco_json_line (report->json, 2), key, value,
      value == (double) (gint64) value ? "%.0f" : "%.3f");
}

void
soak_report_check (SoakReport *report, const char *key, gboolean holds)
{
  report->n_failures += !holds;
  paco_json_boolean (paco_json_line (report->json, 2), key, holds);
}

void
soak_report_memory (SoakReport *report, const SoakMemory *memory, double skip,
    double most_growth)
{
  SoakTrend resident = soak_trend (memory, SOAK_RESIDENT, skip);
  SoakTrend heap = soak_trend (memory, SOAK_HEAP, skip);

  soak_report_number (report, "resident_first", resident.first);
  soak_report_number (report, "resident_last", resident.last);
  soak_report_number (report, "resident_growth", resident.growth);
  soak_report_number (report, "heap_first", heap.first);
  soak_report_number (report, "heap_last", heap.last);
  soak_report_number (report, "heap_growth", heap.growth);
  soak_report_check (report, "memory_flat",
      resident.growth < most_growth && heap.growth < most_growth);
}

static char *
processor_name (void)
{
  g_autofree char *text = NULL;
  char *name = NULL;

  if (g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL)) {
    char *at = strstr (text, "model name");

    at = at ? strchr (at, ':') : NULL;
    if (at)
      name = g_strstrip (g_strndup (at + 1, strcspn (at + 1, "\n")));
  }
  return name ? name : g_strdup ("unknown");
}

void
soak_report_machine (SoakReport *report)
{
  g_autofree char *name = processor_name ();
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *date = g_date_time_format (now, "%F");
  double load[3] = { 0, 0, 0 };

  soak_report_text (report, "date", "%s", date);
  soak_report_text (report, "processor", "%s", name);
  soak_report_number (report, "cores", g_get_num_processors ());
  if (getloadavg (load, 3) > 0)
    soak_report_number (report, "load", load[2]);
}

gboolean
soak_report_write (SoakReport *report, const char *path)
{
  g_autoptr (GError) error = NULL;

  soak_report_check (report, "passed", report->n_failures == 0);
  g_string_append (report->json, "\n}\n");
  g_print ("%s", report->json->str);
  if (path && !g_file_set_contents (path, report->json->str, -1, &error))
    g_printerr ("%s\n", error->message);
  return !error && report->n_failures == 0;
}
