# SPDX-License-Identifier: BSD-2-Clause
"""A plot: two axes, with curves, areas or bars."""

import math

from ._figures import count
from ._svg import COLOURS, Svg, ticks

_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 14, 30, 40
_LEGEND = 18


class Axis:
    """From `low` to `high`; `log`: by powers of two; `form` writes a number."""

    def __init__(self, label, low, high, log=False, form=count):
        self.label, self.log, self.form = label, log, form
        self.low, self.high = low, high if high > low else low + 1

    def share(self, value):
        """Where a value lies, from 0 to 1."""
        if self.log:
            return (math.log2(value) - math.log2(self.low)) / (math.log2(self.high) - math.log2(self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self, count):
        if not self.log:
            return ticks(self.low, self.high, count)
        first, last = math.ceil(math.log2(self.low)), math.floor(math.log2(self.high))
        step = max(1, -(-(last - first + 1) // count))
        return [2.0**n for n in range(first, last + 1, step)]


def legend_rows(names, width):
    """[[(x, number, name)] of each line] of a legend."""
    rows, room = [], 0
    for number, name in enumerate(names):
        needs = 22 + 7 * len(name)
        if not rows or room + needs > width:
            rows.append([])
            room = 0
        rows[-1].append((room, number, name))
        room += needs
    return rows


def draw_legend(picture, rows, colours=range(COLOURS)):
    """Below the title."""
    for row, names in enumerate(rows):
        y = 22 + _LEGEND * row
        for x, number, name in names:
            picture.rect(x, y, 10, 10, f"f{colours[number % len(colours)]}")
            picture.text(x + 14, y + 9, name, "small")


class Plot(Svg):
    """Curves are numbered in order; each has its name in the legend, and a colour, by default by number."""

    def __init__(self, title, x, y, width=480, height=240, legend=(), colours=range(COLOURS)):
        self._rows = legend_rows(legend, width)
        self._colours = colours
        super().__init__(width, height + _LEGEND * len(self._rows), title)
        self.x, self.y = x, y
        self.left, self.right = _LEFT, width - _RIGHT
        self.top, self.bottom = _TOP + _LEGEND * len(self._rows), self.height - _BOTTOM
        self.text(0, 14, title, "strong")
        draw_legend(self, self._rows, self._colours)
        self._draw_axes()

    def colour(self, number):
        return self._colours[number % len(self._colours)]

    def at_x(self, value):
        return self.left + self.x.share(value) * (self.right - self.left)

    def at_y(self, value):
        return self.bottom - self.y.share(value) * (self.bottom - self.top)

    def _draw_axes(self):
        for value in self.y.ticks(4):
            self.line(self.left, self.at_y(value), self.right, self.at_y(value))
            self.text(self.left - 6, self.at_y(value) + 4, self.y.form(value), "small muted", "end")
        self.line(self.left, self.bottom, self.right, self.bottom, "axis")
        if self.x is not None:
            for value in self.x.ticks(6):
                self.text(self.at_x(value), self.bottom + 15, self.x.form(value), "small muted", "middle")
            self.text((self.left + self.right) / 2, self.bottom + 32, self.x.label, "small muted", "middle")
        self.text(self.left, self.top - 4, self.y.label, "small muted")

    def curve(self, number, points, marked=False):
        """Points of a curve; None as y is a gap."""
        piece = []
        for x, y in [*points, (None, None)]:
            if y is not None:
                piece.append((self.at_x(x), self.at_y(y)))
                continue
            if piece:
                self.path(piece, f"curve s{self.colour(number)}")
            piece = []
        if marked:
            for x, y in points:
                if y is not None:
                    self.add("circle", cx=self.at_x(x), cy=self.at_y(y), r=3, class_=f"f{self.colour(number)}",
                             tip=f"{self.x.form(x)}: {self.y.form(y)}")  # fmt: skip

    def stack(self, xs, layers):
        """Stacked areas: [[value for each of xs] for each layer]."""
        below = [0.0] * len(xs)
        for number, layer in enumerate(layers):
            above = [low + (value or 0.0) for low, value in zip(below, layer)]
            edge = [(self.at_x(x), self.at_y(y)) for x, y in zip(xs, above)]
            edge += [(self.at_x(x), self.at_y(y)) for x, y in zip(reversed(xs), reversed(below))]
            self.path(edge, f"f{self.colour(number)}", closed=True)
            below = above


_BAR, _BAR_GAP, _VALUE = 16, 12, 52  # a bar's row; between groups; room for a value beside a bar


_LEAST = 0.1  # smallest range of bars, as a share of the base


def bars(title, groups, names, form, base=None, width=480, colours=range(COLOURS)):
    """Horizontal bars: {group: [value of each name, or None]}, with values beside the bars.

    base  origin of the bars, to both sides, marked by a line; None: 0
    """
    values = [value for each in groups.values() for value in each if value is not None]
    begin = 0.0 if base is None else base
    low, high = min([begin, *values]), max([begin, *values])
    least = _LEAST * begin  # differences of a percent are not to fill the picture
    if high - low < least:
        low, high = (high - least, high) if low < begin else (low, low + least)
    legend = legend_rows(names, width)
    top = 30 + _LEGEND * len(legend)
    picture = Svg(width, top + sum(_BAR * len(each) + _BAR_GAP + 16 for each in groups.values()), title)
    picture.text(0, 14, title, "strong")
    draw_legend(picture, legend, colours)
    left, right = 4 + (_VALUE if low < begin else 0), width - _VALUE

    def place(value):
        return left + (right - left) * (value - low) / ((high - low) or 1.0)

    y = top
    for group, each in groups.items():
        picture.text(0, y + 11, group, "small")
        y += 16
        if base is not None:
            picture.line(place(base), y, place(base), y + _BAR * len(each), "axis")
        for number, value in enumerate(each):
            if value is not None:
                first, last = sorted((place(begin), place(value)))
                colour = f"f{colours[number % len(colours)]}"
                picture.rect(first, y + 2, last - first, _BAR - 4, colour, tip=f"{names[number]}: {form(value)}")
                at, anchor = (first - 4, "end") if value < begin else (last + 4, None)
                picture.text(at, y + 12, form(value), "small muted", anchor)
            y += _BAR
        y += _BAR_GAP
    return picture
