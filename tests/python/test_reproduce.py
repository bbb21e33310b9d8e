# SPDX-License-Identifier: BSD-2-Clause
"""The documents' claims: the rules of agreement, sweeps and searches worked out by hand."""

import collections
import os
import re
import signal
import unittest

from harness import ROOT, TemporaryCase, python

import gpucache
from gpucache import _pairs
from gpucache.cli.reproduce import _verdict, summary, verdicts
from gpucache.reproduce import (
    EXPERIMENTS, Runs, Verdicts, _accelwattch, _bench, _kept, _model, _pcal, _profiles, _programs, _signatures, _tokens,
    keep, kept, seeds000, seeds001, seeds004,
)  # fmt: skip
from gpucache.reproduce._bench import Bench
from gpucache.reproduce._claims import Claims, Entry
from gpucache.reproduce._programs import INSENSITIVE, SENSITIVE, warp_max

RATES = (
    "ipc", "l1.load_miss_ratio", "global_miss_ratio", "round_trip.mean_latency", "network.request_latency",
    "network.reply_latency", "scheduler.memory_stall_ratio", "scheduler.line_stall_ratio",
    "scheduler.mshr_stall_ratio", "l2.congestion_ratio", "dram.utilisation", "l2.read_hit_rate",
    "l1.cache_warp_miss_ratio", "l1.bypass_warp_miss_ratio", "l1.intra_warp_hits", "l1.inter_warp_hits",
    "l1.load_sector_hits", "l1.load_sectors", "l1.pending_sector_hits", "l1.store_sector_hits", "l1.store_sectors",
)  # fmt: skip


class Made:
    """Runs whose cycles are `cycles(settings)`, and whose rates are all different numbers."""

    def __init__(self, cycles):
        self.cycles = cycles
        self.seen = []

    def all(self, tasks):
        tasks = list(tasks)
        self.seen += tasks
        return [self.figures(self.cycles(settings)) for _, _, settings in tasks]

    @staticmethod
    def each(tasks):
        """Programs of seeds/002: 100 accesses of a level, of which 30 hit, and 10 of shared memory."""
        none = [[0] * 6 for _ in range(6)]
        counters = {"accesses": 100, "hits": 30, "read_probes": 8, "write_probes": 2, "retries": 10, "invalidations": 4,
                    "transitions": none, "origins": none}  # fmt: skip
        levels = {"L1": counters, "L2": counters}
        return [10 if run[0] == "shared" else {"cycles": 1000, "levels": levels, "firsts": levels} for run, _ in tasks]

    @staticmethod
    def kept(run, measure):
        if run[0] == "shared lanes":
            return 50
        if run[0] == "measured":  # 16 of 40 sectors are hits
            watts = 90 if "l1.spaces" in run[3] else 100
            return {"watts": [[watts, 2 * watts]] * 2, "l1.load_sectors": 30, "l1.load_sector_hits": 15,
                    "l1.pending_sector_hits": 2, "l1.store_sectors": 10, "l1.store_sector_hits": 3}  # fmt: skip
        if run[0] == "reuse of addresses":
            return [[1, 3, 2, 1]]
        if run[0] == "loads":
            return [0, 3] + [0] * 30 + [1]
        if run[0] == "ages":
            return [8 - n for n in range(8)] + [0] * 57
        return 1e6 if run[0] == "accesses" else [[100, 4, 0.5, 3.4], [50, 2, 0.8, 2.5]]

    @staticmethod
    def profile(preset, source):
        """Two kernels with a load and two, of one transaction and of two."""
        return _profiles.Facts([[1, 3.0, 0.5, 2.0], [2, 0.0, 0.1, 0.1]], [[0.1, [1]], [2.0, []]], [[5, 5], [5, 6]],
                               [["a", 10, 4], ["a", 10, 0], ["b", 5, 5]], "made.profile")  # fmt: skip

    @staticmethod
    def figures(cycles):
        return {"cycles": cycles, **{name: 1 / cycles + n for n, name in enumerate(RATES)}, "ipc": 1e6 / cycles}


def by_limit(settings):
    """Fastest with 6 warps of 24; PCAL's added warps are worth more than the removed ones."""
    found = re.search(r"warps=(\d+),ebt=(-?\d+)", settings.get("scheduler", ""))
    if found:
        return 900 - 10 * int(found[2]) if int(found[2]) > 0 else 950
    return 1000 + 10 * abs(int(settings.get("sm.warp_limit", 24)) - 6)


