# SPDX-License-Identifier: BSD-2-Clause
"""Time series of a kernel: rates as curves, and below them the cycles of the warp schedulers by cause."""

from ._figures import count, percent
from ._plot import Axis, Plot

# Curves: (heading, [(counter, name)], how a number is written).
_RATES = (
    ("Instructions a cycle", (("ipc", "IPC, all SMs"),), count),
    ("Hits and bus", (("l1.load_hit_rate", "L1 load hits"), ("l2.read_hit_rate", "L2 read hits"),
                      ("dram.utilisation", "DRAM bus")), percent),
    ("Cycles a load", (("load.mean_latency", "mean latency of loads"),
                       ("round_trip.mean_latency", "L1 misses that DRAM serves")), count),
)  # fmt: skip
# States of a scheduler in a cycle, counted once: (counter, name, colour).
STALLS = (
    ("scheduler.issued", "issued", 0), ("scheduler.memory_stalls", "memory pipeline", 3),
    ("scheduler.unit_stalls", "unit busy", 9), ("scheduler.load_stalls", "waits for loads", 1),
    ("scheduler.latency_stalls", "waits for results", 4), ("scheduler.barrier_stalls", "barrier", 5),
    ("scheduler.throttled", "beyond the limit", 6), ("scheduler.empty", "no warp", 8),
)  # fmt: skip


def _time(series):
    return Axis("core cycles", 0, series["cycle"][-1])


def rates(series):
    """Plots of a series, with values at its cycles: [(Plot, {name: values})]."""
    found = []
    for heading, curves, form in _RATES:
        held = [(name, series["values"][key]) for key, name in curves if key in series["values"]]
        held = [(name, values) for name, values in held if any(value is not None for value in values)]
        if not held:
            continue
        high = max(value for _, values in held for value in values if value is not None)
        high = min(1.0, high * 1.1) if form is percent else high * 1.1
        plot = Plot(heading, _time(series), Axis("", 0, high, form=form), height=200, legend=[name for name, _ in held])
        for number, (_, values) in enumerate(held):
            # Hits of an interval may belong to loads counted in the interval before: a share may be above 1.
            drawn = [value if value is None else min(value, high) for value in values]
            plot.curve(number, list(zip(series["cycle"], drawn)))
        found.append((plot, {name: [form(value) for value in values] for name, values in held}))
    return found


def stalls(series):
    """(Plot, values) of the shares of all scheduler cycles; None if unmeasured."""
    values = series["values"]
    if not all(key in values for key, *_ in STALLS):
        return None
    sums = [sum(each) or 1 for each in zip(*(values[key] for key, *_ in STALLS))]
    layers = {name: [value / whole for value, whole in zip(values[key], sums)] for key, name, _ in STALLS}
    plot = Plot("Cycles of the warp schedulers", _time(series), Axis("", 0, 1, form=percent), height=220,
                legend=list(layers), colours=[colour for *_, colour in STALLS])  # fmt: skip
    # A value belongs to the cycles before its time.
    plot.stack([0, *series["cycle"]], [[each[0], *each] for each in layers.values()])
    return plot, {name: [percent(value) for value in each] for name, each in layers.items()}


def plots(series):
    """All plots of a kernel, in the order of reading."""
    below = stalls(series)
    return rates(series) + ([below] if below else [])
