# SPDX-License-Identifier: BSD-2-Clause
"""seeds/002 chapter 4, the size of L2 under Multi2Sim: Figures 4.1 to 4.16 and Tables 4.2 to 4.4.

The document's graphs have no numbers: its sentences are the claims.
"""

import math
import statistics

from ._bench import mean
from ._model import Experiment, holds, of_all, ratio, told
from ._states import IN_L1, L2S, of_shared, of_states, shared
from ._valley import GENERAL, LEARNING, PRESET, REVERSAL, SET2, SOME, SUITES, Valley

# `constant`, `similar`, `slight` and `superimposed` in the document; a smaller `drop` is none.
CONSTANT, SIMILAR, DROP, SLIGHT, SUPERIMPOSED = 0.05, 0.05, 0.02, 0.1, 0.01
SMALL, LARGE = 96, 12288
FEW = (SMALL, 1536, LARGE)
SILENT = {"variant": "silent clean evictions"}
PROGRAMS = 17


def series(values, digits=2):
    return " ".join(f"{value:.{digits}f}" for value in values)


def spread(values):
    return max(values) - min(values)


def named(found, digits=2):
    """Figures by program."""
    return "; ".join(f"{kernel.name} {series(values, digits)}" for kernel, values in found.items())


def all_programs(book, claims):
    """Claims of suites, compared if all programs ran."""
    known = {kernel.name for kernel in book.kernels} | {REVERSAL.name}
    for claim in claims:
        yield claim if claim.subject in known or not claim.theirs else of_all(claim, len(book.kernels), PROGRAMS)


def of_l2(book):
    """Figures 4.1 and 4.6."""
    sizes = book.sizes[1:]
    general, learning, own = (book.means(suite, book.l2_ratio, sizes) for suite in SUITES)
    at = dict(zip(sizes, general))
    yield holds(GENERAL, "L2 hit ratio (4.1)", "rises to about 768 KB, then constant", series(general),
                at[768] - at[SMALL] > DROP and abs(at[LARGE] - at[768]) <= SIMILAR)  # fmt: skip
    found = [spread([book.l2_ratio(k, l2) for l2 in sizes]) for k in book.of(SET2)]
    yield holds(SET2, "L2 hit ratio (4.1)", "constant", f"ranges {series(found)}", max(found) <= CONSTANT)
    pools = {k: [book.l2_ratio(k, l2) for l2 in (SMALL, LARGE)] for k in book.kernels if "Pooling" in k.name}
    yield holds("poolings", "L2 hit ratio (4.1)", "rises", f"96, 12288 KB: {named(pools)}",
                min(large - small for small, large in pools.values()) > DROP)  # fmt: skip
    yield holds(LEARNING, "L2 hit ratio (4.1)", "above general", f"{series(learning)} / {series(general)}",
                all(a > b for a, b in zip(learning, general)))  # fmt: skip
    yield holds(LEARNING, "mean L2 hit ratio (4.6)", "about 25 %", series(learning),
                all(abs(v - 0.25) <= 0.05 for v in learning))  # fmt: skip
    yield holds(SET2, "mean L2 hit ratio (4.6)", "about 18 %, stable", series(own),
                all(abs(v - 0.18) <= 0.05 for v in own) and spread(own) <= CONSTANT)  # fmt: skip


def of_histogram(book):
    """Figure 4.2, a program with numbers in the text."""
    kernel = book.kernel("Histogram")
    found, lanes = ([book.l1_ratio(kernel, l2, lanes=by) for l2 in book.sizes] for by in (False, True))
    yield holds("Histogram", "L1 hit ratio, mean (4.2)", "just over 90 %", f"{mean(found):.3f}: {series(found)}",
                0.88 < mean(found) < 0.97)  # fmt: skip
    yield told("Histogram", "the same, by lanes of accesses to shared memory", f"{mean(lanes):.3f}: {series(lanes)}")