class Rules(unittest.TestCase):
    def test_agreement(self):
        for claim, agrees in (
            (_model.ratio("a", "b", 2.0, 2.2), True), (_model.ratio("a", "b", 2.0, 2.21), False),
            (_model.ratio("a", "b", 2.0, 1.79), False), (_model.rate("a", "b", 94, 0.99), True),
            (_model.rate("a", "b", 94, 0.889), False), (_model.count("a", "b", 24, 24), True),
            (_model.count("a", "b", 24, 23), False), (_model.missing("a", "b", "1", "why"), None),
        ):  # fmt: skip
            self.assertIs(claim.agrees, agrees, claim)

    def test_plain(self):
        """Numbers from 1,000 on are whole, and no number has an exponent."""
        for number, text in ((6126, "6,126"), (4.2e6, "4,200,000"), (1.0321, "1.03"), (999.4, "999"), (999.6, "1,000"),
                             (0.0000591, "0.000059"), (0, "0")):  # fmt: skip
            self.assertEqual(_model.plain(number), text)
        for claim, texts in ((_model.ratio("a", "b", 1.032, 1.0321), ("1.032", "1.03")),
                             (_model.ratio("a", "b", 6096, 6126, unit="bytes"), ("6,096 bytes", "6,126 bytes")),
                             (_model.count("a", "b", 1086, 1087), ("1,086", "1,087"))):  # fmt: skip
            self.assertEqual((claim.theirs, claim.ours), texts)

    def test_names_differ(self):
        names = [each.name for each in EXPERIMENTS]
        self.assertEqual(len(set(names)), len(names))


