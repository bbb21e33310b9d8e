# SPDX-License-Identifier: BSD-2-Clause
"""gpucache torture: a share of the seeds, and the noticing of faults planted in torture's host."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import BUILD, EFFORT, INCLUDE, LIBRARY, run

FOLDER = LIBRARY.resolve().parent
PROGRAM = BUILD / "tests/torture/gpucache-torture"
SEEDS = {"quick": 300, "normal": 1000, "full": 3000}
VALUES = {"quick": 10, "normal": 40, "full": 100, "thorough": 10000}
PAIRS = {"quick": 900, "normal": 1500, "full": 6000}
PROTOCOLS = ("none", "viper", "vi", "slc-glc", "hmg", "msi", "mesi", "mesif", "mosi", "moesi", "nmoesi", "nmoesi-d")


def torture(*options, status=0):
    return run(PROGRAM, *options, status=status)


class Torture(unittest.TestCase):
    def test_seeds(self):
        amount = ["--seconds", 3600] if EFFORT == "thorough" else ["--count", SEEDS[EFFORT]]
        told = torture("--jobs", os.cpu_count() or 1, *amount)
        configurations, accesses = (int(n) for n in re.search(r"^(\d+) configurations, (\d+) accesses", told, re.M).groups())
        self.assertGreater(configurations, 200)
        self.assertGreater(accesses, 30 * configurations)
        self.assertIn("\n0 failures", told)

    def test_pairs(self):
        """A pair of features that no machine can have is refused by a stated rule; the others are drawn."""
        told = torture("--draws", *(["--count", PAIRS[EFFORT]] if EFFORT in PAIRS else []))
        pairs, never, covered = re.search(r"(\d+) pairs .*: (\d+) impossible by a rule, .* (\d+) covered", told).groups()
        self.assertIn("\n0 failures", told)
        self.assertGreater(int(never), 0)
        self.assertGreater(int(covered), int(pairs) // 2 if EFFORT in PAIRS else int(pairs) - int(never) - 1)

    def test_values(self):
        """Loads of programs without races find the stored values, under each protocol."""
        for protocol in PROTOCOLS:
            told = torture("--values", "--operations", 400, "--count", VALUES[EFFORT], "--set", f"coherence={protocol}")
            self.assertGreater(int(re.search(r"(\d+) bytes of values checked", told).group(1)), 1000 * VALUES[EFFORT])
            self.assertIn("\n0 failures", told, protocol)

    def test_a_seed_is_the_same_each_time(self):
        self.assertEqual(torture("--first", 77, "--show"), torture("--first", 77, "--show"))

    def test_planted_faults_are_noticed(self):
        """A reply forgotten by a host's memory, a changed loaded byte, a counter larger by one under single steps, a
        forgotten part of a time series, a call without memory that is taken for done."""
        self.assertRegex(torture("--fault", 1, "--count", 60, status=1), r"seed \d+: hang: ")
        self.assertRegex(torture("--fault", 2, "--values", "--count", 4, status=1), r"seed \d+: value: ")
        self.assertRegex(torture("--fault", 3, "--count", 4, status=1), r"seed \d+: numbers differ: steps: ")
        self.assertRegex(torture("--fault", 4, "--count", 60, status=1), r"seed \d+: told otherwise: paused: ")
        self.assertRegex(torture("--fault", 5, "--count", 60, status=1), r"seed \d+: [a-z ]+: starved: ")

    def test_a_failure_becomes_a_small_program(self):
        """For a planted fault the C file compiles, has few calls, and runs."""
        with tempfile.TemporaryDirectory() as folder:
            torture("--fault", 3, "--first", 2, "--count", 1, "--output", folder, status=1)
            (source,) = pathlib.Path(folder).glob("*.c")
            self.assertLess(source.read_text().count("offer_"), 12)
            program = pathlib.Path(folder, "program")
            run("cc", "-std=c11", f"-I{INCLUDE}", source, "-o", program, f"-L{FOLDER}", "-lgpucache",
                f"-Wl,-rpath,{FOLDER}")
            self.assertIn("the same", run(program, cwd=folder))

    def test_usage(self):
        self.assertIn("usage: ", torture("--no-such-option", status=2))

    def test_command(self):
        done = subprocess.run([sys.executable, "-m", "gpucache", "torture", "--count", "20", "--jobs", "1"],
                              stdout=subprocess.PIPE, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"pairs of \d+ features: \d+ impossible")
