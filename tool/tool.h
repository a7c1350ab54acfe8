/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what all commands of the program paco share: how main.c calls them, how
 * they read their command line, how they report errors and how signals end them. A
 * command is a file of its name and a row of the table in main.c. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

/* What the program tells the shell that has run it; docs/paco.1 and the tests list the
 * same numbers. */
typedef enum
{
  PACO_EXIT_DONE = 0,   /* what was asked for is done */
  PACO_EXIT_FAILED = 1, /* it could not be done; standard error says why */
  PACO_EXIT_USAGE = 2,  /* the command line asks for nothing that there is */
  PACO_EXIT_DAMAGE = 3, /* done, but frames are damaged or missing */
  PACO_EXIT_INTERRUPTED = 130 /* a signal has ended it in order */
} PacoExit;

/* Each gets the arguments behind `paco`, of which argv[0] is the command's name,
 * and returns a PacoExit. */
int paco_tool_archive (int argc, char **argv);
int paco_tool_restore (int argc, char **argv);
int paco_tool_info (int argc, char **argv);
int paco_tool_verify (int argc, char **argv);
int paco_tool_decode (int argc, char **argv);
int paco_tool_still (int argc, char **argv);
int paco_tool_contact (int argc, char **argv);
int paco_tool_encode (int argc, char **argv);
int paco_tool_cut (int argc, char **argv);
int paco_tool_join (int argc, char **argv);

/* --help says this of a command. */
typedef struct
{
  const char *arguments;   /* "FILE OUT": what stands behind the options */
  const char *summary;     /* what the command does, above the options */
  const char *description; /* what else is to be known, below them; or NULL */
  int minimum, maximum;    /* how many arguments; maximum < 0: any number */
} PacoToolUsage;

/* Entries of tables of options. */
#define PACO_FLAG(name, value, text)                                           \
  {                                                                            \
    name, 0, 0, G_OPTION_ARG_NONE, value, text, NULL                           \
  }
#define PACO_TEXT(name, value, text, what)                                     \
  {                                                                            \
    name, 0, 0, G_OPTION_ARG_STRING, value, text, what                         \
  }
#define PACO_NUMBER(name, value, text, what)                                   \
  {                                                                            \
    name, 0, 0, G_OPTION_ARG_INT, value, text, what                            \
  }
#define PACO_FORCE(value, text)                                                \
  {                                                                            \
    "force", 'f', 0, G_OPTION_ARG_NONE, value, text, NULL                      \
  }
#define PACO_QUIET(value, text)                                                \
  {                                                                            \
    "quiet", 'q', 0, G_OPTION_ARG_NONE, value, text, NULL                      \
  }

/* Reads the options of a command. argc and argv become what is left, argv[0] still
 * being the command. Returns FALSE, and prints a sentence on standard error, if the
 * options are wrong: the command returns PACO_EXIT_USAGE then. (--help ends the
 * process.) */
bool paco_tool_parse (const PacoToolUsage *usage, const GOptionEntry *entries,
    int *argc, char ***argv);
/* Frees the texts that options were given. */
void paco_tool_free (const GOptionEntry *entries);

/* Reads a ratio, as 25, 12.5 or 30000/1001, that an option was given. 23.976, 29.97,
 * 59.94 and their like are 24000/1001, 30000/1001 and 60000/1001. text may be NULL, and
 * changes nothing then. */
bool paco_tool_parse_ratio (const char *option, const char *text, uint32_t *n,
    uint32_t *d, GError **error);

/* Errors of this domain are of the command line, and lead to PACO_EXIT_USAGE. */
#define PACO_TOOL_ERROR (paco_tool_error_quark ())
GQuark paco_tool_error_quark (void);
typedef enum
{
  PACO_TOOL_ERROR_USAGE,       /* the command line contradicts itself */
  PACO_TOOL_ERROR_FAILED,      /* anything else */
  PACO_TOOL_ERROR_INTERRUPTED, /* a signal has come */
  /* The GPU is lost: memory that it knows of must not be freed any more. */
  PACO_TOOL_ERROR_DEVICE,
} PacoToolError;

/* Returns FALSE, as do the macros. */
bool paco_tool_set_error (GError **error, PacoToolError code,
    const char *format, ...) G_GNUC_PRINTF (3, 4);
#define paco_tool_failed(error, ...)                                           \
  paco_tool_set_error (error, PACO_TOOL_ERROR_FAILED, __VA_ARGS__)
#define paco_tool_misused(error, ...)                                          \
  paco_tool_set_error (error, PACO_TOOL_ERROR_USAGE, __VA_ARGS__)

/* Prints a sentence on standard error, after the name of program and command, on one
 * line: control characters, which names of files may have, are escaped. */
void paco_tool_complain (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Says what *error says, frees it and returns the exit code that goes with it. */
int paco_tool_fail (GError *error);

/* Says whether the library's function succeeded. If not, *error becomes what it says. */
bool paco_tool_check (
    PacoStatus status, const PacoError *failure, GError **error);

/* --- signals --- */

/* Makes SIGINT, SIGTERM and SIGHUP be only noted; the second one of them ends the
 * process at once. A pipe that nobody reads, or a file that may not grow, becomes
 * an error of write(). */
void paco_signals_catch (void);
/* Says whether a signal has come; *error, which may be NULL, says so. */
bool paco_signals_caught (GError **error);
