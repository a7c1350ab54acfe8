#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gpus.py: tests `farm.sh local --gpus`: each worker has a GPU of its own, what fails on
one is made by another one, and what comes of it are the bytes of one machine without a
GPU. First processes that do nothing but say where they are stand for those that make
ranges; then the elements do, over the emulation of GPUs."""
import argparse
import glob
import json
import os
import random
import re
import sys
import tempfile
from unittest import mock

sys.dont_write_bytecode = True
from films import (ROOT, check, farm, make, run_checks, same_bytes)  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, 'pipelines', 'farm'))
import local  # noqa: E402
from job import TaskError  # noqa: E402

SECONDS = 120

# Notes its GPU in a file of its own. With a number of others to wait for, it waits until
# as many run. Fails as told: {'GPU n' or 'range n': status}.
STAND_IN = """
import json, os, sys, time
folder, number = sys.argv[-2:]
told = json.load(open(f'{folder}/told.json'))
gpu = os.environ.get('CUDA_VISIBLE_DEVICES', 'none')
with open(f'{folder}/logs/{number}.{gpu}.{os.getpid()}.ran', 'w') as file:
    file.write(gpu)
until = time.monotonic() + %d
while len([name for name in os.listdir(f'{folder}/logs')
           if name.endswith('.ran')]) < told['together']:
    if time.monotonic() > until:
        sys.exit('The others do not run.')
    time.sleep(0.01)
sys.exit(told['status'].get('GPU ' + gpu) or
         told['status'].get('range ' + number) or 0)
