/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Gets the elements ready for fuzz targets. Their input is one byte that says how
 * the elements are driven, and a stream. */
#pragma once
#include <gst/gst.h>

/* This is the decoder of both: max-pixels keeps an input from taking
 * seconds. */
#define FUZZ_DECODER                                                           \
  "pacodec name=decoder backend=cpu threads=1 max-pixels=40000 "
