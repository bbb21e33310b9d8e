# SPDX-License-Identifier: BSD-2-Clause
"""The library's binary interface against the committed description; see refresh.sh.

While calls of a new minor version may still change, the description is of the version before, and is not compared. The
comparison resumes with the first description of the new version.
"""

import pathlib
import re
import shutil
import tempfile
import unittest

from support import LIBRARY, ROOT, run

BASELINE = pathlib.Path(__file__).with_name("gpucache.abi")


class Abi(unittest.TestCase):
    def test_is_what_was_committed(self):
        if not shutil.which("abidiff"):
            self.skipTest("abidiff is not installed (package abigail-tools)")
        soname = re.search(r"\(SONAME\).*\[(.*)\]", run("readelf", "-d", LIBRARY))[1]
        if f"soname='{soname}'" not in BASELINE.read_text():
            self.skipTest(f"the recorded interface is of another version than {soname}: run refresh.sh")
        with tempfile.TemporaryDirectory() as folder:
            present = pathlib.Path(folder, "present.abi")
            run("sh", ROOT / "tests/abi/refresh.sh", present)
            # abidiff's status has a bit for each kind of difference; a person must look at every difference.
            run("abidiff", "--suppressions", BASELINE.with_name("private.suppr"), BASELINE, present)


if __name__ == "__main__":
    unittest.main()
