/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds which files of a folder are archived, and in which order (folder.h). */
#include "tool/archive/folder.h"
#include "tool/archive/error.h"
#include "tool/archive/chunks.h"
#include "tool/archive/part.h"
#include "codec/text.h"
#include "lib/stream/io.h"
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  PEEK_SIZE = 4096,
  MAX_FOLDERS = 64,  /* one in the other */
  MAX_STRAYS = 1000, /* that an error names */
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

/* --- strays ------------------------------------------------------------- */

/* Reads the first bytes of a file. Returns how many, or -1. */
static gssize
read_head (const char *path, guint8 *head, gsize size)
{
  int fd = paco_open_input (path, NULL), failed;
  gssize n;

  if (fd < 0)
    return -1;
  n = (gssize) paco_io_read_at (fd, 0, head, size);
  failed = errno;
  close (fd);
  errno = failed;
  return failed == 0 ? n : -1;
}

/* Refuses the folder if files in it are no pictures, and names them all. Returns whether
 * there are any. */
static gboolean
refuse_strays (const PacoFolder *folder, GError **error)
{
  g_autoptr (GPtrArray) strays = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *names = NULL, *more = NULL;
  guint n;

  for (n = 0; n < folder->files->len; n++) {
    g_autofree char *path = paco_folder_path (folder, n);
    guint8 head[PEEK_SIZE];
    gssize size = read_head (path, head, sizeof head);

    if (size == 0 || (size > 0 && !paco_source_kind (head, (gsize) size)))
      g_ptr_array_add (strays,
          g_strconcat (paco_folder_file (folder, n)->name,
              size == 0 ? " (empty)" : NULL, NULL));
  }
  n = strays->len;
  if (n == 0)
    return FALSE;
  g_ptr_array_set_size (strays, (gint) MIN (n, MAX_STRAYS));
  g_ptr_array_add (strays, NULL);
  names = g_strjoinv (", ", (char **) strays->pdata);
  more = n > MAX_STRAYS ? g_strdup_printf (" and %u more", n - MAX_STRAYS)
                        : g_strdup ("");
  refuse (error, folder->path,
      "has %u %s that %s no %s of a kind that can be archived (%s): %s%s; "
      "--skip=PATTERN leaves files out",
      n, paco_text_plural (n, "file", "files"),
      paco_text_plural (n, "is", "are"),
      paco_text_plural (n, "picture", "pictures"), paco_source_kinds (), names,
      more);
  return TRUE;
}

/* --- gaps --------------------------------------------------------------- */

/* Finds the number in each name where they differ. Returns FALSE if they do not
 * differ by numbers. */
static gboolean
find_numbers (const char *a, const char *b, guint64 *m, guint64 *n)
{
  gsize begin = 0, x = strlen (a), y = strlen (b);
  char *end_a, *end_b;

  while (a[begin] && a[begin] == b[begin])
    begin++;
  while (begin > 0 && g_ascii_isdigit (a[begin - 1]))
    begin--;
  while (x > begin && y > begin && a[x - 1] == b[y - 1]
      && !g_ascii_isdigit (a[x - 1])) {
    x--;
    y--;
  }
  if (!g_ascii_isdigit (a[begin]) || !g_ascii_isdigit (b[begin]))
    return FALSE;
  errno = 0;
  *m = g_ascii_strtoull (a + begin, &end_a, 10);
  *n = g_ascii_strtoull (b + begin, &end_b, 10);
  return errno == 0 && strcmp (end_a, end_b) == 0;
}

static gboolean
same_folder (const char *a, const char *b)
{
  const char *x = strrchr (a, '/'), *y = strrchr (b, '/');

  return x && y ? x - a == y - b && memcmp (a, b, (gsize) (x - a)) == 0
                : !x && !y;
}

