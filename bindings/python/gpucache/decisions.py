# SPDX-License-Identifier: BSD-2-Clause
"""Decisions alone: policies for a simulator's own caches and warps, without the library's.

The simulator has tags, MSHRs and queues, and reports their events by set and way. The library chooses victims
(ReplacementDecisions), bypasses (PredictorDecisions) and warps to hold back (ThrottleDecisions).
"""

import ctypes
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _generated as g
from ._base import filled
from ._constants import GPC_WAY_BYPASS, Busy, Decision, PolicyEventKind, WarpEventKind
from ._loader import lib
from ._native import Handle, call, choice, invoke, settle, text
from .cache import Eviction, Request, WarpEvent, _request
from .scheduler import Warps
from .stats import PolicyValue, read_policies
from .throttle import WarpClasses

_NO_WAY = 2**32 - 1


class Prediction(NamedTuple):
    """A predictor's answer for a request; `word` goes below with the request."""

    decision: Decision
    word: int


class PolicyEvent(NamedTuple):
    """An event at the simulator's tags, for tell(). INVALIDATE needs no request, EVICT also an Eviction."""

    kind: Union[PolicyEventKind, str, int]
    set: int
    way: int = 0
    request: Optional[Request] = None
    eviction: Optional[Eviction] = None


def _raw(event: PolicyEvent) -> g.gpc_policy_event:
    raw = g.gpc_policy_event(kind=choice(PolicyEventKind, event.kind, "kind"), set=event.set, way=event.way)
    if event.request is not None:
        raw.request = ctypes.pointer(event.request)
    if event.eviction is not None:
        raw.eviction = ctypes.pointer(event.eviction)
    return raw


class _Decisions(Handle):
    """Common part: a policy for a simulator's cache, with reports of the cache's events."""

    _options: Any = None
    _functions = ""  # prefix of the library's functions

    def __init__(self, context: Any, policy: str, share_with: Optional[Handle], options: Any) -> None:
        self._context = context
        raw = filled(self._options, policy=text(policy, "policy"), **options)
        raw.share_with = None if share_with is None else share_with._live()
        create, destroy = (getattr(lib, self._functions + name) for name in ("create", "destroy"))
        self._create(destroy, create, context._live(), ctypes.byref(raw), keep=(context,))

    def _call(self, name: str, *arguments: Any) -> None:
        call(getattr(lib, self._functions + name), self._live(), *arguments)

    def _tell(self, events: Sequence[g.gpc_policy_event]) -> None:
        array = (g.gpc_policy_event * len(events))(*events)
        error, done = g.gpc_error(), ctypes.c_size_t()
        function = getattr(lib, self._functions + "event")
        status = invoke(function, self._live(), array, len(events), ctypes.byref(done), ctypes.byref(error))
        try:
            settle(status, error)
        except BaseException as raised:
            raised.done = done.value  # type: ignore[attr-defined]
            raise

    def tell(self, events: Iterable[PolicyEvent]) -> None:
        """Report events in order, in a call. An exception has the attribute `done`: number of events reported before.
        """
        self._tell([_raw(event) for event in events])

    def _one(self, kind: PolicyEventKind, set: int, way: int, address: Any, fields: Any) -> None:
        self.tell([PolicyEvent(kind, set, way, _request(address, fields))])

    def hit(self, set: int, way: int, address: Union[Request, int], **fields: Any) -> None:
        """`way` served the request, or sectors of it: a Request, or an address and fields of Request.

        With continues=1, a further sector of the same instruction's line, the hit is no new use of the line.
        """
        self._one(PolicyEventKind.HIT, set, way, address, fields)

    def sector_miss(self, set: int, way: int, address: Union[Request, int], **fields: Any) -> None:
        """`way` has the request's line, but no requested sector."""
        self._one(PolicyEventKind.SECTOR_MISS, set, way, address, fields)

    def miss(self, set: int, address: Union[Request, int], **fields: Any) -> None:
        """No way of `set` has the request's line."""
        self._one(PolicyEventKind.MISS, set, 0, address, fields)

    def fill(self, set: int, way: int, address: Union[Request, int], **fields: Any) -> None:
        """`way` is the request's now."""
        self._one(PolicyEventKind.FILL, set, way, address, fields)

    def evict(self, eviction: Eviction, address: Union[Request, int], **fields: Any) -> None:
        """A line leaves to make room for the request's."""
        self.tell([PolicyEvent(PolicyEventKind.EVICT, eviction.set, eviction.way, _request(address, fields), eviction)])

    def invalidate(self, set: int, way: int) -> None:
        """The line of `way` is dropped."""
        self.tell([PolicyEvent(PolicyEventKind.INVALIDATE, set, way)])

    def warp_event(self, kind: Any, **fields: Any) -> None:
        """A WarpEventKind, with fields of WarpEvent."""
        event = filled(WarpEvent, kind=choice(WarpEventKind, kind, "kind"), **fields)
        self._tell([g.gpc_policy_event(kind=PolicyEventKind.WARP_EVENT, warp_event=ctypes.pointer(event))])

    def sample(self, **fields: Any) -> None:
        """A period ended: fields of gpc_sample, of the SM and of the simulator's own cache since the last sample."""
        sample = ctypes.pointer(filled(g.gpc_sample, **fields))
        self._tell([g.gpc_policy_event(kind=PolicyEventKind.SAMPLE, sample=sample)])

    def policy_values(self) -> "dict[str, PolicyValue]":
        """Counters published by the policy: {name: PolicyValue}."""
        return read_policies(getattr(lib, self._functions + "policy_value"), self._live())


