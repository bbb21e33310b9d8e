# SPDX-License-Identifier: BSD-2-Clause
"""A hierarchy with a clock: offered accesses, time, callbacks.

    memory = gpucache.Hierarchy(context, config, on_complete=lambda done: print(done.token, done.latency))
    busy = memory.try_issue(range(0, 128, 4), token=7, sm=3)  # Busy.NOT (false): accepted
    memory.advance(10)
    memory.drain()
"""

from __future__ import annotations

import ctypes
from collections import namedtuple
from typing import Any, Dict, Optional, Union

from . import _buffers
from . import _generated as g
from ._constants import (
    GPC_PROCESS_SHIFT,
    GPC_PROCESSES,
    AtomicOp,
    Busy,
    Control,
    Hint,
    Kind,
    Order,
    Priority,
    Scope,
    Space,
    Status,
    Token,
)
from ._loader import lib
from ._native import call, choice, invoke, loose, settle, state
from .cache import _request
from .stages import by_name

NEVER = 2**64 - 1

# A transfer to or from memory. `id` is for memory_reply(). `write` is True for a transfer without a reply. `process`
# owns `address`.
MemoryRequest = namedtuple("MemoryRequest", "address id bytes channel write process", defaults=[0])


_COMPLETION = "token issued cycle sm warp kind level fence values stages port"


class Completion(namedtuple("Completion", _COMPLETION, defaults=[False, None, None, None])):
    """A completed access, or with `fence` a fence. `level` is the deepest level reached: 1, 2, or 3 = DRAM.

    `port`: number of the port (then without sm and warp); None: request of an SM.

    `values`, with coherence.data, of a load or an atomic with an operation: bytes read by the lanes.
    `stages`, with stats.stages: core cycles in each stage, by name (stages.py).
    """

    __slots__ = ()

    @property
    def latency(self) -> int:
        """Core cycles from acceptance to completion."""
        return self.cycle - self.issued


# Trampolines. A report that an exception would lose for good is still delivered.


@loose(g.gpc_hierarchy_callbacks_on_complete, passed_over=False)
def _on_complete(owner, pointer):
    raw = pointer.contents
    values = ctypes.string_at(raw.values, raw.value_bytes) if raw.values else None
    spent = by_name(raw.stages, raw.stage_count) if raw.stages else None
    owner._callbacks["on_complete"](
        Completion(
            raw.token, raw.issued, raw.cycle, raw.sm, raw.warp, Kind(raw.kind), raw.level, bool(raw.fence), values,
            spent, raw.port - 1 if raw.port else None,
        )
    )


@loose(g.gpc_hierarchy_callbacks_on_ready, passed_over=False)
def _on_ready(owner, sm):
    owner._callbacks["on_ready"](sm)


@loose(g.gpc_hierarchy_callbacks_on_fill)
def _on_fill(owner, level, instance, line_address, sectors, request):
    owner._callbacks["on_fill"](level, instance, line_address, sectors, request.contents if request else None)


@loose(g.gpc_hierarchy_callbacks_on_evict)
def _on_evict(owner, level, instance, eviction):
    owner._callbacks["on_evict"](level, instance, eviction.contents)


@loose(g.gpc_hierarchy_callbacks_on_memory, False, passed_over=False)
def _on_memory(owner, pointer):
    raw = pointer.contents
    request = MemoryRequest(raw.address, raw.id, raw.bytes, raw.channel, bool(raw.write), raw.process)
    return owner._callbacks["on_memory"](request) is not False


_TRAMPOLINES = {
    "on_complete": _on_complete, "on_ready": _on_ready, "on_fill": _on_fill, "on_evict": _on_evict,
    "on_memory": _on_memory,
}  # fmt: skip


def _lane_values(values, lanes, width, name):
    """The lanes' values as bytes, or None."""
    if values is None:
        return None
    pointer, given = _buffers.source(values, "B", name)
    if given != lanes * width:
        raise ValueError(f"{name}: {given} bytes for {lanes} lanes of {width}")
    return pointer


def process_of(number):
    """The number of a process, checked before ctypes cuts the number to a byte."""
    if not 0 <= number < GPC_PROCESSES:
        raise ValueError(f"process {number} is not 0 to {GPC_PROCESSES - 1}")
    return number


def process_address(process: int, address: int) -> int:
    """Address in a hierarchy's memory of an address of a process, as policies and lent caches see the address."""
    return process_of(process) << GPC_PROCESS_SHIFT | address


