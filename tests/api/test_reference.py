# SPDX-License-Identifier: BSD-2-Clause
"""Doxygen makes the API reference of the public headers without a warning, and the reference has all functions, tiers and
examples."""

import re
import shutil
import subprocess
import tempfile
import unittest

from support import ROOT

EXAMPLES = ROOT / "examples"


@unittest.skipUnless(shutil.which("doxygen"), "without doxygen")
class Reference(unittest.TestCase):
    def test_without_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            settings = (ROOT / ".doxygen" / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {folder}\n"
            done = subprocess.run(
                ["doxygen", "-"], input=settings, cwd=ROOT, capture_output=True, text=True, check=False
            )
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            pages = "".join(page.read_text() for page in (ROOT / folder / "html").glob("*.html"))
            for header in (ROOT / "include" / "gpucache").rglob("*.h"):
                for name in re.findall(r"^GPC_API [^;(]*?(gpc_\w+)\(", header.read_text(), re.MULTILINE):
                    self.assertIn(f">{name}<", pages, f"{header.name}: {name}")
            made = {page.name for page in (ROOT / folder / "html").glob("*.html")}
            self.assertLessEqual({f"group__{tier}.html" for tier in ("core", "ext", "experimental")}, made)
            shown = [page for page in made if page.endswith("-example.html")]
            self.assertEqual(len(shown), len([path for path in EXAMPLES.rglob("*.c") if "hosts" not in path.parts]))


if __name__ == "__main__":
    unittest.main()
