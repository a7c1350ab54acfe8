/* SPDX-License-Identifier: LGPL-2.1-or-later
 * See gstpacogaps.h. */
#include "gstpacogaps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

enum
{
  /* Frames that are missing are on the mean no larger or smaller than those that are
   * there by more than that. */
  LARGEST_FACTOR = 16,
};

typedef struct
{
  guint32 first, n; /* frames */
  guint64 bytes;
} Gap;

void
gst_paco_gaps_start (GstPacoGaps *gaps, GstElement *element)
{
  GST_OBJECT_LOCK (element);
  *gaps = (GstPacoGaps){ 0 };
  GST_OBJECT_UNLOCK (element);
}

void
gst_paco_gaps_forget (GstPacoGaps *gaps)
{
  gaps->expects = FALSE;
}

void
gst_paco_gaps_damage (GstPacoGaps *gaps, GstElement *element, guint64 byte,
    gsize bytes, gboolean first)
{
  gaps->next_byte = byte + bytes;
  GST_OBJECT_LOCK (element);
  gaps->damaged += first;
  gaps->damaged_bytes += bytes;
  GST_OBJECT_UNLOCK (element);
}

/* Whether frames of the stream are missing before the one at that place. */
static gboolean
find_gap (const GstPacoGaps *gaps, const PacoPlace *place, Gap *gap)
{
  gap->first = gaps->next.number;
  gap->n = place->number - gaps->next.number;
  gap->bytes = place->offset - gaps->next.offset;
  if (!gaps->expects || place->number == 0 || gap->n == 0
      || gap->n > G_MAXINT32)
    return FALSE;
  /* Frames that were missing already when the stream was cut have no bytes. */
  return gap->bytes == 0
      || (gap->bytes / gap->n >= gaps->smallest / LARGEST_FACTOR
          && gap->bytes / gap->n <= (guint64) LARGEST_FACTOR * gaps->largest);
}

static void
expect_next (GstPacoGaps *gaps, const PacoHeader *header, gboolean goes_on)
{
  guint32 size = header->frame_size;

  gaps->expects = header->video.has_place;
  gaps->next.number = header->video.place.number + 1;
  gaps->next.offset = header->video.place.offset + size;
  gaps->smallest = goes_on ? MIN (gaps->smallest, size) : size;
  gaps->largest = goes_on ? MAX (gaps->largest, size) : size;
}

static char *
describe (const Gap *gap)
{
  if (gap->n == 1)
    return g_strdup_printf ("Frame %u is", gap->first);
  return g_strdup_printf (
      "Frames %u to %u are", gap->first, gap->first + gap->n - 1);
}

static void
tell (GstPacoGaps *gaps, GstElement *element, const Gap *gap, guint64 byte,
    GstClockTime time, gboolean lost)
{
  g_autofree char *which = describe (gap);
  gboolean *told = lost ? &gaps->told_lost : &gaps->told_cut;

  GST_OBJECT_LOCK (element);
  gaps->missing += gap->n;
  gaps->gaps++;
  GST_OBJECT_UNLOCK (element);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("paco-missing-frames", "first", G_TYPE_UINT,
              gap->first, "count", G_TYPE_UINT, gap->n, "bytes", G_TYPE_UINT64,
              gap->bytes, "offset", G_TYPE_UINT64, byte, "timestamp",
              GST_TYPE_CLOCK_TIME, time, "lost", G_TYPE_BOOLEAN, lost, NULL)));
  if (*told)
    GST_WARNING_OBJECT (element,
        "%s missing, of %" G_GUINT64_FORMAT " bytes, before byte "
        "%" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT,
        which, gap->bytes, byte, GST_TIME_ARGS (time));
  else if (lost)
    GST_ELEMENT_WARNING (element, STREAM, DECODE,
        ("%s missing in the PaCo stream, %" G_GUINT64_FORMAT
         " bytes before byte %" G_GUINT64_FORMAT ", at %" GST_TIME_FORMAT ".",
            which, gap->bytes, byte, GST_TIME_ARGS (time)),
        (NULL));
  else
    GST_ELEMENT_INFO (element, STREAM, DECODE,
        ("%s not in the PaCo stream, before byte %" G_GUINT64_FORMAT
         " at %" GST_TIME_FORMAT ": cut out, or lost before.",
            which, byte, GST_TIME_ARGS (time)),
        (NULL));
  *told = TRUE;
}

gboolean
gst_paco_gaps_frame (GstPacoGaps *gaps, GstElement *element,
    const PacoHeader *header, guint64 byte, GstClockTime time, gboolean lost)
{
  const PacoPlace *place = &header->video.place;
  gboolean goes_on, has_gap;
  Gap gap;

  if (byte != gaps->next_byte)
    gaps->expects = FALSE; /* somebody has seeked */
  gaps->next_byte = byte + header->frame_size;
  goes_on = gaps->expects && header->video.has_place
      && place->number == gaps->next.number;
  has_gap = header->video.has_place && find_gap (gaps, place, &gap);
  if (has_gap)
    tell (gaps, element, &gap, byte, time, lost);
  else if (gaps->expects && !goes_on)
    GST_DEBUG_OBJECT (element,
        "another stream goes on with its frame %u at byte %" G_GUINT64_FORMAT,
        place->number, byte);
  expect_next (gaps, header, goes_on || has_gap);
  GST_OBJECT_LOCK (element);
  gaps->frames++;
  GST_OBJECT_UNLOCK (element);
  return has_gap;
}

GstStructure *
gst_paco_gaps_stats (const GstPacoGaps *gaps)
{
  return gst_structure_new ("application/x-pacoparse-stats", "frames",
      G_TYPE_UINT64, gaps->frames, "missing", G_TYPE_UINT64, gaps->missing,
      "gaps", G_TYPE_UINT64, gaps->gaps, "damaged", G_TYPE_UINT64,
      gaps->damaged, "damaged-bytes", G_TYPE_UINT64, gaps->damaged_bytes, NULL);
}
