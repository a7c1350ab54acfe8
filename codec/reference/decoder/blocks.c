/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The blocks of a frame: their checks, their indices and what these stand for
 * (FORMAT.md sections 6 and 8), for the reference decoder's decode.c and conceal.c. */
#include "parts.h"
#include <stdlib.h>

static bool
blocks_init (Frame *frame)
{
  frame->coder = (Coder *) malloc (sizeof *frame->coder);
  frame->indices = (int32_t *) malloc (BLOCK_SIZE * sizeof *frame->indices);
  frame->samples = (Sample *) malloc (BLOCK_SIZE * sizeof *frame->samples);
  return frame->coder && frame->indices && frame->samples;
}

static bool
has_wrong_check (const Frame *frame, uint32_t i)
{
  const Record *record = &frame->blocks[i].record;

  return frame->header.block_checks && record->planes > 0
      && paco_reference_check (frame->payload + record->offset, record->length)
      != record->check;
}

static bool
decode_block (Frame *frame, uint32_t i)
{
  const Header *header = &frame->header;
  const Codeblock *block = &frame->blocks[i];
  const Subband *subband = &frame->subbands[block->subband];
  unsigned family = header->components[subband->component].family;
  Coder *coder = frame->coder;

  if (has_wrong_check (frame, i))
    return false;
  coder->width = block->width;
  coder->height = block->height;
  coder->orientation = subband->orientation;
  coder->coding_passes = header->coding_passes;
  coder->record = block->record;
  coder->set = header->set && header->set[0] == family
          && header->set[1] == block->record.set
      ? &frame->carried
      : &builtin_sets[family][block->record.set];
  return paco_reference_decode_bytes (
      coder, frame->payload + block->record.offset, frame->indices);
}

/* Returns the step of the coefficient in column x, line y of a subband. */
static float
step_at (const Frame *frame, const Subband *subband, uint32_t x, uint32_t y)
{
  static const uint16_t mantissas[4] = { 0, 97, 212, 349 };
  const Component *first = &frame->header.components[0];
  const Component *own = &frame->header.components[subband->component];
  float step = step_of_entry (subband->entry);
  unsigned e;

  if (!frame->cells || own->wavelet != CDF97 || subband->orientation == 0
      || subband->level > 3)
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

static void
dequantize_block (
    const Frame *frame, uint32_t i, bool replaced, Sample *samples)
{
  const Codeblock *block = &frame->blocks[i];
  const Subband *subband = &frame->subbands[block->subband];
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
