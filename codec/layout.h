/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How the samples of a component lie in memory (PacoSampleLayout), and which
 * memory the components of a picture share (PacoRegion). The table of raw
 * formats makes layouts (formats.h), and everything that touches samples reads them;
 * layout.c alone decides which of them are possible and what they cover. It includes no
 * GLib header, so that kernels may include it too. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACO_MAX_COMPONENTS 4
#define PACO_MAX_GROUP_SAMPLES 8
#define PACO_MAX_GROUP_BYTES 48

typedef struct _GError GError;
typedef struct _PacoPictureFormat PacoPictureFormat;
typedef struct _PacoPicture PacoPicture;

/* The place of a sample in a group: it begins at bit `shift` of the word that begins at
 * byte `byte` of the group. */
typedef struct
{
  uint8_t byte, shift;
} PacoSamplePlace;

/* How the samples of one component lie in a line: in groups of group_bytes
 * bytes that hold group_samples samples of the component. Sample i of a group is
 * the bits [shift, shift + depth) of the word of word_bytes bytes that begins at
 * byte places[i].byte of the group; words need no alignment. A line has as many
 * groups as its samples need; they are whole, unless the stride is shorter, which
 * then ends the last one. When a line is written, samples of its last group that
 * lie beyond the last column become 0.
 *
 * With swap_words a line is a sequence of 32-bit words whose bytes are in reverse
 * order: byte b of a line, as all of the above counts them, is at b ^ 3. That is
 * how samples are packed across big-endian words (SMPTE 268M): no contiguous word
 * holds them in memory, but they are a plain string of bits once the words are
 * swapped. Lines then are whole words: the stride is a multiple of 4, and as many
 * groups belong to a line as reach into its last word.
 *
 * With csi2 groups are those of MIPI CSI-2, RAW10 and RAW12: 4 or 2 samples, of which
 * the high 8 bits have a byte each; the last byte has the other bits, those of the first
 * sample in its lowest bits. All of the above counts bits as if the group were a
 * little-endian string of these samples. All groups of a line are whole. */
typedef struct
{
  uint8_t group_bytes;   /* 1..PACO_MAX_GROUP_BYTES */
  uint8_t group_samples; /* 1..PACO_MAX_GROUP_SAMPLES */
  uint8_t word_bytes;    /* 1, 2 or 4 */
  uint8_t fill;          /* 0 or 0xff: bits that no sample covers become this */
  bool big_endian;       /* the order of the bytes of a word */
  bool swap_words; /* the bytes of each 32-bit word of a line are swapped */
  bool csi2;
  PacoSamplePlace places[PACO_MAX_GROUP_SAMPLES];
} PacoSampleLayout;

/* Initializes the layout of a plane: each sample is in the low bits of a little-endian
 * word of 1, 2 or 4 bytes. */
#define PACO_LAYOUT_PLANAR(bytes)                                              \
  {                                                                            \
    .group_bytes = (bytes), .group_samples = 1, .word_bytes = (bytes)          \
  }

/* Appends a sample to the group: the `depth` bits from bit number `bit` of the
 * group on. Little-endian groups are numbered from the least significant bit of
 * the first byte, big-endian ones from its most significant bit. group_bytes,
 * word_bytes and big_endian have been set; a word begins at a multiple of
 * word_bytes if the sample fits into that word, else at the byte that has its
 * first bit. */
void paco_layout_append (
    PacoSampleLayout *layout, unsigned bit, unsigned depth);

/* Says whether each sample has a word of its own, one behind the other. */
static inline bool
paco_layout_is_planar (const PacoSampleLayout *layout)
{
  return layout->group_samples == 1 && layout->word_bytes == layout->group_bytes
      && !layout->swap_words;
}

/* A group with csi2. */
#define PACO_CSI2_SAMPLES(group_bytes) ((group_bytes) -1u)
#define PACO_CSI2_LOW_BITS(group_bytes) (8u / PACO_CSI2_SAMPLES (group_bytes))
#define PACO_CSI2_DEPTH(group_bytes) (8u + PACO_CSI2_LOW_BITS (group_bytes))

