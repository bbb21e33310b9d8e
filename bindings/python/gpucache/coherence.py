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

from __future__ import annotations

import ctypes
from dataclasses import fields
from typing import Any, Iterable, Optional, Sequence, Union

from . import _generated as g
from ._coherence import (
    SAME_FIELDS,
    Atomic,
    Choice,
    CoherenceModule,
    CoherenceNetwork,
    CoherenceResult,
    Hashed,
    Interleaved,
    atomics_for,
    atomics_found,
    packed,
)
from ._constants import (
    GPC_ACCESS_EVENT_SHIFT,
    GPC_EVENT_COUNT,
    GPC_NO_MODULE,
    AccessBits,
    ChoiceKind,
    CoherenceKind,
    MessageKind,
    Placement,
    Served,
    Status,
)
from ._loader import lib
from ._native import call, choice, invoke, settle, state, text
from .context import Context
from .coherence_view import UINT64_MAX, CoherenceView, none_if, octets
from .errors import ArgumentError, NotFoundError
from .protocol import bits_of


class Coherence(CoherenceView):
    """A tree, made from copies of CoherenceModules and CoherenceNetworks.

    protocol       a registered name: see context.policies("protocol")
    control_bytes  of a message, and of a data message's header
    data           blocks and memory hold bytes
    timing         messages get their cycles on an idle system
    homes, page_bytes, placement
                   of pages, in a tree with several memories, each next to some processors: CoherenceModule.home
    `clock` is the default issue cycle of an access, a cycle after the end of all earlier accesses.
    """

    def __init__(self, context: Context, modules: Iterable[CoherenceModule], networks: Iterable[CoherenceNetwork] = (),
                 protocol: str = "nmoesi", *, control_bytes: int = 8, data: bool = True, timing: bool = True,
                 homes: Any = 0, page_bytes: int = 0, placement: Any = Placement.ROUND_ROBIN) -> None:  # fmt: skip
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
            **{name: getattr(module, name) for name in SAME_FIELDS},
        )  # fmt: skip
        if isinstance(module.serves, (Interleaved, Hashed)):
            raw.served = Served.HASHED if isinstance(module.serves, Hashed) else Served.INTERLEAVED
            raw.divisor, raw.modulus, raw.residue = module.serves
        elif module.serves is not None:
            raw.served = Served.RANGE
            raw.first, raw.last = module.serves
        return raw

    # Accesses

    def access(self, module: Any, kind: Union[int, str], address: int = 0, size: Optional[int] = None, *,
               data: Optional[bytes] = None, mask: Optional[int] = None, cycle: Optional[int] = None,
               flags: Union[int, str] = 0, atomics: Sequence[Atomic] = (),
               event: Optional[str] = None) -> CoherenceResult:  # fmt: skip
        """Make an access, to its end: a CoherenceResult.

        kind   a CoherenceKind or its name
        size   bytes, within one block; None: of the data, else 1
        data   bytes of a store; None: zeroes
        mask   written bytes: a number, bit i for byte i, or a truth value a byte; None: all
        cycle  issue cycle; None: `clock`
        flags  AccessBits, or their names: "glc|slc"
        atomics  Atomics of a STORE without data: the result's `atomics` are the old values
        event  name of a protocol's event like the kind; None: the kind's event
        """
        request = self._request(module, kind, address, size, data, mask, cycle, flags, event)
        made = atomics_for(request, atomics, size)
        size = request.size
        whole = request.kind in (CoherenceKind.ACQUIRE, CoherenceKind.RELEASE)
        reads = self._with_data and 0 < size <= 1 << 16 and not whole
        out = (ctypes.c_uint8 * max(1, size))() if reads else None
        request.out = out
        result = self._run(lib.gpc_coherence_access, ctypes.byref(request))
        return result._replace(data=bytes(out)[:size] if out is not None else b"", atomics=atomics_found(made))

    def _request(self, module, kind, address, size, data, mask, cycle, flags, event):
        kind = choice(CoherenceKind, kind, "kind")
        if size is None:
            size = len(data) if data is not None else 1
        if data is not None and len(data) != size:
            raise ArgumentError(Status.ERROR_ARGUMENT, f"{len(data)} bytes of data for a size of {size}")
        request = g.gpc_coherence_request(
            address=address, cycle=self.clock if cycle is None else cycle, module=self._at(module), size=size,
            kind=kind, flags=bits_of(AccessBits, flags, "flags"),
        )  # fmt: skip
        if event is not None:
            request.flags |= self._event(event) << GPC_ACCESS_EVENT_SHIFT
        if data is not None:
            request.bytes = octets(data)
        if mask is not None:
            request.mask = octets(packed(mask, size))
        return request

    def _event(self, name):
        """The number of an event of the protocol's own."""
        own = self.events
        if name not in own:
            raise ArgumentError(Status.ERROR_ARGUMENT, f"event is {name}, none of the protocol's own: {', '.join(own)}")
        return GPC_EVENT_COUNT + own.index(name)

    def issue(self, module, kind, address=0, size=None, *, data=None, mask=None, cycle=None, flags=0, atomics=(),
              event=None):  # fmt: skip
        """Begin an access that may overlap with others; arguments as of access(). Returns the token.

        ACQUIRE and RELEASE are of a module, any cache, without an address.
        advance() runs the access, and calls on_complete at its end, with old values of `atomics`.
        """
        request = self._request(module, kind, address, size, data, mask, cycle, flags, event)
        made = atomics_for(request, atomics, size)
        error, token = g.gpc_error(), ctypes.c_uint64()
        arguments = self._live(inside=True), ctypes.byref(request), ctypes.byref(token), ctypes.byref(error)
        settle(lib.gpc_coherence_issue(*arguments), error, "gpc_coherence_issue")
        if len(made):
            self._atomics[token.value] = made
        return token.value

    def advance(self, cycle=None):
        """Run all events up to and including a cycle; None: until nothing is in flight."""
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
        """Next cycle with an event of an access in flight, or None."""
        return none_if(lib.gpc_coherence_next_event(self._live(inside=True)), UINT64_MAX)

    # Messages in the order of one's own choice

    def hold(self, entries=0, channels=3):
        """Stop time: issued accesses proceed by choose() only. Call before the first issue.

        entries   capacity of a queue from a module to another, in messages; 0: no bound
        channels  queues from a module to another: 1, or 3: requests, probes, responses
        """
        error = g.gpc_error()
        settle(lib.gpc_coherence_hold(self._live(), entries, channels, ctypes.byref(error)), error)

    def choices(self):
        """Choices of the next step."""
        found, raw = [], g.gpc_coherence_choice()
        while lib.gpc_coherence_get_choice(self._live(), len(found), ctypes.byref(raw), None) == Status.OK:
            kind = ChoiceKind(raw.kind)
            message = MessageKind(raw.message) if kind == ChoiceKind.MESSAGE else None
            found.append(Choice(kind, message, self._names[getattr(raw, "from")], self._names[raw.to], raw.address,
                                raw.ready == 1))  # fmt: skip
        return found

    def choose(self, index):
        """Take a step of choices(), with all immediate consequences."""
        error = g.gpc_error()
        settle(invoke(lib.gpc_coherence_choose, self._live(), index, ctypes.byref(error)), error)

    def check(self, first, size):
        """Fault in blocks of `size` bytes from `first` on: a text; None: no fault."""
        error = g.gpc_error()
        status = lib.gpc_coherence_check(self._live(), first, size, ctypes.byref(error))
        if status == Status.ERROR_STATE:
            return error.message.decode("utf-8", "replace")
        settle(status, error)
        return None

    def load(self, module: Any, address: int, size: int = 1, **fields: Any) -> CoherenceResult:
        """Read: the result's `data` are the bytes."""
        return self.access(module, CoherenceKind.LOAD, address, size, **fields)

    def store(self, module: Any, address: int, data: Optional[bytes] = None, mask: Optional[int] = None,
              **fields: Any) -> CoherenceResult:  # fmt: skip
        """Write coherently, as an atomic does."""
        return self.access(module, CoherenceKind.STORE, address, data=data, mask=mask, **fields)

    def n_store(self, module: Any, address: int, data: Optional[bytes] = None, mask: Optional[int] = None,
                **fields: Any) -> CoherenceResult:  # fmt: skip
        """Write non-coherently."""
        return self.access(module, CoherenceKind.N_STORE, address, data=data, mask=mask, **fields)

    def atomic(self, module, op, address, operand=0, *, compare=0, width=4, cycle=None, flags=0):
        """A read-modify-write of `width` bytes, an AtomicOp or a name: the result's `data` are the old bytes."""
        one = Atomic(op, operand, compare, width)
        result = self.access(module, CoherenceKind.STORE, address, width, cycle=cycle, flags=flags, atomics=[one])
        return result._replace(data=result.atomics[0].to_bytes(width, "little"))

    def flush(self, module: Any = None, cycle: Optional[int] = None) -> CoherenceResult:
        """Write back and invalidate a module and all modules above; None: all caches."""
        return self._whole(lib.gpc_coherence_flush, module, cycle)

    def acquire(self, module: Any = None, cycle: Optional[int] = None) -> CoherenceResult:
        """Begin of a kernel, or a warp's acquire: at a module; None: at all caches not shared by all processors."""
        return self._whole(lib.gpc_coherence_acquire, module, cycle)

    def release(self, module: Any, cycle: Optional[int] = None) -> CoherenceResult:
        """Make a module's stores visible: write back as an acquire would."""
        return self.access(module, CoherenceKind.RELEASE, cycle=cycle)

    def _whole(self, function, module, cycle):
        index = GPC_NO_MODULE if module is None else self._at(module)
        return self._run(function, index, self.clock if cycle is None else cycle)

    def _run(self, function, *arguments):
        error, raw = g.gpc_error(), g.gpc_coherence_result()
        arguments = (self._live(), *arguments, ctypes.byref(raw), ctypes.byref(error))
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

    def write_memory(self, address: int, data: bytes) -> None:
        """Set memory's bytes, without an access."""
        call(lib.gpc_coherence_write_memory, self._live(), address, octets(data), len(data))

    def reset_stats(self) -> None:
        lib.gpc_coherence_reset_stats(self._live())
