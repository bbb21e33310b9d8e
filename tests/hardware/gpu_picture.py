# SPDX-License-Identifier: BSD-2-Clause
"""One picture of a GPU: measured curves, and with dots the modelled ones."""

import compare  # noqa: F401: the path of gpucache

from gpucache.report._figures import count
from gpucache.report._plot import Axis, Plot
from gpucache.report._svg import Svg

WIDTH, HEIGHT, GAP = 440, 230, 20


def _size(kib):
    return f"{kib / 1024:g} MiB" if kib >= 1024 else f"{kib:g} KiB"


def _plot(title, x, label, curves):
    """`curves`: {name: [(x, GPU, here)]}."""
    high = max(value for points in curves.values() for _, *pair in points for value in pair)
    plot = Plot(title, x, Axis(label, 0, 1.05 * high, form=count), WIDTH, HEIGHT, legend=list(curves))
    for number, points in enumerate(curves.values()):
        plot.curve(number, [(at, gpu) for at, gpu, _ in points])
        plot.curve(number, [(at, model) for at, _, model in points], marked=True)
    return plot


def _by_size(title, label, families):
    """`families`: {name: rows by footprint}."""
    sizes = [row.kib for rows in families.values() for row in rows]
    x = Axis("footprint", min(sizes), max(sizes), log=True, form=_size)
    return _plot(title, x, label, {name: [tuple(row) for row in rows] for name, rows in families.items()})


def _streams(rows):
    x = Axis("share of an SM's threads", 0, 1, form=lambda share: f"{share:.0%}")
    kinds = dict.fromkeys(row.kind for row in rows)
    curves = {kind: [(row.share, row.gpu, row.model) for row in rows if row.kind == kind] for kind in kinds}
    return _plot("Streams", x, "GB/s", curves)


def _strides(rows):
    x = Axis("elements from lane to lane", 0, max(row.stride for row in rows if not row.width))
    curves = {f"{size} bytes": [(row.stride, row.gpu, row.model) for row in rows if row.bytes == size and not row.width]
              for size in (4, 8)}  # fmt: skip
    return _plot("Loads that hit L1", x, "cycles of a warp's load", curves)


def plots(rows):
    """The Plots of {family: rows}."""
    found = []
    if "chase" in rows:
        found.append(_by_size("Pointer chase", "cycles of a load", {"chase": rows["chase"]}))
    bandwidths = {name: rows[family] for family, name in (("cache", "all blocks, all of the buffer"),
                                                          ("l2", "a part by each block")) if family in rows}  # fmt: skip
    if bandwidths:
        found.append(_by_size("Bandwidth of loads", "GB/s", bandwidths))
    if "stream" in rows:
        found.append(_streams(rows["stream"]))
    if "strides" in rows:
        found.append(_strides(rows["strides"]))
    return found


def draw(gpu, preset, rows):
    """An SVG file's text; `rows`: {family: rows} of gpus.py."""
    each = plots(rows)
    lines = [each[at:at + 2] for at in range(0, len(each), 2)]
    heights = [max(plot.height for plot in line) for line in lines]
    picture = Svg(2 * WIDTH + GAP, 24 + sum(height + GAP for height in heights), f"{gpu} and preset {preset}")
    picture.text(0, 14, f"{gpu}: lines; preset {preset}: lines with dots", "strong")
    y = 24
    for line, height in zip(lines, heights):
        for column, plot in enumerate(line):
            picture.place(plot, column * (WIDTH + GAP), y)
        y += height + GAP
    return picture.render(alone=True)