class ReplacementDecisions(_Decisions):
    """Choice of victims.

    policy   `name` or `name(parameter=value, ...)`
    options  fields of gpc_replacement_options: sets, ways, line_bytes, sectors, instance, instances, seed, and `tells`,
             ReadsBits of reported inputs; a policy with further inputs is refused. 0: the fields of a Request only.
    share_with  another object of the level's `instances`
    """

    _options = g.gpc_replacement_options
    _functions = "gpc_replacement_"

    def __init__(self, context: Any, policy: str = "lru", *, share_with: "Optional[ReplacementDecisions]" = None,
                 **options: Any) -> None:
        super().__init__(context, policy, share_with, options)
        self._words = (options.get("ways", g.gpc_replacement_options().ways) + 63) // 64

    def _bits(self, candidates: Optional[Iterable[int]]) -> Any:
        if candidates is None:
            return None
        ways = 0
        for way in candidates:
            if not 0 <= way < 64 * self._words:
                raise ValueError(f"way {way} is beyond the set")
            ways |= 1 << way
        return (ctypes.c_uint64 * self._words)(*(ways >> 64 * word & 2**64 - 1 for word in range(self._words)))

    def choose(self, set: int, address: Union[Request, int], candidates: Optional[Iterable[int]] = None,
               **fields: Any) -> Optional[int]:
        """Victim of a full set, of `candidates` (None: all ways). None: the request bypasses."""
        way = ctypes.c_uint32()
        request = _request(address, fields)
        self._call("choose", set, self._bits(candidates), ctypes.byref(request), ctypes.byref(way))
        return None if way.value == GPC_WAY_BYPASS else way.value

    def declines(self, set: int, address: Union[Request, int], candidates: Optional[Iterable[int]] = None,
                 **fields: Any) -> bool:
        """True if choose() would decline the request; call before requesting its data."""
        request, bits = _request(address, fields), self._bits(candidates)
        found = invoke(lib.gpc_replacement_declines, self._live(), set, bits, ctypes.byref(request))
        settle()
        return found


