# SPDX-License-Identifier: BSD-2-Clause
"""Profiles: figures worked out by hand, the command, the search for a threshold."""

import contextlib
import io
import json
import os
import re
import sys
import unittest
from unittest import mock

from harness import BASE, TemporaryCase, command, write_trace

import gpucache
from gpucache import cli
from gpucache.cli import search

LINE = 128
A, B, C, D = (LINE * number for number in range(4))


class ByHand(TemporaryCase):
    """One SM: a whole line twice, 8 bytes of another, and a load of two lines."""

    def setUp(self):
        super().setUp()
        config = gpucache.Config(self.context, settings={"sm.count": 1})
        self.profile = gpucache.Profile(self.context, config)
        self.addCleanup(self.profile.close)
        self.profile.begin_kernel("hand")
        whole = range(A, A + LINE, 4)
        self.profile.access(whole, pc=0x10, warp=0)
        result = self.profile.access(whole, pc=0x10, warp=1)
        self.assertEqual((result.lines, result.l1_sector_hits), (1, result.sectors))
        self.profile.access([B], pc=0x20, width=8)
        self.profile.access([C, D], pc=0x30)

    def test_classes(self):
        """Class 1: 3 accesses, a fill of A hit once and one of B; 128 + 128 + 8 bytes used of 3 x 128."""
        rows = self.profile.classes()
        self.assertEqual([row.transactions for row in rows], list(range(1, 33)))
        one, two = rows[0].counts, rows[1].counts
        self.assertEqual((one.loads, one.accesses, one.hits, one.fills, one.reuses), (3, 3, 1, 2, 1))
        self.assertEqual((one.bytes_used, one.bytes_moved), (264, 384))
        self.assertEqual((one.reuse, one.utilisation, one.score), (0.5, 0.6875, 0.6875 * 1.5))
        self.assertEqual((one.intra_warp_hits, one.inter_warp_hits), (0, 1))
        self.assertEqual((two.loads, two.accesses, two.fills, two.score), (1, 2, 2, 8 / 256))
        self.assertEqual(rows[2].counts.accesses, 0)
        self.assertEqual(self.profile.thresholds(), [0, 8 / 256, 1.03125])
        self.assertEqual(self.profile.classes_above(0), [1, 2])
        self.assertEqual(self.profile.classes_above(0.5), [1])
        self.assertEqual(self.profile.classes_above(1.03125), [])

    def test_other_tables(self):
        rows = self.profile.instructions()
        self.assertEqual([(row.kernel, row.pc, row.lines, row.bypass_lines) for row in rows],
                         [("hand", 0x10, 1, 0), ("hand", 0x20, 1, 1), ("hand", 0x30, 2, 2)])  # fmt: skip
        lines = self.profile.lines()
        self.assertEqual([(row.address, row.sm, row.accesses, row.hits, row.score) for row in lines],
                         [(A, 0, 2, 1, 2), (B, 0, 1, 0, 1 / 16), (C, 0, 1, 0, 1 / 32), (D, 0, 1, 0, 1 / 32)])
        (sm,) = self.profile.sms()
        self.assertEqual(sm.lines_by_reuse, [3, 1] + [0] * 14)
        self.assertEqual(sm.loads_by_transactions[:3], [0, 3, 1])
        summary = self.profile.summary()
        self.assertEqual((summary.line_bytes, summary.sms, summary.kernels, summary.lines), (LINE, 1, 1, 4))
        self.assertEqual(summary.counts.stack_distances[0], 1)
        self.assertEqual(summary.counts.first_accesses, 4)

    def test_curve(self):
        """A is read twice in a row: a line is enough for all reuse."""
        self.assertEqual(self.profile.curve(), [(LINE, 5, 1)])
        points = self.profile.curve([0, LINE - 1, 2 * LINE], sm=0)
        self.assertEqual(points, [(0, 5, 0), (LINE - 1, 5, 0), (2 * LINE, 5, 1)])
        self.assertEqual(self.profile.curve([LINE])[0].miss_ratio, 0.8)
        with self.assertRaises(gpucache.RangeError):
            self.profile.curve([LINE], sm=1)

    def test_rows_outlive_the_profile(self):
        rows = self.profile.instructions()
        self.profile.reset()
        self.assertEqual(self.profile.instructions(), [])
        self.assertEqual(self.profile.curve(), [(LINE, 0, 0)])
        self.assertIsNone(self.profile.curve()[0].miss_ratio)
        self.profile.close()
        self.assertEqual(rows[0].kernel, "hand")
        with self.assertRaises(gpucache.StateError):
            self.profile.classes()

    def test_files(self):
        path = self.path("hand.profile")
        self.profile.write(path)
        with gpucache.Profile.read(self.context, path) as again:
            for name in ("summary", "sms", "instructions", "classes", "lines", "curve", "thresholds"):
                self.assertEqual(getattr(again, name)(), getattr(self.profile, name)(), name)
            self.assertEqual(again.json(lines=True), self.profile.json(lines=True))
            with self.assertRaises(gpucache.StateError):
                again.begin_kernel("more")
        self.profile.write_json(self.path("hand.json"), lines=True)
        with open(self.path("hand.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document, json.loads(self.profile.json(lines=True)))
        self.assertEqual([row["address"] for row in document["lines"]], [A, B, C, D])
        self.assertNotIn("lines", json.loads(self.profile.json()))
        with self.assertRaisesRegex(gpucache.NotFoundError, "none"):
            gpucache.Profile.read(self.context, self.path("none"))
        with self.assertRaises(gpucache.FormatError):
            gpucache.Profile.read(self.context, self.write("bad", "not a profile, whatever its name says"))

    def test_score(self):
        self.assertEqual(gpucache.profile_score(0.25, 3), 1)
        self.assertLess(gpucache.profile_score(0.75, 0), 1)


class OfTraces(TemporaryCase):
    def test_counts_are_those_of_a_replay(self):
        source = "synthetic:bicg:64KiB"
        config = gpucache.Config(self.context, "gtx480", {"l1.bypass": "always-cache"})
        with gpucache.Profile(self.context, config) as profile, gpucache.Trace(self.context, source) as trace:
            results = [profile.kernel(trace), profile.kernel(trace)]
            self.assertIsNone(profile.kernel(trace))
            counts = profile.summary().counts
        with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, source) as trace:
            for result, expected in zip(results, replay.run(trace)):
                self.assertEqual(result.stats, expected.stats)
                self.assertEqual(result.kernel.name, expected.kernel.name)
            stats = replay.stats()
        self.assertEqual(counts.loads, stats["l1.load_requests"])
        self.assertEqual(counts.accesses, stats["l1.load_lines"])
        self.assertEqual(counts.bytes_used, stats["l1.load_bytes_used"])
        self.assertEqual(counts.segments, stats["l1.load_sectors"])

    def test_progress_can_cancel(self):
        reports = []

        def stop(progress):
            reports.append(progress)
            return False

        config = gpucache.Config(self.context, "gtx480")
        with gpucache.Profile(self.context, config, stop) as profile:
            with gpucache.Trace(self.context, "synthetic:stream:16MiB") as trace:
                with self.assertRaises(gpucache.CancelledError):
                    profile.run(trace)
        self.assertEqual(len(reports), 1)

    def test_refusals(self):
        with self.assertRaises(gpucache.ArgumentError):
            gpucache.Profile(self.context, gpucache.Config(self.context, settings={"l1.enabled": False}))


class Command(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4), ("_Z5oncePf", 6)))

    def done(self, *arguments, status=0, message=""):
        found = command("profile", *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        if not message:
            self.assertEqual(found.stderr, "")
        return found.stdout

    def test_report(self):
        """10 blocks of 2 warps load a whole line twice; the second time is a hit: R 1, U 1, (1+R)U 2."""
        text = self.done(self.source, "--preset", "gtx480")
        self.assertIn("launches: 2, kernels: 2, SMs: 15, lines of 128 bytes\n", text)
        self.assertRegex(text, r"\naccesses +40  50\.0 % hits; line transactions\n")
        self.assertRegex(text, r"\n +1 +100\.0 +40 +40 +50\.0 +1\.00 +1\.000 +2\.000 +2\.000 +cache\n")
        self.assertRegex(text, r"\n0x10 +8 +8 +0\.0 +1\.00 +1\.000 +2\.000 +2\.000 +0\.0 +0\.0  twice\n")
        # 8 of the 12 lines in both kernels, and on the same SMs.
        self.assertRegex(text, r"\nlines % +0\.0 +33\.3 +66\.7 +0\.0 ")

    def test_segments(self):
        """A thread loads 8 bytes of each line of 128; a bypass moves a segment of 32."""
        text = self.done("synthetic:chase:4KiB", "--set", "l1.bypass=always-cache", "--preset", "gtx480", "--per",
                         "class")  # fmt: skip
        found = re.search(r"\n +1 .*?([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +\w+\n", text)
        reuse, used, score, segments = map(float, found.groups())
        self.assertEqual(used, round(8 / 128, 3))
        self.assertAlmostEqual(score, (1 + reuse) * 8 / 128, delta=0.01)
        self.assertAlmostEqual(segments, (1 + reuse) * 32 / 128, delta=0.01)

    def test_views(self):
        text = self.done(self.source, "--per", "sm", "--per", "address", "--mrc", "--top", "2")
        self.assertIn("by SM: ", text)
        self.assertRegex(text, r"\nall +12 +0 +4 +8 +0 ")
        self.assertRegex(text, r"by line address, the 2 of most accesses out of \d+\n")
        self.assertIn(f"\n{BASE:#x} ", text)
        # The two warps of a block take turns.
        self.assertRegex(text, r"capacity +misses +miss %\n +128 B +40 +100\.0\n +256 B +20 +50\.0\n")
        for left_out in ("launches: ", "by instruction", "by transactions"):
            self.assertNotIn(left_out, text)
        self.assertNotIn("out of", self.done(self.source, "--per", "address", "--top", "0"))

    def test_files(self):
        binary, document = self.path("t.profile"), self.path("t.json")
        text = self.done(self.source, "--binary", binary, "--json", document)
        heading, blank, rest = text.partition("\n\n")
        self.assertIn("preset h100, functional", heading)
        self.assertEqual(self.done("--read", binary), rest, "which does not say what it is of")
        with open(document, encoding="utf-8") as file:
            found = json.load(file)
        self.assertEqual((found["schema"], found["launches"]), (1, 2))
        read = json.loads(self.done("--read", binary, "--json", "-"))
        self.assertEqual(set(found) - set(read), {"version", "preset", "mode", "traces", "settings", "notes"})
        self.assertEqual({name: found[name] for name in read}, read)
        lines = json.loads(self.done("--read", binary, "--json", "-", "--per", "address"))["lines"]
        self.assertEqual(len(lines), sum(row["lines"] for row in found["sm"]))
        together = self.done(self.source, self.source, "--per", "class")
        self.assertRegex(together, r"\n +1 +100\.0 +80 ")

    def test_refusals(self):
        for arguments, status, message in (
            ([], 2, "either traces or --read"),
            ([self.source, "--read", "x"], 2, "either traces or --read"),
            (["--read", "x", "--search", "hybrid"], 2, "--search runs the traces"),
            ([self.source, "--limit", "-1", "--search", "hybrid"], 2, "not a number from 0 on"),
            ([self.source, "--limit", "4", "--search", "compiler"], 2, "--limit is of --search hybrid"),
            (["synthetic:classes:128B", "--search", "compiler"], 1, "no loads that go to L1"),
            ([self.path("none")], 1, "none"),
            (["--read", self.path("none")], 1, "none"),
            ([self.source, "--preset", "h10"], 1, "h100"),
            ([self.source, "--binary", self.path("no", "x")], 1, "x"),
            ([self.source, "--set", "l1.enabled=false"], 1, "l1.enabled"),
        ):
            with self.subTest(message):
                self.assertEqual(self.done(*arguments, status=status, message=message), "")

    def test_plot(self):
        """Into a fake drawing library that records the calls."""
        drawn = mock.MagicMock()
        axes = [mock.MagicMock() for _ in range(3)]
        drawn.pyplot.subplots.return_value = drawn.figure, axes
        drawn.figure.savefig.side_effect = lambda file, format: file.write(f"a {format}".encode())
        modules = {"matplotlib": drawn, "matplotlib.pyplot": drawn.pyplot}
        target = self.path("out.png")
        with mock.patch.dict(sys.modules, modules), contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(cli.main(["profile", self.source, "--set", "sm.count=2", "--plot", target]), 0)
        with open(target, "rb") as file:
            self.assertEqual(file.read(), b"a png")
        sizes, ratios = axes[0].plot.call_args.args
        # On each SM 2 blocks take turns, and then 3: 4 lines, and then 6. 16 of the 40 loads need the 4 only.
        self.assertEqual((sizes, ratios), ([0.125, 0.25, 0.5, 1], [1, 1, 0.8, 0.5]))
        self.assertEqual([call.args[0][:4] for call in axes[1].plot.call_args_list], [[0, 2, 4, 0]] * 2)
        self.assertEqual(axes[2].bar.call_args.args[1][:2], [40, 0])
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            with contextlib.redirect_stderr(io.StringIO()) as error:
                self.assertEqual(cli.main(["profile", self.source, "--plot", self.path("none.png")]), 1)
        self.assertIn("needs matplotlib", error.getvalue())
        self.assertFalse(os.path.exists(self.path("none.png")))


class Search(TemporaryCase):
    SOURCE = "synthetic:bicg:64KiB"  # rows with 32 transactions a load, columns with 1

    def test_every_candidate_is_a_run(self):
        kept = self.path("bicg.profile")
        for mode, counter in (("functional", "l2.read_sectors"), ("timed", "cycles")):
            found = command("profile", self.SOURCE, "--preset", "gtx480", "--search", "hybrid", "--mode", mode,
                            "--binary", kept, "--json", self.path("out.json"))  # fmt: skip
            self.assertEqual((found.returncode, found.stderr), (0, ""))
            with open(self.path("out.json"), encoding="utf-8") as file:
                document = json.load(file)
            result = document["search"]
            base = gpucache.compare(["l1.bypass=always-cache"], [self.SOURCE], "gtx480", mode=mode, jobs=1)[0].stats[counter]
            self.assertEqual((result["figure"], result["no_bypass"]), (counter, base))
            self.assertGreater(len(result["candidates"]), 1)
            self.assertTrue(all(each["predictor"].endswith("limit=0)") for each in result["candidates"]))
            for each in result["candidates"]:
                self.assertIn(f"file={kept}", each["predictor"])
                self.assertIn(each["threshold"], document["thresholds"])
                row = gpucache.compare([each["predictor"]], [self.SOURCE], "gtx480", mode=mode, jobs=1)[0]
                self.assertEqual(each[counter], row.stats[counter])
                self.assertAlmostEqual(each["relative"], row.stats[counter] / base, places=6)
            best = min(each["relative"] for each in result["candidates"])
            chosen = [each for each in result["candidates"] if each["predictor"] == result["best"]]
            self.assertEqual(chosen[0]["relative"], best)
            self.assertIn(result["best"], found.stdout.splitlines()[-1])

    def test_thresholds_that_differ(self):
        """A limit leaves no decision for the classes up to the limit."""
        config = gpucache.Config(self.context, "gtx480", {"l1.bypass": "always-cache"})
        with gpucache.Profile(self.context, config) as profile, gpucache.Trace(self.context, self.SOURCE) as trace:
            profile.run(trace)
            scores = {row.transactions: row.counts.score for row in profile.classes() if row.counts.loads}
            self.assertEqual(set(scores), {1, 32})
            for limit, expected in ((0, [(1, 32), (1,), (32,), ()]), (16, [(1, 32), (1,)]), (32, [(1, 32)])):
                found = search.hybrid_thresholds(profile, "p", limit)
                self.assertLessEqual({cached for _, _, cached in found}, set(expected))
                self.assertEqual(len({cached for _, _, cached in found}), len(found))
                for threshold, spec, cached in found:
                    self.assertEqual(spec, f"hybrid(file=p, threshold={threshold:.12g}, limit={limit})")
                    self.assertEqual(cached, tuple(
                        number for number in scores if number <= limit or number in profile.classes_above(threshold)
                    ))  # fmt: skip
            self.assertEqual([(at, cached) for at, _, cached in search.access_count_thresholds(profile)],
                             [(0, ()), (1, (1,)), (32, (1, 32))])  # fmt: skip

    def test_access_count(self):
        found = command("profile", self.SOURCE, "--preset", "gtx480", "--search", "access-count")
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertRegex(found.stdout, r"\n +32 +[\d,]+ +1\.0000 +[\d.]+ +0  1, 32\n")
        self.assertRegex(found.stdout, r"\n +0 +[\d,]+ +[\d.]+ +0\.0 +[\d,]+  none\n")

    def test_compiler(self):
        """Each load and each pair of a kernel's two loads (bicg's two kernels have 2 and 2) is a run."""
        kept, source = self.path("bicg.profile"), self.SOURCE + ":serial=1"
        found = command("profile", source, "--preset", "gtx480", "--search", "compiler", "--binary", kept,
                        "--json", self.path("out.json"))  # fmt: skip
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        with open(self.path("out.json"), encoding="utf-8") as file:
            result = json.load(file)["search"]
        loads = [each["loads"] for each in result["candidates"]]
        self.assertEqual(loads[:6], ["0", "1", "0+1", "2", "3", "2+3"])
        for each in result["candidates"]:
            self.assertEqual(each["predictor"], f"compiler(file={kept}, loads={each['loads']})")
            self.assertEqual(sorted(each["cached"] + [int(n) for n in each["loads"].split("+")]), [0, 1, 2, 3])
            row = gpucache.compare([each["predictor"]], [source], "gtx480", jobs=1)[0]
            self.assertEqual(each["l2.read_sectors"], row.stats["l2.read_sectors"])
        self.assertRegex(found.stdout, r"\n +0\+1 +[\d,]+ +[\d.]+ +[\d.]+ +[\d,]+  2-3\n")
        self.assertIn(result["best"], found.stdout.splitlines()[-1])

    def test_compiler_joins_gains(self):
        """Loads 0 and 2 of two kernels gain 10 and 20 each alone: both together are a further run, and the best."""
        gains = {"0": 10, "1": -5, "0+1": 4, "2": 20, "3": 0, "2+3": 15, "0+2": 30}
        runs = []

        def measure(named):
            runs.append([text for text, _, _ in named])
            return [search.Candidate(text, spec, cached, {"cycles": 100 - gains[text]}, 1 - gains[text] / 100)
                    for text, spec, cached in named], {"cycles": 100}, "cycles"  # fmt: skip

        found, base = search.compiled(["a", "a", "b", "b"], "p", measure)
        self.assertEqual(runs, [["0", "1", "0+1", "2", "3", "2+3"], ["0+2"]])
        self.assertEqual((search.best(found).threshold, search.best(found).cached), ("0+2", (1, 3)))
        self.assertEqual(base, {"cycles": 100})

    def test_best_and_text(self):
        def candidate(relative, cached):
            return search.Candidate(0, "", cached, None, relative)

        found = [candidate(0.9, (1,)), candidate(0.8, (1,)), candidate(0.8, (1, 2))]
        self.assertEqual(search.best(found).cached, (1, 2))
        for numbers, text in (((), "none"), ((1,), "1"), ((1, 2, 3, 5, 7, 8), "1-3, 5, 7-8")):
            self.assertEqual(search.ranges(numbers), text)


if __name__ == "__main__":
    unittest.main()
