# SPDX-License-Identifier: BSD-2-Clause
"""The part of the C preprocessor in use by the public headers: includes, conditions, macros with arguments."""

import os
import re
from collections import namedtuple

Token = namedtuple("Token", "text place")

_TOKEN = re.compile(
    r'\s+|(?P<token>[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+(?:\.\d+)?\w*|"(?:[^"\\]|\\.)*"|<<|>>|\|\||&&|##|\.\.\.|[^\s])'
)


class HeaderError(Exception):
    """A header with a construct unknown to the reader."""

    def __init__(self, token, message):
        place = token.place if isinstance(token, Token) else token
        super().__init__(f"{place}: {message}")


def tokens_of(text, place):
    return [Token(match["token"], place) for match in _TOKEN.finditer(text) if match["token"]]


class _Macro:
    def __init__(self, preprocessor, parameters, body):
        self.preprocessor = preprocessor
        self.parameters = parameters  # None for a macro without arguments
        self.body = body

    def expanded(self):
        return self.preprocessor.expand(self.body)


class Preprocessor:
    def __init__(self, folder):
        self.folder = folder
        self.macros = {}
        self.included = set()

    def run(self, header):
        """Tokens of `header` and of its includes from the same folder, macros expanded."""
        self.included.add(header)
        path = os.path.join(self.folder, header)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        output = []
        pending = []
        conditions = []
        for number, line in _logical_lines(text):
            place = f"{path}:{number}"
            if not line.startswith("#"):
                if all(conditions):
                    pending += tokens_of(line, place)
                continue
            output += self.expand(pending)
            pending = []
            output += self._directive(line[1:].strip(), place, conditions)
        if conditions:
            raise HeaderError(path, "#if without #endif")
        return output + self.expand(pending)

    def include(self, name):
        """Tokens of a header if the folder has the header and the header is new; otherwise none."""
        new = name not in self.included and os.path.exists(os.path.join(self.folder, name))
        return self.run(name) if new else []

    def define(self, name):
        """Define a macro without a body."""
        self._define(name, "")

    def _directive(self, line, place, conditions):
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word in ("ifdef", "ifndef"):
            conditions.append((rest in self.macros) == (word == "ifdef"))
        elif word == "if":
            conditions.append(self._condition(rest, place))
        elif word == "else":
            conditions[-1] = not conditions[-1]
        elif word == "endif":
            conditions.pop()
        elif not all(conditions):
            pass
        elif word == "define":
            self._define(rest, place)
        elif word == "undef":
            self.macros.pop(rest, None)
        elif word == "include":
            return self.include(rest.strip('<>"'))
        else:
            raise HeaderError(place, f"#{word} is not understood")
        return []

    def _condition(self, text, place):
        if not re.fullmatch(r"(\s*!?\s*defined\(\w+\)\s*(\|\||$))+", text):
            raise HeaderError(place, f"condition not understood: {text}")
        terms = re.findall(r"(!?)\s*defined\((\w+)\)", text)
        return any((name in self.macros) != bool(negated) for negated, name in terms)

    def _define(self, text, place):
        match = re.match(r"(\w+)(\(([\w\s,]*(?:\.\.\.)?)\))?(.*)", text, re.S)
        name, call, parameters, body = match.groups()
        names = [word.strip() for word in parameters.split(",")] if call else None
        self.macros[name] = _Macro(self, names, tokens_of(body, place))

    def expand(self, tokens, disabled=frozenset()):
        output = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            macro = self.macros.get(token.text)
            at += 1
            if macro is None or token.text in disabled:
                output.append(token)
                continue
            body = macro.body
            if macro.parameters is not None:
                if at >= len(tokens) or tokens[at].text != "(":
                    output.append(token)
                    continue
                arguments, at = _arguments(tokens, at)
                body = self._substitute(token, macro, arguments)
            output += self.expand([Token(part.text, token.place) for part in body], disabled | {token.text})
        return output

    def _substitute(self, token, macro, arguments):
        if macro.parameters[-1] == "..." and len(arguments) >= len(macro.parameters):
            arguments = arguments[: len(macro.parameters)]  # no macro of the headers uses the others
        if len(arguments) != len(macro.parameters):
            raise HeaderError(token, f"{token.text} takes {len(macro.parameters)} arguments, not {len(arguments)}")
        values = dict(zip(macro.parameters, arguments))
        body = []
        paste = False
        for part in macro.body:
            if part.text == "#":
                raise HeaderError(token, f"{part.text} in a macro is not understood")
            if part.text == "##":
                paste = True
                continue
            found = values.get(part.text, [part])
            if paste:
                if not body or not found:
                    raise HeaderError(token, f"## of nothing in {token.text}")
                found = [Token(body.pop().text + found[0].text, token.place)] + found[1:]
                paste = False
            body += found
        return body


def _arguments(tokens, at):
    """Arguments of a macro with its parenthesis at `at`, and the place after it."""
    start = tokens[at]
    arguments = [[]]
    depth = 0
    while at < len(tokens):
        text = tokens[at].text
        depth += text == "("
        depth -= text == ")"
        if depth == 0:
            return arguments, at + 1
        if text == "," and depth == 1:
            arguments.append([])
        elif text != "(" or depth > 1:
            arguments[-1].append(tokens[at])
        at += 1
    raise HeaderError(start, "arguments of a macro without an end")


def _logical_lines(text):
    """(line number, text) without comments, continued lines joined."""
    blank = lambda match: " " if match[0].startswith("/") else match[0]
    keep_lines = lambda match: "\n" * match[0].count("\n") + " " if match[0].startswith("/") else match[0]
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/', keep_lines, text, flags=re.S)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', blank, text)
    number = 1
    while text:
        match = re.match(r"((?:[^\n]*\\\n)*[^\n]*)(?:\n|\Z)", text)
        line = match[1].replace("\\\n", " ").strip()
        if line:
            yield number, re.sub(r"^#\s*", "#", line)
        number += match[0].count("\n")
        text = text[match.end():]
