#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""single.py SETS OUT: writes paco-decoder.c with all that it includes to OUT, as one file
that needs paco-decoder.h alone. SETS is codec/tables/sets.inc."""
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def expand(path, done):
    """The file's text, in which each file of the project that it includes stands once."""
    def include(match):
        name = match[1]
        if name == 'paco-decoder.h' or name in done:
            return match[0] if name == 'paco-decoder.h' else ''
        done.add(name)
        return expand(SETS if name == 'sets.inc' else FOLDER / name, done)
    return re.sub(r'#include "([^"]+)"\n', include, path.read_text())


SETS = pathlib.Path(sys.argv[1])
text = expand(FOLDER / 'paco-decoder.c', set())
pathlib.Path(sys.argv[2]).write_text(re.sub(r'(\d), ', r'\1,', text))
