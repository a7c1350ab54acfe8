/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The element rtppacodepay, which plugin.c registers. */
#pragma once
#include <gst/rtp/rtp.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_PACO_DEPAY (gst_rtp_paco_depay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpPacoDepay, gst_rtp_paco_depay, GST, RTP_PACO_DEPAY,
    GstRTPBaseDepayload)

GST_ELEMENT_REGISTER_DECLARE (rtppacodepay);

G_END_DECLS
