/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations of rows.h, to be included once per instruction set.
 *
 * Loops are written so that GCC and Clang vectorise them: counted, no branch,
 * and with the promise that an output is at most identical to an input, never
 * shifted against it (`ivdep`). Integers are unsigned so that they wrap. Every
 * fused multiply-add is spelled out; the compiler contracts nothing. */
#include "codec/cpu/rows.h"
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__ ((always_inline))
#ifdef __clang__
#define INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma ("GCC ivdep")
#endif

typedef int32_t __attribute__ ((may_alias)) Int;
typedef float __attribute__ ((may_alias)) Float;

/* --- lifting --- */

INLINE void
lift_by (PacoWord *out, const PacoWord *x, const PacoWord *a, const PacoWord *b,
    size_t n, uint32_t multiplier, uint32_t offset, int shift, bool undo)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t sum = multiplier * (a[i] + b[i]) + offset;
    uint32_t change = (uint32_t) ((int32_t) sum >> shift);

    out[i] = undo ? x[i] - change : x[i] + change;
  }
}

/* The steps of the 5/3 wavelet with their constants, any others without. */
static void
lift_int (PacoWord *out, const PacoWord *x, const PacoWord *a,
    const PacoWord *b, size_t n, const PacoLiftingStep *step, bool undo)
{
  int m = step->multiplier, o = step->offset, s = step->shift;

  if (m == -1 && o == 1 && s == 1) {
    if (undo)
      lift_by (out, x, a, b, n, -1u, 1, 1, true);
    else
      lift_by (out, x, a, b, n, -1u, 1, 1, false);
  } else if (m == 1 && o == 2 && s == 2) {
    if (undo)
      lift_by (out, x, a, b, n, 1, 2, 2, true);
    else
      lift_by (out, x, a, b, n, 1, 2, 2, false);
  } else {
    lift_by (out, x, a, b, n, (uint32_t) m, (uint32_t) o, s, undo);
  }
}

static void
lift_float (PacoWord *out_words, const PacoWord *x_words,
    const PacoWord *a_words, const PacoWord *b_words, size_t n,
    float coefficient)
{
  Float *out = (Float *) out_words;
  const Float *x = (const Float *) x_words;
  const Float *a = (const Float *) a_words;
  const Float *b = (const Float *) b_words;

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    out[i] = fmaf (coefficient, a[i] + b[i], x[i]);
}

static void
split (const PacoWord *line, size_t n, PacoWord *even, PacoWord *odd)
{
  INDEPENDENT
  for (size_t i = 0; i < n / 2; i++) {
    even[i] = line[2 * i];
    odd[i] = line[2 * i + 1];
  }
  if (n % 2)
    even[n / 2] = line[n - 1];
}

static void
merge (const PacoWord *even, const PacoWord *odd, size_t n, PacoWord *line)
{
  INDEPENDENT
  for (size_t i = 0; i < n / 2; i++) {
    line[2 * i] = even[i];
    line[2 * i + 1] = odd[i];
  }
  if (n % 2)
    line[n - 1] = even[n / 2];
}

static void
scale (PacoWord *line, size_t n, float factor)
{
  Float *x = (Float *) line;

  for (size_t i = 0; i < n; i++)
    x[i] *= factor;
}

/* --- samples --- */

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

