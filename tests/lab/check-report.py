#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-report.py [SEED]: what report.py makes of results, and that papers/ is in order."""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import report

HERE = os.path.dirname(os.path.abspath(__file__))
REPORT = os.path.join(HERE, 'report.py')


def papers():
    for path in sorted(glob.glob(f'{HERE}/papers/*.jsonl')):
        with open(path, encoding='utf-8') as file:
            for line in file:
                yield json.loads(line)


def run(folder):
    return subprocess.run([sys.executable, REPORT, folder], check=False,
                          stderr=subprocess.PIPE, text=True)


def write(folder, half, lines):
    with open(f'{folder}/results-{half}.jsonl', 'w', encoding='utf-8') as file:
        for line in lines:
            file.write((line if isinstance(line, str) else json.dumps(line)) + '\n')


def result(table, series, x, value, unit='ms'):
    return {'table': table, 'series': series, 'x': x, 'value': value, 'unit': unit}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def check_page(folder):
    """Checks that a result in each table gives page, plots, remarks, machine,
    and what was skipped."""
    values, lines = {}, [{'machine': {'half': 'cpu', 'date': 'today', 'load': '0.5'}},
                         {'skipped': 'lab-none', 'why': 'there is no such thing'}]
    titles = [line for line in papers() if 'title' in line]
    for title in titles:
        values[title['table']] = random.randrange(100, 999)
        lines += [result(title['table'], f'ours {k}', str(64 << k),
                         values[title['table']]) for k in range(2)]
    table = titles[random.randrange(len(titles))]['table']
    name = report.file_name(table)
    os.makedirs(f'{folder}/remarks', exist_ok=True)
    with open(f'{folder}/remarks/{name}.md', 'w', encoding='utf-8') as file:
        file.write('It agrees, and why.\n')
    write(folder, 'cpu', lines)
    done = run(folder)
    assert done.returncode == 0, done.stderr
    page = read(f'{folder}/README.md')
    assert 'CPU half: date today; load 0.5' in page, page
    assert 'Not run: lab-none (there is no such thing)' in page, page
    assert page.count('It agrees, and why.') == 1, page
    for title in titles:
        name = title['table']
        heading = f'### {name[0].upper()}{name[1:]}: {title["title"]}\n'
        part = page[page.index(heading):][4:].split('\n### ')[0]
        assert f'| {values[title["table"]]} |' in part, (title, part)
        if title.get('said'):
            assert title['said'] in page, title
        if title.get('plot'):
            plot = report.file_name(title['table']) + '.svg'
            assert f']({plot})' in part, (title, part)
            root = ET.parse(f'{folder}/{plot}').getroot()
            assert root.tag.endswith('svg') and len(root) > 8, plot


def check_paper_beside(folder):
    """Checks that the paper's number stands in its row and column, before
    ours."""
    lines = [line for line in papers() if 'value' in line]
    said = lines[random.randrange(len(lines))]
    ours = 'measured here'
    write(folder, 'cpu', [result(said['table'], said['series'], said['x'], ours,
                                 said['unit'])])
    done = run(folder)
    assert done.returncode == 0, done.stderr
    row = [line for line in read(f'{folder}/README.md').split('\n')
           if line.startswith(f'| {said["x"]} |') and f' {ours} ' in line]
    assert len(row) == 1 and report.shown(said['value']) in row[0].split(ours)[0], (said, row)


def check_refused(folder):
    for lines, words in (
            ([result('005 figure 1', 'ours', '1', 1)], '005'),
            ([result('002 figure 99', 'ours', '1', 1)], '002 figure 99'),
            (['{"table":'], 'line 1')):
        write(folder, 'cpu', lines)
        done = run(folder)
        assert done.returncode != 0 and words in done.stderr, (lines, done)


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10 ** 6)
    print(f'seed {seed}')
    random.seed(seed)
    for check in (check_page, check_paper_beside, check_refused):
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
