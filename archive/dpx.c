/* SPDX-License-Identifier: LGPL-2.1-or-later
 * DPX files (SMPTE 268M) as a kind of source.h. Samples lie in the file as layouts
 * say (dpx_layout.c); dpx_header.c reads what they are. The rest is
 *
 *   0  1  form: 1
 *   1  4  bytes before the first image element, little-endian: b
 *   5  b  these bytes
 *         the bytes between image elements, and behind the last one
 *         for each image element, by ascending offsets: runs of lines
 *
 * A run is how many lines it has, 4 bytes, and a byte. 0: no bit of their padding is
 * set. 1: so many bytes follow as lines are apart, in which the bits of padding are
 * set that each of these lines has, and no bit of a sample. An element ends with the
 * last byte that a decoder writes, so that what pads its last line is behind it, and
 * is not looked for in the run. */
#include "archive/dpx.h"
#include "archive/kinds.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  FORM = 1,
  REST_HEAD = 5,
  RUN_HEAD = 5,
  /* Of runs: what is larger is noise in the padding of a huge picture. */
  MAX_RUNS = 64 << 20,
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

/* --- padding ----------------------------------------------------------------- */

/* Returns how many bytes a line has in runs: those up to the next one, if there
 * is one. */
static gsize
run_bytes (const PacoDpx *dpx, const PacoDpxPart *part)
{
  return dpx->info.height > 1 ? part->stride : part->line_bytes;
}

static gboolean
is_clear (const guint8 *bits, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (bits[i] != 0)
      return FALSE;
  return TRUE;
}

/* Clears the bits of a sample in a mask of a line. */
static void
clear_sample (const PacoLayout *layout, guint depth, guint32 x, guint8 *mask)
{
  gsize at = (gsize) (x / layout->group_samples) * layout->group_bytes
      + layout->places[x % layout->group_samples].byte;
  guint32 bits = ((1u << depth) - 1)
      << layout->places[x % layout->group_samples].shift;

  for (guint i = 0; i < layout->word_bytes; i++) {
    gsize byte = at + (layout->big_endian ? layout->word_bytes - 1 - i : i);

    mask[layout->swap_words ? byte ^ 3 : byte] &= (guint8) ~(bits >> (8 * i));
  }
}

/* Sets the bits of a line that no sample of the part has. Returns whether there
 * are any. */
static gboolean
make_mask (const PacoDpx *dpx, guint p, gsize n, guint8 *mask)
{
  memset (mask, 0xff, n);
  for (guint c = 0; c < dpx->info.n_components; c++) {
    guint32 columns = dpx->info.width >> dpx->info.subsampling_x[c];

    for (guint32 x = 0; dpx->part_of[c] == p && x < columns; x++)
      clear_sample (&dpx->layouts[c], dpx->info.depth[c], x, mask);
  }
  return !is_clear (mask, n);
}

/* Says whether the bits of a line under the mask are those of `like`, which are all 0
 * if it is NULL. This reads every byte of files that have padding. */
static gboolean
has_padding (
    const guint8 *line, const guint8 *mask, const guint8 *like, gsize n)
{
  guint64 differ = 0;
  gsize i = 0;

  for (; i + 8 <= n; i += 8) {
    guint64 bits, of_mask, of_like = 0;

    memcpy (&bits, line + i, 8);
    memcpy (&of_mask, mask + i, 8);
    if (like)
      memcpy (&of_like, like + i, 8);
    differ |= (bits & of_mask) ^ of_like;
  }
  for (; i < n; i++)
    differ |= (line[i] & mask[i]) ^ (like ? like[i] : 0);
  return differ == 0;
}

/* Begins a run of one line, of which n bytes are there. */
static void
begin_run (
    GByteArray *rest, const guint8 *line, gsize n, gsize mask_at, gsize n_run)
{
  const guint8 head[RUN_HEAD] = { 1, 0, 0, 0, 1 };
  guint8 *bits;
  gsize at;

  g_byte_array_append (rest, head, sizeof head);
  at = rest->len;
  g_byte_array_set_size (rest, (guint) (at + n_run));
  bits = rest->data + at;
  for (gsize i = 0; i < n; i++)
    bits[i] = line[i] & rest->data[mask_at + i];
  memset (bits + n, 0, n_run - n);
}

static void
begin_clear_run (GByteArray *rest, guint32 lines)
{
  guint8 head[RUN_HEAD] = { 0 };

  paco_put32 (head, lines);
  g_byte_array_append (rest, head, sizeof head);
}

/* Appends the runs of a part. Returns FALSE if they are too large. Its mask
 * stands in the rest while it is needed, because that is memory which is there. */
