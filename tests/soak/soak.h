/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures memory over time, and writes a report in JSON, for the long
 * runs record.c and station.c. */
#pragma once
#include <glib.h>

/* --- Memory over time --- */

/* Sizes are in MiB. */
typedef struct
{
  double seconds; /* since the run began */
  double resident, heap;
  double device, pinned; /* of a GPU, and of the host for it */
} SoakSample;

typedef struct
{
  gint64 start;
  double apart;    /* MiB that the program itself knows of: not counted */
  GArray *samples; /* of SoakSample */
} SoakMemory;

void soak_memory_init (SoakMemory *memory);
void soak_memory_clear (SoakMemory *memory);

/* Notes what this process has now, and what the GPU's memory is as the caller
 * knows it. */
void soak_memory_take (SoakMemory *memory, double device, double pinned);

/* This is a line fitted to the least that a run had in each part of its time,
 * without its beginning. */
#define SOAK_PARTS 20

typedef struct
{
  double first, last; /* of these */
  double growth;      /* of the line, from begin to end */
} SoakTrend;

#define SOAK_RESIDENT G_STRUCT_OFFSET (SoakSample, resident)
#define SOAK_HEAP G_STRUCT_OFFSET (SoakSample, heap)
#define SOAK_DEVICE G_STRUCT_OFFSET (SoakSample, device)
#define SOAK_PINNED G_STRUCT_OFFSET (SoakSample, pinned)

/* Fits it to a member (SOAK_*); skip is how many seconds the beginning
 * lasts. */
SoakTrend soak_trend (const SoakMemory *memory, gsize member, double skip);

/* --- Reports --- */

/* JSON: sizes in MiB, times in seconds, unless the key says something else. */
typedef struct
{
  GString *json;
  unsigned n_failures;
} SoakReport;

void soak_report_init (SoakReport *report);
void soak_report_clear (SoakReport *report);

void soak_report_text (SoakReport *report, const char *key, const char *format,
    ...) G_GNUC_PRINTF (3, 4);
void soak_report_number (SoakReport *report, const char *key, double value);
/* Says whether what has to be so is so. */
void soak_report_check (SoakReport *report, const char *key, gboolean holds);
/* Reports the host's memory, the least of the first and of the last twentieth of the
 * time and the growth of a line fitted to the least of each, and that neither grows by
 * more than N MiB. */
void soak_report_memory (SoakReport *report, const SoakMemory *memory,
    double skip, double most_growth);
/* Reports date, processor, cores and how busy they are with other things as
 * well: the load of the last quarter of an hour. */
void soak_report_machine (SoakReport *report);

/* Prints the report and writes it to the file (NULL: to none). Returns whether all
 * checks hold. */
gboolean soak_report_write (SoakReport *report, const char *path);
