/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads command lines and prints errors for all commands (tool.h). */
#include "tool.h"
#include <stdio.h>

G_DEFINE_QUARK (paco - tool - error, paco_tool_error)

void
paco_tool_complain (const char *format, ...)
{
  va_list arguments;
  char *sentence;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("%s: %s.\n", g_get_prgname (), sentence);
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
  if (status == PACO_STATUS_OK)
    return true;
  g_set_error (error, PACO_TOOL_ERROR,
      status == PACO_STATUS_DEVICE ? PACO_TOOL_ERROR_DEVICE
                                   : PACO_TOOL_ERROR_FAILED,
      "%s", failure->message);
  return false;
}

bool
paco_tool_parse (const PacoToolUsage *usage, const GOptionEntry *entries,
    const GOptionEntry *more, int *argc, char ***argv)
{
  GOptionContext *context = g_option_context_new (usage->arguments);
  GError *error = NULL;
  bool good;
  int n;

  g_option_context_set_summary (context, usage->summary);
  g_option_context_set_description (context, usage->description);
  if (entries)
    g_option_context_add_main_entries (context, entries, NULL);
  if (more)
    g_option_context_add_main_entries (context, more, NULL);
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
  paco_tool_complain (
      "it takes %s, and was given %d argument%s (--help says more)",
      usage->arguments, n, n == 1 ? "" : "s");
  return false;
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
          || (sscanf (text, "%u%*1[/:]%u%c", n, d, &end) == 2))
      && *n > 0 && *d > 0 && *n <= G_MAXINT32 && *d <= G_MAXINT32)
    return true;
  g_set_error (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_USAGE,
      "--%s %s is no number or fraction, as 25 or 30000/1001 are", option,
      text);
  return false;
}
