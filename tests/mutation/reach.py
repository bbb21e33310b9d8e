# SPDX-License-Identifier: BSD-2-Clause
"""Reached lines by test: unit tests run once, in programs that record the visited places of given files."""

import collections
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import threading

HERE = pathlib.Path(__file__).parent
# Without -fno-inline, a function inlined into a block of another function would leave no place.
TRACED = ["-fsanitize-coverage=trace-pc", "-g1", "-O1", "-fno-inline"]

# Nearly every test reaches the file. The record therefore has nearly every test and its time.
EVERYWHERE = "lib/registry/context.c"

Test = collections.namedtuple("Test", "suite name seconds lines")  # lines: {path: [line]}


def lines_of(program, places, paths, root):
    """{place: [(path, line)]}: for inlined code the inlined line, and the calling lines."""
    # A return address stands behind the call.
    asked = "".join(f"{int(place, 16) - 1:x}\n" for place in places)
    told = subprocess.run(["addr2line", "-a", "-i", "-e", program], input=asked, capture_output=True, text=True,
                          check=True).stdout  # fmt: skip
    found, of = {}, iter(places)
    for answer in told.splitlines():
        if answer.startswith("0x"):
            place = next(of)
            continue
        path, _, line = answer.partition(" ")[0].rpartition(":")
        path = os.path.relpath(path, root)
        if path in paths and line.isdigit():
            found.setdefault(place, []).append((path, int(line)))
    return found


def compiled(source, made, root, *options):
    """Compile a C file to join the test programs; returns the object."""
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-O2", *options, "-c", source, "-o", made,
                    "-I", root / "tests"], check=True)  # fmt: skip
    return made


def recorder(made, root):
    """The recording object, from reach.c."""
    return compiled(HERE / "reach.c", made, root)


def switch(made, root):
    """The object of wakes.c, which reads the number of the statement to skip."""
    return compiled(HERE / "wakes.c", made, root)


def groups_of(program):
    """Groups of tests of a Criterion program."""
    told = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^(\w+): \d+ tests?", told, re.M)


def rows_of(build, program, effort, group="*"):
    """Whether all tests of a group pass, and [name, seconds, place...] of tests with reached places."""
    told = program.with_suffix(".txt")
    told.unlink(missing_ok=True)
    environment = {**os.environ, "GPUCACHE_TESTS": effort, "GPUCACHE_REACH": str(told)}
    done = subprocess.run([program, "--jobs=1", "--filter", f"{group}/*"], cwd=build.root, env=environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    rows = [line.split() for line in told.read_text().splitlines()] if told.exists() else []
    told.unlink(missing_ok=True)
    return done.returncode == 0, rows


def kept(path, program, record):
    """[Test] of a program: kept in a file from an equal program, or from `record()`."""
    stamp = hashlib.sha256(program.read_bytes()).hexdigest()
    found = json.loads(path.read_text()) if path.exists() else {}
    if found.get("stamp") != stamp:
        found = {"stamp": stamp, "tests": record()}
        path.write_text(json.dumps(found))
    return [Test(*each) for each in found["tests"]]


class Recorder:
    """Reached lines of `paths` by test, suite by suite at the first question; the build directory keeps them."""

    def __init__(self, build, paths, folder, effort, say=lambda text: None):
        self.build, self.folder, self.effort, self.say = build, folder, effort, say
        self.paths, self.objects, self.found, self.lock = sorted({*paths, EVERYWHERE}), {}, {}, threading.Lock()

    def __call__(self, suite):
        with self.lock:
            if suite not in self.found:
                self.found[suite] = self.suite(suite)
            return self.found[suite]

    def suite(self, suite):
        for path in self.paths if not self.objects else ():
            self.objects[path] = self.build.compile(path, self.folder / (path.replace("/", "_") + ".reach.o"), TRACED)
        recording = recorder(self.folder / "reach.o", self.build.root)
        program = self.build.link(suite, self.objects, self.folder / f"reach-{suite}", [recording])
        record = self.build.folder / f"reached-{suite}-{self.effort}.json"
        tests = kept(record, program, lambda: self.record(suite, program))
        program.unlink()
        return tests

    def record(self, suite, program):
        _, rows = rows_of(self.build, program, self.effort)
        places = sorted({place for row in rows for place in row[2:]}, key=lambda place: int(place, 16))
        lines = lines_of(program, places, self.objects, self.build.root)
        if places and not lines:
            raise SystemExit(f"{program.name}: no line of {', '.join(self.paths)} in its line table")
        found = {}
        for name, seconds, *reached in rows:
            test = found.setdefault(name, Test(suite, name, float(seconds), {}))  # parameters: several rows
            for path, line in {at for place in reached for at in lines.get(place, ())}:
                test.lines.setdefault(path, set()).add(line)
        self.say(f"{suite}: {len(found)} tests, {sum(test.seconds for test in found.values()):.1f} s")
        return [test._replace(lines={path: sorted(each) for path, each in test.lines.items()})
                for test in found.values()]  # fmt: skip
