# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes frames (FORMAT.md)."""
import numpy as np

import transform
from block import Broken, decode_block
from codes import read_code_tables
from color import finish
from header import REVERSIBLE, read_header, sets_of_frame
from index import entry_of, read_index, size_of_field, sizes_of_bands
from step_map import read_step_map, scales_of_block


def read_frame(data, builtin):
    """Returns the header, sets, the step map, and what is known of the blocks that
    are not zero."""
    header = read_header(data)
    sets = sets_of_frame(header, builtin)
    end = header.header_size + header.index_size
    index = data[header.header_size:end]
    return header, sets, read_step_map(header, index), list(read_index(
        header, index, data[end:len(data) - header.attachment[0]]))


def empty_bands(header, c, field):
    dtype = np.int32 if REVERSIBLE[header.components[c].wavelet] else np.float32
    return {key: np.zeros(size[::-1], dtype) for key, size in sizes_of_bands(
        size_of_field(header, c, field), header.levels).items()}


def decode_blocks(header, sets, maps, blocks):
    """Returns {(field, component): {(level, band): coefficients}}, and how many blocks
    are broken, whose coefficients are 0."""
    bands = {(field, c): empty_bands(header, c, field)
             for field in range(1 + header.fields)
             for c in range(len(header.components))}
    n_broken = 0
    for place, record, data in blocks:
        component = header.components[place.component]
        try:
            values = decode_block(
                data, record, (place.width, place.height), place.band,
                sets[component.family][record.set], header.passes)
        except Broken:
            n_broken += 1
            continue
        plane = bands[place.field, place.component][place.level, place.band]
        plane[place.y:place.y + place.height, place.x:place.x + place.width] = (
            transform.dequantise(
                values, record, header.reconstruction,
                REVERSIBLE[component.wavelet], component.entries[entry_of(
                    header.levels, place.level, place.band)],
                scales_of_block(header, maps, place)))
    return bands, n_broken


def weave(fields):
    if len(fields) == 1:
        return fields[0]
    picture = np.empty((sum(map(len, fields)), fields[0].shape[1]), np.int32)
    picture[0::2], picture[1::2] = fields
    return picture


def decode(data, builtin):
    """Returns the components of a frame for 0, 1, .. levels left out, and how many
    blocks are broken."""
    header, sets, maps, blocks = read_frame(data, builtin)
    tables = read_code_tables(header, data[header.header_size:])
    bands, n_broken = decode_blocks(header, sets, maps, blocks)
    wavelets = [c.wavelet for c in header.components]
    low = {key: of_plane[header.levels, 'LL'] for key, of_plane in bands.items()}
    pictures = []
    for left_out in range(header.levels, -1, -1):
        fields = []
        for field in range(1 + header.fields):
            planes = [low[field, c] for c in range(len(wavelets))]
            scale = transform.scale_for_left_out(left_out)
            fields.append(finish(
                [x * scale if x.dtype == np.float32 else x for x in planes],
                header, tables))
        pictures.insert(0, [weave(components) for components in zip(*fields)])
        if left_out:
            low = {key: transform.inverse_level(
                of_plane, left_out, low[key], wavelets[key[1]])
                for key, of_plane in bands.items()}
    return pictures, n_broken
