#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Measures how fast the elements are in lines that anyone can type, all else
# being stock elements, for 4096x2160 RGB with 12 bits:
#
#   gst-launch-speed.sh BUILD lossless|quality [FILE.ppm]
#
# prints one JSON line per figure, medians of what fpsdisplaysink says twenty
# times a second. PACO_H2D_GBPS and PACO_D2H_GBPS are the rates of the bus as
# paco-bench has found them; at ratio 1 a line is as fast as they allow.
#
# gst_launch_..._enc: the picture is read once, videoconvert (from big to little
# endian) puts it into a buffer of the pool that pacoenc offers, which is
# page-locked, and imagefreeze sends this buffer again and again.
# gst_launch_..._dec: decoded into page-locked buffers of pacodec's own.
# imagefreeze takes raw video only, so the frame to be decoded (and some zeros,
# which fill its last line) travels as a gray picture and becomes what it is
# again in capssetter. It lies in ordinary memory and is copied on its way to
# the GPU.
# gst_launch_..._source: what feeds both, with nothing behind it: not the limit.
# gst_launch_..._dec_file: the usual line, from a file of which the system has a
# copy in memory: its mean since the first frame, in a time so short that much of
# it goes into getting page-locked memory (gst-speed measures without that).
# gst_launch_..._file_source is the same line without pacodec: what reading takes.
set -eu
build=$1 rate=$2 picture=${3:-}
export GST_PLUGIN_PATH="$build/plugin"
width=4096 height=2160
bytes=$((width * height * 6))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sink='fpsdisplaysink sync=false text-overlay=false silent=false
  fps-update-interval=50 video-sink=fakesink'

# need ELEMENT...
need () {
  for element; do
    if ! gst-inspect-1.0 --exists "$element"; then
      echo "there is no element $element"
      exit 77
    fi
  done
}

play () {
  timeout 60 gst-launch-1.0 -v "$@" >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log" >&2; return 1; }
}

# speed LINE... prints median frames per second; $sink is a part of the line.
speed () {
  play "$@"
  sed -n 's/.*current: \([0-9.]*\),.*/\1/p' "$work/log" | sed 1,6d | sort -n |
    awk '{ value[NR] = $1 }
      END { if (NR < 20) exit 1; print value[int((NR + 1) / 2)] }' ||
    { echo "too short for a figure: $*" >&2; return 1; }
}

# mean LINE... prints frames per second since the first frame.
mean () {
  play "$@"
  sed -n 's/.*average: \([0-9.]*\).*/\1/p' "$work/log" | tail -n 1
}

figure () { # NAME FPS CEILING GB/S
  awk -v name="$1" -v value="$2" -v ceiling="$3" -v gbps="${4:-0}" \
    -v bytes=$bytes 'BEGIN {
      printf "{\"figure\": \"%s\", \"value\": %.4g, \"unit\": \"frames/s\"", \
        name, value
      if (gbps > 0)
        printf ", \"ceiling\": \"%s\", \"ratio\": %.4g", ceiling, \
          value * bytes / gbps / 1e9
      print "}"
    }'
}

up () { figure "$1" "$2" h2d_gbps "${PACO_H2D_GBPS:-}"; }
down () { figure "$1" "$2" d2h_gbps "${PACO_D2H_GBPS:-}"; }

need fpsdisplaysink imagefreeze rawvideoparse videoconvert
encoder="pacoenc backend=cuda pipeline-depth=4 rate-control=$rate"
[ "$rate" = lossless ] || encoder="$encoder tune=psnr"
decoder='pacodec backend=cuda pipeline-depth=4'

"$build/tests/bench/paco-bench" --write="$work/picture" ${picture:+"$picture"}
raw="filesrc location=$work/picture blocksize=$bytes num-buffers=1 !
  rawvideoparse format=gbr-12be width=$width height=$height framerate=1000/1 !
  videoconvert dither=none ! video/x-raw,format=GBR_12LE !
  imagefreeze num-buffers="
# shellcheck disable=SC2086 # the words of a line
{
  fps=$(speed ${raw}2000000 ! $sink)
  up "gst_launch_${rate}_source_fps" "$fps"
  fps=$(speed ${raw}2500 ! $encoder ! $sink)
  up "gst_launch_${rate}_enc_fps" "$fps"
  gst-launch-1.0 -v ${raw}1 ! $encoder ! filesink location="$work/frame" \
    >"$work/log"
}
caps=$(sed -n 's/.*pacoenc0.GstPad:src: caps = //p' "$work/log" | tail -n 1 |
  tr -d ' ')

need capssetter
size=$(wc -c <"$work/frame")
rows=$(((size + width - 1) / width))
cp "$work/frame" "$work/gray"
truncate -s $((rows * width)) "$work/gray"
coded="filesrc location=$work/gray blocksize=$((rows * width)) num-buffers=1 !
  rawvideoparse format=gray8 width=$width height=$rows framerate=1000/1 !
  imagefreeze num-buffers=2500 !
  capssetter replace=true join=false caps=$caps"
# shellcheck disable=SC2086
gst-launch-1.0 -q ${raw}$((3000000000 / size + 1)) ! $encoder ! \
  filesink location="$work/film"
film="filesrc location=$work/film ! pacoparse"
# shellcheck disable=SC2086
{
  fps=$(speed $coded ! $decoder ! $sink)
  down "gst_launch_${rate}_dec_fps" "$fps"
  fps=$(mean $film ! $decoder ! $sink)
  down "gst_launch_${rate}_dec_file_fps" "$fps"
  fps=$(mean $film ! $sink)
  down "gst_launch_${rate}_file_source_fps" "$fps"
}
