# SPDX-License-Identifier: LGPL-2.1-or-later
"""dali.py GOLDEN: DALI decodes golden streams on the CPU by way of nvImageCodec, to what
nvImageCodec's module for Python makes of them. The last line says how many tests passed and
failed."""
import os
import sys

import numpy
from nvidia import nvimgcodec
from nvidia.dali import fn, pipeline_def, types

RESULTS = {True: 0, False: 0}
STREAMS = [('rgb8-lossless-carried-set', types.RGB, types.UINT8),
           ('rgb12-lossless-3-passes', types.RGB, types.UINT16),
           ('gray8-lossless', types.ANY_DATA, types.UINT8),
           ('gray16-finest-steps', types.GRAY, types.UINT16),
           ('rgb12-broken-blocks', types.RGB, types.UINT16)]


def expect(good, name):
    RESULTS[bool(good)] += 1
    if not good:
        print('FAILED:', name)


@pipeline_def(batch_size=1, num_threads=2, device_id=None)
def pipeline(path, colors, kind):
    data, _ = fn.readers.file(files=[path])
    return fn.decoders.image(data, output_type=colors, dtype=kind)


def decode(*arguments):
    """Returns None where DALI raises an exception."""
    try:
        made = pipeline(*arguments)
        made.build()
        return numpy.asarray(made.run()[0].at(0))
    except RuntimeError:
        return None


def main():
    decoder = nvimgcodec.Decoder(device_id=nvimgcodec.NVIMGCODEC_DEVICE_CPU_ONLY,
                                 backends=[nvimgcodec.Backend(nvimgcodec.CPU_ONLY)])
    params = nvimgcodec.DecodeParams(color_spec=nvimgcodec.ColorSpec.UNCHANGED,
                                     allow_any_depth=True)
    for name, colors, kind in STREAMS:
        path = os.path.join(sys.argv[1], name + '.paco')
        array = decode(path, colors, kind)
        image = decoder.read(nvimgcodec.CodeStream(path), params=params)
        if 'broken' in name:
            expect(array is None and image is None, name)
        else:
            expect(array is not None and numpy.array_equal(array, numpy.asarray(image)), name)
    print(f'{RESULTS[True]} passed, {RESULTS[False]} failed')
    return RESULTS[False] > 0


sys.exit(main())
