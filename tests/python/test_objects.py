# SPDX-License-Identifier: BSD-2-Clause
"""Values by object: of hierarchies, of replays, and run --per."""

import csv
import json
import pathlib
import unittest

from harness import TemporaryCase, command, traceg

import gpucache
from gpucache.cli.objects import KINDS
from gpucache.stats import counters_of_object

SOURCE = "synthetic:bicg:32KiB"


class Replays(unittest.TestCase):
    def replayed(self, **settings):
        context = gpucache.Context()
        self.addCleanup(context.close)
        config = gpucache.Config(context, preset="kepler")
        for key, value in settings.items():
            config[key] = value
        replay = gpucache.Replay(context, config)
        self.addCleanup(replay.close)
        replay.keep_objects()
        with gpucache.Trace(context, SOURCE) as trace:
            return replay, replay.kernel(trace)

    def test_sums_are_the_kernel_s(self):
        replay, result = self.replayed(mode="timed")
        for kind in (gpucache.Object.SM, gpucache.Object.SLICE, gpucache.Object.CHANNEL):
            found = replay.objects(kind)
            self.assertEqual(list(found), replay.hierarchy.object_names(kind))
            held = set.union(*map(set, found.values())) & {counter.name for counter in gpucache.counters()}
            self.assertGreater(len(held), 8)
            for name in held:
                total = [values[name] for values in found.values()]
                total = [sum(bucket) for bucket in zip(*total)] if isinstance(total[0], list) else sum(total)
                self.assertEqual(total, result.stats[name], name)
            self.assertEqual("load.latency" in held, kind == gpucache.Object.SM)
        whole = replay.objects("whole")["whole"]
        self.assertEqual(whole["load.latency"], result.stats["load.latency"])
        self.assertEqual(whole["cycles"], result.stats["cycles"])

    def test_what_is_not_measured_is_left_out(self):
        replay, _ = self.replayed(mode="functional")
        self.assertEqual(replay.objects("channel"), {})
        values = replay.hierarchy.objects("sm")["sm-0"]
        self.assertIn("l1.load_sectors", values)
        self.assertNotIn("l1.mshr_stalls", values)
        self.assertNotIn("scheduler.issued", values)
        with self.assertRaises(gpucache.ArgumentError):
            replay.objects("no such")

    def test_fences_are_of_caches(self):
        for settings, counted in (
            ({"mode": "functional"}, {"fence.fences": 0}),
            ({"mode": "timed"}, {"fence.fences": 0, "fence.cycles": 0}),
            ({"mode": "timed", "coherence": "vi"}, {"fence.fences": 0, "fence.cycles": 0}),
        ):
            values = self.replayed(**settings)[0].objects("sm")["sm-0"]
            asked = {name: values[name] for name in ("fence.fences", "fence.cycles") if name in values}
            self.assertEqual(asked, counted, settings)

    def test_counters_know_their_objects(self):
        names = {counter.name for counter in counters_of_object(gpucache.Object.NETWORK)}
        self.assertEqual(names, {"packets", "cycles", "bytes", "input_cycles", "output_cycles"})
        ids = [counter.id for counter in gpucache.counters()]
        self.assertEqual(len(set(ids)), len(ids))


