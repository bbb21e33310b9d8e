# SPDX-License-Identifier: BSD-2-Clause
"""Possible changes of a C file, and explanations of changes without an effect on behavior."""

import functools
import pathlib
import random
import re

EXPLAINED = pathlib.Path(__file__).with_name("equivalent.txt")

SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+",
    "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|", "+=": "-=", "-=": "+=",
    "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "^=": "|=", "<<=": ">>=", ">>=": "<<=",
}  # fmt: skip
COMMENT, TEXT, DIRECTIVE = r"/\*.*?\*/|//[^\n]*", r"(['\"])(?:\\.|(?!\1)[^\\\n])*\1", r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*"
HIDDEN = re.compile(f"{COMMENT}|{TEXT}|{DIRECTIVE}", re.DOTALL | re.MULTILINE)
# In clang-format's style, binary operators have blanks around; similar tokens have no blanks.
OPERATOR = re.compile(r"(?<=[\w)\]] )(?:" + "|".join(map(re.escape, sorted(SWAPS, key=len, reverse=True))) + r")(?= )")
STEP = re.compile(r"\+\+|--")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?=[uUlL]*(?![\w.]))")
WORD = re.compile(r"\b(?:true|false)\b")
NOT = re.compile(r"(?<=[( ])!(?=[\w(])")
# A function's name stands before the first parenthesis, apart from attributes.
NAME, ATTRIBUTE = re.compile(r"\w+(?=\()"), re.compile(r"__attribute__\(\(.*?\)\)|\b[A-Z_]+\([^)]*\)")
# Statements that wake a component or a host.
WAKE = re.compile(r"(?<=[;{})])(\s+|\s+else\s+)"
                  r"((?:\w+(?:->|\.))*\w*(?:wake|announce|ready)\w*|note(?=\(&network->sharing))\(")  # fmt: skip


class Mutant:
    """A change at a place of a text: `old` becomes `new`."""

    def __init__(self, path, text, start, old, new):
        self.path, self.start, self.old, self.new = path, start, old, new
        self.line = text.count("\n", 0, start) + 1
        begin = text.rfind("\n", 0, start) + 1
        self.code = text[begin : text.find("\n", start)].strip()
        first, self.function = function_at(text, self.line)
        equal = [line for line in text[:begin].splitlines()[first - 1 :] if line.strip() == self.code]
        self.nth = 1 + sum(part.count(old) for part in (text[begin:start], *equal))

    @property
    def key(self):
        """Key of the change, unchanged when lines are added elsewhere. Equal lines of two functions have two keys."""
        place = f"{self.path}: {self.function}" if self.function else self.path
        return f"{place}: {self.code} [{self.old} -> {self.new or 'nothing'}, {self.nth}]"

    def __str__(self):
        return f"{self.path}:{self.line}: {self.code} [{self.old} -> {self.new or 'nothing'}, {self.nth}]"

    def applied(self, text):
        return text[: self.start] + self.new + text[self.start + len(self.old) :]


class Wake(Mutant):
    """A wake-up to leave out."""

    def __init__(self, path, text, start, name, end):
        super().__init__(path, text, start, name, "")
        self.end = end

    def applied(self, text):
        return self.replaced(text, "(void)0")

    def replaced(self, text, new):
        return text[: self.start] + new + text[self.end :]


def shown(text):
    """The text with blanks for comments, literals and directives."""
    return HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), text)


def wakes_of(path, text):
    """The wake-ups of a file, in order: statements that call a waking function by name."""
    code, found = shown(text), []
    for each in WAKE.finditer(code):
        end, depth = each.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        if code[end] == ";":
            found.append(Wake(path, text, each.start(2), each[2], end))
    return found


def mutants_of(path, text):
    """Changes of operators and constants of a file, in order."""
    code = shown(text)
    found = [(each.start(), each[0], SWAPS[each[0]]) for each in OPERATOR.finditer(code)]
    found += [(each.start(), each[0], "--" if each[0] == "++" else "++") for each in STEP.finditer(code)]
    found += [(each.start(), each[0], "false" if each[0] == "true" else "true") for each in WORD.finditer(code)]
    found += [(each.start(), "!", "") for each in NOT.finditer(code)]
    for each in NUMBER.finditer(code):
        value = int(each[1], 16 if each[1][:2] in ("0x", "0X") else 8 if re.fullmatch(r"0[0-7]+", each[1]) else 10)
        found.append((each.start(), each[1], f"{value + 1:#x}" if each[1][:1] == "0" and value else str(value + 1)))
    return [Mutant(path, text, *each) for each in sorted(found)]


def explanations(path=EXPLAINED):
    """{key: reason} from a line for the change, followed by indented lines for the reason."""
    found, key = {}, None
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("    ") and key:
            found[key] = f"{found[key]} {line.strip()}".strip()
        elif line.strip() and not line.startswith("#"):
            key = line
            found[key] = ""
    return found


@functools.lru_cache(maxsize=8)
def functions_of(text):
    """First and last line of each function, in clang-format's layout."""
    found, head, inside = [], 0, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("}"):
            if inside:
                found.append((head, number))
            head, inside = 0, False
        elif re.match(r"[A-Za-z_][^=;]*\(", line):
            head = number
        if head and not inside and line.endswith((";", "{")):
            inside = line.endswith("{")
            head = head if inside else 0
    return found


def function_at(text, line):
    """First line and name of the function around a line; (1, "") outside functions."""
    for first, last in functions_of(text):
        if first <= line <= last:
            head = "".join(text.splitlines(keepends=True)[first - 1 : last]).partition("{")[0]
            return first, NAME.search(ATTRIBUTE.sub("", head))[0]
    return 1, ""


def spread(mutants, count, seed):
    """A number of mutants, equally many from each folder while the folder lasts; every prefix is as even.

    The choice within a file does not depend on other files.
    """
    folders = {}
    for mutant in mutants:
        folders.setdefault(str(pathlib.PurePath(mutant.path).parent), []).append(mutant)
    for name in folders:
        folders[name].sort(key=lambda mutant: random.Random(f"{seed} {mutant.key}").random())
    taken, turn = [], 0
    while len(taken) < min(count, len(mutants)):
        taken += [folders[name][turn] for name in sorted(folders) if turn < len(folders[name])]
        turn += 1
    return taken[:count]
