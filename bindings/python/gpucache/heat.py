# SPDX-License-Identifier: BSD-2-Clause
"""A replay's events counted by SM, slice, DRAM bank, L1 set and address, over time.

    heat = Heat()
    with Replay(context, config, events=heat, event_filter=heat.FILTER) as replay, Trace(context, path) as trace:
        while replay.kernel(trace):
            maps = heat.take(replay.hierarchy)

Each event costs a call of some microseconds of Python.
"""

from ._constants import Component, What

_COLUMNS = 128  # at most; as time goes on, columns become longer
_PAGE = 12  # address bits within a row of addresses


class _Map:
    """Counts by row and column of time."""

    def __init__(self, title, unit):
        self.title, self.unit = title, unit
        self.rows = {}

    def add(self, row, column):
        counts = self.rows.get(row)
        if counts is None:
            counts = self.rows[row] = [0] * _COLUMNS
        counts[column] += 1

    def halve(self):
        for row, counts in self.rows.items():
            self.rows[row] = [a + b for a, b in zip(counts[::2], counts[1::2])] + [0] * (_COLUMNS // 2)


class Heat:
    """A listener for events of one kernel after the other."""

    FILTER = {"whats": ("issue", "lookup", "read", "write")}

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget all events so far."""
        self._cycles = 1
        self._first = None
        self._last = 0
        self._maps = {
            "sm": _Map("Memory instructions by SM", "instructions"), "slice": _Map("Lookups by L2 slice", "lookups"),
            "bank": _Map("Bursts by DRAM channel and bank", "bursts"), "line": _Map("Lookups by L1 set", "lookups"),
            "address": _Map("L1 lookups by address", "lookups"),
        }  # fmt: skip

    def __call__(self, event):
        if self._first is None:
            self._first = event.cycle
        # The memory's clock may have an event a moment before the first.
        column = max(0, event.cycle - self._first) // self._cycles
        while column >= _COLUMNS:
            for each in self._maps.values():
                each.halve()
            self._cycles *= 2
            column //= 2
            self._last //= 2
        self._last = max(self._last, column)
        what, maps = event.what, self._maps
        if what == What.ISSUE:
            maps["sm"].add(event.sm, column)
        elif what == What.LOOKUP and event.component == Component.L2:
            maps["slice"].add(event.index, column)
        elif what == What.LOOKUP and event.component == Component.L1:
            maps["line"].add(event.address, column)
            maps["address"].add(event.address >> _PAGE, column)
        elif what in (What.READ, What.WRITE):
            maps["bank"].add((event.index, event.bank), column)

    def take(self, hierarchy):
        """Maps of the events since the last call, as lists for JSON; sets are those of SM 0's L1.

        [{"name", "title", "unit", "cycles": of a column, "rows": [name], "values": [[count] of each row]}]
        """
        self._by_set(hierarchy)
        found = []
        for name, each in self._maps.items():
            if each.rows:
                ordered = sorted(each.rows)
                values = [each.rows[row][: self._last + 1] for row in ordered]
                found.append({"name": name, "title": each.title, "unit": each.unit, "cycles": self._cycles,
                              "rows": [_label(name, row) for row in ordered], "values": values})  # fmt: skip
        self.clear()
        return found

    def _by_set(self, hierarchy):
        """Convert lines to sets, by the cache."""
        lines = self._maps.pop("line")
        sets = self._maps["set"] = _Map(lines.title, lines.unit)
        cache = hierarchy.cache(1, 0) if lines.rows else None
        for address, counts in lines.rows.items():
            at = cache.probe(address).set
            sets.rows[at] = [a + b for a, b in zip(sets.rows.get(at, [0] * _COLUMNS), counts)]


def _label(name, row):
    if name == "bank":
        return f"{row[0]}.{row[1]}"
    return f"{row << _PAGE:#x}" if name == "address" else str(row)
