/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The element pacoparse, which splits a PaCo stream into frames and adapts it to
 * containers. plugin.c registers it. */
#pragma once
#include <gst/base/gstbaseparse.h>

G_BEGIN_DECLS

#define GST_TYPE_PACO_PARSE (gst_paco_parse_get_type ())
G_DECLARE_FINAL_TYPE (
    GstPacoParse, gst_paco_parse, GST, PACO_PARSE, GstBaseParse)

GST_ELEMENT_REGISTER_DECLARE (pacoparse)

G_END_DECLS
