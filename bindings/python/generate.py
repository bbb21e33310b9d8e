# SPDX-License-Identifier: BSD-2-Clause
"""Writes gpucache/_constants.py and gpucache/_generated.py from the public headers, and gpucache/__init__.pyi.

    python3 bindings/python/generate.py            write them
    python3 bindings/python/generate.py --check    exit 1 if they differ from the headers
"""

import argparse
import ast
import keyword
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import declarations as c  # noqa: E402

HEADERS = os.path.normpath(os.path.join(HERE, "..", "..", "include"))
TARGET = os.path.join(HERE, "gpucache")

SCALARS = {
    "bool": "c_bool", "char": "c_char", "double": "c_double", "int": "c_int", "size_t": "c_size_t",
    "unsigned": "c_uint", "unsigned int": "c_uint",
}  # fmt: skip
SCALARS.update({f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)})

STUB = "# SPDX-License-Identifier: BSD-2-Clause\n# Written by generate.py from __init__.py."

CONSTANTS = '''# SPDX-License-Identifier: BSD-2-Clause
"""Version, macros and enumerations of the headers. Written by generate.py: change a header and run that."""

from enum import IntEnum, IntFlag

__version__ = "{version}"

{constants}


{enums}
'''

GENERATED = '''# SPDX-License-Identifier: BSD-2-Clause
"""Structures and functions of the headers. Written by generate.py: change a header and run that."""

from ctypes import (
{imports}
)

from ._base import Record, SizedRecord

{body}
'''


def class_name(name):
    """gpc_write_policy -> WritePolicy."""
    return "".join(word.capitalize() for word in name.split("_")[1:])


def bits_name(bits):
    """GPC_DO -> DoBits."""
    return class_name(bits.prefix.capitalize()) + "Bits"


def member_names(enum):
    """Python's name for each enumerator, without the common prefix (GPC_HINT_CA -> CA)."""
    names = [member.name for member in enum.members if not member.sentinel]
    words = [name.split("_") for name in names]
    shared = 1
    while all(len(parts) > shared + 1 for parts in words) and len({parts[shared] for parts in words}) == 1:
        shared += 1
    short = ["_".join(parts[shared:]) for parts in words]
    if any(name[0].isdigit() or keyword.iskeyword(name) for name in short):
        short = ["_".join(parts[shared - 1:]) for parts in words]
    return dict(zip(names, short))


def wrapped(head, words, tail):
    """`head` words `tail`, a line or an indented block."""
    line = head + ", ".join(words) + tail
    if len(line) <= 120:
        return line
    depth = " " * (len(head) - len(head.lstrip()) + 4)
    body = textwrap.wrap(
        ", ".join(word.replace(" ", "\0") for word in words), 120 - len(depth) - 1, break_long_words=False,
        break_on_hyphens=False,
    )
    lines = "\n".join(depth + part.replace("\0", " ") for part in body)
    return f"{head}\n{lines},\n{depth[4:]}{tail}"


