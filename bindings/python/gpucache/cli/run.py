# SPDX-License-Identifier: BSD-2-Clause
"""run: replay traces, and print results of caches and, with a clock, cycles."""

import argparse
import contextlib
import sys
from collections import namedtuple

from .. import _notes
from .._constants import Object
from .._table import table, told, wrapped
from ..about import COLUMNS, about, cells, heading
from ..errors import GpucacheError
from ..replay import TimeSeries
from ..stats import Stats, counters
from . import objects, orders
from .._names import short
from ._common import (
    add_configuration,
    add_kernels,
    add_limits,
    add_verbose,
    apply_limits,
    configuration,
    context,
    count,
    left_out,
    opened,
    percent,
    progress_of,
    size,
    tell_notes,
    terminal,
)
from ._output import Failure, Output
from .concurrent import add_concurrent, check_concurrent, replay_concurrent
from .concurrent import as_table as as_concurrent_table
from .snapshots import Snapshots, add_snapshots, check_snapshots

# `number`: the kernel's place in the trace, from 1. `objects`: {name: {counter: value}} of the objects of --per; None
# without. `sampling`: Sampling and {name: Estimate}; None with sample = none. `given`: the source on the command line.
# `heat`: maps of Heat.take(). `stages`: with stats.stages, stages of accesses in the JSON form of stages.py.
# `concurrent`: with --concurrent, stream and times.
Row = namedtuple("Row", "number name trace stats series objects sampling given heat stages concurrent", defaults=(None,) * 6)
# Kernels of a trace left out by --kernels.
LeftOut = namedtuple("LeftOut", "trace kernels of")
# A trace with a failed replay.
Failed = namedtuple("Failed", "trace error")
# Counters published by policies in a trace: {name: PolicyValue}.
Published = namedtuple("Published", "trace values")
# Result of a coherent hierarchy for a trace: CoherenceStats by level, and a document for JSON.
Tree = namedtuple("Tree", "trace levels document")

_HEADER = [
    "kernel", "blocks", "warp instr.", "L1 ld sectors", "hit %", "L2 rd sectors", "hit %", "DRAM rd sectors",
    "DRAM wr sectors", "L1 capacity",
]  # fmt: skip

# Where the cycles of the warp schedulers went: column, counter, meaning. `line` and `mshr` are parts of `pipe`.
_STALLS = (
    ("issue", "scheduler.issued"), ("pipe", "scheduler.memory_stalls"), ("line", "scheduler.line_stalls"),
    ("mshr", "scheduler.mshr_stalls"), ("unit", "scheduler.unit_stalls"), ("load", "scheduler.load_stalls"),
    ("dep", "scheduler.latency_stalls"), ("bar", "scheduler.barrier_stalls"), ("limit", "scheduler.throttled"),
    ("none", "scheduler.empty"),
)  # fmt: skip
_TIMED = ["kernel", "cycles", "IPC", "L1 %", "L2 %", "DRAM %", "lat."] + [name for name, _ in _STALLS]
_WIDTH = 120
_LEGEND = """\
IPC: warp instructions a core cycle, all SMs. L1 %, L2 %: hits of load and read sectors. DRAM %: cycles with data on the
bus. lat.: cycles of a load. The rest, in % of the cycles of all warp schedulers: issue: an instruction issued; pipe:
the memory pipeline held up a ready instruction (line, mshr: for lack of an L1 line, of an L1 MSHR); unit: the unit was
busy; load: all warps waited, at least one for memory; dep: for a result; bar: for a barrier; limit: only warps beyond
the limit were ready; none: no warp present.
"""


_STAGE_ROWS = 20
_STAGES_LEGEND = """\
Accesses by instruction and the deepest serving level. cycles: from acceptance to completion, sum over accesses; mean,
longest: per access. The rest, in % of the cycles: time per stage of the way (gpucache/experimental/experimental.h).
"""

_SAMPLED = (
    ("cycles", 1, "{:,.0f}"), ("ipc", 1, "{:.3f}"), ("l1.load_hit_rate", 100, "{:.1f}"),
    ("l2.read_hit_rate", 100, "{:.1f}"), ("dram.utilisation", 100, "{:.1f}"),
)  # fmt: skip
_SAMPLED_LEGEND = """\
Sampled: launches with a timed part, and the timed share of the warp instructions. +-: 95 % confidence interval; -:
counted, not estimated. The sum over all launches is estimated together, hence better than a sum of the lines above.
"""


