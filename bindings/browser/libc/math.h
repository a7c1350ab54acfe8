/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the reference decoder needs of <math.h>: instructions of WebAssembly, but for
 * fmaf(), which wasm.c has. */
#pragma once

#define fabs __builtin_fabs
#define fabsf __builtin_fabsf
#define floor __builtin_floor
#define rintf __builtin_rintf
float fmaf (float a, float b, float c);
