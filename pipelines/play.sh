#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plays PaCo video, or anything else that GStreamer plays: steps, reverse, speeds.
# `play.sh --help` says how; play.py does it.
set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/find-plugin.sh"
exec python3 "$here/play.py" "$@"
