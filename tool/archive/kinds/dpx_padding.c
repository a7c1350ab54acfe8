/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds, keeps and puts back the bits of DPX files that no sample has, as runs of lines
 * (dpx.c says how they lie in a rest). dpx.c calls it. Mostly these bits are clear, and
 * each of a file's bytes has to be looked at to know it: that is done while a file is
 * read, as long as its bytes are in a core's cache. */
#include "tool/archive/kinds/dpx.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  RUN_HEAD = PACO_DPX_RUN_HEAD,
  /* Of runs: what is larger is noise in the padding of a huge picture. */
  MAX_RUNS = 64 << 20,
};

/* What a PacoSource keeps for this file and the next ones. */
typedef struct
{
  /* The layout of which the masks are: in `bits`, as many bytes for each part as
   * run_bytes() says, the bits of a line that no sample has. */
  PacoDpx dpx;
  GByteArray *bits;
  const guint8 *mask[PACO_DPX_MAX_PARTS]; /* NULL: samples have all bits */
  /* The file that was looked at while it was read, and of each part how many lines
   * from the top have clear padding, as far as that was found. */
  const guint8 *bytes; /* or NULL */
  guint32 clear[PACO_DPX_MAX_PARTS];
  gboolean is_set[PACO_DPX_MAX_PARTS]; /* the line behind these has not */
} Padding;

/* Returns how many bytes a line has in runs: those up to the next one, if there
 * is one. */
static gsize
run_bytes (const PacoDpx *dpx, guint p)
{
  const PacoDpxPart *part = &dpx->parts[p];

  return dpx->info.height > 1 ? part->stride : part->line_bytes;
}

/* Returns how many of these bytes line y has in the file: the last line has none
 * behind its samples. */
static gsize
line_bytes (const PacoDpx *dpx, guint p, guint32 y)
{
  return y + 1 < dpx->info.height ? run_bytes (dpx, p)
                                  : dpx->parts[p].line_bytes;
}

/* --- masks ------------------------------------------------------------------- */

static gboolean
is_clear (const guint8 *bits, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (bits[i] != 0)
      return FALSE;
  return TRUE;
}

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
make_mask (const PacoDpx *dpx, guint p, guint8 *mask)
{
  gsize n = run_bytes (dpx, p);

  memset (mask, 0xff, n);
  for (guint c = 0; c < dpx->info.n_components; c++) {
    guint32 columns = dpx->info.width >> dpx->info.subsampling_x[c];

    for (guint32 x = 0; dpx->part_of[c] == p && x < columns; x++)
      clear_sample (&dpx->layouts[c], dpx->info.depth[c], x, mask);
  }
  return !is_clear (mask, n);
}

/* Says whether lines lie at the same places in two files, and samples in them. */
static gboolean
has_same_lines (const PacoDpx *a, const PacoDpx *b)
{
  gboolean same = a->n_parts == b->n_parts && a->info.width == b->info.width
      && a->info.height == b->info.height
      && a->info.n_components == b->info.n_components;

  for (guint p = 0; same && p < a->n_parts; p++)
    same = a->parts[p].offset == b->parts[p].offset
        && a->parts[p].stride == b->parts[p].stride
        && a->parts[p].line_bytes == b->parts[p].line_bytes;
  for (guint c = 0; same && c < a->info.n_components; c++)
    same = a->part_of[c] == b->part_of[c]
        && a->info.depth[c] == b->info.depth[c]
        && a->info.subsampling_x[c] == b->info.subsampling_x[c]
        && memcmp (&a->layouts[c], &b->layouts[c], sizeof a->layouts[c]) == 0;
  return same;
}

static void
free_padding (gpointer data)
{
  Padding *padding = data;

  g_byte_array_unref (padding->bits);
  g_free (padding);
}

static Padding *
get_padding (PacoSource *source)
{
  Padding *padding;

  if (source->free_seen == free_padding)
    return source->seen;
  if (source->free_seen)
    source->free_seen (source->seen);
  padding = g_new0 (Padding, 1);
  padding->bits = g_byte_array_new ();
  source->seen = padding;
  source->free_seen = free_padding;
  return padding;
}

/* Makes masks, if the lines of the file before were others. Returns FALSE if they
 * were. */
