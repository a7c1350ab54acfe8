#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a small copy of a recording, at 1/2, 1/4 or 1/8 of its size.
# `proxy.sh --help` says how; proxy.py does it.
set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/find-plugin.sh"
exec python3 "$here/proxy.py" "$@"
