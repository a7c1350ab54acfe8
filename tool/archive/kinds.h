/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The kinds that source.c lists, each in the file of its name. */
#pragma once
#include "tool/archive/source.h"

extern const PacoSourceKind paco_source_dpx;
extern const PacoSourceKind paco_source_pnm; /* P5, P6, P7 */
extern const PacoSourceKind paco_source_png;
extern const PacoSourceKind paco_source_tiff; /* if libtiff was there */
