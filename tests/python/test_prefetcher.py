# SPDX-License-Identifier: BSD-2-Clause
"""Prefetchers written in Python."""

import unittest

from harness import TemporaryCase

import gpucache
from gpucache import PolicyKind, PrefetchFound, PrefetchOutcome

TRACE = "synthetic:vectoradd:64KiB"
SETTINGS = {"mode": "timed", "sm.count": 2, "sm.warp_limit": 2}


class PythonNext(gpucache.Prefetcher):
    """lib/policies/prefetcher/next_line.c once more, with on=miss."""

    name = "python-next"
    parameters = (gpucache.Parameter("degree", 1, 1, 32, whole=True),)

    def __init__(self, env):
        self.line = env.line_bytes
        self.degree = env.parameters["degree"]

    def on_access(self, access):
        if access.found == PrefetchFound.MISS:
            return [access.request.address + self.line * (i + 1) for i in range(self.degree)]

    @classmethod
    def cost_bits(cls, env):
        return 17


class PrefetcherCase(TemporaryCase):
    def run_with(self, prefetcher, **more):
        settings = {**SETTINGS, "l1.prefetcher": prefetcher, **more}
        with gpucache.Config(self.context, "gtx480", settings) as config:
            with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, TRACE) as trace:
                list(replay.run(trace))
                return replay.stats()

    def test_it_does_what_the_built_in_one_does(self):
        self.context.register(PythonNext)
        for degree in (1, 3):
            python = self.run_with(f"python-next(degree={degree})")
            built_in = self.run_with(f"next-line(degree={degree}, on=miss)")
            self.assertEqual(dict(python.items()), dict(built_in.items()))
            self.assertGreater(python["l1.prefetches"], 100)
        self.assertLess(python["cycles"], self.run_with("none")["cycles"])

    def test_slices_have_one_too(self):
        levels = set()

        class Slices(PythonNext):
            name = "slices"

            def on_access(self, access):
                levels.add(access.level)
                return super().on_access(access)

        self.context.register(Slices)
        python = self.run_with("none", **{"l2.prefetcher": "slices"})
        built_in = self.run_with("none", **{"l2.prefetcher": "next-line(on=miss)"})
        self.assertEqual(dict(python.items()), dict(built_in.items()))
        self.assertGreater(python["l2.useful_prefetches"] + python["l2.late_prefetches"], 50)
        self.assertNotIn("l1.prefetches", python)
        self.assertEqual(levels, {2})
        self.run_with("slices")
        self.assertEqual(levels, {1, 2})

    def test_it_is_told_what_becomes_of_what_it_asks_for(self):
        outcomes = {outcome: 0 for outcome in PrefetchOutcome}

        class Told(PythonNext):
            name = "told"

            def on_outcome(self, line_address, outcome):
                assert line_address % 128 == 0
                outcomes[outcome] += 1

        self.context.register(Told)
        stats = self.run_with("told(degree=2)")
        for outcome, count in outcomes.items():
            self.assertEqual(stats[f"l1.{outcome.name.lower()}_prefetches"], count)
        self.assertGreater(outcomes[PrefetchOutcome.USEFUL], 0)

    def test_sectors(self):
        class Half(gpucache.Prefetcher):
            name = "half"

            def on_access(self, access):
                assert access.lane == 0 and access.line == 0 and not access.request.address % 128
                assert access.lane_address == access.request.address
                return [(access.request.address + 128, 0b0011)]

        self.context.register(Half)
        stats = self.run_with("half", **{"l1.sectors": 4, "l2.sectors": 4})
        # one load of a line in four sectors: the prefetch brought two of the sectors
        self.assertGreater(stats["l1.prefetches"], 100)
        self.assertLess(stats["l1.load_hit_rate"], 0.51)

    def test_what_it_may_not_return(self):
        for answer, message in (
            ([0] * 33, "33 lines, more than 32"), ([-1], "not 0 to"), ([(0, 16)], "on_access: sectors returned 16"),
        ):  # fmt: skip

            class Wrong(gpucache.Prefetcher):
                name = f"wrong-{len(message)}"
                lines = answer

                def on_access(self, access):
                    return self.lines

            self.context.register(Wrong)
            with self.assertRaisesRegex(ValueError, message):
                self.run_with(Wrong.name)

    def test_an_exception_ends_the_replay(self):
        class Broken(gpucache.Prefetcher):
            name = "broken"

            def on_access(self, access):
                raise KeyError("in on_access")

        self.context.register(Broken)
        with self.assertRaises(KeyError):
            self.run_with("broken")

    def test_costs_and_names(self):
        self.context.register(PythonNext)
        names = [policy.name for policy in self.context.policies(PolicyKind.PREFETCHER)]
        self.assertEqual(names[:2] + names[-1:], ["none", "next-line", "python-next"])
        self.assertEqual(self.context.policy_cost(PolicyKind.PREFETCHER, "python-next", sets=32, ways=4), 17)

        class Without(gpucache.Prefetcher):
            name = "without"

        with self.assertRaisesRegex(TypeError, "has no on_access"):
            self.context.register(Without)

    def test_comparison(self):
        found = gpucache.compare(["none", "next-line(degree=4)"], [TRACE], mode="timed", settings=SETTINGS)
        self.assertIn("next-line", str(found))


if __name__ == "__main__":
    unittest.main()
