#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples.py FOLDER: runs the examples in the elements' documentation.

They stand in the SECTION comments of the sources, between |[ and ]|. Each is run
as it stands there, but for what readme.py changes too, and with fewer pictures.
Those that write a file come first, since others play it; what is sent over a
network is received by the example that receives. A file that was recorded must
hold colour: none of the sources here is gray.
"""
import glob
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
from readme import adapt, run, run_network  # noqa: E402

EXAMPLE = re.compile(r'\|\[\n \* (gst-launch-1\.0 [^\n]*)\n \* \]\|')
RAW_FORMAT = re.compile(rb'PACO[\x01-\x0f].{15}([A-Za-z0-9_]+)\0', re.DOTALL)


def read_examples(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    if 'SECTION:element-' not in text:
        return []
    examples = EXAMPLE.findall(text)
    if not examples or len(examples) != text.count('|['):
        raise SystemExit(f'{path}: {len(examples)} examples were understood '
                         f'of {text.count("|[")}')
    return examples


def shorten(command):
    return re.sub(r'num-buffers=\d+', 'num-buffers=5', command)


def check_colour(path):
    """Checks that the first frame's header names the raw format that was
    coded."""
    with open(path, 'rb') as file:
        found = RAW_FORMAT.search(file.read())
    if found is None:
        raise SystemExit(f'{path} has no frame in it')
    if found[1].startswith(b'GRAY'):
        raise SystemExit(f'{path} was recorded as {found[1].decode()}')


def main():
    sources = glob.glob(os.path.join(os.path.abspath(sys.argv[1]), '*', '*.c'))
    examples = [example for path in sorted(sources)
                for example in read_examples(path)]
    writers = [example for example in examples if ' filesink ' in example]
    receivers = [example for example in examples if ' udpsrc ' in example]
    senders = [example for example in examples if ' udpsink ' in example]
    players = [example for example in examples
               if example not in writers + receivers + senders]
    if not writers or not players or len(receivers) != len(senders):
        raise SystemExit('there are no examples of recording or of playing, or '
                         'of sending what is received')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for example in writers:
            run(shorten(adapt(example)))
            for path in glob.glob('*'):
                check_colour(path)
        for example in players:
            run(adapt(example))
        for receiver, sender in zip(receivers, senders):
            run_network(receiver, sender)
    return 0


if __name__ == '__main__':
    sys.exit(main())
