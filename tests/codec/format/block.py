# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes a codeblock (FORMAT.md section 7)."""

KIND_OF_BAND = {'LL': 0, 'HL': 1, 'LH': 1, 'HH': 2}
# What a significant neighbour adds to c: h, v, x, h2, v2, k.
WEIGHTS = {'LL': (3, 3, 3, 1, 1, 1), 'HL': (3, 5, 2, 1, 2, 1),
           'LH': (5, 3, 2, 2, 1, 1), 'HH': (3, 3, 4, 1, 1, 1)}
PLACES = (((-1, 0), (1, 0)), ((0, -1), (0, 1)),
          ((-1, -1), (1, -1), (-1, 1), (1, 1)), ((-2, 0), (2, 0)),
          ((0, -2), (0, 2)),
          tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2)
                if abs(x) != abs(y)))
# The context of a sign, by what the neighbours on h and on v say.
SIGN_CONTEXTS = {(1, 1): 47, (1, 0): 48, (1, -1): 49, (0, 1): 50, (0, 0): 51}
WAKING = 52


class Broken(ValueError):
    """The block is to be taken as zero."""


def density(number, limit):
    """Returns 1 + the largest k in 0..14 with number^2 * 2^k <= limit^2."""
    return 1 + max(k for k in range(15) if number**2 << k <= limit**2)


def sign_of(number):
    return (number > 0) - (number < 0)


