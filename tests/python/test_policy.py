# SPDX-License-Identifier: BSD-2-Clause
"""Replacement policies and predictors written in Python."""

import array
import gc
import random
import unittest
import weakref

from harness import TemporaryCase

import gpucache
from gpucache import Decision, Kind, Outcome, _native, policy

LINE = 128


class PythonLru(gpucache.ReplacementPolicy):
    name = "python-lru"
    summary = "least recently used, in Python"
    source = "the tests"

    def __init__(self, env):
        self.clock = 0
        self.used = [[0] * env.ways for _ in range(env.sets)]

    def touch(self, set, way):
        self.clock += 1
        self.used[set][way] = self.clock

    def on_hit(self, set, way, request):
        self.touch(set, way)

    def on_sector_miss(self, set, way, request):
        self.touch(set, way)

    def on_fill(self, set, way, request):
        self.touch(set, way)

    def choose_victim(self, set, candidates, request):
        return min(candidates, key=self.used[set].__getitem__)


class Recorder(gpucache.ReplacementPolicy):
    """Writes down every call; the first candidate leaves."""

    name = "recorder"
    calls = []

    def __init__(self, env):
        self.calls.append(("init", env.sets, env.ways, env.line_bytes, env.sectors, env.index, env.count))

    def finish(self):
        self.calls.append(("finish",))

    def on_hit(self, set, way, request):
        self.calls.append(("hit", set, way, request.address))

    def on_miss(self, set, request):
        self.calls.append(("miss", set, request.address))

    def choose_victim(self, set, candidates, request):
        self.calls.append(("choose", set, list(candidates)))
        return candidates[0]

    def on_fill(self, set, way, request):
        self.calls.append(("fill", set, way, request.pc))

    def on_evict(self, set, way, eviction, request):
        self.calls.append(("evict", set, way, eviction.line_address, request.address))

    def on_invalidate(self, set, way):
        self.calls.append(("invalidate", set, way))

    def on_warp_event(self, event):
        self.calls.append(("event", event.kind, event.warp))


