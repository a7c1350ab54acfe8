/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Catches signals that end a command (tool.h): the first one lets it finish its
 * frame and clear up. */
#include "tool.h"
#include <signal.h>

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
  g_set_error (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_INTERRUPTED,
      "interrupted by %s", caught == SIGINT ? "the keyboard" : "a signal");
  return true;
}
