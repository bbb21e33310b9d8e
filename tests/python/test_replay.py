# SPDX-License-Identifier: BSD-2-Clause
"""Hierarchy and replay through the bindings. The traces are small enough to count by hand."""

import gc
import os
import unittest

from harness import TemporaryCase, write_trace

import gpucache
from test_policy import PythonLru


class Hierarchies(TemporaryCase):
    def hierarchy(self, **settings):
        config = gpucache.Config(self.context, preset="h100", settings=settings)
        made = gpucache.Hierarchy(self.context, config)
        self.addCleanup(made.close)
        made.begin_kernel()
        return made

    def test_access(self):
        hierarchy = self.hierarchy()
        first = hierarchy.access(range(0, 128, 4), sm=3)
        self.assertEqual((first.lines, first.sectors, first.l1_sector_hits, first.l2_sectors), (1, 4, 0, 4))
        again = hierarchy.access(range(0, 128, 4), sm=3)
        self.assertEqual((again.l1_sector_hits, again.l2_sectors), (4, 0))
        other = hierarchy.access([0, 4096], sm=4, mask=0b1001)
        self.assertEqual((other.lines, other.sectors), (2, 2))
        hierarchy.access([0], kind="store", width=8)
        stats = hierarchy.stats()
        self.assertEqual((stats["l1.load_requests"], stats["l1.load_sectors"]), (3, 10))
        self.assertEqual(stats["l1.load_sector_hits"], 4)
        self.assertEqual(stats["l1.store_requests"], 1)

    def test_snapshots(self):
        hierarchy = self.hierarchy()
        hierarchy.access(range(0, 128, 4), sm=3)
        path = self.path("warm")
        hierarchy.save(path)
        loaded, copy = gpucache.Hierarchy.load(self.context, path), hierarchy.copy()
        self.addCleanup(loaded.close)
        self.addCleanup(copy.close)
        for other in (loaded, copy):
            self.assertEqual(other.stats()["l1.load_sectors"], 4)
            self.assertEqual(other.access(range(0, 128, 4), sm=3).l1_sector_hits, 4)
            self.assertEqual(other.stats()["l1.load_sectors"], 8)
            self.assertEqual(hierarchy.stats()["l1.load_sectors"], 4)
        os.truncate(path, 1000)
        with self.assertRaisesRegex(gpucache.FormatError, "warm: snapshot, offset 1000: it has been cut"):
            gpucache.Hierarchy.load(self.context, path)

    def test_refusals(self):
        hierarchy = self.hierarchy()
        with self.assertRaisesRegex(ValueError, "2 addresses for a mask of 0x1"):
            hierarchy.access([0, 4], mask=1)
        with self.assertRaises(gpucache.ArgumentError):
            hierarchy.access([0], sm=10**6)
        with self.assertRaises(gpucache.ArgumentError):
            hierarchy.access([0], width=65)
        with self.assertRaises(gpucache.RangeError):
            hierarchy.begin_kernel(threads=256, registers=32, shared_bytes=1 << 30)
        with self.assertRaises(gpucache.GpucacheError):
            self.hierarchy(**{"l1.replacement": "lru(depth=3)"})

    def test_launch(self):
        hierarchy = self.hierarchy()
        self.assertEqual(hierarchy.occupancy(threads=1024, registers=32), 2)
        self.assertEqual(hierarchy.occupancy(threads=1024, registers=32, shared_bytes=1 << 30), 0)
        largest = hierarchy.stats()["l1.capacity"]
        hierarchy.reset_stats()
        hierarchy.begin_kernel(gpucache.Launch(threads=1024, registers=32, shared_bytes=100 << 10))
        self.assertLess(hierarchy.stats()["l1.capacity"], largest)

    def test_lent_caches(self):
        hierarchy = self.hierarchy()
        hierarchy.access(range(0, 128, 4), sm=3)
        with hierarchy.cache(1, 3) as cache:
            self.assertEqual([line.line_address for line in cache.lines()], [0])
            self.assertTrue(cache.probe(0).hit)
        self.assertEqual(list(hierarchy.cache(1, 4).lines()), [])
        self.assertIsNone(hierarchy.cache(1, 10**6))
        self.assertIsNone(hierarchy.cache(3))
        with self.assertRaises(gpucache.StateError):
            cache.close()
        hierarchy.close()
        self.assertTrue(cache.closed)
        with self.assertRaisesRegex(gpucache.StateError, "Hierarchy is closed"):
            cache.probe(0)

    def test_a_lent_cache_keeps_its_hierarchy(self):
        config = gpucache.Config(self.context)
        cache = gpucache.Hierarchy(self.context, config).cache(1)
        gc.collect()
        self.assertFalse(cache.access(0).hit)
        self.assertTrue(cache.access(0).hit)

    def test_counts_events_flush(self):
        hierarchy = self.hierarchy()
        hierarchy.count_instructions(10, 320, 2)
        hierarchy.warp_event(gpucache.WarpEventKind.WARP_EXIT, sm=1, warp=2)
        hierarchy.access([0])
        hierarchy.flush()
        self.assertEqual(hierarchy.access([0]).l1_sector_hits, 0)
        stats = hierarchy.stats()
        self.assertEqual((stats["warp_instructions"], stats["blocks"]), (12, 2))
        hierarchy.reset_stats()
        self.assertEqual(hierarchy.stats()["warp_instructions"], 0)


