# SPDX-License-Identifier: BSD-2-Clause
"""seeds/004, 4.8: figures of static PCAL for each EBTNum, with the text's words.

The curves have no numbers: a claim's figure here is the whole curve, `EBTNum value`, beside the document's words. 0 is
throttling alone, with all warps caching.
"""

from .. import bottleneck
from ._bench import LINE, OPPORTUNISTIC, SEGMENTS, mean
from ._model import NOTICEABLE, POINTS, Experiment, count, holds, missing, of_all, rate, ratio
from ._programs import CHAPTER_4, names

RISE, SATURATED, NETWORK = bottleneck.Thresholds().rise, 0.2, 20  # 4.1.5: rise, and limits
MSHR_BOUND = ("II", "BFS", "SS", "SSSP")  # 4.8.1.1, before a warp is added
SHARE_DATA = ("CoMD", "SS", "SCLUSTER")  # Figure 4.17: programs with hits of warps without a token
NO_SPARE = ("ATAX", "BICG", "MVT")
ONE_WARP = ("KMN", "GESUMMV")  # Figure 4.18: warp-opt is 1, no warp can be taken away
SHORTER = ("CoMD", "SSSP")  # Figure 4.20; the document has "SSS"
AS_LONG = ("SCLUSTER", "SS")
BATH_TUBS = 3  # "several applications"
BOTH_CACHES = {"l2.tokens": "opportunistic"}
BOTH_LEVELS = {"BFS": 10, "SSSP": 10, "ATAX": 9, "BICG": 8, "MVT": 7}  # Figure 4.26: per cent slower than PCAL on L1
PROGRAMS = 12  # of chapter 4
SLOWER = 8  # of these
SAME = 0.05


def network_latency(figures):
    return figures["network.request_latency"] + figures["network.reply_latency"]


def round_trip(figures):
    return figures["round_trip.mean_latency"]


def _of_cache_warps(figures):
    """Misses of caching warps: of all warps, if none has tokens."""
    return figures.get("l1.cache_warp_miss_ratio", figures["l1.load_miss_ratio"])


def _of(key):
    return lambda figures: figures.get(key, 0)


_mshr = _of("scheduler.mshr_stall_ratio")
_overall = _of("l1.load_miss_ratio")


def _of_bypassing(figures):
    return figures["l1.bypass_warp_miss_ratio"]


def _that_bypass(found):
    """Runs with loads by warps without a token."""
    return {ebt: figures for ebt, figures in found.items() if ebt and "l1.bypass_warp_miss_ratio" in figures}


def added(found):
    """{EBTNum: figures} of strategy one, from throttling alone on."""
    return {ebt: found[ebt] for ebt in sorted(found) if ebt >= 0}


def taken(found):
    """{EBTNum: figures} of strategy two: fewer and fewer warps cache."""
    return {ebt: found[ebt] for ebt in sorted(found, reverse=True) if ebt <= 0}


def curve(found, of, form):
    return ", ".join(f"{ebt:+d} {form(of(figures))}" if ebt else f"0 {form(of(figures))}"
                     for ebt, figures in found.items())  # fmt: skip


def cycles(value):
    return f"{value:.0f}"


def percent(value):
    return f"{100 * value:.0f} %"


def _rises(found, of, above):
    """Does a figure rise as a bottleneck's does, from throttling alone to the most warps?"""
    first, *_, last = found.values()
    return bottleneck.grows(of(first), of(last), RISE, above)


def more_warps(bench):
    """Figures 4.14 to 4.17: one to six more, bypassing warps."""
    for name, found in bench.static().items():
        one = added(found)
        if len(one) == 1:
            if name in NO_SPARE:
                yield holds(name, "warps that can be added (4.17)", "none", "none", True)
            continue
        if name in NO_SPARE:
            yield holds(name, "warps that can be added (4.17)", "none", str(max(one)), False)
            continue
        yield from _latency(name, one)
        yield from _saturation(name, one)
        yield from _misses(name, one)


def _latency(name, one):
    """Figure 4.14."""
    if name == "CoMD":
        for ebt, theirs in ((0, 66), (1, 155)):
            yield ratio(name, f"network latency, EBTNum = {ebt}", theirs, network_latency(one[ebt]), unit="cycles")
        yield ratio(name, "round trip, EBTNum = 1", 339, round_trip(one[1]), curve(one, round_trip, cycles), "cycles")
    if name in ("CoMD", "KMN", "SM"):
        yield holds(name, "network latency with more warps (4.14)", "congested", curve(one, network_latency, cycles),
                    _rises(one, network_latency, NETWORK))  # fmt: skip


