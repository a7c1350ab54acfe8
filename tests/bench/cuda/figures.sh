#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Measures all figures of a machine with GPUs and prints one JSON line each
# (figures.h), and for each program that measures them a line "passed",
# "failed" or "skipped":
#
#   figures.sh BUILD [FILE.ppm]
#
# What needs more GPUs than there are is skipped. PACO_GPUS: how many to use.
# PACO_SMALL=1: a few frames of tiny pictures from the elements only. That takes
# seconds over the driver of our own and shows that everything can be measured;
# the figures say nothing.
set -u
build=$1 picture=${2:-}
tests=$(dirname "$0")
export GST_PLUGIN_PATH="$build/plugin"
gpus=${PACO_GPUS:-$(nvidia-smi -L 2>/dev/null | wc -l)}
small=${PACO_SMALL:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
: >"$work/figures"

# bench NAME SECONDS COMMAND... prints what the command prints, and how it
# went.
bench () {
  name=$1 seconds=$2
  shift 2
  begin=$(date +%s)
  timeout "$seconds" "$@" >"$work/log" 2>&1
  status=$?
  grep '^{"figure"' "$work/log" >>"$work/figures"
  cat "$work/log"
  case $status in
    0) echo "passed $name ($(($(date +%s) - begin)) s)" ;;
    77) echo "skipped $name: $(tail -n 1 "$work/log")" ;;
    *)
      echo "failed $name: exit status $status"
      failed=1
      ;;
  esac
}

# speed NAME WIDTH HEIGHT FRAMES OPTION... PREFIX measures the elements by the
# program that $program names.
program=gst-speed
speed () {
  name=$1 width=$2 height=$3 frames=$4 warm=40
  shift 4
  if [ -n "$small" ]; then
    width=$((width / 120 * 2)) height=$((height / 120 * 2)) warm=2
    frames=$((4 + frames / 100))
  fi
  bench "$name" 100 "$build/tests/bench/$program" --width=$width \
    --height=$height --warm=$warm --frames=$frames "$@" ${picture:+"$picture"}
}

# of FIGURE prints its value.
of () {
  sed -n 's/.*"figure": "'"$1"'", "value": \([^,}]*\).*/\1/p' "$work/figures"
}

# scaling NAME FPS BASE BEST prints FPS in relation to BASE, and as its ratio
# to BEST, which are figures; BEST may be a number of times BASE instead.
scaling () {
  case $4 in
    [0-9]*) best=$(awk -v n="$4" -v base="$(of "$3")" 'BEGIN { print n * base }') ;;
    *) best=$(of "$4") ;;
  esac
  awk -v name="$1" -v value="$(of "$2")" -v base="$(of "$3")" -v best="$best" \
    -v ceiling="$4" 'BEGIN {
      if (value > 0 && base > 0 && best > 0)
        printf "{\"figure\": \"%s\", \"value\": %.4g, \"unit\": \"times\", " \
          "\"ceiling\": \"%s\", \"ratio\": %.4g}\n", name, value / base, \
          ceiling, value / best
    }' | tee -a "$work/figures"
}

if [ -z "$small" ]; then
  bench paco-bench 200 "$build/tests/bench/paco-bench" --kernels --pipeline \
    --timeline ${picture:+"$picture"}
  bench 'paco-bench 4320' 100 "$build/tests/bench/paco-bench" --timeline \
    --width=7680 --height=4320 --prefix=4320_ ${picture:+"$picture"}
fi
PACO_H2D_GBPS=$(of h2d_gbps) PACO_D2H_GBPS=$(of d2h_gbps)
PACO_MEMCPY_GBPS=$(of memcpy_gbps)
export PACO_H2D_GBPS PACO_D2H_GBPS PACO_MEMCPY_GBPS
if ! command -v gst-launch-1.0 >/dev/null; then
  echo 'skipped gst-speed, gst-launch: there is no GStreamer'
  exit $failed
