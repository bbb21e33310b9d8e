# SPDX-License-Identifier: BSD-2-Clause
"""profile: behaviour of a trace's loads in L1, with advice on bypassing (seeds/001)."""

import io
import json
import os
import sys

from .. import _notes
from .._table import screen_width, table, wrapped
from ..about import about, heading
from ..profile import Profile
from .._names import short
from ._common import (
    add_configuration,
    add_kernels,
    add_verbose,
    configuration,
    context,
    natural,
    opened,
    progress_of,
    size,
    tell_notes,
    terminal,
)
from ._output import Failure, Output
from . import search

_VIEWS = ("class", "instruction", "sm", "address")

_SEGMENT = 32  # bytes

_LEGEND = """\
Accesses are line transactions of loads. R: hits in a line from fill to eviction. U: used part of the bytes moved by
caching; by Eq. (1) of seeds/001, loads should bypass if (1+R)U is below 1. S: like U, in 32-byte segments, because a
bypass moves whole segments: bypassing moves fewer bytes if (1+R)S is below 1. bypass %: accesses to lines (addresses
of an SM) for which Eq. (1) holds.
"""


def add(commands):
    parser = commands.add_parser(
        "profile", description="Replay traces and "
        "tell what their loads do in L1: by transactions per load, by instruction, by SM, by line address.",
    )  # fmt: skip
    parser.add_argument("traces", nargs="*", metavar="TRACE", help="as for the command run; all go into one profile")
    add_kernels(parser)
    parser.add_argument("--read", metavar="FILE", help="a profile of --binary instead of traces")
    parser.add_argument("--per", action="append", choices=_VIEWS, help="only this table; may be given again")
    parser.add_argument("--mrc", action="store_true", help="print the miss-ratio curve")
    parser.add_argument("--top", type=natural, default=20, metavar="N",
                        help="rows of the longer tables, those of the most accesses; 0 = all; default 20")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON, with --per address every line; "
                        "- prints it instead of the tables")  # fmt: skip
    parser.add_argument("--binary", metavar="FILE", help="write the profile, for --read and for the predictors "
                        "profile-address, hybrid and compiler")  # fmt: skip
    parser.add_argument("--plot", metavar="FILE", help="draw the curve and the distributions; needs matplotlib")
    search.add(parser)
    add_configuration(parser)
    add_verbose(parser)

    def checked(options):
        if bool(options.traces) == bool(options.read):
            parser.error("either traces or --read FILE")
        if options.kernels and options.read:
            parser.error("--kernels is of traces: it takes no --read")
        if options.search and options.read:
            parser.error("--search runs the traces: it takes no --read")
        if options.limit and options.search != "hybrid":
            parser.error("--limit is of --search hybrid")
        run(options)

    parser.set_defaults(run=checked)


