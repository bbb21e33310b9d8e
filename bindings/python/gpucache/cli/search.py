# SPDX-License-Identifier: BSD-2-Clause
"""profile --search: what should bypass L1, by runs (seeds/001 sections IV.D and VI.B)."""

import os
import tempfile
from collections import namedtuple

from .. import _pairs
from .._table import table
from ..comparison import compare
from ..stats import Stats
from ._common import natural, percent
from ._output import Failure

# A value of the threshold: the predictor's text, the cached classes of loads (by transactions), Stats of all
# traces, and the figure relative to no bypassing; below 1 is better. For the predictor compiler, `threshold` is the
# numbers of the bypassing loads as text, and `cached` has the numbers of the other loads.
Candidate = namedtuple("Candidate", "threshold spec cached stats relative")

# Figure to minimise: counter and name.
_FIGURES = {"functional": ("l2.read_sectors", "sectors read from L2"), "timed": ("cycles", "cycles")}


def add(parser):
    group = parser.add_argument_group("search", "Run the traces with every threshold that makes a difference, or with "
                                      "every load, and every pair of a kernel's loads, past L1.")  # fmt: skip
    group.add_argument("--search", choices=["hybrid", "access-count", "compiler"],
                       help="hybrid: (1+R)U above which a class of loads is cached, of the classes' own values; "
                       "access-count: transactions above which a load bypasses; compiler: the loads that bypass, from "
                       "n (n + 1) / 2 runs for the n loads of a kernel")  # fmt: skip
    group.add_argument("--mode", choices=list(_FIGURES), default="functional",
                       help="what is searched for: functional: least traffic (the default); timed: fewest cycles")
    group.add_argument("--limit", type=natural, default=0, metavar="N", help="of hybrid: classes of at most so many "
                       "transactions are always cached; default 0: the threshold decides of all")  # fmt: skip
    group.add_argument("--jobs", type=natural, default=0, metavar="N", help="runs at the same time; default: as many "
                       "as processors")  # fmt: skip


def hybrid_thresholds(profile, file, limit):
    """(threshold, predictor, cached classes) of all different thresholds; of equivalent thresholds the largest."""
    seen = [row.transactions for row in profile.classes() if row.counts.loads]
    found = {}
    for threshold in profile.thresholds():
        above = profile.classes_above(threshold)
        cached = tuple(number for number in seen if number <= limit or number in above)
        found[cached] = threshold, f"hybrid(file={file}, threshold={threshold:.12g}, limit={limit})", cached
    return list(found.values())


def access_count_thresholds(profile):
    """Candidates for access-count: a threshold at a class caches the class and all below."""
    seen = [row.transactions for row in profile.classes() if row.counts.loads]
    return [(at, f"access-count(threshold={at})", tuple(number for number in seen if number <= at))
            for at in [0, *seen]]  # fmt: skip


def _total(rows):
    return sum((row.stats for row in rows), Stats())


def candidates(thresholds, traces, settings, mode, jobs, load=(), kernels=None):
    """([Candidate], Stats without bypassing)."""
    labels = {"": "l1.bypass=always-cache", **{spec: f"l1.bypass={spec}" for _, spec, _ in thresholds}}
    counter, _ = _FIGURES[mode]
    rows = compare(labels, traces, None, settings=settings, mode=mode, metrics=[counter], jobs=jobs or None,
                   register=load, kernels=kernels)  # fmt: skip
    stats = {label: _total([row for row in rows if row.policy == label]) for label in labels}
    base = stats[""]
    return [
        Candidate(at, spec, cached, stats[spec], stats[spec][counter] / base[counter] if base[counter] else 1.0)
        for at, spec, cached in thresholds
    ], base


def compiled(kernels, file, measure):
    """The same as `candidates` for the loads of a profile, from the kernel of each load: each load, each pair, and the
    loads with the largest gain by these runs. `measure([(bypassing loads, predictor, cached loads)])` runs the traces.
    """

    def named(loads):
        text = "+".join(map(str, loads))
        return text, f"compiler(file={file}, loads={text})", tuple(n for n in range(len(kernels)) if n not in loads)

    trials = _pairs.trials(kernels)[1:]
    found, base, counter = measure([named(loads) for loads in trials])
    figures = {(): base[counter], **{loads: each.stats[counter] for loads, each in zip(trials, found)}}
    chosen = _pairs.best(kernels, figures)
    if chosen not in figures:
        found += measure([named(chosen)])[0]
    return found, base


def best(found):
    """The best candidate; of equal candidates the candidate caching most."""
    return min(found, key=lambda each: (each.relative, -len(each.cached)))


def ranges(numbers):
    """1-4, 7, 9-11."""
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts) or "none"


def report(found, base, mode):
    counter, name = _FIGURES[mode]
    winner = best(found)

    def cells(label, cached, stats, relative):
        hits = percent(stats, "l1.load_hit_rate")
        return [label, f"{stats[counter]:,}", f"{relative:.4f}", hits, f"{stats['l1.bypasses']:,}", cached]

    named = isinstance(winner.threshold, str)
    rows = [cells("no bypass", "all", base, 1.0)]
    rows += [cells(each.threshold if named else f"{each.threshold:g}", ranges(each.cached), each.stats, each.relative)
             for each in found]  # fmt: skip
    header = ["loads that bypass" if named else "threshold", name, "of no bypass", "hit %", "bypasses",
              "cached: numbers of loads" if named else "cached: loads of so many transactions"]  # fmt: skip
    yield from table(header, rows, left=(5,))
    yield ""
    if winner.relative < 1:
        yield f"best: l1.bypass = {winner.spec}, {100 * (1 - winner.relative):.2f} % fewer {name}"
    else:
        yield f"no {'choice' if named else 'threshold'} has fewer {name} than no bypassing; the best is {winner.spec}"


def as_object(found, base, mode):
    """For JSON."""
    counter, _ = _FIGURES[mode]
    return {
        "mode": mode, "figure": counter, "no_bypass": base[counter], "best": best(found).spec,
        "candidates": [
            {"loads" if isinstance(each.threshold, str) else "threshold": each.threshold, "predictor": each.spec, "cached": list(each.cached),
             counter: each.stats[counter], "relative": round(each.relative, 6)}
            for each in found
        ],
    }  # fmt: skip


def search(profile, options, settings):
    """(Candidates, Stats without bypassing)."""

    def measure(thresholds):
        found, base = candidates(thresholds, options.traces, settings, options.mode, options.jobs, options.load,
                                 options.kernels)  # fmt: skip
        return found, base, _FIGURES[options.mode][0]

    if options.search == "access-count":
        return measure(access_count_thresholds(profile))[:2]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "profile")
        profile.write(file)
        if options.search == "hybrid":
            found, base, _ = measure(hybrid_thresholds(profile, file, options.limit))
        else:
            kernels = [row.kernel for row in profile.instructions() if row.counts.loads]
            if not kernels:
                raise Failure("--search compiler: the traces have no loads that go to L1")
            found, base = compiled(kernels, file, measure)
        kept = options.binary or "FILE"
        return [each._replace(spec=each.spec.replace(f"file={file}", f"file={kept}")) for each in found], base
