# SPDX-License-Identifier: BSD-2-Clause
"""Reached lines by test: every unit test runs once, in programs that record the visited places of given files."""

import collections
import json
import os
import pathlib
import shlex
import subprocess

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


def rows_of(build, program, effort):
    """Whether all tests pass, and [name, seconds, place...] of tests with reached places."""
    told = program.with_suffix(".txt")
    told.unlink(missing_ok=True)
    environment = {**os.environ, "GPUCACHE_TESTS": effort, "GPUCACHE_REACH": str(told)}
    done = subprocess.run([program, "--jobs=1"], cwd=build.root, env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    rows = [line.split() for line in told.read_text().splitlines()] if told.exists() else []
    told.unlink(missing_ok=True)
    return done.returncode == 0, rows


def add_program(build, suite, paths, objects, folder, effort):
    """[Test] of a suite."""
    program = build.link(suite, {path: objects[path] for path in paths}, folder / f"reach-{suite}", [objects[None]])
    _, rows = rows_of(build, program, effort)
    places = sorted({place for row in rows for place in row[2:]}, key=lambda place: int(place, 16))
    lines = lines_of(program, places, objects, build.root)
    if places and not lines:
        raise SystemExit(f"{program.name}: no line of {', '.join(paths)} in its line table")
    program.unlink()
    found = {}
    for name, seconds, *reached in rows:
        test = found.setdefault(name, Test(suite, name, float(seconds), {}))  # parameters: several rows
        for path, line in {at for place in reached for at in lines.get(place, ())}:
            test.lines.setdefault(path, set()).add(line)
    return [test._replace(lines={path: sorted(each) for path, each in test.lines.items()}) for test in found.values()]


def collect(build, paths, suites, folder, effort, say=lambda text: None):
    """[Test] of every suite, with the reached lines of `paths`."""
    paths = sorted({*paths, EVERYWHERE})
    objects = {path: build.compile(path, folder / (path.replace("/", "_") + ".reach.o"), TRACED) for path in paths}
    objects[None] = recorder(folder / "reach.o", build.root)
    found = []
    for suite in suites:
        tests = add_program(build, suite, paths, objects, folder, effort)
        say(f"{suite}: {len(tests)} tests, {sum(test.seconds for test in tests):.1f} s")
        found += tests
    return found


def load(path, stamp):
    """The result of an equal run; None if no such run was kept."""
    if not path.exists():
        return None
    kept = json.loads(path.read_text())
    return [Test(*each) for each in kept["tests"]] if kept["stamp"] == stamp else None


def keep(path, stamp, tests):
    path.write_text(json.dumps({"stamp": stamp, "tests": tests}))
