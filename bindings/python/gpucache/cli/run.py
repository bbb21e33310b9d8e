# SPDX-License-Identifier: BSD-2-Clause
"""run: replay traces, and say what the caches made of them."""

import csv
import io
import json
import sys
import time
from collections import namedtuple

from ..replay import Replay
from ..stats import Stats
from ..trace import Trace
from ._common import (
    Output,
    add_configuration,
    add_verbose,
    configuration,
    context,
    percent,
    short,
    size,
    table,
    terminal,
)

Row = namedtuple("Row", "name trace stats")

_HEADER = [
    "kernel", "blocks", "warp instr.", "L1 ld sectors", "hit %", "L2 rd sectors", "hit %", "DRAM rd sectors",
    "DRAM wr sectors", "L1 capacity",
]  # fmt: skip


def add(commands):
    parser = commands.add_parser(
        "run", help="replay traces and print hit rates and traffic", description="Replay traces, each on caches of "
        "its own, and print hit rates and traffic of every kernel.",
    )  # fmt: skip
    parser.add_argument("traces", nargs="+", metavar="TRACE", help=".traceg (plain, .xz, .gz, .zst), kernelslist.g, "
                        "a folder, .gct, or synthetic:NAME[:SIZE]")  # fmt: skip
    add_configuration(parser)
    parser.add_argument("--mode", choices=["functional"], default="functional",
                        help="functional: without a clock (the default)")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it instead of the table")
    parser.add_argument("--csv", metavar="FILE", help="write a line per kernel as CSV; - likewise")
    add_verbose(parser)

    def checked(options):
        if options.json == options.csv == "-":
            parser.error("--json - and --csv - cannot both print")
        run(options)

    parser.set_defaults(run=checked)


# Replay


def _progress_of(kernel, started):
    """Progress callback of the kernel'th kernel."""

    def show(progress):
        def line():
            rate = progress.warp_instructions / max(1e-9, time.monotonic() - started) / 1e6
            return (f"{100 * progress.trace_fraction:3.0f} % kernel {kernel}, block {progress.blocks:,} of "
                    f"{progress.block_count:,}, {rate:.1f} M warp instructions/s")  # fmt: skip

        terminal.progress(line)

    return show


def replay(made, config, source):
    """Yield a Row for each kernel of a trace."""
    with Replay(made, config) as runner, Trace(made, source) as trace:
        number = 0
        while True:
            runner.on_progress = _progress_of(number, time.monotonic())
            result = runner.kernel(trace)
            if result is None:
                return
            number += 1
            yield Row(result.kernel.name, result.kernel.file or source, result.stats)


# Output


def as_json(preset, config, rows, total):
    """The document, a kernel on a line."""
    document = {"schema": 1, "preset": preset, "config": dict(config.items())}
    head = json.dumps(document, indent=2)[:-2]
    kernels = ",\n    ".join(
        json.dumps({"name": row.name, "trace": row.trace, "stats": json.loads(row.stats.json())}) for row in rows
    )
    kernels = f"\n    {kernels}\n  " if rows else ""
    return f'{head},\n  "kernels": [{kernels}],\n  "total": {json.dumps(json.loads(total.json()))}\n}}\n'


def as_csv(rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    header = Stats().csv(header=True).splitlines()[0]
    writer.writerow(["name", "trace", *next(csv.reader([header]))])
    for row in rows:
        writer.writerow([row.name, row.trace, *next(csv.reader([row.stats.csv()]))])
    return text.getvalue()


def _cells(name, stats):
    return [
        name, f"{stats['blocks']:,}", f"{stats['warp_instructions']:,}", f"{stats['l1.load_sectors']:,}",
        percent(stats, "l1.load_hit_rate"), f"{stats['l2.read_sectors']:,}", percent(stats, "l2.read_hit_rate"),
        f"{stats['dram.read_sectors']:,}", f"{stats['dram.write_sectors']:,}", size(stats["l1.capacity"]),
    ]  # fmt: skip


def as_table(rows, total):
    body = [_cells(short(row.name), row.stats) for row in rows]
    lines = table(_HEADER, body + [_cells("total", total)])
    return "\n".join(lines[:-1] + ["-" * max(map(len, lines)), lines[-1]]) + "\n"


def run(options):
    outputs = {}
    try:
        for name in ("json", "csv"):
            path = getattr(options, name)
            if path is not None:
                outputs[name] = Output(path)
        _run(options, outputs)
    finally:
        for output in outputs.values():
            output.__exit__()


def _run(options, outputs):
    with context(options) as made, configuration(made, options) as config:
        rows = []
        for source in options.traces:
            rows += replay(made, config, source)
        terminal.clear()
        total = sum((row.stats for row in rows), Stats())
        if "json" in outputs:
            outputs["json"].commit(as_json(options.preset, config, rows, total))
        if "csv" in outputs:
            outputs["csv"].commit(as_csv(rows))
        if "-" not in (options.json, options.csv):
            sys.stdout.write(as_table(rows, total))
