/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The properties of pacoparse. The element itself knows the value of `stats`. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

enum
{
  GST_PACO_PARSE_PROP_MAX_WAIT_SIZE = 1,
  GST_PACO_PARSE_PROP_MAX_FRAME_SIZE,
  GST_PACO_PARSE_PROP_STATS,
};

/* Any thread may set these while another one reads them: both do so atomically. */
typedef struct
{
  guint max_wait_size;  /* bytes */
  guint max_frame_size; /* bytes that frames are cut to, or 0 if they are not */
} GstPacoParseProperties;

static inline guint
gst_paco_parse_max_wait_size (const GstPacoParseProperties *properties)
{
  return g_atomic_int_get (&properties->max_wait_size);
}

static inline guint
gst_paco_parse_max_frame_size (const GstPacoParseProperties *properties)
{
  return g_atomic_int_get (&properties->max_frame_size);
}

void gst_paco_parse_properties_init (GstPacoParseProperties *properties);
void gst_paco_parse_properties_install (GObjectClass *klass);

/* These set and get a property. They return FALSE if id is not one of those that
 * GstPacoParseProperties has. */
gboolean gst_paco_parse_properties_set (
    GstPacoParseProperties *properties, guint id, const GValue *value);
gboolean gst_paco_parse_properties_get (
    const GstPacoParseProperties *properties, guint id, GValue *value);

G_END_DECLS