/* Returns which bit in memory, from the lowest one of the line's first byte on, is bit b
 * of a line with csi2. */
static inline size_t
paco_layout_csi2_bit (const PacoSampleLayout *layout, size_t b)
{
  unsigned bytes = layout->group_bytes, depth = PACO_CSI2_DEPTH (bytes);
  unsigned low = PACO_CSI2_LOW_BITS (bytes), in_group = b % (8 * bytes);
  unsigned sample = in_group / depth, bit = in_group % depth;

  return b - in_group
      + (bit < low ? 8 * (bytes - 1) + low * sample + bit
                   : 8 * sample + bit - low);
}

/* Returns where byte b of a line lies in memory. */
static inline size_t
paco_layout_byte (const PacoSampleLayout *layout, size_t b)
{
  return layout->swap_words ? b ^ 3 : b;
}

/* Returns how many groups the samples of a line take that has `columns` columns of the
 * component. */
static inline uint32_t
paco_layout_groups (const PacoSampleLayout *layout, uint32_t columns)
{
  return (columns + layout->group_samples - 1) / layout->group_samples;
}

/* Returns how many bytes a line of `columns` columns takes: whole groups, and whole
 * words if words are swapped. */
size_t paco_layout_line_bytes (
    const PacoSampleLayout *layout, uint32_t columns);

/* If words are swapped, the number of groups after which one begins at a multiple of 4
 * bytes again; else 1. */
unsigned paco_layout_aligned_groups (const PacoSampleLayout *layout);

/* Returns how many bytes a line has up to the end of the last word with one of its
 * samples. */
size_t paco_layout_end (const PacoSampleLayout *layout, uint32_t columns);

/* The byte of the line at which the word of sample x begins. */
static inline size_t
paco_layout_offset (const PacoSampleLayout *layout, uint32_t x)
{
  return (size_t) (x / layout->group_samples) * layout->group_bytes
      + layout->places[x % layout->group_samples].byte;
}

/* Memory that one or several components of a picture share: those whose data are equal.
 * The first line_bytes of each line belong to the picture. */
typedef struct
{
  uint8_t n_components;
  uint8_t components[PACO_MAX_COMPONENTS]; /* their numbers, ascending */
  uint8_t group_bytes;
  bool swap_words, csi2;  /* of PacoSampleLayout */
  uint8_t *data;          /* first group of the first line */
  ptrdiff_t stride;       /* bytes from a line of the frame to the next one */
  uint32_t groups, lines; /* groups of a line; lines of the frame */
  size_t line_bytes;      /* those of its groups, or the stride if it is less;
                           * whole words if these are swapped */
  /* A group before samples are put into it: the fill where there will be none, else
   * 0. */
  uint8_t blank[PACO_MAX_GROUP_BYTES];
} PacoRegion;

/* The regions of a picture that has passed paco_picture_check(), in the order of
 * their first components; returns how many there are. reduce: levels that are
 * left out, as in paco_geometry_reduced_component(). Of a part of a picture
 * (PacoPicture.crop) these are the part's. */
unsigned paco_picture_regions (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned reduce,
    PacoRegion regions[PACO_MAX_COMPONENTS]);

/* These write single samples, where speed does not matter: the first makes line y of a
 * region blank, the second puts sample x into a line that is blank at its place. */
void paco_region_blank_line (const PacoRegion *region, uint32_t y);
void paco_layout_put (
    const PacoSampleLayout *layout, uint8_t *line, uint32_t x, uint32_t sample);

/* Says whether each component of the format can be stored as its layout says: words
 * lie in the group, samples lie in their words, and no sample lies over another.
 * Error UNSUPPORTED. */
bool paco_layouts_check (const PacoPictureFormat *format,
    const PacoSampleLayout *layouts, GError **error);

/* Says the same of a picture in memory. Also, components that share a region must
 * have the same stride and group, and its lines must not overlap; and if it is a part of
 * a picture, that lies in there (crop.h). */
bool paco_picture_check (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned reduce, GError **error);
