/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes files that have a temporary name until they are whole (output.h). */
#include "output.h"
#include "lib/stream/io.h"
#include "tool/archive/part.h"
#include "sequence.h"
#include "tool.h"
#include "volumes.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0666 /* what umask leaves of it */

void
paco_output_explain (
    GError **error, const char *path, const char *what, int number)
{
  const char *why = paco_io_why (number);

  if (number == EPIPE)
    why = "nobody reads it any more";
  else if (number == EEXIST)
    why = "it is there already, and --force is not given";
  paco_tool_failed (error, "%s %s: %s", path, what, why);
}

static bool
is_standard_output (const char *path)
{
  return strcmp (path, "-") == 0;
}

/* Says whether it is a device, a pipe or the like, which gets no temporary name. */
static bool
is_special (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && !S_ISREG (status.st_mode)
      && !S_ISDIR (status.st_mode);
}

static bool
is_file (const char *path, int standard, const struct stat *file)
{
  struct stat status;

  return (strcmp (path, "-") == 0 ? fstat (standard, &status)
                                  : stat (path, &status))
      == 0
      && S_ISREG (status.st_mode) && status.st_dev == file->st_dev
      && status.st_ino == file->st_ino;
}

static bool
is_numbered_file (void *file, const char *path, uint64_t number)
{
  return is_file (path, STDIN_FILENO, file);
}

static const char *
show_name (const char *path, const char *standard)
{
  return is_standard_output (path) ? standard : path;
}

/* Returns the name under which the command reads the file at path, or NULL. Volumes of an
 * archive are read under the name of the first one. */
static const char *
find_input (const PacoOutputRules *rules, const char *path, struct stat *file)
{
  g_autofree char *volume = paco_volumes_first (path);
  struct stat first;
  bool has_first = volume && stat (volume, &first) == 0;

  if (rules->pattern
      && paco_sequence_find (rules->pattern, is_numbered_file, file))
    return rules->pattern;
  for (int i = 0; i < rules->n_inputs; i++)
    if (is_file (rules->inputs[i], STDIN_FILENO, file)
        || (has_first && is_file (rules->inputs[i], STDIN_FILENO, &first)))
      return rules->inputs[i];
  return NULL;
}

bool
paco_output_check (
    const char *path, const PacoOutputRules *rules, GError **error)
{
  struct stat status;
  const char *input;

  if ((is_standard_output (path) ? fstat (STDOUT_FILENO, &status)
                                 : stat (path, &status))
      != 0)
    return true;
  input = S_ISREG (status.st_mode) ? find_input (rules, path, &status) : NULL;
  if (input)
    return paco_tool_failed (error,
        "%s cannot be written: it is one of the files that are read (%s)",
        show_name (path, "standard output"),
        show_name (input, "standard input"));
  if (is_standard_output (path))
    return true;
  if (S_ISDIR (status.st_mode))
    return paco_tool_failed (
        error, "%s cannot be written: it is a folder", path);
  if (rules->force || !S_ISREG (status.st_mode))
    return true;
  paco_output_explain (error, path, "cannot be written", EEXIST);
  return false;
}

static int
open_temporary (const char *path, char **temporary)
{
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    char *name = g_strdup_printf ("%s.%08x.part", path, g_random_int ());
    int fd = open (name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE);

    if (fd >= 0 || errno != EEXIST) {
      *temporary = name;
      return fd;
    }
    g_free (name);
  }
  *temporary = NULL;
  return -1;
}

PacoOutput *
paco_output_open (
    const char *path, const PacoOutputRules *rules, GError **error)
{
  PacoOutput *output;
  char *temporary = NULL;
  int fd;

  if (!paco_output_check (path, rules, error))
    return NULL;
  if (is_standard_output (path))
    fd = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  else if (is_special (path))
    fd = open (path, O_WRONLY | O_CLOEXEC);
  else
    fd = open_temporary (path, &temporary);
  if (fd < 0) {
    paco_output_explain (error, path, "cannot be written", errno);
    g_free (temporary);
    return NULL;
  }
  output = g_new0 (PacoOutput, 1);
  output->fd = fd;
  output->force = rules->force;
  output->path = g_strdup (show_name (path, "standard output"));
  output->temporary = temporary;
  return output;
}

bool
paco_output_write (
    PacoOutput *output, const void *data, size_t size, GError **error)
{
  struct iovec part = { (void *) data, size };

  if (paco_io_write_next (output->fd, &part, 1, paco_signals_caught))
    return true;
  if (errno != EINTR || !paco_signals_caught (error))
    paco_output_explain (error, output->path, "cannot be written", errno);
  return false;
}

static void
free_output (PacoOutput *output)
{
  g_free (output->path);
  g_free (output->temporary);
  g_free (output);
}

void
paco_output_abandon (PacoOutput *output)
{
  if (!output)
    return;
  close (output->fd);
  if (output->temporary)
    unlink (output->temporary);
  free_output (output);
}

bool
paco_output_end (PacoOutput *output, bool good, bool sync, GError **error)
{
  if (!output || !good) {
    paco_output_abandon (output);
    return good;
  }
  if (output->temporary && sync)
    good = fdatasync (output->fd) == 0;
  /* Network file systems may say only here that they are full. */
  if (close (output->fd) != 0 && errno != EINTR)
    good = false;
  if (good && output->temporary)
    good = output->force
        ? rename (output->temporary, output->path) == 0
        : paco_part_give_name (AT_FDCWD, output->temporary, output->path);
  if (!good) {
    paco_output_explain (error, output->path, "cannot be written", errno);
    if (output->temporary)
      unlink (output->temporary);
  }
  free_output (output);
  return good;
}
