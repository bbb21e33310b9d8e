# SPDX-License-Identifier: BSD-2-Clause
"""The tests themselves: every file is in a suite, and README.md lists every suite."""

import json
import re
import unittest

from support import BUILD, ROOT, run

TESTS = ROOT / "tests"


def listed():
    """{folder: Python files} of meson.build, as it writes them: without test_ and .py, or '*'."""
    text = (TESTS / "meson.build").read_text()
    block = text[text.index("scripts = {") :].split("\n}\n")[0]
    rows = re.findall(r"'(\w+)': \[(.*?)\]", block, re.DOTALL)
    return {name: re.findall(r"'([^']+)'", files) for name, files in rows}


def suites():
    """{suite: kind} of the plain build, from Meson."""
    found = {}
    for test in json.loads(run("meson", "introspect", BUILD, "--tests")):
        kind, folder, *_ = [suite.split(":")[-1] for suite in test["suite"]]
        found.setdefault(folder, set()).add(kind)
    return found


class Tests(unittest.TestCase):
    def test_every_python_file_runs(self):
        scripts = listed()
        self.assertGreater(len(scripts), 5)
        for folder in {path.parent for path in TESTS.rglob("test_*.py")}:
            files = scripts.get(str(folder.relative_to(TESTS)))
            self.assertIsNotNone(files, f"{folder} is no suite of tests/meson.build")
            if files != ["*"]:
                there = {path.stem[len("test_") :] for path in folder.glob("test_*.py")}
                self.assertEqual(set(files), there, folder)

    def test_every_c_file_is_compiled(self):
        text = {}
        for build in TESTS.rglob("meson.build"):
            for name in re.findall(r"'([\w./-]+\.c)'", build.read_text()):
                text.setdefault((build.parent / name).resolve(), build)
        self.assertEqual({path for path in TESTS.rglob("*.c")} - set(text), set())

    def test_readme_lists_every_suite(self):
        rows = re.findall(r"^\| `([\w-]+)` \| (C|Python|C, Python) \|", (TESTS / "README.md").read_text(), re.MULTILINE)
        kinds = {"unit": "C", "script": "Python"}
        there = {name: ", ".join(sorted(kinds[kind] for kind in found)) for name, found in suites().items()}
        self.assertEqual(dict(rows), there)
        self.assertEqual([name for name, _ in rows], sorted(there))

    def test_folders_are_those_of_the_library(self):
        """A folder of tests/ has the name of one of lib/, or is of something that goes across."""
        across = {
            "abi", "api", "contract", "determinism", "examples", "fuzz", "hardware", "lint", "oom", "oracle", "python",
        }  # fmt: skip
        mirrored = {str(path.relative_to(ROOT / "lib")) for path in (ROOT / "lib").rglob("*") if path.is_dir()}
        folders = {path.parent.relative_to(TESTS) for path in [*TESTS.rglob("*.c"), *TESTS.rglob("test_*.py")]}
        self.assertEqual({str(folder) for folder in folders} - across - mirrored, set())


if __name__ == "__main__":
    unittest.main()
