# SPDX-License-Identifier: BSD-2-Clause
"""The memory chart: boxes on a load's way, and arrows with the traffic between them, as drawn by Nsight Compute."""

from collections import namedtuple

from ._figures import SECTOR, count, number, percent, product, ratio, size
from ._svg import Svg

# A line of a box or an arrow. `key` is the hardware's counter, `scale` a factor for the counter.
Line = namedtuple("Line", "label value form key scale", defaults=(None, 1))
Box = namedtuple("Box", "name about lines")
# Traffic between two boxes: lines of the way down, and of the way up.
Flow = namedtuple("Flow", "down up")


def _clocks(config, part):
    """Cycles of a part's clock in a core cycle."""
    return ratio(number(config, f"clock.{part}"), number(config, "clock.core"))


def _of_all(config, key):
    """A size of all GPUs: keys state the size of one."""
    return product(number(config, key), number(config, "gpu.count") or 1)


def _network_peak(stats, config, width):
    """Largest possible bytes of a network in the time: a port of each SM, or of each slice, the smaller number."""
    ports = min(filter(None, (_of_all(config, "sm.count"), _of_all(config, "l2.slices"))), default=None)
    return product(stats.get("cycles"), _clocks(config, "network"), ports, number(config, width))


def _total(stats, *names):
    found = [stats[name] for name in names if stats.get(name) is not None]
    return sum(found) if found else None


def _peaks(stats, config):
    """Shares of the largest possible traffic of L1s' data ports and the networks' ports."""
    moved = _total(stats, "l1.load_sectors", "l1.store_sectors", "l1.atomic_sectors")
    ports = product(stats.get("cycles"), _of_all(config, "sm.count"), number(config, "l1.data_width"))
    down, up = (_network_peak(stats, config, key) for key in ("network.width", "network.reply_width"))
    return (ratio(product(moved, SECTOR), ports), ratio(stats.get("network.request_bytes"), down),
            ratio(stats.get("network.reply_bytes"), up))  # fmt: skip


def boxes(stats, config):
    """The Boxes of a run's counters."""
    sizes = (_of_all(config, key) for key in ("sm.count", "l2.slices", "dram.channels"))
    sms, slices, channels = ("?" if found is None else f"{found:.0f}" for found in sizes)
    partitions = number(config, "l2.partitions") or 1
    slices += " slices" + (f", {partitions:.0f} partitions" if partitions > 1 else "")
    l1, down, up = _peaks(stats, config)
    far = ratio(stats.get("l2.remote_sectors"), _total(stats, "l2.read_sectors", "l2.write_sectors"))
    rows = ratio(stats.get("dram.row_hits"), _total(stats, "dram.reads", "dram.writes"))

    def line(label, counter, form=count, key=None):
        return Line(label, stats.get(counter), form, key)

    return [
        Box("Warps", f"{sms} SMs", [
            line("instructions", "warp_instructions", key="warp_instructions"), line("cycles", "cycles", key="cycles"),
            line("IPC", "ipc"), line("warps an SM", "sm.active_warps", key="warps_active_per_cycle"),
            line("cycles a load", "load.mean_latency"),
        ]),
        Box("L1", f"{config.get('l1.size', '?')} an SM", [
            line("load hits", "l1.load_hit_rate", percent, "load_sector_hit_rate"),
            line("MSHRs in use", "l1.mshr_occupancy"), line("evictions", "l1.evictions"),
            line("bypasses", "l1.bypasses"), Line("of peak", l1, percent),
        ]),
        Box("Network", f"{config.get('network.width', '?')} a cycle and port", [
            line("cycles down", "network.request_latency"), line("cycles up", "network.reply_latency"),
            Line("peak, down", down, percent), Line("peak, up", up, percent),
        ]),
        Box("L2", slices, [
            line("read hits", "l2.read_hit_rate", percent, "l2_read_sector_hit_rate"),
            *([Line("far partition", far, percent)] if partitions > 1 else []), line("evictions", "l2.evictions"),
            line("atomics", "l2.atomic_sectors", key="atomic_sectors"),
            line("congested", "l2.congestion_ratio", percent),
        ]),
        Box("DRAM", f"{channels} channels", [
            line("of peak", "dram.utilisation", percent), Line("row hits", rows, percent),
            line("activates", "dram.activates"), line("cycles a miss", "round_trip.mean_latency"),
        ]),
    ]  # fmt: skip


def flows(stats):
    """Flows between neighbouring boxes."""

    def line(label, counter, key=None):
        return Line(label, stats.get(counter), count, key)

    def moved(label, counter, key=None, unit=SECTOR):
        return Line(label, product(stats.get(counter), unit), size, key, unit)

    return [
        Flow([line("loads", "l1.load_requests", "load_requests"),
              line("stores", "l1.store_requests", "store_requests"),
              moved("stored", "l1.store_sectors", "store_sectors")],
             [moved("loaded", "l1.load_sectors", "load_sectors")]),
        Flow([line("requests", "network.requests"), moved("bytes", "network.request_bytes", unit=1)],
             [line("replies", "network.replies"), moved("bytes", "network.reply_bytes", unit=1)]),
        Flow([moved("written", "l2.write_sectors", "l2_write_sectors_from_l1")],
             [moved("read", "l2.read_sectors", "l2_read_sectors_from_l1")]),
        Flow([moved("written", "dram.write_sectors", "dram_write_sectors")],
             [moved("read", "dram.read_sectors", "dram_read_sectors")]),
    ]  # fmt: skip


