#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh bindings/nvimagecodec/test.sh [OPTION]: takes nvImageCodec from PyPI to a virtual
# environment, builds libpaco and the extension, and tests it in the library of nvImageCodec
# (tests/test.c), there also with the address sanitizer, and in its module for Python
# (tests/module.py). With a GPU it is tested there, too, and with CuPy and PyTorch if PYTHON
# has them. The last line says how many tests passed and failed.
#
#   --dali         also in DALI on the CPU, whose packages have 700 MB
#   --pack FILE    instead makes FILE, a .tar.xz with all of this for another machine, which
#                  has a GPU, but no network: tar -xJf FILE && sh nvimagecodec/run.sh
#
# FOLDER=...: instead of build/nvimagecodec. PACO_BUILD=...: takes libpaco of that build
# folder. DAMAGED=N: how many damaged frames are read (500, with the sanitizer 2000).
# SEED=N: for the random pictures. PYTHON=...: instead of python3. CUDA=12: the library for
# that version instead of 13. ARCHS=...: for which GPUs the packed libpaco is (90).
# TAG=...: for which Python the packed module is (cp312).
set -eu
cd "$(dirname "$0")/../.."
pack='' dali=''
case ${1:-} in
  --dali) dali=1 ;;
  --pack) pack=${2:?--pack FILE} ;;
  ?*)
    sed -n '3,20s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
folder=${FOLDER:-build/nvimagecodec}
. bindings/host.sh
cuda=disabled
[ -z "$pack" ] || cuda=enabled

VENV_OPTIONS=--system-site-packages
environment hosts numpy "nvidia-nvimgcodec-cu${CUDA:-13}" ${dali:+"nvidia-dali-cuda${CUDA:-13}0"}
host=$("$folder/hosts/bin/python" -c 'import nvidia.nvimgcodec as n; print(n.__path__[0])' \
  2>"$folder/hosts.log") || skip "nvImageCodec does not run: $(tail -n 1 "$folder/hosts.log")"

build=${PACO_BUILD:-$folder/libpaco${pack:+-cuda}}
[ -n "${PACO_BUILD:-}" ] || libpaco "$build" -Dwheel=true --buildtype=release \
  "-Dcuda=$cuda" ${pack:+"-Dcuda-archs=${ARCHS:-90}"}
build=$(cd "$build" && pwd)
PKG_CONFIG_PATH=$build/meson-uninstalled
export PKG_CONFIG_PATH

# program NAME FLAG...: builds the extension and the test program to folder NAME.
program () {
  name=$folder/$1
  shift
  sh bindings/nvimagecodec/build.sh "$name/extensions" "$host/include" "$@" || return
  echo 'typedef struct CUstream_st *cudaStream_t;' >"$name/cuda_runtime_api.h"
  # shellcheck disable=SC2046,SC2016
  ${CC:-cc} -std=gnu11 -g1 -O1 -Wall -Wextra -Werror -Wno-missing-field-initializers -pthread \
    -I"$name" -isystem "$host/include" "$@" -o "$name/test" \
    bindings/nvimagecodec/tests/*.c $(pkg-config --cflags --libs paco) \
    "$host/libnvimgcodec.so.0" -Wl,-rpath,'$ORIGIN/nvidia/nvimgcodec:$ORIGIN' \
    -Wl,-rpath,"$build/lib:$host" -ldl
}
program plain >"$folder/build.log" 2>&1 || fail "$folder/build.log"

if [ -n "$pack" ]; then
  root=$folder/pack/nvimagecodec
  rm -rf "$folder/pack"
  mkdir -p "$root/nvidia/nvimgcodec" "$root/extensions" "$root/golden"
  # The module of another Python than the one here is in the same wheel.
  cp "$host/__init__.py" "$host/libnvimgcodec.so.0" \
    "$host"/nvimgcodec_impl.*"$(echo "${TAG:-cp312}" | sed 's/cp/cpython-/')"-*.so \
    "$root/nvidia/nvimgcodec/"
  cp "$folder/plain/test" bindings/nvimagecodec/tests/module.py "$root/"
  cp "$folder/plain/extensions/libpaco_ext.so" "$root/extensions/"
  cp -L "$build/lib/libpaco.so.1" "$root/"
  cp tests/golden/*.paco "$root/golden/"
  cp bindings/nvimagecodec/run.sh "$root/"
  strip "$root/extensions/libpaco_ext.so" "$root/libpaco.so.1"
  tar -C "$folder/pack" -c nvimagecodec | xz -T0 -9 >"$pack"
  du -h "$pack"
  exit 0
fi
if ! program sanitized -fsanitize=address,undefined \
  -fno-sanitize-recover=undefined >"$folder/build.log" 2>&1; then
  fail "$folder/build.log"
fi
ROOT=$folder/plain GOLDEN=$PWD/tests/golden MODULE=$PWD/bindings/nvimagecodec/tests/module.py
PYTHON=$folder/hosts/bin/python SANITIZED=$folder/sanitized
DALI=${dali:+$PWD/bindings/nvimagecodec/tests/dali.py}
export ROOT GOLDEN MODULE PYTHON SANITIZED DALI
exec sh bindings/nvimagecodec/run.sh
