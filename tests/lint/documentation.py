#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""documentation.py VERSION: what a person can read of the elements.

Every element has a SECTION comment with a description and an example, which says
since when it is there, and that is no later than VERSION; a name, a class of
GStreamer's, a description and an author. Properties and values of enumerations have
sentences for gst-inspect-1.0; ELEMENTS.md says more of properties (readme.py).
"""
import glob
import os
import re
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import GObject, Gst  # noqa: E402

COMMENT = re.compile(r'/\*\*\n(.*?)\*/', re.DOTALL)
NAME = re.compile(r'\s*\* (SECTION:[\w-]+):?\n')
SINCE = re.compile(r'\* Since: (\d+)\.(\d+)\n')
KLASSES = {'Codec', 'Encoder', 'Decoder', 'Parser', 'Video', 'Hardware',
           'Network', 'RTP', 'Payloader', 'Depayloader'}


def make_elements():
    """Returns {name: element} of the plugin, one of each."""
    Gst.init(None)
    return {factory.get_name(): factory.create(None)
            for factory in Gst.Registry.get().get_feature_list_by_plugin('paco')
            if isinstance(factory, Gst.ElementFactory)}


def properties_of(element):
    """Returns {name: GParamSpec} of what the element adds to its base classes."""
    return {spec.name: spec for spec in element.list_properties()
            if spec.owner_type == element.__gtype__}


def values_of(spec):
    """Returns {nick: description} of the values of an enumeration or of flags."""
    if spec.value_type.is_a(GObject.TYPE_ENUM):
        return {value.value_nick: value.value_name
                for value in spec.enum_class.__enum_values__.values()}
    if spec.value_type.is_a(GObject.TYPE_FLAGS):
        return {value.first_value_nick: value.first_value_name
                for value in spec.flags_class.__flags_values__.values()}
    return {}


def read_comments(root):
    """Returns {name: text} of the comments that documentation is made of."""
    comments = {}
    for path in glob.glob(os.path.join(root, 'plugin', '*', '*.[ch]')):
        with open(path, encoding='utf-8') as file:
            for text in COMMENT.findall(file.read()):
                name = NAME.match(text)
                if name:
                    comments[name[1]] = text
    return comments


def check_comment(comments, name, version):
    text = comments.get(name)
    if text is None:
        yield f'no comment describes {name}'
        return
    since = SINCE.search(text)
    if since is None:
        yield f'{name}: no "Since:"'
    elif (int(since[1]), int(since[2])) > version:
        yield f'{name}: since {since[1]}.{since[2]}, which is yet to come'
    prose = [line for line in text.splitlines()[1:]
             if re.match(r'\s*\* [^@ ]', line) and 'Since:' not in line]
    if not prose:
        yield f'{name}: the comment says nothing'


def check_section(comments, name):
    text = comments.get(f'SECTION:element-{name}', '')
    for part in (f'@title: {name}', '@short_description: ', '@see_also: ',
                 '## Example launch line', '|[\n * gst-launch-1.0 '):
        if part not in text:
            yield f'SECTION:element-{name} has no "{part}"'


def check_element(name, factory):
    klass = factory.get_metadata('klass')
    if not set(klass.split('/')) <= KLASSES:
        yield f'{name}: the class {klass} has unknown parts'
    texts = [factory.get_metadata(key) for key in ('long-name', 'description', 'author')]
    if not all(len(text.split()) > 1 for text in texts):
        yield f'{name}: name, description or author say too little: {texts}'


def check_property(name, spec):
    if len(spec.blurb.split()) < 2:
        yield f'{name}: gst-inspect-1.0 shows "{spec.blurb}" only'
    if not spec.nick or spec.nick == spec.name:
        yield f'{name} has no name that a person would say'
    for nick, description in values_of(spec).items():
        if not description:
            yield f'{name}: nothing describes {nick}'


def main():
    version = tuple(int(part) for part in sys.argv[1].split('.')[:2])
    comments = read_comments(os.environ['PACO_SOURCE_ROOT'])
    complaints = []
    elements = make_elements()
    for name, element in elements.items():
        complaints += check_section(comments, name)
        complaints += check_comment(comments, f'SECTION:element-{name}', version)
        complaints += check_element(name, element.get_factory())
        complaints += [f'{name}: no document tells of the signal {signal}'
                       for signal in GObject.signal_list_names(element)]
        for spec in properties_of(element).values():
            complaints += check_property(f'{name}: {spec.name}', spec)
    print('\n'.join(complaints))
    return 1 if complaints or len(elements) < 3 else 0


if __name__ == '__main__':
    sys.exit(main())
