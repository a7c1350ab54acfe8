/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Seeking in a file that pacoparse reads on its own, with an index of it. */
#pragma once
#include "gstpacofileindex.h"
#include "gstpacotime.h"
#include <gst/base/gstbaseparse.h>

G_BEGIN_DECLS

/* A file to be read through a sink pad in pull mode. FALSE if its size is
 * unknown. */
gboolean gst_paco_seek_open_file (GstPacoFile *file, GstPad *pad);

/* Takes a seek event and returns it, or another one to be handled instead. The
 * base class seeks exactly where its own index has the frame, so it is told of
 * the one that the event leads to; a seek to a key unit becomes one to the
 * frame's beginning. In any thread. */
GstEvent *gst_paco_seek_prepare (GstBaseParse *base, GstPacoFileIndex *index,
    const GstPacoGrid *grid, GstEvent *event);

G_END_DECLS
