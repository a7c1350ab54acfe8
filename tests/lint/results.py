# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests/run.sh says of scripts that fail: result.py's lines of JSON hold the end
of any output, count.py shows it last, and tests/fuzz/tell.py tells what a fuzz target
has found, with an input that can be taken out of a log."""
import base64
import json
import os
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.environ['PACO_SOURCE_ROOT'], 'tests')
# This has quotes, backslashes, controls and bytes that are no UTF-8.
ODD = b'an "odd" line \\ \x1b[31m \xff\xfe \t end\n'
LIBFUZZER = '''INFO: Seed: 1
GStreamer-Video: gst_buffer_add_video_bar_meta: assertion 'field <= 1' failed
==24299== ERROR: libFuzzer: deadly signal
    #0 0x55f91ee4fcd1 in __sanitizer_print_stack_trace (/x/fuzz-push+0x3a1cd1)
    #5 0x7f9818ef8fb1 in raise signal/../sysdeps/posix/raise.c:26:13
    #11 0x55f91eed8f07 in add_bars /x y/build/fuzz/../../plugin/restore.c:76:3
    #34 0x55f91edaa169 in fuzzer::Fuzzer::MutateAndTestOne() (/x/fuzz-push+0x2)

SUMMARY: libFuzzer: deadly signal
'''


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], check=False,
                          stdout=subprocess.PIPE, encoding='utf-8')


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def result_of(folder, output, status):
    log = write(folder, 'out', output)
    made = run(f'{TESTS}/result.py', 'fuzz', log, status, '2.5')
    path = write(folder, 'fuzz.json', made.stdout.encode())
    return json.loads(made.stdout), run(f'{TESTS}/count.py', path)


def check_scripts(folder):
    lines = b''.join(b'line %d\n' % i for i in range(100))
    test, counted = result_of(
        folder, lines + ODD + b'ok\nfuzz: failed: push\n', '1')
    assert test['result'] == 'FAIL' and test['returncode'] == 1, test
    assert counted.returncode == 1
    shown = counted.stdout.splitlines()
    assert shown[-1] == '0 passed, 1 failed', shown
    assert shown[-2] == 'fuzz: failed: push', shown
    assert 'line 99' in shown and 'line 60' in shown, shown
    assert 'line 20' not in shown
    assert any('an "odd" line \\' in line for line in shown), shown

    test, counted = result_of(folder, lines + b'fuzz: passed\n', '0')
    assert test['result'] == 'OK' and counted.returncode == 0
    assert counted.stdout.splitlines()[-1] == '1 passed, 0 failed'
    test, counted = result_of(folder, b'fuzz: skipped: no clang\n', '77')
    assert test['result'] == 'SKIP' and 'no clang' in counted.stdout
    test, counted = result_of(folder, b'', '127')
    assert test['result'] == 'FAIL' and counted.returncode == 1


def check_fuzzing(folder):
    data = bytes(range(256)) * 20
    output = write(folder, 'push.out', LIBFUZZER.encode())
    write(folder, 'push-crash-1', data)
    write(folder, 'push-crash-2', bytes(8193))
    write(folder, 'push-slow-unit-3', b'slow')
    write(folder, 'pull-crash-4', b'of another target')
    lines = run(f'{TESTS}/fuzz/tell.py', 'push', output,
                os.path.join(folder, 'push-')).stdout.splitlines()
    assert len(lines) < 60
    assert lines[0] == 'fuzz: push found something:'
    assert "assertion 'field <= 1' failed" in lines[1], lines
    assert '    #11 add_bars plugin/restore.c:76:3' in lines, lines
    assert not any('raise' in line or 'slow' in line or 'pull' in line
                   for line in lines), lines
    first = [i for i, line in enumerate(lines) if 'push-crash-1' in line][0]
    last = [i for i, line in enumerate(lines) if 'push-crash-2' in line][0]
    assert base64.b64decode(''.join(lines[first + 1:last])) == data
    assert '(8193 bytes)' in lines[last] and last == len(lines) - 1
    assert 'there is no input' in run(f'{TESTS}/fuzz/tell.py', 'rtp', output,
                                      os.path.join(folder, 'rtp-')).stdout


with tempfile.TemporaryDirectory() as where:
    check_scripts(where)
    check_fuzzing(where)
