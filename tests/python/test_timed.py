# SPDX-License-Identifier: BSD-2-Clause
"""The hierarchy with a clock, and DRAM by itself, through the bindings."""

import gc
import traceback
import unittest

from harness import TemporaryCase

import gpucache
from gpucache import Busy, Kind, _native

LINE = 128
LANES = range(0, LINE, 4)


class Boom(Exception):
    """Raised by the callbacks."""


def raising(*_):
    raise Boom("from a callback")


class TimedCase(TemporaryCase):
    def config(self, **settings):
        return gpucache.Config(self.context, settings={"mode": "timed", "sm.count": 2, **settings})

    def hierarchy(self, settings=None, **callbacks):
        made = gpucache.Hierarchy(self.context, self.config(**(settings or {})), **callbacks)
        self.addCleanup(made.close)
        made.begin_kernel()
        return made

    def setUp(self):
        super().setUp()
        self.done = []


class Questions(TimedCase):
    def test_acceptance(self):
        memory = self.hierarchy({"l1.queue": 1})
        self.assertIs(memory.can_accept(1), Busy.NOT)
        self.assertFalse(memory.try_issue(LANES, sm=1))
        self.assertIs(memory.can_accept(1), Busy.PIPELINE)
        self.assertFalse(memory.is_idle)
        memory.drain()
        self.assertTrue(memory.is_idle)
        self.assertFalse(memory.can_accept(1) or memory.can_accept_miss(0))
        with self.assertRaisesRegex(ValueError, "no such SM"):
            memory.can_accept(2)

    def test_places(self):
        memory = self.hierarchy()
        found, shape = memory.locate(1000, sm=1), memory.shape()
        self.assertEqual(found.line, 896)
        self.assertLess(found.slice, shape.slices)
        self.assertLess(found.channel, shape.channels)
        self.assertEqual(shape.l1_sets * shape.l1_ways * shape.l1_line, shape.l1_bytes)
        settings = {"mode": "functional", "sm.count": 2}
        with gpucache.Hierarchy(self.context, gpucache.Config(self.context, settings=settings)) as still:
            self.assertIsNone(still.locate(1000).channel)
        with self.assertRaises(gpucache.ArgumentError):
            memory.locate(0, sm=2)

    def test_preload(self):
        memory = self.hierarchy()
        memory.preload(1, 256, 2 * LINE, sm=1)
        memory.try_issue(range(256, 384, 4), sm=1)
        memory.drain()
        self.assertEqual(memory.stats()["l1.load_sector_hits"], memory.stats()["l1.load_sectors"])
        with self.assertRaisesRegex(gpucache.ArgumentError, "level"):
            memory.preload(3, 0, 1)


class Replies(TimedCase):
    def test_credits(self):
        memory = self.hierarchy(on_complete=self.done.append)
        self.assertIsNone(memory.reply_credits(1))
        self.assertNotIn("l1.reply_stalls", memory.objects("l1")["l1-0"])
        memory.set_reply_credits(0)
        memory.try_issue(LANES)
        memory.try_issue(LANES, sm=1)
        with self.assertRaisesRegex(gpucache.StateError, "L1 0 has 1 replies"):
            memory.drain()
        self.assertEqual([each.sm for each in self.done], [1])
        self.assertIs(memory.can_accept(), Busy.NOT)
        memory.add_reply_credits(2)
        memory.drain()
        self.assertEqual(([each.sm for each in self.done], memory.reply_credits()), ([1, 0], 1))
        self.assertGreater(memory.stats()["l1.reply_stalls"], 0)
        memory.set_reply_credits()
        with self.assertRaises(gpucache.StateError):
            memory.add_reply_credits()
        with self.assertRaises(gpucache.ArgumentError):
            memory.set_reply_credits(1, sm=2)


