/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the types of paco.h of what the tests of the codec draw
 * (from-codec.h). */
#include "tests/lib/from-codec.h"
#include <string.h>

PacoInfo
info_of (const PacoPictureFormat *format, const PacoVideoInfo *video)
{
  PacoInfo info = PACO_INFO_INIT;

  info.width = format->width;
  info.height = format->height;
  info.n_components = format->n_components;
  info.fields = format->fields;
  info.mosaic = format->mosaic;
  for (unsigned c = 0; c < format->n_components; c++) {
    info.depth[c] = format->components[c].depth;
    info.subsampling_x[c] = format->components[c].subsampling_x;
    info.subsampling_y[c] = format->components[c].subsampling_y;
    info.sample_kind[c] = format->components[c].kind;
    info.place_x[c] = format->components[c].place_x;
    info.place_y[c] = format->components[c].place_y;
  }
  strcpy (info.format, video->raw_format);
  info.par_n = video->par_n;
  info.par_d = video->par_d;
  info.fps_n = video->fps_n;
  info.fps_d = video->fps_d;
  info.picture_flags = video->picture_flags;
  info.matrix = video->matrix;
  info.has_content_light = video->has_content_light;
  info.max_content_light = video->max_content_light;
  info.has_mastering = video->has_mastering_display;
  info.has_views = video->has_views;
  info.multiview_mode = video->multiview_mode;
  info.multiview_flags = video->multiview_flags;
  info.has_place = video->has_place;
  info.place_number = video->place.number;
  info.place_offset = video->place.offset;
  return info;
}

PacoExtras
extras_of (const PacoVideoInfo *video, GArray *chunks, const PacoAreas *areas)
{
  PacoExtras extras = PACO_EXTRAS_INIT;
  PacoAncillary rest = video->ancillary;
  PacoChunk chunk;

  while (paco_ancillary_next (&rest, &chunk)) {
    PacoFrameChunk added = {
      .type = chunk.type, .data = chunk.data, .size = chunk.size
    };

    g_array_append_val (chunks, added);
  }
  extras.chunks = (const PacoFrameChunk *) chunks->data;
  extras.n_chunks = chunks->len;
  extras.areas = (const PacoFrameArea *) areas->areas;
  extras.n_areas = areas->n;
  extras.attachment = video->attachment.data;
  extras.attachment_size = video->attachment.size;
  return extras;
}

PacoImage
image_of (const TestPicture *picture)
{
  PacoImage image;

  memset (&image, 0, sizeof image);
  for (unsigned c = 0; c < picture->format.n_components; c++) {
    const PacoSampleLayout *layout = &picture->picture.layout[c];

    image.data[c] = picture->picture.data[c];
    image.stride[c] = picture->picture.stride[c];
    image.size[c] = picture->sizes[picture->owners[c]];
    image.layout[c].group_bytes = layout->group_bytes;
    image.layout[c].group_samples = layout->group_samples;
    image.layout[c].word_bytes = layout->word_bytes;
    image.layout[c].fill = layout->fill;
    image.layout[c].big_endian = layout->big_endian;
    image.layout[c].swap_words = layout->csi2 ? PACO_LAYOUT_CSI2
                                              : layout->swap_words;
    for (unsigned i = 0; i < PACO_GROUP_SAMPLES; i++) {
      image.layout[c].places[i].byte = layout->places[i].byte;
      image.layout[c].places[i].shift = layout->places[i].shift;
    }
  }
  return image;
}

unsigned
read_sample (const PacoSampleLayout *layout, unsigned depth,
    const uint8_t *line, uint32_t x)
{
  size_t word = paco_layout_offset (layout, x);
  unsigned shift = layout->places[x % layout->group_samples].shift;
  uint32_t value = 0;

  for (unsigned i = 0; layout->csi2 && i < depth; i++) {
    size_t bit = paco_layout_csi2_bit (layout, 8 * word + shift + i);

    value |= (uint32_t) (line[bit / 8] >> bit % 8 & 1) << i;
  }
  if (layout->csi2)
    return value;
  for (unsigned i = 0; i < layout->word_bytes; i++) {
    size_t at = word + (layout->big_endian ? layout->word_bytes - 1 - i : i);

    value |= (uint32_t) line[paco_layout_byte (layout, at)] << (8 * i);
  }
  return value >> shift & ((1u << depth) - 1);
}
