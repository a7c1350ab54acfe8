/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Gets the elements ready for a fuzz target, as fuzz.h says. */
#include "tests/fuzz/fuzz.h"
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

/* This is the plugin's entry point. */
void gst_plugin_paco_register (void);

/* What GLib and GStreamer complain of is an error of those who call them. libFuzzer
 * keeps the input of what aborts; GLib itself would trap. */
static void
log_message (const gchar *domain, GLogLevelFlags level, const gchar *message,
    gpointer data)
{
  fprintf (stderr, "%s: %s\n", domain ? domain : "", message);
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    abort ();
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  gst_init (NULL, NULL);
  gst_plugin_paco_register ();
  gst_debug_set_default_threshold (GST_LEVEL_NONE);
  g_log_set_default_handler (log_message, NULL);
  return 0;
}
