#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Leave a field or a line out of the lists of state that make up snapshots, one at a time.

    python3 tests/mutation/state.py                          all lists of lib/
    python3 tests/mutation/state.py lib/timed --match mshr   of a folder, with a word in the name

A list is GPCI_STATE_FROM (lib/base/base.h), with the fields of a struct, or the lines of a function that names
stretches. A field is left out of saving and of loading alike. Tests of snapshots run first, then `gpucache torture
--snapshots` with the changed library. An explained survivor stands in equivalent.txt. The exit status is 1 if an
unexplained omission survives.
"""

import argparse
import collections
import pathlib
import re
import sys
import tempfile

from mutants import Mutant, explanations
from workshop import Build

ROOT = pathlib.Path(__file__).resolve().parents[2]
Tests = collections.namedtuple("Tests", "suite name seconds")
TESTS = [Tests("hierarchy", "hierarchy_snapshots/@(configurations|begin_of_a_kernel|random|protocols|values|prefetchers|threads)", 60),
         Tests("timed", "*/snapshots", 20)]  # fmt: skip
TORTURE = ["--snapshots", "--operations", "4", "--jobs", "1", "--limit", "20"]
RANGE = re.compile(r"GPCI_STATE_FROM\((\w+), (\w+), (\w+), ([^;]*?), (\w+)\);")
LINE = re.compile(r"(?<=\n)( +)((?:visit|gpci_archive_bytes|GPCI_ARCHIVE_FIELD|\w+_state)\((?:[^;]|\n)*?\);)")
FUNCTION = re.compile(r"^[a-z][^;\n]*\b\w*(?:_state|_archive|archive_\w+|state)\([^;{]*\) \{\n.*?^}", re.DOTALL | re.MULTILINE)


def body_of(kind):
    """The text between the braces of a struct, without comments."""
    for path in sorted(ROOT.glob("lib/**/*.[ch]")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        found = re.search(rf"struct {kind} \{{\n(.*?)^\}}", text, re.DOTALL | re.MULTILINE)
        if found:
            return found[1]
    raise SystemExit(f"there is no struct {kind}")


def fields_of(kind, first):
    """Names of a struct's fields from `first` on; a last array without a size is left out, because no range has such an
    array."""
    text, names = body_of(kind), []
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\b(?:struct|union)[^{};]*\{[^{}]*\}", "", text)
    for declaration in text.split(";"):
        for each in declaration.split(","):
            found = re.search(r"(\w+)\s*((?:\[[^\]]*\])*)\s*$", each)
            if found and "[]" not in found[2]:
                names.append(found[1])
    return names[names.index(first) :]


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
    """Omissions possible in a file's lists."""
    text = (ROOT / path).read_text()
    for function in FUNCTION.finditer(text):
        for found in RANGE.finditer(text, function.start(), function.end()):
            yield from range_omissions(path, text, found)
        for found in LINE.finditer(text, function.start(), function.end()):
            yield Omission(path, text, found.start(2), found[2], ";", re.sub(r"\s+", " ", found[2]))


class Judge:
    def __init__(self, build, folder, seeds):
        self.build, self.folder, self.seeds = build, folder, seeds

    def torture_passes(self, changed):
        """A few seeds come first: after a change with an endless run, each seed would cost its limit."""
        program = self.build.link(None, changed, self.folder / "torture")
        for first, count in ((1, 4), (5, self.seeds)):
            words = [program, *TORTURE, "--first", str(first), "--count", str(count)]
            if self.build.run(words, {}, 600)[0] != 0:
                return False
        return True

    def judge(self, mutant):
        text = (ROOT / mutant.path).read_text()
        made = self.build.compile(mutant.path, self.folder / "changed.o", text=mutant.applied(text))
        if not made:
            return "does not compile"
        plain = self.build.compile(mutant.path, self.folder / "plain.o", text=text)
        if made.read_bytes() == plain.read_bytes():
            return "same code"
        changed = {mutant.path: made}
        for tests in TESTS:
            program = self.build.link(tests.suite, changed, self.folder / f"test-{tests.suite}")
            if self.build.failing(program, [tests], "quick") is not None:
                return tests.suite
        return "survives" if self.torture_passes(changed) else "torture"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=["lib/timed", "lib/coherence", "lib/hierarchy"])
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--match", default="", help="only what this regular expression finds")
    parser.add_argument("--torture", default=60, type=int, help="seeds of torture, after the first four")
    parser.add_argument("--list", action="store_true", help="only name what can be left out")
    options = parser.parse_args()
    paths = [each for path in options.paths for each in sorted([ROOT / path, *(ROOT / path).rglob("*.c")])
             if each.suffix == ".c"]  # fmt: skip
    found = [each for path in paths for each in omissions(str(path.relative_to(ROOT)))
             if re.search(options.match, each.key)]  # fmt: skip
    if options.list:
        print(*found, sep="\n")
        return 0
    explained, ends = explanations(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(Build(ROOT, (ROOT / options.build).resolve()), pathlib.Path(folder), options.torture)
        for mutant in found:
            end = judge.judge(mutant)
            end = "explained" if end == "survives" and mutant.key in explained else end
            ends[end] += 1
            print(f"{end}: {mutant}", flush=True)
    print(", ".join(f"{count} {end}" for end, count in ends.most_common()))
    return 1 if ends["survives"] else 0


if __name__ == "__main__":
    sys.exit(main())
