// SPDX-License-Identifier: LGPL-2.1-or-later
// Decodes frames with the reference decoder (wasm.c) and makes pixels of their samples. It
// runs in a worker, so that the page can be used meanwhile, and ended by it.
'use strict';

let decoder = null, ready = null;

// What describe () returns, in its order.
const FIELDS = ['width', 'height', 'nComponents', 'levels', 'matrix', 'range', 'transfer',
  'mosaic', 'fields', 'colorTransform', 'fpsN', 'fpsD', 'stackLength', 'stackPosition',
  'stackDepth'];
const OF_COMPONENT = ['depth', 'kind', 'subsamplingX', 'subsamplingY', 'wavelet'];

function describe () {
  const numbers = new Uint32Array (decoder.memory.buffer, decoder.describe (),
    FIELDS.length + 4 * OF_COMPONENT.length);
  const info = { components: [] };
  FIELDS.forEach ((name, i) => { info[name] = numbers[i]; });
  for (let c = 0; c < info.nComponents; c++) {
    info.components[c] = {};
    OF_COMPONENT.forEach ((name, i) => {
      info.components[c][name] = numbers[FIELDS.length + c * OF_COMPONENT.length + i];
    });
  }
  return info;
}

// Throws the decoder's sentence if a call has failed.
function must (status) {
  if (status === 0)
    return;
  const bytes = new Uint8Array (decoder.memory.buffer), at = decoder.text ();
  throw new Error (new TextDecoder ().decode (bytes.slice (at, bytes.indexOf (0, at))));
}

function put (bytes) {
  const at = decoder.room (bytes.length);
  if (at === 0)
    throw new Error ('there is not enough memory for the frame');
  new Uint8Array (decoder.memory.buffer).set (bytes, at);
}

function component (p, c) {
  const [width, height, at] = new Uint32Array (decoder.memory.buffer,
    decoder.component (p, c), 3);
  return { width, height, samples: new Uint16Array (decoder.memory.buffer, at, width * height) };
}

// --- pixels ---

// The number that a binary16 is.
function half (bits) {
  const exponent = bits >> 10 & 31, mantissa = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent === 31)
    return mantissa ? 0 : sign * Infinity;
  return sign * (exponent ? Math.pow (2, exponent - 25) * (1024 + mantissa)
    : Math.pow (2, -24) * mantissa);
}

// Returns a table of what samples of a component mean: 0 to 1, or -1/2 to 1/2 of chroma.
// What is linear is shown with gamma.
function meanings (info, c, depth, isColor, isLimited) {
  const n = 1 << depth, table = new Float32Array (n), { kind } = info.components[c];
  const unit = depth >= 8 ? 1 << (depth - 8) : 1 / (1 << (8 - depth));
  for (let bits = 0; bits < n; bits++) {
    const code = kind === 1 ? bits ^ n >> 1 : bits;
    let x = kind === 2 ? half (bits) : code / (n - 1);
    if (kind !== 2 && isLimited)
      x = isColor ? (code - 128 * unit) / (224 * unit) : (code - 16 * unit) / (219 * unit);
    else if (kind !== 2 && isColor)
      x = (code - n / 2) / (n - 1);
    if (!isColor && (info.transfer === 1 || kind === 2 || info.mosaic))
      x = Math.pow (Math.min (Math.max (x, 0), 1), 1 / 2.2);
    table[bits] = x;
  }
  return table;
}

// Kr and Kb of the matrices that FORMAT.md numbers; of unknown ones by the size, as players do.
function weights (info) {
  const known = { 2: [0.3, 0.11], 3: [0.2126, 0.0722], 4: [0.299, 0.114], 5: [0.212, 0.087],
    6: [0.2627, 0.0593] };
  return known[info.matrix] || known[info.height > 576 ? 3 : 4];
}

// Returns functions that give red, green and blue for three numbers.
function mixer (info, isYuv) {
  if (!isYuv)
    return (a, b, c) => [a, b, c];
  const [kr, kb] = weights (info), kg = 1 - kr - kb;
  return (y, u, v) => {
    const red = y + 2 * (1 - kr) * v, blue = y + 2 * (1 - kb) * u;
    return [red, (y - kr * red - kb * blue) / kg, blue];
  };
}

