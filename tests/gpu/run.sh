#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the GPU suite, on a host with an NVIDIA GPU:
#
#   tests/gpu/run.sh [BUILD]
#
# BUILD (build) is a build folder with the CUDA backend, made here or elsewhere.
# GStreamer's tools are in PATH. Compares the CUDA backend with the reference
# and with the CPU backend, looks for bad accesses and races with
# compute-sanitizer, measures, names the figures that are worse than those of
# tests/gpu/last-run.json, and writes this file, to be committed with the
# change. What cannot run here is named and counted as skipped. PACO_CONTENT: a
# picture for the benchmarks, see tests/bench/cuda/content.h; else the corpus has
# one (PACO_CORPUS), else one is computed. PACO_CASES: random cases per test, see
# tests/codec/n-cases.h (25%).
set -u
cd "$(dirname "$0")/../.." || exit
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GST_PLUGIN_PATH="$PWD/$build/plugin"
: >"$work/figures"
: >"$work/counts"
lanes=0

begun=$(date +%s)

# Says at which second of the run it ended: the suite has to end within 8 minutes.
count () { # passed|failed|skipped NAME
  echo "$1" >>"$work/counts"
  echo "$1: $2 ($(($(date +%s) - begun)) s)"
}

# lane COMMAND...: runs a function, whose tests follow each other, beside other lanes, with
# files of its own.
lane () {
  lanes=$((lanes + 1))
  mkdir "$work/$lanes"
  ln -s ../counts "$work/$lanes/counts"
  # shellcheck disable=SC2030,SC2031 # Each lane has its own.
  (work=$work/$lanes && "$@") &
}

# step NAME SECONDS COMMAND...: one test.
step () {
  name=$1 seconds=$2
  shift 2
  timeout "$seconds" "$@" >"$work/log" 2>&1
  case $? in
    0) count passed "$name" ;;
    77) count skipped "$name: $(tail -n 1 "$work/log")" ;;
    *)
      count failed "$name"
      tail -n 40 "$work/log"
      ;;
  esac
}

# tap NAME SECONDS COMMAND...: a program that reports its tests.
tap () {
  name=$1 seconds=$2
  shift 2
  timeout "$seconds" "$@" >"$work/log" 2>&1
  status=$?
  grep -E '^(not )?ok ' "$work/log" >"$work/tap"
  while read -r line; do
    case $line in
      *'# SKIP'*) count skipped "$name: ${line#ok }" ;;
      ok*) count passed "$name: ${line#ok }" ;;
      *) count failed "$name: ${line#not ok }" ;;
    esac
  done <"$work/tap"
  if [ $status -ne 0 ]; then
    count failed "$name: exit status $status"
    tail -n 40 "$work/log"
  fi
}

# values KEY: figures and their KEY as members of a JSON object.
values () {
  sed -n 's/.*"figure": "\([^"]*\)".*"'"$1"'": \([^,}]*\).*/    "\1": \2,/p' \
    "$work/figures" | sed '$s/,$//'
}

finish () {
  passed=$(grep -c passed "$work/counts")
  failed=$(grep -c failed "$work/counts")
  skipped=$(grep -c skipped "$work/counts")
  {
    printf '{\n  "sources": "%s",\n' "$(tests/gpu/source-hash.sh)"
    printf '  "device": "%s",\n  "driver": "%s",\n' "$device" "$driver"
    printf '  "passed": %d,\n  "failed": %d,\n  "skipped": %d,\n' \
      $passed $failed $skipped
    printf '  "content": "%s",\n' "$content"
    printf '  "figures": {\n%s\n  },\n' "$(values value)"
    printf '  "ratios": {\n%s\n  }\n}\n' "$(values ratio)"
  } >"$work/last-run.json"
  if [ -n "$device" ]; then
    python3 tests/bench/cuda/table.py --against=tests/gpu/last-run.json \
      "$work/last-run.json" || echo 'the figures cannot be compared'
    cp "$work/last-run.json" tests/gpu/last-run.json
  fi
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed -eq 0 ]
  exit
}

