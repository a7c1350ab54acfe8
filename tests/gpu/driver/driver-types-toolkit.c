/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the list of driver-types.h with the toolkit's cuda.h. driver-types.c
 * compares it with its own. */
#include "tests/gpu/driver/driver-types.h"
#include <cuda.h>

const DriverNumber numbers_of_toolkit[] = DRIVER_NUMBERS;
