#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Delete statements that count, one at a time, and see whether a test notices.

    python3 tests/mutation/increments.py                              all statements
    python3 tests/mutation/increments.py lib/timed --sample 50        50 of a folder

A statement counts if it adds to a counter's field or takes from the field. Fields come from the rows in
include/gpucache/counters*.h, and from structs of counts. One compilation makes all statements deletable: a run
skips the statement with the number in GPUCACHE_LEFT_OUT. A first run of each test records the statements that the test
reaches. After that, a deletion costs the tests that reach the statement, quick tests first. The library's own
invariants are checked (lib/base/check.h), with the ledger of counters. The exit status is 1 if more than --most
percent survive.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import reach
from mutants import HIDDEN
from workshop import Build, first_failing

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = tuple(f"include/gpucache/counters{part}.h" for part in ("", "_clock", "_parts"))
PLACE = r"[A-Za-z_*(&][\w>.()*&\[\] ?:+-]*?"
CHANGE = rf"({PLACE})(?:\+\+|--| [+-]=\s[^;{{}}]+)|(?:\+\+|--)({PLACE})"
STATEMENT = re.compile(rf"(?:^|(?<=[{{}};]))( +)({CHANGE});", re.MULTILINE)
COUNTS = re.compile(r"\b(?:counts|stats|stalls|outcomes|hits_merged)\b")
# Second counts of the ledger.
CHECKED = re.compile(r"^#ifdef GPCI_CHECK\n.*?^#endif|GPCI_AGAIN\(.*?\);", re.MULTILINE | re.DOTALL)
# Folders with counters; the batch loop is compiled for each instruction set apart.
FOLDERS = "cache", "coherence", "dram", "functional", "hierarchy", "level", "replay", "scheduler", "stats", "timed"
APART = re.compile(r"lib/cache/batch|snapshot|_check\.c|stats/stats\.c")

# Before each text; the header of a text repeats the lines.
SWITCH = "int gpci_left_out(unsigned number);\n"

Statement = collections.namedtuple("Statement", "path line code start end")


def fields():
    """Fields of the structs of counters."""
    row = re.compile(r"X\(\d+, (\w+),")
    return {name for table in TABLES for name in row.findall((ROOT / table).read_text())}


def statements_of(path, text, names):
    """Statements that count, in order."""
    code = text
    for pattern in CHECKED, HIDDEN:
        code = pattern.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), code)
    found = []
    for each in STATEMENT.finditer(code):
        place = each[3] or each[4]
        last = re.findall(r"\w+", re.sub(r"\[[^]]*\]", "", place))
        named = last and (last[-1] in names or COUNTS.search(place)) and re.search(r"->|\.", place)
        start = each.start(2)
        begins = code[:start].rstrip()[-1:] in "{};:)"
        if named and begins and not re.match(r"(?:const |return|for|uint)", each[2]):
            found.append(Statement(path, text.count("\n", 0, start) + 1, text[start : each.end() - 1], start,
                                   each.end()))  # fmt: skip
    return found


def with_switches(text, numbered):
    """The text with a question before each statement; {number: statement}."""
    for number, each in sorted(numbered.items(), reverse=True):
        text = f"{text[: each.start]}(gpci_left_out({number}) ? (void)0 : (void)({each.code}));{text[each.end :]}"
    return SWITCH + text


def all_statements(paths):
    """Statements of the folders and files."""
    names, found = fields(), []
    for name in paths or [f"lib/{folder}" for folder in FOLDERS]:
        at = ROOT / name
        for file in sorted(at.rglob("*.[ch]")) if at.is_dir() else [at]:
            if not APART.search(str(file)):
                found += statements_of(str(file.relative_to(ROOT)), file.read_text(), names)
    return found


