/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests how many threads the CPU backend starts by itself: control groups are files
 * of the test's own, the affinity is real. */
#include "codec/coder_private.h"
#include "codec/cpu/backend_private.h"
#include "codec/cpu/processors.h"
#include <glib.h>
#include <glib/gstdio.h>
#include <sched.h>

static void
write_file (const char *root, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  GError *error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static void
remove_tree (const char *path)
{
  GDir *folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder))) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    remove_tree (child);
  }
  if (folder)
    g_dir_close (folder);
  g_remove (path);
}

#define GROUPS "/proc/self/cgroup"
#define MOUNT "/sys/fs/cgroup"

typedef struct
{
  unsigned expected;
  const char *files[9]; /* name, text, name, text, ... */
} QuotaCase;

static const QuotaCase cases[] = {
  /* Nothing is there, or nothing that can be read. */
  { 0, { NULL } },
  { 0, { GROUPS, "" } },
  { 0, { GROUPS, "0::/a\n" } },
  { 0, { GROUPS, "rubbish\n:::\n0:cpu\n0::\n3:cpu:\n" } },
  { 0, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "" } },
  { 0, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "150000" } },
  { 0, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "lots 100000\n" } },
  { 0, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "150000 0\n" } },
  { 0, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "-5 100000\n" } },

  /* These are of version 2. */
  { 0, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "max 100000\n" } },
  { 1, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "100000 100000\n" } },
  { 2, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "100001 100000\n" } },
  { 1, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "1000 100000\n" } },
  { 24, { GROUPS, "0::/a\n", MOUNT "/a/cpu.max", "1200000 50000\n" } },
  { 3, { GROUPS, "0::/\n", MOUNT "/cpu.max", "300000 100000\n" } },
  { G_MAXINT,
      { GROUPS, "0::/\n", MOUNT "/cpu.max", "9223372036854775807 1\n" } },

  /* The groups around it count too, also without a limit in between, or where
   * the path that the process is told is not there. */
  { 2,
      { GROUPS, "0::/a/b/c\n", MOUNT "/a/b/c/cpu.max", "800000 100000\n",
          MOUNT "/a/b/cpu.max", "max 100000\n", MOUNT "/a/cpu.max",
          "200000 100000\n" } },
  { 5,
      { GROUPS, "0::/somewhere/else\n", MOUNT "/cpu.max", "500000 100000\n" } },

  /* These are of version 1, alone, with another controller, and with version 2
   * beside it. */
  { 4,
      { GROUPS, "3:cpuset:/x\n1:cpu:/a\n", MOUNT "/cpu/a/cpu.cfs_quota_us",
          "400000\n", MOUNT "/cpu/a/cpu.cfs_period_us", "100000\n" } },
  { 6,
      { GROUPS, "2:cpu,cpuacct:/a/b\n0::/\n", MOUNT "/cpu/a/cpu.cfs_quota_us",
          "550000\n", MOUNT "/cpu/a/cpu.cfs_period_us", "100000\n" } },
  { 0,
      { GROUPS, "2:cpu:/a\n", MOUNT "/cpu/a/cpu.cfs_quota_us", "-1\n",
          MOUNT "/cpu/a/cpu.cfs_period_us", "100000\n" } },
  { 0,
      { GROUPS, "2:cpuacct:/a\n", MOUNT "/cpu/a/cpu.cfs_quota_us", "100000\n",
          MOUNT "/cpu/a/cpu.cfs_period_us", "100000\n" } },
  { 1,
      { GROUPS, "1:cpu:/a\n0::/b\n", MOUNT "/cpu/a/cpu.cfs_quota_us",
          "100000\n", MOUNT "/cpu/a/cpu.cfs_period_us", "100000\n",
          MOUNT "/b/cpu.max", "200000 100000\n" } },
};

static void
test_quota (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *root = g_dir_make_tmp ("paco-processors-XXXXXX", NULL);
    unsigned quota;

    for (unsigned k = 0; cases[i].files[k]; k += 2)
      write_file (root, cases[i].files[k], cases[i].files[k + 1]);
    quota = paco_processors_quota (root);
    remove_tree (root);
    if (quota != cases[i].expected)
      g_error ("case %zu gives %u", i, quota);
  }
}

/* Tests workers for a process that is kept to 1, 2, ... of the processors it
 * has. */
static void
test_affinity (void)
{
  unsigned quota = paco_processors_quota (""), n = 0;
  cpu_set_t all, some;

  if (sched_getaffinity (0, sizeof all, &all) != 0) {
    g_test_skip ("this machine has more processors than a cpu_set_t");
    return;
  }
  CPU_ZERO (&some);
  for (int cpu = 0; cpu < CPU_SETSIZE && n < 3; cpu++) {
    PacoWorkers *workers;

    if (!CPU_ISSET (cpu, &all))
      continue;
    CPU_SET (cpu, &some);
    n++;
    g_assert_cmpint (sched_setaffinity (0, sizeof some, &some), ==, 0);
    workers = paco_workers_new (0);
    g_assert_cmpuint (
        paco_workers_count (workers), ==, quota > 0 ? MIN (n, quota) : n);
    paco_workers_free (workers);

    /* What the user says is done. */
    workers = paco_workers_new (5);
    g_assert_cmpuint (paco_workers_count (workers), ==, 5);
    paco_workers_free (workers);
  }
  g_assert_cmpuint (n, >, 0);
  sched_setaffinity (0, sizeof all, &all);
}

/* Tests that coders that share their threads have one pool, which lives as long
 * as one of them. */
static void
test_shared (void)
{
  for (unsigned n = 0; n < 4; n++) {
    PacoBackendOptions options = { .threads = 1 + n, .depth = 2 };
    PacoCoder *encoder = PACO_CODER (paco_cpu_encoder_open (&options, NULL));
    PacoCoder *decoder, *apart;

    g_assert_nonnull (encoder);
    apart = PACO_CODER (paco_cpu_decoder_open (&options, NULL));
    options.share_threads = encoder;
    options.threads = 9;
    decoder = PACO_CODER (paco_cpu_decoder_open (&options, NULL));
    g_assert_true (decoder->threads == encoder->threads);
    g_assert_true (apart->threads != encoder->threads);
    g_assert_cmpuint (paco_workers_count (decoder->threads), ==, 1 + n);
    paco_coder_close (n % 2 ? encoder : decoder);
    paco_coder_close (n % 2 ? decoder : encoder);
    paco_coder_close (apart);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/processors/quota", test_quota);
  g_test_add_func ("/processors/affinity", test_affinity);
  g_test_add_func ("/processors/shared", test_shared);
  return g_test_run ();
}
