# SPDX-License-Identifier: BSD-2-Clause
"""run --save-at and --resume: a run continued from a file prints the output of an unstopped run."""

import json
import os
import unittest

from harness import TemporaryCase, command, write_trace

KERNELS = (("_Z5twicePfS_", 4), ("_ZN3net4reluEPf", 6))


class Snapshots(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), KERNELS)
        self.file = self.path("state")

    def run_command(self, *arguments, status=0, message=""):
        found = command("run", *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        return found.stdout

    def document(self, *arguments):
        return json.loads(self.run_command(*arguments, "--json", "-"))

    def check(self, cycle, *arguments, shown=len(KERNELS)):
        """The kernels unfinished at the file's writing equal a whole run's."""
        whole = self.document(self.source, *arguments)
        saving = self.document(self.source, *arguments, "--save-at", str(cycle), self.file)
        self.assertEqual(saving, whole)
        resumed = self.document(self.source, "--resume", self.file)
        self.assertEqual(resumed["config"], whole["config"])
        self.assertEqual(resumed["kernels"], whole["kernels"][len(KERNELS) - shown:])
        return whole, resumed

    def test_with_a_clock(self):
        whole, resumed = self.check(100, "--preset", "qv100", "--mode", "timed", "--set", "sm.count=2")
        self.assertEqual(resumed["total"], whole["total"])
        first = whole["kernels"][0]["stats"]["cycles"]
        self.check(first + 100, "--preset", "qv100", "--mode", "timed", "--set", "sm.count=2", shown=1)

    def test_other_threads(self):
        """The number of threads is the one setting that may differ."""
        whole = self.document(self.source, "--mode", "timed", "--save-at", "100", self.file)
        resumed = self.document(self.source, "--resume", self.file, "--set", "threads=2")
        self.assertEqual((whole["config"]["threads"], resumed["config"]["threads"]), ("1", "2"))
        self.assertEqual(resumed["kernels"], whole["kernels"])

    def test_without_a_clock(self):
        whole, resumed = self.check(2, "--set", "sm.count=2", "--set", "l1.ways=2")
        self.assertEqual(resumed["total"], whole["total"])

    def test_per_object(self):
        arguments = self.source, "--mode", "timed", "--per", "sm"
        whole = self.document(*arguments, "--save-at", "50", self.file)
        resumed = self.document(self.source, "--resume", self.file, "--per", "sm")
        self.assertEqual(resumed["kernels"], whole["kernels"])

    def test_wrong_use(self):
        self.run_command(self.source, "--mode", "timed", "--save-at", "50", self.file)
        for option, value in (("--preset", "h100"), ("--set", "l1.ways=4"), ("--mode", "timed"), ("--config", "a"),
                              ("--gpgpusim", "a"), ("--max-cycles", "5"), ("--max-instructions", "5")):
            self.run_command(self.source, "--resume", self.file, option, value, status=2, message=option[2:])
        self.run_command(self.source, self.source, "--resume", self.file, status=2, message="one trace")
        self.run_command(self.source, self.source, "--save-at", "5", self.file, status=2, message="one trace")
        self.run_command(self.source, "--save-at", "soon", self.file, status=2, message="'soon'")

    def test_bad_input(self):
        self.run_command(self.source, "--mode", "timed", "--save-at", "50", self.file)
        with open(self.file, "r+b") as file:
            file.seek(1000)
            file.write(b"\xff\x00")
        self.run_command(self.source, "--resume", self.file, status=1, message=self.file)
        self.run_command(self.source, "--resume", self.path("none"), status=1, message=self.path("none"))
        late = self.path("late")
        self.run_command(self.source, "--save-at", "1000000", late, status=1, message="the trace ends at")
        self.assertFalse(os.path.exists(late))

    def test_another_trace(self):
        other = write_trace(self.path("u"), (("_Z5threePfS_", 4),))
        self.run_command(self.source, "--mode", "timed", "--save-at", "50", self.file)
        self.run_command(other, "--resume", self.file, status=1, message="begins with other kernels")
        self.run_command(self.source, "--resume", self.file, "--save-at", "20", self.file, status=1, message="is past")


if __name__ == "__main__":
    unittest.main()
