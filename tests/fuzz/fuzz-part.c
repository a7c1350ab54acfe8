/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes what archive finds of a run before: OUT.part of any bytes, or a link in its
 * place. Either it is refused and stays, or OUT is an archive of the folder's files. The first byte has bit 0 a link, bit 1 --md5. */
#include "tool/archive/archive.h"
#include "tool/archive/restore.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sandbox.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

enum
{
  LINKED = 1 << 0,
  MD5 = 1 << 1,
  N_FILES = 3,
};

static const char *const settings[] = { "backend", "cpu", "threads", "1",
  "pipeline-depth", "1", NULL };

/* The files are "P5\n8 4\n255\n" and 32 samples, which are their number. */
static void
write_sources (void)
{
  char bytes[11 + 32] = "P5\n8 4\n255\n";
  char name[] = "source/0.pgm";
  g_autofree char *folder = g_build_filename (
      fuzz_sandbox_folder (), "source", NULL);

  g_mkdir (folder, 0700);
  for (int i = 0; i < N_FILES; i++) {
    memset (bytes + 11, '0' + i, 32);
    name[7] = (char) ('0' + i);
    fuzz_sandbox_file (name, bytes, sizeof bytes);
  }
}

static gboolean
next_frame (gpointer user, PacoFrame *frame, gpointer *owner, GError **error)
{
  PacoError failure;

  *owner = NULL;
  return paco_reader_next (user, frame, &failure) == PACO_STATUS_OK;
}

static void
release_frame (gpointer user, PacoFrame *frame, gpointer owner)
{
  paco_frame_release (frame);
}

/* Checks that restore makes all files of the archive, of which this run has coded
 * those after the first n_resumed. The others come from OUT.part, where frames with
 * checks that are right may hold anything: restore says so. */
static void
check_archive (const char *path, bool md5, guint64 n_resumed)
{
  PacoRestoreOptions options = { .md5 = md5,
    .limits = PACO_RESTORE_LIMITS,
    .coders = settings,
    .next = next_frame,
    .release = release_frame };
  PacoReader *reader;
  PacoReport report;
  GError *error = NULL;
  PacoError failure;

  if (paco_reader_open (path, &reader, &failure) != PACO_STATUS_OK)
    fuzz_give_up ("archive", failure.message);
  options.user = reader;
  paco_report_init (&report, "restore", "archive", "");
  if (!paco_restore_run (&options, &report, &error))
    fuzz_give_up ("restore", error->message);
  if (report.damaged > n_resumed
      || report.frames->len + report.damaged != N_FILES)
    fuzz_give_up ("archive", "it is not whole");
  for (guint i = 0; i < N_FILES - n_resumed; i++) {
    const PacoReportFrame *frame = &g_array_index (
        report.frames, PacoReportFrame, report.frames->len - 1 - i);

    if (frame->name[0] != (char) ('0' + N_FILES - 1 - i) || frame->size != 43
        || frame->checksums.has_md5 != md5)
      fuzz_give_up ("archive", "it has another file");
  }
  paco_report_clear (&report);
  paco_reader_close (reader);
}

/* Checks that nothing is at OUT, and that OUT.part is there. */
static void
check_refused (const char *out, const char *part)
{
  if (g_access (out, F_OK) == 0)
    fuzz_give_up ("archive", "it failed, and left a file");
  if (g_access (part, F_OK) != 0)
    fuzz_give_up ("archive", "it failed, and removed what was there");
}

static void
archive (bool md5)
{
  const char *folder = fuzz_sandbox_folder ();
  g_autofree char *source = g_build_filename (folder, "source", NULL);
  g_autofree char *out = g_build_filename (folder, "out.paco", NULL);
  g_autofree char *part = g_strconcat (out, ".part", NULL);
  const PacoArchiveOptions options = { .folder = source,
    .out = out,
    .md5 = md5,
    .verify = TRUE,
    .readers = 1,
    .coders = settings };
  PacoReport report;
  GError *error = NULL;

  paco_report_init (&report, "archive", source, out);
  if (paco_archive_run (&options, &report, &error)) {
    check_archive (out, md5, report.resumed);
    fuzz_sandbox_check (".part");
  } else {
    fuzz_check_error (&error);
    check_refused (out, part);
    fuzz_sandbox_check (NULL);
  }
  paco_report_clear (&report);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  fuzz_sandbox_plant ();
  write_sources ();
  if (data[0] & LINKED)
    fuzz_sandbox_link ("out.paco.part");
  else
    fuzz_sandbox_file ("out.paco.part", data + 1, size - 1);
  archive ((data[0] & MD5) != 0);
  return 0;
}
