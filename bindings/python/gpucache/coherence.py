# SPDX-License-Identifier: BSD-2-Clause
"""Coherence: a tree of caches over memories, one access at a time, its states, messages and matrices.

    tree = Coherence(context, [
        CoherenceModule("l1-0", low=["mm"], low_network="net", sets=16, ways=4),
        CoherenceModule("l1-1", low=["mm"], low_network="net", sets=16, ways=4),
        CoherenceModule("mm", high_network="net", memory=True, ways=0, latency=20),
    ], [CoherenceNetwork("net")], "moesi")
    tree.store("l1-0", 0x100, b"\\x06")
    print(tree.load("l1-1", 0x100).data, tree.line("l1-0", 0x100).state)    # b'\\x06' O
    print(tree.stats("l1-0").matrices())
"""

import ctypes
import json
import re
import weakref
from dataclasses import fields

from . import _generated as g
from ._coherence import (  # noqa: F401: networks are for scenarios and the package
    STATES,
    Atomic,
    AddressRange,
    Choice,
    CoherenceBlock,
    CoherenceModule,
    CoherenceNetwork,
    CoherenceResult,
    CoherenceStats,
    Completion,
    DirectoryEntry,
    Hashed,
    Interleaved,
    Message,
    Transition,
    atomics_for,
    atomics_found,
    empty_stats,
    matrices_of,
    packed,
)
from ._constants import (
    GPC_NO_MESSAGE,
    GPC_NO_MODULE,
    AccessBits,
    ChoiceKind,
    CoherenceKind,
    CoherenceState,
    MessageKind,
    Origin,
    DirectoryOverflow,
    Placement,
    Served,
    Status,
)
from ._loader import lib
from ._native import Handle, choice, decoded, drop, hold, invoke, loose, settle, state, text
from .errors import ArgumentError, NotFoundError, RangeError, StateError
from .protocol import bits_of, states_of

UINT64_MAX = (1 << 64) - 1

# Fields of a module that the library has by the same names.
_SAME = ("sets", "ways", "block_bytes", "latency", "directory_latency", "ports", "mshrs", "directory_ways", "memory",
         "non_inclusive", "any_victim", "write_through", "no_write_allocate", "index", "dense", "directory_pointers",
         "directory_region", "sectors", "home", "byte_masks", "fetch_blocks")  # fmt: skip


def _told(tree, name, what):
    """Call back. Nothing may be called from there: not even a hierarchy that lends the tree, which is in the middle."""
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


def _none(value, missing):
    return None if value == missing else value


def _octets(values):
    return (ctypes.c_uint8 * max(1, len(values))).from_buffer_copy(bytes(values) or b"\0")


