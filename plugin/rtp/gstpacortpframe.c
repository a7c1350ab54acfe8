/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Puts a frame together from packets, for rtppacodepay (gstpacortpframe.h). It calls
 * gstpacortpparity.c for lost symbols and gstpacortpformat.c for lost blocks. */
#include "gstpacortpframe.h"
#include "codec/check.h"
#include "gstpacortpparity.h"
#include <string.h>

/* The most holes of a frame. Each packet that is lost makes one more, and no
 * frame of which most bytes come has as many. The limit bounds the work that a
 * sender of single bytes can cause. */
#define MOST_HOLES 8192
/* A frame may have this many bytes before more of it have come than a packet. They are
 * memory that is not touched. */
#define LEEWAY (4u << 20)
/* A frame with holes may have this many bytes, all of which are written, for a packet. */
#define MOST_FILLED (64u << 10)
/* Beyond that, a frame may have as many bytes for each one that has come. Few frames of
 * which less comes are worth showing. */
#define EXPANSION 16
/* Parity restores this many symbols of a frame. rtppacopay has a group or a few of 128
 * symbols at most, and parity for a fifth of them. */
#define MOST_RESTORED 1024

/* --- holes ------------------------------------------------------------- */

static GstPacoRtpHole *
hole_at (const GstPacoRtpFrame *frame, guint i)
{
  return &g_array_index (frame->holes, GstPacoRtpHole, i);
}

