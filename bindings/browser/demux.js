// SPDX-License-Identifier: LGPL-2.1-or-later
// Where frames lie in .paco, MOV and Matroska files, as this project's programs write them.
'use strict';

// A file of which pieces are read; a window of it is kept.
class Source {
  constructor (file) {
    this.file = file;
    this.size = file.size;
    this.begin = 0;
    this.bytes = new Uint8Array (0);
  }

  async read (offset, length) {
    const end = Math.min (offset + length, this.size);
    if (offset < this.begin || end > this.begin + this.bytes.length) {
      const window = this.file.slice (offset, Math.max (end, offset + 16384));
      this.bytes = new Uint8Array (await window.arrayBuffer ());
      this.begin = offset;
    }
    return this.bytes.subarray (offset - this.begin, Math.max (end - this.begin, 0));
  }

  async whole (offset, length) {
    return new Uint8Array (await this.file.slice (offset, offset + length).arrayBuffer ());
  }
}

const ascii = (bytes, at, n) => String.fromCharCode (...bytes.subarray (at, at + n));
const big = (bytes, at, n) => {
  let value = 0;
  for (let i = 0; i < n; i++)
    value = value * 256 + bytes[at + i];
  return value;
};
const little32 = (bytes, at) =>
  (bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24) >>> 0;

// --- .paco ---

// Returns where the next bytes "PACO" are, from offset on.
async function findMagic (source, offset) {
  while (offset + 4 <= source.size) {
    const bytes = await source.read (offset, 1 << 20);
    for (let i = 0; i + 4 <= bytes.length; i++)
      if (bytes[i] === 0x50 && ascii (bytes, i, 4) === 'PACO')
        return offset + i;
    offset += Math.max (bytes.length - 3, 1);
  }
  return source.size;
}

async function findPacoFrames (source) {
  const frames = [];
  let offset = await findMagic (source, 0);
  while (offset < source.size) {
    const head = await source.read (offset, 12);
    const size = head.length === 12 && ascii (head, 0, 4) === 'PACO' ? little32 (head, 8) : 0;
    if (size >= 82) {
      frames.push ({ offset, size: Math.min (size, source.size - offset) });
      offset += size;
    } else {
      offset = await findMagic (source, offset + 1);
    }
  }
  return frames;
}

// --- MOV and MP4 ---

// These are entered, so that all boxes come one after the other, and the latter are kept.
const ENTERED = ['moov', 'trak', 'mdia', 'minf', 'stbl'];
const KEPT = ['stsd', 'stsz', 'stsc', 'stco', 'co64'];

// Returns where the samples of a track are, from its tables of sizes and chunks.
function samplesOfTrack (track, fileSize) {
  const { stsz, stsc } = track, offsets = track.co64 || track.stco, width = track.co64 ? 8 : 4;
  if (!stsz || !stsc || !offsets)
    throw new Error ('the tables of the MOV file\'s track are missing');
  const nSamples = big (stsz, 8, 4), same = big (stsz, 4, 4), frames = [];
  const nChunks = big (offsets, 4, 4), nRuns = big (stsc, 4, 4);
  let run = 0;
  for (let chunk = 0; chunk < nChunks && frames.length < nSamples; chunk++) {
    if (run + 1 < nRuns && big (stsc, 8 + 12 * (run + 1), 4) === chunk + 1)
      run++;
    let offset = big (offsets, 8 + width * chunk, width);
    if (!(offset < fileSize))
      break;
    for (let n = big (stsc, 12 + 12 * run, 4); n > 0 && frames.length < nSamples; n--) {
      const size = same || big (stsz, 12 + 4 * frames.length, 4);
      if (!(size > 0 && offset < fileSize))
        return frames;
      frames.push ({ offset, size });
      offset += size;
    }
  }
  return frames;
}

async function findMovFrames (source) {
  const tracks = [];
  for (let offset = 0; offset + 8 <= source.size;) {
    const bytes = await source.read (offset, 16), is64 = big (bytes, 0, 4) === 1;
    const type = ascii (bytes, 4, 4), head = is64 ? 16 : 8;
    const size = is64 ? big (bytes, 8, 8) : big (bytes, 0, 4) || source.size;
    if (!(size >= head))
      break;
    if (type === 'trak')
      tracks.push ({});
    if (KEPT.includes (type) && tracks.length > 0)
      tracks[tracks.length - 1][type] = await source.whole (offset + head, size - head);
    offset += ENTERED.includes (type) ? head : size;
  }
  const track = tracks.find (({ stsd }) => stsd && ascii (stsd, 12, 4) === 'PACO');
  if (!track)
    throw new Error ('the MOV file has no track of PaCo, or is not complete');
  return samplesOfTrack (track, source.size);
}

// --- Matroska ---

const SEGMENT = 0x18538067, CLUSTER = 0x1f43b675, TRACKS = 0x1654ae6b, TRACK = 0xae;
const NUMBER = 0xd7, PRIVATE = 0x63a2, BLOCK_GROUP = 0xa0, BLOCK = 0xa1, SIMPLE_BLOCK = 0xa3;
const MASTERS = [SEGMENT, CLUSTER, TRACKS, TRACK, BLOCK_GROUP];

// Returns the number at an offset and how many bytes it takes; null if there is none. IDs
// keep the bit that marks their length.
function variable (bytes, at, isId) {
  const length = Math.clz32 (bytes[at]) - 23;
  if (!(length >= 1 && length <= 8) || at + length > bytes.length)
    return null;
  const low = big (bytes, at + 1, length - 1), first = isId ? bytes[at] : bytes[at] & 255 >> length;
  return { value: first * Math.pow (256, length - 1) + low, length };
}

async function findMatroskaFrames (source) {
  const frames = [];
  let number = 0, track = -1;
  for (let offset = 0; offset < source.size;) {
    const head = await source.read (offset, 12);
    const id = variable (head, 0, true), size = id && variable (head, id.length, false);
    if (!size)
      break;
    const begin = offset + id.length + size.length;
    offset = MASTERS.includes (id.value) ? begin : begin + size.value;
    if (id.value === NUMBER) {
      number = big (await source.read (begin, size.value), 0, size.value);
    } else if (id.value === PRIVATE && track < 0) {
      const bytes = await source.read (begin, size.value);
      if (bytes.length >= 20 && ascii (bytes, 16, 4) === 'PACO')
        track = number;
    } else if (id.value === BLOCK || id.value === SIMPLE_BLOCK) {
      const bytes = await source.read (begin, 12), of = variable (bytes, 0, false);
      if (of && of.value === track && !(bytes[of.length + 2] & 6))
        frames.push ({ offset: begin + of.length + 3, size: size.value - of.length - 3 });
    }
  }
  if (track < 0)
    throw new Error ('the Matroska file has no track of PaCo');
  return frames;
}

// Returns { kind, frames: [{ offset, size }] }, or throws a sentence.
async function findFrames (source) {
  const head = await source.read (0, 12);
  let kind = 'PaCo', frames;
  if (head.length === 12 && big (head, 0, 4) === 0x1a45dfa3) {
    kind = 'Matroska';
    frames = await findMatroskaFrames (source);
  } else if (head.length === 12
      && ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'].includes (ascii (head, 4, 4))) {
    kind = 'MOV';
    frames = await findMovFrames (source);
  } else {
    frames = await findPacoFrames (source);
  }
  if (frames.length === 0)
    throw new Error ('this file has no PaCo frames');
  return { kind, frames };
}
