# SPDX-License-Identifier: BSD-2-Clause
"""The command tune: the search on functions with a known best number, kept runs, and whole processes."""

import json
import os
import random
import shlex
import shutil
import types
import unittest

from harness import ROOT, TemporaryCase, command, write_trace

from gpucache import tuning
from gpucache._results import Results
from gpucache.cli import tune

# Each warp reads a small private array again and again: more warps thrash an L1 that holds the arrays of a few.
REUSE = "synthetic:warp-reuse:64KiB"
SMALL = ["--preset", "gtx480", "--set", "sm.count=2"]


class Search(unittest.TestCase):
    def run_on(self, function, low, high, start=None, exhaustive=0):
        """(best, numbers in rounds)."""
        rounds = []

        def measure(numbers):
            self.assertFalse(set(numbers) & {number for each in rounds for number in each}, "run twice")
            rounds.append(numbers)
            return {number: function(number) for number in numbers}

        found = tuning.search(low, high, measure, start, exhaustive)
        return tuning.best_of(found, low if start is None else start), rounds

    def test_the_example_of_the_module(self):
        best, rounds = self.run_on(lambda warps: -abs(warps - 6.2), 1, 24)
        self.assertEqual((best, rounds), (6, [[1, 2, 3, 5, 9, 17, 24], [4, 7], [6, 8]]))

    def test_any_single_peak_is_found(self):
        draw = random.Random(5)
        for _ in range(300):
            low = draw.randint(-20, 5)
            high = low + draw.randint(0, 60)
            peak, start = draw.randint(low, high), draw.randint(low, high)
            left, right = draw.random() + 0.1, draw.random() + 0.1
            slopes = lambda n: (n - peak) * left if n < peak else (peak - n) * right  # noqa: E731
            best, rounds = self.run_on(slopes, low, high, start)
            self.assertEqual(best, peak, (low, high, start, rounds))
            self.assertLess(sum(map(len, rounds)), 4 * max(1, (high - low + 1).bit_length()) + 3)

    def test_few_are_all_run(self):
        jagged = {number: (number * 7) % 11 for number in range(1, 13)}
        best, rounds = self.run_on(jagged.get, 1, 12, exhaustive=12)
        self.assertEqual((best, rounds), (max(jagged, key=jagged.get), [list(range(1, 13))]))
        self.assertEqual(self.run_on(lambda number: 0, 1, 13, exhaustive=12), (1, [[1, 2, 3, 5, 9, 13]]))
        self.assertEqual(self.run_on(lambda number: 0, 4, 4), (4, [[4]]))

    def test_of_equal_ones_that_nearest_to_the_start(self):
        self.assertEqual(tuning.best_of({1: 2.0, 3: 2.0, 2: 1.0}, 1), 1)
        self.assertEqual(tuning.best_of({-2: 2.0, -1: 2.0, 2: 2.0, 0: 1.0}, 0), -1)

    def test_powers_have_both_ends(self):
        self.assertEqual(tuning.powers(-5, 18, 0), [-5, -4, -2, -1, 0, 1, 2, 4, 8, 16, 18])
        self.assertEqual(tuning.powers(1, 1, 1), [1])


