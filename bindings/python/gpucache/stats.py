# SPDX-License-Identifier: BSD-2-Clause
"""Counters: descriptions, and values by name."""

import ctypes
from array import array
from collections import namedtuple
from typing import Any, List, Mapping, NamedTuple, Optional, Union

from . import _generated as g
from ._constants import GPC_ABSENT, CounterKind, CounterTable, Merge, Status
from ._loader import lib
from ._native import call, decoded, invoke, settle

class Counter(NamedTuple):
    """Description of a counter. `kind` is "counter", "histogram" or "ratio"; `merge` is the rule to combine instances
    and kernels; `objects` are bits, a bit for each Object with the counter; `id` is constant in all versions of the
    library. `needs` is the precondition of the measurement ("mode = timed"), "" if there is none. `equals` is an
    expression for the counter's value while nothing is in flight (counters.h has the grammar), "" for a ratio.
    """

    name: str
    unit: str
    meaning: str
    kind: str
    buckets: int
    merge: Merge
    id: int
    since: str
    objects: int
    needs: str
    equals: str = ""


_Entry = namedtuple("_Entry", "counter numerator denominator")
_KINDS = {CounterKind.HISTOGRAM: "histogram", CounterKind.RATIO: "ratio"}
_tables = {}
_reads = {}


def _table(table):
    """The library's entries of a CounterTable, read once."""
    if table not in _tables:
        infos = []
        for index in range(lib.gpc_counter_table_count(table)):
            info = g.gpc_counter_info()
            call(lib.gpc_counter_table_at, table, index, ctypes.byref(info))
            infos.append(info)
        names = {info.id: decoded(info.name) for info in infos}
        _tables[table] = [
            _Entry(
                Counter(
                    decoded(info.name), decoded(info.unit), decoded(info.meaning), _KINDS.get(info.kind, "counter"),
                    info.buckets, Merge(info.merge), info.id, decoded(info.since), info.objects,
                    decoded(info.needs), decoded(info.equals),
                ),
                names.get(info.numerator), names.get(info.denominator),
            )
            for info in infos
        ]  # fmt: skip
    return _tables[table]


def counters_of(table: CounterTable) -> List[Counter]:
    """The Counters of a CounterTable."""
    return [entry.counter for entry in _table(table)]


def counters() -> List[Counter]:
    """Contents of Stats: counters, histograms, then ratios."""
    return counters_of(CounterTable.HIERARCHY)


def counter_id(name: str) -> int:
    """The id of a counter's name in Stats; KeyError."""
    for counter in counters():
        if counter.name == name:
            return counter.id
    raise KeyError(f"no counter '{name}'")


def cache_counters() -> List[Counter]:
    """What CacheStats holds."""
    return counters_of(CounterTable.CACHE)


_Read = namedtuple("_Read", "counters ids places size")


def _read_of(counters):
    """Ids of counters for a read, and by name the place of the first value."""
    places, size = {}, 0
    for each in counters:
        places[each.name] = size
        size += each.buckets
    return _Read(counters, (ctypes.c_uint32 * len(counters))(*(each.id for each in counters)), places, size)


def _read(table):
    """The read of all counters and histograms of a table, made once."""
    if table not in _reads:
        _reads[table] = _read_of([counter for counter in counters_of(table) if counter.kind != "ratio"])
    return _reads[table]


def _values(read, function, *arguments):
    """Values of a read, by a function of the library."""
    values = (ctypes.c_uint64 * read.size)()
    call(function, *arguments, read.ids, len(read.ids), values, read.size)
    return array("Q", values)


def read_all(table, function, *arguments):
    """Values of all counters and histograms of a table, in the order of the table."""
    return _values(_read(table), function, *arguments)


def lent(pointer):
    """Stats lent to a callback by the library."""
    read = _read(CounterTable.HIERARCHY)
    values = (ctypes.c_uint64 * read.size)()
    lib.gpc_stats_read(pointer, read.ids, len(read.ids), values, read.size, None)
    return Stats(array("Q", values))


def sample_of(stats):
    """Arguments for a sample given to the library: ids, their number, values, their number."""
    read = _read(CounterTable.HIERARCHY)
    return read.ids, len(read.ids), (ctypes.c_uint64 * read.size)(*stats.raw), read.size


def counters_of_object(kind, histograms=False):
    """Possible counters of an Object, from all tables, without ratios."""
    kinds = ("counter", "histogram") if histograms else ("counter",)
    return [
        counter for table in CounterTable for counter in counters_of(table)
        if counter.objects >> kind & 1 and counter.kind in kinds
    ]  # fmt: skip


def read_object(function, pointer, kind, index):
    """{counter: value} of one object, histograms as lists; missing and unmeasured counters are left out."""
    read = _read_of(counters_of_object(kind, histograms=True))
    return _by_name(read, _values(read, function, pointer, kind, index))


