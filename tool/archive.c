/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco archive: it makes a folder of pictures one file that gives each of
 * them back, bit by bit. It reads the command line and reports; tool/archive/archive.c
 * does the work. */
#include "tool/archive/archive.h"
#include "tool/archive/part.h"
#include "tool/archive/volume.h"
#include "archive_command.h"
#include "codec/text.h"
#include "progress.h"
#include "recording.h"
#include "volumes.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of MOV files GStreamer's demuxer takes a track that lasts less than a fifth of the file
 * for a still. */
#define MOST_TIMES 4

/* What the command line says. */
typedef struct
{
  char *frames, *fps, *report, *split, **skip;
  PacoCommandCoderOptions coders;
  int complexity;
  gboolean list, no_verify, quiet;
} Options;

typedef struct
{
  PacoProgress *progress; /* NULL: no frame has been done */
  gboolean quiet;
  PacoArchiveContainer container; /* out is NULL if OUT is a .paco file */
} Run;

static gboolean
is_interrupted (gpointer user)
{
  return paco_signals_caught (NULL);
}

static gboolean
make_container (gpointer user, const char *from, guint64 n_frames,
    const GPtrArray *sounds, const char *to, GError **error)
{
  Run *run = user;

  /* The muxer has the line of the terminal now. */
  g_clear_pointer (&run->progress, paco_progress_free);
  return paco_archive_container_make (
      &run->container, from, n_frames, sounds, to, error);
}

static gboolean
takes_sound (
    gpointer user, const PacoSound *sound, gdouble seconds, GError **error)
{
  const char *out = ((Run *) user)->container.out;
  PacoSoundTrack track = paco_archive_sound_track (sound, NULL);
  gdouble lasts = (gdouble) sound->samples_size / (gdouble) track.second;
  gboolean good = paco_mux_takes_track (out, &track, error);

  g_free (track.format);
  if (good && seconds > 0 && lasts > MOST_TIMES * seconds
      && !paco_mux_is_matroska (out))
    return paco_tool_failed (error,
        "lasts more than %d times as long as the pictures, which GStreamer "
        "does not find beside it in %s; .mkv can have it",
        MOST_TIMES, out);
  return good;
}

static void
show_progress (gpointer user, guint64 done, guint64 total)
{
  Run *run = user;

  if (!run->progress)
    run->progress = paco_progress_new (total, run->quiet);
  paco_progress_set (run->progress, done);
}

/* --- the command line ------------------------------------------------------ */

static gboolean
read_options (const Options *given, PacoArchiveOptions *options, GError **error)
{
  if (!paco_command_read_range (given->frames, &options->has_range,
          &options->first, &options->last, error)
      || !paco_tool_parse_ratio (
          "fps", given->fps, &options->fps_n, &options->fps_d, error)
      || !paco_volumes_parse_size (given->split, &options->split, error))
    return FALSE;
  options->readers = (guint) given->coders.helpers;
  options->verify = !given->no_verify;
  options->files.skip = (const char *const *) given->skip;
  return TRUE;
}

/* --- reports --------------------------------------------------------------- */

static char *
report_path (const Options *given, const char *out)
{
  return given->report ? g_strdup (given->report)
                       : g_strconcat (out, ".json", NULL);
}

/* Checks that nothing that will be written in the end is there already. */
static gboolean
check_reports (
    const Options *given, const PacoArchiveOptions *options, GError **error)
{
  g_autofree char *report = report_path (given, options->out);
  g_autofree char *md5 = g_strconcat (options->out, ".framemd5", NULL);
  g_autofree char *first = options->split ? paco_volume_name (options->out, 1)
                                          : g_strdup (options->out);
  const char *there = NULL;

  if (*report && access (report, F_OK) == 0)
    there = report;
  else if (options->md5 && access (md5, F_OK) == 0)
    there = md5;
  /* If OUT is there, too, it may be complete; then nothing is written. */
  return !there || access (first, F_OK) == 0
      || paco_tool_failed (
          error, "%s is there already, and nothing is overwritten", there);
}

static gboolean
write_reports (const Options *given, const char *out, const PacoReport *report,
    GError **error)
{
  g_autofree char *path = report_path (given, out);
  g_autofree char *json = paco_report_json (report);
  g_autofree char *md5_path = g_strconcat (out, ".framemd5", NULL);
  g_autofree char *md5 = paco_report_framemd5 (report);
  g_autofree char *text = paco_report_text (report);
  gboolean good = report->complete
      || ((!*path || paco_part_write_file (path, json, strlen (json), error))
          && (!md5
              || paco_part_write_file (md5_path, md5, strlen (md5), error)));

  if (!given->quiet)
    fputs (text, stdout);
  return good;
}

/* --- running --------------------------------------------------------------- */

static int
list_files (const PacoArchiveOptions *options)
{
  const PacoSourceKind *kind;
  PacoInfo info = PACO_INFO_INIT;
  GError *error = NULL;
  g_autoptr (PacoFolder)
      folder = paco_folder_read (options->folder, &options->files, &error);

  if (!folder
      || !paco_folder_sort_out (
          folder, &options->files, options->fps_n > 0, &kind, &info, &error))
    return paco_tool_fail (error);
  for (guint i = 0; i < folder->files->len; i++) {
    g_autofree char *shown = paco_text_show (
        paco_folder_file (folder, i)->name);

    puts (shown);
  }
  return PACO_EXIT_DONE;
}

