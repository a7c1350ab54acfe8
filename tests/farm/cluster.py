# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a Slurm on this machine alone, for the tests of pipelines/farm: munged, slurmctld
and a slurmd for each of several nodes that are only names, by whatever user runs the
test, in a folder and on ports of their own.

    with Cluster(folder, ['w1', 'w2']) as cluster:
        ...

Nothing of it is left afterwards, however the test ends."""
import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

PROGRAMS = ('munged', 'slurmctld', 'slurmd', 'sbatch', 'scontrol', 'squeue')
# Daemons are there, though not for ordinary users.
PATH = os.environ['PATH'] + ':/usr/sbin:/sbin'
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SECONDS = 30

CONF = '''ClusterName=farm
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={run}/munge.sock,cred_expire=5
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={run}/state
SlurmdSpoolDir={run}/spool-%n
SlurmctldPidFile={run}/slurmctld.pid
SlurmdPidFile={run}/slurmd-%n.pid
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmctldLogFile={run}/slurmctld.log
SlurmdLogFile={run}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
ReturnToService=2
JobRequeue=1
KillWait=1
SlurmdTimeout=6
MailProg=/bin/true
{nodes}
PartitionName=farm Nodes={names} Default=YES MaxTime=INFINITE State=UP
'''


class Missing(Exception):
    """Why there can be no Slurm on this machine."""


def missing():
    """Returns what is not installed, in words; None if all is there."""
    absent = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
    return f'not installed: {", ".join(absent)}' if absent else None


def free_ports(count):
    """Returns ports that nobody listens on."""
    sockets = [socket.create_server(('127.0.0.1', 0)) for _ in range(count)]
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


def wait_for(what, condition, seconds=SECONDS):
    """Waits until condition() is true, which is returned."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise TimeoutError(f'{what}: not within {seconds} seconds')


def prctl(option, value):
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), 'prctl')


def parent(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as file:
        return int(file.read().rsplit(')', 1)[1].split()[1])


def descendants(pid):
    """Returns the processes that pid and its children have started."""
    children = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                children.setdefault(parent(name), []).append(int(name))
            except OSError:
                continue  # it has ended
    found, todo = [], [pid]
    while todo:
        mine = children.get(todo.pop(), [])
        found += mine
        todo += mine
    return found


def command_line(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as file:
            return file.read().decode(errors='replace').split('\0')[:-1]
    except OSError:
        return []


class Cluster:
    """A cluster. Each node has as many processors as are asked for, which are shared."""

    def __init__(self, folder, names, processors=1):
        self.run = folder
        self.names = names
        ports = free_ports(2 + len(names))
        nodes = '\n'.join(
            f'NodeName={name} NodeHostname={socket.gethostname().split(".")[0]} '
            f'NodeAddr=127.0.0.1 Port={port} CPUs={processors} State=UNKNOWN'
            for name, port in zip(names, ports[2:]))
        self.conf = os.path.join(folder, 'slurm.conf')
        with open(self.conf, 'w', encoding='ascii') as file:
            file.write(CONF.format(
                host=socket.gethostname().split('.')[0], run=folder, ports=ports,
                user=getpass.getuser(), nodes=nodes, names=','.join(names)))
        os.makedirs(os.path.join(folder, 'state'))
        self.env = {**os.environ, 'SLURM_CONF': self.conf, 'PATH': PATH}
        self.daemons = {}

    def __enter__(self):
        # What Slurm's daemons leave behind becomes a child of this process.
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        try:
            self.start_munge()
            self.start_controller()
            for name in self.names:
                self.start_node(name)
            wait_for('nodes', lambda: set(self.states()) == {'idle'})
        except (OSError, TimeoutError, subprocess.SubprocessError) as error:
            logs = self.logs()
            self.__exit__()
            raise Missing(f'{error}\n{logs}') from None
        return self

    def __exit__(self, *_):
        for _ in range(100):
            pids = descendants(os.getpid())
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                break
            time.sleep(0.05)
        self.daemons.clear()

    def start(self, name, *words):
        with open(os.path.join(self.run, f'{name}.out'), 'ab') as out:
            keeper = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), *words],
                env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        self.daemons[name] = wait_for(name, lambda: descendants(keeper.pid))[0]

    def start_munge(self):
        key = os.path.join(self.run, 'munge.key')
        with open(key, 'wb', opener=lambda path, flags:
                  os.open(path, flags, 0o600)) as file:
            file.write(os.urandom(1024))
        path = os.path.join(self.run, 'munge.')
        self.start('munged', 'munged', '--foreground', '--force',
                   f'--key-file={key}', f'--socket={path}sock',
                   f'--pid-file={path}pid', f'--log-file={path}log',
                   f'--seed-file={path}seed')
        wait_for('munged', lambda: os.path.exists(path + 'sock'))

    def start_controller(self):
        self.start('slurmctld', 'slurmctld', '-D')
        wait_for('slurmctld', lambda: subprocess.run(
            ['scontrol', 'ping'], env=self.env, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode == 0)

    def start_node(self, name):
        self.start(name, 'slurmd', '-D', '-N', name)

    def stop(self, name, number=signal.SIGTERM):
        pid = self.daemons.pop(name)
        os.kill(pid, number)
        wait_for(f'the end of {name}',
                 lambda: not os.path.exists(f'/proc/{pid}'))

    def restart_controller(self):
        self.stop('slurmctld')
        self.start_controller()

    def ask(self, *words):
        return subprocess.run(words, env=self.env, check=True, text=True,
                              stdout=subprocess.PIPE, timeout=SECONDS).stdout

    def states(self):
        """Returns the states of the nodes."""
        return self.ask('sinfo', '--noheader', '--Node', '--format=%T').split()

    def drain(self, name):
        self.ask('scontrol', 'update', f'NodeName={name}', 'State=DRAIN',
                 'Reason=test')

    def resume(self, name):
        """Has no effect on nodes that are neither drained nor down."""
        subprocess.run(['scontrol', 'update', f'NodeName={name}', 'State=RESUME'],
                       env=self.env, check=False, timeout=SECONDS,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def workers(self, folder):
        """{range: process} of the tasks that work on a job."""
        found = {}
        for pid in descendants(os.getpid()):
            words = command_line(pid)
            # Not the shell that has started it.
            if len(words) == 5 and words[1].endswith('farm.py') and \
                    words[2:4] == ['run', folder]:
                found[int(words[4])] = pid
        return found

    def logs(self):
        """Returns the ends of all logs, for a test that has failed."""
        texts = []
        for name in sorted(os.listdir(self.run)):
            if name.endswith(('.log', '.out')):
                with open(os.path.join(self.run, name), encoding='utf-8',
                          errors='replace') as file:
                    texts.append(f'--- {name}\n{file.read()[-3000:]}')
        return '\n'.join(texts)


def keep(words):
    """What start() runs: a daemon, and the end of all processes that it leaves to
    others. Those that nobody waits for are there for Slurm, which takes a node for
    broken when it cannot get rid of a task."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    subprocess.Popen(
        words, preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


if __name__ == '__main__':
    keep(sys.argv[1:])
