# SPDX-License-Identifier: BSD-2-Clause
"""A single cache: tags, state and policies, without a clock."""

from __future__ import annotations

import array
import ctypes
import weakref
from collections import namedtuple
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Union

from . import _buffers
from . import _generated as g
from ._base import filled
from ._constants import (
    Admission,
    Allocate,
    Busy,
    BypassFetch,
    CounterTable,
    Decision,
    Index,
    Outcome,
    ReadsBits,
    Status,
    TokenClear,
    Tokens,
    WriteAllocate,
    WritePolicy,
)
from ._loader import lib
from ._native import Handle, call, choice, drop, held, hold, invoke, loose, settle, state, strict, text
from .context import Context
from .errors import GpucacheError, StateError
from .stats import CacheStats, PolicyValue, read_all, read_policies

# `results` holds GPC_BATCH_ flags and `evicted` line addresses (NO_LINE if no line left); None if not wanted.
Batch = namedtuple("Batch", "done results evicted")

NO_LINE = 2**64 - 1

# Enumerated options.
_CHOICES = {
    "index": Index, "write_policy": WritePolicy, "write_policy_local": WritePolicy, "write_allocate": WriteAllocate,
    "write_allocate_local": WriteAllocate, "allocate": Allocate, "bypass_fetch": BypassFetch,
    "tokens": Tokens, "token_clear": TokenClear,
}  # fmt: skip

_OPTIONS = {name for name, kind in g.gpc_cache_options._fields_ if kind in (ctypes.c_uint32, ctypes.c_uint64)}

Request = g.gpc_request
Eviction = g.gpc_eviction
Line = g.gpc_line
WarpEvent = g.gpc_warp_event
_outcome, _admission = g.gpc_access_result.outcome, g.gpc_access_result.admission


class AccessResult(g.gpc_access_result):
    """Effect of a step or access."""

    @property
    def outcome(self) -> Outcome:
        return Outcome(_outcome.__get__(self))

    @property
    def hit(self) -> bool:
        """True if every needed sector was present or in flight."""
        return _outcome.__get__(self) <= Outcome.PENDING_HIT

    @property
    def admission(self) -> Admission:
        """Answer of the replacement policy, if asked before the choice of a way."""
        return Admission(_admission.__get__(self))


@loose(g.gpc_fill_fn)
def _on_fill(cache, line_address, set, way, sectors, request):
    cache._on_fill(line_address, set, way, sectors, request.contents if request else None)


@loose(g.gpc_evict_fn)
def _on_evict(cache, eviction, request):
    cache._on_evict(eviction.contents, request.contents if request else None)


@strict(g.gpc_index_fn, 0)
def _index(token, line_number, sets):
    cache = held(token)()
    found = cache._index_function(line_number, sets)
    if not 0 <= found < sets:
        raise ValueError(f"the index function returned set {found} of {sets}")
    return found


# Fields of Request.policy, which a call takes as fields of Request.
_EXTENSION = frozenset(name for name, *_ in g.gpc_request_policy._fields_)


def _request(address, fields):
    if isinstance(address, Request):
        return address
    if _EXTENSION.isdisjoint(fields):
        return filled(Request, address=address, **fields)
    own = {name: value for name, value in fields.items() if name not in _EXTENSION}
    policy = {name: value for name, value in fields.items() if name in _EXTENSION}
    return filled(Request, address=address, policy=g.gpc_request_policy(**policy), **own)