class Benches(unittest.TestCase):
    def setUp(self):
        self.bench = Bench(Made(by_limit))

    def program(self, name):
        return next(program for program in SENSITIVE if program.name == name)

    def test_sweep(self):
        program = self.program("KMN")
        self.assertEqual(self.bench.warps(program), [1, 2, 4, 6, 8, 10, 14, 18, 22, 24])
        self.assertEqual(self.bench.warps(self.program("GESUMMV")), [1, 2, 4])
        sweep = self.bench.sweeps()["KMN"]
        self.assertEqual([sweep[n]["cycles"] for n in (1, 6, 24)], [1050, 1000, 1180])
        self.assertEqual(self.bench.best(program), (6, 1180 / 1000))
        limits = [settings for _, source, settings in self.bench.runs.seen if source == program.source]
        self.assertEqual(limits[-1], {})  # warp-max is without a limit
        self.assertEqual(len(limits), 10)

    def test_base(self):
        """Without a sweep: one run of each program, without a limit."""
        for _ in range(2):
            self.assertEqual(self.bench.base(self.program("KMN"))["cycles"], 1180)
        self.assertEqual([settings for _, _, settings in self.bench.runs.seen], [{}] * len(SENSITIVE))

    def test_static(self):
        """At least one of 6 warps caches, and the added warps fit."""
        found = self.bench.static()
        self.assertEqual(sorted(found["KMN"]), [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6])
        self.assertEqual(self.bench.best(self.program("GESUMMV"))[0], 2)
        self.assertEqual(sorted(found["GESUMMV"]), [-1, 0, 1, 2])
        self.assertAlmostEqual(self.bench.speedups(found)["KMN"][6], 1180 / 840)
        settings = next(s for _, _, s in self.bench.runs.seen if "ebt=6" in s.get("scheduler", ""))
        self.assertEqual(settings, {"scheduler": "gto + pcal(warps=6,ebt=6)", "l1.tokens": "opportunistic",
                                    "l1.bypass_fetch": "line"})  # fmt: skip

    def test_more_settings(self):
        """Below an experiment's own settings."""
        bench = Bench(Made(by_limit), more={"l1.index": "xor", "sm.warp_limit": "3"})
        bench.all({"": (self.program("KMN"), {"sm.warp_limit": "6"})})
        self.assertEqual(bench.runs.seen[-1][2], {"l1.index": "xor", "sm.warp_limit": "6"})

    def test_machines(self):
        """Sets are hashed in seeds/004's, and not in seeds/001's, unless the caller says otherwise."""
        hashed = {"l1.index": "xor", "l1.index_bits": "6", "l2.index": "xor", "l2.interleave": "hash"}
        self.assertEqual(Bench.of("004", None).more, hashed)
        self.assertEqual(Bench.of("004", None, more={"l1.index": "modulo"}).more, {**hashed, "l1.index": "modulo"})
        self.assertEqual(Bench.of("001", None).more, {})
        with gpucache.Context() as context, gpucache.Config(context, _bench.PRESET, hashed) as config:
            self.assertEqual({key: config[key] for key in hashed}, hashed)

    def test_index_functions(self):
        """Each function is on a separate machine, with all sizes; the best size has the most agreeing claims."""
        keys = "l1.index", "l1.index_bits", "l2.index", "l2.interleave"
        of_l1 = ("modulo", "0"), ("xor", "0"), ("xor", "6"), ("fermi", "0"), ("ipoly", "0")
        of_l2 = ("modulo", "modulo"), ("xor", "hash")
        bench = Bench.of("004", Made(by_limit), only=("GESUMMV", "SCLUSTER"))
        experiment = next(each for each in EXPERIMENTS if each.name == "004:set-hashing")
        found = list(experiment.run(bench))
        seen = {tuple(settings[key] for key in keys) for _, _, settings in bench.runs.seen}
        self.assertEqual(seen, {(*l1, *l2) for l1 in of_l1 for l2 in of_l2})
        self.assertEqual({source for _, source, _ in bench.runs.seen},
                         {source for name in bench.only for _, source in _programs.SIZES[name]})  # fmt: skip
        self.assertEqual(len(found), 2 * len(seen))
        for claim in found:
            self.assertEqual((claim.theirs, claim.agrees), ("", None))
            each = [int(size.split(": ")[1].split()[0]) for size in claim.note.split("; ")]
            self.assertEqual(int(claim.ours.split()[0]), max(each))
        quick = Bench.of("004", Made(by_limit), quick=True)
        self.assertEqual(len(list(experiment.run(quick))), len(seeds004.QUICK_INDEXES) * len(seeds004.QUICK_SEARCHED))

    def test_index_functions_count_claims(self):
        """Claims under a function are those of a call with its settings."""
        bench = Bench.of("004", Made(by_limit), only=("GESUMMV",))
        found = {claim.what: claim.note for claim in seeds004.set_hashing(bench)}
        own = Bench.of("004", Made(by_limit), more=seeds004.INDEXES["modulo, L2 hashed"], only=("GESUMMV",))
        own.programs = own.throttled = own.replaced = [
            own.programs[0]._replace(source=_programs.SIZES["GESUMMV"][0][1])]  # fmt: skip
        claims = [claim.agrees for each in EXPERIMENTS
                  if each.document == "004" and "GESUMMV" in each.programs and each.name != "004:set-hashing"
                  for claim in each.claims(own)]  # fmt: skip
        self.assertIn(f"2,048 columns: {claims.count(True)} of {len(claims) - claims.count(None)}",
                      found["modulo, L2 hashed"])  # fmt: skip

    def test_sooner_by_segments(self):
        """Faster, with a shorter network's way and a shorter round trip: all three."""
        def figures(cycles, network, trip):
            return {0: {"cycles": cycles, "network.request_latency": network, "network.reply_latency": 0,
                        "round_trip.mean_latency": trip}}  # fmt: skip

        best = {"CoMD": (0, 1.0)}
        for parts, agrees in (((90, 9, 90), True), ((100, 9, 90), False), ((90, 10, 90), False), ((90, 9, 100), False)):
            claim, = _pcal._sooner((best, best), {"CoMD": figures(100, 10, 100)}, {"CoMD": figures(*parts)})
            self.assertEqual(claim.agrees, agrees, parts)

    def test_launched_again(self):
        """Learning from a kernel's last launch needs an earlier launch; --quick's programs have none."""
        future = next(each for each in EXPERIMENTS if each.name == "004:sections-7.2-7.3")
        for quick, agrees in ((True, None), (False, False)):
            *_, claim = future.run(Bench(Made(by_limit), quick))
            self.assertIn("last launch", claim.what)
            self.assertIs(claim.agrees, agrees, claim)

    def test_storage(self):
        """Cost of the preset's L1: the document's AWID fields are 128 bytes, ours are two more an SM."""
        figure = next(each for each in EXPERIMENTS if each.name == "004:sections-6.3-7.3")
        self.assertEqual([(claim.subject, claim.theirs, claim.ours) for claim in figure.run(self.bench)],
                         [("age-lru", "128 bytes", "130 bytes"), ("rpr", "6,096 bytes", "6,126 bytes")])  # fmt: skip

    def test_each_experiment_has_claims(self):
        """And a found figure is compared."""
        for experiment in EXPERIMENTS:
            claims = list(experiment.run(self.bench))
            self.assertTrue(claims, experiment.name)
            for claim in claims:
                unknown = claim.ours == "-" and bool(claim.note)
                self.assertEqual(claim.agrees is None, unknown or not claim.theirs, claim)

    def test_programs(self):
        """A bench for a program makes the claims of a whole call on the program, and runs fewer programs."""
        known = {name for experiment in EXPERIMENTS for name in experiment.programs}
        for experiment in EXPERIMENTS:
            whole = Bench(Made(by_limit))
            claims = experiment.claims(whole)
            names = {_model.program_of(claim) for claim in claims}
            self.assertEqual(set(experiment.programs), names & known, experiment.name)
            for name in experiment.programs:
                bench = Bench(Made(by_limit), only=(name,))
                self.assertEqual([(c.subject, c.what) for c in experiment.claims(bench)],
                                 [(c.subject, c.what) for c in claims if _model.program_of(c) == name], experiment.name)
                if len(experiment.programs) > 1 and whole.runs.seen:
                    self.assertLess(len(bench.runs.seen), len(whole.runs.seen), experiment.name)

    def test_means(self):
        """Arithmetic, like 4.8.3's mean of Table 4.1; with fewer programs than the document's nothing is compared."""
        self.assertAlmostEqual(_bench.mean(p.gain for p in SENSITIVE if p.gain), 1.41, 2)
        static = next(each for each in EXPERIMENTS if each.name == "004:figures-4.12-4.13")
        for quick in (False, True):
            means = [c for c in static.run(Bench(Made(by_limit), quick)) if c.subject.endswith(", of 12")]
            self.assertEqual(len(means), 4)
            for claim in means:
                self.assertEqual(claim.agrees is None, quick, claim)
                self.assertEqual("4 of the document's 12 programs" in claim.note, quick, claim)

    def test_loads(self):
        """Three of four make one access, one 32, in every program: equal in all."""
        figure = next(each for each in EXPERIMENTS if each.name == "001:figure-5")
        *curves, span, differ = figure.run(self.bench)
        self.assertEqual({claim.ours for claim in curves}, {"1: 75 %, 32: 25 %"})
        self.assertEqual((span.ours, span.agrees, differ.agrees), ("1 to 32", True, False))
        found = seeds001._loads("synthetic:rodinia-kmeans:306KiB:launch=1")
        self.assertEqual([n for n, loads in enumerate(found) if loads], [32])

    def test_power(self):
        """A tenth less without L1: lower in the mean and at most. Each bar is compared with the power of its kind."""
        figure = next(each for each in EXPERIMENTS if each.name == "000:figure-15")
        claims = list(figure.run(self.bench))
        lower = [claim for claim in claims if claim.theirs == "lower"]
        self.assertEqual([claim.subject for claim in lower[::2]], ["b+tree", "backprop", "bfs"])
        self.assertEqual({(claim.ours, claim.agrees) for claim in lower},
                         {("100.0 -> 90.0 W", True), ("200.0 -> 180.0 W", True)})  # fmt: skip
        bfs = [claim for claim in claims if claim.subject == "bfs" and claim not in lower]
        self.assertEqual([(claim.theirs, claim.ours, claim.agrees) for claim in bfs], [
            ("116", "100", False), ("100.8", "90", False), ("221.2", "200", True), ("180.4", "180", True)])  # fmt: skip

    def test_hits(self):
        """Loads and stores, without sectors on their way: 16 of 40."""
        figure = next(each for each in EXPERIMENTS if each.name == "000:figure-14")
        self.assertEqual({claim.ours for claim in figure.run(self.bench) if "(14)" in claim.what}, {"40.0 %"})

    def test_programs_fit(self):
        """The same number of warps as in the document's Table 4.1, whole and quick."""
        for program in SENSITIVE:
            for source in (program.source, program.quick):
                if program.warp_max:
                    self.assertEqual(warp_max(_bench.PRESET, source), program.warp_max, source)
        for program in INSENSITIVE:
            self.assertGreater(warp_max(_bench.PRESET, program.source), 0)


