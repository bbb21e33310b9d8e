# SPDX-License-Identifier: BSD-2-Clause
"""Events of a hierarchy, for a callback or a file.

    memory.set_trace(print, sm=3, kinds="load")              # a Hierarchy, or replay.hierarchy
    with open("loads.json", "w") as file, Perfetto(file) as writer:
        with Replay(context, config, events=writer) as replay, Trace(context, "kernelslist.g") as trace:
            list(replay.run(trace))

Text has a line an event, for grep. Perfetto is the trace-event format of Chrome, for ui.perfetto.dev: a microsecond
there is a core cycle, or without a clock a warp access. Both write at once, and hold only events in flight.
"""

import json
from collections import namedtuple

from . import _generated as g
from ._constants import GPC_NONE, Busy, Component, Kind, MessageKind, Outcome, What
from ._native import choice
from .errors import ArgumentError

_FIELDS = (
    "cycle", "what", "component", "index", "packet", "parent", "access", "address", "pc", "sm", "warp", "block", "kind",
    "bytes", "outcome", "value", "until", "bank", "sender", "receiver", "process",
)  # fmt: skip

_NOTHING = ("packet", "parent", "access", "value", "bytes", "process")  # fields hidden at 0
_NOWHERE = 2**64 - 1
_LEVELS = {1: "l1", 2: "l2", 3: "dram"}


def _words(enum):
    return {int(member): member.name.lower().replace("_", "-") for member in enum}


_LOOKUPS = {Outcome.HIT: "hit", Outcome.PENDING_HIT: "pending", Outcome.SECTOR_MISS: "sector-miss",
            Outcome.MISS: "miss", Outcome.BYPASSED: "bypass", Outcome.NO_VICTIM: "no-line"}  # fmt: skip
_REASONS = {**_words(Busy), int(Busy.NOT): ""}
_MESSAGES = {**_words(MessageKind), int(MessageKind.ACK): "acknowledgement"}
_OUTCOMES = {
    What.LOOKUP: _LOOKUPS, What.BLOCK: _REASONS, What.UNBLOCK: _REASONS, What.REPLY: _LEVELS,
    What.COMPLETE: _LEVELS, What.MESSAGE: _MESSAGES, What.ARRIVE: _MESSAGES, What.WAIT: _MESSAGES,
    What.REFUSE: _MESSAGES, What.READ: {1: "closes"}, What.WRITE: {1: "closes"},
}  # fmt: skip
_WHATS = list(What)
_COMPONENTS = list(Component)
_KINDS = [*Kind, None]


class Event(namedtuple("Event", _FIELDS)):
    """An event, as gpc_event in gpucache/ext/observe.h: unknown or inapplicable fields are None.

    what, component and kind are members of What, Component and Kind; `outcome` is a word, as "miss" or "mshr".
    """

    __slots__ = ()

    def __str__(self):
        """A line: cycle, what, component with index, then name=value."""
        fixed = f"{self.cycle:>8} {name_of(self.what):<14} {name_of(self.component)} {self.index}"
        rest = []
        for name in _FIELDS[4:]:
            value = getattr(self, name)
            if value is None or value == "" or (value == 0 and name in _NOTHING):
                continue
            if name in ("address", "pc"):
                value = hex(value)
            elif name == "kind":
                value = value.name.lower()
            elif name == "until" and value == self.cycle:
                continue
            rest.append(f"{name}={value}")
        return " ".join([fixed, *rest])


def name_of(member):
    """READ_REQUEST -> read-request."""
    return member.name.lower().replace("_", "-")


def event_of(raw):
    """An Event from a gpc_event, valid for the call only."""
    what = _WHATS[raw.what]
    words = _OUTCOMES.get(what)
    return Event(
        raw.cycle, what, _COMPONENTS[raw.component], raw.index, raw.packet, raw.parent, raw.access,
        None if raw.address == _NOWHERE else raw.address, None if raw.pc == _NOWHERE else raw.pc,
        None if raw.sm == GPC_NONE else raw.sm, None if raw.warp == GPC_NONE else raw.warp,
        None if raw.block == GPC_NONE else raw.block, _KINDS[raw.kind], raw.bytes,
        words.get(raw.outcome, "") if words else "", raw.value, raw.until,
        None if raw.bank == GPC_NONE else raw.bank, getattr(raw, "from") if raw.to != GPC_NONE else None,
        None if raw.to == GPC_NONE else raw.to, raw.process,
    )  # fmt: skip


# Filters


def _bits(enum, values, what):
    """A mask from a member, number or name, or from several."""
    if values is None:
        return 0
    if isinstance(values, (str, int)):
        values = [values]
    mask = 0
    for value in values:
        mask |= 1 << choice(enum, value, what)
    return mask


