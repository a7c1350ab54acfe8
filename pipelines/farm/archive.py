# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs that archive a folder of pictures, by ranges of files: what `paco archive`
takes. farm.py calls plan(), make(), check() and join()."""
from job import FarmError


def plan(source, out, args):
    raise FarmError('Folders cannot be archived yet.')