class Replacement(TemporaryCase):
    def test_lru_in_python_is_the_built_in_one(self):
        self.context.register(PythonLru)
        for seed, (sets, ways, sectors) in enumerate(((1, 1, 0), (1, 4, 0), (7, 3, 4), (32, 4, 0), (2, 70, 4))):
            draw = random.Random(seed)
            lines = sets * ways * 2
            stream = array.array("Q", [LINE * draw.randrange(lines) + 32 * draw.randrange(4) for _ in range(6000)])
            kinds = bytes(draw.choice((Kind.LOAD, Kind.LOAD, Kind.STORE)) for _ in stream)
            found = []
            for name in ("lru", "python-lru"):
                with gpucache.Cache(self.context, sets=sets, ways=ways, sectors=sectors, replacement=name) as cache:
                    batch = cache.access_many(stream, kinds, size=32, results=True, evicted=True)
                    found.append((batch.results, batch.evicted, cache.stats()))
            self.assertEqual(found[0], found[1])
            self.assertGreater(found[0][2]["evictions"], 1000)

    def test_order_of_calls(self):
        Recorder.calls.clear()
        self.context.register(Recorder)
        options = {"sets": 1, "ways": 2, "replacement": "recorder", "instance": 3, "instances": 5}
        with gpucache.Cache(self.context, **options) as cache:
            for address in (0, LINE, 0, 2 * LINE):
                cache.access(address, pc=address + 1)
            cache.invalidate(LINE)
            cache.warp_event(gpucache.WarpEventKind.WARP_BARRIER, warp=9)
        self.assertEqual(Recorder.calls, [
            ("init", 1, 2, LINE, 1, 3, 5),
            ("miss", 0, 0), ("fill", 0, 0, 1),
            ("miss", 0, LINE), ("fill", 0, 1, LINE + 1),
            ("hit", 0, 0, 0),
            ("miss", 0, 2 * LINE), ("choose", 0, [0, 1]), ("evict", 0, 0, 0, 2 * LINE), ("fill", 0, 0, 2 * LINE + 1),
            ("invalidate", 0, 1),
            ("event", gpucache.WarpEventKind.WARP_BARRIER, 9),
            ("finish",),
        ])  # fmt: skip

    def test_candidates_leave_out_pending_ways(self):
        """Also beyond the first 64 ways."""
        Recorder.calls.clear()
        self.context.register(Recorder)
        with gpucache.Cache(self.context, sets=1, ways=70, replacement="recorder") as cache:
            for number in range(70):
                cache.access(number * LINE)
            for way in (0, 3, 66):  # lines to evict; the next lines in the ways stay pending
                cache.invalidate(way * LINE)
                cache.reserve(1, (100 + way) * LINE)
            cache.access(1000 * LINE)
        offered = [call[2] for call in Recorder.calls if call[0] == "choose"]
        self.assertEqual(offered, [[way for way in range(70) if way not in (0, 3, 66)]])

    def test_only_defined_methods_are_called(self):
        class Few(gpucache.ReplacementPolicy):
            name = "few"

            def choose_victim(self, set, candidates, request):
                return 0

        class More(Few):
            name = "more"

            def on_hit(self, set, way, request):
                """Inherits choose_victim."""

        for kind, used in ((Few, {"init", "finish", "choose_victim"}),
                           (More, {"init", "finish", "choose_victim", "on_hit"})):  # fmt: skip
            table, token = policy.table_of(kind)
            _native.drop(token)
            made = {name for name, field in table._fields_ if hasattr(field, "_restype_") and getattr(table, name)}
            self.assertEqual(made, used)

    def test_parameters(self):
        seen = []

        class Tuned(PythonLru):
            name = "tuned"
            parameters = (
                gpucache.Parameter("decay", 0.5, 0, 1, meaning="share"),
                gpucache.Parameter("depth", 3, 1, 8, whole=True, meaning="entries"),
            )

            def __init__(self, env):
                super().__init__(env)
                seen.append((env.parameters, env.arguments))

            @classmethod
            def cost_bits(cls, env):
                return env.sets * env.ways * env.parameters["depth"]

        self.context.register(Tuned)
        for spec in ("tuned", "tuned(depth=5)", "tuned(decay=0.25, depth=8)"):
            gpucache.Cache(self.context, replacement=spec).close()
        self.assertEqual([parameters for parameters, _ in seen], [
            {"decay": 0.5, "depth": 3}, {"decay": 0.5, "depth": 5}, {"decay": 0.25, "depth": 8},
        ])  # fmt: skip
        self.assertEqual(seen[1][1], "depth=5")
        self.assertIsInstance(seen[0][0]["depth"], int)
        self.assertEqual(self.context.policy_cost("replacement", "tuned(depth=2)", sets=16, ways=4), 16 * 4 * 2)
        with self.assertRaisesRegex(gpucache.GpucacheError, "depth"):
            gpucache.Cache(self.context, replacement="tuned(depth=9)")
        info = self.context.policies("replacement")[-1]
        self.assertEqual((info.name, info.parameters, info.builtin), ("tuned", Tuned.parameters, False))

    def test_reads(self):
        bits = gpucache.ReadsBits

        class Stated(PythonLru):
            name = "stated"
            reads = bits.PLACE | bits.PC

        class Unknown(PythonLru):
            name = "unknown"
            reads = 1 << 40

        class Filter(gpucache.Predictor):
            name = "filter"
            reads = bits.PLACE | bits.KIND

            def predict(self, set, request):
                return None

        for each in (Stated, PythonLru, Filter):
            self.context.register(each)
        self.assertEqual(self.context.policy_reads("replacement", "stated"), bits.PLACE | bits.PC)
        self.assertEqual(self.context.policy_reads("replacement", PythonLru.name), 0)
        self.assertEqual(self.context.policy_reads("predictor", "filter"), bits.PLACE | bits.KIND)
        self.assertEqual(self.context.policy_reads("replacement", "ship(signature=memory)"), bits.PLACE | bits.ADDRESS)
        with self.assertRaisesRegex(gpucache.GpucacheError, "none of GPC_READS_"):
            self.context.register(Unknown)
        with self.assertRaisesRegex(gpucache.NotFoundError, "no replacement policy is named"):
            self.context.policy_reads("replacement", "none-such")

    def test_seed_differs_by_context(self):
        seeds = []

        class Seeded(PythonLru):
            name = "seeded"

            def __init__(self, env):
                super().__init__(env)
                seeds.append(env.seed)

        for seed in (1, 1, 2):
            with gpucache.Context(seed=seed) as context:
                context.register(Seeded)
                gpucache.Cache(context, replacement="seeded").close()
        self.assertEqual(seeds[0], seeds[1])
        self.assertNotEqual(seeds[0], seeds[2])

    def test_bypass_by_the_policy(self):
        class Keep(gpucache.ReplacementPolicy):
            name = "keep"

            def choose_victim(self, set, candidates, request):
                return gpucache.BYPASS_WAY

        self.context.register(Keep)
        with gpucache.Cache(self.context, sets=1, ways=1, replacement="keep") as cache:
            cache.access(0)
            self.assertEqual(cache.access(LINE).outcome, Outcome.BYPASSED)
            self.assertTrue(cache.access(0).hit)

    def test_registration_is_refused(self):
        self.context.register(PythonLru)
        with self.assertRaisesRegex(gpucache.ExistsError, "python-lru"):
            self.context.register(PythonLru)

        class Shouting(PythonLru):
            name = "LOUD"

        with self.assertRaisesRegex(gpucache.ArgumentError, "name must be"):
            self.context.register(Shouting)
        with self.assertRaisesRegex(TypeError, "Empty has no choose_victim"):
            self.context.register(type("Empty", (gpucache.ReplacementPolicy,), {}))
        with self.assertRaisesRegex(TypeError, "no subclass"):
            self.context.register(int)

    def test_registration_ends_with_the_context(self):
        class Passing(PythonLru):
            name = "passing"

        gc.collect()
        tokens = len(_native._tokens)
        with gpucache.Context() as context:
            context.register(Passing)
            with self.assertRaises(gpucache.ExistsError):
                context.register(Passing)  # the library's destroy runs for a refused policy too
            self.assertEqual(len(_native._tokens), tokens + 1)
        self.assertEqual(len(_native._tokens), tokens)
        gone = weakref.ref(Passing)
        del Passing
        gc.collect()
        self.assertIsNone(gone())

    def test_instances_end_with_the_cache(self):
        self.context.register(PythonLru)
        gc.collect()
        count = len(policy.instances)
        cache = gpucache.Cache(self.context, replacement="python-lru")
        self.assertEqual(len(policy.instances), count + 1)
        cache.set_replacement("lru")
        self.assertEqual(len(policy.instances), count)
        cache.set_replacement("python-lru")
        del cache
        gc.collect()
        self.assertEqual(len(policy.instances), count)

    def test_new_policy_sees_resident_lines(self):
        Recorder.calls.clear()
        self.context.register(Recorder)
        with gpucache.Cache(self.context, sets=1, ways=4) as cache:
            cache.access_many([0, LINE, 2 * LINE])
            cache.set_replacement("recorder")
        fills = [call[:3] for call in Recorder.calls if call[0] == "fill"]
        self.assertEqual(fills, [("fill", 0, way) for way in range(3)])


