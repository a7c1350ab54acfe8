/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacodec decodes: frames as they come in, and the format of the stream. A
 * frame of another format than the stream's is odd. If it needs something that is
 * not available, only this frame fails, and the others go on. */
#pragma once
#include "codec/decoder.h"
#include "plugin/coder/gstpacoframes.h"

G_BEGIN_DECLS

typedef struct
{
  GstVideoCodecState *state; /* upstream's caps, or NULL */
  gboolean configured;
  PacoHeader header; /* of the frame that was configured for */
  /* The last format of which a frame has been decoded since the start, and
   * whether there is one: it is the stream's. */
  PacoHeader decoded;
  gboolean has_decoded;
} GstPacoInput;

/* Forgets what is known of the stream. */
void gst_paco_input_start (GstPacoInput *input);
void gst_paco_input_clear (GstPacoInput *input);
/* Says that other caps come, whose first frame brings the format. */
void gst_paco_input_set_state (GstPacoInput *input, GstVideoCodecState *state);

/* Maps the input of a frame and reads its header. Nothing is negotiated or
 * allocated for a picture of more than max_pixels. Errors are the frame's. */
gboolean gst_paco_input_read (GstPacoFrame *frame, guint max_pixels,
    PacoCodedFrame *coded, GError **error);

/* Says whether header is of another format than the stream. Frames in one piece and
 * frames of two fields may be in one stream. */
gboolean gst_paco_input_is_odd (
    const GstPacoInput *input, const PacoHeader *header);
/* Turns the error that there is no memory for an odd frame into an error of that
 * frame. */
void gst_paco_input_excuse (
    const GstPacoInput *input, const PacoHeader *header, GError *error);

/* Says whether `reduce` levels can be left out. Error UNSUPPORTED is that of this
 * frame if it is odd, else that of the stream. */
gboolean gst_paco_input_check_reduce (const GstPacoInput *input,
    const PacoHeader *header, guint reduce, GError **error);

/* Copies a header without what lies in the memory that it was read from. */
static inline void
gst_paco_header_copy (PacoHeader *copy, const PacoHeader *header)
{
  *copy = *header;
  copy->set = NULL;
  copy->video.ancillary = (PacoAncillary){ NULL, 0 };
}
/* Says that the decoder has been configured for frames like header's. */
void gst_paco_input_configured (GstPacoInput *input, const PacoHeader *header);
/* Says that a frame of the configured format has been decoded. */
void gst_paco_input_decoded (GstPacoInput *input);

G_END_DECLS
