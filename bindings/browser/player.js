// SPDX-License-Identifier: LGPL-2.1-or-later
// The page: takes a file, shows a frame small first and then whole, steps, says what the
// frame is, saves it as PNG.
'use strict';

const byId = (id) => document.getElementById (id);
const canvas = byId ('picture'), context = canvas.getContext ('2d');
// One block of the file is larger than most frames' headers.
const HEAD_BYTES = 65535;
const SMALL_WIDTH = 480;

let source = null, frames = [], current = 0, kind = '';
let wasm = null, workerCode = null, worker = null, waiting = null, requests = 0;

function say (text, isError) {
  byId ('status').textContent = text;
  byId ('status').className = isError ? 'error' : '';
}

// --- the decoder ---

// A decoder that is at work on what nobody wants any more is ended.
function startWorker () {
  if (worker)
    worker.terminate ();
  const url = URL.createObjectURL (new Blob ([workerCode], { type: 'text/javascript' }));
  worker = new Worker (url);
  URL.revokeObjectURL (url);
  worker.postMessage ({ module: wasm });
  worker.onerror = (event) => answered ({ id: waiting && waiting.id, error: event.message });
  worker.onmessage = ({ data }) => answered (data);
}

function answered (data) {
  if (!waiting || data.id !== waiting.id)
    return;
  const { resolve, reject } = waiting;
  waiting = null;
  if (data.error)
    reject (new Error (data.error));
  else
    resolve (data);
}

async function ask (request) {
  if (!wasm) {
    workerCode = await unpack ('worker').blob ();
    wasm = await WebAssembly.compile (await unpack ('wasm').arrayBuffer ());
  }
  if (waiting || !worker) {
    if (waiting)
      waiting.reject (new Error (''));
    startWorker ();
  }
  const id = ++requests;
  return new Promise ((resolve, reject) => {
    waiting = { id, resolve, reject };
    worker.postMessage ({ id, ...request });
  });
}

// --- frames ---

const frameBytes = (n, limit) =>
  source.whole (frames[n].offset, Math.min (frames[n].size, limit || Infinity));

// Returns the bytes that frame n takes: its own, or those of the stack that it is of.
async function gather (n) {
  const { info } = await ask ({ head: await frameBytes (n, HEAD_BYTES) });
  const first = n - info.stackPosition, gathered = [];
  if (!info.stackLength || first < 0)
    return { info, frames: [await frameBytes (n)], position: 0 };
  for (let i = first; i < Math.min (first + info.stackLength, frames.length); i++)
    gathered.push (await frameBytes (i));
  return { info, frames: gathered, position: info.stackPosition };
}

function draw ({ width, height, pixels }) {
  canvas.width = width;
  canvas.height = height;
  context.putImageData (new ImageData (pixels, width, height), 0, 0);
}

// Shows frame n: reduced first if it is large. Returns the whole one, null if another one was
// wanted meanwhile.
async function show (n, wants) {
  const wanted = current = n;
  byId ('slider').value = n;
  byId ('number').textContent = `${n + 1} of ${frames.length}`;
  try {
    const request = await gather (n);
    const small = Math.min (request.info.levels,
      Math.max (0, Math.ceil (Math.log2 (request.info.width / SMALL_WIDTH))));
    let shown = null;
    for (const reduce of small > 0 ? [small, 0] : [0]) {
      const { frames: bytes, position } = request;
      shown = await ask ({ frames: bytes, position, reduce, raw: wants && reduce === 0 });
      if (current !== wanted)
        return null;
      draw (shown);
      describe (shown, n, reduce);
    }
    return shown;
  } catch (error) {
    if (current === wanted && error.message)
      say (`Frame ${n + 1} cannot be shown: ${error.message}.`, true);
    return null;
  }
}

// --- what a frame is ---