static int
archive (const Options *given, PacoArchiveOptions *options)
{
  Run run = { NULL, given->quiet,
    { options->folder, NULL, options->verify, given->quiet } };
  PacoReport report;
  GError *error = NULL;
  gboolean good;

  if (paco_mux_takes (options->out) && options->split) {
    paco_tool_misused (
        &error, "--split is for .paco files, and not for %s", options->out);
    return paco_command_fail (error);
  }
  if (paco_mux_takes (options->out)) {
    run.container.out = options->out;
    options->convert = make_container;
    options->takes_sound = takes_sound;
  }
  options->files.want_sound = options->convert != NULL;
  if (!paco_recording_check_name (options->out, &error)
      || !check_reports (given, options, &error)
      || (run.container.out && !paco_mux_check (options->out, NULL, &error)))
    return paco_tool_fail (error);
  paco_report_init (&report, "archive", options->folder, options->out);
  options->interrupted = is_interrupted;
  options->progress = show_progress;
  options->user = &run;
  good = paco_archive_run (options, &report, &error);
  paco_progress_free (run.progress);
  good = good && write_reports (given, options->out, &report, &error);
  paco_report_clear (&report);
  return good ? PACO_EXIT_DONE : paco_command_fail (error);
}

static int
run_command (const Options *given, PacoArchiveOptions *options)
{
  char complexity[16];
  const char *encoders[] = { NULL, NULL, NULL };
  PacoCommandCoders coders;
  GError *error = NULL;

  if (!read_options (given, options, &error)
      || !paco_command_read_coders (&given->coders, &coders, &error))
    return paco_command_fail (error);
  g_snprintf (complexity, sizeof complexity, "%d", given->complexity);
  if (given->complexity >= 0) {
    encoders[0] = "complexity";
    encoders[1] = complexity;
  }
  options->coders = coders.pairs;
  options->encoders = encoders;
  return given->list ? list_files (options) : archive (given, options);
}

int
paco_tool_archive (int argc, char **argv)
{
  Options given = { .complexity = -1 };
  PacoArchiveOptions options = { 0 };
  const GOptionEntry entries[] = {
    PACO_TEXT ("frames", &given.frames,
        "Archive only these frames of the folder, counted from 0", "A-B"),
    PACO_FLAG ("md5", &options.md5,
        "Keep MD5s of the files, too, and list them in OUT.framemd5"),
    PACO_FLAG ("no-verify", &given.no_verify,
        "Do not decode each frame and compare it with its file"),
    PACO_TEXT ("split", &given.split,
        "Make OUT several files of at most this size, as 25GB or 650MB",
        "SIZE"),
    PACO_TEXT ("fps", &given.fps,
        "Frames a second, whatever the files say, as 24, 23.976 or 24000/1001",
        "RATE"),
    PACO_FLAG ("any-sound-length", &options.any_sound_length,
        "Take sound that is longer or shorter than the pictures"),
    PACO_FLAG ("keep-files", &options.keep_files,
        "Keep whole what is compressed in a way that cannot be done again"),
    PACO_FLAG ("with-decoder", &options.files.with_decoder,
        "Keep a decoder's source and the format's description as well"),
    PACO_FLAG ("only-pictures", &options.files.only_pictures,
        "Refuse a folder with other files, or with gaps in numbers"),
    PACO_FLAG ("allow-gaps", &options.files.allow_gaps,
        "Take gaps in the numbers of files for granted"),
    { "skip", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.skip,
        "Leave out files and folders of such names; may be repeated",
        "PATTERN" },
    PACO_FLAG ("list", &given.list,
        "Print the names of the pictures in their order, and do no more"),
    { "report", 0, 0, G_OPTION_ARG_FILENAME, &given.report,
        "Write the report here instead of OUT.json; an empty name: nowhere",
        "FILE" },
    PACO_COMMAND_CODER_OPTIONS (given.coders, "Threads that read files"),
    PACO_NUMBER ("complexity", &given.complexity,
        "0 (smallest) to 3 (fastest); 1 if not given", "N"),
    PACO_QUIET (&given.quiet, "Print neither progress nor the report"),
    { NULL },
  };
  static const PacoToolUsage usage = {
    .arguments = "FOLDER OUT",
    .summary =
        "Codes the pictures of a folder losslessly, with all that their files "
        "have besides and all\nother files, so that paco restore gives back "
        "each file bit by bit.",
    .description =
        "Nothing is overwritten. Frames go to OUT.part, which becomes OUT when "
        "all are there;\nthe same command goes on where another one ended.",
    .minimum = 1,
    .maximum = 2,
  };
  int code = PACO_EXIT_USAGE;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return code;
  options.folder = argv[1];
  options.out = argv[2];
  if (argc != (given.list ? 2 : 3))
    paco_tool_complain (
        given.list ? "--list takes FOLDER alone" : "it takes FOLDER and OUT");
  else {
    paco_signals_catch ();
    code = run_command (&given, &options);
  }
  paco_tool_free (entries);
  return code;
}