class Curves(unittest.TestCase):
    """Verdicts on invented figures for each EBTNum."""

    KEYS = {"network": "network.request_latency", "trip": "round_trip.mean_latency", "mshr": "scheduler.mshr_stall_ratio",
            "stalls": "scheduler.memory_stall_ratio", "all": "l1.load_miss_ratio", "cache": "l1.cache_warp_miss_ratio",
            "bypass": "l1.bypass_warp_miss_ratio"}  # fmt: skip

    def found(self, **curves):
        """{EBTNum: figures} of curves from EBTNum 0 on; a missing figure is 0."""
        count = max(map(len, curves.values()))
        return {n: {key: curves.get(label, [0] * count)[n] for label, key in self.KEYS.items()}
                | {"network.reply_latency": 5} for n in range(count)}  # fmt: skip

    def verdicts(self, claims):
        return {claim.what.split(" (")[0]: claim.agrees for claim in claims}

    def test_halves(self):
        found = {1: "b", -2: "d", 0: "a", -1: "c", 4: "e"}
        self.assertEqual(list(_tokens.added(found).items()), [(0, "a"), (1, "b"), (4, "e")])
        self.assertEqual(list(_tokens.taken(found).items()), [(0, "a"), (-1, "c"), (-2, "d")])
        self.assertEqual(_tokens.curve({0: 0.1, -1: 0.25}, lambda value: value, _tokens.percent), "0 10 %, -1 25 %")

    def test_network(self):
        """Congested: up by more than 30 %, and above 20 cycles."""
        for network, congested in (([20, 30], True), ([20, 25], False), ([5, 14], False)):
            claims = list(_tokens._latency("KMN", self.found(network=network)))
            self.assertEqual([claim.agrees for claim in claims], [congested], network)
        self.assertEqual(list(_tokens._latency("II", self.found(network=[20, 30]))), [])

    def test_mshrs(self):
        before, after = _tokens._saturation("II", self.found(mshr=[0.1, 0.15, 0.3]))
        self.assertEqual((before.agrees, after.agrees), (False, True))
        self.assertEqual(after.ours, "0 10 %, +1 15 %, +2 30 %")
        (few,) = _tokens._saturation("SCLUSTER", self.found(mshr=[0.1, 0.3]))
        self.assertFalse(few.agrees)

    def test_misses(self):
        claims = _tokens._misses("SM", self.found(cache=[0.10, 0.14, 0.16], bypass=[0, 0.96, 0.99]))
        self.assertEqual(self.verdicts(claims), {"misses of warps that cache, with more warps": False,
                                                 "misses of warps that bypass": True})  # fmt: skip
        claims = _tokens._misses("SS", self.found(cache=[0.10, 0.14], bypass=[0, 0.96]))
        self.assertEqual(list(self.verdicts(claims).values()), [True, False])
        quiet = self.found(cache=[0.1, 0.1])
        del quiet[1]["l1.bypass_warp_miss_ratio"]
        self.assertIsNone(list(_tokens._misses("SM", quiet))[-1].agrees)

    def test_fewer(self):
        fewer = {-n: figures for n, figures in self.found(
            all=[0.5, 0.4], cache=[0.5, 0.3], bypass=[0, 0.9], trip=[300, 250], stalls=[0.2, 0.3]).items()}  # fmt: skip
        self.assertEqual(list(self.verdicts(_tokens._kept("BFS", fewer)).values()), [True, True])
        self.assertEqual(list(self.verdicts(_tokens._kept("SCLUSTER", fewer)).values()), [False, True])
        self.assertEqual(list(self.verdicts(_tokens._resources("CoMD", fewer)).values()), [True, False])

    def test_left_open(self):
        """Questions left open by the document get no verdict."""
        open_, run, missed = _model.told("a", "b", "1"), _model.count("a", "b", 1, 1), _model.missing("a", "b", "1", "why")
        self.assertEqual([_verdict(claim) for claim in (open_, run, missed)], ["", "yes", "not run"])
        known = Claims([Entry(1, (("x",), ("a",), ("hope",)), "expectation", "", "", "", "", "")])
        hope = _model.count("a", "hope", 1, 2)
        pairs = [(claim, known.judge("x", claim)) for claim in (open_, run, missed, hope)]
        rows = summary([(_model.Experiment("x", "y", None), pairs)])
        self.assertRegex(rows[-3], r"^all +1 +0 +1 +1$")
        self.assertRegex(rows[-2], r"^kind: expectation +0 +1 +0$")
        self.assertRegex(rows[-1], r"^kind: result +1 +0 +1$")


