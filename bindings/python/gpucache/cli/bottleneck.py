# SPDX-License-Identifier: BSD-2-Clause
"""bottleneck: run a trace with more and more warps, and name the limit. bottleneck.py above has the rules."""

import argparse
import json
import sys

from .. import bottleneck as rules
from .._table import table
from ..about import about, heading
from ._application import Application, add_runs, measure_all, origin_of, settings
from ._common import add_verbose, context, terminal
from ._output import Output

_WARPS = (1, 2, 4, 6, 8, 10, 14, 18, 22, 24)

_STEPS = [
    "warps", "IPC", "speedup", "L1 miss %", "global miss %", "round trip", "NoC", "stall %", "line %", "MSHR %",
    "congestion %", "off-chip %",
]  # fmt: skip

_LEGEND = """\
IPC: warp instructions a cycle, all SMs; speedup: over warp-max. Round trip: cycles of an L1 miss that DRAM serves. NoC:
cycles of a packet, sending and receiving. Stall: a memory instruction was ready and the memory pipeline busy; line and
MSHR: the parts that L1's lines and MSHRs cause. Congestion: a packet could not enter its memory partition.
"""

# metric: (display name, format)
_METRICS = {
    "throughput": ("IPC", "{:.3f}"),
    "congestion": ("congestion", "{:.1%}"),
    "network_latency": ("NoC latency", "{:.1f} cycles"),
    "mshr_stalls": ("MSHR stalls", "{:.1%}"),
    "line_stalls": ("line stalls", "{:.1%}"),
    "l1_miss_ratio": ("L1 miss ratio", "{:.1%}"),
}


def _numbers(text):
    try:
        found = sorted({int(word) for word in text.split(",")})
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers such as 1,2,4") from None
    if found[0] < 1 or found[-1] > 1024:
        raise argparse.ArgumentTypeError(f"'{text}': numbers of warps are from 1 to 1024")
    return found


def add(commands):
    parser = commands.add_parser(
        "bottleneck", description="Replay each trace, "
        "timed, with 1 to the most warps that fit a scheduler, find the best number, and name what limits the "
        "application beyond it. 1 and the most that fit are always among the numbers.",
    )  # fmt: skip
    add_runs(parser)
    parser.add_argument("--warps", type=_numbers, default=list(_WARPS), metavar="N,N,...",
                        help="warps per scheduler to try; default " + ",".join(map(str, _WARPS)))  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it instead of the tables")
    add_verbose(parser)
    parser.set_defaults(run=run)


# Runs


def measure(applications, warps, jobs):
    """[{warps: Stats}], an entry per application."""
    found = [{} for _ in applications]
    # The longest first: runs of few warps take the most cycles.
    tasks = sorted((each, number) for number, application in enumerate(applications)
                   for each in rules.sweep_of(warps, application.warp_max))  # fmt: skip
    runs = [(applications[number], {"sm.warp_limit": each}) for each, number in tasks]
    for (application, changes), stats in measure_all(runs, jobs):
        found[applications.index(application)][changes["sm.warp_limit"]] = stats
    return found


# Output


def _percent(value):
    return f"{100 * value:.1f}"


def _step_cells(step, last):
    return [
        str(step.warps), f"{step.throughput:.3f}", f"{step.throughput / (last.throughput or 1):.2f}",
        _percent(step.l1_miss_ratio), _percent(step.global_miss_ratio), f"{step.round_trip:.0f}",
        f"{step.network_latency:.1f}", _percent(step.memory_stalls), _percent(step.line_stalls),
        _percent(step.mshr_stalls), _percent(step.congestion), _percent(step.dram_utilisation),
    ]  # fmt: skip


def _evidence(name, verdict):
    label, form = _METRICS[verdict.metric]
    before, after = form.format(verdict.before), form.format(verdict.after)
    where = f"{label} {before} with {verdict.from_warps}, {after} with {verdict.to_warps} warps"
    if name == "ParStrv":
        where = f"no number of warps is better than the most that fit, {verdict.to_warps}"
    return f"  {name}: {rules.BOTTLENECKS[name]}: {where}"


def _details(application, steps, analysis):
    yield f"{application.name}: warp-max {analysis.warp_max}, warp-opt {analysis.warp_opt}, " \
          f"speedup {analysis.speedup:.2f}"  # fmt: skip
    yield from table(_STEPS, [_step_cells(step, steps[-1]) for step in steps], left=())
    lines = [
        _evidence(name, verdict) for name, verdicts in analysis.verdicts.items() for verdict in verdicts
        if verdict.found
    ]  # fmt: skip
    yield from lines or ["  none of the bottlenecks"]
    yield ""


def _summary(applications, analyses):
    rows = []
    for application, analysis in zip(applications, analyses):
        marks = rules.found(analysis)
        rows.append([application.name, str(analysis.warp_max), str(analysis.warp_opt), f"{analysis.speedup:.2f}",
                     *("Y" if marks[name] else "" for name in rules.BOTTLENECKS)])  # fmt: skip
    header = ["Application", "warp-max", "warp-opt", "Speedup", *rules.BOTTLENECKS]
    return table(header, rows)


def as_json(options, applications, measured, steps, analyses):
    with context(options) as made, settings(made, options) as config:
        document = {
            "schema": 1, **about(config, options.traces, options.kernels), "config": dict(config.items()),
            "thresholds": rules.Thresholds()._asdict(), "applications": [],
        }  # fmt: skip
    for application, stats, each, analysis in zip(applications, measured, steps, analyses):
        document["applications"].append({
            "name": application.name, "trace": application.source, "kernels": options.kernels,
            "warp_max": analysis.warp_max, "warp_opt": analysis.warp_opt, "beyond": analysis.beyond,
            "speedup": round(analysis.speedup, 6), "bottlenecks": rules.found(analysis),
            "evidence": {
                name: [verdict._asdict() for verdict in verdicts] for name, verdicts in analysis.verdicts.items()
            },
            "steps": [{**step._asdict(), "stats": json.loads(stats[step.warps].json())} for step in each],
        })  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def run(options):
    output = None if options.json is None else Output(options.json)
    try:
        applications = [Application(options, source) for source in options.traces]
        measured = measure(applications, options.warps, options.jobs)
        terminal.clear()
        steps = [[rules.step_of(warps, stats[warps]) for warps in sorted(stats)] for stats in measured]
        analyses = [rules.identify(each) for each in steps]
        if output is not None:
            output.commit(as_json(options, applications, measured, steps, analyses))
        if options.json != "-":
            print("\n".join(heading(origin_of(options))) + "\n")
            for details in zip(applications, steps, analyses):
                print("\n".join(_details(*details)))
            print("\n".join(_summary(applications, analyses)))
            sys.stdout.write("\n" + _LEGEND)
    finally:
        if output is not None:
            output.__exit__()
