# SPDX-License-Identifier: LGPL-2.1-or-later
# PaCo codestreams for Kaitai Struct: codec/FORMAT.md, version 3, but for the insides
# of codeblocks, of cut points, and of what is compressed. Section numbers are its.
meta:
  id: paco
  title: PaCo video
  file-extension: paco
  license: LGPL-2.1-or-later
  ks-version: 0.9
  endian: le
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame: # section 1
    seq:
      - {id: header, type: header}
      - {id: code_tables, size: header.chunks.num_tables}
      - {id: index, type: index, size: header.index_size - header.chunks.num_tables - header.chunks.num_rest}
      - {id: rest_of_index, size: header.chunks.num_rest, doc: "step map, cut points"}
      - id: payload
        size: header.frame_size - header.header_size - header.index_size - header.chunks.num_attached
      - {id: attachment, size: header.chunks.num_attached}
  header: # section 2
    seq:
      - {id: magic, contents: PACO}
      - {id: version, type: u1, valid: 3}
      - {id: flags, type: u1, doc: "bit 0: records carry checks; bits 4-7 may be ignored"}
      - {id: header_size, type: u2}
      - {id: frame_size, type: u4}
      - {id: index_size, type: u4}
      - {id: index_crc, type: u4}
      - {id: raw_format, type: strz, size: 16, encoding: ASCII}
      - {id: width, type: u2}
      - {id: height, type: u2}
      - {id: pixel_aspect_ratio, type: unsigned_fraction}
      - {id: frame_rate, type: unsigned_fraction}
      - {id: interlace_mode, type: u1, enum: interlace_mode}
      - {id: picture_flags, type: u1}
      - {id: field_order, type: u1}
      - {id: chroma_site, type: u1}
      - {id: color_range, type: u1}
      - {id: matrix, type: u1}
      - {id: transfer, type: u1}
      - {id: primaries, type: u1}
      - {id: num_components, type: u1}
      - {id: features, type: u1, doc: "to be known; bit 0: a mosaic"}
      - {id: num_levels, type: u1}
      - {id: coding_passes, type: u1}
      - {id: color_transform, type: u1, enum: color_transform}
      - {id: reconstruction_point, type: u1}
      - {id: parameters, type: u1, repeat: expr, repeat-expr: 2, doc: of the color transform}
      - {id: components, type: component, repeat: expr, repeat-expr: num_components}
      - {id: subbands, type: subband, repeat: expr, repeat-expr: num_subbands}
      - {id: chunks, type: chunks, size: header_size - 76 - 4 * num_components - 2 * num_subbands}
      - {id: header_crc, type: u4}
    instances:
      num_subbands: {value: num_components * (3 * num_levels + 1)}
  component:
    seq:
      - {id: kind_and_depth, type: u1}
      - id: subsampling_and_place
        type: u1
        doc: "log2: horizontal in bits 0-1, vertical in bits 4-5; place in the cell: x in bit 2, y in bit 6"
      - {id: wavelet, type: u1, enum: wavelet}
      - {id: family, type: u1}
    instances:
      depth: {value: kind_and_depth & 31}
      sample_kind: {value: kind_and_depth >> 6, enum: sample_kind}
  subband:
    seq:
      - {id: entry, type: u2}
    instances:
      block_height: {value: 32 << (entry >> 14)}
      exponent: {value: (entry >> 9) & 31}
      mantissa: {value: entry & 511}
  index: # section 6
    seq:
      - {id: records, type: record, repeat: eos}
  record:
    seq:
      - {id: first, type: u1}
      - {id: set_and_length, type: u2, if: num_planes > 0}
      - {id: long_length, type: u2, if: num_planes > 0 and (set_and_length & 8191) == 8191}
      - {id: raw_and_dropped, type: u1, if: (first & 128) != 0}
      - {id: check, type: u2, if: num_planes > 0 and (_parent._parent.header.flags & 1) != 0}
    instances:
      num_planes: {value: first & 31}
  chunks: # section 3
    seq:
      - id: entries
        type: |
          chunk(_index > 0 ? entries[_index - 1].num_tables : 0, _index > 0 ? entries[_index - 1].num_rest : 0, _index > 0 ? entries[_index - 1].num_attached : 0)
        repeat: eos
    instances:
      num_tables: {value: "entries.size > 0 ? entries.last.num_tables : 0"}
      num_rest: {value: "entries.size > 0 ? entries.last.num_rest : 0"}
      num_attached: {value: "entries.size > 0 ? entries.last.num_attached : 0"}
  chunk:
    params:
      - {id: tables_before, type: u4}
      - {id: rest_before, type: u4}
      - {id: attached_before, type: u4}
    seq:
      - {id: kind, type: u2, enum: chunk_kind}
      - {id: len_body, type: u2}
      - id: body
        size: len_body
        type:
          switch-on: kind
          cases:
            chunk_kind::mastering_display: mastering_display
            chunk_kind::content_light_level: content_light_level
            chunk_kind::place: place
            chunk_kind::views: views
            chunk_kind::probability_set: probability_set
            chunk_kind::cut_points: part_of_index
            chunk_kind::caption: caption
            chunk_kind::active_format: active_format
            chunk_kind::timecode: timecode
            chunk_kind::area_of_interest: area_of_interest
            chunk_kind::reference_time: reference_time
            chunk_kind::source_file: source_file
            chunk_kind::sound_file: sound_file
            chunk_kind::number_of_files: number_of_files
            chunk_kind::attachment: attachment
            chunk_kind::slice: slice
            chunk_kind::code_table: code_table
            chunk_kind::matrix: matrix
            chunk_kind::step_map: step_map
    instances:
      num_part: {value: "kind == chunk_kind::cut_points ? body.as<part_of_index>.num_bytes : 0"}
      num_map: {value: "kind == chunk_kind::step_map ? body.as<step_map>.num_bytes : 0"}
      num_table: {value: "kind == chunk_kind::code_table ? body.as<code_table>.num_bytes : 0"}
      num_tables: {value: tables_before + num_table}
      num_rest: {value: rest_before + num_part + num_map}
      num_attached: {value: "kind == chunk_kind::attachment ? body.as<attachment>.num_bytes : attached_before"}
  mastering_display:
    seq:
      - {id: primaries_and_white, type: u2, repeat: expr, repeat-expr: 8}
      - {id: max_luminance, type: u4}
      - {id: min_luminance, type: u4}
  content_light_level:
    seq:
      - {id: maximum, type: u2}
      - {id: max_frame_average, type: u2}
  place:
    seq:
      - {id: number, type: u4}
      - {id: offset, type: u8}
  views:
    seq:
      - {id: mode, type: u1}
      - {id: zero, type: u1, valid: 0}
      - {id: flags, type: u2}
  probability_set:
    seq:
      - {id: family, type: u1}
      - {id: number, type: u1}
      - {id: differences, size-eos: true}
  part_of_index:
    seq:
      - {id: num_bytes, type: u4}
  step_map:
    seq:
      - {id: num_bytes, type: u4}
      - {id: halved_components, type: u1}
  code_table:
    seq:
      - {id: components, type: u1}
      - {id: form, type: u1}
      - {id: first_code, type: u2}
      - {id: last_code, type: u2}
      - {id: codes_less_one, type: u2}
      - {id: num_bytes, type: u4}
  matrix:
    seq:
      - {id: inverse, type: f4, repeat: expr, repeat-expr: 9}
  attachment:
    seq:
      - {id: num_bytes, type: u4}
      - {id: crc, type: u4}
  slice: # section 12
    seq:
      - {id: stack, type: u4}
      - {id: length, type: u1}
      - {id: position, type: u1}
      - {id: wavelet, type: u1}
      - {id: levels, type: u1}
      - {id: depth, type: u1}
      - {id: bits, type: u1}
  caption: # section 3.1 from here on
    seq:
      - {id: kind, type: u1}
      - {id: bytes, size-eos: true}
  active_format:
    seq:
      - {id: kind, type: u1}
      - {id: afd, type: afd, if: kind == 0}
      - {id: bars, type: bars, if: kind == 1 or kind == 2}
      - {id: unknown, size-eos: true, if: kind > 2}
  afd:
    seq:
      - {id: field, type: u1}
      - {id: standard, type: u1}
      - {id: description, type: u1}
  bars:
    seq:
      - {id: field, type: u1}
      - {id: last_of_first, type: u4}
      - {id: first_of_second, type: u4}
  timecode:
    seq:
      - {id: rate, type: unsigned_fraction}
      - {id: frames, type: u4}
      - {id: hours, type: u1}
      - {id: minutes, type: u1}
      - {id: seconds, type: u1}
      - {id: field_count, type: u1}
      - {id: flags, type: u1}
      - {id: daily_jam, type: s8, if: not _io.eof}
      - {id: local_time_before_utc, type: s4, if: not _io.eof}
  area_of_interest:
    seq:
      - {id: number, type: s4}
      - {id: part_of, type: s4}
      - {id: left, type: u4}
      - {id: top, type: u4}
      - {id: width, type: u4}
      - {id: height, type: u4}
      - {id: what, type: text}
      - {id: values, type: lists}
  reference_time:
    seq:
      - {id: time, type: u8}
      - {id: duration, type: u8}
      - {id: values, type: lists}
  source_file:
    seq:
      - {id: kind, type: u1, enum: file_kind}
      - {id: zero, type: u1, valid: 0}
      - {id: file_size, type: u8}
      - {id: rest_size, type: u4}
      - {id: xxh3, size: 16}
      - {id: name, type: str, size-eos: true, encoding: UTF-8}
  sound_file:
    seq:
      - {id: file_size, type: u8}
      - {id: first_sample, type: u8}
      - {id: samples_size, type: u8}
      - {id: xxh3, size: 16}
      - {id: zero, type: u8, valid: 0}
      - {id: len_name, type: u2}
      - {id: name, type: str, size: len_name, encoding: UTF-8}
      - {id: rest, size-eos: true}
  number_of_files:
    seq:
      - {id: files, type: u4}
  lists:
    seq:
      - {id: num_lists, type: u1}
      - {id: lists, type: list_of_values, repeat: expr, repeat-expr: num_lists}
  list_of_values:
    seq:
      - {id: name, type: text}
      - {id: num_values, type: u1}
      - {id: values, type: value, repeat: expr, repeat-expr: num_values}
  value:
    seq:
      - {id: name, type: text}
      - {id: kind, type: u1, enum: value_kind}
      - {id: boolean, type: u1, if: "kind == value_kind::boolean"}
      - {id: signed_32, type: s4, if: "kind == value_kind::signed_32"}
      - {id: unsigned_32, type: u4, if: "kind == value_kind::unsigned_32"}
      - {id: signed_64, type: s8, if: "kind == value_kind::signed_64"}
      - {id: unsigned_64, type: u8, if: "kind == value_kind::unsigned_64"}
      - {id: real, type: f8, if: "kind == value_kind::real"}
      - {id: fraction, type: signed_fraction, if: "kind == value_kind::fraction"}
      - {id: long_text, type: long_text, if: "kind == value_kind::text"}
  text:
    seq:
      - {id: len_text, type: u1}
      - {id: text, type: str, size: len_text, encoding: UTF-8}
  long_text:
    seq:
      - {id: len_text, type: u2}
      - {id: text, type: str, size: len_text, encoding: UTF-8}
  unsigned_fraction:
    seq:
      - {id: numerator, type: u4}
      - {id: denominator, type: u4}
  signed_fraction:
    seq:
      - {id: numerator, type: s4}
      - {id: denominator, type: s4}
enums:
  interlace_mode: {0: progressive, 1: interleaved, 2: mixed, 3: alternate}
  color_transform: {0: none, 1: rct, 2: ict, 3: rct2, 4: matrix, 5: rct_fit, 7: mosaic}
  sample_kind: {0: unsigned, 1: signed, 2: binary16}
  wavelet: {0: cdf_5_3, 1: cdf_9_7, 2: dd_13_7}
  file_kind: {1: dpx, 2: tiff, 3: png, 4: pnm}
  value_kind:
    1: boolean
    2: signed_32
    3: unsigned_32
    4: signed_64
    5: unsigned_64
    6: real
    7: fraction
    8: text
  chunk_kind:
    1: mastering_display
    2: content_light_level
    3: probability_set
    4: place
    5: views
    6: cut_points
    7: caption
    8: active_format
    9: timecode
    10: area_of_interest
    11: reference_time
    12: source_file
    13: source_rest
    14: source_md5
    15: sound_file
    16: number_of_files
    17: members
    18: further_sound
    256: attachment
    257: slice
    258: code_table
    259: matrix
    260: step_map
