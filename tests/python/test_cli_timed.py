# SPDX-License-Identifier: BSD-2-Clause
"""The commands run --mode timed and bottleneck, as processes, and the underlying replay with a clock."""

import json
import math
import os
import signal
import subprocess
import sys
import time
import unittest

from harness import TemporaryCase, below_heading, command, environment, traceg, write_trace

import gpucache
from gpucache import bottleneck as rules

KERNELS = (("_Z5twicePfS_", 4), ("_ZN3net4reluEPf", 6))
STALLS = ("issued", "memory_stalls", "unit_stalls", "load_stalls", "latency_stalls", "barrier_stalls", "throttled",
          "empty")  # fmt: skip


class Commands(TemporaryCase):
    NAME = "run"

    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), KERNELS)

    def done(self, *arguments, status=0, message=""):
        found = command(self.NAME, *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        if not message:
            self.assertEqual(found.stderr, "")
        return found.stdout

    def document(self, *arguments):
        return json.loads(self.done(*arguments, "--json", "-"))


class TimedReplay(TemporaryCase):
    """Through the package."""

    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), KERNELS)

    def replay(self, **options):
        config = gpucache.Config(self.context, preset="gtx480", settings={"mode": "timed"})
        made = gpucache.Replay(self.context, config, **options)
        self.addCleanup(made.close)
        trace = gpucache.Trace(self.context, self.source)
        self.addCleanup(trace.close)
        return made, trace

    def check_series(self, series, stats):
        """The intervals add up to the kernel."""
        for counter in gpucache.counters():
            if counter.kind == "counter" and counter.merge == gpucache.Merge.SUM:
                column = series.column(counter.name)
                if counter.name in stats:
                    self.assertEqual(sum(column), stats[counter.name], counter.name)
                else:  # not measured
                    self.assertEqual(set(column), {None}, counter.name)
        self.assertEqual(series.cycles, sorted(set(series.cycles)))
        steps = {later - earlier for earlier, later in zip(series.cycles[:-2], series.cycles[1:-1])}
        self.assertLessEqual(steps, {series.interval})

    def test_series(self):
        replay, trace = self.replay(sample_interval=50)
        for result in replay.run(trace):
            self.assertGreater(len(result.series), 2)
            self.check_series(result.series, result.stats)
            kernel, stats = result
            self.assertIs(stats, result.stats)
        with self.assertRaisesRegex(KeyError, "no counter 'ips'"):
            result.series.column("ips")

    def test_stream_of_samples(self):
        seen = []
        replay, trace = self.replay(sample_interval=50, on_sample=seen.append)
        result = replay.kernel(trace)
        self.assertIsNone(result.series)
        self.check_series(gpucache.TimeSeries(50, seen), result.stats)

    def test_exception_in_a_sample(self):
        def fail(sample):
            raise ZeroDivisionError

        replay, trace = self.replay(sample_interval=50, on_sample=fail)
        with self.assertRaises(ZeroDivisionError):
            replay.kernel(trace)

    def test_a_sample_may_not_call_into_the_replay(self):
        replay, trace = self.replay(sample_interval=50, on_sample=lambda sample: replay.stats())
        with self.assertRaisesRegex(gpucache.StateError, "a callback may not call"):
            replay.kernel(trace)

    def test_samples_need_an_interval(self):
        with self.assertRaisesRegex(ValueError, "needs a sample_interval"):
            self.replay(on_sample=print)

    def test_what_its_hierarchy_tells(self):
        fills = []
        replay, trace = self.replay()
        replay.hierarchy.set_callbacks(on_fill=lambda level, *_: fills.append(level))
        stats = replay.kernel(trace).stats
        # A separate line, four sectors, for each of 8 warps, loaded twice.
        self.assertEqual(fills.count(1), 8)
        self.assertEqual((stats["l1.load_lines"], stats["l1.fetched_sectors"]), (16, 32))
        self.assertGreaterEqual(replay.hierarchy.now, stats["cycles"])


