/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes what a run of archive or restore has done, as JSON, as text and as framemd5
 * (report.h). */
#include "tool/archive/report.h"
#include "codec/text.h"
#include <string.h>

#define MAX_NOTES 100

static const char *const spent_names[PACO_N_SPENT] = { "reading", "checksums",
  "parsing", "coding", "decoding", "writing" };

static void
clear_frame (gpointer frame)
{
  g_free (((PacoReportFrame *) frame)->name);
}

void
paco_report_init (
    PacoReport *report, const char *command, const char *from, const char *to)
{
  *report = (PacoReport){
    .command = command,
    .from = g_strdup (from),
    .to = g_strdup (to),
    .info = PACO_INFO_INIT,
    .frames = g_array_new (FALSE, FALSE, sizeof (PacoReportFrame)),
    .members = g_array_new (FALSE, FALSE, sizeof (PacoReportFrame)),
    .notes = g_ptr_array_new_with_free_func (g_free),
  };
  g_array_set_clear_func (report->frames, clear_frame);
  g_array_set_clear_func (report->members, clear_frame);
  g_mutex_init (&report->lock);
}

void
paco_report_clear (PacoReport *report)
{
  g_free (report->from);
  g_free (report->to);
  g_free (report->kind);
  g_free (report->device);
  g_free (report->failure);
  g_array_unref (report->frames);
  g_array_unref (report->members);
  g_ptr_array_unref (report->notes);
  g_mutex_clear (&report->lock);
}

void
paco_report_spend (PacoReport *report, PacoSpent what, gint64 begin)
{
  gint64 spent = g_get_monotonic_time () - begin;

  g_mutex_lock (&report->lock);
  report->spent[what] += spent;
  g_mutex_unlock (&report->lock);
}

void
paco_report_note (PacoReport *report, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_mutex_lock (&report->lock);
  if (report->n_notes++ < MAX_NOTES)
    g_ptr_array_add (report->notes, g_strdup_vprintf (format, arguments));
  g_mutex_unlock (&report->lock);
  va_end (arguments);
}

static PacoReportFrame *
last_file (const PacoReport *report)
{
  return report->frames->len > 0 ? &g_array_index (
             report->frames, PacoReportFrame, report->frames->len - 1)
                                 : NULL;
}

void
paco_report_add (PacoReport *report, const char *name, guint64 size,
    guint64 coded, guint n_frames, const PacoChecksums *checksums)
{
  PacoReportFrame frame = { g_strdup (name), size, coded, n_frames,
    *checksums };

  report->n_frames += n_frames;
  g_array_append_val (report->frames, frame);
}

void
paco_report_add_kept (
    PacoReport *report, const PacoKeptFile *kept, guint64 coded)
{
  PacoReportFrame *last = last_file (report);

  if (!kept->is_section)
    paco_report_add (
        report, kept->name, kept->size, coded, 1, &kept->checksums);
  else if (kept->section.number == 0 || !last
      || strcmp (last->name, kept->name) != 0)
    paco_report_add (
        report, kept->name, kept->section.size, coded, 1, &kept->so_far);
  else {
    report->n_frames++;
    last->n_frames++;
    last->size += kept->section.size;
    last->coded += coded;
    last->checksums = kept->so_far;
  }
}

gboolean
paco_report_ends_with (const PacoReport *report, const char *name,
    const guint8 xxh3[PACO_CHECKSUM_SIZE])
{
  const PacoReportFrame *last = last_file (report);

  return last && strcmp (last->name, name) == 0
      && memcmp (last->checksums.xxh3, xxh3, PACO_CHECKSUM_SIZE) == 0;
}

void
paco_report_add_member (PacoReport *report, const char *name, guint64 size,
    guint64 coded, const PacoChecksums *checksums)
{
  PacoReportFrame member = { g_strdup (name), size, coded, 0, *checksums };
  PacoReportFrame *last = last_file (report);

  if (!last || strcmp (last->name, name) != 0) {
    g_array_append_val (report->members, member);
    return;
  }
  g_free (member.name);
  last->size = size;
  last->checksums = *checksums;
}

void
paco_report_enlarge (PacoReport *report, guint64 more)
{
  PacoReportFrame *last = last_file (report);

  if (last)
    last->coded += more;
}

static const PacoReportFrame *
frame_at (const PacoReport *report, guint i)
{
  return &g_array_index (report->frames, PacoReportFrame, i);
}

static guint
count_files (const PacoReport *report)
{
  return report->frames->len + report->members->len;
}

