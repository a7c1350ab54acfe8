#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""readme.py ELEMENTS.md CACHE FILE.md...: the property tables of ELEMENTS.md, against
the elements, and the commands of each FILE.md.

A table belongs to the element that the heading before it names (## `pacoenc`).
Its columns: property, type, default, meaning. Every property that the element
adds to its base classes must have a row, every row a property, and type and
default must be those of CACHE, which is compared with the elements
(docs/plugins/cache.py). The gst-launch-1.0 commands must be ones that GStreamer can
put together.

lib/paco.h must list the settings of libpaco, and docs/paco.1 those of `--set` with
their values, as lib/stream/settings.c has them.
"""
import json
import os
import re
import shlex
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

HEADING = re.compile(r'^## `(\w+)`')
SCALARS = {'gboolean': 'bool', 'guint': 'uint', 'gint': 'int',
           'gdouble': 'double'}
ENDLESS = (2**32 - 1, 2**31 - 1)
ROW = re.compile(r'^\| `([\w-]+)` \| ([^|]*) \| ([^|]*) \|')
SETTING = re.compile(r'^  \{ "([\w-]+)", (\w+),', re.MULTILINE)
OWNERS = {'ALL': ('encoder', 'decoder'), 'ENC': ('encoder',), 'DEC': ('decoder',),
          'LIBRARY_DEC': ('decoder',), 'ELEMENT_ENC': ()}
# Settings that paco sets by an option of another name, or by itself, or has no use for.
BY_OPTION = {'cuda-devices', 'pipeline-depth', 'rate-control', 'max-memory', 'slices',
             'roi-weight'}


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
    """Returns (type, default) in the table's words, of what the cache says."""
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


def read_text(path):
    with open(os.path.join(os.environ['PACO_SOURCE_ROOT'], path), encoding='utf-8') as file:
        return file.read()


def read_settings():
    """Returns {'encoder': names, 'decoder': names} of libpaco's settings."""
    settings = {'encoder': set(), 'decoder': set()}
    for name, owners in SETTING.findall(read_text('lib/stream/settings.c')):
        for owner in OWNERS[owners]:
            settings[owner].add(name)
    return settings


def check_header(settings):
    text = read_text('lib/paco.h')
    for owner in settings:
        comment = text[:text.index(f'PacoStatus paco_frame_{owner}_set (')].rpartition('/*')[2]
        listed = set(re.findall(r'^ \*   ([a-z-]+) +\S', comment, re.MULTILINE))
        if owner == 'encoder':
            listed |= settings['encoder'] & settings['decoder']
        if listed != settings[owner]:
            yield f'paco.h: settings of the {owner}: {sorted(listed ^ settings[owner])}'


def name_values(name, properties, enums):
    """Returns what the manual says of a setting: its name, and short lists of values."""
    spec = properties.get(name, {'type': None})
    if spec['type'] in enums:
        values = ', '.join(value['name'] for value in enums[spec['type']]['values'])
        return f'{name} ({values})'
    if spec['type'] == 'gboolean':
        return f'{name} (true, false)'
    if spec['type'] == 'guint' and int(spec['max']) < 10:
        return f'{name} ({spec["min"]}..{spec["max"]})'
    return name


def check_manual(settings, cache):
    text = read_text('docs/paco.1').replace('\\-', '-')
    listed = text.partition('.BI --set')[2].partition('\n.')[0].replace('\n', ' ')
    decoders, _, encoders = listed.partition('encoders have')
    for owner, part in ('decoder', decoders), ('encoder', encoders):
        properties = cache['elements'][f'paco{owner[:3]}']['properties']
        for name in sorted(settings[owner] - BY_OPTION):
            words = name_values(name, properties, cache['other-types'])
            if f'--{name} ' not in text and not re.search(f' {re.escape(words)}[,;. ]', part):
                yield f'paco.1: --set does not name {words} of {owner}s'
        for name in set(re.findall(r'[a-z]+(?:-[a-z]+)+', part)) - settings[owner]:
            yield f'paco.1: {owner}s have no setting {name}'


def main():
    Gst.init(None)
    tables = read_tables(sys.argv[1])
    complaints = [complaint for path in sys.argv[3:] for complaint in check_commands(path)]
    with open(sys.argv[2], encoding='utf-8') as file:
        cache = json.load(file)['paco']
    settings = read_settings()
    complaints += check_header(settings)
    complaints += check_manual(settings, cache)
    for name, element in cache['elements'].items():
        rows = tables.get(name)
        if rows is None:
            complaints.append(f'there is no section for {name}')
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
                                  f'the table says {rows[common]}')
    print('\n'.join(complaints))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
