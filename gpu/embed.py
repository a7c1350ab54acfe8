#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embed.py FILE SYMBOL OUTPUT: writes an assembler file that puts FILE into a
library as the read-only bytes SYMBOL. Unlike an array in C it costs no time to
compile, and unlike a linker's -r it has alignment and a name of our choice."""

import pathlib
import sys

file, symbol, output = sys.argv[1:]
path = pathlib.Path(file).resolve()
pathlib.Path(output).write_text(f"""\
/* {path.stat().st_size} bytes */
.section .rodata
.balign 64
.globl {symbol}
.hidden {symbol}
.type {symbol}, %object
{symbol}:
.incbin "{path}"
.size {symbol}, . - {symbol}
.section .note.GNU-stack, "", %progbits
""")
