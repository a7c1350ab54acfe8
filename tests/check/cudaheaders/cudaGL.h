/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stands for the toolkit's cudaGL.h, for headers of libgstcuda-1.0; cuda.h says why. */
#pragma once
#include "cuda.h"
