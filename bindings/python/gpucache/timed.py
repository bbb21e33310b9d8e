# SPDX-License-Identifier: BSD-2-Clause
"""A hierarchy with a clock: what it is offered, how time goes on, what it tells.

    memory = gpucache.Hierarchy(context, config, on_complete=lambda done: print(done.token, done.latency))
    busy = memory.try_issue(range(0, 128, 4), token=7, sm=3)  # Busy.NOT, which is false: accepted
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
from .stages import by_name

NEVER = 2**64 - 1

# A transfer to or from memory; `id` is for memory_reply(), `write` is True for one without a reply; `process` is
# that of `address`.
MemoryRequest = namedtuple("MemoryRequest", "address id bytes channel write process", defaults=[0])


_COMPLETION = "token issued cycle sm warp kind level fence values stages port"


class Completion(namedtuple("Completion", _COMPLETION, defaults=[False, None, None, None])):
    """An access that is done, or with `fence` a fence. `level` is the deepest that served it: 1, 2, or 3 = DRAM.

    `port`: whose request it was, which has no sm and warp; None: an SM's.

    `values`, with coherence.data, of a load or an atomic with an operation: the bytes that its lanes have found.
    `stages`, with stats.stages: the core cycles that it has spent in each stage of its way, by name (stages.py).
    """

    __slots__ = ()

    @property
    def latency(self) -> int:
        """Core cycles from acceptance to completion."""
        return self.cycle - self.issued


# Trampolines. What an exception would keep from being told for good is told all the same.


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
    """As bytes; None: there are none."""
    if values is None:
        return None
    pointer, given = _buffers.source(values, "B", name)
    if given != lanes * width:
        raise ValueError(f"{name}: {given} bytes for {lanes} lanes of {width}")
    return pointer


def process_of(number):
    """The number of a process, checked before ctypes cuts it to a byte."""
    if not 0 <= number < GPC_PROCESSES:
        raise ValueError(f"process {number} is not 0 to {GPC_PROCESSES - 1}")
    return number


def process_address(process: int, address: int) -> int:
    """An address of a process in the memory of a hierarchy, as policies and lent caches have it."""
    return process_of(process) << GPC_PROCESS_SHIFT | address


def warp_access(addresses, cache_token, *, mask=None, sm=0, warp=0, warp_age=0, block=0, pc=0, width=4,
                kind=Kind.LOAD, space=Space.GLOBAL, hint=Hint.NONE, priority=Priority.NORMAL, token_l2=Token.UNUSED,
                scope=Scope.CTA, order=Order.WEAK, data=None, out=None, atomic=AtomicOp.NONE, compare=None, stream=0,
                local_offsets=False, process=0):
    """A gpc_warp_access, which keeps alive what it points to."""
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
    return g.gpc_request(address=address, token=choice(Token, cache_token, "token"), **fields)


class TimedView:
    """The methods of a hierarchy that need `mode = timed`; without it they raise StateError."""

    _callbacks = {}
    _owner = None
    _on_event = None  # of set_trace()
    _lent = []  # accesses in flight that are still to write to a buffer

    def set_callbacks(self, **callbacks: Any) -> None:
        """Set what is called from advance() and drain(); the others are cleared.

        on_complete  with a Completion, once for every accepted access; also from within try_issue(), for an access
                     that touches no memory
        on_ready     with an SM that refused and may accept again
        on_fill      with (level, instance, line address, sectors, Request) after sectors of a line became valid
        on_evict     with (level, instance, Eviction) after a line left
        on_memory    replaces DRAM: with a MemoryRequest for each transfer. False refuses: it is offered again after
                     memory_reply() or memory_ready() for its channel. An exception counts as False. Can be set only
                     while nothing is in flight.
        None may call into the hierarchy, but on_complete, on_ready and on_memory may ask for `now`. What on_fill and
        on_evict get lives for the call only. An exception is raised when the call ends; time has moved all the same,
        and completions went on being told.
        """
        unknown = callbacks.keys() - _TRAMPOLINES.keys()
        if unknown:
            raise TypeError(f"'{min(unknown)}' is no callback of a hierarchy: {', '.join(_TRAMPOLINES)}")
        pointer = self._live()
        owner = self._owner or self
        used = {name: function for name, function in callbacks.items() if function is not None}
        raw = g.gpc_hierarchy_callbacks(user_data=owner._token, **{name: _TRAMPOLINES[name] for name in used})
        status = lib.gpc_hierarchy_set_callbacks(pointer, ctypes.byref(raw) if used else None)
        settle(status, what="gpc_hierarchy_set_callbacks")
        owner._callbacks = used

    def try_issue(self, addresses: Any, token: int = 0, *, cache_token: Union[int, str] = Token.UNUSED,
                  **fields: Any) -> Busy:  # fmt: skip
        """Offer one warp instruction to its SM's memory pipeline, at the present cycle.

        token        comes back with the Completion
        cache_token  the warp's Token for L1; token_l2 is that for L2
        fields       as of access(); `out` is kept until nothing is in flight
        Returns why it was refused: a Busy. Busy.NOT, which is false: it was accepted.
        """
        access = warp_access(addresses, cache_token, **fields)
        busy = self._offer(lib.gpc_hierarchy_try_issue, access, token, lib.gpc_hierarchy_check_access)
        if access.out and not busy:
            if lib.gpc_hierarchy_in_flight(self._live()) <= 1:
                self._lent = []
            self._lent = [*self._lent, access]
        return busy

    def try_fence(self, order: Union[int, str] = "sc", scope: Union[int, str] = "gpu", token: int = 0,
                  **fields: Any) -> Busy:  # fmt: skip
        """Offer a fence to its SM's memory pipeline; fields as of fence(). Returns a Busy, as try_issue() does."""
        return self._offer(lib.gpc_hierarchy_try_fence, fence_of(order, scope, **fields), token)

    def try_miss(self, address: Union[int, g.gpc_request], token: int = 0, *,
                 cache_token: Union[int, str] = Token.UNUSED, **fields: Any) -> Busy:  # fmt: skip
        """The same for a host with L1s of its own: a miss or a write of one L1 line, past coalescer and L1.

        address  or a whole Request
        fields   of Request: sm, process, kind, space, and which bytes: sector_mask (of 32-byte sectors), size, byte_mask, ...
                 A read may be in space "constant", "texture" or "instruction"
        """
        request = _miss(address, cache_token, fields)
        return self._offer(lib.gpc_hierarchy_try_miss, request, token, lib.gpc_hierarchy_check_miss)

    def check_miss(self, address: Union[int, g.gpc_request], *, cache_token: Union[int, str] = Token.UNUSED,
                   **fields: Any) -> None:  # fmt: skip
        """Raise what try_miss() would not take, naming the field: ArgumentError, with a sentence."""
        call(lib.gpc_hierarchy_check_miss, self._live(), ctypes.byref(_miss(address, cache_token, fields)))

    def try_port(self, address: int, size: int, token: int = 0, *, port: int = 0, kind: Union[int, str] = "load",
                 process: int = 0) -> bool:  # fmt: skip
        """Offer a read or write of `size` bytes to a port into L2 (the key `ports`); False: it takes no more now.

        kind     "load" or "store"
        process  of the address
        """
        request = g.gpc_port_request(address=address, bytes=size, port=port, kind=choice(Kind, kind, "kind"),
                                     process=process_of(process))  # fmt: skip
        return call(lib.gpc_hierarchy_try_port, self._live(), ctypes.byref(request), token) == Status.OK

    def port_stats(self, port: int = 0) -> Dict[str, int]:
        """What a port has done: the fields of gpc_port_stats."""
        raw = g.gpc_port_stats()
        settle(lib.gpc_hierarchy_port_stats(self._live(), port, ctypes.byref(raw)), what="gpc_hierarchy_port_stats")
        return {name: getattr(raw, name) for name, *_ in raw._fields_ if name != "struct_size"}

    def can_accept(self, sm: int = 0) -> Busy:
        """Would try_issue() or try_fence() of an SM find room now? What is in the way, a Busy: false if nothing is."""
        return self._room(lib.gpc_hierarchy_can_accept, sm)

    def can_accept_miss(self, sm: int = 0) -> Busy:
        """The same of try_miss()."""
        return self._room(lib.gpc_hierarchy_can_accept_miss, sm)

    def _room(self, function, sm):
        busy = ctypes.c_int()
        if function(self._live(), sm, ctypes.byref(busy)) or busy.value:
            return Busy(busy.value)
        raise ValueError(f"{function.__name__}: no such SM, no clock, or a tree, which takes no misses of others' L1s")

    def set_reply_credits(self, credits: Optional[int] = None, sm: int = 0) -> None:
        """Room of the host for replies of an SM: each completion takes one, and without one they are held up.

        None: any number, as at first. See gpucache/host.h.
        """
        status = lib.gpc_hierarchy_set_reply_credits(self._live(), sm, NEVER if credits is None else credits)
        settle(status, what="gpc_hierarchy_set_reply_credits")

    def add_reply_credits(self, credits: int = 1, sm: int = 0) -> None:
        """Room for so many more, where there is a limit."""
        status = lib.gpc_hierarchy_add_reply_credits(self._live(), sm, credits)
        settle(status, what="gpc_hierarchy_add_reply_credits")

    def reply_credits(self, sm: int = 0) -> Optional[int]:
        """What is left; None: there is no limit."""
        left = lib.gpc_hierarchy_reply_credits(self._live(), sm)
        return None if left == NEVER else left

    def _offer(self, function, offered, token, check=None):
        busy = ctypes.c_int()
        arguments = self._live(), ctypes.byref(offered), token, ctypes.byref(busy)
        owner = self._owner or self
        if owner._callbacks or owner._on_event or self._context._has_python:
            status = invoke(function, *arguments)
        else:
            status = function(*arguments)
        if status not in (Status.OK, Status.BUSY) or state.unsettled is not None:
            if check is not None and status == Status.ERROR_ARGUMENT and state.unsettled is None:
                call(check, self._live(), ctypes.byref(offered))  # says which field
            settle(status, what=function.__name__)
        return Busy(busy.value)

    def advance(self, cycles: int = 1) -> None:
        """Move the clock by core cycles; what happens in them calls back. Raises where nothing moves any more."""
        status = invoke(lib.gpc_hierarchy_advance, self._live(), cycles)
        if status < 0 and state.unsettled is None:
            call(lib.gpc_hierarchy_check_advance, self._live(), cycles)  # says why
        settle(status, what="gpc_hierarchy_advance")

    def check_advance(self, cycles: int = 0) -> None:
        """Raise why advance() would not go on: what has failed, in a sentence."""
        call(lib.gpc_hierarchy_check_advance, self._live(), cycles)

    def drain(self) -> None:
        """Advance until nothing is in flight, write-backs included."""
        call(lib.gpc_hierarchy_drain, self._live())

    @property
    def now(self) -> int:
        """The present core cycle."""
        return lib.gpc_hierarchy_now(self._live(inside=True))

    @property
    def next_event(self) -> Optional[int]:
        """The next core cycle at which anything can happen without the host; None if there is none."""
        cycle = lib.gpc_hierarchy_next_event(self._live())
        return None if cycle == NEVER else cycle

    @property
    def in_flight(self) -> int:
        """Accesses accepted and not yet completed."""
        return lib.gpc_hierarchy_in_flight(self._live())

    def memory_reply(self, id: int) -> None:
        """The data of a read that on_memory took are here."""
        status = lib.gpc_hierarchy_memory_reply(self._live(), id)
        settle(status, what=f"gpc_hierarchy_memory_reply of id {id}")

    def memory_ready(self, channel: int) -> None:
        """A channel, of which on_memory refused a transfer, has room again."""
        status = lib.gpc_hierarchy_memory_ready(self._live(), channel)
        settle(status, what=f"gpc_hierarchy_memory_ready of channel {channel}")
