# SPDX-License-Identifier: BSD-2-Clause
"""seeds/004, 4.8: priority-based cache allocation, with opportunistic tokens as in the document (4.8.1.1). _tokens.py
has the figures for each EBTNum."""

from ._bench import LINE, OPPORTUNISTIC, SEGMENTS, mean
from ._model import NOTICEABLE, Experiment, count, holds, missing, of_all, rate, ratio
from ._programs import CHAPTER_4, launches_again, names
from ._tokens import BOTH_CACHES, PROGRAMS, found_while_running, network_latency, round_trip
from ._tokens import EXPERIMENTS as TOKENS

STRATEGY_ONE = ("SCLUSTER",)
STRATEGY_TWO = ("CoMD", "BFS", "SS", "SSSP", "ATAX", "BICG", "MVT")
ONLY_SEGMENTS = ("SS", "SM", "II")  # gain with the traffic optimization (4.8.3)
SHORTER_TRIPS = ("CoMD", "SSSP", "ATAX", "BICG", "MVT")  # faster by strategy two (4.8.3), with BFS
OF_SEGMENTS = {"SCLUSTER": 4, "SM": 2}  # bypassing warps added by 4.24a
GAINING = 7  # programs with a gain over warp-opt


def _best(speedups):
    """{name: (EBTNum, speed-up)}."""
    return {name: max(found.items(), key=lambda item: item[1]) for name, found in speedups.items()}


def _mean(what, theirs, values):
    return of_all(ratio(f"mean of {len(values)}, of {PROGRAMS}", what, theirs, mean(values)), len(values), PROGRAMS)


def static(bench):
    """Figures 4.12 and 4.13: whole lines."""
    speedups = bench.speedups(bench.static())
    for name, found in speedups.items():
        none = found[0]
        for what, strategy, sign in (("one: more warps", STRATEGY_ONE, 1), ("two: fewer that cache", STRATEGY_TWO, -1)):
            tried = [gain / none for ebt, gain in found.items() if ebt * sign > 0]
            if tried:
                gains = max(tried) >= NOTICEABLE
                yield holds(name, f"gain of strategy {what}", "yes" if name in strategy else "no",
                            f"{max(tried):.2f} times", gains == (name in strategy))  # fmt: skip
    if "SCLUSTER" in speedups:
        found = speedups["SCLUSTER"]
        yield ratio("SCLUSTER", "best static PCAL", 3.45, max(found.values()))
        yield count("SCLUSTER", "best EBTNum (4.8.2)", 4, max(found, key=found.get),
                    ", ".join(f"{ebt:+d} {found[ebt]:.2f}" for ebt in sorted(found)))  # fmt: skip
        if 6 in found:
            yield ratio("SCLUSTER", "EBTNum = 6", 2.37, found[6])
    best = _best(speedups)
    yield _mean("warp-opt", 1.41, [found[0] for found in speedups.values()])
    yield _mean("static PCAL", 1.56, [gain for _, gain in best.values()])
    over = {name: gain / speedups[name][0] for name, (_, gain) in best.items()}
    gaining = [name for name, gain in over.items() if gain >= NOTICEABLE]
    yield of_all(count(f"{len(over)} programs, of {PROGRAMS}", "gain over warp-opt", GAINING, len(gaining),
                       ", ".join(gaining)), len(over), PROGRAMS)  # fmt: skip
    yield _mean("static PCAL over warp-opt", 1.15, over.values())


def _bfs(lines, parts, of_lines, of_parts):
    """4.8.3: BFS as the example of fewer caching warps."""
    if "BFS" not in lines:
        return
    yield count("BFS", "best EBTNum: of 8 warps 3 cache", -5, lines["BFS"][0])
    figures = [of_lines["BFS"][0], of_lines["BFS"][lines["BFS"][0]], of_parts["BFS"][parts["BFS"][0]]]
    for label, each, misses in zip(("warp-opt", "static PCAL", "static PCAL, segments"), figures, (83, 76, 77)):
        yield rate("BFS", f"L1 misses, {label}", misses, each["l1.load_miss_ratio"])
    for label, found, gain in (("static PCAL", lines, 1.13), ("static PCAL, segments", parts, 1.20)):
        yield ratio("BFS", label, gain, found["BFS"][1])
    for label, each, network, trip in zip(("static PCAL", "static PCAL, segments"), figures[1:], (18, 7), (209, 193)):
        yield ratio("BFS", f"network latency, {label}", network,
                    network_latency(each), unit="cycles")  # fmt: skip
        yield ratio("BFS", f"round trip, {label}", trip, each["round_trip.mean_latency"], unit="cycles")


def _sooner(best, of_lines, of_parts):
    """4.8.3: programs with a gain by strategy two gain more by shorter ways."""
    for name in SHORTER_TRIPS:
        if name in of_parts:
            line, part = (of[name][ebt[name][0]] for of, ebt in zip((of_lines, of_parts), best))
            faster = line["cycles"] / part["cycles"]
            network, trip = ([of(each) for each in (line, part)] for of in (network_latency, round_trip))
            yield holds(name, "faster with segments, by shorter ways", "yes",
                        f"{faster:.2f} times; network {network[0]:.0f}, {network[1]:.0f}, round trip {trip[0]:.0f}, "
                        f"{trip[1]:.0f}", faster > 1 and network[1] < network[0] and trip[1] < trip[0])  # fmt: skip


