# SPDX-License-Identifier: BSD-2-Clause
"""Claims of chapter 4 of seeds/002 on its Figures 4.1 to 4.16 and Tables 4.2 to 4.4, against our runs: a row each, with
our figures and the verdict. The document's graphs have no numbers: its sentences are the claims. LIMITS, or the claim,
has the limits for `slight`, `constant` or `similar`.
"""

import math
import statistics

import l2_runs as runs
from l2_tables import DOCUMENT, SUITES, l2_lumped, mean, own_cells, with_shared

SIZES = (0, 96, 192, 384, 768, 1536, 3072, 6144, 12288)
PROBLEMS = tuple(64 << n for n in range(9))  # to 16 MB
SMALL, LARGE = 96, 12288
LIMITS = {"constant": 0.05, "similar": 0.05, "drop": 0.02, "slight": 0.1, "superimposed": 0.01}

GENERAL, LEARNING, SET2 = SUITES
CLAIMS = []  # (figure, claim, function(book) -> (ours, agrees))


def claim(figure, text):
    def add(function):
        CLAIMS.append((figure, text, function))
        return function

    return add


class Missing(Exception):
    """A run needed by a claim is missing."""


class Book:
    """Results by varied parameter: a figure of a kernel, or the mean of a suite, at an L2 size."""

    def __init__(self, cache, kernels):
        self.cache, self.kernels = cache, kernels

    def result(self, kernel, l2, l1=16, ways=16, size=2048, variant=""):
        found = self.cache.good(runs.Run(kernel, l2, l1, ways if l2 else 16, size, variant))
        if found is None:
            raise Missing(f"{kernel.name}, L2 {l2}, L1 {l1}, {ways} ways, {size} KB {variant}".strip())
        return found

    def cycles(self, kernel, l2, **other):
        return self.result(kernel, l2, **other)["cycles"]

    def speed(self, kernel, l2, **other):
        return self.cycles(kernel, LARGE, **other) / self.cycles(kernel, l2, **other)

    def l2_ratio(self, kernel, l2, **other):
        return l2_lumped(self.result(kernel, l2, **other)) or 0.0

    def l1_ratio(self, kernel, l2, **other):
        """L1's ratio as in the document: accesses to shared memory are hits."""
        shared = self.cache.good(runs.Shared(kernel, other.get("size", 2048)))
        return with_shared(shared["shared"] if shared else 0, "hits", "accesses")(self.result(kernel, l2, **other))

    def of(self, suite):
        return [kernel for kernel in self.kernels if SUITES[suite](kernel)]

    def mean(self, suite, what, l2, **other):
        return mean(what(kernel, l2, **other) for kernel in self.of(suite))

    def means(self, suite, what, sizes=SIZES, **other):
        return [self.mean(suite, what, l2, **other) for l2 in sizes]


def series(values, digits=2):
    return " ".join(f"{value:.{digits}f}" for value in values)


def spread(values):
    return max(values) - min(values)


def names(kernels):
    return ", ".join(kernel.name for kernel in kernels) or "none"


WITH_L2 = SIZES[1:]
SILENT = {"variant": "silent clean evictions"}
FEW = (96, 1536, LARGE)  # sizes of L2 in parts with few runs


@claim("4.1", "L2 ratio, general: rises to about 768 KB, then consistent")
def _(book):
    found = book.means(GENERAL, book.l2_ratio, WITH_L2)
    at = dict(zip(WITH_L2, found))
    return series(found), at[768] - at[SMALL] > LIMITS["drop"] and abs(at[LARGE] - at[768]) <= LIMITS["similar"]


@claim("4.1", "L2 ratio, set 2: fairly constant over the sizes")
def _(book):
    found = {k: spread([book.l2_ratio(k, l2) for l2 in WITH_L2]) for k in book.of(SET2)}
    return f"ranges {series(found.values())}", max(found.values()) <= LIMITS["constant"]


@claim("4.1", "L2 ratio: pooling rises with the size")
def _(book):
    pools = [k for k in book.kernels if k.name in ("MaxPooling", "MeanPooling")]
    rises = [book.l2_ratio(k, LARGE) - book.l2_ratio(k, SMALL) for k in pools]
    return f"{names(pools)}: by {series(rises)}", min(rises) > LIMITS["drop"]