device='' driver='' content=computed
tests='bpc-device dwt-device layout-device pack-device cuda-backend cuda-budget cuda-golden
device-pictures library library-device-memory library-regions failures damage sanitizer device-memory
pipelines stress laboratory figures'
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
  for name in $tests; do
    count skipped "$name: this machine has no NVIDIA GPU"
  done
  finish
fi
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader |
  head -n 1)
echo "$device, driver $driver"

# --- against the reference ---

: "${PACO_CASES:=25%}"
export PACO_CASES
# This one uses up the memory of the GPU, so it is alone.
tap failures 300 "$build/tests/gpu/host/failures-device"

test_kernels () {
  step bpc-device 300 "$build/tests/gpu/kernels/bpc-device"
  step dwt-device 300 "$build/tests/gpu/kernels/dwt-device"
  step layout-device 300 "$build/tests/gpu/kernels/layout-device"
  step pack-device 300 "$build/tests/gpu/kernels/pack-device"
}

test_backend () {
  tap cuda-backend 300 "$build/tests/codec/test-cuda-backend"
  tap cuda-budget 300 "$build/tests/codec/test-cuda-budget"
  tap cuda-golden 300 "$build/tests/codec/test-cuda-golden" -p /golden/backend \
    tests/golden
}

test_library () {
  tap device-pictures 300 "$build/tests/gpu/kernels/device-pictures"
  tap library 300 env PACO_LIB_BACKEND=cuda "$build/tests/lib/test-lib-round-trip"
  tap library-device-memory 300 "$build/tests/lib/test-lib-device-memory"
  tap library-regions 300 env PACO_LIB_BACKEND=cuda \
    "$build/tests/lib/test-lib-regions"
  # These are 20000 damaged frames of small pictures and 200 of large ones.
  step damage 300 "$build/tests/gpu/kernels/damage"
  tail -n 1 "$work/log"
}

lane test_kernels
lane test_backend
lane test_library

# --- bad accesses, races, memory that nobody has written ---

sanitizer=$(command -v compute-sanitizer ||
  ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
sanitize () { # TOOL
  step "sanitizer $1" 240 env PACO_CASES=6 "$sanitizer" --tool $1 \
    --error-exitcode 9 "$build/tests/codec/test-cuda-backend" \
    -p /backend/random -p /backend/damaged -p /backend/host-memory \
    -p /backend/compare
  step "sanitizer $1, budgets" 120 env PACO_CASES=1 "$sanitizer" --tool $1 \
    --error-exitcode 9 "$build/tests/codec/test-cuda-budget" -p /budget/sequences
  case $1 in
    memcheck)
      step 'damage memcheck' 300 "$sanitizer" --tool memcheck --error-exitcode 9 \
        "$build/tests/gpu/kernels/damage" --frames=2000 --large=0
      ;;
    initcheck) return ;;
  esac
  step "sanitizer $1, layouts" 240 "$sanitizer" --tool $1 --error-exitcode 9 \
    "$build/tests/gpu/kernels/layout-device" 4
}

if [ -n "$sanitizer" ]; then
  for tool in memcheck racecheck initcheck; do
    lane sanitize $tool
  done
else
  count skipped 'sanitizer, damage memcheck: there is no compute-sanitizer'
fi

# --- pipelines: the same files and pictures from CUDA and CPU ---

