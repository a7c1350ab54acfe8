/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The elements, which plugin.c registers. */
#pragma once
#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (pacoenc);
GST_ELEMENT_REGISTER_DECLARE (pacodec);
GST_ELEMENT_REGISTER_DECLARE (pacoparse);
GST_ELEMENT_REGISTER_DECLARE (rtppacopay);
GST_ELEMENT_REGISTER_DECLARE (rtppacodepay);
