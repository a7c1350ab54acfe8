/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacodec consists of: gstpacodec.c has the element and takes each frame through
 * the coder, gstpacoinput.c reads frames, gstpacodecformat.c configures it for the frames that come, and
 * gstpacodecstack.c collects the slices of stacks. */
#pragma once
#include "gstpacodamage.h"
#include "codec/decoder.h"
#include "lib/stream/stacks.h"
#include "plugin/meta/gstpacometa.h"
#include "gstpacooutput.h"
#include "plugin/coder/gstpacostack.h"
#include <gst/video/gstvideodecoder.h>

#define GST_TYPE_PACO_DEC (gst_paco_dec_get_type ())
G_DECLARE_FINAL_TYPE (GstPacoDec, gst_paco_dec, GST, PACO_DEC, GstVideoDecoder)

/* What pacodec decodes: frames as they come in, and the format of the stream. A
 * frame of another format than the stream's is odd. If it needs something that is
 * not available, only this frame fails, and the others go on. */
typedef struct
{
  GstVideoCodecState *state; /* upstream's caps, or NULL */
  gboolean configured;
  PacoHeader header; /* of the frame that was configured for */
  /* The format of which frames have been decoded since the start: the stream's. */
  PacoHeader decoded;
  gboolean has_decoded;
} GstPacoInput;

struct _GstPacoDec
{
  GstVideoDecoder parent;

  GstPacoCoder coder;
  GstPacoDamage damage;

  /* The streaming thread uses these. The pipe's thread reads of them what does not
   * change while frames are in flight. */
  GstPacoInput input;
  GstPacoOutput output;
  GstPacoMetaNames names;
  GstPacoStack stack; /* the slices that wait for the others of their stack */
  PacoStacks stacks;  /* What the last slice was. */
  gboolean key_units_only; /* upstream may leave out all other frames */
  /* Downstream has asked for other caps since the last negotiation. Atomic. */
  gint outdated;
};

/* --- gstpacoinput.c --- */

/* Frames in one piece and frames of two fields may be in one stream. */
gboolean gst_paco_input_is_odd (
    const GstPacoInput *input, const PacoHeader *header);
/* Makes a lack of memory for an odd frame an error of that frame. */
void gst_paco_input_excuse (
    const GstPacoInput *input, const PacoHeader *header, GError *error);

/* Error UNSUPPORTED is that of this frame if it is odd, else that of the stream. */
gboolean gst_paco_input_check_reduce (const GstPacoInput *input,
    const PacoHeader *header, guint reduce, GError **error);

static inline void
gst_paco_header_copy (PacoHeader *copy, const PacoHeader *header)
{
  *copy = *header;
  copy->set = NULL;
  copy->video.ancillary = (PacoAncillary){ NULL, 0 };
}
/* Says that a frame of the configured format has been decoded. */
void gst_paco_input_decoded (GstPacoInput *input);

/* Reports a frame that cannot be decoded, and drops it. If the frame is to blame, that
 * is an error only beyond the property max-errors. */
GstFlowReturn gst_paco_dec_fail_frame (
    GstPacoDec *self, GstVideoCodecFrame *frame, const GError *error);
/* Says whether the picture would come too late, and the property qos is set. */
gboolean gst_paco_dec_is_late (GstPacoDec *self, GstVideoCodecFrame *frame);

/* Maps the input of a frame and reads its header. Nothing is negotiated or allocated for
 * a picture of more pixels than the property max-pixels. Errors are the frame's. */
gboolean gst_paco_dec_read (GstPacoDec *self, GstPacoFrame *frame,
    PacoCodedFrame *coded, GError **error);

/* --- gstpacodecformat.c --- */

/* Configures the element again if the frame needs it, when those in flight are done;
 * without the stream lock. GST_FLOW_OK with *error set: only this frame is to blame. */
GstFlowReturn gst_paco_dec_configure_for (GstPacoDec *self,
    GstVideoCodecFrame *frame, const PacoHeader *header, GError **error);

/* --- gstpacodecstack.c --- */

/* Errors of pictures for which downstream gives no memory. */
#define GST_PACO_DEC_NO_BUFFER "no buffer can be had for a decoded picture"
#define GST_PACO_DEC_NO_ROOM                                                   \
  "downstream's buffer cannot be written to, or is too small"

/* Decodes the slices that wait if the frame is not of their stack, and takes the frame
 * (*taken) if it is a slice. Without the stream lock, and with all frames of the coder
 * free. GST_FLOW_OK with *error set: the slice cannot be taken. */
GstFlowReturn gst_paco_dec_stack_frame (GstPacoDec *self,
    GstVideoCodecFrame *frame, const PacoHeader *header, gboolean *taken,
    GError **error);
/* In the pipe's thread: notes what has become of a slice. */
void gst_paco_dec_stack_decoded (
    GstPacoDec *self, GstPacoFrame *frame, PacoDecodedFrame *decoded);
/* Decodes the slices that wait, and waits for all frames; releases the stream lock
 * meanwhile. Without `ends` slices of a stack that may go on stay. */
GstFlowReturn gst_paco_dec_stack_drain (GstPacoDec *self, gboolean ends);
void gst_paco_dec_stack_flush (GstPacoDec *self);
