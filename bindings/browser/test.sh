#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh bindings/browser/test.sh [BUILD]: tests docs/player.html in a headless Chromium, with
# files that paco and the plugin of BUILD (build) make. Chromium and GStreamer's programs are
# Debian's; what is missing is installed if this is root. The last line is
# "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
for package in chromium gstreamer1.0-tools gstreamer1.0-plugins-good; do
  dpkg -s "$package" >/dev/null 2>&1 && continue
  [ "$(id -u)" = 0 ] && apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1 &&
    continue
  echo "$package is not installed, and cannot be."
  exit 77
done
python3 bindings/browser/build.py --check || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GST_PLUGIN_PATH="$PWD/$build/plugin" GST_REGISTRY="$folder/registry"
export LD_LIBRARY_PATH="$PWD/$build/lib"
python3 bindings/browser/test.py "$build" "$folder"
