# SPDX-License-Identifier: BSD-2-Clause
"""compare: traces under several policies."""

import argparse
import csv
import io
import json
import re

from .. import _notes, comparison
from ..about import COLUMNS, about, cells
from ..policy import items
from ._common import (
    add_configuration,
    add_kernels,
    add_limits,
    add_verbose,
    apply_limits,
    configuration,
    context,
    natural,
    tell_notes,
    terminal,
)
from ._output import Failure, Output


def add(commands):
    parser = commands.add_parser(
        "compare", help="run traces under several policies", description="Replay each trace under each policy, and "
        "print hit rates, traffic and, with a clock, cycles, all relative to the first policy, with geometric means.",
    )  # fmt: skip
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="as for the command run")
    parser.add_argument("--policies", required=True, metavar="NAME,NAME,...", type=_policies, help="the first is what "
                        "the others are compared with. NAME, NAME(PARAMETER=VALUE, ...): of a replacement policy, a "
                        "predictor, a scheduler or a prefetcher, see the command policies; a name of several kinds "
                        "needs its key. Or any KEY=VALUE, several with +: l1.replacement=lru+l1.bypass=sdbp")  # fmt: skip
    parser.add_argument("--level", choices=["l1", "l2"], default="l1", help="whose policies plain names are")
    parser.add_argument("--mode", choices=["functional", "timed"], default="functional", help="timed: with a clock")
    parser.add_argument("--metrics", type=lambda text: text.split(","), metavar="NAME,NAME,...",
                        help="counters and ratios, as --json of the command run names them; and those of policies")  # fmt: skip
    parser.add_argument("--jobs", type=natural, metavar="N",
                        help="runs at the same time; default: as many as processors")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write every counter as JSON; - prints it instead of the table")
    parser.add_argument("--csv", metavar="FILE", help="write a line per run as CSV; - likewise")
    add_kernels(parser)
    add_configuration(parser)
    add_limits(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


_SETTING = r"[a-z0-9_.]+\s*="


def _policies(text):
    """{text of a policy: argument of compare()}."""
    found = {}
    for name in items(text):
        found[name] = name
        if re.match(_SETTING, name):
            found[name] = dict(part.split("=", 1) for part in re.split(rf"\+(?={_SETTING})", name))
    if not found:
        raise argparse.ArgumentTypeError("there is no name in it")
    return found


def _run_of(row):
    if row.error is not None:
        return {"policy": row.policy, "trace": row.trace, "error": row.error}
    published = {name: value._asdict() for name, value in row.policies.items()}
    return {"policy": row.policy, "trace": row.trace, "traffic": row.traffic, "speedup": row.speedup,
            "stats": json.loads(row.stats.json()), **({"policies": published} if published else {})}  # fmt: skip


def as_json(options, config, found):
    document = {
        "schema": 1, **about(config, options.traces, options.kernels), "config": dict(config.items()),
        "interrupted": found.stopped is not None, "runs": [_run_of(row) for row in found],
        "geometric_means": [mean._asdict() for mean in found.means],
        "notes": [each for source, notes in found.notes.items() for each in _notes.document(source, notes)],
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def as_csv(found):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["trace", "policy", *COLUMNS, *found.metrics, "traffic", "speedup", "error"])
    for row in found:
        writer.writerow([row.trace, row.policy, *cells(found.about), *row.values.values(), row.traffic, row.speedup,
                         row.error])  # fmt: skip
    return text.getvalue()


def run(options):
    if options.json == options.csv == "-":
        raise Failure("--json - and --csv - cannot both print")
    outputs = {}
    try:
        for name in ("json", "csv"):
            if getattr(options, name) is not None:
                outputs[name] = Output(getattr(options, name))
        _run(options, outputs)
    finally:
        for output in outputs.values():
            output.__exit__()


def _run(options, outputs):
    with context(options) as made, configuration(made, options) as config:
        config["mode"] = options.mode
        apply_limits(config, options)
        found = comparison.compare(
            options.policies, options.traces, config.preset, mode=options.mode, metrics=options.metrics, level=options.level,
            settings=config.changes(), jobs=options.jobs, register=options.load, kernels=options.kernels,
            on_progress=lambda done, count: terminal.progress(lambda: f"{done} of {count} runs"), keep_going=True,
        )  # fmt: skip
        terminal.clear()
        if found and len(found.failures) == len(found):  # nothing to keep
            raise found.stopped or Failure(found[0].error)
        tell_notes(options, [note for notes in found.notes.values() for note in notes])
        if "json" in outputs:
            outputs["json"].commit(as_json(options, config, found))
        if "csv" in outputs:
            outputs["csv"].commit(as_csv(found))
        if "-" not in (options.json, options.csv):
            print(found, flush=True)
        if found.stopped:
            raise found.stopped
        if found.failures:
            raise Failure(f"{len(found.failures)} of {len(found)} runs failed")
