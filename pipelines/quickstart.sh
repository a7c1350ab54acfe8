#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh pipelines/quickstart.sh [FILE]: installs what is missing, builds the
# project in build/ and codes FILE (anything GStreamer plays; without one, a
# moving scene of 10-bit 4:2:2) once losslessly and once at quality 90. Ends
# with a table and a picture. Debian 12, as root or with sudo.
#
# FRAMES=N: no more than N pictures of FILE (60; never more than 512 MiB of raw
# pictures). OUT=FOLDER: where results go. Sound is left out, and that players
# are to turn the pictures.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
PATH=/usr/bin:/bin:$PATH

case ${1:-} in
  -h | --help)
    sed -n '3,10s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
if [ $# -gt 1 ]; then
  echo "One file at a time: sh pipelines/quickstart.sh [FILE]" >&2
  exit 1
fi
if [ $# = 1 ] && [ ! -f "$1" ]; then
  echo "There is no file $1." >&2
  exit 1
fi

sh "$here/install-packages.sh" build run

build=$root/build
log=$root/build/quickstart.log
mkdir -p "$build"
echo "Building in $build ..."
# Without tests all is built, and `ninja -C build install` builds no more as root; in the
# folder of somebody who has tests there, what the scripts run.
if ! {
  { [ -f "$build/build.ninja" ] ||
    meson setup "$build" "$root" -Dcuda-archs=native -Dtests=false; } &&
    if grep -q '^build tests/' "$build/build.ninja"; then
      ninja -C "$build" plugin/libgstpaco.so pipelines/apps/paco-capture tool/paco
    else
      ninja -C "$build"
    fi
} >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "That did not build; the whole log is in $log." >&2
  exit 1
fi
if grep -q paco-gpu "$build/build.ninja"; then
  echo "Built with the CUDA backend."
elif ! nvidia-smi -L >/dev/null 2>&1; then
  echo "Built for the CPU: nvidia-smi shows no GPU here."
elif ! command -v nvcc >/dev/null 2>&1 && [ ! -x /usr/local/cuda/bin/nvcc ]; then
  echo "Built for the CPU: there is no CUDA toolkit (nvcc) here."
else
  echo "Built for the CPU: that is how the build folder was set up."
fi

export GST_PLUGIN_PATH_1_0="$build/plugin"
export GST_REGISTRY_1_0="$build/registry.bin"
exec python3 "$here/quickstart.py" --out "${OUT:-$build/quickstart}" \
  ${FRAMES:+"--frames=$FRAMES"} "$@"
