#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cache.py [--update] SCAN PLUGIN CACHE: the description of the plugin for hotdoc.

CACHE (gst_plugins_cache.json) is what hotdoc's GStreamer extension reads, so that
documentation can be made where the plugin is not built. SCAN (scan.c) says what
PLUGIN consists of now. Without --update the two are compared.

Raw formats that the plugin's templates name are those of the GStreamer that runs.
They are compared with the one that the project is built against, and not with
later ones; those in the memory of a GPU only if the plugin has any.
"""
import difflib
import json
import re
import subprocess
import sys

GSTREAMER = '1.22.'


def scan(program, plugin):
    output = subprocess.run([program, plugin], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output)


def change_caps(cache, change):
    for element in cache['paco']['elements'].values():
        for template in element['pad-templates'].values():
            template['caps'] = change(template['caps'])


def without_cuda(caps):
    return re.sub(r'\n?[\w/-]+\(memory:CUDAMemory\):\n( .*\n)+', '', caps)


def dump(cache):
    return json.dumps(cache, indent=4, sort_keys=True) + '\n'


def main():
    arguments = [word for word in sys.argv[1:] if word != '--update']
    program, plugin, path = arguments
    found = scan(program, plugin)
    if arguments != sys.argv[1:]:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(dump(found))
        return 0
    with open(path, encoding='utf-8') as file:
        known = json.load(file)
    version = subprocess.run(['pkg-config', '--modversion', 'gstreamer-1.0'],
                             check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    # Packagers give their own name.
    for name in 'package', 'url':
        found['paco'][name] = known['paco'][name]
    if not version.startswith(GSTREAMER):
        print(f'GStreamer is {version.strip()}: formats are not compared')
        change_caps(found, lambda caps: None)
        change_caps(known, lambda caps: None)
    elif 'memory:CUDAMemory' not in dump(found):
        print('formats in the memory of a GPU are not compared')
        change_caps(known, without_cuda)
    difference = list(difflib.unified_diff(
        dump(known).splitlines(), dump(found).splitlines(), path, plugin,
        lineterm='', n=1))
    if difference:
        print('\n'.join(difference))
        print('`ninja -C build update-plugin-cache` writes the file anew.')
    return 1 if difference else 0


if __name__ == '__main__':
    sys.exit(main())
