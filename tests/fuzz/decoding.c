/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decoding for the fuzz targets. */
#include "tests/fuzz/decoding.h"
#include "codec/cpu/backend_private.h"
#include "codec/geometry.h"
#include <stdlib.h>
#include <string.h>

#define MAX_VARIANTS 3

/* What a decoder was configured for. */
typedef struct
{
  PacoDecoder *decoder;
  bool configured;
  PacoHeader header;
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];
  unsigned reduce;
} Variant;

static Variant variants[MAX_VARIANTS];

void
fuzz_picture_init (FuzzPicture *picture, const PacoHeader *header,
    unsigned reduce, unsigned bytes)
{
  const PacoPictureFormat *format = &header->picture;
  size_t offsets[PACO_MAX_COMPONENTS];

  *picture = (FuzzPicture){ .size = 0 };
  for (unsigned c = 0; c < format->n_components; c++) {
    unsigned size = bytes ? bytes : format->components[c].depth > 8 ? 2 : 1;
    uint32_t width, height;

    paco_geometry_reduced_component (format, c, reduce, &width, &height);
    picture->picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (
        (uint8_t) size);
    picture->picture.stride[c] = (ptrdiff_t) width * size;
    offsets[c] = picture->size;
    picture->size += (size_t) width * size * height;
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
  const PacoBackendOptions options = { .threads = 1, .depth = 1 };
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
  Variant *variant = open_variant (i);
  PacoDecodedFrame frame = { NULL };
  FuzzVerdict verdict = { false, 0 };

  if (configure (variant, &coded->header, reduce, &picture->picture)
      && paco_decoder_submit (
          variant->decoder, coded, &picture->picture, picture, NULL)) {
    if (!paco_decoder_collect (variant->decoder, &frame, NULL)
        || frame.user_data != picture)
      abort ();
    verdict.decoded = frame.error == NULL;
    verdict.corrupted_blocks = frame.corrupted_blocks;
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
