#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""documentation.py VERSION CACHE: what a person can read of the elements.

Every element has a SECTION comment with a description and an example, which says
since when it is there, and that is no later than VERSION; a name, a class of
GStreamer's, a description and an author. Properties and values of enumerations have
sentences for gst-inspect-1.0; ELEMENTS.md says more of properties (readme.py). CACHE
says what there is (docs/plugins/cache.py).
"""
import glob
import json
import os
import re
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

COMMENT = re.compile(r'/\*\*\n(.*?)\*/', re.DOTALL)
NAME = re.compile(r'\s*\* (SECTION:[\w-]+):?\n')
SINCE = re.compile(r'\* Since: (\d+)\.(\d+)\n')
KLASSES = {'Codec', 'Encoder', 'Decoder', 'Parser', 'Video', 'Hardware',
           'Network', 'RTP', 'Payloader', 'Depayloader'}


def read_comments(root):
    """Returns {name: text} of the comments that hotdoc reads."""
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


def check_element(name, element, long_name):
    if not set(element['klass'].split('/')) <= KLASSES:
        yield f'{name}: the class {element["klass"]} has unknown parts'
    texts = [long_name, element['description'], element['author']]
    if not all(len(text.split()) > 1 for text in texts):
        yield f'{name}: name, description or author say too little: {texts}'


def check_property(name, spec, nick):
    if len(spec['blurb'].split()) < 2:
        yield f'{name}: gst-inspect-1.0 shows "{spec["blurb"]}" only'
    if not nick or nick == name.split(':')[1]:
        yield f'{name} has no name that a person would say'


def check_enum(name, enum):
    for value in enum['values']:
        if not value['desc']:
            yield f'{name}: nothing describes {value["name"]}'


def main():
    Gst.init(None)
    version = tuple(int(part) for part in sys.argv[1].split('.')[:2])
    with open(sys.argv[2], encoding='utf-8') as file:
        cache = json.load(file)['paco']
    comments = read_comments(os.environ['PACO_SOURCE_ROOT'])
    complaints = []
    for name, element in cache['elements'].items():
        factory = Gst.ElementFactory.find(name)
        instance = factory.create(None)
        complaints += check_section(comments, name)
        complaints += check_comment(
            comments, f'SECTION:element-{name}', version)
        complaints += check_element(name, element,
                                    factory.get_metadata('long-name'))
        for property_name, spec in element.get('properties', {}).items():
            full = f'{element["hierarchy"][0]}:{property_name}'
            nick = instance.find_property(property_name).nick
            complaints += check_property(full, spec, nick)
    for name, enum in cache['other-types'].items():
        complaints += check_enum(name, enum)
    print('\n'.join(complaints))
    return 1 if complaints or len(cache['elements']) < 3 else 0


if __name__ == '__main__':
    sys.exit(main())
