/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out how a deflate stream was made, and makes it again, with zlib
 * (deflate.h). */
#include "tool/archive/kinds/deflate.h"
#include "codec/bytes.h"
#include <string.h>
#include <zlib.h>

enum
{
  PIECE = 1 << 15, /* bytes given to deflate() at a time */
  WORK = 12, /* A search compresses the plain bytes at most this many times. */
  LEAST_WORK = 1 << 24, /* This many bytes may be compressed in any case. */
  FIRST_WORK = 1 << 20, /* All blocks are read once a search took more. */
  N_WINDOWS = 7,
  MAX_MEMORY = 9,
  NOT_REACHED = 262,  /* bytes of zlib's window that no match reaches back to */
  MAX_STORED = 65535, /* bytes of a stored block */
  STORED_HEAD = 5,
};

/* --- stored blocks ----------------------------------------------------- */

/* Finds stored blocks, if there are no others. Each begins with a byte of its
 * own, as those of every writer do: the bits before the length are zero. */
static gboolean
find_stored (const guint8 *plain, gsize plain_size, const guint8 *stream,
    gsize size, GByteArray *blocks)
{
  guint start = blocks->len;
  gsize at = 0, done = 0;
  gboolean last = FALSE;

  while (!last) {
    guint length;

    if (size - at < STORED_HEAD || stream[at] > 1)
      break;
    last = stream[at] == 1;
    length = paco_get16 (stream + at + 1);
    if (paco_get16 (stream + at + 3) != (length ^ 0xffff)
        || length > size - at - STORED_HEAD || length > plain_size - done
        || memcmp (stream + at + STORED_HEAD, plain + done, length) != 0) {
      last = FALSE;
      break;
    }
    paco_runs_add (blocks, start, length);
    at += STORED_HEAD + length;
    done += length;
  }
  if (last && at == size && done == plain_size)
    return TRUE;
  g_byte_array_set_size (blocks, start);
  return FALSE;
}

guint64
paco_deflate_stored_size (guint64 n, guint64 stored)
{
  return STORED_HEAD * n + stored;
}

static gboolean
make_stored (const guint8 *blocks, guint32 n_blocks, const guint8 *plain,
    gsize plain_size, gsize max_size, GByteArray *to)
{
  PacoRuns runs;
  guint32 length, next = 0;
  gsize done = 0, before = to->len;
  gboolean more;

  paco_runs_begin (&runs, blocks, n_blocks);
  more = paco_runs_next (&runs, &length);
  while (more) {
    guint8 head[STORED_HEAD];

    more = paco_runs_next (&runs, &next);
    /* Blocks may be empty, but there must be an end of them. */
    if (length > MAX_STORED || length > plain_size - done
        || to->len - before + STORED_HEAD + length > max_size)
      return FALSE;
    head[0] = !more;
    paco_put16 (paco_put16 (head + 1, (guint16) length), (guint16) ~length);
    g_byte_array_append (to, head, sizeof head);
    g_byte_array_append (to, plain + done, length);
    done += length;
    length = next;
  }
  return n_blocks > 0 && done == plain_size;
}

/* --- zlib -------------------------------------------------------------- */

static gboolean
begin (z_stream *zlib, const PacoDeflate *settings)
{
  *zlib = (z_stream){ 0 };
  if (settings->level < 1 || settings->level > 9 || settings->memory < 1
      || settings->memory > 9 || settings->window < 9 || settings->window > 15
      || settings->strategy > Z_FIXED)
    return FALSE;
  return deflateInit2 (zlib, settings->level, Z_DEFLATED, -settings->window,
             settings->memory, settings->strategy)
      == Z_OK;
}

/* Returns how many symbols a block of zlib has, unless it is the last one. */
static guint32
symbols_of (guint memory)
{
  return (1u << (memory + 6)) - 1;
}

/* Says whether a block can be of this zlib, and excludes the settings with which it
 * could not. */
static gboolean
learn (PacoDeflateTraces *traces, const PacoDeflateBlock *block)
{
  if (!block->coded)
    return block->last || block->size > 0;
  traces->matches |= block->distance > 0;
  traces->dynamic |= block->dynamic;
  traces->distance = MAX (traces->distance, block->distance);
  for (guint m = 1; m <= MAX_MEMORY; m++)
    if (block->last ? block->symbols > symbols_of (m)
                    : block->symbols != symbols_of (m))
      traces->impossible |= 1u << m;
  return TRUE;
}

