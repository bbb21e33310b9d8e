# SPDX-License-Identifier: BSD-2-Clause
"""The example programs: run, with outputs equal to values worked out by hand."""

import json
import os
import re
import shutil
import sys
import tempfile
import unittest

from support import BUILD, ROOT, run

TRACES = ROOT / "examples" / "traces"


def example(name, *arguments, status=0):
    return run(BUILD / "examples" / f"example-{name}", *arguments, status=status)


class EmbedHost(unittest.TestCase):
    def test_counts_of_the_stencil(self):
        stats = json.loads(example("embed_host"))
        blocks, warps = 264, 8
        # Per warp: x[i] is 4 sectors, x[i - 1] and x[i + 1] touch one more sector each; and a store of 4 sectors.
        self.assertEqual(stats["l1.load_requests"], blocks * warps * 3)
        self.assertEqual(stats["l1.load_sectors"], blocks * warps * (5 + 4 + 5))
        self.assertEqual(stats["l1.store_sectors"], blocks * warps * 4)
        # Blocks b and b + 132 share an SM but no line: a block misses in 8 4 sectors, and in a sector at each end.
        misses = blocks * (warps * 4 + 2)
        self.assertEqual(stats["l1.load_sectors"] - stats["l1.load_sector_hits"], misses)
        self.assertAlmostEqual(stats["l1.load_hit_rate"], 1 - misses / (blocks * warps * 14), delta=1e-6)
        self.assertEqual(stats["l2.read_sectors"], misses)
        self.assertEqual(stats["l2.write_sectors"], blocks * warps * 4)


class EmbedTimed(unittest.TestCase):
    SMS, WARPS, LOADS, MEMORY_LATENCY = 132, 8, 16, 2000

    def figures(self, *arguments):
        return {name: float(value) for name, value in map(str.split, example("embed_timed", *arguments).splitlines())}

    def test_every_way_to_attach(self):
        loads = self.SMS * self.WARPS * self.LOADS
        for arguments in ((), ("own-l1",), ("own-dram",), ("own-l1", "own-dram")):
            with self.subTest(arguments=arguments):
                found = self.figures(*arguments)
                own_l1, own_dram = "own-l1" in arguments, "own-dram" in arguments
                # A load is a line of 4 sectors, and all lines differ.
                self.assertEqual(found["loads"], loads)
                self.assertEqual(found["l1_load_sectors"], 0 if own_l1 else 4 * loads)
                self.assertEqual(found["l2_read_sectors"], 4 * loads)
                # Memory gets a request per line, or a request per 64 or 32 bytes.
                asked, other = ("memory_reads", "dram_bursts") if own_dram else ("dram_bursts", "memory_reads")
                self.assertIn(found[asked] / loads, (1, 2, 4))
                self.assertEqual(found.get(other), None if own_dram else 0)
                # A warp's loads come in sequence.
                self.assertGreaterEqual(found["cycles"], self.LOADS * found["latency"])
                if own_dram:
                    self.assertGreater(found["latency"], self.MEMORY_LATENCY)
                else:
                    self.assertLess(found["latency"], self.MEMORY_LATENCY)
                # Eight warps offer a load in the first cycle, and h100's pipeline takes four instructions.
                if not own_l1:
                    self.assertGreaterEqual(found["refused"], self.SMS)


