/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens files that are read (open.h). */
#include "lib/stream/open.h"
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the descriptor that the path names, or -1. */
static int
named_descriptor (const char *path)
{
  static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

  if (strcmp (path, "/dev/stdin") == 0)
    return STDIN_FILENO;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    const char *number = path + strlen (folders[i]);

    if (g_str_has_prefix (path, folders[i]) && g_ascii_isdigit (*number)
        && number[strspn (number, "0123456789")] == 0)
      return atoi (number);
  }
  return -1;
}

/* Returns why a file of this mode is not read, or NULL. */
static const char *
why_not (mode_t mode)
{
  if (S_ISREG (mode))
    return NULL;
  if (S_ISDIR (mode))
    return "it is a folder";
  if (S_ISFIFO (mode))
    return "it is a pipe, which can be read as standard input (-)";
  return S_ISSOCK (mode) ? "it is a socket" : "it is a device";
}

/* Opens a file that has a name. It is looked at twice: opening may already change a
 * device, and what the name stands for may become another file in between. */
static int
open_named (const char *path, const char **refusal)
{
  struct stat status;
  int fd = -1;

  if (stat (path, &status) == 0 && !(*refusal = why_not (status.st_mode)))
    fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && fstat (fd, &status) == 0
      && (*refusal = why_not (status.st_mode))) {
    close (fd);
    fd = -1;
  }
  if (*refusal)
    errno = S_ISDIR (status.st_mode) ? EISDIR : EOPNOTSUPP;
  return fd;
}

int
paco_open_input (const char *path, const char **why)
{
  const char *refusal = NULL;
  struct stat status;
  int given = named_descriptor (path), fd;

  if (given >= 0 && fstat (given, &status) == 0 && !S_ISREG (status.st_mode)
      && !S_ISDIR (status.st_mode))
    fd = fcntl (given, F_DUPFD_CLOEXEC, 0);
  else
    fd = open_named (path, &refusal);
  if (fd < 0 && why)
    *why = refusal ? refusal : g_strerror (errno);
  return fd;
}
