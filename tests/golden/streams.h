/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the golden streams are: pictures and parameters, which make-golden.c codes; streams.c lists
 * them. */
#pragma once
#include "codec/reference/reference.h"
#include "tests/codec/test-picture.h"

typedef struct
{
  const char *name;
  PacoPictureFormat format;
  TestScene scene;
  PacoParameters parameters;
  bool rich;         /* a carried probability set, and chunks of HDR video */
  bool one_field;    /* interlace mode 3, and the other chunks */
  bool ancillary;    /* ancillary chunks */
  bool attached;     /* an attachment */
  bool map;          /* a step map */
  uint8_t halved;    /* which components take half of it */
  unsigned gap;      /* if not 0, samples are multiples of it */
  bool holes;        /* Some codes, by chance, are not used. */
  bool scattered;    /* About half of all codes, by chance, are not used. */
  uint8_t interlace; /* PacoInterlaceMode, of pictures with two fields */
  size_t cut;        /* bytes to which the frame is cut, or 0 */
  bool broken;       /* Bits of the payload are changed. */
} Golden;

/* This is a stack: the plan says with what wavelet, and the pictures are drawn
 * again for each. */
typedef struct
{
  const char *name;
  uint32_t width, height;
  PacoSlice plan;
  PacoParameters parameters;
} GoldenStack;

extern const Golden golden_streams[];
extern const GoldenStack golden_stacks[];
extern const unsigned n_golden_streams, n_golden_stacks;
