/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-compare SOURCE [CODED]: how near the pictures of one file come to those of
 * another, or what coding does to them; compare.sh starts it. It writes a picture
 * of the worst place, side by side, and a curve of the PSNR. It keeps no more than
 * a few pictures, however long the files are. */
#include "pipelines/coding.h"
#include "pipelines/compare.h"
#include "pipelines/plot.h"
#include "pipelines/reader.h"
#include <gst/app/app.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* So many pictures are on their way through the coder while the next one is
 * read. */
#define IN_FLIGHT 4

typedef struct
{
  char *encoder; /* properties of pacoenc */
  char *out;     /* names of results, without what they end in */
  int frames;    /* at most, 0: all */
} Options;

/* This gives decoded pictures: a file's reader, or a coder that is fed. */
typedef struct
{
  Reader *reader;
  GstElement *pipeline;
  GstAppSrc *in;
  GstAppSink *out;
} Decoded;

typedef struct
{
  GArray *psnr;   /* double, of each picture */
  double squares; /* mean squared errors, summed up */
  GstVideoInfo info;
  Clip *worst_source, *worst_decoded; /* of one picture each */
  guint worst;
} Result;

static void
stop (GError *error, const char *what)
{
  fprintf (stderr, "%s%s%s\n", what ? what : "", what && error ? ": " : "",
      error ? error->message : "");
  exit (1);
}

/* --- decoded pictures --- */

static Decoded
open_coder (const Options *options, GstCaps *caps)
{
  char *description = g_strdup_printf (
      "appsrc name=in format=time ! pacoenc name=coder %s ! pacodec ! "
      "videoconvert ! appsink name=out sync=false",
      options->encoder ? options->encoder : "");
  GError *error = NULL;
  Decoded decoded = { 0 };

  decoded.pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!decoded.pipeline)
    stop (error, "pacoenc");
  decoded.in = GST_APP_SRC (
      gst_bin_get_by_name (GST_BIN (decoded.pipeline), "in"));
  decoded.out = GST_APP_SINK (
      gst_bin_get_by_name (GST_BIN (decoded.pipeline), "out"));
  g_object_set (decoded.in, "caps", caps, NULL);
  g_object_set (decoded.out, "caps", caps, NULL);
  gst_element_set_state (decoded.pipeline, GST_STATE_PLAYING);
  g_free (description);
  return decoded;
}

/* Opens a file in the samples that the source has. */
static void
open_file (Decoded *decoded, const char *path, GstCaps *caps)
{
  GstCaps *formats = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING,
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
      NULL);

  decoded->reader = reader_open (path, formats);
  gst_caps_unref (formats);
}

static GstSample *
pull_decoded (Decoded *decoded, GError **error)
{
  GstSample *sample = NULL;
  gboolean failed = FALSE;

  if (decoded->reader)
    return reader_pull (decoded->reader, error);
  while (!sample && !(failed = clip_take_error (decoded->pipeline, error))
      && !gst_app_sink_is_eos (decoded->out))
    sample = gst_app_sink_try_pull_sample (decoded->out, 100 * GST_MSECOND);
  return sample;
}

/* Closes it, and returns the bytes of all frames, or 0 if they are in a
 * file. */
static guint64
close_decoded (Decoded *decoded)
{
  GstStructure *stats = NULL;
  GstElement *coder;
  guint64 bytes = 0;

  if (decoded->reader) {
    reader_close (decoded->reader);
    return 0;
  }
  coder = gst_bin_get_by_name (GST_BIN (decoded->pipeline), "coder");
  g_object_get (coder, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "bytes", &bytes);
  gst_structure_free (stats);
  gst_object_unref (coder);
  gst_element_set_state (decoded->pipeline, GST_STATE_NULL);
  gst_object_unref (decoded->in);
  gst_object_unref (decoded->out);
  gst_object_unref (decoded->pipeline);
  return bytes;
}

