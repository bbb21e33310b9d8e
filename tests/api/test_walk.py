# SPDX-License-Identifier: BSD-2-Clause
"""Walks of one warp access through the library: files, functions, changes of folder.

As a script, prints the table of walks. The tests build the library with -finstrument-functions: a build for thorough
runs. Functions of base/base.h (bits, counts, hashes: an instruction or a few) are no place of a walk. DWARF 4, because
addr2line finds the functions of the first header in the including file, if the lines are of DWARF 5.
"""

import collections
import pathlib
import tempfile
import unittest

from support import EFFORT, INCLUDE, ROOT, run

LIB = ROOT / "lib"
OPERATIONS = LIB / "base" / "base.h"
WALKS = {  # name: (arguments of walk.c, most files, most changes of folder)
    "functional load, h100": (["h100", "load", "functional"], 16, 42),
    "timed load, h100": (["h100", "load", "timed"], 35, 144),
    "timed store, h100, nmoesi": (["h100", "store", "timed", "coherence=nmoesi"], 49, 927),
}
Walk = collections.namedtuple("Walk", "files functions changes entries")


def build(folder):
    """Builds an instrumented walk.c in a folder, and returns the program."""
    run(
        "meson", "setup", folder / "build", ROOT, "-Dauto_features=disabled", "-Ddefault_library=static",
        "--buildtype=plain", "-Doptimization=0", "-Dc_args=-g1 -gdwarf-4 -finstrument-functions",
    )
    run("ninja", "-C", folder / "build")
    program = folder / "walk"
    run(
        "cc", "-std=c11", "-no-pie", "-g1", "-gdwarf-4", f"-I{INCLUDE}", ROOT / "tests/api" / "walk.c",
        folder / "build/lib/libgpucache.a", "-lm", "-ldl", "-lpthread", "-o", program,
    )
    return program


def walk(program, arguments):
    """Counts files, functions and changes of folder along the functions which one access enters."""
    entered = run(program, *arguments).split()
    addresses = sorted(set(entered))
    lines = run("addr2line", "-f", "-e", program, input="\n".join(addresses)).splitlines()
    places = {}
    for address, function, source in zip(addresses, lines[::2], lines[1::2]):
        path = (program.parent / "build" / source.rsplit(":", 1)[0]).resolve()
        if LIB in path.parents and path != OPERATIONS:
            places[address] = (str(path.relative_to(LIB)), function)
    passed = [places[address] for address in entered if address in places]
    folders = [file.split("/")[0] for file, _ in passed]
    return Walk(
        len({file for file, _ in passed}), len(set(passed)),
        sum(a != b for a, b in zip(folders, folders[1:])), len(passed),
    )


@unittest.skipUnless(EFFORT == "thorough", "builds the library: left to thorough runs")
class Walks(unittest.TestCase):
    def test_walks_are_short(self):
        with tempfile.TemporaryDirectory() as folder:
            program = build(pathlib.Path(folder))
            for name, (arguments, files, changes) in WALKS.items():
                with self.subTest(name):
                    found = walk(program, arguments)
                    self.assertGreater(found.functions, 50)
                    self.assertLessEqual(found.files, files)
                    self.assertLessEqual(found.changes, changes)


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = build(pathlib.Path(folder))
        print(f"{'walk':28} {'files':>6} {'functions':>10} {'changes of folder':>18} {'entries':>8}")
        for name, (arguments, _, _) in WALKS.items():
            found = walk(program, arguments)
            print(f"{name:28} {found.files:6} {found.functions:10} {found.changes:18} {found.entries:8}")


if __name__ == "__main__":
    main()