class Predictors(TemporaryCase):
    def test_bypasses_and_words(self):
        class OddPcs(gpucache.Predictor):
            name = "odd-pcs"

            def predict(self, set, request):
                return (Decision.BYPASS, 77) if request.pc % 2 else Decision.CACHE

            def on_reply(self, request, predicted, word):
                return Decision.CACHE if word == 5 else predicted

            def respond(self, set, way, request):
                return 1000 if way is None else way

        self.context.register(OddPcs)
        with gpucache.Cache(self.context, sets=1, ways=2, predictor="odd-pcs") as cache:
            result = cache.access(0, pc=1)
            self.assertEqual((result.outcome, result.policy_word), (Outcome.BYPASSED, 77))
            self.assertEqual(cache.access(0, pc=2).outcome, Outcome.MISS)
            self.assertTrue(cache.access(0, pc=1).hit)
            self.assertEqual(cache.reply("bypass", 5, 0), Decision.CACHE)
            self.assertEqual(cache.reply("bypass", 6, 0), Decision.BYPASS)
            self.assertEqual(cache.respond(0), 0)
            self.assertEqual(cache.respond(LINE), 1000)
            self.assertEqual(cache.stats()["bypasses"], 1)

    def test_sector_misses(self):
        told = []

        class Watcher(gpucache.Predictor):
            name = "sector-watcher"

            def predict(self, set, request):
                told.append("predict")

            def on_hit(self, set, way, request):
                told.append("hit")

            def on_sector_miss(self, set, way, request):
                told.append("sector miss")

        self.context.register(Watcher)
        with gpucache.Cache(self.context, sets=1, ways=1, sectors=4, predictor="sector-watcher") as cache:
            for sector in (1, 2, 2):
                cache.access(0, sector_mask=sector)
        self.assertEqual(told, ["predict", "sector miss", "hit"])

    def test_none_caches(self):
        class Silent(gpucache.Predictor):
            name = "silent"

            def predict(self, set, request):
                """Says nothing."""

        self.context.register(Silent)
        with gpucache.Cache(self.context, predictor="silent") as cache:
            self.assertEqual(cache.access(0).outcome, Outcome.MISS)
            self.assertTrue(cache.access(0).hit)

    def test_before_lookup(self):
        class Early(gpucache.Predictor):
            name = "early"
            before_lookup = True
            asked = 0

            def predict(self, set, request):
                Early.asked += 1

        self.context.register(Early)
        with gpucache.Cache(self.context, predictor="early") as cache:
            cache.access(0)
            cache.access(0)
        self.assertEqual(Early.asked, 2)

    def test_kinds_are_apart(self):
        class Shared(gpucache.Predictor):
            name = "lru"  # an equal name of a replacement policy is allowed

            def predict(self, set, request):
                return Decision.BYPASS

        self.context.register(Shared)
        names = [info.name for info in self.context.policies("predictor")]
        self.assertEqual(names[-1], "lru")
        with self.assertRaisesRegex(TypeError, "has no predict"):
            self.context.register(type("Empty", (gpucache.Predictor,), {}))


if __name__ == "__main__":
    unittest.main()
