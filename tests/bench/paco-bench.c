/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the CUDA backend's speed on RGB with 12 bits and prints one JSON
 * line per figure (cuda/figures.h), each with its ratio to a ceiling of this
 * machine that the same run has measured:
 *
 *   paco-bench [--kernels] [--pipeline] [--timeline] [--width=4096]
 *       [--height=2160] [--prefix=NAME] [FILE.ppm]
 *
 * FILE is a picture with 8 bits (content.h). NAME stands before all figures'
 * names. Everything is run at least 20
 * times after some to warm up, with more memory in turns than the device's
 * cache holds; figures are medians. Exit status 77 without a CUDA device. */
#include "tests/bench/cuda/bench.h"
#include "tests/bench/cuda/figures.h"
#include <stdio.h>

typedef struct
{
  gboolean kernels, pipeline, timeline;
  int width, height;
  char *prefix, *write;
  char **files;
} Options;

static gboolean
parse (Options *options, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "kernels", 0, 0, G_OPTION_ARG_NONE, &options->kernels,
        "Kernels alone, and frames that stay on the device", NULL },
    { "pipeline", 0, 0, G_OPTION_ARG_NONE, &options->pipeline,
        "Host memory to host memory (both, if neither is asked for)", NULL },
    { "timeline", 0, 0, G_OPTION_ARG_NONE, &options->timeline,
        "What frames in flight do when", NULL },
    { "width", 0, 0, G_OPTION_ARG_INT, &options->width, "Samples a line", "N" },
    { "height", 0, 0, G_OPTION_ARG_INT, &options->height, "Lines", "N" },
    { "prefix", 0, 0, G_OPTION_ARG_STRING, &options->prefix,
        "Stands before the names of figures", "NAME" },
    { "write", 0, 0, G_OPTION_ARG_FILENAME, &options->write,
        "Only write the picture: planes G, B, R of 16-bit words, big endian",
        "FILE" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files,
        NULL, "[FILE.ppm]" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new (
      "- measures the CUDA backend");
  gboolean done;

  g_option_context_add_main_entries (context, entries, NULL);
  done = g_option_context_parse (context, &argc, &argv, error);
  g_option_context_free (context);
  if (done
      && (options->width < 1 || options->width > 65535 || options->height < 1
          || options->height > 65535)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "there are no pictures of %d x %d", options->width, options->height);
    done = FALSE;
  }
  if (!options->kernels && !options->pipeline && !options->timeline)
    options->kernels = options->pipeline = TRUE;
  return done;
}

/* Writes the picture as GBR_12BE, as GStreamer calls it. */
static gboolean
write_picture (const Options *options, const char *picture, GError **error)
{
  static const unsigned order[3] = { 1, 2, 0 };
  const size_t n = (size_t) options->width * (size_t) options->height;
  g_autofree uint16_t *rgb = g_new (uint16_t, 3 * n);
  g_autofree uint16_t *gbr = g_new (uint16_t, 3 * n);
  gboolean done;

  content_fill (
      rgb, (unsigned) options->width, (unsigned) options->height, picture);
  for (unsigned c = 0; c < 3; c++)
    for (size_t i = 0; i < n; i++)
      gbr[c * n + i] = GUINT16_TO_BE (rgb[order[c] * n + i]);
  done = g_file_set_contents (
      options->write, (const char *) gbr, (gssize) (6 * n), error);
  return done;
}

static int
measure (const Options *options, const char *picture)
{
  Bench bench;
  GError *error = NULL;

  if (!bench_open (&bench, (unsigned) options->width,
          (unsigned) options->height, picture, &error)) {
    printf ("skipped: %s\n", error->message);
    g_error_free (error);
    return 77;
  }
  bench_ceilings (&bench);
  if (options->kernels) {
    bench_layouts (&bench);
    bench_kernels (&bench);
  }
  if (options->pipeline)
    bench_pipeline (&bench);
  if (options->timeline)
    bench_timeline (&bench);
  bench_close (&bench);
  return 0;
}

int
main (int argc, char **argv)
{
  Options options = { .width = CONTENT_WIDTH, .height = CONTENT_HEIGHT };
  GError *error = NULL;
  const char *picture;
  int status = 0;

  if (!parse (&options, argc, argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    g_error_free (error);
    return 2;
  }
  picture = options.files ? options.files[0] : NULL;
  if (options.prefix)
    figures_set_prefix (options.prefix);
  if (!options.write) {
    status = measure (&options, picture);
  } else if (!write_picture (&options, picture, &error)) {
    fprintf (stderr, "%s\n", error->message);
    g_error_free (error);
    status = 1;
  }
  g_free (options.prefix);
  g_free (options.write);
  g_strfreev (options.files);
  return status;
}
