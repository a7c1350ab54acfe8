/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts between times and bytes for seeks in a file that pacoparse reads on its own
 * (gstpacoseek.h). lib/stream/frame_index.c knows where its frames are. */
#include "gstpacoseek.h"

enum
{
  /* The index of a file may take so much time before the first frame and with
   * each. */
  FIRST_US = 50000,
  FIRST_FRAMES = 1000,
  EACH_US = 1000,
};

static gsize
pull (gpointer pad, guint64 offset, guint8 *data, gsize size)
{
  g_autoptr (GstBuffer) buffer = NULL;

  if (gst_pad_pull_range (pad, offset, size, &buffer) != GST_FLOW_OK)
    return 0;
  return gst_buffer_extract (buffer, 0, data, size);
}

static void
open_file (PacoFile *file, GstBaseParse *base)
{
  GstPad *pad = GST_BASE_PARSE_SINK_PAD (base);
  gint64 size;

  if (!gst_pad_peer_query_duration (pad, GST_FORMAT_BYTES, &size))
    size = 0;
  paco_file_init (file, pull, pad, MAX (size, 0));
}

PacoFile *
gst_paco_seek_file (GstPacoSeek *seek)
{
  if (!seek->file.read)
    open_file (&seek->file, seek->base);
  return &seek->file;
}

void
gst_paco_seek_clear (GstPacoSeek *seek)
{
  PacoFrameIndex *index;
  GHashTable *told;

  GST_OBJECT_LOCK (seek->base);
  index = g_steal_pointer (&seek->index);
  told = g_steal_pointer (&seek->told);
  seek->furthest_offset = 0;
  GST_OBJECT_UNLOCK (seek->base);
  paco_frame_index_unref (index);
  g_clear_pointer (&told, g_hash_table_unref);
  paco_file_clear (&seek->file);
}

gboolean
gst_paco_seek_extend (
    GstPacoSeek *seek, const GstPacoGrid *grid, const PacoFileFrame *frame)
{
  gboolean is_first = !seek->index;

  if (is_first) {
    PacoFrameIndex *index = paco_frame_index_new (frame, false);

    GST_OBJECT_LOCK (seek->base);
    seek->index = index;
    seek->grid = *grid;
    seek->stack = frame->length;
    GST_OBJECT_UNLOCK (seek->base);
  }
  if (paco_frame_index_is_complete (seek->index))
    return FALSE;
  paco_frame_index_extend (seek->index, gst_paco_seek_file (seek),
      is_first ? FIRST_FRAMES : 1, is_first ? FIRST_US : EACH_US);
  if (!paco_frame_index_is_complete (seek->index))
    return FALSE;
  gst_base_parse_set_duration (seek->base, GST_FORMAT_TIME,
      gst_paco_grid_time (grid, paco_frame_index_n_frames (seek->index)), 0);
  return TRUE;
}

gboolean
gst_paco_seek_number (
    const GstPacoSeek *seek, const PacoFileFrame *frame, guint64 *n)
{
  return seek->index && paco_frame_index_number (seek->index, frame, n);
}

void
gst_paco_seek_parsed (GstPacoSeek *seek, guint64 offset, GstClockTime time)
{
  GST_OBJECT_LOCK (seek->base);
  if (offset > seek->furthest_offset) {
    seek->furthest_offset = offset;
    seek->furthest_time = time;
  }
  GST_OBJECT_UNLOCK (seek->base);
}

typedef struct
{
  PacoFrameIndex *index;
  GstPacoGrid grid;
  guint stack;
} Known;

/* The base class begins as long before a time as the rest of a stack takes. */
static GstClockTime
lead_in (const Known *known)
{
  return known->stack <= 1
      ? 0
      : gst_util_uint64_scale (GST_SECOND,
          (guint64) known->grid.fps_d * (known->stack - 1), known->grid.fps_n);
}

/* Puts a frame once into the index of the base class, which keeps every entry until the
 * element stops. The base class goes on to index after the last entry, unless that is
 * the furthest frame again. The first frame of a stack is also put where the base class
 * looks for what any picture of the stack needs: no picture before it needs it, and
 * later ones need only what comes after it. */