class Replays(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z1av", 4), ("_Z1bv", 6)))

    def run_all(self, context=None, on_progress=None, **settings):
        context = context or self.context
        config = gpucache.Config(context, preset="h100", settings=settings)
        with gpucache.Replay(context, config, on_progress) as replay, gpucache.Trace(context, self.source) as trace:
            return list(replay.run(trace)), replay.stats()

    def test_counts(self):
        """Every warp loads a whole line twice (the second hits) and stores one; all lines differ."""
        results, total = self.run_all()
        self.assertEqual([result.kernel.name for result in results], ["_Z1av", "_Z1bv"])
        for (kernel, stats), blocks in zip(results, (4, 6)):
            warps = 2 * blocks
            self.assertEqual((kernel.block_count, stats["kernels"], stats["blocks"]), (blocks, 1, blocks))
            self.assertEqual(stats["warp_instructions"], 5 * warps)
            self.assertEqual(stats["thread_instructions"], 5 * 32 * warps)
            self.assertEqual((stats["l1.load_requests"], stats["l1.load_sectors"]), (2 * warps, 8 * warps))
            self.assertEqual(stats["l1.load_sector_hits"], 4 * warps)
            self.assertEqual(stats["l1.load_hit_rate"], 0.5)
            self.assertEqual((stats["l1.store_sectors"], stats["l2.read_sectors"]), (4 * warps, 4 * warps))
            self.assertEqual(stats["l1.transactions_per_load"][1], 2 * warps)
        self.assertEqual(total["l1.load_sectors"], 8 * 20)

    def test_snapshots_within_a_kernel(self):
        """A kernel that pauses has equal results, and equal samples, in a replay from a file."""
        config = gpucache.Config(self.context, preset="h100", settings={"mode": "timed", "sm.count": 4})
        with gpucache.Trace(self.context, self.source) as trace, gpucache.Trace(self.context, self.source) as again:
            replay = gpucache.Replay(self.context, config, sample_interval=100)
            with gpucache.Trace(self.context, self.source) as whole:
                expected = list(gpucache.Replay(self.context, config, sample_interval=100).run(whole))
            replay.pause_at(250)
            self.assertIsNone(replay.kernel(trace))
            self.assertTrue(replay.paused)
            self.assertEqual(replay.now, 250)
            replay.save(self.path("snapshot"))
            replay.pause_at(None)
            found = list(replay.run(trace))
            self.assertFalse(replay.paused)
            self.assertEqual([result.stats for result in found], [result.stats for result in expected])
            self.assertEqual(found[0].series, expected[0].series)
            self.assertGreater(len(found[0].series), 2)
            loaded = gpucache.Replay.load(self.context, self.path("snapshot"))
            with self.assertRaisesRegex(gpucache.StateError, "resume first"):
                loaded.kernel(again)
            loaded.resume(again)
            self.assertEqual([result.stats for result in loaded.run(again)], [result.stats for result in expected])

    def test_a_kernel_at_hand_needs_its_trace(self):
        config = gpucache.Config(self.context, preset="h100", settings={"mode": "timed"})
        replay = gpucache.Replay(self.context, config)
        with gpucache.Trace(self.context, self.source) as trace:
            replay.pause_at(100)
            self.assertIsNone(replay.kernel(trace))
        for use in (replay.copy, lambda: replay.save(self.path("snapshot"))):
            with self.assertRaisesRegex(gpucache.StateError, "Trace is closed"):
                use()

    def test_snapshots(self):
        """The second kernel runs the same in the replay, in a copy and in a replay from a file."""
        config = gpucache.Config(self.context, preset="h100", settings={"mode": "timed", "kernels.flush": "none"})
        replay, path = gpucache.Replay(self.context, config), self.path("between")
        self.addCleanup(replay.close)
        with gpucache.Trace(self.context, self.source) as trace:
            replay.kernel(trace)
            replay.save(path)
            copy = replay.copy()
            self.addCleanup(copy.close)
            expected = replay.kernel(trace).stats["cycles"]
        for other in (copy, gpucache.Replay.load(self.context, path)):
            with gpucache.Trace(self.context, self.source) as trace, other:
                other.resume(trace)
                result = other.kernel(trace)
                self.assertEqual((result.kernel.name, result.stats["cycles"]), ("_Z1bv", expected))
                self.assertIsNone(other.kernel(trace))
                self.assertEqual(other.stats()["kernels"], 2)
        with self.assertRaisesRegex(gpucache.FormatError, "another kind of object"):
            gpucache.Hierarchy.load(self.context, path)

    def test_policy_in_python(self):
        with gpucache.Context() as context:
            context.register(PythonLru)
            mine, _ = self.run_all(context, **{"l1.replacement": "python-lru"})
        built_in, _ = self.run_all()
        self.assertEqual([result.stats for result in mine], [result.stats for result in built_in])

    def test_step_by_step(self):
        config = gpucache.Config(self.context)
        with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, self.source) as trace:
            self.assertEqual(replay.kernel(trace).kernel.name, "_Z1av")
            self.assertEqual(replay.hierarchy.stats(), replay.stats())
            self.assertIsNotNone(replay.hierarchy.cache(1))
            self.assertEqual(replay.kernel(trace).kernel.index, 1)
            self.assertIsNone(replay.kernel(trace))
            with self.assertRaises(gpucache.StateError):
                replay.hierarchy.close()

    def test_exception_in_a_policy(self):
        def fail(*_):
            raise ZeroDivisionError

        with gpucache.Context() as context:
            context.register(type("Failing", (PythonLru,), {"name": "failing", "on_fill": fail}))
            with self.assertRaises(ZeroDivisionError):
                self.run_all(context, **{"l1.replacement": "failing"})

    def test_broken_trace(self):
        with open(self.path("t", "kernel-2.traceg"), "a", encoding="utf-8") as file:
            file.write("nonsense\n")
        with self.assertRaisesRegex(gpucache.FormatError, "kernel-2.traceg:"):
            self.run_all()


