/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The entry point that libFuzzer and AFL++ look for. */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Makes the lengths and checks that a header holds true again, in place: what
 * is behind the checks is what needs to be reached. */
void fuzz_repair_frame (uint8_t *data, size_t size);
