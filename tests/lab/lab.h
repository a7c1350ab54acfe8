/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has what the programs of the laboratory share: options, random planes,
 * comparison, medians, and results as JSON lines, which report.py reads. A
 * program calls lab_main() with what checks its methods and what measures
 * them. */
#pragma once
#include "codec/cpu/workers.h"
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct
{
  void (*check) (void);   /* ends the program where a method is wrong */
  void (*measure) (void); /* calls lab_result() */
  /* This is NULL, or it runs what a profiler is to count, once, and calls
   * lab_counted(). */
  void (*once) (void);
} LabProgram;

/* Takes --check (else it measures), --once (neither, but see LabProgram; the program ends
 * as one that is skipped if it has nothing to count), --short (measures little, to see
 * that it works)
 * and --seed N (of random numbers; without it there is a fresh one, which a check
 * that fails prints). Returns main()'s status. */
int lab_main (int argc, char **argv, const LabProgram *program);

/* Says whether --short was given. */
bool lab_is_short (void);

/* Ends the program with the status of tests that are skipped. */
void lab_skip (const char *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;
/* Ends it because a method is wrong, or something has failed. */
void lab_fail (const char *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

/* --- Planes of 32-bit numbers, rows one behind the other at `stride` numbers --- */

/* Draws an integer; both ends are included. */
int lab_draw (int low, int high);

/* Returns memory that begins at a multiple of `alignment` (a power of two),
 * with zeros in it; free() gives it back. */
void *lab_new (size_t bytes, size_t alignment);

/* Fills memory with integers of low..high. */
void lab_draw_integers (int32_t *data, size_t n, int low, int high);
/* Fills memory with numbers of low..high, uniformly distributed. */
void lab_draw_floats (float *data, size_t n, float low, float high);

/* Compares two planes that have to be the same, to the bit. what is for the
 * message. */
void lab_same_integers (const char *what, const int32_t *found,
    size_t found_stride, const int32_t *expected, size_t stride, unsigned width,
    unsigned height);
/* Returns the largest magnitude in a plane. */
float lab_range (
    const float *data, size_t stride, unsigned width, unsigned height);
/* Compares two planes that may differ by 1e-4 of a range. It is that of a whole
 * transform: a part of it may have cancelled out. */
void lab_near_floats_of_range (const char *what, const float *found,
    size_t found_stride, const float *expected, size_t stride, unsigned width,
    unsigned height, float range);
/* Compares likewise, where the expected plane is a whole transform. */
void lab_near_floats (const char *what, const float *found, size_t found_stride,
    const float *expected, size_t stride, unsigned width, unsigned height);

/* --- Measuring --- */

typedef void (*LabWork) (void *data);

/* This is timed: run (data). Before each run comes prepare (data), whose time
 * does not count, unless it is NULL. */
typedef struct
{
  LabWork run;
  void *data;
  LabWork prepare;
} LabTimed;

/* Finds the medians of the times of n works, in milliseconds. They run in turn,
 * round after round, so that what else happens on the machine happens to all of
 * them. Each run that counts comes right behind one that does not; the first
 * round does not count either. */
void lab_time (const LabTimed *works, unsigned n, double *ms);
double lab_time_one (LabWork run, void *data);

/* Sorts the values. */
double lab_median (double *values, unsigned n);

/* Measures the machine's ceiling: returns how many milliseconds memcpy() takes from
 * and to memory of this many bytes. */
double lab_copy_ms (size_t bytes);

/* Prints a result: `value` in `unit` at `x` (a size, a method, a picture) of a curve or
 * column `series` of `table` ("002 figure 7"). */
void lab_result (const char *table, const char *series, const char *x,
    double value, const char *unit);

/* Says which table shows the instructions of the last n launches, and which one (or NULL)
 * their accesses to memory; lab-counters.py asks a profiler for them. */
void lab_counted (const char *instructions, const char *accesses,
    const char *series, const char *x, unsigned n);

/* Says, after lab_counted() of one launch, which table shows how busy the
 * device was with it. */
void lab_counted_activity (const char *table, const char *series);

G_END_DECLS

/* Runs one level of the project's own transforms, of its CPU backend and of
 * its reference, for programs that compare theirs with them. */

/* This is the CPU backend's transform of a picture of 32-bit words, by the
 * threads of a pool. */
typedef struct
{
  PacoPlane picture;
  PacoCoefficients coefficients;
  PacoWord *memory;
  PacoPlaneSet planes;
  PacoDwtPass pass;
  PacoWorkers *workers;
  uint32_t band_height;
} LabLevel;

/* Sets up a level; data are rows of `width` words, which stay the caller's. */
void lab_level_init (LabLevel *level, PacoWaveletId wavelet, uint32_t width,
    uint32_t height, PacoWord *data, unsigned threads);
void lab_level_clear (LabLevel *level);

/* Is a LabWork: fills the subbands, coefficients.planes[1]. */
void lab_level_run (void *level);

/* Puts the subbands into a plane as the reference does: LL in the upper left corner, HL
 * right of it, LH below it. */
void lab_level_gather (const LabLevel *level, PacoWord *plane, size_t stride);

/* Does the reference's transform of a plane, in place: columns, then rows, or only
 * columns (rows) where the width (height) is 1. */
void lab_reference_level (PacoWaveletId wavelet, uint32_t width,
    uint32_t height, PacoWord *data, size_t stride);

/* Scales a plane that the project's 9/7 has made, in place: low halves have a gain of 1
 * afterwards, as those of lab_cdf97 (filters.h). */
void lab_level_scale (
    uint32_t width, uint32_t height, float *data, size_t stride);
