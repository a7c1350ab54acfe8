/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The presets that are built into pacoenc, as GstPreset shows them. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

/* The GInterfaceInitFunc of pacoenc for GST_TYPE_PRESET, which its parent class
 * implements, too. */
void gst_paco_preset_init (gpointer interface, gpointer data);

G_END_DECLS