static gboolean
set_layout (Padding *padding, const PacoDpx *dpx)
{
  gsize at = 0;

  if (has_same_lines (&padding->dpx, dpx))
    return TRUE;
  padding->dpx = *dpx;
  for (guint p = 0; p < dpx->n_parts; p++)
    at += run_bytes (dpx, p);
  g_byte_array_set_size (padding->bits, (guint) at);
  at = 0;
  for (guint p = 0; p < dpx->n_parts; p++) {
    guint8 *mask = padding->bits->data + at;

    padding->mask[p] = make_mask (dpx, p, mask) ? mask : NULL;
    at += run_bytes (dpx, p);
  }
  return FALSE;
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

/* --- while a file is read ------------------------------------------------------ */

/* Goes on with a part for as long as whole lines are there whose padding is clear. */
static void
count_clear (Padding *padding, guint p, const guint8 *bytes, gsize size)
{
  const PacoDpx *dpx = &padding->dpx;
  const PacoDpxPart *part = &dpx->parts[p];

  while (padding->clear[p] < dpx->info.height && !padding->is_set[p]) {
    guint32 y = padding->clear[p];
    gsize at = part->offset + part->stride * y, n = line_bytes (dpx, p, y);

    if (at + n > size)
      return;
    if (has_padding (bytes + at, padding->mask[p], NULL, n))
      padding->clear[p]++;
    else
      padding->is_set[p] = TRUE;
  }
}

void
paco_dpx_watch (const guint8 *bytes, gsize from, gsize size, guint64 file_size,
    PacoSource *source)
{
  Padding *padding = get_padding (source);
  gsize head = MIN (PACO_DPX_PEEK_SIZE, file_size);
  PacoDpx dpx;

  if (from == 0)
    padding->bytes = NULL;
  if (from < head && size >= head && file_size <= G_MAXINT32
      && paco_dpx_read (bytes, size, file_size, &dpx, NULL)) {
    set_layout (padding, &dpx);
    memset (padding->clear, 0, sizeof padding->clear);
    memset (padding->is_set, 0, sizeof padding->is_set);
    padding->bytes = bytes;
  }
  for (guint p = 0; padding->bytes && p < padding->dpx.n_parts; p++)
    if (padding->mask[p])
      count_clear (padding, p, bytes, size);
}

/* --- keeping ------------------------------------------------------------------- */

/* Begins a run of one line, of which n bytes are there. */
static void
begin_run (GByteArray *rest, const guint8 *line, gsize n, const guint8 *mask,
    gsize n_run)
{
  const guint8 head[RUN_HEAD] = { 1, 0, 0, 0, 1 };
  guint8 *bits;
  gsize at;

  g_byte_array_append (rest, head, sizeof head);
  at = rest->len;
  g_byte_array_set_size (rest, (guint) (at + n_run));
  bits = rest->data + at;
  for (gsize i = 0; i < n; i++)
    bits[i] = line[i] & mask[i];
  memset (bits + n, 0, n_run - n);
}

static void
begin_clear_run (GByteArray *rest, guint32 lines)
{
  guint8 head[RUN_HEAD] = { 0 };

  paco_put32 (head, lines);
  g_byte_array_append (rest, head, sizeof head);
}

/* Appends the runs of a part, whose first `clear` lines from the top are known to be
 * clear. Returns FALSE if they are too large. */
static gboolean
keep_runs (const PacoDpx *dpx, guint p, const guint8 *mask, guint32 clear,
    const guint8 *file, GByteArray *rest)
{
  gsize n_run = run_bytes (dpx, p), begin = rest->len, run = 0;

  if (clear > 0) {
    run = begin;
    begin_clear_run (rest, clear);
  }
  for (guint32 y = clear; y < dpx->info.height; y++) {
    const guint8 *line = file + dpx->parts[p].offset + dpx->parts[p].stride * y;
    gsize n = line_bytes (dpx, p, y);
    guint8 *head = rest->data + run;
    const guint8 *like = run > 0 && head[4] ? head + RUN_HEAD : NULL;

    if (run > 0 && has_padding (line, mask, like, n)) {
      paco_put32 (head, paco_get32 (head) + 1);
      continue;
    }
    run = rest->len;
    if (run - begin > MAX_RUNS)
      return FALSE;
    if (has_padding (line, mask, NULL, n))
      begin_clear_run (rest, 1);
    else
      begin_run (rest, line, n, mask, n_run);
  }
  return TRUE;
}

gboolean
paco_dpx_keep_padding (
    const PacoDpx *dpx, const guint8 *bytes, PacoSource *source)
{
  Padding *padding = get_padding (source);
  gboolean same = set_layout (padding, dpx), kept = TRUE,
           watched = same && padding->bytes == bytes;

  padding->bytes = NULL;
  for (guint p = 0; kept && p < dpx->n_parts; p++) {
    guint32 clear = watched ? padding->clear[p] : 0;

    if (!padding->mask[p])
      clear = dpx->info.height;
    kept = keep_runs (dpx, p, padding->mask[p], clear, bytes, source->rest);
  }
  return kept;
}

/* --- putting back -------------------------------------------------------------- */

gboolean
paco_dpx_walk_runs (const PacoDpx *dpx, guint p, const guint8 *rest, gsize size,
    gsize *at, guint8 *file)
{
  const PacoDpxPart *part = &dpx->parts[p];
  gsize n_run = run_bytes (dpx, p);
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
      gsize n = line_bytes (dpx, p, y - lines);

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

gboolean
paco_dpx_has_clear_run (const PacoDpx *dpx, guint p, const guint8 *rest,
    gsize size, const guint8 *file, gsize *at)
{
  const PacoDpxPart *part = &dpx->parts[p];
  const guint8 *head = rest + *at;
  guint32 height = dpx->info.height;

  if (size - *at < RUN_HEAD || head[4] != 0 || paco_get32 (head) != height)
    return FALSE;
  *at += RUN_HEAD;
  for (guint32 y = 0; y + 1 < height; y++)
    if (!is_clear (file + part->offset + part->stride * y + part->line_bytes,
            part->stride - part->line_bytes))
      return FALSE;
  return TRUE;
}
