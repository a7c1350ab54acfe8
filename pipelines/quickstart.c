/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-quickstart [FILE]: codes a clip losslessly and at quality 90, decodes it
 * again, and says what came of it. quickstart.sh builds and starts this. It uses
 * the plugin as any application does, through GStreamer alone. */
#include "pipelines/coding.h"
#include "pipelines/compare.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_MIB 512 /* of raw pictures */
#define SCENE_FRAMES 24
#define DEFAULT_FRAMES 60
#define TIMED_FRAMES 24 /* fewer than these measure how coding begins */

typedef struct
{
  const char *title, *file_suffix, *coder;
  guint64 bytes;
  double encode_seconds, decode_seconds, psnr;
  char *backend, *path;
} Mode;

static void
stop (GError *error)
{
  fprintf (stderr, "\n%s\n", error ? error->message : "This went wrong.");
  exit (1);
}

static char *
backend_name (const GstStructure *stats)
{
  const char *backend = gst_structure_get_string (stats, "backend");
  const char *device = gst_structure_get_string (stats, "device");

  if (!backend)
    return g_strdup ("unknown");
  return device && *device ? g_strdup_printf ("%s (%s)", backend, device)
                           : g_strdup (backend);
}

static CodingResult
run (const Clip *clip, CodingRun what)
{
  CodingResult result;
  GError *error = NULL;

  if (!coding_run (clip, &what, &result, &error))
    stop (error);
  return result;
}

/* Codes the clip in one mode, and returns the decoded pictures. These are made
 * a second time for the comparison: keeping them all takes longer than decoding
 * them. */
static Clip *
run_mode (Mode *mode, const Clip *clip, const char *folder, const char *name)
{
  char *encode = g_strdup_printf ("%s: encoding", mode->title);
  char *decode = g_strdup_printf ("%s: decoding", mode->title);
  char *compare = g_strdup_printf ("%s: comparing", mode->title);
  GstCaps *raw = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&clip->info)), NULL);
  CodingResult coded, timed, decoded;
  GError *error = NULL;

  coded = run (clip, (CodingRun){ mode->coder, encode, NULL, FALSE });
  timed = run (coded.clip, (CodingRun){ "pacodec", decode, raw, TRUE });
  decoded = run (coded.clip, (CodingRun){ "pacodec", compare, raw, FALSE });
  mode->bytes = clip_bytes (coded.clip);
  mode->backend = backend_name (coded.stats);
  mode->encode_seconds = coded.seconds;
  mode->decode_seconds = timed.seconds;
  mode->psnr = compare_psnr (clip, decoded.clip);
  mode->path = g_strdup_printf (
      "%s/%s-%s.mov", folder, name, mode->file_suffix);
  if (!coding_write_mov (coded.clip, mode->path, &error))
    stop (error);
  gst_structure_free (coded.stats);
  clip_free (coded.clip);
  clip_free (timed.clip);
  gst_caps_unref (raw);
  g_free (encode);
  g_free (decode);
  g_free (compare);
  return decoded.clip;
}

static void
print_row (const char *label, const Mode *modes, guint n,
    char *(*cell) (const Mode *, const Clip *), const Clip *clip)
{
  printf ("%-17s", label);
  for (guint i = 0; i < n; i++) {
    char *text = cell (&modes[i], clip);

    printf ("%-26s", text);
    g_free (text);
  }
  putchar ('\n');
}

static char *
title_cell (const Mode *mode, const Clip *clip)
{
  return g_strdup (mode->title);
}

static guint64
raw_bytes (const Clip *clip)
{
  return compare_bits (&clip->info) * clip->buffers->len / 8;
}

static char *
size_cell (const Mode *mode, const Clip *clip)
{
  double raw = (double) raw_bytes (clip);
  char *size = g_format_size (mode->bytes);
  char *cell = g_strdup_printf (
      "%s (%.1f %%)", size, 100.0 * (double) mode->bytes / raw);

  g_free (size);
  return cell;
}

static char *
bits_cell (const Mode *mode, const Clip *clip)
{
  double samples = (double) compare_samples (&clip->info) * clip->buffers->len;

  return g_strdup_printf ("%.3f", 8.0 * (double) mode->bytes / samples);
}