// Makes pixels of picture p. Of a mosaic each cell is one.
function makePixels (info, p) {
  const n = info.nComponents, isGray = n < 3;
  const isRgb = info.mosaic || info.matrix === 1
    || (info.matrix === 0 && ![0, 7].includes (info.colorTransform));
  const isYuv = !isGray && !isRgb, isLimited = info.range === 2 || (info.range === 0 && isYuv);
  const images = [], tables = [];
  for (let c = 0; c < n; c++) {
    images[c] = component (p, c);
    tables[c] = meanings (info, c, info.stackLength ? info.stackDepth : info.components[c].depth,
      isYuv && (c === 1 || c === 2), isLimited && c < 3);
  }
  const { width, height } = images[0], pixels = new Uint8ClampedArray (4 * width * height);
  const mix = mixer (info, isYuv);
  const [i0, i1, i2, i3] = images, [t0, t1, t2, t3] = tables;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4) {
      const k = y * width + x;
      let a = t0[i0.samples[k]], b = a, c = a;
      if (info.mosaic) {
        b = (t1[i1.samples[k]] + t2[i2.samples[k]]) / 2;
        c = t3[i3.samples[k]];
      } else if (!isGray) {
        const y1 = Math.min (y >> vertical (info, 1), i1.height - 1) * i1.width;
        const y2 = Math.min (y >> vertical (info, 2), i2.height - 1) * i2.width;
        b = t1[i1.samples[y1 + Math.min (x >> info.components[1].subsamplingX, i1.width - 1)]];
        c = t2[i2.samples[y2 + Math.min (x >> info.components[2].subsamplingX, i2.width - 1)]];
        if (isYuv)
          [a, b, c] = mix (a, b, c);
      }
      pixels[at] = 255 * a;
      pixels[at + 1] = 255 * b;
      pixels[at + 2] = 255 * c;
      pixels[at + 3] = 255;
    }
  return { width, height, pixels };
}

const vertical = (info, c) => info.components[c].subsamplingY;

// Returns the samples as `paco decode --as=raw` writes them where components are planes.
function makeRaw (info, p) {
  const parts = [];
  for (let c = 0; c < info.nComponents; c++) {
    const { samples } = component (p, c);
    const wide = (info.stackLength ? info.stackDepth : info.components[c].depth) > 8;
    parts.push (wide ? new Uint8Array (samples.slice ().buffer) : Uint8Array.from (samples));
  }
  return parts;
}

// --- requests ---

// Decodes frames: one, or the slices of a stack, of which `position` is shown.
function decode ({ frames, reduce, position, raw }) {
  const start = performance.now ();
  let broken = 0;
  decoder.forget ();
  for (const bytes of frames) {
    put (bytes);
    must (decoder.read (bytes.length));
    const { levels, stackLength, stackPosition } = describe ();
    const p = stackLength ? stackPosition : 0;
    must (decoder.decode (bytes.length, Math.min (reduce, levels), p));
    broken += decoder.broken (p);
  }
  const info = describe (), p = info.stackLength ? position : 0;
  if (info.stackLength)
    must (decoder.stack ());
  const seconds = (performance.now () - start) / 1000;
  const answer = { info, seconds, broken, ...makePixels (info, p) };
  if (raw)
    answer.raw = makeRaw (info, p);
  decoder.forget ();
  return answer;
}

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      ready = WebAssembly.instantiate (data.module, {});
      return;
    }
    decoder = (await ready).exports;
    let answer;
    if (data.head) {
      put (data.head);
      must (decoder.read (data.head.length));
      answer = { info: describe () };
    } else {
      answer = decode (data);
    }
    postMessage ({ id: data.id, ...answer }, answer.pixels ? [answer.pixels.buffer] : []);
  } catch (error) {
    postMessage ({ id: data.id, error: error.message });
  }
};
