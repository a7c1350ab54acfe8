/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Holds what all measurements share: the device, pictures in every kind of
 * memory, and the ceilings of this machine. paco-bench calls what measures. */
#pragma once
#include "codec/backend.h"
#include "gpu/frame.h"
#include "gpu/pinned.h"
#include "tests/bench/cuda/content.h"

/* There are as many of whatever a kernel reads or writes, in turns, which is
 * more than the device's cache holds. */
#define BENCH_SETS 4
/* These follow some that warm up. */
#define BENCH_RUNS 30
#define BENCH_WARM 6
/* All that is measured runs there. */
#define BENCH_DEVICE 0
/* These are on the host: what is uploaded, and as many that are downloaded. */
#define BENCH_PICTURES (2 * BENCH_SETS)

typedef struct
{
  double copy_us;            /* of a picture within the device's memory */
  double h2d_gbps, d2h_gbps; /* over the bus, one direction alone */
  double memcpy_gbps;        /* one thread, in the host's memory */
} BenchCeilings;

typedef struct
{
  PacoPictureFormat format;
  size_t n_samples, n_bytes; /* of a picture */
  PacoCudaDevice *device;
  PacoCudaShare share; /* of it: what counts memory */
  PacoCudaStream stream;
  CUevent events[2];
  CUdeviceptr pictures[BENCH_SETS];
  PacoHostMemory *memory[BENCH_PICTURES];
  /* These are copies of the content: page-locked, and as malloc() gives it. */
  PacoPicture pinned[BENCH_PICTURES], ordinary[BENCH_PICTURES];
  BenchCeilings ceilings;
} Bench;

/* Returns FALSE without a device. content_fill() says what file is. */
gboolean bench_open (Bench *bench, unsigned width, unsigned height,
    const char *file, GError **error);
void bench_close (Bench *bench);

/* Returns the bytes of a frame with a budget, about 0.9 bit a sample. */
static inline uint32_t
bench_frame_size (const Bench *bench)
{
  return (uint32_t) (bench->n_samples * 9 / 80);
}

/* Makes all pictures on the host what the first page-locked one is. */
void bench_restore (Bench *bench);

/* Makes all pictures on the device what the first page-locked one is. */
void bench_upload (Bench *bench);

/* Measures and prints them. */
void bench_ceilings (Bench *bench);

/* Enqueues work on the bench's stream; set < BENCH_SETS. */
typedef void (*BenchTask) (Bench *bench, void *data, unsigned set);

/* Returns median microseconds on the device, between events. */
double bench_time (Bench *bench, BenchTask task, void *data);

CUdeviceptr bench_device_memory (Bench *bench, size_t size);

/* Returns a picture in the content's layout, at an address of the host or the
 * device. */
PacoPicture bench_picture_at (const Bench *bench, uint8_t *memory);

/* These end a benchmark in which something fails. */
void must (gboolean done, GError *error);
void must_succeed (CUresult result);

/* --- the device alone (coding.c, layouts.c) --- */

/* Measures transforms, the block coder and the packing, and frames that stay on
 * the device. */
void bench_kernels (Bench *bench);

/* Measures the kernels between layouts and planes. */
void bench_layouts (Bench *bench);

/* --- host memory to host memory (pipeline.c) --- */

/* Measures speed, latency and the host's work, of pictures in page-locked and
 * in ordinary memory. */
void bench_pipeline (Bench *bench);

/* Shows what frames in flight do when, by JSON lines and a chart. */
void bench_timeline (Bench *bench);
