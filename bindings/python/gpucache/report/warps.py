# SPDX-License-Identifier: BSD-2-Clause
"""Throughput over the number of warps, from tune and bottleneck: the best is marked, the reasons are told in words."""

from ..bottleneck import BOTTLENECKS
from ._figures import count, percent
from ._plot import Axis, Plot

_AXES = {"warps": "warps a scheduler", "blocks": "thread blocks an SM", "pcal": "bypassing warps (EBTNum)"}
_METRICS = {
    "throughput": ("IPC", count), "l1_miss_ratio": ("L1 misses", percent),
    "network_latency": ("cycles in the networks", count),
    "mshr_stalls": ("stalls for MSHRs", percent), "line_stalls": ("stalls for L1 lines", percent),
    "congestion": ("congestion of the partitions", percent),
}  # fmt: skip


def _plot(name, label, points, best, misses):
    numbers = [number for number, _ in points]
    high = max(value for _, value in points) * 1.1
    name = name.removeprefix("synthetic:")
    title = f"{name}: best: {best} {label.split(' (')[0]}"
    plot = Plot(title, Axis(label, min(numbers), max(numbers)), Axis("IPC", 0, high), legend=["IPC"])
    plot.curve(0, points, marked=True)
    x = plot.at_x(best)
    plot.line(x, plot.top, x, plot.bottom, "axis")
    below = Plot(f"{name}: L1 misses", plot.x, Axis("", 0, 1, form=percent), legend=["misses of loads"])
    below.curve(0, misses, marked=True)
    return [plot, below]


def of_tune(application):
    """[Plot] of an application of tune's JSON."""
    found = []
    for search in application["searches"]:
        steps = search["steps"]
        points = [(step["number"], step.get("ipc") or 0.0) for step in steps]
        hits = [(step["number"], step.get("l1.load_hit_rate")) for step in steps]
        misses = [(number, None if rate is None else 1 - rate) for number, rate in hits]
        found += _plot(application["name"], _AXES[search["what"]], points, search["best"], misses)
    return found


def of_bottleneck(application):
    """([Plot], [sentence]) of an application of bottleneck's JSON."""
    steps = application["steps"]
    points = [(step["warps"], step["throughput"]) for step in steps]
    misses = [(step["warps"], step["l1_miss_ratio"]) for step in steps]
    plots = _plot(application["name"], _AXES["warps"], points, application["warp_opt"], misses)
    return plots, list(_reasons(application))


def _reasons(application):
    best, most = application["warp_opt"], application["warp_max"]
    if best == most:
        yield f"No number of warps is better than the most that fit, {most}."
    else:
        yield f"{best} warps a scheduler are {application['speedup']:.2f} times as fast as the most that fit, {most}."
    for name, verdicts in application["evidence"].items():
        for verdict in verdicts:
            if verdict["found"] and name != "ParStrv":
                label, form = _METRICS[verdict["metric"]]
                yield (f"{BOTTLENECKS[name]}: {label} {form(verdict['before'])} with {verdict['from_warps']} warps, "
                       f"{form(verdict['after'])} with {verdict['to_warps']}.")  # fmt: skip
    if not any(application["bottlenecks"].values()):
        yield "None of the bottlenecks is found."
