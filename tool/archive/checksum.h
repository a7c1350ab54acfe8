/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Computes checksums of source files, which a frame keeps (chunks.h): XXH3 of 128
 * bits, which takes about as long as reading memory, and MD5 for those who compare
 * with others' lists, which takes far longer than coding on a GPU. */
#pragma once
#include <glib.h>

#define PACO_CHECKSUM_SIZE 16 /* bytes of each */

typedef struct
{
  guint8
      xxh3[PACO_CHECKSUM_SIZE]; /* canonical: the first byte is the highest */
  guint8 md5[PACO_CHECKSUM_SIZE];
  gboolean has_md5;
} PacoChecksums;

/* Computes the checksums of the bytes, MD5 too if with_md5. */
void paco_checksums (const guint8 *bytes, gsize size, gboolean with_md5,
    PacoChecksums *checksums);

/* Says whether both are of the same bytes: XXH3, and MD5 if both have one. */
gboolean paco_checksums_equal (const PacoChecksums *a, const PacoChecksums *b);
/* Says whether the bytes have these checksums: XXH3, and MD5 if there is one and
 * with_md5. */
gboolean paco_checksums_match (const PacoChecksums *checksums,
    const guint8 *bytes, gsize size, gboolean with_md5);

/* Computes the checksums of bytes that come in pieces, MD5 too if with_md5. */
typedef struct PacoRunningChecksum PacoRunningChecksum;
PacoRunningChecksum *paco_running_checksum_new (gboolean with_md5);
void paco_running_checksum_add (
    PacoRunningChecksum *running, const guint8 *bytes, gsize size);
/* Computes XXH3 of the bytes so far; more may be added. */
void paco_running_checksum_now (
    const PacoRunningChecksum *running, guint8 xxh3[PACO_CHECKSUM_SIZE]);
/* Computes the checksums, which may be NULL, and frees the struct. Returns how many
 * microseconds adding has taken. */
gint64 paco_running_checksum_end (
    PacoRunningChecksum *running, PacoChecksums *checksums);

/* Writes a checksum as hexadecimal digits, with a zero behind them. */
void paco_checksum_text (const guint8 checksum[PACO_CHECKSUM_SIZE],
    char text[2 * PACO_CHECKSUM_SIZE + 1]);
