/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacoenc consists of: gstpacoenc.c has the element, gstpacoencformat.c configures
 * the coder for caps and properties, gstpacoencframes.c hands pictures to it, one by one
 * or in stacks, and gstpacopreset.c has presets. */
#pragma once
#include "codec/encoder.h"
#include "plugin/coder/gstpacocoder.h"
#include "plugin/coder/gstpacostack.h"
#include "plugin/meta/gstpacometa.h"
#include <gst/video/gstvideoencoder.h>

#define GST_TYPE_PACO_ENC (gst_paco_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstPacoEnc, gst_paco_enc, GST, PACO_ENC, GstVideoEncoder)

#define RECENT_FRAMES 16

/* The last frames that were finished. */
typedef struct
{
  guint64 n; /* frames so far; those before the last few are forgotten */
  guint sizes[RECENT_FRAMES];
  gdouble steps[RECENT_FRAMES]; /* in samples; 0: reversible */
} GstPacoRecent;

struct _GstPacoEnc
{
  GstVideoEncoder parent;

  GstPacoCoder coder;

  /* The object lock guards these. */
  GstPacoRecent recent;
  GstPacoMetaLoss loss;

  /* The format. The streaming thread uses it, and the pipe's thread reads of it what
   * does not change while frames are in flight. */
  GstVideoCodecState *input_state; /* NULL: there is none */
  GstCaps *coded_caps;             /* of the frames, as video/x-paco */
  PacoRawFormat raw;
  PacoVideoInfo video;
  PacoPlace
      place; /* of the next frame that is pushed; the stream lock guards it */
  PacoParameters parameters;
  GstPacoMetadata metadata;
  gboolean fields; /* the next frame is coded as two fields */
  /* The pictures are in the memory of a GPU and none has come yet, so that the coder
   * may still move to the context of the first one. */
  gboolean may_follow;
  char *ignored; /* what the user was last warned of, or NULL */
  /* The pictures that wait for others of their stack, or NULL if each is coded for
   * itself; how many a full stack has; and how many stacks there have been. */
  GstPacoStack *stack;
  guint stack_length;
  guint32 n_stacks;
};

/* --- gstpacoencformat.c --- */

/* Reads the properties, configures the coder for pictures of `state` and tells
 * downstream. Nothing may be in flight. FALSE with an error posted, unless it is
 * downstream that does not take the frames. */
gboolean gst_paco_enc_format_begin (
    GstPacoEnc *self, GstVideoCodecState *state);
void gst_paco_enc_format_end (GstPacoEnc *self);

/* Configures the coder for the format, also again after it was replaced. Nothing may
 * be in flight. Posts an error if it fails. */
gboolean gst_paco_enc_format_configure (GstPacoEnc *self);
/* In a mixed stream the next frames may be of two fields or in one piece. */
void gst_paco_enc_format_set_fields (GstPacoEnc *self, gboolean fields);
/* Has the next frames coded at the rate that the properties ask for now, and tells
 * downstream of it. The stream lock must not be held. */
GstFlowReturn gst_paco_enc_format_update_rate (GstPacoEnc *self);

/* --- gstpacoencframes.c --- */

/* The frame belongs to the pipe if GST_FLOW_OK is returned. */
GstFlowReturn gst_paco_enc_submit (GstPacoEnc *self, GstVideoCodecFrame *frame);

/* Gets ready to collect stacks, if the property asks for them; FALSE with an error
 * posted if that cannot be. The second frees the memory, and drops what waits. */
gboolean gst_paco_enc_stack_prepare (GstPacoEnc *self);
void gst_paco_enc_stack_free (GstPacoEnc *self);

/* Adds a frame to the stack, and sets *taken. The last frame of a full stack has all
 * of them coded. The stream lock must not be held. */
GstFlowReturn gst_paco_enc_stack_add (
    GstPacoEnc *self, GstVideoCodecFrame *frame, gboolean *taken);
/* Codes the pictures that wait, without the stream lock. */
GstFlowReturn gst_paco_enc_stack_end (GstPacoEnc *self);
/* Codes the pictures that wait, and waits for all frames. The stream lock must be
 * held; it is released meanwhile. */
GstFlowReturn gst_paco_enc_stack_drain (GstPacoEnc *self);

/* --- gstpacopreset.c --- */

/* Fills in what pacoenc does differently with presets, in its GstPresetInterface. */
void gst_paco_preset_init (gpointer interface, gpointer data);
