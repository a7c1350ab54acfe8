#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/lib/installed.sh: what the packages of libpaco install is what an
# application needs: the example compiles with nothing but pkg-config, runs, and Python
# finds its module. tests/package.sh runs it where nothing else of the library is.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
golden=tests/golden/gray8-lossless.paco

flags=$(pkg-config --cflags --libs paco)
# shellcheck disable=SC2086
cc -std=c99 -Wall -Wextra -Werror -o "$work/example" lib/example.c $flags
"$work/example" $golden "$work/gray.pgm"
[ "$(head -c 2 "$work/gray.pgm")" = P5 ]
cd "$work"
PYTHONPATH='' python3 - "$OLDPWD/$golden" <<'END'
import sys
import paco
film = paco.Reader(sys.argv[1])
print(paco.version(), paco.__file__, paco.Decoder(backend='cpu').decode(film[0])[0].mean())
assert paco.__file__.startswith('/usr/lib/python3/')
END
