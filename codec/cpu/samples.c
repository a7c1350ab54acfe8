/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Samples in memory as lines of what the wavelet works on, and back. */
#include "codec/cpu/samples.h"

static bool
any_shared (const PacoPictureFormat *format, const PacoPicture *picture)
{
  for (unsigned c = 0; c < format->n_components; c++)
    if (picture->layout[c].shared)
      return true;
  return false;
}

/* Whether two components have lines of one length that one wavelet filters. */
static bool
are_alike (const PacoPictureFormat *format, const PacoCoding *coding,
    unsigned a, unsigned b)
{
  return format->components[a].subsampling_x
      == format->components[b].subsampling_x
      && format->components[a].subsampling_y
      == format->components[b].subsampling_y
      && coding->components[a].wavelet == coding->components[b].wavelet;
}

unsigned
paco_samples_group (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoCoding *coding, PacoSamples groups[PACO_MAX_COMPONENTS],
    bool *share_words)
{
  bool shared = any_shared (format, picture);
  unsigned n_groups = 0;

  for (unsigned c = 0; c < format->n_components;) {
    PacoSamples *group = &groups[n_groups++];

    *group = (PacoSamples){
      .first = c,
      .n = 1,
      .reversible = paco_wavelets[coding->components[c].wavelet].reversible,
    };
    if (c == 0 && coding->color_transform != PACO_COLOR_TRANSFORM_NONE) {
      group->n = 3;
      group->color_transform = coding->color_transform;
    }
    while (shared && c + group->n < format->n_components
        && are_alike (format, coding, c, c + group->n))
      group->n++;
    c += group->n;
  }
  *share_words = shared && n_groups > 1;
  return n_groups;
}

static uint8_t *
sample_address (const PacoSamples *samples, unsigned c, uint32_t x, uint32_t y)
{
  const PacoPicture *picture = samples->picture;
  ptrdiff_t line = samples->format->fields ? 2 * (ptrdiff_t) y + samples->field
                                           : (ptrdiff_t) y;

  return picture->data[c] + line * picture->stride[c]
      + (ptrdiff_t) x * picture->layout[c].pixel_stride;
}

void
paco_samples_load (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[])
{
  const PacoSamples *samples = data;
  const PacoRowOps *ops = samples->ops;

  for (unsigned i = 0; i < samples->n; i++) {
    unsigned c = samples->first + i;

    ops->load (sample_address (samples, c, x, y), &samples->picture->layout[c],
        samples->format->components[c].depth, n, lines[i]);
  }
  if (samples->color_transform == PACO_COLOR_TRANSFORM_RCT)
    ops->forward_rct (lines[0], lines[1], lines[2], n);
  if (samples->reversible)
    return;
  for (unsigned i = 0; i < samples->n; i++)
    ops->to_float (lines[i], n);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_ICT)
    ops->forward_ict (lines[0], lines[1], lines[2], n);
}

/* Back to integers. The inverse RCT mixes them before they are clamped to the
 * range of samples, so it needs their whole range. */
static void
round_lines (const PacoSamples *samples, uint32_t n, PacoWord *const lines[])
{
  const PacoRowOps *ops = samples->ops;

  for (unsigned i = 0; i < samples->n && samples->gain != 1.0f; i++)
    ops->scale (lines[i], n, samples->gain);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_ICT)
    ops->inverse_ict (lines[0], lines[1], lines[2], n);
  for (unsigned i = 0; i < samples->n; i++) {
    if (samples->color_transform == PACO_COLOR_TRANSFORM_RCT && i < 3)
      ops->to_int (lines[i], n);
    else
      ops->to_sample (lines[i], n);
  }
}

void
paco_samples_store (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[])
{
  const PacoSamples *samples = data;
  const PacoRowOps *ops = samples->ops;

  if (!samples->reversible)
    round_lines (samples, n, lines);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_RCT)
    ops->inverse_rct (lines[0], lines[1], lines[2], n);
  for (unsigned i = 0; i < samples->n; i++) {
    unsigned c = samples->first + i;

    ops->store (lines[i], n, &samples->picture->layout[c],
        samples->format->components[c].depth,
        sample_address (samples, c, x, y));
  }
}
