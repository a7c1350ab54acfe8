/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures how fast the elements are in a pipeline, host memory to host memory,
 * with buffers of the pools that they propose, as any source has them that
 * asks:
 *
 *   gst-speed [OPTIONS] PREFIX [FILE.ppm]
 *
 * encodes what the benchmarks code (content.h), decodes it, and prints JSON lines
 * (figures.h) with names that begin with PREFIX:
 *
 *   ..._enc_fps, ..._dec_fps    medians over parts of the run
 *   ..._enc_cores_per_100fps, ..._dec_cores_per_100fps
 *   ..._cores_per_100fps        the larger one
 *
 * --file=FILE: only ..._dec_file_fps, for filesrc ! pacoparse ! pacodec with a
 * file that is made for it, and ..._file_source_fps, the same without pacodec.
 * FILE is removed.
 * --memory: only how much of the GPU's memory the encoder has taken; PREFIX is
 * the figure's name.
 * --against=FORMAT: the speed in relation to that in another format, in turns:
 * ..._enc_ratio and ..._dec_ratio, nothing else.
 * --processes=N: as many processes at a time, each with a GPU of its own from 0
 * on; only ..._fps, sums over the time in which all of them run.
 *
 * PACO_H2D_GBPS and PACO_D2H_GBPS are the rates of the bus as paco-bench has
 * found them; a ratio of 1 is a frame as fast as the bus moves its picture, or
 * as many as there are GPUs. PACO_MEMCPY_GBPS is the speed of a copy in memory;
 * at 1 the processor does as much as it had to for one of each picture. */
#include "tests/bench/cuda/content.h"
#include "tests/bench/cuda/elements.h"
#include "tests/bench/cuda/figures.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PROCESSES 16
#define N_ROUNDS 5

typedef struct
{
  ElementsCase c;
  const char *prefix;
  char *against, *file;
  int n_processes;
  gboolean memory, is_child;
} Options;

static const char *const ways[2] = { "enc", "dec" };

/* Returns a rate in bytes a second, or 0 if nobody has found it. */
static double
ceiling (const char *variable)
{
  const char *gbps = g_getenv (variable);

  return gbps ? 1e9 * g_ascii_strtod (gbps, NULL) : 0;
}

static void
speed_figure (
    const Options *options, unsigned way, unsigned n_buses, double fps)
{
  double rate = ceiling (way == 0 ? "PACO_H2D_GBPS" : "PACO_D2H_GBPS");

  figure_speed (fps, "frames/s", way == 0 ? "h2d_gbps" : "d2h_gbps",
      n_buses * rate / (double) elements_picture_size (&options->c),
      "%s_%s_fps", options->prefix, ways[way]);
}

/* --- one process --- */

static void
cores_figure (const Options *options, double cores, const char *name)
{
  double rate = ceiling ("PACO_MEMCPY_GBPS");

  figure_cost (cores, "cores", "memcpy_gbps",
      rate > 0 ? 100.0 * (double) elements_picture_size (&options->c) / rate
               : 0,
      "%s_%s", options->prefix, name);
}

static void
measure (const Options *options)
{
  ElementsRun runs[2];
  double cores[2];

  elements_code (&options->c, &runs[0], &runs[1], NULL);
  for (unsigned way = 0; way < 2; way++) {
    g_autofree char *text = gst_structure_to_string (runs[way].stats);
    g_autofree char *name = g_strdup_printf ("%s_cores_per_100fps", ways[way]);

    fprintf (stderr, "%s: %s\n", ways[way], text);
    cores[way] = elements_run_cores (&runs[way]);
    speed_figure (options, way, elements_count_devices (&options->c),
        elements_run_speed (&runs[way]));
    cores_figure (options, cores[way], name);
  }
  cores_figure (options, MAX (cores[0], cores[1]), "cores_per_100fps");
  for (unsigned way = 0; way < 2; way++)
    elements_run_clear (&runs[way]);
}

static void
measure_file (const Options *options)
{
  ElementsRun write, decode, read;
  double ceiling_fps = ceiling ("PACO_D2H_GBPS")
      / (double) elements_picture_size (&options->c);

  elements_code_file (&options->c, options->file, &write, &decode, &read);
  remove (options->file);
  figure_speed (elements_run_speed (&decode), "frames/s", "d2h_gbps",
      ceiling_fps, "%s_dec_file_fps", options->prefix);
  figure_speed (elements_run_speed (&read), "frames/s", "d2h_gbps", ceiling_fps,
      "%s_file_source_fps", options->prefix);
  elements_run_clear (&write);
  elements_run_clear (&decode);
  elements_run_clear (&read);
}

