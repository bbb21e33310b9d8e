# SPDX-License-Identifier: BSD-2-Clause
"""The import of SM7_QV100 beside what Accel-Sim itself, run with those files, took: bench/accel_sim.py's rows."""

import pathlib
import sys
import unittest

from harness import TemporaryCase, python

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import accel_sim  # noqa: E402
from accel_sim import CHAIN, LOADS, TRACES, WARPS  # noqa: E402

ROWS = {row.name: row for row in accel_sim.ROWS}
STREAM = WARPS.removesuffix(",count=400")
# Bytes a cycle: 64 slices of 32; 32 channels of 32 at 850 of 1,132 MHz.
MOST_OF_L2, MOST_OF_DRAM = 64 * 32, 32 * 32 * 850 / 1132


class SM7_QV100(TemporaryCase):
    def cycles(self, source, **settings):
        return [stats["cycles"] for stats in accel_sim.run(self.context, source, **settings)]

    def per_step(self, kernel, steps=("count=200", "count=400")):
        few, many = (self.cycles(f"synthetic:{kernel},{step}")[0] for step in steps)
        return (many - few) / 200

    def expect_within(self, name, most):
        row = ROWS[name]
        (cycles,) = self.cycles(accel_sim.source_of(row))
        self.assertLess(abs(cycles / row.cycles - 1), most, f"{name}: {cycles}, not {row.cycles}")

    def test_what_is_known_within_three_percent(self):
        known = [row.name for row in accel_sim.ROWS if row.known in ("given", "reasoned")]
        self.assertEqual(len(known), 9)
        for name in known:
            with self.subTest(name):
                self.expect_within(name, 0.03)

    def test_each_instruction(self):
        """Dependent integer additions 7.0 apart; four warps a scheduler: half rate alone, one a cycle mixed."""
        self.assertEqual(self.per_step(CHAIN), 7.0)
        self.assertEqual(self.per_step(f"{STREAM},int=1,fp=0"), 4 * 2.0)
        self.assertEqual(self.per_step(f"{STREAM},int=0,fp=1"), 4 * 2.0)
        self.assertEqual(self.per_step(f"{STREAM},int=1,fp=1"), 4 * 1.0)

    def test_each_access(self):
        """shader.cc: operands at t + 2, the unit at t + 3, its L1 at t + 4, and 20 more; of 16 warps one a cycle; 32
        sectors on four banks in 8; a packet for each sector of a store."""
        self.assertEqual(self.per_step(LOADS), 24)
        self.assertEqual(self.per_step("accesses:128B:threads=512"), 16)
        self.assertEqual(self.per_step("accesses:128B:threads=512,stride=32"), 16 * 8)
        self.assertEqual(self.per_step("accesses:128B:threads=512,store=1"), 16 * 4)

    def test_past_l1(self):
        """175 a load there. Of the four missing here one is the second step of the writeback; three are not known."""
        self.assertEqual(self.per_step(f"{LOADS},cg=1"), 171)

    def test_chain_through_dram(self):
        """A row already open, a separate row per load, a separate row in a bank with another open row: by stride."""
        chain = LOADS.replace("128B", "512MiB")
        near, apart, other = (self.per_step(f"{chain},step={step}") for step in (32, 65536, 1048576))
        self.assertLess(near, apart)
        self.assertLess(apart, other)
        self.assertLess(abs(5000 + 400 * other - ROWS["chain through DRAM"].cycles), 0.03 * 139_461)

    def test_bandwidths_are_below_what_there_is(self):
        """The traces' total reads are not known, but the figures are between half and all of the machine's
        bandwidth."""
        for name, blocks, warps, most in (("bandwidth of L2", 80, 4, MOST_OF_L2), ("bandwidth of DRAM", 80, 2, MOST_OF_DRAM)):
            (stats,) = accel_sim.run(self.context, accel_sim.source_of(ROWS[name]))
            rate = blocks * warps * 400 * 128 / (stats["cycles"] - 5000)
            self.assertLess(rate, most, name)
            self.assertGreater(rate, most / 2, name)

    @unittest.skipUnless(TRACES.exists(), "the traces are not here")
    def test_traces(self):
        self.expect_within("vecadd", 0.03)
        self.expect_within("conv2d", 0.05)

    def test_hits_where_l1_thrashes(self):
        """With schedulers in fixed order LRU hits 23.1 %, with MSHR entries of lines BIP 22.9 %."""
        for policy in accel_sim.POLICIES:
            with self.subTest(policy.name):
                cycles, hits = accel_sim.hits_of(self.context, policy.name)
                self.assertLess(abs(hits - policy.hits), 3, f"{hits:.1f} %")
                self.assertLess(abs(cycles / policy.cycles - 1), 0.04, cycles)

    def test_table(self):
        done = python(BENCH / "accel_sim.py", "--set", "sm.count=1", "--set", "limit.cycles=5100")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row for row in ROWS.values() if accel_sim.source_of(row)]
        self.assertEqual(len(done.stdout.splitlines()), 2 + len(rows) + len(accel_sim.POLICIES))
        self.assertIn(f"| nothing | given | `{CHAIN},count=1` | 5,011 | 5,002 | -0.2 % |", done.stdout)


if __name__ == "__main__":
    unittest.main()