""" % SECONDS


class StandIn:
    """A job of COUNT ranges, which stand-ins make."""

    def __init__(self, count, together=0, status=None):
        self.folder = tempfile.mkdtemp(dir='.')
        self.logs = f'{self.folder}/logs'
        self.count = count
        os.mkdir(self.logs)
        with open(f'{self.folder}/told.json', 'w', encoding='utf-8') as file:
            json.dump({'together': together, 'status': status or {}}, file)

    def missing(self):
        return list(range(1, self.count + 1))

    def run(self, gpus=None, workers=None, there=8, visible=None):
        """Returns what local.run() says on a machine of N GPUs, and
        where ranges ran, as [(range, GPU)]."""
        args = argparse.Namespace(gpus=gpus, workers=workers, threads=1)
        env = {} if visible is None else {'CUDA_VISIBLE_DEVICES': visible}
        with mock.patch.dict(os.environ, env), \
                mock.patch.object(local, 'count_gpus', return_value=there):
            if visible is None:
                os.environ.pop('CUDA_VISIBLE_DEVICES', None)
            said = local.run(self, [sys.executable, '-c', STAND_IN], args)
        ran = [tuple(os.path.basename(path).split('.')[:2])
               for path in glob.glob(f'{self.logs}/*.ran')]
        return said, ran


def check_own():
    """Checks that workers that run at the same time have different GPUs."""
    for visible, names in ((None, '0123'), ('7,2,5,3,4', '7253')):
        said, ran = StandIn(4, together=4).run(gpus=4, visible=visible)
        check(said == (0, {}), 'ranges failed', said)
        check(sorted(gpu for _, gpu in ran) == sorted(names), 'other GPUs', ran)
    # Each has two workers, and there is none that has to have one.
    said, ran = StandIn(4, together=4).run(gpus=2, workers=4)
    check(sorted(gpu for _, gpu in ran) == list('0011'), 'other GPUs', ran)
    said, ran = StandIn(3, together=3).run(workers=3)
    check([gpu for _, gpu in ran] == ['none'] * 3, 'other GPUs', ran)


def check_failing():
    """Checks a GPU on which everything fails: each range is made by another
    one."""
    count = random.randint(1, 12)
    said, ran = StandIn(count, status={'GPU 1': 1, 'GPU 2': -9}).run(gpus=4)
    check(said[0] == 0, 'ranges failed', (said, ran))
    good = [number for number, gpu in ran if gpu in '03']
    check(sorted(map(int, good)) == list(range(1, count + 1)), 'not all are made',
          ran)
    for gpu in '12':
        on_it = [number for number, at in ran if at == gpu]
        check(len(on_it) == len(set(on_it)), 'the same GPU had one again', ran)
        check(said[1].get(gpu, 0) == len(on_it), 'another count', (said, ran))
    # Alone it tries again.
    said, ran = StandIn(2, status={'GPU 0': 1}).run(gpus=1)
    check(said == (2, {'0': 6}) and len(ran) == 6, 'other tries', (said, ran))


def check_broken_range():
    """Checks that a range that nobody can make is given up, and the others are
    made."""
    for gpus, tries in ((None, 3), (2, 3), (5, 5)):
        said, ran = StandIn(7, status={'range 3': 1}).run(gpus=gpus)
        check(said[0] == 1, 'another number fails', said)
        check(sum(number == '3' for number, _ in ran) == tries, 'other tries', ran)
        check({number for number, _ in ran} == set('1234567'), 'not all', ran)
    said, ran = StandIn(3, status={'range 2': 4}).run(gpus=3)
    check(said[0] == 1 and len(ran) == 3, 'what is futile runs again', (said, ran))
    said, ran = StandIn(30, status={'GPU none': 130}).run()
    check(said[0] == 1 and len(ran) == 1, 'goes on after Ctrl-C', (said, ran))


def check_refused():
    for there, visible in ((2, None), (0, ''), (1, '0,9,1')):
        try:
            StandIn(1).run(gpus=3, there=there, visible=visible)
        except TaskError as error:
            check(f'there are {there}' in str(error), str(error))
        else:
            check(False, 'GPUs that are not there')
    output = farm('local', 'film.mov', 'x.paco', '--gpus', 4, '--workers', 3,
                  status=2)
    check('4 workers at least' in output, 'too few workers', output)


def check_emulated():
    """Checks elements, by GPUs one of which is lost in each range, while the
    encoder opens it or later."""
    driver = os.path.join(os.environ['PACO_BUILD_ROOT'], 'tests', 'gpu', 'kernels',
                          'emulated')
    if not os.path.exists(f'{driver}/libcuda.so.1'):
        print('There is no emulation of GPUs.')
        return
    env = {**os.environ, 'LD_LIBRARY_PATH': driver, 'FAKE_CUDA_DEVICES': '4',
           'GST_DEBUG': 'paco*:4', 'GST_DEBUG_NO_COLOR': '1'}
    env.pop('CUDA_VISIBLE_DEVICES', None)
    lost = random.randrange(4)
    plan = f'device{lost}:{random.randint(1, 60)}:700:lost'
    # These are frames of a range, options, environment, and whether a log's
    # GPUs are right.
    jobs = {
        'backend=cpu': (8, (), os.environ, lambda found: not found),
        'backend=cuda': (2, ('--gpus', 4),
                         {**env, 'FAKE_CUDA_FAIL': plan},
                         lambda found: found and len(found - {str(lost)}) <= 1),
        'backend=cuda pipeline-depth=1': (
            4, ('--gpus', 2), {**env, 'CUDA_VISIBLE_DEVICES': '3,1'},
            lambda found: found in ({'3'}, {'1'})),
        'backend=cuda cuda-devices=all': (8, (), env,
                                          lambda found: found == {'0 and 3 more'}),
    }
    # The decoder has nothing to do with GPUs.
    make('film.avi', frames=8, coder='avimux', sound=False,
         caps='format=UYVY,width=96,height=64,framerate=25/1')
    first = None
    for number, (coder, job) in enumerate(jobs.items()):
        frames, options, more, is_right = job
        out = f'{number}.paco'
        print(farm('local', 'film.avi', out, '--frames', frames, '--encoder',
                   f'pacoenc rate-control=lossless {coder}', *options, env=more))
        farm('join', f'{out}.farm')
        first = first or out
        check(same_bytes(out, first), f'{coder}: other bytes')
        used = [gpus_in(path) for path in glob.glob(f'{out}.farm/logs/*.log')]
        print(used, flush=True)
        check(len(used) == 8 // frames and all(map(is_right, used)),
              f'{coder}: other GPUs', (plan, used))
    output = farm('local', 'film.avi', 'x.paco', '--gpus', 5, status=1, env=env)
    check('5 GPUs are asked for, and there are 4' in output, 'five of four', output)


def gpus_in(path):
    """Returns what a log says of the GPUs that the encoder opens."""
    with open(path, encoding='utf-8', errors='replace') as file:
        return {''.join(found) for found in re.findall(
            r'using .*Emulated GPU (\d) \(device \d\)( and 3 more)?', file.read())}


CHECKS = {'own': check_own, 'failing': check_failing,
          'broken-range': check_broken_range, 'refused': check_refused,
          'emulated': check_emulated}


if __name__ == '__main__':
    sys.exit(run_checks(CHECKS, sys.argv[1:]))
