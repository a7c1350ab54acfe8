#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the pictures of two files, or of one with what coding makes of it: PSNR
# over time, and the worst picture side by side. `compare.sh --help` says how;
# compare.py does it.
set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/find-plugin.sh"
exec python3 "$here/compare.py" "$@"
