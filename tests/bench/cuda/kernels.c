/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the kernels, each alone, with buffers that the device's cache does
 * not hold.
 *
 * The ceiling of all of them is the device's memory: a copy of a picture reads and
 * writes two bytes a sample, about what the least a kernel has to move. A
 * transform at ratio 1 would be as fast as that copy; the packing is compared
 * with a copy of as many bytes as the frame has. The block coder computes: its
 * ratio says how much less than the memory it takes in. */
#include "tests/bench/cuda/kernels.h"
#include "tests/bench/cuda/figures.h"

typedef struct
{
  const char *prefix;  /* of the figures of the block coder */
  const char *wavelet; /* for figures of the transform, else NULL */
  const char *whole;   /* for frames that stay on the device, else NULL */
  bool packs;
  PacoParameters parameters;
} Case;

static void
transform_figure (
    Bench *bench, const Case *this, const char *direction, double us)
{
  if (this->wavelet)
    figure_cost (us / bench->ceilings.copy_us, "copies", "copy_us", 1.0,
        "%s_%s_ratio", this->wavelet, direction);
}

static void
blocks_figure (Bench *bench, const Case *this, const char *direction, double us)
{
  figure_speed (bench->n_samples / us / 1000.0, "Gsample/s", "copy_us",
      bench->n_samples / bench->ceilings.copy_us / 1000.0, "%s_%s_gsps",
      this->prefix, direction);
}

static void
bench_coding (Bench *bench, const Case *this)
{
  Coding coding;
  KernelTimes times;

  coding_init (bench, &coding, &this->parameters);
  bench_upload (bench);
  times.forward = bench_time (bench, coding_forward, &coding);
  transform_figure (bench, this, "fwd", times.forward);
  if (coding.table) {
    coding_encode (bench, &coding, 0);
    coding_learn (bench, &coding);
  }
  times.encode = bench_time (bench, coding_encode, &coding);
  blocks_figure (bench, this, "enc", times.encode);
  times.pack = bench_time (bench, coding_pack, &coding);
  coding_exchange (bench, &coding);
  if (this->packs)
    figure_cost (times.pack, "us", "copy_us",
        bench->ceilings.copy_us * coding.frame_size / bench->n_bytes,
        "pack_us");
  figure_cost (8.0 * coding.frame_size / bench->n_samples, "bit/sample",
      "raw samples", 12.0, "%s_bits_per_sample", this->prefix);
  times.decode = bench_time (bench, coding_decode, &coding);
  blocks_figure (bench, this, "dec", times.decode);
  coding_check (bench, &coding);
  times.inverse = bench_time (bench, coding_inverse, &coding);
  transform_figure (bench, this, "inv", times.inverse);
  if (this->whole) {
    bench_resident (bench, &coding, &times, this->whole);
    coding_check (bench, &coding);
  }
  coding_clear (bench, &coding);
}

void
bench_kernels (Bench *bench)
{
  PacoParameters quality = PACO_PARAMETERS_DEFAULT, lossless, never_raw,
                 unchecked, bitrate;

  quality.rgb = true;
  quality.tune = PACO_TUNE_PSNR;
  lossless = quality;
  lossless.rate_control = PACO_RATE_LOSSLESS;
  unchecked = never_raw = lossless;
  unchecked.block_checks = false;
  never_raw.complexity = 0;
  bench_coding (bench,
      &(Case){ "bpc", "dwt53", "lossless", true, .parameters = lossless });
  bench_coding (bench,
      &(Case){
          "bpc_quality", "dwt97", "quality", false, .parameters = quality });
  bitrate = quality;
  bitrate.rate_control = PACO_RATE_BITRATE;
  bitrate.frame_size = bench_frame_size (bench);
  bench_coding (bench,
      &(Case){ "bpc_bitrate", NULL, "bitrate", false, .parameters = bitrate });
  bench_coding (bench, &(Case){ "bpc_unchecked", .parameters = unchecked });
  bench_coding (bench, &(Case){ "bpc_c0", .parameters = never_raw });
  never_raw.coding_passes = 2;
  bench_coding (bench, &(Case){ "bpc2", .parameters = never_raw });
  never_raw.coding_passes = 3;
  bench_coding (bench, &(Case){ "bpc3", .parameters = never_raw });
}
