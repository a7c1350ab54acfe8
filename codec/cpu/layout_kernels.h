/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Samples of any layout to lines of 32-bit words and back; rows_kernels.h includes it
 * once for each instruction set. Planes have loops that the compiler vectorises. Other
 * layouts of up to 16 bytes a group go through byte shuffles where the instruction set
 * has them (PacoLayoutPlan, LAYOUT_VECTORS_HEADER), and one loop does what is left.
 * Swapped words are swapped back piece by piece, and groups of CSI-2 become strings of
 * bits; that leaves one of these layouts. */
#include "codec/cpu/rows.h"
#include "codec/cpu/rows_loops.h"
#include <glib.h>
#include <string.h>

INLINE uint32_t
get_word (const uint8_t *data, unsigned bytes, bool swap)
{
  uint16_t two;
  uint32_t four;

  if (bytes == 1)
    return *data;
  if (bytes == 2) {
    memcpy (&two, data, 2);
    return swap ? __builtin_bswap16 (two) : two;
  }
  memcpy (&four, data, 4);
  return swap ? __builtin_bswap32 (four) : four;
}

INLINE void
put_word (uint8_t *data, unsigned bytes, bool swap, uint32_t word)
{
  if (bytes == 1) {
    *data = (uint8_t) word;
  } else if (bytes == 2) {
    uint16_t two = (uint16_t) word;

    two = swap ? __builtin_bswap16 (two) : two;
    memcpy (data, &two, 2);
  } else {
    word = swap ? __builtin_bswap32 (word) : word;
    memcpy (data, &word, 4);
  }
}

/* A sample as an unsigned number of `depth` bits. */
INLINE uint32_t
clamp_sample (int32_t value, unsigned depth)
{
  int32_t half = 1 << (depth - 1);

  value = value < -half ? -half : value;
  value = value > half - 1 ? half - 1 : value;
  return (uint32_t) (value + half);
}

/* Calls function (bytes, swap, ...) with constants for words of the layout. */
#define WITH_WORDS(layout, function, ...)                                      \
  do {                                                                         \
    bool swap_ = (layout)->word_bytes > 1                                      \
        && (layout)->big_endian                                                \
            == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);                    \
                                                                               \
    if ((layout)->word_bytes == 1)                                             \
      function (1, false, __VA_ARGS__);                                        \
    else if ((layout)->word_bytes == 2 && !swap_)                              \
      function (2, false, __VA_ARGS__);                                        \
    else if ((layout)->word_bytes == 2)                                        \
      function (2, true, __VA_ARGS__);                                         \
    else if (!swap_)                                                           \
      function (4, false, __VA_ARGS__);                                        \
    else                                                                       \
      function (4, true, __VA_ARGS__);                                         \
  } while (0)

/* --- planes --- */

INLINE void
load_plane (unsigned bytes, bool swap, const uint8_t *data,
    const PacoLayoutPlan *plan, size_t n, PacoWord *line)
{
  uint32_t mask = (1u << plan->depth) - 1, half = 1u << (plan->depth - 1);
  unsigned shift = plan->layout->places[0].shift;

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    line[i] = ((get_word (data + i * bytes, bytes, swap) >> shift) & mask)
        - half;
}

INLINE void
store_plane (unsigned bytes, bool swap, const PacoWord *line_words, size_t n,
    const PacoLayoutPlan *plan, const uint8_t *blank, uint8_t *data)
{
  const Int *line = (const Int *) line_words;
  uint32_t blank_word = get_word (blank, bytes, swap);
  unsigned shift = plan->layout->places[0].shift, depth = plan->depth;

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    put_word (data + i * bytes, bytes, swap,
        clamp_sample (line[i], depth) << shift | blank_word);
}

/* --- groups, sample by sample --- */

/* Loads samples from sample `first` of the group at `data` on. */
INLINE void
load_groups (unsigned bytes, bool swap, const uint8_t *data,
    const PacoLayoutPlan *plan, unsigned first, size_t n, PacoWord *line)
{
  const PacoSampleLayout *layout = plan->layout;
  uint32_t mask = (1u << plan->depth) - 1, half = 1u << (plan->depth - 1);

  for (size_t done = 0; done < n; data += layout->group_bytes, first = 0)
    for (unsigned i = first; i < layout->group_samples && done < n; i++) {
      const PacoSamplePlace *place = &layout->places[i];
      uint32_t word = get_word (data + place->byte, bytes, swap);

      line[done++] = (word >> place->shift & mask) - half;
    }
}

/* Writes n bytes of groups that are all alike. */
static void
repeat_group (const uint8_t *group, size_t group_bytes, size_t n, uint8_t *data)
{
  size_t done = MIN (group_bytes, n);

  memcpy (data, group, done);
  for (size_t next; done < n; done += next) {
    next = MIN (done, n - done);
    memcpy (data + done, data, next);
  }
}

