/* SPDX-License-Identifier: LGPL-2.1-or-later
 * archive-read [--threads=N] [--rounds=N] FILE...: what paco archive does with a source
 * file before its picture is coded: it is read, in pieces that are hashed and looked at
 * for padding, and taken apart. Each of N threads takes all files in turn, M
 * times. Prints one JSON line: files and bytes a second of all threads together, and
 * milliseconds of a core that each step takes for a file. Files come from the page
 * cache, if they fit. */
#include "tool/archive/run.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum
{
  READING,
  HASHING,
  WATCHING,
  PARSING,
  N_STEPS_HERE,
};

typedef struct
{
  char **files;
  gint rounds;
  /* Of a thread: */
  guint first;
  double seconds[N_STEPS_HERE]; /* of a core */
  guint64 n_files, n_bytes;
  double files_per_second;
  double last; /* when the last step ended, by the thread's clock */
  PacoRunningChecksum *checksum;
  const PacoSourceKind *kind; /* once its first bytes are there */
  PacoSource source;
  guint64 size;
} Reader;

/* Counts what the thread has spent since the last step for this one. */
static void
spend (Reader *reader, guint step)
{
  struct timespec time;
  double now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  now = (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
  reader->seconds[step] += now - reader->last;
  reader->last = now;
}

static void
look_at_piece (gpointer user, const guint8 *bytes, gsize from, gsize size)
{
  Reader *reader = user;

  spend (reader, READING);
  paco_running_checksum_add (reader->checksum, bytes + from, size - from);
  spend (reader, HASHING);
  if (from == 0)
    reader->kind = paco_source_kind (bytes, size);
  if (reader->kind)
    paco_source_watch (
        reader->kind, bytes, from, size, reader->size, &reader->source);
  spend (reader, WATCHING);
}

static void
read_file (Reader *reader, const char *path, PacoBytes *bytes)
{
  PacoChecksums checksums;
  GError *error = NULL;
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    g_error ("%s is not there.", path);
  reader->size = (guint64) status.st_size;
  reader->checksum = paco_running_checksum_new (FALSE);
  if (!paco_read_whole_file (
          path, reader->size, bytes, look_at_piece, reader, &error))
    g_error ("%s: %s.", path, error->message);
  spend (reader, READING);
  paco_running_checksum_end (reader->checksum, &checksums);
  spend (reader, HASHING);
  if (!reader->kind
      || !paco_source_parse (
          reader->kind, bytes->data, bytes->len, &reader->source, &error))
    g_error ("%s: %s.", path, error ? error->message : "it is of no kind");
  spend (reader, PARSING);
  reader->n_files++;
  reader->n_bytes += reader->size;
}

static gpointer
read_files (gpointer data)
{
  Reader *reader = data;
  PacoBytes *bytes = paco_bytes_new ();
  guint n = g_strv_length (reader->files);
  gint64 begin;

  paco_source_init (&reader->source);
  /* The first one gets the memory. */
  read_file (reader, reader->files[reader->first % n], bytes);
  memset (reader->seconds, 0, sizeof reader->seconds);
  reader->n_files = reader->n_bytes = 0;
  begin = g_get_monotonic_time ();
  for (gint round = 0; round < reader->rounds; round++)
    for (guint i = 0; i < n; i++)
      read_file (reader, reader->files[(reader->first + i) % n], bytes);
  reader->files_per_second = (double) reader->n_files * 1e6
      / (double) (g_get_monotonic_time () - begin);
  paco_source_clear (&reader->source);
  paco_bytes_free (bytes);
  return NULL;
}

/* Adds what the readers have spent to that of the first one, and prints it. */
static void
print_figures (Reader *readers, gint n)
{
  static const char *const names[] = { "reading", "hashing", "watching",
    "parsing" };
  Reader *all = &readers[0];

  for (gint i = 1; i < n; i++) {
    for (guint k = 0; k < N_STEPS_HERE; k++)
      all->seconds[k] += readers[i].seconds[k];
    all->n_files += readers[i].n_files;
    all->n_bytes += readers[i].n_bytes;
    all->files_per_second += readers[i].files_per_second;
  }
  printf ("{\"threads\": %d, \"files_per_second\": %.1f, \"gbps\": %.2f", n,
      all->files_per_second,
      all->files_per_second * (double) all->n_bytes / (double) all->n_files
          / 1e9);
  for (guint k = 0; k < N_STEPS_HERE; k++)
    printf (", \"%s_ms\": %.2f", names[k],
        all->seconds[k] * 1e3 / (double) all->n_files);
  printf ("}\n");
}

int
main (int argc, char **argv)
{
  gint n = 1, rounds = 8;
  char **files = NULL;
  const GOptionEntry entries[] = {
    { "threads", 0, 0, G_OPTION_ARG_INT, &n, "threads that read", "N" },
    { "rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "times each file", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL,
        "FILE..." },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GError *error = NULL;
  GThread **threads;
  g_autofree Reader *readers = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || !files || n < 1
      || rounds < 1) {
    fprintf (
        stderr, "archive-read: %s\n", error ? error->message : "no FILE...");
    return 2;
  }
  readers = g_new0 (Reader, n);
  threads = g_new (GThread *, n);
  for (gint i = 0; i < n; i++) {
    readers[i].files = files;
    readers[i].rounds = rounds;
    readers[i].first = (guint) i;
    threads[i] = g_thread_new ("read", read_files, &readers[i]);
  }
  for (gint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  print_figures (readers, n);
  g_free (threads);
  g_strfreev (files);
  return 0;
}
