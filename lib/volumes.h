/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares how paco has a reader of libpaco read a split archive as one file. It is no part
 * of paco.h. */
#pragma once
#include "lib/paco.h"
#include "lib/stream/volumes.h"

/* Opens n files that are open already, and that the reader closes, also if this fails.
 * Messages call them by the name. */
PACO_API PacoStatus paco_reader_open_volumes (const PacoVolume *volumes,
    unsigned n, const char *name, PacoReader **reader, PacoError *error);