class Keeping(TemporaryCase):
    def test_results_come_back(self):
        path = self.path("new", "results")
        run = {"config": {"a": "1"}, "numbers": [1, 2]}
        first = Results(path)
        self.assertIsNone(first.get(run))
        first.put(run, {"cycles": 7}, note="for who reads it")
        first.close()
        second = Results(path)
        self.addCleanup(second.close)
        self.assertEqual(second.get({"numbers": [1, 2], "config": {"a": "1"}}), {"cycles": 7})
        self.assertIsNone(second.get({**run, "numbers": [2, 1]}))
        second.build = "another library"
        self.assertIsNone(second.get(run))

    def test_a_line_cut_short_is_passed_over(self):
        path = self.write("results", "")
        first = Results(path)
        first.put("a", 1)
        first.close()
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"key": "b", "res')
        second = Results(path)
        self.assertEqual(second.get("a"), 1)
        second.put("b", 2)
        second.close()
        third = Results(path)
        self.addCleanup(third.close)
        self.assertEqual((third.get("a"), third.get("b")), (1, 2))

    def test_what_makes_a_run_another_one(self):
        trace = write_trace(self.path("t"))
        profile = self.write("p", "1")
        runs = tune.Runs(self.path("results"), 1)
        self.addCleanup(runs.results.close)

        def key(source=trace, kernels=None, changes=None, load=(), **config):
            options = types.SimpleNamespace(kernels=kernels, load=load)
            config = {"l1.bypass": f"hybrid(file={profile}, threshold=1)", **config}
            application = types.SimpleNamespace(source=source, options=options, config=config)
            return runs.results.key(runs.identity(application, changes or {}))

        one = key()
        self.assertEqual(key(), one)
        self.assertEqual(key(os.path.join(trace, "kernelslist.g")), one)
        self.assertEqual(key(changes={"a": 1}), key(a="1"))
        self.assertEqual({key(threads="2"), key(threads="auto"), key(changes={"threads": 3})}, {one})
        others = [key(kernels="1"), key(changes={"a": 1}), key(REUSE), key(os.path.join(trace, "kernel-1.traceg"))]
        os.utime(os.path.join(trace, "kernel-1.traceg"), ns=(1, 1))
        self.write(os.path.join("t", "results.jsonl"), "no part of the trace")
        self.assertEqual(key(), one)
        shutil.copytree(trace, self.path("copy"))
        self.assertEqual(key(self.path("copy")), one)
        with open(os.path.join(trace, "kernel-1.traceg"), "a", encoding="utf-8") as file:
            file.write("\n")
        others.append(key())
        self.write("p", "2")
        others += [key(), key(load=[profile])]
        self.assertEqual(len({one, *others}), 8)