void
paco_report_sums (const PacoReport *report, guint64 *files, guint64 *coded)
{
  *files = *coded = 0;
  for (guint i = 0; i < report->frames->len; i++) {
    *files += frame_at (report, i)->size;
    *coded += frame_at (report, i)->coded;
  }
  for (guint i = 0; i < report->members->len; i++)
    *files += g_array_index (report->members, PacoReportFrame, i).size;
}

/* --- JSON --------------------------------------------------------------- */

static void
append_picture (GString *json, const PacoInfo *info)
{
  paco_json_open (json, "picture", '{');
  paco_json_number (json, "width", info->width);
  paco_json_number (json, "height", info->height);
  paco_json_open (json, "depths", '[');
  for (guint c = 0; c < info->n_components; c++)
    paco_json_number (json, NULL, info->depth[c]);
  paco_json_close (json, ']');
  paco_json_open (json, "fps", '[');
  paco_json_number (json, NULL, info->fps_n);
  paco_json_number (json, NULL, info->fps_d);
  paco_json_close (json, ']');
  paco_json_close (json, '}');
}

static void
append_checksum (
    GString *json, const char *name, const guint8 sum[PACO_CHECKSUM_SIZE])
{
  char text[2 * PACO_CHECKSUM_SIZE + 1];

  paco_checksum_text (sum, text);
  paco_json_text (json, name, text);
}

static void
append_files (GString *json, const char *name, const GArray *files)
{
  paco_json_open (json, name, '[');
  for (guint i = 0; i < files->len; i++) {
    const PacoReportFrame *file = &g_array_index (files, PacoReportFrame, i);

    paco_json_open (paco_json_line (json, 4), NULL, '{');
    paco_json_text (json, "name", file->name);
    paco_json_number (json, "size", file->size);
    paco_json_number (json, "coded", file->coded);
    if (file->n_frames > 1)
      paco_json_number (json, "frames", file->n_frames);
    append_checksum (json, "xxh3", file->checksums.xxh3);
    if (file->checksums.has_md5)
      append_checksum (json, "md5", file->checksums.md5);
    paco_json_close (json, '}');
  }
  g_string_append (json, files->len ? "\n  " : "");
  paco_json_close (json, ']');
}

static void
append_spent (GString *json, const PacoReport *report)
{
  paco_json_open (json, "spent", '{');
  for (guint i = 0; i < PACO_N_SPENT; i++)
    paco_json_real (
        json, spent_names[i], (gdouble) report->spent[i] / 1e6, "%.3f");
  paco_json_close (json, '}');
}

static void
append_notes_json (GString *json, const PacoReport *report)
{
  paco_json_open (json, "notes", '[');
  for (guint i = 0; i < report->notes->len; i++)
    paco_json_text (paco_json_line (json, 4), NULL, report->notes->pdata[i]);
  g_string_append (json, report->notes->len ? "\n  " : "");
  paco_json_close (json, ']');
}

char *
paco_report_json (const PacoReport *report)
{
  GString *json = g_string_new ("{");
  guint64 files, coded;
  guint64 n = report->n_frames;

  paco_report_sums (report, &files, &coded);
  paco_json_text (paco_json_line (json, 2), "command", report->command);
  paco_json_text (paco_json_line (json, 2), "version", paco_version ());
  paco_json_text (paco_json_line (json, 2), "from", report->from);
  paco_json_text (paco_json_line (json, 2), "to", report->to);
  paco_json_text (paco_json_line (json, 2), "failure", report->failure);
  paco_json_text (paco_json_line (json, 2), "kind", report->kind);
  paco_json_text (paco_json_line (json, 2), "device", report->device);
  append_picture (paco_json_line (json, 2), &report->info);
  paco_json_boolean (
      paco_json_line (json, 2), "verified", n > 0 && report->verified == n);
  paco_json_number (
      paco_json_line (json, 2), "verified_frames", report->verified);
  paco_json_number (paco_json_line (json, 2), "first", report->first);
  paco_json_number (paco_json_line (json, 2), "resumed", report->resumed);
  paco_json_number (paco_json_line (json, 2), "damaged", report->damaged);
  paco_json_number (paco_json_line (json, 2), "source_bytes", files);
  paco_json_number (paco_json_line (json, 2), "coded_bytes", coded);
  paco_json_real (paco_json_line (json, 2), "seconds", report->seconds, "%.3f");
  append_spent (paco_json_line (json, 2), report);
  append_notes_json (paco_json_line (json, 2), report);
  append_files (paco_json_line (json, 2), "frames", report->frames);
  append_files (paco_json_line (json, 2), "members", report->members);
  g_string_append (json, "\n}\n");
  return g_string_free (json, FALSE);
}

/* --- text ---------------------------------------------------------------- */

