# SPDX-License-Identifier: BSD-2-Clause
"""Behaviour of loads in L1: results of the command profile, as a table by PC, reuses of lines, and the miss-ratio
curve."""

from ._figures import count, percent, ratio, size
from ._plot import Axis, Plot

HEADER = ("kernel", "pc", "loads", "transactions a load", "L1 hits", "R", "U", "(1+R)U", "Eq. (1)")


def rows(profile, most=20):
    """Rows below HEADER, the instructions of most accesses first."""
    ordered = sorted(profile["instructions"], key=lambda row: -row["accesses"])
    for row in ordered[:most]:
        score = row.get("score")
        yield (row["kernel"], f"{row['pc']:#x}", count(row["loads"]), count(ratio(row["accesses"], row["loads"])),
               percent(ratio(row["hits"], row["accesses"])), _plain(row.get("reuse")), _plain(row.get("utilisation")),
               _plain(score), "-" if score is None else "bypass" if score < 1 else "cache")  # fmt: skip


def _plain(value):
    return "-" if value is None else f"{value:.2f}"


def reuse(profile):
    """Line addresses by their hits, all SMs together."""
    total = [sum(column) for column in zip(*(row["lines_by_reuse"] for row in profile["sm"]))]
    lines = sum(total) or 1
    plot = Plot("Line addresses by their hits", Axis("hits (the last: and more)", 0, len(total)),
                Axis("", 0, max(total, default=0) / lines * 1.05, form=percent))  # fmt: skip
    wide = plot.at_x(1) - plot.at_x(0)
    for hits, each in enumerate(total):
        y = plot.at_y(each / lines)
        plot.rect(plot.at_x(hits) + 1, y, wide - 2, plot.bottom - y, "f0", tip=f"{hits} hits: {count(each)} lines")
    return plot


def curve(profile):
    """Miss ratio of a fully associative LRU cache of each size; None without --mrc."""
    held = (point for point in profile.get("curve", ()) if point["accesses"])
    points = [(point["bytes"], 1 - point["hits"] / point["accesses"]) for point in held]
    if len(points) < 2:
        return None
    capacity = Axis("capacity of each SM", points[0][0], points[-1][0], True, size)
    plot = Plot("Miss-ratio curve: fully associative LRU", capacity, Axis("misses", 0, 1, form=percent))
    plot.curve(0, points, marked=True)
    return plot