class CoherenceView(Handle):
    """What can be read of a tree. What a hierarchy lends is no more than this."""

    _names = ()  # of modules
    _states = tuple(STATES)
    _networks = ()

    # Modules

    def _read_modules(self):
        """The modules of the tree, as the library has them."""
        found = []
        while True:
            raw = g.gpc_coherence_module()
            status = lib.gpc_coherence_get_module(self._live(), len(found), ctypes.byref(raw))
            if status in (Status.ERROR_RANGE, Status.ERROR_ARGUMENT):
                break
            settle(status, what="gpc_coherence_get_module")
            found.append(raw)
        self._raw_modules = found
        self._states = (*STATES, *states_of(lib.gpc_coherence_protocol(self._live()).contents))
        self._names = [decoded(raw.name) for raw in found]
        self._index = {name: index for index, name in enumerate(self._names)}
        self._levels = [1] * len(found)
        for _ in found:  # at most so many levels
            for index, raw in enumerate(found):
                for low in raw.low[:raw.low_count]:
                    self._levels[low] = max(self._levels[low], self._levels[index] + 1)

    @property
    def modules(self):
        """Names of all modules."""
        return list(self._names)

    def module(self, module):
        """A CoherenceModule as the library has it."""
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
            **{name: getattr(raw, name) for name in _SAME},
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
        """(set, way, whether the block of this address is there): where it is, or would go."""
        set_, way = ctypes.c_uint32(), ctypes.c_uint32()
        status = lib.gpc_coherence_find(
            self._live(), self._at(module), address, ctypes.byref(set_), ctypes.byref(way)
        )  # fmt: skip
        found = settle(status, what="gpc_coherence_find") != Status.END
        return set_.value, way.value if found else None, found

    def block(self, module, set, way):
        """The CoherenceBlock of a way."""
        raw, index = g.gpc_coherence_block(), self._at(module)
        status = lib.gpc_coherence_get_block(self._live(), index, set, way, ctypes.byref(raw))
        settle(status, what=f"{self._names[index]}: set {set}, way {way}")
        size = self._raw_modules[index].block_bytes
        return CoherenceBlock(
            raw.tag, self._states[raw.state], raw.recency, bytes(raw.bytes[:size]) if raw.bytes else None,
            int.from_bytes(bytes(raw.dirty[:(size + 7) // 8]), "little") if raw.dirty else 0,
            tuple(self.directory(index, set, way, sub)
                  for sub in range(raw.sub_blocks) if raw.state != CoherenceState.I),
            raw.sub_block_bytes,
        )  # fmt: skip

    def line(self, module, address):
        """The CoherenceBlock that holds an address, or None."""
        set_, way, found = self.find(module, address)
        return self.block(module, set_, way) if found else None

    def blocks(self, module, sets=None):
        """Yield (set, way, CoherenceBlock) of each valid block, of some sets or of all."""
        for set_ in range(self._raw_modules[self._at(module)].sets) if sets is None else sets:
            for way, block in enumerate(self.ways(module, set_)):
                if block.state != "I":
                    yield set_, way, block

    def ways(self, module, set):
        """The CoherenceBlocks of a set, directory entries of a non-inclusive module after its ways."""
        raw = self._raw_modules[self._at(module)]
        if raw.ways:
            return [self.block(module, set, way) for way in range(raw.ways + raw.directory_ways)]
        found = []
        while True:  # a full map: as many as there are
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
        status = lib.gpc_coherence_get_directory(
            self._live(), self._at(module), set, way, sub_block, ctypes.byref(owner), sharers, room,
            ctypes.byref(count),
        )  # fmt: skip
        settle(status, what="gpc_coherence_get_directory")
        names = self._names
        return DirectoryEntry(
            None if owner.value == GPC_NO_MODULE else names[owner.value],
            tuple(names[each] for each in sharers[:count.value]),
        )

    def read_memory(self, address, size):
        """Memory's bytes, without any access."""
        found = (ctypes.c_uint8 * max(1, size))()
        settle(lib.gpc_coherence_read_memory(self._live(), address, found, size), what="gpc_coherence_read_memory")
        return bytes(found)[:size]

    # Statistics

    def stats(self, module=None):
        """CoherenceStats of a module; of several, by a list of names; None: of all."""
        if isinstance(module, (list, tuple)):
            return sum((self.stats(each) for each in module[1:]), self.stats(module[0]))
        raw, layout = empty_stats()
        index = GPC_NO_MODULE if module is None else self._at(module)
        status = lib.gpc_coherence_get_stats_as(self._live(), index, layout, ctypes.byref(raw))
        settle(status, what="gpc_coherence_get_stats_as")
        return CoherenceStats(raw, self._states, matrices_of(self._live(), index, len(self._states)))

    @property
    def states(self):
        """Names of the states that blocks may be in: the letters of NMOESI, and those the protocol has beside these."""
        return list(self._states)

    def level_name(self, level):
        """What its modules' names have in common before a number, "L2" of l2-0 and l2-1; else by its place, "L3"."""
        stems = {re.sub(r"-?\d+$", "", name) if "-" in name else name for name in self.at_level(level)}
        stem = stems.pop() if len(stems) == 1 else ""
        if re.fullmatch(r"l\d", stem):
            return stem.upper()
        return stem or f"L{level}"

    def level_stats(self):
        """{"L1": CoherenceStats, ..., "memory": CoherenceStats}, each the sum of a level."""
        levels = [level for level in range(1, max(self._levels) + 1) if self.at_level(level)]
        found = {self.level_name(level): self.stats(self.at_level(level)) for level in levels}
        if len(found) < len(levels):  # two of the same name
            found = {f"L{level}": self.stats(self.at_level(level)) for level in levels}
        found["memory"] = self.stats(self.memories)
        return found

    def stats_json(self):
        """What JSON can say: {"levels": {...}, "modules": {...}}, the matrices among the counters."""
        return {
            "levels": {name: json.loads(stats.json()) for name, stats in self.level_stats().items()},
            "modules": {name: json.loads(self.stats(name).json()) for name in self._names},
        }

    def set_callbacks(self, *, on_transition=None, on_message=None, on_complete=None):
        """Set what is called in an access: with each Transition, with each Message. Neither may call into the tree, or
        into a hierarchy that lends it, which keeps them until a kernel begins with another tree. on_complete is called
        with the Completion of each access that was issued, and may issue others.
        """
        given = {"on_transition": on_transition, "on_message": on_message, "on_complete": on_complete}
        used = {name: function for name, function in given.items() if function is not None}
        raw = g.gpc_coherence_callbacks(user_data=self._token, **{name: _TRAMPOLINES[name] for name in used})
        status = lib.gpc_coherence_set_callbacks(self._live(), ctypes.byref(raw) if used else None)
        settle(status, what="gpc_coherence_set_callbacks")
        self._callbacks = used
        self._keep()

    def _keep(self):
        """Callbacks are set: whoever else must keep the object alive does so."""

    def _made(self):
        """Ready for callbacks."""
        self._atomics = {}  # by token, of accesses in flight
        self._callbacks = {}
        self._token = hold(weakref.ref(self))
        weakref.finalize(self, drop, self._token).atexit = False

    # What the library hands out

    def _message(self, raw):
        return Message(
            MessageKind(raw.kind), self._names[getattr(raw, "from")], self._names[raw.to], raw.address, raw.bytes,
            raw.sent, raw.received, self._network(raw.network), _none(raw.after, GPC_NO_MESSAGE), raw.delay,
            _none(raw.join, GPC_NO_MESSAGE), raw.needs, _none(raw.request, GPC_NO_MESSAGE), raw.masked == 1,
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


class Coherence(CoherenceView):
    """A tree, made of CoherenceModules and CoherenceNetworks, which are copied.

    protocol       a registered name: see context.policies("protocol")
    control_bytes  of a message, and of the header of one with data
    data           blocks and memory hold bytes
    timing         messages get their cycles on an idle system
    homes, page_bytes, placement
                   of pages, in a tree with several memories next to some processors each: CoherenceModule.home
    `clock` is the cycle at which an access is issued that does not say: one after everything before it has ended.
    """

    def __init__(self, context, modules, networks=(), protocol="nmoesi", *, control_bytes=8, data=True, timing=True,
                 homes=0, page_bytes=0, placement=Placement.ROUND_ROBIN):  # fmt: skip
        self._context = context
        self.clock = 0
        self._networks = [network.name for network in networks]
        names = [module.name for module in modules]
        raw_modules = (g.gpc_coherence_module * max(1, len(names)))()
        for at, module in enumerate(modules):
            raw_modules[at] = self._raw_module(module, names)
        raw_networks = (g.gpc_coherence_network * max(1, len(networks)))()
        for at, network in enumerate(networks):
            sizes = {field.name: getattr(network, field.name) for field in fields(network) if field.name != "name"}
            raw_networks[at] = g.gpc_coherence_network(name=text(network.name, "name of a network"), **sizes)
        options = g.gpc_coherence_options(
            protocol=text(protocol, "protocol"), modules=raw_modules, networks=raw_networks, module_count=len(names),
            network_count=len(networks), control_bytes=control_bytes, data=data, timing=timing,
            homes=homes, page_bytes=page_bytes, placement=placement,
        )  # fmt: skip
        self.protocol = protocol
        self._with_data = data
        self._create(
            lib.gpc_coherence_destroy, lib.gpc_coherence_create, context._live(), ctypes.byref(options), keep=(context,)
        )
        self._made()
        self._read_modules()

    def _raw_module(self, module, names):
        def index(name, among, what):
            if name is None:
                return GPC_NO_MODULE
            if name not in among:
                raise NotFoundError(Status.ERROR_NOT_FOUND, f"module {module.name}: {what}: there is no '{name}'")
            return among.index(name)

        low = [index(name, names, "low") for name in module.low]
        raw = g.gpc_coherence_module(
            name=text(module.name, "name of a module"), replacement=text(module.replacement, "replacement"),
            low=(ctypes.c_uint32 * max(1, len(low)))(*low), low_count=len(low),
            low_network=index(module.low_network, self._networks, "low_network"),
            high_network=index(module.high_network, self._networks, "high_network"),
            directory_overflow=module.directory_overflow, near_of=index(module.near_of, names, "near_of"),
            **{name: getattr(module, name) for name in _SAME},
        )  # fmt: skip
        if isinstance(module.serves, (Interleaved, Hashed)):
            raw.served = Served.HASHED if isinstance(module.serves, Hashed) else Served.INTERLEAVED
            raw.divisor, raw.modulus, raw.residue = module.serves
        elif module.serves is not None:
            raw.served = Served.RANGE
            raw.first, raw.last = module.serves
        return raw

    # Accesses

    def access(self, module, kind, address=0, size=None, *, data=None, mask=None, cycle=None, flags=0, atomics=()):
        """One access, to its end: a CoherenceResult.

        kind   a CoherenceKind or its name
        size   bytes, within one block; None: of the data, else 1
        data   bytes that a store writes; None: zeroes
        mask   which of them it writes: a number, bit i of byte i, or a truth value for each; None: all
        cycle  at which it is issued; None: `clock`
        flags  AccessBits, or their names: "glc|slc"
        atomics  Atomics that a STORE does, without data: the result's `atomics` are what each has found
        """
        request = self._request(module, kind, address, size, data, mask, cycle, flags)
        made = atomics_for(request, atomics, size)
        size = request.size
        whole = request.kind in (CoherenceKind.ACQUIRE, CoherenceKind.RELEASE)
        reads = self._with_data and 0 < size <= 1 << 16 and not whole
        out = (ctypes.c_uint8 * max(1, size))() if reads else None
        request.out = out
        result = self._run(lib.gpc_coherence_access, ctypes.byref(request))
        return result._replace(data=bytes(out)[:size] if out is not None else b"", atomics=atomics_found(made))

    def _request(self, module, kind, address, size, data, mask, cycle, flags):
        kind = choice(CoherenceKind, kind, "kind")
        if size is None:
            size = len(data) if data is not None else 1
        if data is not None and len(data) != size:
            raise ArgumentError(Status.ERROR_ARGUMENT, f"{len(data)} bytes of data for a size of {size}")
        request = g.gpc_coherence_request(
            address=address, cycle=self.clock if cycle is None else cycle, module=self._at(module), size=size,
            kind=kind, flags=bits_of(AccessBits, flags, "flags"),
        )  # fmt: skip
        if data is not None:
            request.bytes = _octets(data)
        if mask is not None:
            request.mask = _octets(packed(mask, size))
        return request

    def issue(self, module, kind, address=0, size=None, *, data=None, mask=None, cycle=None, flags=0, atomics=()):
        """Begin an access that others may overlap with; the arguments are those of access(). Its token.

        Of kind ACQUIRE or RELEASE: of a module, any cache, which has no address.
        What happens then happens in advance(); on_complete is called with its end, and with what `atomics` have found.
        """
        request = self._request(module, kind, address, size, data, mask, cycle, flags)
        made = atomics_for(request, atomics, size)
        error, token = g.gpc_error(), ctypes.c_uint64()
        arguments = self._live(inside=True), ctypes.byref(request), ctypes.byref(error), ctypes.byref(token)
        settle(lib.gpc_coherence_issue(*arguments), error, "gpc_coherence_issue")
        if len(made):
            self._atomics[token.value] = made
        return token.value

    def advance(self, cycle=None):
        """Do all that happens up to and including a cycle; None: until nothing is in flight."""
        error = g.gpc_error()
        arguments = self._live(), UINT64_MAX if cycle is None else cycle, ctypes.byref(error)
        status = invoke(lib.gpc_coherence_advance, *arguments)
        settle(status, error, "gpc_coherence_advance")
        if self._atomics and self.next_event is None and "on_complete" not in self._callbacks:
            self._atomics.clear()
        if cycle is not None:
            self.clock = max(self.clock, cycle)

    @property
    def next_event(self):
        """The next cycle in which something happens to an access in flight, or None."""
        return _none(lib.gpc_coherence_next_event(self._live(inside=True)), UINT64_MAX)

    # Messages in the order of one's own choice

    def hold(self, entries=0, channels=3):
        """From here on time stands still: what was issued goes on by choose() alone; before anything is issued.

        entries   messages that a queue from a module to another holds; 0: no bound
        channels  queues from a module to another: 1, or 3: requests, probes, responses
        """
        error = g.gpc_error()
        settle(lib.gpc_coherence_hold(self._live(), entries, channels, ctypes.byref(error)), error)

    def choices(self):
        """The Choices of what may happen next."""
        found, raw = [], g.gpc_coherence_choice()
        while lib.gpc_coherence_get_choice(self._live(), len(found), ctypes.byref(raw)) == Status.OK:
            kind = ChoiceKind(raw.kind)
            message = MessageKind(raw.message) if kind == ChoiceKind.MESSAGE else None
            found.append(Choice(kind, message, self._names[getattr(raw, "from")], self._names[raw.to], raw.address,
                                raw.ready == 1))  # fmt: skip
        return found

    def choose(self, index):
        """Have one of choices() happen, and all that follows at once."""
        error = g.gpc_error()
        settle(invoke(lib.gpc_coherence_choose, self._live(), index, ctypes.byref(error)), error)

    def check(self, first, size):
        """What is wrong in blocks of so many bytes from `first` on: a text; None: nothing."""
        error = g.gpc_error()
        status = lib.gpc_coherence_check(self._live(), first, size, ctypes.byref(error))
        if status == Status.ERROR_STATE:
            return error.message.decode("utf-8", "replace")
        settle(status, error)
        return None

    def load(self, module, address, size=1, **fields):
        """Read: the result's `data` are the bytes."""
        return self.access(module, CoherenceKind.LOAD, address, size, **fields)

    def store(self, module, address, data=None, mask=None, **fields):
        """Write coherently, as an atomic does."""
        return self.access(module, CoherenceKind.STORE, address, data=data, mask=mask, **fields)

    def n_store(self, module, address, data=None, mask=None, **fields):
        """Write non-coherently."""
        return self.access(module, CoherenceKind.N_STORE, address, data=data, mask=mask, **fields)

    def atomic(self, module, op, address, operand=0, *, compare=0, width=4, cycle=None, flags=0):
        """A read-modify-write of `width` bytes, an AtomicOp or its name: the result's `data` are the bytes before."""
        one = Atomic(op, operand, compare, width)
        result = self.access(module, CoherenceKind.STORE, address, width, cycle=cycle, flags=flags, atomics=[one])
        return result._replace(data=result.atomics[0].to_bytes(width, "little"))

    def flush(self, module=None, cycle=None):
        """Write back and invalidate a module and what is above it; None: all caches."""
        return self._whole(lib.gpc_coherence_flush, module, cycle)

    def acquire(self, module=None, cycle=None):
        """A kernel begins, or a warp acquires: at a module; None: at all caches that not all processors share."""
        return self._whole(lib.gpc_coherence_acquire, module, cycle)

    def release(self, module, cycle=None):
        """What was stored in a module is for others to see: it writes back what an acquire would."""
        return self.access(module, CoherenceKind.RELEASE, cycle=cycle)

    def _whole(self, function, module, cycle):
        index = GPC_NO_MODULE if module is None else self._at(module)
        return self._run(function, index, self.clock if cycle is None else cycle)

    def _run(self, function, *arguments):
        error, raw = g.gpc_error(), g.gpc_coherence_result()
        arguments = (self._live(), *arguments, ctypes.byref(error), ctypes.byref(raw))
        if self._callbacks or self._context._has_python:
            status = invoke(function, *arguments)
        else:
            status = function(*arguments)
        if status or state.unsettled is not None:
            settle(status, error, function.__name__)
        messages = [self._message(each) for each in raw.messages[:raw.message_count]]
        transitions = [self._transition(each) for each in raw.transitions[:raw.transition_count]]
        last = max((message.received for message in messages), default=0)
        self.clock = max(self.clock, raw.completed + 1, last + 1)
        return CoherenceResult(
            raw.completed, bool(raw.hit), self._states[raw.found], self._states[raw.state], raw.level, b"", messages,
            transitions,
        )

    def write_memory(self, address, data):
        """Set memory's bytes, without any access."""
        status = lib.gpc_coherence_write_memory(self._live(), address, _octets(data), len(data))
        settle(status, what="gpc_coherence_write_memory")

    def reset_stats(self):
        lib.gpc_coherence_reset_stats(self._live())


class BorrowedCoherence(CoherenceView):
    """The tree of a hierarchy: as long as that lives. A kernel may begin with another, of L1s of another size."""

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
        """Nothing to give back."""