gboolean
paco_deflate_look (
    const guint8 *stream, gsize size, gboolean all, PacoDeflateTraces *traces)
{
  PacoDeflateReader *reader = paco_deflate_reader_new (stream, size);
  PacoDeflateBlock block;
  gboolean possible;

  *traces = (PacoDeflateTraces){ 0 };
  do {
    possible = paco_deflate_reader_next (reader, &block);
    if (traces->first_size == 0)
      traces->first_size = block.size;
    possible = possible && learn (traces, &block);
  } while (possible && !block.last && (all || !block.coded));
  paco_deflate_reader_free (reader);
  /* zlib-ng ends blocks elsewhere. */
  if (!strstr (zlibVersion (), "zlib-ng"))
    return possible && traces->impossible != PACO_DEFLATE_NO_MEMORY;
  *traces = (PacoDeflateTraces){ .first_size = traces->first_size };
  return TRUE;
}

static void
feed (z_stream *zlib, gsize *left)
{
  if (zlib->avail_in == 0 && *left > 0) {
    zlib->avail_in = (guint) MIN (*left, PIECE);
    *left -= zlib->avail_in;
  }
}

/* Says whether these settings give the stream. The bytes that are compressed for that
 * are subtracted from *work. */
static gboolean
is_made_by (const PacoDeflate *settings, const guint8 *plain, gsize plain_size,
    const guint8 *stream, gsize size, gsize *work)
{
  guint8 out[PIECE];
  z_stream zlib;
  gsize left = plain_size, done = 0;
  int status = Z_OK;
  gboolean same = TRUE;

  if (!begin (&zlib, settings))
    return FALSE;
  zlib.next_in = (guint8 *) plain;
  while (same && status == Z_OK && *work > 0) {
    gsize n, fed;

    feed (&zlib, &left);
    fed = zlib.avail_in;
    zlib.next_out = out;
    zlib.avail_out = sizeof out;
    status = deflate (&zlib, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    n = sizeof out - zlib.avail_out;
    same = n <= size - done && memcmp (out, stream + done, n) == 0;
    done += n;
    *work -= MIN (*work, fed - zlib.avail_in + 1);
  }
  deflateEnd (&zlib);
  return same && status == Z_STREAM_END && done == size;
}

/* Says whether the header of a stream (RFC 1950) names this level. */
static gboolean
is_promised (const guint8 header[2], guint strategy, guint level)
{
  return header[1] >> 6
      == paco_deflate_promise (strategy >= Z_HUFFMAN_ONLY ? 0 : level);
}

/* Returns the n-th window to try: first the one that the header names, then the
 * largest one. libpng names a smaller one than was used, if the picture is small. */
static guint
nth_window (guint told, guint n)
{
  guint first = told - 9, largest = 6, others;

  if (n == 0)
    return told;
  if (first == largest)
    return 15 - n;
  if (n == 1)
    return 15;
  others = n - 2;
  return 9 + (others < first ? others : others + 1);
}

typedef struct
{
  const guint8 *plain, *stream, *header;
  gsize plain_size, size;
  gsize work, most_work; /* Bytes that may still, and in all, be compressed. */
  gboolean filtered;
  gboolean all_read; /* The traces are of all blocks, not of the first ones. */
  PacoDeflateTraces traces;
} Search;

static gboolean
is_excluded (const PacoDeflateTraces *traces, const PacoDeflate *settings)
{
  return traces->impossible >> settings->memory & 1
      || traces->distance + NOT_REACHED > 1u << settings->window
      || (settings->strategy == Z_HUFFMAN_ONLY && traces->matches)
      || (settings->strategy == Z_RLE && traces->distance > 1)
      || (settings->strategy == Z_FIXED && traces->dynamic);
}

/* Tries these settings. If the search has compressed much in vain, the stream's other
 * blocks are read: where another program wrote one of them, the search ends. */
static gboolean
try (Search *search, const PacoDeflate *settings)
{
  if (is_excluded (&search->traces, settings))
    return FALSE;
  if (is_made_by (settings, search->plain, search->plain_size, search->stream,
          search->size, &search->work))
    return TRUE;
  if (!search->all_read
      && search->most_work - search->work
          > MAX (FIRST_WORK, search->plain_size / 4)) {
    search->all_read = TRUE;
    if (!paco_deflate_look (
            search->stream, search->size, TRUE, &search->traces))
      search->work = 0;
  }
  return FALSE;
}

/* Tries all levels and strategies, either those that the header names or the
 * others. */
static gboolean
search_levels (Search *search, guint memory, guint window, gboolean promised,
    PacoDeflate *settings)
{
  static const guint8 levels[] = { 6, 9, 7, 8, 1, 5, 4, 3, 2 };
  /* libpng takes Z_FILTERED if lines are filtered. */
  static const guint8 strategies[2][5] = {
    { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_RLE, Z_HUFFMAN_ONLY, Z_FIXED },
    { Z_FILTERED, Z_DEFAULT_STRATEGY, Z_RLE, Z_HUFFMAN_ONLY, Z_FIXED },
  };

  for (guint s = 0; s < G_N_ELEMENTS (strategies[0]); s++)
    for (guint l = 0; l < G_N_ELEMENTS (levels); l++) {
      *settings = (PacoDeflate){ levels[l],
        strategies[search->filtered != 0][s], (guint8) memory,
        (guint8) window };
      /* These two strategies have no levels. */
      if (l > 0
          && (settings->strategy == Z_RLE
              || settings->strategy == Z_HUFFMAN_ONLY))
        break;
      if (is_promised (search->header, settings->strategy, settings->level)
              == promised
          && try (search, settings))
        return TRUE;
    }
  return FALSE;
}

gboolean
paco_deflate_find (const guint8 *plain, gsize plain_size, const guint8 *stream,
    gsize stream_size, const guint8 header[2], gboolean filtered,
    PacoDeflate *settings, GByteArray *blocks)
{
  static const guint8 memories[] = { 8, 9, 7, 6, 5, 4, 3, 2, 1 };
  guint told = CLAMP ((header[0] >> 4) + 8, 9, 15);
  Search search = {
    .plain = plain,
    .stream = stream,
    .header = header,
    .plain_size = plain_size,
    .size = stream_size,
    .most_work = MAX (plain_size * WORK, LEAST_WORK),
    .filtered = filtered,
  };

  *settings = (PacoDeflate){ 0 };
  if (find_stored (plain, plain_size, stream, stream_size, blocks))
    return TRUE;
  if (!paco_deflate_look (stream, stream_size, FALSE, &search.traces))
    return FALSE;
  search.work = search.most_work;
  for (gint promised = TRUE; promised >= FALSE; promised--)
    for (guint w = 0; w < N_WINDOWS; w++)
      for (guint m = 0; m < G_N_ELEMENTS (memories); m++)
        if (search_levels (
                &search, memories[m], nth_window (told, w), promised, settings))
          return TRUE;
  return FALSE;
}

gboolean
paco_deflate_make (const PacoDeflate *settings, const guint8 *blocks,
    guint32 n_blocks, const guint8 *plain, gsize plain_size, gsize max_size,
    GByteArray *to)
{
  guint8 out[PIECE];
  z_stream zlib;
  gsize left = plain_size, room = max_size;
  int status = Z_OK;

  if (settings->level == 0)
    return make_stored (blocks, n_blocks, plain, plain_size, max_size, to);
  if (!begin (&zlib, settings))
    return FALSE;
  zlib.next_in = (guint8 *) plain;
  while (status == Z_OK) {
    feed (&zlib, &left);
    zlib.next_out = out;
    zlib.avail_out = sizeof out;
    status = deflate (&zlib, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    if (sizeof out - zlib.avail_out > room) {
      status = Z_BUF_ERROR;
      break;
    }
    g_byte_array_append (to, out, (guint) (sizeof out - zlib.avail_out));
    room -= sizeof out - zlib.avail_out;
  }
  deflateEnd (&zlib);
  return status == Z_STREAM_END;
}

/* --- runs -------------------------------------------------------------- */

void
paco_runs_add (GByteArray *runs, guint start, guint32 number)
{
  guint8 run[PACO_RUN_SIZE];

  if (runs->len >= start + PACO_RUN_SIZE) {
    guint8 *last = runs->data + runs->len - PACO_RUN_SIZE;
    guint32 count = paco_get32 (last + 4);

    if (paco_get32 (last) == number && count < G_MAXUINT32) {
      paco_put32 (last + 4, count + 1);
      return;
    }
  }
  paco_put32 (paco_put32 (run, number), 1);
  g_byte_array_append (runs, run, sizeof run);
}

gboolean
paco_runs_sum (const guint8 *p, guint32 n_runs, guint64 most,
    guint64 *n_numbers, guint64 *sum)
{
  *n_numbers = *sum = 0;
  for (guint32 i = 0; i < n_runs; i++, p += PACO_RUN_SIZE) {
    guint64 number = paco_get32 (p), count = paco_get32 (p + 4);

    if (count == 0 || count > most - *n_numbers || number * count > most - *sum)
      return FALSE;
    *n_numbers += count;
    *sum += number * count;
  }
  return TRUE;
}

void
paco_runs_begin (PacoRuns *runs, const guint8 *p, guint32 n_runs)
{
  *runs = (PacoRuns){ .p = p, .n_runs = n_runs };
  if (n_runs > 0)
    runs->left = paco_get32 (p + 4);
}

gboolean
paco_runs_next (PacoRuns *runs, guint32 *number)
{
  while (runs->n_runs > 0 && runs->left == 0) {
    runs->p += PACO_RUN_SIZE;
    if (--runs->n_runs > 0)
      runs->left = paco_get32 (runs->p + 4);
  }
  if (runs->n_runs == 0)
    return FALSE;
  runs->left--;
  *number = paco_get32 (runs->p);
  return TRUE;
}
