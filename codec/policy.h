/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What an encoder is free to decide (FORMAT.md section 9). Reference, CPU and CUDA all
 * follow these rules, and so write the same bytes. Decisions about blocks are made in
 * integers. */
#pragma once
#include "index.h"
#include "parameters.h"

/* Fills in coding from the user's parameters, which are about the colour: alpha is
 * always lossless (reversible wavelet, no planes dropped). What the picture shows does
 * not matter here; its wavelet may depend on it (policy_wavelet.h). Error UNSUPPORTED
 * when parameters contradict each other or the picture ("lossless needs a reversible
 * wavelet"). */
gboolean paco_policy_coding (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding, GError **error);

/* Returns how much an error of 1 in a coefficient changes the picture: its norm. */
double paco_policy_norm (const PacoCoding *coding, unsigned component,
    unsigned level, unsigned orientation);

/* The step for a quality, in units of 8-bit samples, where indices are rounded. */
double paco_policy_base_step (const PacoParameters *parameters);

/* The share, 0 to 1, of what tune=visual does that is applied at the parameters' quality:
 * next to 100 steps lose next to nothing. */
double paco_policy_visual_share (const PacoParameters *parameters);

/* The step of a subband of that norm when the base step, in units of 8-bit samples,
 * is 2^base_log2. */
double paco_policy_step (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation, double base_log2,
    double norm);

/* The weight of a subband in the worth of what blocks can lose (rate_worth.h), where
 * there is no table of steps: 8 log2 of the squared error that an error of one index
 * makes in the picture. */
int paco_policy_weight (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation);

/* This weight of alpha, which should stay lossless, has it cut only when there is
 * nothing else to cut. */
#define PACO_ALPHA_WEIGHT 160

/* Returns how many planes a subband drops. With rate control by quality, reversible
 * wavelets are quantized by that; it is 0 in all other cases, and always for alpha. */
unsigned paco_policy_dropped_planes (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned level, unsigned orientation);

/* Returns how many planes blocks outside of all areas lose before they are rounded,
 * if there are areas: their steps are 2 to this power coarser. It is 0 with rate
 * control lossless. */
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

/* Sets planes, raw_planes, dropped_planes, shared_codewords, raw_left_signs and set
 * of a record. dropped is what paco_policy_dropped_planes() says of the subband. */
void paco_policy_block (const PacoBlockCounts *counts, unsigned dropped,
    unsigned complexity, PacoBlockRecord *record);

/* Returns how many bytes a frame may take with rate control by bitrate: the frame
 * size, or the bitrate for the time of a frame. Error UNSUPPORTED when neither is
 * given, or a bitrate without a frame rate. */
gboolean paco_policy_budget (
    const PacoParameters *parameters, uint32_t *budget, GError **error);

/* The coding of frames that are lossless because their budget has room for it. FALSE if
 * the parameters do not allow such frames. */
bool paco_policy_lossless_coding (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *coding);

/* The size of the smallest frame of this picture and coding, whose blocks are all zero,
 * with all chunks that the backends' encoders write. */
size_t paco_policy_min_frame_size (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry);

/* The size of the largest frame of this picture and coding, with all chunks but a
 * carried set, which only the reference writes, and without an attachment. */
size_t paco_policy_max_frame_size (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry);
