# SPDX-License-Identifier: BSD-2-Clause
"""Decisions alone: policies for caches and warps of another simulator."""

import random
import unittest

from harness import TemporaryCase

import gpucache
from gpucache import Decision, Outcome, ReadsBits, PolicyEvent, PolicyEventKind, WarpClass, WarpState

LINE, SETS, WAYS = 128, 4, 2
TELLS = gpucache.GPC_READS_OF_REQUESTS | ReadsBits.POLICY_WORD | ReadsBits.WARP_EVENTS | ReadsBits.SAMPLES


class Tags:
    """A cache in Python, whose policies are the library's."""

    def __init__(self, context, replacement, predictor):
        shape = {"sets": SETS, "ways": WAYS, "seed": 3, "tells": TELLS}
        self.replacement = gpucache.ReplacementDecisions(context, replacement, **shape)
        self.predictor = gpucache.PredictorDecisions(context, predictor, **shape)
        self.lines = [[None] * WAYS for _ in range(SETS)]

    def access(self, request):
        """(outcome, way) of a load."""
        number = request.address // LINE
        place = number % SETS
        lines = self.lines[place]
        if self.predictor.before_lookup and self.predictor.predict(place, request).decision == Decision.BYPASS:
            return Outcome.BYPASSED, None
        if number in lines:
            way = lines.index(number)
            self.replacement.hit(place, way, request)
            self.predictor.hit(place, way, request)
            return Outcome.HIT, way
        self.replacement.miss(place, request)
        if not self.predictor.before_lookup and self.predictor.predict(place, request).decision == Decision.BYPASS:
            return Outcome.BYPASSED, None
        events = []
        way = lines.index(None) if None in lines else self.replacement.choose(place, request)
        if way is None:
            return Outcome.BYPASSED, None
        if lines[way] is not None:
            leaves = gpucache.Eviction(line_address=lines[way] * LINE, set=place, way=way, valid_sectors=1)
            events.append(PolicyEvent("evict", place, way, request, leaves))
        events.append(PolicyEvent(PolicyEventKind.FILL, place, way, request))
        self.replacement.tell(events)
        self.predictor.tell(events)
        lines[way] = number
        return Outcome.MISS, way


class Alike(TemporaryCase):
    """A Cache with the same accesses decides alike."""

    def run_both(self, replacement, predictor):
        draw = random.Random(5)
        cache = gpucache.Cache(self.context, replacement=replacement, predictor=predictor, sets=SETS, ways=WAYS, seed=3)
        tags = Tags(self.context, replacement, predictor)
        outcomes = set()
        for index in range(600):
            number = draw.randrange(20) if index % 3 else 100 + index
            request = gpucache.Request(
                address=number * LINE, pc=16 * (number % 5), warp=number % 3, warp_age=number % 3, cycle=index,
                transactions=1 + number % 32,
            )  # fmt: skip
            theirs = cache.access(request)
            own, way = tags.access(request)
            self.assertEqual((own, way), (theirs.outcome, None if theirs.way == 2**32 - 1 else theirs.way), index)
            outcomes.add(own)
        self.assertEqual(
            {name: value.value for name, value in cache.policy_values().items()},
            {name: value.value for each in (tags.replacement, tags.predictor)
             for name, value in each.policy_values().items()},
        )  # fmt: skip
        return outcomes

    def test_replacement(self):
        for policy in ("lru", "random", "dip", "bip(bypass=1)", "ship", "age-lru", "rpr", "sdbp"):
            with self.subTest(policy=policy):
                self.assertIn(Outcome.HIT, self.run_both(policy, "always-cache"))

    def test_predictors(self):
        for policy in ("agcb(initial=7)", "agcb-early", "random-p", "access-count", "counter-based"):
            with self.subTest(policy=policy):
                expected = Outcome.BYPASSED if policy == "agcb-early" else Outcome.MISS
                self.assertIn(expected, self.run_both("lru", policy))


