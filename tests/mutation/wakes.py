#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Leave out the wake-ups of the timed engine, one at a time, and see whether a test notices.

    python3 tests/mutation/wakes.py                             all wake-ups of lib/timed
    python3 tests/mutation/wakes.py lib/timed/l2/l2.c           of a file
    python3 tests/mutation/wakes.py lib/timed/l2/l2.c:335       of a line

A wake-up is a statement that calls gpci_wheel_wake, or a function named after waking (mutants.py). The library is
compiled once with a question in front of each wake-up. An environment variable then names the wake-up to leave out. Each
wake-up costs some seeds of torture. If the seeds pass, all tests of the suites run once and record the reached wake-ups.
Then the wake-up costs the tests that reach the wake-up, quick tests first, and more seeds, until the first failure. Use
a checking build (README.md): assertions name a lost wake-up soon. A survivor is not needed, or needs a test, or stands in
equivalent.txt with a reason. The exit status is 1 if a wake-up survives without a reason.
"""

import argparse
import hashlib
import itertools
import json
import pathlib
import re
import subprocess
import sys

import reach
from mutants import EXPLAINED, explanations, wakes_of
from mutate import ROOT, logged
from workshop import Build

FOLDER = "lib/timed"
SUITES = ["timed", "hierarchy", "replay", "oom"]
BATCHES = 10, 40, 150  # tests at once, before all others
SECONDS = 2  # assumed time of a test that is run without a record
FEW = 24  # seeds of torture, before all tests
CHUNKS = 40, 10**9  # further seeds of torture at once


def numbered(path, text, wakes):
    """The text with a question in front of each wake-up."""
    for wake in sorted(wakes, key=lambda wake: -wake.start):
        asked = f"(gpci_left_out({wake.number}) ? (void)0 : {text[wake.start : wake.end]})"
        text = wake.replaced(text, asked)
    return f'int gpci_left_out(unsigned);\n#line 1 "{ROOT / path}"\n{text}'


class Programs:
    """Test programs with numbered statements to leave out; objects are kept in the build directory. `changed`: {path:
    text with questions}."""

    def __init__(self, build, changed, options, name):
        self.build, self.options, self.folder = build, options, options.build / name
        self.headers, self.made, self.known_seeds = self.folder / "include", {}, None
        self.headers.mkdir(parents=True, exist_ok=True)
        for path in changed:
            if path.endswith(".h"):
                place = self.headers / pathlib.PurePath(path).relative_to("lib")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(changed[path])
        self.stamp = hashlib.sha256(self.all_headers().encode()).hexdigest()
        self.objects = {path: self.compiled(path, text) for path, text in changed.items() if path in build.compilers}
        asking = reach.switch(self.folder / "wakes.o", ROOT)
        recorder = reach.recorder(self.folder / "reach.o", ROOT)
        for suite in options.suites:
            self.made[suite] = build.link(suite, self.objects, self.folder / f"test-{suite}", [asking, recorder])
        self.made[None] = build.link(None, self.objects, self.folder / "torture", [asking])

    @staticmethod
    def sources():
        return [str(path.relative_to(ROOT)) for path in sorted((ROOT / FOLDER).rglob("*.[ch]"))]

    @staticmethod
    def all_headers():
        paths = [path for folder in ("lib", "include") for path in sorted((ROOT / folder).rglob("*.h"))]
        return "".join(path.read_text() for path in paths)

    def compiled(self, path, text):
        stamp = hashlib.sha256((self.stamp + text + self.build.compilers[path][0]).encode()).hexdigest()
        made = self.folder / f"{pathlib.PurePath(path).stem}-{stamp[:16]}.o"
        if not made.exists():
            for old in self.folder.glob(f"{pathlib.PurePath(path).stem}-{'?' * 16}.o"):
                old.unlink()
            options = [f"-I{self.headers}", f"-iquote{self.headers}"]
            if not self.build.compile(path, made, options, text):
                raise SystemExit(f"{path}: does not compile with numbered statements")
        return made

    def tests(self):
        """{number: tests that reach the statement}, quick tests first."""
        found = {}
        for suite in self.options.suites:
            for test in self.reached(suite):
                for number in test.lines:  # parameters: several rows
                    found.setdefault(number, {})[suite, test.name] = test
        found = {number: list(tests.values()) for number, tests in found.items()}
        for tests in found.values():
            tests.sort(key=lambda test: (test.seconds > 1, self.options.suites.index(test.suite), test.seconds))
        return found

    def reached(self, suite):
        """Tests of a suite with the numbers of the reached statements, from new runs or from kept runs of the same
        program. Each group of tests is kept alone, and a later call goes on."""
        program = self.made[suite]
        return [test for group in reach.groups_of(program)
                for test in reach.kept(self.folder / f"reached-{suite}-{group}.json", program,
                                       lambda group=group: self.recorded(suite, group))]  # fmt: skip

    def recorded(self, suite, group):
        rows, (passed, told) = {}, reach.rows_of(self.build, self.made[suite], self.options.effort, group)
        if not passed:
            raise SystemExit(f"{suite} {group}: a test fails with all statements")
        for name, seconds, *numbers in told:
            test = rows.setdefault(name, reach.Test(suite, name, float(seconds), []))
            test.lines.extend(int(number, 16) for number in numbers)
        return list(rows.values())

    @staticmethod
    def without(statement):
        return {"GPUCACHE_LEFT_OUT": str(statement.number)}

    def fails(self, statement, tests):
        """The first suite with a failure; None if no test fails."""
        left_out, spent = self.without(statement), itertools.accumulate(test.seconds for test in tests)
        tests = [test for test, seconds in zip(tests, spent) if seconds <= self.options.patience]
        for size in (*BATCHES, len(tests)):
            batch, tests = tests[:size], tests[size:]
            for suite in self.options.suites:
                own = [test for test in batch if test.suite == suite]
                failed = self.build.failing(self.made[suite], own, self.options.effort, left_out) if own else None
                if failed is not None:
                    return f"{suite} {failed}"
        first = 1 + FEW * self.options.torture_first
        for size in CHUNKS:
            count = min(size, self.options.seeds - first + 1)
            if count > 0 and self.torture_fails(left_out, first, count):
                return "torture"
            first += size
        return None

    def noticed(self, statement, before):
        """A test that notices the statement: the test that did `before` ("" for none), or a test of options.first; None
        if no test does."""
        for each in dict.fromkeys((before, *self.options.first)):
            suite, _, name = each.partition(" ")
            if name and suite in self.made:
                test = reach.Test(suite, name, SECONDS, [])
                if self.build.failing(self.made[suite], [test], self.options.effort, self.without(statement)) is not None:
                    return each
        return None

    def noticed_by_torture(self, statement, _):
        return "torture" if self.torture_fails(self.without(statement), 1, FEW) else None

    def failing_seeds(self, environment, first, count):
        """Seeds of torture that fail; 0 stands for a program without an end."""
        words = [self.made[None], *self.options.torture, "--jobs", "1", "--first", str(first), "--count", str(count)]
        status, said = self.build.run(words, environment, 30 + count)
        return {int(seed) for seed in re.findall(r"^seed (\d+):", said, re.M)} | ({0} if status not in (0, 1) else set())

    def torture_fails(self, left_out, first, count):
        if self.known_seeds is None:  # of another defect
            self.known_seeds = self.failing_seeds({}, 1, self.options.seeds)
        return bool(self.failing_seeds(left_out, first, count) - self.known_seeds)


def chosen(paths):
    """All wake-ups with numbers, and the wake-ups of some paths."""
    wakes = [wake for path in Programs.sources() for wake in wakes_of(path, (ROOT / path).read_text())]
    for number, wake in enumerate(wakes, 1):
        wake.number = number
    places = [re.fullmatch(r"(.*?)(?::(\d+))?", path).groups() for path in paths]
    return wakes, [wake for wake in wakes if not paths
                   or any(wake.path == path and line in (None, str(wake.line)) for path, line in places)]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file, or file:line; default: all")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-check", help="a checking build")
    parser.add_argument("--suites", nargs="+", metavar="SUITE", default=SUITES, help="of unit tests")
    parser.add_argument("--seeds", type=int, default=300, help="of torture")
    parser.add_argument("--effort", default="quick", choices=("quick", "normal", "thorough"), help="of the tests")
    parser.add_argument("--log", type=pathlib.Path, help="file for outcomes; wake-ups killed there are not tried")
    parser.add_argument("--list", action="store_true", help="print the wake-ups and leave out none")
    options = parser.parse_args()
    options.build, options.torture, options.patience = options.build.resolve(), ["--limit", "60"], float("inf")
    options.first, options.torture_first = [], True
    wakes, asked = chosen(options.paths)
    if len({wake.key for wake in wakes}) < len(wakes):
        raise SystemExit("two wake-ups have one name")
    if options.list:
        print(*asked, sep="\n")
        return 0
    texts = {path: (ROOT / path).read_text() for path in Programs.sources()}
    return judged(asked, options, "wakes", lambda: {
        path: numbered(path, text, [wake for wake in wakes if wake.path == path]) for path, text in texts.items()
    })  # fmt: skip


def judged(asked, options, name, changed):
    """Leave out each of some numbered statements and tell the outcomes; the exit status. `changed`: as of Programs, of
    the built files."""
    known, reasons = logged(options.log), explanations(EXPLAINED)
    targets = ["lib/libgpucache-objects.a", "tests/torture/gpucache-torture",
               *(f"tests/test-{suite}" for suite in options.suites)]  # fmt: skip
    subprocess.run(["ninja", "-C", options.build, *targets], stdout=subprocess.DEVNULL, check=True)
    programs = Programs(Build(ROOT, options.build), changed(), options, name)
    print(f"{len(programs.objects)} files compiled", flush=True)
    counts = dict.fromkeys(("killed", "survived", "explained"), 0)

    def tell(each, outcome, suite):
        known[each.key] = outcome, suite
        if options.log:
            with options.log.open("a") as log:
                log.write(f"{outcome}\t{suite}\t{each.key}\n")

    memory = programs.folder / "noticed.json"
    before = json.loads(memory.read_text()) if memory.exists() else {}
    # Cheap looks, before any test is known to reach the statement: the torture after all single tests.
    for look in (programs.noticed, programs.noticed_by_torture)[: 1 + options.torture_first]:
        for each in asked:
            if known.get(each.key, ("",))[0] == "killed":
                continue
            noticed = look(each, before.get(each.key, ""))
            if noticed:
                before[each.key] = noticed
                memory.write_text(json.dumps(before))
                tell(each, "killed", noticed)
    rest = [each for each in asked if known.get(each.key, ("",))[0] != "killed"]
    tests = programs.tests() if rest else {}
    for each in rest:
        own = tests.get(each.number, [])
        suite = programs.fails(each, own)
        before[each.key] = suite or ""
        memory.write_text(json.dumps(before))
        tell(each, *(("killed", suite) if suite else ("survived", f"{len(own)} tests reach it")))
    for each in asked:
        outcome, suite = known[each.key]
        outcome = "explained" if outcome == "survived" and reasons.get(each.key) else outcome
        counts[outcome] += 1
        print(f"{outcome:9} {each} {suite}", flush=True)
    print(f"{len(asked)} {name}: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
