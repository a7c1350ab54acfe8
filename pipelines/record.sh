#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Records a live test scene, a device or a file as PaCo video with sound.
# `record.sh --help` says how; record.py does it.
set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/find-plugin.sh"
exec python3 "$here/record.py" "$@"
