/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The typefinder of elementary streams: it looks for bytes that begin with a frame.
 * plugin.c registers it. */
#include "gstpacotypefind.h"
#include "caps/videocaps.h"

static GstStaticCaps paco_typefind_caps = GST_STATIC_CAPS (PACO_MEDIA_TYPE);

static void
find_paco (GstTypeFind *find, gpointer user_data)
{
  PacoHeader header;
  const guint8 *data = gst_type_find_peek (find, 0, PACO_HEADER_PEEK_SIZE);
  GstTypeFindProbability probability = GST_TYPE_FIND_LIKELY;

  if (data == NULL
      || !paco_header_peek (data, PACO_HEADER_PEEK_SIZE, &header, NULL))
    return;

  /* The header ends with a check of itself, which leaves no doubt. */
  data = gst_type_find_peek (find, 0, header.header_size);
  if (data != NULL) {
    if (!paco_header_parse (data, header.header_size, &header, NULL, NULL))
      return;
    probability = GST_TYPE_FIND_MAXIMUM;
  }
  gst_type_find_suggest_empty_simple (find, probability, PACO_MEDIA_TYPE);
}

GST_TYPE_FIND_REGISTER_DEFINE (pacotypefind, PACO_MEDIA_TYPE, GST_RANK_PRIMARY,
    find_paco, "paco", gst_static_caps_get (&paco_typefind_caps), NULL, NULL);