static gboolean
check_numbers (const PacoFolder *folder, GError **error)
{
  guint64 gaps = 0, missing = 0, gap_at = 0, gap_from = 0, gap_to = 0;

  for (guint i = 1; i < folder->files->len; i++) {
    const char *a = paco_folder_file (folder, i - 1)->name;
    const char *b = paco_folder_file (folder, i)->name;
    guint64 m = 0, n = 0;

    if (!same_folder (a, b))
      continue;
    if (!find_numbers (a, b, &m, &n) || m == n) {
      g_autofree char *shown = NULL;

      if (refuse_strays (folder, error))
        return FALSE;
      shown = g_filename_display_name (a);

      refuse (error, b,
          m == n && m
              ? "and %s have the same number: the order of frames is not known"
              : "and %s are of two sequences; archive each from a folder of "
                "its own, or leave files out with --skip=PATTERN",
          shown);
      return FALSE;
    }
    if (n == m + 1)
      continue;
    if (gaps++ == 0) {
      gap_at = i - 1;
      gap_from = m + 1;
      gap_to = n - 1;
    }
    missing += n - m - 1;
  }
  if (gaps == 0)
    return TRUE;
  return refuse (error, paco_folder_file (folder, gap_at)->name,
      "is followed by a gap: %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
      " are missing (%" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT
      " %s in all); --allow-gaps archives what there is",
      gap_from, gap_to, gaps, paco_text_plural (gaps, "gap", "gaps"), missing,
      paco_text_plural (missing, "file", "files"));
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
is_wav (const char *path)
{
  guint8 head[12];

  return read_head (path, head, sizeof head) == sizeof head
      && (memcmp (head, "RIFF", 4) == 0 || memcmp (head, "RF64", 4) == 0)
      && memcmp (head + 8, "WAVE", 4) == 0;
}

static gboolean
looks_like_wav (const char *name)
{
  const char *dot = strrchr (name, '.');

  return dot && g_ascii_strcasecmp (dot, ".wav") == 0;
}

static gboolean
add_file (PacoFolder *folder, const PacoFolderOptions *options, char *name,
    const char *path, const struct stat *status, GError **error)
{
  PacoFolderFile file = { name, (guint64) status->st_size };

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
  if (!strchr (name, '/') && looks_like_wav (name) && is_wav (path)) {
    if (!options->want_sound || folder->sound) {
      refuse (error, name,
          options->want_sound
              ? "and another one are sound, and one is wanted; --skip=PATTERN "
                "leaves files out"
              : "is sound, which a .paco file does not carry; keep it beside "
                "the archive, and leave it out with --skip='*.wav'");
      g_free (name);
      return FALSE;
    }
    folder->sound = name;
    return TRUE;
  }
  g_array_append_val (folder->files, file);
  return TRUE;
}

static gboolean read_folder (PacoFolder *folder,
    const PacoFolderOptions *options, const char *inside, guint depth,
    GError **error);

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
  } else if (stat (path, &status) != 0)
    refuse (error, path, "cannot be read: %s", g_strerror (errno));
  else if (S_ISDIR (status.st_mode)) {
    if (lstat (path, &status) == 0 && S_ISLNK (status.st_mode))
      refuse (error, path,
          "is a link to a folder, which would not be restored; --skip=PATTERN "
          "leaves it out");
    else if (depth == MAX_FOLDERS)
      refuse (error, path, "is in too many folders");
    else
      good = read_folder (folder, options, name, depth + 1, error);
  } else if (!S_ISREG (status.st_mode))
    refuse (error, path,
        "is neither a file nor a folder; --skip=PATTERN leaves it out");
  else
    good = add_file (
        folder, options, g_steal_pointer (&name), path, &status, error);
  g_free (name);
  return good;
}

static gboolean
read_folder (PacoFolder *folder, const PacoFolderOptions *options,
    const char *inside, guint depth, GError **error)
{
  g_autofree char *path = *inside
      ? g_strconcat (folder->path, "/", inside, NULL)
      : g_strdup (folder->path);
  DIR *open = opendir (path);
  guint before = folder->files->len, skipped = folder->n_skipped;
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
  if (good && *inside && folder->files->len == before
      && folder->n_skipped == skipped)
    good = refuse (error, path,
        "is an empty folder, which would not be restored; --skip=PATTERN "
        "leaves it out");
  if (open)
    closedir (open);
  return good;
}

static void
clear_file (gpointer file)
{
  g_free (((PacoFolderFile *) file)->name);
}

