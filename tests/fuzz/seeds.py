#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""seeds.py FOLDER: makes the named seeds of all fuzz targets, FOLDER/TARGET/NAME: those
that tests/fuzz/corpus keeps, and those that its recipes.txt describes. Prints their
number."""
import ast
import pathlib
import re
import shutil
import sys

CORPUS = pathlib.Path(__file__).parent / 'corpus'
RECIPES = 'recipes.txt'
PART = re.compile(r'("(?:[^"\\]|\\.)*")|@(\d+)=([0-9a-f]+)|([0-9a-f]{2})\*(\d+)'
                  r'|((?:[0-9a-f]{2})+)(?= |$)|([\w./-]+)(?:\[(\d*):(\d*)\])?')


def make(recipe, seeds):
    """Returns the bytes that a recipe describes, of seeds that were made before."""
    made = bytearray()
    for part in PART.finditer(recipe):
        text, at, change, byte, times, digits, name, begin, end = part.groups()
        if text:
            made += ast.literal_eval('b' + text)
        elif at:
            change = bytes.fromhex(change)
            made[int(at):int(at) + len(change)] = change
        elif name:
            whole = ((CORPUS.parents[1] / name).read_bytes() if name.startswith('golden/')
                     else seeds[name])
            made += whole[int(begin or 0):int(end) if end else None]
        else:
            made += bytes.fromhex(digits or byte) * int(times or 1)
    if PART.sub('', recipe).strip():
        sys.exit(f'{RECIPES}: what is this? {recipe}')
    return bytes(made)


def main():
    folder = pathlib.Path(sys.argv[1])
    seeds = {f'{path.parent.name}/{path.name}': path.read_bytes()
             for path in CORPUS.glob('*/*')}
    text = re.sub('^#.*\n', '', (CORPUS / RECIPES).read_text(), flags=re.M)
    for line in re.sub('\n +', ' ', text).split('\n'):
        name, _, recipe = line.partition(' ')
        if name in seeds:
            sys.exit(f'{name} is there twice')
        if name:
            seeds[name] = make(recipe, seeds)
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in seeds.items():
        if '/' in name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    print(sum('/' in name for name in seeds))


if __name__ == '__main__':
    main()
