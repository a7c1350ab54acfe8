/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads which files a folder has, and puts them in order (folder.h). */
#include "tool/archive/folder.h"
#include "tool/archive/error.h"
#include "tool/archive/chunks.h"
#include "tool/archive/part.h"
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  MAX_FOLDERS = 64, /* one in the other */
};

#define refuse(error, name, ...)                                               \
  paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, name, __VA_ARGS__)

/* --- the order of names ------------------------------------------------- */

/* Reads digits from *p on as a number: it moves *p behind leading zeros, and
 * returns how many digits are left. */
static gsize
take_number (const char **p)
{
  gsize n = 0;

  while (**p == '0')
    ++*p;
  while (g_ascii_isdigit ((*p)[n]))
    n++;
  return n;
}

static int
compare_numbers (const char **a, const char **b)
{
  gsize m = take_number (a), n = take_number (b);
  int order;

  if (m != n)
    return m < n ? -1 : 1;
  order = memcmp (*a, *b, m);
  *a += m;
  *b += n;
  return order;
}

/* Ranks characters; the end of a folder's name goes before all others. */
static int
rank (char c)
{
  return c == 0 ? 0 : c == '/' ? 1 : 2 + (guchar) c;
}

int
paco_folder_compare_names (const char *a, const char *b)
{
  const char *x = a, *y = b;

  while (*x || *y) {
    int order;

    if (g_ascii_isdigit (*x) && g_ascii_isdigit (*y)) {
      order = compare_numbers (&x, &y);
      if (order)
        return order;
      continue;
    }
    order = rank (*x) - rank (*y);
    if (order)
      return order;
    x++;
    y++;
  }
  return strcmp (a, b);
}

static gint
compare_files (gconstpointer a, gconstpointer b)
{
  return paco_folder_compare_names (
      ((const PacoFolderFile *) a)->name, ((const PacoFolderFile *) b)->name);
}

/* --- reading the folder -------------------------------------------------- */

