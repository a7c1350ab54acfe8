/* SPDX-License-Identifier: LGPL-2.1-or-later
 * DPX files (SMPTE 268M) as a kind of source.h. Samples lie in the file as layouts
 * say (dpx_layout.c); dpx_header.c reads what they are, and dpx_padding.c looks at the bits
 * around them. docs/ARCHIVE-FORMAT.md says what the rest is. */
#include "tool/archive/kinds/dpx.h"
#include "tool/archive/source.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  FORM = 1,
  REST_HEAD = 5,
};

static gboolean
match (const guint8 *bytes, gsize size)
{
  return size >= 4
      && (memcmp (bytes, "SDPX", 4) == 0 || memcmp (bytes, "XPDS", 4) == 0);
}

static gboolean
peek (const guint8 *bytes, gsize size, guint64 file_size, PacoInfo *info,
    GError **error)
{
  PacoDpx dpx;

  if (!paco_dpx_read (bytes, size, file_size, &dpx, error))
    return FALSE;
  *info = dpx.info;
  return TRUE;
}

/* --- the samples ----------------------------------------------------------- */

/* Returns how many bytes there are from a part's first line to the end of its
 * last one. */
static gsize
part_bytes (const PacoDpx *dpx, guint p)
{
  const PacoDpxPart *part = &dpx->parts[p];

  return part->stride * (dpx->info.height - 1) + part->line_bytes;
}

static gsize
part_end (const PacoDpx *dpx, guint p)
{
  return dpx->parts[p].offset + part_bytes (dpx, p);
}

static void
place_image (const PacoDpx *dpx, guint8 *file, PacoImage *image)
{
  *image = (PacoImage){ 0 };
  for (guint c = 0; c < dpx->info.n_components; c++) {
    guint p = dpx->part_of[c];

    image->data[c] = file + dpx->parts[p].offset;
    image->stride[c] = (ptrdiff_t) dpx->parts[p].stride;
    image->size[c] = part_bytes (dpx, p);
    image->layout[c] = dpx->layouts[c];
  }
}

/* --- files ------------------------------------------------------------------- */

static void
tell_notes (const PacoDpx *dpx, gsize clear_size, PacoSource *source)
{
  if (dpx->orientation != 0)
    g_ptr_array_add (source->notes,
        g_strdup_printf ("the picture is turned or mirrored (orientation %u), "
                         "and coded as it is stored",
            dpx->orientation));
  if (source->rest->len > clear_size)
    g_ptr_array_add (
        source->notes, g_strdup ("bits of padding are set, and kept"));
}

static gboolean
parse (const guint8 *bytes, gsize size, PacoSource *source, GError **error)
{
  GByteArray *rest = source->rest;
  guint8 head[REST_HEAD] = { FORM };
  gsize from = 0, clear_size;
  PacoDpx dpx;

  if (size > G_MAXINT32)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "a file of 2 GiB and more is not supported");
  if (!paco_dpx_read (bytes, size, size, &dpx, error))
    return FALSE;
  source->info = dpx.info;
  /* Coders read the picture and do not write to it. */
  place_image (&dpx, (guint8 *) bytes, &source->image);
  paco_put32 (head + 1, (guint32) dpx.parts[0].offset);
  g_byte_array_append (rest, head, sizeof head);
  for (guint p = 0; p < dpx.n_parts; p++) {
    g_byte_array_append (
        rest, bytes + from, (guint) (dpx.parts[p].offset - from));
    from = part_end (&dpx, p);
  }
  g_byte_array_append (rest, bytes + from, (guint) (size - from));
  clear_size = rest->len + dpx.n_parts * PACO_DPX_RUN_HEAD;
  if (!paco_dpx_keep_padding (&dpx, bytes, source))
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "its bits of padding are not clear, and differ too much to be kept");
  tell_notes (&dpx, clear_size, source);
  return TRUE;
}

