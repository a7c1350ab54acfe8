/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacoparse consists of: gstpacoparse.c has the element and finds frames in
 * bytes, gstpacoparseformat.c tells downstream what these frames are. */
#pragma once
#include "caps/videocaps.h"
#include "gstpacogaps.h"
#include "plugin/meta/gstpacometa.h"
#include "gstpacoreader.h"
#include "gstpacoseek.h"
#include "gstpacosplitter.h"
#include "gstpacotime.h"
#include <gst/base/gstbaseparse.h>

#define GST_TYPE_PACO_PARSE (gst_paco_parse_get_type ())
G_DECLARE_FINAL_TYPE (
    GstPacoParse, gst_paco_parse, GST, PACO_PARSE, GstBaseParse)

struct _GstPacoParse
{
  GstBaseParse parent;
  GstPadChainFunction base_chain; /* the base class's own */

  /* Properties, atomic. max_frame_size is 0 if frames are not cut. */
  guint max_wait_size, max_frame_size;

  /* The splitter cuts pushed bytes into pieces, and `piece` is the one that the base
   * class is given just then. Bytes that are pulled, and packets of demuxers, do not
   * go through it: its sync alone is asked what they are. */
  GstPacoSplitter splitter;
  const GstPacoPiece *piece;

  /* What upstream has said. */
  GstCaps *sink_caps;
  gboolean time_segment;    /* it sets timestamps */
  gboolean framed;          /* it does, and each of its buffers is one frame */
  GstClockTime packet_time; /* the duration of its last buffer */

  /* What the last header has said. known: downstream has been told of it. */
  gboolean known;
  PacoPictureFormat picture;
  PacoVideoInfo video;
  GstPacoGrid grid; /* the times of frames, from where the frame rate began */
  gboolean rate_changed; /* so that a frame's number does not say its time */
  gboolean tagged;       /* downstream has got the tags */

  /* lost: lost_bytes bytes were thrown away since the last frame. discont: upstream
   * has said since then that something is missing. */
  gboolean lost, discont;
  guint64 lost_bytes;
  GstPacoGaps gaps;

  GByteArray *header; /* memory for the header of a frame */
  GstPacoMetaNames names;

  /* Of a file that is pulled. The bytes up to garbage_to are known to be no frames;
   * whether a header up to doubt_to tells the truth is tried before its frame is
   * read. */
  guint64 garbage_to, doubt_to;
  GstPacoReader reader;
  GstPacoSeek seek;

  /* With max-frame-size. */
  gboolean cuts;      /* a frame was cut */
  guint64 cut_offset; /* of the next frame, if it is cut */
  GstBuffer *cut;     /* what the frame that is being finished was cut to */
};

static inline gboolean
gst_paco_parse_is_pulling (GstPacoParse *self)
{
  return GST_PAD_MODE (GST_BASE_PARSE_SINK_PAD (self)) == GST_PAD_MODE_PULL;
}

/* --- gstpacoparseformat.c --- */

/* Sets caps downstream if the header tells of another video, or downstream asks for it.
 * buffer has the timestamp of the base class. */
GstFlowReturn gst_paco_parse_update_format (
    GstPacoParse *self, const PacoHeader *header, const GstBuffer *buffer);

/* Timestamps from upstream stay. Else frames follow each other at the frame rate, of
 * which the base class adds up rounded durations. */
void gst_paco_parse_stamp (
    GstPacoParse *self, GstBuffer *buffer, const PacoFileFrame *frame);

/* Returns the frame in the first `size` bytes, cut to max_size bytes and put at that
 * place. NULL with a warning if the frame is to blame and left out; else with an error
 * posted and *flow set. */
GstBuffer *gst_paco_cut (GstElement *element, GstBuffer *buffer, gsize size,
    gsize max_size, const PacoPlace *place, GstFlowReturn *flow);
