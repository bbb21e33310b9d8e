#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Rewrite a host's source from libgpucache 0.2 to 0.3.

    python3 examples/hosts/upgrade_0_3.py FILE...            show the changes, and what is left to do by hand
    python3 examples/hosts/upgrade_0_3.py --write FILE...    change the files

Calls whose parameters moved or grew are rewritten, and includes follow; so are the fields of a gpc_request that moved to
`policy`, of variables declared as a gpc_request. A new `gpc_error *` parameter gets NULL, or the
text of --error. The script reads the declarations of both versions in this repository. A call that needs a person is
listed with file, line and its row in CHANGES.md. Exit status 1: something is left to do.
"""

import argparse
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEFORE = ROOT / "tests/abi/0.2/gpucache/gpucache.h"
HEADERS = ROOT / "include/gpucache"
CHANGES = HEADERS / "CHANGES.md"

NAME = re.compile(r"\b(?:gpc|GPC)_\w+")
# Fields of a gpc_request that moved to `policy`.
MOVED = r"(?:next_use|policy_word|token|token_l2|admitted)\b"
FUNCTION = re.compile(r"(?:\bGPC_API\b|\bstatic inline\b)([^;(){}]*?)\b(gpc_\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*[;{]")


def blanked(text):
    """The text with blanks for comments and literals, of equal length."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)


def signatures(text):
    """{function: (result, [(type, name)])}."""
    found = {}
    for result, name, parameters in FUNCTION.findall(blanked(text)):
        rows = []
        for part in split(parameters, parameters):
            words = " ".join(part.split())
            pointer = re.fullmatch(r"(.*)\(\*(\w+)\)(.*)", words)
            if pointer:
                rows.append((f"{pointer[1]}(*){pointer[3]}".replace(" ", ""), pointer[2]))
            elif words != "void":
                kind, label = re.fullmatch(r"(.*?)\s*(\w+)", words).groups()
                rows.append((kind.replace(" ", ""), label))
        found[name] = (" ".join(result.split()), rows)
    return found