class ProgressReports(TemporaryCase):
    """On a kernel of more than two million warp instructions."""

    SOURCE = "synthetic:stream:32MiB"

    def replay(self, on_progress):
        config = gpucache.Config(self.context, preset="h100")
        with gpucache.Replay(self.context, config, on_progress) as replay:
            with gpucache.Trace(self.context, self.SOURCE) as trace:
                return replay.kernel(trace)

    def test_reports(self):
        seen = []
        stats = self.replay(seen.append).stats
        self.assertGreater(len(seen), 0)
        last = seen[-1]
        counts = [report.warp_instructions for report in seen]
        self.assertEqual(counts, sorted(counts))
        self.assertLessEqual(last.warp_instructions, stats["warp_instructions"])
        self.assertEqual(last.block_count, stats["blocks"])
        self.assertTrue(0 <= last.trace_fraction <= 1)

    def test_cancel(self):
        with self.assertRaises(gpucache.CancelledError):
            self.replay(lambda report: False)

    def test_exception(self):
        def fail(report):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.replay(fail)

    def test_may_not_call_into_the_replay(self):
        calls = (
            lambda replay, trace: replay.stats(),
            lambda replay, trace: replay.kernel(trace),
            lambda replay, trace: replay.hierarchy,
            lambda replay, trace: replay.close(),
            lambda replay, trace: trace.next_kernel(),
            lambda replay, trace: trace.close(),
        )
        for call in calls:
            with gpucache.Replay(self.context, gpucache.Config(self.context)) as replay:
                with gpucache.Trace(self.context, self.SOURCE) as trace:
                    replay.on_progress = lambda report: call(replay, trace)
                    with self.assertRaisesRegex(gpucache.StateError, "a callback may not call"):
                        replay.kernel(trace)


if __name__ == "__main__":
    unittest.main()
