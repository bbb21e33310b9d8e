#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Change operators and constants of the library, one at a time, and see whether a test notices.

    python3 tests/mutation/mutate.py lib/dram lib/cache/index/index.c   of folders and files
    python3 tests/mutation/mutate.py --changed REV                of the lines that differ from a revision
    python3 tests/mutation/mutate.py --all --sample 300           of 300 places, spread over the folders
    python3 tests/mutation/mutate.py lib/dram/sets.c:17           of a line

Uses a build directory (--build): the run brings the directory up to date first, and then leaves the directory
unchanged. Unit tests run once and record the lines of the given files that the tests reach: the folder's suites
(SUITES) first, others when a change needs them. After that, a change costs the compilation of its file, and the tests
that reach the function, the folder's suites first. Within both: tests that reach the line, tests that noticed an earlier
change of the file or folder, quick tests, tests that reach few files. For a change of a table, the tests are the tests
that reach the file, and all of the folder's suites. The first failure ends the judgement. With --sanitized, a surviving
change is tried again in that build, with the same tests. A change survives if no test notices: a test is missing, or the
change has no effect. Changes without an effect stand in equivalent.txt with a reason.
A change does not count if the compiler makes the same code, or if the changed file does not compile. The exit status is
1 if more than --most percent survive unexplained.
"""

import argparse
import concurrent.futures
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import time

import reach
from mutants import EXPLAINED, explanations, functions_of, mutants_of, spread
from workshop import TESTS_AT_ONCE, Build, Workshop

ROOT = pathlib.Path(__file__).resolve().parents[2]

# {folder of lib/: suites to run first}; the longest matching folder counts.
SUITES = {
    "base": "base registry config hierarchy", "cache": "cache oracle hierarchy", "coherence": "coherence hierarchy",
    "decisions": "decisions contract", "functional": "hierarchy oracle replay", "level": "hierarchy timed predictor",
    "level/observe": "hierarchy stats timed", "policies": "registry contract",
    "policies/control": "control contract", "policies/predictor": "predictor profile contract registry",
    "policies/prefetcher": "prefetcher registry",
    "policies/protocol": "coherence contract registry", "policies/replacement": "replacement contract registry",
    "policies/scheduler": "scheduler contract registry", "policies/throttle": "throttle contract registry",
    "profiler": "profile", "registry": "registry config contract coherence",
    "trace/binary": "trace record fuzz", "trace/synthetic": "synthetic", "trace/table": "trace fuzz",
    "trace/text": "trace fuzz", "trace": "trace record", "verify": "coherence",
}  # fmt: skip

LIKELY = 8  # tests to run first: tests with earlier failures in a file and in a folder


def changed_lines(revision):
    """{path: lines that differ from a revision}."""
    words = ["git", "diff", "-U0", revision, "--", "lib"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found, path = {}, None
    for line in told.splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        place = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if place:
            first, count = int(place[1]), int(place[2] or 1)
            found.setdefault(path, set()).update(range(first, first + count))
    return found


def suites_of(path):
    """Names of the suites that test a file of lib/."""
    folder = str(pathlib.PurePath(path).parent.relative_to("lib"))
    for name in sorted(SUITES, key=len, reverse=True):
        if folder == name or folder.startswith(name + "/"):
            return SUITES[name].split()
    return [folder.split("/")[0]]


class Ranks:
    """Order of the tests for a change: likely and quick tests first."""

    def __init__(self, suites, reached):
        """`reached(suite)`: [Test]."""
        self.suites, self.reached, self.functions, self.kills = suites, reached, {}, {}

    def extent(self, mutant):
        """The lines of the enclosing function; None for a table, because other files read tables."""
        if mutant.path not in self.functions:
            self.functions[mutant.path] = functions_of((ROOT / mutant.path).read_text())
        for first, last in self.functions[mutant.path]:
            if first <= mutant.line <= last:
                return range(first, last + 1)
        return None

    def noticed(self, mutant, suite, name):
        """Keep the test by the file and the folder of the noticed change."""
        for place in (mutant.path, str(pathlib.PurePath(mutant.path).parent)):
            kills = self.kills.setdefault(place, {})
            kills[suite, name] = kills.get((suite, name), 0) + 1

    def likely(self, mutant):
        """{(suite, test)} with the most earlier failures in the file and in the folder."""
        found = set()
        for place in (mutant.path, str(pathlib.PurePath(mutant.path).parent)):
            kills = self.kills.get(place, {})
            found.update(sorted(kills, key=kills.get, reverse=True)[:LIKELY])
        return found

    def __call__(self, mutant):
        """Lists of tests: of the folder's suites and of suites that noticed changes before, then of other suites."""
        extent, own, likely = self.extent(mutant), suites_of(mutant.path), self.likely(mutant)
        first = {*own, *(suite for suite, _ in likely)}
        for now in True, False:
            found, suites = [], [suite for suite in self.suites if (suite in first) == now]
            for test in (test for suite in suites for test in self.reached(suite)):
                lines = test.lines.get(mutant.path, ())
                if any(line in extent for line in lines) if extent else lines or test.suite in own:
                    slow = (test.seconds > 0.1) + (test.seconds > 1)
                    rank = mutant.line not in lines, (test.suite, test.name) not in likely, slow, test.suite
                    found.append(((*rank, len(test.lines), test.seconds), test))
            tests = [test for _, test in sorted(found, key=lambda each: each[0])]
            yield from (tests[:TESTS_AT_ONCE], tests[TESTS_AT_ONCE:])