def _by_name(read, values):
    """{counter: value} without absent counters."""
    found = {}
    for counter in read.counters:
        at = read.places[counter.name]
        if values[at] != GPC_ABSENT:
            found[counter.name] = (
                values[at] if counter.kind == "counter" else values[at : at + counter.buckets].tolist()
            )
    return found


class PolicyValue(NamedTuple):
    """A counter published by policies: the sum over `instances`, or with `level` the largest."""

    value: int
    unit: str
    meaning: str
    level: bool
    instances: int


def read_policies(function, pointer):
    """{name: PolicyValue}, such as "l1.replacement.dip.selector", by a ..._policy_value function of the library."""
    found = {}
    while True:
        raw = g.gpc_policy_value()
        error = g.gpc_error()
        status = invoke(function, pointer, len(found), ctypes.byref(raw), ctypes.byref(error))
        if status == Status.ERROR_RANGE:
            return found
        settle(status, error)
        found[decoded(raw.name)] = PolicyValue(
            raw.value, decoded(raw.unit), decoded(raw.meaning), bool(raw.is_level), raw.instances
        )


class _Values(dict):
    """Values by counter name. Unmeasured counters, and ratios with a denominator of 0, are left out."""

    _of = None  # CounterTable

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        values = {**_by_name(_read(self._of), raw)}
        for counter, numerator, denominator in _table(self._of):
            if counter.kind == "ratio" and numerator in values and values.get(denominator):
                values[counter.name] = values[numerator] / values[denominator]
        super().__init__(values)


class CacheStats(_Values):
    """Statistics of a cache: {"reads": 12, ...}."""

    _of = CounterTable.CACHE


class Stats(_Values):
    """Statistics of a hierarchy: {"l1.load_sectors": 12, ...}. Stats can be added (two runs) and subtracted (two
    moments of a run); counters unmeasured in either are left out.
    """

    _of = CounterTable.HIERARCHY

    def __init__(self, raw: Optional[Any] = None) -> None:
        super().__init__(_zeroes() if raw is None else raw)

    @classmethod
    def of(cls, values: Mapping[str, Union[int, List[int]]]) -> "Stats":
        """Stats of the given values by name, histograms as lists; all others are 0."""
        raw, places = _zeroes(), _read(cls._of).places
        for name, value in values.items():
            if name not in places:
                raise KeyError(f"no counter '{name}'")
            for k, each in enumerate(value if isinstance(value, list) else [value]):
                raw[places[name] + k] = each
        return cls(raw)

    def __add__(self, other: "Stats") -> "Stats":
        if not isinstance(other, Stats):
            return NotImplemented
        return self._merged(other, int.__add__, max)

    def __sub__(self, earlier: "Stats") -> "Stats":
        if not isinstance(earlier, Stats):
            return NotImplemented
        return self._merged(earlier, int.__sub__, lambda late, early: late)

    def _merged(self, other, merge, merge_most):
        """Stats merged value by value, absent if absent on a side."""
        result = _zeroes()
        for counter in _read(self._of).counters:
            by = merge_most if counter.merge == Merge.MAX else merge
            first = _read(self._of).places[counter.name]
            for at in range(first, first + counter.buckets):
                one, two = self.raw[at], other.raw[at]
                result[at] = GPC_ABSENT if GPC_ABSENT in (one, two) else by(one, two) % 2**64
        return Stats(result)

    def json(self) -> str:
        """A JSON object, ratios with six decimals."""
        return self._text(lib.gpc_counters_json)

    def csv(self, header: bool = False) -> str:
        """A CSV line of the values, below a line of the names if `header`."""
        return self._text(lib.gpc_counters_csv, header)

    def _text(self, write, *options):
        read = _read(self._of)
        ratios = [entry for entry in _table(self._of) if entry.counter.kind == "ratio"]
        ids = [*read.ids, *(entry.counter.id for entry in ratios)]
        parts = [self.raw[read.places[name]] for _, *names in ratios for name in names]
        values = (ctypes.c_uint64 * (read.size + len(parts)))(*self.raw, *parts)
        arguments = (ctypes.c_uint32 * len(ids))(*ids), len(ids), values, len(values), *options
        length = ctypes.c_size_t()
        status = write(*arguments, None, 0, ctypes.byref(length), None)
        if status != Status.ERROR_RANGE:
            settle(status)
        buffer = ctypes.create_string_buffer(length.value + 1)
        call(write, *arguments, buffer, len(buffer), ctypes.byref(length))
        return buffer.value.decode()


def _zeroes():
    return array("Q", bytes(8 * _read(CounterTable.HIERARCHY).size))
