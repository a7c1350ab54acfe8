#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""needed.py FOLDER NAME...: prints the files that tests of a build folder need, which have
these names, or are of suites that have them; and the shims that setups preload."""
import json
import os
import subprocess
import sys

folder, wanted = sys.argv[1], set(sys.argv[2:])


def introspect(what):
    return json.loads(subprocess.check_output(['meson', 'introspect', what, folder]))


depends = set()
for test in introspect('--tests'):
    names = {test['name'], *(suite.split(':')[-1] for suite in test['suite'])}
    if names & wanted:
        depends.update(test['depends'])
for target in introspect('--targets'):
    if target['id'] in depends or target['name'].endswith('-shim'):
        print(os.path.relpath(target['filename'][0], folder))
