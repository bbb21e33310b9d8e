# SPDX-License-Identifier: BSD-2-Clause
"""Situations of public reports, of ../shared/cases: each command prints the value explained in the case's note."""

import os
import unittest

from support import ROOT, run

CASES = ROOT.parent / "shared" / "cases" / "run.sh"


@unittest.skipUnless(CASES.exists(), "without ../shared/cases")
class PublicReports(unittest.TestCase):
    def test_every_case(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python")}
        output = run("bash", CASES, env=environment)
        self.assertRegex(output.splitlines()[-1], r"^[1-9]\d* ok, 0 FAIL$")


if __name__ == "__main__":
    unittest.main()
