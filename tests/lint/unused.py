#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""unused.py: no file has a hash for a name, and each file of tests/ is named by another
file of the sources: a test, a build file, a script or a document. Each function of the
driver that gpu/driver.h looks up has a caller.

A file is named by its name, by the name without its ending, or, where a build file puts
names together ('fuzz-' + name), by what is before and after a hyphen. Of the folders
below, tests read whatever they hold.
"""
import os
import re
import sys
import tempfile

READ_WHOLE = ('tests/golden/', 'tests/fuzz/corpus/', 'tests/lab/papers.jsonl')
HASH = re.compile(r'(?<![0-9a-zA-Z])[0-9a-f]{16,}(?![0-9a-zA-Z])')
WORD = re.compile(r'[\w.+-]+')
DRIVER = 'gpu/driver.h'
DRIVER_FUNCTION = re.compile(r'^  F \((\w+),', re.MULTILINE)
MOST_BYTES = 1 << 20  # of a source; larger files name no others


def sources(root):
    """Returns the paths of all files, without build folders and hidden ones."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders
                      if not name.startswith(('.', 'build', '__pycache__'))]
        for name in names:
            if not name.startswith('.'):
                yield os.path.relpath(os.path.join(folder, name), root)


def words(root, paths):
    """Returns the files that each word occurs in."""
    found = {}
    for path in paths:
        full = os.path.join(root, path)
        if os.path.getsize(full) > MOST_BYTES:
            continue
        with open(full, 'rb') as file:
            text = file.read().decode('utf-8', errors='replace')
        for word in set(WORD.findall(text)):
            found.setdefault(word.rstrip('.'), set()).add(path)
    return found


def is_named(path, found):
    name = os.path.basename(path)
    stem = os.path.splitext(name)[0]

    def elsewhere(word):
        return found.get(word, set()) - {path}

    return name == 'meson.build' or elsewhere(name) or elsewhere(stem) or any(
        elsewhere(stem[:i + 1]) and elsewhere(stem[i + 1:])
        for i, letter in enumerate(stem) if letter == '-')


def problems(root):
    paths = sorted(sources(root))
    found = words(root, paths)
    for path in paths:
        if HASH.search(os.path.splitext(os.path.basename(path))[0]):
            yield f'{path}: the name is a hash; a name says what the file is'
        elif path.startswith('tests/') and not path.startswith(READ_WHOLE) \
                and not is_named(path, found):
            yield f'{path}: nothing names this file'
    with open(os.path.join(root, DRIVER), encoding='utf-8') as file:
        for name in DRIVER_FUNCTION.findall(file.read()):
            if found[name] == {DRIVER}:
                yield f'{DRIVER}: nothing calls {name}'


def check_itself():
    """What it is there for is found in a folder that has it."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in (
                ('meson.build', "'fuzz-' + name + '.c', 'push', 'used.c'"),
                ('tests/fuzz-push.c', ''), ('tests/used.c', 'unused'),
                ('tests/unused.py', 'unused.py'),
                ('tests/golden/one.paco', ''),
                (DRIVER, '  F (called, "c")\n  F (idle, "i")'),
                ('gpu/copy.c', 'driver->called (1)'),
                ('tests/golden/' + '0123456789abcdef' * 2, '')):
            path = os.path.join(root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        got = [line.partition(':')[0] for line in problems(root)]
        assert got == ['tests/golden/' + '0123456789abcdef' * 2, DRIVER], got
        os.remove(os.path.join(root, 'tests/used.c'))
        got = [line.partition(':')[0] for line in problems(root)]
        assert got[1:] == ['tests/unused.py', DRIVER], got


def main():
    check_itself()
    lines = list(problems(os.environ['PACO_SOURCE_ROOT']))
    print('\n'.join(lines or ['every file is named']))
    return 1 if lines else 0


if __name__ == '__main__':
    sys.exit(main())
