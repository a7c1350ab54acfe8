/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The program paco: main() finds the command in a table and calls its function,
 * which is in a file of its own. libpaco does the coding. */
#include "lib/paco.h"
#include "lib/stream/io.h"
#include "tool.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct
{
  const char *name, *line;
  int (*run) (int argc, char **argv);
} commands[] = {
  { "archive", "code a folder of pictures so that each file can be restored",
      paco_tool_archive },
  { "restore", "make the files of an archive again", paco_tool_restore },
  { "info", "say what files and their frames are", paco_tool_info },
  { "verify", "say which frames are damaged or missing", paco_tool_verify },
  { "decode", "turn frames into pictures", paco_tool_decode },
  { "still", "turn the frame at a timecode into a picture", paco_tool_still },
  { "contact", "turn frames into one picture, with their timecodes",
      paco_tool_contact },
  { "encode", "turn pictures into frames", paco_tool_encode },
  { "cut", "copy some frames of a file", paco_tool_cut },
  { "join", "put files one behind the other", paco_tool_join },
};

static void
print_help (FILE *to)
{
  fprintf (to,
      "Usage:\n  paco COMMAND [OPTION...] ARGUMENT...\n\n"
      "Works on files of PaCo video.\n\nCommands:\n");
  for (unsigned i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (to, "  %-10s %s\n", commands[i].name, commands[i].line);
  fprintf (to,
      "\npaco COMMAND --help says what a command takes; paco --version, which "
      "version this is.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 damaged or "
      "missing frames, 130 interrupted.\n");
}

/* Fails if what was printed could not be written, as on a full disk. It is called however
 * the program ends: GLib calls exit() after the help of a command. */
static void
end (void)
{
  errno = 0;
  if (fflush (stdout) == 0 && !ferror (stdout))
    return;
  paco_tool_complain ("standard output cannot be written%s%s",
      errno ? ": " : "", errno ? paco_io_why (errno) : "");
  _exit (PACO_EXIT_FAILED);
}

static int
run (unsigned command, int argc, char **argv)
{
  g_autofree char *name = g_strdup_printf ("paco %s", commands[command].name);

  g_set_prgname (name);
  return commands[command].run (argc, argv);
}

int
main (int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : "";
  bool help = strcmp (word, "help") == 0;

  atexit (end);
  setlocale (LC_ALL, "");
  g_set_prgname ("paco");
  if (strcmp (word, "--version") == 0) {
    printf ("paco %s\n", paco_version ());
    return PACO_EXIT_DONE;
  }
  if (strcmp (word, "--help") == 0 || strcmp (word, "-h") == 0
      || (help && argc == 2)) {
    print_help (stdout);
    return PACO_EXIT_DONE;
  }
  if (argc < 2) {
    print_help (stderr);
    return PACO_EXIT_USAGE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (commands); i++) {
    char *ask[] = { argv[1], (char *) "--help", NULL };

    if (help && strcmp (argv[2], commands[i].name) == 0)
      return run (i, 2, ask);
    if (strcmp (word, commands[i].name) == 0)
      return run (i, argc - 1, argv + 1);
  }
  paco_tool_complain (
      "there is no command %s; paco --help lists them", help ? argv[2] : word);
  return PACO_EXIT_USAGE;
}
