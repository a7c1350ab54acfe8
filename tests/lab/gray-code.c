/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements the blocks and codestreams of gray-picture.h. */
#include "tests/lab/gray-picture.h"
#include "tests/lab/packets.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAMPLES (BITPLANES_WIDTH * BITPLANES_MAX_HEIGHT)

static GrayBlock *
block_at (const GrayCode *code, guint i)
{
  return &g_array_index (code->blocks, GrayBlock, i);
}

/* --- Blocks --- */

static void
list_blocks (GrayCode *code)
{
  for (unsigned s = 0; s < GRAY_SUBBANDS; s++) {
    const GraySubband *subband = &code->transform->subbands[s];
    bool empty = subband->width == 0 || subband->height == 0;

    code->blocks_x[s] = empty ? 0 : (subband->width + 63) / 64;
    code->blocks_y[s] = empty
        ? 0
        : (subband->height + code->block_height - 1) / code->block_height;
    for (uint32_t y = 0; y < code->blocks_y[s]; y++)
      for (uint32_t x = 0; x < code->blocks_x[s]; x++) {
        GrayBlock block = {
          .subband = s,
          .x = x * 64,
          .y = y * code->block_height,
        };

        block.width = MIN (64, subband->width - block.x);
        block.height = MIN (code->block_height, subband->height - block.y);
        g_array_append_val (code->blocks, block);
      }
  }
}

static size_t
place_of (const GrayCode *code, const GrayBlock *block, unsigned y)
{
  const GraySubband *subband = &code->transform->subbands[block->subband];

  return (size_t) (subband->top + block->y + y) * code->transform->plane.width
      + subband->left + block->x;
}

/* Codes a block, or counts its symbols. */
static void
code_block (const GrayCode *code, GrayBlock *block, BitplanesCounts *counts)
{
  int32_t indices[MAX_SAMPLES];
  float exact[MAX_SAMPLES];
  unsigned i = 0;

  for (unsigned y = 0; y < block->height; y++) {
    size_t at = place_of (code, block, y);

    for (unsigned x = 0; x < block->width; x++, i++) {
      indices[i] = code->transform->plane.samples[at + x].i;
      exact[i] = code->transform->exact ? code->transform->exact[at + x] : 0;
    }
  }
  block->offset = code->code->len;
  bitplanes_encode (code->form,
      code->tables ? &code->tables->of[block->subband] : NULL, indices,
      code->transform->exact ? exact : NULL, block->width, block->height,
      &block->record, counts, code->code);
  block->sent = block->record.n_passes;
}

static void
code_init (GrayCode *code, const GrayTransform *transform,
    const BitplanesForm *form, const GrayTables *tables, unsigned block_height)
{
  *code = (GrayCode){
    .transform = transform,
    .form = form,
    .tables = tables,
    .block_height = block_height,
    .blocks = g_array_new (FALSE, TRUE, sizeof (GrayBlock)),
    .code = g_byte_array_new (),
  };
  list_blocks (code);
}

void
gray_encode (const GrayTransform *transform, const BitplanesForm *form,
    const GrayTables *tables, unsigned block_height, GrayCode *code)
{
  code_init (code, transform, form, tables, block_height);
  for (guint i = 0; i < code->blocks->len; i++)
    code_block (code, block_at (code, i), NULL);
}

void
gray_count (const GrayTransform *transform, const BitplanesForm *form,
    unsigned block_height, GrayCounts *counts)
{
  BitplanesForm own = *form;
  GrayCode code;

  own.kind = SYMBOL_COUNT;
  code_init (&code, transform, &own, NULL, block_height);
  for (guint i = 0; i < code.blocks->len; i++)
    code_block (
        &code, block_at (&code, i), &counts->of[block_at (&code, i)->subband]);
  gray_code_clear (&code);
}

void
gray_code_clear (GrayCode *code)
{
  g_clear_pointer (&code->blocks, g_array_unref);
  g_clear_pointer (&code->code, g_byte_array_unref);
}

/* --- Packets --- */

static uint32_t
sent_bytes (const GrayBlock *block)
{
  return block->sent == 0 ? 0 : block->record.passes[block->sent - 1].bytes;
}

