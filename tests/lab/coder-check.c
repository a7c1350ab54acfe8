/* SPDX-License-Identifier: LGPL-2.1-or-later
 * lab-coder --check: each method gives back what it has coded, at the end of every
 * pass and of whole pictures; packet headers say what was written into them; the lanes'
 * code is that of a plain reading of the text; and OpenJPEG gives back what it got. */
#include "tests/lab/coder.h"
#include "tests/lab/gray-picture.h"
#include "tests/lab/bitplanes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does what text 004 says of its block coder, word for word: lanes one for
 * one, and the significance of neighbors by its definition in place of a state
 * that is kept. It is the judge of bitplanes.c, and too slow for pictures. */

/* These say when a coefficient's 1 became known: the order of steps of the
 * whole block, or never. A step is a visit of all lanes, of which all but those
 * before have happened. */
#define NEVER G_MAXUINT

typedef struct
{
  const BitplanesForm *form;
  const BitplanesTable *table;
  const int32_t *indices;
  unsigned width, height, plane, step;
  unsigned since[64 * BITPLANES_MAX_HEIGHT];   /* the step of its 1 */
  unsigned visited[64 * BITPLANES_MAX_HEIGHT]; /* the last bitplane, less one */
  SymbolCoder symbols;
} Plain;

/* Returns Phi of eq. (3.1): whether the coefficient beside (x, y) is
 * significant by now. */
static unsigned
phi (const Plain *plain, unsigned x, unsigned y, int dx, int dy)
{
  int column = (int) x + dx, line = (int) y + dy;

  if (column < 0 || line < 0 || column >= (int) plain->width
      || line >= (int) plain->height)
    return 0;
  return plain->since[line * (int) plain->width + column] < plain->step;
}

static unsigned
phi_sig (const Plain *plain, unsigned x, unsigned y)
{
  unsigned sum = 0;

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0)
        sum += phi (plain, x, y, dx, dy);
  return sum;
}

static int
chi (const Plain *plain, unsigned x, unsigned y, int dx, int dy)
{
  if (!phi (plain, x, y, dx, dy))
    return 0;
  return plain->indices[((int) y + dy) * (int) plain->width + (int) x + dx] < 0
      ? -1
      : 1;
}

static unsigned
phi_sign (const Plain *plain, unsigned x, unsigned y, bool *predicted)
{
  int v = chi (plain, x, y, 0, -1) + chi (plain, x, y, 0, 1);
  int h = chi (plain, x, y, -1, 0) + chi (plain, x, y, 1, 0);

  *predicted = false;
  if (v * h > 0) {
    *predicted = h < 0;
    return 0;
  }
  if (v == 0 && h != 0) {
    *predicted = h < 0;
    return 1;
  }
  if (v != 0 && h == 0) {
    *predicted = v < 0;
    return 2;
  }
  return 3;
}

typedef enum
{
  SPP,
  MRP,
  CP,
  SPP_AND_CP,
} PlainPass;

static unsigned
emit (Plain *plain, unsigned lane, unsigned context, bool bit)
{
  return symbol_code (&plain->symbols, lane, context,
      plain->table->p[plain->plane][context], bit);
}

/* Does one step: lane t looks at column 2t + side. What it finds counts from the next
 * step on, so that the lanes' order does not matter but for the bitstream's. */
