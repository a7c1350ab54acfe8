/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements packets.h. Writer and reader are one walk, as in the block coders: each bit is
 * handed to bit(), which gives it back. */
#include "tests/lab/packets.h"
#include <string.h>

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
