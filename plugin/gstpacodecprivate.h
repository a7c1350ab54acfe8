/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacodec consists of: gstpacodec.c has the element and what it does with every
 * frame, gstpacodecstack.c what it does with stacks. */
#pragma once
#include "gstpacodamage.h"
#include "gstpacodec.h"
#include "gstpacoinput.h"
#include "gstpacometa.h"
#include "gstpacooutput.h"
#include "gstpacostack.h"

G_BEGIN_DECLS

struct _GstPacoDec
{
  GstVideoDecoder parent;

  GstPacoCoder coder;
  GstPacoDamage damage;
  guint reduce; /* under the object lock */

  /* Streaming thread only; the pipe's thread reads what does not change while
   * frames are in flight. */
  GstPacoInput input;
  GstPacoOutput output;
  GstPacoMetaNames names;
  GstPacoStack stack; /* slices that wait for the others */
  gint outdated;      /* atomic: downstream has asked for other caps since */
};

/* --- gstpacodec.c --- */

/* Reports a frame that cannot be decoded and drops it. Where the frame is to
 * blame, the result is an error only once there are more than the property
 * max-errors allows. */
GstFlowReturn gst_paco_dec_fail_frame (
    GstPacoDec *self, GstVideoCodecFrame *frame, const GError *error);
void gst_paco_dec_claim_latency (GstPacoDec *self);
/* Whether a picture would come too late to be of use, and such are to be left out. */
gboolean gst_paco_dec_is_late (GstPacoDec *self, GstVideoCodecFrame *frame);

/* Maps the input of a frame and reads its header. Errors are the frame's. */
gboolean gst_paco_dec_read (GstPacoDec *self, GstPacoFrame *frame,
    PacoCodedFrame *coded, GError **error);
/* Gets ready for a frame like header's, if the decoder is not. Without the stream
 * lock. Returns GST_FLOW_OK with *error set where only this frame is to blame. */
GstFlowReturn gst_paco_dec_configure_for (GstPacoDec *self,
    GstVideoCodecFrame *frame, const PacoHeader *header, GError **error);

/* --- gstpacodecstack.c --- */

/* Whether the frame in this buffer is a slice, as far as it can be read. */
gboolean gst_paco_dec_is_slice (GstBuffer *buffer);
/* Decodes the slices that wait, if the frame in this buffer is none of their stack.
 * Without the stream lock. */
GstFlowReturn gst_paco_dec_stack_end_before (
    GstPacoDec *self, GstBuffer *buffer);
/* A frame that has been read is a slice: it waits for the others, which sets *taken, or
 * the last one has them all decoded. Without the stream lock. Returns GST_FLOW_OK with
 * *error set where the frame is to blame. */
GstFlowReturn gst_paco_dec_stack_add (GstPacoDec *self, GstPacoFrame *frame,
    const PacoHeader *header, gboolean *taken, GError **error);
/* A slice has come back from the coder; in the pipe's thread. */
void gst_paco_dec_stack_decoded (
    GstPacoDec *self, GstPacoFrame *frame, PacoDecodedFrame *decoded);
/* With the stream lock: ends the stack, unless more of it may come before the stream
 * ends, and waits for all frames; drops it. */
GstFlowReturn gst_paco_dec_stack_drain (GstPacoDec *self, gboolean ends);
void gst_paco_dec_stack_flush (GstPacoDec *self);

G_END_DECLS
