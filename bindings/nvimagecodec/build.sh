#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh bindings/nvimagecodec/build.sh FOLDER HEADERS [FLAG...]: compiles the extension to
# FOLDER/libpaco_ext.so, with further FLAGs for the compiler. HEADERS is the folder of
# nvimgcodec.h, like that of PyPI's nvidia-nvimgcodec-cu13. It needs a C compiler, pkg-config
# and libpaco, which pkg-config finds if it is installed; that of a build folder it finds
# with PKG_CONFIG_PATH=build/meson-uninstalled. Neither CUDA nor the library of nvImageCodec
# is needed.
set -eu
[ $# -ge 2 ] || {
  sed -n '3,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
folder=$1 headers=$2
shift 2
mkdir -p "$folder"
from=$(dirname "$0")
flags=$(pkg-config --cflags --libs paco)
# The extension finds libpaco where it was linked, unless the loader has it, or in the folder
# above (tests).
for flag in $(pkg-config --libs-only-L paco); do
  flags="$flags -Wl,-rpath,${flag#-L}"
done
# The host's header wants one type of CUDA's.
include=$(mktemp -d)
trap 'rm -rf "$include"' EXIT
echo 'typedef struct CUstream_st *cudaStream_t;' >"$include/cuda_runtime_api.h"
# shellcheck disable=SC2086,SC2016
${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared -pthread \
  -Wl,--no-undefined -Wl,-rpath,'$ORIGIN/..' "$@" -I"$include" -isystem "$headers" \
  -o "$folder/libpaco_ext.so" "$from"/*.c $flags -ldl -lm