static void
append_notes (GString *text, const PacoReport *report)
{
  for (guint i = 0; i < report->notes->len; i++) {
    g_autofree char *shown = paco_text_show (report->notes->pdata[i]);

    g_string_append_printf (text, "%s.\n", shown);
  }
  if (report->n_notes > report->notes->len)
    g_string_append_printf (text, "And %" G_GUINT64_FORMAT " more.\n",
        report->n_notes - report->notes->len);
}

char *
paco_report_text (const PacoReport *report)
{
  GString *text = g_string_new (NULL);
  guint64 files, coded, n = count_files (report);
  guint64 done = MAX (report->resumed, report->resumed_frames);
  guint64 now = report->n_frames + report->members->len;
  char *size, *coded_size;

  paco_report_sums (report, &files, &coded);
  size = g_format_size (files);
  coded_size = g_format_size (coded);
  if (report->complete)
    g_string_append_printf (text,
        "%s is complete: nothing is left to be done, and files and checksums "
        "are "
        "the same.\n",
        report->to);
  g_string_append_printf (text, "%" G_GUINT64_FORMAT " %s of %s, %s as %s", n,
      paco_text_plural (n, "file", "files"), size, coded_size,
      report->n_frames == 1 ? "a frame" : "frames");
  if (files > 0)
    g_string_append_printf (
        text, " (%.1f %%)", 100.0 * (gdouble) coded / (gdouble) files);
  if (report->members->len > 0)
    g_string_append_printf (text, "; %u of them %s", report->members->len,
        paco_text_plural (report->members->len,
            "is no frame, and is kept in these as it is",
            "are no frames, and are kept in these as they are"));
  if (report->resumed > 0)
    g_string_append_printf (text,
        "; %" G_GUINT64_FORMAT " of them %s there already", report->resumed,
        paco_text_plural (report->resumed, "was", "were"));
  if (report->damaged > 0)
    g_string_append_printf (text,
        ".\n%" G_GUINT64_FORMAT " of the %" G_GUINT64_FORMAT
        " %s of the archive %s not come back",
        report->damaged, report->damaged + n,
        paco_text_plural (report->damaged + n, "file", "files"),
        paco_text_plural (report->damaged, "does", "do"));
  g_string_append_printf (text, ".\n%.1f s, %.1f frames a second",
      report->seconds,
      report->seconds > 0 ? (gdouble) (now - MIN (done, now)) / report->seconds
                          : 0);
  if (report->device && *report->device)
    g_string_append_printf (text, ", on %s", report->device);
  g_string_append (text, ".\nTime was spent:");
  for (guint i = 0, m = 0; i < PACO_N_SPENT; i++)
    if (report->spent[i] > 0)
      g_string_append_printf (text, "%s %s %.1f s", m++ ? "," : "",
          spent_names[i], (gdouble) report->spent[i] / 1e6);
  g_string_append (text, ".\n");
  if (report->verified > 0)
    g_string_append_printf (text,
        "Every frame%s was decoded, and gave the bytes of its file.\n",
        report->verified < report->n_frames ? " of this run" : "");
  if (report->damaged == 0)
    append_notes (text, report);
  g_free (size);
  g_free (coded_size);
  return g_string_free (text, FALSE);
}

/* --- framemd5 -------------------------------------------------------------- */

char *
paco_report_framemd5 (const PacoReport *report)
{
  const PacoInfo *info = &report->info;
  gboolean has_fps = info->fps_n > 0 && info->fps_d > 0;
  GString *list;

  if (report->frames->len == 0 || !frame_at (report, 0)->checksums.has_md5)
    return NULL;
  list = g_string_new ("#format: frame checksums\n#version: 2\n#hash: MD5\n");
  g_string_append_printf (list,
      "#software: paco %s\n#tb 0: %u/%u\n#media_type 0: video\n"
      "#codec_id 0: %s\n#dimensions 0: %ux%u\n#sar 0: %u/%u\n"
      "#stream#, dts,        pts, duration,     size, hash\n",
      paco_version (), has_fps ? info->fps_d : 1, has_fps ? info->fps_n : 25,
      report->kind, info->width, info->height, info->par_n,
      info->par_d ? info->par_d : 1);
  for (guint i = 0; i < report->frames->len; i++) {
    const PacoReportFrame *frame = frame_at (report, i);
    char text[2 * PACO_CHECKSUM_SIZE + 1];

    paco_checksum_text (frame->checksums.md5, text);
    g_string_append_printf (list,
        "0, %10u, %10u, %8u, %8" G_GUINT64_FORMAT ", %s\n", i, i, 1,
        frame->size, text);
  }
  return g_string_free (list, FALSE);
}