class Power(unittest.TestCase):
    """AccelWattch's equation."""

    NONE = dict.fromkeys(
        ("sm.active_cycles", "l1.lookups", "l1.load_sectors", "l1.load_sector_hits", "l1.pending_sector_hits",
         "l1.store_sectors", "l1.store_sector_hits", "l2.read_sectors", "l2.read_sector_hits", "l2.write_sectors",
         "l2.write_sector_hits", "dram.read_sectors", "dram.write_sectors", "dram.precharges", "warp_instructions",
         "thread_instructions"), 0)  # fmt: skip

    def test_idle(self):
        """The constant part, and 80 idle SMs."""
        self.assertAlmostEqual(_accelwattch.watts({**self.NONE, "cycles": 500}, {}, 1000), 32.3252 + 80 * 0.28279166, 4)

    def test_events(self):
        """1,000 events in 500 cycles of 1 GHz: 2 mW a pJ. SMs at work, 32 lanes: 18.618 + 31 x .645 W, none idle."""
        base = {**self.NONE, "cycles": 500}
        idle = _accelwattch.watts(base, {}, 1000)
        for counter, ptx, sass in (("dram.read_sectors", 2203.59, 2062.17), ("dram.precharges", 355.509, 332.694)):
            for factors, picojoules in ((_accelwattch.PTX, ptx), (_accelwattch.SASS, sass)):
                found = _accelwattch.watts({**base, counter: 1000}, {}, 1000, factors)
                self.assertAlmostEqual(found - idle, 0.002 * picojoules, 4)
        read = {**base, "l2.read_sectors": 1000, "l2.read_sector_hits": 1000}  # two flits
        self.assertAlmostEqual(_accelwattch.watts(read, {}, 1000) - idle, 0.002 * (68.7875 + 2 * 86.1012), 4)
        busy = {**base, "sm.active_cycles": 80 * 500, "warp_instructions": 1000, "thread_instructions": 32000}
        instruction = 5.87836 + 17.3106 + 149.804 / 2 + 32 * (2 * 2.50016 + 2.13674)
        for mix, static, more in (
            ({"integer": 0.5}, 15.29035866 + 31 * 0.586233603, 32 * 0.5 * 6.92239),
            ({"integer": 0.5, "float": 0.25}, 18.6179906 + 31 * 0.645228013, 32 * (0.5 * 6.92239 + 0.25 * 9.98615)),
            ({"quotient": 0.5, "shared access": 0.01}, 18.6179906 + 31 * 0.645228013, 32 * 0.01 * 112.605),
            ({"float": 0.5, "root": 0.5}, 18.55029744 + 31 * 0.6099397, 32 * 0.5 * (9.98615 + 7.54486)),
        ):
            found = _accelwattch.watts(busy, mix, 1000)
            self.assertAlmostEqual(found, 32.3252 + static + 0.002 * (instruction + more), 3)

    def test_mixes(self):
        """The 25 instructions of bpnn_adjust_weights: eight moves and a comparison, an IMAD, four products, an FADD; only
        threads of the first units have more. bpnn_layerforward has shared memory and powers of two."""
        forward, adjust = _accelwattch.mixes("synthetic:rodinia-backprop:4456516")
        self.assertEqual(set(adjust), {"integer", "integer product", "float product", "float"})
        for event, number in (("integer", 8), ("integer product", 1), ("float product", 4), ("float", 1)):
            self.assertAlmostEqual(adjust[event], number / 25, 3)
        self.assertEqual(set(forward), {*adjust, "shared access", "exponential"})

    def test_l1(self):
        """A load on its way is a hit and takes one from the misses; without L1 nothing is counted."""
        found = {**self.NONE, "l1.lookups": 1, "l1.load_sectors": 30, "l1.load_sector_hits": 15, "l1.pending_sector_hits": 2,
                 "l1.store_sectors": 10, "l1.store_sector_hits": 3}  # fmt: skip
        names = [f"l1 {kind}" for kind in ("read hit", "read miss", "write hit", "write miss")]
        self.assertEqual([_accelwattch.counts(found, {})[name] for name in names], [15, 13, 3, 7])
        self.assertEqual([_accelwattch.counts({**found, "l1.lookups": 0}, {})[name] for name in names], [0] * 4)

    def test_run(self):
        """An interval may take more than the mean."""
        sources = ["synthetic:rodinia-dwt2d:147456:levels=3"]
        with_l1, without = (seeds000._measured(sources, {**seeds000.PUBLISHED, **settings})
                            for settings in ({}, seeds000.NO_L1))  # fmt: skip
        for found in (with_l1, without):
            for mean, most in found["watts"]:
                self.assertGreater(mean, 32.3252)
                self.assertGreater(most, mean)
        self.assertEqual((with_l1["kernels"], without["l1.lookups"]), (10, 0))
        self.assertNotEqual(with_l1["watts"], without["watts"])


