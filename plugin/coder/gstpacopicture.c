/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Checks whether pacoenc takes a picture (gstpacopicture.h), by the table of
 * caps/formats.c. */
#include "gstpacopicture.h"
#include "plugin/cuda/gstpacocuda.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

static gboolean
check_interlacing (GstElement *element, const GstVideoInfo *info)
{
  switch (GST_VIDEO_INFO_INTERLACE_MODE (info)) {
    case GST_VIDEO_INTERLACE_MODE_ALTERNATE:
      if (GST_VIDEO_INFO_HEIGHT (info) % 2 == 0)
        break;
      GST_ELEMENT_ERROR (element, STREAM, FORMAT,
          ("interlace-mode=alternate needs an even height, not %d: both fields "
           "of a frame have as many lines",
              GST_VIDEO_INFO_HEIGHT (info)),
          (NULL));
      return FALSE;
    case GST_VIDEO_INTERLACE_MODE_FIELDS:
      GST_ELEMENT_ERROR (element, STREAM, FORMAT,
          ("interlace-mode=%s cannot be coded: both fields must be in one "
           "picture (interlace-mode=interleaved or mixed) or come one by one "
           "(alternate)",
              gst_video_interlace_mode_to_string (
                  GST_VIDEO_INFO_INTERLACE_MODE (info))),
          (NULL));
      return FALSE;
    default:
      break;
  }
  return TRUE;
}

gboolean
gst_paco_picture_check (
    GstElement *element, const GstVideoInfo *info, PacoRawFormat *raw)
{
  if (!check_interlacing (element, info))
    return FALSE;

  if (!paco_raw_format (GST_VIDEO_INFO_FORMAT (info), raw)) {
    const char *reason = paco_raw_format_exclusion (
        GST_VIDEO_INFO_FORMAT (info));

    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("Raw format %s cannot be coded%s%s", GST_VIDEO_INFO_NAME (info),
            reason != NULL ? ": " : "", reason != NULL ? reason : ""),
        (NULL));
    return FALSE;
  }

  if (!paco_raw_format_holds (
          GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info))) {
    GST_ELEMENT_ERROR (element, STREAM, FORMAT,
        ("Lines of raw format %s have no room for all samples of an odd width "
         "(%d); use an even one or another format",
            GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info)),
        (NULL));
    return FALSE;
  }
  return TRUE;
}

void
gst_paco_picture_refuse (
    GstElement *element, const GstVideoInfo *info, GstBuffer *buffer)
{
  gboolean on_device = gst_paco_cuda_buffer_context (buffer) != NULL;

  GST_ELEMENT_ERROR (element, RESOURCE, READ,
      ("An input buffer of %" G_GSIZE_FORMAT " bytes%s is not a %s picture of "
       "%dx%d%s",
          gst_buffer_get_size (buffer),
          on_device ? " in the memory of a GPU" : "",
          GST_VIDEO_INFO_NAME (info), info->width, info->height,
          on_device ? ", or the GPU does not give it" : ""),
      (NULL));
}
