/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco restore: it makes the files again that paco archive has read. It
 * reads the command line and reports; tool/archive/restore.c does the work. */
#include "tool/archive/part.h"
#include "tool/archive/restore.h"
#include "archive_command.h"
#include "input.h"
#include "progress.h"
#include "tool.h"
#include "volumes.h"
#include <stdio.h>
#include <string.h>

#define MB 1000000
#define MAX_LIMIT G_GINT64_CONSTANT (1000000000)

typedef struct
{
  const char *path;
  PacoInput *input;
  PacoProgress *progress;
} Run;

static gboolean
next_frame (gpointer user, PacoFrame *frame, gpointer *owner, GError **error)
{
  PacoInputFrame got = { 0 };
  PacoInputResult result = paco_input_find (((Run *) user)->input, &got, error);

  *frame = got.frame;
  *owner = got.owner;
  return result == PACO_INPUT_FRAME;
}

static gboolean
read_frame (gpointer user, const PacoFrame *frame, guint8 *data, GError **error)
{
  return paco_input_read (((Run *) user)->input, frame, data, error);
}

static void
release_frame (gpointer user, PacoFrame *frame, gpointer owner)
{
  PacoInputFrame got = { .frame = *frame, .owner = owner };

  paco_input_release (&got);
}

static gboolean
give_sound (
    gpointer user, PacoSoundMaker *const *makers, guint n, GError **error)
{
  return paco_archive_container_sound (((Run *) user)->path, makers, n, error);
}

static gboolean
is_interrupted (gpointer user)
{
  return paco_signals_caught (NULL);
}

static void
show_progress (gpointer user, guint64 done)
{
  paco_progress_set (((Run *) user)->progress, done);
}

static gboolean
tell (const PacoRestoreCommand *given, const PacoReport *report, GError **error)
{
  g_autofree char *text = paco_report_text (report);
  g_autofree char *json = paco_report_json (report);

  if (!given->quiet)
    fputs (text, stdout);
  return !given->report
      || paco_part_write_file (given->report, json, strlen (json), error);
}

/* Names what does not come back. */
static void
complain (const PacoReport *report)
{
  for (guint i = 0; i < report->notes->len; i++)
    paco_tool_complain ("%s", (const char *) report->notes->pdata[i]);
  if (report->n_notes > report->notes->len)
    paco_tool_complain ("%" G_GUINT64_FORMAT " more are not named",
        report->n_notes - report->notes->len);
}

static gboolean
open_input (PacoRestoreOptions *options, Run *run, GError **error)
{
  run->input = paco_input_open (run->path, error);
  if (run->input && !g_str_equal (run->input->kind, "PaCo frames"))
    options->sound = give_sound;
  return run->input
      && (!options->has_range
          || paco_input_seek (run->input, options->first, error));
}

static gboolean
restore (const PacoRestoreCommand *given, const char *from,
    PacoRestoreOptions *options, gboolean *damaged, GError **error)
{
  Run run = { from };
  PacoReport report;
  gboolean good;

  if (!open_input (options, &run, error)) {
    paco_input_close (run.input);
    return FALSE;
  }
  paco_report_init (
      &report, "restore", from, options->folder ? options->folder : "");
  run.progress = paco_progress_new (
      options->has_range ? 0 : paco_input_count (run.input), given->quiet);
  options->size = run.input->size;
  options->next = next_frame;
  options->read = read_frame;
  options->release = release_frame;
  options->interrupted = is_interrupted;
  options->progress = show_progress;
  options->user = &run;
  good = paco_restore_run (options, &report, error);
  paco_progress_free (run.progress);
  if (good && report.damaged == 0 && !report.kind)
    good = paco_archive_fail (error, PACO_ARCHIVE_FAILED, "%s has no frames%s",
        from, options->has_range ? " of this range" : "");
  good = good && tell (given, &report, error);
  *damaged = report.damaged > 0;
  if (*damaged)
    complain (&report);
  paco_input_close (run.input);
  paco_report_clear (&report);
  return good;
}

