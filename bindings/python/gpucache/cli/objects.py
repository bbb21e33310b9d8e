# SPDX-License-Identifier: BSD-2-Clause
"""Tables, JSON and CSV of values by object: SMs, L1s, clusters, networks, slices, channels, streams."""

from collections import Counter

from .._constants import Object
from .._table import table
from ..about import COLUMNS, cells
from ..stats import counters_of_object

KINDS = ("sm", "l1", "cluster", "network", "slice", "channel", "stream")

# Columns of the tables: heading, counter, divisor; a heading with % is a share.
_COLUMNS = {
    "sm": (
        ("warp instr.", "warp_instructions", None), ("active cycles", "sm.active_cycles", None),
        ("issue %", "scheduler.issued", "scheduler.cycles"), ("pipe %", "scheduler.memory_stalls", "scheduler.cycles"),
        ("ld sectors", "l1.load_sectors", None), ("L1 hit %", "l1.load_sector_hits", "l1.load_sectors"),
        ("st sectors", "l1.store_sectors", None), ("lat.", "load.cycles", "load.completed"),
    ),
    "l1": (
        ("ld sectors", "l1.load_sectors", None), ("hit %", "l1.load_sector_hits", "l1.load_sectors"),
        ("st sectors", "l1.store_sectors", None), ("evictions", "l1.evictions", None),
        ("bypasses", "l1.bypasses", None), ("fetched", "l1.fetched_sectors", None),
        ("MSHR cycles", "l1.mshr_cycles", None), ("accesses", "accesses", None),
        ("write probes", "write_probes", None),
    ),
    "cluster": (
        ("read requests", "read_requests", None), ("hit %", "read_request_hits", "read_requests"),
        ("write requests", "write_requests", None), ("hit %", "write_request_hits", "write_requests"),
        ("probes", "read_probes", None), ("write probes", "write_probes", None), ("evictions", "evictions", None),
    ),
    "network": (("packets", "packets", None), ("bytes", "bytes", None), ("lat.", "cycles", "packets")),
    "slice": (
        ("rd sectors", "l2.read_sectors", None), ("hit %", "l2.read_sector_hits", "l2.read_sectors"),
        ("wr sectors", "l2.write_sectors", None), ("atomics", "l2.atomic_sectors", None),
        ("evictions", "l2.evictions", None), ("written back", "l2.write_back_sectors", None),
        ("congested %", "l2.congested_cycles", "l2.cycles"),
    ),
    "channel": (
        ("reads", "dram.reads", None), ("writes", "dram.writes", None), ("row hits", "dram.row_hits", None),
        ("activates", "dram.activates", None), ("busy %", "dram.busy_cycles", "dram.cycles"),
    ),
    "stream": (
        ("ld sectors", "l1.load_sectors", None), ("L1 hit %", "l1.load_sector_hits", "l1.load_sectors"),
        ("st sectors", "l1.store_sectors", None), ("rd sectors", "l2.read_sectors", None),
        ("L2 hit %", "l2.read_sector_hits", "l2.read_sectors"), ("from DRAM", "dram.read_sectors", None),
    ),
}  # fmt: skip


def names_of(kind):
    """Possible counters of objects of the kind, in order, without histograms."""
    return list(dict.fromkeys(counter.name for counter in counters_of_object(Object[kind.upper()])))


def _cell(values, heading, counter, under):
    if counter not in values or (under and not values.get(under)):
        return "-"
    if under is None:
        return f"{values[counter]:,}"
    share = values[counter] / values[under]
    return f"{100 * share:.1f}" if "%" in heading else f"{share:.1f}"


def as_table(kind, rows):
    """Lines: an object per line, for all kernels together. A column missing in all objects is left out."""
    sums = {}
    for row in rows:
        for name, values in row.objects.items():
            sums.setdefault(name, Counter()).update(values)
    columns = [column for column in _COLUMNS[kind] if any(column[1] in values for values in sums.values())]
    body = [[name, *(_cell(values, *column) for column in columns)] for name, values in sums.items()]
    return table([kind, *(column[0] for column in columns)], body)


def csv_rows(kind, rows, origin):
    """A header, then a line per kernel and object; a column missing in all objects is left out."""
    held = {name for row in rows for values in row.objects.values() for name in values}
    names = [name for name in names_of(kind) if name in held]
    yield ["name", "trace", *COLUMNS, kind, *names]
    for row in rows:
        for name, values in row.objects.items():
            yield [row.name, row.trace, *cells(origin), name, *(values.get(counter, "") for counter in names)]