class Misses(TimedCase):
    def test_bytes_and_spaces(self):
        memory = self.hierarchy()
        self.assertFalse(memory.try_miss(32, size=32))
        self.assertFalse(memory.try_miss(4096, space="instruction"))
        memory.drain()
        stats = memory.stats()
        self.assertEqual((stats["l2.read_sectors"], stats["l2.instruction_read_sectors"]), (5, 4))

    def test_what_is_wrong(self):
        memory = self.hierarchy()
        with self.assertRaisesRegex(gpucache.ArgumentError, "size goes beyond the line"):
            memory.try_miss(100, size=32)
        with self.assertRaisesRegex(gpucache.ArgumentError, "only read"):
            memory.try_miss(0, space="constant", kind="store")
        with self.assertRaisesRegex(gpucache.ArgumentError, "space is INSTRUCTION"):
            memory.try_issue(LANES, space="instruction")
        with self.assertRaisesRegex(gpucache.ArgumentError, "beyond the last cycle"):
            memory.advance(1)
            memory.advance(2**64 - 1)

    def test_what_stands_still(self):
        memory = self.hierarchy({"deadlock.cycles": 50, "l2.rop_latency": 900})
        memory.try_issue(LANES)
        with self.assertRaisesRegex(gpucache.StateError, "nothing moves any more: cycle .* 1 accesses in flight"):
            while memory.in_flight:
                memory.advance(1)


class Ages(TimedCase):
    def test_ranks(self):
        memory = self.hierarchy()
        memory.rank_warps()
        for warp in (5, 2):
            memory.warp_event(gpucache.WarpEventKind.WARP_START, warp=warp)
        self.assertFalse(memory.try_issue(LANES, warp=2))
        memory.warp_event(gpucache.WarpEventKind.WARP_EXIT, warp=5)
        with self.assertRaisesRegex(gpucache.ArgumentError, "warp has not started"):
            memory.try_issue(LANES, warp=5)
        with self.assertRaises(gpucache.ArgumentError):
            memory.warp_event(gpucache.WarpEventKind.WARP_EXIT, warp=5)
        memory.rank_warps(False)
        memory.drain()
        self.assertFalse(memory.try_issue(LANES, warp=5))


