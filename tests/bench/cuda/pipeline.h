/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the way through the backend's table, host memory to host memory.
 * paco-bench calls it. */
#pragma once
#include "tests/bench/cuda/bench.h"

/* Measures speed, latency and the host's work, of pictures in page-locked and
 * in ordinary memory. */
void bench_pipeline (Bench *bench);

/* Shows what frames in flight do when, by JSON lines and a chart. */
void bench_timeline (Bench *bench);

/* Open an encoder and a decoder that end the program where they fail. */
PacoEncoder *pipeline_encoder (Bench *bench, unsigned depth,
    const PacoPicture *picture, const PacoParameters *parameters);
void pipeline_submit (PacoEncoder *encoder, const PacoPicture *picture);
PacoEncodedFrame *pipeline_collect (PacoEncoder *encoder);
PacoDecoder *pipeline_decoder (
    unsigned depth, const PacoPicture *picture, const PacoEncodedFrame *frame);
void pipeline_submit_stream (PacoDecoder *decoder,
    const PacoEncodedFrame *frame, const PacoPicture *destination);
void pipeline_collect_picture (PacoDecoder *decoder);
