/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs pacoenc and pacodec in pipelines that do nothing else, and says when their
 * frames come. gst-speed, gst-streams and gst-device-memory make figures of it. */
#pragma once
#include <gst/video/video.h>

/* This is what is coded, and how. Strings may be NULL where the elements'
 * defaults are meant. */
typedef struct
{
  const char *format; /* as GStreamer calls it */
  int width, height;
  const char *picture; /* see content_fill() */
  const char *backend, *rate_control;
  const char *devices; /* numbers with commas; more than one: cuda-devices */
  /* With the GPU's context pictures are in device memory, and the elements
   * share it. NULL: they are in the host's memory. */
  GstContext *context;
  int depth;    /* pipeline-depth */
  int n_warm;   /* frames that come before those that are measured */
  int n_frames; /* that are measured, at least */
  /* Frames a second that a clock sends; 0: as many as the elements take. */
  double rate;
  gboolean both; /* The encoder's pipeline decodes its frames, too. */
} ElementsCase;

/* Reads options of the command line: those that all programs have, which fill in the
 * case, and those of the program itself. FALSE and an error if they are not understood,
 * or no case comes of them. */
gboolean elements_parse (ElementsCase *c, const GOptionEntry *own,
    const char *summary, int argc, char **argv, GError **error);
/* Sets the error for numbers that make no sense; returns FALSE. */
gboolean elements_refuse (GError **error);

/* These are frames of one element. */
typedef struct
{
  GArray *arrivals; /* gint64, microseconds: when the measured frames came */
  GArray
      *latencies;   /* double, milliseconds since the clock sent each of them */
  double processor; /* seconds that this process has computed meanwhile */
  GstStructure *stats; /* of the element, at the end */
} ElementsRun;

void elements_run_clear (ElementsRun *run);

/* Returns frames a second between two moments, by the median of parts of the
 * time; 0 if too few came. */
double elements_speed (const GArray *arrivals, gint64 from, gint64 to);

/* Finds the time in which all of n runs have frames, and returns the sum of their speeds
 * in it. slowest, unless it is NULL, gets the lowest speed over the mean. */
double elements_joint_speed (GArray *const *arrivals, guint n, double *slowest);

/* Return the same of all frames, and the processor's cores for 100 frames a
 * second. */
double elements_run_speed (const ElementsRun *run);
double elements_run_cores (const ElementsRun *run);

/* Returns how many are named, or one. */
guint elements_count_devices (const ElementsCase *c);

/* Returns the bytes of a picture. */
gsize elements_picture_size (const ElementsCase *c);
/* Return the caps of pictures, and a picture of the content in the host's
 * memory. */
GstCaps *elements_caps (const ElementsCase *c, GstVideoInfo *info);
GstBuffer *elements_picture (const ElementsCase *c);

/* This says how a run goes together with those of other threads and processes; NULL:
 * it is alone. */
typedef struct
{
  /* Is called when everything is ready, and returns when the run may begin. */
  void (*ready) (void *data);
  /* Is called before each frame beyond those of the case, and says whether
   * there is to be one. */
  gboolean (*more) (void *data);
  void *data;
} ElementsOthers;

/* Encodes frames that lie in buffers of the pool that pacoenc proposes, and
 * decodes the first encoded frame again and again. What fails ends the program. */
void elements_code (const ElementsCase *c, ElementsRun *encode,
    ElementsRun *decode, const ElementsOthers *others);

/* Encodes alone. */
void elements_encode (
    const ElementsCase *c, ElementsRun *run, const ElementsOthers *others);

/* Begin a run that is no pipeline, and note that a frame of it has come. */
void elements_run_begin (ElementsRun *run);
void elements_run_add (ElementsRun *run);

/* Encodes frames into a file, decodes those of the file, and reads the file
 * without decoding it. The system has what was written in memory still, if there
 * is enough of that. */
void elements_code_file (const ElementsCase *c, const char *file,
    ElementsRun *write, ElementsRun *decode, ElementsRun *read);
