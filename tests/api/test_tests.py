# SPDX-License-Identifier: BSD-2-Clause
"""The tests themselves: every file is in a suite, and README.md lists every suite."""

import collections
import json
import pathlib
import re
import unittest

from support import BUILD, ROOT, run

TESTS = ROOT / "tests"


def tests():
    """The tests of the plain build, from Meson."""
    return json.loads(run("meson", "introspect", BUILD, "--tests"))


def suites():
    """{suite: kinds}."""
    found = {}
    for test in tests():
        kind, folder, *_ = [suite.split(":")[-1] for suite in test["suite"]]
        found.setdefault(folder, set()).add(kind)
    return found


class Tests(unittest.TestCase):
    def test_every_python_file_runs(self):
        """Files are listed when the build is configured: after a new one, `meson setup --reconfigure build`."""
        patterns = collections.defaultdict(set)
        for command in (test["cmd"] for test in tests()):
            if "--pattern" in command:
                options = dict(zip(command, command[1:]))
                patterns[pathlib.Path(options["--start-directory"])].add(options["--pattern"])
        self.assertGreater(len(patterns), 5)
        for path in TESTS.rglob("test_*.py"):
            self.assertTrue(patterns[path.parent] & {path.name, "test_*.py"}, path)

    def test_every_c_file_is_compiled(self):
        text = {}
        for build in TESTS.rglob("meson.build"):
            for name in re.findall(r"'([\w./-]+\.c)'", build.read_text()):
                text.setdefault((build.parent / name).resolve(), build)
        by_scripts = {path for path in TESTS.rglob("*.c") for script in path.parent.glob("*.py")
                      if f'"{path.name}"' in script.read_text()}  # fmt: skip
        self.assertEqual({path for path in TESTS.rglob("*.c")} - set(text) - by_scripts, set())

    def test_readme_lists_every_suite(self):
        rows = re.findall(r"^\| `([\w-]+)` \| (C|Python|C, Python) \|", (TESTS / "README.md").read_text(), re.MULTILINE)
        kinds = {"unit": "C", "script": "Python"}
        there = {name: ", ".join(sorted(kinds[kind] for kind in found)) for name, found in suites().items()}
        self.assertEqual(dict(rows), there)
        self.assertEqual([name for name, _ in rows], sorted(there))

    def test_folders_are_those_of_the_library(self):
        """A folder of tests/ has the name of one of lib/, or concerns several folders."""
        across = {
            "abi", "api", "contract", "determinism", "errors", "examples", "fuzz", "hardware", "keys", "lint", "mutation",
            "oom", "oracle", "python", "torture",
        }  # fmt: skip
        mirrored = {str(path.relative_to(ROOT / "lib")) for path in (ROOT / "lib").rglob("*") if path.is_dir()}
        folders = {path.parent.relative_to(TESTS) for path in [*TESTS.rglob("*.c"), *TESTS.rglob("test_*.py")]}
        self.assertEqual({str(folder) for folder in folders} - across - mirrored, set())


if __name__ == "__main__":
    unittest.main()
