/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What an encoder is free to decide, decided once for all encoders: reference,
 * CPU and CUDA take these rules, and so write the same bytes. Integer
 * arithmetic wherever a block is concerned. */
#pragma once
#include "index.h"
#include "parameters.h"

/* Fills coding from the user's parameters, which are about the colour: alpha is
 * always lossless (reversible wavelet, no planes dropped). What the picture shows
 * does not count here, but may for its wavelet (policy_wavelet.h). Error
 * UNSUPPORTED when they contradict each other or the picture ("lossless needs a
 * reversible wavelet"). */
gboolean paco_policy_coding (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding, GError **error);

/* What an error of 1 in a coefficient weighs in the picture. */
double paco_policy_norm (const PacoCoding *coding, unsigned component,
    unsigned level, unsigned orientation);

/* The step of a subband of that norm when the base step, in units of 8-bit samples,
 * is 2^base_log2. */
double paco_policy_step (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation, double base_log2,
    double norm);

/* Of the worth of what blocks can lose (rate_worth.h), where there is no table of
 * steps: 8 log2 of the squared error in the picture of an error of one index. */
int paco_policy_weight (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation);

/* Alpha, which is to be lossless, is cut only when there is nothing else. */
#define PACO_ALPHA_WEIGHT 160

/* Planes that a subband drops: 0 except for reversible wavelets with
 * rate control by quality, whose quantizer is that; of alpha always 0. */
unsigned paco_policy_dropped_planes (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation);

/* Planes that blocks outside of all areas lose before they are rounded, where there
 * are areas: their steps are so many octaves coarser. 0 with rate control lossless. */
unsigned paco_policy_area_planes (const PacoParameters *parameters);

/* What is known of a block before it is coded: top[p] coefficients have their
 * highest 1 bit in plane p. */
typedef struct
{
  uint32_t top[PACO_MAX_PLANES + 1];
  uint32_t pairs[PACO_MAX_PLANES]; /* of neighbors: policy_set.h */
  uint32_t n_coefficients;         /* width * height */
  uint32_t n_right;                /* of those with their highest bit in plane
                                   dropped: how many lie in right columns */
  uint8_t family, orientation;     /* of its component and subband */
} PacoBlockCounts;

/* Sets planes, raw_planes, dropped_planes, shared_codewords, raw_left_signs, set.
 * dropped is what paco_policy_dropped_planes() says of the subband. */
void paco_policy_block (const PacoBlockCounts *counts, unsigned dropped,
    unsigned complexity, PacoBlockRecord *record);

/* Bytes that a frame may take at most with rate control by bitrate: the frame size,
 * or the bitrate for the time of a frame. Error UNSUPPORTED when none is given, or
 * no frame rate. */
gboolean paco_policy_budget (
    const PacoParameters *parameters, uint32_t *budget, GError **error);

/* How frames are coded that have room for it without loss, though most are not.
 * FALSE: they never are, as the parameters do not allow it. */
bool paco_policy_lossless_coding (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding);

/* Fewest bytes of a frame of this picture and coding with all chunks that encoders
 * for users write: all blocks are zero. */
size_t paco_policy_min_frame_size (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry);

/* Most bytes that any frame of this picture and coding takes, with all chunks of
 * the header but a carried set, which encoders for users do not write. */
size_t paco_policy_max_frame_size (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry);