@claim("4.1", "L2 ratio: machine learning above general at every size")
def _(book):
    learning, general = (book.means(suite, book.l2_ratio, WITH_L2) for suite in (LEARNING, GENERAL))
    return f"{series(learning)} / {series(general)}", all(a > b for a, b in zip(learning, general))


@claim("4.2", "L1 ratio of Histogram averages just over 90 %")
def _(book):
    kernel = next(k for k in book.kernels if k.name == "Histogram")
    found = [book.l1_ratio(kernel, l2) for l2 in SIZES]
    return series(found), 0.88 < mean(found) < 0.97


@claim("4.2", "L1 ratio, every general benchmark: a large drop from no L2 to 96 KB, then back as L2 grows")
def _(book):
    at = {k: [book.l1_ratio(k, l2) for l2 in (0, SMALL, LARGE)] for k in book.of(GENERAL)}
    valley = [k for k, (none, small, large) in at.items() if min(none, large) - small > LIMITS["drop"]]
    text = "; ".join(f"{k.name} {series(v)}" for k, v in at.items())
    return f"none, 96, 12288 KB: {text}", len(valley) == len(at)


@claim("4.2", "L1 ratio, machine learning: worst with the smallest L2, for most best without")
def _(book):
    at = {k: [book.l1_ratio(k, l2) for l2 in SIZES] for k in book.of(LEARNING)}
    worst = sum(v[1] <= min(v[2:]) + 0.005 for v in at.values())
    best = sum(v[0] >= max(v[1:]) for v in at.values())
    text = f"smallest is worst for {worst}, none is best for {best} of {len(at)}"
    return text, worst == len(at) and 2 * best > len(at)


@claim("4.2", "L1 ratio, set 2: less with L2 of any size than without")
def _(book):
    at = {k: [book.l1_ratio(k, l2) for l2 in SIZES] for k in book.of(SET2)}
    text = "; ".join(f"{k.name} {v[0]:.3f} {v[1]:.3f} {v[-1]:.3f}" for k, v in at.items())
    return f"none, 96, 12288 KB: {text}", all(v[0] >= max(v[1:]) for v in at.values())


@claim("4.2", "mean L1 ratio: general above machine learning; general without L2 as with a large one, "
       "machine learning higher")
def _(book):
    general, learning = (book.means(suite, book.l1_ratio) for suite in (GENERAL, LEARNING))
    good = all(a > b for a, b in zip(general, learning)) and abs(general[0] - general[-1]) <= LIMITS["similar"]
    return f"{series(general)} / {series(learning)}", good and learning[0] > learning[-1]


@claim("4.2", "most hit ratios of both levels are below 50 %")
def _(book):
    found = [what(k, l2) for k in book.kernels for what in (book.l1_ratio, book.l2_ratio) for l2 in (SMALL, 1536)]
    below = sum(value < 0.5 for value in found)
    return f"{below} of {len(found)}", 2 * below > len(found)


@claim("4.3", "two general benchmarks: time peaks at a small L2, and drops when L2 is removed")
def _(book):
    at = {k: [book.cycles(k, l2) for l2 in (0, SMALL, LARGE)] for k in book.of(GENERAL)}
    peaks = [k for k, (none, small, large) in at.items() if small > 1.1 * max(none, large)]
    text = "; ".join(f"{k.name} {none / large:.2f} {small / large:.2f}" for k, (none, small, large) in at.items())
    return f"time over that at 12288 KB, none and 96 KB: {text}", len(peaks) >= 2


@claim("4.3", "Kronecker takes much longer than all others of machine learning")
def _(book):
    at = sorted(((book.cycles(k, 1536), k.name) for k in book.of(LEARNING)), reverse=True)
    return ", ".join(f"{name} {cycles:,}" for cycles, name in at[:3]), at[0][1] == "Kronecker"


@claim("4.4", "speed-up of all general benchmarks rises with L2")
def _(book):
    return rising(book)


@claim("4.4", "the same, if clean blocks left L1 and L2 without a message")
def _(book):
    return rising(book, **SILENT)