def of_l1(book):
    """Figures 4.2 and 4.7."""
    at = {k: [book.l1_ratio(k, l2) for l2 in book.sizes] for k in book.kernels}
    ends = {k: [v[0], v[1], v[-1]] for k, v in at.items()}
    own = {k: ends[k] for k in book.of(GENERAL)}
    yield holds(GENERAL, "L1 hit ratio without, small, large L2 (4.2)", "each drops, and comes back", named(own),
                all(min(none, large) - small > DROP for none, small, large in own.values()))  # fmt: skip
    of = [at[k] for k in book.of(LEARNING)]
    worst, best = (sum(map(rule, of)) for rule in (lambda v: v[1] <= min(v[2:]) + 0.005, lambda v: v[0] >= max(v[1:])))
    yield holds(LEARNING, "L1 hit ratio (4.2)", "smallest L2 worst; most best without",
                f"worst {worst}, best {best} of {len(of)}", worst == len(of) and 2 * best > len(of))  # fmt: skip
    yield holds(SET2, "L1 hit ratio (4.2)", "most without L2", named({k: ends[k] for k in book.of(SET2)}, 3),
                all(at[k][0] >= max(at[k][1:]) for k in book.of(SET2)))  # fmt: skip
    general, learning, set2 = (book.means(suite, book.l1_ratio) for suite in SUITES)
    yield holds("means", "L1 hit ratio (4.2)", "general above machine learning; without L2 as with a large one, higher",
                f"{series(general)} / {series(learning)}", all(a > b for a, b in zip(general, learning))
                and abs(general[0] - general[-1]) <= SIMILAR and learning[0] > learning[-1])  # fmt: skip
    found = [what(k, l2) for k in book.kernels for what in (book.l1_ratio, book.l2_ratio) for l2 in FEW[:2]]
    below = sum(value < 0.5 for value in found)
    yield holds("both levels", "hit ratios below 50 % (4.2)", "most", f"{below} of {len(found)}", 2 * below > len(found))
    found = [b - a for a, b in zip(learning, set2)]
    yield holds(SET2, "mean L1 hit ratio less all of machine learning's (4.7)", "+5 % without L2, then 0 to -3 %",
                series(found), found[0] > 0.02 and 2 * sum(-0.03 < v <= 0 for v in found[1:]) > len(found))  # fmt: skip


def of_time(book):
    """Figures 4.3 to 4.5."""
    at = {k: [book.cycles(k, l2) / book.cycles(k, LARGE) for l2 in (0, SMALL)] for k in book.of(GENERAL)}
    peaks = sum(small > 1.1 * max(none, 1) for none, small in at.values())
    yield holds(GENERAL, "time without and with a small L2 (4.3)", "two peak at the small one", named(at), peaks >= 2)
    slow = sorted(((book.cycles(k, 1536), k.name) for k in book.of(LEARNING)), reverse=True)
    yield holds(LEARNING, "longest time (4.3)", "Kronecker", ", ".join(f"{name} {cycles:,}" for cycles, name in slow[:3]),
                slow[0][1] == "Kronecker")  # fmt: skip
    text, rises = rising(book)
    yield holds(GENERAL, "speed-up (4.4)", "each rises with L2", text, rises)
    small = {k: [book.speed(k, SMALL)] for k in book.of(LEARNING) if not k.set2}
    yield holds("KMeans, MatrixElemMult, poolings", "speed-up at 96 KB (4.4)", "below 1", named(small),
                max(v for v, in small.values()) < 0.9)  # fmt: skip
    text, constant = careless(book, book.sizes[1:])
    yield holds(SET2, "speed-up (4.5)", "1 with each L2, without deviation", text, constant)
    text, fast = without(book)
    yield holds(LEARNING, "speed-up without L2 (4.5)", "most as fast or faster; only here set 2 deviates", text, fast)


