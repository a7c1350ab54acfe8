#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""readme.py README.md PIPELINES.md: runs the scripts and pipelines of both, and their
Python program.

Word for word, but for what a test must change: no window is opened, and what
would run forever (the network, a recording) ends after a few pictures.
"""
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r'^```(\w+)\n(.*?)^```', re.MULTILINE | re.DOTALL)
SECONDS = 600  # a hang, on the slowest of machines
PORT = 40000 + os.getpid() % 20000


def read_blocks(path):
    """Returns (language, text) of the code blocks of a document."""
    with open(path, encoding='utf-8') as file:
        return [match.groups() for match in FENCE.finditer(file.read())]


def commands(block):
    """Returns the gst-launch-1.0 commands of a block."""
    lines = block.replace('\\\n', ' ').splitlines()
    return [line for line in lines if line.startswith('gst-launch-1.0 ')]


def read_scripts(blocks):
    """Returns the lines that start the project's scripts and programs, but for those that
    build."""
    lines = [line.split('#', 1)[0].strip() for _language, block in blocks
             for line in block.splitlines()]
    return [line for line in lines if 'quickstart' not in line
            and line.startswith(('sh pipelines/', 'build/'))]


def check_built(scripts):
    """Checks that quickstart.sh builds what README starts from the build folder
    afterwards."""
    named = {line.split()[0].removeprefix('build/') for line in scripts
             if line.startswith('build/')}
    with open(os.path.join(os.environ['PACO_SOURCE_ROOT'],
                           'pipelines/quickstart.sh'), encoding='utf-8') as file:
        built = re.search(r'ninja -C "\$build" ((?:.*\\\n)*.*)', file.read())[1]
        built = built.replace('\\\n', ' ').split()
    if not named or named - set(built):
        raise SystemExit(f'of {sorted(named)} quickstart.sh builds only {built}')


def run_scripts(lines):
    """Runs them in a folder that has the scripts, and what was built, where README
    has them, and files to be archived; elements are found by the scripts alone."""
    os.symlink(os.path.join(os.environ['PACO_SOURCE_ROOT'], 'pipelines'),
               'pipelines')
    os.symlink(os.environ['PACO_BUILD_ROOT'], 'build')
    os.mkdir('scans')
    for number in range(3):
        with open(f'scans/{number}.pgm', 'wb') as file:
            file.write(b'P5 64 48 255\n' + os.urandom(64 * 48))
    for name in 'GST_PLUGIN_PATH_1_0', 'GST_PLUGIN_PATH':
        os.environ.pop(name, None)
    for line in lines:
        if line.startswith('build/') and not os.path.exists(line.split()[0]):
            print(f'{line}: was not built', flush=True)
            continue
        line = line.replace('record.sh', 'record.sh --frames 12 --caps '
                            'width=320,height=240,framerate=25/1')
        run(line.replace('play.sh', 'play.sh --headless'))


def adapt(command):
    command = command.replace('gst-launch-1.0 playbin',
                              'gst-launch-1.0 playbin video-sink=fakesink '
                              'audio-sink=fakesink')
    command = command.replace('autovideosink', 'fakesink')
    return command.replace('port=5004', f'port={PORT}')


def run(command):
    print('$', command, flush=True)
    subprocess.run(['sh', '-c', command], check=True, timeout=SECONDS)


def run_network(receiver, sender):
    """Runs both: the receiver ends after five decoded pictures; then the
    sender may."""
    receiver = adapt(receiver).replace('fakesink', 'fakesink num-buffers=5')
    print('$', receiver, '&\n$', sender, flush=True)
    with subprocess.Popen(['sh', '-c', 'exec ' + receiver]) as receiving:
        with subprocess.Popen(['sh', '-c', 'exec ' + adapt(sender)]) as sending:
            try:
                status = receiving.wait(SECONDS)
            finally:
                sending.terminate()
                receiving.kill()
    if status:
        raise SystemExit(f'the receiver ended with status {status}')


def main():
    blocks = [block for path in sys.argv[1:] for block in read_blocks(path)]
    scripts = read_scripts(blocks)
    ran = 0
    check_built(scripts)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for language, block in blocks:
            if language == 'python':
                print('$ python3 ...', flush=True)
                subprocess.run([sys.executable, '-'], input=block, text=True,
                               check=True, timeout=SECONDS)
                ran += 1
            elif 'udpsrc' in block:
                run_network(*commands(block))
                ran += 2
            else:
                for command in commands(block):
                    run(adapt(command))
                    ran += 1
        run_scripts(scripts)
        for name in ('out.mov', 'out.paco', 'film.mov', 'small.webm',
                     'comparison.png', 'comparison.svg', 'out.mkv'):
            if os.path.getsize(name) < 1000:
                raise SystemExit(f'{name} is all but empty')
    if ran < 7 or len(scripts) < 4:
        raise SystemExit(f'only {ran} pipelines and {len(scripts)} scripts were '
                         'found in the documents')
    return 0


if __name__ == '__main__':
    sys.exit(main())
