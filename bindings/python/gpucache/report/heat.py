# SPDX-License-Identifier: BSD-2-Clause
"""Heat maps: rows of SMs, slices, banks, sets or addresses over time, each cell shaded by its number of events."""

import base64
import struct
import zlib

from ._figures import count
from ._svg import Svg, light, ticks

_MOST_ROWS = 160
_LETTER = 7  # largest width of a small letter in pixels


def _chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(rows, width=1, height=1):
    """A PNG of the heat colour with the value as alpha, 0 to 255. A cell is a square of pixels, large enough for an
    image of at least `width` by `height`, so that smoothing renderers leave cells sharp."""
    colour = bytes(light("heat"))
    across, down = -(-width // len(rows[0])), -(-height // len(rows))
    same = b"\2" + bytes(4 * across * len(rows[0]))  # no difference from the row above
    raw = b"".join(
        b"\0" + b"".join((colour + bytes((value,))) * across for value in row) + same * (down - 1) for row in rows
    )
    size = struct.pack(">IIBBBBB", len(rows[0]) * across, len(rows) * down, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", size) + _chunk(b"IDAT", zlib.compress(raw, 9)) + _chunk(b"IEND", b"")


def folded(rows, most=_MOST_ROWS):
    """[(first row, last row, sums)], at most `most`."""
    each = -(-len(rows) // most)
    return [(first, min(first + each, len(rows)) - 1, [sum(column) for column in zip(*rows[first:first + each])])
            for first in range(0, len(rows), each)]  # fmt: skip


def _labels(names, bands):
    """{number of a band: label}, about six."""
    shown = range(0, len(bands), max(1, -(-len(bands) // 6)))
    return {n: f"{names[bands[n][0]]} …" if bands[n][0] < bands[n][1] else str(names[bands[n][0]]) for n in shown}


def chart(heat, width=480):
    """The Svg of a map of Heat.take()."""
    bands = folded(heat["values"])
    most = max((value for *_, row in bands for value in row), default=0)
    height = max(120, min(260, 3 * len(bands)))
    labels = _labels(heat["rows"], bands)
    left, top = max(84, 12 + _LETTER * max(map(len, labels.values()), default=0)), 30
    picture = Svg(width, top + height + 42, heat["title"])
    picture.text(0, 14, heat["title"], "strong")
    columns = len(bands[0][2]) if bands else 1
    across = width - left - 14
    # A square root keeps dark rows visible beside a hot row.
    shades = [[round(255 * (value / most) ** 0.5) if most else 0 for value in row] for *_, row in bands] or [[0]]
    data = base64.b64encode(png(shades, 2 * across, 2 * height)).decode()
    mark = f"m{zlib.crc32(data.encode()):08x}"
    picture.rect(left, top, across, height, "box")
    tip = f"darkest: {count(most)} {heat['unit']} in {count(heat['cycles'])} cycles"
    picture.shade(mark, f"data:image/png;base64,{data}", left, top, across, height, tip)
    for n, label in labels.items():
        picture.text(left - 6, top + height * (n + 0.5) / len(bands) + 4, label, "small muted", "end")
    end = columns * heat["cycles"]
    for value in ticks(0, end, 5):
        picture.text(left + across * value / end, top + height + 16, count(value), "small muted", "middle")
    label = f"core cycles from the first event; darkest: {count(most)} {heat['unit']}"
    picture.text(left + across / 2, top + height + 34, label, "small muted", "middle")
    return picture
