#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh bindings/openimageio/test.sh [FOLDER]: installs what it needs (as root, on Debian 12),
# builds libpaco, paco and the plugin in FOLDER (build/openimageio), the latter also with
# the address sanitizer, and tests it with oiiotool, iconvert, maketx and OpenImageIO's
# module for Python. The last line says how many tests passed and failed.
#
# PACO_BUILD=BUILD: takes libpaco and paco of that build folder. PACO_DAMAGED=N: how many
# damaged files are read (500). PACO_TESTS="SEED NAME...": some tests, with that seed.
set -u
cd "$(dirname "$0")/../.." || exit 1
PATH=/usr/bin:/bin:$PATH
folder=${1:-build/openimageio}
packages='libopenimageio-dev openimageio-tools python3-openimageio python3-numpy g++ pkg-config'
. bindings/host.sh

# shellcheck disable=SC2086
if ! dpkg -s $packages >/dev/null 2>&1; then
  echo "Debian's packages are installed: $packages"
  { apt-get update -q && apt-get install -qy --no-install-recommends $packages; } \
    >"$folder/log" 2>&1 || fail "$folder/log"
fi
build=${PACO_BUILD:-$folder/libpaco}
if [ -z "${PACO_BUILD:-}" ]; then
  sh pipelines/install-packages.sh build >"$folder/log" 2>&1 || fail "$folder/log"
  TARGETS=all
  libpaco "$build" -Dplugin=false -Dtests=false -Dcuda=disabled --buildtype=release
fi
PKG_CONFIG_PATH=$(cd "$build" && pwd)/meson-uninstalled
PATH=$(cd "$build" && pwd)/tool:$PATH
PACO_ASAN=$(gcc -print-file-name=libasan.so)
PACO_ASAN_PLUGIN=$folder/sanitized
OIIO_LIBRARY_PATH=$folder
export PKG_CONFIG_PATH PATH PACO_ASAN PACO_ASAN_PLUGIN OIIO_LIBRARY_PATH
sh bindings/openimageio/build.sh "$folder" >"$folder/log" 2>&1 || fail "$folder/log"
sh bindings/openimageio/build.sh "$PACO_ASAN_PLUGIN" -O1 -g1 -fsanitize=address,undefined \
  -fno-sanitize-recover=undefined >"$folder/log" 2>&1 || fail "$folder/log"
# shellcheck disable=SC2086
exec /usr/bin/python3 bindings/openimageio/test.py ${PACO_TESTS:-}