/* --- the comparison --- */

static Clip *
one_picture (GstSample *sample)
{
  Clip *clip = clip_new ();

  clip->caps = gst_caps_ref (gst_sample_get_caps (sample));
  gst_video_info_from_caps (&clip->info, clip->caps);
  g_ptr_array_add (
      clip->buffers, gst_buffer_ref (gst_sample_get_buffer (sample)));
  return clip;
}

static void
compare_pictures (Result *result, GstSample *source, GstSample *decoded)
{
  Clip *a = one_picture (source), *b = one_picture (decoded);
  double psnr;

  if (result->psnr->len == 0)
    result->info = a->info;
  if (a->info.finfo != result->info.finfo || a->info.width != result->info.width
      || a->info.height != result->info.height)
    stop (NULL,
        "The pictures of the source change their size or format; what "
        "comes before can be compared with --frames.");
  if (a->info.width != b->info.width || a->info.height != b->info.height) {
    fprintf (stderr,
        "The source has %dx%d samples, what was made of it %dx%d: these cannot "
        "be compared.\n",
        a->info.width, a->info.height, b->info.width, b->info.height);
    exit (1);
  }
  psnr = compare_psnr (a, b);
  if (psnr != G_MAXDOUBLE)
    result->squares += pow (10, -psnr / 10);
  if (result->psnr->len == 0
      || psnr < g_array_index (result->psnr, double, result->worst)) {
    clip_free (result->worst_source);
    clip_free (result->worst_decoded);
    result->worst_source = g_steal_pointer (&a);
    result->worst_decoded = g_steal_pointer (&b);
    result->worst = result->psnr->len;
  }
  g_array_append_val (result->psnr, psnr);
  clip_free (a);
  clip_free (b);
}

/* Compares the oldest picture that waits; returns FALSE when there is none to
 * compare it with. */
static gboolean
compare_next (Result *result, GQueue *waiting, Decoded *decoded)
{
  GError *error = NULL;
  GstSample *sample = pull_decoded (decoded, &error);
  GstSample *source;

  if (error)
    stop (error, "Decoding failed");
  if (!sample)
    return FALSE;
  source = g_queue_pop_head (waiting);
  compare_pictures (result, source, sample);
  gst_sample_unref (source);
  gst_sample_unref (sample);
  return TRUE;
}

static void
compare_all (Result *result, Reader *source, Decoded *decoded,
    const char *coded_path, const Options *options)
{
  GQueue waiting = G_QUEUE_INIT;
  gboolean more = TRUE;
  guint n = 0;
  GError *error = NULL;
  GstSample *sample;

  while (more && (!options->frames || n < (guint) options->frames)
      && (sample = reader_pull (source, &error))) {
    GstCaps *caps = gst_sample_get_caps (sample);

    /* The first picture says what is compared. */
    if (n++ == 0 && coded_path)
      open_file (decoded, coded_path, caps);
    else if (n == 1)
      *decoded = open_coder (options, caps);
    if (decoded->in)
      gst_app_src_push_buffer (
          decoded->in, gst_buffer_ref (gst_sample_get_buffer (sample)));
    g_queue_push_tail (&waiting, sample);
    if (waiting.length == IN_FLIGHT)
      more = compare_next (result, &waiting, decoded);
  }
  if (error)
    stop (error, "The source");
  if (n == 0)
    stop (NULL, "The source has no pictures.");
  if (decoded->in)
    gst_app_src_end_of_stream (decoded->in);
  while (waiting.length && compare_next (result, &waiting, decoded))
    ;
  if (result->psnr->len < n)
    fprintf (stderr, "There are fewer pictures than in the source: %u.\n",
        result->psnr->len);
  g_queue_clear_full (&waiting, (GDestroyNotify) gst_sample_unref);
}

/* --- results --- */

static char *
in_words (double psnr)
{
  return psnr == G_MAXDOUBLE ? g_strdup ("identical")
                             : g_strdup_printf ("%.2f dB", psnr);
}

