/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacoenc consists of: gstpacoenc.c has the element and what it does with every
 * frame, gstpacoencstack.c what it does with stacks. */
#pragma once
#include "gstpacocoder.h"
#include "gstpacoenc.h"
#include "gstpacoencproperties.h"
#include "gstpacorate.h"
#include "gstpacostack.h"

G_BEGIN_DECLS

struct _GstPacoEnc
{
  GstVideoEncoder parent;

  GstPacoCoder coder;

  /* Under the object lock. */
  GstPacoEncProperties properties;
  gboolean rate_changed;
  GstPacoRecent recent;
  GstPacoMetaLoss loss;

  /* The format; streaming thread only. */
  GstVideoCodecState *input_state;
  GstCaps *coded_caps; /* of the frames, as video/x-paco */
  PacoRawFormat raw;
  PacoVideoInfo video;
  PacoPlace place; /* of the next frame to be pushed; under the stream lock */
  PacoParameters parameters;
  GstPacoMetadata metadata;
  gboolean fields; /* the next frame is coded as two fields */
  /* The pictures come in device memory; and whether the coder may go to where
   * the next one is. */
  gboolean on_device, may_follow;
  char *ignored; /* what the user was last warned of, or NULL */
  /* The pictures that are coded together next, or NULL if each is for itself; how
   * many these are; and the number of their stack. */
  GstPacoStack *stack;
  guint stack_length;
  guint32 n_stacks;
};

/* --- gstpacoenc.c --- */

/* Hands a frame and its picture to the coder, which has the frame on GST_FLOW_OK.
 * slice: what it is of a stack. */
GstFlowReturn gst_paco_enc_submit (GstPacoEnc *self, GstPacoFrame *frame,
    const PacoPicture *picture, const PacoSlice *slice);

/* --- gstpacoencstack.c --- */

/* For the format that has been read: FALSE if its pictures cannot be coded in stacks,
 * though that was asked for. The element has posted an error then. */
gboolean gst_paco_enc_stack_prepare (GstPacoEnc *self);
void gst_paco_enc_stack_free (GstPacoEnc *self);

/* A frame comes, which waits for the others of its stack; the last one has all of them
 * coded. *taken tells whether it does. Without the stream lock. */
GstFlowReturn gst_paco_enc_stack_add (
    GstPacoEnc *self, GstVideoCodecFrame *frame, gboolean *taken);
/* Codes the pictures that wait. Without the stream lock. */
GstFlowReturn gst_paco_enc_stack_end (GstPacoEnc *self);
/* Codes what waits, and waits for all frames. With the stream lock, which is released
 * meanwhile. */
GstFlowReturn gst_paco_enc_stack_drain (GstPacoEnc *self);

G_END_DECLS
