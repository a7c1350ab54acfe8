# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws results as SVG files, for report.py: curves over sizes, or bars."""
import html
import math

COLORS = ('#1f5fa8', '#b5482f', '#1f7a4d', '#8a5fa8', '#c08a1e', '#3a8f9f', '#7a4a3a',
          '#d0609a', '#666666', '#9aa81f')
LEFT, TOP, WIDTH, HEIGHT = 70, 60, 620, 300
PAGE = LEFT + WIDTH + 30


def number(text):
    """Returns a value of x as a number, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def grid_step(span):
    """Returns 1, 2 or 5 times a power of ten, which makes about six lines of a
    grid."""
    power = 10 ** math.floor(math.log10(span / 6))
    rest = span / 6 / power
    return power * (10 if rest > 5 else 5 if rest > 2 else 2 if rest > 1 else 1)


def text(x, y, words, **attributes):
    more = ''.join(f' {name.replace("_", "-")}="{value}"'
                   for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(words)}</text>'


class Axis:
    """Values from zero up, or from below it, linear; or positive ones by their
    logarithm."""

    def __init__(self, values, logarithmic):
        self.logarithmic = logarithmic
        if logarithmic:
            self.low = 10 ** math.floor(math.log10(min(values)))
            self.high = 10 ** math.ceil(math.log10(max(values) * 1.01))
            n = round(math.log10(self.high / self.low))
            self.lines = [self.low * 10 ** k for k in range(n + 1)]
        else:
            top, bottom = max(max(values), 0), min(min(values), 0)
            step = grid_step(max(top - bottom, 1e-9))
            first = math.floor(bottom / step)
            n = math.floor(top / step) + 1
            self.low, self.high = first * step, n * step
            self.lines = [k * step for k in range(first, n + 1)]

    def y(self, value):
        if self.logarithmic:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return TOP + HEIGHT * (1 - part)


def slant(order, as_bars):
    """Returns how far down labels reach that are slanted, since they are too
    long; else 0."""
    longest = max(len(x) for x in order) * 6.5
    if as_bars and longest > WIDTH / len(order):
        return longest * math.sin(math.radians(30))
    return 0


def frame(title, unit, axis):
    svg = [text(12, 22, title, font_size=15),
           text(12, 42, unit, fill='#555555')]
    for line in axis.lines:
        y = axis.y(line)
        svg.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" '
                   'stroke="#dddddd"/>')
        svg.append(text(LEFT - 8, y + 4, f'{line:.4g}', text_anchor='end'))
    return svg


def curves(axis, order, series):
    """Draws curves over sizes, which lie apart as their logarithms do."""
    numbers = [number(x) for x in order]
    low, high = math.log(min(numbers)), math.log(max(numbers))
    place = {x: LEFT + 20 + (WIDTH - 40) * (
        (math.log(n) - low) / (high - low) if high > low else 0.5)
        for x, n in zip(order, numbers)}
    svg, last = [], -math.inf
    for x in sorted(order, key=number):
        if place[x] - last > 26:
            svg.append(text(place[x], TOP + HEIGHT + 20, x, text_anchor='middle'))
            last = place[x]
    for index, (_, values, is_paper) in enumerate(series):
        color = COLORS[index % len(COLORS)]
        points = [(place[x], axis.y(values[x])) for x in sorted(values, key=number)]
        line = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if is_paper else ''
        svg.append(f'<polyline points="{line}" fill="none" stroke="{color}" '
                   f'stroke-width="2"{dashes}/>')
        svg += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>'
                for x, y in points]
    return svg


def bars(axis, order, series):
    """Draws a group of bars for each x."""
    group = WIDTH / len(order)
    slanted = slant(order, True) > 0
    width = min(0.8 * group / len(series), 40)
    svg = []
    base = TOP + HEIGHT if axis.logarithmic else axis.y(0)
    for number_of_group, x in enumerate(order):
        middle = LEFT + group * (number_of_group + 0.5)
        if slanted:
            svg.append(text(middle + 4, TOP + HEIGHT + 16, x, text_anchor='end',
                            transform=f'rotate(-30 {middle + 4:.1f} {TOP + HEIGHT + 16})'))
        else:
            svg.append(text(middle, TOP + HEIGHT + 20, x, text_anchor='middle'))
        for index, (_, values, is_paper) in enumerate(series):
            if x not in values:
                continue
            y = axis.y(values[x])
            left = middle + width * (index - len(series) / 2)
            fill = 'fill-opacity="0.45" ' if is_paper else ''
            svg.append(f'<rect x="{left:.1f}" y="{min(y, base):.1f}" '
                       f'width="{width * 0.9:.1f}" '
                       f'height="{abs(base - y):.1f}" {fill}'
                       f'fill="{COLORS[index % len(COLORS)]}"/>')
    return svg


class Sheet:
    """Plots below one another in one file, each with a view of its own."""

    def __init__(self):
        self.svg, self.height = [], 0

    def draw(self, name, title, unit, order, series, as_bars=False, logarithmic=False):
        """Adds a plot of series (name, {x: value}, whether it is the paper's) over the
        values of x in `order`. A page shows it by FILE.svg#name."""
        values = [v for _, points, _ in series for v in points.values()]
        axis = Axis(values, logarithmic and min(values) > 0)
        as_bars = as_bars or any((number(x) or 0) <= 0 for x in order)
        below = slant(order, as_bars)
        svg = frame(title, unit, axis)
        svg += (bars if as_bars else curves)(axis, order, series)
        for index, (label, _, is_paper) in enumerate(series):
            y = TOP + HEIGHT + 46 + below + 18 * index
            svg.append(f'<rect x="{LEFT}" y="{y - 10:.1f}" width="14" height="10" '
                       f'fill="{COLORS[index % len(COLORS)]}"'
                       + (' fill-opacity="0.45"/>' if is_paper else '/>'))
            svg.append(text(LEFT + 22, y, f'{label} (paper)' if is_paper else label))
        height = math.ceil(TOP + HEIGHT + 56 + below + 18 * len(series))
        self.svg += [f'<view id="{name}" viewBox="0 {self.height} {PAGE} {height}"/>',
                     f'<g transform="translate(0 {self.height})">', *svg, '</g>']
        self.height += height

    def write(self, path):
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join([
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{PAGE}" '
                f'height="{self.height}" viewBox="0 0 {PAGE} {self.height}" '
                'font-family="sans-serif" font-size="12">',
                '<rect width="100%" height="100%" fill="#ffffff"/>',
                *self.svg, '</svg>']) + '\n')
