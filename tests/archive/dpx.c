/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests DPX files of every packing through tool/archive/kinds/dpx.c and libpaco: the
 * picture that is coded is the one that was written, and the file made again is
 * the same. Headers that lie, at random and one by one, are refused or
 * restored.
 *
 * PACO_CASES says how many random files each test has (n-cases.h). */
#include "tool/archive/source.h"
#include "dpx-writer.h"
#include "restoring.h"
#include "tests/codec/n-cases.h"
#include <string.h>

/* Compares the decoded picture with what was written. */
static void
check_picture (Restoring *restoring, const DpxCase *c, const DpxFile *file,
    const char *letters)
{
  const PacoInfo *info = &restoring->source.info;
  guint16 *picture = restoring_picture (restoring), *sample = picture;

  g_assert_cmpuint (info->n_components, ==, strlen (letters));
  for (guint k = 0; letters[k] != '\0'; k++) {
    const guint16 *written =
        file->samples[strchr (DPX_LETTERS, letters[k]) - DPX_LETTERS];
    guint apart = 1u << info->subsampling_x[k];

    g_assert_nonnull (written);
    for (guint32 y = 0; y < c->height; y++, written += c->width)
      for (guint32 x = 0; x < c->width; x += apart)
        g_assert_cmpuint (*sample++, ==, written[x]);
  }
  g_free (picture);
}

/* Returns the components of a case, in the codec's order. */
static const char *
components_of (const DpxCase *c, char letters[8])
{
  static const char *const orders[] = { "RGB", "YUV" };
  char present[32] = "";
  guint columns, n = 0;

  for (guint i = 0; i < c->n_elements; i++)
    g_strlcat (present, dpx_letters (c->elements[i].descriptor, &columns),
        sizeof present);
  for (guint o = 0; o < G_N_ELEMENTS (orders); o++)
    for (const char *letter = orders[o]; *letter != '\0'; letter++)
      if (strchr (present, *letter))
        letters[n++] = *letter;
  if (strchr (present, 'A'))
    letters[n++] = 'A';
  letters[n] = '\0';
  return letters;
}

static void
describe (const DpxCase *c, guint32 seed)
{
  if (!g_test_verbose ())
    return;
  g_test_message (
      "seed %u: %s, %u x %u, %u elements, line padding %u, unaligned %d, "
      "padding %d, gap %zu, tail %zu",
      seed, c->big_endian ? "big-endian" : "little-endian", c->width, c->height,
      c->n_elements, c->line_padding, c->unaligned, c->padding, c->gap,
      c->tail);
  for (guint i = 0; i < c->n_elements; i++)
    g_test_message ("  descriptor %u, %u bits, packing %u",
        c->elements[i].descriptor, c->elements[i].depth,
        c->elements[i].packing);
}

/* Says whether lines may end within a word. Nobody can say where packed samples
 * of such lines are in a big-endian file; and none can be read with certainty
 * where the header does not tell of padding. So unaligned files are of 8 and 16
 * bits, or filled up to these. */
static gboolean
can_be_unaligned (const DpxCase *c)
{
  return c->elements[0].depth == 8 || c->elements[0].depth == 16
      || (c->elements[0].depth == 12 && c->elements[0].packing != 0);
}

static void
make_possible (DpxCase *c)
{
  c->unaligned = c->unaligned && can_be_unaligned (c);
  /* Swapped words want lines of whole words. */
  for (guint i = 0; i < c->n_elements; i++)
    if (c->big_endian && c->elements[i].packing == 0
        && c->elements[i].depth % 8 != 0)
      c->line_padding = c->line_padding / 4 * 4;
}

