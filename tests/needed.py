#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""needed.py FOLDER NAME...: prints the files that tests of a build folder need, which have
these names, or are of suites that have them; the shims that setups preload; and all that is
installed if lib-interface is among the tests, which installs it."""
import json
import os
import subprocess
import sys

folder, wanted = sys.argv[1], set(sys.argv[2:])


def introspect(what):
    return json.loads(subprocess.check_output(['meson', 'introspect', what, folder]))


depends, installs = set(), False
for test in introspect('--tests'):
    names = {test['name'], *(suite.split(':')[-1] for suite in test['suite'])}
    if names & wanted:
        depends.update(test['depends'])
        installs |= test['name'] == 'lib-interface'
for target in introspect('--targets'):
    if (target['id'] in depends or target['name'].endswith('-shim')
            or installs and target['installed']):
        for name in target['filename']:
            print(os.path.relpath(name, folder))
