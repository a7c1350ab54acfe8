/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the affinity and the control group of the process from Linux; processors.h says
 * for whom. More threads than these allow would wait for each other: a thread that has
 * used up the group's quota sleeps for the rest of the period, and all that need its
 * blocks wait with it. */
#include "codec/cpu/processors.h"
#include <glib.h>
#include <string.h>
#ifdef __linux__
#include <errno.h>
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* --- quota --------------------------------------------------------------- */

/* quota and period in microseconds. */
static unsigned
whole_processors (gint64 quota, gint64 period)
{
  if (quota <= 0 || period <= 0)
    return 0;
  return (unsigned) MIN ((quota - 1) / period + 1, G_MAXINT);
}

/* Reads the numbers in a file; FALSE if it does not begin with n of them. "max" is read
 * as -1. */
static gboolean
read_numbers (const char *folder, const char *name, gint64 *numbers, unsigned n)
{
  char *path = g_build_filename (folder, name, NULL);
  char *text = NULL;
  const char *at;
  gboolean good = g_file_get_contents (path, &text, NULL, NULL);

  at = text;
  for (unsigned i = 0; good && i < n; i++) {
    char *end;

    at += strspn (at, " \n");
    numbers[i] = g_ascii_strtoll (at, &end, 10);
    if (end == at && g_str_has_prefix (at, "max")) {
      numbers[i] = -1;
      end += strlen ("max");
    }
    good = end != at;
    at = end;
  }
  g_free (text);
  g_free (path);
  return good;
}

/* In version 2 of control groups one file has both. */
static unsigned
quota_of_unified (const char *folder)
{
  gint64 numbers[2];

  if (!read_numbers (folder, "cpu.max", numbers, 2))
    return 0;
  return whole_processors (numbers[0], numbers[1]);
}

/* In version 1 each has a file. */
static unsigned
quota_of_controller (const char *folder)
{
  gint64 quota, period;

  if (!read_numbers (folder, "cpu.cfs_quota_us", &quota, 1)
      || !read_numbers (folder, "cpu.cfs_period_us", &period, 1))
    return 0;
  return whole_processors (quota, period);
}

/* Returns the least quota of a group and the groups around it. In a container the
 * group may be the root of the mount, while the process is told another path. Then
 * only the root can be read, which is right. */
static unsigned
least_quota (
    const char *mount, const char *group, unsigned (*quota_of) (const char *))
{
  char *path = g_strdup (group);
  unsigned least = 0;

  for (;;) {
    char *folder = g_build_filename (mount, path, NULL);
    char *parent = g_path_get_dirname (path);
    unsigned quota = quota_of (folder);
    gboolean top = strcmp (parent, path) == 0;

    if (quota > 0 && (least == 0 || quota < least))
      least = quota;
    g_free (folder);
    g_free (path);
    path = parent;
    if (top)
      break;
  }
  g_free (path);
  return least;
}

static gboolean
has_cpu_controller (const char *controllers)
{
  char **names = g_strsplit (controllers, ",", -1);
  gboolean found = g_strv_contains ((const char *const *) names, "cpu");

  g_strfreev (names);
  return found;
}

/* Returns the quota by a line of /proc/self/cgroup, which has id, controllers (none
 * in version 2) and group. */
static unsigned
quota_of_line (const char *root, const char *line)
{
  char **fields = g_strsplit (line, ":", 3);
  unsigned quota = 0;

  if (g_strv_length (fields) == 3 && fields[2][0] == '/') {
    gboolean unified = fields[1][0] == '\0';
    char *mount = g_strconcat (
        root, "/sys/fs/cgroup", unified ? "" : "/cpu", NULL);

    if (unified)
      quota = least_quota (mount, fields[2], quota_of_unified);
    else if (has_cpu_controller (fields[1]))
      quota = least_quota (mount, fields[2], quota_of_controller);
    g_free (mount);
  }
  g_strfreev (fields);
  return quota;
}

unsigned
paco_processors_quota (const char *root)
{
  char *path = g_strconcat (root, "/proc/self/cgroup", NULL);
  char *text = NULL;
  unsigned least = 0;

  if (g_file_get_contents (path, &text, NULL, NULL)) {
    char **lines = g_strsplit (text, "\n", -1);

    for (unsigned i = 0; lines[i]; i++) {
      unsigned quota = quota_of_line (root, lines[i]);

      if (quota > 0 && (least == 0 || quota < least))
        least = quota;
    }
    g_strfreev (lines);
  }
  g_free (text);
  g_free (path);
  return least;
}

/* --- affinity ------------------------------------------------------------ */

#ifdef __linux__
#define MAX_PROCESSORS (1 << 20)

/* Returns how many processors the affinity has, or 0 if it cannot be found out. The
 * kernel refuses sets that are smaller than its own, so larger ones are tried. */
static unsigned
affinity (void)
{
  for (int n = CPU_SETSIZE; n <= MAX_PROCESSORS; n *= 2) {
    cpu_set_t *set = CPU_ALLOC (n);
    int count = -1;
    gboolean too_small;

    if (set && sched_getaffinity (0, CPU_ALLOC_SIZE (n), set) == 0)
      count = CPU_COUNT_S (CPU_ALLOC_SIZE (n), set);
    too_small = set && count < 0 && errno == EINVAL;
    CPU_FREE (set);
    if (!too_small)
      return count > 0 ? (unsigned) count : 0;
  }
  return 0;
}
#else
static unsigned
affinity (void)
{
  return 0;
}
#endif

unsigned
paco_processors_usable (void)
{
  unsigned processors = affinity (), quota = paco_processors_quota ("");

  if (processors == 0)
    processors = g_get_num_processors ();
  return quota > 0 ? MIN (processors, quota) : processors;
}

/* --- instruction sets --- */

#if defined(__x86_64__)

/* __builtin_cpu_supports() of Clang below 18 does not know the name "lzcnt". In a
 * virtual machine the instruction takes about 10 us. */
static bool
has_lzcnt (void)
{
#if defined(__clang__) && __clang_major__ < 18
  unsigned a, b, c, d;

  return __get_cpuid (0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
#else
  return __builtin_cpu_supports ("lzcnt");
#endif
}

bool
paco_cpu_has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
      && __builtin_cpu_supports ("bmi") && __builtin_cpu_supports ("bmi2")
      && __builtin_cpu_supports ("popcnt") && has_lzcnt ();
}

bool
paco_cpu_has_avx512 (void)
{
  return paco_cpu_has_avx2 () && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vl")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vbmi")
      && __builtin_cpu_supports ("avx512vbmi2");
}
#endif
