#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests that all figures of the elements can be measured: it runs
# tests/bench/cuda/figures.sh with tiny pictures over the emulation
# (emulation.hpp) of four GPUs.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
FAKE_CUDA_DEVICES=4 PACO_GPUS=4 PACO_SMALL=1 \
  sh "$PACO_SOURCE_ROOT/tests/bench/cuda/figures.sh" "$PACO_BUILD_ROOT" \
  >"$work/log" 2>&1
status=$?
grep -vE '^(pool|content): ' "$work/log"

# These figures are missing, or no positive numbers.
for figure in gst_lossless gst_quality gst_v210_2160 gst_uyvy_2160 \
  gst_gbr12_4320 gst_gbr12_4320_depth2; do
  echo "${figure}_enc_fps ${figure}_dec_fps ${figure}_cores_per_100fps"
done >"$work/wanted"
for n in 2 4; do
  for way in enc dec; do
    echo "processes${n}_lossless_${way}_fps devices${n}_lossless_${way}_fps"
    echo "processes${n}_lossless_${way}_scaling"
    echo "devices${n}_lossless_${way}_scaling"
  done
done >>"$work/wanted"
echo streams8_1080_lossless_enc_fps streams16_1080_quality_both_fps \
  streams16_1080_lone_p99_ms >>"$work/wanted"
echo gst_lossless_dec_file_fps gst_quality_dec_file_fps >>"$work/wanted"
echo device_memory_mib_2160 device_memory_mib_4320 \
  v210_1080_cpu_enc_ratio v210_1080_cpu_dec_ratio >>"$work/wanted"
if [ -x "$PACO_BUILD_ROOT/tests/bench/gst-device-memory" ] &&
  ! grep -q '^skipped gst-device-memory' "$work/log"; then
  echo cudamem_lossless_enc_fps cudamem_lossless_dec_fps >>"$work/wanted"
fi
for figure in $(cat "$work/wanted"); do
  if ! grep -qE "^\{\"figure\": \"$figure\", \"value\": [0-9.e+-]*[1-9]" \
    "$work/log"; then
    echo "FAILED: there is no $figure"
    status=1
  fi
done
exit $status
