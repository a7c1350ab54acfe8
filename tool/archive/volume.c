/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Names the volumes of a split archive (volume.h). */
#include "tool/archive/volume.h"
#include <string.h>
#include <sys/resource.h>

enum
{
  MAX_DIGITS = 9,
};

/* Returns where the extension of a file's name begins, or its end. */
static const char *
find_extension (const char *name)
{
  const char *base = strrchr (name, '/'), *dot;

  base = base ? base + 1 : name;
  dot = strrchr (base, '.');
  return dot && dot > base ? dot : base + strlen (base);
}

char *
paco_volume_name (const char *out, guint number)
{
  const char *extension = find_extension (out);

  return g_strdup_printf (
      "%.*s.%04u%s", (int) (extension - out), out, number, extension);
}

char *
paco_volume_parse (const char *name, guint *number)
{
  const char *extension = find_extension (name), *at = extension;
  g_autofree char *out = NULL, *again = NULL;

  while (at > name && g_ascii_isdigit (at[-1]))
    at--;
  if (at == extension || extension - at > MAX_DIGITS || at - name < 2
      || at[-1] != '.' || at[-2] == '/')
    return NULL;
  *number = (guint) g_ascii_strtoull (at, NULL, 10);
  out = g_strdup_printf ("%.*s%s", (int) (at - 1 - name), name, extension);
  again = paco_volume_name (out, *number);
  return *number > 0 && strcmp (again, name) == 0 ? g_steal_pointer (&out)
                                                  : NULL;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

GArray *
paco_volume_list (const char *out, const char *ending)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *folder = g_path_get_dirname (out);
  g_autofree char *base = g_path_get_basename (out);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  const char *name;

  while (files && (name = g_dir_read_name (files))) {
    gsize length = strlen (name), end = strlen (ending);
    g_autofree char *volume = NULL, *of = NULL;
    guint number;

    if (!g_str_has_suffix (name, ending))
      continue;
    volume = g_strndup (name, length - end);
    of = paco_volume_parse (volume, &number);
    if (of && strcmp (of, base) == 0 && number > 1)
      g_array_append_val (numbers, number);
  }
  g_array_sort (numbers, compare_numbers);
  return numbers;
}

void
paco_volume_allow_many (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) == 0
      && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit (RLIMIT_NOFILE, &limit);
  }
}
