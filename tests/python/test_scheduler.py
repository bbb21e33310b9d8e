# SPDX-License-Identifier: BSD-2-Clause
"""Warp schedulers alone, and written in Python."""

import random
import unittest

from harness import TemporaryCase

import gpucache
from gpucache import CacheEventKind, PolicyKind, WarpClass, WarpState


class PythonGto(gpucache.SchedulerPolicy):
    name = "python-gto"
    summary = "greedy, then oldest, in Python"

    def __init__(self, env):
        self.orders = [0] * env.warps
        self.greedy = None

    def on_start(self, slot, order):
        self.orders[slot] = order
        if self.greedy == slot:
            self.greedy = None

    def pick(self, ready, cycle):
        return self.greedy if self.greedy in ready else min(ready, key=self.orders.__getitem__)

    def on_issue(self, slot, cycle):
        self.greedy = slot


class Recorder(gpucache.SchedulerPolicy):
    """Writes down every call; the last candidate issues."""

    name = "recorder"
    parameters = (gpucache.Parameter("depth", 2, 1, 8, whole=True, meaning="levels"),)
    calls = []

    def __init__(self, env):
        self.calls.append(("init", env.warps, env.sm, env.index, env.count, env.sms, env.parameters))

    def finish(self):
        self.calls.append(("finish",))

    def on_start(self, slot, order):
        self.calls.append(("start", slot, order))

    def on_state(self, slot, before, after):
        self.calls.append(("state", slot, before.name, after.name))

    def pick(self, ready, cycle):
        self.calls.append(("pick", ready, cycle))
        return ready[-1]

    def on_issue(self, slot, cycle):
        self.calls.append(("issue", slot, cycle))

    def class_of(self, slot):
        return WarpClass.BYPASS

    def on_cache_event(self, event):
        self.calls.append(("event", event.kind, event.warp, event.owner, event.pc, event.line_address, event.cycle))

    def sample(self, stats, cycle):
        self.calls.append(("sample", stats["l1.load_sectors"], cycle))

    @classmethod
    def cost_bits(cls, env):
        return env.warps * env.parameters["depth"]


class Standalone(TemporaryCase):
    def test_greedy_then_oldest(self):
        with gpucache.Scheduler(self.context, "gto", warps=3) as scheduler:
            for slot in range(3):
                scheduler.start(slot)
                scheduler.set_state(slot, WarpState.READY)
            issued = []
            for waits in (None, 0, None):  # the example in lib/policies/scheduler/gto.c
                if waits is not None:
                    scheduler.set_state(waits, "waiting")
                issued.append(scheduler.pick())
                scheduler.issued(issued[-1])
            self.assertEqual(issued, [0, 1, 1])
            self.assertEqual([scheduler.age_of(slot) for slot in range(3)], [0, 1, 2])
            scheduler.end(0)
            self.assertEqual([scheduler.age_of(slot) for slot in range(3)], [None, 0, 1])

    def test_limit_and_memory(self):
        with gpucache.Scheduler(self.context, "lrr", warps=2, warp_limit=1) as scheduler:
            for slot in (1, 0):
                scheduler.start(slot)
                scheduler.set_state(slot, "ready-memory")
            self.assertEqual([scheduler.class_of(slot) for slot in (0, 1)], [WarpClass.THROTTLED, WarpClass.CACHE])
            self.assertIsNone(scheduler.pick(memory=False))
            self.assertEqual(scheduler.pick(memory=True), 1)

    def test_refusals(self):
        for error, options in (
            (gpucache.NotFoundError, {"policy": "lru"}), (gpucache.ArgumentError, {"warps": 1025}),
            (gpucache.RangeError, {"policy": "two-level(group=0)"}), (gpucache.ArgumentError, {"index": 1}),
        ):  # fmt: skip
            with self.subTest(options), self.assertRaises(error):
                gpucache.Scheduler(self.context, **options)
        with gpucache.Scheduler(self.context, warps=1) as scheduler:
            with self.assertRaises(gpucache.StateError):
                scheduler.set_state(0, WarpState.READY)
            with self.assertRaises(gpucache.ArgumentError):
                scheduler.start(1)
            with self.assertRaisesRegex(gpucache.ArgumentError, "not one of absent, ready, ready-memory"):
                scheduler.set_state(0, "asleep")
        with self.assertRaises(gpucache.StateError):
            scheduler.pick()

    def test_enumeration(self):
        found = {each.name: each for each in self.context.policies(PolicyKind.SCHEDULER)}
        self.assertGreaterEqual(set(found), {"gto", "lrr", "oldest", "two-level"})
        self.assertEqual([each.name for each in found["two-level"].parameters], ["group"])
        self.assertEqual(self.context.scheduler_cost("lrr", 16), 4)