static char *
psnr_cell (const Mode *mode, const Clip *clip)
{
  if (mode->psnr == G_MAXDOUBLE)
    return g_strdup ("identical");
  return g_strdup_printf ("%.2f dB", mode->psnr);
}

static char *
speed_cell (guint frames, double seconds)
{
  if (frames < TIMED_FRAMES)
    return g_strdup_printf ("takes %u pictures", TIMED_FRAMES);
  return g_strdup_printf ("%.1f fps", frames / seconds);
}

static char *
encode_cell (const Mode *mode, const Clip *clip)
{
  return speed_cell (clip->buffers->len, mode->encode_seconds);
}

static char *
decode_cell (const Mode *mode, const Clip *clip)
{
  return speed_cell (clip->buffers->len, mode->decode_seconds);
}

static char *
backend_cell (const Mode *mode, const Clip *clip)
{
  return g_strdup (mode->backend);
}

static void
print_table (const Mode *modes, guint n, const Clip *clip, const char *png)
{
  char *raw = g_format_size (raw_bytes (clip));

  printf ("\n%u %s %dx%d %s, %s without coding\n\n", clip->buffers->len,
      clip->buffers->len == 1 ? "picture" : "pictures", clip->info.width,
      clip->info.height,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&clip->info)), raw);
  print_row ("", modes, n, title_cell, clip);
  print_row ("size", modes, n, size_cell, clip);
  print_row ("bits per sample", modes, n, bits_cell, clip);
  print_row ("PSNR", modes, n, psnr_cell, clip);
  print_row ("encoding", modes, n, encode_cell, clip);
  print_row ("decoding", modes, n, decode_cell, clip);
  print_row ("backend", modes, n, backend_cell, clip);
  putchar ('\n');
  for (guint i = 0; i < n; i++)
    printf ("%-17s%s\n", modes[i].title, modes[i].path);
  printf ("%-17s%s\n", "picture", png);
  printf ("%-17s(from the left: source, %s, difference times 16)\n", "",
      modes[n - 1].title);
  g_free (raw);
}

/* Makes "b.c" of "/a/b.c.mov". */
static char *
base_name (const char *path)
{
  char *name = g_path_get_basename (path);
  char *dot = strrchr (name, '.');

  if (dot && dot != name)
    *dot = 0;
  return name;
}

/* Returns the name of the results of a file, or of the scene: its own, with a
 * number where another file of that name was here before. NAME.source.txt says
 * whose results they are. */
static char *
result_name (const char *folder, const char *path)
{
  char *source = path ? g_canonicalize_filename (path, NULL)
                      : g_strdup ("the test scene");
  char *base = path ? base_name (path) : g_strdup ("scene"), *name = NULL;
  GError *error = NULL;
  gboolean ours = FALSE;

  for (guint i = 1; !ours; i++) {
    char *record, *earlier = NULL;

    g_free (name);
    name = i == 1 ? g_strdup (base) : g_strdup_printf ("%s-%u", base, i);
    record = g_strdup_printf ("%s/%s.source.txt", folder, name);
    ours = !g_file_get_contents (record, &earlier, NULL, NULL)
        || strcmp (g_strchomp (earlier), source) == 0;
    if (ours && !earlier) {
      char *line = g_strconcat (source, "\n", NULL);

      if (!g_file_set_contents (record, line, -1, &error))
        stop (error);
      g_free (line);
    }
    g_free (earlier);
    g_free (record);
  }
  g_free (base);
  g_free (source);
  return name;
}

typedef struct
{
  char *folder;   /* for results */
  int max_frames; /* 0 if the user has not said */
  int max_mib;    /* of raw pictures */
} Options;

static char *
end_reason (const Clip *clip, const Options *options)
{
  switch (clip->end) {
    case CLIP_MAX_FRAMES:
      return g_strdup ("FRAMES=N (--frames) takes N");
    case CLIP_MAX_BYTES:
      return g_strdup_printf ("with more of them, the raw pictures would take "
                              "more than %d MiB (--memory)",
          options->max_mib);
    case CLIP_OTHER_FORMAT:
      return g_strdup ("the next one is of another size or format");
    default:
      return g_strdup ("there the file is damaged");
  }
}