same_files () { # MODE CAPS [OPTIONS of both encoders]
  gst-launch-1.0 -q videotestsrc num-buffers=6 pattern=smpte ! "$2" ! \
    tee name=t ! queue ! pacoenc backend=cuda rate-control="$1" ${3:-} ! \
    filesink location="$work/cuda.paco" \
    t. ! queue ! pacoenc backend=cpu rate-control="$1" ${3:-} ! \
    filesink location="$work/cpu.paco" || return 1
  cmp "$work/cuda.paco" "$work/cpu.paco" || return 1
  gst-launch-1.0 -q filesrc location="$work/cuda.paco" ! pacoparse ! \
    tee name=t ! queue ! pacodec backend=cuda ! \
    filesink location="$work/cuda.raw" \
    t. ! queue ! pacodec backend=cpu ! \
    filesink location="$work/cpu.raw" || return 1
  [ -s "$work/cuda.raw" ] && cmp "$work/cuda.raw" "$work/cpu.raw"
}

has () { # ELEMENT...
  for element in "$@"; do
    gst-inspect-1.0 --exists "$element" || return 1
  done
}

on_device=video/x-raw\(memory:CUDAMemory\)

device_memory () { # FORMAT: up, through both elements, and down again
  gst-launch-1.0 -q videotestsrc num-buffers=30 pattern=smpte ! \
    "video/x-raw,format=$1,width=320,height=218" ! tee name=t \
    t. ! queue ! cudaupload ! "$on_device" ! \
    pacoenc backend=cuda rate-control=lossless ! queue ! \
    pacodec backend=cuda ! "$on_device" ! cudadownload ! \
    pacoenc backend=cpu rate-control=lossless ! \
    filesink location="$work/device.paco" \
    t. ! queue ! pacoenc backend=cpu rate-control=lossless ! \
    filesink location="$work/host.paco" || return 1
  [ -s "$work/host.paco" ] && cmp "$work/device.paco" "$work/host.paco"
}

device_decoder () { # of H.264, into the encoder
  gst-launch-1.0 -q filesrc location=tests/gpu/ball.h264 ! h264parse ! \
    nvh264dec ! "$on_device" ! tee name=t \
    t. ! queue ! pacoenc backend=cuda rate-control=lossless ! \
    filesink location="$work/device.paco" \
    t. ! queue ! cudadownload ! pacoenc backend=cpu rate-control=lossless ! \
    filesink location="$work/host.paco" || return 1
  [ -s "$work/host.paco" ] && cmp "$work/device.paco" "$work/host.paco"
}

# pipeline NAME FUNCTION ARGUMENT...
pipeline () {
  name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    count passed "$name"
  else
    count failed "$name"
    tail -n 20 "$work/log"
  fi
}

two_devices () { # each codes what the other one codes as well
  gst-launch-1.0 -q videotestsrc num-buffers=30 pattern=smpte ! \
    video/x-raw,format=I422_10LE,width=1920,height=1080 ! tee name=t \
    t. ! queue ! pacoenc backend=cuda cuda-device-id=0 ! \
    filesink location="$work/0.paco" \
    t. ! queue ! pacoenc backend=cuda cuda-device-id=1 ! \
    filesink location="$work/1.paco" \
    t. ! queue ! pacoenc backend=cpu ! filesink location="$work/cpu.paco" ||
    return 1
  cmp "$work/0.paco" "$work/cpu.paco" || return 1
  cmp "$work/1.paco" "$work/cpu.paco" || return 1
  gst-launch-1.0 -q filesrc location="$work/cpu.paco" ! pacoparse ! \
    tee name=t \
    t. ! queue ! pacodec backend=cuda cuda-device-id=0 ! \
    filesink location="$work/0.raw" \
    t. ! queue ! pacodec backend=cuda cuda-device-id=1 ! \
    filesink location="$work/1.raw" \
    t. ! queue ! pacodec backend=cpu ! filesink location="$work/cpu.raw" ||
    return 1
  cmp "$work/0.raw" "$work/cpu.raw" && cmp "$work/1.raw" "$work/cpu.raw"
}

stress () { # 4 encoders and 4 decoders in one process
  set --
  for i in 1 2 3 4; do
    set -- "$@" videotestsrc num-buffers=100 pattern=ball ! \
      video/x-raw,format=I422_10LE,width=1920,height=1080 ! queue ! \
      pacoenc backend=cuda rate-control=lossless ! queue ! \
      pacodec backend=cuda ! fakesink
  done
  gst-launch-1.0 -q "$@"
}