class CacheView(Handle):
    """Methods of a cache, own or lent by a hierarchy."""

    _calls_back = False  # functions of the caller; policies are the context's matter

    # Whole accesses

    def access(self, address: Union[int, Request], **fields: Any) -> AccessResult:
        """One whole access, memory below being instant: of a Request, or of an address and fields of Request."""
        return self._step(lib.gpc_cache_access, _request(address, fields))

    def probe(self, address: Union[int, Request], **fields: Any) -> AccessResult:
        """Result of a possible access; nothing changes."""
        return self._step(lib.gpc_cache_probe, _request(address, fields))

    def probe_victim(self, address: Union[int, Request], **fields: Any) -> AccessResult:
        """Result of a possible access, with the victim of a miss: `evicted`, `eviction`, `way`; nothing changes."""
        return self._step(lib.gpc_cache_probe_victim, _request(address, fields))

    def access_many(self, addresses: Any, kinds: Any = None, *, pcs: Any = None, warps: Any = None,
                    next_uses: Any = None, size: int = 0, sm: int = 0, results: Any = None,
                    evicted: Any = None) -> Batch:  # fmt: skip
        """Accesses in order, as by access(), many times faster.

        addresses         whole numbers of 8 bytes: array("Q"), NumPy, bytes, ...; a list is copied
        kinds             Kind of each access, a byte; None = loads
        pcs, warps        PC and warp of each access: 8 bytes, 4 bytes; None = 0
        next_uses         result of next_uses(), for the `opt` policy
        size, sm          of every access; size 0 = the whole line
        results           True, or a writable buffer of bytes: GPC_BATCH_ flags of each access
        evicted           True, or a writable buffer of 8-byte numbers: line that left, or NO_LINE
        Returns a Batch. An exception has an attribute `done`: number of accesses completed before.
        """
        pointer = self._live()
        batch = g.gpc_batch(size=size, sm=sm)
        batch.addresses, count = _buffers.source(addresses, "Q", "addresses")
        batch.count = count
        for name, values, code in (
            ("kinds", kinds, "B"), ("pcs", pcs, "Q"), ("warps", warps, "I"), ("next_uses", next_uses, "Q"),
        ):  # fmt: skip
            if values is not None:
                found, length = _buffers.source(values, code, name)
                if length != count:
                    raise ValueError(f"{name}: {length} elements for {count} addresses")
                setattr(batch, name, found)
        results = bytearray(count) if results is True else results
        evicted = array.array("Q", bytes(8 * count)) if evicted is True else evicted
        if results is not None:
            batch.results = _buffers.target(results, "B", count, "results")
        if evicted is not None:
            batch.evicted = _buffers.target(evicted, "Q", count, "evicted")
        done = ctypes.c_size_t()
        try:
            call(lib.gpc_cache_access_many, pointer, ctypes.byref(batch), ctypes.byref(done))
        except BaseException as error:
            error.done = done.value
            if isinstance(error, GpucacheError):
                error.args = (f"access {done.value} of the batch: {error}",)
            raise
        return Batch(done.value, results, evicted)

    # The three steps

    def lookup(self, address: Union[int, Request], **fields: Any) -> AccessResult:
        """First step: compare tags, serve a hit, ask the predictor on a miss."""
        return self._step(lib.gpc_cache_lookup, _request(address, fields))

    def reserve(self, sectors: int, address: Union[int, Request], **fields: Any) -> AccessResult:
        """Second step, after a miss: give the line a way and mark `sectors` (a bit per sector) pending."""
        return self._step(lib.gpc_cache_reserve, _request(address, fields), sectors)

    def fill(self, sectors: int, address: Union[int, Request], **fields: Any) -> AccessResult:
        """Last step: `sectors` arrived."""
        return self._step(lib.gpc_cache_fill, _request(address, fields), sectors)

    def reply(self, predicted: Union[int, str], word: int, address: Union[int, Request], **fields: Any) -> Decision:
        """Take the policy word of a reply from below: returns the final Decision."""
        request = _request(address, fields)
        predicted = choice(Decision, predicted, "predicted")
        decision = invoke(lib.gpc_cache_reply, self._live(), ctypes.byref(request), predicted, word)
        settle()
        return Decision(decision)

    def respond(self, address: Union[int, Request], **fields: Any) -> int:
        """Policy word of this level's predictor for a reply upwards."""
        request = _request(address, fields)
        word = invoke(lib.gpc_cache_respond, self._live(), ctypes.byref(request))
        settle()
        return word

    def stall(self, reason: Union[Busy, str], address: int, **fields: Any) -> Decision:
        """A queue of the host's holds a load up, for a Busy reason: the Decision to wait (CACHE), or to go below."""
        request = _request(address, fields)
        reason = choice(Busy, reason, "reason")
        decision = invoke(lib.gpc_cache_stall, self._live(), ctypes.byref(request), reason)
        settle()
        return Decision(decision)

    def _step(self, function, request, *sectors):
        result = AccessResult()
        arguments = self._live(), ctypes.byref(request), *sectors, ctypes.byref(result), ctypes.byref(state.error)
        if self._calls_back or self._context._has_python:
            status = invoke(function, *arguments)
        else:
            status = function(*arguments)
        if status or state.unsettled is not None:
            settle(status, state.error)
        return result

    # Lines

    def invalidate(self, address: Optional[int] = None, size: Optional[int] = None) -> None:
        """Drop the line of an address, every line in `size` bytes, or, without arguments, all lines."""
        if address is None:
            call(lib.gpc_cache_invalidate_all, self._live())
        elif size is None:
            call(lib.gpc_cache_invalidate_line, self._live(), address)
        else:
            call(lib.gpc_cache_invalidate_range, self._live(), address, size)

    def flush(self) -> int:
        """Write all dirty bytes back through on_evict; lines stay, clean. Returns the written sectors."""
        sectors = ctypes.c_uint64()
        call(lib.gpc_cache_flush, self._live(), ctypes.byref(sectors))
        return sectors.value

    def resize(self, sets: int, ways: int) -> None:
        """Change the shape. The cache is empty, as after invalidate(), and policies begin anew; counters continue."""
        call(lib.gpc_cache_resize, self._live(), sets, ways)

    def lines(self) -> Iterator[g.gpc_line]:
        """Iterate over resident lines in order of set and way. The cache must not change between."""
        cursor = ctypes.c_uint64()
        while True:
            line = Line()
            if call(lib.gpc_cache_next_line, self._live(), ctypes.byref(cursor), ctypes.byref(line)) == Status.END:
                return
            yield line

    # Policies and statistics

    def warp_event(self, kind: Union[int, str], **fields: Any) -> None:
        """Pass a WarpEventKind, with fields of WarpEvent, to the policies."""
        event = filled(WarpEvent, kind=kind, **fields)
        call(lib.gpc_cache_warp_event, self._live(), ctypes.byref(event))

    def sample(self, **fields: Any) -> None:
        """End a period: give fields of gpc_sample to policies that decide by samples."""
        told = filled(g.gpc_sample, **fields)
        call(lib.gpc_cache_sample, self._live(), ctypes.byref(told))

    @property
    def token_bits(self) -> int:
        """Storage of the priority of token holders' lines in hardware, in bits."""
        return lib.gpc_cache_token_bits(self._live())

    def set_replacement(self, spec: str) -> None:
        """Replace the policy of a live cache. The new policy sees each resident line as filled."""
        call(lib.gpc_cache_set_replacement, self._live(), text(spec, "policy"))

    def set_predictor(self, spec: str) -> None:
        call(lib.gpc_cache_set_predictor, self._live(), text(spec, "predictor"))

    def stats(self) -> CacheStats:
        """CacheStats since creation or the last reset."""
        return CacheStats(read_all(CounterTable.CACHE, lib.gpc_cache_read, self._live()))

    def policy_values(self) -> Dict[str, PolicyValue]:
        """Counters published by the policies: {name: PolicyValue}."""
        return read_policies(lib.gpc_cache_policy_value, self._live())

    @property
    def lacks(self) -> ReadsBits:
        """Inputs still missing for the policies: ReadsBits of SAMPLES, WARP_EVENTS, POLICY_WORD; 0: none.

        A single cache gets samples by sample(), and replies (the word of the level below) by reply().
        """
        return ReadsBits(lib.gpc_cache_lacks(self._live()))

    def reset_stats(self) -> None:
        lib.gpc_cache_reset_stats(self._live())