INLINE bool
must_swap (const PacoSampleLayout *layout)
{
  return layout->word_bytes > 1
      && layout->big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

INLINE void
load_plane (const uint8_t *data, unsigned bytes, bool swap, unsigned shift,
    unsigned depth, size_t n, PacoWord *line)
{
  uint32_t mask = (1u << depth) - 1, half = 1u << (depth - 1);

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    line[i] = ((get_word (data + i * bytes, bytes, swap) >> shift) & mask)
        - half;
}

/* Any layout. */
static void
load_groups (const uint8_t *data, const PacoSampleLayout *layout,
    unsigned depth, size_t x, size_t n, PacoWord *line)
{
  uint32_t mask = (1u << depth) - 1, half = 1u << (depth - 1);
  unsigned bytes = layout->word_bytes, i = x % layout->group_samples;
  bool swap = must_swap (layout);

  data += x / layout->group_samples * layout->group_bytes;
  for (size_t done = 0; done < n; data += layout->group_bytes, i = 0)
    for (; i < layout->group_samples && done < n; i++)
      line[done++] = ((get_word (data + layout->places[i].byte, bytes, swap)
                          >> layout->places[i].shift)
                         & mask)
          - half;
}

static void
load (const uint8_t *data, const PacoSampleLayout *layout, unsigned depth,
    size_t x, size_t n, PacoWord *line)
{
  unsigned bytes = layout->word_bytes, shift = layout->places[0].shift;

  if (!paco_layout_is_planar (layout)) {
    load_groups (data, layout, depth, x, n, line);
    return;
  }
  data += x * bytes;
  if (must_swap (layout))
    load_plane (data, bytes, true, shift, depth, n, line);
  else if (bytes == 1)
    load_plane (data, 1, false, shift, depth, n, line);
  else if (bytes == 2)
    load_plane (data, 2, false, shift, depth, n, line);
  else
    load_plane (data, 4, false, shift, depth, n, line);
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

/* blank: of a word. */
INLINE void
store_plane (const PacoWord *line_words, size_t n, unsigned bytes, bool swap,
    unsigned shift, unsigned depth, uint32_t blank, uint8_t *data)
{
  const Int *line = (const Int *) line_words;

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    put_word (data + i * bytes, bytes, swap,
        clamp_sample (line[i], depth) << shift | blank);
}

/* Any layout. */
static void
store_groups (const PacoWord *line_words, size_t x, size_t n,
    const PacoSampleLayout *layout, unsigned depth, const uint8_t *blank,
    uint8_t *data)
{
  const Int *line = (const Int *) line_words;
  unsigned bytes = layout->word_bytes;
  bool swap = must_swap (layout);

  data += x / layout->group_samples * layout->group_bytes;
  for (size_t done = 0; done < n; data += layout->group_bytes) {
    if (blank)
      memcpy (data, blank, layout->group_bytes);
    for (unsigned i = 0; i < layout->group_samples && done < n; i++) {
      uint8_t *word = data + layout->places[i].byte;
      uint32_t sample = clamp_sample (line[done++], depth);

      put_word (word, bytes, swap,
          get_word (word, bytes, swap) | sample << layout->places[i].shift);
    }
  }
}

static void
store (const PacoWord *line, size_t x, size_t n, const PacoSampleLayout *layout,
    unsigned depth, const uint8_t *blank, uint8_t *data)
{
  unsigned bytes = layout->word_bytes, shift = layout->places[0].shift;
  bool swap = must_swap (layout);
  uint32_t blank_word;

  if (!blank || !paco_layout_is_planar (layout)) {
    store_groups (line, x, n, layout, depth, blank, data);
    return;
  }
  blank_word = get_word (blank, bytes, swap);
  data += x * bytes;
  if (swap)
    store_plane (line, n, bytes, true, shift, depth, blank_word, data);
  else if (bytes == 1)
    store_plane (line, n, 1, false, shift, depth, blank_word, data);
  else if (bytes == 2)
    store_plane (line, n, 2, false, shift, depth, blank_word, data);
  else
    store_plane (line, n, 4, false, shift, depth, blank_word, data);
}

/* --- conversions --- */

static void
to_float (PacoWord *line, size_t n)
{
  const Int *in = (const Int *) line;
  Float *out = (Float *) line;

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    out[i] = (float) in[i];
}

/* Adding 1.5 * 2^23 leaves no bits behind the point, so the addition itself
 * rounds, to nearest even; it holds for values below 2^22. */
static void
to_sample (PacoWord *line, size_t n)
{
  const float magic = 12582912.0f;
  const Float *in = (const Float *) line;
  Int *out = (Int *) line;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float x = in[i] < 32768.0f ? in[i] : 32768.0f;

    x = x > -32768.0f ? x : -32768.0f;
    out[i] = (int32_t) ((x + magic) - magic);
  }
}

static void
to_int (PacoWord *line, size_t n)
{
  const Float *in = (const Float *) line;
  Int *out = (Int *) line;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float x = rintf (in[i]);

    x = x < 2147483520.0f ? x : 2147483520.0f;
    x = x > -2147483648.0f ? x : -2147483648.0f;
    out[i] = (int32_t) x;
  }
}

/* --- color transforms --- */

static void
forward_rct (PacoWord *r, PacoWord *g, PacoWord *b, size_t n)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t red = r[i], green = g[i], blue = b[i];

    r[i] = (uint32_t) ((int32_t) (red + 2 * green + blue) >> 2);
    g[i] = blue - green;
    b[i] = red - green;
  }
}

static void
inverse_rct (PacoWord *y, PacoWord *u, PacoWord *v, size_t n)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t luma = y[i], blue = u[i], red = v[i];
    uint32_t green = luma - (uint32_t) ((int32_t) (blue + red) >> 2);

    y[i] = red + green;
    u[i] = green;
    v[i] = blue + green;
  }
}

static void
forward_ict (PacoWord *r, PacoWord *g, PacoWord *b, size_t n)
{
  Float *x = (Float *) r, *y = (Float *) g, *z = (Float *) b;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float red = x[i], green = y[i], blue = z[i];

    x[i] = fmaf (0.299f, red, fmaf (0.587f, green, 0.114f * blue));
    y[i] = fmaf (0.5f, blue, fmaf (-0.331264f, green, -0.168736f * red));
    z[i] = fmaf (0.5f, red, fmaf (-0.418688f, green, -0.081312f * blue));
  }
}

static void
inverse_ict (PacoWord *y_words, PacoWord *u_words, PacoWord *v_words, size_t n)
{
  Float *y = (Float *) y_words, *u = (Float *) u_words, *v = (Float *) v_words;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float luma = y[i], blue = u[i], red = v[i];

    y[i] = fmaf (1.402f, red, luma);
    u[i] = fmaf (-0.344136f, blue, fmaf (-0.714136f, red, luma));
    v[i] = fmaf (1.772f, blue, luma);
  }
}

#define PACO_ROW_OPS(isa)                                                      \
  {                                                                            \
    .name = isa, .lift_int = lift_int, .lift_float = lift_float,               \
    .split = split, .merge = merge, .scale = scale, .load = load,              \
    .store = store, .to_float = to_float, .to_sample = to_sample,              \
    .to_int = to_int, .forward_rct = forward_rct, .inverse_rct = inverse_rct,  \
    .forward_ict = forward_ict, .inverse_ict = inverse_ict                     \
  }
