#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether the shared MIME database and file(1) recognise golden streams by what
docs/registration installs, without the name and by it, and no text that begins alike."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

REGISTRATION = pathlib.Path(os.environ['PACO_SOURCE_ROOT'], 'docs', 'registration')
GOLDEN = pathlib.Path(os.environ['PACO_SOURCE_ROOT'], 'tests', 'golden')
EXPECTED = {
    'gray8-lossless': '1 component of 8 bits',
    'yuv422-10-fields-2-passes': '3 components of 10/10/10 bits',
    'rgba16-ict': '4 components of 16/16/16/16 bits',
}


def run(*words, **environment):
    return subprocess.check_output(words, text=True, env={**os.environ, **environment})


def content_type(path, home):
    told = run('gio', 'info', '-a', 'standard::content-type', path, XDG_DATA_HOME=home)
    return told.split('standard::content-type: ')[1].split()[0]


def main():
    missing = [program for program in ('file', 'gio', 'update-mime-database')
               if not shutil.which(program)]
    if missing:
        print(f'{" ".join(missing)} is not installed')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f'{folder}/mime/packages')
        shutil.copy(REGISTRATION / 'paco.xml', f'{folder}/mime/packages')
        run('update-mime-database', f'{folder}/mime', XDG_DATA_HOME=folder)
        unnamed, text, named = (f'{folder}/{name}' for name in ('unnamed', 'text', 'a.paco'))
        pathlib.Path(named).write_bytes(b'')
        pathlib.Path(text).write_bytes(b'PACO is a name\n')
        magic = str(REGISTRATION / 'paco.magic')
        shutil.copy(magic, f'{folder}/.magic')
        with_others = magic + ':/usr/share/misc/magic'
        assert content_type(text, folder) == 'text/plain'
        assert 'PaCo' not in run('file', '-m', with_others, text)
        for name, said in EXPECTED.items():
            data = (GOLDEN / f'{name}.paco').read_bytes()
            pathlib.Path(unnamed).write_bytes(data)
            pathlib.Path(named).write_bytes(data)
            assert content_type(unnamed, folder) == 'video/x-paco'
            assert content_type(named, folder) == 'video/x-paco'
            width, height = (int.from_bytes(data[at:at + 2], 'little') for at in (36, 38))
            expected = f'PaCo video, version {data[4]}, {width} x {height}, {said}\n'
            for files in magic, with_others:
                found = run('file', '-b', '-m', files, unnamed)
                assert found == expected, found
                assert run('file', '-b', '--mime-type', '-m', files, unnamed) \
                    == 'video/x-paco\n'
            assert run('file', '-b', unnamed, HOME=folder) == expected


main()
