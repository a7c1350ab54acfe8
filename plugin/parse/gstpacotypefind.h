/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The typefinder of elementary streams, which plugin.c registers. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

GST_TYPE_FIND_REGISTER_DECLARE (pacotypefind);

G_END_DECLS
