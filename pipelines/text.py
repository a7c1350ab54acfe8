# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text on a terminal, for the scripts here and for the farm."""
import re


def shown(text):
    """Returns text that may have names of files, as a terminal can show it: control
    characters are escaped, as the program paco does."""
    return re.sub('[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]',
                  lambda found: repr(found[0])[1:-1], text)