class Coders:
    """The arithmetic coders of a block (7.2)."""

    def __init__(self, data, lanes_each):
        self.data, self.lanes_each = data, lanes_each
        self.codewords = 0
        self.sizes = [0] * (32 // lanes_each)  # S
        self.offsets = [0] * (32 // lanes_each)  # D

    def in_steps(self, lanes):
        """Sorts lanes as the steps of a visit take them (7.1)."""
        return sorted(lanes, key=lambda lane: (lane % self.lanes_each, lane))

    def decode(self, lane, probability):
        j = lane // self.lanes_each
        size = self.sizes[j]
        if size == 0:
            codeword = self.data[4 * self.codewords:4 * self.codewords + 4]
            if len(codeword) < 4:
                raise Broken('a codeword is missing')
            self.codewords += 1
            self.offsets[j] = int.from_bytes(codeword, 'little')
            size = 2**32 - 1
        t = size * probability >> 8
        if self.offsets[j] > t:
            self.offsets[j] -= t + 1
            self.sizes[j] = size - t - 1
            return 1
        self.sizes[j] = t
        return 0


class RawString:
    """Reads the raw string: fill bits, then plain bits (7.6)."""

    def __init__(self, coders):
        self.bits = []
        for size, offset in zip(coders.sizes, coders.offsets):
            if size > 0:
                k = (size + 1).bit_length() - 1
                if offset >> k:
                    raise Broken('an open codeword does not end')
                self.bits += [offset >> i & 1 for i in range(k)]
        self.n_fill = len(self.bits)
        for byte in coders.data[4 * coders.codewords:]:
            self.bits += [byte >> i & 1 for i in range(8)]
        self.at = 0

    def take(self):
        if self.at == len(self.bits):
            raise Broken('plain bits are missing')
        self.at += 1
        return self.bits[self.at - 1]

    def end(self):
        if any(self.bits[self.at:]):
            raise Broken('a bit beyond the raw string is not zero')
        if len(self.bits) - max(self.at, self.n_fill) >= 8:
            raise Broken('bytes are left over')


class Block:
    """A block while it is decoded. Lists have a margin of two coefficients."""

    def __init__(self, data, record, size, band, probabilities):
        self.width, self.height = size
        self.record, self.band = record, band
        self.probabilities = probabilities
        shared = 8 if record.planes - record.dropped == 1 and not record.cut else 4
        self.coders = Coders(data, shared if record.shared else 1)
        self.stride = self.width + 4
        n = self.stride * (self.height + 4)
        self.magnitudes, self.signs = [0] * n, [0] * n
        self.significant, self.began = bytearray(n), bytearray(n)
        self.coded = bytearray(n)  # in this plane
        self.contexts, self.near = [0] * n, [0] * n
        self.awake = [False] * -(-self.height // 8)
        lanes = self.coders.in_steps(range(-(-self.width // 2)))
        self.columns = [[(lane, 2 * lane + side) for lane in lanes
                         if 2 * lane + side < self.width] for side in (0, 1)]
        self.became = None  # lane -> coefficients, for either side
        self.neighbours = [
            (x + y * self.stride, weight, weight_is_near)
            for weight, weight_is_near, places in zip(
                WEIGHTS[band], (1, 1, 1, 0, 0, 0), PLACES)
            for x, y in places]

    def at(self, x, y):
        return (y + 2) * self.stride + x + 2

    def in_columns(self):
        """Yields all coefficients column by column, each from the top."""
        for x in range(self.width):
            yield from range(self.at(x, 0), self.at(x, self.height), self.stride)

    # --- probabilities (7.4) ---

    def row(self, p, q):
        return self.probabilities[
            (KIND_OF_BAND[self.band] * 4 + min(p, 3)) * 16 + q]

    def rows_of_plane(self, p):
        """Returns the row of the block, and rows[stripe][lane]."""
        n_lanes, n_stripes = -(-self.width // 2), len(self.awake)
        size, total = self.width * self.height, sum(self.significant)
        u = [[0] * n_lanes for _ in range(n_stripes)]
        for y in range(self.height):
            start = self.at(0, y)
            for x in range(self.width):
                u[y // 8][x // 2] += self.significant[start + x]
        w = [[u[max(g - 1, 0)][t] + 2 * u[g][t] + u[min(g + 1, n_stripes - 1)][t]
              for t in range(n_lanes)] for g in range(n_stripes)]
        rows = [[None] * n_lanes for _ in range(n_stripes)]
        for g in range(n_stripes):
            for t in range(n_lanes):
                z = (w[g][max(t - 1, 0)] + w[g][t] + w[g][min(t + 1, n_lanes - 1)]
                     + 29 * total // size)
                rows[g][t] = self.row(p, density(z, 221) if total else 0)
        return self.row(p, density(total, size) if total else 0), rows

    # --- visits (7.5) ---

    def wake(self, row):
        """Is the visit that says which stripes wake."""
        before = [False, *self.awake, False]
        for g in self.coders.in_steps(range(len(self.awake))):
            if not before[g + 1]:
                context = WAKING + before[g] + before[g + 2]
                self.awake[g] = bool(self.coders.decode(g, row[context]))

    def scan(self, p, wanted, rows):
        """Codes bit p of the coefficients i with wanted(i)."""
        decode, began, contexts = self.coders.decode, self.began, self.contexts
        self.became = [{}, {}]
        for y in range(self.height):
            if not self.awake[y // 8]:
                continue
            stripe, start = rows[y // 8], self.at(0, y)
            for columns, became in zip(self.columns, self.became):
                new = []
                for lane, x in columns:
                    i = start + x
                    if not wanted(i):
                        continue
                    c = contexts[i]
                    bit = decode(lane, stripe[lane][41 + c // 8 if began[i] else c])
                    self.coded[i] = 1
                    if bit:
                        self.magnitudes[i] |= 1 << p
                        if not began[i]:
                            new.append(i)
                            became.setdefault(lane, []).append(i)
                for i in new:  # what was coded takes effect for the next visit
                    self.add_significant(i)

    def add_significant(self, i):
        self.significant[i] = 1
        for offset, weight, is_near in self.neighbours:
            self.contexts[i + offset] += weight
            self.near[i + offset] += is_near

    def sign(self, lane, i, row):
        known = self.signs
        h = known[i - 1] + known[i + 1]
        v = known[i - self.stride] + known[i + self.stride]
        if self.band == 'HL':
            h, v = v, h
        h, v = sign_of(h), sign_of(v)
        inverted = h < 0 or (h == 0 and v < 0)
        if inverted:
            h, v = -h, -v
        return self.coders.decode(lane, row[SIGN_CONTEXTS[h, v]]) ^ inverted

    def scan_signs(self, sides, row):
        """Codes the signs of the coefficients that the scan found."""
        for became in self.became[:sides]:
            lanes = self.coders.in_steps(became)
            for k in range(max(map(len, became.values()), default=0)):
                negative = [(became[lane][k], self.sign(lane, became[lane][k], row))
                            for lane in lanes if len(became[lane]) > k]
                for i, symbol in negative:
                    self.signs[i] = -1 if symbol else 1

    def plane(self, p, passes, coded_sides):
        row, rows = self.rows_of_plane(p)
        self.began[:] = self.significant
        self.coded = bytearray(len(self.coded))
        began, significant = self.began, self.significant
        if not all(self.awake):
            self.wake(row)
        if passes == 1:
            self.scan(p, lambda i: True, rows)
            self.scan_signs(coded_sides, row)
            return
        if passes == 2:
            self.scan(p, lambda i: not significant[i], rows)
        else:
            self.scan(p, lambda i: not significant[i] and self.near[i], rows)
        self.scan_signs(coded_sides, row)
        self.scan(p, lambda i: began[i], rows)
        if passes == 3:
            self.scan(p, lambda i: not significant[i] and not self.coded[i], rows)
            self.scan_signs(coded_sides, row)

    # --- all of it ---

    def read_raw_string(self):
        raw, dropped = RawString(self.coders), self.record.dropped
        for p in range(dropped + self.record.raw - 1, dropped - 1, -1):
            for i in self.in_columns():
                self.magnitudes[i] |= raw.take() << p
        for i in self.in_columns():
            if self.magnitudes[i] and not self.signs[i]:
                self.signs[i] = -1 if raw.take() else 1
        raw.end()

    def decode(self, passes):
        record = self.record
        last = record.dropped + record.raw
        for p in range(record.planes - 1, last - 1, -1):
            raw_signs = p == last and record.raw == 0 and not record.cut
            sides = 1 - record.raw_left if raw_signs else 2
            self.plane(p, passes, sides)
        if not record.cut:
            self.read_raw_string()
        elif len(self.coders.data) != 4 * self.coders.codewords:
            raise Broken('bytes are left over')
        return [[self.magnitudes[i] * self.signs[i]
                 for i in range(self.at(0, y), self.at(self.width, y))]
                for y in range(self.height)]


def decode_block(data, record, size, band, probabilities, passes):
    """Returns the lines of the block's coefficients, planes below d being 0.

    size: columns and lines. band: LL, HL, LH or HH. probabilities: the rows of
    the set that the record names. Raises Broken, also if there are no bytes.
    """
    if data is None:
        raise Broken('check')
    return Block(data, record, size, band, probabilities).decode(passes)
