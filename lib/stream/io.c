/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens, reads and writes files (io.h). */
#include "lib/stream/io.h"
#include <errno.h>
#include <fcntl.h>
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

/* Says whether a call that has failed is to be repeated. */
static bool
is_repeated (PacoInterrupted interrupted)
{
  return errno == EINTR && (!interrupted || !interrupted (NULL));
}

/* Reads at an offset, or the next bytes if that is negative. */
static size_t
read_bytes (int fd, int64_t offset, void *data, size_t least, size_t size,
    PacoInterrupted interrupted)
{
  size_t done = 0;
  ssize_t got = 1;

  while (done < least && got != 0) {
    uint8_t *to = (uint8_t *) data + done;

    got = offset < 0
        ? read (fd, to, size - done)
        : pread (fd, to, size - done, (off_t) (offset + (int64_t) done));
    if (got > 0)
      done += (size_t) got;
    else if (got < 0 && !is_repeated (interrupted))
      return done;
  }
  errno = 0;
  return done;
}

size_t
paco_io_read_at (int fd, uint64_t offset, void *data, size_t size)
{
  return read_bytes (fd, (int64_t) offset, data, size, size, NULL);
}

size_t
paco_io_read_next (
    int fd, void *data, size_t least, size_t size, PacoInterrupted interrupted)
{
  return read_bytes (fd, -1, data, least, size, interrupted);
}

/* Writes at an offset, or where the file stands if that is negative. */
static bool
write_bytes (int fd, int64_t offset, struct iovec *parts, unsigned n,
    PacoInterrupted interrupted)
{
  size_t done = 0;

  for (;;) {
    ssize_t written;

    for (; n > 0 && done >= parts->iov_len; n--)
      done -= parts++->iov_len;
    if (n == 0)
      return true;
    parts->iov_base = (uint8_t *) parts->iov_base + done;
    parts->iov_len -= done;
    do
      written = offset < 0 ? writev (fd, parts, (int) n)
                           : pwritev (fd, parts, (int) n, (off_t) offset);
    while (written < 0 && is_repeated (interrupted));
    if (written == 0)
      errno = EIO;
    if (written <= 0)
      return false;
    done = (size_t) written;
    offset += offset < 0 ? 0 : written;
  }
}

bool
paco_io_write_at (int fd, uint64_t offset, const void *data, size_t size)
{
  struct iovec part = { (void *) data, size };

  return write_bytes (fd, (int64_t) offset, &part, 1, NULL);
}

bool
paco_io_write_next (
    int fd, struct iovec *parts, unsigned n, PacoInterrupted interrupted)
{
  return write_bytes (fd, -1, parts, n, interrupted);
}

const char *
paco_io_why (int number)
{
  if (number == ENOSPC)
    return "the disk is full";
  return number == EDQUOT ? "the disk quota is used up" : g_strerror (number);
}