def segments(bench):
    """Figures 4.23 and 4.24: a bypassing load fetches only the needed segments."""
    of_lines, of_parts = bench.static(), bench.static(**SEGMENTS)
    lines, parts = _best(bench.speedups(of_lines)), bench.speedups(of_parts)
    best = _best(parts)
    yield _mean("static PCAL, segments", 1.67, [gain for _, gain in best.values()])
    for name, theirs in (("SCLUSTER", 3.67), ("SM", 1.23)):
        if name in best:
            yield ratio(name, "best static PCAL, segments", theirs, best[name][1])
            yield count(name, "best EBTNum, segments", OF_SEGMENTS[name], best[name][0])
    yield from _bfs(lines, best, of_lines, of_parts)
    yield from _sooner((lines, best), of_lines, of_parts)
    for name, (_, gain) in best.items():
        over = gain / parts[name][0]
        gains = name not in ("KMN", "GESUMMV")
        yield holds(name, "gains over warp-opt, segments", "yes" if gains else "no", f"{over:.2f} times",
                    (over >= NOTICEABLE) == gains)  # fmt: skip
        if name in ONLY_SEGMENTS:
            yield holds(name, "needs segments to gain", "yes", f"lines {lines[name][1]:.2f}, segments {gain:.2f}",
                        gain >= NOTICEABLE * lines[name][1])  # fmt: skip


def dynamic(bench):
    """Figures 4.22 and 4.25: EBTNum found at run time, with known warp-opt."""
    for fetch, label in ((LINE, "lines"), (SEGMENTS, "segments")):
        best = _best(bench.speedups(bench.static(**fetch)))
        found = found_while_running(bench, fetch)
        for program in bench.throttled:
            own = bench.base(program)["cycles"] / found[program.name]["cycles"]
            close = own >= 0.9 * best[program.name][1]
            yield holds(program.name, f"dynamic as fast as static, {label}",
                        "no" if program.name == "SCLUSTER" else "yes",
                        f"{own:.2f}, {best[program.name][1]:.2f}", close == (program.name != "SCLUSTER"))  # fmt: skip
            if program.name == "SCLUSTER":
                over = own / bench.best(program)[1]
                yield holds("SCLUSTER", f"dynamic gains over warp-opt, {label}", "no", f"{over:.2f} times",
                            over < NOTICEABLE)  # fmt: skip


REMEMBER = {"ebt": "remember=kernels"}
# Name, addition to dynamic PCAL on L1, and True if the document expects fewer misses of L2.
FUTURE = (
    ("both strategies in turn", {"ebt": "strategy=both"}, False),
    ("tokens for L2 found, inclusive", {"ebt": "level=separate,tokens-l2=-1", **BOTH_CACHES}, True),
    ("tokens for L2 found, exclusive", {"ebt": "level=separate,tokens-l2=-1,sets=exclusive", **BOTH_CACHES}, True),
    ("AgeLRU", {"l1.replacement": "age-lru"}, False),
    ("RPR", {"l1.replacement": "rpr-distance"}, False),
    ("a kernel begins with what its last launch found", REMEMBER, False),
)


def _found(bench, more):
    """{name: figures} of dynamic PCAL with settings, and with more arguments under "ebt"."""
    settings, tasks = {**OPPORTUNISTIC, **LINE, **more}, {}
    arguments = ",".join(filter(None, ("ebt=auto", settings.pop("ebt", ""))))
    for program in bench.throttled:
        scheduler = f"gto + pcal(warps={bench.best(program)[0]},{arguments})"
        tasks[program.name] = (program, {"scheduler": scheduler, **settings})
    return bench.all(tasks)


def future(bench):
    """Sections 7.2 and 7.3: the document's expectations of PCAL's further development."""
    plain = _found(bench, {})
    for label, more, below in FUTURE:
        if more is REMEMBER and not any(launches_again(bench.source(program)) for program in bench.throttled):
            yield missing("mean", f"{label}: faster than dynamic PCAL", "yes", "no program of these launches a kernel again")
            continue
        found = _found(bench, more)
        gains = {name: plain[name]["cycles"] / figures["cycles"] for name, figures in found.items()}
        average = mean(gains.values())
        best = max(gains, key=gains.get)
        yield holds(f"mean of {len(gains)}", f"{label}: faster than dynamic PCAL", "yes",
                    f"{average:.3f} times, {best} {gains[best]:.2f}", average >= 1.005)  # fmt: skip
        if below:
            misses = [sum(1 - of[name].get("l2.read_hit_rate", 0) for name in found) / len(found)
                      for of in (plain, found)]  # fmt: skip
            yield holds(f"mean of {len(gains)}", f"{label}: fewer misses of L2", "yes",
                        f"{100 * misses[0]:.1f} %, then {100 * misses[1]:.1f} %", misses[1] < misses[0])  # fmt: skip


EXPERIMENTS = [
    Experiment("004:figures-4.12-4.13", "Static PCAL", static, names(CHAPTER_4)),
    Experiment("004:figures-4.22-4.25", "Dynamic PCAL", dynamic, names(CHAPTER_4)),
    Experiment("004:figures-4.23-4.24", "Static PCAL, segments", segments, names(CHAPTER_4)),
    *TOKENS,
    Experiment("004:sections-7.2-7.3", "PCAL's further development", future),
]
