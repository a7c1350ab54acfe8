/* SPDX-License-Identifier: LGPL-2.1-or-later
 * In place of the toolkit's, for headers of libgstcuda-1.0; see cuda.h. */
#pragma once
#include "cuda.h"