def _share(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def _in_segments(counts):
    """(1+R)S."""
    return (1 + counts.reuse) * _SEGMENT * counts.segments / counts.bytes_moved if counts.bytes_moved else 0.0


def _verdict(counts):
    return "" if not counts.accesses else "bypass" if counts.score < 1 else "cache"


# Tables


def _summary(profile):
    summary = profile.summary()
    counts = summary.counts

    def of(part, whole, text):
        return [f"{_share(part, whole)} % {text}"] if whole else []

    yield (f"launches: {summary.launches:,}, kernels: {summary.kernels:,}, SMs: {summary.sms:,}, lines of "
           f"{summary.line_bytes} bytes")  # fmt: skip
    rows = [
        ["loads", f"{counts.loads:,}", f"of {summary.instructions:,} instructions"],
        ["accesses", f"{counts.accesses:,}", *of(counts.hits, counts.accesses, "hits; line transactions")],
        ["hits", f"{counts.hits:,}", *of(counts.intra_warp_hits, counts.hits, "by the warp that filled the line"),
         *of(counts.mru_hits, counts.hits, "on the most recent way"),
         *of(counts.lru_hits, counts.hits, "on the least recent of a full set")],
        ["evictions", f"{counts.evictions:,}", *of(counts.zero_reuse_evictions, counts.evictions, "without a hit")],
        ["lines", f"{summary.lines:,}", *of(summary.bypass_lines, summary.lines, "should bypass; addresses, by SM")],
        ["R", f"{counts.reuse:.3f}", "reuses of a fill"],
        ["U", f"{counts.utilisation:.3f}", "bytes used of bytes moved"],
        ["(1+R)U", f"{counts.score:.3f}", "Eq. (1): below 1, loads should bypass"],
        ["(1+R)S", f"{_in_segments(counts):.3f}", "the same in 32-byte segments, which is what a bypass moves"],
    ]  # fmt: skip
    yield from wrapped(["", "", ""], [[name, figure, ", ".join(words)] for name, figure, *words in rows])[1:]


def _rates(counts):
    return [f"{counts.loads:,}", f"{counts.accesses:,}", _share(counts.hits, counts.accesses), f"{counts.reuse:.2f}",
            f"{counts.utilisation:.3f}", f"{counts.score:.3f}", f"{_in_segments(counts):.3f}"]  # fmt: skip


_RATES = ["loads", "accesses", "hit %", "R", "U", "(1+R)U", "(1+R)S"]


def _classes(profile):
    """Figure 5 and Table 1."""
    rows = [row for row in profile.classes() if row.counts.loads]
    loads = sum(row.counts.loads for row in rows)
    yield "by transactions of a load (Figure 5, Table 1)"
    yield from table(["transactions", "loads %", *_RATES, "Eq. (1)"], [
        [str(row.transactions), _share(row.counts.loads, loads), *_rates(row.counts), _verdict(row.counts)]
        for row in rows
    ], left=())  # fmt: skip


def _instructions(profile, top):
    """Figure 4."""
    rows = [row for row in profile.instructions() if row.counts.loads]
    shown = _most(rows, top, lambda row: row.counts.accesses)
    cells = [
        [f"{row.pc:#x}", *_rates(row.counts), _share(row.bypass_lines, row.lines),
         _share(row.bypass_accesses, row.counts.accesses), row.kernel]
        for row in sorted(shown, key=lambda row: (row.kernel_index, row.pc))
    ]  # fmt: skip
    header = ["PC", *_RATES, "lines to bypass %", "bypass %", "kernel"]
    room = max(16, screen_width() - len(table(header[:-1], [row[:-1] for row in cells], left=())[0]) - 2)
    yield f"by instruction (Figure 4){_of(shown, rows)}"
    yield from table(header, [[*row[:-1], short(row[-1], room)] for row in cells], left=(len(header) - 1,))


def _sms(profile):
    """Figure 3: addresses by number of reuses."""
    rows = [row for row in profile.sms() if row.counts.accesses]
    buckets = len(rows[0].lines_by_reuse) if rows else 0
    header = ["SM", "lines", *map(str, range(buckets - 1)), f"{buckets - 1}+"]
    cells = [[str(row.sm), f"{row.lines}", *map(str, row.lines_by_reuse)] for row in rows]
    total = [str(sum(row.lines_by_reuse[bucket] for row in rows)) for bucket in range(buckets)]
    cells.append(["all", str(sum(row.lines for row in rows)), *total])
    yield "by SM: line addresses by their hits (Figure 3)"
    yield from table(header, cells, left=())


def _reuse(profile):
    """Figure 3 for all SMs together."""
    rows = profile.sms()
    total = [sum(column) for column in zip(*(row.lines_by_reuse for row in rows))]
    lines = sum(total)
    yield "line addresses by their hits, all SMs (Figure 3)"
    yield from table(["hits", *map(str, range(len(total) - 1)), f"{len(total) - 1}+"],
                     [["lines %", *(_share(count, lines) for count in total)]])  # fmt: skip


def _addresses(profile, top):
    rows = profile.lines()
    shown = _most(rows, top, lambda row: row.accesses)
    yield f"by line address{_of(shown, rows)}"
    header = ["address", "SM", "accesses", "hits", "fills", "R", "U", "(1+R)U", "mean stack distance", "Eq. (1)"]
    yield from table(header, [
        [f"{row.address:#x}", str(row.sm), f"{row.accesses:,}", f"{row.hits:,}", f"{row.fills:,}", f"{row.reuse:.2f}",
         f"{row.utilisation:.3f}", f"{row.score:.3f}",
         f"{row.stack_distance_sum / row.distances:,.1f}" if row.distances else "-",
         "bypass" if row.score < 1 else "cache"]
        for row in shown
    ])  # fmt: skip


def _most(rows, top, figure):
    """Rows with the largest figures first; all rows for 0."""
    found = sorted(rows, key=figure, reverse=True)
    return found[:top] if top else found


def _of(shown, rows):
    return "" if len(shown) == len(rows) else f", the {len(shown)} of most accesses out of {len(rows):,}"


def _curve(profile):
    yield "miss-ratio curve: fully associative LRU, capacity of each SM"
    points = profile.curve()
    yield from table(["capacity", "misses", "miss %"], [
        [size(point.bytes), f"{point.accesses - point.hits:,}", _share(point.accesses - point.hits, point.accesses)]
        for point in points
    ], left=())  # fmt: skip


def report(profile, views, top, curve):
    """Lines of the chosen views; without a view, of the summary and the shorter tables."""
    parts = {
        "class": lambda: _classes(profile), "instruction": lambda: _instructions(profile, top),
        "sm": lambda: _sms(profile), "address": lambda: _addresses(profile, top),
    }  # fmt: skip
    wanted = [parts[view] for view in _VIEWS if view in views]
    if not views and not curve:
        wanted = [lambda: _summary(profile), parts["class"], parts["instruction"], lambda: _reuse(profile)]
    if curve:
        wanted.append(lambda: _curve(profile))
    for part in wanted:
        yield from part()
        yield ""
    if not views or set(views) - {"sm"}:
        yield _LEGEND


def profile_of(made, config, options, notes):
    """A Profile of the traces; notes are appended to the list, (source, notes) each."""
    profile = Profile(made, config)
    for source in options.traces:
        with opened(made, options, source) as trace:
            number = 0
            profile.on_progress = progress_of(number)
            while profile.kernel(trace) is not None:
                number += 1
                profile.on_progress = progress_of(number)
            notes.append((source, _notes.without_clock(trace.notes)))
    return profile


def _plot(profile, output):
    try:
        import matplotlib
    except ImportError:
        raise Failure("--plot needs matplotlib, which is not installed") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (curve, reuse, loads) = pyplot.subplots(1, 3, figsize=(15, 4), layout="constrained")
    points = [point for point in profile.curve() if point.accesses]
    curve.plot([point.bytes / 1024 for point in points], [point.miss_ratio for point in points], marker=".")
    curve.set(xscale="log", xlabel="capacity of each SM, KiB", ylabel="miss ratio (fully associative LRU)", ylim=(0, 1))
    for row in profile.sms():
        reuse.plot(row.lines_by_reuse, color="C0", alpha=0.3)
    reuse.set(xlabel="hits of a line address (the last: and more)", ylabel="line addresses, a curve for each SM")
    classes = profile.classes()
    loads.bar([row.transactions for row in classes], [row.counts.loads for row in classes])
    loads.set(xlabel="transactions of a load", ylabel="loads")
    image = io.BytesIO()
    try:
        figure.savefig(image, format=os.path.splitext(output.path)[1][1:] or None)
    except ValueError as error:
        raise Failure(f"{output.path}: {error}") from None
    finally:
        pyplot.close(figure)
    output.commit(image.getvalue())


def run(options):
    output = None if options.json is None else Output(options.json)
    try:
        with context(options) as made, configuration(made, options) as config:
            if options.search:
                config["l1.bypass"] = "always-cache"
                config["mode"] = options.mode
            notes = []
            profile = Profile.read(made, options.read) if options.read else profile_of(made, config, options, notes)
            with profile:
                terminal.clear()
                tell_notes(options, [note for _, found in notes for note in found])
                if options.binary is not None:
                    profile.write(options.binary)
                found = search.search(profile, options, dict(config.items())) if options.search else None
                # A profile from a file has no description of the run.
                origin = None if options.read else about(config, options.traces, options.kernels)
                _print(profile, options, found, output, origin, notes)
    finally:
        if output is not None:
            output.__exit__()


def _print(profile, options, found, output, origin, notes):
    views = options.per or []
    if options.plot is not None:
        with Output(options.plot, binary=True) as picture:
            _plot(profile, picture)
    if output is not None:
        document = json.loads(profile.json(lines="address" in views))
        if found:
            document["search"] = search.as_object(*found, options.mode)
        if origin:  # a file of a profile has no notes
            document["notes"] = [each for source, met in notes for each in _notes.document(source, met)]
        output.commit(json.dumps({"schema": 1, **(origin or {}), **document}) + "\n")
    if options.json == "-":
        return
    lines = [*heading(origin), ""] if origin else []
    lines += [] if found and not views else report(profile, views, options.top, options.mrc)
    if found:
        lines += search.report(*found, options.mode)
    sys.stdout.write("\n".join(lines).rstrip() + "\n")
