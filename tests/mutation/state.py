#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Leave a field or a line out of the lists of state that make up snapshots, one at a time.

    python3 tests/mutation/state.py                          all lists of lib/
    python3 tests/mutation/state.py lib/timed --match mshr   of a folder, with a word in the name

A list is GPCI_STATE_FROM (lib/base/base.h), with the fields of a struct, or the lines of a function that names
stretches. A field is left out of saving and of loading alike. The lists are compiled once, with a question for each
field. The test that noticed the field before, kept in the build directory, and snapshots in each cycle run first. Tests
that reach a list follow, quick tests before others, then `gpucache torture --snapshots` (wakes.py). An explained survivor
stands in equivalent.txt. The exit status is 1 if an unexplained omission survives.
"""

import argparse
import collections
import pathlib
import re
import sys

import wakes
from mutants import Mutant

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["lib/timed", "lib/coherence", "lib/hierarchy"]
SUITES = ["hierarchy", "timed", "coherence"]
FIRST = ["hierarchy hierarchy_snapshots/of_each_cycle"]
TORTURE = ["--snapshots", "--operations", "4", "--limit", "20"]
RANGE = re.compile(r"GPCI_STATE_FROM\((\w+), (\w+), (\w+), ([^;]*?), (\w+)\);")
LINE = re.compile(r"(?<=\n)( +)((?:visit|gpci_archive_bytes|GPCI_ARCHIVE_FIELD|\w+_state)\((?:[^;]|\n)*?\);)")
CHECKING = re.compile(r"^#ifdef GPCI_CHECK\n.*?^#endif\n", re.DOTALL | re.MULTILINE)
FUNCTION = re.compile(r"^[a-z][^;\n]*\b\w*(?:_state|_archive|archive_\w+|state)\([^;{]*\) \{\n.*?^}",
                      re.DOTALL | re.MULTILINE)  # fmt: skip


# Structs that are left out as a whole.
WHOLE = ["gpci_queue", "gpci_gauge", "gpc_clock", "gpc_stats", "gpci_cache_stats", "gpci_coherence_stats"]


def body_of(kind):
    """The text between the braces of a struct, without comments and fields of the checking build; "" if there is no
    struct."""
    for path in sorted(ROOT.glob("lib/**/*.[ch]")):
        text = CHECKING.sub("", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL))
        found = re.search(rf"struct {kind} \{{\n(.*?)^\}}", text, re.DOTALL | re.MULTILINE)
        if found:
            return found[1]
    return ""


def fields_of(kind, first=None):
    """Names of a struct's fields from `first` on, with fields of structs in the struct; a last array without a size is
    left out, because no range has such an array."""
    text, names, begun = body_of(kind), [], not first
    if not text:
        raise SystemExit(f"there is no struct {kind}")
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\b(?:struct|union)[^{};]*\{[^{}]*\}", "", text)
    for declaration in text.split(";"):
        for each in declaration.split(","):
            found = re.search(r"(\w+)\s*((?:\[[^\]]*\])*)\s*$", each)
            begun = begun or bool(found) and found[1] == first
            if not found or "[]" in found[2] or not begun:
                continue
            inner = declaration.split()[0]
            inside = not found[2] and "*" not in each and inner not in WHOLE and body_of(inner)
            names += [f"{found[1]}.{name}" for name in fields_of(inner)] if inside else [found[1]]
    return names


class Omission(Mutant):
    def __init__(self, path, text, start, old, new, what):
        super().__init__(path, text, start, old, new)
        self.what = what

    @property
    def key(self):
        return f"{self.path}: {self.what}"

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}"


def range_omissions(path, text, found):
    visit, data, kind, thing, first = found.groups()
    at = f"(char *)({thing}) + offsetof({kind}, "
    for name in fields_of(kind, first):
        size = f"sizeof(({kind} *)0)->{name}"
        new = (f"{{ {visit}({data}, {at}{first}), offsetof({kind}, {name}) - offsetof({kind}, {first})); "
               f"{visit}({data}, {at}{name}) + {size}, sizeof({kind}) - offsetof({kind}, {name}) - {size}); }}")  # fmt: skip
        yield Omission(path, text, found.start(), found[0], new, f"{kind}.{name}")


def omissions(path):
    """Omissions possible in a file's lists, apart from lines of the checking build."""
    text = CHECKING.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), (ROOT / path).read_text())
    for function in FUNCTION.finditer(text):
        for found in RANGE.finditer(text, function.start(), function.end()):
            yield from range_omissions(path, text, found)
        for found in LINE.finditer(text, function.start(), function.end()):
            for field in re.findall(r"GPCI_ARCHIVE_FIELD\([^()]*\)", found[2]) or [found[2]]:
                new = found[2].replace(field, "(void)0") if field != found[2] else ";"
                yield Omission(path, text, found.start(2), found[2], new, re.sub(r"\s+", " ", field))


def numbered(path, text, found):
    """The text with a question for each omission before its statement."""
    at = collections.defaultdict(list)
    for each in found:
        at[each.start].append(each)
    for start, each in sorted(at.items(), reverse=True):
        asked = "".join(f"if (gpci_left_out({one.number})) {{ {one.new} }} else " for one in each)
        text = text[:start] + asked + text[start:]
    return f'int gpci_left_out(unsigned);\n#line 1 "{ROOT / path}"\n{text}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=FOLDERS)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build directory")
    parser.add_argument("--match", default="", help="only what this regular expression finds")
    parser.add_argument("--suites", nargs="+", metavar="SUITE", default=SUITES, help="of unit tests")
    parser.add_argument("--seeds", default=60, type=int, help="of torture")
    parser.add_argument("--patience", default=30, type=float, help="seconds of tests for an omission")
    parser.add_argument("--effort", default="quick", choices=("quick", "normal", "thorough"), help="of the tests")
    parser.add_argument("--log", type=pathlib.Path, help="file for outcomes; omissions noticed there are not tried")
    parser.add_argument("--list", action="store_true", help="only name what can be left out")
    options = parser.parse_args()
    options.build, options.torture, options.first = options.build.resolve(), TORTURE, FIRST
    options.torture_first = True
    files = [each for path in FOLDERS for each in sorted((ROOT / path).rglob("*.c"))]
    places = [str((ROOT / path).resolve()) for path in options.paths]
    found = {path: list(omissions(path)) for path in (str(each.relative_to(ROOT)) for each in files)}
    for number, each in enumerate((each for own in found.values() for each in own), 1):
        each.number = number
    asked = [each for own in found.values() for each in own if re.search(options.match, each.key)
             and any(f"{ROOT / each.path}/".startswith(f"{place}/") for place in places)]  # fmt: skip
    if options.list:
        print(*asked, sep="\n")
        return 0
    return wakes.judged(asked, options, "state", lambda: {
        path: numbered(path, (ROOT / path).read_text(), own) for path, own in found.items() if own
    })  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