def rising(book, **other):
    at = {k: [book.speed(k, l2, **other) for l2 in FEW] for k in book.of(GENERAL)}
    return named(at), all(small < 0.98 and small <= middle <= large for small, middle, large in at.values())


def careless(book, sizes, **other):
    found = {l2: [book.speed(k, l2, **other) for k in book.of(SET2)] for l2 in sizes}
    means, deviations = ([what(v) for v in found.values()] for what in (mean, statistics.pstdev))
    good = max(abs(value - 1) for value in means) <= CONSTANT and max(deviations) <= CONSTANT
    return f"means {series(means)}, deviations {series(deviations, 3)}", good


def without(book, **other):
    at = {k: book.speed(k, 0, **other) for k in book.of(LEARNING)}
    fast = sum(value > 0.99 for value in at.values())
    return f"{fast} of {len(at)}; set 2: {series(at[k] for k in book.of(SET2))}", 2 * fast > len(at)


def of_silence(book):
    """Figures 4.4 and 4.5, if clean blocks left L1 and L2 without a message, as they do not in Multi2Sim."""
    for what, (text, agrees) in {
        "4.4: general rises with L2": rising(book, **SILENT), "4.5: set 2 is constant": careless(book, FEW, **SILENT),
        "4.5: without L2 most as fast or faster": without(book, **SILENT),
    }.items():  # fmt: skip
        yield told("silent clean evictions", what, f"{'yes' if agrees else 'no'}: {text}")


def of_larger_l1(book):
    """Figures 4.8 to 4.10, L1s of 32 KB: gains of figures, means of suites."""
    def gains(what):
        return {suite: [book.mean(suite, lambda k, l2: what(k, l2, l1=32) - what(k, l2), l2) for l2 in book.sizes]
                for suite in SUITES}  # fmt: skip

    l2, l1 = gains(book.l2_ratio), gains(book.l1_ratio)
    yield holds("L1 of 32 KB", "gain of L2's hit ratio (4.8)", "machine learning none, general lower",
                f"{series(l2[LEARNING][1:], 3)} / {series(l2[GENERAL][1:], 3)}",
                max(map(abs, l2[LEARNING][1:])) <= SUPERIMPOSED and max(l2[GENERAL][1:]) < 0)  # fmt: skip
    yield holds("L1 of 32 KB", "gain of L1's hit ratio (4.9)", "both suites higher, set 2 not much",
                "; ".join(f"{suite} {series(values, 3)}" for suite, values in l1.items()),
                min(l1[GENERAL]) > 0 and min(l1[LEARNING]) > 0 and mean(l1[SET2]) <= DROP)  # fmt: skip
    most = max(abs(value) for values in gains(book.speed).values() for value in values)
    times = gains(lambda k, l2, **other: -math.log(book.cycles(k, l2, **other)))
    faster = math.exp(mean([value for suite in (GENERAL, LEARNING) for value in times[suite]]))
    yield holds("L1 of 32 KB", "speed-up (4.10)", "the same trends, slightly faster",
                f"means differ by {most:.3f} at most; {faster:.3f} times as fast",
                most <= SLIGHT and 1 < faster < 1.15)  # fmt: skip


def of_ways(book):
    """4.1.1."""
    for l1 in (16, 32):
        found = [book.cycles(k, l2, l1=l1, ways=4) / book.cycles(k, l2, l1=l1) for k in book.kernels for l2 in book.sizes[1:]]
        yield holds(f"L1 of {l1} KB", "time with 4 ways of L2 over 16 (4.1.1)", "the same",
                    f"{mean(found):.3f}, {min(found):.2f} to {max(found):.2f}", abs(mean(found) - 1) <= 0.02)  # fmt: skip


