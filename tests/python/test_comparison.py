# SPDX-License-Identifier: BSD-2-Clause
"""compare(): policies on traces, in this process and in several."""

import csv
import io
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
import unittest

from harness import TemporaryCase, below_heading, command, environment, python, write_trace

import gpucache
from gpucache import comparison, repeats

FULL = os.environ.get("GPUCACHE_TESTS") != "quick"

THRASH = "synthetic:warp-reuse:512KiB"


class Keep(gpucache.ReplacementPolicy):
    """The first lines stay."""

    name = "keep"

    def choose_victim(self, set, candidates, request):
        return gpucache.BYPASS_WAY


class Never(gpucache.Predictor):
    name = "never"

    def predict(self, set, request):
        return gpucache.Decision.BYPASS


class Broken(gpucache.ReplacementPolicy):
    name = "broken"

    def choose_victim(self, set, candidates, request):
        raise ArithmeticError("no victim")


class Comparing(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4), ("_Z5oncePf", 6)))

    def test_values_are_those_of_a_replay(self):
        found = gpucache.compare(["lru", "fifo"], [self.source, THRASH], "gtx480")
        self.assertEqual([(row.policy, row.trace) for row in found], [
            ("lru", "t"), ("fifo", "t"), ("lru", THRASH[10:]), ("fifo", THRASH[10:]),
        ])  # fmt: skip
        for row, (name, source) in zip(found, (("lru", self.source), ("fifo", self.source), ("lru", THRASH),
                                               ("fifo", THRASH))):  # fmt: skip
            config = gpucache.Config(self.context, "gtx480", {"l1.replacement": name})
            with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, source) as trace:
                stats = sum((result.stats for result in replay.run(trace)), gpucache.Stats())
            self.assertEqual(row.stats, stats)
            self.assertEqual(row.values, {name: stats.get(name) for name in comparison.FUNCTIONAL})
        self.assertEqual((found.policies, found.traces), (["lru", "fifo"], ["t", THRASH[10:]]))

    def test_relative_figures(self):
        found = gpucache.compare(["lru", Keep, "gto", "lrr"], [THRASH, self.source], mode="timed")
        for trace in found.traces:
            first = found.row("lru", trace)
            for policy in found.policies:
                row = found.row(policy, trace)
                self.assertEqual(row.speedup, first.stats["cycles"] / row.stats["cycles"])
                self.assertEqual(row.traffic, row.stats["l2.read_sectors"] / first.stats["l2.read_sectors"])
        self.assertEqual(found.row("gto", "t").stats, found.row("lru", "t").stats)  # the preset's value
        for mean in found.means:
            rows = [row for row in found if row.policy == mean.policy]
            self.assertAlmostEqual(mean.speedup, math.sqrt(rows[0].speedup * rows[1].speedup))
            self.assertAlmostEqual(mean.traffic, math.sqrt(rows[0].traffic * rows[1].traffic))

    def test_a_name_of_several_kinds_is_refused(self):
        kinds = {"replacement": "l1.replacement", "predictor": "l1.bypass", "scheduler": "scheduler",
                 "prefetcher": "l1.prefetcher"}  # fmt: skip
        of = {}
        for kind in kinds:
            for info in self.context.policies(kind):
                of.setdefault(info.name, []).append(kind)
        several = {name: found for name, found in of.items() if len(found) > 1}
        self.assertLessEqual({"sdbp", "counter-based", "rpr", "vote"}, set(several))
        for name, found in several.items():
            with self.assertRaises(gpucache.ArgumentError) as raised:
                gpucache.compare(["lru", name], [THRASH])
            for kind in found:
                self.assertIn(f"'{kinds[kind]}={name}'", str(raised.exception))
        done = command("compare", THRASH, "--policies", "lru,vote(lru, mru)", "--level", "l2")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("'vote' is a replacement policy and a predictor: say 'l2.replacement=vote(lru, mru)' or "
                      "'l2.bypass=vote(lru, mru)'", done.stderr)  # fmt: skip
        found = gpucache.compare(["l1.replacement=sdbp", "l1.bypass=sdbp"], [self.source], "gtx480", jobs=1)
        self.assertEqual(found.policies, ["l1.replacement=sdbp", "l1.bypass=sdbp"])

    def test_a_class_is_of_its_kind_whatever_its_name(self):
        class Same(Never):
            name = "keep"

        found = gpucache.compare({"stays": Keep, "passes": Same}, [THRASH], "gtx480", jobs=1, register=[Keep])
        self.assertEqual([row.stats["l1.bypasses"] > 0 for row in found], [True, True])
        self.assertEqual(found[1].stats["l1.load_sector_hits"], 0)
        with self.assertRaisesRegex(gpucache.ArgumentError, "'keep' is a replacement policy and a predictor"):
            gpucache.compare(["keep"], [THRASH], jobs=1, register=[Keep, Same])

        class Less(gpucache.Throttle):
            def classify(self, view, classes):
                pass

        with self.assertRaisesRegex(gpucache.ArgumentError, "less is a throttle: .* 'gto . less'"):
            gpucache.compare([Less], [THRASH])

    def test_processes_change_nothing(self):
        class Local(Keep):  # a name that no other process could import
            name = "local"

        policies = ["lru", Local, {"l1.replacement": Keep, "l1.bypass": Never}]
        serial, parallel = (gpucache.compare(policies, [THRASH, self.source], jobs=jobs) for jobs in (1, 3))
        self.assertEqual(serial, parallel)
        self.assertEqual(str(serial), str(parallel))

    def test_which_key_a_policy_is_for(self):
        def bypasses(policy, **options):
            row = gpucache.compare([policy], [THRASH], jobs=1, settings={"l1.bypass": "always-cache"}, **options)[0]
            return row.stats["l1.bypasses"]

        self.assertEqual(bypasses("lru"), 0)
        always = bypasses("always-bypass")
        self.assertGreater(always, 0)
        for policy in (Never, "l1.bypass=never", {"l1.bypass": Never}, "l1.bypass = never"):
            self.assertEqual(bypasses(policy, register=[Never]), always)
        self.assertEqual(bypasses("always-bypass", level="l2"), 0)
        self.assertEqual(gpucache.compare([Keep], [THRASH], jobs=1)[0].stats,
                         gpucache.compare(["keep"], [THRASH], jobs=1, register=[Keep])[0].stats)  # fmt: skip

    def test_labels(self):
        policies = {"a": "lru", "b": {"l1.replacement": "lru", "l1.size": "32KiB"}}
        found = gpucache.compare(policies, [THRASH], "gtx480", metrics=["l1.load_sectors"])
        self.assertEqual([(row.policy, list(row.values)) for row in found],
                         [("a", ["l1.load_sectors"]), ("b", ["l1.load_sectors"])])  # fmt: skip
        self.assertNotEqual(found[0].stats, found[1].stats)
        named = gpucache.compare([Keep, {"l1.replacement": Keep, "l1.bypass": "hint"}], [self.source])
        self.assertEqual(named.policies, ["keep", "keep, hint"])
        with self.assertRaisesRegex(ValueError, "two policies 'lru'"):
            gpucache.compare(["lru", "lru"], [THRASH])

    def test_text(self):
        text = str(gpucache.compare(["lru", "fifo"], [self.source, THRASH], mode="timed"))
        heading, lines = below_heading(text)
        self.assertEqual(heading, [f"gpucache {gpucache.version()}, preset h100, timed"])
        self.assertEqual(lines[0].split(), ["trace", "policy", *comparison.TIMED, "traffic", "speed-up"])
        first = [line.split()[0] for line in lines[1:]]
        self.assertEqual(first, ["t", "fifo", THRASH[10:], "fifo", "geometric", "fifo", "equal"])
        self.assertEqual(lines[1].split()[-2:], ["1.000", "1.000"])
        self.assertNotIn("speed-up", str(gpucache.compare(["lru"], [self.source])))

    def test_what_is_not_measured(self):
        """An unmeasured value is not 0: in a table -, in CSV and values nothing."""
        found = gpucache.compare(["lru"], [THRASH], metrics=["l1.load_miss_ratio", "cycles", "l1.load_sectors"])
        values = found[0].values
        self.assertEqual((values["l1.load_miss_ratio"], values["cycles"]), (None, None))
        self.assertGreater(values["l1.load_sectors"], 0)
        self.assertEqual(str(found).splitlines()[3].split()[2:4], ["-", "-"])
        timed = gpucache.compare(["lru"], [THRASH], mode="timed", metrics=["l1.load_miss_ratio"])
        self.assertGreater(timed[0].values["l1.load_miss_ratio"], 0)

    def test_counters_of_policies(self):
        selector, mine = "l1.replacement.dip.selector", "l1.replacement.keeper.asked"

        class Keeper(Keep):
            name = "keeper"

            def __init__(self, env):
                self.asked = 0

            def choose_victim(self, set, candidates, request):
                self.asked += 1
                return gpucache.BYPASS_WAY

            def counters(self):
                return {"asked": self.asked}

        found = gpucache.compare(["lru", "dip", Keeper], [THRASH], "gtx480", metrics=[selector, mine])
        self.assertEqual(found.row("lru", THRASH[10:]).values, {selector: None, mine: None})
        dip, keeper = (found.row(name, THRASH[10:]) for name in ("dip", "keeper"))
        self.assertEqual(dip.values[selector], dip.policies[selector].value)
        self.assertTrue(dip.policies[selector].level)
        self.assertEqual(dip.policies[selector].instances, 15)
        # Every miss in a full set asks, and bypasses.
        self.assertEqual(keeper.values[mine], keeper.stats["l1.bypasses"])
        self.assertGreater(keeper.values[mine], 0)
        with self.assertRaisesRegex(gpucache.NotFoundError, "no counter 'l1.replacement.dip.nothing'; .*dip.selector"):
            gpucache.compare(["dip"], [THRASH], metrics=["l1.replacement.dip.nothing"])

    def test_nothing_to_compare(self):
        self.assertEqual(gpucache.compare([], [THRASH]), [])
        self.assertEqual(gpucache.compare(["lru"], []), [])
        empty = gpucache.compare(["lru"], ["synthetic:chase:1KiB"], settings={"l2.enabled": False})[0]
        self.assertIsNone(empty.traffic)
        self.assertIsNone(comparison.geometric_mean([None, 0]))
        self.assertAlmostEqual(comparison.geometric_mean([2, None, 8]), 4)

    def test_refusals(self):
        for arguments, error, message in (
            ((["lur"], [THRASH]), gpucache.NotFoundError, "'lur'"),
            ((["lru(x=1)"], [THRASH]), gpucache.GpucacheError, "lru"),
            ((["l1.sise=3"], [THRASH]), gpucache.NotFoundError, "l1.size"),
            ((["lru", "fifo"], [self.path("none")]), gpucache.GpucacheError, "none"),
            (([Broken, "lru"], [THRASH], "gtx480"), ArithmeticError, "no victim"),
            ((["lru"], [THRASH], "h10"), gpucache.NotFoundError, "h100"),
        ):
            for jobs in (1, 2):
                with self.subTest(message, jobs=jobs), self.assertRaisesRegex(error, message):
                    gpucache.compare(*arguments, jobs=jobs)
        with self.assertRaisesRegex(gpucache.NotFoundError, "no counter 'hits'"):
            gpucache.compare(["lru"], [THRASH], metrics=["hits"])

    def test_errors_and_stats_cross_processes(self):
        error = pickle.loads(pickle.dumps(gpucache.FormatError(gpucache.Status.ERROR_FORMAT, "line 3")))
        self.assertEqual((type(error), error.status, error.message, str(error)),
                         (gpucache.FormatError, gpucache.Status.ERROR_FORMAT, "line 3", "line 3"))  # fmt: skip
        stats = gpucache.compare(["lru"], [THRASH], jobs=1)[0].stats
        again = pickle.loads(pickle.dumps(stats))
        self.assertEqual((again, again.json()), (stats, stats.json()))
        self.assertEqual((again + stats)["l1.load_sectors"], 2 * stats["l1.load_sectors"])

    def test_of_a_script(self):
        script = self.write("mine.py", (
            "import gpucache\n"
            "class Mine(gpucache.ReplacementPolicy):\n"
            "    def choose_victim(self, set, candidates, request):\n"
            "        return candidates[0]\n"
            f"print(gpucache.compare(['lru', Mine], ['{THRASH}', {self.source!r}]))\n"
        ))  # fmt: skip
        found = python(script)
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertIn("mine", found.stdout)
        self.assertEqual(os.listdir(self.folder).count("mine.py"), 1)

    def test_names_of_traces(self):
        again = write_trace(self.path("other", "t"))
        self.assertEqual(gpucache.compare(["lru"], [self.source, THRASH]).traces, ["t", THRASH[10:]])
        self.assertEqual(gpucache.compare(["lru"], [self.source, again]).traces, [self.source, again])

    def test_progress(self):
        for jobs in (1, 2):
            seen = []
            gpucache.compare(["lru", "fifo"], [self.source], jobs=jobs, on_progress=lambda *done: seen.append(done))
            self.assertEqual(seen, [(1, 2), (2, 2)])


