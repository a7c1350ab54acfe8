/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares the ways to filter an image's columns that Shahbahrami, Juurlink
 * and Vassiliadis compare (paper 002): vertical-methods.c has them, once as
 * compilers of their time made them and once with vectors, and vertical.c
 * checks and measures them. */
#pragma once
#include <stddef.h>

/* This is an image of `height` rows of `width` numbers (int32_t with 5/3, else
 * float), which lie `stride` numbers apart, and where its filtered columns go:
 * (height + 1) / 2 rows of the low half, then `offset` rows that nobody uses,
 * then those of the high half. */
typedef struct
{
  unsigned width, height;
  size_t stride;
  const void *from;
  void *to;
  unsigned offset;
} VerticalJob;

typedef void (*VerticalFunc) (const VerticalJob *job);

typedef struct
{
  const char *name;
  VerticalFunc
      horizontal; /* along rows: each gets its low half, then its high one */
  VerticalFunc column;       /* each column entirely before the next one */
  VerticalFunc interchanged; /* section 3.3: row by row */
  VerticalFunc split;        /* section 4: the two halves of a row one by one */
  VerticalFunc
      acls; /* section 5: at most VERTICAL_WAYS rows at the same time */
  VerticalFunc
      lookahead;   /* section 5: the same, each so many rows further right */
} VerticalWavelet; /* NULL: there is no need for it */

/* The methods of section 5 are made for so many ways of the cache: the Pentium
 * 4's. */
#define VERTICAL_WAYS 4

enum
{
  VERTICAL_LIFTING,
  VERTICAL_DAUB4,
  VERTICAL_CDF97,
  N_VERTICAL_WAVELETS
};

extern const VerticalWavelet vertical_scalar[N_VERTICAL_WAVELETS],
    vertical_vectors[N_VERTICAL_WAVELETS];
