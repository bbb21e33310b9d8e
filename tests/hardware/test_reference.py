# SPDX-License-Identifier: BSD-2-Clause
"""Preset gtx480-gpgpusim against GPGPU-Sim 3.2.1: 5 % of cycles and 2 points of misses.

A row that is further off is listed with what is known of it; one that comes within, or newly falls out, is a failure.
"""

import unittest

import reference

CYCLES, POINTS = 5, 2
# Cycles are within 2 %, misses 3.0 and 2.03 points too many. Not the reason: l1.issue_latency 3 or 4 (2.9 and 2.0),
# sm.latency_alu 10 (2.9 and 2.0), l1.mshr_free = filled (2.9 and 2.2). A queue of four memory instructions instead of
# five gives too few (-6.1 and -6.8, before the lines came the last first), no fetch 5.9 and 0.0.
MISSES = {"invert: lru, 4 warps a scheduler", "invert: age-lru"}
# Here the two blocks that 16 warps a scheduler are mostly stay together, and miss only their own lines. Small things
# part them: README.md. An L2 that takes four cycles for a hit's line gave 99,492 cycles and 80.2 % of misses, but made
# `invert: lru` 12.6 % too slow.
DRIFT = {"sc: lru, 16 warps a scheduler"}


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (reference.REFERENCE / "figures.json").exists():
            raise unittest.SkipTest(f"{reference.REFERENCE} is missing")
        cls.rows = reference.run_all()
        print(reference.table(cls.rows))

    def test_each_row(self):
        self.assertGreaterEqual(len(self.rows), 8)
        for row in self.rows:
            with self.subTest(row.name):
                cycles, misses = reference.off(row)
                within = abs(cycles) <= CYCLES and abs(misses) <= POINTS
                self.assertEqual(within, row.name not in MISSES | DRIFT, f"{cycles:+.1f} %, {misses:+.1f} points")

    def test_explanations_are_of_rows(self):
        self.assertLessEqual(MISSES | DRIFT, {row.name for row in self.rows})


if __name__ == "__main__":
    unittest.main()
