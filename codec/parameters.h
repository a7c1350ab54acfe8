/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a user asks of the encoder. The plugin and libpaco fill it in, and policy.c
 * turns it into a PacoCoding. */
#pragma once
#include "header.h"

typedef enum
{
  PACO_RATE_QUALITY,
  PACO_RATE_LOSSLESS,
  PACO_RATE_BITRATE, /* a budget of bytes per frame */
} PacoRateControl;

/* What the quantiser's steps are weighted for. */
typedef enum
{
  PACO_TUNE_VISUAL, /* what the eye sees of an error */
  PACO_TUNE_PSNR,   /* the least squared error */
} PacoTune;

/* Which pictures may have code tables, if they are coded without loss. */
typedef enum
{
  PACO_CODE_TABLES_AUTO, /* those of components of 10 bits or more */
  PACO_CODE_TABLES_NEVER,
  PACO_CODE_TABLES_ALWAYS, /* all whose codes have gaps */
} PacoCodeTables;

#define PACO_WAVELET_AUTO (-1)
#define PACO_COLOR_TRANSFORM_AUTO (-1)

typedef struct
{
  PacoRateControl rate_control;
  double quality; /* 0..100 */
  PacoTune tune;  /* of steps; of no effect on what is lossless */
  /* Of frame_size and bitrate one must not be 0 with PACO_RATE_BITRATE. If both are
   * set, frame_size counts. */
  uint32_t frame_size;    /* bytes of a frame */
  uint64_t bitrate;       /* bits a second, of fps_n / fps_d frames */
  uint32_t fps_n, fps_d;  /* 0: unknown. Of pictures, if each is a field */
  int wavelet;            /* PacoWaveletId or AUTO */
  unsigned levels;        /* 0..8 */
  unsigned block_height;  /* 0 = auto, 32, 64, 128, 256 */
  unsigned coding_passes; /* 1..3 */
  int color_transform;    /* PacoColorTransform or AUTO */
  PacoCodeTables code_tables;
  unsigned complexity; /* 0..3 */
  bool rgb;            /* the first three components are R, G, B */
  bool block_checks;   /* a check per block in the index */
  bool cut_points;     /* frames can be cut later (frame_cut.h) */
  /* What an error of 1 in a sample weighs in what is shown: paco_slice_weight(), or 0,
   * which counts as 1. */
  double weight;
  double area_weight; /* how much finer steps are in areas; 0, 1: no finer */
} PacoParameters;

#define PACO_PARAMETERS_DEFAULT                                                \
  {                                                                            \
    .rate_control = PACO_RATE_QUALITY, .quality = 90.0,                        \
    .tune = PACO_TUNE_VISUAL, .wavelet = PACO_WAVELET_AUTO, .levels = 5,       \
    .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_AUTO,          \
    .complexity = 1, .block_checks = true                                      \
  }