static gboolean
keep_padding (
    const PacoDpx *dpx, guint p, const guint8 *file, PacoSource *source)
{
  const PacoDpxPart *part = &dpx->parts[p];
  const guint8 *line = file + part->offset;
  guint32 height = dpx->info.height;
  GByteArray *rest = source->rest;
  gsize n_run = run_bytes (dpx, part), mask_at = rest->len, run = 0;

  g_byte_array_set_size (rest, (guint) (mask_at + n_run));
  if (!make_mask (dpx, p, n_run, rest->data + mask_at)) {
    begin_clear_run (rest, height);
    height = 0;
  }
  for (guint32 y = 0; y < height; y++, line += part->stride) {
    gsize n = y + 1 < dpx->info.height ? n_run : part->line_bytes;
    guint8 *head = rest->data + run, *mask = rest->data + mask_at;
    const guint8 *like = run > 0 && head[4] ? head + RUN_HEAD : NULL;

    if (run > 0 && has_padding (line, mask, like, n)) {
      paco_put32 (head, paco_get32 (head) + 1);
      continue;
    }
    run = rest->len;
    if (run - mask_at > MAX_RUNS)
      return FALSE;
    if (has_padding (line, mask, NULL, n))
      begin_clear_run (rest, 1);
    else
      begin_run (rest, line, n, mask_at, n_run);
  }
  g_byte_array_remove_range (rest, (guint) mask_at, (guint) n_run);
  return TRUE;
}

/* Puts the runs of a part at `at` back into the file, or, with NULL, looks
 * whether that is possible. Returns FALSE if the rest is broken. *at is behind
 * them afterwards. */
static gboolean
walk_runs (const PacoDpx *dpx, guint p, const guint8 *rest, gsize size,
    gsize *at, guint8 *file)
{
  const PacoDpxPart *part = &dpx->parts[p];
  gsize n_run = run_bytes (dpx, part);
  guint32 y = 0;

  while (y < dpx->info.height) {
    const guint8 *head = rest + *at, *bits = head + RUN_HEAD;
    guint32 lines;

    if (size - *at < RUN_HEAD || head[4] > 1)
      return FALSE;
    lines = paco_get32 (head);
    *at += RUN_HEAD;
    if (lines < 1 || lines > dpx->info.height - y
        || (head[4] && size - *at < n_run))
      return FALSE;
    *at += head[4] ? n_run : 0;
    for (y += lines; file && lines > 0; lines--) {
      guint8 *line = file + part->offset + part->stride * (y - lines);
      gsize n = y - lines + 1 < dpx->info.height ? n_run : part->line_bytes;

      for (gsize i = 0; head[4] && i < part->line_bytes; i++)
        line[i] |= bits[i];
      if (head[4])
        memcpy (line + part->line_bytes, bits + part->line_bytes,
            n - part->line_bytes);
      else
        memset (line + part->line_bytes, 0, n - part->line_bytes);
    }
  }
  return TRUE;
}

/* --- files ------------------------------------------------------------------- */

static void
tell_notes (const PacoDpx *dpx, gsize clear_size, PacoSource *source)
{
  if (dpx->orientation != 0)
    g_ptr_array_add (source->notes,
        g_strdup_printf (
            "the picture is turned or mirrored (orientation %u), and "
            "coded as it is stored",
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
  clear_size = rest->len + dpx.n_parts * RUN_HEAD;
  for (guint p = 0; p < dpx.n_parts; p++)
    if (!keep_padding (&dpx, p, bytes, source))
      return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
          "its bits of padding are not clear, and differ too much to be kept");
  tell_notes (&dpx, clear_size, source);
  return TRUE;
}

/* Reads the header that is in the rest. */
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

/* Puts the bytes before, between and behind the parts into the file, or, with
 * NULL, looks whether they are there. */
static gboolean
walk_gaps (const PacoDpx *dpx, const guint8 *rest, gsize size, gsize file_size,
    gsize *at, guint8 *file)
{
  gsize from = 0;

  for (guint p = 0; p <= dpx->n_parts; p++) {
    gsize to = p < dpx->n_parts ? dpx->parts[p].offset : file_size;

    if (size - *at < to - from)
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
  whole = walk_gaps (&dpx, rest, rest_size, file_size, &at, NULL);
  for (guint p = 0; whole && p < dpx.n_parts; p++)
    whole = walk_runs (&dpx, p, rest, rest_size, &at, NULL);
  if (!whole || at != rest_size)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file is cut, or too long");
  paco_bytes_set_size (rebuilt->file, file_size);
  at = REST_HEAD;
  walk_gaps (&dpx, rest, rest_size, file_size, &at, rebuilt->file->data);
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
  walk_gaps (&dpx, rest, rest_size, file_size, &at, NULL);
  for (guint p = 0; p < dpx.n_parts; p++)
    walk_runs (&dpx, p, rest, rest_size, &at, rebuilt->file->data);
  return TRUE;
}

const PacoSourceKind paco_source_dpx = {
  .name = "dpx",
  .id = 1,
  .match = match,
  .peek = peek,
  .parse = parse,
  .rebuild = rebuild,
  .finish = finish,
};