def _saturation(name, one):
    """Figure 4.15."""
    if name in MSHR_BOUND:
        yield holds(name, "MSHR stalls, EBTNum = 0 (4.15)", "a bottleneck", percent(_mshr(one[0])),
                    _mshr(one[0]) > SATURATED)  # fmt: skip
    spared = name == "SCLUSTER"
    saturated = max(_mshr(figures) for ebt, figures in one.items() if ebt) > SATURATED
    yield holds(name, "MSHR stalls with more warps (4.15)", "few" if spared else "saturated",
                curve(one, _mshr, percent), saturated != spared)  # fmt: skip


def _misses(name, one):
    """Figures 4.16 and 4.17."""
    if name == "GESUMMV":
        for ebt, theirs in ((0, 17), (1, 34)):
            yield rate(name, f"misses of warps that cache, EBTNum = {ebt}", theirs, _of_cache_warps(one[ebt]))
    else:
        worst = max(_of_cache_warps(figures) for figures in one.values())
        yield holds(name, "misses of warps that cache, with more warps (4.16)", "no more",
                    curve(one, _of_cache_warps, percent), 100 * (worst - _of_cache_warps(one[0])) <= POINTS)  # fmt: skip
    extra, share = _that_bypass(one), name in SHARE_DATA
    if not extra:
        yield missing(name, "misses of warps that bypass (4.17)", "nearly all", "they load nothing")
        return
    least = min(map(_of_bypassing, extra.values()))
    yield holds(name, "misses of warps that bypass (4.17)", "some hits" if share else "nearly all",
                curve(extra, _of_bypassing, percent), (100 * least < 100 - POINTS) == share)  # fmt: skip


def fewer_that_cache(bench):
    """Figures 4.18 to 4.21: a constant number of warps, with one to six bypassing."""
    tubs, alike, of = [], [], 0
    for name, found in bench.static().items():
        two = taken(found)
        one_warp = name in ONE_WARP
        if len(two) == 1 or one_warp:
            if one_warp:
                yield holds(name, "warps that can be taken away (4.18)", "none",
                            "none" if len(two) == 1 else str(-min(two)), len(two) == 1)  # fmt: skip
            if len(two) == 1:
                continue
        yield from _kept(name, two)
        yield from _resources(name, two)
        of += 1
        misses = [_overall(figures) for figures in two.values()]
        if min(misses) < min(misses[0], misses[-1]):
            tubs.append(name)
        first, *_, last = two.values()
        if (network_latency(last) - network_latency(first)) * (round_trip(last) - round_trip(first)) >= 0:
            alike.append(name)
    yield holds(f"{of} programs", "misses are least between the ends (4.18a)", "several",
                f"{len(tubs)}: {', '.join(tubs)}", len(tubs) >= BATH_TUBS)  # fmt: skip
    yield holds(f"{of} programs", "network latency goes with the round trip (4.20)", "mostly",
                f"{len(alike)}: {', '.join(alike)}", 2 * len(alike) > of)  # fmt: skip


def _kept(name, two):
    """Figures 4.18 and 4.19."""
    first, *_, last = two.values()
    saved = 100 * (_of_cache_warps(first) - _of_cache_warps(last))
    higher = name == "SCLUSTER"
    if name not in ONE_WARP:
        yield holds(name, "misses of warps that cache, with fewer (4.18)", "more" if higher else "much fewer",
                    curve(two, _of_cache_warps, percent), saved < 0 if higher else saved > POINTS,
                    f"overall {curve(two, _overall, percent)}")  # fmt: skip
    fewer = _that_bypass(two)
    yield holds(name, "misses of warps that bypass, above those that cache (4.19)", "yes",
                curve(fewer, _of_bypassing, percent),
                all(_of_bypassing(figures) >= _of_cache_warps(figures) for figures in fewer.values()))  # fmt: skip


def _resources(name, two):
    """Figures 4.20 and 4.21."""
    trips = [round_trip(figures) for figures in two.values()]
    if name in SHORTER:
        yield holds(name, "round trip with fewer that cache (4.20)", "shorter", curve(two, round_trip, cycles),
                    min(trips) < (1 - SAME) * trips[0])  # fmt: skip
    if name in AS_LONG:
        yield holds(name, "round trip with fewer that cache (4.20)", "not longer", curve(two, round_trip, cycles),
                    max(trips) <= (1 + SAME) * trips[0])  # fmt: skip
    stalls = _of("scheduler.memory_stall_ratio")
    most = max(map(stalls, two.values()))
    yield holds(name, "memory stalls with fewer that cache (4.21)", "no more", curve(two, stalls, percent),
                100 * (most - stalls(two[0])) <= POINTS)  # fmt: skip


