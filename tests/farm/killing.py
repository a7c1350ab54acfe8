#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""killing.py [--long]: tests that a farm of Slurm whose workers are killed, whose nodes are
drained or lost and whose controller is started again makes the file that one machine
makes. --long kills for minutes, at random."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from cluster import Cluster, Missing, missing, parent, wait_for  # noqa: E402
from films import check, farm, make, need_join, same_bytes, skip  # noqa: E402

LONG = '--long' in sys.argv
FRAMES = 900 if LONG else 60
# The film is slow enough to be killed in the middle, whatever the machine.
ENCODER = f'identity sleep-time={200000 if LONG else 40000} ! pacoenc quality=80'
FAST = 'identity sleep-time=0 ! pacoenc quality=80'


def submit(cluster, *arguments):
    return farm('submit', *arguments, env=cluster.env)


def status(cluster, job):
    return subprocess.run(
        ['sh', os.path.join(os.environ['PACO_SOURCE_ROOT'],
                            'pipelines/farm/farm.sh'), 'status', job],
        env=cluster.env, text=True, stdout=subprocess.PIPE, check=False)


def kill_one(cluster, job, shell=False):
    """Kills a worker in the middle, or the shell that would have it run again,
    and returns its range."""
    workers = wait_for('a worker', lambda: cluster.workers(job))
    number = random.choice(list(workers))
    time.sleep(random.uniform(0, 0.3))
    try:
        pid = workers[number]
        os.kill(parent(pid) if shell else pid, signal.SIGKILL)
    except (ProcessLookupError, FileNotFoundError):
        return None
    print(f'killed the {"shell" if shell else "worker"} of range {number}',
          flush=True)
    return number


def finish(cluster, job, seconds):
    """Waits for all parts, as somebody who looks after the farm, and joins them."""
    def done():
        for name in cluster.names:
            cluster.resume(name)
        found = status(cluster, job)
        if 'missing' in found.stdout:
            # What failed too often is queued once more.
            submit(cluster, job)
        return found.returncode == 0
    try:
        wait_for('all parts', done, seconds)
    finally:
        print(status(cluster, job).stdout, flush=True)
        print(cluster.ask('sinfo', '--Node', '--long'),
              cluster.ask('squeue', '--array'), flush=True)
    print(farm('join', job, env=cluster.env), flush=True)


def on_one_machine():
    """Makes what is to come out of it."""
    make('film.mov', frames=FRAMES, sound=False)
    farm('local', 'film.mov', 'one.paco', '--ranges', 1, '--encoder',
         FAST)
    farm('join', 'one.paco.farm')


def check_short(cluster):
    submit(cluster, 'film.mov', 'film.paco', '--encoder', ENCODER, '--ranges', 9,
           '--threads', 1)
    job = os.path.abspath('film.paco.farm')
    killed = None
    while killed is None:
        killed = kill_one(cluster, job)
    cluster.drain('w2')
    cluster.restart_controller()
    wait_for('a part', lambda: 'done' in status(cluster, job).stdout)
    # While it is queued nothing is queued twice.
    check('nothing to queue' in submit(cluster, job)
          or 'missing' in status(cluster, job).stdout, 'queued twice')
    # A part that was lost is made with the same options, of which a node of this
    # farm needs one: it has a single processor.
    wait_for('all parts', lambda: status(cluster, job).returncode == 0, 60)
    os.unlink(f'{job}/parts/00003.paco')
    check('1 of 9 ranges' in submit(cluster, job), 'what is missing')
    finish(cluster, job, 60)
    with open(f'{job}/logs/{killed}.log', encoding='utf-8') as file:
        log = file.read()
    check('is queued again' in log, f'range {killed} did not run again', log)
    check(same_bytes('film.paco', 'one.paco'), 'another file')


def check_long(cluster):
    """Does everything, at random, for some minutes."""
    submit(cluster, 'film.mov', 'film.paco', '--encoder', ENCODER, '--frames', 8,
           '--threads', 1)
    job = os.path.abspath('film.paco.farm')
    until = time.monotonic() + 120
    while time.monotonic() < until and status(cluster, job).returncode:
        what = random.choice(('kill', 'shell', 'drain', 'controller', 'node',
                              'submit', 'join'))
        print(what, flush=True)
        name = random.choice(cluster.names)
        if what in ('kill', 'shell') and cluster.workers(job):
            kill_one(cluster, job, what == 'shell')
        elif what == 'drain':
            cluster.drain(name)
            time.sleep(1)
            cluster.resume(name)
        elif what == 'controller':
            cluster.stop('slurmctld', random.choice((signal.SIGTERM,
                                                     signal.SIGKILL)))
            time.sleep(random.uniform(0, 2))
            cluster.start_controller()
        elif what == 'node':
            cluster.stop(name, signal.SIGKILL)
            time.sleep(random.uniform(0, 10))
            cluster.start_node(name)
        elif what == 'submit':
            submit(cluster, job)
        elif what == 'join' and status(cluster, job).returncode:
            farm('join', job, env=cluster.env, status=4)
        time.sleep(random.uniform(0, 3))
    finish(cluster, job, 200)
    check(same_bytes('film.paco', 'one.paco'), 'another file')


def main():
    need_join()
    if missing():
        skip(missing())
    seed = int(os.environ.get('PACO_SEED', random.randrange(2**32)))
    random.seed(seed)
    print(f'PACO_SEED={seed}', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir('slurm')
        try:
            with Cluster(f'{folder}/slurm', ['w1', 'w2', 'w3']) as cluster:
                on_one_machine()
                try:
                    (check_long if LONG else check_short)(cluster)
                except BaseException:
                    print(cluster.logs(), flush=True)
                    raise
        except Missing as error:
            skip(f'Slurm does not start here: {error}')
        finally:
            os.chdir('/')
    return 0


if __name__ == '__main__':
    sys.exit(main())
