# SPDX-License-Identifier: BSD-2-Clause
"""Throttles written in Python, and schedulers' reports of built-in ones."""

import gc
import unittest

from harness import TemporaryCase, write_trace

import gpucache
from gpucache import CacheEventKind, PolicyKind, Token, WarpClass, WarpState, policy


class PythonWarps(gpucache.Throttle):
    """lib/policies/throttle/warps_throttle.c once more."""

    name = "python-warps"
    parameters = (gpucache.Parameter("limit", 0, 0, 1024, whole=True),)

    def __init__(self, env):
        self.limit = env.parameters["limit"] or env.warps

    def classify(self, view, classes):
        places = self.limit
        for slot in view.by_age:
            if places:
                places -= view.states[slot] != WarpState.BARRIER
            else:
                classes.throttled.add(slot)

    @classmethod
    def cost_bits(cls, env):
        return env.warps


class Scripted(gpucache.Throttle):
    """Records every call; classifies by a given list."""

    name = "scripted"
    calls = []
    script = staticmethod(lambda view, classes: None)
    anew = False

    def __init__(self, env):
        self.calls.append(("init", env.warps, env.sm, env.index, env.count, env.sms))

    def finish(self):
        self.calls.append(("finish",))

    def on_start(self, slot, order):
        self.calls.append(("start", slot, order))

    def on_state(self, slot, before, after):
        self.calls.append(("state", slot, before.name, after.name))

    def classify(self, view, classes):
        self.calls.append(("classify", view.by_age, [view.blocks[slot] for slot in view.by_age], view.cycle))
        type(self).script(view, classes)

    def on_issue(self, slot, cycle):
        self.calls.append(("issue", slot, cycle))

    def on_cache_event(self, event):
        self.calls.append(("event", event.kind, event.warp, event.owner, event.line_address, event.cycle))
        return self.anew

    def on_kernel(self, name):
        self.calls.append(("kernel", name))
        return self.anew

    def sample(self, stats, cycle):
        self.calls.append(("sample", stats["l1.load_sectors"], cycle))
        return self.anew


class ThrottleCase(TemporaryCase):
    def scripted(self, script=lambda view, classes: None, **more):
        return self.context.register(type("Script", (Scripted,), {"calls": [], "script": staticmethod(script), **more}))

    def scheduler(self, spec="lrr + scripted", **options):
        made = gpucache.Scheduler(self.context, spec, **{"warps": 70, **options})
        self.addCleanup(made.close)
        return made


class Calls(ThrottleCase):
    def test_what_it_is_told_and_when_it_is_asked(self):
        for anew in (False, True):
            kind = self.scripted(name=f"scripted-{anew}".lower(), anew=anew)
            with self.scheduler(f"lrr + {kind.name}", sm=2, index=1, count=4, sms=3) as scheduler:
                scheduler.begin_kernel("_Z1kv")
                scheduler.start(66, block=9)
                scheduler.start(3)
                scheduler.set_state(66, WarpState.READY)
                self.assertEqual(scheduler.pick(7), 66)
                scheduler.issued(66, 7)
                scheduler.set_state(66, "barrier")
                scheduler.cache_event(CacheEventKind.EVICT, 9, 256, owner=1, cycle=8)
                scheduler.sample(gpucache.Stats(), 11)
                scheduler.end(66)
            again = [[("classify", [66, 3], [9, 0], cycle)] * anew for cycle in (8, 11)]
            begun = [("classify", [], [], 0)] * anew
            self.assertEqual(kind.calls, [
                ("init", 70, 2, 1, 4, 3), ("kernel", "_Z1kv"), *begun, ("start", 66, 0), ("classify", [66], [9], 0),
                ("start", 3, 1), ("classify", [66, 3], [9, 0], 0), ("state", 66, "STALLED", "READY"), ("issue", 66, 7),
                ("state", 66, "READY", "BARRIER"), ("classify", [66, 3], [9, 0], 7), ("event", 2, 9, 1, 256, 8),
                *again[0], ("sample", 0, 11), *again[1], ("state", 66, "BARRIER", "ABSENT"),
                ("classify", [3], [0], 11), ("finish",),
            ])  # fmt: skip

    def test_nothing_is_called_that_it_has_not(self):
        self.context.register(PythonWarps)
        scheduler = self.scheduler("gto + python-warps(limit=1)")
        scheduler.start(0)
        scheduler.set_state(0, "ready")
        scheduler.issued(scheduler.pick())
        scheduler.sample(gpucache.Stats(), 1)
        scheduler.cache_event(CacheEventKind.HIT, 0, 0)

    def test_refused_classes(self):
        with self.assertRaisesRegex(TypeError, "no classify"):
            self.context.register(type("Empty", (gpucache.Throttle,), {}))
        self.context.register(PythonWarps)
        with self.assertRaises(gpucache.ExistsError):
            self.context.register(PythonWarps)
        for spec in ("python-warps", "gto + gto", "gto + python-warps + python-warps"):
            with self.subTest(spec), self.assertRaises(gpucache.GpucacheError):
                self.scheduler(spec)


