# SPDX-License-Identifier: BSD-2-Clause
"""seeds/004: throttling and bottlenecks (3.4, 4.1). PCAL is in _pcal.py, replacement in _replacement.py."""

from .. import bottleneck
from ._model import NOTICEABLE, Claim, Experiment, count, holds, rate, ratio
from ._pcal import EXPERIMENTS as PCAL
from ._replacement import EXPERIMENTS as REPLACEMENT

# Table 4.2; GESUMMV's and others' bottlenecks beyond warp-opt.
BOTTLENECKS = {
    "BFS": {"L1MSHR", "L1Thrash"}, "CoMD": {"NoC", "L1Thrash"}, "II": {"L1MSHR", "L1Thrash"}, "KMN": {"NoC", "L1Thrash"}, "SM": {"NoC", "L1Thrash"},
    "SS": {"L1MSHR"}, "SSSP": {"L1MSHR", "L1Thrash"}, "SCLUSTER": {"L1Blk"}, "ATAX": {"ParStrv", "L1Thrash"},
    "BICG": {"ParStrv", "L1Thrash"}, "GESUMMV": {"L1Thrash"}, "MVT": {"ParStrv", "L1Thrash"},
}  # fmt: skip
CONGESTED = ("CoMD", "II", "KMN", "SS")  # Figure 4.8
SLOW_NETWORK = ("CoMD", "KMN", "SS", "SM")  # Figure 4.5
LARGE = {"l1.size": "256KiB", "l1.ways": "64", "l2.size": "12MiB"}  # 16 times; the hash of L1's sets is for so many
SENSITIVE_FROM = 2  # 3.4.1


def large_caches(bench):
    """Table 3.1. A program that gains less than twofold is not cache-sensitive, whatever else is said of it here."""
    found = bench.all({p.name: (p, LARGE) for p in bench.programs})
    for program in bench.programs:
        gain = bench.base(program)["cycles"] / found[program.name]["cycles"]
        note = "" if (gain >= SENSITIVE_FROM) == (program.large >= SENSITIVE_FROM) else "another side of 2"
        yield ratio(program.name, "speed-up of 16 times the caches", program.large, gain, note)


def warp_optimum(bench):
    """Table 4.1, and the speed-up of throttling in 4.1.1."""
    for program in bench.throttled:
        opt, gain = bench.best(program)
        yield count(program.name, "warp-max", program.warp_max, bench.most(program))
        yield count(program.name, "warp-opt", program.warp_opt, opt, f"of {bench.warps(program)}")
        yield ratio(program.name, "speed-up of warp-opt", program.gain, gain)


def set_hashing(bench):
    """3.5: sets are hashed, by a function that is not named. What depends on it: Table 3.1, and misses of all warps."""
    for index in ("modulo", "xor", "fermi"):
        tasks = {}
        for program in bench.programs:
            tasks[program.name, "base"] = (program, {"l1.index": index})
            tasks[program.name, "large"] = (program, {"l1.index": index, **LARGE})
        found = bench.all(tasks)
        for program in bench.programs:
            base, large = found[program.name, "base"], found[program.name, "large"]
            yield ratio(program.name, f"speed-up of 16 times the caches, {index}", program.large,
                        base["cycles"] / large["cycles"],
                        f"misses {100 * base['l1.load_miss_ratio']:.0f} %")  # fmt: skip


def miss_ratios(bench):
    """Figure 4.3, of which the text has CoMD."""
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
    yield ratio("all", "least round trip, cycles", 200, least)
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
    yield rate(f"mean of {len(last)}", "memory pipeline stalls", 51, share)
    for name, step in last.items():
        blocks = name == "SCLUSTER"
        yield holds(name, "main cause of stalls", "lines" if blocks else "MSHRs",
                    f"lines {100 * step.line_stalls:.0f} %, MSHRs {100 * step.mshr_stalls:.0f} %",
                    (step.line_stalls > step.mshr_stalls) == blocks)  # fmt: skip
        if not blocks:
            yield holds(name, "stalls by lines", "below 15 %", f"{100 * step.line_stalls:.1f} %",
                        step.line_stalls < 0.15)  # fmt: skip
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


def schedulers(bench):
    """Figures 3.3 to 3.5: who prefers GTO does so for misses that it saves."""
    found = bench.all({p.name: (p, {"scheduler": "lrr"}) for p in bench.programs})
    prefer, saved = [], []
    for program in bench.programs:
        lrr, gto = found[program.name], bench.base(program)
        if lrr["cycles"] > NOTICEABLE * gto["cycles"]:
            prefer.append(program.name)
            if lrr["l1.load_miss_ratio"] > gto["l1.load_miss_ratio"]:
                saved.append(program.name)
    yield holds("who gains 5 % with GTO", "misses less", "most", f"{len(saved)} of {len(prefer)}: {', '.join(prefer)}",
                2 * len(saved) > len(prefer))  # fmt: skip


EXPERIMENTS = [
    Experiment("004:table-3.1", "Speed-up of caches 16 times as large", large_caches),
    Experiment("004:set-hashing", "L1's set index function (3.5)", set_hashing),
    Experiment("004:figures-3.3-3.5", "GTO over LRR", schedulers),
    Experiment("004:table-4.1", "warp-max and warp-opt (Figure 4.2)", warp_optimum),
    Experiment("004:figure-4.3", "Miss ratios over warps", miss_ratios),
    Experiment("004:figures-4.4-4.5", "Latencies over warps", latencies),
    Experiment("004:figures-4.6-4.8", "Stalls over warps", stalls),
    Experiment("004:table-4.2", "Bottlenecks beyond warp-opt", bottlenecks),
    *PCAL,
    *REPLACEMENT,
]