class Pairs(unittest.TestCase):
    """Loads that bypass, from runs of each and of each pair."""

    def test_trials(self):
        """25 runs of 6 and 2 loads, as Table 3 of seeds/001 has for gaussian; pairs belong to one kernel."""
        kernels = ["fan2"] * 6 + ["fan1"] * 2
        trials = _pairs.trials(kernels)
        self.assertEqual((len(trials), len(set(trials)), trials[0]), (25, 25, ()))
        self.assertIn((6, 7), trials)
        self.assertNotIn((5, 6), trials)

    def test_loads_depend_on_one_another(self):
        """0 and 1 lose alone and gain together; 2 gains, but not with 0 and 1; 3, in another kernel, gains alone."""
        cycles = {(): 100, (0,): 102, (1,): 101, (2,): 95, (0, 1): 80, (0, 2): 110, (1, 2): 110, (3,): 99}
        self.assertEqual(_pairs.best(["a", "a", "a", "b"], cycles), (0, 1, 3))
        cycles[0, 1] = 101
        self.assertEqual(_pairs.best(["a", "a", "a", "b"], cycles), (2, 3))
        self.assertEqual(_pairs.best(["a"], {(): 5, (0,): 5}), ())


class Loads(unittest.TestCase):
    """A compiler's search: seeds/001, Table 3, tells the number of runs, and so each kernel's number of loads."""

    def loads(self, source):
        with gpucache.Context() as context, gpucache.Config(context, _bench.PRESET) as config:
            with gpucache.Profile(context, config) as profile, gpucache.Trace(context, source) as trace:
                profile.run(trace)
                return [row.kernel for row in profile.instructions()]

    def test_as_published(self):
        for program in seeds001.PROGRAMS:
            _, runs = seeds001.TABLE_3[program.name]
            self.assertEqual(len(_pairs.trials(self.loads(program.quick))), runs, program.name)