test_pipelines () {
  for format in GBR_12LE I422_10LE Y444_12LE I420 NV12 GRAY8 v210 BGRA \
    AYUV64; do
    for mode in lossless quality; do
      pipeline "pipeline $format $mode" same_files $mode \
        "video/x-raw,format=$format,width=334,height=218"
    done
  done
  for mode in lossless quality; do
    pipeline "pipeline bggr $mode" same_files $mode \
      video/x-bayer,format=bggr,width=334,height=218
  done
  # The last stack is shorter.
  for format in GRAY8 GRAY16_LE; do
    for mode in lossless quality; do
      pipeline "stack $format $mode" same_files $mode \
        "video/x-raw,format=$format,width=640,height=480" stack=4
    done
  done
  pipeline 'pipeline interlaced' same_files lossless \
    video/x-raw,format=I422_10LE,width=720,height=576,interlace-mode=interleaved
}

test_device_memory () {
  if has cudaupload cudadownload; then
    for format in I420 NV12 P010_10LE I422_10LE I422_12LE Y444_16LE GBR BGRA \
      RGB10A2_LE UYVY; do
      if gst-inspect-1.0 cudaupload | grep -qw $format; then
        pipeline "device memory $format" device_memory $format
      else
        count skipped "device memory $format: cudaupload has no such format"
      fi
    done
  else
    count skipped 'device memory: there are no cudaupload and cudadownload'
  fi
  if has nvh264dec h264parse cudadownload; then
    pipeline 'device memory nvh264dec' device_decoder
  else
    count skipped 'device memory nvh264dec: there is no such element'
  fi
}

test_elements () {
  for name in cudamemory cudacontexts; do
    if [ -x "$build/tests/gpu/host/check-$name" ]; then
      step "$name" 300 "$build/tests/gpu/host/check-$name"
    else
      count skipped "$name: built without the option gstcuda"
    fi
  done
  if [ "$(nvidia-smi -L | wc -l)" -lt 2 ]; then
    count skipped 'pipeline two devices: this machine has one GPU'
  else
    pipeline 'pipeline two devices' two_devices
  fi
  pipeline stress stress
}

if command -v gst-launch-1.0 >/dev/null; then
  lane test_pipelines
  lane test_device_memory
  lane test_elements
else
  count skipped 'pipelines: there is no gst-launch-1.0'
  count skipped 'stress: there is no gst-launch-1.0'
fi
wait

# --- the papers' methods ---

for program in "$build"/tests/lab/cuda/lab-*; do
  if [ -f "$program" ] && [ -x "$program" ]; then
    step "$(basename "$program")" 120 "$program" --check
  fi
done
# These are the methods that share memory among threads, of which the emulation
# knows no races.
if ! [ -x "$build/tests/lab/cuda/lab-rows" ]; then
  count skipped 'laboratory: built without the option lab'
elif [ -n "$sanitizer" ]; then
  for tool in memcheck racecheck; do
    step "sanitizer $tool, lab-rows" 240 "$sanitizer" --tool $tool \
      --error-exitcode 9 "$build/tests/lab/cuda/lab-rows" --check
  done
fi

# --- figures ---

picture=$(sh tests/bench/cuda/content.sh "$work")
sh tests/bench/cuda/figures.sh "$build" ${picture:+"$picture"} 2>&1 |
  tee "$work/log"
grep '^{"figure"' "$work/log" >>"$work/figures"
grep -E '^(passed|failed|skipped) ' "$work/log" >"$work/outcomes"
while read -r outcome name; do
  count "$outcome" "$name" >/dev/null
done <"$work/outcomes"
content=$(basename "$(sed -n 's/^content: //p' "$work/log" | head -n 1)")
finish