class Command(TemporaryCase):
    def done(self, *arguments, status=0, message=""):
        found = command("tune", *arguments, XDG_CACHE_HOME=self.path("home"))
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        return found.stdout

    def document(self, *arguments):
        return json.loads(self.done(*arguments, "--json", "-"))

    def searches(self, *arguments):
        (application,) = self.document(*arguments)["applications"]
        return application, {each["what"]: each for each in application["searches"]}

    def cycles(self, *arguments):
        found = command("run", REUSE, *SMALL, "--mode", "timed", *arguments, "--json", "-")
        self.assertEqual(found.returncode, 0, found.stderr)
        return json.loads(found.stdout)["total"]["cycles"]

    def test_warps_that_thrash(self):
        application, found = self.searches(REUSE, *SMALL, "--what", "warps", "--exhaustive", "1024")
        steps = {step["number"]: step for step in found["warps"]["steps"]}
        self.assertEqual(sorted(steps), list(range(1, application["warp_max"] + 1)))
        best = min(steps.values(), key=lambda step: (step["cycles"], step["number"]))
        self.assertEqual(found["warps"]["best"], best["number"])
        self.assertLess(best["number"], application["warp_max"])
        self.assertAlmostEqual(found["warps"]["speedup"], steps[max(steps)]["cycles"] / best["cycles"], delta=1e-5)
        self.assertEqual(found["warps"]["settings"], {"sm.warp_limit": str(best["number"])})
        self.assertEqual(best["cycles"], self.cycles("--set", f"sm.warp_limit={best['number']}"))
        self.assertEqual(best["cycles"], self.cycles("--set", f"scheduler=gto + warps(limit={best['number']})"))
        self.assertEqual(steps[max(steps)]["cycles"], self.cycles())
        _, fewer = self.searches(REUSE, *SMALL, "--what", "warps", "--exhaustive", "0")
        self.assertLess(len(fewer["warps"]["steps"]), len(steps))
        self.assertEqual(fewer["warps"]["best"], best["number"])

    def test_everything(self):
        application, found = self.searches(REUSE, *SMALL, "--exhaustive", "0", "--max-cycles", "30000")
        self.assertEqual(list(found), ["warps", "blocks", "pcal"])
        self.assertEqual({step["number"] for step in found["blocks"]["steps"]} & {1, application["block_max"]},
                         {1, application["block_max"]})  # fmt: skip
        best, most = found["warps"]["best"], application["warp_max"]
        steps = {step["number"]: step for step in found["pcal"]["steps"]}
        self.assertEqual((min(steps), max(steps)), (1 - best, most - best))
        # EBTNum 0 is throttling alone (Table 4.3).
        throttled = next(step for step in found["warps"]["steps"] if step["number"] == best)
        self.assertEqual({**steps[0], "number": best}, throttled)
        self.assertGreaterEqual(found["pcal"]["speedup"], found["warps"]["speedup"])
        setting = found["pcal"]["settings"]["scheduler"]
        self.assertEqual(setting, f"gto + pcal(warps={best}, ebt={found['pcal']['best']})")

    def test_tables_and_what_is_kept(self):
        arguments = [write_trace(self.path("t"), (("_Z5twicePfS_", 8),)), *SMALL, "--jobs", "2"]
        first = self.done(*arguments)
        self.assertIn(f"known from {self.path('home', 'gpucache', 'tune.jsonl')}\n", first)
        *tables, count = first.split("runs, 0 of them known")[0].split()
        again = self.done(*arguments)
        self.assertEqual(again, first.replace(f"{count} runs, 0 of", f"{count} runs, {count} of"))
        self.assertRegex(first, r"\nwarps +cycles +IPC +speed-up +L1 hit %\n +1 ")
        self.assertRegex(first, r"\nwarp-opt \d+: --set sm\.warp_limit=\d+\n")
        self.assertRegex(first, r"\nCTA-opt \d+: --set sm\.block_limit=\d+\n")
        self.assertRegex(first, r"\nEBTNum -?\d+: --set 'scheduler=gto \+ pcal\(warps=\d+, ebt=-?\d+\)'\n")
        for line in first.splitlines():
            if "--set" in line:
                done = command("run", *arguments[:-2], "--mode", "timed", *shlex.split(line.partition(": ")[2]))
                self.assertEqual(done.returncode, 0, done.stderr)
        other = self.done(*arguments, "--cache", self.path("elsewhere"), "--pcal", "level=both", "--kernels", "1")
        self.assertIn("level=both)'\n", other)
        self.assertIn(f" 0 of them known from {self.path('elsewhere')}\n", other)

    def test_cache_of_several_at_once(self):
        """Lines of each writer are whole, also after a truncated one."""
        target = self.write("results", '{"key": "cut sh')
        first, second = Results(target), Results(target)
        for number in range(20):
            (first, second)[number % 2].put({"number": number}, {"long": "x" * 10000 * (number % 3)})
        third = Results(target)
        self.assertEqual(len(third.found), 20)
        self.assertEqual(third.get({"number": 7}), {"long": "x" * 10000})
        for each in (first, second, third):
            each.close()
        os.mkfifo(self.path("pipe"))
        with self.assertRaisesRegex(OSError, "this is a pipe"):
            Results(self.path("pipe"))

    def test_bad_input(self):
        trace = write_trace(self.path("t"))
        for arguments, message in (
            ([self.path("none")], "none"),
            ([trace, "--set", "sm.warp_limit=3"], "sm.warp_limit is what this command varies"),
            ([trace, "--set", "sm.block_limit=3"], "sm.block_limit is what this command varies"),
            ([trace, "--set", "scheduler=gto + pcal(ebt=1)"], "the scheduler has pcal already"),
            ([trace, "--pcal", "leaves=1"], "leaves"),
            ([trace, "--cache", self.path("t", "kernel-1.traceg", "x")], "kernel-1.traceg"),
        ):
            with self.subTest(message):
                self.done(*arguments, *SMALL, status=1, message=message)
        self.done(trace, *SMALL, "--what", "warps", "--set", "sm.block_limit=1")
        self.done(trace, *SMALL, "--what", "blocks")
        self.done(trace, "--what", "threads", status=2, message="invalid choice")
        self.done(trace, "--exhaustive", "-1", status=2, message="not a number from 0 on")


class Auto(TemporaryCase):
    def test_dynamic_pcal_from_the_command_line(self):
        """A real trace on both; quoted for a shell."""
        trace = os.path.join(ROOT, "examples", "traces", "conv2d")
        names = {text.name for info in self.context.policies("throttle") if info.name == "pcal" for text in info.texts}
        self.assertIn("ebt", names)
        arguments = shlex.split('--set scheduler="gto + pcal(ebt=auto)"')
        for preset in ("gtx480", "h100"):
            done = command("run", trace, "--preset", preset, "--mode", "timed", "--max-cycles", "20000", *arguments,
                           "--json", "-")  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual(document["config"]["scheduler"], "gto + pcal(ebt=auto)")
            self.assertGreater(document["total"]["warp_instructions"], 0)


if __name__ == "__main__":
    unittest.main()