PacoFolder *
paco_folder_read (
    const char *path, const PacoFolderOptions *options, GError **error)
{
  PacoFolder *folder = g_new0 (PacoFolder, 1);
  gboolean good;

  folder->path = g_strdup (path);
  folder->files = g_array_new (FALSE, FALSE, sizeof (PacoFolderFile));
  g_array_set_clear_func (folder->files, clear_file);
  good = read_folder (folder, options, "", 0, error);
  if (good && folder->files->len == 0)
    good = refuse (error, path, "has no files to archive");
  g_array_sort (folder->files, compare_files);
  if (good && !options->allow_gaps)
    good = check_numbers (folder, error);
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
  g_free (folder->sound);
  g_array_unref (folder->files);
  g_free (folder);
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

/* --- looking through it --------------------------------------------------- */

gboolean
paco_folder_same_picture (const PacoInfo *first, const PacoInfo *other,
    gboolean fps_given, char **difference)
{
  static const char *const kinds[] = { "unsigned", "signed",
    "floating-point numbers" };

  *difference = NULL;
  if (first->width != other->width || first->height != other->height)
    *difference = g_strdup_printf (
        "it has %u x %u samples, and the first file %u x %u", other->width,
        other->height, first->width, first->height);
  else if (first->n_components != other->n_components)
    *difference = g_strdup_printf ("it has %u %s, and the first file %u",
        other->n_components,
        paco_text_plural (other->n_components, "component", "components"),
        first->n_components);
  for (guint c = 0; c < first->n_components && !*difference; c++)
    if (first->depth[c] != other->depth[c])
      *difference = g_strdup_printf (
          "its samples have %u %s, and those of the first file %u",
          other->depth[c], paco_text_plural (other->depth[c], "bit", "bits"),
          first->depth[c]);
    else if (first->sample_kind[c] != other->sample_kind[c])
      *difference = g_strdup_printf (
          "its samples are %s, and those of the first file %s",
          kinds[other->sample_kind[c]], kinds[first->sample_kind[c]]);
    else if (first->subsampling_x[c] != other->subsampling_x[c]
        || first->subsampling_y[c] != other->subsampling_y[c])
      *difference = g_strdup (
          "its chroma is subsampled otherwise than the first file's");
  if (!*difference && (first->matrix == 1) != (other->matrix == 1))
    *difference = g_strdup (
        "one of it and the first file is R, G, B and the other is not");
  if (!*difference && first->fields != other->fields)
    *difference = g_strdup (
        "one of it and the first file has two fields and the other has not");
  if (!*difference && !fps_given
      && (first->fps_n != other->fps_n || first->fps_d != other->fps_d))
    *difference = g_strdup_printf (
        "its frame rate is %u/%u, and that of the first file %u/%u; --fps says "
        "which one counts",
        other->fps_n, other->fps_d, first->fps_n, first->fps_d);
  return *difference == NULL;
}

/* Asks the kind what the file says of its picture. Width is 0 if it says nothing. */
static gboolean
ask_kind (const PacoSourceKind *kind, const char *path, const guint8 *head,
    gsize size, guint64 file_size, PacoInfo *info, GError **error)
{
  gboolean good;
  int fd;

  if (!kind->look)
    return !kind->peek || kind->peek (head, size, file_size, info, error);
  fd = paco_open_input (path, NULL);
  if (fd < 0)
    return paco_archive_fail (error, PACO_ARCHIVE_FAILED,
        "it cannot be read: %s", g_strerror (errno));
  good = kind->look (fd, file_size, info, error);
  close (fd);
  return good;
}

/* Looks into one file. *info becomes what it says of its picture. */
static gboolean
look_at (const PacoFolder *folder, guint64 n, const PacoSourceKind **kind,
    PacoInfo *info, GError **error)
{
  g_autofree char *path = paco_folder_path (folder, n);
  guint8 head[PEEK_SIZE];
  gssize size = read_head (path, head, sizeof head);
  g_autoptr (GError) reason = NULL;

  *info = (PacoInfo) PACO_INFO_INIT;
  *kind = size > 0 ? paco_source_kind (head, (gsize) size) : NULL;
  if (size < 0)
    refuse (error, path, "cannot be read: %s", g_strerror (errno));
  else if (paco_folder_file (folder, n)->size > G_MAXINT32)
    refuse (error, path, "cannot be archived: it has more than 2 GiB");
  else if (!*kind)
    refuse_strays (folder, error);
  else if (!ask_kind (*kind, path, head, (gsize) size,
               paco_folder_file (folder, n)->size, info, &reason))
    refuse (error, path, "cannot be archived: %s", reason->message);
  else
    return TRUE;
  return FALSE;
}

gboolean
paco_folder_look (const PacoFolder *folder, guint64 first, guint64 end,
    gboolean fps_given, const PacoSourceKind **kind, PacoInfo *info,
    GError **error)
{
  if (!look_at (folder, first, kind, info, error))
    return FALSE;
  for (guint64 n = first + 1; n < end; n++) {
    const PacoSourceKind *other_kind;
    PacoInfo other;
    char *path, *difference = NULL;

    if (!look_at (folder, n, &other_kind, &other, error))
      return FALSE;
    if (other_kind != *kind)
      difference = g_strdup_printf (
          "it is a file of kind %s, and the first one of kind %s",
          other_kind->name, (*kind)->name);
    else if (info->width == 0
        || paco_folder_same_picture (info, &other, fps_given, &difference))
      continue;
    path = paco_folder_path (folder, n);
    refuse (error, path, "does not belong to the sequence: %s", difference);
    g_free (difference);
    g_free (path);
    return FALSE;
  }
  return TRUE;
}
