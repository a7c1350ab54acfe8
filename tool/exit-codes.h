/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists what the program paco tells the shell that has run it. docs/paco.1 and the
 * tests list the same numbers. */
#pragma once

typedef enum
{
  PACO_EXIT_DONE = 0,   /* what was asked for is done */
  PACO_EXIT_FAILED = 1, /* it could not be done; standard error says why */
  PACO_EXIT_USAGE = 2,  /* the command line asks for nothing that there is */
  PACO_EXIT_DAMAGE = 3, /* done, but frames are damaged or missing */
  PACO_EXIT_INTERRUPTED = 130 /* a signal has ended it in order */
} PacoExit;
