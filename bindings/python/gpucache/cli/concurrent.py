# SPDX-License-Identifier: BSD-2-Clause
"""run --concurrent: several traces, with CUDA streams, together."""

import argparse
import contextlib
from collections import namedtuple

from .. import _notes
from .._constants import GPC_PROCESSES
from .._names import short
from .._table import table
from ..replay import Replay
from ..streams import Stream
from ._common import count, opened, percent, progress_of
from ._output import Failure

# Fields of a concurrent kernel beside statistics.
Concurrent = namedtuple("Concurrent", "stream process launched started dispatched ended")

_HEADER = [
    "kernel", "stream", "launched", "ended", "blocks", "warp instr.", "L1 ld sectors", "hit %",
    "L2 rd sectors", "hit %", "DRAM rd sectors",
]  # fmt: skip

# Options for kernels in sequence only.
_ALONE = ("sample", "events", "heat", "per", "matrices", "save_at", "resume")


def _sms(text):
    """[SM] of "0-3,8"."""
    found = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            found += range(int(first), int(last or first) + 1)
    except ValueError:
        found = []
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' is not SMs such as 0-65,70")
    return found


def add_concurrent(parser):
    group = parser.add_argument_group(
        "kernels at once", "All traces on one GPU, at once; of each trace its CUDA streams, whose kernels follow one "
        "another. Blocks are taken by priority, and of what the kernels before leave over. Each trace is a program with "
        "memory of its own, whatever its addresses are; its streams share it.",
    )  # fmt: skip
    group.add_argument("--concurrent", action="store_true", help="all traces at once, and the streams of each")
    group.add_argument("--sms", action="append", default=[], type=_sms, metavar="SM[-SM][,...]", help="SMs that a "
                       "trace's kernels run on, as a partition has them; once for each trace, in their order (all)")  # fmt: skip
    group.add_argument("--priority", action="append", default=[], type=int, metavar="N", help="priority of a trace's "
                       "kernels, likewise; lower ones are more urgent (0)")  # fmt: skip
    group.add_argument("--share-memory", action="store_true", help="equal addresses of different traces are the same "
                       "memory, as of one program")  # fmt: skip
    group.add_argument("--default-stream", choices=["legacy", "per-thread"], default="legacy", help="stream 0 of a "
                       "trace with several: legacy, its kernels wait for all launched before, and others for them; "
                       "per-thread, it is one like the others")  # fmt: skip


def check_concurrent(parser, options):
    if not options.concurrent:
        if options.sms or options.priority or options.share_memory or options.default_stream != "legacy":
            parser.error("--sms, --priority, --share-memory and --default-stream are for --concurrent")
        return
    for name in _ALONE:
        if getattr(options, name):
            parser.error(f"--{name.replace('_', '-')} is of kernels one after the other, not for --concurrent")
    if len(options.traces) > GPC_PROCESSES and not options.share_memory:
        parser.error(f"--concurrent has {len(options.traces)} programs, and memory for {GPC_PROCESSES}: --share-memory")
    for name in ("sms", "priority"):
        if len(getattr(options, name)) not in (0, len(options.traces)):
            parser.error(f"--{name} is to be there once for each trace, or not at all")


def _streams_of(made, options, source):
    """CUDA streams of a trace, in the order of first launches."""
    with opened(made, options, source) as trace:
        return list(dict.fromkeys(kernel.stream for kernel in trace))


def _streams(made, options, traces):
    """Streams of all traces, each with a separate trace, closed by `traces`."""
    found = []
    for n, source in enumerate(options.traces):
        ids = _streams_of(made, options, source)
        for number in ids:
            found.append(Stream(
                traces.enter_context(opened(made, options, source)),
                sms=options.sms[n] if options.sms else None,
                priority=options.priority[n] if options.priority else 0,
                stream=number if len(ids) > 1 else None,
                null_stream=number == 0 and len(ids) > 1 and options.default_stream == "legacy",
                process=0 if options.share_memory else n,
            ))  # fmt: skip
    if not found:
        raise Failure("--concurrent: the traces have no kernel")
    return found


def replay_concurrent(made, config, options, rows, row_of, notes):
    """Append a row_of(...) per ended kernel, and (source, notes) per trace; returns the Stats of the
    whole."""
    with contextlib.ExitStack() as traces:
        streams = _streams(made, options, traces)
        if int(config["streams"]) < len(streams):
            config["streams"] = len(streams)
        names = [str(stream.trace.source) for stream in streams]
        with Replay(made, config) as runner:
            runner.on_progress = progress_of(0)

            def ended(result):
                more = Concurrent(*(getattr(result, name) for name in Concurrent._fields))
                rows.append(row_of(result.kernel, result.stats, names[result.stream], more))

            whole = runner.streams(streams, ended)[1]
            for source in dict.fromkeys(names):
                found = [note for name, stream in zip(names, streams) if name == source for note in stream.trace.notes]
                notes.append((source, _notes.of_run(_notes.merged(found), config)))
            return whole


def _cells(name, stats, more):
    times = [f"{getattr(more, field):,}" for field in ("stream", "launched", "ended")] if more else [""] * 3
    return [
        name, *times, count(stats, "blocks"), count(stats, "warp_instructions"), count(stats, "l1.load_sectors"),
        percent(stats, "l1.load_hit_rate"), count(stats, "l2.read_sectors"), percent(stats, "l2.read_hit_rate"),
        count(stats, "dram.read_sectors"),
    ]  # fmt: skip


def as_table(rows, total):
    """A line per kernel, in the order of ends, and for the whole."""
    lines = table(_HEADER, [*(_cells(short(row.name), row.stats, row.concurrent) for row in rows),
                            _cells("total", total, None)])  # fmt: skip
    told = f"\n{total['cycles']:,} core cycles, IPC {total['ipc']:.3f}\n" if "ipc" in total else ""
    return "\n".join(lines[:-1] + ["-" * max(map(len, lines)), lines[-1]]) + "\n" + told
