#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Records for ten minutes with sound, live, with the CPU backend, and looks at
# what has become of it: every frame is there, picture and sound are together,
# memory is flat.
#
#   tests/soak/record.sh [BUILD [SECONDS [OPTION...]]]
#
# BUILD (build) is a build folder, SECONDS are 600. The size is chosen by what this
# machine can hold now; the options of record.c choose another, and where the file
# goes (--file=FILE). Writes tests/soak/record.json. 0: passed.
set -u
cd "$(dirname "$0")/../.." || exit
build=${1:-build} seconds=${2:-600}
[ $# -gt 2 ] && shift 2 || shift $#
GST_PLUGIN_PATH_1_0=$PWD/$build/plugin \
  exec "$build/tests/soak/soak-record" --seconds="$seconds" \
  --report=tests/soak/record.json "$@"