def rising(book, **other):
    at, missing = {}, []
    for kernel in book.of(GENERAL):
        try:
            at[kernel] = [book.speed(kernel, l2, **other) for l2 in FEW]
        except Missing:
            missing.append(kernel)
    text = "; ".join(f"{k.name} {series(v)}" for k, v in at.items())
    text = f"96, 1536, 12288 KB: {text}" + (f" (not run: {names(missing)})" if missing else "")
    return text, all(small < 0.98 and small <= middle <= large for small, middle, large in at.values())


@claim("4.4", "KMeans, MatrixElemMult and the poolings need a large L2")
def _(book):
    at = {k: book.speed(k, SMALL) for k in book.of(LEARNING) if not k.set2}
    return "at 96 KB: " + "; ".join(f"{k.name} {v:.2f}" for k, v in at.items()), max(at.values()) < 0.9


@claim("4.5", "set 2 does not care: mean speed-up about 1 at every size of L2, deviation not to be seen")
def _(book):
    return careless(book, WITH_L2)


@claim("4.5", "the same, if clean blocks left L1 and L2 without a message")
def _(book):
    return careless(book, FEW, **SILENT)


def careless(book, sizes, **other):
    found = {l2: [book.speed(k, l2, **other) for k in book.of(SET2)] for l2 in sizes}
    means, deviations = ([what(v) for v in found.values()] for what in (mean, statistics.pstdev))
    good = max(abs(value - 1) for value in means) <= LIMITS["constant"] and max(deviations) <= LIMITS["constant"]
    return f"{', '.join(map(str, sizes))} KB: means {series(means)}, deviations {series(deviations, 3)}", good


@claim("4.5", "without L2 most of machine learning is as fast or faster; only there set 2 deviates")
def _(book):
    return without(book)


@claim("4.5", "the same, if clean blocks left L1 and L2 without a message")
def _(book):
    return without(book, **SILENT)


def without(book, **other):
    at = {k: book.speed(k, 0, **other) for k in book.of(LEARNING)}
    fast = sum(value > 0.99 for value in at.values())
    own = [value for k, value in at.items() if k.set2]
    text = f"{fast} of {len(at)}; set 2: {series(own)}"
    return text, 2 * fast > len(at)


@claim("4.6", "mean L2 ratio: about 25 % for machine learning, about 18 % and stable for set 2")
def _(book):
    learning, own = (book.means(suite, book.l2_ratio, WITH_L2) for suite in (LEARNING, SET2))
    good = all(abs(v - 0.25) <= 0.05 for v in learning) and all(abs(v - 0.18) <= 0.05 for v in own)
    return f"{series(learning)} / {series(own)}", good and spread(own) <= LIMITS["constant"]


@claim("4.7", "mean L1 ratio of set 2: less than 3 % below all of machine learning, without L2 5 % above")
def _(book):
    found = [b - a for a, b in zip(book.means(LEARNING, book.l1_ratio), book.means(SET2, book.l1_ratio))]
    return f"differences {series(found)}", found[0] > 0.02 and sum(-0.03 < v <= 0 for v in found[1:]) >= 5


def larger_l1(book, what):
    """Gain of a figure with L1s of 32 KB, by size of L2: means of suites over kernels with such runs; the other kernels
    are named.
    """
    gains, missing = {}, []
    for suite in SUITES:
        rows = []
        for kernel in book.of(suite):
            try:
                rows.append([what(kernel, l2, l1=32) - what(kernel, l2) for l2 in SIZES])
            except Missing:
                missing += [kernel] * (kernel not in missing)
        gains[suite] = [mean(values) for values in zip(*rows)]
    if not all(gains.values()):
        raise Missing("L1 32")
    return gains, f" (not run: {names(missing)})" if missing else ""


@claim("4.8", "L1 of 32 KB: L2 ratio of machine learning as before, of general lower")
def _(book):
    gains, missing = larger_l1(book, book.l2_ratio)
    good = max(map(abs, gains[LEARNING][1:])) <= LIMITS["superimposed"] and max(gains[GENERAL][1:]) < 0
    return f"from 96 KB on: by {series(gains[LEARNING][1:], 3)} / {series(gains[GENERAL][1:], 3)}{missing}", good


@claim("4.9", "L1 of 32 KB: L1 ratio of both suites higher, of set 2 not much")
def _(book):
    gains, missing = larger_l1(book, book.l1_ratio)
    good = min(gains[GENERAL]) > 0 and min(gains[LEARNING]) > 0 and mean(gains[SET2]) <= LIMITS["drop"]
    text = "; ".join(f"{suite} {series(values, 3)}" for suite, values in gains.items())
    return f"from none on: by {text}{missing}", good


