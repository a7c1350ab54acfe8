/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The coefficients of the irreversible color transforms, ICT and matrix (FORMAT.md section
 * 5), both of which are 3x3 matrices. The reference and all backends call this. */
#pragma once
#include "header.h"

#define PACO_MATRIX_SIZE 9 /* three rows */
/* No coefficient in a header has a larger magnitude. */
#define PACO_MAX_MATRIX 16

/* The inverse that encoders take for pictures which have no tile, or only flat ones. */
static const float paco_usual_matrix[PACO_MATRIX_SIZE] = { 0.57735027f,
  -0.40824829f, 0.70710678f, 0.57735027f, -0.40824829f, -0.70710678f,
  0.57735027f, 0.81649658f, 0.0f };

static inline bool
paco_color_transform_is_matrix (unsigned transform)
{
  return transform == PACO_COLOR_TRANSFORM_ICT
      || transform == PACO_COLOR_TRANSFORM_MATRIX;
}

/* Sets the rows of the matrix, or of its inverse, of a coding whose color transform is
 * one. A matrix that encoders choose is orthonormal: it is the transpose of its inverse. */
static inline void
paco_color_matrix (
    const PacoCoding *coding, bool inverse, float matrix[PACO_MATRIX_SIZE])
{
  static const float ict[2][PACO_MATRIX_SIZE] = {
    { 0.299f, 0.587f, 0.114f, -0.168736f, -0.331264f, 0.5f, 0.5f, -0.418688f,
        -0.081312f },
    { 1.0f, 0.0f, 1.402f, 1.0f, -0.344136f, -0.714136f, 1.0f, 1.772f, 0.0f },
  };

  for (unsigned i = 0; i < PACO_MATRIX_SIZE; i++)
    matrix[i] = coding->color_transform == PACO_COLOR_TRANSFORM_ICT
        ? ict[inverse][i]
        : coding->matrix[inverse ? i : i % 3 * 3 + i / 3];
}
