#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""report.py FOLDER [HALF RESULTS]: makes FOLDER/README.md and its plots.

FOLDER/results.jsonl.xz has the results of both halves, cpu and gpu. RESULTS, which
run.sh writes, replaces those of HALF first. FOLDER/remarks.md has a section for each
table on which somebody has remarked. The papers' own numbers and the titles of their
tables are in papers.jsonl next to this file.

report.py --machine cpu|gpu prints the line about the machine that begins the results of
a half, report.py --skipped PROGRAM WHY the line about a program that could not run.
"""
import datetime
import glob
import json
import lzma
import os
import platform
import subprocess
import sys

import plot

HERE = os.path.dirname(os.path.abspath(__file__))

TEXTS = {
    'machine': 'The machines',
    '000': 'Text 000: the register-based transform (Enfedaque, Aulí-Llinàs, Moure)',
    '001': 'Text 001: lifting with a sliding window (van der Laan, Jalba, Roerdink)',
    '002': 'Text 002: vertical filtering (Shahbahrami, Juurlink, Vassiliadis)',
    '003': 'Text 003: multicores and GPUs (Galiano, López, Malumbres, Migallón)',
    '004': 'Text 004: BPC-PaCo (Enfedaque)',
    'stacks': 'Stacks of pictures, the third dimension (of no text)',
}


# --- the machine ---

def output(*command):
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ''


def processor():
    fields = dict(line.split(':', 1) for line in output('lscpu').splitlines()
                  if ':' in line)
    parts = [fields.get('Model name', platform.machine()).strip(),
             f'{len(os.sched_getaffinity(0))} processors']
    for name in ('L1d', 'L2', 'L3'):
        cache = fields.get(f'{name} cache', '').strip()
        if cache:
            parts.append(f'{name} {cache}')
    return ', '.join(parts)


def machine(half):
    about = {'half': half,
             'date': datetime.datetime.now().strftime('%Y-%m-%d %H:%M'),
             'processor': processor(),
             'load': ' '.join(f'{x:.2f}' for x in os.getloadavg()),
             'system': platform.platform(terse=True),
             'compiler': output('cc', '--version').split('\n')[0]}
    if half == 'gpu':
        about['gpu'] = output('nvidia-smi', '--query-gpu=name,driver_version',
                              '--format=csv,noheader').split('\n')[0]
        about['content'] = os.path.basename(os.environ.get('PACO_CONTENT', '')
                                            or 'computed')
    return {'machine': about}


# --- results and remarks ---

HALVES = ('cpu', 'gpu')


def lines_of(path):
    """Returns the objects of a file of JSON lines, which may be compressed."""
    if not os.path.exists(path):
        return
    with (lzma.open if path.endswith('.xz') else open)(
            path, 'rt', encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    sys.exit(f'{path}, line {number}: {error}')


def results_of(folder):
    """Returns {half: its lines}. The line about the machine begins a half."""
    halves = {half: [] for half in HALVES}
    lines = None
    for line in lines_of(f'{folder}/results.jsonl.xz'):
        if 'machine' in line:
            lines = halves[line['machine']['half']]
        lines.append(line)
    return halves


def replace_half(folder, half, path):
    halves = results_of(folder)
    halves[half] = list(lines_of(path))
    with lzma.open(f'{folder}/results.jsonl.xz', 'wt', encoding='utf-8') as file:
        for half in HALVES:
            file.writelines(json.dumps(line) + '\n' for line in halves[half])


def remarks_of(folder):
    """Returns {file_name() of a table: the text of its section}."""
    path = f'{folder}/remarks.md'
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        sections = file.read().split('\n## ')[1:]
    return {name: text.strip() for name, text in
            (section.split('\n', 1) for section in sections)}


class Table:
    def __init__(self, name):
        self.name = name
        self.about = {}
        self.order, self.series = [], []     # values of x, and names, as they come
        self.values = {}                     # (series, x, whether it is the paper's)
        self.units = {}

    def add(self, line, is_paper):
        if 'title' in line:
            if self.about:
                sys.exit(f'{self.name} has two titles')
            self.about = line
            return
        series, x = line['series'], str(line['x'])
        if x not in self.order:
            self.order.append(x)
        if series not in self.series:
            self.series.append(series)
        self.values[series, x, is_paper] = line['value']
        self.units[series] = line.get('unit', '')

    def columns(self):
        """Returns (series, whether it is the paper's), the paper's before
        ours."""
        return [(series, is_paper) for series in self.series
                for is_paper in (True, False)
                if any((series, x, is_paper) in self.values for x in self.order)]


def collect(folder):
    tables, machines, skipped = {}, [], []

    def table(name):
        return tables.setdefault(name, Table(name))

    for lines in results_of(folder).values():
        for line in lines:
            if 'machine' in line:
                machines.append(line['machine'])
            elif 'skipped' in line:
                skipped.append(line)
            else:
                table(line['table']).add(line, False)
    for path in [f'{HERE}/papers.jsonl']:
        for line in lines_of(path):
            table(line['table']).add(line, True)
    return tables, machines, skipped


# --- the page ---

def shown(value):
    if not isinstance(value, float):
        return str(value)
    if value and abs(value) < 1e-3:
        return f'{value:.3g}'
    return f'{value:.0f}' if abs(value) >= 1000 else f'{value:.3g}'


def file_name(name):
    return name.lower().replace(' ', '-').replace('.', '-')


def sort_key(name):
    return [(0, float(word), '') if plot.number(word) is not None else (1, 0, word)
            for word in name.split()]


def markdown_table(table):
    columns = table.columns()
    if not columns:
        return []
    units = set(table.units.values())
    head = [table.about.get('x', '')]
    for series, is_paper in columns:
        unit = f', {table.units[series]}' if len(units) > 1 else ''
        head.append(f'{series}{unit}: {"paper" if is_paper else "here"}')
    rows = ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)]
    for x in table.order:
        cells = [shown(table.values.get((series, x, is_paper), ''))
                 for series, is_paper in columns]
        rows.append('| ' + ' | '.join([x] + cells) + ' |')
    if len(units) == 1 and units != {''}:
        rows += ['', f'Unit: {units.pop()}.']
    return rows


def draw(table, sheets):
    """Draws the table's plot, if it is a figure, on the sheet of its text, and returns
    where it is: SHEET.svg#VIEW."""
    kind = table.about.get('plot')
    series = []
    for name, is_paper in table.columns():
        points = {x: table.values[name, x, is_paper] for x in table.order
                  if isinstance(table.values.get((name, x, is_paper)), (int, float))}
        if points:
            series.append((name, points, is_paper))
    if not kind or not series:
        return None
    order = [x for x in table.order if any(x in points for _, points, _ in series)]
    units = sorted(set(table.units[name] for name, _, _ in series))
    about = ', '.join(filter(None, units))
    if table.about.get('x'):
        about += f', over {table.about["x"]}'
    text, name = table.name.split()[0], file_name(table.name)
    sheets.setdefault(text, plot.Sheet()).draw(
        name, f'{table.name}: {table.about["title"]}', about, order, series,
        kind == 'bars', bool(table.about.get('logarithmic')))
    return f'{text}.svg#{name}'


def section(table, sheets, remarks):
    title = table.about.get('title', '')
    lines = ['', f'### {table.name[0].upper()}{table.name[1:]}'
             + (f': {title}' if title else ''), '']
    if table.about.get('said'):
        lines += [f'The paper: {table.about["said"]}', '']
    if any(not is_paper for _, is_paper in table.columns()):
        picture = draw(table, sheets)
        if picture:
            lines += [f'![{title}]({picture})', '']
    else:
        lines += ['Not measured yet.', '']
    lines += markdown_table(table)
    if file_name(table.name) in remarks:
        lines += ['', remarks[file_name(table.name)]]
    return lines


def page(tables, machines, skipped, folder):
    lines = ['# The papers\' experiments, redone', '',
             'Made by `tests/lab/run.sh`; what the programs do is said in',
             '[the laboratory\'s README](../README.md). *Paper* is what the text says,',
             '*here* what was measured:', '']
    for about in machines:
        lines.append(f'- {about["half"].upper()} half: ' + '; '.join(
            f'{key} {value}' for key, value in about.items()
            if key != 'half' and value))
    for line in skipped:
        lines.append(f'- Not run: {line["skipped"]} ({line["why"]})')
    sheets, remarks = {}, remarks_of(folder)
    for text, heading in TEXTS.items():
        names = sorted((n for n in tables if n.split()[0] == text), key=sort_key)
        if names:
            lines += ['', f'## {heading}']
        for name in names:
            lines += section(tables[name], sheets, remarks)
    for text, sheet in sheets.items():
        sheet.write(f'{folder}/{text}.svg')
    return lines


def main():
    if len(sys.argv) == 3 and sys.argv[1] == '--machine':
        print(json.dumps(machine(sys.argv[2])))
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == '--skipped':
        print(json.dumps({'skipped': sys.argv[2], 'why': sys.argv[3]}))
        return 0
    if len(sys.argv) not in (2, 4) or sys.argv[2:3] not in ([], ['cpu'], ['gpu']):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = sys.argv[1]
    if len(sys.argv) == 4:
        replace_half(*sys.argv[1:])
    tables, machines, skipped = collect(folder)
    with open(f'{folder}/README.md', 'w', encoding='utf-8') as file:
        file.write('\n'.join(page(tables, machines, skipped, folder)) + '\n')
    wrong = sorted(name for name in tables
                   if not tables[name].about or name.split()[0] not in TEXTS)
    if wrong:
        sys.exit('papers.jsonl has no title for these, or the page no text: '
                 + ', '.join(wrong))
    return 0


if __name__ == '__main__':
    sys.exit(main())