class Kept(TemporaryCase):
    """Earlier calls in a file of runs."""

    CLAIMS = [_model.count("a", "b", 1, 1), _model.count("a", "b", 1, 2), _model.missing("a", "b", "1", "why"),
              _model.told("a", "b", "1"), _model.count("a", "b", 2, 2)]  # fmt: skip

    def test_read_back(self):
        """In the requested order; a later call replaces an equal one, and no other."""
        first, second = (_model.Experiment(name, "", None) for name in ("x:1", "x:2"))
        with Runs(self.path("runs")) as runs:
            keep(runs.results, second, self.CLAIMS, False, {"k": "v"})
            keep(runs.results, first, self.CLAIMS, False, {})
            keep(runs.results, first, self.CLAIMS, True, {})
            keep(runs.results, first, self.CLAIMS[:1], True, {})
            runs.results.put(["another"], {"cycles": 1})
        with Runs(self.path("runs")) as runs:
            found = kept(runs.results, ["x:1", "x:2"])
        self.assertEqual([(v.name, v.quick, v.settings, v.agree, v.differ, v.missing) for v in found],
                         [("x:1", False, {}, 2, 1, 1), ("x:1", True, {}, 1, 0, 0), ("x:2", False, {"k": "v"}, 2, 1, 1)])

    def test_sums_of_what_is_alike(self):
        """Full and quick runs, and runs of two builds, are not added up."""
        def row(name, quick, build, *counts, **settings):
            return Verdicts(name, quick, settings, "c1", build, "d", *counts)

        rows = verdicts([row("x:1", False, "b1", 1, 2, 3), row("x:2", False, "b1", 4, 5, 6), row("x:3", True, "b1", 7, 8, 9),
                         row("x:4", False, "b2", 1, 1, 1), row("x:5", False, "b1", 2, 2, 2, k="v")])  # fmt: skip
        sums = [row.split()[3:] for row in rows if row.startswith("all of these")]
        self.assertEqual(sums, [["5", "7", "9", "c1", "b1", "full"], ["2", "2", "2", "c1", "b1", "full", "k=v"],
                                ["7", "8", "9", "c1", "b1", "quick"], ["1", "1", "1", "c1", "b2", "full"]])  # fmt: skip

    def test_commit(self):
        """The last change of the library's sources, with the library in the sources' checkout."""
        found = _kept._git(ROOT, "log", "-1", "--format=%h", "--", "lib", "include")
        self.assertIn(_kept.commit().rstrip("+"), ("", found))
        self.assertEqual(_kept._git(self.path("no folder"), "log"), "")