static void
check_case (Restoring *restoring, GRand *rand, DpxCase *c, guint32 seed)
{
  PacoInfo info = PACO_INFO_INIT;
  GError *error = NULL;
  char letters[8];
  g_auto (DpxFile) file;
  gboolean padded;

  make_possible (c);
  describe (c, seed);
  dpx_file_write (rand, c, &file);
  g_assert_true (
      paco_source_kind (file.bytes->data, file.bytes->len) == &paco_source_dpx);
  if (!restoring_check (restoring, file.bytes->data, file.bytes->len, &error))
    g_error ("%s", error->message);
  g_assert_true (paco_source_dpx.peek (file.bytes->data,
      MIN (file.bytes->len, 4096), file.bytes->len, &info, &error));
  g_strlcpy (info.format, restoring->source.info.format, sizeof info.format);
  g_assert_cmpmem (&info, sizeof info, &restoring->source.info, sizeof info);
  check_picture (restoring, c, &file, components_of (c, letters));
  padded = restoring->source.notes->len > 0;
  g_assert_true (c->padding != DPX_PADDING_CLEAR || !padded);
  g_assert_true (restoring->in_place == !padded);
}

static void
test_random (void)
{
  g_auto (Restoring) restoring;

  restoring_init (&restoring, &paco_source_dpx);
  for (guint i = 0; i < n_cases (400); i++) {
    guint32 seed = g_test_rand_int ();
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    DpxCase c;

    dpx_case_random (rand, &c);
    check_case (&restoring, rand, &c, seed);
  }
}

/* Tests every packing, in both byte orders, at widths around the ends of words
 * and groups. */
static void
test_packings (void)
{
  static const guint descriptors[] = { 6, 50, 51, 52, 100 };
  static const guint depths[] = { 8, 10, 12, 16 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  g_auto (Restoring) restoring;

  restoring_init (&restoring, &paco_source_dpx);
  for (guint i = 0; i < 5 * 4 * 3 * 2; i++) {
    DpxCase c = { .big_endian = i % 2,
      .height = 3,
      .n_elements = 1,
      .elements = { { descriptors[i / 24], depths[i / 6 % 4], i / 2 % 3 } },
      .padding = DPX_PADDING_LINES };

    c.width = 2 * (guint32) g_rand_int_range (rand, 1, 20);
    if (c.elements[0].descriptor != 100)
      c.width -= (guint32) g_rand_int_range (rand, 0, 2);
    check_case (&restoring, rand, &c, 0);
  }
}

/* --- bits of padding ------------------------------------------------------- */

/* Writes a file whose padding is clear, and returns in which bits it differs from one
 * whose padding is set. */
static GByteArray *
find_padding (DpxCase *c, guint32 seed, DpxFile *file)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GByteArray *differ = g_byte_array_new ();
  g_auto (DpxFile) set;

  c->padding = DPX_PADDING_SET;
  dpx_file_write (rand, c, &set);
  g_rand_set_seed (rand, seed);
  c->padding = DPX_PADDING_CLEAR;
  dpx_file_write (rand, c, file);
  g_assert_cmpuint (file->bytes->len, ==, set.bytes->len);
  g_byte_array_append (differ, set.bytes->data, set.bytes->len);
  for (guint i = 0; i < differ->len; i++)
    differ->data[i] ^= file->bytes->data[i];
  return differ;
}

static gboolean
is_clear (const GByteArray *bytes)
{
  for (guint i = 0; i < bytes->len; i++)
    if (bytes->data[i])
      return FALSE;
  return TRUE;
}

/* Returns a byte that has bits of padding: the first one, the last one, or any. */
static guint
any_padded_byte (GRand *rand, const GByteArray *differ)
{
  guint from = 0, step = 1, at;

  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      break;
    case 1:
      from = differ->len - 1;
      step = differ->len - 1; /* backwards */
      break;
    default:
      from = (guint) g_rand_int_range (rand, 0, (gint) differ->len);
  }
  for (at = from; differ->data[at] == 0; at = (at + step) % differ->len)
    ;
  return at;
}

/* Sets single bits of padding anywhere: in the first or last line, in neighbours, in
 * several elements. Each file comes back, however it came. */
