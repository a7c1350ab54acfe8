/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the tables and figures of text 000. registers.c calls it. */
#pragma once
#include "tests/lab/cuda/device.h"

void lab_registers_measure (LabDevice *device);

/* Runs once what Tables III and IV count (lab_counted()). */
void lab_registers_once (LabDevice *device);