class Cache(CacheView):
    """A cache. Defaults: 16 KiB, 4-way, 128-byte lines, LRU, write-back.

    Options are the fields of gpc_cache_options. Enumerations may be names ("through"). Further options:
    replacement, predictor  `name` or `name(parameter=value, ...)`
    share_with  another Cache of the level's `instances`, of equal shape; voting policies share state
    index_fn  set of (line number, sets), for index "user"
    on_fill   called with (line address, set, way, sectors, Request) after a line got sectors
    on_evict  called with (Eviction, Request or None) after a line left
    The three functions may not call into this cache, index_fn into no cache. Arguments live for the call only.
    """

    def __init__(self, context: Context, *, replacement: Optional[str] = None, predictor: Optional[str] = None,
                 share_with: Optional["Cache"] = None, index_fn: Optional[Callable[[int, int], int]] = None,
                 on_fill: Optional[Callable[..., Any]] = None, on_evict: Optional[Callable[..., Any]] = None,
                 **options: Any) -> None:  # fmt: skip
        self._context = context
        self._index_function, self._on_fill, self._on_evict = index_fn, on_fill, on_evict
        for name, value in options.items():
            if name in _CHOICES:
                options[name] = choice(_CHOICES[name], value, name)
            elif name not in _OPTIONS:
                raise TypeError(f"'{name}' is no option of a cache: {', '.join(sorted(_OPTIONS))}")
        if index_fn is not None:
            options.setdefault("index", Index.USER)
        raw = g.gpc_cache_options(**options)
        raw.replacement = None if replacement is None else text(replacement, "replacement")
        raw.predictor = None if predictor is None else text(predictor, "predictor")
        raw.share_with = None if share_with is None else share_with._live()
        token = hold(weakref.ref(self))
        weakref.finalize(self, drop, token).atexit = False
        raw.index_data = raw.callback_data = token
        if index_fn is not None:
            raw.index_fn = _index
        if on_fill is not None:
            raw.on_fill = _on_fill
        if on_evict is not None:
            raw.on_evict = _on_evict
        self._calls_back = index_fn is not None or on_fill is not None or on_evict is not None
        self._create(
            lib.gpc_cache_destroy, lib.gpc_cache_create, context._live(), ctypes.byref(raw), keep=(context,)
        )


class BorrowedCache(CacheView):
    """A cache of a hierarchy; valid as long as the hierarchy."""

    def __init__(self, owner, pointer):
        self._owner = owner
        self._context = owner._context
        self._address = pointer

    def _live(self):
        self._owner._live()
        return self._address

    @property
    def closed(self) -> bool:
        return self._owner.closed

    def close(self) -> None:
        raise StateError(Status.ERROR_STATE, "a hierarchy's cache is closed with the hierarchy")

    def __exit__(self, *_):
        """Keep the lent object."""


def next_uses(context: Context, addresses: Any, line_bytes: int = 128) -> Sequence[int]:
    """For each access of a stream, the index of the next access to the same line, or 2**64 - 1: an array("Q")."""
    pointer, count = _buffers.source(addresses, "Q", "addresses")
    found = array.array("Q", bytes(8 * count))
    out = _buffers.target(found, "Q", count, "next_uses")
    call(lib.gpc_next_uses, context._live(), pointer, count, line_bytes, out)
    return found
