/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Computes checksums of source files, with libxxhash and GLib (checksum.h). Where
 * libxxhash has XXH3 for several instruction sets of x86, its header names the
 * functions that choose one at run time in place of the plain ones, which are a third
 * as fast. The values are the same. */
#include "tool/archive/checksum.h"
#include <string.h>
#include <xxhash.h>
#ifdef HAVE_XXH_X86DISPATCH
#include <xxh_x86dispatch.h>
#endif

struct PacoRunningChecksum
{
  XXH3_state_t *xxh3;
  GChecksum *md5; /* or NULL */
  gint64 spent;   /* microseconds */
};

PacoRunningChecksum *
paco_running_checksum_new (gboolean with_md5)
{
  PacoRunningChecksum *running = g_new0 (PacoRunningChecksum, 1);

  running->xxh3 = XXH3_createState ();
  if (!running->xxh3)
    g_error ("there is no memory for a checksum");
  XXH3_128bits_reset (running->xxh3);
  if (with_md5)
    running->md5 = g_checksum_new (G_CHECKSUM_MD5);
  return running;
}

void
paco_running_checksum_add (
    PacoRunningChecksum *running, const guint8 *bytes, gsize size)
{
  gint64 begin = g_get_monotonic_time ();

  XXH3_128bits_update (running->xxh3, bytes, size);
  if (running->md5)
    g_checksum_update (running->md5, bytes, (gssize) size);
  running->spent += g_get_monotonic_time () - begin;
}

void
paco_running_checksum_now (
    const PacoRunningChecksum *running, guint8 xxh3[PACO_CHECKSUM_SIZE])
{
  XXH128_canonical_t canonical;

  XXH128_canonicalFromHash (&canonical, XXH3_128bits_digest (running->xxh3));
  G_STATIC_ASSERT (sizeof canonical == PACO_CHECKSUM_SIZE);
  memcpy (xxh3, &canonical, PACO_CHECKSUM_SIZE);
}

static void
get (PacoRunningChecksum *running, PacoChecksums *checksums)
{
  gsize length = PACO_CHECKSUM_SIZE;

  paco_running_checksum_now (running, checksums->xxh3);
  checksums->has_md5 = running->md5 != NULL;
  if (running->md5)
    g_checksum_get_digest (running->md5, checksums->md5, &length);
}

gint64
paco_running_checksum_end (
    PacoRunningChecksum *running, PacoChecksums *checksums)
{
  gint64 spent = running->spent;

  if (checksums)
    get (running, checksums);
  XXH3_freeState (running->xxh3);
  g_clear_pointer (&running->md5, g_checksum_free);
  g_free (running);
  return spent;
}

void
paco_checksums (const guint8 *bytes, gsize size, gboolean with_md5,
    PacoChecksums *checksums)
{
  PacoRunningChecksum *running = paco_running_checksum_new (with_md5);

  paco_running_checksum_add (running, bytes, size);
  paco_running_checksum_end (running, checksums);
}

gboolean
paco_checksums_equal (const PacoChecksums *a, const PacoChecksums *b)
{
  return memcmp (a->xxh3, b->xxh3, PACO_CHECKSUM_SIZE) == 0
      && (!a->has_md5 || !b->has_md5
          || memcmp (a->md5, b->md5, PACO_CHECKSUM_SIZE) == 0);
}

gboolean
paco_checksums_match (const PacoChecksums *checksums, const guint8 *bytes,
    gsize size, gboolean with_md5)
{
  PacoChecksums found;

  paco_checksums (bytes, size, with_md5 && checksums->has_md5, &found);
  return paco_checksums_equal (&found, checksums);
}

void
paco_checksum_text (const guint8 checksum[PACO_CHECKSUM_SIZE],
    char text[2 * PACO_CHECKSUM_SIZE + 1])
{
  for (guint i = 0; i < PACO_CHECKSUM_SIZE; i++)
    g_snprintf (text + 2 * i, 3, "%02x", checksum[i]);
}