static void
test_set_bits (void)
{
  guint n = n_cases (100), padded = 0;
  g_auto (Restoring) restoring;

  restoring_init (&restoring, &paco_source_dpx);
  for (guint i = 0; i < n; i++) {
    guint32 seed = g_test_rand_int ();
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    GError *error = NULL;
    g_autoptr (GByteArray) differ = NULL;
    g_auto (DpxFile) file;
    DpxCase c;

    dpx_case_random (rand, &c);
    c.height = (guint32) g_rand_int_range (rand, 1, 80);
    c.gap = c.tail = 0; /* noise would differ, too */
    make_possible (&c);
    describe (&c, seed);
    differ = find_padding (&c, seed, &file);
    padded += !is_clear (differ);
    for (guint k = 0; k < 3 && !is_clear (differ); k++) {
      guint at = any_padded_byte (rand, differ);

      file.bytes->data[at] |= differ->data[at] & (guint8) g_rand_int (rand);
      g_assert_true (restoring_check (
          &restoring, file.bytes->data, file.bytes->len, &error));
    }
  }
  g_assert_true (n < 50 || padded > 5); /* otherwise this tests nothing */
}

/* Lines that were found clear while the file came are not looked at again: a bit that
 * is set behind their back is not seen. Of the next file nothing is known, if it is
 * not watched itself. */
static void
test_watched (void)
{
  DpxCase c = {
    .width = 40, .height = 60, .n_elements = 1, .elements = { { 50, 12, 1 } }
  };
  g_auto (PacoSource) source;

  paco_source_init (&source);
  for (guint i = 0; i < 20; i++) {
    guint32 seed = g_test_rand_int ();
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_auto (DpxFile) file;
    g_autoptr (GByteArray) differ = find_padding (&c, seed, &file);
    guint at = any_padded_byte (rand, differ);
    gsize size = file.bytes->len;
    g_autofree guint8 *bytes = restoring_watch (
        &paco_source_dpx, file.bytes->data, size, &source);

    bytes[at] |= differ->data[at];
    for (guint again = 0; again < 2; again++) {
      g_assert_true (
          paco_source_parse (&paco_source_dpx, bytes, size, &source, NULL));
      g_assert_cmpuint (source.notes->len, ==, again);
    }
  }
}

/* --- what headers say ------------------------------------------------------ */

static void
put_real (guint8 *at, gboolean big_endian, float real)
{
  guint32 word;

  memcpy (&word, &real, 4);
  dpx_put32 (at, big_endian, word);
}

static void
test_info (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  DpxCase c = { .width = 5, .height = 4, .n_elements = 1 };
  GError *error = NULL;
  g_auto (PacoSource) source;

  paco_source_init (&source);
  for (guint be = 0; be < 2; be++) {
    DpxFile file;
    guint8 *bytes;

    c.big_endian = be;
    c.elements[0] = (DpxElement){ 50, 10, 1 };
    dpx_file_write (rand, &c, &file);
    bytes = file.bytes->data;
    bytes[801] = 1;
    bytes[802] = 6;
    put_real (bytes + 1724, be, 23.976f);
    dpx_put32 (bytes + 1628, be, 2);
    dpx_put32 (bytes + 1632, be, 1);
    bytes[1928] = 1;
    dpx_put16 (bytes + 768, be, 2);
    g_assert_true (paco_source_parse (
        &paco_source_dpx, bytes, file.bytes->len, &source, &error));
    g_assert_cmpuint (source.info.fps_n, ==, 24000);
    g_assert_cmpuint (source.info.fps_d, ==, 1001);
    g_assert_cmpuint (source.info.par_n, ==, 2);
    g_assert_cmpuint (source.info.par_d, ==, 1);
    g_assert_cmpuint (source.info.transfer, ==, 9);
    g_assert_cmpuint (source.info.primaries, ==, 1);
    g_assert_cmpuint (source.info.matrix, ==, 1);
    g_assert_cmpuint (source.info.range, ==, 1);
    g_assert_cmpuint (source.info.fields, ==, 1);
    g_assert_cmpuint (source.info.interlace_mode, ==, 1);
    g_assert_cmpstr (source.info.format, ==, "GBR_10LE");
    g_assert_cmpuint (source.notes->len, ==, 1); /* the orientation */

    put_real (bytes + 1724, be, 0);
    put_real (bytes + 1940, be, 25);
    dpx_put32 (bytes + 784, be, 64);
    dpx_put32 (bytes + 792, be, 940);
    memcpy (bytes + 820, "DCDM, X'Y'Z'", 12);
    bytes[801] = 2;
    bytes[1928] = 0;
    dpx_put16 (bytes + 768, be, 0);
    g_assert_true (paco_source_parse (
        &paco_source_dpx, bytes, file.bytes->len, &source, &error));
    g_assert_cmpuint (source.info.fps_n, ==, 25);
    g_assert_cmpuint (source.info.fps_d, ==, 1);
    g_assert_cmpuint (source.info.transfer, ==, 1);
    g_assert_cmpuint (source.info.primaries, ==, 9);
    g_assert_cmpuint (source.info.range, ==, 2);
    g_assert_cmpuint (source.info.fields, ==, 0);
    g_assert_cmpuint (source.notes->len, ==, 0);
    dpx_file_clear (&file);

    c.elements[0] = (DpxElement){ 102, 8, 0 };
    dpx_file_write (rand, &c, &file);
    file.bytes->data[801] = 17;
    file.bytes->data[802] = 14;
    g_assert_true (paco_source_parse (
        &paco_source_dpx, file.bytes->data, file.bytes->len, &source, &error));
    g_assert_cmpuint (source.info.matrix, ==, 6);
    g_assert_cmpuint (source.info.transfer, ==, 14);
    g_assert_cmpuint (source.info.primaries, ==, 7);
    g_assert_cmpuint (source.info.range, ==, 0);
    g_assert_cmpuint (source.info.fps_n, ==, 0);
    g_assert_cmpuint (source.info.par_n, ==, 0);
    dpx_file_clear (&file);
  }
}