class Repeats(TemporaryCase):
    """Perturbed repetitions, and what they say about a difference."""

    SETTINGS = {"sm.count": 2}

    def test_interval(self):
        """The example of repeats.py, by hand: Welch's interval with a degree of freedom."""
        found = repeats.speedup([((100, 102), (90, 91))])
        logs = [[math.log(each) for each in pair] for pair in ((100, 102), (90, 91))]
        variances = [(pair[1] - pair[0]) ** 2 / 4 for pair in logs]
        reach = 12.706 * math.sqrt(sum(variances))
        self.assertAlmostEqual(found.value, math.sqrt(100 * 102 / 90 / 91))
        self.assertAlmostEqual(found.low, found.value * math.exp(-reach))
        self.assertAlmostEqual(found.high, found.value * math.exp(reach))
        self.assertFalse(found.significant)
        self.assertTrue(repeats.speedup([((100, 102, 101), (90, 91, 90))]).significant)

    def test_two_traces_halve_the_logarithms(self):
        one, other = ((100, 102), (90, 91)), ((50, 51), (60, 61))
        both = repeats.speedup([one, other])
        self.assertAlmostEqual(both.value, math.sqrt(repeats.speedup([one]).value * repeats.speedup([other]).value))

    def test_draws_are_stated_and_differ(self):
        with gpucache.Config(self.context, "gtx480") as config:
            draws = [repeats.draw(config, 0, "lru", "trace", turn) for turn in range(50)]
            self.assertEqual(draws[0], repeats.draw(config, 0, "lru", "trace", 0))
            self.assertNotEqual(draws[0], repeats.draw(config, 1, "lru", "trace", 0))
            for key in repeats.KEYS:
                added = {settings[key] - config.number(key) for settings, _ in draws}
                self.assertEqual(added, set(range(repeats.JITTER + 1)))

    def test_rows(self):
        found = gpucache.compare(["lru", "drrip"], [THRASH], "gtx480", mode="timed", settings=self.SETTINGS, repeat=3)
        base, row = found
        self.assertIsNone(base.interval)
        self.assertEqual([len(base.repeats), len(row.repeats)], [3, 3])
        self.assertGreater(len({*base.repeats, *row.repeats}), 3)
        self.assertEqual(row.interval, repeats.speedup([(base.repeats, row.repeats)]))
        self.assertAlmostEqual(row.values["cycles"], sum(row.repeats) / 3)
        self.assertEqual(found.means[1].interval, row.interval)
        self.assertIn(f"{row.interval.low:.3f} to {row.interval.high:.3f}", str(found))
        again = gpucache.compare(["lru", "drrip"], [THRASH], "gtx480", mode="timed", settings=self.SETTINGS, repeat=3, jobs=1)
        self.assertEqual([each.repeats for each in again], [base.repeats, row.repeats])

    def test_a_policy_does_not_differ_from_itself(self):
        """LRU against LRU, five runs each: at most 5 of 100 comparisons are significant."""
        count = 100 if FULL else 20
        labels = {f"{side} {number}": "lru" for number in range(count) for side in ("one", "other")}
        found = list(gpucache.compare(labels, ["synthetic:warp-reuse:64KiB"], "gtx480", mode="timed",
                                      settings=self.SETTINGS, repeat=5))  # fmt: skip
        wrong = [repeats.speedup([(one.repeats, other.repeats)]).significant for one, other in zip(found[::2], found[1::2])]
        self.assertLessEqual(sum(wrong), count // 20)

    def test_refusals(self):
        for arguments in ({"repeat": 2}, {"repeat": 0, "mode": "timed"}):
            with self.assertRaisesRegex(ValueError, "repeat="):
                gpucache.compare(["lru"], [THRASH], "gtx480", **arguments)
        done = command("compare", THRASH, "--policies", "lru", "--repeat", "2")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--mode timed", done.stderr)

    def test_command(self):
        few = THRASH, "--preset", "gtx480", "--set", "sm.count=2", "--mode", "timed", "--repeat", "3", "--seed", "7"
        done = command("compare", *few, "--policies", "lru", "--policies", "own:=lru,replacement:sdbp", "--json",
                       self.path("a.json"), "--csv", self.path("a.csv"))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("a.json"), encoding="utf-8") as file:
            runs = json.load(file)["runs"]
        self.assertEqual([run["policy"] for run in runs], ["lru", "own", "replacement:sdbp"])
        self.assertEqual([len(run["cycles"]) for run in runs], [3, 3, 3])
        self.assertEqual(["interval" in run for run in runs], [False, True, True])
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(float(rows[1]["speedup_low"]), runs[1]["interval"]["low"])
        self.assertRegex(done.stdout, r"(?m) own .* \d\.\d{3} to \d\.\d{3}")


