#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The elements with the CUDA backend over the emulation (emulation.hpp): files
# are the same as those of the CPU, and so is what is decoded from them.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

same_files () { # RATE CAPS
  gst-launch-1.0 -q videotestsrc num-buffers=3 pattern=smpte ! "$2" ! \
    tee name=t ! queue ! pacoenc backend=cuda rate-control="$1" ! \
    filesink location="$work/cuda.paco" \
    t. ! queue ! pacoenc backend=cpu rate-control="$1" ! \
    filesink location="$work/cpu.paco" || return 1
  [ -s "$work/cuda.paco" ] && cmp "$work/cuda.paco" "$work/cpu.paco" ||
    return 1
  gst-launch-1.0 -q filesrc location="$work/cuda.paco" ! pacoparse ! \
    tee name=t ! queue ! pacodec backend=cuda ! \
    filesink location="$work/cuda.raw" \
    t. ! queue ! pacodec backend=cpu ! \
    filesink location="$work/cpu.raw" || return 1
  [ -s "$work/cuda.raw" ] && cmp "$work/cuda.raw" "$work/cpu.raw"
}

# Of this width no format has bytes between lines, which nobody defines.
failed=0
for format in GBR_12LE I422_10LE NV12 v210 BGRA \
  I422_10LE,interlace-mode=interleaved; do
  for rate in lossless quality; do
    if ! same_files "$rate" \
      "video/x-raw,format=$format,width=96,height=74" >"$work/log" 2>&1; then
      echo "FAILED: $format $rate"
      tail -n 20 "$work/log"
      failed=1
    fi
  done
done
exit $failed
