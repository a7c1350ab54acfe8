/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Sorts the files of a folder into the pictures of a sequence and all others
 * (folder.h). */
#include "tool/archive/folder.h"
#include "tool/archive/error.h"
#include "codec/text.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum
{
  PEEK_SIZE = 4096,
  MAX_NAMES = 1000, /* that a sentence has */
  MAX_GROUPS = 64,  /* kinds and sizes of pictures that are counted */
};

#define refuse(error, name, ...)                                               \
  paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, name, __VA_ARGS__)

/* --- looking into files -------------------------------------------------- */

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
  else if (first->mosaic != other->mosaic)
    *difference = g_strdup (
        "one of it and the first file is a mosaic and the other is not");
  for (guint c = 0; c < first->n_components && !*difference; c++)
    if (first->place_x[c] != other->place_x[c]
        || first->place_y[c] != other->place_y[c])
      *difference = g_strdup (
          "the colors of its mosaic lie otherwise than the first file's");
    else if (first->depth[c] != other->depth[c])
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

/* Pictures of one kind and size. */
typedef struct
{
  const PacoSourceKind *kind;
  PacoInfo info;
  guint n;
  char *difference; /* to the sequence */
} Group;

/* What is found of one file. */
typedef struct
{
  int group; /* -1: it is no picture that can be a frame */
  char *why; /* or NULL, if it is no picture at all */
} Found;

/* What a folder is sorted by. */
typedef struct
{
  PacoFolder *folder;
  const PacoFolderOptions *options;
  gboolean fps_given;
  GArray *groups; /* Group */
  Found *found;   /* of each file */
} Sorting;

static Group *
group_at (const Sorting *sorting, guint i)
{
  return &g_array_index (sorting->groups, Group, i);
}

/* Counts a picture in its group, which is a new one if no other is like it. Returns -1 if
 * there are too many. */
static int
count_picture (
    Sorting *sorting, const PacoSourceKind *kind, const PacoInfo *info)
{
  Group fresh = { kind, *info, 1, NULL };

  for (guint i = 0; i < sorting->groups->len; i++) {
    Group *group = group_at (sorting, i);
    g_autofree char *difference = NULL;

    if (group->kind != kind
        || (group->info.width > 0
            && !paco_folder_same_picture (
                &group->info, info, sorting->fps_given, &difference)))
      continue;
    group->n++;
    return (int) i;
  }
  if (sorting->groups->len == MAX_GROUPS)
    return -1;
  g_array_append_val (sorting->groups, fresh);
  return (int) sorting->groups->len - 1;
}

/* Looks into one file. Returns FALSE and an error if it cannot be read. */
static gboolean
look_at (Sorting *sorting, guint n, GError **error)
{
  const PacoFolderFile *file = paco_folder_file (sorting->folder, n);
  g_autofree char *path = paco_folder_path (sorting->folder, n);
  Found *found = &sorting->found[n];
  guint8 head[PEEK_SIZE];
  gssize size = read_head (path, head, sizeof head);
  const PacoSourceKind *kind = size > 0 ? paco_source_kind (head, (gsize) size)
                                        : NULL;
  PacoInfo info = PACO_INFO_INIT;
  g_autoptr (GError) reason = NULL;

  found->group = -1;
  if (size < 0)
    return refuse (error, path, "cannot be read: %s", g_strerror (errno));
  if (size == 0)
    found->why = g_strdup ("empty");
  else if (kind && paco_folder_is_too_large (kind, path, file->size))
    found->why = g_strdup ("it has more than 2 GiB");
  else if (kind
      && !ask_kind (kind, path, head, (gsize) size, file->size, &info, &reason))
    found->why = g_strdup (reason->message);
  else if (kind) {
    found->group = count_picture (sorting, kind, &info);
    if (found->group < 0)
      found->why = g_strdup ("a picture of yet another size");
  }
  return TRUE;
}

/* --- sentences ------------------------------------------------------------- */

/* Moves the names to the end of others. */
static void
add_names (GPtrArray *names, GPtrArray *others)
{
  g_ptr_array_set_free_func (others, NULL);
  for (guint i = 0; i < others->len; i++)
    g_ptr_array_add (names, others->pdata[i]);
  g_ptr_array_set_size (others, 0);
}