static void
measure_memory (const Options *options)
{
  ElementsRun runs[2];
  guint64 bytes;

  elements_code (&options->c, &runs[0], &runs[1], NULL);
  if (!gst_structure_get_uint64 (runs[0].stats, "device-memory", &bytes))
    g_error ("pacoenc's stats do not say how much memory it has on the GPU");
  figure_cost (
      (double) bytes / (1 << 20), "MiB", NULL, 0, "%s", options->prefix);
  for (unsigned way = 0; way < 2; way++)
    elements_run_clear (&runs[way]);
}

/* --- in relation to another format --- */

static void
measure_against (const Options *options)
{
  ElementsCase cases[2] = { options->c, options->c };
  double ratios[2][N_ROUNDS];

  cases[1].format = options->against;
  for (unsigned round = 0; round < N_ROUNDS; round++) {
    double speeds[2][2]; /* of the formats, of the ways */

    for (unsigned i = 0; i < 2; i++) {
      ElementsRun runs[2];

      elements_code (&cases[i], &runs[0], &runs[1], NULL);
      for (unsigned way = 0; way < 2; way++) {
        speeds[i][way] = elements_run_speed (&runs[way]);
        elements_run_clear (&runs[way]);
      }
    }
    for (unsigned way = 0; way < 2; way++)
      ratios[way][round] = speeds[0][way] / speeds[1][way];
    fprintf (stderr, "%s: %.4g / %.4g frames/s, %s: %.4g / %.4g frames/s\n",
        cases[0].format, speeds[0][0], speeds[0][1], cases[1].format,
        speeds[1][0], speeds[1][1]);
  }
  for (unsigned way = 0; way < 2; way++) {
    double ratio = median (ratios[way], N_ROUNDS);

    figure_speed (ratio, "times", options->against, 1, "%s_%s_ratio",
        options->prefix, ways[way]);
  }
}

/* --- several processes ---
 *
 * A child says "ready" before each way and begins when it gets a line; it says
 * "enough" after its frames and goes on until it gets another one, so that all
 * of them run while any is measured. In the end it prints the arrivals of both
 * ways, a line each. */

typedef struct
{
  gboolean enough; /* has been said */
} ChildState;

static void
say (const char *word)
{
  printf ("%s\n", word);
  fflush (stdout);
}

static void
wait_for_line (void)
{
  char line[8];

  if (!fgets (line, sizeof line, stdin))
    exit (1);
}

static void
child_is_ready (void *data)
{
  ChildState *state = data;

  state->enough = FALSE;
  say ("ready");
  wait_for_line ();
}

static gboolean
child_wants_more (void *data)
{
  ChildState *state = data;
  struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

  if (!state->enough)
    say ("enough");
  state->enough = TRUE;
  if (poll (&input, 1, 0) <= 0)
    return TRUE;
  wait_for_line ();
  return FALSE;
}

static void
measure_as_child (const Options *options)
{
  ChildState state;
  ElementsRun runs[2];

  elements_code (&options->c, &runs[0], &runs[1],
      &(ElementsOthers){ child_is_ready, child_wants_more, &state });
  for (unsigned way = 0; way < 2; way++) {
    const GArray *arrivals = runs[way].arrivals;

    for (guint i = 0; i < arrivals->len; i++)
      printf ("%" G_GINT64_FORMAT " ", g_array_index (arrivals, gint64, i));
    printf ("\n");
    elements_run_clear (&runs[way]);
  }
}

typedef struct
{
  GPid pid;
  FILE *to, *from;
  GArray *arrivals[2]; /* gint64 */
} Child;

static void
child_start (Child *child, int argc, char **argv, unsigned device)
{
  GPtrArray *arguments = g_ptr_array_new ();
  g_autofree char *devices = g_strdup_printf ("--devices=%u", device);
  GError *error = NULL;
  int to, from;

  for (int i = 0; i < argc; i++)
    g_ptr_array_add (arguments, argv[i]);
  /* What comes later counts. */
  g_ptr_array_add (arguments, (gpointer) "--processes=1");
  g_ptr_array_add (arguments, (gpointer) "--child");
  g_ptr_array_add (arguments, devices);
  g_ptr_array_add (arguments, NULL);
  if (!g_spawn_async_with_pipes (NULL, (char **) arguments->pdata, NULL,
          G_SPAWN_SEARCH_PATH, NULL, NULL, &child->pid, &to, &from, NULL,
          &error))
    g_error ("%s", error->message);
  child->to = fdopen (to, "w");
  child->from = fdopen (from, "r");
  g_ptr_array_free (arguments, TRUE);
}