def both_levels(bench):
    """Figures 4.26 and 4.27: tokens at L2 as well, with the best EBTNum of each; cycles for each EBTNum, over L1 alone.
    """
    one, two = bench.static(), bench.static(**BOTH_CACHES)
    best = [{name: min(found.items(), key=lambda item: item[1]["cycles"]) for name, found in of.items()}
            for of in (one, two)]  # fmt: skip
    slower = []
    for name, (ebt, figures) in best[0].items():
        loss = best[1][name][1]["cycles"] / figures["cycles"] - 1
        slower += [name] * (loss > 0)
        over = {n: each["cycles"] / one[name][n]["cycles"] for n, each in sorted(two[name].items()) if n}
        note = curve(over, lambda value: value, "{:.2f}".format)
        if name in BOTH_LEVELS:
            yield rate(name, "slower with tokens at L2", BOTH_LEVELS[name], loss, note)
        else:
            yield holds(name, "as fast with tokens at L2", "yes", f"{1 + loss:.2f} times the cycles",
                        abs(loss) <= SAME, note)  # fmt: skip
    yield of_all(count(f"{len(one)} programs, of {PROGRAMS}", "slower with tokens at L2", SLOWER, len(slower),
                       ", ".join(slower)), len(one), PROGRAMS)  # fmt: skip
    miss = [{name: 1 - figures.get("l2.read_hit_rate", 0) for name, (_, figures) in of.items()} for of in best]
    l1 = [mean(_overall(figures) for _, figures in of.values()) for of in best]
    yield holds(f"mean of {len(one)}", "L1 misses, both levels as L1 alone (4.27a)", "very close",
                f"{percent(l1[0])}, {percent(l1[1])}", 100 * abs(l1[0] - l1[1]) <= POINTS)  # fmt: skip
    for level, theirs in ((0, 31), (1, 44)):
        yield of_all(rate(f"mean of {len(one)}, of {PROGRAMS}", f"L2 misses, PCAL on L1{' and L2' * level}", theirs,
                          mean(miss[level].values())), len(one), PROGRAMS)  # fmt: skip
    for name in ONE_WARP:
        if name in one:
            yield holds(name, "L2 misses, both levels as L1 alone (4.27b)", "the same",
                        f"{percent(miss[0][name])}, {percent(miss[1][name])}",
                        100 * abs(miss[0][name] - miss[1][name]) <= POINTS)  # fmt: skip


def found_while_running(bench, fetch):
    """{name: figures} of dynamic PCAL, warp-opt known."""
    tasks = {}
    for program in bench.throttled:
        scheduler = f"gto + pcal(warps={bench.best(program)[0]},ebt=auto)"
        tasks[program.name] = (program, {"scheduler": scheduler, **OPPORTUNISTIC, **fetch})
    return bench.all(tasks)


def summary(bench):
    """Figure 4.28, with means from the text."""
    base = {program.name: bench.base(program)["cycles"] for program in bench.throttled}
    opt = {program.name: bench.best(program)[1] for program in bench.throttled}
    subject = f"mean of {len(base)}, of {PROGRAMS}"
    for label, fetch, theirs, over in (("", LINE, 1.56, 1.16), (", segments", SEGMENTS, 1.67, 1.18)):
        found = bench.speedups(bench.static(**fetch))
        static = {name: max(gains.values()) for name, gains in found.items()}
        dynamic = {name: base[name] / each["cycles"] for name, each in found_while_running(bench, fetch).items()}
        gains = mean(gain / opt[name] for name, gain in static.items())
        yield of_all(ratio(subject, f"static PCAL{label}", theirs, mean(static.values())), len(base), PROGRAMS)
        yield of_all(ratio(subject, f"static PCAL{label} over warp-opt", over, gains), len(base), PROGRAMS)
        gainers = [name for name, gain in static.items() if gain >= NOTICEABLE]
        majority = [name for name in gainers if 2 * (dynamic[name] - 1) > static[name] - 1]
        yield holds(f"{len(gainers)} that gain", f"dynamic PCAL{label}: more than half of the gain", "most",
                    f"{len(majority)}, mean {mean(dynamic.values()):.2f}", 2 * len(majority) > len(gainers))  # fmt: skip


EXPERIMENTS = [
    Experiment("004:figures-4.14-4.17", "One to six more warps, that bypass", more_warps, names(CHAPTER_4)),
    Experiment("004:figures-4.18-4.21", "One to six warps fewer that cache", fewer_that_cache, names(CHAPTER_4)),
    Experiment("004:figures-4.26-4.27", "Tokens at both levels", both_levels, names(CHAPTER_4)),
    Experiment("004:figure-4.28", "PCAL, a summary", summary),
]
