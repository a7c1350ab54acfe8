#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""result.py NAME OUTPUT STATUS SECONDS: what a script that is one test has said, for
count.py, as a line of JSON like those of `meson test`.

The script ended well if the last line of the file OUTPUT is `NAME: passed`, or begins
with `NAME: skipped`. That line alone is counted; the ones before it are for who wants
to know why it failed.
"""
import json
import sys

TAIL = 60


def main():
    name, output, status, seconds = sys.argv[1:]
    with open(output, encoding='utf-8', errors='replace') as file:
        lines = file.read().rstrip().splitlines() or ['nothing was said']
    if lines[-1] == f'{name}: passed':
        result = 'OK'
    elif lines[-1].startswith(f'{name}: skipped'):
        result = 'SKIP'
    else:
        result = 'FAIL'
    print(json.dumps({
        'name': name,
        'result': result,
        'returncode': int(status),
        'duration': float(seconds),
        'stdout': lines[-1] + '\n',
        'stderr': '\n'.join(lines[-TAIL:]) if result == 'FAIL' else '',
    }))


if __name__ == '__main__':
    main()
