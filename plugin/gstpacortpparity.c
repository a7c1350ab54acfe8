/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes parity, and restores lost symbols from it, for the RTP elements
 * (gstpacortpparity.h). Elements of the field are polynomials over GF(2) modulo
 * x^8 + x^4 + x^3 + x^2 + 1. */
#include "gstpacortpparity.h"
#include <string.h>

#define POLYNOMIAL 0x1d /* without x^8 */

/* So many bytes are multiplied at once; every machine has vectors of this size. */
typedef guint8 Bytes __attribute__ ((vector_size (16)));

static inline Bytes
times_x (Bytes bytes)
{
  Bytes overflow = (Bytes) (bytes >= 128); /* 255 where it is so */

  return bytes << 1 ^ (overflow & POLYNOMIAL);
}

static guint8
multiply (guint8 a, guint8 b)
{
  guint8 product = 0;

  for (; b != 0; b >>= 1) {
    if (b & 1)
      product ^= a;
    a = a << 1 ^ (a & 128 ? POLYNOMIAL : 0);
  }
  return product;
}

/* Inverts a by computing a^254, because a^255 is 1. */
static guint8
invert (guint8 a)
{
  guint8 power = a, inverse = 1;

  for (guint i = 1; i < 8; i++) {
    power = multiply (power, power);
    inverse = multiply (inverse, power);
  }
  return inverse;
}

guint8
gst_paco_rtp_parity_factor (guint row, guint column)
{
  return invert ((GST_PACO_RTP_GROUP + row) ^ column);
}

/* Adds up to sizeof (Bytes) bytes of a symbol to the rows. */
static inline void
add_bytes (guint8 *rows, gsize stride, const guint8 *factors, guint n,
    const guint8 *symbol, gsize size)
{
  Bytes powers[8] = { { 0 } };

  memcpy (&powers[0], symbol, size);
  for (guint k = 1; k < 8; k++)
    powers[k] = times_x (powers[k - 1]);
  for (guint i = 0; i < n; i++) {
    Bytes sum = { 0 };

    memcpy (&sum, rows + i * stride, size);
    for (guint k = 0; k < 8; k++)
      if (factors[i] >> k & 1)
        sum ^= powers[k];
    memcpy (rows + i * stride, &sum, size);
  }
}

void
gst_paco_rtp_parity_add (guint8 *rows, gsize stride, const guint8 *factors,
    guint n, const guint8 *symbol, gsize size)
{
  gsize at = 0;

  for (; at + sizeof (Bytes) <= size; at += sizeof (Bytes))
    add_bytes (rows + at, stride, factors, n, symbol + at, sizeof (Bytes));
  if (at < size)
    add_bytes (rows + at, stride, factors, n, symbol + at, size - at);
}

/* Inverts the n x n matrix, by Gauss and Jordan. Every square part of a Cauchy
 * matrix has an inverse, and so have the parts that remain after each step: no
 * pivot is 0. */
static void
invert_matrix (guint8 *matrix, guint8 *inverse, guint n)
{
  memset (inverse, 0, (gsize) n * n);
  for (guint i = 0; i < n; i++)
    inverse[i * n + i] = 1;
  for (guint pivot = 0; pivot < n; pivot++) {
    guint8 scale = invert (matrix[pivot * n + pivot]);

    for (guint k = 0; k < n; k++) {
      matrix[pivot * n + k] = multiply (matrix[pivot * n + k], scale);
      inverse[pivot * n + k] = multiply (inverse[pivot * n + k], scale);
    }
    for (guint i = 0; i < n; i++) {
      guint8 factor = matrix[i * n + pivot];

      for (guint k = 0; i != pivot && factor != 0 && k < n; k++) {
        matrix[i * n + k] ^= multiply (factor, matrix[pivot * n + k]);
        inverse[i * n + k] ^= multiply (factor, inverse[pivot * n + k]);
      }
    }
  }
}

void
gst_paco_rtp_parity_solve (guint8 *symbols, gsize stride, gsize size,
    const guint8 *rows, const guint8 *columns, guint n, guint8 *scratch)
{
  guint8 *matrix = g_malloc (3 * (gsize) n * n), *inverse = matrix + n * n,
         *factors = inverse + n * n;

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++)
      matrix[i * n + k] = gst_paco_rtp_parity_factor (rows[i], columns[k]);
  invert_matrix (matrix, inverse, n);
  /* Row k of the sums is added to all symbols. */
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < n; i++)
      factors[k * n + i] = inverse[i * n + k];

  memset (scratch, 0, n * stride);
  for (guint k = 0; k < n; k++)
    gst_paco_rtp_parity_add (
        scratch, stride, factors + k * n, n, symbols + k * stride, size);
  memcpy (symbols, scratch, n * stride);
  g_free (matrix);
}