/* --- what is refused -------------------------------------------------------- */

/* This is a field of a good file of 10 bits, and what a file with another value
 * there is told. bytes: 1, 2 or 4. */
static const struct
{
  guint at, bytes;
  guint32 value;
  PacoSourceError code;
  const char *message;
} refused[] = {
  { 0, 4, 0x12345678, PACO_SOURCE_BROKEN, "it is no DPX file" },
  { 4, 4, 0, PACO_SOURCE_BROKEN, NULL }, /* the element's offset is 0 as well */
  { 4, 4, 2047, PACO_SOURCE_BROKEN, NULL },
  { 8, 1, 'W', PACO_SOURCE_UNSUPPORTED, "neither of version V1.0 nor V2.0" },
  { 12, 1, 'H', PACO_SOURCE_UNSUPPORTED, "neither of version V1.0 nor V2.0" },
  { 660, 4, 5, PACO_SOURCE_UNSUPPORTED, "encrypted" },
  { 770, 2, 0, PACO_SOURCE_UNSUPPORTED, "0 image elements" },
  { 770, 2, 5, PACO_SOURCE_UNSUPPORTED, "5 image elements" },
  { 770, 2, 0xffff, PACO_SOURCE_UNSUPPORTED, "65535 image elements" },
  { 770, 2, 2, PACO_SOURCE_UNSUPPORTED, NULL },
  { 772, 4, 0, PACO_SOURCE_UNSUPPORTED, "0 x 4" },
  { 772, 4, 16385, PACO_SOURCE_UNSUPPORTED, "16385 x 4" },
  { 772, 4, 0xffffffff, PACO_SOURCE_UNSUPPORTED, "4294967295 x 4" },
  { 772, 4, 16384, PACO_SOURCE_BROKEN, "4 lines of 65536 bytes" },
  { 776, 4, 0, PACO_SOURCE_UNSUPPORTED, "5 x 0" },
  { 776, 4, 5, PACO_SOURCE_BROKEN, "5 lines of 20 bytes" },
  { 780, 4, 1, PACO_SOURCE_UNSUPPORTED, "signed" },
  { 800, 1, 0, PACO_SOURCE_UNSUPPORTED, "descriptor 0" },
  { 800, 1, 9, PACO_SOURCE_UNSUPPORTED, "descriptor 9" },
  { 800, 1, 100, PACO_SOURCE_UNSUPPORTED, "odd number of columns, 5" },
  { 803, 1, 1, PACO_SOURCE_UNSUPPORTED, "samples of 1 bits" },
  { 803, 1, 32, PACO_SOURCE_UNSUPPORTED, "samples of 32 bits" },
  { 804, 2, 3, PACO_SOURCE_UNSUPPORTED, "packing 3" },
  { 804, 2, 0xffff, PACO_SOURCE_UNSUPPORTED, "packing 65535" },
  { 806, 2, 1, PACO_SOURCE_UNSUPPORTED, "run-length" },
  { 808, 4, 1407, PACO_SOURCE_BROKEN, "begins at byte 1407" },
  { 808, 4, 4096, PACO_SOURCE_BROKEN, "that it begins at byte 4096" },
};

