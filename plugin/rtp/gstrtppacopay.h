/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The element rtppacopay, which plugin.c registers. */
#pragma once
#include <gst/rtp/rtp.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_PACO_PAY (gst_rtp_paco_pay_get_type ())
G_DECLARE_FINAL_TYPE (
    GstRtpPacoPay, gst_rtp_paco_pay, GST, RTP_PACO_PAY, GstRTPBasePayload)

GST_ELEMENT_REGISTER_DECLARE (rtppacopay);

G_END_DECLS
