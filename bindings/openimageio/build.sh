#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh bindings/openimageio/build.sh FOLDER [FLAG...]: compiles the plugin to
# FOLDER/paco.imageio.so, with further FLAGs for the compiler. It needs pkg-config, a
# compiler for C++17, OpenImageIO (Debian's libopenimageio-dev), and libpaco, which
# pkg-config finds if it is installed; that of a build folder it finds with
# PKG_CONFIG_PATH=build/meson-uninstalled.
set -eu
[ $# -ge 1 ] || {
  sed -n '3,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
folder=$1
shift
mkdir -p "$folder"
from=$(dirname "$0")
flags=$(pkg-config --cflags --libs OpenImageIO paco)
# The plugin finds libpaco where it was linked, unless the loader has it.
for flag in $(pkg-config --libs-only-L paco); do
  flags="$flags -Wl,-rpath,${flag#-L}"
done
# shellcheck disable=SC2086
exec ${CXX:-c++} -std=c++17 -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared \
  -Wl,--no-undefined "$@" -o "$folder/paco.imageio.so" "$from"/*.cpp $flags