def warp_access(addresses, cache_token, *, mask=None, sm=0, warp=0, warp_age=0, block=0, pc=0, width=4,
                kind=Kind.LOAD, space=Space.GLOBAL, hint=Hint.NONE, priority=Priority.NORMAL, token_l2=Token.UNUSED,
                scope=Scope.CTA, order=Order.WEAK, data=None, out=None, atomic=AtomicOp.NONE, compare=None, stream=0,
                local_offsets=False, process=0):
    """A gpc_warp_access that keeps its buffers alive."""
    pointer, count = _buffers.source(addresses, "Q", "addresses")
    mask = (1 << count) - 1 if mask is None else mask
    if bin(mask).count("1") != count or mask >> 64:
        raise ValueError(f"{count} addresses for a mask of {mask:#x}")
    if not 0 <= stream < 256:
        raise ValueError(f"stream {stream} is not 0 to 255")
    process_of(process)
    written = _lane_values(data, count, width, "data")
    compared = _lane_values(compare, count, width, "compare")
    read = None
    if out is not None:
        read = _buffers.target(out, "B", count * width, "out")
    return g.gpc_warp_access(
        bytes=written, out=read, compare=compared, atomic=choice(AtomicOp, atomic, "atomic"), sm=sm, warp=warp,
        warp_age=warp_age, block=block, pc=pc, mask=mask, addresses=pointer, width=width,
        kind=choice(Kind, kind, "kind"), space=choice(Space, space, "space"), hint=choice(Hint, hint, "hint"),
        priority=choice(Priority, priority, "priority"), token=choice(Token, cache_token, "token"),
        token_l2=choice(Token, token_l2, "token_l2"), scope=choice(Scope, scope, "scope"),
        order=choice(Order, order, "order"), stream=stream, local_offsets=bool(local_offsets),
        process=process,
    )  # fmt: skip


def fence_of(order, scope, *, control=Control.NONE, sm=0, warp=0):
    """A gpc_fence."""
    return g.gpc_fence(
        sm=sm, warp=warp, scope=choice(Scope, scope, "scope"), order=choice(Order, order, "order"),
        control=choice(Control, control, "control"),
    )  # fmt: skip


def _miss(address, cache_token, fields):
    """A Request of try_miss()."""
    if isinstance(address, g.gpc_request):
        return address
    for name, values in (("kind", Kind), ("space", Space)):
        if name in fields:
            fields[name] = choice(values, fields[name], name)
    return _request(address, {**fields, "token": choice(Token, cache_token, "token")})


