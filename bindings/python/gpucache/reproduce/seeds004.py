# SPDX-License-Identifier: BSD-2-Clause
"""seeds/004: throttling and bottlenecks (3.4, 4.1). PCAL is in _pcal.py, replacement in _replacement.py."""

from .. import bottleneck
from . import _others
from ._bench import Bench
from ._model import Claim, Experiment, count, holds, of_all, rate, ratio, told
from ._pcal import EXPERIMENTS as PCAL
from ._programs import CHAPTER_4, INSENSITIVE, SENSITIVE, SIZES, names
from ._replacement import EXPERIMENTS as REPLACEMENT
from ._tokens import PROGRAMS

# Table 4.2; GESUMMV's and others' bottlenecks beyond warp-opt.
BOTTLENECKS = {
    "BFS": {"L1MSHR", "L1Thrash"}, "CoMD": {"NoC", "L1Thrash"}, "II": {"L1MSHR", "L1Thrash"}, "KMN": {"NoC", "L1Thrash"}, "SM": {"NoC", "L1Thrash"},
    "SS": {"L1MSHR"}, "SSSP": {"L1MSHR", "L1Thrash"}, "SCLUSTER": {"L1Blk"}, "ATAX": {"ParStrv", "L1Thrash"},
    "BICG": {"ParStrv", "L1Thrash"}, "GESUMMV": {"L1Thrash"}, "MVT": {"ParStrv", "L1Thrash"},
}  # fmt: skip
CONGESTED = ("CoMD", "II", "KMN", "SS")  # Figure 4.8
SLOW_NETWORK = ("CoMD", "KMN", "SS", "SM")  # Figure 4.5
LARGE = {"l1.size": "256KiB", "l1.ways": "64", "l2.size": "12MiB"}  # 16 times, with the sets of L1's hash
SENSITIVE_FROM = 2  # 3.4.1
# Machines of the search: functions of L1's sets; and of L2's sets and partitions, "at the L1 and L2". Six bits: those of
# 32 rows of 2,048 columns (GESUMMV), below the 256 KiB between SCLUSTER's rows.
L2_INDEXES = (("", {"l2.index": "modulo", "l2.interleave": "modulo"}),
              (", L2 hashed", {"l2.index": "xor", "l2.interleave": "hash"}))  # fmt: skip
L1_INDEXES = (("modulo", 0), ("xor", 0), ("xor", 6), ("fermi", 0), ("ipoly", 0))
INDEXES = {index + f" of {bits} bits" * bool(bits) + also: {"l1.index": index, "l1.index_bits": str(bits), **more}
           for also, more in L2_INDEXES for index, bits in L1_INDEXES}  # fmt: skip
QUICK_INDEXES, QUICK_SEARCHED = ("modulo, L2 hashed",), ("GESUMMV",)  # a quick call
BY_LINES = 0.15  # Figure 4.7: stalls caused by lines are "mostly lower", and MSHRs the main cause


def large_caches(bench):
    """Table 3.1. A program with a gain below twofold is not cache-sensitive, whatever else the document says."""
    found = bench.all({p.name: (p, LARGE) for p in bench.programs})
    for program in bench.programs:
        base = bench.base(program)
        gain = base["cycles"] / found[program.name]["cycles"]
        note = f"{bench.most(program)} warps, LRU misses {100 * base['l1.load_miss_ratio']:.0f} %"
        if (gain >= SENSITIVE_FROM) != (program.large >= SENSITIVE_FROM):
            note += f", {'' if gain >= SENSITIVE_FROM else 'not '}cache-sensitive here"
        yield ratio(program.name, "speed-up of 16 times the caches", program.large, gain, note)


def other_programs(bench):
    return _others.large_caches(bench, LARGE)


def warp_optimum(bench):
    """Table 4.1, and the speed-up of throttling in 4.1.1."""
    for program in bench.throttled:
        opt, gain = bench.best(program)
        yield count(program.name, "warp-max", program.warp_max, bench.most(program))
        yield count(program.name, "warp-opt", program.warp_opt, opt, f"of {bench.warps(program)}")
        yield ratio(program.name, "speed-up of warp-opt", program.gain, gain)


def set_hashing(bench):
    """3.5: sets are hashed, by an unnamed function. Agreeing claims of all figures under each function, with each size of
    the programs with rows far apart; cut in a full call, too, by steps and dimensions."""
    for index, settings in INDEXES.items():
        if bench.quick and index not in QUICK_INDEXES:
            continue
        for program in bench.chosen(bench.programs, QUICK_SEARCHED):
            sizes = SIZES.get(program.name, ())[: 1 if bench.quick else None]
            found = {size: _agreeing(bench, program._replace(source=source, quick=source), settings)
                     for size, source in sizes}  # fmt: skip
            if found:
                best = max(found, key=lambda size: found[size][0])
                yield told(program.name, index, "{} of {}, ".format(*found[best]) + best,
                           "; ".join(f"{size}: {agree} of {of}" for size, (agree, of) in found.items()))  # fmt: skip


def _agreeing(bench, program, settings):
    """Numbers of agreeing claims and of claims of a program with other settings."""
    own = Bench(bench.runs, bench.quick, {**bench.more, **settings}, (program.name,))
    own.programs = own.throttled = own.replaced = [program]
    verdicts = [claim.agrees for each in EXPERIMENTS if program.name in each.programs and each.run is not set_hashing
                for claim in each.claims(own) if claim.agrees is not None]  # fmt: skip
    return sum(verdicts), len(verdicts)


