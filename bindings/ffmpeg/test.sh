#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests FFmpeg with PaCo, as build.sh has built it: test.sh [FOLDER OF FFMPEG]. The programs
# paco and the plugin are those of the Meson build in PACO_BUILD (default: build).
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${PACO_BUILD:-$root/build}" && pwd) || exit 2
export PACO_TOOL="$build/tool/paco" GST_PLUGIN_PATH="$build/plugin"
export GST_REGISTRY="${TMPDIR:-/tmp}/paco-ffmpeg-registry.$$"
# A thread that looks for a GPU may be on its way to its end when the program ends.
export LSAN_OPTIONS="suppressions=$root/tests/lint/leaks.supp:print_suppressions=0"
trap 'rm -f "$GST_REGISTRY"' EXIT
python3 "$here/check.py" "${1:-$root/build-ffmpeg/ffmpeg-5.1}" "$root/tests/golden"