class InPython(TemporaryCase):
    def test_gto_in_python_is_the_built_in_one(self):
        self.context.register(PythonGto)
        for warps, limit in ((1, 0), (16, 0), (16, 5), (70, 0)):
            draw = random.Random(warps)
            with gpucache.Scheduler(self.context, "gto", warps=warps, warp_limit=limit) as first, \
                 gpucache.Scheduler(self.context, "python-gto", warps=warps, warp_limit=limit) as second:  # fmt: skip
                running, picked = set(), 0
                for cycle in range(1500):
                    slot = draw.randrange(warps)
                    state = draw.choice(list(WarpState)) if draw.random() < 0.2 else WarpState.READY
                    for scheduler in (first, second):
                        if slot not in running:
                            scheduler.start(slot)
                        scheduler.set_state(slot, state)
                    (running.discard if state == WarpState.ABSENT else running.add)(slot)
                    choice = first.pick(cycle)
                    self.assertEqual(choice, second.pick(cycle))
                    if choice is not None:
                        picked += 1
                        first.issued(choice, cycle)
                        second.issued(choice, cycle)
                self.assertGreater(picked, 300)

    def test_what_it_is_told(self):
        Recorder.calls.clear()
        self.context.register(Recorder)
        options = {"warps": 70, "sm": 2, "index": 1, "count": 4, "sms": 3}
        with gpucache.Scheduler(self.context, "recorder(depth=3)", **options) as scheduler:
            scheduler.start(66)
            scheduler.start(3)
            for slot in (3, 66):
                scheduler.set_state(slot, WarpState.READY)
            self.assertEqual(scheduler.pick(7), 66)
            scheduler.issued(66, 7)
            scheduler.end(66)
            self.assertEqual(scheduler.class_of(3), WarpClass.BYPASS)
            scheduler.cache_event(CacheEventKind.EVICT, 9, 256, owner=1, cycle=8, pc=0x120000040)
            scheduler.sample(gpucache.Stats(), 11)
        self.assertEqual(Recorder.calls, [
            ("init", 70, 2, 1, 4, 3, {"depth": 3}), ("start", 66, 0), ("start", 3, 1),
            ("state", 3, "STALLED", "READY"), ("state", 66, "STALLED", "READY"), ("pick", [3, 66], 7),
            ("issue", 66, 7), ("state", 66, "READY", "ABSENT"), ("event", 2, 9, 1, 0x20000040, 256, 8), ("sample", 0, 11),
            ("finish",),
        ])  # fmt: skip
        self.assertEqual(self.context.scheduler_cost("recorder(depth=3)", 10), 30)

    def test_exceptions_come_through(self):
        class Faulty(gpucache.SchedulerPolicy):
            name = "faulty"

            def pick(self, ready, cycle):
                if cycle == 1:
                    raise KeyError("in pick")
                return (None, None, 5, -1, "x")[cycle]

        self.context.register(Faulty)
        with gpucache.Scheduler(self.context, "faulty", warps=2) as scheduler:
            scheduler.start(0)
            scheduler.set_state(0, WarpState.READY)
            self.assertIsNone(scheduler.pick(0))
            for cycle, error in ((1, KeyError), (2, gpucache.CallbackError), (3, ValueError), (4, TypeError)):
                with self.subTest(cycle), self.assertRaises(error):
                    scheduler.pick(cycle)
            self.assertIsNone(scheduler.pick(0))

    def test_refused_classes(self):
        class Empty(gpucache.SchedulerPolicy):
            name = "empty"

        with self.assertRaisesRegex(TypeError, "no pick"):
            self.context.register(Empty)
        with self.assertRaisesRegex(TypeError, "no subclass of ReplacementPolicy or Predictor or SchedulerPolicy"):
            self.context.register(int)


if __name__ == "__main__":
    unittest.main()