/* Stores samples in groups that are blank at their places. */
INLINE void
store_groups (unsigned bytes, bool swap, const PacoWord *line_words, size_t n,
    const PacoLayoutPlan *plan, uint8_t *data)
{
  const PacoSampleLayout *layout = plan->layout;
  const Int *line = (const Int *) line_words;

  for (size_t done = 0; done < n; data += layout->group_bytes)
    for (unsigned i = 0; i < layout->group_samples && done < n; i++) {
      const PacoSamplePlace *place = &layout->places[i];
      uint8_t *at = data + place->byte;
      uint32_t word = clamp_sample (line[done++], plan->depth) << place->shift;

      put_word (at, bytes, swap, get_word (at, bytes, swap) | word);
    }
}

/* --- groups, a vector of samples at a time --- */

#ifdef LAYOUT_VECTORS_HEADER
#include LAYOUT_VECTORS_HEADER
#else
static size_t
load_vectors (const uint8_t *data, const PacoLayoutPlan *plan, size_t n,
    size_t bytes, PacoWord *line)
{
  return 0;
}

static size_t
store_vectors (const PacoWord *line, size_t n, const PacoLayoutPlan *plan,
    const uint8_t *blank, size_t n_bytes, uint8_t *data)
{
  return 0;
}
#endif

/* --- any layout --- */

/* Loads samples from sample `first` of the group at `data` on. The line has `bytes`
 * bytes from there on. */
static void
load_bytes (const uint8_t *data, size_t bytes, const PacoLayoutPlan *plan,
    unsigned first, size_t n, PacoWord *words)
{
  const PacoSampleLayout *layout = plan->layout;
  size_t done;

  if (first > 0) {
    done = MIN (n, layout->group_samples - first);
    WITH_WORDS (layout, load_groups, data, plan, first, done, words);
    data += layout->group_bytes;
    bytes -= MIN (bytes, layout->group_bytes);
    words += done;
    n -= done;
  }
  done = load_vectors (data, plan, n, bytes, words);
  data += done / layout->group_samples * layout->group_bytes;
  WITH_WORDS (layout, load_groups, data, plan, 0, n - done, words + done);
}

/* Stores samples in the bytes from `data` on, where a group begins. */
static void
store_bytes (const PacoWord *words, size_t n, const PacoLayoutPlan *plan,
    const uint8_t *blank, size_t bytes, uint8_t *data)
{
  const PacoSampleLayout *layout = plan->layout;
  size_t done = store_vectors (words, n, plan, blank, bytes, data);
  size_t done_bytes = done / layout->group_samples * layout->group_bytes;

  if (blank)
    repeat_group (
        blank, layout->group_bytes, bytes - done_bytes, data + done_bytes);
  WITH_WORDS (
      layout, store_groups, words + done, n - done, plan, data + done_bytes);
}

/* --- swapped words, and groups of CSI-2 --- */

#define PIECE_BYTES 2048

/* Copies n bytes of a line, from number `begin` on. Whole words are copied as words; of
 * words that are not whole only these bytes are touched, as other threads may use the
 * rest. */
INLINE void
take_swapped (const uint8_t *line, size_t begin, size_t n, uint8_t *bytes)
{
  size_t i = 0, head = MIN (-begin & 3, n), whole = (n - head) & ~(size_t) 3;

  for (; i < head; i++)
    bytes[i] = line[(begin + i) ^ 3];
  INDEPENDENT
  for (; i < head + whole; i += 4) {
    uint32_t word;

    memcpy (&word, line + begin + i, 4);
    word = __builtin_bswap32 (word);
    memcpy (bytes + i, &word, 4);
  }
  for (; i < n; i++)
    bytes[i] = line[(begin + i) ^ 3];
}

INLINE void
put_swapped (const uint8_t *bytes, size_t begin, size_t n, uint8_t *line)
{
  size_t i = 0, head = MIN (-begin & 3, n), whole = (n - head) & ~(size_t) 3;

  for (; i < head; i++)
    line[(begin + i) ^ 3] = bytes[i];
  INDEPENDENT
  for (; i < head + whole; i += 4) {
    uint32_t word;

    memcpy (&word, bytes + i, 4);
    word = __builtin_bswap32 (word);
    memcpy (line + begin + i, &word, 4);
  }
  for (; i < n; i++)
    line[(begin + i) ^ 3] = bytes[i];
}

/* Copies n bytes, which are whole groups of CSI-2, as strings of bits, and back. */
INLINE void
take_csi2_groups (
    const uint8_t *groups, size_t n, unsigned group_bytes, uint8_t *bytes)
{
  unsigned samples = PACO_CSI2_SAMPLES (group_bytes);
  unsigned low = PACO_CSI2_LOW_BITS (group_bytes), mask = (1u << low) - 1;

  for (size_t at = 0; at < n; at += group_bytes) {
    uint64_t string = 0;

    for (unsigned i = 0; i < samples; i++) {
      unsigned rest = groups[at + samples] >> low * i & mask;
      uint64_t sample = (unsigned) groups[at + i] << low | rest;

      string |= sample << (8 + low) * i;
    }
    for (unsigned i = 0; i < group_bytes; i++)
      bytes[at + i] = (uint8_t) (string >> 8 * i);
  }
}

