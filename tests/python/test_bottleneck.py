# SPDX-License-Identifier: BSD-2-Clause
"""The rules of seeds/004, section 4.1.5: every threshold just below and just above, and the examples in the section's
tables."""

import math
import types
import unittest

import harness  # noqa: F401: makes the package importable

from gpucache import bottleneck as rules

IDLE = rules.Step(
    warps=1, throughput=1.0, l1_miss_ratio=0.0, global_miss_ratio=0.0, round_trip=0.0, network_latency=0.0,
    memory_stalls=0.0, line_stalls=0.0, mshr_stalls=0.0, congestion=0.0, dram_utilisation=0.0,
)  # fmt: skip


def step(warps, throughput=1.0, **metrics):
    return IDLE._replace(warps=warps, throughput=throughput, **metrics)


def named(*steps):
    """Names of the bottlenecks of an application."""
    return {name for name, found in rules.found(rules.identify(steps)).items() if found}


def up(value):
    return math.nextafter(value, math.inf)


def down(value):
    return math.nextafter(value, -math.inf)


class Optimum(unittest.TestCase):
    def test_best_and_next(self):
        analysis = rules.identify([step(1, 1.0), step(2, 3.0), step(6, 2.0), step(24, 1.5)])
        self.assertEqual((analysis.warp_max, analysis.warp_opt, analysis.beyond, analysis.speedup), (24, 2, 6, 2.0))

    def test_order_does_not_matter(self):
        steps = [step(24, 1.5), step(6, 2.0), step(1, 1.0), step(2, 3.0)]
        self.assertEqual(rules.identify(steps), rules.identify(sorted(steps)))

    def test_of_equal_ones_the_fewest_warps(self):
        self.assertEqual(rules.identify([step(1, 1.0), step(2, 2.0), step(4, 2.0)]).warp_opt, 2)

    def test_bad_input(self):
        with self.assertRaisesRegex(ValueError, "no step"):
            rules.identify([])
        with self.assertRaisesRegex(ValueError, "same number of warps"):
            rules.identify([step(1), step(1)])

    def test_nothing_issued(self):
        self.assertEqual(rules.identify([step(1, 0.0), step(2, 0.0)]).speedup, 1.0)


class ParallelismStarvation(unittest.TestCase):
    def test_threshold(self):
        """Step 1: warp-opt is warp-max, even with the smallest difference."""
        self.assertEqual(named(step(1, 1.0), step(2, up(1.0))), {"ParStrv"})
        self.assertEqual(named(step(1, 1.0), step(2, 1.0)), set())

    def test_only_one_number_of_warps_fits(self):
        self.assertEqual(named(step(1)), {"ParStrv"})

    def test_there_is_nothing_beyond(self):
        """Steps 2.1 to 2.4 look beyond warp-opt, and so find nothing in a starved application."""
        full = dict(congestion=0.9, network_latency=500.0, mshr_stalls=0.9, line_stalls=0.9)
        analysis = rules.identify([step(1, 1.0), step(2, 2.0, **full)])
        self.assertIsNone(analysis.beyond)
        self.assertEqual([name for name, verdicts in analysis.verdicts.items() if verdicts], ["ParStrv", "L1Thrash"])


class Saturation(unittest.TestCase):
    """Steps 2.1 to 2.4: up by more than 30 %, to more than 20 % (of the network latency: 20 cycles)."""

    RULES = (("MemCong", "congestion", 0.2), ("NoC", "network_latency", 20.0), ("L1MSHR", "mshr_stalls", 0.2),
             ("L1Blk", "line_stalls", 0.2))  # fmt: skip

    def judged(self, metric, before, after):
        """From 2 warps, the best, to 4."""
        return named(step(1, 1.0), step(2, 3.0, **{metric: before}), step(4, 2.0, **{metric: after}))

    def test_level(self):
        for name, metric, level in self.RULES:
            with self.subTest(name):
                self.assertEqual(self.judged(metric, level / 2, level), set())
                self.assertEqual(self.judged(metric, level / 2, up(level)), {name})
                self.assertEqual(self.judged(metric, 0.0, up(level)), {name})

    def test_rise(self):
        for name, metric, level in self.RULES:
            with self.subTest(name):
                before = 2 * level
                edge = before * (1 + rules.Thresholds().rise)
                self.assertAlmostEqual(edge, 2.6 * level)
                self.assertEqual(self.judged(metric, before, edge), set())
                self.assertEqual(self.judged(metric, before, up(edge)), {name})
                self.assertEqual(self.judged(metric, edge, before), set())

    def test_only_the_next_number_of_warps_counts(self):
        """warp-opt + delta is the least number above warp-opt; numbers below warp-opt do not count either."""
        for name, metric, level in self.RULES:
            full = {metric: 4 * level}
            steps = [step(1, 1.0, **full), step(2, 3.0), step(4, 2.0), step(8, 1.0, **full)]
            self.assertEqual(named(*steps), set(), name)

    def test_several_at_once(self):
        full = {metric: 4 * level for _, metric, level in self.RULES}
        self.assertEqual(named(step(1, 2.0), step(2, 1.0, **full)), {name for name, _, _ in self.RULES})

    def test_evidence(self):
        analysis = rules.identify([step(1, 2.0, congestion=0.1), step(2, 1.0, congestion=0.5)])
        self.assertEqual(analysis.verdicts["MemCong"], [rules.Verdict(True, "congestion", 1, 0.1, 2, 0.5)])


