/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Places the coder of an element among elements whose pictures are in the memory of
 * a GPU: it moves into their context, where it reads and writes the pictures in
 * place. pacoenc and pacodec decide when; gstpacocuda.h has what is shared. */
#pragma once
#include "plugin/coder/gstpacocoder.h"

G_BEGIN_DECLS

/* Says whether the coder can work on pictures in device memory, or may be able to
 * when it is open. Any thread may call it. */
gboolean gst_paco_sharing_is_possible (GstPacoCoder *coder);

/* Restricts caps of raw pictures, which it takes ownership of, to what is possible
 * now. */
GstCaps *gst_paco_sharing_limit_caps (GstPacoCoder *coder, GstCaps *raw);

/* Opens, at the start, a coder in the context of a neighbor, or in one that the
 * element has been given, so that it need not move later. Returns NULL if there
 * is no context that can be used. */
PacoCoder *gst_paco_sharing_open (
    GstPacoCoder *coder, const PacoSettings *settings);

/* Moves the coder into the context that is shared with neighbors, or into a new
 * one if there is none and one may be created. The coder must have nothing in
 * flight, and has to be configured afterwards. If it cannot move, returns FALSE
 * and posts a warning; then pictures are copied through the host. */
gboolean gst_paco_sharing_enter (GstPacoCoder *coder, gboolean may_create);

/* The first says whether a buffer lies in another context, in which the coder could
 * work; the second moves the coder there, as above. */
gboolean gst_paco_sharing_is_elsewhere (GstPacoCoder *coder, GstBuffer *buffer);
gboolean gst_paco_sharing_follow (GstPacoCoder *coder, GstBuffer *buffer);

G_END_DECLS
