#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""version.py VERSION: whether all that shows the project's version shows VERSION,
which is that of meson.build: NEWS and debian/changelog in their first entries, and
the plugin as gst-inspect-1.0 reads it. Likewise, whether all that shows whose the
project is names the maintainer of debian/control."""
import os
import re
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

# For each file this is what the first version in it looks like.
FILES = {
    'NEWS': r'^(\S+) \(.*\)\n=+$',
    'debian/changelog': r'^gst-paco \(([^)-]*)[^)]*\)',
}


def search(root, path, pattern):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    return found and found[1]


def versions(root):
    """Returns (what shows a version, the version or None)."""
    for path, pattern in FILES.items():
        if path.startswith('debian/') and \
                not os.path.isdir(os.path.join(root, 'debian')):
            continue  # tarballs of distributions leave it out
        yield path, search(root, path, pattern)
    plugin = Gst.Registry.get().find_plugin('paco')
    yield 'the plugin', plugin and plugin.get_version()


def owners(root):
    """Returns (what names the project's owner, the name)."""
    yield 'debian/control', search(root, 'debian/control',
                                   r'^Maintainer: (.*) <.*>$')
    yield 'debian/changelog', search(root, 'debian/changelog', r'^ -- (.*) <.*>')
    for pattern in r'^Upstream-Contact: (.*)$', r'^Copyright: \d+ (.*)$':
        yield 'debian/copyright', search(root, 'debian/copyright', pattern)
    for feature in Gst.Registry.get().get_feature_list_by_plugin('paco'):
        if isinstance(feature, Gst.ElementFactory):
            yield feature.get_name(), feature.get_metadata('author')


def main():
    Gst.init(None)
    wrong = [f'{name} says {version}, meson.build {sys.argv[1]}' for
             name, version in versions(os.environ['PACO_SOURCE_ROOT'])
             if version != sys.argv[1]]
    if os.path.isdir(os.path.join(os.environ['PACO_SOURCE_ROOT'], 'debian')):
        (_, owner), *others = owners(os.environ['PACO_SOURCE_ROOT'])
        wrong += [f'{what} names {name}, debian/control {owner}'
                  for what, name in others if name != owner]
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