const NAMES = {
  matrix: ['unknown', 'RGB', 'FCC', 'BT.709', 'BT.601', 'SMPTE 240M', 'BT.2020'],
  transfer: ['unknown', 'linear', 'gamma 1.8', 'gamma 2.0', 'gamma 2.2', 'BT.709', 'SMPTE 240M',
    'sRGB', 'gamma 2.8', 'log 100', 'log 316', 'BT.2020 12 bit', 'Adobe RGB', 'BT.2020 10 bit',
    'PQ', 'HLG', 'BT.601'],
  range: ['unknown', 'full', 'limited'],
  colorTransform: ['none', 'RCT', 'ICT', 'RCT2', 'matrix', 'RCT-fit', '', 'of mosaics'],
  wavelet: ['5/3', '9/7', '13/7'],
  kind: ['unsigned', 'signed', 'binary16'],
};

function describe ({ info, seconds, broken }, n, reduce) {
  const [first] = info.components;
  const rows = [
    ['file', `${source.file.name}, ${kind}, ${frames.length} frames`],
    ['picture', `${info.width} x ${info.height}, ${info.nComponents} component`
      + (info.nComponents > 1 ? 's' : '') + (info.mosaic ? ', mosaic' : '')],
    ['samples', `${first.depth} bits, ${NAMES.kind[first.kind]}`],
    ['colors', `matrix ${NAMES.matrix[info.matrix]}, transfer ${NAMES.transfer[info.transfer]}, `
      + `range ${NAMES.range[info.range]}`],
    ['frame rate', info.fpsN ? `${info.fpsN}/${info.fpsD}` : 'unknown'],
    ['bytes', `${frames[n].size} at ${frames[n].offset}`],
    ['coding', `wavelet ${NAMES.wavelet[first.wavelet]}, ${info.levels} levels, color transform `
      + NAMES.colorTransform[info.colorTransform] + (info.fields ? ', two fields' : '')],
  ];
  if (info.stackLength)
    rows.push (['stack', `slice ${info.stackPosition + 1} of ${info.stackLength}`]);
  if (broken)
    rows.push (['damage', `${broken} blocks are broken, and shown as zero`]);
  byId ('info').replaceChildren (...rows.map (([name, text]) => {
    const row = document.createElement ('tr');
    for (const cell of [name, text])
      row.appendChild (document.createElement ('td')).textContent = cell;
    return row;
  }));
  say (reduce > 0 ? `1/${1 << reduce} of the size is shown, the whole picture is on its way.`
    : `Decoded in ${seconds.toFixed (2)} s.`, false);
}

// --- files ---

async function openFile (file) {
  say (`${file.name} is looked through.`, false);
  try {
    source = new Source (file);
    ({ kind, frames } = await findFrames (source));
  } catch (error) {
    frames = [];
    say (`${file.name} cannot be shown: ${error.message}.`, true);
    return null;
  }
  byId ('slider').max = frames.length - 1;
  byId ('controls').hidden = false;
  return show (0);
}

function step (by) {
  const n = Math.min (Math.max (current + by, 0), frames.length - 1);
  if (frames.length > 0 && n !== current)
    show (n);
}

function save () {
  canvas.toBlob ((blob) => {
    const link = document.createElement ('a');
    link.href = URL.createObjectURL (blob);
    link.download = `${source.file.name}-${current}.png`;
    link.click ();
    URL.revokeObjectURL (link.href);
  });
}

byId ('file').onchange = (event) => event.target.files[0] && openFile (event.target.files[0]);
byId ('slider').onchange = (event) => show (Number (event.target.value));
byId ('back').onclick = () => step (-1);
byId ('forward').onclick = () => step (1);
byId ('save').onclick = save;
document.ondragover = (event) => event.preventDefault ();
document.ondrop = (event) => {
  event.preventDefault ();
  if (event.dataTransfer.files[0])
    openFile (event.dataTransfer.files[0]);
};
document.onkeydown = (event) => {
  if (event.target.id !== 'slider' && ['ArrowLeft', 'ArrowRight'].includes (event.key))
    step (event.key === 'ArrowLeft' ? -1 : 1);
};