static gboolean
is_skipped (const PacoFolderOptions *options, const char *name)
{
  const char *base = strrchr (name, '/');

  base = base ? base + 1 : name;
  for (guint i = 0; options->skip && options->skip[i]; i++)
    if (fnmatch (options->skip[i], base, 0) == 0
        || fnmatch (options->skip[i], name, FNM_PATHNAME) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
add_file (PacoFolder *folder, char *name, const char *path,
    const struct stat *status, GError **error)
{
  PacoFolderFile file = { .name = name, .size = (guint64) status->st_size };

  if (!paco_kept_name_is_good (name, strlen (name))) {
    g_free (name);
    return refuse (error, path, "has a name of more than 4096 bytes");
  }
  if (g_str_has_suffix (name, PACO_RESTORING_SUFFIX)) {
    g_free (name);
    return refuse (error, path,
        "is what an interrupted paco restore has left; remove it, or leave it "
        "out with --skip='*" PACO_RESTORING_SUFFIX "'");
  }
  g_array_append_val (folder->files, file);
  return TRUE;
}

/* Leaves out what cannot be restored, or refuses the folder for it. */
static gboolean
leave_out (PacoFolder *folder, const PacoFolderOptions *options,
    const char *name, const char *what, GError **error)
{
  if (options->only_pictures)
    return refuse (error, name, "is %s; --skip=PATTERN leaves it out", what);
  g_ptr_array_add (folder->left_out, g_strdup_printf ("%s (%s)", name, what));
  return TRUE;
}

static gboolean read_folder (PacoFolder *folder,
    const PacoFolderOptions *options, const char *inside, guint depth,
    GError **error);

/* Adds what the link at the path leads to. */
static gboolean
add_link (PacoFolder *folder, const PacoFolderOptions *options, char *name,
    const char *path, GError **error)
{
  struct stat status;
  gboolean good;

  if (stat (path, &status) == 0 && S_ISREG (status.st_mode)) {
    g_ptr_array_add (folder->links, g_strdup (name));
    return add_file (folder, name, path, &status, error);
  }
  good = leave_out (
      folder, options, name, "a link that leads to no file", error);
  g_free (name);
  return good;
}

static gboolean
add_entry (PacoFolder *folder, const PacoFolderOptions *options, char *name,
    guint depth, GError **error)
{
  g_autofree char *path = g_strconcat (folder->path, "/", name, NULL);
  struct stat status;
  gboolean good = FALSE;

  if (is_skipped (options, name)) {
    folder->n_skipped++;
    good = TRUE;
  } else if (lstat (path, &status) != 0)
    refuse (error, path, "cannot be read: %s", g_strerror (errno));
  else if (S_ISLNK (status.st_mode))
    good = add_link (folder, options, g_steal_pointer (&name), path, error);
  else if (S_ISREG (status.st_mode))
    good = add_file (folder, g_steal_pointer (&name), path, &status, error);
  else if (!S_ISDIR (status.st_mode))
    good = leave_out (
        folder, options, name, "neither a file nor a folder", error);
  else if (depth == MAX_FOLDERS)
    refuse (error, path, "is in too many folders");
  else
    good = read_folder (folder, options, name, depth + 1, error);
  g_free (name);
  return good;
}

/* Returns how many things were found in the folder so far. */
static guint
count_found (const PacoFolder *folder)
{
  return folder->files->len + folder->n_skipped + folder->left_out->len;
}

static gboolean
read_folder (PacoFolder *folder, const PacoFolderOptions *options,
    const char *inside, guint depth, GError **error)
{
  g_autofree char *path = *inside
      ? g_strconcat (folder->path, "/", inside, NULL)
      : g_strdup (folder->path);
  DIR *open = opendir (path);
  guint before = count_found (folder);
  gboolean good = open != NULL;

  if (!open)
    refuse (error, path, "cannot be read: %s", g_strerror (errno));
  while (good) {
    struct dirent *entry;

    errno = 0;
    entry = readdir (open);
    if (!entry) {
      good = errno == 0
          || refuse (error, path, "cannot be read: %s", g_strerror (errno));
      break;
    }
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      good = add_entry (folder, options,
          *inside ? g_strconcat (inside, "/", entry->d_name, NULL)
                  : g_strdup (entry->d_name),
          depth, error);
  }
  if (good && *inside && count_found (folder) == before)
    good = leave_out (folder, options, inside, "an empty folder", error);
  if (open)
    closedir (open);
  return good;
}

static void
clear_file (gpointer file)
{
  g_free (((PacoFolderFile *) file)->name);
  g_bytes_unref (((PacoFolderFile *) file)->bytes);
}

static GArray *
new_files (void)
{
  GArray *files = g_array_new (FALSE, FALSE, sizeof (PacoFolderFile));

  g_array_set_clear_func (files, clear_file);
  return files;
}

PacoFolder *
paco_folder_read (
    const char *path, const PacoFolderOptions *options, GError **error)
{
  PacoFolder *folder = g_new0 (PacoFolder, 1);
  gboolean good;

  folder->path = g_strdup (path);
  folder->files = new_files ();
  folder->members = new_files ();
  folder->sounds = new_files ();
  folder->links = g_ptr_array_new_with_free_func (g_free);
  folder->left_out = g_ptr_array_new_with_free_func (g_free);
  folder->notes = g_ptr_array_new_with_free_func (g_free);
  good = read_folder (folder, options, "", 0, error);
  if (good && folder->files->len == 0)
    good = refuse (error, path, "has no files to archive");
  g_array_sort (folder->files, compare_files);
  if (good)
    return folder;
  paco_folder_free (folder);
  return NULL;
}

void
paco_folder_free (PacoFolder *folder)
{
  if (!folder)
    return;
  g_free (folder->path);
  g_array_unref (folder->files);
  g_array_unref (folder->members);
  g_array_unref (folder->sounds);
  g_ptr_array_unref (folder->links);
  g_ptr_array_unref (folder->left_out);
  g_ptr_array_unref (folder->notes);
  g_free (folder);
}

void
paco_folder_keep_sound (PacoFolder *folder, guint i)
{
  PacoFolderFile *sound = &g_array_index (folder->sounds, PacoFolderFile, i);

  g_array_append_val (folder->members, *sound);
  sound->name = NULL;
  g_array_remove_index (folder->sounds, i);
  paco_folder_sort_members (folder);
}

void
paco_folder_sort_members (PacoFolder *folder)
{
  g_array_sort (folder->members, compare_files);
}

const PacoFolderFile *
paco_folder_file (const PacoFolder *folder, guint64 n)
{
  return &g_array_index (folder->files, PacoFolderFile, n);
}

char *
paco_folder_path (const PacoFolder *folder, guint64 n)
{
  return g_strconcat (
      folder->path, "/", paco_folder_file (folder, n)->name, NULL);
}
