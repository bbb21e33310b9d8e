# SPDX-License-Identifier: BSD-2-Clause
"""Reads the public headers: the preprocessor and the declarations of C in use there, and nothing more.

read(folder) gives a Declarations with every enumeration, structure, function type, function, numeric macro and
initialiser, in the order of the headers. Inline functions are left out. A structure with an inline function NAME_layout
is laid out by the host, and Opaque here. Anything unknown is a HeaderError with file and line, never a guess.
"""

import ast
import glob
import os
import re
from collections import namedtuple

from preprocessor import HeaderError, Preprocessor, Token

# A type: base name, const or not, and for each level of pointer True if the pointer itself is const.
CType = namedtuple("CType", "base const pointers")
FunctionType = namedtuple("FunctionType", "result parameters")
# `type` is a CType or a FunctionType (a pointer to a function); `lengths` are array lengths, [] if no array.
Field = namedtuple("Field", "name type lengths")
Member = namedtuple("Member", "name value sentinel")
Enum = namedtuple("Enum", "name members")
# An enumeration without a name: bits with a common prefix.
Bits = namedtuple("Bits", "prefix members")
Struct = namedtuple("Struct", "name fields")
Opaque = namedtuple("Opaque", "name")
Callback = namedtuple("Callback", "name type")
# A typedef of an array of `type`.
Array = namedtuple("Array", "name type lengths")
Function = namedtuple("Function", "name type")

WORDS = {"void", "char", "short", "int", "long", "unsigned", "signed", "float", "double"}
LIMITS = {"UINT8_MAX": 2**8 - 1, "UINT16_MAX": 2**16 - 1, "UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1}
FIXED = {"bool", "size_t"} | {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}


class Declarations:
    """All declarations, in order of the headers, and values of macros."""

    def __init__(self):
        self.items = []
        self.constants = {}  # name of a numeric macro -> value
        self.initials = {}  # name of a structure -> {field: value}; only fields other than zero

    def of(self, kind):
        return [item for item in self.items if isinstance(item, kind)]

    def enumerators(self):
        return {member.name: member.value for enum in self.of((Enum, Bits)) for member in enum.members}


class _Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0
        self.known = set(FIXED)
        self.inlines = set()
        self.result = Declarations()

    # Tokens

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else Token("", "end of the headers")

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def accept(self, text):
        if self.peek().text == text:
            self.at += 1
            return True
        return False

    def expect(self, text):
        token = self.take()
        if token.text != text:
            raise HeaderError(token, f"'{text}' expected, '{token.text}' found")

    def name(self):
        token = self.take()
        if not re.fullmatch(r"[A-Za-z_]\w*", token.text):
            raise HeaderError(token, f"a name expected, '{token.text}' found")
        return token.text

    def constant(self, *ends):
        """Value of a constant expression up to one of the tokens `ends`; the end token stays."""
        first = self.peek()
        words = []
        while self.peek().text not in ends:
            if not self.peek().text:
                raise HeaderError(first, "constant expression without an end")
            words.append(self.take().text)
        return evaluate(words, self.result.enumerators(), first)

    # Types

    def specifiers(self):
        const = False
        words = []
        while True:
            text = self.peek().text
            if text == "const":
                const = True
            elif text in WORDS:
                words.append(text)
            elif not words and text in self.known:
                words.append(text)
            elif not words and text == "struct":
                pass
            else:
                break
            self.take()
        if not words:
            raise HeaderError(self.peek(), f"a type expected, '{self.peek().text}' found")
        return " ".join(words), const

    def pointers(self):
        found = []
        while self.accept("*"):
            found.append(self.accept("const"))
        return tuple(found)

    def declarator(self, base, const):
        """A declarator: name, type, lengths. The name may be missing."""
        pointers = self.pointers()
        if self.peek().text == "(" and self.peek(1).text == "*":
            self.take(), self.take()
            name = self.name()
            self.expect(")")
            return Field(name, FunctionType(CType(base, const, pointers), self.parameters()), [])
        name = self.name() if re.match(r"[A-Za-z_]", self.peek().text) else ""
        lengths = []
        while self.accept("["):
            lengths.append(self.constant("]"))
            self.expect("]")
        return Field(name, CType(base, const, pointers), lengths)

    def parameters(self):
        self.expect("(")
        if self.peek().text == "void" and self.peek(1).text == ")":
            self.take(), self.take()
            return []
        found = []
        while True:
            token = self.peek()
            parameter = self.declarator(*self.specifiers())
            if parameter.lengths:
                raise HeaderError(token, "an array as a parameter")
            found.append(parameter)
            if not self.accept(","):
                break
        self.expect(")")
        return found

    # Declarations

    def enum_body(self):
        self.expect("{")
        members = []
        while not self.accept("}"):
            name = self.name()
            explicit = self.accept("=")
            value = self.constant(",", "}") if explicit else (members[-1].value + 1 if members else 0)
            members.append(Member(name, value, False))
            self.accept(",")
        last = members[-1]
        beyond = len(members) > 1 and last.value == 1 + max(member.value for member in members[:-1])
        if last.name.endswith("_COUNT") and (beyond or not explicit):
            members[-1] = last._replace(sentinel=True)
        return members

    def bits(self):
        """An enumeration without a name or an object."""
        token = self.peek()
        members = self.enum_body()
        prefix = os.path.commonprefix([member.name for member in members]).rpartition("_")[0]
        if not prefix:
            raise HeaderError(token, "an enumeration without a name whose members share no prefix")
        self.expect(";")
        self.result.items.append(Bits(prefix, members))

    def struct_body(self):
        self.expect("{")
        fields = []
        while not self.accept("}"):
            base, const = self.specifiers()
            fields.append(self.declarator(base, const))
            while self.accept(","):
                fields.append(self.declarator(base, const))
            self.expect(";")
        return fields

    def typedef(self):
        keyword = self.peek().text
        if keyword in ("enum", "struct"):
            self.take()
            tag = self.name()
            self.known.add(tag)
            if keyword == "enum":
                item = Enum(tag, self.enum_body())
            elif self.peek().text == "{":
                item = Struct(tag, self.struct_body())
            else:
                item = Opaque(tag)
            token = self.peek()
            if self.name() != tag:
                raise HeaderError(token, f"typedef and tag differ: {token.text}, {tag}")
        else:
            token = self.peek()
            declared = self.declarator(*self.specifiers())
            if isinstance(declared.type, FunctionType):
                item = Callback(declared.name, declared.type)
            elif declared.lengths:
                item = Array(declared.name, declared.type, declared.lengths)
            else:
                raise HeaderError(token, f"typedef {declared.name} is no enum, struct, array or pointer to a function")
            self.known.add(declared.name)
        self.expect(";")
        self.result.items.append(item)

    def prototype(self):
        base, const = self.specifiers()
        result = CType(base, const, self.pointers())
        name = self.name()
        self.result.items.append(Function(name, FunctionType(result, self.parameters())))
        self.expect(";")

    def inline(self):
        """An inline function: only its name."""
        while self.peek().text != "{":
            if self.peek(1).text == "(":
                self.inlines.add(self.peek().text)
            self.take()
        depth = 0
        while True:
            token = self.take()
            if not token.text:
                raise HeaderError(token, "a function without an end")
            depth += (token.text == "{") - (token.text == "}")
            if not depth:
                return

    def parse(self):
        while self.peek().text:
            if self.accept("static"):
                self.inline()
            elif self.accept("typedef"):
                self.typedef()
            elif self.peek().text == "enum" and self.peek(1).text == "{":
                self.take()
                self.bits()
            else:
                self.prototype()
        self.result.items = [
            Opaque(item.name) if isinstance(item, Struct) and item.name + "_layout" in self.inlines else item
            for item in self.result.items
        ]
        return self.result

    # Initialisers

    def braces(self, struct):
        """{name: value} of the structure's initialiser, zero and NULL left out."""
        self.expect("{")
        values = {}
        position = 0
        while not self.accept("}"):
            if self.accept("."):
                name = self.name()
                position = [field.name for field in struct.fields].index(name)
                self.expect("=")
            elif position >= len(struct.fields):
                raise HeaderError(self.peek(), f"too many values for {struct.name}")
            field = struct.fields[position]
            values[field.name] = self.value(struct)
            position += 1
            self.accept(",")
        return {name: value for name, value in values.items() if value}

    def value(self, struct):
        token = self.peek()
        if self.accept("sizeof"):
            self.expect("(")
            if self.name() != struct.name:
                raise HeaderError(token, f"sizeof of another structure than {struct.name}")
            self.expect(")")
            return None
        if self.accept("{"):
            while not self.accept("}"):
                if self.value(struct) if self.peek().text == "{" else self.constant(",", "}"):
                    raise HeaderError(token, "only zeros are understood in an array")
                self.accept(",")
            return None
        if self.accept("NULL") or self.accept("false"):
            return None
        if self.accept("true"):
            return True
        return self.constant(",", "}")


_OPERATORS = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitAnd: lambda a, b: a & b,
}


