/* SPDX-License-Identifier: LGPL-2.1-or-later
 * come-back FILE...: takes each file apart, codes it, makes it again and compares.
 * Says "FILE: width height components depth seconds", and writes the samples found to
 * FILE.samples: 16 bits each, big-endian, pixel by pixel; or "FILE: refused: why".
 * programs.py calls it. */
#include "tests/archive/still-files.h"

static gboolean
write_samples (const char *path, const PacoInfo *info, guint16 *samples)
{
  gsize n = (gsize) info->width * info->height * info->n_components;
  char *name = g_strconcat (path, ".samples", NULL);
  gboolean written;

  for (gsize i = 0; i < n; i++)
    samples[i] = GUINT16_TO_BE (samples[i]);
  written = g_file_set_contents (
      name, (char *) samples, (gssize) (2 * n), NULL);
  g_free (name);
  return written;
}

static void
come_back (const char *path, const guint8 *bytes, gsize size)
{
  const PacoSourceKind *kind = paco_source_kind (bytes, size);
  GTimer *timer = g_timer_new ();
  PacoSource source;
  GError *error = NULL;

  paco_source_init (&source);
  if (!kind) {
    g_print ("%s: refused: it is of no known kind\n", path);
  } else if (!paco_source_parse (kind, bytes, size, &source, &error)) {
    g_print ("%s: refused: %s\n", path, error->message);
    g_clear_error (&error);
  } else {
    gdouble seconds = g_timer_elapsed (timer, NULL);
    guint16 *samples;

    check_comes_back (kind, bytes, size, &source, &samples);
    g_assert_true (write_samples (path, &source.info, samples));
    g_print ("%s: %u %u %u %u %.3f\n", path, source.info.width,
        source.info.height, source.info.n_components, source.info.depth[0],
        seconds);
    g_free (samples);
  }
  paco_source_clear (&source);
  g_timer_destroy (timer);
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    char *bytes;
    gsize size;

    g_assert_true (g_file_get_contents (argv[i], &bytes, &size, NULL));
    come_back (argv[i], (const guint8 *) bytes, size);
    g_free (bytes);
  }
  return 0;
}