def miss_ratios(bench):
    """Figure 4.3; the text has CoMD."""
    for program in bench.throttled:
        sweep = bench.sweeps()[program.name]
        if program.name == "CoMD":
            for what, key, values in (("L1 misses", "l1.load_miss_ratio", (7, 64)),
                                      ("misses of L1 and L2", "global_miss_ratio", (3, 48))):  # fmt: skip
                for warps, theirs in zip((1, 8), values):
                    yield rate("CoMD", f"{what}, {warps} warps", theirs, sweep[warps][key])
        if program.name == "KMN":
            yield rate("KMN", "L1 misses, all warps (5.4.1.1)", 94, bench.base(program)["l1.load_miss_ratio"])


def latencies(bench):
    """Figures 4.4 and 4.5."""
    least = min(min(step.round_trip for step in bench.steps(p) if step.round_trip) for p in bench.throttled)
    yield ratio("all", "least round trip, cycles", 200, least, unit="cycles")
    for program in bench.throttled:
        first, *_, last = bench.steps(program)
        if program.name == "CoMD":
            yield holds("CoMD", "round trip, 1 warp", "below 200", f"{first.round_trip:.0f}", first.round_trip < 200)
            yield holds("CoMD", "round trip, all warps", "above 600", f"{last.round_trip:.0f}", last.round_trip > 600)
        slow = program.name in SLOW_NETWORK
        yield holds(program.name, "network latency, all warps", "above 20" if slow else "to 20",
                    f"{last.network_latency:.0f}", (last.network_latency > 20) == slow)  # fmt: skip
        if slow:
            yield holds(program.name, "network latency, 1 warp", "below 20", f"{first.network_latency:.0f}",
                        first.network_latency < 20)  # fmt: skip


def stalls(bench):
    """Figures 4.6 to 4.8, all warps."""
    last = {program.name: bench.steps(program)[-1] for program in bench.throttled}
    share = sum(step.memory_stalls for step in last.values()) / len(last)
    yield of_all(rate(f"mean of {len(last)}, of {PROGRAMS}", "memory pipeline stalls", 51, share), len(last), PROGRAMS)
    for name, step in last.items():
        blocks = name == "SCLUSTER"
        yield holds(name, "main cause of stalls", "lines" if blocks else "MSHRs",
                    f"lines {100 * step.line_stalls:.0f} %, MSHRs {100 * step.mshr_stalls:.0f} %",
                    (step.line_stalls > step.mshr_stalls) == blocks)  # fmt: skip
        if not blocks:
            yield holds(name, "stalls by lines", f"below {100 * BY_LINES:.0f} %", f"{100 * step.line_stalls:.1f} %",
                        step.line_stalls < BY_LINES)  # fmt: skip
        congested = name in CONGESTED
        yield holds(name, "partitions congested", "above 10 %" if congested else "below 5 %",
                    f"{100 * step.congestion:.1f} %",
                    step.congestion > 0.10 if congested else step.congestion < 0.05)  # fmt: skip


def bottlenecks(bench):
    """Table 4.2, cell by cell."""
    for program in bench.throttled:
        found = bottleneck.found(bottleneck.identify(bench.steps(program)))
        for name, ours in found.items():
            theirs = name in BOTTLENECKS[program.name]
            yield Claim(program.name, name, "Y" if theirs else "-", "Y" if ours else "-", theirs == ours)


def bandwidth(bench):
    """Figure 4.9."""
    curves = {p.name: [step.dram_utilisation for step in bench.steps(p)] for p in bench.throttled}
    rising = [name for name, (first, *_, last) in curves.items() if last > first]
    yield holds(f"{len(curves)} programs", "DRAM's bus busier with more warps", "most",
                f"{len(rising)}: {', '.join(rising)}", 2 * len(rising) > len(curves))  # fmt: skip


EXPERIMENTS = [
    Experiment("004:table-3.1", "Speed-up of caches 16 times as large", large_caches, names(SENSITIVE)),
    Experiment("004:set-hashing", "L1's set index function (3.5)", set_hashing, tuple(SIZES)),
    Experiment("004:table-3.1-others", "The same of programs that are not cache-sensitive", other_programs,
               names([*_others.OTHERS, *INSENSITIVE, *_others.REST])),
    _others.EXPERIMENTS[0],
    Experiment("004:table-4.1", "warp-max and warp-opt (Figure 4.2)", warp_optimum, names(CHAPTER_4)),
    Experiment("004:figure-4.3", "Miss ratios over warps", miss_ratios, ("CoMD", "KMN")),
    Experiment("004:figures-4.4-4.5", "Latencies over warps", latencies, names(CHAPTER_4)),
    Experiment("004:figures-4.6-4.8", "Stalls over warps", stalls, names(CHAPTER_4)),
    Experiment("004:figure-4.9", "Off-chip bandwidth over warps", bandwidth),
    Experiment("004:table-4.2", "Bottlenecks beyond warp-opt", bottlenecks, names(CHAPTER_4)),
    *PCAL,
    *REPLACEMENT,
    _others.EXPERIMENTS[1],
]
