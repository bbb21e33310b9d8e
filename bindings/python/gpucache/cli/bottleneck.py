# SPDX-License-Identifier: BSD-2-Clause
"""bottleneck: run a trace with more and more warps, and name what limits it. bottleneck.py above has the rules."""

import argparse
import concurrent.futures
import json
import os
import sys
import threading

from .. import bottleneck as rules
from .._table import table
from ..hierarchy import Hierarchy
from ..replay import Replay
from ..stats import Stats
from ..trace import Trace
from ._common import (
    Failure,
    Output,
    add_configuration,
    add_limits,
    add_verbose,
    apply_limits,
    configuration,
    context,
    kernel_name,
    terminal,
)

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

# metric: (what it is called, format)
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


def _at_least(least):
    def number(text):
        try:
            found = int(text)
        except ValueError:
            found = least - 1
        if found < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} on")
        return found

    return number


def add(commands):
    parser = commands.add_parser(
        "bottleneck", help="sweep warps per scheduler and name the bottlenecks", description="Replay each trace, "
        "timed, with 1 to the most warps that fit a scheduler, find the best number, and name what limits the "
        "application beyond it. 1 and the most that fit are always among the numbers.",
    )  # fmt: skip
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="an application each; as for the command run")
    add_configuration(parser)
    parser.add_argument("--warps", type=_numbers, default=list(_WARPS), metavar="N,N,...",
                        help="warps per scheduler to try; default " + ",".join(map(str, _WARPS)))  # fmt: skip
    parser.add_argument("--kernel", type=_at_least(0), metavar="N", help="only this one, as info counts them: from 0")
    parser.add_argument("--jobs", type=_at_least(1), default=os.cpu_count() or 1, metavar="N",
                        help="runs at the same time; default: as many as processors")  # fmt: skip
    add_limits(parser)
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it instead of the tables")
    add_verbose(parser)
    parser.set_defaults(run=run)


# Runs


def settings(made, options, warps=0):
    """The configuration of a run."""
    config = configuration(made, options)
    config["mode"] = "timed"
    if config.number("sm.warp_limit"):
        raise Failure("sm.warp_limit is what this command varies: leave it out")
    apply_limits(config, options)
    config["sm.warp_limit"] = warps
    return config


def kernels_of(trace, wanted):
    """The kernels that are asked for, by their descriptions."""
    kernels = list(trace)
    if wanted is None:
        if not kernels:
            raise Failure(f"{trace.source}: there is no kernel in it")
        return kernels
    if wanted >= len(kernels):
        raise Failure(f"--kernel {wanted}: {trace.source} has {len(kernels)}, counted from 0")
    return kernels[wanted:wanted + 1]


class Application:
    """A trace, or one kernel of it, and what a run of it is."""

    def __init__(self, options, source):
        self.options = options
        self.source = source
        name = os.path.basename(os.path.normpath(source)) if os.path.exists(source) else source
        with context(options) as made, settings(made, options) as config, Trace(made, source) as trace:
            with Hierarchy(made, config) as hierarchy:
                self.warp_max = 1
                for kernel in kernels_of(trace, options.kernel):
                    x, y, z = kernel.block
                    fit = hierarchy.occupancy(
                        threads=x * y * z, registers=kernel.registers, shared_bytes=kernel.shared_bytes
                    )
                    self.warp_max = max(self.warp_max, rules.warps_that_fit(kernel, config, fit))
        self.name = name if options.kernel is None else f"{name}:{options.kernel} {kernel_name(kernel.name)}"
        self.sweep = rules.sweep_of(options.warps, self.warp_max)

    def measure(self, warps, go_on):
        """Stats with so many warps. `go_on` is asked again and again; false cancels."""
        options = self.options
        with context(options) as made, settings(made, options, warps) as config:
            with Replay(made, config, lambda progress: go_on()) as replay, Trace(made, self.source) as trace:
                if options.kernel is None:
                    return sum((result.stats for result in replay.run(trace)), Stats())
                for _ in range(options.kernel):
                    trace.next_kernel()
                return replay.kernel(trace).stats


def measure_all(applications, jobs):
    """[{warps: Stats} of each application]: contexts share nothing, so runs are threads."""
    stop = threading.Event()
    found = [{} for _ in applications]
    # The longest first: runs of few warps take the most cycles.
    tasks = sorted((warps, number) for number, each in enumerate(applications) for warps in each.sweep)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {
            pool.submit(applications[number].measure, warps, lambda: not stop.is_set()): (number, warps)
            for warps, number in tasks
        }
        try:
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                number, warps = futures[future]
                found[number][warps] = future.result()
                terminal.progress(lambda: f"{done} of {len(futures)} runs")
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
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
            "schema": 1, "preset": options.preset, "config": dict(config.items()),
            "thresholds": rules.Thresholds()._asdict(), "applications": [],
        }  # fmt: skip
    for application, stats, each, analysis in zip(applications, measured, steps, analyses):
        document["applications"].append({
            "name": application.name, "trace": application.source, "kernel": options.kernel,
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
        measured = measure_all(applications, options.jobs)
        terminal.clear()
        steps = [[rules.step_of(warps, stats[warps]) for warps in sorted(stats)] for stats in measured]
        analyses = [rules.identify(each) for each in steps]
        if output is not None:
            output.commit(as_json(options, applications, measured, steps, analyses))
        if options.json != "-":
            for details in zip(applications, steps, analyses):
                print("\n".join(_details(*details)))
            print("\n".join(_summary(applications, analyses)))
            sys.stdout.write("\n" + _LEGEND)
    finally:
        if output is not None:
            output.__exit__()