def chosen(options):
    """The requested mutants."""
    found = []
    if options.changed:
        for path, lines in sorted(changed_lines(options.changed).items()):
            if path.endswith(".c") and (ROOT / path).exists():
                found += [each for each in mutants_of(path, (ROOT / path).read_text()) if each.line in lines]
    for name in ["lib"] if options.all else options.paths:
        place, _, line = name.partition(":")
        at = ROOT / place
        for file in sorted(at.rglob("*.c")) if at.is_dir() else [at]:
            if not file.is_file():
                raise SystemExit(f"there is no {name}")
            made = mutants_of(str(file.relative_to(ROOT)), file.read_text())
            found += [each for each in made if not line or each.line == int(line)]
    return spread(found, options.sample, options.seed) if options.sample else found


def logged(path):
    """{key: (outcome, note)} of earlier runs; the last line of a key counts."""
    lines = path.read_text().splitlines() if path and path.exists() else []
    return {key: (outcome, note) for outcome, note, key in (line.split("\t") for line in lines)}


def judge_all(mutants, shops, options):
    """(mutant, outcome) in order of completion, until the time is up."""
    free, end = queue.SimpleQueue(), time.monotonic() + (options.seconds or 1e9)
    for shop in shops:
        free.put(shop)

    def judge(mutant):
        if time.monotonic() > end:
            return mutant, None, ""
        shop = free.get()
        try:
            outcome, note = shop.judge(mutant)
        finally:
            free.put(shop)
        if options.log:
            with options.log.open("a") as log:
                log.write(f"{outcome}\t{note}\t{mutant.key}\n")
        return mutant, outcome, note

    with concurrent.futures.ThreadPoolExecutor(len(shops)) as pool:
        for mutant, outcome, note in pool.map(judge, mutants):
            if outcome is None:
                continue
            if options.verbose or outcome == "survived":
                print(f"{outcome:8} {mutant} {note}", flush=True)
            yield mutant, outcome


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="folder, file, or file:line")
    parser.add_argument("--changed", metavar="REV", help="lines that differ from this git revision")
    parser.add_argument("--all", action="store_true", help="all of lib/")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many of them, spread over the folders")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build directory, of gcc's")
    parser.add_argument("--sanitized", type=pathlib.Path, metavar="BUILD",
                        help="build directory with sanitizers, for survivors (tests/run.sh: build-sanitize)")  # fmt: skip
    parser.add_argument("--suites", nargs="+", metavar="SUITE", help="of unit tests; default: all but oom")
    parser.add_argument("--jobs", type=int, default=1, help="changes at a time")
    parser.add_argument("--effort", default="quick", choices=("quick", "normal", "thorough"), help="of the tests")
    parser.add_argument("--patience", type=float, default=60, metavar="SECONDS", help="of tests for one change")
    parser.add_argument("--seconds", type=float, help="then no further change is tried")
    parser.add_argument("--log", type=pathlib.Path, help="outcomes are added to this file; those in it are not tried")
    parser.add_argument("--most", type=float, default=3, metavar="PERCENT", help="of survivors without an explanation")
    parser.add_argument("--list", action="store_true", help="the changes alone, none is made")
    parser.add_argument("--verbose", action="store_true", help="print each outcome")
    options = parser.parse_args()
    if not (options.paths or options.changed or options.all):
        parser.error("of what? name folders or files, --changed REV or --all")
    return options


def main():
    options = arguments()
    options.build = options.build.resolve()
    mutants = chosen(options)
    if options.list:
        print(*mutants, sep="\n")
        return 0
    reasons, known = explanations(EXPLAINED), logged(options.log)
    outcomes = [(mutant, known[mutant.key][0]) for mutant in mutants if mutant.key in known]
    left = [mutant for mutant in mutants if mutant.key not in known]
    if left:
        builds = [options.build, *([options.sanitized.resolve()] if options.sanitized else [])]
        for each in builds:
            words = ["ninja", "-C", each, "all", "meson-test-prereq"]
            subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        with tempfile.TemporaryDirectory() as scratch:
            folder, (build, *others) = pathlib.Path(scratch), [Build(ROOT, each) for each in builds]
            suites = options.suites or [suite for suite in build.suites if suite != "oom"]
            say = (lambda text: print(text, flush=True)) if options.verbose else (lambda text: None)
            ranks = Ranks(suites, reach.Recorder(build, {each.path for each in mutants}, folder, options.effort, say))
            for mutant in mutants:
                if known.get(mutant.key, ("",))[0] == "killed" and " " not in known[mutant.key][1]:
                    ranks.noticed(mutant, *known[mutant.key][1].split("/", 1))
            shops = []
            for number in range(options.jobs):
                (folder / str(number)).mkdir()
                shops.append(Workshop(build, folder / str(number), ranks, options.effort, options.patience, *others))
            outcomes += judge_all(left, shops, options)
    counts = dict.fromkeys(("killed", "survived", "explained", "same", "invalid"), 0)
    for mutant, outcome in outcomes:
        counts["explained" if outcome == "survived" and reasons.get(mutant.key) else outcome] += 1
    tried = counts["killed"] + counts["survived"] + counts["explained"]
    share = 100 * counts["survived"] / max(1, tried)
    print(f"{tried} changes: {counts['killed']} killed, {counts['survived']} survived ({share:.1f} %), "
          f"{counts['explained']} explained; beside them {counts['same']} the same code, "
          f"{counts['invalid']} that do not compile, {len(mutants) - len(outcomes)} not tried")  # fmt: skip
    return 1 if share > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
