/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The element pacodec, which decodes video/x-paco to raw video. plugin.c registers
 * it. */
#pragma once
#include <gst/video/gstvideodecoder.h>

G_BEGIN_DECLS

#define GST_TYPE_PACO_DEC (gst_paco_dec_get_type ())
G_DECLARE_FINAL_TYPE (GstPacoDec, gst_paco_dec, GST, PACO_DEC, GstVideoDecoder)

GST_ELEMENT_REGISTER_DECLARE (pacodec);

G_END_DECLS
