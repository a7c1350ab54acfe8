/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compresses chunks of OpenEXR files as PIZ does (exr.h): numbers of 16 bits are counted,
 * so that those in use are consecutive; each channel goes through a wavelet of sums and
 * differences; and prefix codes say what comes out. Programs differ in the lengths of
 * the codes where symbols are equally frequent, so it is kept with the rest of the file by
 * how much lengths are others than here. All else follows from the samples.
 *
 * A chunk is: the first and the last byte of the map of numbers in use, 16 bits each; these
 * bytes; the size of what follows, 32 bits; the first and the last symbol, the bytes of
 * the table, the bits of the codes, and 0, 32 bits each; the table; the codes. */
#include "tool/archive/kinds/exr.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  VALUES = 1 << 16,
  MAP = VALUES / 8,
  SYMBOLS = VALUES + 1, /* the last one says that a number is repeated */
  MAX_LENGTH = 58,      /* bits of a code */
  /* In the table, lengths take 6 bits; these stand for 2 to 5 times 0, and for more. */
  FEW_ZEROS = 59,
  MANY_ZEROS = 63,
  LEAST_MANY = 6,
  MOST_ZEROS = 255 + LEAST_MANY,
  TABLE_HEAD = 12, /* of a table that is kept */
  HEAD = 20,       /* of the codes */
  RUN_BITS = 8,
  LEAST_RUN =
      32, /* Older programs say of more repeats only how many they are. */
  MAX_REPEATS = 255,
};

/* --- bits ------------------------------------------------------------------ */

typedef struct
{
  const guint8 *at, *end;
  guint64 bits;
  guint n;
} Reader;

/* Returns the next bit, or 0 after the end; then at passes it. */
static guint
read_bits (Reader *reader, guint n)
{
  while (reader->n < n) {
    reader->bits = reader->bits << 8
        | (reader->at < reader->end ? *reader->at : 0);
    reader->at++;
    reader->n += 8;
  }
  reader->n -= n;
  return (guint) (reader->bits >> reader->n) & ((1u << n) - 1);
}

static gboolean
is_past (const Reader *reader)
{
  return reader->at > reader->end;
}

typedef struct
{
  GByteArray *to;
  guint64 n_bits;
  guint8 last;
} Writer;

static void
write_bits (Writer *writer, guint64 bits, guint n)
{
  while (n > 0) {
    guint used = (guint) (writer->n_bits % 8), m = MIN (8 - used, n);
    guint8 part = (guint8) ((bits >> (n - m)) & ((1u << m) - 1));

    writer->last |= (guint8) (part << (8 - used - m));
    writer->n_bits += m;
    n -= m;
    if (writer->n_bits % 8 == 0) {
      g_byte_array_append (writer->to, &writer->last, 1);
      writer->last = 0;
    }
  }
}

static void
write_end (Writer *writer)
{
  if (writer->n_bits % 8)
    g_byte_array_append (writer->to, &writer->last, 1);
}

/* --- codes ----------------------------------------------------------------- */

typedef struct
{
  gboolean fixed_runs; /* Repeats are counted as older programs do it. */
  guint32 first, last; /* symbols that may have codes; the last one repeats */
  guint8 length[SYMBOLS];
  guint64 code[SYMBOLS];
  /* Of each length, the lowest code, how many there are, and where their symbols are in
   * `sorted`. */
  guint64 lowest[MAX_LENGTH + 1];
  guint32 n[MAX_LENGTH + 1], begin[MAX_LENGTH + 1];
  guint32 sorted[SYMBOLS];
} Codes;

/* Gives codes to symbols by their lengths: longer ones are lower, and those of one length
 * rise with the symbols. */