static void
do_step (Plain *plain, PlainPass pass, unsigned y, unsigned side)
{
  bool one_context = plain->form->one_context;
  bool wants_sign[SYMBOL_LANES] = { false };

  plain->step++;
  for (unsigned lane = 0; 2 * lane + side < plain->width; lane++) {
    unsigned x = 2 * lane + side, i = y * plain->width + x;
    uint32_t magnitude = (uint32_t) abs (plain->indices[i]);
    bool bit = (magnitude >> plain->plane) & 1;
    bool significant = plain->since[i] < plain->step;
    bool before = magnitude >> (plain->plane + 1) != 0;
    unsigned context = phi_sig (plain, x, y);

    if (pass == MRP ? !before
                    : significant || (pass == SPP && context == 0)
                || (pass == CP && plain->visited[i] == plain->plane))
      continue;
    plain->visited[i] = plain->plane;
    if (one_context)
      context = 0;
    if (pass == MRP)
      context = CONTEXT_REFINEMENT;
    else if (pass == CP && !one_context)
      context += CONTEXT_CLEANUP;
    emit (plain, lane, context, bit);
    wants_sign[lane] = bit && pass != MRP;
  }
  for (unsigned lane = 0; 2 * lane + side < plain->width; lane++) {
    unsigned x = 2 * lane + side, i = y * plain->width + x, context;
    bool predicted;

    if (!wants_sign[lane])
      continue;
    context = phi_sign (plain, x, y, &predicted);
    if (one_context) {
      context = 0;
      predicted = false;
    }
    context += pass == CP && !one_context ? CONTEXT_CLEANUP_SIGN : CONTEXT_SIGN;
    emit (plain, lane, context, (plain->indices[i] < 0) != predicted);
    plain->since[i] = plain->step;
  }
}

static void
do_pass (Plain *plain, PlainPass pass)
{
  for (unsigned y = 0; y < plain->height; y++)
    for (unsigned side = 0; side < 2; side++)
      do_step (plain, pass, y, side);
}

static void
bitplanes_plain_encode (const BitplanesForm *form, const BitplanesTable *table,
    const int32_t *indices, unsigned width, unsigned height, unsigned planes,
    GByteArray *bytes)
{
  Plain *plain;

  if (planes == 0)
    return;
  plain = g_new0 (Plain, 1);
  *plain = (Plain){ .form = form,
    .table = table,
    .indices = indices,
    .width = width,
    .height = height };
  memset (plain->since, 0xff, sizeof plain->since);
  memset (plain->visited, 0xff, sizeof plain->visited);
  symbol_coder_encode (&plain->symbols, form->kind, form->precision, bytes);
  plain->symbols.mq.state[CONTEXT_SIGNIFICANCE] = 4;
  plain->symbols.mq.state[CONTEXT_CLEANUP] = 4;
  for (plain->plane = planes; plain->plane-- > 0;) {
    if (form->passes == 2) {
      do_pass (plain, SPP_AND_CP);
      do_pass (plain, MRP);
    } else {
      do_pass (plain, SPP);
      do_pass (plain, MRP);
      do_pass (plain, CP);
    }
  }
  symbol_coder_finish (&plain->symbols);
  g_free (plain);
}

/* --- Blocks --- */

/* Draws indices as subbands have them: mostly small, a few large, in
 * clusters. */
static void
draw_indices (int32_t *indices, unsigned n, unsigned max_planes)
{
  int planes = 0;

  for (unsigned i = 0; i < n; i++) {
    if (lab_draw (0, 9) == 0)
      planes = lab_draw (0, (int) max_planes);
    indices[i] = lab_draw (0, (1 << lab_draw (0, planes)) - 1);
    if (lab_draw (0, 1))
      indices[i] = -indices[i];
  }
}

static void
draw_table (unsigned probability_bits, BitplanesTable *table)
{
  for (unsigned j = 0; j < BITPLANES_MAX_PLANES; j++)
    for (unsigned c = 0; c < N_CONTEXTS; c++)
      table->p[j][c] = (uint16_t) lab_draw (1, (1 << probability_bits) - 1);
}

/* Compares the bits that n_passes passes have told of an index: of passes that
 * are not whole bitplanes only the known ones are compared. */
static void
compare_pass (const char *name, const int32_t *indices, const int32_t *found,
    const uint8_t *known, unsigned n, bool all)
{
  for (unsigned i = 0; i < n; i++) {
    int32_t magnitude = abs (indices[i]) >> known[i] << known[i];

    if (all ? found[i] != indices[i]
            : abs (found[i]) != magnitude && !(found[i] == 0 && magnitude == 0))
      lab_fail ("%s: index %u is %d, not %d", name, i, found[i], indices[i]);
    if (found[i] != 0 && (found[i] < 0) != (indices[i] < 0))
      lab_fail ("%s: the sign of index %u is wrong", name, i);
  }
}

