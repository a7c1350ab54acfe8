/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes what a run of archive or restore has done, as JSON, as text and as framemd5
 * (report.h). */
#include "archive/report.h"
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
    .notes = g_ptr_array_new_with_free_func (g_free),
  };
  g_array_set_clear_func (report->frames, clear_frame);
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

void
paco_report_add (PacoReport *report, const char *name, guint64 size,
    guint64 coded, const PacoChecksums *checksums)
{
  PacoReportFrame frame = { g_strdup (name), size, coded, *checksums };

  g_array_append_val (report->frames, frame);
}

static const PacoReportFrame *
frame_at (const PacoReport *report, guint i)
{
  return &g_array_index (report->frames, PacoReportFrame, i);
}

void
paco_report_sums (const PacoReport *report, guint64 *files, guint64 *coded)
{
  *files = *coded = 0;
  for (guint i = 0; i < report->frames->len; i++) {
    *files += frame_at (report, i)->size;
    *coded += frame_at (report, i)->coded;
  }
}

/* --- JSON --------------------------------------------------------------- */

static void
append_text (GString *json, const char *text)
{
  const char *p = text;

  g_string_append_c (json, '"');
  while (*p) {
    gunichar c = g_utf8_get_char_validated (p, -1);

    if (c == (gunichar) -1 || c == (gunichar) -2) {
      g_string_append_printf (json, "\\udc%02x", (guint8) *p++);
      continue;
    }
    if (c == '"' || c == '\\')
      g_string_append_c (json, '\\');
    if (c < 0x20)
      g_string_append_printf (json, "\\u%04x", c);
    else
      g_string_append_unichar (json, c);
    p = g_utf8_next_char (p);
  }
  g_string_append_c (json, '"');
}

static void
append_pair (GString *json, const char *name, const char *text)
{
  g_string_append_printf (json, "  \"%s\": ", name);
  if (text)
    append_text (json, text);
  else
    g_string_append (json, "null");
  g_string_append (json, ",\n");
}

static void
append_number (GString *json, const char *name, guint64 value)
{
  g_string_append_printf (
      json, "  \"%s\": %" G_GUINT64_FORMAT ",\n", name, value);
}

static void
append_picture (GString *json, const PacoInfo *info)
{
  g_string_append_printf (json,
      "  \"picture\": {\"width\": %u, \"height\": %u, \"depths\": [",
      info->width, info->height);
  for (guint c = 0; c < info->n_components; c++)
    g_string_append_printf (json, "%s%u", c ? ", " : "", info->depth[c]);
  g_string_append_printf (
      json, "], \"fps\": [%u, %u]},\n", info->fps_n, info->fps_d);
}

static void
append_seconds (GString *json, const char *name, gdouble seconds)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (json, "\"%s\": %s", name,
      g_ascii_formatd (number, sizeof number, "%.3f", seconds));
}

static void
append_frames (GString *json, const PacoReport *report)
{
  g_string_append (json, "  \"frames\": [");
  for (guint i = 0; i < report->frames->len; i++) {
    const PacoReportFrame *frame = frame_at (report, i);
    char text[2 * PACO_CHECKSUM_SIZE + 1];

    g_string_append (json, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    append_text (json, frame->name);
    paco_checksum_text (frame->checksums.xxh3, text);
    g_string_append_printf (json,
        ", \"size\": %" G_GUINT64_FORMAT ", \"coded\": %" G_GUINT64_FORMAT
        ", \"xxh3\": \"%s\"",
        frame->size, frame->coded, text);
    if (frame->checksums.has_md5) {
      paco_checksum_text (frame->checksums.md5, text);
      g_string_append_printf (json, ", \"md5\": \"%s\"", text);
    }
    g_string_append_c (json, '}');
  }
  g_string_append (json, report->frames->len ? "\n  ]\n" : "]\n");
}

char *
paco_report_json (const PacoReport *report)
{
  GString *json = g_string_new ("{\n");
  guint64 files, coded;

  paco_report_sums (report, &files, &coded);
  append_pair (json, "command", report->command);
  append_pair (json, "version", paco_version ());
  append_pair (json, "from", report->from);
  append_pair (json, "to", report->to);
  append_pair (json, "failure", report->failure);
  append_pair (json, "kind", report->kind);
  append_pair (json, "device", report->device);
  append_picture (json, &report->info);
  g_string_append_printf (json, "  \"verified\": %s,\n",
      report->frames->len > 0 && report->verified == report->frames->len
          ? "true"
          : "false");
  append_number (json, "verified_frames", report->verified);
  append_number (json, "first", report->first);
  append_number (json, "resumed", report->resumed);
  append_number (json, "damaged", report->damaged);
  append_number (json, "source_bytes", files);
  append_number (json, "coded_bytes", coded);
  g_string_append (json, "  ");
  append_seconds (json, "seconds", report->seconds);
  g_string_append (json, ",\n  \"spent\": {");
  for (guint i = 0; i < PACO_N_SPENT; i++) {
    g_string_append (json, i ? ", " : "");
    append_seconds (json, spent_names[i], (gdouble) report->spent[i] / 1e6);
  }
  g_string_append (json, "},\n  \"notes\": [");
  for (guint i = 0; i < report->notes->len; i++) {
    g_string_append (json, i ? ",\n    " : "\n    ");
    append_text (json, report->notes->pdata[i]);
  }
  g_string_append (json, report->notes->len ? "\n  ],\n" : "],\n");
  append_frames (json, report);
  g_string_append (json, "}\n");
  return g_string_free (json, FALSE);
}

/* --- text ---------------------------------------------------------------- */

static void
append_notes (GString *text, const PacoReport *report)
{
  for (guint i = 0; i < report->notes->len; i++)
    g_string_append_printf (
        text, "%s.\n", (const char *) report->notes->pdata[i]);
  if (report->n_notes > report->notes->len)
    g_string_append_printf (text, "And %" G_GUINT64_FORMAT " more.\n",
        report->n_notes - report->notes->len);
}

char *
paco_report_text (const PacoReport *report)
{
  GString *text = g_string_new (NULL);
  guint64 files, coded, now = report->frames->len - report->resumed;
  char *size, *coded_size;

  paco_report_sums (report, &files, &coded);
  size = g_format_size (files);
  coded_size = g_format_size (coded);
  g_string_append_printf (text, "%u files of %s, %s as frames",
      report->frames->len, size, coded_size);
  if (files > 0)
    g_string_append_printf (
        text, " (%.1f %%)", 100.0 * (gdouble) coded / (gdouble) files);
  if (report->resumed > 0)
    g_string_append_printf (text,
        "; %" G_GUINT64_FORMAT " of them were there already", report->resumed);
  g_string_append_printf (text, ".\n%.1f s, %.1f frames a second",
      report->seconds,
      report->seconds > 0 ? (gdouble) now / report->seconds : 0);
  if (report->device && *report->device)
    g_string_append_printf (text, ", on %s", report->device);
  g_string_append (text, ".\nTime was spent:");
  for (guint i = 0, n = 0; i < PACO_N_SPENT; i++)
    if (report->spent[i] > 0)
      g_string_append_printf (text, "%s %s %.1f s", n++ ? "," : "",
          spent_names[i], (gdouble) report->spent[i] / 1e6);
  g_string_append (text, ".\n");
  if (report->verified > 0)
    g_string_append_printf (text,
        "Every frame%s was decoded, and gave the bytes of its file.\n",
        report->verified < report->frames->len ? " of this run" : "");
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