def of_problems(book):
    """Figures 4.11 to 4.13, L2 of 1536 KB."""
    half = len(book.problems) // 2
    small, large = book.problems[:half + 1], book.problems[half + 1:]

    def by(suite, what, problems):
        return {k: [what(k, 1536, size=size) for size in problems] for k in book.of(suite)}

    found = by(GENERAL, book.l1_ratio, (book.problems[0], book.problems[half], book.problems[-1]))
    rises = {k.name: v[-1] - v[0] for k, v in found.items()}
    most = rises["Histogram"]
    yield holds(GENERAL, "L1 hit ratio by problem (4.11)", "Histogram rises much, others slightly", named(found),
                most > 0.1 and all(0 <= v < most for name, v in rises.items() if name != "Histogram"))  # fmt: skip
    below, above = (mean(map(spread, by(LEARNING, book.l1_ratio, part).values())) for part in (small, large))
    yield holds(LEARNING, "L1 hit ratio by problem (4.11)", "fluctuates below 2 MB, stable above",
                f"mean range {below:.3f}, then {above:.3f}", above < below and above <= CONSTANT)  # fmt: skip
    falls = mean(v[-1] - v[0] for v in by(GENERAL, book.l2_ratio, book.problems[half:]).values())
    steady = mean(map(spread, by(LEARNING, book.l2_ratio, large).values()))
    yield holds("both suites", "L2 hit ratio by problem (4.12)", "general falls slightly, machine learning steady",
                f"general, from 1 to 16 MB: {falls:+.3f}; machine learning, mean range from 2 MB: {steady:.3f}",
                -SLIGHT < falls < 0 and steady <= CONSTANT)  # fmt: skip
    times = [b / a for suite in (GENERAL, LEARNING) for v in by(suite, book.cycles, book.problems[half:]).values()
             for a, b in zip(v, v[1:])]  # fmt: skip
    yield ratio("both suites", "time of twice the problem (4.13)", 2, mean(times),
                f"from 1 MB: {min(times):.2f} to {max(times):.2f}")  # fmt: skip


def of_reversal(book):
    """Figures 4.14 to 4.16, section 4.4: bit reversal."""
    name, least, most = REVERSAL.name, book.problems[0], book.problems[-1]
    inside, beyond, ways = [], [], []
    for size in book.problems:
        for l2 in book.spatial:
            value, other = (book.l2_ratio(REVERSAL, l2, size=size, ways=n) for n in (16, 4))
            ways.append(abs(value - other))
            if 4 * size <= l2:
                inside.append(value)
            elif size >= 4 * l2:
                beyond.append(value)
    yield holds(name, "L2 hit ratio (4.14)", "near 50 % if the problem fits, virtually 0 beyond; 4 ways as 16",
                f"{min(inside):.3f} to {max(inside):.3f}; at most {max(beyond):.3f}; within {max(ways):.3f}",
                min(inside) > 0.4 and max(inside) < 0.6 and max(beyond) < 0.05 and max(ways) <= CONSTANT)  # fmt: skip
    found = [book.l1_ratio(REVERSAL, l2, size=size) for size in book.problems for l2 in (0, *book.spatial)]
    yield holds(name, "L1 hit ratio (4.15)", "below 1.5 %", f"{min(found):.4f} to {max(found):.4f}", max(found) < 0.015)
    found = [book.cycles(REVERSAL, l2, size=most) / book.cycles(REVERSAL, l2, size=least) * least / most
             for l2 in (0, *book.spatial)]  # fmt: skip
    yield holds(name, "time over the problem's growth (4.16)", "grows faster", series(found), min(found) > 1)
    found = [book.cycles(REVERSAL, l2, size=size, l1=32) / book.cycles(REVERSAL, l2, size=size)
             for size in book.problems for l2 in (0, *book.spatial)]  # fmt: skip
    yield holds(name, "time with L1s of 32 KB (4.4)", "slightly faster",
                f"{mean(found):.3f}, {min(found):.3f} to {max(found):.3f}", 0.9 < mean(found) < 1)  # fmt: skip


PROBES, RETRIES = ("read_probes", "write_probes"), ("retries",)


