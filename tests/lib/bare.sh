#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/lib/bare.sh: the project's packages work with what they depend on and
# nothing else: the programs record, check and decode, and Python reads what they have
# recorded. tests/distros.sh runs it in a system to which nothing else was added.
set -eux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
caps=format=I422_10LE,width=320,height=240,framerate=25/1

paco --version
paco-farm --help >farm.txt
paco-record --quiet --frames 25 --caps $caps film.mov
paco verify film.mov
paco-record --quiet --frames 10 --caps $caps --sound none film.paco
paco verify film.paco
paco decode film.paco film.y4m
paco encode film.y4m again.paco
python3 - <<'END'
import paco
film, decoder = paco.Reader('again.paco'), paco.Decoder()
shapes = {tuple(plane.shape for plane in decoder.decode(frame)) for frame in film}
assert len(film) == 10 and shapes == {((240, 320), (240, 160), (240, 160))}, shapes
END
