# SPDX-License-Identifier: BSD-2-Clause
"""seeds/004: throttling and bottlenecks (3.4, 4.1). PCAL is in _pcal.py, replacement in _replacement.py."""

from .. import bottleneck
from . import _others
from ._bench import LINE, OPPORTUNISTIC
from ._model import NOTICEABLE, POINTS, Claim, Experiment, count, holds, of_all, rate, ratio, told
from ._pcal import EXPERIMENTS as PCAL
from ._programs import CHAPTER_4, INSENSITIVE, SENSITIVE, names
from ._replacement import AGE_LRU
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
# Index functions of L1's sets; and of L2's sets and partitions, "at the L1 and L2".
L2_INDEXES = (("", {"l2.index": "modulo", "l2.interleave": "modulo"}),
              (", L2 hashed", {"l2.index": "xor", "l2.interleave": "hash"}))  # fmt: skip
INDEXES = {index + also: {"l1.index": index, **more}
           for also, more in L2_INDEXES for index in ("modulo", "xor", "fermi")}  # fmt: skip
TOKENS = {"scheduler": "gto + pcal(warps=4,ebt=-2)"}
HASHED = ("ATAX", "BICG", "MVT", "GESUMMV")
BY_LINES = 0.15  # Figure 4.7: stalls caused by lines are "mostly lower", and MSHRs the main cause
COMD = 8, 64  # Figure 4.3: warps, and per cent of misses


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
    """3.5: sets are hashed, by an unnamed function. The document's figures of the four programs with rows a power of
    two apart, and of CoMD, under each function; cut in a full call too, by steps and not by rows."""
    agree = {}
    for index in INDEXES:
        claims = list(_hashed(bench, index))
        agree[index] = sum(claim.agrees for claim in claims)
        yield from claims
    yield told("all of these", f"of {len(claims)} agree", "; ".join(f"{index} {n}" for index, n in agree.items()))


def _hashed(bench, index):
    programs = [program._replace(source=program.quick) for program in bench.programs if program.name in HASHED]
    tasks = {(p.name, n): (p, {"sm.warp_limit": str(n)} if n < bench.most(p) else {})
             for p in programs for n in bench.warps(p)}  # fmt: skip
    for program in programs:
        tasks[program.name, "large"] = (program, LARGE)
        tasks[program.name, "age-lru"] = (program, {"l1.replacement": "age-lru"})
        if program.warp_opt > 1:
            tasks[program.name, "tokens"] = (program, {**TOKENS, **OPPORTUNISTIC, **LINE})
    for program in bench.programs:
        if program.name == "CoMD":
            tasks["CoMD"] = (program, {"sm.warp_limit": str(COMD[0])})
    found = bench.all({key: (program, {**INDEXES[index], **more}) for key, (program, more) in tasks.items()})
    for program in programs:
        name, base = program.name, found[program.name, bench.most(program)]
        best = min(bench.warps(program), key=lambda n: found[program.name, n]["cycles"])
        yield ratio(name, f"{index}: speed-up of 16 times the caches", program.large,
                    base["cycles"] / found[name, "large"]["cycles"],
                    f"misses {100 * base['l1.load_miss_ratio']:.0f} %")  # fmt: skip
        yield count(name, f"{index}: warp-opt", program.warp_opt, best)
        yield ratio(name, f"{index}: speed-up of warp-opt", program.gain, base["cycles"] / found[name, best]["cycles"])
        lines, mshrs = base["scheduler.line_stall_ratio"], base["scheduler.mshr_stall_ratio"]
        yield holds(name, f"{index}: stalls by lines, and MSHRs (4.7)", f"below {100 * BY_LINES:.0f} %, and more",
                    f"{100 * lines:.0f} %, {100 * mshrs:.0f} %", lines < BY_LINES and mshrs > lines)  # fmt: skip
        if (name, "tokens") in found:
            before, after = base["l1.load_miss_ratio"], found[name, "tokens"]["l1.cache_warp_miss_ratio"]
            yield holds(name, f"{index}: misses of warps that cache, EBTNum = -2 (4.18)", "much fewer",
                        f"{100 * before:.0f} %, {100 * after:.0f} %", 100 * (before - after) > POINTS,
                        f"{base['cycles'] / found[name, 'tokens']['cycles']:.2f} times as fast")  # fmt: skip
        gain = base["cycles"] / found[name, "age-lru"]["cycles"]
        if name not in AGE_LRU:
            yield holds(name, f"{index}: AgeLRU gains 5 %", "no", f"{gain:.3f}", gain < NOTICEABLE)
            continue
        yield ratio(name, f"{index}: AgeLRU", AGE_LRU[name][0], gain)
        yield rate(name, f"{index}: misses that AgeLRU saves", AGE_LRU[name][1],
                   base["l1.load_miss_ratio"] - found[name, "age-lru"]["l1.load_miss_ratio"])  # fmt: skip
    if "CoMD" in found:
        yield rate("CoMD", f"{index}: L1 misses, {COMD[0]} warps", COMD[1], found["CoMD"]["l1.load_miss_ratio"])


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
    Experiment("004:set-hashing", "L1's set index function (3.5)", set_hashing, ("CoMD", *HASHED)),
    Experiment("004:table-3.1-others", "The same of programs that are not cache-sensitive", other_programs,
               names([*_others.OTHERS, *INSENSITIVE])),
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
