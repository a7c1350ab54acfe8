#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs for half an hour on an NVIDIA GPU: four encoders and two decoders,
# qualities and sizes that change, seeks, and halfway a kernel that goes wrong
# (station.c). That ends the first station, as a driver takes back no process
# in which a kernel has failed, and another one begins, as an operator would
# begin it.
#
#   tests/soak/gpu.sh [BUILD [SECONDS [OPTION...]]]
#
# BUILD (build) is a build folder made here or elsewhere; SECONDS (1800) are those of
# both stations; the options are station.c's. GStreamer is there, with its plugins
# base. Writes tests/soak/gpu.json. 0: passed, 77: there is no GPU.
set -u
cd "$(dirname "$0")/../.." || exit
build=${1:-build} seconds=${2:-1800}
[ $# -gt 2 ] && shift 2 || shift $#
export GST_PLUGIN_PATH_1_0="$PWD/$build/plugin"
report=tests/soak/gpu.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Says what all programs have of the GPU's memory, in MiB, or nothing.
used () {
  sleep 2
  nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits \
    2>/dev/null | head -n 1 | tr -dc 0-9
}

# station NAME OPTION...
station () {
  name=$1
  shift
  "$build/tests/soak/soak-station" --seconds=$((seconds / 2)) \
    --report="$work/$name.json" "$@"
  status=$?
  if [ $status -eq 77 ]; then
    exit 77
  fi
  [ -s "$work/$name.json" ] || echo '{"passed": false}' >"$work/$name.json"
  return $status
}

device=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader \
  2>/dev/null | head -n 1)
passed=true
before=$(used)
station first --error "$@" || passed=false
between=$(used)
station second "$@" || passed=false
after=$(used)
# Other programs may have come and gone; a station has hundreds of MiB.
for now in "$between" "$after"; do
  if [ -n "$before" ] && [ "${now:-0}" -gt $((before + 64)) ]; then
    passed=false
  fi
done

{
  printf '{\n"device": "%s",\n"seconds": %d,\n' "${device:-unknown}" "$seconds"
  printf '"used_before": %s,\n"used_between": %s,\n"used_after": %s,\n' \
    "${before:-null}" "${between:-null}" "${after:-null}"
  printf '"first": '
  cat "$work/first.json"
  printf ',\n"second": '
  cat "$work/second.json"
  printf ',\n"passed": %s\n}\n' $passed
} >"$report"
cat "$report"
[ $passed = true ]
