# SPDX-License-Identifier: BSD-2-Clause
"""Counters: what they are, and their values by name."""

import ctypes
from collections import namedtuple

from . import _generated as g
from ._constants import Merge, Status
from ._loader import lib
from ._native import decoded, settle

# `kind` is "counter", "histogram" or "ratio"; `merge` says how instances and kernels combine.
Counter = namedtuple("Counter", "name unit meaning kind buckets merge")

_Entry = namedtuple("_Entry", "counter word divisor")
_tables = {}


def _table(count, at):
    """The library's table of counters, read once."""
    if at not in _tables:
        entries = []
        for index in range(getattr(lib, count)()):
            info = g.gpc_counter_info()
            settle(getattr(lib, at)(index, ctypes.byref(info)), what=at)
            kind = "ratio" if info.ratio else "histogram" if info.buckets > 1 else "counter"
            counter = Counter(decoded(info.name), decoded(info.unit), decoded(info.meaning), kind, info.buckets,
                              Merge(info.merge))
            entries.append(_Entry(counter, info.offset // 8, info.divisor // 8))
        _tables[at] = entries
    return _tables[at]


def counters():
    """What Stats holds: counters, histograms, then ratios."""
    return [entry.counter for entry in _table("gpc_counter_count", "gpc_counter_at")]


def cache_counters():
    """What CacheStats holds."""
    return [entry.counter for entry in _table("gpc_cache_counter_count", "gpc_cache_counter_at")]


class _Values(dict):
    """Values by counter name. A ratio is left out where its denominator is 0."""

    _names = ()

    def __init__(self, raw):
        self.raw = raw
        words = memoryview(raw).cast("B").cast("Q")
        values = {}
        for counter, word, divisor in _table(*self._names):
            if counter.kind == "counter":
                values[counter.name] = words[word]
            elif counter.kind == "histogram":
                values[counter.name] = words[word:word + counter.buckets].tolist()
            elif words[divisor]:
                values[counter.name] = words[word] / words[divisor]
        super().__init__(values)


class CacheStats(_Values):
    """Of one cache: {"reads": 12, ...}."""

    _names = ("gpc_cache_counter_count", "gpc_cache_counter_at")


class Stats(_Values):
    """Of a hierarchy: {"l1.load_sectors": 12, ...}. Two can be added (two runs) and subtracted (two moments of one)."""

    _names = ("gpc_counter_count", "gpc_counter_at")

    def __init__(self, raw=None):
        super().__init__(g.gpc_stats() if raw is None else raw)

    def __add__(self, other):
        if not isinstance(other, Stats):
            return NotImplemented
        result = g.gpc_stats.from_buffer_copy(self.raw)
        settle(lib.gpc_stats_add(ctypes.byref(result), ctypes.byref(other.raw)), what="gpc_stats_add")
        return Stats(result)

    def __sub__(self, earlier):
        if not isinstance(earlier, Stats):
            return NotImplemented
        result = g.gpc_stats()
        settle(
            lib.gpc_stats_subtract(ctypes.byref(self.raw), ctypes.byref(earlier.raw), ctypes.byref(result)),
            what="gpc_stats_subtract",
        )
        return Stats(result)

    def json(self):
        """One JSON object, ratios with six decimals."""
        return self._text(lambda *buffer: lib.gpc_stats_json(ctypes.byref(self.raw), *buffer))

    def csv(self, header=False):
        """A CSV line of the values, under one of the names if `header`."""
        return self._text(lambda *buffer: lib.gpc_stats_csv(ctypes.byref(self.raw), header, *buffer))

    @staticmethod
    def _text(write):
        length = ctypes.c_size_t()
        status = write(None, 0, ctypes.byref(length))
        if status != Status.ERROR_RANGE:
            settle(status)
        buffer = ctypes.create_string_buffer(length.value + 1)
        settle(write(buffer, len(buffer), ctypes.byref(length)))
        return buffer.value.decode()