static void
put_field (guint8 *at, gboolean big_endian, guint bytes, guint32 value)
{
  if (bytes == 4)
    dpx_put32 (at, big_endian, value);
  else if (bytes == 2)
    dpx_put16 (at, big_endian, (guint16) value);
  else
    *at = (guint8) value;
}

static void
test_refused (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  g_auto (PacoSource) source;

  paco_source_init (&source);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (refused); i++) {
    guint k = i / 2;
    DpxCase c = { .big_endian = i % 2,
      .width = 5,
      .height = 4,
      .n_elements = 1,
      .elements = { { 50, 10, 1 } } };
    GError *error = NULL;
    g_auto (DpxFile) file;

    dpx_file_write (rand, &c, &file);
    put_field (file.bytes->data + refused[k].at, c.big_endian, refused[k].bytes,
        refused[k].value);
    /* In these the file's header alone says where the picture is. */
    if (refused[k].at == 4 || refused[k].value == 1407)
      dpx_put32 (file.bytes->data + 808, c.big_endian, 0);
    if (refused[k].value == 1407)
      dpx_put32 (file.bytes->data + 4, c.big_endian, 1407);
    if (refused[k].at == 4 && refused[k].value == 2047) {
      /* The picture would fit, but what is before it is no header. */
      dpx_put32 (file.bytes->data + 4, c.big_endian, 100);
    }
    g_assert_false (paco_source_parse (
        &paco_source_dpx, file.bytes->data, file.bytes->len, &source, &error));
    g_assert_error (error, PACO_SOURCE_ERROR, (int) refused[k].code);
    if (refused[k].message && !strstr (error->message, refused[k].message))
      g_error (
          "\"%s\" does not say \"%s\"", error->message, refused[k].message);
    g_clear_error (&error);
  }
}

/* Tests that files that end anywhere are refused, but for those that lack only
 * what no sample needs. */
static void
test_cut (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  DpxCase c = {
    .width = 4, .height = 3, .n_elements = 1, .elements = { { 50, 16, 0 } }
  };
  g_auto (PacoSource) source;
  g_auto (DpxFile) file;

  paco_source_init (&source);
  dpx_file_write (rand, &c, &file);
  for (guint n = 0; n < file.bytes->len; n += n < 2000 ? 37 : 1) {
    /* The bytes are in memory of their own, so that reading behind them
     * shows. */
    g_autofree guint8 *cut = g_memdup2 (file.bytes->data, n);
    GError *error = NULL;

    g_assert_false (
        paco_source_parse (&paco_source_dpx, cut, n, &source, &error));
    g_assert_error (error, PACO_SOURCE_ERROR, PACO_SOURCE_BROKEN);
    g_clear_error (&error);
  }
}

/* Tests headers with a few bytes changed: each gives an error, or the same file
 * again. */