/* Returns how far an index is from what a decoder takes for it. */
static double
square_left (float exact, int32_t found, unsigned known)
{
  double guess = found == 0 ? 0 : abs (found) + ldexp (0.5, (int) known);

  return (exact - guess) * (exact - guess);
}

static void
check_block (const CoderMethod *method)
{
  static int32_t indices[64 * BITPLANES_MAX_HEIGHT];
  static int32_t found[64 * BITPLANES_MAX_HEIGHT];
  static uint8_t known[64 * BITPLANES_MAX_HEIGHT];
  static float exact[64 * BITPLANES_MAX_HEIGHT];
  unsigned width = (unsigned) lab_draw (1, 64);
  unsigned height = (unsigned) lab_draw (1, lab_draw (0, 9) ? 20 : 256);
  unsigned n = width * height;
  GByteArray *bytes = g_byte_array_new ();
  BitplanesRecord record;
  BitplanesTable table;
  double nothing = 0;

  draw_indices (indices, n, (unsigned) lab_draw (0, 12));
  draw_table (method->form.precision.probability_bits, &table);
  for (unsigned i = 0; i < n; i++) {
    exact[i] = (float) (abs (indices[i]) + lab_draw (0, 99) / 100.0);
    nothing += (double) exact[i] * exact[i];
  }
  bitplanes_encode (&method->form, &table, indices, exact, width, height,
      &record, NULL, bytes);
  for (unsigned passes = 0; passes <= record.n_passes; passes++) {
    BitplanesRecord cut = { .planes = record.planes, .n_passes = passes };
    size_t size = passes ? record.passes[passes - 1].bytes : 0;
    /* What lies behind must not be needed. */
    g_autofree uint8_t *copy = g_memdup2 (bytes->data, size);
    double left = 0, gain = passes ? record.passes[passes - 1].gain : 0;

    if (!bitplanes_decode (&method->form, &table, copy, size, width, height,
            &cut, found, known))
      lab_fail ("%s: %zu bytes of %u do not decode %u passes of %u",
          method->name, size, bytes->len, passes, record.n_passes);
    compare_pass (
        method->name, indices, found, known, n, passes == record.n_passes);
    for (unsigned i = 0; i < n; i++)
      left += square_left (exact[i], found[i], known[i]);
    if (fabs (nothing - left - gain) > 1e-4 * nothing)
      lab_fail ("%s: after %u passes the error is %g, said was %g",
          method->name, passes, left, nothing - gain);
  }
  g_byte_array_unref (bytes);
}

/* Checks against the text's definitions word for word, without any state kept
 * between visits. */
static void
check_plain (const CoderMethod *method)
{
  static int32_t indices[64 * 40];
  unsigned width = (unsigned) lab_draw (1, 64);
  unsigned height = (unsigned) lab_draw (1, 12);
  GByteArray *bytes = g_byte_array_new (), *plain = g_byte_array_new ();
  BitplanesRecord record;
  BitplanesTable table;

  draw_indices (indices, width * height, 7);
  draw_table (method->form.precision.probability_bits, &table);
  bitplanes_encode (&method->form, &table, indices, NULL, width, height,
      &record, NULL, bytes);
  bitplanes_plain_encode (
      &method->form, &table, indices, width, height, record.planes, plain);
  /* The end of the MQ coder's code may not be needed. */
  if ((method->form.kind == SYMBOL_MQ ? bytes->len > plain->len
                                      : bytes->len != plain->len)
      || (bytes->len > 0 && memcmp (bytes->data, plain->data, bytes->len) != 0))
    lab_fail ("%s: a block of %ux%u is not what the text makes of it",
        method->name, width, height);
  g_byte_array_unref (bytes);
  g_byte_array_unref (plain);
}

/* --- Packets --- */

