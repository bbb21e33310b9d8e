# SPDX-License-Identifier: BSD-2-Clause
"""Policies in Python: texts as parameters, shared objects of a level, samples, stalls, bits in the level below."""

import gc
import unittest

from harness import TemporaryCase

import gpucache
from gpucache import Busy, Decision, _native, policy

LINE = 128


class First(gpucache.ReplacementPolicy):
    """The first candidate leaves."""

    name = "first"

    def choose_victim(self, set, candidates, request):
        return candidates[0]


class Texts(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.seen = seen = []

        class Told(First):
            name = "told"
            parameters = (gpucache.Parameter("depth", 3, 1, 8, whole=True),)
            texts = (
                gpucache.TextParameter("signature", "pc", ("pc", "memory"), "what it learns by"),
                gpucache.TextParameter("file", meaning="where from"),
                gpucache.TextParameter("", "lru, fifo", meaning="what it chooses from"),
            )

            def __init__(self, env):
                seen.append((env.parameters, env.texts))

        self.told = self.context.register(Told)

    def values(self, spec):
        gpucache.Cache(self.context, replacement=spec).close()
        return self.seen.pop()

    def test_values(self):
        self.assertEqual(self.values("told"), ({"depth": 3}, {"signature": "pc", "file": "", "": ["lru", "fifo"]}))
        self.assertEqual(
            self.values("told(age-lru(bypass=1), signature=memory, lru(a, b(c)), depth=8, file=a b.txt)"),
            ({"depth": 8}, {"signature": "memory", "file": "a b.txt", "": ["age-lru(bypass=1)", "lru(a, b(c))"]}),
        )

    def test_unknown_word(self):
        with self.assertRaisesRegex(gpucache.GpucacheError, "signature"):
            self.values("told(signature=address)")

    def test_information(self):
        info = self.context.policies("replacement")[-1]
        self.assertEqual((info.name, info.parameters, info.texts), ("told", self.told.parameters, self.told.texts))

    def test_of_a_scheduler(self):
        seen = []

        class Told(gpucache.SchedulerPolicy):
            name = "told"
            texts = (gpucache.TextParameter("order", "up", ("up", "down")),)

            def __init__(self, env):
                seen.append(env.texts)

            def pick(self, ready, cycle):
                return ready[0]

        self.context.register(Told)
        gpucache.Scheduler(self.context, "told(order=down)").close()
        self.assertEqual(seen, [{"order": "down"}])


class Names(TemporaryCase):
    """A method that the library would never call is refused at the class's registration."""

    def refused(self, base, wrong, told):
        with self.assertRaises(TypeError) as raised:
            self.context.register(type("Wrong", (base,), {wrong: lambda *_: None}))
        self.assertIn(f"Wrong.{wrong} would never be called: {base.__name__} has no such method{told}",
                      str(raised.exception))  # fmt: skip

    def test_misspelt(self):
        for base, wrong, right in (
            (gpucache.ReplacementPolicy, "on_hits", "on_hit"),
            (gpucache.ReplacementPolicy, "on_secter_miss", "on_sector_miss"),
            (gpucache.ReplacementPolicy, "choose_victims", "choose_victim"),
            (gpucache.ReplacementPolicy, "decline", "declines"),
            (gpucache.Predictor, "predcit", "predict"), (gpucache.Predictor, "on_replies", "on_reply"),
            (gpucache.Predictor, "onHit", "on_hit"), (gpucache.SchedulerPolicy, "on_isue", "on_issue"),
            (gpucache.SchedulerPolicy, "class_off", "class_of"), (gpucache.Throttle, "clasify", "classify"),
            (gpucache.Throttle, "on_cache_events", "on_cache_event"), (gpucache.Throttle, "cost_bit", "cost_bits"),
            (gpucache.Prefetcher, "on_acces", "on_access"), (gpucache.Prefetcher, "on_outcomes", "on_outcome"),
        ):  # fmt: skip
            self.refused(base, wrong, f"; did you mean {right}?")

    def test_of_another_kind(self):
        """A predictor hears of no misses, a prefetcher of no hits."""
        self.refused(gpucache.Predictor, "on_miss", "; ")
        self.refused(gpucache.Prefetcher, "on_hit", "; ")
        self.refused(gpucache.Throttle, "on_quantum", "; ")

    def test_inherited_and_wrapped(self):
        base = type("Between", (First,), {"on_hits": classmethod(lambda *_: None)})
        with self.assertRaisesRegex(TypeError, "Below.on_hits .*did you mean on_hit"):
            self.context.register(type("Below", (base,), {}))

    def test_of_ones_own(self):
        """Helpers and data are no callbacks; a similar name is no mistake in a class that has the callback too."""

        class Own(First):
            name = "own"
            online = 3

            def _on_hits(self):
                pass

            def scan(self):
                pass

            def share(cls, env):
                return None

            def shared(self):
                pass

        self.context.register(Own)
        self.assertEqual(self.context.policies("replacement")[-1].name, "own")


class Level:
    """Shared state of a level's caches, in the tests."""

    def __init__(self):
        self.members = []


class Sharing(First):
    name = "sharing"
    made = []

    @classmethod
    def share(cls, env):
        cls.made.append(env.count)
        return Level()

    def __init__(self, env):
        self.level = env.shared
        self.level.members.append(env.index)


class Shared(TemporaryCase):
    def setUp(self):
        super().setUp()
        Sharing.made = []
        self.context.register(Sharing)
        gc.collect()
        self.before = len(policy._levels)

    def hierarchy(self, **settings):
        config = gpucache.Config(self.context, settings={"sm.count": 4, "l1.replacement": "sharing", **settings})
        return gpucache.Hierarchy(self.context, config)

    def test_one_object_for_all_caches_of_a_level(self):
        with self.hierarchy():
            self.assertEqual(Sharing.made, [4])
            (level,) = list(policy._levels.values())[self.before:]
            self.assertEqual((level[0].members, level[1]), ([0, 1, 2, 3], 4))
        self.assertEqual(len(policy._levels), self.before)

    def test_levels_and_hierarchies_do_not_share(self):
        with self.hierarchy(**{"l2.slices": 2, "l2.replacement": "sharing"}):
            self.assertEqual(sorted(Sharing.made), [2, 4])
            with self.hierarchy():
                self.assertEqual(len(policy._levels), self.before + 3)
        self.assertEqual(len(policy._levels), self.before)

    def test_a_cache_on_its_own(self):
        with gpucache.Cache(self.context, replacement="sharing") as cache:
            self.assertEqual(Sharing.made, [1])
            cache.set_replacement("lru")
            self.assertEqual(len(policy._levels), self.before)

    def test_failures_leave_nothing(self):
        class Refusing(Sharing):
            name = "refusing"

            def __init__(self, env):
                super().__init__(env)
                if env.index == 2:
                    raise ValueError("the third is one too many")

        class Unshared(Sharing):
            name = "unshared"

            @classmethod
            def share(cls, env):
                raise ValueError("nothing to share")

        for kind, message in ((Refusing, "one too many"), (Unshared, "nothing to share")):
            self.context.register(kind)
            with self.assertRaisesRegex(ValueError, message):
                self.hierarchy(**{"l1.replacement": kind.name})
            self.assertEqual(len(policy._levels), self.before)

    def test_costs_of_a_level(self):
        class Priced(Sharing):
            name = "priced"

            @classmethod
            def cost_bits(cls, env):
                return env.sets * env.ways + (1000 if env.index == 0 else 0)

        self.context.register(Priced)
        shape = {"sets": 32, "ways": 4}
        self.assertEqual(self.context.policy_cost("replacement", "priced", **shape), 128 + 1000)
        self.assertEqual(self.context.policy_cost("replacement", "priced", **shape, caches=15), 15 * 128 + 1000)
        with self.assertRaises(gpucache.GpucacheError):
            self.context.policy_cost("replacement", "priced", **shape, caches=0)


class Samples(TemporaryCase):
    def test_of_every_sm(self):
        """Samples add up to the replay's counters, and come to the caches in turn."""
        seen = []

        class Sampled(First):
            name = "sampled"

            def __init__(self, env):
                self.sm = env.index

            def on_sample(self, sample):
                seen.append((self.sm, sample.cycle, sample.instructions, sample.reads, sample.read_hits))

        self.context.register(Sampled)
        settings = {"sm.count": 4, "l1.replacement": "sampled", "mode": "timed", "sample.period": 500}
        config = gpucache.Config(self.context, "gtx480", settings)
        source = "synthetic:warp-reuse:128KiB"
        with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, source) as trace:
            result = replay.kernel(trace)
        self.assertGreater(len(seen), 8)
        self.assertEqual([sample[0] for sample in seen], [0, 1, 2, 3] * (len(seen) // 4))
        for four in range(0, len(seen), 4):
            self.assertEqual(len({sample[1] for sample in seen[four:four + 4]}), 1)
        self.assertLessEqual(sum(sample[2] for sample in seen), result.stats["warp_instructions"])
        self.assertGreater(sum(sample[2] for sample in seen), result.stats["warp_instructions"] / 2)
        self.assertLessEqual(sum(sample[4] for sample in seen), sum(sample[3] for sample in seen))

    def test_of_a_host(self):
        """The host gives cycles and instructions, the library the accesses since the last sample."""
        seen = []

        class Sampled(First):
            name = "sampled"

            def __init__(self, env):
                self.sm = env.index

            def on_sample(self, sample):
                seen.append((self.sm, sample.active_cycles, sample.instructions, sample.reads, sample.read_hits))

        self.context.register(Sampled)
        for name, wants in (("lru", False), ("sampled", True)):
            config = gpucache.Config(self.context, settings={"sm.count": 2, "l1.replacement": name})
            with gpucache.Hierarchy(self.context, config) as hierarchy:
                self.assertEqual(hierarchy.wants_samples, wants)
                hierarchy.begin_kernel()
                for sm, address in ((1, 0), (1, 0), (0, LINE)):
                    hierarchy.access([address], sm=sm)
                hierarchy.sample([(10, 20), (30, 40)])
                hierarchy.access([0], sm=1)
                hierarchy.sample([(1, 2), (3, 4)])
                with self.assertRaisesRegex(gpucache.ArgumentError, "3 samples for 2 SMs"):
                    hierarchy.sample([(0, 0)] * 3)
        self.assertEqual(seen, [(0, 10, 20, 1, 0), (1, 30, 40, 2, 1), (0, 1, 2, 0, 0), (1, 3, 4, 1, 1)])

    def test_an_exception_ends_the_replay(self):
        class Broken(First):
            name = "broken"

            def on_sample(self, sample):
                raise ArithmeticError("no such period")

        self.context.register(Broken)
        settings = {"l1.replacement": "broken", "mode": "timed", "sample.period": 500}
        config = gpucache.Config(self.context, "gtx480", settings)
        with gpucache.Replay(self.context, config) as replay:
            with gpucache.Trace(self.context, "synthetic:warp-reuse:128KiB") as trace:
                with self.assertRaisesRegex(ArithmeticError, "no such period"):
                    replay.kernel(trace)


class Stalls(TemporaryCase):
    def replay(self, name):
        settings = {"l1.bypass": name, "mode": "timed", "l1.mshr_entries": 1}
        config = gpucache.Config(self.context, "gtx480", settings)
        source = "synthetic:gather:64KiB"
        with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, source) as trace:
            return replay.kernel(trace).stats

    def test_reasons_and_the_way_below(self):
        reasons = set()

        class Impatient(gpucache.Predictor):
            name = "impatient"

            def predict(self, set, request):
                return Decision.CACHE

            def on_stall(self, request, reason):
                reasons.add(reason)
                return Decision.BYPASS

        class Patient(Impatient):
            name = "patient"

            def on_stall(self, request, reason):
                """Says nothing: the answer is to wait."""

        self.context.register(Impatient)
        self.context.register(Patient)
        patient, impatient = self.replay("patient"), self.replay("impatient")
        self.assertTrue(reasons)
        self.assertLessEqual(reasons, {Busy.LINE, Busy.MSHR, Busy.MISS_QUEUE})
        self.assertEqual(patient["l1.bypasses"], 0)
        self.assertGreater(impatient["l1.bypasses"], 0)
        self.assertLess(impatient["cycles"], patient["cycles"])


class Declining(TemporaryCase):
    def test_before_a_way_is_chosen(self):
        asked = []

        class Choosy(First):
            name = "choosy"

            def declines(self, set, candidates, request):
                asked.append((set, list(candidates), request.pc))
                return request.pc == 7

            def choose_victim(self, set, candidates, request):
                asked.append(request.policy.admitted)
                return candidates[0]

        self.context.register(Choosy)
        options = {"sets": 1, "ways": 2, "sectors": 4, "allocate": "on-fill", "replacement": "choosy"}
        with gpucache.Cache(self.context, **options) as cache:
            for address in (0, LINE):
                cache.access(address, size=4)
            declined = cache.lookup(2 * LINE, size=4, pc=7)
            admitted = cache.lookup(2 * LINE, size=4, pc=8)
            cache.fill(1, 2 * LINE, size=4, pc=8, admitted=1)
        self.assertEqual((declined.outcome, declined.admission),
                         (gpucache.Outcome.BYPASSED, gpucache.Admission.DECLINED))  # fmt: skip
        self.assertEqual((admitted.outcome, admitted.admission), (gpucache.Outcome.MISS, gpucache.Admission.ADMITTED))
        self.assertEqual(asked, [(0, [0, 1], 7), (0, [0, 1], 8), 1])

    def test_what_a_bypass_fetches(self):
        class Never(gpucache.Predictor):
            name = "never"

            def predict(self, set, request):
                return Decision.BYPASS

        self.context.register(Never)
        for fetch, sectors in (("needed", 1), ("all", 4)):
            options = {"sectors": 4, "fetch_sectors": 4, "predictor": "never", "bypass_fetch": fetch}
            with gpucache.Cache(self.context, **options) as cache:
                result = cache.access(0, size=4)
                self.assertEqual(bin(result.fetch_sectors).count("1"), sectors)

    def test_cache_tokens(self):
        options = {"sets": 1, "ways": 1, "token_warps": 48}
        outcomes = {"ignore": gpucache.Outcome.MISS, "strict": gpucache.Outcome.BYPASSED,
                    "opportunistic": gpucache.Outcome.BYPASSED}  # fmt: skip
        for tokens, outcome in outcomes.items():
            with gpucache.Cache(self.context, tokens=tokens, token_clear="owners", **options) as cache:
                cache.access(0, warp=3, token=gpucache.Token.HELD)
                self.assertEqual(cache.access(128, token=gpucache.Token.NONE).outcome, outcome)
                self.assertEqual(cache.token_bits, 48 if tokens == "opportunistic" else 0)
                cache.warp_event(gpucache.WarpEventKind.WARP_EXIT, warp=3)
                found = cache.access(128, token=gpucache.Token.NONE).outcome
                self.assertEqual(found == gpucache.Outcome.BYPASSED, tokens == "strict")

    def test_the_future(self):
        seen = []

        class Oracle(First):
            name = "oracle"
            needs_future = True

            def on_fill(self, set, way, request):
                seen.append(request.policy.next_use)

        self.context.register(Oracle)
        for future in (False, True):
            settings = {"l1.replacement": "oracle", "l1.future": future, "sm.count": 1}
            config = gpucache.Config(self.context, settings=settings)
            if not future:
                with self.assertRaisesRegex(gpucache.GpucacheError, "l1.future"):
                    gpucache.Replay(self.context, config)
                continue
            with gpucache.Replay(self.context, config) as replay:
                with gpucache.Trace(self.context, "synthetic:warp-reuse:64KiB") as trace:
                    replay.kernel(trace)
        self.assertIn(2**64 - 1, seen)
        self.assertLess(min(seen), 2**32)


class Below(TemporaryCase):
    def test_the_level_below_answers(self):
        """The answer of the predictor below comes back, and overturns the bypass."""
        asked, answers = [], []

        class Above(gpucache.Predictor):
            name = "above"
            below = "answering"

            def predict(self, set, request):
                return Decision.BYPASS, 5

            def on_reply(self, request, predicted, word):
                answers.append((predicted, word))
                return Decision.CACHE

        class Answering(gpucache.Predictor):
            name = "answering"

            def predict(self, set, request):
                return Decision.CACHE

            def respond(self, set, way, request):
                asked.append((request.policy.policy_word, way is None))
                return 7

        self.context.register(Above)
        self.context.register(Answering)
        config = gpucache.Config(self.context, settings={"l1.bypass": "above"})
        with gpucache.Hierarchy(self.context, config) as hierarchy:
            hierarchy.begin_kernel()
            for _ in range(2):
                hierarchy.access(list(range(0, LINE, 4)), width=4)
            stats = hierarchy.stats()
        self.assertEqual({word for word, _ in asked}, {5})
        self.assertEqual(set(answers), {(Decision.BYPASS, 7)})
        self.assertEqual(stats["l1.overturned_bypasses"], len(answers))
        self.assertGreater(stats["l1.load_sector_hits"], 0)

    def test_a_table_without_one(self):
        class Alone(gpucache.Predictor):
            name = "alone"

            def predict(self, set, request):
                """Caches."""

        table, token = policy.table_of(Alone)
        _native.drop(token)
        self.assertIsNone(table.below)
        self.assertEqual((table.shared_bytes, table.text_count, table.parameter_count), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