def _range(value):
    """(first, last) of a number or a pair."""
    return (value, value) if isinstance(value, int) else tuple(value)


def options_of(*, whats=None, components=None, kinds=None, sm=None, address=None, pc=None, cycle=None):
    """gpc_event_options without the callback."""
    fields = {"whats": _bits(What, whats, "whats"), "components": _bits(Component, components, "components"),
              "kinds": _bits(Kind, kinds, "kinds")}  # fmt: skip
    for name, value in (("sm", sm), ("address", address), ("pc", pc), ("cycle", cycle)):
        if value is not None:
            fields[f"first_{name}"], fields[f"last_{name}"] = _range(value)
    return g.gpc_event_options(**fields)


def _number(text):
    return int(text, 0)


def _span(text):
    first, dash, last = text.partition("-")
    return (_number(first), _number(last)) if dash else _number(first)


_FILTERS = {
    "what": ("whats", What), "component": ("components", Component), "kind": ("kinds", Kind), "sm": ("sm", None),
    "address": ("address", None), "pc": ("pc", None), "cycle": ("cycle", None),
}  # fmt: skip


def parse_filter(text):
    """Fields of set_trace() from "sm=0-3,kind=load+store,address=0x7f00-0x7fff". A mistake raises ValueError with a
    sentence."""
    found = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in _FILTERS or not equals:
            raise ValueError(f"'{part}' is not KEY=VALUE with one of {', '.join(_FILTERS)}")
        name, enum = _FILTERS[key]
        try:
            if enum is None:
                found[name] = _span(value)
            else:
                found[name] = [choice(enum, word, key) for word in value.split("+")]
        except (ValueError, ArgumentError) as error:
            raise ValueError(f"{key}={value}: {error}") from None
    return found


# Writers


class Writer:
    """Writer of events: call the writer with each event. The `with` block finishes the text; the file stays open."""

    def __init__(self, file):
        self._file = file

    def begin(self, name, clock=True):
        """Begin the events of another hierarchy, with a new clock and new numbers. `clock`: timed."""

    def mark(self, cycle, name):
        """A mark without a component, such as a kernel's begin."""

    def counters(self, cycle, values):
        """{name: number} of the present."""

    def close(self):
        """Write remaining text."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Text(Writer):
    """A line an event: cycle, what, component, then name=value. Lines with # are no events."""

    def __call__(self, event):
        self._file.write(f"{event}\n")

    def begin(self, name, clock=True):
        self._file.write(f"# {name}\n")

    def mark(self, cycle, name):
        self._file.write(f"# cycle {cycle}: {name}\n")

    def counters(self, cycle, values):
        rest = " ".join(f"{name}={value:g}" for name, value in values.items())
        self._file.write(f"# cycle {cycle}: {rest}\n")


_PROCESSES = (
    "SMs", "L1 caches", "clusters", "L2 slices", "memory channels", "host memory", "request network", "reply network",
    "partition requests", "partition replies", "memory requests", "memory replies", "cluster requests",
    "cluster replies", "links between GPUs", "constant caches", "L1.5 caches", "GL1 caches", "memory caches", "ports",
    "coherence messages", "counters",
)  # fmt: skip
_PIDS = {name: number for number, name in enumerate(_PROCESSES, 1)}
_NETWORKS = {
    Component.REQUESTS: "request network", Component.REPLIES: "reply network",
    Component.PARTITION_REQUESTS: "partition requests", Component.PARTITION_REPLIES: "partition replies",
    Component.MEMORY_REQUESTS: "memory requests", Component.MEMORY_REPLIES: "memory replies",
    Component.CLUSTER_REQUESTS: "cluster requests", Component.CLUSTER_REPLIES: "cluster replies",
    Component.GPU_LINKS: "links between GPUs",
}  # fmt: skip
_PLACES = {
    Component.SM: ("SMs", "SM"), Component.L1: ("L1 caches", "L1"), Component.COALESCER: ("L1 caches", "L1"),
    Component.CLUSTER: ("clusters", "cluster"), Component.L2: ("L2 slices", "slice"),
    Component.MEMORY: ("memory channels", "channel"), Component.HOST: ("host memory", "channel"),
    Component.CONST: ("constant caches", "constant cache"), Component.L15: ("L1.5 caches", "L1.5"),
    Component.GL1: ("GL1 caches", "GL1"), Component.MEMORY_CACHE: ("memory caches", "memory cache"),
    Component.PORT: ("ports", "port"),
    **{network: (name, "input") for network, name in _NETWORKS.items()},
}  # fmt: skip
# Events with a begin and an end: (beginning event, title of its tracks). All others are instants.
_BEGINS = {
    What.ISSUE: "access", What.MSHR_ALLOCATE: "MSHR", What.BLOCK: "held up", What.SEND: "packet",
    What.MEMORY_READ: "read", What.MESSAGE: "message",
}  # fmt: skip
_BEGINS_AT_ONCE = {What.ISSUE: "access"}  # without a clock
_ENDS = {
    What.COMPLETE: What.ISSUE, What.MSHR_FREE: What.MSHR_ALLOCATE, What.UNBLOCK: What.BLOCK, What.RECEIVE: What.SEND,
    What.DATA: What.MEMORY_READ, What.ARRIVE: What.MESSAGE,
}  # fmt: skip
_KNOWN = {What.SERVE, What.ACTIVATE, What.READ, What.WRITE, What.REFRESH, What.PRECHARGE}  # events with a known end


