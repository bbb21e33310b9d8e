# SPDX-License-Identifier: BSD-2-Clause
"""Kernels chosen by number or name, in every command with traces."""

import json
import os
import unittest

from harness import TemporaryCase, command, write_trace

import gpucache
from gpucache._names import kernel_name

KERNELS = (("_Z5twicePfS_", 4), ("_ZN3net4reluEPfS0_i", 6), ("_Z4oncePf", 2), ("_ZN3net4poolEPfS0_i", 3), ("_Z5twicePfS_", 5))
BLOCKS = [blocks for _, blocks in KERNELS]


class Choosing(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), KERNELS)

    def done(self, *arguments, status=0, message=None):
        found = command(*arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        if message is not None:
            self.assertIn(message, found.stderr)
        return found.stdout

    def document(self, name, *arguments):
        return json.loads(self.done(name, *arguments, "--json", "-"))

    def numbers(self, kernels, source=None):
        with gpucache.Trace(self.context, source or self.source, kernels=kernels) as trace:
            return [kernel.index + 1 for kernel in trace]


class Traces(Choosing):
    def test_what_is_taken(self):
        for kernels, expected in (
            (2, [2]), ("2-4", [2, 3, 4]), ([1, "net::*"], [1, 2, 4]), (range(4, 6), [4, 5]), ("twice", [1, 5]),
            ("once,4-", [3, 4, 5]), (None, [1, 2, 3, 4, 5]),
        ):  # fmt: skip
            self.assertEqual(self.numbers(kernels), expected, kernels)
        self.assertEqual(self.numbers("2", "synthetic:bicg:64KiB"), [2])

    def test_plain_names_are_those_of_tables(self):
        for name in (
            "_Z5twicePfS_", "_ZN3net4reluEPfS0_i", "_ZNK3net4poolEv", "_ZN3net6conv2dIfLi3EEEvPT_", "plain", "_Z", "_ZN",
            "_ZN12_GLOBAL__N_14copyEPf", "_ZN41_GLOBAL__N__0c5d0ad9_9_kernel_cu_8a1bd7704copyEPf", "_ZL4donePf",
            "_Z99short", "_ZN3net99short", "_ZN1aL1bE", "_ZNV1a1bE", "_ZN3netL9shortE", "_Zrelu",
        ):  # fmt: skip
            source = write_trace(self.path("u"), ((name, 1), ("_Z5otherPf", 1)))
            self.assertEqual(self.numbers([kernel_name(name)], source), [1], name)

    def test_what_is_refused(self):
        for kernels, kind, message in (
            (0, gpucache.ArgumentError, 'kernels "0": expected a number from 1 on'),
            (-1, None, None), ([], gpucache.ArgumentError, "expected numbers, ranges and names"),
            ("6", gpucache.NotFoundError, "has 5, counted from 1"),
        ):  # fmt: skip
            if kind is None:  # a range: the first one
                self.assertEqual(self.numbers(kernels), [1])
                continue
            with self.assertRaisesRegex(kind, message):
                self.numbers(kernels)
        with self.assertRaisesRegex(gpucache.NotFoundError, "no kernel of this name; it has twice, net::relu, once, net::pool"):
            self.numbers("relu")

    def test_compare(self):
        found = gpucache.compare(["lru"], [self.source], "gtx480", jobs=1, kernels="2-3")
        self.assertEqual((found[0].stats["kernels"], found[0].stats["blocks"]), (2, 8))
        self.assertIn("only kernels: 2-3\n", str(found))


class Commands(Choosing):
    FEW = ("--preset", "gtx480", "--set", "sm.count=2")

    def run_of(self, *arguments):
        return [(kernel["number"], kernel["stats"]["blocks"]) for kernel in self.document("run", *arguments)["kernels"]]

    def test_help(self):
        for name in ("run", "compare", "explain", "bottleneck", "tune", "profile", "info", "convert"):
            self.assertIn("--kernels LIST", self.done(name, "--help"), name)

    def test_run(self):
        whole = self.document("run", self.source)
        self.assertEqual([each["number"] for each in whole["kernels"]], [1, 2, 3, 4, 5])
        self.assertNotIn("left_out", whole)
        document = self.document("run", self.source, "--kernels", "2-3,5")
        self.assertEqual([each["number"] for each in document["kernels"]], [2, 3, 5])
        self.assertEqual(document["only_kernels"], "2-3,5")
        self.assertEqual(document["left_out"], [{"trace": self.source, "kernels": 2, "of": 5}])
        text = self.done("run", self.source, "--kernels", "net::*")
        self.assertIn("only kernels: net::*\n", text)
        self.assertIn(f"left out: 3 of 5 kernels of {self.source}\n", text)
        self.assertNotIn("twice", text)
        self.assertEqual(self.done("run", self.source, "--kernels", "7", status=1, message='kernels "7"'), "")
        self.assertEqual(self.done("run", self.source, "--kernels", "relu", status=1, message="it has twice, net::relu"), "")
        self.assertEqual(self.done("run", self.source, "--kernels", "3-2", status=1, message="ends before it begins"), "")

    def test_kernels_are_as_in_a_trace_of_these_alone(self):
        """In every mode: with a clock, sampled, at once. Files of kernels left out are not opened."""
        alone = write_trace(self.path("v"), KERNELS[1:3])
        for number in (1, 4, 5):
            self.write(os.path.join("t", f"kernel-{number}.traceg"), "no trace\n")
        for more in ((), ("--mode", "timed"), ("--mode", "timed", "--set", "sample=kernels"), ("--mode", "timed", "--concurrent")):
            expected = self.document("run", alone, *self.FEW, *more)["kernels"]
            found = self.document("run", self.source, "--kernels", "2-3", *self.FEW, *more)["kernels"]
            self.assertEqual([each["number"] for each in found], [2, 3])
            self.assertEqual([each["stats"] for each in found], [each["stats"] for each in expected], more)

    def test_snapshots(self):
        timed = "--mode", "timed", *self.FEW
        whole = self.document("run", self.source, "--kernels", "2,4", *timed)["kernels"]
        middle = whole[0]["stats"]["cycles"] + 30
        self.done("run", self.source, "--kernels", "2,4", *timed, "--save-at", str(middle), self.path("state"))
        rest = self.document("run", self.source, "--kernels", "2,4", "--resume", self.path("state"))["kernels"]
        self.assertEqual([each["stats"] for each in rest], [whole[1]["stats"]])
        self.assertEqual(rest[0]["number"], 4)
        self.done("run", self.source, "--resume", self.path("state"), status=1, message="begins with other kernels")

    def test_info_and_convert(self):
        document = json.loads(self.done("info", self.source, "--kernels", "once,4", "--json"))
        self.assertEqual([each["number"] for each in document["kernels"]], [3, 4])
        self.assertEqual((document["only_kernels"], document["left_out"]), ("once,4", 3))
        text = self.done("info", self.source, "--kernels", "3")
        self.assertIn("kernel 3: once\n", text)
        self.assertIn("\nleft out: 4 of 5 kernels\n", text)
        target = self.path("two.gct")
        self.assertIn("2 kernels, 7 blocks", self.done("convert", self.source, target, "--kernels", "1,4"))
        self.assertEqual(self.run_of(target), [(1, 4), (2, 3)])
        self.assertEqual(self.run_of(target, "--kernels", "net::pool"), [(2, 3)])

    def test_applications(self):
        few = *self.FEW, "--kernels", "net::pool"
        cases = ("explain", ()), ("bottleneck", ("--warps", "1")), ("tune", ("--what", "blocks", "--cache", self.path("c")))
        for name, more in cases:
            document = self.document(name, self.source, *few, *more)
            (application,) = document["applications"]
            self.assertEqual((application["name"], application["kernels"]), ("t:4 net::pool", "net::pool"))
            self.assertEqual(document["only_kernels"], "net::pool")
        several = self.document("bottleneck", self.source, *self.FEW, "--kernels", "2-3", "--warps", "1")["applications"]
        self.assertEqual([each["name"] for each in several], ["t:2-3"])
        self.assertEqual({step["stats"]["blocks"] for step in several[0]["steps"]}, {8})

    def test_profile_and_compare(self):
        loads = {kernels: self.document("profile", self.source, "--kernels", kernels)["summary"]["accesses"]
                 for kernels in ("1-", "2", "1,3-")}  # fmt: skip
        self.assertEqual(loads["1-"], loads["2"] + loads["1,3-"])
        self.assertEqual(loads["2"] * sum(BLOCKS), loads["1-"] * BLOCKS[1])
        self.done("profile", "--read", "x", "--kernels", "2", status=2, message="--kernels is of traces")
        document = self.document("compare", self.source, "--policies", "lru,fifo", "--kernels", "2")
        self.assertEqual([run["stats"]["blocks"] for run in document["runs"]], [6, 6])
        self.assertEqual(document["only_kernels"], "2")

    def test_sweep(self):
        plan = {"traces": [self.source], "product": {"l1.replacement": ["lru", "fifo"]}, "presets": ["gtx480"]}
        both = []
        for kernels in ("2", 4):
            self.write("plan.json", json.dumps({**plan, "kernels": kernels}))
            document = self.document("sweep", self.path("plan.json"))
            both.append([run["stats"]["blocks"] for run in document["runs"]])
            self.assertEqual(document["only_kernels"], str(kernels))
        self.assertEqual(both, [[6, 6], [3, 3]])  # from one store: kernels are part of a run's identity
        self.write("plan.json", json.dumps({**plan, "kernels": [2]}))
        self.done("sweep", self.path("plan.json"), status=1, message="plan.json: kernels: a number or a text")


if __name__ == "__main__":
    unittest.main()
