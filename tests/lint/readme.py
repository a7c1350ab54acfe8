#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""readme.py README.md CACHE: the README's property tables, against the elements.

A table belongs to the element that the heading before it names (### `pacoenc`).
Its columns: property, type, default, meaning. Every property that the element
adds to its base classes must have a row, every row a property, and type and
default must be those of CACHE, which is compared with the elements
(docs/plugins/cache.py). The gst-launch-1.0 commands must be ones that GStreamer can
put together.
"""
import json
import re
import shlex
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

HEADING = re.compile(r'^### `(\w+)`')
SCALARS = {'gboolean': 'bool', 'guint': 'uint', 'gint': 'int',
           'gdouble': 'double'}
ENDLESS = (2**32 - 1, 2**31 - 1)
ROW = re.compile(r'^\| `([\w-]+)` \| ([^|]*) \| ([^|]*) \|')


def read_tables(path):
    """Returns {element: {property: (type, default)}}."""
    tables, element = {}, None
    with open(path, encoding='utf-8') as file:
        for line in file:
            heading = HEADING.match(line)
            row = ROW.match(line)
            if heading:
                element = heading[1]
                tables[element] = {}
            elif line.startswith('#'):
                element = None
            elif row and element:
                cells = [cell.replace('`', '').strip() for cell in row.groups()]
                tables[element][cells[0]] = (cells[1], cells[2])
    return tables


def describe(spec, enums):
    """Returns (type, default) in the README's words, of what the cache says."""
    kind, default = spec['type'], spec.get('default')
    if kind in enums:
        nicks = [value['name'] for value in enums[kind]['values']]
        return (enums[kind]['kind'] + ': ' + ', '.join(nicks),
                default.split(' (')[0])
    if kind in SCALARS:
        if kind == 'gboolean' or int(float(spec['max'])) in ENDLESS:
            return SCALARS[kind], default
        return f'{SCALARS[kind]} {spec["min"]}..{spec["max"]}', default
    if kind == 'gchararray':
        return 'string', 'empty' if default in ('', 'NULL') else default
    if kind == 'GstStructure':
        return 'structure, read-only', '-'
    return kind, default


def read_commands(path):
    with open(path, encoding='utf-8') as file:
        text = file.read().replace('\\\n', ' ')
    for line in text.splitlines():
        if line.startswith('gst-launch-1.0 '):
            words = shlex.split(line)[1:]
            yield [word for word in words if word != '-e']


def check_commands(path):
    for words in read_commands(path):
        try:
            Gst.parse_launchv(words)
        except GLib.Error as error:
            yield f'{" ".join(words)}: {error.message}'


def main():
    Gst.init(None)
    tables = read_tables(sys.argv[1])
    complaints = list(check_commands(sys.argv[1]))
    with open(sys.argv[2], encoding='utf-8') as file:
        cache = json.load(file)['paco']
    for name, element in cache['elements'].items():
        rows = tables.get(name)
        if rows is None:
            complaints.append(f'the README has no section for {name}')
            continue
        properties = {name: describe(spec, cache['other-types'])
                      for name, spec in element.get('properties', {}).items()}
        for missing in sorted(properties.keys() - rows.keys()):
            kind, default = properties[missing]
            complaints.append(f'{name}: no row for {missing} '
                              f'({kind}; {default})')
        for extra in sorted(rows.keys() - properties.keys()):
            complaints.append(f'{name} has no property {extra}')
        for common in sorted(rows.keys() & properties.keys()):
            truth = properties[common]
            if rows[common] != truth:
                complaints.append(f'{name}: {common} is {truth}, '
                                  f'the README says {rows[common]}')
    print('\n'.join(complaints))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
