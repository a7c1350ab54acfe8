#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-report.py [SEED]: what report.py makes of results, and that papers.jsonl is in order."""
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
    for path in [f'{HERE}/papers.jsonl']:
        with open(path, encoding='utf-8') as file:
            for line in file:
                yield json.loads(line)


def run(folder, half, lines):
    """Runs report.py with results of that half."""
    path = f'{folder}/results-{half}'
    machine = {'machine': {'half': half, 'date': 'today', 'load': '0.5'}}
    with open(path, 'w', encoding='utf-8') as file:
        for line in [machine] + lines:
            file.write((line if isinstance(line, str) else json.dumps(line)) + '\n')
    return subprocess.run([sys.executable, REPORT, folder, half, path], check=False,
                          stderr=subprocess.PIPE, text=True)


def result(table, series, x, value, unit='ms'):
    return {'table': table, 'series': series, 'x': x, 'value': value, 'unit': unit}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def check_page(folder):
    """Checks that a result in each table gives page, plots, remarks, machine,
    and what was skipped."""
    values, lines = {}, [{'skipped': 'lab-none', 'why': 'there is no such thing'}]
    titles = [line for line in papers() if 'title' in line]
    for title in titles:
        values[title['table']] = random.randrange(100, 999)
        lines += [result(title['table'], f'ours {k}', str(64 << k),
                         values[title['table']]) for k in range(2)]
    table = titles[random.randrange(len(titles))]['table']
    name = report.file_name(table)
    with open(f'{folder}/remarks.md', 'w', encoding='utf-8') as file:
        file.write(f'# Remarks\n\n## {name}\n\nIt agrees, and why.\n')
    done = run(folder, 'cpu', lines)
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
            view = report.file_name(title['table'])
            sheet = title['table'].split()[0] + '.svg'
            assert f']({sheet}#{view})' in part, (title, part)
            root = ET.parse(f'{folder}/{sheet}').getroot()
            children = list(root)
            index = [child.get('id') for child in children].index(view)
            assert len(children[index + 1]) > 8, view


def check_paper_beside(folder):
    """Checks that the paper's number stands in its row and column, before
    ours."""
    lines = [line for line in papers() if 'value' in line]
    said = lines[random.randrange(len(lines))]
    ours = 'measured here'
    done = run(folder, 'cpu', [result(said['table'], said['series'], said['x'], ours,
                                      said['unit'])])
    assert done.returncode == 0, done.stderr
    row = [line for line in read(f'{folder}/README.md').split('\n')
           if line.startswith(f'| {said["x"]} |') and f' {ours} ' in line]
    assert len(row) == 1 and report.shown(said['value']) in row[0].split(ours)[0], (said, row)


def check_refused(folder):
    for lines, words in (
            ([result('005 figure 1', 'ours', '1', 1)], '005'),
            ([result('002 figure 99', 'ours', '1', 1)], '002 figure 99'),
            (['{"table":'], 'line 2')):
        done = run(folder, 'cpu', lines)
        assert done.returncode != 0 and words in done.stderr, (lines, done)


def check_halves(folder):
    """Checks that the results of a half replace its older ones alone."""
    title = next(line for line in papers() if 'title' in line)['table']
    for half, value in (('cpu', 111), ('gpu', 222), ('cpu', 333)):
        done = run(folder, half, [result(title, half, '1', value)])
        assert done.returncode == 0, done.stderr
    page = read(f'{folder}/README.md')
    assert '333' in page and '222' in page and '111' not in page, page


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10 ** 6)
    print(f'seed {seed}')
    random.seed(seed)
    for check in (check_page, check_paper_beside, check_halves, check_refused):
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