static void
draw_subband (PacketSubband *subband)
{
  uint32_t n;

  subband->blocks_x = (uint32_t) lab_draw (0, 7);
  subband->blocks_y = (uint32_t) lab_draw (0, 7);
  n = subband->blocks_x * subband->blocks_y;
  subband->max_planes = (unsigned) lab_draw (1, 20);
  subband->blocks = g_new0 (PacketBlock, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    PacketBlock *block = &subband->blocks[i];

    if (lab_draw (0, 3) == 0)
      continue;
    block->planes = (unsigned) lab_draw (1, (int) subband->max_planes);
    block->n_passes = (unsigned) lab_draw (1, 3 * (int) block->planes);
    block->bytes = (uint32_t) lab_draw (0, 1 << lab_draw (0, 14));
  }
}

static void
check_packet (void)
{
  PacketSubband written[3], read[3];
  unsigned n = lab_draw (0, 1) ? 3 : 1;
  GByteArray *bytes = g_byte_array_new ();

  for (unsigned i = 0; i < n; i++)
    draw_subband (&written[i]);
  packet_write_header (written, n, bytes);
  for (unsigned i = 0; i < n; i++) {
    read[i] = written[i];
    read[i].blocks = g_new0 (
        PacketBlock, written[i].blocks_x * written[i].blocks_y + 1);
  }
  if (packet_read_header (read, n, bytes->data, bytes->len) != bytes->len)
    lab_fail ("a packet header of %u bytes ends elsewhere", bytes->len);
  for (unsigned i = 0; i < n; i++) {
    uint32_t n_blocks = written[i].blocks_x * written[i].blocks_y;

    if (memcmp (
            read[i].blocks, written[i].blocks, n_blocks * sizeof (PacketBlock))
        != 0)
      lab_fail ("a packet header does not say what was written");
    g_free (read[i].blocks);
    g_free (written[i].blocks);
  }
  g_byte_array_unref (bytes);
}

/* --- Pictures --- */

static void
draw_picture (GrayPicture *picture)
{
  uint32_t width = (uint32_t) lab_draw (1, 150);
  uint32_t height = (uint32_t) lab_draw (1, 150);
  int top;

  *picture = (GrayPicture){ .depth = (unsigned) lab_draw (1, 16) };
  if (!paco_reference_plane_init (&picture->plane, width, height))
    lab_fail ("There is no memory.");
  top = 1 << (picture->depth - 1);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      int value = (int) (top * sin (x * 0.1) * cos (y * 0.07))
          + lab_draw (-top / 8, top / 8);

      picture->plane.samples[y * width + x].i = CLAMP (value, -top, top - 1);
    }
}

static void
check_lossless (const GrayPicture *picture, const GrayCode *code)
{
  PacoReferencePlane found;

  if (!paco_reference_plane_init (
          &found, picture->plane.width, picture->plane.height))
    lab_fail ("There is no memory.");
  if (!gray_decode (code, picture->depth, &found))
    lab_fail ("a picture's code is not all there");
  if (isfinite (gray_picture_psnr (picture, found.samples)))
    lab_fail ("a picture did not come back as it was");
  paco_reference_plane_clear (&found);
}

/* Checks that with all passes an index is wrong by less than a step, which is
 * one in the picture but for what the wavelet is not orthogonal. */
static void
check_whole (const GrayPicture *picture, const GrayCode *code)
{
  double maximum = (double) ((1 << picture->depth) - 1);
  PacoReferencePlane found;
  double psnr;

  if (!paco_reference_plane_init (
          &found, picture->plane.width, picture->plane.height))
    lab_fail ("There is no memory.");
  if (!gray_decode (code, picture->depth, &found))
    lab_fail ("a picture's code is not all there");
  psnr = gray_picture_psnr (picture, found.samples);
  if (psnr < 20 * log10 (maximum / 4))
    lab_fail ("all passes give %g dB of %u bits", psnr, picture->depth);
  paco_reference_plane_clear (&found);
}

static double
sent_gain (const GrayCode *code)
{
  double gain = 0;

  for (guint i = 0; i < code->blocks->len; i++) {
    const GrayBlock *block = &g_array_index (code->blocks, GrayBlock, i);

    gain += block->sent ? block->record.passes[block->sent - 1].gain : 0;
  }
  return gain;
}

/* Checks that fewer bytes are kept, gain no more, and are enough to decode what
 * is sent. */