class _Open:
    """An open slice on a track."""

    __slots__ = ("event", "lane", "lanes", "name", "pid", "tid", "ts")


class Perfetto(Writer):
    """Chrome's trace-event format (JSON), for ui.perfetto.dev or chrome://tracing.

    Processes are kinds of components, tracks are components. A component has enough tracks for its simultaneous slices,
    so that slices never overlap; tracks of an L1 are its MSHR entries. Arrows (flow events) join a load's slices, from
    issue through MSHR entries, networks and memory to completion. 1 us = 1 cycle. Before events of a functional
    hierarchy, call begin(name, clock=False).
    """

    def __init__(self, file):
        super().__init__(file)
        self._count = 0
        self._begins = _BEGINS
        self._tids = {}  # (pid, title, lane): tid
        self._lanes = {}  # (pid, title): [free from this timestamp, None: in use], a value a track
        self._open = {}  # open slices, by their ending event
        self._flows = {}  # accesses with arrows under way: timestamp of the last
        self._named = set()
        self._offset = self._last = 0
        self._ids = self._most = 0
        self._file.write('{"displayTimeUnit": "ms", "otherData": {"clock": "1 us is one core cycle"},\n"traceEvents": [')

    def _put(self, phase, **fields):
        self._file.write(",\n" if self._count else "\n")
        self._count += 1
        json.dump({"ph": phase, **fields}, self._file, separators=(",", ":"))

    # Tracks

    def _track(self, process, title, lane=0):
        """(pid, tid) of a track, announced at first use."""
        pid = _PIDS[process]
        if pid not in self._named:
            self._named.add(pid)
            self._put("M", pid=pid, tid=0, name="process_name", args={"name": process})
            self._put("M", pid=pid, tid=0, name="process_sort_index", args={"sort_index": pid})
        key = pid, title, lane
        tid = self._tids.get(key)
        if tid is None:
            tid = self._tids[key] = len(self._tids) + 1
            name = f"{title} {lane}" if lane else title
            self._put("M", pid=pid, tid=tid, name="thread_name", args={"name": name})
            self._put("M", pid=pid, tid=tid, name="thread_sort_index", args={"sort_index": self._order(title, lane)})
        return pid, tid

    @staticmethod
    def _order(title, lane):
        """Order of tracks: component number, purpose, lane."""
        number = next((int(word) for word in title.split() if word.isdigit()), 0)
        return (number * 64 + sum(map(ord, title.split()[-1])) % 64) * 256 + min(lane, 255)

    def _take(self, process, title, ts):
        """First track free at `ts`: list and place."""
        lanes = self._lanes.setdefault((process, title), [])
        for lane, free in enumerate(lanes):
            if free is not None and free <= ts:
                lanes[lane] = None
                return lanes, lane
        lanes.append(None)
        return lanes, len(lanes) - 1

    # Slices

    def _args(self, event):
        found = {}
        for name in _FIELDS[4:]:
            value = getattr(event, name)
            if value is None or value == "" or name == "until":
                continue
            found[name] = hex(value) if name in ("address", "pc") else value.name.lower() if name == "kind" else value
        return found

    def _start(self, event, ts, title, name):
        process, kind = _PLACES[event.component]
        if event.what is What.MESSAGE:
            process, kind, title = "coherence messages", name_of(event.component), "to"
        index = f"{kind} {event.index} {title}"
        begun = _Open()
        begun.lanes, begun.lane = self._take(process, index, ts)
        begun.pid, begun.tid = self._track(process, index, begun.lane)
        begun.event, begun.ts, begun.name = event, ts, name
        return begun

    def _stop(self, begun, end, **more):
        duration = max(end - begun.ts, 1)
        begun.lanes[begun.lane] = begun.ts + duration
        args = {**self._args(begun.event), **more}
        self._put("X", pid=begun.pid, tid=begun.tid, ts=begun.ts, dur=duration, name=begun.name,
                  cat=name_of(begun.event.component), args=args)  # fmt: skip

    def _key(self, what, event):
        """Key that joins begin and end; an MSHR entry changes owners, so that its line is the key."""
        if what is What.MSHR_ALLOCATE:
            return what, event.component, event.index, event.address
        if what in (What.SEND, What.BLOCK):
            return what, event.component, event.packet
        return what, event.packet

    def _flow(self, event, ts, begun):
        """An arrow of the access from its last slice to this slice."""
        access = event.access
        if not access:
            return
        at = {"pid": begun.pid, "tid": begun.tid, "ts": ts, "id": access + self._ids, "cat": "load", "name": "life"}
        if event.what is What.ISSUE:
            self._flows[access] = ts
            self._put("s", **at)
        elif access in self._flows:
            self._flows[access] = ts
            self._put("t", **at)

    def _name(self, event):
        if event.what is What.ISSUE:
            return event.kind.name.lower() if event.kind is not None else "access"
        if event.what is What.BLOCK:
            return f"held up: {event.outcome}"
        if event.what is What.MSHR_ALLOCATE:
            return hex(event.address)
        if event.what is What.MESSAGE:
            return event.outcome
        return f"{name_of(event.what)} {event.packet}"

    def __call__(self, event):
        ts = event.cycle + self._offset
        self._last = max(self._last, ts, event.until + self._offset)
        self._most = max(self._most, event.packet + self._ids)
        what = event.what
        if what in self._begins:
            begun = self._start(event, ts, self._begins[what], self._name(event))
            before = self._open.pop(self._key(what, event), None)
            if before is not None:  # the filter dropped the end
                self._stop(before, ts)
            self._open[self._key(what, event)] = begun
            self._flow(event, ts, begun)
        elif what in _ENDS:
            self._ended(event, ts)
        elif what in _KNOWN and event.until > event.cycle:
            bank = "data port" if event.bank is None else f"bank {event.bank}"
            if what is What.REFRESH:
                bank = f"refresh from bank {event.bank}"
            self._stop(self._start(event, ts, bank, name_of(what)), event.until + self._offset)
        else:
            process, kind = _PLACES[event.component]
            pid, tid = self._track(process, f"{kind} {event.index} events")
            name = f"{name_of(what)}: {event.outcome}" if event.outcome else name_of(what)
            self._put("i", pid=pid, tid=tid, ts=ts, s="t", name=name, cat=name_of(event.component),
                      args=self._args(event))  # fmt: skip

    def _ended(self, event, ts):
        begun = self._open.pop(self._key(_ENDS[event.what], event), None)
        if begun is None:  # the filter dropped the begin
            return
        if event.what is What.COMPLETE and self._flows.pop(event.access, None) is not None:
            # A point within the slice of the ending access.
            at = max(ts, begun.ts)
            self._put("f", pid=begun.pid, tid=begun.tid, ts=at, id=event.access + self._ids, cat="load", name="life",
                      bp="e")  # fmt: skip
        more = {"served": event.outcome, "cycles": event.value} if event.what is What.COMPLETE else {}
        self._stop(begun, ts, **more)

    # Marks beside events

    def begin(self, name, clock=True):
        self._end_all()
        self._begins = _BEGINS if clock else _BEGINS_AT_ONCE
        self._offset = self._last + 1 if self._count else 0
        self._ids = self._most
        self.mark(0, name)

    def mark(self, cycle, name):
        pid, tid = self._track("SMs", "kernels")
        self._put("i", pid=pid, tid=tid, ts=cycle + self._offset, s="g", name=name)

    def counters(self, cycle, values):
        pid, _ = self._track("counters", "counters")
        for name, value in values.items():
            self._put("C", pid=pid, tid=0, ts=cycle + self._offset, name=name, args={"value": value})

    def _end_all(self):
        """Close open slices at the end of the file or hierarchy."""
        for begun in self._open.values():
            self._stop(begun, self._last, unfinished=True)
        self._open.clear()
        self._flows.clear()
        for lanes in self._lanes.values():
            lanes[:] = [self._last if free is None else free for free in lanes]

    def close(self):
        if self._file is not None:
            self._end_all()
            self._file.write("\n]}\n")
            self._file = None


def writer_of(path, file):
    """A Perfetto for a path ending in .json or .json.gz, otherwise a Text."""
    return (Perfetto if str(path).endswith((".json", ".json.gz")) else Text)(file)