class Generator:
    def __init__(self, declared):
        self.declared = declared
        self.enums = {enum.name for enum in declared.of(c.Enum)}
        self.structs = {struct.name for struct in declared.of(c.Struct)}
        self.opaque = {opaque.name for opaque in declared.of(c.Opaque)}
        self.callbacks = {callback.name for callback in declared.of(c.Callback)}
        self.arrays = {array.name for array in declared.of(c.Array)}

    def type(self, ctype):
        """ctypes text of a type other than a function."""
        base, depth = ctype.base, len(ctype.pointers)
        if depth and base in self.opaque | {"void"}:
            text, depth = "c_void_p", depth - 1
        elif depth and base == "char" and ctype.const:
            text, depth = "c_char_p", depth - 1
        elif base == "void":
            return "None"
        elif base in self.enums:
            text = "c_int"
        elif base in self.structs | self.callbacks | self.arrays:
            text = base
        elif base in SCALARS:
            text = SCALARS[base]
        else:
            raise c.HeaderError("headers", f"no ctypes type for {base}")
        return "POINTER(" * depth + text + ")" * depth

    def any_type(self, declared):
        return self.function_type(declared) if isinstance(declared, c.FunctionType) else self.type(declared)

    def signature(self, function):
        return [self.type(function.result)] + [self.any_type(parameter.type) for parameter in function.parameters]

    def function_type(self, function):
        return "CFUNCTYPE(" + ", ".join(self.signature(function)) + ")"

    def callback(self, name, function):
        return wrapped(f"{name} = CFUNCTYPE(", self.signature(function), ")")

    def enum(self, enum):
        names = member_names(enum)
        lines = [f"class {class_name(enum.name)}(IntEnum):"]
        lines += [f"    {names[member.name]} = {member.value}" for member in enum.members if not member.sentinel]
        for member in enum.members:
            if member.sentinel:
                lines += ["", "", f"{member.name} = {member.value}"]
        return "\n".join(lines)

    def bits(self, bits):
        values = ((member.name[len(bits.prefix) + 1:], member.value) for member in bits.members)
        return "\n".join([f"class {bits_name(bits)}(IntFlag):", *(f"    {name} = {value}" for name, value in values)])

    def array(self, declared, lengths):
        """ctypes text of an array."""
        text = self.type(declared)
        for length in reversed(lengths):
            text = f"{text} * {length}"
        return text

    def struct(self, struct):
        before = []
        fields = []
        for field in struct.fields:
            if isinstance(field.type, c.FunctionType):
                name = f"{struct.name}_{field.name}"
                before.append(self.callback(name, field.type))
                text = name
            else:
                text = self.array(field.type, field.lengths)
            fields.append(f'("{field.name}", {text})')
        sized = struct.fields[0].name == "struct_size"
        lines = [f"class {struct.name}({'SizedRecord' if sized else 'Record'}):", "    __slots__ = ()"]
        lines.append(wrapped("    _fields_ = (", fields, ")"))
        initial = self.declared.initials.get(struct.name)
        if initial:
            lines.append(wrapped("    _defaults_ = {", [f'"{key}": {value}' for key, value in initial.items()], "}"))
        return "\n".join(before + ([""] * 2 if before else []) + lines)

    def functions(self):
        lines = ["# name: (result, arguments)", "FUNCTIONS = {"]
        for function in self.declared.of(c.Function):
            arguments = [self.any_type(parameter.type) for parameter in function.type.parameters]
            tail = ",))," if len(arguments) == 1 else ")),"
            lines.append(wrapped(f'    "{function.name}": ({self.type(function.type.result)}, (', arguments, tail))
        return "\n".join(lines + ["}"])

    def constants(self):
        """Text of _constants.py."""
        numbers = self.declared.constants
        return CONSTANTS.format(
            version=".".join(str(numbers["GPC_VERSION_" + part]) for part in ("MAJOR", "MINOR", "PATCH")),
            constants="\n".join(f"{name} = {value}" for name, value in numbers.items()),
            enums="\n\n\n".join(
                self.enum(item) if isinstance(item, c.Enum) else self.bits(item)
                for item in self.declared.of((c.Enum, c.Bits))
            ),
        )

    def generated(self):
        """Text of _generated.py."""
        lines = []
        for item in self.declared.items:
            if isinstance(item, c.Struct):
                lines += ["", "", self.struct(item), "", ""]
            elif isinstance(item, c.Callback):
                lines.append(self.callback(item.name, item.type))
            elif isinstance(item, c.Array):
                lines.append(f"{item.name} = {self.array(item.type, item.lengths)}")
        lines += ["", "", self.functions()]
        body = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).lstrip("\n")
        names = sorted(set(re.findall(r"\b(?:CFUNCTYPE|POINTER|c_\w+)\b", body)))
        lead = "\n" if body.startswith("class") else ""
        return GENERATED.format(imports="\n".join(f"    {name}," for name in names), body=lead + body)

    def files(self):
        return {"_constants.py": self.constants(), "_generated.py": self.generated(), "__init__.pyi": exported()}


def exported(package=TARGET):
    """Text of __init__.pyi: names imported by the package at first use, for type checkers."""
    with open(os.path.join(package, "__init__.py"), encoding="utf-8") as file:
        body = ast.parse(file.read()).body
    table = next(each.value for each in body if isinstance(each, ast.Assign) and each.targets[0].id == "_EXPORTS")
    modules = ast.literal_eval(table)
    lines = [f"from . import {name} as {name}" for name in modules if not name.startswith("_")]
    lines += [f"from .{module} import {name} as {name}" for module, names in modules.items() for name in names.split()]
    return "\n".join([STUB, *sorted(lines), ""])


def generate(headers=HEADERS):
    """{file name: text} of the package's generated files."""
    return Generator(c.read(headers)).files()


def stale(files, folder):
    """Names of the files in `folder` with differing text."""
    found = []
    for name, text in files.items():
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                same = file.read() == text
        except FileNotFoundError:
            same = False
        if not same:
            found.append(name)
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Write the generated modules of gpucache from the public headers.")
    parser.add_argument("--headers", default=HEADERS, metavar="FOLDER", help="folder that holds gpucache/gpucache.h")
    parser.add_argument("--output", default=TARGET, metavar="FOLDER", help="folder of the package")
    parser.add_argument("--check", action="store_true", help="only compare, exit 1 where they differ")
    options = parser.parse_args(arguments)
    try:
        files = generate(options.headers)
        changed = stale(files, options.output)
        if options.check:
            for name in changed:
                print(f"{os.path.join(options.output, name)} is not what the headers say: run generate.py",
                      file=sys.stderr)
            return 1 if changed else 0
        for name in changed:
            with open(os.path.join(options.output, name), "w", encoding="utf-8") as file:
                file.write(files[name])
    except (c.HeaderError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