class Classes(ThrottleCase):
    def test_each_set(self):
        def script(view, classes):
            classes.throttled.add(0)
            classes.held.add(1)
            classes.bypassing.update((2, 69))
            classes.bypassing_l2 |= {3, 69}

        self.scripted(script)
        scheduler = self.scheduler()
        slots = (0, 1, 2, 3, 4, 69)
        for slot in slots:
            scheduler.start(slot)
            scheduler.set_state(slot, "ready-memory")
        C, B, T = WarpClass.CACHE, WarpClass.BYPASS, WarpClass.THROTTLED
        self.assertEqual([scheduler.class_of(slot) for slot in slots], [T, C, B, C, C, B])
        self.assertEqual([scheduler.class_count(each) for each in (C, "bypass", T)], [3, 2, 1])
        self.assertEqual([slot for slot in slots if scheduler.token_of(slot) == Token.NONE], [2, 69])
        self.assertEqual([slot for slot in slots if scheduler.token_of(slot, 2) == Token.NONE], [3, 69])
        issued = []
        while (slot := scheduler.pick()) is not None:
            issued.append(slot)
            scheduler.issued(slot)
            scheduler.set_state(slot, "waiting")
        self.assertEqual(sorted(issued), [2, 3, 4, 69])  # 0 may not issue, 1 no memory instruction
        for slot in (0, 1):
            scheduler.set_state(slot, "ready")
        self.assertEqual(scheduler.pick(), 1)

    def test_a_cycle_to_be_asked_again_at(self):
        def script(view, classes):
            if view.cycle < 100:
                classes.throttled.update(view.by_age)
                classes.again = 100

        self.scripted(script)
        scheduler = self.scheduler()
        self.assertIsNone(scheduler.next_change)
        scheduler.start(5)
        scheduler.set_state(5, "ready")
        self.assertEqual(scheduler.next_change, 100)
        self.assertIsNone(scheduler.pick(99))
        self.assertEqual(scheduler.pick(100), 5)
        self.assertIsNone(scheduler.next_change)

    def test_mistakes_are_raised_where_it_was_asked(self):
        def script(view, classes):
            classes.throttled.update(wrong)

        self.scripted(script)
        for wrong, error in (([70], ValueError), ([-1], ValueError), (["x"], TypeError), (7, TypeError)):
            with self.subTest(wrong), self.scheduler() as scheduler:
                with self.assertRaises(error):
                    scheduler.start(0)
                wrong = ()
                scheduler.set_state(0, "barrier")
                self.assertEqual(scheduler.class_of(0), WarpClass.CACHE)

    def test_it_may_not_call_the_library(self):
        scheduler = None

        def script(view, classes):
            if scheduler is not None:
                scheduler.pick()

        self.scripted(script)
        scheduler = self.scheduler()
        with self.assertRaisesRegex(gpucache.StateError, "callback"):
            scheduler.start(0)


