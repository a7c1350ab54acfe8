/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Leads a coder through its whole life over the fake driver, for failures.c: it is
 * opened, configured for several formats, codes some frames of each, and is closed,
 * with frames and memory that outlive it. Whatever comes out is checked. */
#pragma once
#include "codec/backend.h"

typedef struct
{
  const char *plan;  /* for messages */
  const char *cause; /* that every error is to name */
  int device;
  unsigned n_devices; /* 0 to this number, instead of `device`; or 0 */
  bool goes_on;       /* after an error, which is to be the only one */
  bool new_works;     /* after an error: whether one more coder can be had */
  bool new_fails;     /* neither: not tried */
  bool (*has_failed) (void);
  int (*failed_device) (void); /* -1: none in particular; may be NULL */

  unsigned n_errors, n_frames, n_good;
  bool failed_early; /* before the coder was closed */
} Life;

void life_of_encoder (Life *life);
void life_of_decoder (Life *life);