static void
tell_base (
    GstPacoSeek *seek, const Known *known, guint64 offset, GstClockTime time)
{
  GstClockTime lead = lead_in (known);
  guint64 furthest_offset;
  GstClockTime furthest_time;
  gboolean is_new;

  GST_OBJECT_LOCK (seek->base);
  if (!seek->told)
    seek->told = g_hash_table_new_full (
        g_int64_hash, g_int64_equal, g_free, NULL);
  is_new = g_hash_table_add (seek->told, g_memdup2 (&offset, sizeof offset));
  furthest_offset = seek->furthest_offset;
  furthest_time = seek->furthest_time;
  GST_OBJECT_UNLOCK (seek->base);
  if (!is_new)
    return;
  if (lead > 0)
    gst_base_parse_add_index_entry (
        seek->base, offset, time - MIN (time, lead), TRUE, TRUE);
  gst_base_parse_add_index_entry (seek->base, offset, time, TRUE, TRUE);
  if (furthest_offset > offset)
    gst_base_parse_add_index_entry (
        seek->base, furthest_offset, furthest_time, TRUE, TRUE);
}

/* Goes from frame *n to the first one of its stack, or of the next stack if only that
 * may be sought, or if it is nearer. */
static gboolean
find_stack (PacoFrameIndex *index, PacoFile *file, GstSeekFlags flags,
    guint64 *n, guint64 *offset)
{
  PacoFileFrame frame;

  if (!paco_file_frame_at (file, *offset, &frame) || frame.position > *n)
    return FALSE;
  if (frame.position == 0)
    return TRUE;
  if ((flags & GST_SEEK_FLAG_KEY_UNIT) && (flags & GST_SEEK_FLAG_SNAP_AFTER)
      && (2 * frame.position > frame.length
          || !(flags & GST_SEEK_FLAG_SNAP_BEFORE))
      && *n + frame.length - frame.position < paco_frame_index_n_frames (index))
    *n += frame.length - frame.position;
  else
    *n -= frame.position;
  return paco_frame_index_find (index, file, n, offset);
}

static gboolean
find_target (const Known *known, GstBaseParse *base, GstClockTime time,
    GstSeekFlags flags, GstClockTime *target, guint64 *offset)
{
  const GstPacoGrid *grid = &known->grid;
  PacoFrameIndex *index = known->index;
  /* This is asked first, because more frames may be found meanwhile. */
  gboolean complete = paco_frame_index_is_complete (index), found;
  guint64 n_frames = paco_frame_index_n_frames (index);
  guint64 n = gst_paco_grid_frame_at (grid, time);
  GstClockTime late = time - MIN (time, gst_paco_grid_time (grid, n));
  GstClockTime early = gst_paco_grid_time (grid, n + 1) - time;
  PacoFile file;

  if ((flags & GST_SEEK_FLAG_KEY_UNIT) && late > 0
      && (flags & GST_SEEK_FLAG_SNAP_AFTER)
      && (early < late || !(flags & GST_SEEK_FLAG_SNAP_BEFORE)))
    n++;
  if (n >= n_frames && complete && n_frames > 0)
    n = n_frames - 1;
  open_file (&file, base);
  found = paco_frame_index_find (index, &file, &n, offset)
      && find_stack (index, &file, flags, &n, offset);
  paco_file_clear (&file);
  *target = gst_paco_grid_time (grid, n);
  return found;
}

static GstEvent *
prepare (GstPacoSeek *seek, const Known *known, GstEvent *event)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;
  GstClockTime time;
  guint64 offset;
  GstEvent *exact;

  gst_event_parse_seek (
      event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  if (format != GST_FORMAT_TIME || start_type != GST_SEEK_TYPE_SET
      || rate <= 0.0 || start < 0
      || !find_target (known, seek->base, start, flags, &time, &offset))
    return event;
  tell_base (seek, known, offset, time);
  if (!(flags & GST_SEEK_FLAG_KEY_UNIT)
      || (stop_type == GST_SEEK_TYPE_SET && stop >= 0 && stop < (gint64) time))
    return event;
  exact = gst_event_new_seek (
      rate, format, flags, start_type, time, stop_type, stop);
  gst_event_set_seqnum (exact, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return exact;
}

GstEvent *
gst_paco_seek_prepare (GstPacoSeek *seek, GstEvent *event)
{
  Known known = { NULL };

  GST_OBJECT_LOCK (seek->base);
  known.grid = seek->grid;
  known.stack = seek->stack;
  if (seek->index)
    known.index = paco_frame_index_ref (seek->index);
  GST_OBJECT_UNLOCK (seek->base);
  if (!known.index)
    return event;
  event = prepare (seek, &known, event);
  paco_frame_index_unref (known.index);
  return event;
}