static gboolean
assign_codes (Codes *codes)
{
  guint64 next[MAX_LENGTH + 1], code = 0;
  guint32 begin = 0, place[MAX_LENGTH + 1];

  memset (codes->n, 0, sizeof codes->n);
  for (guint32 i = codes->first; i <= codes->last; i++)
    codes->n[codes->length[i]]++;
  for (guint length = MAX_LENGTH; length > 0; length--) {
    next[length] = codes->lowest[length] = code;
    if ((code + codes->n[length]) > (G_GUINT64_CONSTANT (1) << length))
      return FALSE;
    code = (code + codes->n[length]) >> 1;
  }
  for (guint length = 1; length <= MAX_LENGTH; length++) {
    place[length] = codes->begin[length] = begin;
    begin += codes->n[length];
  }
  for (guint32 i = codes->first; i <= codes->last; i++) {
    guint length = codes->length[i];

    if (length == 0)
      continue;
    codes->code[i] = next[length]++;
    codes->sorted[place[length]++] = i;
  }
  return TRUE;
}

/* Reads the table of lengths. */
static gboolean
read_table (
    Codes *codes, guint32 first, guint32 last, const guint8 *bytes, gsize size)
{
  Reader reader = { bytes, bytes + size, 0, 0 };

  if (first > last || last >= SYMBOLS)
    return FALSE;
  codes->first = first;
  codes->last = last;
  memset (codes->length, 0, sizeof codes->length);
  for (guint32 i = first; i <= last;) {
    guint length = read_bits (&reader, 6);
    guint zeros = length == MANY_ZEROS ? read_bits (&reader, 8) + LEAST_MANY
        : length >= FEW_ZEROS          ? length - FEW_ZEROS + 2
                                       : 0;

    if (is_past (&reader) || zeros > last + 1 - i)
      return FALSE;
    if (zeros == 0)
      codes->length[i++] = (guint8) length;
    i += zeros;
  }
  return reader.at == reader.end && assign_codes (codes);
}

/* Writes the table of lengths. */
static void
write_table (const Codes *codes, Writer *writer)
{
  for (guint32 i = codes->first; i <= codes->last;) {
    guint zeros = 0;

    while (zeros < MOST_ZEROS && i + zeros <= codes->last
        && codes->length[i + zeros] == 0)
      zeros++;
    if (zeros >= LEAST_MANY) {
      write_bits (writer, MANY_ZEROS, 6);
      write_bits (writer, zeros - LEAST_MANY, 8);
    } else if (zeros >= 2)
      write_bits (writer, FEW_ZEROS + zeros - 2, 6);
    else
      write_bits (writer, codes->length[i], 6);
    i += MAX (zeros, 1);
  }
  write_end (writer);
}

