/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes files for the commands. A file has a temporary name beside its final one,
 * which it gets when it is whole: an interruption, an error or a full disk leaves
 * nothing under the final name, and nothing is overwritten unless that is asked for.
 * "-" is standard output. Devices and pipes are written to directly. */
#pragma once
#include <glib.h>
#include <stdbool.h>

typedef struct
{
  int fd; /* for those who write by themselves */
  bool force;
  char *path;
  char *temporary; /* NULL: written to as it is */
} PacoOutput;

/* Says what a command may overwrite: no file that it reads. */
typedef struct
{
  bool force; /* Existing files are overwritten. */
  char *const
      *inputs; /* Files that the command reads; "-" is standard input. */
  int n_inputs;
  const char *pattern; /* Numbered files that it reads (sequence.h), or NULL. */
} PacoOutputRules;

/* Opens a file. Errors name it. *path and *rules need not stay. */
PacoOutput *paco_output_open (
    const char *path, const PacoOutputRules *rules, GError **error);
bool paco_output_write (
    PacoOutput *output, const void *data, size_t size, GError **error);
/* If all is good, gives the file its name; else removes it. With `sync` the file's bytes
 * are on the disk before. Frees the output, which may be NULL. Returns whether all is
 * good. */
bool paco_output_end (PacoOutput *output, bool good, bool sync, GError **error);
void paco_output_abandon (PacoOutput *output); /* end() when not all is good. */

/* Says whether the path may be written to: nothing is there, or it may be
 * overwritten, or it is no regular file. A file that the command reads, by this or by
 * any other name, is refused. This is asked before a long work; paco_output_end()
 * finds out for certain. */
bool paco_output_check (
    const char *path, const PacoOutputRules *rules, GError **error);

/* Says in words why something of this path failed, by errno. */
void paco_output_explain (
    GError **error, const char *path, const char *what, int number);