/* Says what of a file is not coded, and why. */
static void
say_what_is_left_out (const Clip *clip, const Options *options)
{
  if (clip->end != CLIP_COMPLETE) {
    char *reason = end_reason (clip, options);

    fprintf (stderr, "Taking the first %u of its pictures: %s.\n",
        clip->buffers->len, reason);
    g_free (reason);
  }
  if (clip->has_sound)
    fprintf (stderr, "Its sound is left out.\n");
  if (clip->orientation)
    fprintf (stderr,
        "Its pictures are coded as they lie in the file; that players turn "
        "them (%s) is left out.\n",
        clip->orientation);
}

static Clip *
read_file (const char *path, const Options *options)
{
  GstCaps *formats = coding_formats ();
  guint max_frames = options->max_frames ? (guint) options->max_frames
                                         : DEFAULT_FRAMES;
  GError *error = NULL;
  Clip *clip;

  fprintf (stderr, "Reading %s ...\n", path);
  clip = clip_from_file (
      path, formats, max_frames, (guint64) options->max_mib << 20, &error);
  if (!clip)
    stop (error);
  say_what_is_left_out (clip, options);
  gst_caps_unref (formats);
  return clip;
}

static Clip *
draw_scene (const Options *options)
{
  fprintf (stderr, "Drawing the test scene ...\n");
  if (options->max_frames > SCENE_FRAMES)
    fprintf (stderr, "It has no more than %d pictures.\n", SCENE_FRAMES);
  return clip_scene (options->max_frames
          ? (guint) MIN (options->max_frames, SCENE_FRAMES)
          : SCENE_FRAMES);
}

/* Reads the arguments; on return argc and argv hold what is no option. */
static Options
read_options (int *argc, char ***argv)
{
  int max_frames = G_MININT; /* unset */
  Options options = { .max_mib = DEFAULT_MIB };
  GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.folder, "For results",
        "FOLDER" },
    { "frames", 'f', 0, G_OPTION_ARG_INT, &max_frames, "At most", "N" },
    { "memory", 'm', 0, G_OPTION_ARG_INT, &options.max_mib,
        "For raw pictures, at most", "MIB" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("[FILE]");
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, &error))
    stop (error);
  g_option_context_free (context);

  if (max_frames != G_MININT && max_frames < 1) {
    fprintf (stderr, "FRAMES=%d (--frames) must be 1 or more.\n", max_frames);
    exit (1);
  }
  options.max_frames = MAX (max_frames, 0);
  if (!options.folder)
    options.folder = g_strdup (".");
  if (*argc > 2 || options.max_mib < 1
      || g_mkdir_with_parents (options.folder, 0777)) {
    fprintf (stderr,
        "usage: paco-quickstart [--frames N] [--memory MIB] [--out FOLDER] "
        "[FILE]; the folder must be writable\n");
    exit (1);
  }
  return options;
}

int
main (int argc, char **argv)
{
  Mode modes[] = {
    { "lossless", "lossless", "pacoenc name=coder rate-control=lossless" },
    { "quality 90", "q90", "pacoenc name=coder quality=90" },
  };
  const guint n = G_N_ELEMENTS (modes);
  Options options = read_options (&argc, &argv);
  const char *path = argc > 1 ? argv[1] : NULL;
  Clip *clip = path ? read_file (path, &options) : draw_scene (&options);
  Clip *decoded = NULL;
  char *name = result_name (options.folder, path), *png;
  GError *error = NULL;

  for (guint i = 0; i < n; i++) {
    clip_free (decoded);
    decoded = run_mode (&modes[i], clip, options.folder, name);
  }
  png = g_strdup_printf (
      "%s/%s-%s.png", options.folder, name, modes[n - 1].file_suffix);
  if (!compare_write_png (clip, decoded, clip->buffers->len / 2, png, &error))
    stop (error);
  print_table (modes, n, clip, png);
  for (guint i = 0; i < n; i++) {
    g_free (modes[i].backend);
    g_free (modes[i].path);
  }
  clip_free (clip);
  clip_free (decoded);
  g_free (options.folder);
  g_free (name);
  g_free (png);
  return 0;
}
