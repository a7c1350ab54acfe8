#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes PaCo video, or whatever GStreamer plays, into NumPy arrays, or, on an
NVIDIA GPU, into CuPy arrays. It is an example to copy from, a module:

    from decode_to_numpy import frames
    for frame in frames('film.mov', reduce=1):
        print(frame.time, frame.components['Y'].mean())

and a program, which prints statistics or writes .npy files."""
import argparse
import ctypes
import os
import sys
from dataclasses import dataclass

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402,F401

try:
    import numpy
except ImportError:
    numpy = None

GST_MAP_READ_CUDA = 1 | 1 << 17  # GST_MAP_READ_CUDA of GStreamer's gstcudamemory.h
CU_POINTER_ATTRIBUTE_CONTEXT = 1  # of CUDA's cuda.h


class DecodeError(Exception):
    """An error whose text is a sentence for the user."""


@dataclass
class Frame:
    """A picture. Its components (Y, U, V or R, G, B, and A) are arrays of height x
    width, of their own size where chroma is subsampled. A sample of `depth` bits
    is a number from 0 to 2^depth - 1, in uint8 or, above 8 bits, in uint16."""
    time: float  # seconds from the beginning of the file
    format: str  # as GStreamer names it, such as I422_10LE
    depth: int   # bits of a sample; of the first component, if they differ
    components: dict

    def interleaved(self):
        """Returns one array of height x width x components."""
        arrays = list(self.components.values())
        if any(array.shape != arrays[0].shape for array in arrays):
            raise DecodeError(f'The components of {self.format} have different '
                              'sizes and cannot be interleaved.')
        # This is numpy or cupy.
        module = sys.modules[type(arrays[0]).__module__.split('.')[0]]
        return module.stack(arrays, axis=-1)


# --- samples of a picture ----------------------------------------------------

def plain_formats():
    """Returns the raw formats whose samples each have one or two bytes of
    their own, at which NumPy can look in place. Of others, such as v210,
    videoconvert makes the nearest of these."""
    kind = GstVideo.VideoFormatFlags
    names = []
    for number in GstVideo.video_formats_raw():
        info = GstVideo.VideoFormat.get_info(number)
        places = set(list(zip(info.plane, info.poffset))[:info.n_components])
        own = (len(places) == info.n_components
               and 0 not in info.pixel_stride[:info.n_components])
        # The table that describes VYUY has its chroma the other way round.
        if own and info.name != 'VYUY' and not info.flags & (
                kind.COMPLEX | kind.PALETTE | kind.TILED):
            names.append(info.name)
    return names


def names_of(info):
    if info.flags & GstVideo.VideoFormatFlags.GRAY:
        return ('Y',)
    names = 'RGBA' if info.flags & GstVideo.VideoFormatFlags.RGB else 'YUVA'
    return tuple(names[:info.n_components])


def components_of(module, data, video, meta):
    """Returns the components of a picture whose bytes are `data`, an array of
    uint8 of numpy or cupy. `meta` says where planes lie if it is not where
    they mostly do."""
    info, place = video.finfo, meta or video
    order = '>' if info.name.endswith('BE') else '<'
    components = {}
    for c, name in enumerate(names_of(info)):
        plane, depth, shift = info.plane[c], info.depth[c], info.shift[c]
        size = 1 if depth + shift <= 8 else 2
        shape = (-(-video.height >> info.h_sub[c]), -(-video.width >> info.w_sub[c]))
        strides = (place.stride[plane], info.pixel_stride[c])
        # GStreamer counts some in samples, those of P010 for example.
        offset = info.poffset[c]
        start = place.offset[plane] + (offset * size if offset % size else offset)
        end = start + (shape[0] - 1) * strides[0] + (shape[1] - 1) * strides[1]
        samples = view(module, data[start:end + size], f'{order}u{size}', shape,
                       strides)
        if depth < 8 * size:
            samples = (samples >> shift) & ((1 << depth) - 1)
        components[name] = samples.astype(
            module.uint8 if depth <= 8 else module.uint16)
    return components


def view(module, data, dtype, shape, strides):
    if module is numpy:
        return numpy.ndarray(shape, dtype, data, 0, strides)
    return module.ndarray(shape, dtype, data.data, strides)


# --- memory -------------------------------------------------------------------

def read_host(buffer):
    """Returns (numpy, the bytes of a buffer)."""
    done, mapped = buffer.map(Gst.MapFlags.READ)
    if not done:
        raise DecodeError('A picture cannot be read: its memory does not map.')
    try:
        return numpy, numpy.frombuffer(mapped.data, numpy.uint8).copy()
    finally:
        buffer.unmap(mapped)


class MapInfo(ctypes.Structure):
    """GstMapInfo. Python's bindings would read what its pointer points to, which
    they cannot where that is the memory of a GPU."""
    _fields_ = [('memory', ctypes.c_void_p), ('flags', ctypes.c_int),
                ('data', ctypes.c_void_p), ('size', ctypes.c_size_t),
                ('maxsize', ctypes.c_size_t), ('user_data', ctypes.c_void_p * 4),
                ('_reserved', ctypes.c_void_p * 4)]


class CudaReader:
    """Copies pictures within the GPU: from GStreamer's memory, which is used
    again for other pictures, into CuPy's."""

    def __init__(self):
        try:
            import cupy
            self.cupy = cupy
            self.cuda = ctypes.CDLL('libcuda.so.1')
        except (ImportError, OSError) as error:
            raise DecodeError(
                f'Arrays on a GPU want CuPy and NVIDIA\'s driver: {error}.'
            ) from error
        if not Gst.ElementFactory.find('cudaupload'):
            raise DecodeError('This GStreamer has no cudaupload, which takes '
                              'gstreamer1.0-plugins-bad and a usable GPU.')
        self.gst = ctypes.CDLL('libgstreamer-1.0.so.0')
        for name in 'gst_buffer_map', 'gst_buffer_unmap':
            getattr(self.gst, name).argtypes = (
                [ctypes.c_void_p, ctypes.POINTER(MapInfo)]
                + ([ctypes.c_int] if name == 'gst_buffer_map' else []))

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result:
            raise DecodeError(f'CUDA\'s {name} failed with error {result}.')

    def read(self, buffer):
        """Returns (cupy, the bytes of a buffer)."""
        mapped = MapInfo()
        # The hash of a GStreamer object in Python is its address.
        if not self.gst.gst_buffer_map(hash(buffer), mapped,
                                       GST_MAP_READ_CUDA):
            raise DecodeError('A picture in the GPU\'s memory does not map.')
        try:
            return self.cupy, self.copy(mapped.data, mapped.size)
        finally:
            self.gst.gst_buffer_unmap(hash(buffer), mapped)

    def copy(self, address, size):
        """Copies to CuPy's context. GStreamer has a CUDA context of its own,
        and what it has begun there must be done before another context may
        read it."""
        context, other = ctypes.c_void_p(), ctypes.c_void_p()
        source = ctypes.c_uint64(address)
        self.call('cuPointerGetAttribute', ctypes.byref(context),
                  CU_POINTER_ATTRIBUTE_CONTEXT, source)
        self.call('cuCtxPushCurrent_v2', context)
        try:
            self.call('cuCtxSynchronize')
        finally:
            self.call('cuCtxPopCurrent_v2', ctypes.byref(other))
        copied = self.cupy.empty(size, self.cupy.uint8)
        self.call('cuMemcpy', ctypes.c_uint64(copied.data.ptr), source,
                  ctypes.c_size_t(size))
        self.call('cuCtxSynchronize')
        return copied