def add(commands):
    parser = commands.add_parser(
        "run", description="Replay traces, each on caches of "
        "its own, and print of every kernel hit rates and traffic, or cycles and what the warps waited for.",
    )  # fmt: skip
    parser.add_argument("traces", nargs="+", metavar="TRACE", help=".traceg (plain, .xz, .gz, .zst), kernelslist.g, "
                        "a folder, .trace or kernelslist, .gct, a table, or synthetic:NAME[:SIZE]; - is standard input")  # fmt: skip
    add_kernels(parser)
    add_configuration(parser)
    parser.add_argument("--mode", choices=["functional", "timed"], help="functional: without a clock (the default); "
                        "timed: with one: cycles, stalls (the key mode)")  # fmt: skip
    add_limits(parser)
    parser.add_argument("--sample", type=_interval, metavar="CYCLES", help="with --mode timed and --json: a time "
                        "series of every counter and ratio, a value each so many core cycles")  # fmt: skip
    parser.add_argument("--events", metavar="FILE", help="write what happens, event by event: as text, or, if FILE ends "
                        "in .json, for ui.perfetto.dev; - prints text instead of the table")  # fmt: skip
    parser.add_argument("--events-filter", action="append", default=[], type=_filter, metavar="KEY=VALUE[,...]",
                        help="only those of sm, address, pc, cycle (N or FIRST-LAST), kind, what, component (names "
                        "joined by +)")  # fmt: skip
    parser.add_argument("--heat", action="store_true", help="with --mode timed and --json: what happens by SM, slice, "
                        "DRAM bank, L1 set and address over time, for the command report; some 10 us an event")  # fmt: skip
    parser.add_argument("--per", choices=objects.KINDS, metavar="OBJECT", help="values of each " +
                        ", ".join(objects.KINDS) + ": a table, in --json, and in --csv in place of the kernels'")  # fmt: skip
    parser.add_argument("--matrices", action="store_true", help="with coherence = PROTOCOL: of each level transitions "
                        "of states, their origins, and hit ratios")  # fmt: skip
    add_snapshots(parser)
    add_concurrent(parser)
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it instead of the table")
    parser.add_argument("--csv", metavar="FILE", help="write a line per kernel as CSV; - likewise")
    add_verbose(parser)

    def checked(options):
        if (options.json, options.csv, options.events).count("-") > 1:
            parser.error("two of --json -, --csv - and --events - cannot both print")
        if options.sample and options.json is None and options.events is None:
            parser.error("--sample goes to the file of --json, or of --events")
        if options.events_filter and options.events is None:
            parser.error("--events-filter is for --events")
        if options.heat and (options.json is None or options.events is not None):
            parser.error("--heat goes to the file of --json, and not together with --events")
        check_snapshots(parser, options)
        check_concurrent(parser, options)
        run(options)

    parser.set_defaults(run=checked)


def _interval(text):
    try:
        found = int(text)
    except ValueError:
        found = 0
    if not 0 < found < 1 << 64:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of cycles")
    return found