class Shared(ThrottleCase):
    def setUp(self):
        super().setUp()
        gc.collect()
        self.before = len(policy._levels)
        made = self.made = []

        class Sharing(gpucache.Throttle):
            name = "sharing"

            @classmethod
            def share(cls, env):
                made.append((env.count, env.sms))
                return set()

            def __init__(self, env):
                self.blocked = env.shared

            def classify(self, view, classes):
                classes.throttled.update(self.blocked.intersection(view.by_age))
                classes.others = 7 in view.by_age
                if classes.others:
                    self.blocked.add(1)

        self.context.register(Sharing)

    def test_schedulers_made_with_each_other_share(self):
        options = {"policy": "lrr + sharing", "count": 2, "warps": 8}
        with gpucache.Scheduler(self.context, **options) as first, \
             gpucache.Scheduler(self.context, index=1, share_with=first, **options) as second, \
             gpucache.Scheduler(self.context, index=1, **options) as alone:  # fmt: skip
            self.assertEqual(self.made, [(2, 1), (2, 1)])
            for scheduler in (first, second, alone):
                scheduler.start(1)
                scheduler.set_state(1, "ready")
            self.assertEqual(second.pick(1), 1)
            first.start(7)
            self.assertEqual(alone.pick(2), 1)
            self.assertIsNone(second.pick(2))  # the other changed the shared state
        self.assertEqual(len(policy._levels), self.before)

    def test_those_of_a_replay_share(self):
        settings = {"mode": "timed", "sm.count": 3, "sm.schedulers": 2, "scheduler": "gto + sharing"}
        with gpucache.Config(self.context, settings=settings) as config, gpucache.Replay(self.context, config):
            self.assertEqual(self.made, [(2, 3)])
        self.assertEqual(len(policy._levels), self.before)


class InReplay(ThrottleCase):
    def stats(self, **settings):
        trace = write_trace(self.path("t"), (("_Z5twicePfS_", 64),))
        with gpucache.Config(self.context, "gtx480", {"mode": "timed", **settings}) as config:
            with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, trace) as source:
                list(replay.run(source))
                return replay.stats()

    def test_a_limit_in_python_is_the_built_in_one(self):
        self.context.register(PythonWarps)
        free, limited, python, key = (
            self.stats(**each) for each in (
                {}, {"scheduler": "gto + warps(limit=1)"}, {"scheduler": "gto + python-warps(limit=1)"},
                {"sm.warp_limit": 1},
            )
        )  # fmt: skip
        self.assertEqual(python, limited)
        self.assertEqual(key["cycles"], limited["cycles"])
        self.assertGreater(limited["cycles"], free["cycles"])

    def test_it_is_told_of_each_kernel(self):
        kind = self.scripted()
        trace = write_trace(self.path("t"), (("_Z5twicePfS_", 64), ("_Z4oncePf", 64), ("_Z5twicePfS_", 64)))
        settings = {"mode": "timed", "sm.count": 1, "scheduler": "gto + scripted"}
        with gpucache.Config(self.context, "gtx480", settings) as config:
            with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, trace) as source:
                list(replay.run(source))
        told = [call[1] for call in kind.calls if call[0] == "kernel"]
        self.assertEqual(told[::2], ["_Z5twicePfS_", "_Z4oncePf", "_Z5twicePfS_"])
        self.assertEqual(told[::2], told[1::2])  # two schedulers

    def test_an_exception_ends_the_replay(self):
        def script(view, classes):
            if view.cycle > 10:
                raise KeyError("in classify")

        self.scripted(script)
        with self.assertRaises(KeyError):
            self.stats(scheduler="gto + scripted")


class Registry(ThrottleCase):
    def test_enumeration_and_cost(self):
        names = [each.name for each in self.context.policies(PolicyKind.THROTTLE)]
        self.assertIn("warps", names)
        self.context.register(PythonWarps)
        info = self.context.policies("throttle")[-1]
        self.assertEqual((info.name, info.builtin, info.parameters), ("python-warps", False, PythonWarps.parameters))
        cost = self.context.scheduler_cost
        self.assertEqual(cost("lrr + python-warps(limit=2)", 10), cost("lrr", 10) + 10)
        with self.assertRaises(gpucache.NotFoundError):
            cost("lrr + no-such-throttle", 10)

    def test_compare_takes_them(self):
        found = gpucache.compare(["gto", "gto + python-warps(limit=1)"], [write_trace(self.path("t"))], mode="timed",
                                 register=[PythonWarps], jobs=1)  # fmt: skip
        self.assertEqual(len({row.policy for row in found}), 2)


if __name__ == "__main__":
    unittest.main()
