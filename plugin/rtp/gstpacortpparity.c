/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes parity, and restores lost symbols from it, for the RTP elements
 * (gstpacortpparity.h). Elements of the field are polynomials over GF(2) modulo
 * x^8 + x^4 + x^3 + x^2 + 1. */
#include "gstpacortpparity.h"
#include <string.h>

#define POLYNOMIAL 0x1d /* without x^8 */

/* Bytes that are multiplied at once; every machine has vectors of this size. */
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

/* Logarithms of the field's elements but 0, to the base x, which gives all of them. */
typedef struct
{
  guint8 logarithm[256], power[255];
} Field;

static void
field_init (Field *field)
{
  guint8 power = 1;

  for (guint i = 0; i < G_N_ELEMENTS (field->power); i++) {
    field->power[i] = power;
    field->logarithm[power] = i;
    power = multiply (power, 2);
  }
}

/* Returns the logarithm of the product of a + others[k], but for a + a. */
static guint
log_product (const Field *field, guint8 a, const guint8 *others, guint n)
{
  guint sum = 0;

  for (guint k = 0; k < n; k++)
    if (others[k] != a)
      sum += field->logarithm[a ^ others[k]];
  return sum % 255;
}

/* Inverts the matrix 1 / (x[k] + y[i]), whose elements x and y all differ. Such a Cauchy
 * matrix has an inverse of products, so that n^2 steps do. The inverse's row i, column k
 * is inverse[k * n + i]. */
static void
invert_matrix (guint8 *inverse, const guint8 *x, const guint8 *y, guint n)
{
  guint of_x[GST_PACO_RTP_GROUP], of_y[GST_PACO_RTP_GROUP];
  Field field;

  field_init (&field);
  for (guint i = 0; i < n; i++) {
    of_x[i] = 255 + log_product (&field, x[i], y, n)
        - log_product (&field, x[i], x, n);
    of_y[i] = 255 + log_product (&field, y[i], x, n)
        - log_product (&field, y[i], y, n);
  }
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < n; i++)
      inverse[k * n + i] =
          field.power[(of_x[k] + of_y[i] + 255 - field.logarithm[x[k] ^ y[i]])
              % 255];
}

void
gst_paco_rtp_parity_solve (guint8 *symbols, gsize stride, gsize size,
    const guint8 *rows, const guint8 *columns, guint n, guint8 *scratch)
{
  g_autofree guint8 *factors = g_malloc ((gsize) n * n);
  guint8 x[GST_PACO_RTP_GROUP] = { 0 };

  for (guint i = 0; i < n; i++)
    x[i] = GST_PACO_RTP_GROUP + rows[i];
  invert_matrix (factors, x, columns, n);

  /* Row k of the sums is added to all symbols. */
  memset (scratch, 0, n * stride);
  for (guint k = 0; k < n; k++)
    gst_paco_rtp_parity_add (
        scratch, stride, factors + k * n, n, symbols + k * stride, size);
  memcpy (symbols, scratch, n * stride);
}
