#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Delete statements that count, one at a time, and see whether a test notices.

    python3 tests/mutation/increments.py                              all statements
    python3 tests/mutation/increments.py lib/timed --sample 50        50 of a folder

A statement counts if it adds to a counter's field or takes from the field. Fields come from the rows in
include/gpucache/counters*.h, and from structs of counts. The build is a checking build (README.md): the library checks
its own invariants, with the ledger of counters. The sources with statements are compiled once, with a question for each
statement (wakes.py). Tests that noticed the deletion before, and tests of the ledger, run first. Tests that reach the
statement follow, quick tests before others, then `gpucache torture`. An explained survivor stands in equivalent.txt. The
exit status is 1 if a deletion survives without a reason.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

import wakes
from mutants import HIDDEN, Mutant
from workshop import Build

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = tuple(f"include/gpucache/{name}.h" for name in ("counters", "counters_clock", "cache", "ext/coherence"))
PLACE = r"[A-Za-z_*(&][\w>.()*&\[\] ?:+-]*?"
CHANGE = rf"({PLACE})(?:\+\+|--| [+-]=\s[^;{{}}]+)|(?:\+\+|--)({PLACE})"
STATEMENT = re.compile(rf"(?:^|(?<=[{{}};]))( +)({CHANGE});", re.MULTILINE)
COUNTS = re.compile(r"\b(?:counts|stats|stalls|outcomes|hits_merged)\b")
# Second counts of the ledger.
CHECKED = re.compile(r"^#ifdef GPCI_CHECK\n.*?^#endif|GPCI_AGAIN\(.*?\);", re.MULTILINE | re.DOTALL)
# Folders with counters; the batch loop is compiled for each instruction set apart.
FOLDERS = "cache", "coherence", "dram", "functional", "hierarchy", "level", "replay", "scheduler", "stats", "timed"
APART = re.compile(r"lib/cache/batch|snapshot|_check\.c|stats/stats\.c")
FIRST = ["stats ledger_events/random_machines", "stats ledger/holds"]
SEEDS = 40


class Deletion(Mutant):
    """A statement to leave out; `end`: behind the semicolon."""

    def __init__(self, path, text, start, code, end):
        super().__init__(path, text, start, code, "")
        self.end = end

    @property
    def key(self):
        place = f"{self.path}: {self.function}" if self.function else self.path
        return f"{place}: {' '.join(self.old.split())} [{self.nth}]"

    def __str__(self):
        return f"{self.path}:{self.line}: {' '.join(self.old.split())}"


def fields():
    """Fields of the structs of counters."""
    row = re.compile(r"X\(\d+, (\w+),")
    return {name for table in TABLES for name in row.findall((ROOT / table).read_text())}


def statements_of(path, text, names):
    """Statements that count, in order."""
    code = text
    for pattern in CHECKED, HIDDEN:
        code = pattern.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), code)
    found, seen = [], {}
    for each in STATEMENT.finditer(code):
        place = each[3] or each[4]
        last = re.findall(r"\w+", re.sub(r"\[[^]]*\]", "", place))
        named = last and (last[-1] in names or COUNTS.search(place)) and re.search(r"->|\.", place)
        start = each.start(2)
        begins = code[:start].rstrip()[-1:] in "{};:)"
        if named and begins and not re.match(r"(?:const |return|for|uint)", each[2]):
            deletion = Deletion(path, text, start, text[start : each.end() - 1], each.end())
            deletion.nth = 1
            deletion.nth = seen[deletion.key] = seen.get(deletion.key, 0) + 1
            found.append(deletion)
    return found


def with_switches(path, text, found):
    """The text with a question before each statement."""
    for each in sorted(found, key=lambda each: -each.start):
        text = f"{text[: each.start]}(gpci_left_out({each.number}) ? (void)0 : (void)({each.old}));{text[each.end :]}"
    return f'int gpci_left_out(unsigned);\n#line 1 "{ROOT / path}"\n{text}'


def all_statements(paths):
    """Statements of the folders and files."""
    names, found = fields(), []
    for name in paths:
        at = (ROOT / name).resolve()
        for file in sorted(at.rglob("*.[ch]")) if at.is_dir() else [at]:
            if not APART.search(str(file)):
                found += statements_of(str(file.relative_to(ROOT)), file.read_text(), names)
    return found


def includers(build, headers):
    """Sources that include one of the headers, by the compilations of the build directory."""
    listed = subprocess.run(["ninja", "-C", build.folder, "-t", "deps"], capture_output=True, text=True,
                            check=True).stdout  # fmt: skip
    included = {}
    for part in listed.split("\n\n"):
        head, *files = part.splitlines() or [""]
        included[head.partition(":")[0]] = {os.path.relpath(build.folder / line.strip(), ROOT) for line in files}
    return [path for path, (_, made) in build.compilers.items()
            if included.get(str(made.relative_to(build.folder)), set()) & headers]  # fmt: skip


def changed_files(build, found):
    """{path: text with questions} of files with statements, and of sources that include the files."""
    paths = {each.path for each in found}
    headers = {path for path in paths if path.endswith(".h")}
    return {path: with_switches(path, (ROOT / path).read_text(), [each for each in found if each.path == path])
            for path in sorted(paths | set(includers(build, headers)))}  # fmt: skip


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="folder or file of lib/; default: all")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many statements, at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-check", help="a checking build")
    parser.add_argument("--suites", nargs="+", metavar="SUITE", help="default: all but oom and fuzz")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of torture")
    parser.add_argument("--effort", default="quick", choices=("quick", "normal", "thorough"), help="of the tests")
    parser.add_argument("--patience", type=float, default=60, metavar="SECONDS", help="of tests for a deletion")
    parser.add_argument("--log", type=pathlib.Path, help="file for outcomes; deletions noticed there are not tried")
    parser.add_argument("--list", action="store_true", help="the statements alone")
    return parser.parse_args()


def main():
    options = arguments()
    found = all_statements([f"lib/{folder}" for folder in FOLDERS])
    for number, each in enumerate(found, 1):
        each.number = number
    asked = [each for each in found if each.key in {one.key for one in all_statements(options.paths)}
             ] if options.paths else found  # fmt: skip
    if options.sample:
        chosen = random.Random(options.seed).sample(asked, min(options.sample, len(asked)))
        asked = sorted(chosen, key=lambda each: each.number)
    if options.list:
        print(*asked, sep="\n")
        return 0
    options.build, options.torture, options.first = options.build.resolve(), ["--limit", "60"], FIRST
    options.torture_first = False
    build = Build(ROOT, options.build)
    if not all("-DGPCI_CHECK" in command for command, _ in build.compilers.values()):
        raise SystemExit(f"{options.build}: no checking build (-DGPCI_CHECK)")
    options.suites = options.suites or [each for each in build.suites if each not in ("oom", "fuzz")]
    return wakes.judged(asked, options, "increments", lambda: changed_files(build, found))


if __name__ == "__main__":
    sys.exit(main())
