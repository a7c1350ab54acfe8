/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The account of damage in a stream that pacodec decodes: which frames had
 * broken codeblocks and which could not be decoded, and what a user hears of
 * it. The first such frame gives a warning on the bus, those after it go to the
 * log, and at the end of the stream a warning tells how many there were. */
#pragma once
#include <gst/video/video.h>

typedef struct
{
  guint64 decoded; /* frames, the damaged ones included */
  guint64 damaged; /* frames with broken codeblocks */
  guint64 lost;    /* frames that could not be decoded */
  guint64 blocks;  /* broken codeblocks */
} GstPacoDamageCounts;

typedef struct
{
  GstElement *element;
  /* Since the start, and since the last flush. The object lock guards them. */
  GstPacoDamageCounts all, counts;
  gboolean told; /* whether damage has been reported on the bus */
  gboolean told_of_key_units;
  char *
      reason; /* why the first frame of `counts` was lost, or NULL; as they are */
} GstPacoDamage;

void gst_paco_damage_start (GstPacoDamage *damage, GstElement *element);
/* When the element is stopped; counts stay. */
void gst_paco_damage_clear (GstPacoDamage *damage);
/* When the stream goes on from another place. */
void gst_paco_damage_flush (GstPacoDamage *damage);

/* A frame was decoded with n broken codeblocks, some of them concealed. */
void gst_paco_damage_decoded (GstPacoDamage *damage,
    const GstVideoCodecFrame *frame, guint broken_blocks,
    guint concealed_blocks);
/* A frame was decoded of a stack of which n_bad others are missing or damaged. */
void gst_paco_damage_shared (GstPacoDamage *damage,
    const GstVideoCodecFrame *frame, guint n_bad, guint length);
/* A key unit alone is dropped: it shows nothing without the others of its stack. That
 * is no damage; the first one gives a warning. */
void gst_paco_damage_key_unit (
    GstPacoDamage *damage, const GstVideoCodecFrame *frame, guint length);
/* Upstream may know of more damage than the blocks' checks tell. */
void gst_paco_damage_flag (GstVideoCodecFrame *frame, gboolean damaged);
void gst_paco_damage_lost (
    GstPacoDamage *damage, const GstVideoCodecFrame *frame, const char *reason);

/* At the end of the stream: posts what was counted. GST_FLOW_ERROR, with an error that
 * has the first reason, if there were frames and none could be decoded. */
GstFlowReturn gst_paco_damage_end (GstPacoDamage *damage);

/* Adds the counts since the start. The object lock must be held. */
void gst_paco_damage_to_stats (
    const GstPacoDamage *damage, GstStructure *stats);
