/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes the content in one way, stage by stage. Everything that the kernels
 * read and write is there BENCH_SETS times, so that it does not stay in the
 * device's cache from one run to the next, and several frames can be coded at
 * a time. */
#pragma once
#include "gpu/pack.h"
#include "gpu/rate.h"
#include "tests/bench/cuda/bench.h"

/* So many bytes are left for a header. */
#define CODING_HEADER 1024

typedef struct
{
  PacoGeometry *geometry;
  PacoCudaPlan plan;
  unsigned complexity;
  bool wide;
  CUdeviceptr coefficients[BENCH_SETS];              /* from the transform */
  CUdeviceptr code[BENCH_SETS], records[BENCH_SETS]; /* the block coder */
  CUdeviceptr output[BENCH_SETS]; /* and the packing: a codestream each */
  CUdeviceptr payload[BENCH_SETS], decode_records[BENCH_SETS];
  CUdeviceptr scratch[BENCH_SETS], planes[BENCH_SETS]; /* in between */
  PacoPackBuffers pack[BENCH_SETS];
  PacoDeviceMemory blocks;
  PacoCudaFrame frame; /* what the backend's functions want of it */
  size_t payload_size, frame_size;
  /* These are there with a budget, else NULL. */
  PacoRateTable *table;
  PacoCudaSteps steps;
  PacoCudaRate rate;
  PacoCudaBudget budgets[BENCH_SETS];
} Coding;

void coding_init (
    Bench *bench, Coding *coding, const PacoParameters *parameters);
void coding_clear (Bench *bench, Coding *coding);

/* These are tasks, whose data is the coding. */
void coding_forward (Bench *bench, void *data, unsigned set);
void coding_encode (Bench *bench, void *data, unsigned set);
void coding_pack (Bench *bench, void *data, unsigned set);
void coding_decode (Bench *bench, void *data, unsigned set);
void coding_inverse (Bench *bench, void *data, unsigned set);

/* Has later frames learn from a frame with a budget that has been coded. */
void coding_learn (Bench *bench, Coding *coding);

/* Makes the encoder's output the decoder's input when all sets have been
 * packed. */
void coding_exchange (Bench *bench, Coding *coding);

/* Ends the program if a block that was decoded was broken. */
void coding_check (Bench *bench, Coding *coding);
