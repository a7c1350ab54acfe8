/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames with a budget or with cut points on the device (codec/rate_control.h): the
 * launches of kernels/rate.cu, their tables and buffers, and what the host reads when
 * the frame is finished. */
#pragma once
#include "codec/encoder_private.h"
#include "codec/rate_control.h"
#include "gpu/frame.h"
#include "gpu/kernels/rate.h"

/* The steps of a table on the device. */
typedef struct
{
  const PacoRateTable *table; /* outlives this */
  unsigned n_entries;         /* of all components */
  PacoDeviceMemory memory;
} PacoCudaSteps;

gboolean paco_cuda_steps_init (PacoCudaSteps *steps, PacoCudaShare *share,
    const PacoRateTable *table, unsigned n_components, GError **error);
void paco_cuda_steps_clear (PacoCudaSteps *steps, PacoCudaShare *share);

/* Buffers of a flight. */
typedef struct
{
  PacoDeviceMemory sums, number, plane_ends, tops, cuts, pieces, cut_sums, lost;
  PacoPinnedMemory host; /* the bytes before any cut, behind them the sums */
  bool unfinished;       /* a frame has begun, and its sums may not be zero */
} PacoCudaBudget;

/* Makes the buffers large enough; they only grow from zero. n_entries is how many
 * entries have a step to be chosen, 0 without a budget. */
gboolean paco_cuda_budget_reserve (PacoCudaBudget *budget, PacoCudaShare *share,
    uint32_t n_blocks, unsigned n_entries, GError **error);
void paco_cuda_budget_clear (PacoCudaBudget *budget, PacoCudaShare *share);

/* A frame with a budget begins, and has ended without an error. Its kernels leave all
 * sums zero for the next frame; if some were not launched, the next one clears them. */
gboolean paco_cuda_budget_begin (
    PacoCudaBudget *budget, PacoCudaFrame *frame, GError **error);
static inline void
paco_cuda_budget_end (PacoCudaBudget *budget)
{
  budget->unfinished = false;
}

/* How a frame is coded. */
typedef struct
{
  bool wide, block_checks, cut_points;
  const PacoRate *rate; /* for the weights of cut points without a budget */
  CUdeviceptr cells;    /* of a step map, or 0 */
  /* With a budget, else NULL: */
  const PacoCudaSteps *steps;
  bool is_known; /* the step number, else it is chosen */
  uint32_t number;
  uint64_t bytes; /* of index and payload, at most */
  uint32_t correction;
} PacoCudaRate;

/* Says whether blocks can be cut, to keep a budget now or in a recording later. */
static inline bool
paco_cuda_rate_has_cuts (const PacoCudaRate *rate)
{
  return rate->steps != NULL || rate->cut_points;
}

/* The first, for frames with a budget, enqueues between transform and block coder what
 * finds the step number. For frames with cuts, one sets what the block coder notes, and
 * one enqueues what finds the cuts and, with a budget, makes the blocks fit into
 * `bytes`. */
gboolean paco_cuda_budget_decide (const PacoCudaBudget *budget,
    PacoCudaFrame *frame, const PacoCudaRate *rate, GError **error);
void paco_cuda_budget_set_parameters (const PacoCudaBudget *budget,
    const PacoCudaRate *rate, PacoBpcEncodeParameters *parameters);
gboolean paco_cuda_budget_cut (const PacoCudaBudget *budget,
    PacoCudaFrame *frame, const PacoCudaRate *rate, uint64_t bytes,
    CUdeviceptr code, CUdeviceptr records, GError **error);

/* When the frame is finished: the counts, if the step number was chosen, and the bytes
 * of index and payload before any cut. */
static inline const PacoRateBits *
paco_cuda_budget_sums (const PacoCudaBudget *budget)
{
  return (const PacoRateBits *) (budget->host.data + sizeof (uint64_t));
}
static inline uint64_t
paco_cuda_budget_bytes (const PacoCudaBudget *budget)
{
  return *(const uint64_t *) budget->host.data;
}
