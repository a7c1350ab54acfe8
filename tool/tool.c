/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads command lines and prints errors for all commands (tool.h). */
#include "tool.h"
#include "codec/text.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

G_DEFINE_QUARK (paco - tool - error, paco_tool_error)

bool
paco_tool_set_error (
    GError **error, PacoToolError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (
      error, g_error_new_valist (PACO_TOOL_ERROR, code, format, arguments));
  va_end (arguments);
  return false;
}

void
paco_tool_complain (const char *format, ...)
{
  va_list arguments;
  char *sentence, *shown;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  shown = paco_text_show (sentence);
  g_printerr ("%s: %s.\n", g_get_prgname (), shown);
  g_free (shown);
  g_free (sentence);
}

int
paco_tool_fail (GError *error)
{
  int code = PACO_EXIT_FAILED;

  if (g_error_matches (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_USAGE))
    code = PACO_EXIT_USAGE;
  else if (g_error_matches (
               error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_INTERRUPTED))
    code = PACO_EXIT_INTERRUPTED;
  paco_tool_complain ("%s", error->message);
  g_error_free (error);
  return code;
}

bool
paco_tool_check (PacoStatus status, const PacoError *failure, GError **error)
{
  return status == PACO_STATUS_OK
      || paco_tool_set_error (error,
          status == PACO_STATUS_DEVICE ? PACO_TOOL_ERROR_DEVICE
                                       : PACO_TOOL_ERROR_FAILED,
          "%s", failure->message);
}

bool
paco_tool_parse (const PacoToolUsage *usage, const GOptionEntry *entries,
    int *argc, char ***argv)
{
  GOptionContext *context = g_option_context_new (usage->arguments);
  GError *error = NULL;
  bool good;
  int n;

  g_option_context_set_summary (context, usage->summary);
  g_option_context_set_description (context, usage->description);
  g_option_context_add_main_entries (context, entries, NULL);
  good = g_option_context_parse (context, argc, argv, &error);
  g_option_context_free (context);
  if (!good) {
    paco_tool_complain ("%s (--help says more)", error->message);
    g_error_free (error);
    return false;
  }
  /* GLib leaves the "--" that ends options in argv. */
  if (*argc > 1 && g_str_equal ((*argv)[1], "--")) {
    for (int i = 1; i + 1 < *argc; i++)
      (*argv)[i] = (*argv)[i + 1];
    --*argc;
  }
  n = *argc - 1;
  if (n >= usage->minimum && (usage->maximum < 0 || n <= usage->maximum))
    return true;
  paco_tool_complain ("it takes %s, and was given %d %s (--help says more)",
      usage->arguments, n,
      paco_text_plural ((guint64) n, "argument", "arguments"));
  return false;
}

void
paco_tool_free (const GOptionEntry *entries)
{
  for (; entries->long_name; entries++)
    if (entries->arg == G_OPTION_ARG_STRING
        || entries->arg == G_OPTION_ARG_FILENAME)
      g_clear_pointer ((char **) entries->arg_data, g_free);
    else if (entries->arg == G_OPTION_ARG_STRING_ARRAY
        || entries->arg == G_OPTION_ARG_FILENAME_ARRAY)
      g_clear_pointer ((char ***) entries->arg_data, g_strfreev);
}

/* Finds the rate of 1000/1001 of a whole number that a decimal, value/scale, is rounded
 * from: 29.97 is 30000/1001. */
static bool
find_rate (uint64_t value, uint64_t scale, uint32_t *n, uint32_t *d)
{
  static const unsigned rates[] = { 15, 24, 30, 48, 60, 120, 240 };

  for (unsigned i = 0; scale >= 100 && i < G_N_ELEMENTS (rates); i++) {
    int64_t difference = (int64_t) (value * 1001)
        - (int64_t) (rates[i] * 1000 * scale);

    if (2 * ABS (difference) <= 1001) {
      *n = rates[i] * 1000;
      *d = 1001;
      return true;
    }
  }
  return false;
}

/* Reads a decimal, as 12.5, of up to six digits on each side. */
static bool
parse_decimal (const char *text, uint32_t *n, uint32_t *d)
{
  size_t whole = strspn (text, "0123456789"), end, digits;
  uint64_t value = 0, scale = 1;

  if (whole < 1 || whole > 6 || text[whole] != '.')
    return false;
  digits = strspn (text + whole + 1, "0123456789");
  end = whole + 1 + digits;
  if (digits < 1 || digits > 6 || text[end] != 0)
    return false;
  while (text[end - 1] == '0')
    end--;
  for (size_t i = 0; i < end; i++) {
    if (i == whole)
      continue;
    value = 10 * value + (uint64_t) (text[i] - '0');
    scale *= i > whole ? 10 : 1;
  }
  if (find_rate (value, scale, n, d))
    return true;
  for (; scale > 1 && value % 5 == 0 && scale % 5 == 0; value /= 5)
    scale /= 5;
  for (; scale > 1 && value % 2 == 0 && scale % 2 == 0; value /= 2)
    scale /= 2;
  *n = (uint32_t) value;
  *d = (uint32_t) scale;
  return true;
}

bool
paco_tool_parse_ratio (const char *option, const char *text, uint32_t *n,
    uint32_t *d, GError **error)
{
  char end;

  if (!text)
    return true;
  *d = 1;
  if (g_ascii_isdigit (*text)
      && (sscanf (text, "%u%c", n, &end) == 1
          || sscanf (text, "%u%*1[/:]%u%c", n, d, &end) == 2
          || parse_decimal (text, n, d))
      && *n > 0 && *d > 0 && *n <= G_MAXINT32 && *d <= G_MAXINT32)
    return true;
  return paco_tool_misused (error,
      "--%s %s is no number or fraction, as 25, 29.97 or 30000/1001 are",
      option, text);
}

/* --- signals --- */

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t caught;

/* Says whether the signal is ignored already, as nohup has it, and so must stay
 * ignored. */
static bool
is_ignored (int number)
{
  struct sigaction action;

  return sigaction (number, NULL, &action) != 0 || action.sa_handler == SIG_IGN;
}

static void
note (int number)
{
  struct sigaction standard = { .sa_handler = SIG_DFL };

  caught = number;
  for (unsigned i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (!is_ignored (numbers[i]))
      sigaction (numbers[i], &standard, NULL);
}

void
paco_signals_catch (void)
{
  /* There is no SA_RESTART, so that calls that wait, as read() of a pipe, return
   * with EINTR. */
  struct sigaction action = { .sa_handler = note };

  for (unsigned i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (!is_ignored (numbers[i]))
      sigaction (numbers[i], &action, NULL);
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
}

bool
paco_signals_caught (GError **error)
{
  if (!caught)
    return false;
  return !paco_tool_set_error (error, PACO_TOOL_ERROR_INTERRUPTED,
      "interrupted by %s", caught == SIGINT ? "the keyboard" : "a signal");
}