# --- files --------------------------------------------------------------------

def explain(message):
    error, debug = message.parse_error()
    # The last line of an element's debugging text is what the stream or the
    # system has said; of plugins that are missing each has a line.
    lines = (debug or '').rstrip().split('\n')
    missing = [line for line in lines if line.startswith('Missing ')]
    said = '; '.join(missing) or lines[-1]
    reason = f' ({said})' if len(lines) > 1 and said else ''
    return f'{error.message.rstrip(".")}{reason}.'


def build(path, reduce, cuda):
    uri = path
    if not Gst.uri_is_valid(path):
        if not os.path.isfile(path):
            raise DecodeError(f'There is no file {path}.')
        uri = Gst.filename_to_uri(os.path.abspath(path))
    memory = '(memory:CUDAMemory)' if cuda else ''
    formats = ','.join(plain_formats())
    pipeline = Gst.parse_launch(
        'uridecodebin name=source expose-all-streams=false caps=video/x-raw(ANY) '
        f'! {"cudaupload" if cuda else "videoconvert dither=none"} ! appsink name=sink '
        'sync=false max-buffers=4 '
        f'caps=video/x-raw{memory},format=(string){{{formats}}}')
    pipeline.get_by_name('source').set_property('uri', uri)
    pipeline.decoders = []

    def added(_pipeline, _bin, element):
        factory = element.get_factory()
        if factory and factory.get_name() == 'pacodec':
            element.set_property('reduce', reduce)
            pipeline.decoders.append(element)

    pipeline.connect('deep-element-added', added)
    return pipeline


