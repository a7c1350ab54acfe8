#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the pictures of two files, or of one with what coding makes of it: PSNR
# over time, and the worst picture side by side. `compare.sh --help` says how;
# paco-compare (comparison.c) does it.
set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/find-plugin.sh"
program=$build/pipelines/paco-compare
[ -x "$program" ] || program=$(command -v paco-compare) || {
  echo "paco-compare is not built: sh pipelines/quickstart.sh builds it." >&2
  exit 1
}
exec "$program" "$@"
