#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-counters.py BUILD: lab-counters.py with an ncu of our own, which gives each launch its
number as a count. Needs the emulated driver."""
import json
import os
import subprocess
import sys
import tempfile

NCU = '''#!/usr/bin/python3
import json
import subprocess
import sys
arguments = sys.argv[1:]
log = arguments[arguments.index('--log-file') + 1]
metrics, *command = arguments[arguments.index('--metrics') + 1:]
out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
print(out, end='')
with open(log, 'w') as file:
    file.write('==PROF== what ncu says besides\\n"ID","Metric Name","Metric Value"\\n')
    number = 0
    for line in out.splitlines():
        for _ in range(json.loads(line)['launches']):
            number += 1
            for i, name in enumerate(metrics.split(',')):
                file.write(f'"{number}","{name}","{number * 10 ** i:,}"\\n')
'''


def run(command, **environment):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, **environment), check=False)


def main():
    build = sys.argv[1]
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lab-counters.py')
    program = f'{build}/tests/lab/cuda/lab-registers'
    plan = [json.loads(line)
            for line in run([program, '--once', '--short']).stdout.splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/ncu', 'w', encoding='utf-8') as file:
            file.write(NCU)
        os.chmod(f'{folder}/ncu', 0o755)
        found = run([script, '--short'], LAB_BUILD=build,
                    PATH=f'{folder}:{os.environ["PATH"]}')
    assert found.returncode == 0, found.returncode
    values = {(line['table'], line['series'], line['x']): line['value']
              for line in map(json.loads, found.stdout.splitlines())}
    assert plan
    first = 1
    for line in plan:
        numbers = range(first, first + line['launches'])
        first += line['launches']
        key = line['series'], line['x']
        assert values[(line['instructions'], *key)] == sum(numbers) / 1e3, line
        if line['accesses']:
            assert values[(line['accesses'], *key)] == 110 * sum(numbers) / 1e3, line
    print(f'{len(plan)} lines')


if __name__ == '__main__':
    main()
