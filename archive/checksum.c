/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Computes checksums of source files, with libxxhash and GLib (checksum.h). */
#include "archive/checksum.h"
#include <string.h>
#include <xxhash.h>

void
paco_checksums (const guint8 *bytes, gsize size, gboolean with_md5,
    PacoChecksums *checksums)
{
  XXH128_canonical_t canonical;

  XXH128_canonicalFromHash (&canonical, XXH3_128bits (bytes, size));
  G_STATIC_ASSERT (sizeof canonical == PACO_CHECKSUM_SIZE);
  memcpy (checksums->xxh3, &canonical, sizeof canonical);
  checksums->has_md5 = with_md5;
  if (with_md5) {
    GChecksum *md5 = g_checksum_new (G_CHECKSUM_MD5);
    gsize length = PACO_CHECKSUM_SIZE;

    g_checksum_update (md5, bytes, (gssize) size);
    g_checksum_get_digest (md5, checksums->md5, &length);
    g_checksum_free (md5);
  }
}

gboolean
paco_checksums_match (const PacoChecksums *checksums, const guint8 *bytes,
    gsize size, gboolean with_md5)
{
  PacoChecksums found;

  paco_checksums (bytes, size, with_md5 && checksums->has_md5, &found);
  return memcmp (found.xxh3, checksums->xxh3, PACO_CHECKSUM_SIZE) == 0
      && (!found.has_md5
          || memcmp (found.md5, checksums->md5, PACO_CHECKSUM_SIZE) == 0);
}

struct PacoRunningChecksum
{
  XXH3_state_t *state;
};

PacoRunningChecksum *
paco_running_checksum_new (void)
{
  PacoRunningChecksum *running = g_new (PacoRunningChecksum, 1);

  running->state = XXH3_createState ();
  if (!running->state)
    g_error ("there is no memory for a checksum");
  XXH3_128bits_reset (running->state);
  return running;
}

void
paco_running_checksum_add (
    PacoRunningChecksum *running, const guint8 *bytes, gsize size)
{
  XXH3_128bits_update (running->state, bytes, size);
}

void
paco_running_checksum_end (
    PacoRunningChecksum *running, guint8 xxh3[PACO_CHECKSUM_SIZE])
{
  XXH128_canonical_t canonical;

  XXH128_canonicalFromHash (&canonical, XXH3_128bits_digest (running->state));
  memcpy (xxh3, &canonical, sizeof canonical);
  XXH3_freeState (running->state);
  g_free (running);
}

void
paco_checksum_text (const guint8 checksum[PACO_CHECKSUM_SIZE],
    char text[2 * PACO_CHECKSUM_SIZE + 1])
{
  for (guint i = 0; i < PACO_CHECKSUM_SIZE; i++)
    g_snprintf (text + 2 * i, 3, "%02x", checksum[i]);
}