def frames(path, reduce=0, cuda=False):
    """Yields each Frame of a file or URI. reduce=1 decodes PaCo video at half of
    its width and height, 2 at a quarter, and so on, which takes less time. With
    cuda=True the arrays are CuPy's. Raises DecodeError, also after some frames if
    the file goes wrong there."""
    Gst.init(None)
    if numpy is None and not cuda:
        raise DecodeError('NumPy is missing (Debian: python3-numpy).')
    read = CudaReader().read if cuda else read_host
    pipeline = build(path, reduce, cuda)
    sink, bus = pipeline.get_by_name('sink'), pipeline.get_bus()
    try:
        pipeline.set_state(Gst.State.PLAYING)
        while True:
            sample = sink.try_pull_sample(Gst.SECOND // 10)
            if sample is None:
                message = bus.pop_filtered(Gst.MessageType.ERROR)
                if message:
                    raise DecodeError(f'{path}: {explain(message)}')
                if sink.get_property('eos'):
                    return
                continue
            if reduce and not pipeline.decoders:
                raise DecodeError(f'{path} has no PaCo video, and only that can '
                                  'be reduced.')
            buffer, video = sample.get_buffer(), GstVideo.VideoInfo.new_from_caps(
                sample.get_caps())
            time = sample.get_segment().to_stream_time(
                Gst.Format.TIME, buffer.pts)
            module, data = read(buffer)
            yield Frame(time / Gst.SECOND, video.finfo.name, video.finfo.depth[0],
                        components_of(module, data, video,
                                      GstVideo.buffer_get_video_meta(buffer)))
    finally:
        pipeline.set_state(Gst.State.NULL)


# --- the program ----------------------------------------------------------------

class Statistics:
    """Least, greatest and mean sample of a component, and their deviation."""

    def __init__(self):
        self.count, self.sum, self.squares = 0, 0, 0
        self.least, self.greatest = None, None

    def add(self, samples):
        least, greatest = int(samples.min()), int(samples.max())
        self.least = least if self.least is None else min(self.least, least)
        self.greatest = max(self.greatest or 0, greatest)
        self.count += samples.size
        self.sum += int(samples.sum(dtype='u8'))
        self.squares += int((samples.astype('u8') ** 2).sum(dtype='u8'))

    def __str__(self):
        mean = self.sum / self.count
        deviation = max(self.squares / self.count - mean ** 2, 0) ** 0.5
        return (f'{self.least} to {self.greatest}, mean {mean:.3f}, '
                f'deviation {deviation:.3f}')


def save(folder, path, number, frame, interleave):
    """Saves NAME-000012.npy, or one file per component: NAME-000012-Y.npy.
    Files that are there already are kept."""
    name = os.path.splitext(os.path.basename(path))[0]
    arrays = {'': frame.interleaved()} if interleave else {
        '-' + name: array for name, array in frame.components.items()}
    for suffix, array in arrays.items():
        out = os.path.join(folder, f'{name}-{number:06}{suffix}.npy')
        with open(out, 'xb') as file:
            numpy.save(file, array.get() if hasattr(array, 'get') else array)


def decode(path, args):
    statistics, number, frame = {}, 0, None
    for frame in frames(path, args.reduce, args.cuda):
        for name, samples in frame.components.items():
            statistics.setdefault(name, Statistics()).add(samples)
        if args.out:
            save(args.out, path, number, frame, args.interleave)
        number += 1
        if number == args.frames:
            break
    if not number:
        raise DecodeError(f'{path} has no pictures.')
    height, width = next(iter(frame.components.values())).shape
    print(f'{path}: {number} frames, {width}x{height}, {frame.format}, '
          f'{frame.depth} bits')
    for name, values in statistics.items():
        print(f'  {name}: {values}')


def main():
    parser = argparse.ArgumentParser(
        description='Decodes files into NumPy arrays: prints statistics of their '
        'samples, or writes .npy files.')
    add = parser.add_argument
    add('files', nargs='+', metavar='FILE')
    add('--reduce', type=int, default=0, choices=range(9), metavar='N',
        help='decodes PaCo video at 1/2^N of its width and height')
    add('--out', metavar='FOLDER', help='writes each frame there: '
        'NAME-000000-Y.npy, NAME-000000-U.npy, ...')
    add('--interleave', action='store_true', help='writes one array of '
        'height x width x components instead: NAME-000000.npy')
    add('--frames', type=int, default=0, metavar='N', help='no more of each file')
    add('--cuda', action='store_true', help='decodes into the memory of a GPU')
    args = parser.parse_args()
    if args.out and not os.path.isdir(args.out):
        sys.exit(f'There is no folder {args.out}.')
    failed = False
    for path in args.files:
        try:
            decode(path, args)
        except (DecodeError, OSError) as error:
            print(error, file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