class TimedView:
    """Methods of a hierarchy that need `mode = timed`; otherwise they raise StateError."""

    _callbacks = {}
    _owner = None
    _on_event = None  # of set_trace()
    _lent = []  # accesses in flight that will write to a buffer

    def set_callbacks(self, **callbacks: Any) -> None:
        """Set the callbacks of advance() and drain(), and clear all others.

        on_complete  with a Completion, once for every accepted access; from within try_issue() for an access that
                     touches no memory
        on_ready     with an SM that refused and may now accept
        on_fill      with (level, instance, line address, sectors, Request) after sectors of a line became valid
        on_evict     with (level, instance, Eviction) after a line left
        on_memory    replaces DRAM: with a MemoryRequest for each transfer. False refuses: the transfer is offered again
                     after memory_reply() or memory_ready() for its channel. An exception counts as False. Can be set
                     only while nothing is in flight.
        No callback may call into the hierarchy; on_complete, on_ready and on_memory may read `now`. Arguments of
        on_fill and on_evict live for the call only. An exception is raised at the end of the call; time has moved, and
        completions were still reported.
        """
        unknown = callbacks.keys() - _TRAMPOLINES.keys()
        if unknown:
            raise TypeError(f"'{min(unknown)}' is no callback of a hierarchy: {', '.join(_TRAMPOLINES)}")
        pointer = self._live()
        owner = self._owner or self
        used = {name: function for name, function in callbacks.items() if function is not None}
        raw = g.gpc_hierarchy_callbacks(user_data=owner._token, **{name: _TRAMPOLINES[name] for name in used})
        call(lib.gpc_hierarchy_set_callbacks, pointer, ctypes.byref(raw) if used else None)
        owner._callbacks = used

    def try_issue(self, addresses: Any, token: int = 0, *, cache_token: Union[int, str] = Token.UNUSED,
                  **fields: Any) -> Busy:  # fmt: skip
        """Offer a warp instruction to its SM's memory pipeline, at the present cycle.

        token        returned in the Completion
        cache_token  the warp's Token for L1; token_l2 is the Token for L2
        fields       as of access(); `out` is kept until nothing is in flight
        Returns a Busy: the reason of a refusal, or Busy.NOT (false) if accepted.
        """
        access = warp_access(addresses, cache_token, **fields)
        busy = self._offer(lib.gpc_hierarchy_try_issue, access, token)
        if access.out and not busy:
            if lib.gpc_hierarchy_in_flight(self._live()) <= 1:
                self._lent = []
            self._lent = [*self._lent, access]
        return busy

    def try_fence(self, order: Union[int, str] = "sc", scope: Union[int, str] = "gpu", token: int = 0,
                  **fields: Any) -> Busy:  # fmt: skip
        """Offer a fence to the SM's memory pipeline, with the fields of fence(). Returns a Busy, as try_issue() does.
        """
        return self._offer(lib.gpc_hierarchy_try_fence, fence_of(order, scope, **fields), token)

    def try_miss(self, address: Union[int, g.gpc_request], token: int = 0, *,
                 cache_token: Union[int, str] = Token.UNUSED, **fields: Any) -> Busy:  # fmt: skip
        """Offer a miss or a write of an L1 line, past coalescer and L1, for a host with its own L1s.

        address  or a whole Request
        fields   of Request: sm, process, kind, space, and the bytes: sector_mask (of 32-byte sectors), size, byte_mask,
                 ... A read may be in space "constant", "texture" or "instruction"
        """
        request = _miss(address, cache_token, fields)
        return self._offer(lib.gpc_hierarchy_try_miss, request, token)

    def try_port(self, address: int, size: int, token: int = 0, *, port: int = 0, kind: Union[int, str] = "load",
                 process: int = 0) -> bool:  # fmt: skip
        """Offer a read or write of `size` bytes to a port into L2 (the key `ports`); Returns False if the port is full.

        kind     "load" or "store"
        process  of the address
        """
        request = g.gpc_port_request(address=address, bytes=size, port=port, kind=choice(Kind, kind, "kind"),
                                     process=process_of(process))  # fmt: skip
        return call(lib.gpc_hierarchy_try_port, self._live(), ctypes.byref(request), token) == Status.OK

    def port_stats(self, port: int = 0) -> Dict[str, int]:
        """Counts of a port: the fields of gpc_port_stats."""
        raw = g.gpc_port_stats()
        call(lib.gpc_hierarchy_port_stats, self._live(), port, ctypes.byref(raw))
        return {name: getattr(raw, name) for name, *_ in raw._fields_ if name != "struct_size"}

    def can_accept(self, sm: int = 0) -> Busy:
        """Reason why try_issue() or try_fence() of an SM would refuse now: a Busy, false if none."""
        return self._room(lib.gpc_hierarchy_can_accept, sm)

    def can_accept_miss(self, sm: int = 0) -> Busy:
        """The same for try_miss()."""
        return self._room(lib.gpc_hierarchy_can_accept_miss, sm)

    def _room(self, function, sm):
        busy = ctypes.c_int()
        if function(self._live(), sm, ctypes.byref(busy)) or busy.value:
            return Busy(busy.value)
        raise ValueError(f"{function.__name__}: no such SM, no clock, or a tree, which takes no misses of others' L1s")

    def set_reply_credits(self, credits: Optional[int] = None, sm: int = 0) -> None:
        """Set the host's room for replies of an SM: each completion takes a credit, and waits without one.

        None: unlimited, the default. See gpucache/hierarchy.h.
        """
        call(lib.gpc_hierarchy_set_reply_credits, self._live(), sm, NEVER if credits is None else credits)

    def add_reply_credits(self, credits: int = 1, sm: int = 0) -> None:
        """Grant further credits, if a limit is set."""
        call(lib.gpc_hierarchy_add_reply_credits, self._live(), sm, credits)

    def reply_credits(self, sm: int = 0) -> Optional[int]:
        """Credits left; None: no limit."""
        left = lib.gpc_hierarchy_reply_credits(self._live(), sm)
        return None if left == NEVER else left

    def _offer(self, function, offered, token):
        busy = ctypes.c_int()
        arguments = self._live(), ctypes.byref(offered), token, ctypes.byref(busy), ctypes.byref(state.error)
        owner = self._owner or self
        if owner._callbacks or owner._on_event or self._context._has_python:
            status = invoke(function, *arguments)
        else:
            status = function(*arguments)
        if status not in (Status.OK, Status.BUSY) or state.unsettled is not None:
            settle(status, state.error)
        return Busy(busy.value)

    def advance(self, cycles: int = 1) -> None:
        """Move the clock by core cycles, with callbacks. Raises if no progress is possible."""
        call(lib.gpc_hierarchy_advance, self._live(), cycles)

    def drain(self) -> None:
        """Advance until nothing is in flight, write-backs included."""
        call(lib.gpc_hierarchy_drain, self._live())

    @property
    def now(self) -> int:
        """The present core cycle."""
        return lib.gpc_hierarchy_now(self._live(inside=True))

    @property
    def next_event(self) -> Optional[int]:
        """Next core cycle with an event of the hierarchy itself; None if none is due."""
        cycle = lib.gpc_hierarchy_next_event(self._live())
        return None if cycle == NEVER else cycle

    @property
    def in_flight(self) -> int:
        """Accesses accepted and not yet completed."""
        return lib.gpc_hierarchy_in_flight(self._live())

    def memory_reply(self, id: int) -> None:
        """Deliver the data of a read taken by on_memory."""
        call(lib.gpc_hierarchy_memory_reply, self._live(), id)

    def memory_ready(self, channel: int) -> None:
        """Report room in a channel after a refusal of on_memory."""
        call(lib.gpc_hierarchy_memory_ready, self._live(), channel)