@claim("4.10", "L1 of 32 KB: the same trends of speed-up, slightly faster")
def _(book):
    trend, missing = larger_l1(book, book.speed)
    gain, _ = larger_l1(book, lambda k, l2, **other: -math.log(book.cycles(k, l2, **other)))
    most = max(abs(value) for values in trend.values() for value in values)
    faster = math.exp(mean([value for suite in (GENERAL, LEARNING) for value in gain[suite]]))
    text = f"means differ by {most:.3f} at most; {faster:.3f} times as fast{missing}"
    return text, most <= LIMITS["slight"] and 1 < faster < 1.15


@claim("4.1.1", "4 ways of L2 are as good as 16")
def _(book):
    found = {l1: [book.cycles(k, l2, l1=l1, ways=4) / book.cycles(k, l2, l1=l1) for k in book.kernels for l2 in WITH_L2]
             for l1 in (16, 32)}  # fmt: skip
    text = "; ".join(f"L1s of {l1} KB: mean {mean(v):.3f}, {min(v):.2f} to {max(v):.2f}" for l1, v in found.items())
    alike = all(abs(mean(v) - 1) <= 0.02 for v in found.values())
    return f"time over that with 16, all kernels and sizes; {text}", alike


def cells_of(book, name, level, l2):
    kernel = next(k for k in book.kernels if k.name == name)
    return own_cells(book.result(kernel, l2)["firsts"][level])


def compare(table):
    """Changes of state with equal origins; and for each change: equal order of the L2 sizes by count, or not."""
    name, level, kernel, document = next(row for row in DOCUMENT if row[0] == table)

    def result(book):
        own = {l2: cells_of(book, kernel, level, l2) for l2 in document}
        other = [f"{c} at {l2} KB: {own[l2].get(c, (0, 0))[1]:X}, there {document[l2].get(c, (0, 0))[1]:X}"
                 for l2 in document for c in sorted({*document[l2], *own[l2]})
                 if own[l2].get(c, (0, 0))[1] != document[l2].get(c, (0, 0))[1]]  # fmt: skip
        changes = sorted({c for cells in document.values() for c in cells})
        ranked = [c for c in changes if order(document, c) == order(own, c)]
        text = f"origins differ in: {'; '.join(other) or 'none'}"
        return f"{text}; counts rank alike by L2 in {len(ranked)} of {len(changes)}", not other

    return result


def order(tables, change):
    return sorted(tables, key=lambda l2: tables[l2].get(change, (0, 0))[0])


for row in DOCUMENT:
    claim(row[0], f"{row[1]}, {row[2]}: changes of state and their origins")(compare(row[0]))


def by_problem(book, suite, what, problems):
    """{kernel: figures} of kernels with runs at all these sizes; the other kernels are named."""
    found, missing = {}, []
    for kernel in book.of(suite):
        try:
            found[kernel] = [what(kernel, 1536, size=size) for size in problems]
        except Missing:
            missing.append(kernel)
    if not found:
        raise Missing(f"problems of {', '.join(map(str, problems))} KB")
    return found, f" (not run: {names(missing)})" if missing else ""


@claim("4.11", "L1 ratio by problem: Histogram rises much, other general ones slightly")
def _(book):
    found, missing = by_problem(book, GENERAL, book.l1_ratio, (64, 1024, 16384))
    text = "; ".join(f"{k.name} {series(v)}" for k, v in found.items())
    rises = {k.name: v[-1] - v[0] for k, v in found.items()}
    good = rises["Histogram"] > 0.1 and all(0 <= v < rises["Histogram"] for k, v in rises.items() if k != "Histogram")
    return f"64 KB, 1, 16 MB: {text}{missing}", good


@claim("4.11", "L1 ratio by problem, machine learning: fluctuates below, stable above")
def _(book):
    below, _ = by_problem(book, LEARNING, book.l1_ratio, (64, 128, 256, 512, 1024))
    above, missing = by_problem(book, LEARNING, book.l1_ratio, (2048, 4096, 8192, 16384))
    ranges = [mean(spread(v) for v in part.values()) for part in (below, above)]
    text = f"mean range to 1 MB {ranges[0]:.3f}, from 2 MB {ranges[1]:.3f}{missing}"
    return text, ranges[1] < ranges[0] and ranges[1] <= LIMITS["constant"]


