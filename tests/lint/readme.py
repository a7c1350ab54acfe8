#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""readme.py ELEMENTS.md FILE.md...: the tables of ELEMENTS.md, against the elements,
and the commands of each FILE.md.

A table of properties belongs to the element that the heading before it names
(## `pacoenc`). Its columns: property, type, default, meaning. Every property that the
element adds to its base classes must have a row, every row a property, type and default
must be those of the element, and the meaning says whether it can change while playing.
The table of pads has the caps of all pads, but for the formats of raw video.
The gst-launch-1.0 commands must be ones that GStreamer can
put together.

lib/paco.h must list the settings of libpaco, and docs/paco.1 those of `--set` with
their values, as lib/stream/settings.c has them.
"""
import os
import re
import shlex
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import GLib, GObject, Gst  # noqa: E402

from documentation import make_elements, properties_of, values_of  # noqa: E402

HEADING = re.compile(r'^## `(\w+)`')
SCALARS = {'gboolean': 'bool', 'guint': 'uint', 'gint': 'int',
           'gdouble': 'double'}
ENDLESS = (2**32 - 1, 2**31 - 1)
ROW = re.compile(r'^\| `([\w-]+)` \| ([^|]*) \| ([^|]*) \|(.*)')
PADS = re.compile(r'^\| (`\w+\.\w+`.*?) \| (.*) \|$', re.MULTILINE)
SETTING = re.compile(r'^  \{ "([\w-]+)", (\w+),', re.MULTILINE)
OWNERS = {'ALL': ('encoder', 'decoder'), 'ENC': ('encoder',), 'DEC': ('decoder',),
          'LIBRARY_DEC': ('decoder',), 'ELEMENT_ENC': ()}
# Settings that paco sets by an option of another name, or by itself, or has no use for.
BY_OPTION = {'cuda-devices', 'pipeline-depth', 'rate-control', 'max-memory', 'slices',
             'roi-weight'}


def read_tables(path):
    """Returns {element: {property: (type, default, whether it can change)}}."""
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
                tables[element][cells[0]] = (
                    cells[1], cells[2], 'can change while playing' in cells[3])
    return tables


def describe(spec, default):
    """Returns what the table says of a property that has this value in a new element."""
    kind, values = spec.value_type.name, ', '.join(values_of(spec))
    if spec.value_type.is_a(GObject.TYPE_ENUM):
        kind, default = f'enum: {values}', default.value_nick
    elif spec.value_type.is_a(GObject.TYPE_FLAGS):
        kind, default = f'flags: {values}', '+'.join(default.value_nicks)
    elif kind == 'gboolean':
        kind, default = 'bool', str(default).lower()
    elif kind in SCALARS:
        kind, default = SCALARS[kind], f'{default:.10g}'
        if int(spec.maximum) not in ENDLESS:
            kind += f' {spec.minimum:.10g}..{spec.maximum:.10g}'
    elif kind == 'gchararray':
        kind, default = 'string', default or 'empty'
    elif kind == 'GstStructure':
        kind, default = 'structure, read-only', '-'
    return kind, default, bool(spec.flags & Gst.PARAM_MUTABLE_PLAYING)


def check_properties(name, element, rows):
    properties = {name: describe(spec, element.get_property(name))
                  for name, spec in properties_of(element).items()}
    for common in sorted(properties.keys() | rows.keys()):
        if rows.get(common) != properties.get(common):
            yield (f'{name}: {common} is {properties.get(common)}, the table says '
                   f'{rows.get(common)}')


def in_caps(caps):
    """Returns the structures of caps, without formats of raw video."""
    structures = set()
    for i in range(caps.get_size()):
        structure = caps.get_structure(i).copy()
        if structure.get_name() in ('video/x-raw', 'video/x-bayer'):
            structure.remove_field('format')
            structure.remove_field('interlace-mode')
        structures.add(structure.to_string())
    return structures


def check_pads(elements, text):
    rows = {pad: {name for caps in re.findall('`(.*?)`', cell)
                  for name in in_caps(Gst.Caps.from_string(caps))}
            for pads, cell in PADS.findall(text) for pad in re.findall('`(.*?)`', pads)}
    pads = {f'{name}.{pad.name_template}': in_caps(pad.get_caps())
            for name, element in elements.items()
            for pad in element.get_pad_template_list()}
    for pad in sorted(rows.keys() | pads.keys()):
        if rows.get(pad) != pads.get(pad):
            yield f'{pad} has {pads.get(pad)}, the table says {rows.get(pad)}'


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


def name_values(name, spec):
    """Returns what the manual says of a setting: its name, and short lists of values."""
    values = values_of(spec) if spec else {}
    if values:
        return f'{name} ({", ".join(values)})'
    kind = spec and spec.value_type.name
    if kind == 'gboolean':
        return f'{name} (true, false)'
    if kind == 'guint' and spec.maximum < 10:
        return f'{name} ({spec.minimum}..{spec.maximum})'
    return name


def check_manual(settings, elements):
    text = read_text('docs/paco.1').replace('\\-', '-')
    listed = text.partition('.BI --set')[2].partition('\n.')[0].replace('\n', ' ')
    decoders, _, encoders = listed.partition('encoders have')
    for owner, part in ('decoder', decoders), ('encoder', encoders):
        properties = properties_of(elements[f'paco{owner[:3]}'])
        for name in sorted(settings[owner] - BY_OPTION):
            words = name_values(name, properties.get(name))
            if f'--{name} ' not in text and not re.search(f' {re.escape(words)}[,;. ]', part):
                yield f'paco.1: --set does not name {words} of {owner}s'
        for name in set(re.findall(r'[a-z]+(?:-[a-z]+)+', part)) - settings[owner]:
            yield f'paco.1: {owner}s have no setting {name}'


def main():
    elements = make_elements()
    tables = read_tables(sys.argv[1])
    settings = read_settings()
    complaints = [complaint for path in sys.argv[2:] for complaint in check_commands(path)]
    complaints += check_header(settings)
    complaints += check_manual(settings, elements)
    complaints += check_pads(elements, read_text('docs/ELEMENTS.md'))
    for name, element in elements.items():
        complaints += check_properties(name, element, tables.get(name, {}))
    print('\n'.join(complaints))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