class ShadowTags(unittest.TestCase):
    def test_misses_of_each_policy(self):
        rows = re.findall(r"^(\w+) +(\d+) misses, (-?\d+) less than lru$", example("shadow_tags"), re.MULTILINE)
        misses = {name: int(count) for name, count, _ in rows}
        self.assertEqual(set(misses), {"lru", "bip", "srrip", "ship"})
        for name, _, less in rows:
            self.assertEqual(int(less), misses["lru"] - misses[name])
        # A third streams, a third repeats a loop larger than the cache: LRU keeps no line of the two, and hits in the
        # rest.
        accesses, reused = 20000, 6667 - 7
        self.assertEqual(misses["lru"], accesses - reused)
        # A policy with a part of the loop kept hits in the part; lines used once never hit.
        for name in ("bip", "ship"):
            self.assertLess(misses[name], misses["lru"] - 1000)
            self.assertGreater(misses[name], accesses // 3)


class OwnMshrs(unittest.TestCase):
    WARPS, LOADS, LATENCY, MSHRS = 12, 200, 60, 6

    def figures(self, *arguments):
        return {name: int(value) for name, value in map(str.split, example("own_mshrs", *arguments).splitlines())}

    def test_decisions_reach_the_host(self):
        plain, bypassing, passing, few = (
            self.figures(*arguments)
            for arguments in (("always-cache",), ("always-bypass",), ("mrpb",), ("always-cache", "warps(limit=3)"))
        )
        for found in (plain, bypassing, passing, few):
            self.assertEqual(found["hits"] + found["misses"] + found["past_mshrs"], self.WARPS * self.LOADS)
            # A miss holds its entry for the latency.
            self.assertGreaterEqual(found["cycles"], found["misses"] * self.LATENCY / self.MSHRS)
        self.assertEqual((plain["bypasses"], plain["past_mshrs"]), (0, 0))
        self.assertEqual((bypassing["hits"], bypassing["bypasses"]), (0, bypassing["misses"]))
        # Misses that pass a full table save the wait. With three warps the lines are found, with twelve they are gone.
        self.assertGreater(passing["past_mshrs"], 0)
        self.assertLess(passing["cycles"], plain["cycles"])
        self.assertGreater(few["hits"], plain["hits"] + 1000)

    def test_refuses_what_it_cannot_feed(self):
        self.assertIn("policy_word", example("own_mshrs", "agcb", status=1))


class Events(unittest.TestCase):
    def lives(self, *arguments):
        """The steps of the two loads, each step as (cycle, action, place, the rest)."""
        first, second = re.split(r"cycle  the load of warp \d\n", example("events", *arguments))[1:]
        return [re.findall(r"^ *(\d+)  (\S+) +(\S+ \d+)(.*)$", life, re.MULTILINE) for life in (first, second)]

    def test_a_miss_and_a_hit(self):
        for preset in ("h100", "kepler", "gtx480"):
            with self.subTest(preset=preset):
                first, second = self.lives(preset, "l1.spaces=all")
                for life in (first, second):
                    self.assertEqual((life[0][1], life[-1][1]), ("issue", "complete"))
                    cycles = [int(step[0]) for step in life]
                    self.assertEqual(cycles, sorted(cycles))
                lookups = [(where.split()[0], rest.rpartition(": ")[2]) for _, what, where, rest in first if what == "lookup"]
                self.assertEqual(lookups[0], ("l1", "miss"))
                self.assertEqual(lookups[-1], ("l2", "miss"))
                self.assertIn(": dram", first[-1][3])
                self.assertEqual([what for _, what, _, _ in second], ["issue", "line", "lookup", "serve", "reply", "complete"])
                self.assertIn(": l1", second[-1][3])
                sent = [step for step in first if step[1] in ("send", "receive")]
                self.assertEqual([step[1] for step in sent], ["send", "receive"] * (len(sent) // 2))


class CacheOnly(unittest.TestCase):
    def test_events_in_order(self):
        events = [re.sub(r"\s+", " ", line).strip() for line in example("cache_only").splitlines()]
        self.assertEqual(
            events,
            [
                "fill line 0x100 way 0 sectors 0x1", "load 0x100: miss",
                "load 0x104: hit",
                "fill line 0x100 way 0 sectors 0x2", "load 0x120: sector miss",
                "fill line 0x200 way 1 sectors 0x1", "store 0x200: miss",
                "load 0x100: hit",
                "evict line 0x200 dirty sectors 0x1 after 0 hits",
                "fill line 0x300 way 1 sectors 0x1", "load 0x300: miss",
                "2 of 5 read sectors hit",
            ],
        )


class SchedulerOnly(unittest.TestCase):
    def test_who_issues(self):
        """By hand: each warp loads, waits 6 cycles, and computes twice; all are back before they issue again."""
        for policy, order in (
            ("gto", "0123..00112233"), ("lrr", "0123..01230123"), ("oldest", "0123..00112233"),
            ("two-level(group=2)", "0123..01012323"),
        ):  # fmt: skip
            with self.subTest(policy):
                self.assertEqual(example("scheduler_only", policy).strip(), f"{order} {policy}: 14 cycles")

    def test_reports_a_scheduler_that_does_not_exist(self):
        example("scheduler_only", "lru", status=1)


class Throttle(unittest.TestCase):
    @staticmethod
    def periods(*arguments):
        lines = example("throttle", *arguments).splitlines()
        return [(classes, int(hits), int(loads)) for _, classes, hits, _, loads in map(str.split, lines)]

    def test_tokens_until_most_loads_hit(self):
        """Four lines in two ways: no hit. With two tokens two warps hit in 3 cycles, the others miss in 6."""
        found = self.periods()
        self.assertEqual([period[0] for period in found], ["CCCC", "CCCB"] + 4 * ["CCBB"])
        self.assertEqual([found[0][1], found[1][1]], [0, 0])
        for classes, hits, loads in found[3:]:
            self.assertIn(hits, (26, 27, 28))
            self.assertLessEqual(abs(loads - 40), 1)

    def test_others(self):
        for scheduler, classes, hit in (("gto", "CCCC", False), ("gto + warps(limit=2)", "CCTT", True)):
            for found, hits, loads in self.periods(scheduler)[1:]:
                self.assertEqual((found, hits), (classes, loads if hit else 0))
                self.assertIn(loads, (26, 27, 28))
        example("throttle", "gto + nothing", status=1)


class CustomPolicy(unittest.TestCase):
    def test_beats_lru_where_lru_thrashes(self):
        rates = re.search(r"lru ([\d.]+), my-lip ([\d.]+)$", example("custom_policy").strip())
        self.assertGreater(float(rates.group(2)), float(rates.group(1)) + 0.05)

    def test_reports_a_source_that_does_not_exist(self):
        self.assertIn("no-such-kernel", example("custom_policy", "synthetic:no-such-kernel", status=1))


class ReplayTrace(unittest.TestCase):
    def test_hit_rates_are_near_the_hardware(self):
        counted = {
            entry["name"]: entry["hardware"] for entry in json.loads((TRACES / "hardware.json").read_text())
        }
        seen = set()
        for folder in ("nn", "conv2d", "atax"):
            # The counters are of launches with cold caches.
            for line in example("replay_trace", TRACES / folder, "h100", "kernels.flush=all").splitlines()[1:]:
                l1, l2, dram, name = line.split()
                hardware = counted[name]
                with self.subTest(kernel=name):
                    self.assertAlmostEqual(float(l1), 100 * hardware["load_sector_hit_rate"], delta=2)
                    self.assertAlmostEqual(float(l2), 100 * hardware["l2_read_sector_hit_rate"], delta=10)
                    self.assertAlmostEqual(int(dram) / hardware["dram_read_sectors"], 1, delta=0.1)
                seen.add(name)
        self.assertEqual(seen, set(counted))

    def test_usage_and_bad_input(self):
        self.assertIn("usage:", example("replay_trace", status=2))
        self.assertIn("no-such-preset", example("replay_trace", TRACES / "nn", "no-such-preset", status=1))
        self.assertIn("no-such-file", example("replay_trace", "no-such-file.traceg", status=1))


class Profile(unittest.TestCase):
    def test_what_bypasses_moves_less(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "gesummv.profile")
            output = example("profile", "synthetic:gesummv:64KiB", file)
            self.assertGreater(os.path.getsize(file), 0)
        rows = re.findall(r"^ +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)  (\w+)$", output, re.M)
        # Each thread reads along its own rows: a warp's words are on 32 lines, 4 bytes of each line's 128. All threads
        # read the same word of the vector.
        self.assertEqual([(row[0], row[3]) for row in rows], [("1", "0.031"), ("32", "0.031")])
        for _, _, reuse, used, score, verdict in rows:
            self.assertAlmostEqual(float(score), (1 + float(reuse)) / 32, delta=0.001)
            self.assertEqual(verdict, "bypass" if float(score) < 1 else "cache")
        counts = re.findall(r"^(\d+) sectors from L2 with (\S+?)(?:\(|$)", output, re.M)
        traffic = {name: int(count) for count, name in counts}
        self.assertLess(traffic["hybrid"], traffic["always-cache"])

    def test_usage_and_bad_input(self):
        self.assertIn("usage:", example("profile", status=2))
        self.assertIn("no-such-file", example("profile", "no-such-file.traceg", "x", status=1))
        self.assertIn("no-such-preset", example("profile", "synthetic:gather", "x", "no-such-preset", status=1))
        self.assertIn("no-such-folder", example("profile", "synthetic:gather:4KiB", "no-such-folder/x", status=1))


class Batch(unittest.TestCase):
    def test_a_loop_one_line_too_long_for_each_set(self):
        hits = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+) of 16000 hit$", example("batch"), re.M)}
        # Five lines go round in each set of four ways. LRU always evicts the line needed next. Once the four ways are
        # full, the optimum misses one access in four of a set's 500 (one in five with bypass).
        self.assertEqual(hits["lru"], 0)
        self.assertGreater(hits["random"], 0)
        self.assertGreaterEqual(hits["opt"], 32 * (500 - 4 - 496 / 4))
        self.assertLessEqual(hits["opt"], 32 * (500 - 4 - 496 / 5))
        self.assertGreater(hits["opt"], hits["random"])


class Coherence(unittest.TestCase):
    # Messages of 8 bytes take 4 cycles, with a block 7; memory takes 20, a cache 1.
    OUTPUT = """\
l1-0 store: 6, I -> M, 32 cycles
  cycle 0: l1-0 to memory, write request, 8 bytes
  cycle 24: memory to l1-0, data, 72 bytes
l1-1 load: 6, I -> S, 17 cycles
  cycle 0: l1-1 to memory, read request, 8 bytes
  cycle 4: memory to l1-0, read probe, 8 bytes
  cycle 9: l1-0 to l1-1, data, 72 bytes
  cycle 10: l1-0 to memory, ack, 8 bytes
l1-1 n-store: 7, S -> N, 1 cycles
l1-0 load: 6, O -> O, 1 cycles
"""

    def test_steps(self):
        """The owner of a block sends the data. An N-store sends no message, and the other cache keeps its value (Table
        2.5)."""
        self.assertEqual(example("coherence"), self.OUTPUT)
        self.assertEqual(example("coherence", "nmoesi"), self.OUTPUT)
        # Without O the block is written back when a second cache reads. Without N the last load misses.
        lines = example("coherence", "mesi").splitlines()
        self.assertIn("  cycle 10: l1-0 to memory, write-back, 72 bytes", lines)
        self.assertTrue(lines[-1].startswith("  cycle"), lines)
        self.assertIn("mosei", run(BUILD / "examples" / "example-coherence", "mosei", status=1))

    def test_python(self):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"))
        lines = run(sys.executable, ROOT / "examples" / "coherence.py", env=environment).splitlines()
        rows = {name: (int(cycles), int(sent), memory) for name, cycles, sent, memory in map(str.split, lines[1:])}
        self.assertEqual({row[2] for row in rows.values()}, {"0102030405060708"})
        # Five blocks are read: 8 + 72 bytes a block. The four blocks left in the end are probed and answer: 16 bytes a
        # block.
        reads = 5 * 80 + 4 * 16
        # Each cache fetches the block once. Each copy is flushed: a request, the block, an acknowledgement.
        self.assertEqual(rows["nmoesi"][1], 2 * 80 + 2 * 88 + reads)
        # One eviction of a clean block is announced and acknowledged.
        self.assertEqual(rows["loud-nmoesi"][1], rows["nmoesi"][1] + 16)
        # Each store but the first: request, probe, block from the other cache, acknowledgements of the cache and of
        # memory.
        for name in ("msi", "mesi", "moesi"):
            self.assertEqual(rows[name][1], 80 + 7 * (8 + 8 + 72 + 8 + 8) + 88 + reads, name)
            self.assertGreater(rows[name][0], rows["nmoesi"][0])


class PythonPolicy(unittest.TestCase):
    def test_runs_against_built_in_ones(self):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"))
        # Rows too many for L1, read along and across: a policy with a part of the rows kept hits more often than LRU.
        output = run(sys.executable, ROOT / "examples" / "policy.py", "synthetic:bicg:256KiB", env=environment)
        functional, timed = output.split("timed:")
        names = ["lru", "age-lru", "bip", "reuse-by-pc"]
        rows = {}
        for part, figures in ((functional, 4), (timed, 7)):
            found = re.findall(rf"^.*?([a-z-]+)((?: +[\d.,]+){{{figures}}})$", part, re.M)
            self.assertEqual([name for name, _ in found], names)
            rows[figures] = {name: [float(cell.replace(",", "")) for cell in cells.split()] for name, cells in found}
            means = re.findall(r"^(?:geometric mean)? +([a-z-]+)(?: +\d\.\d{3})+$", part, re.M)
            self.assertEqual(means, names)
        hit_rates = {name: figures[0] for name, figures in rows[4].items()}
        self.assertGreater(hit_rates["reuse-by-pc"], hit_rates["lru"] + 0.05)
        for count, traffic, ratio in ((4, 1, -1), (7, 2, -2)):
            for name, figures in rows[count].items():
                # A ratio equals the quotient of the figures, as far as the printed digits go.
                self.assertAlmostEqual(figures[ratio], figures[traffic] / rows[count]["lru"][traffic], delta=6e-4)
        for name in names:
            self.assertAlmostEqual(rows[7][name][-1], rows[7]["lru"][4] / rows[7][name][4], delta=6e-4)


class Memcheck(unittest.TestCase):
    """No decision depends on unwritten memory, and no memory leaks; the sanitizers do not see unwritten memory."""

    def test_examples_under_valgrind(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = holder.name
        valgrind = ("valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--child-silent-after-fork=yes")
        for name, *arguments in (
            ("cache_only",), ("scheduler_only",), ("throttle",), ("batch",), ("coherence",), ("embed_host",),
            ("embed_timed", "own-dram"), ("coherence_walkthrough",), ("events",),
            ("custom_policy", "synthetic:warp-reuse:64KiB"), ("replay_trace", TRACES / "nn"),
            ("profile", "synthetic:gesummv:16KiB", os.path.join(folder, "profile")),
        ):
            with self.subTest(example=name):
                run(*valgrind, BUILD / "examples" / f"example-{name}", *arguments)


if __name__ == "__main__":
    unittest.main()
