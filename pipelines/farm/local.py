# SPDX-License-Identifier: LGPL-2.1-or-later
"""A farm of one machine, for farm.py: worker processes that make one range after the
other, each on a GPU of its own if there are several."""
import ctypes
import os
import signal
import subprocess
import sys
import threading

from job import TaskError

TRIES = 3
INTERRUPTED = 130, -signal.SIGINT
FUTILE = 4  # farm.py ends with it what would fail again


def count_gpus():
    """Returns how many GPUs CUDA shows to this process."""
    count = ctypes.c_int()
    try:
        driver = ctypes.CDLL('libcuda.so.1')
    except OSError:
        return 0
    failed = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    return 0 if failed else count.value


def gpus_of(args):
    """Returns the GPUs that workers have, by their names in
    CUDA_VISIBLE_DEVICES; [None]: they have what each of them finds."""
    if not args.gpus:
        return [None]
    count = count_gpus()
    if count < args.gpus:
        raise TaskError(f'{args.gpus} GPUs are asked for, and there are {count}.')
    names = os.environ.get('CUDA_VISIBLE_DEVICES')
    gpus = range(count) if names is None else names.split(',')
    return [str(gpu).strip() for gpu in gpus[:args.gpus]]


def environment(gpu, workers, args):
    """Returns what the processes of a worker are told."""
    env = dict(os.environ)
    threads = args.threads
    if threads is None and workers > 1:
        threads = max(1, len(os.sched_getaffinity(0)) // workers)
    if threads:
        env['PACO_FARM_THREADS'] = str(threads)
    if gpu is not None:
        env['CUDA_VISIBLE_DEVICES'] = gpu
    return env


class Ranges:
    """Ranges that are to be made. One that fails is made again, by each of the other
    GPUs before the same one has it once more: it may be the GPU that fails. It is given
    up when it has failed on all of them, and TRIES times."""

    def __init__(self, numbers, gpus):
        self.todo = list(numbers)
        self.gpus = set(gpus)
        self.tries = {number: [] for number in numbers}  # GPUs on which it failed
        self.running = 0
        self.failed = []
        self.stopped = False
        self.changed = threading.Condition()

    def choose(self, gpu):
        for number in self.todo:
            failed_on = set(self.tries[number])
            if gpu not in failed_on or failed_on == self.gpus:
                return number
        return None

    def take(self, gpu):
        """Returns the next range for a worker, or None. Waits while others
        have ranges that may come back."""
        with self.changed:
            while not self.stopped and (self.todo or self.running):
                number = self.choose(gpu)
                if number is not None:
                    self.todo.remove(number)
                    self.running += 1
                    return number
                self.changed.wait()
            return None

    def put_back(self, number, gpu, status):
        """Takes note of how a worker's process has ended."""
        with self.changed:
            self.running -= 1
            self.stopped |= status in INTERRUPTED
            if status:
                self.tries[number].append(gpu)
                again = len(self.tries[number]) < TRIES or \
                    set(self.tries[number]) != self.gpus
                if again and status != FUTILE and not self.stopped:
                    self.todo.append(number)
                else:
                    self.failed.append(number)
            self.changed.notify_all()

    def stop(self):
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def failures(self, gpu):
        return sum(tried.count(gpu) for tried in self.tries.values())


def make(job, command, number, env):
    """Runs the process that makes a range, and returns its status."""
    try:
        with open(os.path.join(job.logs, f'{number}.log'), 'ab') as log:
            return subprocess.run(
                [*command, 'run', job.folder, str(number)], env=env,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                check=False).returncode
    except OSError as error:
        print(f'farm.sh: range {number}: {error.strerror}.', file=sys.stderr,
              flush=True)
        return 1


def run(job, command, args):
    """Makes what is missing; returns how many ranges failed, and {GPU: how
    often}."""
    gpus = gpus_of(args)
    workers = args.workers or args.gpus or 1
    ranges = Ranges(job.missing(), gpus)

    def work(gpu):
        env = environment(gpu, workers, args)
        while (number := ranges.take(gpu)) is not None:
            # With Ctrl-C this program has got it, too, or will.
            ranges.put_back(number, gpu, make(job, command, number, env))

    threads = [threading.Thread(target=work, args=[gpus[worker % len(gpus)]])
               for worker in range(workers)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        ranges.stop()
        raise
    return len(ranges.failed), {gpu: ranges.failures(gpu) for gpu in gpus
                                if gpu is not None and ranges.failures(gpu)}