static void
check_parts (const GrayPicture *picture, GrayCode *code)
{
  size_t all = gray_code_bytes (code);
  double last = INFINITY;

  for (unsigned part = 4; part > 0; part--) {
    size_t bytes = all * part / 4;
    PacoReferencePlane found;

    gray_code_fit (code, bytes);
    if (gray_code_bytes (code) > bytes && gray_code_bytes (code) > 64)
      lab_fail ("%zu bytes are more than %zu", gray_code_bytes (code), bytes);
    if (sent_gain (code) > last)
      lab_fail ("%zu bytes gain more than a third more", bytes);
    last = sent_gain (code);
    if (!paco_reference_plane_init (
            &found, picture->plane.width, picture->plane.height)
        || !gray_decode (code, picture->depth, &found))
      lab_fail ("a part of a picture's code is not all there");
    paco_reference_plane_clear (&found);
  }
}

static void
check_picture (const CoderMethod *method, PacoWaveletId wavelet)
{
  static const unsigned heights[] = { 4, 16, 32, 64, 128 };
  unsigned block_height = heights[lab_draw (0, G_N_ELEMENTS (heights) - 1)];
  GrayPicture picture;
  GrayTransform transform;
  g_autofree GrayCounts *counts = g_new0 (GrayCounts, 1);
  g_autofree GrayTables *tables = g_new0 (GrayTables, 1);
  GrayCode code;

  draw_picture (&picture);
  gray_transform (&picture, wavelet, &transform);
  gray_count (&transform, &method->form, block_height, counts);
  gray_tables (counts, method->form.precision.probability_bits, tables);
  gray_encode (&transform, &method->form, tables, block_height, &code);
  if (paco_wavelets[wavelet].reversible) {
    check_lossless (&picture, &code);
  } else {
    check_whole (&picture, &code);
    check_parts (&picture, &code);
  }
  gray_code_clear (&code);
  gray_transform_clear (&transform);
  gray_picture_clear (&picture);
}

/* Draws a smooth picture: OpenJPEG's memory for what it writes is too small for
 * noise in small blocks. Its five levels want at least 32 columns and lines. */
static void
draw_smooth (GrayPicture *picture)
{
  double step = lab_draw (1, 50) / 1000.0;
  uint32_t width = (uint32_t) lab_draw (64, 200);
  uint32_t height = (uint32_t) lab_draw (64, 200);

  *picture = (GrayPicture){ .depth = (unsigned) lab_draw (8, 16) };
  if (!paco_reference_plane_init (&picture->plane, width, height))
    lab_fail ("There is no memory.");
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      picture->plane.samples[y * width + x].i = (int) lrint (
          100 * sin (x * step) * cos (y * step) + lab_draw (-2, 2));
}

static void
check_rival (void)
{
  Jpeg2000Options options = { .block_height = 1u << lab_draw (4, 6),
    .parallel_passes = lab_draw (0, 1) };
  g_autofree PacoReferenceSample *found = NULL;
  GrayPicture picture;

  draw_smooth (&picture);
  found = g_new (
      PacoReferenceSample, (size_t) picture.plane.width * picture.plane.height);
  jpeg2000_code (&picture, &options, found);
  if (isfinite (gray_picture_psnr (&picture, found)))
    lab_fail ("OpenJPEG did not give back a picture of %ux%u, %u bits",
        picture.plane.width, picture.plane.height, picture.depth);
  gray_picture_clear (&picture);
}

void
coder_check (void)
{
  for (unsigned i = 0; i < N_METHODS; i++) {
    for (unsigned n = 0; n < 12; n++)
      check_block (&coder_methods[i]);
    for (unsigned n = 0; n < 8; n++)
      check_plain (&coder_methods[i]);
    check_picture (&coder_methods[i], PACO_WAVELET_CDF53);
    check_picture (&coder_methods[i], PACO_WAVELET_CDF97);
  }
  for (unsigned n = 0; n < 200; n++)
    check_packet ();
  if (!jpeg2000_is_there ())
    printf ("Without OpenJPEG the rival is not checked.\n");
  for (unsigned n = 0; jpeg2000_is_there () && n < 5; n++)
    check_rival ();
}
