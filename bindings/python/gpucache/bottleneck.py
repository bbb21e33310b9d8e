# SPDX-License-Identifier: BSD-2-Clause
"""Bottleneck of an application: the identification of seeds/004, section 4.1.5, from metrics to verdicts.

An application runs with a limit of 1, 2, ... warps a scheduler (`sm.warp_limit`), a Step each. warp-max is the largest
number that fits, warp-opt the number with the best throughput. The next larger Step is the document's warp-opt + delta.
Compared figures of the bottlenecks:

    ParStrv   parallelism starvation: warp-opt is warp-max
    MemCong   memory-partition congestion ratio, warp-opt + delta with warp-opt
    NoC       network latency, sending and receiving, likewise
    L1MSHR    memory pipeline stalls that L1's MSHRs cause, likewise
    L1Blk     memory pipeline stalls that L1's lines cause, likewise
    L1Thrash  L1 miss ratio, with the one of 1 warp

Two readings of the document. The network latency has to exceed "20 %", without a reference. Section 4.1.4 gives less
than 20 cycles for an unsaturated network, therefore 20 cycles are meant. Thrashing is said to be looked for at
warp-opt, yet Table 4.2 finds it in applications whose warp-opt is 1 (KMN, GESUMMV), where nothing could have grown; its
caption says "beyond warp-opt". So it is looked for at warp-opt and at warp-opt + delta.
"""

from collections import namedtuple

# In the order of the steps, named as in Table 4.2.
BOTTLENECKS = {
    "ParStrv": "parallelism starvation",
    "MemCong": "memory-partition congestion",
    "NoC": "network bandwidth",
    "L1MSHR": "L1 MSHR reservation failures",
    "L1Blk": "L1 line reservation failures",
    "L1Thrash": "L1 thrashing",
}

# Limits of the figures. A bottleneck exceeds all its limits.
Thresholds = namedtuple(
    "Thresholds", "rise ratio network_cycles miss_growth miss_ratio", defaults=(0.3, 0.2, 20, 2, 0.3)
)

# A run. Ratios are from 0 to 1, latencies core cycles; a missing value (no miss, for example) is 0.
Step = namedtuple(
    "Step",
    "warps throughput l1_miss_ratio global_miss_ratio round_trip network_latency memory_stalls line_stalls mshr_stalls "
    "congestion dram_utilisation",
)

# A comparison of `metric`: `before` at `from_warps` with `after` at `to_warps`.
Verdict = namedtuple("Verdict", "found metric from_warps before to_warps after")

# `beyond` is warp-opt + delta, None if warp-opt is warp-max. `verdicts` has Verdicts for each of BOTTLENECKS; an empty
# list: no comparison is possible.
Analysis = namedtuple("Analysis", "warp_max warp_opt beyond speedup verdicts")


def step_of(warps, stats):
    """The Step of a run's Stats."""
    ratio = stats.get
    return Step(
        warps=warps,
        throughput=ratio("ipc", 0.0),
        l1_miss_ratio=ratio("l1.load_miss_ratio", 0.0),
        global_miss_ratio=ratio("global_miss_ratio", 0.0),
        round_trip=ratio("round_trip.mean_latency", 0.0),
        network_latency=ratio("network.request_latency", 0.0) + ratio("network.reply_latency", 0.0),
        memory_stalls=ratio("scheduler.memory_stall_ratio", 0.0),
        line_stalls=ratio("scheduler.line_stall_ratio", 0.0),
        mshr_stalls=ratio("scheduler.mshr_stall_ratio", 0.0),
        congestion=ratio("l2.congestion_ratio", 0.0),
        dram_utilisation=ratio("dram.utilisation", 0.0),
    )


def grows(before, after, rise, above):
    """Whether a figure increases by more than the share `rise`, and to more than `above`."""
    return after > before * (1 + rise) and after > above


def saturated(metric, optimum, beyond, rise, above):
    """The Verdict of a comparison of step 2."""
    before, after = getattr(optimum, metric), getattr(beyond, metric)
    return Verdict(grows(before, after, rise, above), metric, optimum.warps, before, beyond.warps, after)


def thrashes(single, step, thresholds):
    """The Verdict of step 3: misses over accesses, to compare runs cut short."""
    before, after = single.l1_miss_ratio, step.l1_miss_ratio
    found = after > before * thresholds.miss_growth and after > thresholds.miss_ratio
    return Verdict(found, "l1_miss_ratio", single.warps, before, step.warps, after)


def warp_optimum(steps):
    """The Step of the best throughput; of equal Steps, the Step with the fewest warps."""
    return min(steps, key=lambda step: (-step.throughput, step.warps))


def identify(steps, thresholds=Thresholds()):
    """The Analysis of an application's Steps. The most warps are warp-max, the fewest stand for a single warp."""
    if not steps:
        raise ValueError("no step to judge")
    ordered = sorted(steps, key=lambda step: step.warps)
    if len({step.warps for step in ordered}) < len(ordered):
        raise ValueError("two steps of the same number of warps")
    single, last, best = ordered[0], ordered[-1], warp_optimum(ordered)
    beyond = next((step for step in ordered if step.warps > best.warps), None)
    verdicts = {name: [] for name in BOTTLENECKS}
    starved = Verdict(best is last, "throughput", best.warps, best.throughput, last.warps, last.throughput)
    verdicts["ParStrv"].append(starved)
    if beyond is not None:
        for name, metric, above in (
            ("MemCong", "congestion", thresholds.ratio),
            ("NoC", "network_latency", thresholds.network_cycles),
            ("L1MSHR", "mshr_stalls", thresholds.ratio),
            ("L1Blk", "line_stalls", thresholds.ratio),
        ):
            verdicts[name].append(saturated(metric, best, beyond, thresholds.rise, above))
    for step in (best, beyond):
        if step is not None and step is not single:
            verdicts["L1Thrash"].append(thrashes(single, step, thresholds))
    speedup = best.throughput / last.throughput if last.throughput else 1.0
    return Analysis(last.warps, best.warps, beyond.warps if beyond else None, speedup, verdicts)


def found(analysis):
    """{bottleneck: True if found}."""
    return {name: any(verdict.found for verdict in verdicts) for name, verdicts in analysis.verdicts.items()}


def blocks_that_fit(kernel, config, occupancy):
    """Largest number of resident thread blocks of a kernel on an SM.

    `occupancy` is the number that fits; the grid, or the trace's placement map, may have fewer for an SM.
    """
    sms = config.number("sm.count") * config.number("gpu.count")
    placement = kernel.placement if config["blocks.placement"] != "round-robin" else None
    if placement is not None and len(placement) and max(placement) < sms:
        counts = {}
        for sm in placement:
            counts[sm] = counts.get(sm, 0) + 1
        waiting = max(counts.values())
    else:
        waiting = -(-kernel.block_count // sms)
    blocks = min(occupancy, waiting)
    if config.number("sm.block_limit"):
        blocks = min(blocks, config.number("sm.block_limit"))
    return blocks


def warps_that_fit(kernel, config, occupancy):
    """warp-max of a kernel: resident warps of a scheduler, with blocks as above."""
    threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
    warps = blocks_that_fit(kernel, config, occupancy) * -(-threads // config.number("sm.lanes"))
    return max(1, -(-warps // config.number("sm.schedulers")))


def sweep_of(wanted, warp_max):
    """Numbers of warps to run: wanted numbers that fit, 1 and warp-max."""
    return sorted({1, warp_max} | {warps for warps in wanted if 1 <= warps <= warp_max})