class PredictorDecisions(_Decisions):
    """Choice of bypasses. Parameters as of ReplacementDecisions."""

    _options = g.gpc_predictor_options
    _functions = "gpc_predictor_"

    def __init__(self, context: Any, policy: str = "always-cache", *,
                 share_with: "Optional[PredictorDecisions]" = None, **options: Any) -> None:
        super().__init__(context, policy, share_with, options)

    @property
    def before_lookup(self) -> bool:
        """True if reads are predicted before the lookup of their tags."""
        return lib.gpc_predictor_before_lookup(self._live())

    def predict(self, set: int, address: Union[Request, int], **fields: Any) -> Prediction:
        """May the request allocate?"""
        return self.predict_many([set], [_request(address, fields)])[0]

    def predict_many(self, sets: Sequence[int], requests: Sequence[Request]) -> List[Prediction]:
        """predict() of many requests, in order, in a call."""
        count = len(requests)
        if len(sets) != count:
            raise ValueError(f"{len(sets)} sets for {count} requests")
        found = (g.gpc_prediction * count)()
        call(lib.gpc_predictor_predict_many, self._live(), (ctypes.c_uint32 * count)(*sets),
             (g.gpc_request * count)(*requests), count, found, None)  # fmt: skip
        return [Prediction(Decision(each.decision), each.policy_word) for each in found]

    def reply(self, predicted: Union[Decision, str, int], word: int, address: Union[Request, int],
              **fields: Any) -> Decision:
        """Take the policy word of a reply from below: returns the final Decision."""
        request = _request(address, fields)
        predicted = choice(Decision, predicted, "predicted")
        found = invoke(lib.gpc_predictor_reply, self._live(), ctypes.byref(request), predicted, word)
        settle()
        return Decision(found)

    def respond(self, set: int, way: Optional[int], address: Union[Request, int], **fields: Any) -> int:
        """For the level below, after serving a request with a policy_word: the word for the reply."""
        request = _request(address, fields)
        way = _NO_WAY if way is None else way
        word = invoke(lib.gpc_predictor_respond, self._live(), set, way, ctypes.byref(request))
        settle()
        return word

    def stall(self, reason: Union[Busy, str, int], address: Union[Request, int], **fields: Any) -> Decision:
        """A queue holds a load up, for a Busy reason: the Decision to wait (CACHE), or to go below."""
        request = _request(address, fields)
        found = invoke(
            lib.gpc_predictor_stall, self._live(), ctypes.byref(request), choice(Busy, reason, "reason")
        )  # fmt: skip
        settle()
        return Decision(found)


class ThrottleDecisions(Warps):
    """Limits on issuing and allocating warps of a simulator's scheduler.

    throttles  `name` or `name(parameter=value, ...)`, and further throttles behind a `+`
    warps      slots, 1 to 1024; other options as of Scheduler
    """

    _prefix = "gpc_throttle_"

    def __init__(self, context: Any, throttles: str, *, warps: int = 48, sm: int = 0, index: int = 0, count: int = 1,
                 sms: int = 1, seed: int = 0, share_with: "Optional[ThrottleDecisions]" = None) -> None:
        self._context = context
        self._words = (warps + 63) // 64
        options = g.gpc_throttle_options(
            warps=warps, sm=sm, index=index, count=count, sms=sms, throttles=text(throttles, "throttles"), seed=seed,
            share_with=share_with._live() if share_with is not None else None,
        )  # fmt: skip
        self._create(
            lib.gpc_throttle_destroy, lib.gpc_throttle_create, context._live(), ctypes.byref(options), keep=(context,)
        )

    def classify(self, cycle: int = 0) -> WarpClasses:
        """Rights of all warps from `cycle` on, until an event or `again`: sets of slots."""
        names = ("throttled", "held", "bypassing", "bypassing_l2")
        raw = g.gpc_throttle_classes()
        bitmaps = [(ctypes.c_uint64 * self._words)() for _ in names]
        for name, bitmap in zip(names, bitmaps):
            setattr(raw, name, bitmap)
        self._call("classify", cycle, ctypes.byref(raw))
        found = WarpClasses()
        for name, bitmap in zip(names, bitmaps):
            setattr(found, name, {64 * word + bit for word, bits in enumerate(bitmap) for bit in range(64)
                                  if bits >> bit & 1})  # fmt: skip
        found.again = None if raw.again == 2**64 - 1 else raw.again
        return found

    def held(self, slot: int) -> bool:
        """True if a warp may not issue memory instructions."""
        return lib.gpc_throttle_held(self._live(), slot)

    @property
    def wants(self) -> Tuple[str, ...]:
        """Inputs used by the throttles: "events" of L1 and "samples"."""
        pointer = self._live()
        wanted = {"events": lib.gpc_throttle_wants_events, "samples": lib.gpc_throttle_wants_samples}
        return tuple(name for name, wants in wanted.items() if wants(pointer))
