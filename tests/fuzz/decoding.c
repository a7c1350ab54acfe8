/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames for the fuzz targets, as decoding.h says. */
#include "tests/fuzz/decoding.h"
#include "codec/cpu/backend_private.h"
#include "codec/geometry.h"
#include <stdlib.h>
#include <string.h>

#define MAX_VARIANTS 3

/* This is what a decoder was configured for. */
typedef struct
{
  PacoDecoder *decoder;
  bool configured;
  PacoHeader header;
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];
  unsigned reduce;
} Variant;

static Variant variants[MAX_VARIANTS];

/* Packs component 0 and those with as many lines: 4 pixels to a group, bit by
 * bit. */
static void
pack_components (PacoSampleLayout *layouts, const PacoPictureFormat *format)
{
  const PacoComponent *components = format->components;
  unsigned bit = 0, bytes = 0;

  for (unsigned c = 0; c < format->n_components; c++) {
    PacoSampleLayout *layout = &layouts[c];

    if (components[c].subsampling_y != components[0].subsampling_y)
      continue;
    *layout = (PacoSampleLayout){
      .word_bytes = 4,
      .fill = 0xff,
      .big_endian = components[0].depth % 2,
      .swap_words = !format->mosaic && components[0].depth % 4 > 1,
    };
    for (unsigned i = 0; i < 4u >> components[c].subsampling_x; i++) {
      paco_layout_append (layout, bit, components[c].depth);
      bit += components[c].depth;
      bytes = MAX (bytes, layout->places[i].byte + 4u);
    }
  }
  for (unsigned c = 0; c < format->n_components; c++)
    if (components[c].subsampling_y == components[0].subsampling_y)
      layouts[c].group_bytes = (uint8_t) bytes;
}

void
fuzz_picture_init (FuzzPicture *picture, const PacoHeader *header,
    unsigned reduce, unsigned bytes)
{
  const PacoPictureFormat *format = &header->picture;
  PacoSampleLayout *layouts = picture->picture.layout;
  size_t offsets[PACO_MAX_COMPONENTS];

  *picture = (FuzzPicture){ .size = 0 };
  for (unsigned c = 0; c < format->n_components; c++)
    layouts[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (bytes ? bytes
            : format->components[c].depth > 8                 ? 2
                                                              : 1);
  if (bytes == FUZZ_PACKED)
    pack_components (layouts, format);
  for (unsigned c = 0; c < format->n_components; c++) {
    uint32_t width, height;

    paco_geometry_reduced_component (format, c, reduce, &width, &height);
    picture->picture.stride[c] = (ptrdiff_t) paco_layout_line_bytes (
        &layouts[c], width);
    offsets[c] = picture->size;
    if (c > 0 && bytes == FUZZ_PACKED
        && format->components[c].subsampling_y
            == format->components[0].subsampling_y)
      offsets[c] = 0;
    else
      picture->size += (size_t) picture->picture.stride[c] * height;
  }
  picture->memory = g_malloc (picture->size);
  memset (picture->memory, 0xa5, picture->size);
  for (unsigned c = 0; c < format->n_components; c++)
    picture->picture.data[c] = picture->memory + offsets[c];
}

void
fuzz_picture_clear (FuzzPicture *picture)
{
  g_clear_pointer (&picture->memory, g_free);
}

unsigned
fuzz_n_variants (void)
{
  const PacoRowOps *const *rows = paco_row_all_ops ();
  const PacoBpcOps *const *blocks = paco_bpc_all_ops ();
  unsigned n = 0;

  while (n < MAX_VARIANTS && rows[n] && blocks[n])
    n++;
  return n;
}

const char *
fuzz_variant_name (unsigned variant)
{
  return paco_bpc_all_ops ()[variant]->name;
}

static Variant *
open_variant (unsigned i)
{
  const PacoBackendOptions options = {
    .threads = 1, .depth = 1, .conceal = true
  };
  const PacoCpuOps ops = { paco_row_all_ops ()[i], paco_bpc_all_ops ()[i] };
  Variant *variant = &variants[i];

  if (!variant->decoder) {
    variant->decoder = paco_cpu_backend.decoder_open (&options, NULL);
    if (!variant->decoder)
      abort ();
    paco_cpu_decoder_set_ops (variant->decoder, &ops);
  }
  return variant;
}

static gboolean
configure (Variant *variant, const PacoHeader *header, unsigned reduce,
    const PacoPicture *picture)
{
  if (variant->configured && variant->reduce == reduce
      && paco_header_same_configuration (&variant->header, header)
      && memcmp (variant->layout, picture->layout, sizeof variant->layout) == 0)
    return TRUE;
  variant->configured = paco_decoder_configure (
      variant->decoder, header, picture->layout, reduce, NULL);
  variant->header = *header;
  variant->reduce = reduce;
  memcpy (variant->layout, picture->layout, sizeof variant->layout);
  return variant->configured;
}

FuzzVerdict
fuzz_decode (unsigned i, const PacoCodedFrame *coded, unsigned reduce,
    FuzzPicture *picture)
{
  paco_decoder_forget (open_variant (i)->decoder);
  return fuzz_decode_next (i, coded, reduce, picture);
}

FuzzVerdict
fuzz_decode_next (unsigned i, const PacoCodedFrame *coded, unsigned reduce,
    FuzzPicture *picture)
{
  Variant *variant = open_variant (i);
  PacoDecodedFrame frame = { NULL };
  FuzzVerdict verdict = { false, 0, 0 };

  if (configure (variant, &coded->header, reduce, &picture->picture)
      && paco_decoder_submit (
          variant->decoder, coded, &picture->picture, picture, NULL)) {
    if (!paco_decoder_collect (variant->decoder, &frame, NULL)
        || frame.user_data != picture)
      abort ();
    verdict.decoded = frame.error == NULL;
    verdict.corrupted_blocks = frame.corrupted_blocks;
    verdict.concealed_blocks = frame.concealed_blocks;
    g_clear_error (&frame.error);
  }
  return verdict;
}

void
fuzz_close_decoders (void)
{
  for (unsigned i = 0; i < MAX_VARIANTS; i++)
    if (variants[i].decoder) {
      paco_coder_close (PACO_CODER (variants[i].decoder));
      variants[i] = (Variant){ NULL };
    }
}