static gboolean
read_symbol (const Codes *codes, Reader *reader, guint32 *symbol)
{
  guint64 code = 0;

  for (guint length = 1; length <= MAX_LENGTH && !is_past (reader); length++) {
    code = code << 1 | read_bits (reader, 1);
    if (code >= codes->lowest[length]
        && code - codes->lowest[length] < codes->n[length]) {
      *symbol = codes->sorted[codes->begin[length]
          + (guint32) (code - codes->lowest[length])];
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
read_numbers (const Codes *codes, Reader *reader, guint16 *numbers, gsize n)
{
  for (gsize i = 0; i < n;) {
    guint32 symbol;

    if (!read_symbol (codes, reader, &symbol))
      return FALSE;
    if (symbol == codes->last) {
      guint repeats = read_bits (reader, RUN_BITS);

      if (i == 0 || repeats > n - i)
        return FALSE;
      for (; repeats > 0; repeats--, i++)
        numbers[i] = numbers[i - 1];
    } else
      numbers[i++] = (guint16) symbol;
  }
  return !is_past (reader);
}

/* Writes a number that comes again `repeats` times. */
static gboolean
write_number (const Codes *codes, Writer *writer, guint16 number, guint repeats)
{
  guint length = number <= codes->last ? codes->length[number] : 0;
  guint run = codes->length[codes->last];

  if (length == 0)
    return FALSE;
  write_bits (writer, codes->code[number], length);
  if (codes->fixed_runs ? repeats > LEAST_RUN
                        : length + run + RUN_BITS < length * repeats) {
    if (run == 0)
      return FALSE;
    write_bits (writer, codes->code[codes->last], run);
    write_bits (writer, repeats, RUN_BITS);
    return TRUE;
  }
  for (; repeats > 0; repeats--)
    write_bits (writer, codes->code[number], length);
  return TRUE;
}

static gboolean
write_numbers (
    const Codes *codes, Writer *writer, const guint16 *numbers, gsize n)
{
  gboolean good = TRUE;

  for (gsize i = 0, end; good && i < n; i = end) {
    for (end = i + 1;
         end < n && end - i <= MAX_REPEATS && numbers[end] == numbers[i];)
      end++;
    good = write_number (codes, writer, numbers[i], (guint) (end - i - 1));
  }
  write_end (writer);
  return good;
}

/* --- lengths of codes ------------------------------------------------------ */

/* A tree of symbols: node i is symbol i, and those from SYMBOLS on have two others below
 * them. */
typedef struct
{
  guint32 count[SYMBOLS],
      node[SYMBOLS]; /* by which trees are compared; their roots */
  guint32 parent[2 * SYMBOLS];
  guint32 heap[SYMBOLS], n; /* symbols that stand for trees, the rarest first */
} Tree;

static gboolean
is_rarer (const Tree *tree, guint32 a, guint32 b)
{
  return tree->count[a] < tree->count[b]
      || (tree->count[a] == tree->count[b] && a < b);
}

static void
push (Tree *tree, guint32 symbol)
{
  guint32 i = tree->n++;

  for (; i > 0 && is_rarer (tree, symbol, tree->heap[(i - 1) / 2]);
       i = (i - 1) / 2)
    tree->heap[i] = tree->heap[(i - 1) / 2];
  tree->heap[i] = symbol;
}

static guint32
pop (Tree *tree)
{
  guint32 top = tree->heap[0], last = tree->heap[--tree->n], i = 0, next;

  while ((next = 2 * i + 1) < tree->n) {
    if (next + 1 < tree->n
        && is_rarer (tree, tree->heap[next + 1], tree->heap[next]))
      next++;
    if (!is_rarer (tree, tree->heap[next], last))
      break;
    tree->heap[i] = tree->heap[next];
    i = next;
  }
  tree->heap[i] = last;
  return top;
}

/* Computes the lengths of codes for the numbers, and for repeats, which count as one. */
static void
find_lengths (const guint16 *numbers, gsize n, guint32 first, guint32 last,
    guint8 *lengths)
{
  Tree *tree = g_new0 (Tree, 1);
  guint32 nodes = SYMBOLS;

  for (gsize i = 0; i < n; i++)
    tree->count[numbers[i]]++;
  tree->count[last] = 1;
  for (guint32 i = first; i <= last; i++)
    if (tree->count[i] > 0) {
      tree->node[i] = i;
      push (tree, i);
    }
  while (tree->n > 1) {
    guint32 a = pop (tree), b = pop (tree);

    tree->parent[tree->node[a]] = tree->parent[tree->node[b]] = nodes;
    tree->count[b] += tree->count[a];
    tree->node[b] = nodes++;
    push (tree, b);
  }
  memset (lengths, 0, SYMBOLS);
  for (guint32 i = first; i <= last; i++) {
    guint length = 0;

    for (guint32 node = i; tree->parent[node] > 0; node = tree->parent[node])
      length++;
    lengths[i] = (guint8) MIN (length, MAX_LENGTH);
  }
  g_free (tree);
}

/* --- the wavelet ------------------------------------------------------------ */

/* Half the sum of two numbers and their difference: if all numbers have 14 bits exactly,
 * else modulo 2^16. */
static inline void
mix (gboolean few_bits, guint16 *a, guint16 *b)
{
  if (few_bits) {
    gint16 x = (gint16) *a, y = (gint16) *b;

    *a = (guint16) ((x + y) >> 1);
    *b = (guint16) (x - y);
  } else {
    guint32 x = *a ^ 0x8000u, y = *b;
    guint32 sum = (x + y) >> 1;

    *a = (guint16) (x < y ? sum ^ 0x8000u : sum);
    *b = (guint16) (x - y);
  }
}

static inline void
unmix (gboolean few_bits, guint16 *a, guint16 *b)
{
  if (few_bits) {
    gint sum = (gint16) *a, difference = (gint16) *b;
    gint x = sum + (difference & 1) + (difference >> 1);

    *a = (guint16) x;
    *b = (guint16) (x - difference);
  } else {
    guint32 sum = *a, difference = *b;
    guint32 y = (sum - (difference >> 1)) & 0xffff;

    *a = (guint16) ((difference + y) ^ 0x8000u);
    *b = (guint16) y;
  }
}

/* A plane of numbers. */
typedef struct
{
  guint16 *data;
  gsize nx, ny, sx, sy; /* numbers, and steps from one to the next one */
  gboolean few_bits;
} Plane;

/* Transforms one level of a plane, whose numbers are `p` columns and lines apart. */
static void
transform_level (const Plane *plane, gsize p, gboolean back)
{
  gsize dx = plane->sx * p, dy = plane->sy * p;
  void (*step) (gboolean, guint16 *, guint16 *) = back ? unmix : mix;
  gboolean few = plane->few_bits;

  for (gsize y = 0; y < plane->ny; y += 2 * p) {
    gboolean pair_y = y + 2 * p <= plane->ny;

    /* A line that is left has a partner only if p of its lines are there. */
    if (!pair_y && !(plane->ny & p))
      break;
    for (gsize x = 0; x < plane->nx; x += 2 * p) {
      guint16 *at = plane->data + y * plane->sy + x * plane->sx;
      gboolean pair_x = x + 2 * p <= plane->nx;

      if (!pair_x && !(plane->nx & p))
        break;
      if (pair_x && pair_y && !back) {
        step (few, at, at + dx);
        step (few, at + dy, at + dy + dx);
        step (few, at, at + dy);
        step (few, at + dx, at + dy + dx);
      } else if (pair_x && pair_y) {
        step (few, at, at + dy);
        step (few, at + dx, at + dy + dx);
        step (few, at, at + dx);
        step (few, at + dy, at + dy + dx);
      } else if (pair_y)
        step (few, at, at + dy);
      else if (pair_x)
        step (few, at, at + dx);
    }
  }
}

static void
transform (const Plane *plane, gboolean back)
{
  gsize least = MIN (plane->nx, plane->ny), p = 1;

  if (!back) {
    for (; 2 * p <= least; p *= 2)
      transform_level (plane, p, FALSE);
    return;
  }
  while (2 * p <= least)
    p *= 2;
  for (p /= 2; p >= 1; p /= 2)
    transform_level (plane, p, TRUE);
}

/* --- numbers ----------------------------------------------------------------- */

/* Copies the samples of a chunk, line by line, to or from numbers, channel by channel, and
 * transforms these in between. */
static void
move_numbers (const PacoExrPicture *picture, guint32 chunk, guint8 *raw,
    guint16 *numbers, gboolean to_raw)
{
  guint32 first, n = paco_exr_chunk_lines (picture, chunk, &first);
  gsize begin[PACO_EXR_CHANNELS], at = 0;

  for (guint c = 0; c < picture->n_channels; c++) {
    const PacoExrChannel *channel = &picture->channels[c];
    gsize lines = 0;

    for (guint32 y = first; y < first + n; y++)
      lines += paco_exr_has_line (picture, channel, y);
    begin[c] = at;
    at += lines * channel->width * channel->bytes / 2;
  }
  for (guint32 y = first; y < first + n; y++)
    for (guint c = 0; c < picture->n_channels; c++) {
      const PacoExrChannel *channel = &picture->channels[c];
      gsize size = (gsize) channel->width * channel->bytes / 2;

      if (!paco_exr_has_line (picture, channel, y))
        continue;
      for (gsize x = 0; x < size; x++, raw += 2)
        if (to_raw)
          paco_put16 (raw, numbers[begin[c]++]);
        else
          numbers[begin[c]++] = paco_get16 (raw);
    }
}

static void
transform_all (const PacoExrPicture *picture, guint32 chunk, guint16 *numbers,
    gboolean few_bits, gboolean back)
{
  guint32 first, n = paco_exr_chunk_lines (picture, chunk, &first);

  for (guint c = 0; c < picture->n_channels; c++) {
    const PacoExrChannel *channel = &picture->channels[c];
    gsize words = channel->bytes / 2, lines = 0;

    for (guint32 y = first; y < first + n; y++)
      lines += paco_exr_has_line (picture, channel, y);
    for (gsize i = 0; i < words; i++) {
      const Plane plane = { numbers + i, channel->width, lines, words,
        channel->width * words, few_bits };

      transform (&plane, back);
    }
    numbers += channel->width * lines * words;
  }
}

/* Fills the table from numbers to their places among those in use, or back. 0 is always
 * one of them. Returns the last place. */
static guint
fill_places (const guint8 map[MAP], guint16 *places, gboolean back)
{
  guint n = 0;

  memset (places, 0, VALUES * sizeof *places);
  for (guint i = 0; i < VALUES; i++)
    if (i == 0 || (map[i / 8] & (1 << (i % 8)))) {
      if (back)
        places[n++] = (guint16) i;
      else
        places[i] = (guint16) n++;
    }
  return n - 1;
}

/* --- chunks -------------------------------------------------------------------- */

/* Memory for one chunk. */
typedef struct
{
  Codes codes;
  guint8 lengths[SYMBOLS];
  guint8 map[MAP];
  guint16 places[VALUES];
  guint16 numbers[];
} Work;

static Work *
new_work (gsize raw_size)
{
  return g_malloc (sizeof (Work) + raw_size);
}

/* Keeps by how much the lengths of codes are others than they would be here. */
static void
add_table (GByteArray *tables, const Codes *codes, const guint8 *lengths)
{
  guint32 n = codes ? codes->last - codes->first + 1 : 0;
  guint8 head[TABLE_HEAD] = { 0 };

  if (n > 0)
    paco_put32 (paco_put32 (head, codes->first), codes->last);
  paco_put32 (head + 8, n);
  g_byte_array_append (tables, head, sizeof head);
  for (guint32 i = 0; i < n; i++) {
    guint8 more = (guint8) (codes->length[codes->first + i]
        - lengths[codes->first + i]);

    g_byte_array_append (tables, &more, 1);
  }
}

static gboolean
uncompress (Work *work, const PacoExrPicture *picture, guint32 chunk,
    const guint8 *bytes, gsize size, guint8 *raw, gsize raw_size,
    GByteArray *tables)
{
  guint low, high, most;
  guint32 table, n_bits;
  Reader reader;

  if (size < 4)
    return FALSE;
  low = paco_get16 (bytes);
  high = paco_get16 (bytes + 2);
  bytes += 4;
  size -= 4;
  memset (work->map, 0, sizeof work->map);
  if (low <= high) {
    if (high >= MAP || high - low + 1 > size)
      return FALSE;
    memcpy (work->map + low, bytes, high - low + 1);
    bytes += high - low + 1;
    size -= high - low + 1;
  }
  if (size < 4 + HEAD || paco_get32 (bytes) != size - 4)
    return FALSE;
  bytes += 4;
  table = paco_get32 (bytes + 8);
  n_bits = paco_get32 (bytes + 12);
  size -= 4 + HEAD;
  if (table > size || (n_bits + (guint64) 7) / 8 != size - table
      || !read_table (&work->codes, paco_get32 (bytes), paco_get32 (bytes + 4),
          bytes + HEAD, table))
    return FALSE;
  reader = (Reader){ bytes + HEAD + table, bytes + HEAD + size, 0, 0 };
  if (!read_numbers (&work->codes, &reader, work->numbers, raw_size / 2))
    return FALSE;
  find_lengths (work->numbers, raw_size / 2, work->codes.first,
      work->codes.last, work->lengths);
  add_table (tables, &work->codes, work->lengths);
  most = fill_places (work->map, work->places, TRUE);
  transform_all (picture, chunk, work->numbers, most < 1 << 14, TRUE);
  for (gsize i = 0; i < raw_size / 2; i++)
    work->numbers[i] = work->places[work->numbers[i]];
  move_numbers (picture, chunk, raw, work->numbers, TRUE);
  return TRUE;
}

gboolean
paco_exr_piz_uncompress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *bytes, gsize size, guint8 *raw, gsize raw_size,
    GByteArray *tables)
{
  Work *work;
  gboolean good;

  if (size >= raw_size) {
    add_table (tables, NULL, NULL);
    memcpy (raw, bytes, raw_size);
    return size == raw_size;
  }
  work = new_work (raw_size);
  good = uncompress (work, picture, chunk, bytes, size, raw, raw_size, tables);
  g_free (work);
  return good;
}

/* Writes the map of the numbers in use, and puts their places in their place. Returns the
 * last place. */
static guint
write_map (Work *work, gsize n, GByteArray *to)
{
  guint low = MAP - 1, high = 0, most;
  guint8 head[4];

  memset (work->map, 0, sizeof work->map);
  for (gsize i = 0; i < n; i++)
    work->map[work->numbers[i] / 8] |= (guint8) (1 << (work->numbers[i] % 8));
  work->map[0] &= (guint8) ~1;
  for (guint i = 0; i < MAP; i++)
    if (work->map[i]) {
      low = MIN (low, i);
      high = i;
    }
  paco_put16 (paco_put16 (head, low), high);
  g_byte_array_append (to, head, sizeof head);
  if (low <= high)
    g_byte_array_append (to, work->map + low, high - low + 1);
  most = fill_places (work->map, work->places, FALSE);
  for (gsize i = 0; i < n; i++)
    work->numbers[i] = work->places[work->numbers[i]];
  return most;
}

/* Reads the table that was kept for the numbers. */
static gboolean
read_kept (Work *work, const guint8 *table, guint32 n, gsize n_numbers)
{
  Codes *codes = &work->codes;

  codes->first = paco_get32 (table);
  codes->last = paco_get32 (table + 4);
  if (codes->last >= SYMBOLS || codes->first > codes->last
      || codes->last - codes->first + 1 != n)
    return FALSE;
  find_lengths (
      work->numbers, n_numbers, codes->first, codes->last, work->lengths);
  memset (codes->length, 0, sizeof codes->length);
  for (guint32 i = 0; i < n; i++) {
    guint8 length = (guint8) (work->lengths[codes->first + i]
        + table[TABLE_HEAD + i]);

    if (length > MAX_LENGTH)
      return FALSE;
    codes->length[codes->first + i] = length;
  }
  return assign_codes (codes);
}

static gboolean
compress (Work *work, const PacoExrPicture *picture, guint32 chunk,
    const guint8 *raw, gsize raw_size, const guint8 *table, guint32 n,
    GByteArray *to)
{
  guint8 head[4 + HEAD] = { 0 };
  Writer lengths = { .to = to }, numbers = { .to = to };
  guint at, most;

  move_numbers (picture, chunk, (guint8 *) raw, work->numbers, FALSE);
  most = write_map (work, raw_size / 2, to);
  transform_all (picture, chunk, work->numbers, most < 1 << 14, FALSE);
  if (!read_kept (work, table, n, raw_size / 2))
    return FALSE;
  at = to->len;
  g_byte_array_append (to, head, sizeof head);
  write_table (&work->codes, &lengths);
  paco_put32 (to->data + at + 12, to->len - at - 4 - HEAD);
  if (!write_numbers (&work->codes, &numbers, work->numbers, raw_size / 2)
      || numbers.n_bits > G_MAXUINT32)
    return FALSE;
  paco_put32 (to->data + at, to->len - at - 4);
  memcpy (to->data + at + 4, table, 8);
  paco_put32 (to->data + at + 16, (guint32) numbers.n_bits);
  return TRUE;
}

gboolean
paco_exr_piz_compress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *raw, gsize raw_size, gboolean fixed_runs,
    const guint8 **tables, const guint8 *end, GByteArray *to)
{
  const guint8 *table = *tables;
  guint32 n = end - table >= TABLE_HEAD ? paco_get32 (table + 8) : 0;
  Work *work;
  gboolean good;

  if (end - table < TABLE_HEAD || n > (gsize) (end - table) - TABLE_HEAD)
    return FALSE;
  *tables = table + TABLE_HEAD + n;
  if (n == 0) {
    g_byte_array_append (to, raw, (guint) raw_size);
    return TRUE;
  }
  work = new_work (raw_size);
  work->codes.fixed_runs = fixed_runs;
  good = compress (work, picture, chunk, raw, raw_size, table, n, to);
  g_free (work);
  return good;
}
