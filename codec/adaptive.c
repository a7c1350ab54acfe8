/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Packs bits with the arithmetic coder of FORMAT.md section 7.2 and probabilities that
 * follow what was coded (section 7.8); adaptive.h says for whom. */
#include "adaptive.h"
#include "bytes.h"

#define RATE 4 /* A bit moves its probability by a 16th of the way. */

/* Returns the size, minus one, of the part of the interval that stands for 0. */
static uint32_t
zero_part (const PacoAdaptive *coder, PacoAdaptiveContext context)
{
  unsigned p = context >> 8;

  return (uint32_t) (((uint64_t) coder->s * (p > 0 ? p : 1)) >> 8);
}

static void
adapt (PacoAdaptiveContext *context, bool bit)
{
  if (bit)
    *context -= *context >> RATE;
  else
    *context += (65536 - *context) >> RATE;
}

static void
write_codeword (PacoAdaptive *coder)
{
  coder->broken |= coder->left < 4;
  if (coder->broken)
    return;
  coder->out = paco_put32 (coder->out, coder->value);
  coder->left -= 4;
}

void
paco_adaptive_write (
    PacoAdaptive *coder, PacoAdaptiveContext *context, bool bit)
{
  uint32_t t;

  if (coder->s == 0) {
    coder->s = UINT32_MAX;
    coder->value = 0;
  }
  t = zero_part (coder, *context);
  adapt (context, bit);
  coder->value += bit ? t + 1 : 0;
  coder->s = bit ? coder->s - t - 1 : t;
  if (coder->s == 0)
    write_codeword (coder);
}

bool
paco_adaptive_finish (PacoAdaptive *coder)
{
  if (coder->s != 0)
    write_codeword (coder);
  coder->s = 0;
  return !coder->broken;
}

static void
read_codeword (PacoAdaptive *coder)
{
  coder->s = UINT32_MAX;
  coder->value = 0;
  coder->broken |= coder->left < 4;
  if (coder->broken)
    return;
  coder->value = paco_get32 (coder->data);
  coder->data += 4;
  coder->left -= 4;
}

bool
paco_adaptive_read (PacoAdaptive *coder, PacoAdaptiveContext *context)
{
  uint32_t t;
  bool bit;

  if (coder->s == 0)
    read_codeword (coder);
  t = zero_part (coder, *context);
  bit = coder->value > t;
  adapt (context, bit);
  coder->value -= bit ? t + 1 : 0;
  coder->s = bit ? coder->s - t - 1 : t;
  return bit;
}