INLINE void
put_csi2_groups (
    const uint8_t *bytes, size_t n, unsigned group_bytes, uint8_t *groups)
{
  unsigned samples = PACO_CSI2_SAMPLES (group_bytes);
  unsigned low = PACO_CSI2_LOW_BITS (group_bytes), mask = (1u << low) - 1;

  for (size_t at = 0; at < n; at += group_bytes) {
    uint64_t string = 0;
    unsigned rest = 0;

    for (unsigned i = 0; i < group_bytes; i++)
      string |= (uint64_t) bytes[at + i] << 8 * i;
    for (unsigned i = 0; i < samples; i++) {
      uint64_t sample = string >> (8 + low) * i;

      groups[at + i] = (uint8_t) (sample >> low);
      rest |= (unsigned) (sample & mask) << low * i;
    }
    groups[at + samples] = (uint8_t) rest;
  }
}

static void
take_bytes (const uint8_t *line, size_t begin, size_t n,
    const PacoSampleLayout *layout, uint8_t *bytes)
{
  if (!layout->csi2)
    take_swapped (line, begin, n, bytes);
  else if (layout->group_bytes == 5)
    take_csi2_groups (line + begin, n, 5, bytes);
  else
    take_csi2_groups (line + begin, n, 3, bytes);
}

static void
put_bytes (const uint8_t *bytes, size_t begin, size_t n,
    const PacoSampleLayout *layout, uint8_t *line)
{
  if (!layout->csi2)
    put_swapped (bytes, begin, n, line);
  else if (layout->group_bytes == 5)
    put_csi2_groups (bytes, n, 5, line + begin);
  else
    put_csi2_groups (bytes, n, 3, line + begin);
}

static void
load_swapped (const uint8_t *line, const PacoLayoutPlan *plan, size_t x,
    size_t n, PacoWord *words)
{
  const PacoSampleLayout *layout = plan->layout;
  size_t of_piece = PIECE_BYTES / layout->group_bytes * layout->group_samples;
  uint8_t piece[PIECE_BYTES + PACO_PLAN_WINDOW];

  for (size_t done; n > 0; x += done, words += done, n -= done) {
    size_t begin = x / layout->group_samples * layout->group_bytes;
    size_t bytes = MIN (sizeof piece, plan->line_bytes - begin);
    unsigned first = x % layout->group_samples;

    done = MIN (n, of_piece - first);
    if (layout->csi2)
      bytes -= bytes % layout->group_bytes;
    take_bytes (line, begin, bytes, layout, piece);
    load_bytes (piece, bytes, plan, first, done, words);
  }
}

static void
store_swapped (const PacoWord *words, size_t x, size_t n,
    const PacoLayoutPlan *plan, const uint8_t *blank, uint8_t *line)
{
  const PacoSampleLayout *layout = plan->layout;
  size_t of_piece = PIECE_BYTES / layout->group_bytes * layout->group_samples;
  uint8_t piece[PIECE_BYTES + 3];

  for (size_t done; n > 0; x += done, words += done, n -= done) {
    size_t begin = x / layout->group_samples * layout->group_bytes, bytes;

    done = MIN (n, of_piece);
    /* The last word of the line may reach beyond its groups. */
    bytes = x + done == plan->columns
        ? plan->line_bytes - begin
        : done / layout->group_samples * layout->group_bytes;
    if (!blank)
      take_bytes (line, begin, bytes, layout, piece);
    store_bytes (words, done, plan, blank, bytes, piece);
    put_bytes (piece, begin, bytes, layout, line);
  }
}

/* --- the operations --- */

static void
load (const uint8_t *line, const PacoLayoutPlan *plan, size_t x, size_t n,
    PacoWord *words)
{
  const PacoSampleLayout *layout = plan->layout;
  size_t begin = x / layout->group_samples * layout->group_bytes;

  if (paco_layout_is_planar (layout))
    WITH_WORDS (layout, load_plane, line + begin, plan, n, words);
  else if (layout->swap_words || layout->csi2)
    load_swapped (line, plan, x, n, words);
  else
    load_bytes (line + begin, plan->line_bytes - begin, plan,
        x % layout->group_samples, n, words);
}

static void
store (const PacoWord *words, size_t x, size_t n, const PacoLayoutPlan *plan,
    const uint8_t *blank, uint8_t *line)
{
  const PacoSampleLayout *layout = plan->layout;
  size_t begin = x / layout->group_samples * layout->group_bytes;
  size_t bytes = (size_t) paco_layout_groups (layout, (uint32_t) n)
      * layout->group_bytes;

  if (blank && paco_layout_is_planar (layout))
    WITH_WORDS (layout, store_plane, words, n, plan, blank, line + begin);
  else if (layout->swap_words || layout->csi2)
    store_swapped (words, x, n, plan, blank, line);
  else
    store_bytes (words, n, plan, blank, MIN (bytes, plan->line_bytes - begin),
        line + begin);
}
