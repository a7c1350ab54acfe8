/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Moves samples between memory and the lines that the wavelet works on, with level
 * shift, color transform, rounding and clamping (FORMAT.md section 5). frame.c makes
 * the sets and gives dwt.c the functions that load and store lines. */
#pragma once
#include "codec/cpu/rows.h"
#include "codec/matrix.h"
#include "codec/sample_map.h"

/* A set of consecutive components of one field that are moved together, line by
 * line: those that a color transform mixes, and those that share a region if they
 * have the same size and wavelet. */
typedef struct
{
  const PacoRowOps *ops;
  const PacoPictureFormat *format;
  const PacoPicture *picture;
  unsigned field;
  unsigned first, n; /* components */
  /* The plan of each component; and the region that it lies in, if its samples are the
   * first that are written there, else NULL. */
  PacoLayoutPlan plans[PACO_MAX_COMPONENTS];
  const PacoRegion *begins[PACO_MAX_COMPONENTS];
  const PacoSampleMaps *maps; /* of all components */
  uint8_t color_transform;    /* PacoColorTransform, of the first three */
  PacoFit fit;                /* where that is rct-fit */
  float matrix[2][PACO_MATRIX_SIZE]; /* [inverse], of ICT and matrix */
  bool reversible;                   /* the components' wavelet */
  /* With levels left out, samples are multiplied by this gain unless the wavelet is
   * reversible; else it is 1. */
  float gain;
} PacoSamples;

/* The regions of a picture, and the sets that its components are split into. Of the
 * sets, first, n and what follows from regions and coding are filled in. */
typedef struct
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  PacoSamples sets[PACO_MAX_COMPONENTS];
  unsigned n_sets;
  /* Whether sets share a region, so that they must be written one after the other. */
  bool in_turn;
} PacoSampleSets;

void paco_samples_split (PacoSampleSets *sets, const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoCoding *coding, unsigned reduce);

/* Looks n samples up that are shifted to be signed, and stay so; those that are mapped
 * back are clamped before. */
void paco_samples_map (
    const PacoSampleMap *map, bool back, uint32_t n, PacoWord *line);

/* These are PacoLineAccess functions, with a PacoSamples as data. */
void paco_samples_load (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[]);
void paco_samples_store (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[]);