class Replacement(TemporaryCase):
    def test_candidates(self):
        policy = gpucache.ReplacementDecisions(self.context, sets=1, ways=70)
        for way in range(70):
            policy.fill(0, way, way * LINE)
        self.assertEqual(policy.choose(0, 0), 0)
        self.assertEqual(policy.choose(0, 0, candidates=[69, 5]), 5)
        self.assertEqual(policy.choose(0, gpucache.Request(address=0), candidates={69}), 69)
        for wrong, error in (([], gpucache.ArgumentError), ([70], gpucache.ArgumentError), ([128], ValueError)):
            with self.assertRaises(error):
                policy.choose(0, 0, candidates=wrong)
        self.assertFalse(policy.declines(0, 0))

    def test_feeds(self):
        for policy, lacks in (("vote(lru, mru)", "samples"), ("opt", "next_use"), ("age-lru", "warp events")):
            with self.assertRaisesRegex(gpucache.UnsupportedError, f"'{policy[:3]}.*{lacks}"):
                gpucache.ReplacementDecisions(self.context, policy)
        policy = gpucache.ReplacementDecisions(
            self.context, "vote(lru, mru, periods=1)", tells=TELLS, sets=1, ways=2
        )  # fmt: skip
        for _ in range(8):
            policy.sample(active_cycles=100, instructions=0, reads=1)
        policy.warp_event("warp-start", warp=1)
        self.assertGreater(policy.policy_values()["replacement.vote.votes"].value, 0)

    def test_what_cannot_have_happened(self):
        policy = gpucache.ReplacementDecisions(self.context)
        with self.assertRaisesRegex(gpucache.ArgumentError, r"events\[0\]: way 4 of 4"):
            policy.hit(0, 4, 0)
        with self.assertRaisesRegex(gpucache.ArgumentError, r"events\[1\]: eviction is NULL") as caught:
            request = gpucache.Request()
            policy.tell([PolicyEvent("fill", 0, 0, request), PolicyEvent("evict", 0, 0, request), PolicyEvent("miss", 0)])
        self.assertEqual(caught.exception.done, 1)
        with self.assertRaisesRegex(TypeError, "no field 'adress'"):
            policy.miss(0, 0, adress=3)
        with self.assertRaisesRegex(TypeError, "no field 'way'"):
            gpucache.ReplacementDecisions(self.context, way=3)
        with self.assertRaisesRegex(gpucache.RangeError, "gpc_replacement_options.ways"):
            gpucache.ReplacementDecisions(self.context, ways=2000)
        policy.invalidate(0, 0)
        policy.close()
        with self.assertRaisesRegex(gpucache.StateError, "is closed"):
            policy.invalidate(0, 0)

    def test_a_policy_in_python(self):
        told = []

        class Watcher(gpucache.ReplacementPolicy):
            name = "watcher"

            def choose_victim(self, set, candidates, request):
                return max(candidates)

            def on_sector_miss(self, set, way, request):
                told.append((set, way))

            def on_hit(self, set, way, request):
                raise ZeroDivisionError

        self.context.register(Watcher)
        policy = gpucache.ReplacementDecisions(self.context, "watcher")
        policy.hit(3, 2, 0, continues=1)
        self.assertEqual(told, [(3, 2)])
        self.assertEqual(policy.choose(0, 0), 3)
        with self.assertRaises(ZeroDivisionError):
            policy.hit(3, 2, 0)

    def test_share(self):
        shape = {"tells": TELLS, "instances": 2}
        first = gpucache.ReplacementDecisions(self.context, "rpr", **shape)
        gpucache.ReplacementDecisions(self.context, "rpr", instance=1, share_with=first, **shape)
        with self.assertRaisesRegex(gpucache.ArgumentError, "ways = 8 cannot share with one of 4"):
            gpucache.ReplacementDecisions(self.context, "rpr", ways=8, instance=1, share_with=first, **shape)


class Predictor(TemporaryCase):
    def test_replies(self):
        """agcb bypasses at first; the level below answers that the bypass was wrong."""
        upper = gpucache.PredictorDecisions(self.context, "agcb", tells=TELLS)
        lower = gpucache.PredictorDecisions(self.context, "agcb-below", tells=TELLS)
        found = []
        for _ in range(3):
            prediction = upper.predict(0, 0)
            word = lower.respond(0, 2, 0, policy_word=prediction.word)
            found.append((prediction.decision, upper.reply(prediction.decision, word, 0)))
        bypass, cache = Decision.BYPASS, Decision.CACHE
        self.assertEqual(found, [(bypass, bypass), (bypass, cache), (bypass, bypass)])
        self.assertEqual(lower.respond(0, None, 0, policy_word=3), 0)
        self.assertEqual(upper.policy_values()["bypass.agcb.overridden"].value, 1)

    def test_many(self):
        predictor = gpucache.PredictorDecisions(self.context, "access-count(threshold=4)")
        requests = [gpucache.Request(address=LINE * n, transactions=n) for n in range(1, 9)]
        found = predictor.predict_many([0] * 8, requests)
        self.assertEqual([each.decision == Decision.BYPASS for each in found], [n > 4 for n in range(1, 9)])
        with self.assertRaisesRegex(gpucache.ArgumentError, r"requests\[1\]: set 32 of 32"):
            predictor.predict_many([0, 32], requests[:2])
        with self.assertRaisesRegex(ValueError, "1 sets for 2 requests"):
            predictor.predict_many([0], requests[:2])

    def test_stalls(self):
        predictor = gpucache.PredictorDecisions(self.context, "mrpb(mshr=0)", tells=ReadsBits.STALLS | TELLS)
        self.assertEqual(predictor.stall("line", 0), Decision.BYPASS)
        self.assertEqual(predictor.stall("mshr", 0), Decision.CACHE)


class Throttle(TemporaryCase):
    def test_as_on_a_scheduler(self):
        throttles = "pcal(warps=2, ebt=2)"
        alone = gpucache.ThrottleDecisions(self.context, throttles, warps=70)
        scheduler = gpucache.Scheduler(self.context, "gto + " + throttles, warps=70)
        for each in (alone, scheduler):
            for slot in range(60, 66):
                each.start(slot)
                each.set_state(slot, WarpState.READY)
        self.assertEqual([alone.class_of(slot) for slot in range(70)], [scheduler.class_of(slot) for slot in range(70)])
        found = alone.classify(0)
        self.assertEqual((found.throttled, found.bypassing, found.held), ({64, 65}, {62, 63}, {64, 65}))
        for each in (alone, scheduler):
            each.issued(60, 3)
            each.end(60)
        self.assertEqual(alone.class_of(64), WarpClass.BYPASS)
        self.assertEqual(alone.token_of(62), gpucache.Token.HELD)
        self.assertTrue(alone.held(65))
        self.assertEqual(alone.next_change, scheduler.next_change)

    def test_feeds(self):
        throttle = gpucache.ThrottleDecisions(self.context, "ccws + dyncta")
        self.assertEqual(throttle.wants, ("events", "samples"))
        self.assertEqual(gpucache.ThrottleDecisions(self.context, "warps").wants, ())
        throttle.begin_kernel("k")
        throttle.cache_event(gpucache.CacheEventKind.EVICT, 0, 128, owner=1)
        throttle.sample(gpucache.Stats(), 5000)
        with self.assertRaisesRegex(gpucache.ArgumentError, "gpc_throttle_options.warps is 0"):
            gpucache.ThrottleDecisions(self.context, "warps", warps=0)


if __name__ == "__main__":
    unittest.main()
