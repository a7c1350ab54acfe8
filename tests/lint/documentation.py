#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""documentation.py VERSION: what a person can read of the elements.

Every element has a SECTION comment with a description and an example, a name, a
class of GStreamer's, a description and an author; every property of its own and
every enumeration of these has a comment, which says since when it is there, and
that is no later than VERSION. Properties and their values have sentences of their
own for gst-inspect-1.0.
"""
import glob
import os
import re
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import GObject, Gst  # noqa: E402

COMMENT = re.compile(r'/\*\*\n(.*?)\*/', re.DOTALL)
NAME = re.compile(r'\s*\* (SECTION:[\w-]+|\w+:[\w-]+|\w+):?\n')
SINCE = re.compile(r'\* Since: (\d+)\.(\d+)\n')
KLASSES = {'Codec', 'Encoder', 'Decoder', 'Parser', 'Video', 'Hardware',
           'Network', 'RTP', 'Payloader', 'Depayloader'}


def read_comments(root):
    """{name: text} of the comments that hotdoc reads."""
    comments = {}
    for path in glob.glob(os.path.join(root, 'plugin', '*.[ch]')):
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


def check_factory(factory):
    name = factory.get_name()
    klass = factory.get_metadata('klass').split('/')
    if not set(klass) <= KLASSES:
        yield f'{name}: the class {"/".join(klass)} has unknown parts'
    texts = [factory.get_metadata(key) or '' for key in
             ('long-name', 'description', 'author')]
    if not all(len(text.split()) > 1 for text in texts):
        yield f'{name}: name, description or author say too little: {texts}'


def check_property(comments, owner, spec, version):
    name = f'{owner}:{spec.name}'
    yield from check_comment(comments, name, version)
    if len((spec.blurb or '').split()) < 2:
        yield f'{name}: gst-inspect-1.0 shows "{spec.blurb}" only'
    if not spec.nick or spec.nick == spec.name:
        yield f'{name} has no name that a person would say'
    if not spec.value_type.is_a(GObject.TYPE_ENUM):
        return
    type_name = spec.value_type.name
    yield from check_comment(comments, type_name, version)
    for value in spec.enum_class.__enum_values__.values():
        constant = value.value_nick.replace('-', '_').upper()
        if f'_{constant}:' not in comments.get(type_name, ''):
            yield f'{type_name}: no line describes {value.value_nick}'


def main():
    Gst.init(None)
    version = tuple(int(part) for part in sys.argv[1].split('.')[:2])
    comments = read_comments(os.environ['PACO_SOURCE_ROOT'])
    factories = [feature for feature in
                 Gst.Registry.get().get_feature_list_by_plugin('paco')
                 if isinstance(feature, Gst.ElementFactory)]
    complaints = []
    for factory in factories:
        element = factory.create(None)
        owner = type(element).__gtype__.name
        complaints += check_section(comments, factory.get_name())
        complaints += check_comment(
            comments, f'SECTION:element-{factory.get_name()}', version)
        complaints += check_factory(factory)
        for spec in element.list_properties():
            if spec.owner_type.name == owner:
                complaints += check_property(comments, owner, spec, version)
    print('\n'.join(complaints))
    return 1 if complaints or len(factories) < 3 else 0


if __name__ == '__main__':
    sys.exit(main())
