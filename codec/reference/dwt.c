/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Wavelets and color transforms of the codec's types, by way of the reference decoder,
 * whose steps go both ways; for the reference's encoder.c and for tests. */
#include "codec/reference/reference.h"
#include <string.h>

static void
transform (PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet,
    bool undo)
{
  size_t longest = MAX (MAX (plane->width, plane->height), 1);
  g_autofree PacoReferenceSample *x = g_new (PacoReferenceSample, longest);

  paco_reference_transform (plane, levels, wavelet, undo, x);
}

void
paco_reference_forward_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet)
{
  transform (plane, levels, wavelet, false);
}

void
paco_reference_inverse_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet)
{
  transform (plane, levels, wavelet, true);
}

void
paco_reference_subband_origin (const PacoGeometry *geometry,
    const PacoSubband *subband, uint32_t *left, uint32_t *top)
{
  unsigned f = subband->field, c = subband->component, l = subband->level;
  bool right = subband->orientation & 1, lower = subband->orientation & 2;

  *left = right ? geometry->resolution[f][c][l].width : 0;
  *top = lower ? geometry->resolution[f][c][l].height : 0;
}

/* --- stacks --- */

static PacoReferenceSlice
slice_of (const PacoSlice *slice)
{
  return (PacoReferenceSlice){
    .length = slice->length,
    .wavelet = slice->wavelet,
    .levels = slice->levels,
    .depth = slice->depth,
    .bits = slice->bits,
  };
}

void
paco_reference_stack (const PacoSlice *slice, bool undo, int *values)
{
  const PacoReferenceSlice same = slice_of (slice);

  paco_reference_filter_stack (&same, undo, values);
}

int
paco_reference_load_sample (const PacoSlice *slice, int sample)
{
  int u = sample;

  if (slice->depth == 8 && slice->bits == 13)
    u = 32 * sample + sample / 8;
  else if (slice->depth == 16 && slice->bits == 13)
    u = (sample - sample / 8192 + 4) / 8;
  return u - (1 << (slice->bits - 1));
}

int
paco_reference_store_sample (const PacoSlice *slice, int value)
{
  const PacoReferenceSlice same = slice_of (slice);

  return paco_reference_stack_sample (&same, value);
}

/* --- colors --- */

/* Returns what of a header color transforms depend on; format may be NULL. */
static PacoReferenceHeader
header_of (
    const PacoPictureFormat *format, const PacoCoding *coding, unsigned n)
{
  PacoReferenceHeader header = {
    .n_components = (uint8_t) n,
    .color_transform = coding->color_transform,
    .parameters = { coding->parameters[0], coding->parameters[1] },
  };

  memcpy (header.color_matrix, coding->matrix, sizeof header.color_matrix);
  for (unsigned c = 0; c < n; c++) {
    header.components[c].wavelet = coding->components[c].wavelet;
    if (!format)
      continue;
    header.components[c].depth = format->components[c].depth;
    header.components[c].place_x = format->components[c].place_x;
    header.components[c].place_y = format->components[c].place_y;
  }
  return header;
}

void
paco_reference_inverse_color (
    PacoReferencePlane *planes, unsigned n_planes, const PacoCoding *coding)
{
  const PacoReferenceHeader header = header_of (NULL, coding, n_planes);

  paco_reference_undo_color (&header, planes);
}

void
paco_reference_forward_mosaic (const PacoPictureFormat *format,
    const PacoCoding *coding, PacoReferencePlane *planes)
{
  const PacoReferenceHeader header = header_of (
      format, coding, format->n_components);

  paco_reference_filter_mosaic (&header, planes, false);
}
