/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures Tables III to VI and Figure 9 of text 001, on this device. */
#pragma once
#include "tests/lab/cuda/device.h"

G_BEGIN_DECLS

/* Runs what a profiler counts for Table IV of text 000. */
void lab_rows_once (LabDevice *device);
void lab_rows_measure (LabDevice *device);

G_END_DECLS
