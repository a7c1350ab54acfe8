# SPDX-License-Identifier: LGPL-2.1-or-later
"""declare.py paco.h: writes _paco.py, the declarations of the header for ctypes, with the
types of fields as type checkers see them."""
import re
import sys

CONSTANT = re.compile(r'\b(PACO_\w+) (?:= )?(\(?\d[\w< ]*\)?),?\s*?$', re.MULTILINE)
STRUCT = re.compile(r'^typedef struct (\w+)\s*{(.*?)^} \1;', re.DOTALL | re.MULTILINE)
FIELDS = re.compile(r'(?:const )?(\w+)\s+(?:{(.*?)})?([^;{}]+);', re.DOTALL)
FIELD = re.compile(r'\s*(\*?)(\w+)((?:\[\w+\])*)')
FUNCTION = re.compile(r'^PACO_API ([\w ]+?\*?) ?(\w+) \(([^)]*)\);', re.MULTILINE)
TYPES = {'char': 'c_char', 'int': 'c_int', 'unsigned': 'c_uint', 'size_t': 'c_size_t',
         'ptrdiff_t': 'c_ssize_t', 'PacoStatus': 'c_int', 'void': 'None',
         **{f'uint{n}_t': f'c_uint{n}' for n in (8, 16, 32, 64)}}


PYTHON_TYPES = {'c_void_p': 'Optional[int]', 'c_char': 'bytes'}


def fields_of(body):
    """Yields the name and the type of each field, and that type in Python."""
    for kind, inner, declarators in FIELDS.findall(body):
        kind = (f"_of({pairs(inner)})" if inner
                else TYPES.get(kind, kind))
        for declarator in declarators.split(','):
            pointer, field, lengths = FIELD.fullmatch(declarator).groups()
            lengths, one = re.findall(r'\w+', lengths), kind
            if pointer:
                one = 'c_void_p' if kind == 'None' else f'POINTER({kind})'
            if lengths and kind != 'c_char' or not one.startswith(('c_', 'Paco')):
                python = 'Any'
            else:
                python = PYTHON_TYPES.get(one, 'int' if one.startswith('c_') else one)
            yield field, ' * '.join([one, *reversed(lengths)]), python


def pairs(body):
    return ', '.join(f"('{name}', {kind})" for name, kind, _ in fields_of(body))


def struct(name, body):
    lines = [f'class {name}(Structure):',
             *(f'    {field}: {python}' for field, _, python in fields_of(body)),
             f'    _fields_ = [{pairs(body)}]']
    return '\n'.join(lines)


def value(text):
    """Returns the type of an argument, or of what a function returns."""
    if '*' in text:
        return 'c_char_p' if text == 'const char *' else 'c_void_p'
    return TYPES[text.split()[0]]


with open(sys.argv[1], encoding='utf-8') as header:
    code = re.sub(r'/\*.*?\*/', '', header.read(), flags=re.DOTALL)
print('''from ctypes import *
from typing import Any, Optional


def _of(*fields: Any) -> Any:
    return type('', (Structure,), {'_fields_': fields})
''')
for declared in CONSTANT.findall(code):
    print(*declared, sep=' = ')
for declared in STRUCT.findall(code):
    print(struct(*declared))
for result, function, arguments in FUNCTION.findall(code):
    kinds = [value(argument) for argument in arguments.split(',') if argument != 'void']
    print(f'{function}: Any = {value(result)}, [{", ".join(kinds)}]')
