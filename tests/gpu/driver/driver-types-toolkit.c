/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the CUDA toolkit says about the driver's interface. */
#include "tests/gpu/driver/driver-types.h"
#include <cuda.h>

const DriverNumber numbers_of_toolkit[] = DRIVER_NUMBERS;
