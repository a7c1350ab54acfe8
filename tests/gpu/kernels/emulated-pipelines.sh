#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests the elements with the CUDA backend over the emulation (emulation.hpp):
# files are the same as those of the CPU, and so is what is decoded from them,
# by one device and by several.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

same_files () { # OPTIONS CAPS DEVICES
  gst-launch-1.0 -q videotestsrc num-buffers=5 pattern=smpte ! "$2" ! \
    tee name=t ! queue ! pacoenc backend=cuda cuda-devices="$3" $1 ! \
    filesink location="$work/cuda.paco" \
    t. ! queue ! pacoenc backend=cpu $1 ! \
    filesink location="$work/cpu.paco" || return 1
  [ -s "$work/cuda.paco" ] && cmp "$work/cuda.paco" "$work/cpu.paco" ||
    return 1
  gst-launch-1.0 -q filesrc location="$work/cuda.paco" ! pacoparse ! \
    tee name=t ! queue ! pacodec backend=cuda cuda-devices="$3" ! \
    filesink location="$work/cuda.raw" \
    t. ! queue ! pacodec backend=cpu ! \
    filesink location="$work/cpu.raw" || return 1
  [ -s "$work/cuda.raw" ] && cmp "$work/cuda.raw" "$work/cpu.raw"
}

# Lines of this width have padding in most formats, which has to be the same, too.
failed=0
check () { # OPTIONS FORMAT DEVICES
  case $2 in
    bggr) type=video/x-bayer ;;
    *) type=video/x-raw ;;
  esac
  if ! same_files "$1" "$type,format=$2,width=90,height=74" "$3" \
    >"$work/log" 2>&1; then
    echo "FAILED: $2 $1, devices $3"
    tail -n 20 "$work/log"
    failed=1
  fi
}

export FAKE_CUDA_DEVICES=3
rate=lossless
for format in GBR_12LE I422_10LE NV12 v210 BGRA bggr \
  I422_10LE,interlace-mode=interleaved; do
  # They have one rate each, in turns. Tests of the backend draw both.
  check rate-control=$rate "$format" 0
  [ $rate = lossless ] && rate=quality || rate=lossless
done
check rate-control=lossless I422_10LE 2,0
# There are stacks of three, and one of two.
check 'stack=3 rate-control=lossless' GRAY16_LE 0
check 'stack=3 rate-control=quality pipeline-depth=1' GRAY8 2,0
check 'cut-points=true quality=97' BGRA all
check 'rate-control=bitrate frame-size=4000 cut-points=true pipeline-depth=3' \
  NV12 all
exit $failed