class Accesses(TimedCase):
    def test_every_kind_completes_once(self):
        memory = self.hierarchy({"l1.queue": "unlimited"}, on_complete=self.done.append)
        for token, kind in enumerate(Kind):
            for sm in (0, 1):
                self.assertIs(memory.try_issue(LANES, 2 * token + sm, sm=sm, warp=token, kind=kind), Busy.NOT)
        self.assertEqual((memory.now, memory.in_flight), (0, 10))
        memory.drain()
        self.assertEqual(sorted(each.token for each in self.done), list(range(10)))
        self.assertEqual((memory.in_flight, memory.next_event), (0, None))
        for each in self.done:
            self.assertEqual((each.issued, each.sm, each.warp), (0, each.token % 2, each.token // 2))
            self.assertEqual((each.kind, each.latency), (list(Kind)[each.token // 2], each.cycle))
        stats = memory.stats()
        self.assertEqual((stats["accepted"], stats["completed"]), (10, 10))

    def test_fences(self):
        done = []
        memory = self.hierarchy(on_complete=done.append)
        memory.try_issue([0], token=1, kind="store")
        memory.advance()
        self.assertFalse(memory.try_fence(token=2))
        memory.advance()
        self.assertFalse(memory.try_fence("weak", "cta", control="invalidate_all", token=3))
        memory.drain()
        self.assertEqual(sorted((each.token, each.fence) for each in done), [(1, False), (2, True), (3, True)])
        cycles = {each.token: each.cycle for each in done}
        self.assertEqual(cycles[1], cycles[2])
        self.assertLess(cycles[3], cycles[2])
        stats = memory.stats()
        self.assertEqual((stats["fence.fences"], stats["fence.invalidations"]), (2, 1))
        for fields in ({"order": "relaxed"}, {"control": "invalidate"}, {"sm": 99}):
            with self.assertRaises(gpucache.ArgumentError):
                memory.try_fence(**fields)
        with self.assertRaisesRegex(gpucache.StateError, "try_fence"):
            memory.fence()

    def test_levels(self):
        memory = self.hierarchy(on_complete=self.done.append)
        for sm in (0, 0, 1):
            memory.try_issue(LANES, sm=sm)
            memory.drain()
        self.assertEqual([each.level for each in self.done], [3, 1, 2])
        self.assertGreater(self.done[0].latency, self.done[2].latency)
        self.assertGreater(self.done[2].latency, self.done[1].latency)

    def test_a_hit_takes_what_l1_takes(self):
        """Independent of a hit's other costs: ten cycles more from tags to data are ten cycles more."""
        latencies = []
        for cycles in (20, 30):
            self.done.clear()
            memory = self.hierarchy({"l1.latency": cycles}, on_complete=self.done.append)
            for _ in range(2):
                memory.try_issue(LANES)
                memory.drain()
            latencies.append(self.done[1].latency)
        self.assertEqual(latencies[1] - latencies[0], 10)
        self.assertGreaterEqual(latencies[0], 20)

    def test_nothing_happens_before_the_next_event(self):
        """Skipping from event to event equals going cycle by cycle."""
        logs = []
        for skip in (False, True):
            log = []
            memory = self.hierarchy(on_complete=lambda done: log.append((done.token, done.cycle)))
            for token in range(20):
                while memory.try_issue([token * 4096, token * 8192], token, sm=token % 2, warp=token):
                    memory.advance()
            while memory.in_flight:
                memory.advance(max(1, memory.next_event - memory.now) if skip else 1)
            logs.append(log)
        self.assertEqual(len(logs[0]), 20)
        self.assertEqual(*logs)

    def test_without_memory_it_completes_at_once(self):
        memory = self.hierarchy(on_complete=self.done.append)
        self.assertFalse(memory.try_issue([], 7))
        self.assertEqual([(each.token, each.latency) for each in self.done], [(7, 0)])

    def test_back_pressure(self):
        ready = []
        memory = self.hierarchy({"l1.queue": 1}, on_ready=ready.append)
        self.assertFalse(memory.try_issue(range(0, 32 * LINE, LINE)))
        busy = memory.try_issue(LANES)
        self.assertIs(busy, Busy.PIPELINE)
        self.assertTrue(busy)
        self.assertFalse(memory.try_issue(LANES, sm=1))  # in another pipeline
        while not ready:
            memory.advance()
        self.assertEqual(ready, [0])
        self.assertFalse(memory.try_issue(LANES))
        memory.drain()

    def test_misses_of_a_host_with_l1s(self):
        memory = self.hierarchy(on_complete=self.done.append)
        self.assertFalse(memory.try_miss(0x1000, 1, sm=1, sector_mask=0b0001))
        self.assertFalse(memory.try_miss(gpucache.Request(address=0x2000, sm=0), 2))
        self.assertFalse(memory.try_miss(0x3000, 3, kind="store"))
        memory.drain()
        self.assertEqual(sorted(each.token for each in self.done), [1, 2, 3])
        stats = memory.stats()
        self.assertEqual((stats["l1.load_requests"], stats["l1.store_requests"]), (0, 0))
        self.assertEqual(stats["network.requests"], 3)

    def test_fills_and_evictions(self):
        fills, evictions = [], []
        memory = self.hierarchy(
            {"l1.size": "128B", "l1.ways": 1},
            on_fill=lambda level, instance, line, sectors, request: fills.append((level, instance, line, sectors)),
            on_evict=lambda level, instance, gone: evictions.append((level, instance, gone.line_address)),
        )
        for line in (0, LINE):
            memory.try_issue([line], sm=1)
            memory.drain()
        self.assertEqual([fill for fill in fills if fill[0] == 1], [(1, 1, 0, 1), (1, 1, LINE, 1)])
        self.assertEqual(sum(fill[0] == 2 for fill in fills), 2)
        self.assertEqual(evictions, [(1, 1, 0)])

    def test_counters_by_name(self):
        memory = self.hierarchy()
        memory.try_issue(LANES)
        memory.drain()
        stats = memory.stats()
        self.assertEqual((stats["load.completed"], stats["round_trip.requests"]), (1, 1))
        self.assertEqual(stats["load.mean_latency"], stats["load.cycles"])
        self.assertEqual(sum(stats["load.latency"]), 1)
        self.assertEqual(stats["load.latency"][stats["load.cycles"] // 32], 1)
        for name in ("dram.utilisation", "network.request_latency", "round_trip.mean_latency"):
            self.assertGreater(stats[name], 0, name)


class HostMemory(TimedCase):
    """DRAM replaced by a Python function."""

    def setUp(self):
        super().setUp()
        self.asked = []

    def take(self, request):
        self.asked.append(request)

    def until(self, memory, count):
        for _ in range(10000):
            if len(self.asked) >= count:
                return
            memory.advance()
        self.fail(f"{len(self.asked)} transfers, not {count}")

    def test_read(self):
        memory = self.hierarchy(on_complete=self.done.append, on_memory=self.take)
        memory.try_issue(LANES, 5)
        self.until(memory, 1)
        memory.advance(1000)
        self.assertEqual(self.done, [])
        self.assertEqual((sum(each.bytes for each in self.asked), self.asked[0].write), (LINE, False))
        start = memory.now
        for each in self.asked:
            memory.memory_reply(each.id)
        memory.drain()
        self.assertEqual([(each.token, each.level) for each in self.done], [(5, 3)])
        self.assertGreaterEqual(self.done[0].cycle, start)
        self.assertNotIn("dram.reads", memory.stats(), "the host has the memory")

    def test_write(self):
        memory = self.hierarchy({"l2.enabled": False}, on_complete=self.done.append, on_memory=self.take)
        memory.try_issue(LANES, kind="store")
        memory.drain()
        self.assertEqual(sum(each.bytes for each in self.asked), LINE)
        self.assertTrue(all(each.write for each in self.asked))
        self.assertEqual(len(self.done), 1)

    def test_refusal(self):
        def refuse(request):
            self.asked.append(request)
            return len(self.asked) > 1

        memory = self.hierarchy(on_complete=self.done.append, on_memory=refuse)
        memory.try_issue([0])
        self.until(memory, 1)
        memory.advance(1000)
        self.assertEqual(len(self.asked), 1)
        memory.memory_ready(self.asked[0].channel)
        self.until(memory, 2)
        self.assertEqual(self.asked[0][0], self.asked[1][0])
        memory.memory_reply(self.asked[1].id)
        memory.drain()
        self.assertEqual(len(self.done), 1)

    def test_an_exception_is_a_refusal(self):
        def fail(request):
            self.asked.append(request)
            if len(self.asked) == 1:
                raise Boom

        memory = self.hierarchy(on_complete=self.done.append, on_memory=fail)
        memory.try_issue([0])
        with self.assertRaises(Boom):
            self.until(memory, 1)
        memory.memory_ready(self.asked[0].channel)
        self.until(memory, 2)
        memory.memory_reply(self.asked[1].id)
        memory.drain()
        self.assertEqual(len(self.done), 1)

    def test_bad_ids_and_channels(self):
        memory = self.hierarchy(on_memory=self.take)
        with self.assertRaisesRegex(gpucache.ArgumentError, "memory_reply: id 12345"):
            memory.memory_reply(12345)
        with self.assertRaisesRegex(gpucache.ArgumentError, "memory_ready: channel is 999"):
            memory.memory_ready(999)

    def test_only_while_nothing_is_in_flight(self):
        memory = self.hierarchy()
        memory.try_issue([0])
        with self.assertRaises(gpucache.StateError):
            memory.set_callbacks(on_memory=self.take)
        memory.drain()
        memory.set_callbacks(on_memory=self.take)

    def test_a_memory_that_never_answers(self):
        memory = self.hierarchy({"deadlock.cycles": 1000}, on_memory=self.take)
        memory.try_issue([0], sm=1, warp=3)
        with self.assertRaises(gpucache.StateError) as caught:
            memory.drain()
        self.assertGreater(len(caught.exception.message), 20)
        self.assertEqual(memory.in_flight, 1)


class Callbacks(TimedCase):
    def test_exception_in_a_completion(self):
        """The exception is raised at the call that moved time, and no completion is lost."""

        def fail(done):
            self.done.append(done.token)
            if done.token == 0:
                raise Boom

        memory = self.hierarchy({"l1.queue": "unlimited"}, on_complete=fail)
        for token in range(3):
            memory.try_issue([token * LINE], token)
        frames = []
        try:
            memory.drain()
        except Boom as error:
            frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        self.assertEqual(sorted(self.done), [0, 1, 2])
        self.assertEqual((frames[-1], "drain" in frames), ("fail", True))
        self.assertEqual(memory.in_flight, 0)

    def test_exception_within_try_issue(self):
        memory = self.hierarchy(on_complete=raising)
        with self.assertRaises(Boom):
            memory.try_issue([])

    def test_exceptions_of_the_others(self):
        for name in ("on_fill", "on_evict"):
            memory = self.hierarchy({"l1.size": "128B", "l1.ways": 1}, **{name: raising})
            with self.subTest(name), self.assertRaises(Boom):
                for line in range(3):
                    memory.try_issue([line * LINE])
                    memory.drain()
        memory = self.hierarchy({"l1.queue": 1}, on_ready=raising)
        while not memory.try_issue(range(0, 32 * LINE, LINE)):
            pass
        with self.assertRaises(Boom):
            memory.drain()

    def test_may_ask_for_the_time_only(self):
        times = []
        calls = (
            lambda memory: memory.advance(), lambda memory: memory.try_issue([0]), lambda memory: memory.stats(),
            lambda memory: memory.set_callbacks(), lambda memory: memory.close(), lambda memory: memory.cache(1),
        )  # fmt: skip
        for call in calls:
            def told(done, call=call):
                times.append(memory.now == done.cycle)
                call(memory)

            memory = self.hierarchy(on_complete=told)
            memory.try_issue([0])
            with self.assertRaisesRegex(gpucache.StateError, "a callback may not call"):
                memory.drain()
        self.assertEqual(times, [True] * len(calls))

    def test_they_can_be_changed_and_cleared(self):
        memory = self.hierarchy(on_complete=raising)
        memory.set_callbacks(on_complete=self.done.append, on_ready=None)
        memory.try_issue([0])
        memory.drain()
        memory.set_callbacks()
        memory.try_issue([0])
        memory.drain()
        self.assertEqual(len(self.done), 1)

    def test_a_policy_in_python(self):
        from test_policy import PythonLru

        stats = []
        self.context.register(PythonLru)
        for policy in ("python-lru", "lru"):
            memory = self.hierarchy({"l1.replacement": policy, "l1.size": "512B", "l1.queue": "unlimited"})
            for token in range(40):
                memory.try_issue([token * 7 % 11 * LINE], token)
            memory.drain()
            stats.append(memory.stats())
        self.assertEqual(*stats)

    def test_needs_no_closing(self):
        gc.collect()
        tokens = len(_native._tokens)
        memory = gpucache.Hierarchy(self.context, self.config(), on_complete=raising)
        memory.try_issue([0])
        del memory
        gc.collect()
        self.assertEqual(len(_native._tokens), tokens)

    def test_unknown_names(self):
        with self.assertRaisesRegex(TypeError, "'on_end' is no callback of a hierarchy: on_complete, "):
            self.hierarchy(on_end=raising)


class Refusals(TimedCase):
    def test_arguments(self):
        memory = self.hierarchy()
        for call in (
            lambda: memory.try_issue([0], sm=2), lambda: memory.try_issue([0], width=0),
            lambda: memory.try_issue([0], kind=9), lambda: memory.try_miss(0, sm=2),
            lambda: memory.try_miss(0, kind="fetch"),
        ):  # fmt: skip
            with self.assertRaises(gpucache.ArgumentError):
                call()
        with self.assertRaisesRegex(ValueError, "1 addresses for a mask of 0x3"):
            memory.try_issue([0], mask=3)
        with self.assertRaises(TypeError):
            memory.try_issue([0], lanes=3)
        self.assertEqual(memory.in_flight, 0)

    def test_orders(self):
        memory = self.hierarchy()
        for fields, sentence in (
            ({"kind": "store", "order": "acquire"}, "order"), ({"scope": "gpu"}, "scope is given"),
            ({"order": "relaxed", "scope": "gpu", "hint": "ca"}, "hint CA"), ({"width": 0}, "width"),
        ):  # fmt: skip
            with self.assertRaisesRegex(gpucache.ArgumentError, sentence):
                memory.try_issue([0], **fields)
        self.assertEqual(memory.in_flight, 0)

    def test_modes(self):
        timed, functional = self.hierarchy(), gpucache.Hierarchy(self.context, gpucache.Config(self.context))
        self.addCleanup(functional.close)
        with self.assertRaises(gpucache.StateError):
            timed.access([0])
        for call in (
            lambda: functional.try_issue([0]), lambda: functional.try_fence(), lambda: functional.try_miss(0), functional.advance, functional.drain,
            lambda: functional.set_callbacks(on_complete=raising),
        ):  # fmt: skip
            with self.assertRaises(gpucache.StateError):
                call()
        self.assertIsNone(functional.next_event)
        functional.access([0])
        functional.fence("weak", "cta", control="invalidate_all")
        self.assertEqual(functional.access([0]).l1_sector_hits, 0)
        with self.assertRaisesRegex(gpucache.ArgumentError, "RELAXED"):
            functional.fence("relaxed")

    def test_flush_in_flight(self):
        memory = self.hierarchy()
        memory.try_issue([0])
        with self.assertRaises(gpucache.StateError):
            memory.flush()
        memory.drain()
        memory.flush()

    def test_closed(self):
        memory = self.hierarchy()
        memory.close()
        for call in (lambda: memory.now, lambda: memory.try_issue([0]), memory.drain):
            with self.assertRaisesRegex(gpucache.StateError, "Hierarchy is closed"):
                call()


class DramByItself(TimedCase):
    def dram(self, settings=None, on_done=None):
        made = gpucache.Dram(self.context, self.config(**(settings or {})), on_done)
        self.addCleanup(made.close)
        return made

    def test_reads_and_writes(self):
        dram = self.dram(on_done=lambda *done: self.done.append(done))
        burst = dram.burst_bytes
        self.assertGreaterEqual(burst, 16)
        self.assertTrue(dram.try_request(0, 0, token=1))
        self.assertTrue(dram.try_request(1, burst, token=2, write=True))
        while dram.next_event is not None and len(self.done) < 2:
            dram.advance(max(1, dram.next_event - dram.now))
        self.assertEqual(sorted(done[:2] for done in self.done), [(1, False), (2, True)])
        dram.advance(1000)
        stats = dram.stats()
        self.assertEqual((stats["dram.reads"], stats["dram.writes"]), (1, 1))
        self.assertLessEqual(max(done[2] for done in self.done), dram.now)

    def test_a_full_queue(self):
        dram = self.dram(on_done=lambda token, write, cycle: self.done.append(token))
        accepted = 0
        while dram.try_request(0, accepted * dram.burst_bytes, token=accepted):
            accepted += 1
            self.assertLess(accepted, 100000)
        while len(self.done) < accepted:
            dram.advance(100)
        self.assertEqual(sorted(self.done), list(range(accepted)))
        self.assertTrue(dram.try_request(0, 0))

    def test_refusals(self):
        dram = self.dram()
        with self.assertRaisesRegex(gpucache.ArgumentError, "channel 1000 of 6"):
            dram.try_request(1000, 0)
        with self.assertRaises(gpucache.GpucacheError):
            self.dram({"dram.channels": 0})

    def test_callbacks(self):
        def close(*_):
            self.done.append(1)
            if len(self.done) == 1:
                dram.close()

        dram = self.dram(on_done=close)
        for address in (0, 4096):
            dram.try_request(0, address)
        with self.assertRaisesRegex(gpucache.StateError, "may not call into its object"):
            dram.advance(100000)
        self.assertEqual(len(self.done), 2)
        self.assertFalse(dram.closed)


if __name__ == "__main__":
    unittest.main()
