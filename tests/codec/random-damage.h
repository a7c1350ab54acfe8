/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Damages frames at random, for tests that compare how decoders take it. In many of
 * the frames the CRCs are right, so that decoders read the damage. */
#pragma once
#include "codec/geometry.h"
#include "codec/header.h"
#include <stdbool.h>

/* Cuts the frame, changes a bit, or changes what it says as the fuzzers do; its
 * picture grows to at most max_samples samples of all components. */
void test_damage (GRand *rand, GByteArray *frame, uint32_t max_samples);

/* Says whether block i of a frame is to be broken. */
typedef bool (*TestChooser) (
    const PacoGeometry *geometry, uint32_t i, gpointer data);

/* Changes a bit in each block that the chooser takes. */
void test_break_blocks (
    GByteArray *frame, GRand *rand, TestChooser choose, gpointer data);

/* Says whether size bytes at data, if they begin with a header at all, are of a
 * picture of the same format as original. */
bool test_same_format (
    const uint8_t *data, size_t size, const PacoHeader *original);
