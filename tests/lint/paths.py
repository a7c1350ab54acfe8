#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""paths.py: whether the files exist that the documents name, and whether
CONTRIBUTING.md's table of folders has each folder that Meson builds something in.

The documents are those of Markdown and docs/frame.svg. A name is taken for that of
a file if it begins with a folder at the top of the sources. Its last part may be a
pattern (`*_neon.h`); a word in capitals stands for any name.
"""
import glob
import os
import re
import sys

ROOT = os.environ['PACO_SOURCE_ROOT']
FOLDERS = sorted(entry.name for entry in os.scandir(ROOT)
                 if entry.is_dir() and not entry.name.startswith(('.', 'build')))
PATH = re.compile(r'(?<![\w/.<-])((?:' + '|'.join(FOLDERS)
                  + r')/[\w./*-]*[\w/*])')
PLACEHOLDER = re.compile(r'(?<=[/-])[A-Z]+(?=[/-]|\.inc$|$)')
# A fuzzer or a user makes these folders.
TO_COME = ('tests/fuzz/corpus/TARGET',)


def documents():
    for folder in ['', *FOLDERS]:
        for path in glob.glob(os.path.join(ROOT, folder, '**', '*.md'),
                              recursive=folder != ''):
            yield path
    yield os.path.join(ROOT, 'docs', 'frame.svg')


def names(path):
    """Returns the paths that a document names, and their lines."""
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            for match in PATH.finditer(line):
                yield number, match[1]


def exists(name):
    return name in TO_COME or glob.glob(
        os.path.join(ROOT, PLACEHOLDER.sub('*', name)))


def folders_without_words():
    """Returns folders at the top, and in tests, that the table does not have."""
    with open(os.path.join(ROOT, 'CONTRIBUTING.md'), encoding='utf-8') as file:
        named = set(re.findall(r'`([\w/]+)/`', file.read()))
    for path in sorted(glob.glob(os.path.join(ROOT, '*', 'meson.build'))
                       + glob.glob(os.path.join(ROOT, 'tests', '*', 'meson.build'))):
        folder = os.path.relpath(os.path.dirname(path), ROOT)
        if folder != 'tests' and folder not in named:
            yield folder


def main():
    n, missing = 0, 0
    for folder in folders_without_words():
        print(f'CONTRIBUTING.md does not say what {folder}/ is')
        missing += 1
    for path in documents():
        for number, name in names(path):
            n += 1
            if not exists(name):
                print(f'{os.path.relpath(path, ROOT)}:{number}: '
                      f'there is no {name}')
                missing += 1
    print(f'{n} names, {missing} of no file or missing')
    return 1 if missing or n < 100 else 0


if __name__ == '__main__':
    sys.exit(main())