class Run(Commands):
    def test_table(self):
        heading, lines = below_heading(self.done(self.source, "--mode", "timed", "--preset", "gtx480"))
        self.assertIn("preset gtx480, timed", heading[0])
        header, first, second, rule, total, blank, *legend = lines
        words = header.replace("L1 %", "L1%").replace("L2 %", "L2%").replace("DRAM %", "DRAM%").split()
        self.assertEqual(words, ["kernel", "cycles", "IPC", "L1%", "L2%", "DRAM%", "lat.", "issue", "pipe", "line",
                                 "mshr", "unit", "load", "dep", "bar", "limit", "none"])  # fmt: skip
        self.assertEqual((set(rule), blank), ({"-"}, ""))
        document = self.document(self.source, "--mode", "timed", "--preset", "gtx480")
        for line, name, stats in (
            (first, "twice", document["kernels"][0]["stats"]), (second, "net::relu", document["kernels"][1]["stats"]),
            (total, "total", document["total"]),
        ):  # fmt: skip
            row = dict(zip(words, line.split()))
            self.assertEqual(row["kernel"], name)
            self.assertEqual(row["cycles"], f"{stats['cycles']:,}")
            self.assertAlmostEqual(float(row["IPC"]), stats["warp_instructions"] / stats["cycles"], delta=0.001)
            shares = [float(row[word]) for word in ("issue", "pipe", "unit", "load", "dep", "bar", "limit", "none")]
            self.assertAlmostEqual(sum(shares), 100, delta=0.5)
            self.assertEqual(row["issue"], f"{100 * stats['scheduler.issued'] / stats['scheduler.cycles']:.1f}")
            self.assertEqual(row["none"], f"{100 * stats['scheduler.empty'] / stats['scheduler.cycles']:.1f}")
        for word in words[6:]:
            self.assertRegex("\n".join(legend), rf"\b{word}")

    def test_fits_the_page(self):
        """22 kernels of long names: at most 120 columns and 60 lines."""
        long = write_trace(self.path("long"), [("_Z70" + "a" * 70 + "v", 1 + number % 3) for number in range(22)])
        lines = self.done(long, "--mode", "timed").splitlines()
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertLess(len(lines), 60)

    def test_json_of_threads(self):
        """Only the number itself shows the number of threads."""
        arguments = self.source, "--mode", "timed", "--preset", "gtx480", "--set"
        one, two = (self.document(*arguments, f"threads={count}") for count in (1, 2))
        self.assertEqual([each["config"].pop("threads") for each in (one, two)], ["1", "2"])
        self.assertEqual(one, two)

    def test_json(self):
        document = self.document(self.source, "--mode", "timed", "--preset", "gtx480")
        self.assertEqual(document["config"]["mode"], "timed")
        absent = ("l1.zero_reuse_evictions", "l1.inter_warp_hits", "l1.oracle_decisions", "l1.reorder", "link.",
                  "cluster_network.", "gpu.", "gpu_link.", "l2.constant_", "l2.texture_", "l2.instruction_",
                  "l1.reply_stalls", "tlb.", "stages.", "l1i.", "l15.", "const.", "l1.data_turns", "l1.data_conflicts",
                  "l1.data_waits", "gl1.", "memory_cache.")  # fmt: skip
        names = {counter.name for counter in gpucache.counters() if counter.kind != "ratio"}
        names = {name for name in names if not name.startswith((*absent, "l1.intra_warp", "l1.oracle", "energy.")) and
                 "prefetch" not in name}  # fmt: skip
        energies = {"energy.dram_read", "energy.dram_write", "energy.dynamic", "energy.dynamic_per_instruction"}
        for kernel, (_, blocks) in zip(document["kernels"], KERNELS):
            stats = kernel["stats"]
            self.assertLessEqual(names, set(stats))
            self.assertEqual({name for name in stats if name.startswith("energy.")}, energies)
            self.assertFalse(set(absent) & set(stats), "no link, no cluster, nothing tracked, no host")
            self.assertNotIn("series", kernel)
            # Two warps a block; 5 instructions, 2 loads and 1 store of a line each.
            self.assertEqual(stats["warp_instructions"], 10 * blocks)
            self.assertEqual((stats["accepted"], stats["completed"]), (6 * blocks, 6 * blocks))
            self.assertEqual(stats["load.completed"], 4 * blocks)
            self.assertEqual(sum(stats["load.latency"]), 4 * blocks)
            self.assertEqual(stats["sm.cycles"], 15 * stats["cycles"])
            self.assertEqual(stats["scheduler.cycles"], 30 * stats["cycles"])
            self.assertEqual(sum(stats[f"scheduler.{name}"] for name in STALLS), stats["scheduler.cycles"])
        cycles = sum(kernel["stats"]["cycles"] for kernel in document["kernels"])
        self.assertEqual(document["total"]["cycles"], cycles)

    def test_sampled(self):
        """Estimates with intervals are in the document and the table; counted values are not among the estimates."""
        source = "synthetic:stream:2KiB:turns=10"
        sampled = ("--mode", "timed", "--set", "sm.count=2", "--set", "sample=kernels")
        document = self.document(source, *sampled)
        timed = [kernel["sampling"]["timed_launches"] for kernel in document["kernels"][:16]]
        self.assertEqual(timed, 12 * [1] + 4 * [0])
        self.assertEqual(document["kernels"][0]["sampling"]["estimates"], {})
        last = next(kernel for kernel in document["kernels"][::-1] if not kernel["sampling"]["timed_launches"])
        cycles = last["sampling"]["estimates"]["cycles"]
        self.assertAlmostEqual(cycles["value"], last["stats"]["cycles"], delta=0.5)
        self.assertLessEqual(cycles["low"], cycles["value"])
        self.assertNotIn("warp_instructions", last["sampling"]["estimates"])
        (whole,) = document["sampling"]
        self.assertEqual((whole["launches"], whole["group"], whole["confidence"]), (40, 4, 0.95))
        self.assertLess(abs(whole["estimates"]["cycles"]["value"] / document["total"]["cycles"] - 1), 0.03)
        table = self.done(source, *sampled)
        self.assertRegex(table, r"all of synthetic:stream:\S+ +\d+/40 ")
        self.done(source, *sampled, "--per", "sm", status=1, message="values by object with sample = kernels")
        self.done(source, "--set", "sample=kernels", status=1, message="sample = kernels needs mode = timed")
        self.assertNotIn("sampling", self.document(self.source, "--mode", "timed"))

    def test_time_series(self):
        document = self.document(self.source, "--mode", "timed", "--preset", "gtx480", "--sample", "100")
        names = [counter.name for counter in gpucache.counters() if counter.kind != "histogram"]
        for kernel in document["kernels"]:
            series = kernel["series"]
            self.assertEqual((series["interval"], list(series["values"])), (100, names))
            for column in series["values"].values():
                self.assertEqual(len(column), len(series["cycle"]))
            for name in ("warp_instructions", "cycles", "scheduler.issued", "load.completed"):
                self.assertEqual(sum(series["values"][name]), kernel["stats"][name], name)
            for ipc, instructions, cycles in zip(*(
                series["values"][name] for name in ("ipc", "warp_instructions", "cycles")
            )):  # fmt: skip
                self.assertAlmostEqual(ipc, instructions / cycles)

    def test_csv(self):
        header, first, second = self.done(self.source, "--mode", "timed", "--csv", "-").splitlines()
        self.assertIn(",cycles,", header)
        self.assertEqual(first.count(","), header.count(","))

    def test_mode_of_the_configuration(self):
        named = self.document(self.source, "--mode", "timed")
        self.assertEqual(self.document(self.source, "--set", "mode=timed"), named)
        self.assertIn("cycles", below_heading(self.done(self.source, "--set", "mode=timed"))[1][0])
        functional = self.document(self.source, "--set", "mode=timed", "--mode", "functional")
        self.assertEqual(functional, self.document(self.source))
        self.assertNotIn("cycles", functional["total"])

    def test_limits(self):
        whole = self.document(self.source, "--mode", "timed")
        cut = self.document(self.source, "--mode", "timed", "--max-cycles", "40")
        self.assertEqual(cut["config"]["limit.cycles"], "40")
        for kernel, full in zip(cut["kernels"], whole["kernels"]):
            self.assertLess(kernel["stats"]["warp_instructions"], full["stats"]["warp_instructions"])
        for mode, full in (("timed", whole), ("functional", self.document(self.source))):
            cut = self.document(self.source, "--mode", mode, "--max-instructions", "7")
            for kernel, all_of_it in zip(cut["kernels"], full["kernels"]):
                self.assertGreaterEqual(kernel["stats"]["warp_instructions"], 7)
                self.assertLess(kernel["stats"]["warp_instructions"], all_of_it["stats"]["warp_instructions"] / 2)

    def test_bad_input(self):
        timed = [self.source, "--mode", "timed"]
        broken = self.write("broken.traceg", traceg() + "nonsense\n")
        for arguments, message in (
            ([self.source, "--max-cycles", "9"], "--max-cycles needs a clock: --mode timed"),
            ([self.source, "--sample", "9", "--json", "-"], "--sample needs a clock: --mode timed"),
            ([*timed, "--max-cycles", "many"], "limit.cycles"),
            ([*timed, "--set", "l1.mshr_entries=0"], "l1.mshr_entries"),
            ([*timed, "--set", "scheduler=gtto"], "gto"),
            ([broken, "--mode", "timed"], "broken.traceg:"),
            ([self.path("none"), "--mode", "timed"], "none"),
        ):
            with self.subTest(message):
                self.assertEqual(self.done(*arguments, status=1, message=message), "")

    def test_usage(self):
        for arguments, message in (
            (["x", "--mode", "fast"], "invalid choice: 'fast'"),
            (["x", "--mode", "timed", "--sample", "0", "--json", "-"], "'0' is not a number of cycles"),
            (["x", "--mode", "timed", "--sample", "a", "--json", "-"], "'a' is not a number of cycles"),
            (["x", "--mode", "timed", "--sample", "100"], "--sample goes to the file of --json"),
        ):
            with self.subTest(message):
                self.assertEqual(self.done(*arguments, status=2, message=message), "")