def _filter(text):
    try:
        from ..events import parse_filter

        return parse_filter(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


# Replay

# Counters shown beside the events.
_EVERY = 1000  # core cycles
_SHOWN = ("ipc", "l1.load_hit_rate", "l2.read_hit_rate", "dram.utilisation", "load.mean_latency")


class Watch(namedtuple("Watch", "writer fields interval")):
    """Receiver of events, with an interval for counters."""

    def sampler(self, series):
        """Callback for each Sample: counters beside the events, and for `series` if wanted."""

        def sampled(sample):
            if series is not None:
                series.append(sample)
            found = {name: sample.stats.get(name) for name in _SHOWN}
            self.writer.counters(sample.cycle, {name: value for name, value in found.items() if value is not None})

        return sampled


def _sampling(runner, every=False):
    """(Sampling, {name: Estimate}); None with sample = none."""
    found = runner.sampling(every)
    if found is None:
        return None
    estimates = ((c.name, runner.estimate(c.name, every)) for c in counters() if c.kind != "histogram")
    return found, {name: estimate for name, estimate in estimates if estimate is not None and estimate.estimated}


def _stages(runner, config, told):
    """Stages of the kernel's accesses, without the launches in `told`; None without stats.stages."""
    if config["stats.stages"] != "true":
        return None
    from ..stages import as_document

    found = [row for row in as_document(runner.hierarchy.stages()) if row["kernel"] not in told]
    told.update(row["kernel"] for row in found)
    return found


@contextlib.contextmanager
def _noting(trace, source, config, notes):
    """Append the notes of a trace at the end, after errors too."""
    try:
        yield
    finally:
        if notes is not None:
            notes.append((source, _notes.of_run(trace.notes, config)))


def replay(made, config, options, source, interval=0, trees=None, watch=None, per=None, samplings=None, snapshots=None,
           published=None, heat=None, others=None, notes=None):  # fmt: skip
    """Yield a Row for each kernel of a trace.

    trees  list, receives the Tree of a coherent hierarchy
    watch  a Watch, for --events
    per    kind of objects of --per
    samplings  list, receives (source, Sampling, estimates) of all kernels together, if sampled
    published  list, receives counters published by policies
    snapshots  Snapshots to load and save; None: neither
    heat       a Heat, for --heat
    others     list, receives the LeftOut, if --kernels left kernels out
    notes      list, receives (source, notes of the trace), after failures too
    """
    snapshots = snapshots or Snapshots()
    more = {}
    if watch is not None:
        watch.writer.begin(source, config["mode"] == "timed")
        more = {"events": watch.writer, "event_filter": watch.fields}
        if watch.interval:
            more["on_sample"] = lambda sample: sampled(sample)
    elif heat is not None:
        heat.clear()
        more = {"events": heat, "event_filter": heat.FILTER}
    more["sample_interval"] = watch.interval if watch else interval
    with snapshots.replay(made, config, **more) as runner, opened(made, options, source) as trace, \
            _noting(trace, source, config, notes):  # fmt: skip
        snapshots.resume(runner, trace)
        if per:
            runner.keep_objects()
        number, launches = 0, set()
        while True:
            runner.on_progress = progress_of(number)
            series = TimeSeries(interval) if interval and watch else None
            if watch is not None:
                sampled = watch.sampler(series)
                watch.writer.mark(runner.hierarchy.now, f"kernel {number + 1} begins")
            result = snapshots.kernel(runner, trace)
            if series is not None and result is not None:
                result.series = series
            if result is None:
                rest = left_out(trace, number)
                if rest and options.kernels is not None and others is not None:
                    others.append(LeftOut(source, rest, rest + number))
                tree = runner.hierarchy.coherence
                if tree is not None and trees is not None:
                    trees.append(Tree(source, tree.level_stats(), tree.stats_json()))
                values = runner.policy_values()
                if values and published is not None:
                    published.append(Published(source, values))
                sampling = _sampling(runner, every=True)
                if sampling is not None and samplings is not None:
                    samplings.append((source, *sampling))
                return
            number += 1
            found = runner.objects(Object[per.upper()]) if per else None
            file = result.kernel.file or source
            maps = None if heat is None else heat.take(runner.hierarchy)
            yield Row(result.kernel.index + 1, result.kernel.name, file, result.stats, result.series, found, _sampling(runner), source, maps,
                      _stages(runner, config, launches))


# Output


def _series(row):
    """A time series by columns; histograms are left out."""
    names = [counter.name for counter in counters() if counter.kind != "histogram"]
    values = {name: row.series.column(name) for name in names}
    return {"interval": row.series.interval, "cycle": row.series.cycles, "values": values}


def _sampled(sampling, estimates):
    """Estimates of a launch, with intervals of 95 %."""
    figures = {name: {"value": e.value, "low": e.low, "high": e.high} for name, e in estimates.items()}
    return {**sampling._asdict(), "confidence": 0.95, "estimates": figures}


def _kernel(row, per=None):
    import json

    found = {"number": row.number, "name": row.name, "trace": row.trace, "stats": json.loads(row.stats.json())}
    if per:
        found["objects"] = {per: row.objects}
    if row.sampling is not None:
        found["sampling"] = _sampled(*row.sampling)
    if row.series is not None:
        found["series"] = _series(row)
    if row.heat is not None:
        found["heat"] = row.heat
    if row.stages is not None:
        found["stages"] = row.stages
    if row.concurrent is not None:
        found["concurrent"] = row.concurrent._asdict()
    return found


def as_json(origin, config, rows, total, trees=(), per=None, samplings=(), published=(), failures=(), others=(),
            notes=()):  # fmt: skip
    """The document, a kernel on a line; a failed trace has an `error`."""
    import json

    def joined(parts):
        return ",\n    ".join(map(json.dumps, parts))

    document = {"schema": 1, **origin, "config": dict(config.items())}
    head = json.dumps(document, indent=2)[:-2]
    found = [_kernel(row, per) for row in rows]
    found += [{"name": None, "trace": each.trace, "error": each.error} for each in failures]
    kernels = f"\n    {joined(found)}\n  " if found else ""
    tail = f',\n  "total": {json.dumps(json.loads(total.json()))}'
    if others:
        tail += f',\n  "left_out": {json.dumps([each._asdict() for each in others])}'
    told = [each for source, found in notes for each in _notes.document(source, found)]
    tail += ',\n  "notes": [' + (f"\n    {joined(told)}\n  " if told else "") + "]"
    if trees:
        found = [{"trace": tree.trace, "protocol": config["coherence"], **tree.document} for tree in trees]
        tail += f',\n  "coherence": [\n    {joined(found)}\n  ]'
    if published:
        found = [{"trace": each.trace, "counters": {name: value._asdict() for name, value in each.values.items()}}
                 for each in published]  # fmt: skip
        tail += f',\n  "policies": [\n    {joined(found)}\n  ]'
    if samplings:
        found = [{"trace": source, **_sampled(*sampling)} for source, *sampling in samplings]
        tail += f',\n  "sampling": [\n    {joined(found)}\n  ]'
    return f'{head},\n  "kernels": [{kernels}]{tail}\n}}\n'


def as_csv(origin, rows, per=None, failures=()):
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if per:
        writer.writerows(objects.csv_rows(per, rows, origin))
        return text.getvalue()
    header = Stats().csv(header=True).splitlines()[0]
    names = next(csv.reader([header]))
    writer.writerow(["name", "trace", *COLUMNS, "error", *names])
    for row in rows:
        writer.writerow([row.name, row.trace, *cells(origin), "", *next(csv.reader([row.stats.csv()]))])
    for each in failures:
        writer.writerow(["", each.trace, *cells(origin), each.error, *[""] * len(names)])
    return text.getvalue()


def _cells(name, stats):
    return [
        name, count(stats, "blocks"), count(stats, "warp_instructions"), count(stats, "l1.load_sectors"),
        percent(stats, "l1.load_hit_rate"), count(stats, "l2.read_sectors"), percent(stats, "l2.read_hit_rate"),
        count(stats, "dram.read_sectors"), count(stats, "dram.write_sectors"), size(stats["l1.capacity"]),
    ]  # fmt: skip


def _ruled(lines):
    """The last line is of totals."""
    return "\n".join(lines[:-1] + ["-" * max(map(len, lines)), lines[-1]]) + "\n"


def as_table(rows, total):
    body = [_cells(short(row.name), row.stats) for row in rows]
    return _ruled(table(_HEADER, body + [_cells("total", total)]))


def _timed_cells(name, stats):
    cycles = stats.get("scheduler.cycles")
    shares = [f"{100 * stats[counter] / cycles:.1f}" if cycles else "-" for _, counter in _STALLS]
    return [
        name, count(stats, "cycles"), f"{stats['ipc']:.3f}" if "ipc" in stats else "-",
        percent(stats, "l1.load_hit_rate"), percent(stats, "l2.read_hit_rate"), percent(stats, "dram.utilisation"),
        f"{stats['load.mean_latency']:.0f}" if "load.mean_latency" in stats else "-", *shares,
    ]  # fmt: skip


def as_timed_table(rows, total):
    """At most 120 columns, as long as the names may be cut to 12."""
    all_rows = [*((row.name, row.stats) for row in rows), ("total", total)]
    figures = [_timed_cells("", stats) for _, stats in all_rows]
    room = max(12, _WIDTH - max(map(len, table(_TIMED[1:], [cells[1:] for cells in figures], left=()))) - 2)
    body = [[short(name, room), *cells[1:]] for (name, _), cells in zip(all_rows, figures)]
    return _ruled(table(_TIMED, body)) + "\n" + _LEGEND


def _sampled_cells(name, stats, sampling, estimates):
    timed = sampling.timed_instructions / (stats["warp_instructions"] or 1)
    cells = [name, f"{sampling.timed_launches:,}/{sampling.launches:,}", f"{100 * timed:.1f}"]
    for figure, scale, form in _SAMPLED:
        if figure in estimates:
            e = estimates[figure]
            cells += [form.format(scale * e.value), form.format(scale * (e.high - e.low) / 2)]
        else:
            cells += [form.format(scale * stats[figure]) if figure in stats else "-", "-"]
    return cells


def as_sampled_table(rows, samplings):
    """Timed parts, and intervals of estimates: of kernels, and of whole traces."""
    body = [_sampled_cells(short(row.name), row.stats, *row.sampling) for row in rows]
    for source, *sampling in samplings:
        stats = sum((row.stats for row in rows if row.given == source), Stats())
        body.append(_sampled_cells(f"all of {short(source)}", stats, *sampling))
    header = ["kernel", "timed", "instr. %", "cycles", "+-", "IPC", "+-", "L1 %", "+-", "L2 %", "+-", "DRAM %", "+-"]
    return "\n" + "\n".join(table(header, body)) + "\n" + _SAMPLED_LEGEND


def as_policies(published):
    """Counters published by policies, a line per counter."""
    body = [[each.trace, name, f"{value.value:,}", value.unit, value.meaning]
            for each in published for name, value in each.values.items()]  # fmt: skip
    return "\n".join(["", *wrapped(["trace", "counter of a policy", "value", "unit", "meaning"], body, left=(0, 1, 3))])


def as_stages(rows):
    """Cycles of accesses by stage, all kernels, most cycles first."""
    from ..stages import merged, names

    found = merged((short(row.name), each) for row in rows for each in row.stages)
    used = [name for name in names() if any(name in each["stages"] for each in found)]
    header = ["kernel", "instruction", "kind", "level", "accesses", "cycles", "mean", "longest", *used]
    body = [[each["name"], each["pc"] or "-", each["kind"], each["level"], f"{each['accesses']:,}",
             f"{each['latency']:,}",
             f"{each['latency'] / each['accesses']:.0f}", f"{each['longest']:,}",
             *(f"{100 * each['stages'].get(name, 0) / (each['latency'] or 1):.1f}" for name in used)]
            for each in found[:_STAGE_ROWS]]  # fmt: skip
    lines = ["", *table(header, body, left=(0, 1, 2, 3))]
    if len(found) > _STAGE_ROWS:
        lines.append(f"and {len(found) - _STAGE_ROWS} more, in --json")
    return "\n".join([*lines, "", _STAGES_LEGEND.rstrip()])


def as_matrices(trees):
    """Transitions with origins of each trace and level, then the hit ratios of all levels."""
    from .coherence import ratios

    for tree in trees:
        yield ""
        yield f"coherence: transitions of states and their origins, {tree.trace}"
        for level, stats in tree.levels.items():
            yield stats.matrices(level).rstrip("\n")
        yield from ratios(tree.levels)


def run(options):
    outputs = {}
    try:
        for name in ("json", "csv", "events"):
            path = getattr(options, name)
            if path is not None:
                outputs[name] = Output(path)
        _run(options, outputs)
    finally:
        for output in outputs.values():
            output.__exit__()


def _run(options, outputs):
    with context(options) as made, Snapshots(made, options) as snapshots, \
            (snapshots.config or configuration(made, options)) as config:
        if options.mode is not None:
            config["mode"] = options.mode
        apply_limits(config, options)
        timed = config["mode"] == "timed"
        if not timed and (options.sample or options.max_cycles is not None):
            raise Failure(f"{'--sample' if options.sample else '--max-cycles'} needs a clock: --mode timed")
        heat = None
        if options.heat:
            if not timed or config["coherence"] not in ("none", "viper"):
                raise Failure("--heat needs a clock, --mode timed, and caches without a protocol")
            from ..heat import Heat

            heat = Heat()
        if options.matrices and config["coherence"] == "none":
            raise Failure("--matrices needs a protocol: --set coherence=NAME")
        origin = about(config, options.traces, options.kernels)
        done = Done([], [], [], [], [], [], None, [])
        watch = None
        if "events" in outputs:
            fields = {name: value for chosen in options.events_filter for name, value in chosen.items()}
            from ..events import writer_of

            writer = writer_of(options.events, outputs["events"].file)
            watch = Watch(writer, fields, options.sample or (_EVERY if timed else 0))
        if options.concurrent:
            done = _replay_at_once(made, config, options, done)
        else:
            done = _replay_all(made, config, options, watch, snapshots, done, heat)
        terminal.clear()
        if watch is not None:
            watch.writer.close()
            outputs["events"].commit("")
        _tell(options, outputs, origin, config, done)
        if done.stopped:
            raise done.stopped
        if done.failures:
            raise Failure(f"{len(done.failures)} of {len(options.traces)} traces failed")


# Results of all traces; `stopped` is the reason of an early end, or None. `whole`: Stats of concurrent kernels.
Done = namedtuple("Done", "rows trees samplings published failures others stopped notes whole", defaults=(None,))


def _replay_at_once(made, config, options, done):
    """Done, for --concurrent: all or nothing."""

    def row_of(kernel, stats, given, more):
        return Row(kernel.index + 1, kernel.name, kernel.file or given, stats, None, given=given, concurrent=more)

    return done._replace(whole=replay_concurrent(made, config, options, done.rows, row_of, done.notes))


def _replay_all(made, config, options, watch, snapshots, done, heat=None):
    """Done, with finished traces. A failure without a finished trace is raised."""
    stopped = None

    def failed(source, told):
        done.failures.append(Failed(source, told))
        terminal.note(f"gpucache: {told}")

    for source in options.traces:
        try:
            for row in replay(made, config, options, source, options.sample or 0, done.trees, watch, options.per,
                              done.samplings, snapshots, done.published, heat, done.others, done.notes):  # fmt: skip
                done.rows.append(row)
        except (Failure, GpucacheError) as error:
            if len(options.traces) == 1 and not done.rows:
                raise
            failed(source, str(error))
        except (KeyboardInterrupt, SystemExit) as error:
            stopped = error
            break
        except Exception as error:
            from ..loading import blame  # a policy's, of --load

            told = blame(error)
            if told is None or len(options.traces) == 1:
                raise
            failed(source, told)
    if not done.rows and (stopped or done.failures):
        raise stopped or Failure(f"{len(done.failures)} of {len(options.traces)} traces failed")
    return done._replace(stopped=stopped)


def _tell(options, outputs, origin, config, done):
    rows, per = done.rows, options.per
    tell_notes(options, [note for _, notes in done.notes for note in notes])
    total = sum((row.stats for row in rows), Stats()) if done.whole is None else done.whole
    if "json" in outputs:
        outputs["json"].commit(as_json({**origin, "interrupted": done.stopped is not None}, config, rows, total,
                                       done.trees, per, done.samplings, done.published, done.failures, done.others,
                                       done.notes))  # fmt: skip
    if "csv" in outputs:
        outputs["csv"].commit(as_csv(origin, rows, per, done.failures))
    if "-" in (options.json, options.csv, options.events):
        return
    print("\n".join(heading(origin)) + "\n")
    form = as_timed_table if config["mode"] == "timed" else as_table
    sys.stdout.write((as_concurrent_table if options.concurrent else form)(rows, total))
    if config["mode"] == "functional" and rows and not (done.failures or done.stopped or options.concurrent):
        note = orders.line(options, config, total)
        if note is not None:
            print(note)
    if done.failures:
        print("\n".join(["", "failed:", *(told(each.error, each.trace) for each in done.failures)]))
    if done.others:
        print("\nleft out: " + ", ".join(f"{each.kernels:,} of {each.of:,} kernels of {each.trace}" for each in done.others))
    if done.samplings:
        sys.stdout.write(as_sampled_table(rows, done.samplings))
    if per:
        print("\n" + "\n".join(objects.as_table(per, rows)))
    if options.matrices:
        print("\n".join(as_matrices(done.trees)))
    if rows and rows[0].stages is not None:
        print(as_stages(rows))
    if done.published:
        print(as_policies(done.published))
    sys.stdout.flush()
