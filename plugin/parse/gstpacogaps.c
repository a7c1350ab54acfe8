/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The account of missing frames, for pacoparse (gstpacogaps.h); lib/stream/gaps.c finds
 * them. */
#include "gstpacogaps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

void
gst_paco_gaps_start (GstPacoGaps *gaps, GstElement *element)
{
  GST_OBJECT_LOCK (element);
  *gaps = (GstPacoGaps){ .element = element };
  GST_OBJECT_UNLOCK (element);
}

void
gst_paco_gaps_forget (GstPacoGaps *gaps)
{
  paco_gaps_forget (&gaps->gaps);
}

void
gst_paco_gaps_damage (
    GstPacoGaps *gaps, guint64 byte, gsize bytes, gboolean first)
{
  paco_gaps_damage (&gaps->gaps, byte, bytes);
  GST_OBJECT_LOCK (gaps->element);
  gaps->damaged += first;
  gaps->damaged_bytes += bytes;
  GST_OBJECT_UNLOCK (gaps->element);
}

static char *
describe (const PacoGap *gap)
{
  if (gap->n == 1)
    return g_strdup_printf ("Frame %u is", gap->first);
  return g_strdup_printf (
      "Frames %u to %u are", gap->first, gap->first + gap->n - 1);
}

static void
tell (GstPacoGaps *gaps, const PacoGap *gap, guint64 byte, GstClockTime time,
    gboolean lost)
{
  g_autofree char *which = describe (gap);
  gboolean *told = lost ? &gaps->told_lost : &gaps->told_cut;

  GST_OBJECT_LOCK (gaps->element);
  gaps->missing += gap->n;
  gaps->n_gaps++;
  GST_OBJECT_UNLOCK (gaps->element);
  gst_element_post_message (gaps->element,
      gst_message_new_element (GST_OBJECT (gaps->element),
          gst_structure_new ("paco-missing-frames", "first", G_TYPE_UINT,
              gap->first, "count", G_TYPE_UINT, gap->n, "bytes", G_TYPE_UINT64,
              gap->bytes, "offset", G_TYPE_UINT64, byte, "timestamp",
              GST_TYPE_CLOCK_TIME, time, "lost", G_TYPE_BOOLEAN, lost, NULL)));
  if (*told)
    GST_WARNING_OBJECT (gaps->element,
        "%s missing, of %" G_GUINT64_FORMAT " bytes, before byte "
        "%" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT,
        which, gap->bytes, byte, GST_TIME_ARGS (time));
  else if (lost)
    GST_ELEMENT_WARNING (gaps->element, STREAM, DECODE,
        ("%s missing in the PaCo stream, %" G_GUINT64_FORMAT
         " bytes before byte %" G_GUINT64_FORMAT ", at %" GST_TIME_FORMAT ".",
            which, gap->bytes, byte, GST_TIME_ARGS (time)),
        (NULL));
  else
    GST_ELEMENT_INFO (gaps->element, STREAM, DECODE,
        ("%s not in the PaCo stream, before byte %" G_GUINT64_FORMAT
         " at %" GST_TIME_FORMAT ": cut out, or lost before.",
            which, byte, GST_TIME_ARGS (time)),
        (NULL));
  *told = TRUE;
}

gboolean
gst_paco_gaps_frame (GstPacoGaps *gaps, const PacoHeader *header, guint64 byte,
    GstClockTime time, gboolean lost)
{
  PacoGap gap;
  PacoGapsResult result = paco_gaps_frame (&gaps->gaps, header, byte, &gap);

  if (result == PACO_GAPS_MISSING)
    tell (gaps, &gap, byte, time, lost);
  else if (result == PACO_GAPS_OTHER_STREAM)
    GST_DEBUG_OBJECT (gaps->element,
        "another stream goes on with its frame %u at byte %" G_GUINT64_FORMAT,
        header->video.place.number, byte);
  GST_OBJECT_LOCK (gaps->element);
  gaps->frames++;
  GST_OBJECT_UNLOCK (gaps->element);
  return result == PACO_GAPS_MISSING;
}

GstStructure *
gst_paco_gaps_stats (const GstPacoGaps *gaps)
{
  return gst_structure_new ("application/x-pacoparse-stats", "frames",
      G_TYPE_UINT64, gaps->frames, "missing", G_TYPE_UINT64, gaps->missing,
      "gaps", G_TYPE_UINT64, gaps->n_gaps, "damaged", G_TYPE_UINT64,
      gaps->damaged, "damaged-bytes", G_TYPE_UINT64, gaps->damaged_bytes, NULL);
}
