# SPDX-License-Identifier: BSD-2-Clause
"""The examples by subject (examples/api): each program runs, and together the examples call every function."""

import pathlib
import re
import tempfile
import unittest

from support import BUILD, ROOT, declared_functions, run, symbols, without_comments

EXAMPLES = ROOT / "examples"
PROGRAMS = sorted((EXAMPLES / "api").glob("*.c"))
MOST_LINES = 150


class Api(unittest.TestCase):
    def test_programs_end_well(self):
        """A program checks its results, and ends with 1 if a result differs."""
        self.assertGreater(len(PROGRAMS), 20)
        for path in PROGRAMS:
            with self.subTest(path.stem), tempfile.TemporaryDirectory() as folder:
                printed = run(BUILD / "examples" / f"example-api-{path.stem}", cwd=folder)
                self.assertTrue(printed)
                self.assertEqual(list(pathlib.Path(folder).iterdir()), [], "files are removed")

    def test_programs_are_short(self):
        lengths = {path.name: path.read_text().count("\n") for path in PROGRAMS}
        self.assertEqual({name: length for name, length in lengths.items() if length >= MOST_LINES}, {})

    def test_every_function_is_called(self):
        text = "".join(without_comments(path.read_text()) for path in EXAMPLES.rglob("*.c"))
        called = set(re.findall(r"\b(gpc_\w+)\s*\(", text))
        called |= {symbol for name, symbol in symbols().items() if name in called}
        self.assertEqual(sorted(declared_functions() - called), [])

    def test_one_extension_is_enough(self):
        """A program, or a file of an adapter, includes the core and at most one further header."""
        files = [path for path in EXAMPLES.rglob("*") if path.suffix in (".c", ".h", ".cc", ".hh", ".go")]
        self.assertGreater(len(files), 40)
        for path in files:
            further = re.findall(r"#include <gpucache/((?:ext|experimental)/.*)>", path.read_text())
            self.assertLessEqual(len(further), 1, f"{path.relative_to(ROOT)}: {further}")


if __name__ == "__main__":
    unittest.main()
