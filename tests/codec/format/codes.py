# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads code tables (FORMAT.md section 6.3), and turns numbers into samples (5)."""
import numpy as np

from ancillary import need
from step_map import AdaptiveBits


def unpack(table, data):
    """Returns the codes that are used."""
    if table.form == 0:
        need(len(data) == (table.last - table.first) // 8 + 1, 'size of a code table')
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder='little')
        codes = table.first + np.flatnonzero(bits)
    else:
        string, context, codes = AdaptiveBits(data), 1, [table.first]
        for code in range(table.first + 1, table.last):
            used = string.bit(context)
            context = (context * 2 + used) % 256
            if used:
                codes.append(code)
        need(not string.data, 'bytes behind a code table')
        codes = np.array(sorted({*codes, table.last}))
    need(len(codes) == table.codes_less_one + 1 and codes[0] == table.first
         and codes[-1] == table.last, 'code table')
    return codes


def read_code_tables(header, index):
    """Returns the codes that components use, for those that have tables."""
    tables = {}
    for table in header.code_tables:
        need(len(index) >= table.size, 'code tables')
        codes, index = unpack(table, index[:table.size]), index[table.size:]
        tables.update({c: codes for c in range(4) if table.components >> c & 1})
    return tables


def bits_of_numbers(header, tables, c):
    """Returns d of section 5."""
    mixed = {0: 0, 7: 4}.get(header.transform, 3)
    return max(max((len(tables[i]) - 1).bit_length(), 1) if i in tables
               else header.components[i].depth
               for i in (range(mixed) if c < mixed else [c]))


def samples_of(numbers, header, tables, c):
    """numbers: with the level shift undone."""
    component, codes = header.components[c], numbers
    if c in tables:
        begin = ((1 << component.depth) - (1 << bits_of_numbers(header, tables, c))) // 2
        codes = tables[c][np.clip(numbers - begin, 0, len(tables[c]) - 1)]
    middle = 1 << (component.depth - 1)
    if component.kind == 1:
        return codes ^ middle
    if component.kind == 2:
        return np.where(codes >= middle, codes - middle, 65535 - codes)
    return codes
