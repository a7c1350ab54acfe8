/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The account of damage (gstpacodamage.h). Messages are posted without the object
 * lock. */
#include "gstpacodamage.h"

#define FORMAT G_GUINT64_FORMAT

void
gst_paco_damage_start (GstPacoDamage *damage, GstElement *element)
{
  GST_OBJECT_LOCK (element);
  g_free (damage->reason);
  *damage = (GstPacoDamage){ .element = element };
  GST_OBJECT_UNLOCK (element);
}

void
gst_paco_damage_clear (GstPacoDamage *damage)
{
  g_clear_pointer (&damage->reason, g_free);
}

void
gst_paco_damage_flush (GstPacoDamage *damage)
{
  GST_OBJECT_LOCK (damage->element);
  damage->counts = (GstPacoDamageCounts){ 0 };
  g_clear_pointer (&damage->reason, g_free);
  GST_OBJECT_UNLOCK (damage->element);
}

/* Counts a frame, and takes the sentence that says what is wrong with it, or NULL. The
 * first such sentence goes to the bus, others to the log only. */
static void
note (GstPacoDamage *damage, const GstVideoCodecFrame *frame,
    GstPacoDamageCounts counts, char *sentence)
{
  GstPacoDamageCounts *sums[] = { &damage->all, &damage->counts };
  gboolean first;

  GST_OBJECT_LOCK (damage->element);
  for (guint i = 0; i < G_N_ELEMENTS (sums); i++) {
    sums[i]->decoded += counts.decoded;
    sums[i]->damaged += counts.damaged;
    sums[i]->lost += counts.lost;
    sums[i]->blocks += counts.blocks;
  }
  first = sentence != NULL && !damage->told;
  damage->told |= first;
  GST_OBJECT_UNLOCK (damage->element);
  if (first)
    GST_ELEMENT_WARNING (damage->element, STREAM, DECODE,
        ("Frame %u, at %" GST_TIME_FORMAT ", %s", frame->system_frame_number,
            GST_TIME_ARGS (frame->pts), sentence),
        ("further damage goes to the log and is counted until the end of the "
         "stream"));
  else if (sentence != NULL)
    GST_WARNING_OBJECT (damage->element,
        "frame %u, at %" GST_TIME_FORMAT ", %s", frame->system_frame_number,
        GST_TIME_ARGS (frame->pts), sentence);
  g_free (sentence);
}

void
gst_paco_damage_decoded (GstPacoDamage *damage, const GstVideoCodecFrame *frame,
    guint broken_blocks, guint concealed_blocks)
{
  char *sentence = NULL;

  if (broken_blocks > 0)
    sentence = g_strdup_printf (
        "is damaged: %u of its codeblocks are broken and leave blurred or gray "
        "spots, but for %u that are concealed",
        broken_blocks, concealed_blocks);
  note (damage, frame,
      (GstPacoDamageCounts){
          .decoded = 1, .damaged = broken_blocks > 0, .blocks = broken_blocks },
      sentence);
}

void
gst_paco_damage_shared (GstPacoDamage *damage, const GstVideoCodecFrame *frame,
    guint n_bad, guint length)
{
  note (damage, frame, (GstPacoDamageCounts){ .decoded = 1, .damaged = 1 },
      g_strdup_printf ("is one of a stack of %u, of which %u are missing or "
                       "damaged, and is shown without what they say of it",
          length, n_bad));
}

void
gst_paco_damage_key_unit (
    GstPacoDamage *damage, const GstVideoCodecFrame *frame, guint length)
{
  if (damage->told_of_key_units) {
    GST_LOG_OBJECT (damage->element, "frame %u is a key unit alone: left out",
        frame->system_frame_number);
    return;
  }
  damage->told_of_key_units = TRUE;
  GST_ELEMENT_WARNING (damage->element, STREAM, DECODE,
      ("Only key units are asked for, and a picture of a stack of %u needs all "
       "frames of its stack: none of them is shown. Seek without "
       "GST_SEEK_FLAG_TRICKMODE_KEY_UNITS, or code with stack=1.",
          length),
      (NULL));
}

void
gst_paco_damage_flag (GstVideoCodecFrame *frame, gboolean damaged)
{
  if (!damaged
      && !GST_BUFFER_FLAG_IS_SET (
          frame->input_buffer, GST_BUFFER_FLAG_CORRUPTED))
    return;

  GST_VIDEO_CODEC_FRAME_FLAG_SET (frame, GST_VIDEO_CODEC_FRAME_FLAG_CORRUPTED);
  GST_BUFFER_FLAG_SET (frame->output_buffer, GST_BUFFER_FLAG_CORRUPTED);
}

void
gst_paco_damage_lost (
    GstPacoDamage *damage, const GstVideoCodecFrame *frame, const char *reason)
{
  GST_OBJECT_LOCK (damage->element);
  if (damage->reason == NULL)
    damage->reason = g_strdup (reason);
  GST_OBJECT_UNLOCK (damage->element);
  note (damage, frame, (GstPacoDamageCounts){ .lost = 1 },
      g_strdup_printf ("could not be decoded and is left out: %s", reason));
}

GstFlowReturn
gst_paco_damage_end (GstPacoDamage *damage)
{
  GstPacoDamageCounts counts;
  g_autofree char *reason = NULL;
  gboolean any_decoded;

  GST_OBJECT_LOCK (damage->element);
  counts = damage->counts;
  any_decoded = damage->all.decoded > 0;
  damage->counts = (GstPacoDamageCounts){ 0 };
  reason = g_steal_pointer (&damage->reason);
  GST_OBJECT_UNLOCK (damage->element);

  if (counts.damaged == 0 && counts.lost == 0)
    return GST_FLOW_OK;
  if (!any_decoded) {
    GST_ELEMENT_ERROR (damage->element, STREAM, DECODE,
        ("Not one of the %" FORMAT
         " frames of the stream could be decoded. The "
         "reason for the first one: %s.",
            counts.lost, reason != NULL ? reason : "unknown"),
        (NULL));
    return GST_FLOW_ERROR;
  }
  GST_ELEMENT_WARNING (damage->element, STREAM, DECODE,
      ("Of %" FORMAT " frames %" FORMAT " were damaged, with %" FORMAT
       " broken codeblocks, and %" FORMAT " could not be decoded.",
          counts.decoded + counts.lost, counts.damaged, counts.blocks,
          counts.lost),
      (NULL));
  return GST_FLOW_OK;
}

void
gst_paco_damage_to_stats (const GstPacoDamage *damage, GstStructure *stats)
{
  gst_structure_set (stats, "damaged-frames", G_TYPE_UINT64,
      damage->all.damaged, "lost-frames", G_TYPE_UINT64, damage->all.lost,
      NULL);
}