class Streams(TemporaryCase):
    """Kernels of streams 50, 90 and 50: streams 0, 1 and 0."""

    def replay(self, **settings):
        for n, (stream, blocks) in enumerate(((50, 4), (90, 3), (50, 2))):
            self.write(f"trace/kernel-{n}.traceg", traceg(blocks=blocks, stream=stream))
        self.write("trace/kernelslist.g", "kernel-0.traceg\nkernel-1.traceg\nkernel-2.traceg\n")
        config = gpucache.Config(self.context, preset="kepler")
        for key, value in settings.items():
            config[key] = value
        return gpucache.Replay(self.context, config)

    def trace(self):
        return gpucache.Trace(self.context, self.path("trace"))

    def test_of_a_trace(self):
        for mode in ("functional", "timed"):
            with self.replay(mode=mode, streams=3) as replay, self.trace() as trace:
                total = [dict(result.stats) for result in replay.run(trace)]
                found = replay.hierarchy.objects("stream")
            self.assertEqual(list(found), ["stream-0", "stream-1", "stream-2"], mode)
            loads = [values["l1.load_requests"] for values in found.values()]
            self.assertEqual(loads, [2 * 2 * (4 + 2), 2 * 2 * 3, 0], mode)
            for name in ("l1.load_sector_hits", "l2.read_sectors", "l2.write_sectors"):
                sums = [total[0][name] + total[2][name], total[1][name], 0]
                self.assertEqual([values[name] for values in found.values()], sums, name)
            self.assertNotIn("cycles", found["stream-0"])

    def test_by_kernel(self):
        with self.replay(mode="timed", streams=2) as replay, self.trace() as trace:
            replay.keep_objects()
            loads = []
            for _ in range(3):
                replay.kernel(trace)
                loads.append([values["l1.load_requests"] for values in replay.objects("stream").values()])
        self.assertEqual(loads, [[16, 0], [0, 12], [8, 0]])

    def test_too_few(self):
        with self.replay(streams=2) as replay, self.trace() as trace:
            self.assertEqual(len(list(replay.run(trace))), 3)
        for n, stream in enumerate((7, 8, 9)):
            self.write(f"three/kernel-{n}.traceg", traceg(stream=stream))
        self.write("three/kernelslist.g", "kernel-0.traceg\nkernel-1.traceg\nkernel-2.traceg\n")
        config = gpucache.Config(self.context, preset="kepler")
        config["streams"] = 2
        with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, self.path("three")) as trace:
            with self.assertRaisesRegex(gpucache.RangeError, "kernel-2.traceg: stream 9 is one more than streams = 2"):
                list(replay.run(trace))
        with self.replay() as replay:
            self.assertEqual(replay.hierarchy.objects("stream"), {})

    def test_of_accesses(self):
        config = gpucache.Config(self.context, preset="kepler")
        config["streams"] = 2
        with gpucache.Hierarchy(self.context, config) as hierarchy:
            hierarchy.access([0, 4, 128], stream=1)
            for wrong in (-1, 256):
                self.assertRaises(ValueError, hierarchy.access, [0], stream=wrong)
            self.assertRaises(gpucache.ArgumentError, hierarchy.access, [0], stream=2)
            found = hierarchy.objects("stream")
        self.assertEqual([values["l1.load_lines"] for values in found.values()], [0, 2])

    def test_of_a_command(self):
        self.replay().close()
        done = command("run", self.path("trace"), "--preset", "kepler", "--set", "streams=2", "--per", "stream", "--json",
                       self.path("out.json"))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "stream-1")
        document = json.loads(pathlib.Path(self.path("out.json")).read_text())
        loads = [kernel["objects"]["stream"]["stream-1"]["l1.load_requests"] for kernel in document["kernels"]]
        self.assertEqual(loads, [0, 12, 0])


class Command(TemporaryCase):
    def done(self, *options):
        found = command("run", SOURCE, "--preset", "kepler", *options)
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        return found.stdout

    def run_per(self, kind, *options):
        paths = self.path("out.json"), self.path("out.csv")
        printed = self.done("--per", kind, "--json", paths[0], "--csv", paths[1], *options)
        with open(paths[0], encoding="utf-8") as one, open(paths[1], encoding="utf-8", newline="") as two:
            return printed, json.load(one), list(csv.DictReader(two))

    def check(self, kind, *options):
        printed, document, lines = self.run_per(kind, *options)
        kernels = document["kernels"]
        names = list(kernels[0]["objects"][kind])
        self.assertTrue(names)
        self.assertEqual([line[kind] for line in lines], names * len(kernels))
        shown = [line.split("  ")[0] for line in printed.splitlines()]
        self.assertEqual(shown[shown.index(kind) + 1:], names)
        for line, (name, values) in zip(lines, kernels[0]["objects"][kind].items()):
            self.assertEqual(line[kind], name)
            for counter, value in values.items():
                if not isinstance(value, list):
                    self.assertEqual(int(line[counter]), value)
        return kernels

    def test_each_kind(self):
        for kind in KINDS:
            if kind != "cluster":
                with self.subTest(kind=kind):
                    self.check(kind, "--mode", "timed", "--set", "streams=2")

    def test_clusters(self):
        settings = ("--set", "coherence=vi", "--set", "cluster.sms=4")
        sms = {}
        for mode in ("functional", "timed"):
            with self.subTest(mode=mode):
                sms = self.check("cluster", "--mode", mode, *settings)[0]["objects"]["cluster"]
                self.assertEqual(list(sms), [f"cluster-{index}" for index in range(4)])
                self.assertTrue(any(values["read_requests"] for values in sms.values()))
        # A slice takes the clusters' packets towards memory.
        slices = self.check("slice", "--mode", "timed", *settings)[0]["objects"]["slice"]
        self.assertEqual(sum(values["low_sent"] for values in sms.values()),
                         sum(values["high_received"] for values in slices.values()))  # fmt: skip

    def test_sum_is_the_kernel_s(self):
        kernels = self.check("slice", "--mode", "functional")
        for kernel in kernels:
            for name in ("l2.read_sectors", "l2.read_sector_hits", "l2.write_sectors"):
                total = sum(values[name] for values in kernel["objects"]["slice"].values())
                self.assertEqual(total, kernel["stats"][name])

    def test_without_it_nothing_changes(self):
        self.assertNotIn("objects", json.loads(self.done("--json", "-"))["kernels"][0])


if __name__ == "__main__":
    unittest.main()