size_t
gray_code_header_bytes (const GrayCode *code)
{
  g_autofree PacketBlock *blocks = g_new (PacketBlock, code->blocks->len + 1);
  GByteArray *headers = g_byte_array_new ();
  PacketSubband subbands[GRAY_SUBBANDS];
  size_t bytes;
  guint first = 0;

  for (unsigned s = 0; s < GRAY_SUBBANDS; s++) {
    guint n = code->blocks_x[s] * code->blocks_y[s];

    subbands[s] = (PacketSubband){ .blocks_x = code->blocks_x[s],
      .blocks_y = code->blocks_y[s],
      .blocks = blocks + first };
    for (guint i = first; i < first + n; i++) {
      const GrayBlock *block = block_at (code, i);

      blocks[i] = (PacketBlock){ .planes = block->record.planes,
        .n_passes = block->sent,
        .bytes = sent_bytes (block) };
      subbands[s].max_planes = MAX (
          subbands[s].max_planes, block->record.planes);
    }
    first += n;
  }
  packet_write_header (subbands, 1, headers);
  for (unsigned s = 1; s < GRAY_SUBBANDS; s += 3)
    packet_write_header (subbands + s, 3, headers);
  bytes = headers->len;
  g_byte_array_unref (headers);
  return bytes;
}

size_t
gray_code_bytes (const GrayCode *code)
{
  size_t bytes = gray_code_header_bytes (code);

  for (guint i = 0; i < code->blocks->len; i++)
    bytes += sent_bytes (block_at (code, i));
  return bytes;
}

/* --- Which passes are sent --- */

/* Chooses, of the passes on the upper convex hull of gain over bytes, the last
 * one that gains `slope` a byte over the one before. */
static void
choose_passes (GrayBlock *block, double slope)
{
  const BitplanesPass *passes = block->record.passes;
  unsigned here = 0; /* passes so far */

  for (;;) {
    double bytes = here ? passes[here - 1].bytes : 0;
    double gain = here ? passes[here - 1].gain : 0, best = 0;
    unsigned next = here;

    for (unsigned i = here; i < block->record.n_passes; i++) {
      double more = passes[i].gain - gain;
      double cost = MAX ((double) passes[i].bytes - bytes, 1e-3);

      if (more > 0 && more / cost >= best) {
        best = more / cost;
        next = i + 1;
      }
    }
    if (next == here || best < slope)
      break;
    here = next;
  }
  block->sent = here;
}

static size_t
bytes_at (GrayCode *code, double slope)
{
  for (guint i = 0; i < code->blocks->len; i++)
    choose_passes (block_at (code, i), slope);
  return gray_code_bytes (code);
}

void
gray_code_fit (GrayCode *code, size_t bytes)
{
  double low = -10, high = 60; /* log2 of the slope */

  for (unsigned i = 0; i < 30; i++) {
    double middle = (low + high) / 2;

    if (bytes_at (code, exp2 (middle)) > bytes)
      low = middle;
    else
      high = middle;
  }
  bytes_at (code, exp2 (high));
}

/* --- Decoding --- */

static bool
decode_block (
    const GrayCode *code, const GrayBlock *block, PacoReferencePlane *plane)
{
  const GraySubband *subband = &code->transform->subbands[block->subband];
  bool reversible = paco_wavelets[code->transform->wavelet].reversible;
  int32_t indices[MAX_SAMPLES];
  uint8_t known[MAX_SAMPLES];
  BitplanesRecord record = { .planes = block->record.planes,
    .n_passes = block->sent };
  unsigned i = 0;

  if (!bitplanes_decode (code->form,
          code->tables ? &code->tables->of[block->subband] : NULL,
          code->code->data + block->offset, sent_bytes (block), block->width,
          block->height, &record, indices, known))
    return false;
  for (unsigned y = 0; y < block->height; y++) {
    PacoReferenceSample *out = &plane->samples[place_of (code, block, y)];

    for (unsigned x = 0; x < block->width; x++, i++) {
      float middle = 0.5f * (float) (1u << known[i]);

      if (reversible)
        out[x].i = indices[i];
      else
        out[x].f = subband->step
            * ((float) indices[i]
                + (float) ((indices[i] > 0) - (indices[i] < 0)) * middle);
    }
  }
  return true;
}

bool
gray_decode (const GrayCode *code, unsigned depth, PacoReferencePlane *plane)
{
  bool reversible = paco_wavelets[code->transform->wavelet].reversible;
  size_t n = (size_t) plane->width * plane->height;
  int32_t half = (int32_t) 1 << (depth - 1);

  for (guint i = 0; i < code->blocks->len; i++)
    if (!decode_block (code, block_at (code, i), plane))
      return false;
  paco_reference_inverse_dwt (plane, GRAY_LEVELS, code->transform->wavelet);
  for (size_t i = 0; i < n; i++) {
    PacoReferenceSample *sample = &plane->samples[i];

    if (!reversible)
      sample->i = (int32_t) lrintf (sample->f);
    sample->i = CLAMP (sample->i, -half, half - 1);
  }
  return true;
}
