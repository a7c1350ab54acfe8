# SPDX-License-Identifier: LGPL-2.1-or-later
"""declare.py paco.h: writes _paco.py, the declarations of the header for ctypes."""
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


def struct(name, body):
    fields = []
    for kind, inner, declarators in FIELDS.findall(body):
        kind = struct('', inner) if inner else TYPES.get(kind, kind)
        for declarator in declarators.split(','):
            pointer, field, lengths = FIELD.fullmatch(declarator).groups()
            whole = [f'POINTER({kind})' if pointer else kind,
                     *reversed(re.findall(r'\w+', lengths))]
            fields.append(f'({field!r}, {" * ".join(whole)})')
    return f'type({name!r}, (Structure,), {{"_fields_": [{", ".join(fields)}]}})'


def value(text):
    """Returns the type of an argument, or of what a function returns."""
    if '*' in text:
        return 'c_char_p' if text == 'const char *' else 'c_void_p'
    return TYPES[text.split()[0]]


with open(sys.argv[1], encoding='utf-8') as header:
    code = re.sub(r'/\*.*?\*/', '', header.read(), flags=re.DOTALL)
print('from ctypes import *')
for declared in CONSTANT.findall(code):
    print(*declared, sep=' = ')
for declared in STRUCT.findall(code):
    print(declared[0], '=', struct(*declared))
for result, function, arguments in FUNCTION.findall(code):
    kinds = [value(argument) for argument in arguments.split(',') if argument != 'void']
    print(f'{function} = {value(result)}, [{", ".join(kinds)}]')
