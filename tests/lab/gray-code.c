/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements the blocks and codestreams of gray-picture.h. */
#include "tests/lab/gray-picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writer and reader are one walk, as in the block coders: each bit is
 * handed to bit(), which gives it back. */

/* --- Bits, with a 0 stuffed behind a byte of ones (B.10.1) --- */

typedef struct
{
  GByteArray *out; /* the writer's */
  const uint8_t *in;
  size_t size, used;
  unsigned byte, left; /* bits that are left in the byte */
} Bits;

static bool
next_bit (Bits *bits, bool value)
{
  if (bits->left == 0) {
    if (bits->out) {
      uint8_t byte = (uint8_t) bits->byte;

      g_byte_array_append (bits->out, &byte, 1);
    }
    bits->left = bits->byte == 0xff ? 7 : 8;
    bits->byte = 0;
    if (!bits->out && bits->used < bits->size)
      bits->byte = bits->in[bits->used++];
  }
  bits->left--;
  if (bits->out)
    bits->byte |= (unsigned) value << bits->left;
  return (bits->byte >> bits->left) & 1;
}

static unsigned
next_bits (Bits *bits, unsigned value, unsigned n)
{
  unsigned result = 0;

  while (n-- > 0)
    result = result << 1 | next_bit (bits, (value >> n) & 1);
  return result;
}

/* The last byte, and one more if it is all ones. */
static void
end_bits (Bits *bits)
{
  if (bits->out) {
    uint8_t bytes[2] = { (uint8_t) bits->byte, 0 };

    g_byte_array_append (bits->out, bytes, bits->byte == 0xff ? 2 : 1);
  } else if (bits->byte == 0xff) {
    bits->used++;
  }
}

/* --- Tag trees (B.10.2) --- */

#define MAX_TREE_LEVELS 16

typedef struct
{
  unsigned value, low; /* the writer's value; what is known: not below `low` */
  bool known;
} Node;

typedef struct
{
  unsigned n_levels;
  uint32_t width[MAX_TREE_LEVELS];
  Node *nodes[MAX_TREE_LEVELS]; /* of the leaves, of their parents, ... */
} Tree;

static void
tree_init (Tree *tree, uint32_t width, uint32_t height)
{
  memset (tree, 0, sizeof *tree);
  for (;;) {
    unsigned level = tree->n_levels++;

    tree->width[level] = width;
    tree->nodes[level] = g_new0 (Node, (size_t) width * height);
    for (uint32_t i = 0; i < width * height; i++)
      tree->nodes[level][i].value = G_MAXUINT;
    if (width <= 1 && height <= 1)
      return;
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
}

static void
tree_clear (Tree *tree)
{
  for (unsigned level = 0; level < tree->n_levels; level++)
    g_free (tree->nodes[level]);
}

static Node *
tree_node (const Tree *tree, unsigned level, uint32_t x, uint32_t y)
{
  return &tree->nodes[level][(y >> level) * tree->width[level] + (x >> level)];
}

static void
tree_set (Tree *tree, uint32_t x, uint32_t y, unsigned value)
{
  for (unsigned level = 0; level < tree->n_levels; level++) {
    Node *node = tree_node (tree, level, x, y);

    node->value = MIN (node->value, value);
  }
}

/* Codes whether the value of a leaf is below the threshold; what it is, then. */
static bool
tree_code (Bits *bits, Tree *tree, uint32_t x, uint32_t y, unsigned threshold)
{
  unsigned low = 0;

  for (unsigned level = tree->n_levels; level-- > 0;) {
    Node *node = tree_node (tree, level, x, y);

    node->low = MAX (node->low, low);
    while (node->low < threshold && !node->known) {
      if (next_bit (bits, node->low >= node->value)) {
        node->known = true;
        node->value = node->low;
      } else {
        node->low++;
      }
    }
    low = node->low;
  }
  return low < threshold;
}

/* --- What is said of a block --- */

/* Codes a number of passes as Table B.4 has it. */
static unsigned
code_n_passes (Bits *bits, unsigned n)
{
  unsigned rest;

  if (!next_bit (bits, n > 1))
    return 1;
  if (!next_bit (bits, n > 2))
    return 2;
  rest = next_bits (bits, MIN (n - 3, 3u), 2);
  if (rest < 3)
    return 3 + rest;
  rest = next_bits (bits, MIN (n - 6, 31u), 5);
  if (rest < 31)
    return 6 + rest;
  return 37 + next_bits (bits, n - 37, 7);
}

/* B.10.7: Lblock grows by as much as the length needs. */
static uint32_t
code_length (Bits *bits, uint32_t length, unsigned n_passes)
{
  unsigned n = 3 + g_bit_storage (n_passes) - 1;

  while (next_bit (bits, length >> n != 0))
    n++;
  return next_bits (bits, length, n);
}

static void
code_subband (Bits *bits, PacketSubband *subband)
{
  bool writing = bits->out != NULL;
  Tree inclusion, zero_planes;

  if (subband->blocks_x == 0 || subband->blocks_y == 0)
    return;
  tree_init (&inclusion, subband->blocks_x, subband->blocks_y);
  tree_init (&zero_planes, subband->blocks_x, subband->blocks_y);
  for (uint32_t y = 0, i = 0; writing && y < subband->blocks_y; y++)
    for (uint32_t x = 0; x < subband->blocks_x; x++, i++) {
      const PacketBlock *block = &subband->blocks[i];

      tree_set (&inclusion, x, y, block->n_passes == 0);
      tree_set (&zero_planes, x, y, subband->max_planes - block->planes);
    }
  for (uint32_t y = 0, i = 0; y < subband->blocks_y; y++)
    for (uint32_t x = 0; x < subband->blocks_x; x++, i++) {
      PacketBlock *block = &subband->blocks[i], own = { 0, 0, 0 };
      unsigned zero = 0;

      if (tree_code (bits, &inclusion, x, y, 1)) {
        while (!tree_code (bits, &zero_planes, x, y, zero + 1))
          zero++;
        own.planes = subband->max_planes - zero;
        own.n_passes = code_n_passes (bits, block->n_passes);
        own.bytes = code_length (bits, block->bytes, own.n_passes);
      }
      if (!writing)
        *block = own;
    }
  tree_clear (&inclusion);
  tree_clear (&zero_planes);
}

void
packet_write_header (
    const PacketSubband *subbands, unsigned n_subbands, GByteArray *out)
{
  Bits bits = { .out = out, .left = 8 };

  next_bit (&bits, true); /* The packet is not empty. */
  for (unsigned i = 0; i < n_subbands; i++) {
    PacketSubband subband = subbands[i];

    code_subband (&bits, &subband);
  }
  end_bits (&bits);
}

size_t
packet_read_header (PacketSubband *subbands, unsigned n_subbands,
    const uint8_t *bytes, size_t size)
{
  Bits bits = { .in = bytes, .size = size };

  next_bit (&bits, true);
  for (unsigned i = 0; i < n_subbands; i++)
    code_subband (&bits, &subbands[i]);
  end_bits (&bits);
  return bits.used;
}

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
