/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Signals that end a command: the first one lets it finish its frame and clear up. */
#include "tool.h"
#include <signal.h>

static volatile sig_atomic_t caught;

static void
note (int number)
{
  struct sigaction standard = { .sa_handler = SIG_DFL };

  caught = number;
  sigaction (SIGINT, &standard, NULL);
  sigaction (SIGTERM, &standard, NULL);
  sigaction (SIGHUP, &standard, NULL);
}

void
paco_signals_catch (void)
{
  /* Calls that wait, as read() of a pipe, return with EINTR: no SA_RESTART. */
  struct sigaction action = { .sa_handler = note }, before;
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

  for (unsigned i = 0; i < G_N_ELEMENTS (numbers); i++) {
    /* Who has it ignored, as nohup does, does not want it. */
    if (sigaction (numbers[i], NULL, &before) == 0
        && before.sa_handler != SIG_IGN)
      sigaction (numbers[i], &action, NULL);
  }
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