/* Returns the first hole that ends after offset; packets mostly fill the last one. */
static guint
find_hole (const GstPacoRtpFrame *frame, guint32 offset)
{
  guint low = 0, high = frame->holes->len;

  if (high > 0 && hole_at (frame, high - 1)->begin <= offset)
    low = high - 1;
  while (low < high) {
    guint middle = (low + high) / 2;

    if (hole_at (frame, middle)->end > offset)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Says whether any of the bytes begin <= at < end is missing. */
static gboolean
is_missing (const GstPacoRtpFrame *frame, guint32 begin, guint32 end)
{
  guint i = find_hole (frame, begin);

  return i < frame->holes->len && hole_at (frame, i)->begin < end;
}

/* Takes the bytes that are there now, all of which lie in hole i, out of it. */
static void
shrink_hole (GstPacoRtpFrame *frame, guint i, guint32 begin, guint32 end)
{
  GstPacoRtpHole *hole = hole_at (frame, i);
  const GstPacoRtpHole behind = { end, hole->end };

  if (begin == hole->begin && end == hole->end) {
    g_array_remove_index (frame->holes, i);
  } else if (begin == hole->begin) {
    hole->begin = end;
  } else {
    hole->end = begin;
    if (behind.begin < behind.end)
      g_array_insert_val (frame->holes, i + 1, behind);
  }
}

/* --- memory ------------------------------------------------------------ */

/* Says whether the frame may have as many bytes as a packet of `more` bytes says. */
static gboolean
is_likely (const GstPacoRtpFrame *frame, guint64 size, gsize more)
{
  return size <= frame->trusted + EXPANSION * (frame->received + more);
}

static GstBuffer *
allocate (GstAllocator *allocator, gsize size, GstMapInfo *map)
{
  GstBuffer *buffer = gst_buffer_new_allocate (allocator, size, NULL);

  if (buffer != NULL && !gst_buffer_map (buffer, map, GST_MAP_WRITE))
    gst_clear_buffer (&buffer);
  return buffer;
}

/* Makes room for the bytes before end. Those that have come move if there is none. */
static gboolean
reserve (GstPacoRtpFrame *frame, guint32 end)
{
  gsize size = MIN (frame->size, MAX (end, 2 * frame->map.size)), at = 0;
  GstBuffer *buffer;
  GstMapInfo map;

  if (end <= frame->map.size)
    return TRUE;
  buffer = allocate (frame->allocator, size, &map);
  if (buffer == NULL)
    return FALSE;
  for (guint i = 0; i < frame->holes->len; i++) {
    memcpy (
        map.data + at, frame->map.data + at, hole_at (frame, i)->begin - at);
    at = hole_at (frame, i)->end;
  }
  if (at < frame->map.size)
    memcpy (map.data + at, frame->map.data + at, frame->map.size - at);
  gst_buffer_unmap (frame->buffer, &frame->map);
  gst_buffer_unref (frame->buffer);
  frame->buffer = buffer;
  frame->map = map;
  return TRUE;
}

gboolean
gst_paco_rtp_frame_extend (GstPacoRtpFrame *frame)
{
  return frame->size <= MOST_FILLED + EXPANSION * frame->received
      && reserve (frame, frame->size);
}

/* --- parity ------------------------------------------------------------ */

/* The first packet of parity is believed, if what it says can be true. */
static GstPacoRtpFate
accept_parity (
    GstPacoRtpFrame *frame, const GstPacoRtpHeader *header, gsize size)
{
  guint32 n_symbols, n_groups;

  if (header->protected_size == 0 || header->protected_size > frame->size
      || size > header->protected_size || header->n_rows == 0
      || header->n_rows > GST_PACO_RTP_GROUP || header->row >= header->n_rows)
    return GST_PACO_RTP_MALFORMED;
  n_symbols = gst_paco_rtp_n_symbols (header->protected_size, size);
  n_groups = gst_paco_rtp_n_groups (n_symbols);
  if (n_symbols > GST_PACO_RTP_MAX_SYMBOLS || header->group >= n_groups)
    return GST_PACO_RTP_MALFORMED;
  if (!is_likely (frame, header->protected_size, size))
    return GST_PACO_RTP_EARLY;
  if (frame->n_groups == 0) {
    frame->protected_size = header->protected_size;
    frame->symbol_size = size;
    frame->n_symbols = n_symbols;
    frame->n_groups = n_groups;
    frame->n_rows = header->n_rows;
    memset (frame->last_row, 0, n_groups * sizeof *frame->last_row);
  } else if (frame->protected_size != header->protected_size
      || frame->symbol_size != size || frame->n_rows != header->n_rows) {
    return GST_PACO_RTP_CONTRADICTING;
  }
  return GST_PACO_RTP_TAKEN;
}

/* Returns which bytes of the protected part are symbol i of a group. */
static GstPacoRtpHole
symbol_range (const GstPacoRtpFrame *frame, guint group, guint i)
{
  guint64 begin = (guint64) frame->symbol_size
      * (group + (guint64) i * frame->n_groups);

  return (GstPacoRtpHole){ MIN (begin, frame->protected_size),
    MIN (begin + frame->symbol_size, frame->protected_size) };
}

static guint
group_size (const GstPacoRtpFrame *frame, guint group)
{
  return (frame->n_symbols - group + frame->n_groups - 1) / frame->n_groups;
}

/* Returns the row of a group that came last, or before another one; or NULL. */
static const GstPacoRtpRow *
row_at (const GstPacoRtpFrame *frame, guint number)
{
  return number > 0 ? &g_array_index (frame->parity, GstPacoRtpRow, number - 1)
                    : NULL;
}

/* Lists the rows of parity that have come of a group, and as many symbols that are not
 * whole. Returns how many these are, or 0 if there are too few rows. */
static guint
find_erasures (const GstPacoRtpFrame *frame, guint group, guint8 *columns,
    const GstPacoRtpRow **rows)
{
  guint n = 0, n_rows = 0;

  for (const GstPacoRtpRow *row = row_at (frame, frame->last_row[group]); row;
       row = row_at (frame, row->before))
    rows[n_rows++] = row;
  for (guint i = 0; i < group_size (frame, group); i++) {
    GstPacoRtpHole range = symbol_range (frame, group, i);

    if (!is_missing (frame, range.begin, range.end))
      continue;
    if (n == n_rows)
      return 0;
    columns[n++] = i;
  }
  return n;
}

static void
add_known (const GstPacoRtpFrame *frame, guint group, guint8 *sums,
    const guint8 *rows, guint n)
{
  guint8 factors[GST_PACO_RTP_GROUP];

  for (guint i = 0; i < group_size (frame, group); i++) {
    GstPacoRtpHole range = symbol_range (frame, group, i);

    if (is_missing (frame, range.begin, range.end))
      continue;
    for (guint k = 0; k < n; k++)
      factors[k] = gst_paco_rtp_parity_factor (rows[k], i);
    gst_paco_rtp_parity_add (sums, frame->symbol_size, factors, n,
        frame->map.data + range.begin, range.end - range.begin);
  }
}

/* Puts a symbol into the frame. Bytes of it that have come already stay. */
static void
fill_symbol (
    GstPacoRtpFrame *frame, const GstPacoRtpHole *range, const guint8 *symbol)
{
  for (guint i; (i = find_hole (frame, range->begin)) < frame->holes->len
       && hole_at (frame, i)->begin < range->end;) {
    guint32 begin = MAX (hole_at (frame, i)->begin, range->begin);
    guint32 end = MIN (hole_at (frame, i)->end, range->end);

    memcpy (
        frame->map.data + begin, symbol + (begin - range->begin), end - begin);
    shrink_hole (frame, i, begin, end);
  }
  frame->recovered++;
}

static void
restore_group (GstPacoRtpFrame *frame, guint group)
{
  const GstPacoRtpRow *found[GST_PACO_RTP_GROUP];
  guint8 columns[GST_PACO_RTP_GROUP], rows[GST_PACO_RTP_GROUP];
  guint n = find_erasures (frame, group, columns, found);
  gsize size = frame->symbol_size;
  g_autofree guint8 *sums = NULL;

  if (n == 0 || frame->recovered + n > MOST_RESTORED
      || !reserve (frame, frame->protected_size))
    return;
  sums = g_try_malloc (2 * n * size);
  if (sums == NULL)
    return;
  for (guint k = 0; k < n; k++) {
    rows[k] = found[k]->row;
    gst_buffer_extract (found[k]->symbol, 0, sums + k * size, size);
  }
  add_known (frame, group, sums, rows, n);
  gst_paco_rtp_parity_solve (
      sums, size, size, rows, columns, n, sums + n * size);
  for (guint k = 0; k < n; k++) {
    GstPacoRtpHole range = symbol_range (frame, group, columns[k]);

    fill_symbol (frame, &range, sums + k * size);
  }
}

static GstPacoRtpFate
add_parity (GstPacoRtpFrame *frame, const GstPacoRtpHeader *header, gsize size,
    GstBuffer *packet, gsize body_offset)
{
  GstPacoRtpFate fate = accept_parity (frame, header, size);
  GstPacoRtpRow added = { NULL, header->row, 0 };

  if (fate != GST_PACO_RTP_TAKEN)
    return fate;
  added.before = frame->last_row[header->group];
  for (const GstPacoRtpRow *row = row_at (frame, added.before); row;
       row = row_at (frame, row->before))
    if (row->row == header->row)
      return GST_PACO_RTP_DUPLICATE;
  frame->received += size;
  if (gst_paco_rtp_frame_is_safe (frame))
    return GST_PACO_RTP_TAKEN;
  added.symbol = gst_buffer_copy_region (
      packet, GST_BUFFER_COPY_MEMORY, body_offset, size);
  g_array_append_val (frame->parity, added);
  frame->last_row[header->group] = frame->parity->len;
  restore_group (frame, header->group);
  return GST_PACO_RTP_TAKEN;
}

void
gst_paco_rtp_frame_restore (GstPacoRtpFrame *frame)
{
  if (gst_paco_rtp_frame_is_safe (frame))
    return;
  for (guint group = 0; group < frame->n_groups; group++)
    restore_group (frame, group);
}

/* --- packets ----------------------------------------------------------- */

static GstPacoRtpFate
add_data (
    GstPacoRtpFrame *frame, guint32 offset, const guint8 *body, gsize size)
{
  guint32 end;
  guint i;

  if (offset > frame->size || size > frame->size - offset)
    return GST_PACO_RTP_MALFORMED;
  end = offset + size;
  i = find_hole (frame, offset);
  if (i == frame->holes->len || hole_at (frame, i)->begin >= end)
    return GST_PACO_RTP_DUPLICATE;
  if (hole_at (frame, i)->begin > offset || hole_at (frame, i)->end < end
      || frame->holes->len == MOST_HOLES)
    return GST_PACO_RTP_CONTRADICTING;
  if (!is_likely (frame, end, size))
    return GST_PACO_RTP_EARLY;
  if (!reserve (frame, end))
    return GST_PACO_RTP_OVERSIZED;
  frame->received += size;
  memcpy (frame->map.data + offset, body, size);
  shrink_hole (frame, i, offset, end);
  return GST_PACO_RTP_TAKEN;
}

GstPacoRtpFate
gst_paco_rtp_frame_add (GstPacoRtpFrame *frame, const GstPacoRtpHeader *header,
    const guint8 *body, gsize size, GstBuffer *packet, gsize body_offset)
{
  if (header->frame_size != frame->size)
    return GST_PACO_RTP_CONTRADICTING;
  return header->kind == GST_PACO_RTP_DATA
      ? add_data (frame, header->offset, body, size)
      : add_parity (frame, header, size, packet, body_offset);
}

guint32
gst_paco_rtp_frame_head (const GstPacoRtpFrame *frame)
{
  return gst_paco_rtp_frame_is_whole (frame) ? frame->size
                                             : hole_at (frame, 0)->begin;
}

gboolean
gst_paco_rtp_frame_is_safe (const GstPacoRtpFrame *frame)
{
  return gst_paco_rtp_frame_head (frame) >= frame->protected_size;
}

/* --- lost blocks ------------------------------------------------------- */

/* Changes these bytes so that a decoder takes the block for broken. */
static void
break_block (guint8 *bytes, const PacoBlockRecord *record)
{
  memset (bytes, 0, record->length);
  if (paco_block_check (bytes, record->length) == record->check)
    bytes[0] = 1;
}

guint
gst_paco_rtp_frame_fill (GstPacoRtpFrame *frame, const GstPacoRtpBlocks *blocks)
{
  guint32 payload = gst_paco_rtp_blocks_payload (blocks);
  guint n = 0, i = 0;

  /* The memory may have had anything before, and what is no block's stays as it is: an
   * attachment, whose CRC says that it is damaged. */
  for (guint h = 0; h < frame->holes->len; h++)
    memset (frame->map.data + hole_at (frame, h)->begin, 0,
        hole_at (frame, h)->end - hole_at (frame, h)->begin);
  for (guint32 b = 0; b < blocks->geometry->n_blocks; b++) {
    const PacoBlockRecord *record = &blocks->records[b];
    guint32 begin = payload + record->offset, end = begin + record->length;

    while (i < frame->holes->len && hole_at (frame, i)->end <= begin)
      i++;
    if (i == frame->holes->len)
      break;
    if (record->length > 0 && hole_at (frame, i)->begin < end) {
      break_block (frame->map.data + begin, record);
      n++;
    }
  }
  g_array_set_size (frame->holes, 0);
  return n;
}

/* --- life -------------------------------------------------------------- */

static void
row_clear (gpointer data)
{
  GstPacoRtpRow *row = data;

  gst_clear_buffer (&row->symbol);
}

gboolean
gst_paco_rtp_frame_begin (GstPacoRtpFrame *frame,
    const GstPacoRtpHeader *header, guint32 trusted, GstAllocator *allocator)
{
  const GstPacoRtpHole all = { 0, header->frame_size };

  frame->trusted = MAX (trusted, LEEWAY);
  frame->buffer = allocate (
      allocator, MIN (header->frame_size, frame->trusted), &frame->map);
  if (frame->buffer == NULL)
    return FALSE;
  if (frame->holes == NULL) {
    frame->holes = g_array_new (FALSE, FALSE, sizeof (GstPacoRtpHole));
    frame->parity = g_array_new (FALSE, FALSE, sizeof (GstPacoRtpRow));
    g_array_set_clear_func (frame->parity, row_clear);
  }
  g_array_set_size (frame->holes, 0);
  g_array_append_val (frame->holes, all);
  frame->allocator = allocator != NULL ? gst_object_ref (allocator) : NULL;
  frame->active = TRUE;
  frame->number = header->frame;
  frame->size = header->frame_size;
  frame->received = 0;
  frame->recovered = 0;
  frame->ended = FALSE;
  frame->protected_size = frame->n_groups = 0;
  return TRUE;
}

GstBuffer *
gst_paco_rtp_frame_steal (GstPacoRtpFrame *frame)
{
  if (!frame->active)
    return NULL;
  g_array_set_size (frame->parity, 0);
  gst_buffer_unmap (frame->buffer, &frame->map);
  gst_clear_object (&frame->allocator);
  frame->active = FALSE;
  return g_steal_pointer (&frame->buffer);
}

void
gst_paco_rtp_frame_drop (GstPacoRtpFrame *frame)
{
  GstBuffer *buffer = gst_paco_rtp_frame_steal (frame);

  gst_clear_buffer (&buffer);
}

void
gst_paco_rtp_frame_clear (GstPacoRtpFrame *frame)
{
  gst_paco_rtp_frame_drop (frame);
  g_clear_pointer (&frame->holes, g_array_unref);
  g_clear_pointer (&frame->parity, g_array_unref);
}
