/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes raw files, for writers.c: samples without a header, in the format that is
 * asked for, else in the one that the picture came from, else component by
 * component. */
#include "tool.h"
#include "writers.h"

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  if (!format)
    format = paco_format_for (&pixels->info);
  if (format && !paco_format_holds (format, &pixels->info))
    return paco_tool_failed (error,
        "%s does not hold the samples of this picture, which has %u "
        "component%s of %u bits",
        format->name, pixels->info.n_components,
        pixels->info.n_components == 1 ? "" : "s", pixels->info.depth[0]);
  *bytes = paco_format_place (
      format, &pixels->info, pixels->samples, &pixels->image);
  return true;
}

static bool
head (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  return true;
}

const PacoWriterKind paco_writer_raw = {
  .name = "raw",
  .extensions = { "raw", "yuv", "rgb", "gray" },
  .stream = true,
  .place = place,
  .head = head,
};
