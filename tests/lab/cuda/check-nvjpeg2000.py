#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-nvjpeg2000.py PROGRAM FAKE: lab-nvjpeg2000 without a library, and with one of our
own, whose calls fail one after the other. Needs the emulated driver."""
import json
import os
import random
import subprocess
import sys
import tempfile

# They stand in the order in which a picture comes by them.
FUNCTIONS = ('GetProperty', 'EncoderCreateSimple', 'CreateSimple', 'EncodeStateCreate',
             'DecodeStateCreate', 'StreamCreate', 'EncodeParamsCreate',
             'EncodeParamsSetEncodeConfig', 'EncodeParamsSpecifyQuality', 'Encode',
             'EncodeRetrieveBitstream', 'StreamParse', 'Decode', 'EncodeParamsDestroy',
             'StreamDestroy', 'DecodeStateDestroy', 'EncodeStateDestroy',
             'EncoderDestroy', 'Destroy')
CODERS = ('this codec, lossless', 'this codec, quality 90', 'JPEG 2000, lossless',
          'JPEG 2000, as quality 90', 'HTJ2K, lossless', 'HTJ2K, as quality 90')


def run(program, *arguments, **environment):
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False,
                          env=dict(os.environ, **environment))


def check_missing(program):
    done = run(program, '--check', LAB_NVJPEG2K='/nonexistent/libnvjpeg2k.so.0')
    assert done.returncode == 77, done
    assert done.stdout.startswith('skipped: LAB_NVJPEG2K cannot be opened: '), done
    # This is a library, but not this one.
    done = run(program, '--check', LAB_NVJPEG2K='libm.so.6')
    assert done.returncode == 77 and 'has no nvjpeg2kGetProperty' in done.stdout, done


def check_device(program, fake):
    """Checks what it says without a driver."""
    done = run(program, '--check', LAB_NVJPEG2K=fake, LD_LIBRARY_PATH='',
               PACO_EMULATED='', CUDA_VISIBLE_DEVICES='')
    assert done.returncode != 0, done
    assert 'SKIPPED: ' in done.stdout, done


def check_measurement(program, fake):
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/log'
        done = run(program, '--short', LAB_NVJPEG2K=fake, FAKE_NVJPEG2K_LOG=log)
        with open(log, encoding='utf-8') as file:
            calls = dict(line.split() for line in file)
    assert done.returncode == 0, done
    assert 'nvJPEG2000 0.1.2, ' in done.stderr, done
    values = {(line['table'], line['x'], line['series']): line['value']
              for line in map(json.loads, done.stdout.splitlines())}
    for table, bits in (('004 today gray', 8), ('004 today RGB', 16)):
        assert {x for name, x, _ in values if name == table} == set(CODERS)
        for x in CODERS:
            for series in ('encoding', 'decoding', 'encoding in flight',
                           'decoding in flight', 'encoding one at a time',
                           'decoding one at a time', 'rate'):
                assert values[table, x, series] > 0, (table, x, series)
            lossy = (table, x, 'PSNR') in values
            assert lossy == ('quality' in x), (table, x)
            if not x.startswith('this'):
                assert bits <= values[table, x, 'rate'] < bits + 0.1, (table, x)
        psnr = values[table, 'this codec, quality 90', 'PSNR']
        for x in ('JPEG 2000, as quality 90', 'HTJ2K, as quality 90'):
            assert abs(values[table, x, 'PSNR'] - psnr) < 6, (table, x)
    assert calls.pop('left') == '0', calls
    assert set(calls) == set(FUNCTIONS) and '0' not in calls.values(), calls


def check_failures(program, fake):
    for name in FUNCTIONS:
        status = random.randint(1, 9)
        done = run(program, '--check', '--short', LAB_NVJPEG2K=fake,
                   FAKE_NVJPEG2K_FAIL=f'{name}:1:{status}')
        assert done.returncode == 1, (name, done)
        assert f'nvjpeg2k{name}: ' in done.stderr and f' ({status}) ' in done.stderr, (
            name, done)


def check_refusals(program, fake):
    """Checks that what the library cannot do is left out, and said, and that
    what is wrong ends the program."""
    done = run(program, '--short', LAB_NVJPEG2K=fake, FAKE_NVJPEG2K_NO_HT='1')
    assert done.returncode == 0, done
    assert ('HTJ2K, lossless is left out: nvjpeg2kEncodeParamsSetEncodeConfig returned 4'
            in done.stderr), done
    coders = {json.loads(line)['x'] for line in done.stdout.splitlines()}
    assert coders == {x for x in CODERS if 'HTJ2K' not in x}, coders
    for options in (('--check', '--short'), ('--short',)):
        done = run(program, *options, LAB_NVJPEG2K=fake, FAKE_NVJPEG2K_WRONG='1')
        assert done.returncode == 1 and 'is not what was encoded' in done.stderr, done


def main():
    program, fake = sys.argv[1:]
    check_missing(program)
    check_device(program, fake)
    done = run(program, '--check', '--short', LAB_NVJPEG2K=fake)
    assert done.returncode == 0, done
    check_measurement(program, fake)
    check_failures(program, fake)
    check_refusals(program, fake)


if __name__ == '__main__':
    main()