static gboolean
read_rest (const guint8 *rest, gsize size, const PacoInfo *info,
    gsize file_size, PacoDpx *dpx, GError **error)
{
  gsize before;

  if (size < REST_HEAD || rest[0] != FORM)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file is of an unknown form");
  before = paco_get32 (rest + 1);
  if (before > size - REST_HEAD || file_size > G_MAXINT32)
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "what was kept of the file is cut");
  if (!paco_dpx_read (rest + REST_HEAD, before, file_size, dpx, error))
    return FALSE;
  if (dpx->parts[0].offset != before
      || !paco_source_same_samples (&dpx->info, info))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file and the picture do not fit together");
  return TRUE;
}

/* Goes through the bytes before, between and behind the parts that the rest has: puts
 * them into `file`, and compares them with those of `like`, unless these are NULL.
 * Returns FALSE if the rest is cut, or `like` has others. *at is behind them
 * afterwards. */
static gboolean
walk_gaps (const PacoDpx *dpx, const guint8 *rest, gsize size, gsize file_size,
    gsize *at, guint8 *file, const guint8 *like)
{
  gsize from = 0;

  for (guint p = 0; p <= dpx->n_parts; p++) {
    gsize to = p < dpx->n_parts ? dpx->parts[p].offset : file_size;

    if (size - *at < to - from
        || (like && memcmp (like + from, rest + *at, to - from) != 0))
      return FALSE;
    if (file)
      memcpy (file + from, rest + *at, to - from);
    *at += to - from;
    from = p < dpx->n_parts ? part_end (dpx, p) : to;
  }
  return TRUE;
}

static gboolean
rebuild (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    gsize file_size, PacoRebuilt *rebuilt, GError **error)
{
  gsize at = REST_HEAD;
  gboolean whole;
  PacoDpx dpx;

  if (!read_rest (rest, rest_size, info, file_size, &dpx, error))
    return FALSE;
  whole = walk_gaps (&dpx, rest, rest_size, file_size, &at, NULL, NULL);
  for (guint p = 0; whole && p < dpx.n_parts; p++)
    whole = paco_dpx_walk_runs (&dpx, p, rest, rest_size, &at, NULL);
  if (!whole || at != rest_size)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file is cut, or too long");
  paco_bytes_set_size (rebuilt->file, file_size);
  at = REST_HEAD;
  walk_gaps (&dpx, rest, rest_size, file_size, &at, rebuilt->file->data, NULL);
  place_image (&dpx, rebuilt->file->data, &rebuilt->image);
  return TRUE;
}

static gboolean
finish (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    gsize file_size, PacoRebuilt *rebuilt, GError **error)
{
  gsize at = REST_HEAD;
  PacoDpx dpx;

  if (!read_rest (rest, rest_size, info, file_size, &dpx, error))
    return FALSE;
  walk_gaps (&dpx, rest, rest_size, file_size, &at, NULL, NULL);
  for (guint p = 0; p < dpx.n_parts; p++)
    paco_dpx_walk_runs (&dpx, p, rest, rest_size, &at, rebuilt->file->data);
  return TRUE;
}

static gboolean
same_rest (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    const guint8 *file, gsize file_size, PacoImage *image)
{
  gsize at = REST_HEAD;
  gboolean same;
  PacoDpx dpx;

  same = read_rest (rest, rest_size, info, file_size, &dpx, NULL)
      && walk_gaps (&dpx, rest, rest_size, file_size, &at, NULL, file);
  for (guint p = 0; same && p < dpx.n_parts; p++)
    same = paco_dpx_has_clear_run (&dpx, p, rest, rest_size, file, &at);
  if (!same || at != rest_size)
    return FALSE;
  /* Who compares does not write to the picture. */
  place_image (&dpx, (guint8 *) file, image);
  return TRUE;
}

const PacoSourceKind paco_source_dpx = {
  .name = "dpx",
  .id = 1,
  .rest_beyond = 1 << 20, /* Heads of runs of lines. */
  .match = match,
  .peek = peek,
  .watch = paco_dpx_watch,
  .parse = parse,
  .rebuild = rebuild,
  .finish = finish,
  .same_rest = same_rest,
};
