#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""readme.py README.md: the property tables of the README, against the elements.

A table belongs to the element that the heading before it names (### `pacoenc`).
Its columns: property, type, default, meaning. Every property that the element
adds to its base classes must have a row, every row a property, and type and
default must be those that the element reports. The gst-launch-1.0 commands must
be ones that GStreamer can put together.
"""
import re
import shlex
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import GLib, GObject, Gst  # noqa: E402

HEADING = re.compile(r'^### `(\w+)`')
ROW = re.compile(r'^\| `([\w-]+)` \| ([^|]*) \| ([^|]*) \|')


def read_tables(path):
    """{element: {property: (type, default)}}"""
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


def describe(spec):
    """(type, default) in the README's words."""
    kind = spec.value_type
    default = getattr(spec, 'default_value', None)
    if kind.is_a(GObject.TYPE_ENUM):
        nicks = [value.value_nick for value in
                 spec.enum_class.__enum_values__.values()]
        return 'enum: ' + ', '.join(nicks), default.value_nick
    if kind == GObject.TYPE_BOOLEAN:
        return 'bool', str(default).lower()
    if kind in (GObject.TYPE_UINT, GObject.TYPE_INT, GObject.TYPE_DOUBLE):
        name = {GObject.TYPE_UINT: 'uint', GObject.TYPE_INT: 'int',
                GObject.TYPE_DOUBLE: 'double'}[kind]
        low, high = (f'{spec.minimum:g}', f'{spec.maximum:g}') \
            if kind == GObject.TYPE_DOUBLE else \
            (str(spec.minimum), str(spec.maximum))
        if int(spec.maximum) in (2**32 - 1, 2**31 - 1):
            return name, str(default)
        return f'{name} {low}..{high}', f'{default:g}'
    if kind == GObject.TYPE_STRING:
        return 'string', default or 'empty'
    if kind.name == 'GstStructure':
        return 'structure, read-only', '-'
    return kind.name, str(default)


def own_properties(element):
    owner = GObject.type_from_name(type(element).__gtype__.name)
    return {spec.name: spec for spec in element.list_properties()
            if spec.owner_type == owner}


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
    for name in 'pacoenc', 'pacodec', 'pacoparse':
        element = Gst.ElementFactory.make(name)
        if element is None:
            complaints.append(f'{name} is not registered')
            continue
        rows = tables.get(name)
        if rows is None:
            complaints.append(f'the README has no section for {name}')
            continue
        properties = own_properties(element)
        for missing in sorted(properties.keys() - rows.keys()):
            kind, default = describe(properties[missing])
            complaints.append(f'{name}: no row for {missing} '
                              f'({kind}; {default})')
        for extra in sorted(rows.keys() - properties.keys()):
            complaints.append(f'{name} has no property {extra}')
        for common in sorted(rows.keys() & properties.keys()):
            truth = describe(properties[common])
            if rows[common] != truth:
                complaints.append(f'{name}: {common} is {truth}, '
                                  f'the README says {rows[common]}')
    print('\n'.join(complaints))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
