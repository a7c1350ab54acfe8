/* SPDX-License-Identifier: LGPL-2.1-or-later
 * come-back FILE...: takes each file apart, codes it, makes it again and compares.
 * Says "FILE: width height components depth seconds", and writes the samples found to
 * FILE.samples: 16 bits each, big-endian, pixel by pixel; or "FILE: refused: why".
 *
 * come-back --dpx FILE DESCRIPTOR DEPTH PACKING WIDTH HEIGHT BIG-ENDIAN: writes a DPX
 * file of noise. programs.py calls both. */
#include "tests/archive/dpx-writer.h"
#include "tests/archive/restoring.h"
#include <stdlib.h>
#include <string.h>

static gboolean
write_samples (const char *path, const Restoring *restoring)
{
  const PacoInfo *info = &restoring->source.info;
  gsize n = (gsize) info->width * info->height * info->n_components;
  g_autofree guint16 *samples = restoring_samples (restoring);
  g_autofree char *name = g_strconcat (path, ".samples", NULL);

  for (gsize i = 0; i < n; i++)
    samples[i] = GUINT16_TO_BE (samples[i]);
  return g_file_set_contents (name, (char *) samples, (gssize) (2 * n), NULL);
}

static void
come_back (const char *path, const guint8 *bytes, gsize size)
{
  const PacoSourceKind *kind = paco_source_kind (bytes, size);
  g_autoptr (GTimer) timer = g_timer_new ();
  g_auto (Restoring) restoring;
  const PacoInfo *info = &restoring.source.info;
  g_autoptr (GError) error = NULL;
  double seconds;

  restoring_init (&restoring, kind);
  if (!kind) {
    g_print ("%s: refused: it is of no known kind\n", path);
    return;
  }
  g_timer_start (timer);
  if (!paco_source_parse (kind, bytes, size, &restoring.source, &error)) {
    g_print ("%s: refused: %s\n", path, error->message);
    return;
  }
  seconds = g_timer_elapsed (timer, NULL);
  restoring_comes_back (&restoring, bytes, size);
  g_assert_true (write_samples (path, &restoring));
  g_print ("%s: %u %u %u %u %.3f\n", path, info->width, info->height,
      info->n_components, info->depth[0], seconds);
}

static void
write_dpx (char **words)
{
  g_autoptr (GRand) rand = g_rand_new ();
  g_auto (DpxFile) file;
  guint numbers[6];
  DpxCase c;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = (guint) atoi (words[1 + i]);
  c = (DpxCase){ .elements = { { numbers[0], numbers[1], numbers[2] } },
    .n_elements = 1,
    .width = numbers[3],
    .height = numbers[4],
    .big_endian = (gboolean) numbers[5] };
  dpx_file_write (rand, &c, &file);
  g_assert_true (g_file_set_contents (
      words[0], (char *) file.bytes->data, file.bytes->len, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc == 9 && strcmp (argv[1], "--dpx") == 0) {
    write_dpx (argv + 2);
    return 0;
  }
  for (int i = 1; i < argc; i++) {
    g_autofree char *bytes = NULL;
    gsize size;

    g_assert_true (g_file_get_contents (argv[i], &bytes, &size, NULL));
    come_back (argv[i], (const guint8 *) bytes, size);
  }
  return 0;
}
