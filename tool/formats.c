/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the raw formats and lays their pictures out (formats.h). */
#include "formats.h"
#include <string.h>

/* clang-format off */
#define YUV { "0", "1", "2" }
#define YUVA { "0", "1", "2", "3" }
#define GBR { "1", "2", "0" }
#define GBRA { "1", "2", "0", "3" }
#define LE false, false
#define BE false, true
#define RGB_LE true, false
#define RGB_BE true, true
static const PacoFormat formats[] = {
  { "GRAY8", 1, 8, 0, 0, LE, { "0" } },
  { "GRAY16_LE", 1, 16, 0, 0, LE, { "0" } },
  { "GRAY16_BE", 1, 16, 0, 0, BE, { "0" } },
  { "I420", 3, 8, 1, 1, LE, YUV },
  { "YV12", 3, 8, 1, 1, LE, { "0", "2", "1" } },
  { "NV12", 3, 8, 1, 1, LE, { "0", "12" } },
  { "NV21", 3, 8, 1, 1, LE, { "0", "21" } },
  { "Y41B", 3, 8, 2, 0, LE, YUV },
  { "Y42B", 3, 8, 1, 0, LE, YUV },
  { "UYVY", 3, 8, 1, 0, LE, { "1020" } },
  { "YUY2", 3, 8, 1, 0, LE, { "0102" } },
  { "YVYU", 3, 8, 1, 0, LE, { "0201" } },
  { "Y444", 3, 8, 0, 0, LE, YUV },
  { "v308", 3, 8, 0, 0, LE, { "012" } },
  { "I420_10LE", 3, 10, 1, 1, LE, YUV },
  { "I420_10BE", 3, 10, 1, 1, BE, YUV },
  { "I420_12LE", 3, 12, 1, 1, LE, YUV },
  { "I420_12BE", 3, 12, 1, 1, BE, YUV },
  { "I422_10LE", 3, 10, 1, 0, LE, YUV },
  { "I422_10BE", 3, 10, 1, 0, BE, YUV },
  { "I422_12LE", 3, 12, 1, 0, LE, YUV },
  { "I422_12BE", 3, 12, 1, 0, BE, YUV },
  { "Y444_10LE", 3, 10, 0, 0, LE, YUV },
  { "Y444_10BE", 3, 10, 0, 0, BE, YUV },
  { "Y444_12LE", 3, 12, 0, 0, LE, YUV },
  { "Y444_12BE", 3, 12, 0, 0, BE, YUV },
  { "Y444_16LE", 3, 16, 0, 0, LE, YUV },
  { "Y444_16BE", 3, 16, 0, 0, BE, YUV },
  { "A444", 4, 8, 0, 0, LE, YUVA },
  { "AYUV", 4, 8, 0, 0, LE, { "3012" } },
  { "A420", 4, 8, 1, 1, LE, YUVA },
  { "A420_10LE", 4, 10, 1, 1, LE, YUVA },
  { "A422_10LE", 4, 10, 1, 0, LE, YUVA },
  { "A444_10LE", 4, 10, 0, 0, LE, YUVA },
  { "RGB", 3, 8, 0, 0, RGB_LE, { "012" } },
  { "BGR", 3, 8, 0, 0, RGB_LE, { "210" } },
  { "RGBP", 3, 8, 0, 0, RGB_LE, YUV },
  { "GBR", 3, 8, 0, 0, RGB_LE, GBR },
  { "GBR_10LE", 3, 10, 0, 0, RGB_LE, GBR },
  { "GBR_10BE", 3, 10, 0, 0, RGB_BE, GBR },
  { "GBR_12LE", 3, 12, 0, 0, RGB_LE, GBR },
  { "GBR_12BE", 3, 12, 0, 0, RGB_BE, GBR },
  { "GBR_16LE", 3, 16, 0, 0, RGB_LE, GBR },
  { "GBR_16BE", 3, 16, 0, 0, RGB_BE, GBR },
  { "RGBA", 4, 8, 0, 0, RGB_LE, { "0123" } },
  { "BGRA", 4, 8, 0, 0, RGB_LE, { "2103" } },
  { "ARGB", 4, 8, 0, 0, RGB_LE, { "3012" } },
  { "ABGR", 4, 8, 0, 0, RGB_LE, { "3210" } },
  { "GBRA", 4, 8, 0, 0, RGB_LE, GBRA },
  { "GBRA_10LE", 4, 10, 0, 0, RGB_LE, GBRA },
  { "GBRA_10BE", 4, 10, 0, 0, RGB_BE, GBRA },
  { "GBRA_12LE", 4, 12, 0, 0, RGB_LE, GBRA },
  { "GBRA_12BE", 4, 12, 0, 0, RGB_BE, GBRA },
  { "RGBA64_LE", 4, 16, 0, 0, RGB_LE, { "0123" } },
  { "RGBA64_BE", 4, 16, 0, 0, RGB_BE, { "0123" } },
  { "ARGB64_LE", 4, 16, 0, 0, RGB_LE, { "3012" } },
  { "ARGB64_BE", 4, 16, 0, 0, RGB_BE, { "3012" } },
};
/* clang-format on */