/* Returns the child's next line, without its end. */
static char *
child_read (Child *child)
{
  char *line = NULL;
  size_t size = 0;

  if (getline (&line, &size, child->from) < 0)
    g_error ("a process has ended before its time");
  return g_strchomp (line);
}

static void
child_finish (Child *child)
{
  for (unsigned way = 0; way < 2; way++) {
    char *line = child_read (child);
    char **words = g_strsplit (line, " ", -1);

    child->arrivals[way] = g_array_new (FALSE, FALSE, sizeof (gint64));
    for (char **word = words; *word; word++) {
      gint64 arrival = g_ascii_strtoll (*word, NULL, 10);

      g_array_append_val (child->arrivals[way], arrival);
    }
    g_strfreev (words);
    free (line);
  }
  fclose (child->to);
  fclose (child->from);
  g_spawn_close_pid (child->pid);
}

/* Answers all children when each of them has said this. */
static void
tell_all (Child *children, unsigned n, const char *word)
{
  for (unsigned i = 0; i < n; i++) {
    char *line = child_read (&children[i]);

    if (strcmp (line, word) != 0)
      g_error ("a process says \"%s\"", line);
    free (line);
  }
  for (unsigned i = 0; i < n; i++) {
    fputs ("go\n", children[i].to);
    fflush (children[i].to);
  }
}

static void
measure_processes (const Options *options, int argc, char **argv)
{
  unsigned n = (unsigned) options->n_processes;
  Child children[MAX_PROCESSES] = { 0 };

  for (unsigned i = 0; i < n; i++)
    child_start (&children[i], argc, argv, i);
  for (unsigned way = 0; way < 2; way++) {
    tell_all (children, n, "ready");
    tell_all (children, n, "enough");
  }
  for (unsigned i = 0; i < n; i++)
    child_finish (&children[i]);
  for (unsigned way = 0; way < 2; way++) {
    GArray *arrivals[MAX_PROCESSES];

    for (unsigned i = 0; i < n; i++)
      arrivals[i] = children[i].arrivals[way];
    speed_figure (options, way, n, elements_joint_speed (arrivals, n, NULL));
    for (unsigned i = 0; i < n; i++)
      g_array_unref (arrivals[i]);
  }
}

/* --- options --- */

static gboolean
parse (Options *options, int argc, char **argv, char ***files, GError **error)
{
  const GOptionEntry entries[] = {
    { "file", 0, 0, G_OPTION_ARG_FILENAME, &options->file,
        "Only decoding from a file that is made for it", "FILE" },
    { "memory", 0, 0, G_OPTION_ARG_NONE, &options->memory,
        "Only the memory of the GPU that the encoder takes", NULL },
    { "against", 0, 0, G_OPTION_ARG_STRING, &options->against,
        "Speed in relation to that of another raw format", "NAME" },
    { "processes", 0, 0, G_OPTION_ARG_INT, &options->n_processes,
        "Processes, each with a GPU", "N" },
    { "child", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &options->is_child,
        NULL, NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, files, NULL,
        "PREFIX [FILE.ppm]" },
    { NULL },
  };

  return elements_parse (
             &options->c, entries, "- measures the elements", argc, argv, error)
      && ((*files && options->n_processes > 0
              && options->n_processes <= MAX_PROCESSES)
          || elements_refuse (error));
}

int
main (int argc, char **argv)
{
  Options options = {
    .c = {
      .format = "GBR_12LE",
      .width = CONTENT_WIDTH,
      .height = CONTENT_HEIGHT,
      .backend = "cuda",
      .rate_control = "lossless",
      .depth = 4,
      .n_warm = 40,
      .n_frames = 400,
    },
    .n_processes = 1,
  };
  char **given = g_memdup2 (argv, (gsize) (argc + 1) * sizeof *argv);
  char **files = NULL;
  GError *error = NULL;

  if (!parse (&options, argc, argv, &files, &error)) {
    fprintf (stderr, "%s\n", error->message);
    g_error_free (error);
    return 2;
  }
  options.prefix = files[0];
  options.c.picture = files[1];
  if (options.n_processes > 1) {
    measure_processes (&options, argc, given);
  } else {
    gst_init (NULL, NULL);
    if (options.is_child)
      measure_as_child (&options);
    else if (options.file)
      measure_file (&options);
    else if (options.memory)
      measure_memory (&options);
    else if (options.against)
      measure_against (&options);
    else
      measure (&options);
  }
  g_strfreev (files);
  g_free (given);
  return 0;
}
