/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encodes and decodes whole frames with the reference. The tests reference.c and
 * quality.c are made of it. */
#pragma once
#include "codec/reference/reference.h"
#include "tests/codec/draw.h"
#include "tests/codec/test-picture.h"

/* Both fail the test on an error. corrupted: so many broken blocks are expected. */
GByteArray *reference_encode (
    const TestPicture *picture, const PacoParameters *parameters);
TestPicture *reference_decode (const GByteArray *frame,
    const PacoPictureFormat *format, unsigned reduce, uint32_t corrupted);