def _signed(change):
    """A change to a tenth, always with a sign."""
    return f"{change:+.1f}" if abs(change) >= 0.05 else "0.0"


class _Notes:
    """Text below a value: distance from a baseline's value, or the hardware's count."""

    def __init__(self, hardware=None, baseline=None):
        self._hardware = hardware or {}
        self._baseline = baseline

    def of(self, line, place):
        """The text, or None."""
        measured = self._hardware.get(line.key) if line.key else None
        if measured is not None:
            return f"hw {line.form(measured * line.scale)}"
        other = self._baseline[place].value if self._baseline else None
        if other is None or line.value is None:
            return None
        if line.form is percent:
            return f"{_signed(100 * (line.value - other))} points"
        return f"{_signed(100 * (line.value / other - 1))} %" if other else None


def _flat(stats, config):
    """{place: Line}: box or arrow, with the line's number."""
    lines = {("box", n, m): line for n, box in enumerate(boxes(stats, config)) for m, line in enumerate(box.lines)}
    for n, flow in enumerate(flows(stats)):
        lines.update({(way, n, m): line for way in ("down", "up") for m, line in enumerate(getattr(flow, way))})
    return lines


_ROW, _BOX = 34, 144


def _draw_box(picture, x, y, width, height, box, number, notes):
    picture.rect(x, y, width, height, "box", rx=6)
    picture.text(x + 10, y + 20, box.name, "strong")
    picture.text(x + 10, y + 36, box.about, "small muted")
    for m, line in enumerate(box.lines):
        at = y + 60 + _ROW * m
        picture.text(x + 10, at, line.label, "small muted")
        picture.text(x + width - 10, at, line.form(line.value), None, "end")
        note = notes.of(line, ("box", number, m))
        if note:
            picture.text(x + width - 10, at + 13, note, "small muted", "end")


def _draw_labels(picture, x, y, lines, notes, place, anchor="middle"):
    for m, line in enumerate(lines):
        picture.text(x, y, f"{line.label} {line.form(line.value)}", "small", anchor)
        note = notes.of(line, (*place, m))
        if note:
            y += 13
            picture.text(x, y, note, "small muted", anchor)
        y += 15


def chart(stats, config, title, hardware=None, baseline=None, tall=False):
    """The Svg of a run's counters. A peak is the largest possible traffic of all ports in the run's cycles.

    stats, config  as in the JSON of the command run
    hardware       counters of the same launch, with the names of hardware.json; shown below the values
    baseline       counters of a reference run: differences are shown below the values instead
    tall           from top to bottom, for narrow screens
    """
    found, between = boxes(stats, config), flows(stats)
    notes = _Notes(hardware, _flat(baseline, config) if baseline else None)
    rows = max(len(box.lines) for box in found)
    height = 54 + _ROW * rows
    if tall:
        return _tall(found, between, notes, title)
    gap = (1180 - _BOX * len(found)) / (len(found) - 1)
    picture = Svg(1180, height + 30, title)
    picture.text(0, 14, title, "strong")
    for n, box in enumerate(found):
        x = n * (_BOX + gap)
        _draw_box(picture, x, 28, _BOX, height, box, n, notes)
        if n < len(between):
            left, right, middle = x + _BOX + 4, x + _BOX + gap - 4, x + _BOX + gap / 2
            _draw_labels(picture, middle, 44, between[n].down, notes, ("down", n))
            picture.arrow(left, 28 + height * 0.56, right, 28 + height * 0.56)
            picture.arrow(right, 28 + height * 0.64, left, 28 + height * 0.64)
            _draw_labels(picture, middle, 28 + height * 0.64 + 20, between[n].up, notes, ("up", n))
    return picture


def _tall(found, between, notes, title):
    width, gap = 360, 96
    heights = [54 + _ROW * len(box.lines) for box in found]
    picture = Svg(width, sum(heights) + gap * len(between) + 30, title)
    picture.text(0, 14, title, "strong")
    y = 28
    for n, box in enumerate(found):
        _draw_box(picture, 0, y, width, heights[n], box, n, notes)
        y += heights[n]
        if n < len(between):
            picture.arrow(width * 0.47, y + 4, width * 0.47, y + gap - 4)
            picture.arrow(width * 0.53, y + gap - 4, width * 0.53, y + 4)
            _draw_labels(picture, width * 0.45, y + 18, between[n].down, notes, ("down", n), "end")
            _draw_labels(picture, width * 0.55, y + 18, between[n].up, notes, ("up", n), "start")
            y += gap
    return picture
