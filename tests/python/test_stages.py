# SPDX-License-Identifier: BSD-2-Clause
"""Stages of accesses: in a host, and in `run`."""

import json
import unittest

from harness import TemporaryCase, command, write_trace

import gpucache
from gpucache import stages


class Host(TemporaryCase):
    def memory(self, **settings):
        ends = []
        config = gpucache.Config(
            self.context, preset="gtx480", settings={"mode": "timed", "stats.stages": "true", **settings}
        )
        memory = gpucache.Hierarchy(self.context, config, on_complete=ends.append)
        self.addCleanup(memory.close)
        return memory, ends

    def test_a_slow_load_says_why(self):
        """200 loads at once, for one channel: the slowest has been in DRAM's queue for most of the time."""
        memory, ends = self.memory(**{"dram.channels": "1", "l2.slices": "1", "l1.queue": "unlimited",
                                      "l1.mshr_entries": "unlimited", "l2.mshr_entries": "unlimited",
                                      "l2.miss_queue": "unlimited", "l2.queue": "unlimited"})  # fmt: skip
        for i in range(200):
            self.assertFalse(memory.try_issue([i * 128 * 33], token=i, pc=0x80, sm=i % 15))
        memory.drain()
        slow = max(ends, key=lambda end: end.latency)
        self.assertGreater(slow.latency, 900)
        self.assertEqual(sum(slow.stages.values()), slow.latency)
        self.assertEqual(max(slow.stages, key=slow.stages.get), "dram_queue", slow.stages)
        self.assertGreater(2 * slow.stages["dram_queue"], slow.latency)

    def test_rows(self):
        memory, ends = self.memory()
        for i in range(40):
            while memory.try_issue(range(128 * i, 128 * i + 128, 4), token=i, pc=0x10 * (i % 3), kind=i % 2):
                memory.advance()
        while memory.try_fence():
            memory.advance()
        memory.drain()
        rows = memory.stages()
        self.assertEqual(sum(row.accesses for row in rows), len(ends))
        self.assertEqual(sum(row.latency for row in rows), sum(end.latency for end in ends))
        self.assertEqual([row.latency for row in rows], sorted((row.latency for row in rows), reverse=True))
        for row in rows:
            self.assertEqual(list(row.stages), stages.names())
            self.assertEqual(sum(row.stages.values()), row.latency)
            self.assertGreaterEqual(row.longest, row.mean)
        fence = [row for row in rows if row.kind is None]
        self.assertEqual([row.accesses for row in fence], [1])
        self.assertEqual(fence[0].stages["coherence"], fence[0].latency)
        counted = memory.stats()
        for name in stages.names():
            self.assertEqual(counted[f"stages.{name}"], sum(row.stages[name] for row in rows))
        memory.reset_stats()
        self.assertEqual(memory.stages(), [])

    def test_without_the_setting(self):
        config = gpucache.Config(self.context, preset="gtx480", settings={"mode": "timed"})
        ends = []
        with gpucache.Hierarchy(self.context, config, on_complete=ends.append) as memory:
            memory.try_issue([0])
            memory.drain()
            self.assertIsNone(ends[0].stages)
            with self.assertRaisesRegex(gpucache.StateError, "stats.stages"):
                memory.stages()
            self.assertNotIn("stages.dram", memory.stats())


class Run(TemporaryCase):
    KERNELS = (("_Z5twicePfS_", 4), ("_ZN3net4reluEPf", 6))

    def run_it(self, *more):
        trace = write_trace(self.path("t"), self.KERNELS)
        found = command("run", trace, "--preset", "gtx480", "--mode", "timed", *more)
        self.assertEqual(found.returncode, 0, found.stderr)
        return found.stdout

    def test_json(self):
        document = json.loads(self.run_it("--set", "stats.stages=true", "--json", "-"))
        plain = json.loads(self.run_it("--json", "-"))
        self.assertEqual(len(document["kernels"]), 2)
        total = dict.fromkeys(stages.names(), 0)
        for kernel, other in zip(document["kernels"], plain["kernels"]):
            rows = kernel["stages"]
            self.assertTrue(rows)
            self.assertNotIn("stages", other)
            self.assertEqual(kernel["stats"]["cycles"], other["stats"]["cycles"])
            for row in rows:
                self.assertEqual(sum(row["stages"].values()), row["latency"])
                for name, cycles in row["stages"].items():
                    total[name] += cycles
            loads = [row for row in rows if row["kind"] == "load"]
            self.assertEqual(sum(row["accesses"] for row in loads), kernel["stats"]["load.completed"])
            self.assertEqual(sum(row["latency"] for row in loads), kernel["stats"]["load.cycles"])
        self.assertEqual({name: document["total"][f"stages.{name}"] for name in total}, total)

    def test_table(self):
        lines = self.run_it("--set", "stats.stages=true").splitlines()
        head = [line for line in lines if line.split()[:2] == ["kernel", "instruction"]]
        self.assertEqual(len(head), 1, lines)
        self.assertIn("dram", head[0].split())
        first = lines[lines.index(head[0]) + 1].split()
        self.assertRegex(first[1], "^0x")
        shares = [float(cell) for cell in first[8:]]
        self.assertAlmostEqual(sum(shares), 100, delta=0.1 * len(shares))
        self.assertNotIn("instruction  kind", self.run_it())

    def test_needs_a_clock(self):
        found = command("run", write_trace(self.path("t"), self.KERNELS), "--set", "stats.stages=true")
        self.assertNotEqual(found.returncode, 0)
        self.assertIn("stats.stages = true needs mode = timed", found.stderr)


if __name__ == "__main__":
    unittest.main()
