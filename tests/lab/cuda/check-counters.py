#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-counters.py BUILD: lab-counters.py with an ncu of our own, which counts the number of
a launch, times ten to the power of the metric's number. Needs the emulated driver."""
import json
import os
import subprocess
import sys
import tempfile

NCU = '''#!/usr/bin/python3
import json
import os
import subprocess
import sys
arguments = sys.argv[1:]
log = arguments[arguments.index('--log-file') + 1]
metrics, *command = arguments[arguments.index('--metrics') + 1:]
if 'NCU_IS_OLD' in os.environ and 'lts_' in metrics:
    sys.exit('Failed to find metric')
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

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lab-counters.py')


def run(command, **environment):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, **environment), check=False)


def check(build, folder, name, old):
    """Checks the program lab-NAME, which is the only one in a build folder of its own."""
    program = f'{build}/tests/lab/cuda/lab-{name}'
    own = f'{folder}/{name}/tests/lab/cuda'
    os.makedirs(own, exist_ok=True)
    if not os.path.exists(f'{own}/lab-{name}'):
        os.symlink(os.path.abspath(program), f'{own}/lab-{name}')
    plan = [json.loads(line)
            for line in run([program, '--once', '--short']).stdout.splitlines()]
    found = run([SCRIPT, '--short'], LAB_BUILD=f'{folder}/{name}',
                PATH=f'{folder}:{os.environ["PATH"]}', **({'NCU_IS_OLD': '1'} if old else {}))
    assert found.returncode == 0, found.returncode
    values = {(line['table'], line['series'], line['x']): line['value']
              for line in map(json.loads, found.stdout.splitlines())}
    assert plan
    n_launches = 0
    for line in plan:
        if 'activity' in line:
            expected = {'instructions, 10^6': 1e-6} if old else {
                'instructions, 10^6': 1e-6, 'instructions a cycle': 1e5,
                'SM activity, %': 1e6, 'warp efficiency, %': 1e7 * 100 / 32,
                'SM occupancy, %': 1e8}
            for x, factor in expected.items():
                value = values.pop((line['activity'], line['series'], x))
                assert abs(value - factor * n_launches) < 1e-3, (line, x, value)
            continue
        total = sum(range(n_launches + 1, n_launches + line['launches'] + 1))
        n_launches += line['launches']
        series, x = line['series'], line['x']
        expected = {(line['instructions'], series): 1}
        if line['accesses']:
            expected[line['accesses'], f'{series}, to memory'] = 110
            if not old:
                expected[line['accesses'], series] = 11000
        for key, factor in expected.items():
            assert values.pop((*key, x)) == factor * total / 1e3, (line, key)
    assert not values, values
    print(f'{name}: {len(plan)} lines')


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/ncu', 'w', encoding='utf-8') as file:
            file.write(NCU)
        os.chmod(f'{folder}/ncu', 0o755)
        for name in ('registers', 'bitplanes'):
            for old in (False, True):
                check(sys.argv[1], folder, name, old)


if __name__ == '__main__':
    main()
