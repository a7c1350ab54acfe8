/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The blocks of a frame: their checks, their indices and what these stand for
 * (FORMAT.md sections 6 and 8), for the reference decoder's decode.c and conceal.c. */
#include "private.h"
#include <stdlib.h>

bool
paco_reference_blocks_init (PacoReferenceFrame *frame)
{
  frame->coder = (PacoReferenceCoder *) malloc (sizeof *frame->coder);
  frame->indices = (int32_t *) malloc (
      PACO_REFERENCE_BLOCK_SIZE * sizeof *frame->indices);
  frame->samples = (PacoReferenceSample *) malloc (
      PACO_REFERENCE_BLOCK_SIZE * sizeof *frame->samples);
  return frame->coder && frame->indices && frame->samples;
}

bool
paco_reference_has_wrong_check (const PacoReferenceFrame *frame, uint32_t i)
{
  const PacoReferenceRecord *record = &frame->blocks[i].record;

  return frame->header.block_checks && record->planes > 0
      && paco_reference_check (frame->payload + record->offset, record->length)
      != record->check;
}

bool
paco_reference_decode_block_of (PacoReferenceFrame *frame, uint32_t i)
{
  const PacoReferenceHeader *header = &frame->header;
  const PacoReferenceCodeblock *block = &frame->blocks[i];
  const PacoReferenceSubband *subband = &frame->subbands[block->subband];
  unsigned family = header->components[subband->component].family;
  PacoReferenceCoder *coder = frame->coder;

  if (paco_reference_has_wrong_check (frame, i))
    return false;
  coder->width = block->width;
  coder->height = block->height;
  coder->orientation = subband->orientation;
  coder->coding_passes = header->coding_passes;
  coder->record = block->record;
  coder->set = header->set && header->set[0] == family
          && header->set[1] == block->record.set
      ? &frame->carried
      : paco_reference_builtin_set (family, block->record.set);
  return paco_reference_decode_bytes (
      coder, frame->payload + block->record.offset, frame->indices);
}

/* Returns the step of the coefficient in column x, line y of a subband. */
static float
step_at (const PacoReferenceFrame *frame, const PacoReferenceSubband *subband,
    uint32_t x, uint32_t y)
{
  static const uint16_t mantissas[4] = { 0, 97, 212, 349 };
  const PacoReferenceComponent *first = &frame->header.components[0];
  const PacoReferenceComponent *own =
      &frame->header.components[subband->component];
  float step = paco_reference_step (subband->entry);
  unsigned e;

  if (!frame->cells || own->wavelet != PACO_REFERENCE_CDF97
      || subband->orientation == 0 || subband->level > 3)
    return step;
  x <<= subband->level + own->subsampling_x - first->subsampling_x;
  y <<= subband->level + own->subsampling_y - first->subsampling_y;
  e = frame->cells[frame->first_cell[subband->field]
      + (size_t) (y >> 4) * frame->cell_columns + (x >> 4)];
  if (frame->header.step_map_halved >> subband->component & 1)
    e /= 2;
  return step * (float) (1u << (e >> 2))
      * (1.0f + (float) mantissas[e % 4] / 512.0f);
}

void
paco_reference_dequantize_block (const PacoReferenceFrame *frame, uint32_t i,
    bool replaced, PacoReferenceSample *samples)
{
  const PacoReferenceCodeblock *block = &frame->blocks[i];
  const PacoReferenceSubband *subband = &frame->subbands[block->subband];
  unsigned dropped = replaced ? 0 : block->record.dropped_planes;
  unsigned point = paco_reference_point (
      frame->header.reconstruction, !replaced && block->record.cut, dropped);
  unsigned wavelet = frame->header.components[subband->component].wavelet;
  const int32_t *index = frame->indices;

  for (unsigned y = 0; y < block->height; y++)
    for (unsigned x = 0; x < block->width; x++)
      *samples++ = paco_reference_dequantize (*index++, dropped, point, wavelet,
          step_at (frame, subband, block->x + x, block->y + y));
}
