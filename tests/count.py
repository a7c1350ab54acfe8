#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""count.py TESTLOG...: sums up the logs of `meson test` (testlog.json).

A test program that runs several tests (those of GstCheck, TAP) counts as that
many, a program that dies as one failure more. Prints what failed with the end
of its output, so that who sees the end of a log sees that, and last the line
`N passed, N failed, N skipped`.
"""
import json
import re
import sys

CHECK = re.compile(r'^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)',
                   re.MULTILINE)
TAP = re.compile(r'^(not )?ok\b[^#\n]*(# *skip)?', re.MULTILINE | re.IGNORECASE)
TAIL = 60


def subtests(output):
    """Returns (passed, failed, skipped) as the program itself reports."""
    passed = failed = skipped = 0
    for checks, failures, errors in CHECK.findall(output):
        bad = int(failures) + int(errors)
        passed += int(checks) - bad
        failed += bad
    for bad, skip in TAP.findall(output):
        skipped += bool(skip)
        failed += bool(bad) and not skip
        passed += not bad and not skip
    return passed, failed, skipped


def count(test):
    output = test.get('stdout') or ''
    passed, failed, skipped = subtests(output)
    if test['result'] in ('OK', 'EXPECTEDFAIL'):
        if passed + failed + skipped == 0:
            passed = 1
    elif test['result'] == 'SKIP':
        skipped = max(skipped, 1)
    else:
        failed = max(failed, 1)
    return passed, failed, skipped


def reason(test):
    """Returns the line that says why something was skipped, or the last one."""
    lines = (test.get('stdout') or '').strip().splitlines()
    said = [line for line in lines if 'skip' in line.lower()]
    return (said or lines or ['?'])[-1]


def show(group, test):
    lines = ((test.get('stdout') or '') + (test.get('stderr') or ''))
    lines = lines.rstrip().splitlines()
    print(f"\n--- {group}: {test['name']}: {test['result']} "
          f"(status {test['returncode']}, {test['duration']:.1f} s)")
    if len(lines) > TAIL:
        print(f'... {len(lines) - TAIL} lines before')
    print('\n'.join(lines[-TAIL:]))


def main():
    total = [0, 0, 0]
    failures = []
    for path in sys.argv[1:]:
        group = path.rsplit('/', 1)[-1].removesuffix('.json')
        sums = [0, 0, 0]
        seconds = 0.0
        with open(path, encoding='utf-8', errors='replace') as log:
            tests = [json.loads(line) for line in log if line.strip()]
        for test in tests:
            figures = count(test)
            sums = [a + b for a, b in zip(sums, figures)]
            seconds += test['duration']
            if figures[1]:
                failures.append((group, test))
            elif figures[2]:
                print(f"skipped: {group}: {test['name']}: {reason(test)}")
        print(f'{group}: {len(tests)} programs, {seconds:.0f} s of tests: '
              f'{sums[0]} passed, {sums[1]} failed, {sums[2]} skipped')
        if not tests:
            sums[1] += 1
            print(f'{group}: no test ran')
        total = [a + b for a, b in zip(total, sums)]
    for group, test in failures:
        show(group, test)
    line = f'{total[0]} passed, {total[1]} failed'
    print(line + (f', {total[2]} skipped' if total[2] else ''))
    return 1 if total[1] else 0


if __name__ == '__main__':
    sys.exit(main())
