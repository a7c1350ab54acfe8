# SPDX-License-Identifier: LGPL-2.1-or-later
"""A farm of one machine, for farm.py: worker processes that make one range after the
other, each on a GPU of its own if there are several."""
import os
import queue
import signal
import subprocess
import threading

from job import TaskError

TRIES = 3
INTERRUPTED = 130, -signal.SIGINT
FUTILE = 4  # farm.py ends with it what would fail again


def environment(worker, workers, args):
    env = dict(os.environ)
    threads = args.threads
    if threads is None and workers > 1:
        threads = max(1, len(os.sched_getaffinity(0)) // workers)
    if threads:
        env['PACO_FARM_THREADS'] = str(threads)
    if args.gpus:
        names = env.get('CUDA_VISIBLE_DEVICES', '')
        devices = names.split(',') if names else \
            [str(device) for device in range(args.gpus)]
        if len(devices) < args.gpus:
            raise TaskError(f'CUDA_VISIBLE_DEVICES has {len(devices)} GPUs.')
        env['CUDA_VISIBLE_DEVICES'] = devices[worker % args.gpus]
    return env


def run(job, command, args):
    """Makes what is missing; gives how many ranges failed."""
    todo = queue.SimpleQueue()
    for number in job.missing():
        todo.put(number)
    workers = args.workers or args.gpus or 1
    environments = [environment(worker, workers, args)
                    for worker in range(workers)]
    failed = []
    stop = threading.Event()

    def make(number, env):
        with open(os.path.join(job.logs, f'{number}.log'), 'ab') as log:
            for _ in range(TRIES):
                status = subprocess.run(
                    [*command, 'run', job.folder, str(number)], env=env,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    check=False).returncode
                if status in INTERRUPTED:
                    # Ctrl-C: this program has got it, too, or will.
                    stop.set()
                if stop.is_set() or status in (0, FUTILE):
                    break
        if status:
            failed.append(number)

    def work(env):
        while not stop.is_set():
            try:
                number = todo.get_nowait()
            except queue.Empty:
                return
            make(number, env)

    threads = [threading.Thread(target=work, args=[env]) for env in environments]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        stop.set()
        raise
    return len(failed)
