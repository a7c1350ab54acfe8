#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Codes a film, or archives a folder of pictures, by many machines: Slurm's, another
# render manager's, or this one. `farm.sh --help` says how; farm.py does it.
set -eu
farm=$(dirname "$(readlink -f "$0")")
here=$(dirname "$farm")
. "$here/find-plugin.sh"
# The program paco archives and joins. It is that of the source tree, if there
# is one.
if [ -z "${PACO_TOOL:-}" ] && [ -x "$build/tool/paco" ]; then
  PACO_TOOL=$(cd "$build" && pwd)/tool/paco
  export PACO_TOOL
fi
exec python3 "$farm/farm.py" "$@"