class Programs:
    """Test programs with deletable statements."""

    def __init__(self, build, folder, statements):
        self.build, self.folder = build, folder
        self.numbers = dict(enumerate(statements, 1))
        self.made, self.linked = {}, {}
        overlay = folder / "overlay"
        by_path = collections.defaultdict(dict)
        for number, each in self.numbers.items():
            by_path[each.path][number] = each
        headers = [path for path in by_path if path.endswith(".h")]
        for path in headers:
            at = overlay / pathlib.PurePath(path).relative_to("lib")
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text(with_switches((ROOT / path).read_text(), by_path[path]))
        self.options = ["-DGPCI_CHECK", "-iquote", overlay]
        for path in self.affected(by_path, headers):
            self.compile(path, by_path.get(path, {}))
        checks = reach.compiled(ROOT / "lib/base/check.c", folder / "check.o", ROOT, "-DGPCI_CHECK",
                                *(f"-I{ROOT / each}" for each in ("lib", "include")))  # fmt: skip
        self.more = [reach.recorder(folder / "reach.o", ROOT), reach.switch(folder / "wakes.o", ROOT), checks]

    def affected(self, by_path, headers):
        """Sources with statements, in the source or in a header, and sources with checks."""
        wanted = {str(pathlib.PurePath(path).relative_to("lib")) for path in headers} | {"base/check.h"}
        listed = subprocess.run(["ninja", "-C", self.build.folder, "-t", "deps"], capture_output=True, text=True,
                                check=True).stdout  # fmt: skip
        reached = {}
        for part in listed.split("\n\n"):
            head, *files = part.splitlines() or [""]
            files = {os.path.relpath(self.build.folder / line.strip(), ROOT / "lib") for line in files}
            reached[head.partition(":")[0]] = bool(files & wanted)
        for path, (_, made) in self.build.compilers.items():
            if path in by_path or reached.get(str(made.relative_to(self.build.folder))):
                yield path

    def compile(self, path, numbered):
        made = self.folder / (path.replace("/", "_") + ".o")
        text = with_switches((ROOT / path).read_text(), numbered)
        if not self.build.compile(path, made, self.options, text):
            raise SystemExit(f"{path} with switches does not compile")
        self.made[path] = made

    def program(self, suite):
        if suite not in self.linked:
            self.linked[suite] = self.build.link(suite, self.made, self.folder / f"test-{suite}", self.more)
        return self.linked[suite]


def reached_by(programs, suites, effort, say):
    """{number: [Test]}, quick tests first."""
    found = collections.defaultdict(set)
    for suite in suites:
        passed, rows = reach.rows_of(programs.build, programs.program(suite), effort)
        for name, seconds, *numbers in rows:
            for number in numbers:
                found[int(number, 16)].add(reach.Test(suite, name, float(seconds), ()))
        say(f"{suite}: {len(rows)} tests{'' if passed else ', with failures'}")
    return {number: sorted(tests, key=lambda test: test.seconds) for number, tests in found.items()}


def judge(programs, number, tests, options):
    """(killed, note)"""
    left_out = {"GPUCACHE_LEFT_OUT": str(number)}
    found = first_failing(tests, options.patience, lambda suite, batch: programs.build.failing(
        programs.program(suite), batch, options.effort, left_out))  # fmt: skip
    if found:
        return True, found[0]
    return False, f"{len(tests)} tests come here" if tests else "no test comes here"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="folder or file of lib/; default: all")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many statements, at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build directory, up to date")
    parser.add_argument("--suites", nargs="+", metavar="SUITE", help="default: all but oom, determinism, fuzz")
    parser.add_argument("--effort", default="quick", choices=("quick", "normal", "full", "thorough"))
    parser.add_argument("--patience", type=float, default=60, metavar="SECONDS", help="of tests for a deletion")
    parser.add_argument("--most", type=float, default=10, metavar="PERCENT", help="of survivors")
    parser.add_argument("--list", action="store_true", help="the statements alone")
    return parser.parse_args()


def main():
    options = arguments()
    statements = all_statements(options.paths)
    chosen = range(1, len(statements) + 1)
    if options.sample:
        chosen = sorted(random.Random(options.seed).sample(chosen, min(options.sample, len(statements))))
    if options.list:
        for number in chosen:
            each = statements[number - 1]
            print(f"{each.path}:{each.line}: {' '.join(each.code.split())}")
        return 0
    build = Build(ROOT, options.build.resolve())
    suites = options.suites or [each for each in build.suites if each not in ("oom", "determinism", "fuzz")]
    with tempfile.TemporaryDirectory() as scratch:
        programs = Programs(build, pathlib.Path(scratch), statements)
        reached = reached_by(programs, suites, options.effort, lambda text: print(text, flush=True))
        survivors = 0
        for number in chosen:
            each = programs.numbers[number]
            killed, note = judge(programs, number, reached.get(number, []), options)
            survivors += not killed
            place = f"{each.path}:{each.line}: {' '.join(each.code.split())}"
            print(f"{'killed  ' if killed else 'survived'} {place} [{note}]", flush=True)
    share = 100 * survivors / max(1, len(chosen))
    print(f"{len(chosen)} deletions of {len(statements)} statements: {survivors} survived ({share:.1f} %)")
    return 1 if share > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
