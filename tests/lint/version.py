#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""version.py VERSION: whether all that shows the project's version shows VERSION,
which is that of meson.build: NEWS and debian/changelog in their first entries, and
the plugin as gst-inspect-1.0 reads it."""
import os
import re
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

# {file: what the first version in it looks like}
FILES = {
    'NEWS': r'^(\S+) \(.*\)\n=+$',
    'debian/changelog': r'^gst-paco \(([^)-]*)[^)]*\)',
}


def versions(root):
    """(what shows a version, the version or None)"""
    for path, pattern in FILES.items():
        if path.startswith('debian/') and \
                not os.path.isdir(os.path.join(root, 'debian')):
            continue  # tarballs of distributions leave it out
        with open(os.path.join(root, path), encoding='utf-8') as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
        yield path, found and found[1]
    plugin = Gst.Registry.get().find_plugin('paco')
    yield 'the plugin', plugin and plugin.get_version()


def main():
    Gst.init(None)
    wrong = [f'{name} says {version}, meson.build {sys.argv[1]}' for
             name, version in versions(os.environ['PACO_SOURCE_ROOT'])
             if version != sys.argv[1]]
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
