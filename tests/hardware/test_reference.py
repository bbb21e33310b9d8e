# SPDX-License-Identifier: BSD-2-Clause
"""Preset gtx480-gpgpusim against GPGPU-Sim 3.2.1: 5 % of cycles and 2 points of misses.

A row further off is listed with the known reasons. A listed row that comes within the bounds is a failure, as is an
unlisted row that falls out.
"""

import unittest

import ptx
import reference
from compare import gpucache

CYCLES, POINTS = 5, 2
# The two blocks (mostly two) of 16 warps a scheduler stay together, and miss only in private lines, or drift apart.
# Small differences decide this, on each SM anew, and the slowest SM counts: the place of the arrays alone changes
# cycles by -13 to +5 %, and misses by -4 to +5 points (reference.py --moved, README.md). So several runs are tested.
DRIFT = {"sc: lru, 16 warps a scheduler"}
MOVES = (0, 1, 2, 3, 5, 7, 11, 13)  # lines by which the arrays are moved


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
                self.assertEqual(within, row.name not in DRIFT, f"{cycles:+.1f} %, {misses:+.1f} points")

    def test_drifting_rows_are_chance(self):
        """Runs with different places of the arrays lie both above and below the simulator's figure."""
        for name in DRIFT:
            runs = [reference.run_all(lines=lines, names=name) for lines in MOVES]
            print(reference.spread(runs))
            cycles, misses = zip(*(reference.off(row) for rows in runs for row in rows))
            for figures in (cycles, misses):
                self.assertLess(min(figures), 0, name)
                self.assertGreater(max(figures), 0, name)

    def test_explanations_are_of_rows(self):
        self.assertLessEqual(DRIFT, {row.name for row in self.rows})


class RoundTrip(unittest.TestCase):
    def test_a_miss_that_hits_l2(self):
        """By the simulator's source 4 cycles to L1's tags; 2 to the slice, 120 (ROP), 1 to the slice's tags, 3 for five
        flits, of two steps in the network and a cycle each, and 1 to fill L1; 1 until the turn, 1 to the register."""
        context = gpucache.Context()
        config = gpucache.Config(context)
        config.load_preset("gtx480-gpgpusim")
        config["mode"] = "timed"
        done = []
        with gpucache.Hierarchy(context, config, on_complete=done.append) as hierarchy:
            for sm in range(2):  # the first brings the line to L2
                self.assertFalse(hierarchy.try_issue([0x10000000 + 4 * lane for lane in range(32)], sm=sm, kind="load"))
                while len(done) == sm:
                    hierarchy.advance(1)
        self.assertEqual([(c.level, c.cycle - c.issued) for c in done][1], (2, 4 + 2 + 120 + 1 + 3 + 1 + 1 + 1))


PROGRAM = """.version 2.0
.entry k (.param .u32 in)
{
 .reg .u32 %r<9>;
 ld.param.u32 %r1, [in];
 setp.ge.s32 %p1, %r1, 7;
 @%p1 bra $Ldone;
$Lloop:
 ld.global.f32 %f1, [%r1+0];
 mad.f32 %f3, %f1, %f1, %f3;
 @%p2 bra $Lloop;
 st.global.f32 [%r2+0], %f3;
$Ldone:
 exit;
}
"""
TRACE = """thread block = 3,0,0
warp = 1
insts = 4
0000 ffffffff 1 R1 MOV 0 0
0120 ffffffff 1 R12 LDG.E 1 R11 4 1 0x0000000010000000 4
0120 ffffffff 1 R12 LDG.E 1 R11 4 1 0x0000000010040000 4
0500 ffffffff 0 EXIT 0 0"""


class Programs(unittest.TestCase):
    def test_a_warp_executes_its_program(self):
        """The warp goes round the loop twice, as the trace has two loads. The store behind the loop belongs to the
        second warp of block 3."""
        made = ptx.as_simulated(["-block dim = (64,1,1)", *TRACE.splitlines()], PROGRAM).splitlines()
        self.assertEqual(made[:4], ["-block dim = (64,1,1)", "thread block = 3,0,0", "warp = 1", "insts = 11"])
        load, mad, branch = "LDG.E 1 R1 4 1 0x00000000100{}0000 4", "1 R67 FFMA 3 R65 R65 R67 0", "0 BRA 1 R98 0"
        loop = ["0018 ffffffff 1 R65 " + load, "0020 ffffffff " + mad, "0028 ffffffff " + branch]
        self.assertEqual(made[4:], [
            "0000 ffffffff 1 R1 LDC 0 4 1 0x100 0", "0008 ffffffff 1 R97 ISETP 1 R1 0", "0010 ffffffff 0 BRA 1 R97 0",
            *(line.format(0) for line in loop), *(line.format(4) for line in loop),
            f"0030 ffffffff 0 STG.E 2 R2 R67 4 1 0x{ptx.OUT + 4 * (3 * 64 + 32):016x} 4", "0038 ffffffff 0 EXIT 0 0",
        ])  # fmt: skip


    def test_moved(self):
        line = "0018 ffffffff 1 R65 LDG.E 1 R1 4 1 0x0000000010000fa0 4"
        parameter = "0000 ffffffff 1 R1 LDC 0 4 1 0x100 0"
        self.assertEqual(reference.moved(f"{parameter}\n{line}", 3),
                         f"{parameter}\n{line.replace('10000fa0', '10001120')}")  # fmt: skip
        self.assertEqual(reference.moved(line, 0), line)

    def test_spread(self):
        runs = [[reference.Row("a", (90, 100), (50, 50))], [reference.Row("a", (110, 100), (54, 50))]]
        self.assertEqual(reference.spread(runs).splitlines()[1].split(),
                         ["a", "+0.0", "14.1", "-10.0,", "+10.0", "+2.0", "2.8", "+0.0,", "+4.0"])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
