# SPDX-License-Identifier: BSD-2-Clause
"""Counters: descriptions, and values by name."""

import ctypes
from collections import namedtuple
from typing import Any, List, Mapping, NamedTuple, Optional, Union

from . import _generated as g
from ._constants import GPC_ABSENT, CounterKind, CounterTable, Merge, Status
from ._loader import lib
from ._native import decoded, invoke, settle

class Counter(NamedTuple):
    """Description of a counter. `kind` is "counter", "histogram" or "ratio"; `merge` is the rule to combine instances
    and kernels; `objects` are bits, a bit for each Object with the counter; `id` is constant in all versions of the
    library. `equals` is an expression for the counter's value while nothing is in flight (counters.h has the grammar),
    "" for a ratio.
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
    needs: int
    equals: str = ""


_Entry = namedtuple("_Entry", "counter numerator denominator")
_KINDS = {CounterKind.HISTOGRAM: "histogram", CounterKind.RATIO: "ratio"}
_tables = {}
_structs = {}


def _table(table):
    """The library's entries of a CounterTable, read once."""
    if table not in _tables:
        infos = []
        for index in range(lib.gpc_counter_table_count(table)):
            info = g.gpc_counter_info()
            settle(lib.gpc_counter_table_at(table, index, ctypes.byref(info)), what="gpc_counter_table_at")
            infos.append(info)
        names = {info.id: decoded(info.name) for info in infos}
        _tables[table] = [
            _Entry(
                Counter(
                    decoded(info.name), decoded(info.unit), decoded(info.meaning), _KINDS.get(info.kind, "counter"),
                    info.buckets, Merge(info.merge), info.id, decoded(info.since), info.objects, info.needs,
                    decoded(info.equals),
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


def struct_of(table, matrices=()):
    """(structure with a field for each counter of the loaded library, its layout by reference), made once.

    matrices  fields after the counters, sized by the layout's number of states
    """
    if table not in _structs:
        held = [counter for counter in counters_of(table) if counter.kind != "ratio"]
        fields = [(each.name, ctypes.c_uint64 * each.buckets if each.buckets > 1 else ctypes.c_uint64) for each in held]
        made = type("Values", (ctypes.Structure,), {"_fields_": [("struct_size", ctypes.c_size_t), *fields, *matrices]})
        places = (g.gpc_field * len(held))(*(g.gpc_field(each.id, each.buckets) for each in held))
        states = matrices[0][1]._length_ if matrices else 0
        layout = g.gpc_layout(ctypes.sizeof(made), places, len(held), states, 0)
        made.__reduce__ = lambda values: (_restored, (table, matrices, bytes(values)))
        _structs[table] = made, ctypes.pointer(layout), places
    return _structs[table][:2]


def _restored(table, matrices, content):
    """Values from another process."""
    return struct_of(table, matrices)[0].from_buffer_copy(content)


def empty(table=CounterTable.HIERARCHY, matrices=()):
    """A structure of zeroes with its layout."""
    made, layout = struct_of(table, matrices)
    return made(ctypes.sizeof(made)), layout


def lent(address):
    """Stats of a structure lent to a callback by the library."""
    return Stats(struct_of(CounterTable.HIERARCHY)[0].from_address(address))


def counters_of_object(kind, histograms=False):
    """Possible counters of an Object, from all tables, without ratios."""
    kinds = ("counter", "histogram") if histograms else ("counter",)
    return [
        counter for table in CounterTable for counter in counters_of(table)
        if counter.objects >> kind & 1 and counter.kind in kinds
    ]  # fmt: skip


def read_object(functions, pointer, kind, index):
    """{counter: value} of one object, histograms as lists; missing and unmeasured counters are left out.

    functions  the library's reading of counters, and of a histogram
    """
    read, read_histogram = functions
    held = counters_of_object(kind)
    ids = (ctypes.c_uint32 * len(held))(*(counter.id for counter in held))
    values = (ctypes.c_uint64 * len(held))()
    settle(read(pointer, kind, index, ids, len(held), values), what=f"{kind.name} {index}")
    found = {counter.name: value for counter, value in zip(held, values) if value != GPC_ABSENT}
    for counter in counters_of_object(kind, histograms=True):
        if counter.kind == "histogram":
            buckets, length = (ctypes.c_uint64 * counter.buckets)(), ctypes.c_size_t()
            status = read_histogram(pointer, kind, index, counter.id, buckets, len(buckets), ctypes.byref(length))
            settle(status, what=f"{kind.name} {index}")
            if length.value:
                found[counter.name] = list(buckets)
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
        status = invoke(function, pointer, len(found), ctypes.byref(raw))
        if status == Status.ERROR_RANGE:
            return found
        settle(status, what=function.__name__)
        found[decoded(raw.name)] = PolicyValue(
            raw.value, decoded(raw.unit), decoded(raw.meaning), bool(raw.is_level), raw.instances
        )


class _Values(dict):
    """Values by counter name. Unmeasured counters, and ratios with a denominator of 0, are left out."""

    _of = None  # CounterTable

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        values = {}
        for counter, numerator, denominator in _table(self._of):
            if counter.kind == "counter":
                value = getattr(raw, counter.name)
                if value != GPC_ABSENT:
                    values[counter.name] = value
            elif counter.kind == "histogram":
                buckets = list(getattr(raw, counter.name))
                if buckets[0] != GPC_ABSENT:
                    values[counter.name] = buckets
            elif numerator in values and values.get(denominator):
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
        super().__init__(empty()[0] if raw is None else raw)

    @classmethod
    def of(cls, values: Mapping[str, Union[int, List[int]]]) -> "Stats":
        """Stats of the given values by name, histograms as lists; all others are 0."""
        raw = empty()[0]
        for name, value in values.items():
            if isinstance(value, list):
                getattr(raw, name)[:] = value
            elif hasattr(raw, name):
                setattr(raw, name, value)
            else:
                raise KeyError(f"no counter '{name}'")
        return cls(raw)

    def __add__(self, other: "Stats") -> "Stats":
        if not isinstance(other, Stats):
            return NotImplemented
        result, layout = empty()
        for part in (self, other):
            status = lib.gpc_stats_add_as(layout, ctypes.byref(result), ctypes.byref(part.raw))
            settle(status, what="gpc_stats_add_as")
        return Stats(result)

    def __sub__(self, earlier: "Stats") -> "Stats":
        if not isinstance(earlier, Stats):
            return NotImplemented
        result, layout = empty()
        settle(
            lib.gpc_stats_subtract_as(
                layout, ctypes.byref(self.raw), ctypes.byref(earlier.raw), ctypes.byref(result)
            ),
            what="gpc_stats_subtract_as",
        )
        return Stats(result)

    def json(self) -> str:
        """A JSON object, ratios with six decimals."""
        return self._text(lib.gpc_stats_json_as)

    def csv(self, header: bool = False) -> str:
        """A CSV line of the values, below a line of the names if `header`."""
        return self._text(lib.gpc_stats_csv_as, header)

    def _text(self, write, *options):
        layout = struct_of(CounterTable.HIERARCHY)[1]
        arguments = layout, ctypes.byref(self.raw), *options
        length = ctypes.c_size_t()
        status = write(*arguments, None, 0, ctypes.byref(length))
        if status != Status.ERROR_RANGE:
            settle(status)
        buffer = ctypes.create_string_buffer(length.value + 1)
        settle(write(*arguments, buffer, len(buffer), ctypes.byref(length)))
        return buffer.value.decode()