class Profiles(TemporaryCase):
    @staticmethod
    def loads(source):
        """Lines and segments of each load of a warp."""
        with gpucache.Context() as context, gpucache.Trace(context, source) as trace:
            return [[len({address // size for address in each.addresses}) for size in (128, 32)]
                    for kernel in trace for block in kernel for warp in block for each in warp
                    if each.addresses and each.kind == gpucache.Kind.LOAD]  # fmt: skip

    def test_classes_by_segments(self):
        """A launch of 1,024 points, a segment each, with entries for 10 centres and one more."""
        source = "synthetic:rodinia-streamcluster:256KiB:dimensions=16,blocks=2"
        loads = self.loads(source)
        found = _profiles.measure("gtx480", source, self.folder)
        classes = {n: (reuse, used, score) for n, reuse, used, score in found["classes"]}
        self.assertEqual(sorted(classes), sorted({lines for lines, _ in loads}))
        for n, (_, used, _) in classes.items():
            segments = [segments for lines, segments in loads if lines == n]
            self.assertAlmostEqual(used, sum(segments) / (4 * n * len(segments)))
        self.assertGreater(len(classes), 8)
        self.assertEqual((max(classes), classes[11][0]), (11, 0))

    def test_reuse_of_addresses(self):
        """A warp loads two lines three times; 400 loads of eight lines. Classes share lines in streamcluster: then hits
        by the class itself are fewer."""
        for source, theirs in (("synthetic:warp-reuse:4KiB:lines=2,repeats=3", [[1, 2, 2, 2]]),
                               ("synthetic:accesses:2KiB:stride=32,dependent=1,threads=32", [[8, 399, 399, 399]])):  # fmt: skip
            self.assertEqual(_profiles.reuse_of_addresses("gtx480", source), theirs)
        found = _profiles.reuse_of_addresses("gtx480", "synthetic:rodinia-streamcluster:256KiB:dimensions=16,blocks=2")
        self.assertEqual(found[-1][0], 11)
        self.assertTrue(all(own <= of_address for _, _, of_address, own in found))
        self.assertTrue(any(own < of_address != by_access for _, by_access, of_address, own in found))

    def test_bypassed_classes(self):
        """Points of 100 bytes are read as 25 lines, clusters as one: no line belongs to both classes."""
        source = "synthetic:rodinia-kmeans:100KiB:features=25,clusters=2,texture=0"
        loads = self.loads(source)
        found = _profiles.measure("gtx480", source, self.folder)
        self.assertEqual({lines for lines, _ in loads}, {1, 25})
        self.assertEqual([cached for _, cached in found["candidates"]], [[1, 25], [1], []])
        file = os.path.join(self.folder, found["file"])
        for threshold, cached in found["candidates"]:
            with gpucache.Context() as context, gpucache.Config(context, "gtx480", {
                "l1.bypass": f"hybrid(file={file}, use=segments, threshold={threshold:.12g})",
            }) as config, gpucache.Replay(context, config) as replay, gpucache.Trace(context, source) as trace:  # fmt: skip
                stats = sum((result.stats for result in replay.run(trace)), gpucache.Stats())
            bypassed = sum(lines for lines, _ in loads if lines not in cached)
            self.assertEqual(stats["l1.bypasses"], bypassed, cached)

    def test_kept_by_content(self):
        """Made once; and again after the file's loss or damage. Runs of another profile are different runs."""
        source = "synthetic:rodinia-kmeans:306KiB:launch=1"
        with Runs(self.path("runs.jsonl")) as runs:
            facts = runs.profile("gtx480", source)
            self.assertEqual(runs.done, 1)
            ((transactions, reuse, utilisation, score),) = facts.classes
            self.assertEqual((transactions, utilisation), (32, 1 / 4))
            self.assertAlmostEqual(score, utilisation * (1 + reuse))
            self.assertEqual(facts.candidates, [[0.0, [32]], [round(score, 6), []]])
            self.assertEqual([kernel for kernel, _, _ in facts.instructions], ["_Z14invert_mappingPfS_ii"])
            other = runs.profile("gtx480", source.replace("306", "612"))
            self.assertNotEqual(other.file, facts.file)
        with open(facts.file, "ab") as file:
            file.write(b"!")
        with Runs(self.path("runs.jsonl")) as runs:
            self.assertEqual(runs.profile("gtx480", source), facts)
            with gpucache.Context() as context, gpucache.Profile.read(context, facts.file) as profile:
                self.assertEqual(profile.summary().counts.loads, 306 * 1024 // 4 // 32)

    def test_what_a_killed_run_leaves_is_taken_over(self):
        """Killed between the profile and the profile's name: the next run leaves only the profile."""
        folder = os.path.join(self.folder, "profiles")
        killed = python("-c", f"""
import os, signal
from gpucache.reproduce import _profiles
_profiles._digest = lambda path: os.kill(os.getpid(), signal.SIGKILL)
_profiles.measure("gtx480", "synthetic:vectoradd:4KiB", {folder!r})
""")
        self.assertEqual(killed.returncode, -signal.SIGKILL, killed.stderr)
        self.assertEqual(len([name for name in os.listdir(folder) if not name.endswith(".profile")]), 2)
        found = _profiles.measure("gtx480", "synthetic:vectoradd:4KiB", folder)
        self.assertEqual(os.listdir(folder), [found["file"]])
        self.assertIsNotNone(_profiles.facts(found, folder))


class Signatures(unittest.TestCase):
    """Lines by fetching load, distances in accesses of the line's set."""

    def found(self, accesses, sets=1):
        by = ("pc", "pc+age")
        found = {name: collections.defaultdict(collections.Counter) for name in by}
        with gpucache.Context() as context:
            context.register(_signatures._recorder(found, by))
            with gpucache.Cache(context, sets=sets, ways=2, replacement="recorder") as cache:
                for line, pc, age in accesses:
                    cache.access(128 * line, pc=pc, warp_age=age)
        return found

    def test_worked_out_by_hand(self):
        """A is read again at 2 and 1, B at 3; C takes the place of A, and another load fetches A anew."""
        a, b, c = 0, 1, 2
        found = self.found([(a, 8, 0), (b, 8, 1), (a, 16, 5), (a, 8, 0), (b, 16, 0), (c, 8, 0), (a, 16, 3), (a, 8, 0)])
        self.assertEqual(found["pc"], {(8,): {2: 1, 1: 1, 3: 1}, (16,): {1: 1}})
        self.assertEqual(found["pc+age"], {(8, 0): {2: 1, 1: 1}, (8, 1): {3: 1}, (16, 3): {1: 1}})
        group = _signatures._group((8,), found["pc"][8,])
        self.assertEqual((group.reuses, group.mode, group.mean), (3, 1, 2), "of equals the nearest")

    def test_other_sets_do_not_count(self):
        found = self.found([(0, 8, 0), (1, 8, 0), (3, 8, 0), (0, 8, 0)], sets=2)
        self.assertEqual(found["pc"], {(8,): {1: 1}})

    def test_replay(self):
        """Eight warps read twelve lines each twice, and L1 has room for all."""
        groups = _signatures.reuse_distances("gtx480", "synthetic:warp-reuse:12KiB:lines=12,repeats=2")["pc"]
        self.assertEqual([sum(group.distances.values()) for group in groups], [group.reuses for group in groups])
        self.assertEqual(sum(group.reuses for group in groups), 96)


if __name__ == "__main__":
    unittest.main()