/* Reads the limits. Sizes are given in MB. */
static gboolean
read_limits (
    const PacoRestoreCommand *given, PacoRestoreLimits *limits, GError **error)
{
  const struct
  {
    gint64 given, unit;
    guint64 *limit;
  } all[] = {
    { given->max_pixels, 1, &limits->max_pixels },
    { given->max_file, MB, &limits->max_file },
    { given->max_ratio, 1, &limits->max_ratio },
    { given->memory, MB, &limits->memory },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    if (all[i].given < 0 || all[i].given > MAX_LIMIT)
      return paco_tool_misused (
          error, "a limit is a number from 1 to %" G_GINT64_FORMAT, MAX_LIMIT);
    if (all[i].given > 0)
      *all[i].limit = (guint64) (all[i].given * all[i].unit);
  }
  return TRUE;
}

int
paco_restore_command (
    const PacoRestoreCommand *given, const char *from, const char *folder)
{
  PacoRestoreOptions options = {
    .folder = folder,
    .md5 = given->md5,
    .limits = PACO_RESTORE_LIMITS,
  };
  PacoCommandCoders coders;
  GError *error = NULL;
  gboolean damaged = FALSE;

  if (!paco_command_read_range (given->frames, &options.has_range,
          &options.first, &options.last, &error)
      || !read_limits (given, &options.limits, &error)
      || !paco_command_read_coders (&given->coders, &coders, &error))
    return paco_command_fail (error);
  options.writers = (guint) given->coders.helpers;
  options.coders = coders.pairs;
  if (!restore (given, from, &options, &damaged, &error))
    return paco_command_fail (error);
  return damaged ? PACO_EXIT_DAMAGE : PACO_EXIT_DONE;
}

int
paco_tool_restore (int argc, char **argv)
{
  PacoRestoreCommand given = { NULL };
  gboolean check = FALSE;
  const GOptionEntry entries[] = {
    PACO_FLAG ("check", &check,
        "Write nothing: make each file and compare its checksum"),
    PACO_TEXT ("frames", &given.frames,
        "Restore only the files of these frames, counted from 0", "A-B"),
    PACO_FLAG ("md5", &given.md5, "Compare MD5s, too, where they were kept"),
    { "report", 0, 0, G_OPTION_ARG_FILENAME, &given.report,
        "Write a report as JSON here", "FILE" },
    PACO_COMMAND_CODER_OPTIONS (given.coders, "Threads that write files"),
    { "max-pixels", 0, 0, G_OPTION_ARG_INT64, &given.max_pixels,
        "Pixels that a picture may have; default 67108864, 8192 x 8192", "N" },
    { "max-file", 0, 0, G_OPTION_ARG_INT64, &given.max_file,
        "Size that a file may have; default 512", "MB" },
    { "max-ratio", 0, 0, G_OPTION_ARG_INT64, &given.max_ratio,
        "How many times the archive's bytes all files may have together, "
        "beyond 16 GB; default 1000",
        "N" },
    { "memory", 0, 0, G_OPTION_ARG_INT64, &given.memory,
        "Memory to take, unless one file needs more; default 1200", "MB" },
    PACO_QUIET (&given.quiet, "Print neither progress nor the report"),
    { NULL },
  };
  static const PacoToolUsage usage = {
    .arguments = "FILE [FOLDER]",
    .summary = "Makes the files again that paco archive has read, bit by bit.",
    .description = "Nothing is overwritten; files that are there already and "
                   "are the same stay.\nFiles of damaged frames are not "
                   "written, and named; the exit code is 3 then.\nFILE may be "
                   "the first or all files of a split archive.",
    .minimum = 1,
    .maximum = -1,
  };
  int code = PACO_EXIT_USAGE, n;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return code;
  n = argc - (check ? 1 : 2);
  if (n < 1 || paco_volumes_drop (argv + 1, n) != 1)
    paco_tool_complain (
        check ? "--check takes FILE alone" : "it takes FILE and FOLDER");
  else {
    paco_signals_catch ();
    code = paco_restore_command (
        &given, argv[1], check ? NULL : argv[argc - 1]);
  }
  paco_tool_free (entries);
  return code;
}
