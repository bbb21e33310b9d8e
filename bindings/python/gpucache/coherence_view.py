# SPDX-License-Identifier: BSD-2-Clause
"""Readable state of a tree, with any owner: modules, blocks, directories, counters, events."""

from __future__ import annotations

import ctypes
import json
import re
import weakref
from typing import Any

from . import _generated as g
from ._coherence import (
    SAME_FIELDS,
    STATES,
    AddressRange,
    CoherenceBlock,
    CoherenceModule,
    CoherenceStats,
    Completion,
    DirectoryEntry,
    Hashed,
    Interleaved,
    Message,
    Transition,
    atomics_found,
    coherence_counters,
    matrices_of,
)
from ._constants import (
    GPC_NO_MESSAGE,
    GPC_NO_MODULE,
    CoherenceKind,
    CoherenceState,
    CounterTable,
    MessageKind,
    Origin,
    DirectoryOverflow,
    Served,
    Status,
)
from ._loader import lib
from ._native import Handle, call, decoded, drop, hold, loose, state
from .errors import ArgumentError, NotFoundError, RangeError, StateError
from .protocol import events_of, states_of
from .stats import read_all

UINT64_MAX = (1 << 64) - 1


def _told(tree, name, what):
    """Call back. The callback may call nothing: even a hierarchy that lends the tree is in the middle of a step."""
    state.strict += 1
    try:
        tree._callbacks[name](what)
    finally:
        state.strict -= 1


@loose(dict(g.gpc_coherence_callbacks._fields_)["on_transition"])
def _on_transition(tree, pointer):
    _told(tree, "on_transition", tree._transition(pointer.contents))


@loose(dict(g.gpc_coherence_callbacks._fields_)["on_message"])
def _on_message(tree, pointer):
    _told(tree, "on_message", tree._message(pointer.contents))


@loose(dict(g.gpc_coherence_callbacks._fields_)["on_complete"])
def _on_complete(tree, pointer):
    tree._callbacks["on_complete"](tree._completion(pointer.contents))


_TRAMPOLINES = {"on_transition": _on_transition, "on_message": _on_message, "on_complete": _on_complete}


def none_if(value, missing):
    return None if value == missing else value


def octets(values):
    return (ctypes.c_uint8 * max(1, len(values))).from_buffer_copy(bytes(values) or b"\0")