class Bottleneck(Commands):
    NAME = "bottleneck"
    # Each warp reads a small private array again and again: more warps thrash an L1 that holds the arrays of a few.
    REUSE = "synthetic:warp-reuse:64KiB"

    def test_reuse_that_more_warps_thrash(self):
        document = self.document(self.REUSE, "--preset", "gtx480", "--set", "sm.count=2", "--warps", "1,2,4,6,8,10,14")
        (application,) = document["applications"]
        steps = {step["warps"]: step for step in application["steps"]}
        self.assertEqual(max(steps), application["warp_max"])
        best = max(steps.values(), key=lambda step: step["throughput"])
        self.assertEqual(best["warps"], application["warp_opt"])
        self.assertEqual(application["beyond"], min(warps for warps in steps if warps > best["warps"]))
        self.assertAlmostEqual(application["speedup"], best["throughput"] / steps[max(steps)]["throughput"], delta=1e-5)
        # Two schedulers of one warp fit; ten schedulers' warps do not, and the miss ratio shows the difference.
        self.assertGreater(steps[max(steps)]["l1_miss_ratio"], 2 * steps[1]["l1_miss_ratio"])
        self.assertTrue(application["bottlenecks"]["L1Thrash"])
        self.assertFalse(application["bottlenecks"]["ParStrv"])
        again = rules.identify([
            rules.step_of(warps, step["stats"]) for warps, step in steps.items()
        ])  # fmt: skip
        self.assertEqual(rules.found(again), application["bottlenecks"])

    def test_metrics_are_the_counters(self):
        document = self.document(self.source, "--preset", "gtx480", "--set", "sm.count=2", "--warps", "1")
        for step in document["applications"][0]["steps"]:
            stats = step["stats"]
            self.assertAlmostEqual(step["throughput"], stats["warp_instructions"] / stats["cycles"])
            latency = sum(stats[f"network.{way}_cycles"] / stats[f"network.{packets}"]
                          for way, packets in (("request", "requests"), ("reply", "replies")))  # fmt: skip
            self.assertAlmostEqual(step["network_latency"], latency)
            self.assertAlmostEqual(step["dram_utilisation"], stats["dram.busy_cycles"] / stats["dram.cycles"])
            self.assertAlmostEqual(step["round_trip"], stats["round_trip.cycles"] / stats["round_trip.requests"])

    def test_tables(self):
        out = self.done(self.source, self.REUSE, "--preset", "gtx480", "--set", "sm.count=2", "--warps", "1,2")
        heading, lines = below_heading(out)
        self.assertIn("preset gtx480, timed", heading[0])
        self.assertIn("settings: sm.count = 2", heading)
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertTrue(lines[0].startswith("t: warp-max 3, warp-opt "), lines[0])
        (summary,) = (number for number, line in enumerate(lines) if line.startswith("Application"))
        self.assertEqual(lines[summary].split(), ["Application", "warp-max", "warp-opt", "Speedup", *rules.BOTTLENECKS])
        self.assertEqual([line.split()[0] for line in lines[summary + 1:summary + 3]], ["t", self.REUSE])
        for line in lines[summary + 1:summary + 3]:
            self.assertLessEqual(set(line.split()[4:]), {"Y"})

    def test_warps_that_fit(self):
        """6 blocks of 2 warps on 15 SMs: a block, and so a warp a scheduler. On 2 SMs: 3 blocks, 6 warps, 3 each."""
        self.assertEqual(self.document(self.source, "--preset", "gtx480")["applications"][0]["warp_max"], 1)
        document = self.document(self.source, "--preset", "gtx480", "--set", "sm.count=2")
        self.assertEqual([step["warps"] for step in document["applications"][0]["steps"]], [1, 2, 3])

    def test_one_kernel(self):
        document = self.document(self.source, "--preset", "gtx480", "--set", "sm.count=2", "--kernels", "2")
        (application,) = document["applications"]
        self.assertEqual((application["name"], application["kernels"]), ("t:2 net::relu", "2"))
        for step in application["steps"]:
            self.assertEqual((step["stats"]["kernels"], step["stats"]["blocks"]), (1, 6))

    def test_jobs_make_no_difference(self):
        arguments = [self.REUSE, "--preset", "gtx480", "--warps", "1,4,8"]
        one, three = (self.document(*arguments, "--jobs", jobs) for jobs in ("1", "3"))
        self.assertEqual(one, three)

    def test_file(self):
        target = self.path("out.json")
        self.assertIn("Application", self.done(self.source, "--warps", "1", "--json", target))
        with open(target, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(list(document), ["schema", "version", "preset", "mode", "traces", "settings", "config", "thresholds",
                                          "applications"])  # fmt: skip
        self.assertEqual(document["config"]["mode"], "timed")
        self.assertEqual(document["thresholds"]["rise"], 0.3)
        self.assertTrue(all(math.isfinite(step["throughput"]) for step in document["applications"][0]["steps"]))

    def test_bad_input(self):
        broken = self.write("broken.traceg", traceg() + "nonsense\n")
        for arguments, message in (
            ([self.path("none")], "none"),
            ([broken], "broken.traceg:"),
            ([self.source, "--kernels", "3"], 'kernels "3": '),
            ([self.source, "--set", "sm.warp_limit=3"], "sm.warp_limit is what this command varies"),
            ([self.source, "--preset", "gtx48"], "gtx480"),
            ([self.source, "--set", "dram.channels=0"], "dram.channels"),
            ([self.source, "--max-cycles", "x"], "limit.cycles"),
            ([self.source, "--json", self.path("no", "out.json")], "out.json: No such file or directory"),
        ):
            with self.subTest(message):
                self.assertEqual(self.done(*arguments, status=1, message=message), "")
        self.assertEqual(sorted(os.listdir(self.folder)), ["broken.traceg", "t"])

    def test_usage(self):
        for arguments, message in (
            ([], "TRACE"), (["x", "--warps", "1,b"], "'1,b' is not a list of numbers"),
            (["x", "--warps", "0"], "'0': numbers of warps are from 1"),
            (["x", "--warps", "1,2000"], "from 1 to 1024"),
            (["x", "--jobs", "0"], "'0' is not a number from 1 on"),
        ):  # fmt: skip
            with self.subTest(message):
                self.assertEqual(self.done(*arguments, status=2, message=message), "")

    def test_control_c(self):
        target = self.path("out.json")
        process = subprocess.Popen(
            [sys.executable, "-m", "gpucache", "bottleneck", "synthetic:stream:1GiB", "--json", target],
            env=environment(), start_new_session=True, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        self.addCleanup(process.stderr.close)
        deadline = time.monotonic() + 60
        while not any(name.endswith(".part") for name in os.listdir(self.folder)) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(120)
        finally:
            process.kill()
        self.assertEqual((process.returncode, process.stderr.read()), (130, "gpucache: interrupted\n"))
        self.assertEqual(os.listdir(self.folder), ["t"])


if __name__ == "__main__":
    unittest.main()
