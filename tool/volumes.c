/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the volumes of a split archive (volumes.h). */
#include "volumes.h"
#include "lib/stream/file.h"
#include "lib/stream/io.h"
#include "tool/archive/volume.h"
#include "tool.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A first frame that is damaged is passed over. */
#define MOST_SEARCHED (1 << 28)

/* Says whether the frames of a file go on with those of another one: the number of the first
 * one is not 0. */
static bool
goes_on (int fd)
{
  PacoFile file;
  PacoFileFrame first;
  bool on;

  if (!paco_file_init_descriptor (&file, &fd))
    return false;
  on = paco_file_next_frame (&file, 0, MIN (file.size, MOST_SEARCHED), &first)
      && first.has_place && first.number > 0;
  paco_file_clear (&file);
  return on;
}

/* Returns the names of the volumes after the one at path, which is the first one, to be
 * freed, or NULL if it is none. */
static GPtrArray *
name_others (const char *path)
{
  guint number = 0;
  g_autofree char *out = paco_volume_parse (path, &number);
  g_autoptr (GArray) numbers = NULL;
  GPtrArray *names;

  if (!out || number != 1)
    return NULL;
  names = g_ptr_array_new_with_free_func (g_free);
  numbers = paco_volume_list (out, "");
  for (guint i = 0; i < numbers->len; i++)
    g_ptr_array_add (
        names, paco_volume_name (out, g_array_index (numbers, guint, i)));
  return names;
}

static bool
open_volume (GArray *volumes, const char *path, bool is_first, uint64_t *size,
    GError **error)
{
  const char *why = NULL;
  PacoVolume volume = { paco_open_input (path, &why), *size };
  struct stat status;

  if (volume.fd < 0 || fstat (volume.fd, &status) != 0) {
    if (volume.fd >= 0)
      close (volume.fd);
    return paco_tool_failed (
        error, "%s cannot be read: %s", path, why ? why : g_strerror (errno));
  }
  if (!is_first && !goes_on (volume.fd)) {
    close (volume.fd);
    return true;
  }
  g_array_append_val (volumes, volume);
  *size += (uint64_t) status.st_size;
  return true;
}

PacoVolume *
paco_volumes_open (
    const char *path, unsigned *n, uint64_t *size, GError **error)
{
  g_autoptr (GPtrArray) others = name_others (path);
  GArray *volumes;
  bool good;

  *n = 0;
  *size = 0;
  if (!others || others->len == 0)
    return NULL;
  paco_volume_allow_many ();
  volumes = g_array_new (FALSE, FALSE, sizeof (PacoVolume));
  good = open_volume (volumes, path, true, size, error);
  for (guint i = 0; good && i < others->len; i++)
    good = open_volume (volumes, others->pdata[i], false, size, error);
  if (good && volumes->len > 1) {
    *n = volumes->len;
    return (PacoVolume *) (void *) g_array_free (volumes, FALSE);
  }
  for (guint i = 0; i < volumes->len; i++)
    close (g_array_index (volumes, PacoVolume, i).fd);
  g_array_unref (volumes);
  return NULL;
}

char *
paco_volumes_first (const char *path)
{
  guint number = 0;
  g_autofree char *out = paco_volume_parse (path, &number);
  int fd = out && number > 1 ? paco_open_input (path, NULL) : -1;
  bool on = fd >= 0 && goes_on (fd);

  if (fd >= 0)
    close (fd);
  return on ? paco_volume_name (out, 1) : NULL;
}

int
paco_volumes_drop (char **paths, int n)
{
  int left = 0;

  for (int i = 0; i < n; i++) {
    g_autofree char *first = paco_volumes_first (paths[i]);
    bool covered = false;

    for (int k = 0; first && !covered && k < left; k++)
      covered = strcmp (paths[k], first) == 0;
    if (!covered)
      paths[left++] = paths[i];
  }
  return left;
}

bool
paco_volumes_parse_size (const char *text, uint64_t *size, GError **error)
{
  static const char units[] = "KMGT";
  uint64_t factor = 1, base = 1000;
  const char *unit;
  char *end;

  *size = 0;
  if (!text)
    return true;
  errno = 0;
  *size = g_ascii_isdigit (*text) ? g_ascii_strtoull (text, &end, 10) : 0;
  if (*size > 0 && *end && (unit = strchr (units, g_ascii_toupper (*end)))) {
    base = end[1] == 'i' ? 1024 : 1000;
    end += base == 1024 ? 2 : 1;
    for (const char *at = units; at <= unit; at++)
      factor *= base;
  }
  if (*size > 0 && *end == 'B')
    end++;
  if (*size > 0 && errno == 0 && *end == 0 && *size <= G_MAXINT64 / factor) {
    *size *= factor;
    return true;
  }
  return paco_tool_misused (
      error, "%s is no size of files, as 650MB, 25G or 4GiB are", text);
}
