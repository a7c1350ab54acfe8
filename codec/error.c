/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The error domain. */
#include "error.h"

G_DEFINE_QUARK (paco - error - quark, paco_error)
