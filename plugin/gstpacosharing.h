/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The coder of an element among elements whose pictures are in the memory of a
 * GPU: it moves into their context, where it reads and writes the pictures in
 * place. pacoenc and pacodec decide when; gstpacocuda.h has what is shared. */
#pragma once
#include "gstpacocoder.h"

G_BEGIN_DECLS

/* Whether the coder can work on pictures in device memory, or may once it is
 * open. From any thread. */
gboolean gst_paco_sharing_is_possible (GstPacoCoder *coder);

/* Caps of raw pictures, which are taken, as they are possible now. */
GstCaps *gst_paco_sharing_limit_caps (GstPacoCoder *coder, GstCaps *raw);

/* To begin with: opens a coder in the context of a neighbor, or in one that the
 * element has been given, so that it need not move later. NULL if there is none,
 * or none that is of use. */
PacoCoder *gst_paco_sharing_open (
    GstPacoCoder *coder, const GstPacoSettings *settings);

/* Has the coder work in the context that is shared with neighbors, or in a new one
 * to be shared if there is none and one may be created. It has nothing in flight,
 * and has to be configured afterwards. FALSE, with a warning on the bus, if that
 * cannot be: then pictures are copied by way of the host. */
gboolean gst_paco_sharing_enter (GstPacoCoder *coder, gboolean may_create);

/* Whether a buffer lies in another context, in which the coder may work instead;
 * and has it do so, as above. */
gboolean gst_paco_sharing_is_elsewhere (GstPacoCoder *coder, GstBuffer *buffer);
gboolean gst_paco_sharing_follow (GstPacoCoder *coder, GstBuffer *buffer);

G_END_DECLS
