#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embed.py OUT NAME=FILE...: writes a C source with files, zlib streams that decoder.c makes
members of (decoder.h)."""
import pathlib
import sys
import zlib

with open(sys.argv[1], 'w', encoding='ascii') as out:
    print('#include "tool/archive/decoder.h"', file=out)
    table = []
    for i, pair in enumerate(sys.argv[2:]):
        name, _, path = pair.partition('=')
        plain = pathlib.Path(path).read_bytes()
        packed = zlib.compress(plain, 9)
        print(f'static const guint8 packed_{i}[] = {{', file=out)
        for at in range(0, len(packed), 24):
            print(','.join(map(str, packed[at:at + 24])) + ',', file=out)
        print('};', file=out)
        table.append(f'{{"{name}", {len(plain)}, packed_{i}, {len(packed)}}},')
    print(f'const guint paco_n_decoder_files = {len(table)};', file=out)
    print('const PacoDecoderFile paco_decoder_files[] = {', *table, '};', sep='\n', file=out)