def of_parts(book):
    """Causes of the valley: drop of L1's ratio from the largest L2 to 96 KB in points, of the drop without probes,
    retries and both as accesses; blocks lost to L2, of 100 lookups of accesses; time."""
    for kernel in (k for k in book.kernels if k.name in SOME):
        for variant in book.variants:
            found = [book.result(kernel, l2, variant=variant) for l2 in (0, SMALL, LARGE)]
            l1 = [of["levels"]["L1"] for of in found]
            ways = ((), PROBES, RETRIES, PROBES + RETRIES)
            ratios = [[100 * of["hits"] / (of["accesses"] - sum(of[each] for each in way)) for of in l1] for way in ways]
            base = l1[1]["accesses"] - sum(l1[1][each] for each in PROBES + RETRIES)
            times = [of["cycles"] / found[2]["cycles"] for of in found[:2]]
            yield told(kernel.name, variant or "as Multi2Sim", f"L1 {series(ratios[0], 1)} %; drop "
                       + ", ".join(f"{large - small:.1f}" for _, small, large in ratios)
                       + f"; lost {100 * l1[1]['invalidations'] / base:.1f}; time {series(times)}")  # fmt: skip


def by_l2(book, sizes=None, names=None, **other):
    return [book.run(kernel, l2, **other) for kernel in book.kernels if not names or kernel.name in names
            for l2 in sizes or book.sizes]  # fmt: skip


def by_problem(book):
    return [book.run(kernel, 1536, size=size) for size in book.problems for kernel in book.kernels]


def by_reversal(book):
    return [book.run(REVERSAL, l2, l1=l1, ways=ways, size=size) for size in book.problems
            for l2 in (0, *book.spatial) for l1, ways in ((16, 16), (16, 4), (32, 16))]  # fmt: skip


def by_part(book):
    return [run for variant in book.variants for run in by_l2(book, (0, SMALL, LARGE), SOME, variant=variant)]


def by_shared(book):
    return [book.run(kernel, l2, size=size, variant=variant) for variant, size, kernels in shared(book)
            for kernel in kernels for l2 in L2S]  # fmt: skip


def experiment(name, title, plan, *figures, own=()):
    """Make runs of `plan`, then claims of figures. `own` are names of programs with claims of their own, in the last
    figure."""
    def run(bench):
        book = Valley(bench)
        book.need(plan(book))
        for figure in figures[-1:] if bench.only else figures:
            yield from all_programs(book, figure(book))

    return Experiment(f"002:{name}", f"{title} ({PRESET})", run, own)


EXPERIMENTS = [
    experiment("figures-4.1-4.7", "The size of L2", by_l2, of_l2, of_l1, of_time, of_histogram,
               own=SOME[1:2]),
    experiment("silent-evictions", "The same, with silent clean evictions",
               lambda book: by_l2(book, (0, *FEW), **SILENT), of_silence),
    experiment("figures-4.8-4.10", "L1s of 32 KB", lambda book: by_l2(book) + by_l2(book, l1=32), of_larger_l1),
    experiment("section-4.1.1", "An L2 of 4 ways", lambda book: [run for l1 in (16, 32) for ways in (16, 4)
               for run in by_l2(book, book.sizes[1:], l1=l1, ways=ways)], of_ways),
    experiment("tables-4.2-4.4", "Changes of state, with their origins",
               lambda book: by_l2(book, L2S, names=SOME[:2], variant=IN_L1), of_states, own=SOME[:2]),
    experiment("shared-memory", "Changes of state, with shared memory through L1", by_shared, of_shared,
               own=SOME[:2]),
    experiment("figures-4.11-4.13", "The size of the problem", by_problem, of_problems),
    experiment("figures-4.14-4.16", "Bit reversal", by_reversal, of_reversal, own=(REVERSAL.name,)),
    experiment("valley", "Causes of the valley: a part of Multi2Sim changed or removed", by_part, of_parts, own=SOME),
]  # fmt: skip
