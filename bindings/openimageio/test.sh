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
fail () {
  echo "$*" >&2
  echo '0 passed, 1 failed'
  exit 1
}

# shellcheck disable=SC2086
if ! dpkg -s $packages >/dev/null 2>&1; then
  echo "Debian's packages are installed: $packages"
  { apt-get update -q && apt-get install -qy --no-install-recommends $packages; } \
    >/dev/null || fail 'They could not be installed.'
fi
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1
build=${PACO_BUILD:-$folder/libpaco}
if [ -z "${PACO_BUILD:-}" ]; then
  sh pipelines/install-packages.sh build >/dev/null || fail 'Packages are missing.'
  [ -f "$build/build.ninja" ] ||
    meson setup "$build" . -Dplugin=false -Dtests=false -Dcuda=disabled \
      --buildtype=release >"$folder/log" || fail "meson: see $folder/log"
  ninja -C "$build" >"$folder/log" || fail "ninja: see $folder/log"
fi
PKG_CONFIG_PATH=$(cd "$build" && pwd)/meson-uninstalled
PATH=$(cd "$build" && pwd)/tool:$PATH
PACO_ASAN=$(gcc -print-file-name=libasan.so)
PACO_ASAN_PLUGIN=$folder/sanitized
OIIO_LIBRARY_PATH=$folder
export PKG_CONFIG_PATH PATH PACO_ASAN PACO_ASAN_PLUGIN OIIO_LIBRARY_PATH
sh bindings/openimageio/build.sh "$folder" || fail 'The plugin does not compile.'
sh bindings/openimageio/build.sh "$PACO_ASAN_PLUGIN" -O1 -g1 -fsanitize=address,undefined \
  -fno-sanitize-recover=undefined || fail 'The plugin does not compile.'
# shellcheck disable=SC2086
exec /usr/bin/python3 bindings/openimageio/test.py ${PACO_TESTS:-}