def evaluate(words, names, token):
    """Value of a constant expression of integers, enumerators and + - * << >> | &."""
    text = " ".join(re.sub(r"^(0[xX][0-9a-fA-F]+|\d+)[uUlL]+$", r"\1", word) for word in words)

    def walk(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in names:
                return names[node.id]
            if node.id in LIMITS:
                return LIMITS[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -walk(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        raise HeaderError(token, f"no constant expression: {text}")

    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise HeaderError(token, f"no constant expression: {text}") from None
    return walk(tree)


def _numbers(macros, names):
    """Object-like macros of the library with a constant expression as body."""
    found = {}
    for name, macro in macros.items():
        if macro.parameters is not None or not name.startswith("GPC_") or not macro.body:
            continue
        tokens = macro.expanded()
        try:
            found[name] = evaluate([token.text for token in tokens], names, tokens[0])
        except HeaderError:
            continue
    return found


def read(folder):
    """Declarations of all headers of `folder`/gpucache: gpucache.h, and the folders of the other tiers."""
    preprocessor = Preprocessor(folder)
    tokens = preprocessor.run(os.path.join("gpucache", "gpucache.h"))
    preprocessor.define("GPC_EXPERIMENTAL")
    for path in sorted(glob.glob(os.path.join(folder, "gpucache", "*", "*.h"))):
        tokens += preprocessor.include(os.path.relpath(path, folder))
    parser = _Parser(tokens)
    result = parser.parse()
    result.constants = _numbers(preprocessor.macros, result.enumerators())
    for struct in result.of(Struct):
        macro = preprocessor.macros.get(struct.name.upper() + "_INIT")
        if macro:
            parser.tokens, parser.at = macro.expanded(), 0
            result.initials[struct.name] = parser.braces(struct)
    return result
