/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The element pacoenc, which codes raw video to video/x-paco. plugin.c registers it. */
#pragma once
#include <gst/video/gstvideoencoder.h>

G_BEGIN_DECLS

#define GST_TYPE_PACO_ENC (gst_paco_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstPacoEnc, gst_paco_enc, GST, PACO_ENC, GstVideoEncoder)

GST_ELEMENT_REGISTER_DECLARE (pacoenc);

G_END_DECLS