@claim("4.12", "L2 ratio by problem: general falls slightly, machine learning is steady")
def _(book):
    general, gone = by_problem(book, GENERAL, book.l2_ratio, (1024, 16384))
    learning, missing = by_problem(book, LEARNING, book.l2_ratio, (2048, 4096, 8192, 16384))
    falls, steady = mean(v[-1] - v[0] for v in general.values()), mean(spread(v) for v in learning.values())
    text = f"general, 1 to 16 MB: {falls:+.3f}{gone}; machine learning, mean range from 2 MB: {steady:.3f}{missing}"
    return text, -LIMITS["slight"] < falls < 0 and steady <= LIMITS["constant"]


@claim("4.13", "twice the problem, half the speed-up, but for small problems")
def _(book):
    ratios, missing = [], set()
    for suite in (GENERAL, LEARNING):
        found, gone = by_problem(book, suite, book.cycles, (1024, 2048, 4096, 8192, 16384))
        ratios += [b / a for v in found.values() for a, b in zip(v, v[1:])]
        missing.add(gone)
    text = f"per doubling from 1 MB: {min(ratios):.2f} to {max(ratios):.2f}, mean {mean(ratios):.2f}"
    return text + "".join(sorted(missing)), 1.8 < mean(ratios) < 2.2


def bit_reversal():
    return next(k for k in runs.OTHERS if k.name == "BitReversal")


SPATIAL = (96, 192, 384, 768, 1536)


@claim("4.14", "bit reversal, L2 ratio: near 50 % where the problem fits, virtually 0 beyond, by either associativity")
def _(book):
    kernel = bit_reversal()
    inside, beyond, ways = [], [], []
    for size in PROBLEMS:
        for l2 in SPATIAL:
            value, other = (book.l2_ratio(kernel, l2, size=size, ways=n) for n in (16, 4))
            ways.append(abs(value - other))
            if 4 * size <= l2:
                inside.append(value)
            elif size >= 4 * l2:
                beyond.append(value)
    text = f"fits: {min(inside):.3f} to {max(inside):.3f}; beyond: at most {max(beyond):.3f}; 4 ways: {max(ways):.3f}"
    return text, min(inside) > 0.4 and max(inside) < 0.6 and max(beyond) < 0.05 and max(ways) <= LIMITS["constant"]


@claim("4.15", "bit reversal, L1 ratio: below 1.5 % everywhere")
def _(book):
    found = [book.l1_ratio(bit_reversal(), l2, size=size) for size in PROBLEMS for l2 in (0, *SPATIAL)]
    return f"{min(found):.4f} to {max(found):.4f}", max(found) < 0.015


@claim("4.16", "bit reversal: time grows faster than the problem")
def _(book):
    kernel = bit_reversal()
    found = {l2: book.cycles(kernel, l2, size=16384) / book.cycles(kernel, l2, size=64) / 256 for l2 in (0, *SPATIAL)}
    text = "16 MB over 64 KB, by problem: " + "; ".join(f"{l2} KB {value:.2f}" for l2, value in found.items())
    return text, min(found.values()) > 1


@claim("4.4", "bit reversal with L1s of 32 KB: slightly faster, the same trends")
def _(book):
    kernel = bit_reversal()
    ratios = [book.cycles(kernel, l2, size=size, l1=32) / book.cycles(kernel, l2, size=size)
              for size in PROBLEMS for l2 in (0, *SPATIAL)]  # fmt: skip
    text = f"time over that with 16 KB: mean {mean(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}"
    return text, 0.9 < mean(ratios) < 1


def print_claims(cache, kernels):
    """Markdown."""
    book = Book(cache, kernels)
    print("| figure | the document | here | |\n|---|---|---|---|")
    for figure, text, function in CLAIMS:
        try:
            ours, agrees = function(book)
            print(f"| {figure} | {text} | {ours} | {'agrees' if agrees else 'differs'} |")
        except Missing as missing:
            print(f"| {figure} | {text} | not run: {missing} | |")
    print()