def split(text, blank):
    """Arguments of a call: `text` between the parentheses, and the same with blanks."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(blank):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]] if text.strip() or parts else []


def places(before, after):
    """Arguments of the call in 0.3, by names of the old parameters; None if a person must look."""
    if before[0] != after[0]:
        return None
    old, found = list(before[1]), []
    for kind, name in after[1]:
        if (kind, name) in old:
            old.remove((kind, name))
        elif (kind, name) != ("gpc_error*", "error"):
            return None
        found.append(name)
    return found if not old else None


def rule_of(row):
    """(old name, old arguments, text for 0.3) of a row of CHANGES.md with a call on either side; None for other rows."""
    call = r"`(gpc_\w+)\(([^`]*)\)`"
    match = re.fullmatch(rf"{call}(?:,.*)? \| {call}(?:\. .*)?", row)
    if not match:
        return None
    name, old, new, arguments = match.groups()
    words = set(re.findall(r"(?<!\w)&?[a-z]\w*", arguments)) - set(NAME.findall(arguments))
    if not words <= {*re.findall(r"(?<!\w)&?[a-z]\w*", old), "error", "&"}:
        return None  # new arguments
    return name, [each.strip() for each in split(old, old)], f"{new}({arguments})"


def named(cell):
    """Names in a cell of the table; `_miss` after `gpc_cache_hit` stands for gpc_cache_miss."""
    found, stem = [], ""
    for name in re.findall(r"(?<![\w.])(?:gpc_|GPC_|_)\w+", cell):
        if name.startswith("_"):
            found.append(stem + name)
        else:
            found.append(name)
            stem = "_".join(name.split("_")[:2])
    return found


def includes(path):
    """Headers that a header includes."""
    return re.findall(r"#include <gpucache/([\w/]+\.h)>", path.read_text())


class Upgrade:
    """Changes between the versions."""

    def __init__(self):
        headers = {str(path.relative_to(HEADERS)): path for path in HEADERS.rglob("*.h")}
        texts = {name: blanked(path.read_text()) for name, path in headers.items()}
        before_text = blanked(BEFORE.read_text())
        self.before, self.after = signatures(before_text), signatures("\n".join(texts.values()))
        self.rules = {}  # name: (old arguments, text of the call in 0.3)
        for name, each in self.before.items():
            arguments = places(each, self.after[name]) if name in self.after else None
            if arguments is not None:
                self.rules[name] = [label for _, label in each[1]], f"{name}({', '.join(arguments)})"
        self.known = set(NAME.findall("\n".join(texts.values())))
        self.gone = set(NAME.findall(before_text)) - self.known
        self.home = {}
        for name in self.in_order(headers):
            for word in NAME.findall(texts[name]):
                self.home.setdefault(word, name)
        self.rows = {}  # name: text for 0.3
        for row in self.table():
            left, _, right = row.partition(" | ")
            rule = rule_of(row)
            if rule:
                self.rules.setdefault(rule[0], rule[1:])
            for name in named(left):
                self.rows.setdefault(name, right)

    @staticmethod
    def in_order(headers):
        """Names of the headers, an included header before the headers that include it."""
        ordered, begun = [], set()

        def visit(name):
            if name not in begun:
                begun.add(name)
                for other in includes(headers[name]):
                    visit(other)
                ordered.append(name)

        for name in ["gpucache.h", *sorted(headers)]:
            visit(name)
        return ordered

    @staticmethod
    def table():
        """Rows of the table of CHANGES.md."""
        section = CHANGES.read_text().split("## 0.3")[1].split("\n## ")[0]
        return re.findall(r"^\| (.*) \|$", section, re.MULTILINE)

    def changed(self, name):
        """True if a call of 0.2 is no call of 0.3."""
        if name in self.gone:
            return True
        return name in self.before and self.before[name] != self.after.get(name)

    def headers_for(self, text):
        """Headers beside gpucache.h for the names in the text."""
        homes = {self.home[name] for name in NAME.findall(blanked(text)) if name in self.home}
        return sorted(home for home in homes if "/" in home)


class Source:
    """A file of a host."""

    def __init__(self, upgrade, path, error):
        self.upgrade, self.path = upgrade, path
        self.text = path.read_text()
        self.c = path.suffix in (".c", ".h")
        self.error = error or ("NULL" if self.c else "nullptr")
        self.left = []

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def call(self, at):
        """(name's end, opening and closing parenthesis) of a call at `at`, or None if the name is no call."""
        name = NAME.match(self.blank, at)
        opening = re.compile(r"\s*\(").match(self.blank, name.end())
        if not opening:
            return None
        depth = 0
        for close in range(opening.end() - 1, len(self.blank)):
            depth += self.blank[close] == "("
            depth -= self.blank[close] == ")"
            if depth == 0:
                return name.end(), opening.end() - 1, close
        return None

    def rewritten(self, start, end):
        """The text from start to end with the calls of 0.3."""
        out, at = [], start
        for found in NAME.finditer(self.blank, start, end):
            name, begin = found[0], found.start()
            if begin < at or not self.upgrade.changed(name):
                continue
            call, rule = self.call(begin), self.upgrade.rules.get(name)
            arguments = split(self.text[call[1] + 1 : call[2]], self.blank[call[1] + 1 : call[2]]) if call else []
            literal = rule and "(gpc_stream)" in rule[1] and not self.c  # no compound literals in C++
            if not call or not rule or literal or len(arguments) != len(rule[0]):
                self.left.append((self.line(begin), name))
                continue
            parts, from_here = [], call[1] + 1
            for argument in arguments:
                parts.append(self.rewritten(from_here, from_here + len(argument)).strip())
                from_here += len(argument) + 1
            values = {"error": self.error, **dict(zip(rule[0], parts))}
            pattern = "|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in sorted(values, key=len, reverse=True))
            out += [self.text[at:begin], re.sub(pattern, lambda found: values[found[0]], rule[1])]
            at = call[2] + 1
        return "".join([*out, self.text[at:end]])

    def requests(self):
        """Names of the variables that are requests everywhere in the file."""
        declared = re.findall(r"\b(gpc_\w+)\b[\s*]*(?:const\s+)?(\w+)\s*(?=[;,=)\[])", self.blank)
        others = {name for kind, name in declared if kind != "gpc_request"}
        return {name for kind, name in declared if kind == "gpc_request"} - others

    def moved(self):
        """Places of fields that moved to `policy`: of variables, and of initialisers of a request."""
        found, names = set(), "|".join(sorted(self.requests()))
        if names:
            access = re.compile(rf"(?<![\w.>])(?:{names})(?:\[[^\]]*\])?(?:\.|->)(?={MOVED})")
            found |= {each.end() for each in access.finditer(self.blank)}
        for begin in re.finditer(r"\bgpc_request\b[^;{}()]*=\s*\{|\(gpc_request\)\s*\{", self.blank):
            depth, at = 1, begin.end()
            while depth and at < len(self.blank):
                depth += self.blank[at] in "{(["
                depth -= self.blank[at] in "})]"
                field = depth and re.compile(rf"(?<=[{{,\s])\.(?={MOVED}\s*=)").match(self.blank, at)
                if field and self.c:
                    found.add(field.end())
                elif field:  # C++ has no initialisers of nested fields
                    self.left.append((self.line(at), "gpc_request"))
                at += 1
        return found

    def upgraded(self):
        """The whole text for 0.3. `left` then lists what a person must do."""
        self.blank = blanked(self.text)
        self.left = []
        for at in sorted(self.moved(), reverse=True):
            self.text = f"{self.text[:at]}policy.{self.text[at:]}"
        self.blank = blanked(self.text)
        text = self.rewritten(0, len(self.text))
        old = re.compile(r"^#include <gpucache/[\w/]+\.h>\n", re.MULTILINE)
        first = old.search(text)
        if first:
            headers = self.upgrade.headers_for(text)
            lines = ["#define GPC_EXPERIMENTAL"] if any(name.startswith("exp") for name in headers) else []
            lines += [f"#include <gpucache/{name}>" for name in ["gpucache.h", *headers]]
            text = old.sub("", text)
            text = text[: first.start()] + "\n".join(lines) + "\n" + text[first.start() :]
        return text


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Rewrite a host's source from libgpucache 0.2 to 0.3.")
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--write", action="store_true", help="change the files; otherwise print the differences")
    parser.add_argument("--error", metavar="TEXT", help="text for new error parameters, for example '&error'")
    options = parser.parse_args(arguments)
    upgrade, left = Upgrade(), 0
    for path in options.files:
        source = Source(upgrade, path, options.error)
        text = source.upgraded()
        if options.write:
            path.write_text(text)
        else:
            sys.stdout.writelines(difflib.unified_diff(
                source.text.splitlines(True), text.splitlines(True), str(path), f"{path} for 0.3"))  # fmt: skip
        for line, name in source.left:
            print(f"{path}:{line}: {name}: {upgrade.rows.get(name, 'see CHANGES.md')}", file=sys.stderr)
        left += len(source.left)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
