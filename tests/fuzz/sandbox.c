/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes and checks the folder of sandbox.h: ROOT/folder, with ROOT/outside next to it. */
#include "tests/fuzz/sandbox.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT "these bytes stay"

static char *root, *folder, *outside, *treasure;

void
fuzz_give_up (const char *what, const char *why)
{
  fprintf (stderr, "ERROR: %s: %s\n", what, why);
  abort ();
}

void
fuzz_check_error (GError **error)
{
  if (!*error || strlen ((*error)->message) < 8)
    fuzz_give_up (
        "what is refused needs a sentence", *error ? (*error)->message : "");
  g_clear_error (error);
}

static int
remove_one (
    const char *path, const struct stat *status, int type, struct FTW *at)
{
  return remove (path);
}

static void
remove_all (const char *path)
{
  nftw (path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void
remove_root (void)
{
  remove_all (root);
}

const char *
fuzz_sandbox_folder (void)
{
  if (folder)
    return folder;
  root = g_build_filename (g_get_tmp_dir (), "paco-fuzz-XXXXXX", NULL);
  if (!g_mkdtemp (root))
    fuzz_give_up (root, g_strerror (errno));
  atexit (remove_root);
  folder = g_build_filename (root, "folder", NULL);
  outside = g_build_filename (root, "outside", NULL);
  treasure = g_build_filename (outside, "treasure", NULL);
  if (g_mkdir (outside, 0700) != 0
      || !g_file_set_contents (treasure, KEPT, -1, NULL))
    fuzz_give_up (outside, g_strerror (errno));
  return folder;
}

void
fuzz_sandbox_plant (void)
{
  g_autofree char *fifo = NULL;
  int at;

  fuzz_sandbox_folder ();
  remove_all (folder);
  if (g_mkdir (folder, 0700) != 0)
    fuzz_give_up (folder, g_strerror (errno));
  fifo = g_build_filename (folder, "fifo", NULL);
  at = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  fuzz_sandbox_file ("kept", KEPT, strlen (KEPT));
  if (symlinkat ("../outside", at, "link") != 0
      || symlinkat ("../outside/new", at, "hanging") != 0
      || mkfifo (fifo, 0600) != 0)
    fuzz_give_up (folder, g_strerror (errno));
  close (at);
}

void
fuzz_sandbox_file (const char *name, const void *bytes, size_t size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

  if (fd >= 0 && write (fd, bytes, size) != (ssize_t) size)
    fuzz_give_up (path, g_strerror (errno));
  if (fd >= 0)
    close (fd);
}

void
fuzz_sandbox_link (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (symlink (treasure, path) != 0 && errno != EEXIST)
    fuzz_give_up (path, g_strerror (errno));
}

/* Checks that the folder has n entries. */
static void
check_entries (const char *path, unsigned n)
{
  DIR *entries = opendir (path);

  while (readdir (entries))
    n--;
  closedir (entries);
  if (n != -2u) /* It has "." and ".." as well. */
    fuzz_give_up (path, "something else is there");
}

static const char *checked_suffix;

static int
check_one (
    const char *path, const struct stat *status, int type, struct FTW *at)
{
  if (S_ISREG (status->st_mode) && g_str_has_suffix (path, checked_suffix))
    fuzz_give_up (path, "this was left");
  return 0;
}

static void
check_contents (const char *path, const void *bytes, size_t size)
{
  g_autofree char *found = NULL;
  gsize length;

  if (!g_file_get_contents (path, &found, &length, NULL) || length != size
      || memcmp (found, bytes, size) != 0)
    fuzz_give_up (path, "it has other bytes");
}

void
fuzz_sandbox_check (const char *suffix)
{
  g_autofree char *kept = g_build_filename (folder, "kept", NULL);

  check_entries (root, 2);
  check_entries (outside, 1);
  check_contents (treasure, KEPT, strlen (KEPT));
  check_contents (kept, KEPT, strlen (KEPT));
  checked_suffix = suffix;
  if (suffix)
    nftw (folder, check_one, 16, FTW_PHYS);
}

void
fuzz_sandbox_check_file (const char *name, const void *bytes, size_t size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  check_contents (path, bytes, size);
}