static void
test_hostile (void)
{
  static const guint fields[] = { 4, 16, 660, 768, 770, 772, 776, 780, 800, 801,
    802, 803, 804, 806, 808, 812, 852, 872, 875, 876, 880, 1628, 1724, 1928,
    1940 };
  guint n = n_cases (1500), restored = 0;
  g_auto (Restoring) restoring;

  restoring_init (&restoring, &paco_source_dpx);
  for (guint i = 0; i < n; i++) {
    guint32 seed = g_test_rand_int ();
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    GError *error = NULL;
    g_autofree guint8 *bytes = NULL;
    g_auto (DpxFile) file;
    gsize size;
    DpxCase c;

    dpx_case_random (rand, &c);
    describe (&c, seed);
    dpx_file_write (rand, &c, &file);
    for (guint k = (guint) g_rand_int_range (rand, 1, 4); k > 0; k--) {
      gsize at = fields[g_rand_int_range (rand, 0, G_N_ELEMENTS (fields))]
          + (gsize) g_rand_int_range (rand, 0, 4);

      if (g_rand_boolean (rand))
        file.bytes->data[at] ^= (guint8) (1 << g_rand_int_range (rand, 0, 8));
      else
        file.bytes->data[at] = (guint8) g_rand_int_range (rand, 0, 256);
    }
    size = file.bytes->len;
    if (g_rand_int_range (rand, 0, 4) == 0)
      size = (gsize) g_rand_int_range (rand, 1300, (gint) size + 1);
    bytes = g_memdup2 (file.bytes->data, size);
    if (restoring_check (&restoring, bytes, size, &error)) {
      restored++;
    } else {
      g_assert_nonnull (error);
      g_clear_error (&error);
    }
  }
  /* Otherwise this tests nothing. */
  g_assert_true (n < 100 || (restored > n / 10 && restored < n));
}

/* Tests what is kept of a file, which comes out of a stream and may be
 * anything. */
static void
test_hostile_rest (void)
{
  guint n = n_cases (1500);
  g_auto (PacoSource) source;
  g_auto (PacoRebuilt) rebuilt;

  paco_source_init (&source);
  paco_rebuilt_init (&rebuilt);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
    GError *error = NULL;
    g_autofree guint8 *rest = NULL;
    gboolean same;
    PacoImage image;
    g_auto (DpxFile) file;
    gsize size, runs;
    DpxCase c;

    do
      dpx_case_random (rand, &c);
    while (c.unaligned || c.line_padding > 0);
    c.gap = 0;
    dpx_file_write (rand, &c, &file);
    g_assert_true (paco_source_parse (
        &paco_source_dpx, file.bytes->data, file.bytes->len, &source, &error));
    size = source.rest->len;
    runs = MIN (5 + 2048 + c.tail, size - 1);
    for (guint k = (guint) g_rand_int_range (rand, 0, 3); k > 0; k--) {
      gsize at = g_rand_boolean (rand)
          ? (gsize) g_rand_int_range (rand, 0, (gint) size)
          : (gsize) g_rand_int_range (rand, (gint) runs, (gint) size);

      source.rest->data[at] ^= (guint8) (1 << g_rand_int_range (rand, 0, 8));
    }
    if (g_rand_int_range (rand, 0, 3) == 0)
      size = (gsize) g_rand_int_range (rand, 0, (gint) size + 1);
    rest = g_memdup2 (source.rest->data, size);
    same = paco_source_same_rest (&paco_source_dpx, rest, size, &source.info,
        file.bytes->data, file.bytes->len, &image);
    if (paco_source_rebuild (&paco_source_dpx, rest, size, &source.info,
            file.bytes->len, &rebuilt, &error)) {
      /* The decoder would be here; what it has not written is not looked at. */
      memset (rebuilt.file->data, 0, rebuilt.file->len);
      g_assert_true (paco_source_finish (&paco_source_dpx, rest, size,
          &source.info, file.bytes->len, &rebuilt, &error));
    } else {
      g_assert_true (error && error->domain == PACO_SOURCE_ERROR && !same);
      g_clear_error (&error);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dpx/packings", test_packings);
  g_test_add_func ("/dpx/random", test_random);
  g_test_add_func ("/dpx/set-bits", test_set_bits);
  g_test_add_func ("/dpx/watched", test_watched);
  g_test_add_func ("/dpx/info", test_info);
  g_test_add_func ("/dpx/refused", test_refused);
  g_test_add_func ("/dpx/cut", test_cut);
  g_test_add_func ("/dpx/hostile", test_hostile);
  g_test_add_func ("/dpx/hostile-rest", test_hostile_rest);
  return g_test_run ();
}
