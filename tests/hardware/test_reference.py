# SPDX-License-Identifier: BSD-2-Clause
"""Preset gtx480-gpgpusim against GPGPU-Sim 3.2.1: 5 % of cycles and 2 points of misses.

A row that is further off is listed with what is known of it; one that comes within, or newly falls out, is a failure.
"""

import unittest

import reference

CYCLES, POINTS = 5, 2
# With four warps a scheduler, and where younger warps bypass, more warps are under way here at a time, and take lines
# from each other: a queue of four memory instructions instead of five gives 74.4 and 50.6 % of misses, yet 87.5 %
# instead of 93.4 where all warps run.
MORE_WARPS = {"invert: lru, 4 warps a scheduler", "invert: age-lru, bypassing, segments only"}
# Here the two blocks that 16 warps a scheduler are stay together, and miss only their own lines. How far apart warps are
# decides: where the second block starts 500 or 3,000 cycles later (blocks.interval), it is 63 and 69 % of misses, 88,442
# and 104,456 cycles; what holds them apart in the simulator is not known. Neither the order (lrr), nor twice the ways of
# L1, nor l1.latency = 40 changes the 52 %.
DRIFT = {"sc: lru", "sc: lru, 16 warps a scheduler"}


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
                self.assertEqual(within, row.name not in MORE_WARPS | DRIFT, f"{cycles:+.1f} %, {misses:+.1f} points")

    def test_explanations_are_of_rows(self):
        self.assertLessEqual(MORE_WARPS | DRIFT, {row.name for row in self.rows})


if __name__ == "__main__":
    unittest.main()