fi

# --- one GPU ---

for rate in lossless quality bitrate; do
  speed "gst-speed $rate" 4096 2160 600 --devices=0 --rate-control=$rate \
    "gst_$rate"
done
for rate in lossless quality; do
  speed "gst-speed $rate file" 4096 2160 200 --devices=0 --rate-control=$rate \
    --file="$work/film" "gst_$rate"
done
speed 'gst-speed v210' 3840 2160 1200 --devices=0 --format=v210 \
  gst_v210_2160
speed 'gst-speed UYVY' 3840 2160 1200 --devices=0 --format=UYVY \
  gst_uyvy_2160
speed 'gst-speed rggb16le' 4096 3072 600 --devices=0 --format=rggb16le \
  gst_mosaic16_3072
speed 'gst-speed 4320' 7680 4320 200 --devices=0 gst_gbr12_4320
speed 'gst-speed 4320, depth 2' 7680 4320 200 --devices=0 --depth=2 \
  gst_gbr12_4320_depth2
speed 'memory 2160' 4096 2160 4 --depth=2 --memory device_memory_mib_2160
speed 'memory 4320' 7680 4320 4 --depth=2 --memory device_memory_mib_4320
if [ -x "$build/tests/bench/gst-device-memory" ]; then
  program=gst-device-memory
  speed "$program" 4096 2160 600 cudamem_lossless
  speed "$program GBR" 4096 2160 600 --format=GBR cudamem_gbr8_lossless
  program=gst-speed
fi

if [ -z "$small" ]; then
  for rate in lossless quality; do
    bench "gst-launch $rate" 200 sh "$tests/gst-launch-speed.sh" "$build" \
      $rate ${picture:+"$picture"}
  done
fi

# --- many streams on it ---

program=gst-streams few=8 many=16
if [ -n "$small" ]; then
  few=2 many=2
fi
speed "$program 8" 1920 1080 300 --devices=0 --streams=$few streams8_1080_lossless
speed "$program 16" 1920 1080 300 --devices=0 --streams=$many --rate-control=quality \
  --both streams16_1080_quality
speed "$program, one of 16" 1920 1080 120 --devices=0 --streams=$many --rate=60 --beside \
  streams16_1080_lone
if [ -z "$small" ]; then
  speed "$program 16, 1280x720" 1280 720 300 --devices=0 --streams=16 \
    --rate-control=quality --both streams16_720_quality
  # If the host is late once, all cameras have one late frame of 120, which is
  # less than 1 %.
  speed "$program, cameras 2160" 3840 2160 120 --devices=0 --most --rate=60 live_2160
  speed "$program, cameras 1080" 1920 1080 120 --devices=0 --most --rate=60 \
    --rate-control=quality live_1080_quality
fi
program=gst-speed

# --- the processor, with capture's format and with planes ---

speed 'gst-speed v210 cpu' 1920 1080 100 --backend=cpu --format=v210 \
  --against=I422_10LE v210_1080_cpu

# --- several GPUs: one element, and as many processes ---

for n in 2 4; do
  if [ "$gpus" -lt $n ]; then
    echo "skipped $n GPUs: this machine has $gpus"
    continue
  fi
  list=$(seq -s , 0 $((n - 1)))
  speed "gst-speed $n processes" 4096 2160 1000 --processes=$n \
    "processes${n}_lossless"
  speed "gst-speed $n devices" 4096 2160 $((600 * n)) --devices="$list" \
    "devices${n}_lossless"
  for way in enc dec; do
    scaling "processes${n}_lossless_${way}_scaling" \
      "processes${n}_lossless_${way}_fps" "gst_lossless_${way}_fps" $n
    scaling "devices${n}_lossless_${way}_scaling" \
      "devices${n}_lossless_${way}_fps" "gst_lossless_${way}_fps" \
      "processes${n}_lossless_${way}_fps"
  done
done
exit $failed