const PacoFormat *
paco_format_by_name (const char *name)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (formats); i++)
    if (strcmp (formats[i].name, name) == 0)
      return &formats[i];
  return NULL;
}

const PacoFormat *
paco_format_for (const PacoInfo *info)
{
  const PacoFormat *own = paco_format_by_name (info->format);
  bool rgb = info->n_components >= 3 && !paco_format_is_yuv (info);

  if (own && paco_format_holds (own, info))
    return own;
  for (unsigned i = 0; i < G_N_ELEMENTS (formats); i++)
    if (paco_format_holds (&formats[i], info) && formats[i].rgb == rgb)
      return &formats[i];
  return NULL;
}

char *
paco_format_names (void)
{
  GString *names = g_string_new (formats[0].name);

  for (unsigned i = 1; i < G_N_ELEMENTS (formats); i++)
    g_string_append_printf (names, ", %s", formats[i].name);
  return g_string_free (names, FALSE);
}

bool
paco_format_is_yuv (const PacoInfo *info)
{
  const PacoFormat *format = paco_format_by_name (info->format);

  /* Encoders transform the colours of R, G, B only. */
  return info->n_components >= 3 && info->matrix != 1
      && info->color_transform == 0 && !(format && format->rgb);
}

bool
paco_format_holds (const PacoFormat *format, const PacoInfo *info)
{
  if (info->n_components != format->n_components)
    return false;
  for (unsigned c = 0; c < info->n_components; c++) {
    bool chroma = c == 1 || c == 2;

    if (info->depth[c] != format->depth
        || info->subsampling_x[c] != (chroma ? format->subsampling_x : 0)
        || info->subsampling_y[c] != (chroma ? format->subsampling_y : 0))
      return false;
  }
  return true;
}

void
paco_format_tell (const PacoFormat *format, PacoInfo *info)
{
  info->n_components = format->n_components;
  for (unsigned c = 0; c < format->n_components; c++) {
    bool chroma = c == 1 || c == 2;

    info->depth[c] = format->depth;
    info->subsampling_x[c] = chroma ? format->subsampling_x : 0;
    info->subsampling_y[c] = chroma ? format->subsampling_y : 0;
  }
  g_strlcpy (info->format, format->name, sizeof info->format);
  if (format->rgb) {
    info->matrix = 1;
    info->range = 1;
  }
}

static uint32_t
subsampled (uint32_t size, uint32_t log2)
{
  return (size + (1u << log2) - 1) >> log2;
}

/* Lays out the components of a plane, whose group is given as in PacoFormat, from
 * `total` on. Returns how many bytes the plane has. */
static size_t
place_plane (const PacoInfo *info, const char *group, unsigned word,
    bool big_endian, void *memory, size_t total, PacoImage *image)
{
  unsigned length = (unsigned) strlen (group),
           first = (unsigned) (group[0] - '0');
  unsigned count = 0;
  size_t stride, size;

  for (unsigned i = 0; i < length; i++)
    count += group[i] == group[0];
  stride = (size_t) (subsampled (info->width, info->subsampling_x[first])
               + count - 1)
      / count * length * word;
  size = stride * subsampled (info->height, info->subsampling_y[first]);
  for (unsigned i = 0; i < length; i++) {
    unsigned c = (unsigned) (group[i] - '0');
    PacoLayout *layout = &image->layout[c];

    layout->group_bytes = (uint8_t) (length * word);
    layout->word_bytes = (uint8_t) word;
    layout->big_endian = big_endian;
    layout->places[layout->group_samples++].byte = (uint8_t) (i * word);
    image->data[c] = memory ? (uint8_t *) memory + total : NULL;
    image->stride[c] = (ptrdiff_t) stride;
    image->size[c] = size;
  }
  return size;
}

size_t
paco_format_place (const PacoFormat *format, const PacoInfo *info, void *memory,
    PacoImage *image)
{
  size_t total = 0;

  memset (image, 0, sizeof *image);
  for (unsigned p = 0; p < PACO_COMPONENTS && format->planes[p]; p++)
    total += place_plane (info, format->planes[p], format->depth > 8 ? 2 : 1,
        format->big_endian, memory, total, image);
  return total;
}

size_t
paco_planes_place (const PacoInfo *info, void *memory, PacoImage *image)
{
  static const char *const planes[PACO_COMPONENTS] = { "0", "1", "2", "3" };
  unsigned word = 1;
  size_t total = 0;

  for (unsigned c = 0; c < info->n_components; c++)
    if (info->depth[c] > 8)
      word = 2;
  memset (image, 0, sizeof *image);
  for (unsigned c = 0; c < info->n_components; c++)
    total += place_plane (info, planes[c], word, false, memory, total, image);
  return total;
}
