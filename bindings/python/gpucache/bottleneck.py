# SPDX-License-Identifier: BSD-2-Clause
"""What limits an application: the identification of seeds/004, section 4.1.5, from metrics to verdicts.

An application is run with 1, 2, ... warps that each scheduler may issue (`sm.warp_limit`), a Step each. warp-max is
the most that fit, warp-opt the number with the best throughput; the next larger one of the Steps is what the document
calls warp-opt + delta. What is compared with what, and from where on it is a bottleneck:

    ParStrv   parallelism starvation: warp-opt is warp-max
    MemCong   memory-partition congestion ratio, warp-opt + delta with warp-opt
    NoC       network latency, sending and receiving, likewise
    L1MSHR    memory pipeline stalls that L1's MSHRs cause, likewise
    L1Blk     memory pipeline stalls that L1's lines cause, likewise
    L1Thrash  L1 miss ratio, with the one of 1 warp

Two readings of the document. The network latency has to exceed "20 %", of nothing that is named; section 4.1.4 says
that it stays below 20 cycles where the network is not saturated, so 20 cycles are meant. Thrashing is said to be looked
for at warp-opt, yet Table 4.2 finds it in applications whose warp-opt is 1 (KMN, GESUMMV), where nothing could have
grown; its caption says "beyond warp-opt". So it is looked for at warp-opt and at warp-opt + delta.
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

# Where a figure becomes a bottleneck. Every one has to be exceeded.
Thresholds = namedtuple(
    "Thresholds", "rise ratio network_cycles miss_growth miss_ratio", defaults=(0.3, 0.2, 20, 2, 0.3)
)

# One run. Ratios are from 0 to 1, latencies core cycles; what has no value (no miss, say) is 0.
Step = namedtuple(
    "Step",
    "warps throughput l1_miss_ratio global_miss_ratio round_trip network_latency memory_stalls line_stalls mshr_stalls "
    "congestion dram_utilisation",
)

# One comparison: of `metric`, `before` at `from_warps` with `after` at `to_warps`.
Verdict = namedtuple("Verdict", "found metric from_warps before to_warps after")

# `beyond` is warp-opt + delta, None where warp-opt is warp-max. `verdicts` has one or more Verdicts for each of
# BOTTLENECKS; an empty list: there is nothing to compare.
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
    """The Verdict of one comparison of step 2."""
    before, after = getattr(optimum, metric), getattr(beyond, metric)
    return Verdict(grows(before, after, rise, above), metric, optimum.warps, before, beyond.warps, after)


def thrashes(single, step, thresholds):
    """The Verdict of step 3: misses are normalised to the accesses, so that runs cut short can be compared."""
    before, after = single.l1_miss_ratio, step.l1_miss_ratio
    found = after > before * thresholds.miss_growth and after > thresholds.miss_ratio
    return Verdict(found, "l1_miss_ratio", single.warps, before, step.warps, after)


def warp_optimum(steps):
    """The Step of the best throughput; of equal ones, that of the fewest warps."""
    return min(steps, key=lambda step: (-step.throughput, step.warps))


def identify(steps, thresholds=Thresholds()):
    """The Analysis of an application's Steps, of which the most warps are warp-max and the fewest stand for one."""
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
    """{bottleneck: whether it is one}."""
    return {name: any(verdict.found for verdict in verdicts) for name, verdicts in analysis.verdicts.items()}


def blocks_that_fit(kernel, config, occupancy):
    """The most thread blocks of a kernel that an SM has at once.

    `occupancy` is how many fit it; there are no more than the grid, or the trace's placement map, has for one.
    """
    sms = config.number("sm.count")
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
    """warp-max of a kernel: the most warps that a scheduler has at once, with blocks as above."""
    threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
    warps = blocks_that_fit(kernel, config, occupancy) * -(-threads // config.number("sm.lanes"))
    return max(1, -(-warps // config.number("sm.schedulers")))


def sweep_of(wanted, warp_max):
    """The numbers of warps to run: those wanted that fit, 1 and warp-max."""
    return sorted({1, warp_max} | {warps for warps in wanted if 1 <= warps <= warp_max})
