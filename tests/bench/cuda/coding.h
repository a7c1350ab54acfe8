/* SPDX-License-Identifier: LGPL-2.1-or-later
 * One way to code the content, stage by stage: everything the kernels read and
 * write, BENCH_SETS times, so that it does not stay in the device's cache from
 * one run to the next, and several frames can be coded at a time. */
#pragma once
#include "gpu/pack.h"
#include "gpu/rate.h"
#include "tests/bench/cuda/bench.h"

/* Bytes left for a header. */
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
  /* With a budget, else NULL. */
  PacoRateTable *table;
  PacoCudaSteps steps;
  PacoCudaRate rate;
  PacoCudaBudget budgets[BENCH_SETS];
} Coding;

void coding_init (
    Bench *bench, Coding *coding, const PacoParameters *parameters);
void coding_clear (Bench *bench, Coding *coding);

/* Tasks; data: the coding. */
void coding_forward (Bench *bench, void *data, unsigned set);
void coding_encode (Bench *bench, void *data, unsigned set);
void coding_pack (Bench *bench, void *data, unsigned set);
void coding_decode (Bench *bench, void *data, unsigned set);
void coding_inverse (Bench *bench, void *data, unsigned set);

/* When a frame with a budget has been coded: later ones learn from it. */
void coding_learn (Bench *bench, Coding *coding);

/* When all sets have been packed: makes the encoder's output the decoder's
 * input. */
void coding_exchange (Bench *bench, Coding *coding);

/* Ends the program if a block that was decoded was broken. */
void coding_check (Bench *bench, Coding *coding);
