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
    at_least,
    configuration,
    context,
    natural,
    tell_notes,
    terminal,
)
from ._output import Failure, Output


def add(commands):
    parser = commands.add_parser(
        "compare", description="Replay each trace under each policy, and "
        "print hit rates, traffic and, with a clock, cycles, all relative to the first policy, with geometric means.",
    )  # fmt: skip
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="as for the command run")
    parser.add_argument("--policies", required=True, metavar="NAME,NAME,...", type=_policies, action=_Policies,
                        help="the first is what the others are compared with; repeated, the lists follow one another. "
                        "NAME, NAME(PARAMETER=VALUE, ...): of a replacement policy, a predictor, a scheduler or a "
                        "prefetcher, see the command policies; a name of several kinds needs the kind, predictor:sdbp. "
                        "LABEL:=POLICY gives a name for the table. Or any KEY=VALUE, several with +: "
                        "l1.replacement=lru+l1.bypass=sdbp")  # fmt: skip
    parser.add_argument("--level", choices=["l1", "l2"], default="l1", help="whose policies plain names are")
    parser.add_argument("--mode", choices=["functional", "timed"], default="functional", help="timed: with a clock")
    parser.add_argument("--metrics", type=lambda text: text.split(","), metavar="NAME,NAME,...",
                        help="counters and ratios, as --json of the command run names them; and those of policies")  # fmt: skip
    parser.add_argument("--jobs", type=natural, metavar="N",
                        help="runs at the same time; default: as many as processors")  # fmt: skip
    parser.add_argument("--repeat", type=at_least(1), default=1, metavar="N", help="with --mode timed: N runs each, "
                        "with latencies and starts of blocks up to 3 cycles later, for a speed-up with its 95 %% "
                        "interval")  # fmt: skip
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="names the perturbations; default 0")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    form.add_argument("--latex", action="store_true", help="print the table in LaTeX, for booktabs")
    parser.add_argument("--json", metavar="FILE", help="write every counter as JSON; - prints it instead of the table")
    parser.add_argument("--csv", metavar="FILE", help="write a line per run as CSV; - likewise")
    add_kernels(parser)
    add_configuration(parser)
    add_limits(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


class _Policies(argparse.Action):
    """Lists of policies, one after another."""

    def __call__(self, parser, options, value, name=None):
        known = options.policies or {}
        for label in known.keys() & value.keys():
            parser.error(f"--policies: '{label}' twice; LABEL:=POLICY tells two apart")
        options.policies = {**known, **value}


_SETTING = r"[a-z0-9_.]+\s*="


def _policies(text):
    """{text of a policy: argument of compare()}."""
    found = {}
    for policy in items(text):
        label, named, name = policy.partition(":=")
        label, name = (label.strip(), name.strip()) if named else (policy, policy)
        if label in found:
            raise argparse.ArgumentTypeError(f"'{label}' twice; LABEL:=POLICY tells two apart")
        found[label] = name
        if re.match(_SETTING, name):
            found[label] = dict(part.split("=", 1) for part in re.split(rf"\+(?={_SETTING})", name))
    if not found:
        raise argparse.ArgumentTypeError("there is no name in it")
    return found


def _run_of(row):
    if row.error is not None:
        return {"policy": row.policy, "trace": row.trace, "error": row.error}
    published = {name: value._asdict() for name, value in row.policies.items()}
    repeated = {"cycles": row.repeats} if row.repeats else {}
    repeated.update({"interval": row.interval._asdict()} if row.interval else {})
    return {"policy": row.policy, "trace": row.trace, "traffic": row.traffic, "speedup": row.speedup, **repeated,
            "stats": json.loads(row.stats.json()), **({"policies": published} if published else {})}  # fmt: skip


def _mean_of(mean):
    interval = {"interval": mean.interval._asdict()} if mean.interval else {}
    return {"policy": mean.policy, "traffic": mean.traffic, "speedup": mean.speedup, **interval}


def as_json(options, config, found):
    document = {
        "schema": 1, **about(config, options.traces, options.kernels), "config": dict(config.items()),
        "interrupted": found.stopped is not None, "runs": [_run_of(row) for row in found],
        "geometric_means": [_mean_of(mean) for mean in found.means],
        "notes": [each for source, notes in found.notes.items() for each in _notes.document(source, notes)],
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def as_csv(found):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    repeated = any(row.interval for row in found)
    bounds = ["speedup_low", "speedup_high", "significant"][:3 * repeated]
    writer.writerow(["trace", "policy", *COLUMNS, *found.metrics, "traffic", "speedup", *bounds, "error"])
    for row in found:
        interval = (row.interval[1:] if row.interval else [""] * 3)[:3 * repeated]
        writer.writerow([row.trace, row.policy, *cells(found.about), *row.values.values(), row.traffic, row.speedup,
                         *interval, row.error])  # fmt: skip
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
    if options.repeat > 1 and options.mode != "timed":
        raise Failure("--repeat is for --mode timed: repeats differ in cycles")
    with context(options) as made, configuration(made, options) as config:
        config["mode"] = options.mode
        apply_limits(config, options)
        found = comparison.compare(
            options.policies, options.traces, config.preset, mode=options.mode, metrics=options.metrics, level=options.level,
            settings=config.changes(), jobs=options.jobs, repeat=options.repeat, seed=options.seed, register=options.load,
            kernels=options.kernels,
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
            print(found.markdown() if options.markdown else found.latex() if options.latex else found, flush=True)
        if found.stopped:
            raise found.stopped
        if found.failures:
            raise Failure(f"{len(found.failures)} of {len(found)} runs failed")
