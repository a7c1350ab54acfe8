/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the code that restores lost packets (plugin/rtp/gstpacortpparity.c): whatever is
 * lost, as many rows of parity restore it. */
#include "plugin/rtp/gstpacortpparity.h"
#include "elements.h"
#include <string.h>

#define ROUNDS 60

/* Shuffles 0..n-1 and returns its bytes. */
static void
permute (GRand *random, guint8 *numbers, guint n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = i;
  for (guint i = n; i > 1; i--) {
    guint k = g_rand_int_range (random, 0, i);
    guint8 swapped = numbers[k];

    numbers[k] = numbers[i - 1];
    numbers[i - 1] = swapped;
  }
}

/* Loses n_lost of n symbols of size bytes, and restores them by n_rows rows. */
static void
lose_and_restore (
    GRand *random, guint n, guint n_rows, guint n_lost, gsize size)
{
  g_autofree guint8 *symbols = g_malloc (n * size);
  g_autofree guint8 *sums = g_malloc0 (n_rows * size);
  g_autofree guint8 *lost = g_malloc (n_lost * size);
  g_autofree guint8 *scratch = g_malloc (n_lost * size);
  guint8 columns[GST_PACO_RTP_GROUP], rows[GST_PACO_RTP_GROUP],
      factors[GST_PACO_RTP_GROUP];

  for (gsize i = 0; i < n * size; i++)
    symbols[i] = g_rand_int (random);
  for (guint i = 0; i < n; i++) {
    for (guint row = 0; row < n_rows; row++)
      factors[row] = gst_paco_rtp_parity_factor (row, i);
    gst_paco_rtp_parity_add (
        sums, size, factors, n_rows, symbols + i * size, size);
  }

  permute (random, columns, n);
  permute (random, rows, n_rows);
  for (guint k = 0; k < n_lost; k++)
    memcpy (lost + k * size, sums + rows[k] * size, size);
  for (guint i = n_lost; i < n; i++)
    for (guint k = 0; k < n_lost; k++) {
      guint8 factor = gst_paco_rtp_parity_factor (rows[k], columns[i]);

      gst_paco_rtp_parity_add (
          lost + k * size, 0, &factor, 1, symbols + columns[i] * size, size);
    }
  gst_paco_rtp_parity_solve (lost, size, size, rows, columns, n_lost, scratch);
  for (guint k = 0; k < n_lost; k++)
    fail_unless (
        memcmp (lost + k * size, symbols + columns[k] * size, size) == 0,
        "symbol %u of %u is not what it was (%u lost, %u rows, %zu bytes)",
        columns[k], n, n_lost, n_rows, size);
}

TEST (test_restore)
{
  g_autoptr (GRand) random = g_rand_new ();

  lose_and_restore (random, 1, 1, 1, 1);
  lose_and_restore (
      random, GST_PACO_RTP_GROUP, GST_PACO_RTP_GROUP, GST_PACO_RTP_GROUP, 37);
  for (guint round = 0; round < ROUNDS; round++) {
    guint n = g_rand_int_range (random, 1, GST_PACO_RTP_GROUP + 1);
    guint n_rows = g_rand_int_range (random, 1, GST_PACO_RTP_GROUP + 1);
    guint n_lost = g_rand_int_range (random, 1, MIN (n, n_rows) + 1);

    lose_and_restore (
        random, n, n_rows, n_lost, g_rand_int_range (random, 1, 200));
  }
}

/* Tests the values of docs/RTP.md, section 4. */
TEST (test_factors)
{
  static const struct
  {
    guint row, column;
    guint8 factor;
  } known[] = { { 0, 0, 0x1b }, { 0, 1, 0x54 }, { 1, 0, 0x54 },
    { 127, 127, 0x1b }, { 127, 0, 0xfd } };
  gboolean seen[256];

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    fail_unless_equals_int_hex (
        gst_paco_rtp_parity_factor (known[i].row, known[i].column),
        known[i].factor);
  for (guint row = 0; row < GST_PACO_RTP_GROUP; row++) {
    memset (seen, 0, sizeof seen);
    for (guint column = 0; column < GST_PACO_RTP_GROUP; column++) {
      guint8 factor = gst_paco_rtp_parity_factor (row, column);

      fail_unless (factor != 0 && !seen[factor]);
      seen[factor] = TRUE;
    }
  }
}

TEST_MAIN ("rtpparity")