/* Returns the names one after the other. */
static char *
join_names (GPtrArray *names)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (names->len, MAX_NAMES); i++)
    g_string_append_printf (
        text, "%s%s", i ? ", " : "", (const char *) names->pdata[i]);
  if (names->len > MAX_NAMES)
    g_string_append_printf (text, " and %u more", names->len - MAX_NAMES);
  return g_string_free (text, FALSE);
}

/* Adds a sentence about files, if there are any, whose verbs are those of one file or of
 * several. */
static void
note (
    PacoFolder *folder, GPtrArray *names, const char *one, const char *several)
{
  g_autofree char *all = join_names (names);

  if (names->len > 0)
    g_ptr_array_add (folder->notes,
        g_strdup_printf ("%u %s: %s", names->len,
            paco_text_plural (names->len, one, several), all));
}

/* Says which files are no frames, or refuses the folder for them. */
static gboolean
tell_members (
    Sorting *sorting, GPtrArray *strays, GPtrArray *odd, GError **error)
{
  PacoFolder *folder = sorting->folder;

  if (sorting->options->only_pictures && strays->len + odd->len > 0) {
    g_autofree char *names = NULL;

    add_names (strays, odd);
    names = join_names (strays);
    return refuse (error, folder->path,
        "has %u %s that %s no %s of the sequence: %s; --skip=PATTERN leaves "
        "files out",
        strays->len, paco_text_plural (strays->len, "file", "files"),
        paco_text_plural (strays->len, "is", "are"),
        paco_text_plural (strays->len, "picture", "pictures"), names);
  }
  note (folder, strays, "file is no picture and is kept as it is",
      "files are no pictures and are kept as they are");
  note (folder, odd, "picture is no frame and is kept as it is",
      "pictures are no frames and are kept as they are");
  note (folder, folder->links, "file is a link, and comes back as a file",
      "files are links, and come back as files");
  note (folder, folder->left_out,
      "thing is left out, which restore cannot make",
      "things are left out, which restore cannot make");
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

/* Says where numbers are missing, or refuses the folder for that. */
static gboolean
check_numbers (Sorting *sorting, GError **error)
{
  PacoFolder *folder = sorting->folder;
  gboolean strict = sorting->options->only_pictures;
  guint64 gaps = 0, missing = 0, gap_at = 0, gap_from = 0, gap_to = 0;
  g_autofree char *text = NULL;

  for (guint i = 1; i < folder->files->len; i++) {
    const char *a = paco_folder_file (folder, i - 1)->name;
    const char *b = paco_folder_file (folder, i)->name;
    guint64 m = 0, n = 0;

    if (!same_folder (a, b))
      continue;
    if (!find_numbers (a, b, &m, &n) || m == n) {
      g_autofree char *shown = g_filename_display_name (a);

      if (!strict)
        continue;
      return refuse (error, b,
          m == n && m
              ? "and %s have the same number: the order of frames is not known"
              : "and %s are of two sequences; archive each from a folder of "
                "its own, or leave files out with --skip=PATTERN",
          shown);
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
  text = g_strdup_printf ("is followed by a gap: %" G_GUINT64_FORMAT
                          " to %" G_GUINT64_FORMAT " are missing "
                          "(%" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT
                          " %s in all)",
      gap_from, gap_to, gaps, paco_text_plural (gaps, "gap", "gaps"), missing,
      paco_text_plural (missing, "file", "files"));
  if (strict)
    return refuse (error, paco_folder_file (folder, gap_at)->name,
        "%s; --allow-gaps archives what there is", text);
  g_ptr_array_add (folder->notes,
      g_strdup_printf ("%s %s", paco_folder_file (folder, gap_at)->name, text));
  return TRUE;
}

/* --- sorting --------------------------------------------------------------- */

/* Returns the group that has the most pictures, the first one of several. */
static int
find_sequence (const Sorting *sorting)
{
  int best = -1;

  for (guint i = 0; i < sorting->groups->len; i++)
    if (best < 0 || group_at (sorting, i)->n > group_at (sorting, best)->n)
      best = (int) i;
  return best;
}

/* Says why pictures of other groups are none of the sequence. */
static void
find_differences (Sorting *sorting, int sequence)
{
  const Group *of = group_at (sorting, sequence);

  for (guint i = 0; i < sorting->groups->len; i++) {
    Group *group = group_at (sorting, i);

    if (group->kind != of->kind)
      group->difference = g_strdup_printf (
          "it is a file of kind %s, and the sequence is of kind %s",
          group->kind->name, of->kind->name);
    else if ((int) i != sequence)
      paco_folder_same_picture (
          &of->info, &group->info, sorting->fps_given, &group->difference);
  }
}

static gboolean
is_sound (const PacoFolder *folder, const PacoFolderFile *file)
{
  g_autofree char *path = g_strconcat (folder->path, "/", file->name, NULL);
  const char *dot = strrchr (file->name, '.');
  guint8 head[12];

  return !strchr (file->name, '/') && dot
      && g_ascii_strcasecmp (dot, ".wav") == 0
      && read_head (path, head, sizeof head) == sizeof head
      && (memcmp (head, "RIFF", 4) == 0 || memcmp (head, "RF64", 4) == 0
          || memcmp (head, "BW64", 4) == 0)
      && memcmp (head + 8, "WAVE", 4) == 0;
}

/* Moves what is no frame of the sequence to the members, or to the sounds. */
static void
move_members (Sorting *sorting, int sequence, GPtrArray *strays, GPtrArray *odd)
{
  PacoFolder *folder = sorting->folder;
  guint left = 0;

  for (guint n = 0; n < folder->files->len; n++) {
    PacoFolderFile *file = &g_array_index (folder->files, PacoFolderFile, n);
    const Found *found = &sorting->found[n];
    const char *why = found->group >= 0
        ? group_at (sorting, found->group)->difference
        : found->why;

    if (found->group == sequence) {
      g_array_index (folder->files, PacoFolderFile, left++) = *file;
      continue;
    }
    if (sorting->options->want_sound && is_sound (folder, file)) {
      g_array_append_val (folder->sounds, *file);
      continue;
    }
    g_array_append_val (folder->members, *file);
    g_ptr_array_add (found->group >= 0 || (why && !g_str_equal (why, "empty"))
            ? odd
            : strays,
        why ? g_strdup_printf ("%s (%s)", file->name, why)
            : g_strdup (file->name));
  }
  /* Their names have moved. */
  for (guint n = left; n < folder->files->len; n++)
    g_array_index (folder->files, PacoFolderFile, n).name = NULL;
  g_array_set_size (folder->files, left);
}

static gboolean
sort_out (Sorting *sorting, const PacoSourceKind **kind, PacoInfo *info,
    GError **error)
{
  PacoFolder *folder = sorting->folder;
  g_autoptr (GPtrArray) strays = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) odd = g_ptr_array_new_with_free_func (g_free);
  int sequence;

  for (guint n = 0; n < folder->files->len; n++)
    if (!look_at (sorting, n, error))
      return FALSE;
  sequence = find_sequence (sorting);
  if (sequence >= 0)
    find_differences (sorting, sequence);
  move_members (sorting, sequence < 0 ? G_MAXINT : sequence, strays, odd);
  if (sequence < 0) {
    g_autofree char *names = NULL;

    add_names (odd, strays);
    names = join_names (odd);
    return refuse (error, folder->path,
        "has no picture of a kind that can be archived (%s): %s",
        paco_source_kinds (), names);
  }
  *kind = group_at (sorting, sequence)->kind;
  *info = group_at (sorting, sequence)->info;
  return tell_members (sorting, strays, odd, error)
      && (sorting->options->allow_gaps || check_numbers (sorting, error))
      && paco_folder_cut (folder, *kind, error);
}

gboolean
paco_folder_sort_out (PacoFolder *folder, const PacoFolderOptions *options,
    gboolean fps_given, const PacoSourceKind **kind, PacoInfo *info,
    GError **error)
{
  guint n = folder->files->len;
  Sorting sorting = { folder, options, fps_given,
    g_array_new (FALSE, FALSE, sizeof (Group)), g_new0 (Found, n) };
  gboolean good = sort_out (&sorting, kind, info, error);

  for (guint i = 0; i < sorting.groups->len; i++)
    g_free (group_at (&sorting, i)->difference);
  g_array_unref (sorting.groups);
  for (guint i = 0; i < n; i++)
    g_free (sorting.found[i].why);
  g_free (sorting.found);
  return good;
}