class CoherenceView(Handle):
    """Readable state of a tree, own or lent by a hierarchy."""

    _names = ()  # of modules
    _states = tuple(STATES)
    _networks = ()

    # Modules

    def _read_modules(self):
        """Modules of the tree, as the library has them."""
        found = []
        while True:
            raw = g.gpc_coherence_module()
            try:
                call(lib.gpc_coherence_get_module, self._live(), len(found), ctypes.byref(raw))
            except (RangeError, ArgumentError):
                break
            found.append(raw)
        self._raw_modules = found
        self._states = (*STATES, *states_of(lib.gpc_coherence_protocol(self._live()).contents))
        self._names = [decoded(raw.name) for raw in found]
        self._index = {name: index for index, name in enumerate(self._names)}
        self._levels = [1] * len(found)
        for _ in found:  # limit of levels
            for index, raw in enumerate(found):
                for low in raw.low[:raw.low_count]:
                    self._levels[low] = max(self._levels[low], self._levels[index] + 1)

    @property
    def modules(self):
        """Names of all modules."""
        return list(self._names)

    def module(self, module):
        """A CoherenceModule with the library's values."""
        raw = self._raw_modules[self._at(module)]
        serves = {
            Served.ALL: None, Served.RANGE: AddressRange(raw.first, raw.last),
            Served.INTERLEAVED: Interleaved(raw.divisor, raw.modulus, raw.residue),
            Served.HASHED: Hashed(raw.divisor, raw.modulus, raw.residue),
        }[raw.served]  # fmt: skip
        return CoherenceModule(
            decoded(raw.name), tuple(self._names[low] for low in raw.low[:raw.low_count]),
            self._network(raw.low_network), self._network(raw.high_network),
            replacement=decoded(raw.replacement) or "lru", serves=serves,
            directory_overflow=DirectoryOverflow(raw.directory_overflow),
            near_of=None if raw.near_of == GPC_NO_MODULE else self._names[raw.near_of],
            **{name: getattr(raw, name) for name in SAME_FIELDS},
        )  # fmt: skip

    def level(self, module):
        """1 = the first, next to the processors."""
        return self._levels[self._at(module)]

    def at_level(self, level):
        """Names of the modules of a level, memories aside."""
        return [name for name, its, raw in zip(self._names, self._levels, self._raw_modules)
                if its == level and not raw.memory]  # fmt: skip

    @property
    def memories(self):
        """Names of the memories."""
        return [name for name, raw in zip(self._names, self._raw_modules) if raw.memory]

    def _at(self, module):
        """Index of a module by name or index."""
        if isinstance(module, str):
            if module not in self._index:
                raise NotFoundError(Status.ERROR_NOT_FOUND, f"no module '{module}'")
            return self._index[module]
        if not 0 <= module < len(self._names):
            raise RangeError(Status.ERROR_RANGE, f"module {module} of {len(self._names)}")
        return module

    def _network(self, index):
        if index == GPC_NO_MODULE:
            return None
        return self._networks[index] if index < len(self._networks) else f"network-{index}"

    # Blocks

    def find(self, module, address):
        """(set, way, True if present) of an address's block: its place, or its possible place."""
        set_, way = ctypes.c_uint32(), ctypes.c_uint32()
        status = call(
            lib.gpc_coherence_find, self._live(), self._at(module), address, ctypes.byref(set_), ctypes.byref(way)
        )
        found = status != Status.END
        return set_.value, way.value if found else None, found

    def block(self, module, set, way):
        """The CoherenceBlock of a way."""
        raw, index = g.gpc_coherence_block(), self._at(module)
        call(lib.gpc_coherence_get_block, self._live(), index, set, way, ctypes.byref(raw))
        size = self._raw_modules[index].block_bytes
        return CoherenceBlock(
            raw.tag, self._states[raw.state], raw.recency, bytes(raw.bytes[:size]) if raw.bytes else None,
            int.from_bytes(bytes(raw.dirty[:(size + 7) // 8]), "little") if raw.dirty else 0,
            tuple(self.directory(index, set, way, sub)
                  for sub in range(raw.sub_blocks) if raw.state != CoherenceState.I),
            raw.sub_block_bytes,
        )  # fmt: skip

    def line(self, module, address):
        """The CoherenceBlock with an address, or None."""
        set_, way, found = self.find(module, address)
        return self.block(module, set_, way) if found else None

    def blocks(self, module, sets=None):
        """Yield (set, way, CoherenceBlock) of each valid block, of some sets or of all."""
        for set_ in range(self._raw_modules[self._at(module)].sets) if sets is None else sets:
            for way, block in enumerate(self.ways(module, set_)):
                if block.state != "I":
                    yield set_, way, block

    def ways(self, module, set):
        """The CoherenceBlocks of a set, with a non-inclusive module's directory entries after its ways."""
        raw = self._raw_modules[self._at(module)]
        if raw.ways:
            return [self.block(module, set, way) for way in range(raw.ways + raw.directory_ways)]
        found = []
        while True:  # a full map has any number
            try:
                found.append(self.block(module, set, len(found)))
            except (RangeError, ArgumentError):
                return found

    def order(self, module, set):
        """Ways of a set from the most to the least recent; of lru and fifo."""
        ways = self.ways(module, set)[:self._raw_modules[self._at(module)].ways or None]
        return sorted(range(len(ways)), key=lambda way: ways[way].recency)

    def directory(self, module, set, way, sub_block=0):
        """The DirectoryEntry of a sub-block."""
        owner, count = ctypes.c_uint32(), ctypes.c_size_t()
        room = len(self._names)
        sharers = (ctypes.c_uint32 * room)()
        call(
            lib.gpc_coherence_get_directory, self._live(), self._at(module), set, way, sub_block, ctypes.byref(owner),
            sharers, room, ctypes.byref(count),
        )  # fmt: skip
        names = self._names
        return DirectoryEntry(
            None if owner.value == GPC_NO_MODULE else names[owner.value],
            tuple(names[each] for each in sharers[:count.value]),
        )

    def read_memory(self, address: int, size: int) -> bytes:
        """Memory's bytes, without an access."""
        found = (ctypes.c_uint8 * max(1, size))()
        call(lib.gpc_coherence_read_memory, self._live(), address, found, size)
        return bytes(found)[:size]

    # Statistics

    def stats(self, module: Any = None) -> CoherenceStats:
        """CoherenceStats of a module; of several, for a list of names; of all, for None."""
        if isinstance(module, (list, tuple)):
            return sum((self.stats(each) for each in module[1:]), self.stats(module[0]))
        index = GPC_NO_MODULE if module is None else self._at(module)
        values = read_all(CounterTable.COHERENCE, lib.gpc_coherence_read, self._live(), index)
        matrices = matrices_of(self._live(), index, len(self._states))
        return CoherenceStats(dict(zip(coherence_counters(), values)), self._states, *matrices)

    @property
    def events(self):
        """Names of the protocol's own events, by number."""
        return list(events_of(lib.gpc_coherence_protocol(self._live(inside=True)).contents))

    @property
    def states(self):
        """Names of the states of blocks: the letters of NMOESI, and further states of the protocol."""
        return list(self._states)

    def level_name(self, level):
        """Common part of the modules' names before a number, "L2" for l2-0 and l2-1; otherwise by place, "L3"."""
        stems = {re.sub(r"-?\d+$", "", name) if "-" in name else name for name in self.at_level(level)}
        stem = stems.pop() if len(stems) == 1 else ""
        if re.fullmatch(r"l\d", stem):
            return stem.upper()
        return stem or f"L{level}"

    def level_stats(self):
        """{"L1": CoherenceStats, ..., "memory": CoherenceStats}, sums of the levels."""
        levels = [level for level in range(1, max(self._levels) + 1) if self.at_level(level)]
        found = {self.level_name(level): self.stats(self.at_level(level)) for level in levels}
        if len(found) < len(levels):  # two levels of the same name
            found = {f"L{level}": self.stats(self.at_level(level)) for level in levels}
        found["memory"] = self.stats(self.memories)
        return found

    def stats_json(self):
        """Statistics as JSON: {"levels": {...}, "modules": {...}}, with the matrices among the counters."""
        return {
            "levels": {name: json.loads(stats.json()) for name, stats in self.level_stats().items()},
            "modules": {name: json.loads(self.stats(name).json()) for name in self._names},
        }

    def set_callbacks(self, *, on_transition=None, on_message=None, on_complete=None):
        """Set the callbacks of an access: on_transition with each Transition, on_message with each Message. Neither may
        call into the tree, or into a lending hierarchy, which keeps the callbacks until a kernel begins with another
        tree. on_complete gets the Completion of each issued access, and may issue further accesses.
        """
        given = {"on_transition": on_transition, "on_message": on_message, "on_complete": on_complete}
        used = {name: function for name, function in given.items() if function is not None}
        raw = g.gpc_coherence_callbacks(user_data=self._token, **{name: _TRAMPOLINES[name] for name in used})
        call(lib.gpc_coherence_set_callbacks, self._live(), ctypes.byref(raw) if used else None)
        self._callbacks = used
        self._keep()

    def _keep(self):
        """Hook: callbacks are set, and owners must keep the object alive."""

    def _made(self):
        """Ready for callbacks."""
        self._atomics = {}  # by token, of accesses in flight
        self._callbacks = {}
        self._token = hold(weakref.ref(self))
        weakref.finalize(self, drop, self._token).atexit = False

    # Objects handed out by the library

    def _message(self, raw):
        return Message(
            MessageKind(raw.kind), self._names[getattr(raw, "from")], self._names[raw.to], raw.address, raw.bytes,
            raw.sent, raw.received, self._network(raw.network), none_if(raw.after, GPC_NO_MESSAGE), raw.delay,
            none_if(raw.join, GPC_NO_MESSAGE), raw.needs, none_if(raw.request, GPC_NO_MESSAGE), raw.masked == 1,
            raw.found == 1,
        )  # fmt: skip

    def _completion(self, raw):
        return Completion(
            raw.token, self._names[raw.module], CoherenceKind(raw.kind), raw.address, raw.issued, raw.cycle,
            bytes(raw.bytes[:raw.size]) if raw.bytes else b"", raw.retries, raw.hit == 1, raw.joined == 1,
            atomics_found(self._atomics.pop(raw.token, ())),
        )  # fmt: skip

    def _transition(self, raw):
        return Transition(
            raw.cycle, self._names[raw.module], raw.set, raw.way, raw.tag_before, self._states[getattr(raw, "from")],
            raw.tag, self._states[raw.to], Origin(raw.origin),
        )  # fmt: skip


class BorrowedCoherence(CoherenceView):
    """The tree of a hierarchy; valid as long as the hierarchy. A kernel with another size of L1 may begin with another
    tree."""

    def __init__(self, owner):
        self._owner = owner
        self._context = owner._context
        self._made()
        self._read_modules()

    def _keep(self):
        root = self._owner
        while getattr(root, "_owner", None) is not None:
            root = root._owner
        root._lent_coherence = self if self._callbacks else None

    def _live(self, inside=False):
        return lib.gpc_hierarchy_coherence(self._owner._live(inside))

    @property
    def closed(self):
        return self._owner.closed

    def close(self):
        raise StateError(Status.ERROR_STATE, "a hierarchy's coherence is closed with the hierarchy")

    def __exit__(self, *_):
        """Keep the lent object."""
