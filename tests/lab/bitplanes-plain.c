/* SPDX-License-Identifier: LGPL-2.1-or-later
 * bitplanes-plain.h says what this is for. */
#include "tests/lab/bitplanes-plain.h"
#include <stdlib.h>
#include <string.h>

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

void
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
