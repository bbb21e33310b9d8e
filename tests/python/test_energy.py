# SPDX-License-Identifier: BSD-2-Clause
"""Energies from Python: counters times keys, by kernel, object and interval, and cases without energies."""

import unittest

from harness import TemporaryCase, command

import gpucache
from gpucache import Object

COSTS = {"l1_read": ("2.5", "l1.load_sector_hits"), "l2_read": ("40", "l2.read_sectors"),
         "dram_read": ("890.88", "dram.read_sectors"), "dram_activate": ("1818", "dram.activates"),
         "thread_instruction": ("0.125", "thread_instructions")}  # fmt: skip
KEYS = {f"energy.{name}": cost for name, (cost, _) in COSTS.items()}
NONE = {"energy.dram_write": "none", "energy.static": "none"}  # the preset's value


class Energies(unittest.TestCase):
    def run_(self, settings, sources=("synthetic:bicg:32KiB",), **options):
        """[Stats] of kernels; {Object: values of each object} of the last."""
        found = []
        settings = {**NONE, **KEYS, **settings}
        with gpucache.Context() as context, gpucache.Config(context, "qv100", settings) as config:
            with gpucache.Replay(context, config, **options) as replay:
                replay.keep_objects()
                for source in sources:
                    with gpucache.Trace(context, source) as trace:
                        found += list(replay.run(trace))
                objects = {kind: replay.objects(kind) for kind in (Object.SM, Object.SLICE, Object.CHANNEL)}
        return found, objects

    def test_counters_times_keys(self):
        (results, _), (functional, _) = self.run_({"mode": "timed"}), self.run_({"mode": "functional"})
        for result in results:
            for name, (cost, counter) in COSTS.items():
                self.assertAlmostEqual(result.stats[f"energy.{name}"], float(cost) * result.stats[counter], delta=1)
            parts = sum(result.stats[key] for key in KEYS)
            self.assertEqual(result.stats["energy.dynamic"], parts)
            share = parts / result.stats["warp_instructions"]
            self.assertAlmostEqual(result.stats["energy.dynamic_per_instruction"], share)
            self.assertNotIn("energy.total", result.stats)
        self.assertNotIn("energy.dram_activate", functional[0].stats)
        self.assertEqual(functional[0].stats["energy.l2_read"], 40 * functional[0].stats["l2.read_sectors"])

    def test_static_is_power_by_time(self):
        for result in self.run_({"mode": "timed", "energy.static": "56.6"})[0]:  # 50,000 pJ a cycle of 1,132 MHz
            self.assertEqual(result.stats["energy.static"], 50_000 * result.stats["cycles"])
            self.assertEqual(result.stats["energy.total"], result.stats["energy.dynamic"] + result.stats["energy.static"])
            watts = result.stats["energy.per_cycle"] * 1132 * 1e-6
            self.assertGreater(watts, 56.6)
        self.assertNotIn("energy.static", self.run_({"mode": "functional", "energy.static": "56.6"})[0][0].stats)

    def test_objects_and_intervals(self):
        results, objects = self.run_({"mode": "timed", "energy.static": "1"}, sample_interval=700)
        stats = results[-1].stats
        for kind, name in ((Object.SM, "energy.l1_read"), (Object.SM, "energy.thread_instruction"),
                           (Object.SLICE, "energy.l2_read"), (Object.CHANNEL, "energy.dram_activate")):  # fmt: skip
            parts = [values[name] for values in objects[kind].values()]
            self.assertGreater(sum(parts), 0, name)
            self.assertAlmostEqual(sum(parts), stats[name], delta=len(parts))
        for result in results:
            for name in (*KEYS, "energy.static", "energy.total"):
                self.assertEqual(sum(result.series.column(name)), result.stats[name], name)


class Tables(TemporaryCase):
    def test_compare(self):
        metrics = "--metrics", "energy.dram_read,energy.total,energy.l1_read"
        done = command("compare", "synthetic:bicg:32KiB", "--preset", "gtx480", "--policies", "lru", *metrics)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = next(line for line in done.stdout.splitlines() if line.startswith("bicg"))
        self.assertRegex(row, r"lru +[1-9][\d,]* +- +- ")
        done = command("compare", "synthetic:bicg:32KiB", "--preset", "rtx2060", "--policies", "lru", *metrics)
        row = next(line for line in done.stdout.splitlines() if line.startswith("bicg"))
        self.assertRegex(row, r"lru +- +- +- ")

    def test_keys(self):
        done = command("run", "synthetic:bicg:32KiB", "--set", "energy.l1_read=1.0001")
        self.assertEqual(done.returncode, 1)
        self.assertIn("energy.l1_read: '1.0001' has more than three decimals", done.stderr)
        self.assertRegex(command("config", "energy.l1_read").stdout, r"energy\.l1_read +none +.*\(number,\s+pJ: none, 0 to 1000000\)")
        with gpucache.Context() as context, gpucache.Config(context, "qv100") as config:
            self.assertEqual((config["energy.static"], config["energy.l1_read"]), ("69.712", "none"))
            config["energy.l1_read"] = "2.50"
            self.assertEqual(config["energy.l1_read"], "2.5")


if __name__ == "__main__":
    unittest.main()