class Forms(TemporaryCase):
    def test_markdown_and_latex(self):
        found = gpucache.compare(["lru", "fifo"], [THRASH], "gtx480")
        lines = found.markdown().splitlines()
        self.assertEqual(lines[1], "| :-- | :-- | --: | --: | --: | --: |")
        self.assertEqual({line.count("|") for line in lines}, {7})
        text = found.latex()
        self.assertIn(r"l1.load\_hit\_rate & l2.read\_sectors", text)
        self.assertEqual(text.count(r" \\"), 1 + len(found) + len(found.means))
        for option, form in (("--markdown", found.markdown()), ("--latex", text)):
            done = command("compare", THRASH, "--policies", "lru,fifo", "--preset", "gtx480", option)
            self.assertEqual(done.stdout, form + "\n")

    def test_policies_without_effect_are_named(self):
        """A warp scheduler without a clock changes no counter."""
        found = gpucache.compare(["lru", "gto", "mru"], [THRASH], "gtx480")
        self.assertEqual(found.alike, ["gto"])
        self.assertIn("\nequal to lru in every counter: gto", str(found))

    def test_equal_labels_are_refused(self):
        for arguments in (("lru,lru",), ("lru", "--policies", "lru")):
            done = command("compare", THRASH, "--policies", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("'lru' twice; LABEL:=POLICY tells two apart", done.stderr)


class Command(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"))

    def done(self, *arguments, status=0, message=""):
        found = command("compare", self.source, *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertIn(message, found.stderr)
        if not message:
            self.assertEqual(found.stderr, "")
        return found.stdout

    def test_is_the_function(self):
        policies = "lru,two-level(group=2),l1.replacement=nru(random=1)+l1.bypass=always-bypass, l1.ways=8"
        arguments = [THRASH, "--policies", policies, "--mode", "timed"]
        expected = gpucache.compare({
            "lru": "lru", "two-level(group=2)": "scheduler=two-level(group=2)",
            "l1.replacement=nru(random=1)+l1.bypass=always-bypass": {
                "l1.replacement": "nru(random=1)", "l1.bypass": "always-bypass",
            },
            "l1.ways=8": "l1.ways=8",
        }, [self.source, THRASH], mode="timed")  # fmt: skip
        self.assertEqual(self.done(*arguments), f"{expected}\n")
        document = json.loads(self.done(*arguments, "--json", "-"))
        self.assertEqual([(run["policy"], run["trace"], run["speedup"], run["stats"]) for run in document["runs"]],
                         [(row.policy, row.trace, row.speedup, json.loads(row.stats.json())) for row in expected])
        self.assertEqual(document["geometric_means"], [dict(list(mean._asdict().items())[:3]) for mean in expected.means])
        rows = list(csv.DictReader(io.StringIO(self.done(*arguments, "--csv", "-", "--metrics", "ipc,cycles"))))
        self.assertEqual([float(row["ipc"]) for row in rows], [row.stats["ipc"] for row in expected])
        self.assertEqual(list(rows[0]), ["trace", "policy", "version", "preset", "mode", "settings", "ipc", "cycles", "traffic",
                                          "speedup", "error"])  # fmt: skip

    def test_configuration(self):
        arguments = ["--policies", "lru", "--set", "l1.enabled=false", "--metrics", "l2.read_sectors", "--csv", "-"]
        always = self.done(*arguments)
        expected = f"t,lru,{gpucache.version()},h100,functional,l1.enabled = false,64,1.0,,"
        self.assertEqual(always.splitlines()[1:], [expected])  # 4 blocks, 2 warps, 2 loads of 4 sectors

    def test_refusals(self):
        for arguments, status, message in (
            ([], 2, "--policies"),
            (["--policies", ","], 2, "there is no name in it"),
            (["--policies", "lur"], 1, "'lur'"),
            (["--policies", "lru,l1.sise=3"], 1, "l1.size"),
            (["--policies", "lru", "--metrics", "hits"], 1, "no counter 'hits'"),
            (["--policies", "lru", "--json", "-", "--csv", "-"], 1, "cannot both print"),
        ):
            with self.subTest(message):
                self.assertEqual(self.done(*arguments, status=status, message=message), "")

    def test_what_is_done_is_kept(self):
        for jobs in ("1", "2"):
            out = self.done(self.path("none"), "--policies", "lru,fifo", "--jobs", jobs, "--json", self.path("out.json"),
                            status=1, message="2 of 4 runs failed\n")  # fmt: skip
            self.assertRegex(out, r"\nt +lru +0\.\d+ ")
            self.assertRegex(out, r"none +lru +failed ")
            self.assertRegex(out, r"\nfailed:\n\S+none: ")
            with open(self.path("out.json"), encoding="utf-8") as file:
                runs = json.load(file)["runs"]
            self.assertEqual([(run["policy"], run["trace"], "error" in run) for run in runs],
                             [("lru", "t", False), ("fifo", "t", False), ("lru", self.path("none"), True),
                              ("fifo", self.path("none"), True)])  # fmt: skip
        only = command("compare", self.path("none"), "--policies", "lru")
        self.assertEqual((only.returncode, only.stdout), (1, ""))

    def test_interruption_keeps_what_is_done(self):
        arguments = ["compare", self.source, "synthetic:stream:512MiB", "--policies", "lru", "--jobs", "1"]
        process = subprocess.Popen(
            [sys.executable, "-m", "gpucache", *arguments], env=environment(), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)
        self.assertEqual((process.returncode, error), (130, "gpucache: interrupted\n"))
        self.assertRegex(out, r"\nt +lru +0\.\d+ ")
        self.assertIn("stream:512MiB, lru: not run", out)

    def test_interruption(self):
        """Kill the parent alone: the workers end with the parent."""
        arguments = ["compare", *["synthetic:stream:64MiB"] * 4, "--policies", "lru,fifo", "--jobs", "2"]
        process = subprocess.Popen(
            [sys.executable, "-m", "gpucache", *arguments], env=environment(), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        time.sleep(2)  # in the middle of the runs
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)  # open while a worker holds an end of the pipes
        self.assertEqual((process.returncode, out, error), (130, "", "gpucache: interrupted\n"))


if __name__ == "__main__":
    unittest.main()