static void
write_results (const Result *result, guint64 bytes, const Options *options)
{
  guint n = result->psnr->len;
  const double *psnr = (double *) result->psnr->data;
  double rate = result->info.fps_d
      ? (double) result->info.fps_n / result->info.fps_d
      : 0;
  char *png = g_strconcat (options->out, ".png", NULL);
  char *svg = g_strconcat (options->out, ".svg", NULL);
  char *mean = in_words (
      result->squares ? -10 * log10 (result->squares / n) : G_MAXDOUBLE);
  char *worst = in_words (psnr[result->worst]);
  char *title = g_strdup_printf (
      "PSNR of %u pictures: %s, worst %s (%u)", n, mean, worst, result->worst);
  GError *error = NULL;

  if (!compare_write_png (
          result->worst_source, result->worst_decoded, 0, png, &error)
      || !plot_write_svg (psnr, n, rate, title, svg, &error))
    stop (error, "The results cannot be written");
  printf ("%u pictures %dx%d %s\n", n, result->info.width, result->info.height,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&result->info)));
  printf ("PSNR      %s\n", mean);
  printf ("worst     %s, picture %u\n", worst, result->worst);
  if (bytes)
    printf ("size      %.3f bits a sample\n",
        8.0 * (double) bytes / n / (double) compare_samples (&result->info));
  printf ("picture   %s (source, decoded, difference times 16)\n", png);
  printf ("curve     %s\n", svg);
  g_free (png);
  g_free (svg);
  g_free (mean);
  g_free (worst);
  g_free (title);
}

static Options
read_options (int *argc, char ***argv)
{
  Options options = { 0 };
  GOptionEntry entries[] = {
    { "encoder", 'e', 0, G_OPTION_ARG_STRING, &options.encoder,
        "Without CODED: properties of pacoenc, such as \"quality=80\"",
        "PROPERTIES" },
    { "frames", 'f', 0, G_OPTION_ARG_INT, &options.frames,
        "Compares no more than N pictures", "N" },
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
        "Writes NAME.png and NAME.svg (comparison)", "NAME" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new (
      "SOURCE [CODED] - compares the pictures of two files, or of one with "
      "what "
      "coding makes of it");
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, &error))
    stop (error, NULL);
  g_option_context_free (context);
  if (*argc < 2 || *argc > 3 || options.frames < 0)
    stop (NULL,
        "usage: compare.sh [--encoder PROPERTIES] [--frames N] "
        "[--out NAME] SOURCE [CODED]");
  if (*argc == 3 && options.encoder)
    stop (NULL,
        "--encoder is for comparing a source with what pacoenc makes of "
        "it; here CODED is compared.");
  for (int i = 1; i < *argc; i++)
    if (!g_file_test ((*argv)[i], G_FILE_TEST_IS_REGULAR)) {
      fprintf (stderr, "There is no file %s.\n", (*argv)[i]);
      exit (1);
    }
  if (!options.out)
    options.out = g_strdup ("comparison");
  return options;
}

int
main (int argc, char **argv)
{
  Options options = read_options (&argc, &argv);
  GstCaps *formats = coding_formats ();
  Reader *source = reader_open (argv[1], formats);
  Result result = { g_array_new (FALSE, FALSE, sizeof (double)) };
  Decoded decoded = { 0 };
  guint64 bytes;

  compare_all (&result, source, &decoded, argc == 3 ? argv[2] : NULL, &options);
  bytes = close_decoded (&decoded);
  reader_close (source);
  if (result.psnr->len == 0)
    stop (NULL, "There is nothing to compare the source with.");
  write_results (&result, bytes, &options);
  clip_free (result.worst_source);
  clip_free (result.worst_decoded);
  g_array_unref (result.psnr);
  gst_caps_unref (formats);
  g_free (options.encoder);
  g_free (options.out);
  return 0;
}
