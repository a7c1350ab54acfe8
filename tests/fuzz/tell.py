#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tell.py TARGET OUTPUT PREFIX: what a fuzz target has found, in as few lines as tell
a reader of a log what it is and let him try it: the message, the lines of our own code
in its stack, and the input, if it is small. OUTPUT is the file that libFuzzer has
printed to, PREFIX that of its artifacts. run.sh calls it.
"""
import base64
import glob
import os
import re
import sys

MESSAGE = re.compile(r'runtime error:|assertion|ERROR: |CRITICAL|\*\* |Assertion')
# The build folder is two levels deep.
OWN = re.compile(r'^ *#(\d+) 0x[0-9a-f]+ in (.+?) /.*?/\.\./\.\./(\S+)$')
MOST_LINES = 16  # of a stack
MOST_BYTES = 8192
WIDTH = 400


def message(lines):
    """Returns the first lines that say what is wrong, from ours to the
    sanitizer's."""
    at = [i for i, line in enumerate(lines) if MESSAGE.search(line)]
    if not at:
        return lines[-5:]
    return [lines[i] for i in at if i <= at[0] + 3]


def stack(lines):
    """Returns the first stack's lines of this project."""
    frames = []
    for line in lines:
        match = OWN.match(line)
        if not match:
            if frames and not re.match(r' *#\d', line):
                break
            continue
        frames.append('    #{} {} {}'.format(*match.groups()))
    return frames[:MOST_LINES]


def inputs(target, prefix):
    for path in sorted(glob.glob(glob.escape(prefix) + '*')):
        size = os.path.getsize(path)
        if path.startswith(f'{prefix}slow-unit-'):
            continue
        if size > MOST_BYTES:
            yield f'  {path} ({size} bytes)'
            continue
        yield (f'  {path} ({size} bytes); base64 -d >FILE, and '
               f'build/fuzz/tests/fuzz/fuzz-{target} FILE tries it again:')
        with open(path, 'rb') as file:
            text = base64.b64encode(file.read()).decode()
        for i in range(0, len(text), WIDTH):
            yield text[i:i + WIDTH]


def main():
    target, output, prefix = sys.argv[1:]
    with open(output, encoding='utf-8', errors='replace') as file:
        lines = file.read().splitlines()
    print(f'fuzz: {target} found something:')
    print('\n'.join(line[:500] for line in message(lines)))
    print('\n'.join(stack(lines) or ['    (no line of ours is in the stack)']))
    print('\n'.join(list(inputs(target, prefix))
                    or ['  (there is no input: it was found at the end)']))


if __name__ == '__main__':
    main()