class Thrashing(unittest.TestCase):
    """Step 3: more than twice the misses of one warp, and more than 30 %."""

    def at_optimum(self, single, best):
        return named(step(1, 1.0, l1_miss_ratio=single), step(2, 3.0, l1_miss_ratio=best),
                     step(4, 2.0, l1_miss_ratio=single))  # fmt: skip

    def test_level(self):
        self.assertEqual(self.at_optimum(0.1, 0.3), set())
        self.assertEqual(self.at_optimum(0.1, up(0.3)), {"L1Thrash"})
        self.assertEqual(self.at_optimum(0.0, up(0.3)), {"L1Thrash"})

    def test_growth(self):
        self.assertEqual(self.at_optimum(0.25, 0.5), set())
        self.assertEqual(self.at_optimum(0.25, up(0.5)), {"L1Thrash"})
        self.assertEqual(self.at_optimum(0.25, down(0.5)), set())

    def test_beyond_an_optimum_of_one(self):
        """KMN and GESUMMV of Table 4.2 have warp-opt 1, and thrash with 2."""
        self.assertEqual(named(step(1, 2.0, l1_miss_ratio=0.1), step(2, 1.0, l1_miss_ratio=0.4)), {"L1Thrash"})
        self.assertEqual(named(step(1, 2.0, l1_miss_ratio=0.3), step(2, 1.0, l1_miss_ratio=0.4)), set())

    def test_starved_and_thrashing(self):
        """ATAX, BICG and MVT of Table 4.2: best with the most warps, and thrashing nevertheless."""
        self.assertEqual(
            named(step(1, 1.0, l1_miss_ratio=0.1), step(4, 2.0, l1_miss_ratio=0.9)), {"ParStrv", "L1Thrash"}
        )

    def test_far_beyond_does_not_count(self):
        steps = [step(1, 2.0), step(2, 1.0), step(24, 1.0, l1_miss_ratio=0.9)]
        self.assertEqual(named(*steps), set())


class Thresholds(unittest.TestCase):
    def test_may_be_others(self):
        steps = [step(1, 2.0), step(2, 1.0, congestion=0.15)]
        self.assertFalse(rules.found(rules.identify(steps))["MemCong"])
        lower = rules.Thresholds(ratio=0.1)
        self.assertTrue(rules.found(rules.identify(steps, lower))["MemCong"])

    def test_columns_of_table_4_2(self):
        self.assertEqual(list(rules.BOTTLENECKS), ["ParStrv", "MemCong", "NoC", "L1MSHR", "L1Blk", "L1Thrash"])
        self.assertEqual(set(rules.identify([step(1)]).verdicts), set(rules.BOTTLENECKS))


class Metrics(unittest.TestCase):
    def test_from_statistics(self):
        stats = {
            "ipc": 1.5, "l1.load_miss_ratio": 0.4, "global_miss_ratio": 0.1, "round_trip.mean_latency": 310.0,
            "network.request_latency": 9.0, "network.reply_latency": 12.5, "scheduler.memory_stall_ratio": 0.5,
            "scheduler.line_stall_ratio": 0.15, "scheduler.mshr_stall_ratio": 0.3, "l2.congestion_ratio": 0.05,
            "dram.utilisation": 0.6,
        }  # fmt: skip
        self.assertEqual(rules.step_of(6, stats), (6, 1.5, 0.4, 0.1, 310.0, 21.5, 0.5, 0.15, 0.3, 0.05, 0.6))

    def test_what_has_no_denominator_is_0(self):
        self.assertEqual(rules.step_of(1, {"ipc": 1.0}), IDLE)

    def test_every_ratio_is_one_of_the_library(self):
        asked = set()

        class Noted(dict):
            def get(self, name, default=None):
                asked.add(name)
                return default

        import gpucache

        rules.step_of(1, Noted())
        self.assertLessEqual(asked, {counter.name for counter in gpucache.counters() if counter.kind == "ratio"})


class WarpsThatFit(unittest.TestCase):
    def fit(self, blocks=1000, threads=256, occupancy=6, placement=None, how="auto", **numbers):
        values = {"sm.lanes": 32, "sm.count": 15, "gpu.count": 1, "sm.schedulers": 2, "sm.block_limit": 0, **numbers}

        class Values(dict):
            number = dict.__getitem__

        config = Values(values, **{"blocks.placement": how})
        kernel = types.SimpleNamespace(block=(threads, 1, 1), block_count=blocks, placement=placement)
        return rules.warps_that_fit(kernel, config, occupancy)

    def test_occupancy(self):
        self.assertEqual(self.fit(), 24)  # 6 blocks of 8 warps for 2 schedulers
        self.assertEqual(self.fit(threads=96, occupancy=5), 8)  # 15 warps: 8 and 7
        self.assertEqual(self.fit(occupancy=0), 1)

    def test_a_small_grid(self):
        self.assertEqual(self.fit(blocks=16), 8)  # 2 blocks on one SM

    def test_block_limit(self):
        self.assertEqual(self.fit(**{"sm.block_limit": 1}), 4)

    def test_placement_map(self):
        self.assertEqual(self.fit(blocks=8, placement=[0, 0, 1, 1, 0, 0, 1, 1]), 16)
        self.assertEqual(self.fit(blocks=8, placement=[0, 0, 1, 1, 0, 0, 1, 1], how="round-robin"), 4)
        self.assertEqual(self.fit(blocks=8, placement=[0, 0, 99, 1, 0, 0, 1, 1]), 4)  # does not fit these SMs

    def test_sweep(self):
        self.assertEqual(rules.sweep_of((1, 2, 4, 6, 8), 5), [1, 2, 4, 5])
        self.assertEqual(rules.sweep_of((2, 4), 24), [1, 2, 4, 24])
        self.assertEqual(rules.sweep_of((), 1), [1])


if __name__ == "__main__":
    unittest.main()
